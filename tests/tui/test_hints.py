"""The rule for hints: at most six words, the verb first; and every command begins with what it
does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from agent_tui.tui import sheets
from agent_tui.tui.commands import COMMANDS
from agent_tui.tui.commands.base import Command, Situation
from agent_tui.tui.core.model import Model
from agent_tui.tui.sheets import draw, help
from agent_tui.tui.widgets.regions import Footer
from tests.tui.gallery import SHEETS

MOST_WORDS = 6
AROUND = 4
"""Columns of the screen beside the footer."""
VERBS = {
    "ask",
    "bring",
    "change",
    "check",
    "choose",
    "clear",
    "collapse",
    "complete",
    "continue",
    "copy",
    "download",
    "drop",
    "edit",
    "move",
    "expand",
    "export",
    "find",
    "fork",
    "go",
    "interrupt",
    "keep",
    "label",
    "let",
    "list",
    "paste",
    "quit",
    "redo",
    "release",
    "rename",
    "replay",
    "resume",
    "retry",
    "rewind",
    "run",
    "scroll",
    "search",
    "select",
    "send",
    "set",
    "show",
    "start",
    "steer",
    "suspend",
    "switch",
    "undo",
    "write",
}
SITUATIONS = [
    Situation(*values, chip, reading)
    for *values, reading in product((False, True), repeat=5)
    for chip in ("", "[Pasted text\u00a0#1]", "[Image\u00a0#1]")
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_says_first_what_it_does(command: Command) -> None:
    first = command.help.split()[0].rstrip(":.").lower()
    assert first in VERBS, f"{command.name}: {first}"


@pytest.mark.parametrize(
    "command", [one for one in COMMANDS if one.label], ids=lambda command: command.name
)
def test_a_hint_in_the_footer_is_short(command: Command) -> None:
    assert command.label is not None
    for situation in SITUATIONS:
        assert len(command.label(situation).split()) <= MOST_WORDS


def test_the_card_of_keys_is_short_and_says_first_what_a_key_does() -> None:
    assert len(help.CARD) == 15
    for _, _, what in help.CARD:
        first, *more = what.split()
        assert first.rstrip(",") in VERBS and len(more) < MOST_WORDS, what


def shown_sheets() -> Iterator[tuple[str, Model]]:
    """Every sheet with something in it."""
    for kind, picture in SHEETS.items():
        model = picture()
        assert model.overlay is not None and model.overlay.kind == kind
        if model.overlay.picker is not None:
            assert model.overlay.picker.shown, kind
        yield kind, model


def test_what_a_sheet_says_of_its_keys_is_short() -> None:
    said = set[str]()
    for kind, model in shown_sheets():
        assert model.overlay is not None
        labels = [one.label_for(model, model.overlay) for one in sheets.find(kind).actions]
        said |= {*labels, sheets.find(kind).esc_for(model, model.overlay)}
    assert {"steer", "close", "rename", "expand", "reset"} <= said
    assert not [what for what in said if len(what.split()) > MOST_WORDS]


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_footer_names_enter_and_the_way_out_with_their_words(width: int) -> None:
    for kind, model in shown_sheets():
        assert model.overlay is not None
        footer = Footer()
        footer.value = draw.sheet_footer(model, model.overlay)
        words = "".join(segment.text for segment in footer.lines(width - AROUND)[0])
        keys = dict(footer.value.keys)
        listed = model.overlay.picker is not None
        assert "Enter" in keys or not listed, f"{kind}: a row of a list is taken with it"
        for key in ("Enter", "Esc"):
            assert key not in keys or f"{key} {keys[key]}" in words, f"{kind}: {words}"
