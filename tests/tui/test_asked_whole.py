"""What a person is asked about is shown to its last character: nothing that runs is hidden in an
escape sequence."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display, Hunk, TextDisplay
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.widgets.paint import flatten
from tests.tui.asked import asked_lines

HIDING = (
    "a \x1b]0;touch HIDDEN;\x07 b",
    "a \x1bP;touch HIDDEN;\x1b\\ b",
    "a \x1b[;touch HIDDEN;:m b",
    "a \x9d0;touch HIDDEN;\x9c b",
    "a \x1b]0;touch HIDDEN;\x9c b",
    "a \x1b_touch HIDDEN\x1b\\ b",
    "touch HIDDEN\rls",
)


@pytest.mark.parametrize("text", HIDING)
@pytest.mark.parametrize("kind", ["command", "text", "new", "old"])
def test_nothing_that_is_asked_about_is_hidden(text: str, kind: str) -> None:
    displays: dict[str, Display] = {
        "command": CommandDisplay(text),
        "text": TextDisplay(text),
        "new": DiffDisplay("Makefile", (Hunk(1, 1, (f"+{text}",)),), 1, 0),
        "old": DiffDisplay("Makefile", (Hunk(1, 1, (f"-{text}",)),), 0, 1),
    }
    for width in (40, 160):
        lines = asked_lines(displays[kind], width, len, DEFAULT)
        drawn = "".join(segment.text for line in lines for segment in line.segments)
        assert "ouch HIDDEN" in drawn
        assert "\x1b" not in drawn


def test_the_name_of_what_is_asked_about_is_whole() -> None:
    assert flatten("Edit \x1b]0;y\x07z.txt") == "Edit ␛]0;y␇z.txt"
