"""The rule for hints: at most six words, the verb first; and every command begins with what it
does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.transcript import Queued
from agent_tui.tui import sheets
from agent_tui.tui.commands import COMMANDS
from agent_tui.tui.commands.base import Command, Situation
from agent_tui.tui.core.model import Model
from agent_tui.tui.screen import key_help
from agent_tui.tui.sheets import control, draw
from tests.tui.play import Play

MOST_WORDS = 6
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
    "edit",
    "expand",
    "export",
    "find",
    "fork",
    "go",
    "interrupt",
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
    assert len(key_help.CARD) == 15
    for _, _, what in key_help.CARD:
        first, *more = what.split()
        assert first.rstrip(",") in VERBS and len(more) < MOST_WORDS, what


def shown_sheets() -> Iterator[tuple[str, Model]]:
    """Every sheet as it is when it opens, where there is something to show."""
    play = Play()
    play.begin("work")
    play.feed(QueueChanged(items=(Queued("1", "one"), Queued("2", "two")), session="s"))
    for kind in sheets.names():
        model, _ = control.open_sheet(play.model, kind)
        if model.overlay is not None and model.overlay.kind == kind:
            yield kind, model


def test_what_a_sheet_says_of_its_keys_is_short() -> None:
    said = set[str]()
    for kind, model in shown_sheets():
        assert model.overlay is not None
        labels = [one.label_for(model, model.overlay) for one in sheets.find(kind).actions]
        said |= {*labels, sheets.find(kind).esc_for(model, model.overlay)}
    assert {"steer", "close", "rename", "expand", "reset"} <= said
    assert not [what for what in said if len(what.split()) > MOST_WORDS]


def test_a_narrow_footer_names_enter() -> None:
    """Two keys have room at forty columns: Enter is one of them, where it does something."""
    for kind, model in shown_sheets():
        assert model.overlay is not None
        keys = draw.sheet_footer(model, model.overlay).keys
        fitting, rows = (
            keys[:2],
            model.overlay.picker.shown if model.overlay.picker is not None else (),
        )
        assert "Enter" in dict(fitting) or not rows or not rows[0].id, kind
        assert sum(len(f"{key} {what}   ") for key, what in fitting) <= 39, kind
