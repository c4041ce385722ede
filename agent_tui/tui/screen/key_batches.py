"""Keys that came in a row: how many of them are nothing but text, so that they are one step."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import takewhile

from agent_tui.tui import commands
from agent_tui.tui.core.model import Model
from agent_tui.tui.dialog.answering import letters_answer
from agent_tui.tui.screen.guards import BURST_SECONDS
from agent_tui.tui.sheets.control import finds_rows, is_written_below


def length(
    model: Model, keys: Iterable[str], at: float, free: bool, grab: Container[str] = ()
) -> int:
    """How many of `keys`, all of which type, are text like the first of them: one by one they would
    do the same.

    0 or 1: the first may mean something. They came at the time `at`; `free`: the prompt puts them
    where its caret is;
    `grab` are keys that something else wants.
    """
    if not _takes_text(model, at, free):
        return 0
    bound = commands.bindings(model.keys)
    return sum(1 for _ in takewhile(lambda key: key not in bound and key not in grab, keys))


def _takes_text(model: Model, at: float, free: bool) -> bool:
    """Whether no key that types answers, chooses or closes anything, and none will after another of
    them."""
    if model.held is not None:
        return False
    overlay = model.overlay if model.covered else None
    if overlay is not None and finds_rows(overlay):
        asked_for = overlay.shown_at == float("-inf")  # else the first keys may be the prompt's
        return free or asked_for
    if overlay is not None and not is_written_below(overlay):
        return False
    if overlay is not None and not model.composer.draft:
        return False  # of the first letter is said where it went
    if model.asking:
        return free and not letters_answer(model)
    if overlay is not None:
        return free and at - model.last_key < BURST_SECONDS  # words that began as words
    return free
