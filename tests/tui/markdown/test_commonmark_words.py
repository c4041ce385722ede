"""Every word of the CommonMark examples is drawn, in order, at three widths."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from agent_tui.tui.markdown.lines import DECORATION, Line
from agent_tui.tui.markdown.render import render

SPEC = Path(__file__).resolve().parents[4] / "shared" / "data" / "commonmark-spec.txt"
EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n(.*?)^`{32}$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    spec = SPEC.read_text(encoding="utf-8")
    return [(a.replace("→", "\t"), b.replace("→", "\t")) for a, b in EXAMPLE.findall(spec)]


def words(reference: str) -> list[str]:
    """The words a browser would show of the reference HTML."""
    text = re.sub(
        r"<!--.*?-->|<\?.*?\?>|<!.*?>|</?[a-zA-Z][^<>]*>", " ", reference, flags=re.DOTALL
    )
    return html.unescape(text).split()


def drawn(lines: tuple[Line, ...]) -> str:
    return "".join(
        "".join(segment.text.split())
        for line in lines
        for segment in line.segments
        if segment.style.rpartition(" ")[2] not in DECORATION
    )


def missing(source: str, reference: str, width: int) -> list[str]:
    shown = drawn(render(source, width, cell_len))
    position, lost = 0, []
    for word in words(reference):
        # What is wrapped in inline tags may touch its neighbours when drawn: only the order counts.
        found = shown.find("".join(word.split()), position)
        if found < 0:
            lost.append(word)
        else:
            position = found + len(word)
    return lost


@pytest.mark.skipif(
    not SPEC.is_file(), reason="the CommonMark specification is not beside this checkout"
)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_word_of_the_specification_is_drawn(width: int) -> None:
    found = examples()
    assert len(found) == 655
    lost = {
        number: bad
        for number, (source, wanted) in enumerate(found, 1)
        if (bad := missing(source, wanted, width))
    }
    assert lost == {}
    assert all(
        sum(cell_len(s.text) for s in line.segments) <= width
        for source, _ in found
        for line in render(source, width, cell_len)
    )
