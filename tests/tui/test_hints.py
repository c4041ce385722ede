"""The rule for hints: at most six words, the verb first; and every command begins with what it does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from agent_tui.tui import key_words, sheets
from agent_tui.tui.commands import COMMANDS
from agent_tui.tui.commands.base import Command, Situation
from agent_tui.tui.sheets import control
from agent_tui.tui.view import bars, going_back, queued
from tests.tui.play import Play

MOST_WORDS = 6
VERBS = {
    "ask", "bring", "change", "check", "choose", "clear", "collapse", "complete", "continue", "copy",
    "download", "edit", "expand", "export", "find", "fork", "go", "interrupt", "label", "let", "list",
    "paste", "quit", "redo", "release", "rename", "replay", "resume", "retry", "rewind", "run", "scroll",
    "search", "select", "send", "set", "show", "start", "steer", "suspend", "switch", "undo", "write",
}  # fmt: skip
SITUATIONS = [
    Situation(*values, chip, reading)
    for *values, reading in product((False, True), repeat=5)
    for chip in ("", "[Pasted text\u00a0#1]", "[Image\u00a0#1]")
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_says_first_what_it_does(command: Command) -> None:
    first = command.help.split()[0].rstrip(":.").lower()
    assert first in VERBS, f"{command.name}: {first}"


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.label], ids=lambda command: command.name)
def test_a_hint_in_the_footer_is_short(command: Command) -> None:
    assert command.label is not None
    for situation in SITUATIONS:
        assert len(command.label(situation).split()) <= MOST_WORDS


def test_the_card_of_keys_is_short_and_says_first_what_a_key_does() -> None:
    assert len(key_words.CARD) == 15
    for _, _, what in key_words.CARD:
        first, *more = what.split()
        assert first.rstrip(",") in VERBS and len(more) < MOST_WORDS, what


def footers() -> Iterator[tuple[tuple[str, str], ...]]:
    """The keys that sheets name."""
    for listed in sheets.names():
        model, _ = control.open_sheet(Play().model, listed)
        if model.overlay is None:
            continue
        labels = (one.label_for(model, model.overlay) for one in sheets.find(listed).actions)
        yield tuple(("", label) for label in labels)
    kinds = ("copy", "settings", "queue", "paste", "first_run")
    for kind in kinds:
        for running, paused in product((False, True), repeat=2):
            yield queued.sheet_footer(kind, running, paused, True).keys
    yield queued.aside_footer(True, True).keys
    yield queued.editing_footer(True, ()).keys


def test_what_a_sheet_says_of_its_keys_is_short() -> None:
    said = {what for keys in footers() for _, what in keys} | set(bars.SENDS.values())
    assert "steer" in said and "close" in said and "rename" in said
    assert not [what for what in said if len(what.split()) > MOST_WORDS]


@pytest.mark.parametrize("kind", ["copy", "settings", "queue", "paste", "first_run", "undo", *sheets.names()])
def test_a_narrow_footer_names_enter(kind: str) -> None:
    """Two keys have room at forty columns: Enter is one of them."""
    if kind == "undo":
        keys = going_back.going_back_footer(True, True).keys
    elif kind in sheets.names():
        model, _ = control.open_sheet(Play().model, kind)
        first = sheets.find(kind).actions[0]
        assert "enter" in first.keys and model.overlay is not None
        keys = (("Enter", first.label_for(model, model.overlay)), ("Esc", "close"))
    else:
        keys = queued.sheet_footer(kind, True, False, True).keys
    fitting = keys[:2]
    assert "Enter" in dict(fitting) or kind == "paste"
    assert sum(len(f"{key} {what}   ") for key, what in fitting) <= 39
