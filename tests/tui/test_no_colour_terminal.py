"""Without colour, in a real terminal: no colour is sent, and every text that is shown can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

READY = "Enter send"
SGR = re.compile(rb"\x1b\[([0-9;:]*)m")


COLOUR = re.compile(rb"3[0-8]|4[0-8]|58|9[0-7]|10[0-7]")


def colours(raw: bytes) -> set[bytes]:
    """The codes in `raw` that set a colour: the 16, the 256 and the 16 million, of text, ground and
    underline."""
    return {
        codes for codes in SGR.findall(raw) if any(map(COLOUR.fullmatch, re.split(rb"[;:]", codes)))
    }


def unreadable(pty: Pty) -> list[str]:
    """Cells that show text in the colour of their ground."""
    screen = pty.emulator
    return [
        f"{cell.data!r} at {x}, {y}: {cell.fg} on {cell.bg}"
        for y in range(screen.lines)
        for x in range(screen.columns)
        if (cell := screen.buffer[y][x]).data.strip() and cell.fg == cell.bg != "default"
    ]


def tour(tmp_path: Path, environment: dict[str, str], config: str) -> Pty:
    """The program on its demo, at the question before a file is changed; it has shown its help and
    its commands."""
    place, project = tmp_path / "place", tmp_path / "project"
    place.mkdir()
    project.mkdir()
    (place / "config.toml").write_text(f"{config}[providers.demo]\npace = 0\n")
    env = {
        "AGENT_TUI_HOME": str(place),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "NO_COLOR": "",
        **environment,
    }
    pty = Pty(["-m", "agent_tui", "--model", "demo/tour", "--cwd", str(project)], env, (100, 40))
    pty.until(READY)
    for opens, shown, closes in (
        (b"\x1bOP", "find and run", b"\x1b"),
        (b"/mo", "/model", b"\x7f\x7f\x7f"),
    ):
        pty.type(opens)
        pty.until(shown)
        assert unreadable(pty) == []
        pty.type(closes)
        pty.until(lambda text, gone=shown: READY in text and gone not in text)  # type: ignore[misc]
    pty.type("tour\r")
    pty.until("yes, once")
    return pty


@pytest.mark.parametrize(
    ("environment", "config"),
    [({"NO_COLOR": "1"}, ""), ({}, '[display]\ntheme = "no-colour"\n')],
    ids=["variable", "theme"],
)
def test_no_colour_is_sent_and_all_text_can_be_read(
    tmp_path: Path, environment: dict[str, str], config: str
) -> None:
    pty = tour(tmp_path, environment, config)
    try:
        assert unreadable(pty) == []
        assert colours(pty.raw) == set()
    finally:
        pty.close()


def test_with_colours_all_text_can_be_read_too(tmp_path: Path) -> None:
    """Also shows that a colour would be found."""
    pty = tour(tmp_path, {}, "")
    try:
        assert unreadable(pty) == []
        assert colours(pty.raw)
    finally:
        pty.close()
