"""What `read_file` makes of pictures, PDFs and notebooks, and of a file that it read before."""

from __future__ import annotations

import builtins
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agent_tui.protocol.display import ImageDisplay
from agent_tui.tools.base import ToolResult
from agent_tui.tools.read_file import TOOL
from agent_tui.tools.support.files import picture
from agent_tui.tools.support.pictures import LONGEST_SIDE, MOST
from tests.tools.context import Context, call


def read(root: Path, path: str, **arguments: object) -> ToolResult:
    return call(TOOL, Context(root), path=path, **arguments)


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode()


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """As where the package is not installed."""
    real = builtins.__import__

    def imported(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, globals, locals, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", imported)


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("first", "second", "third"))
    whole = read(tmp_path, "a.pdf").content
    assert whole == "[Page 1]\nfirst\n[Page 2]\nsecond\n[Page 3]\nthird\n[Pages 1-3 of 3.]"
    assert (
        read(tmp_path, "a.pdf", pages="1-2").content.splitlines()[-1]
        == "[Pages 1-2 of 3. Read on with pages=3-.]"
    )
    assert read(tmp_path, "a.pdf", pages="3").content == "[Page 3]\nthird\n[Pages 3-3 of 3.]"
    for wrong in ("4", "2-1", "x", "0"):
        failed = read(tmp_path, "a.pdf", pages=wrong)
        assert (failed.tag, "it has 3 pages" in failed.content) == ("invalid_arguments", True)


def test_a_long_pdf_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(*(f"page {n}" for n in range(1, 31))))
    content = read(tmp_path, "a.pdf").content
    assert content.splitlines()[-1] == "[Pages 1-20 of 30. Read on with pages=21-.]"
    assert "page 30" in read(tmp_path, "a.pdf", pages="21-").content


@pytest.mark.parametrize("cut", [9, 60, 300, -40])
def test_a_damaged_pdf_is_an_error_with_a_tag_or_read(tmp_path: Path, cut: int) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("first")[:cut])
    result = read(tmp_path, "a.pdf")
    assert result.tag in ("ok", "binary") and "a.pdf" in result.content + "a.pdf"


def test_without_the_reader_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("first"))
    without(monkeypatch, "pypdf")
    failed = read(tmp_path, "a.pdf")
    assert failed.tag == "binary" and "pip install 'agent-tui[pdf]'" in failed.content
    assert "\n" not in failed.content


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "nbformat": 4})


def test_a_notebook_comes_as_numbered_cells_with_short_outputs(tmp_path: Path) -> None:
    cells = (
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"data": {"text/plain": "<Figure>", "image/png": "iVBOR" * 1000}},
                {"ename": "ValueError", "evalue": "no", "traceback": []},
            ],
        },
        {"cell_type": "code", "source": "x", "outputs": [{"text": "y" * 5_000}]},
    )
    (tmp_path / "a.ipynb").write_text(notebook(*cells))
    content = read(tmp_path, "a.ipynb").content
    assert content.startswith("[Cell 1: markdown]\n# Title\nwords\n[Cell 2: code]\nprint(1)\n")
    assert "[Output]\n1\n\n<Figure>\n[image/png]\nValueError: no\n[Cell 3" in content
    assert "iVBOR" not in content and "(4,000 more characters)" in content
    assert content.endswith("[Cells 1-3 of 3.]")
    one = read(tmp_path, "a.ipynb", pages="1").content
    assert one == "[Cell 1: markdown]\n# Title\nwords\n[Cells 1-1 of 3. Read on with pages=2-.]"
    assert '"cells"' in read(tmp_path, "a.ipynb", start_line=1).content


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 1}', "{}", "[" * 50_000])
def test_what_is_no_notebook_is_read_as_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    assert read(tmp_path, "a.ipynb").content.startswith("    1→")


def test_pages_of_a_text_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    assert read(tmp_path, "a.txt", pages="1").tag == "invalid_arguments"


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_large_picture_is_made_smaller(tmp_path: Path, kind: str) -> None:
    Image.new("RGB", (4_000, 2_000), "red").save(tmp_path / "a", kind)
    context = Context(tmp_path)
    result = call(TOOL, context, path="a")
    assert "4000×2000 pixels" in result.content and "It follows" in result.content
    assert isinstance(result.display, ImageDisplay)
    sent = picture(context.checkpoints[result.display.blob])
    assert sent is not None
    assert (sent.kind, sent.width, sent.height) == (kind, LONGEST_SIDE, LONGEST_SIDE // 2)


def test_a_picture_of_a_usual_size_is_sent_as_it_is(tmp_path: Path) -> None:
    written = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(written, "PNG")
    (tmp_path / "a.png").write_bytes(written.getvalue())
    context = Context(tmp_path)
    result = call(TOOL, context, path="a.png")
    assert isinstance(result.display, ImageDisplay)
    assert context.checkpoints[result.display.blob] == written.getvalue()
    assert result.display.media == "image/png"


def test_a_picture_too_large_to_send_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    Image.new("RGB", (40, 20)).save(written, "PNG")
    (tmp_path / "a.png").write_bytes(written.getvalue() + os.urandom(MOST))
    without(monkeypatch, "PIL")
    result = read(tmp_path, "a.png")
    assert "pip install 'agent-tui[images]'" in result.content and "\n" not in result.content
    assert isinstance(result.display, ImageDisplay) and not result.display.blob


def test_a_picture_that_cannot_be_decoded_does_no_harm(tmp_path: Path) -> None:
    head = bytearray(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    head += (60_000).to_bytes(4, "big") + (60_000).to_bytes(4, "big") + b"\x08\x02\0\0\0"
    (tmp_path / "bomb.png").write_bytes(bytes(head) + b"\0" * 6_000_000)
    result = read(tmp_path, "bomb.png")
    assert "It cannot be shown to you" in result.content
