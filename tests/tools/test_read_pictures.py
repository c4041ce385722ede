"""What a person sees of pictures and tables that are read."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.display import CodeDisplay, ImageDisplay, TableDisplay
from agent_tui.tools.base import ToolResult
from agent_tui.tools.read_file import COLUMNS, LONGEST_LINE, TOOL, sheet
from agent_tui.tools.support.files import Picture, picture
from tests.tools.context import Context, call


def png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + head + struct.pack(">I", zlib.crc32(head))


EXIF = b"\xff\xe1" + struct.pack(">H", 2_002) + b"\xff\xc0" * 1_000
JPEG = (
    b"\xff\xd8"
    + EXIF
    + b"\xff\xff\xdb\0\x04ab"
    + b"\xff\xc2\0\x11\x08"
    + struct.pack(">HH", 600, 800)
    + b"\x03" * 9
)
WEBP = b"RIFF\0\0\0\0WEBP"


def read(root: Path, path: str, **arguments: object) -> ToolResult:
    return call(TOOL, Context(root), path=path, **arguments)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (png(640, 480), Picture("PNG", 640, 480)),
        (b"GIF89a" + struct.pack("<HH", 32, 16) + b"\0" * 9, Picture("GIF", 32, 16)),
        (JPEG, Picture("JPEG", 800, 600)),
        (
            WEBP + b"VP8X\x0a\0\0\0\x10\0\0\0" + b"\x1f\x03\0" + b"\x57\x02\0",
            Picture("WebP", 800, 600),
        ),
        (
            WEBP + b"VP8L\0\0\0\0\x2f" + struct.pack("<I", 799 | 599 << 14),
            Picture("WebP", 800, 600),
        ),
        (
            WEBP + b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 800, 600),
            Picture("WebP", 800, 600),
        ),
        (b"\xff\xd8\xff\xe0", Picture("JPEG")),
        (png(9, 9)[:12], Picture("PNG")),
        (b"%PDF-1.7", None),
        (b"GIF is a word", None),
    ],
    ids=[
        "png",
        "gif",
        "jpeg",
        "webp",
        "webp lossless",
        "webp lossy",
        "cut jpeg",
        "cut png",
        "pdf",
        "text",
    ],
)
def test_pictures_are_known_by_their_first_bytes(data: bytes, found: Picture | None) -> None:
    assert picture(data) == found


@given(
    st.sampled_from([JPEG, png(1, 1), WEBP, b"\xff\xd8\xff"]),
    st.integers(0, 60),
    st.binary(max_size=90),
)
def test_no_bytes_stop_it(head: bytes, kept: int, rest: bytes) -> None:
    found = picture(head[:kept] + rest)
    assert found is None or (
        min(found.width, found.height) >= 0 and found.kind in {"PNG", "GIF", "JPEG", "WebP"}
    )


def test_a_picture_is_named_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(png(640, 480))
    result = read(tmp_path, "logo.png")
    assert isinstance(result.display, ImageDisplay) and result.tag == "ok"
    assert (result.display.width, result.display.height) == (640, 480)
    said = "logo.png is a PNG picture, 640×480 pixels, 33 B. It follows, if you can see pictures."
    assert result.content == said


def test_a_file_of_values_is_a_table_for_the_person_and_lines_for_the_model(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('name,price\n"nut, small",1.50\nbolt,2\n')
    result = read(tmp_path, "a.csv")
    assert result.display == TableDisplay(
        ("name", "price"), (("nut, small", "1.50"), ("bolt", "2"))
    )
    assert result.content == '    1→name,price\n    2→"nut, small",1.50\n    3→bolt,2'
    assert isinstance(read(tmp_path, "a.csv", start_line=2).display, CodeDisplay)


@pytest.mark.parametrize(
    "text",
    [
        "one\ntwo\n",
        "a,b\n",
        "a,b\n1,2,3\n",
        'a,b\n"1,2\n',
        ",".join("a" * (COLUMNS + 1)) + "\n" + "," * COLUMNS,
        f"a,b\n1,{'x' * (LONGEST_LINE + 1)}\n",
    ],
    ids=["one column", "no rows", "uneven", "open quote", "too wide", "cut"],
)
def test_what_is_no_table_is_shown_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert isinstance(read(tmp_path, "a.csv").display, CodeDisplay)


def test_tabs_and_semicolons_part_values_too() -> None:
    table = TableDisplay(("a", "b"), (("1,5", "2"),))
    assert (
        sheet(Path("x.tsv"), ["a\tb", "1,5\t2"]) == sheet(Path("x.CSV"), ["a;b", "1,5;2"]) == table
    )
    assert sheet(Path("x.txt"), ["a\tb", "1\t2"]) is None
