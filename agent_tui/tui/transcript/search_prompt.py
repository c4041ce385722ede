"""Searching the transcript: the prompt holds the query, the model what was found and which hit is
looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.present import texts as search_words
from agent_tui.protocol.transcript import UserBlock
from agent_tui.tui.core.effects import Yield
from agent_tui.tui.core.model import Model, Search
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import composer
from agent_tui.tui.transcript import search, state
from agent_tui.tui.transcript.blocks import pieces

LABEL: Final = "Search the transcript"
NEXT: Final = frozenset(("enter", "down", "f3", "ctrl+f"))
PREVIOUS: Final = frozenset(("shift+enter", "alt+enter", "up", "shift+f3"))
KEYS: Final = NEXT | PREVIOUS
"""What a search takes from the prompt."""
PAUSE: Final = 0.01
"""Seconds between two slices of a search."""


def begin(model: Model, query: str = "") -> Model:
    """Ask for what is looked for; `query` to begin with."""
    last = state.rows_in_view(model)[1]
    model = composer.ask(model, Purpose("search", LABEL, sends="search"))
    return composer.write(
        replace(model, search=Search(search.Index(), search.Found(), origin=last)), query
    )


def on_search_key(model: Model, msg: KeyPressed) -> Step | None:
    """A key while the prompt holds a query. None: not a key for the search."""
    if model.search is None or msg.key not in KEYS:
        return None
    model = settle_search(model)
    found = model.search
    if found is None or not found.hits.total:
        return model, ()
    number = (
        found.at + (1 if msg.key in NEXT else -1)
        if found.at >= 0
        else found.hits.nearest_hit(found.origin)
    )
    wrapped = not 0 <= number < found.hits.total
    if wrapped and found.hits.first:  # what is above, where the first hit is, is not searched yet
        return model, ()
    return _to(model, replace(found, wrapped=wrapped), number % found.hits.total), ()


def settle_search(model: Model) -> Model:
    """Look again if the query or the rows are others; after the search, forget it. Costs nothing
    without one."""
    now = model.search
    if now is None:
        return model
    if not model.composer.asks("search"):
        return replace(model, search=None)
    draft, rows = model.composer.draft.replace("\n", " "), model.transcript.rows
    query = search.fold_text(draft)
    if query == now.query and (not query or rows is now.index.rows):
        return model
    if not query:
        return state.unmark(_closed(model, replace(now, query="", hits=search.Found(), at=-1)))
    index, changed = search.renew_index(
        now.index, rows, search.has_marks(query), model.look.thinking != "hidden"
    )
    if (
        query == now.query and changed is not None
    ):  # rows came or went: the same hit, if it is still there
        hits = search.count_hits(index, now.hits, changed)
        return replace(
            model, search=replace(now, index=index, hits=hits, at=hits.number(*place(now)))
        )
    index, hits = search.search_slice(index, search.begin_search(index, query))
    return _sought(model, replace(now, query=query, index=index, hits=hits, at=-1, wrapped=False))


def _sought(model: Model, found: Search) -> Model:
    """Look at the hit that is nearest to where the search began, as soon as it is sure which one
    that is."""
    if found.hits.total and found.hits.has_nearest(found.origin):
        return _to(model, found, found.hits.nearest_hit(found.origin))
    return state.unmark(_closed(model, replace(found, at=-1)))


def continue_search(model: Model) -> Step:
    """Where not all is searched yet: the keys that wait are first, then it goes on."""
    now = model.search
    if now is None or not now.hits.first or now.waiting:
        return model, ()
    return replace(model, search=replace(now, waiting=True)), (Yield(PAUSE),)


def went_on(model: Model) -> Model:
    """One slice more."""
    now = model.search
    if now is None or not now.waiting:
        return model
    index, hits = (
        search.search_slice(now.index, now.hits) if now.hits.first else (now.index, now.hits)
    )
    after = replace(now, index=index, hits=hits, waiting=False)
    if now.at < 0:
        return _sought(model, after)
    return replace(model, search=replace(after, at=now.at + hits.total - now.hits.total))


def place(found: Search) -> tuple[int, int]:
    """The row that is looked at, and which of its hits; (-1, -1): none."""
    return found.hits.place(found.at) if 0 <= found.at < found.hits.total else (-1, -1)


def _to(model: Model, found: Search, number: int) -> Model:
    """Look at hit `number`; what hides it is opened, what was opened for the one before is closed
    again."""
    row, nth = found.hits.place(number)
    if found.opened not in (-1, row):
        model = _closed(model, found)
        found = replace(found, opened=-1)
    if not state.is_open(model, row) and _hidden(model, found, row, nth):
        model = state.toggle_row(model, row)
        found = replace(found, opened=row)
    origin = found.origin if number == found.hits.nearest_hit(found.origin) else row
    model = replace(model, search=replace(found, at=number, origin=origin))
    return state.go(model, row)


def _closed(model: Model, found: Search) -> Model:
    """The row that was opened to show a hit is as it was before; nothing is looked at."""
    if found.opened >= 0 and state.is_open(model, found.opened):
        model = state.toggle_row(model, found.opened)
    return replace(model, search=replace(found, opened=-1))


def _hidden(model: Model, found: Search, row: int, nth: int) -> bool:
    """Whether the `nth` hit of `row` is in what is folded away."""
    block = model.transcript.rows[row]
    if not state.foldable(block):
        return False
    if isinstance(block, UserBlock):
        return _folded_away(block, found.query, nth)
    return (
        state.is_hidden(model, row)
        or search.fold_text(search_words.head(block)).count(found.query) <= nth
    )


def _folded_away(block: UserBlock, query: str, nth: int) -> bool:
    """Whether the `nth` hit of a folded prompt is not drawn, or is not the `nth` that is drawn."""
    parts = [(search.fold_text(drawn), search.fold_text(said)) for drawn, said in pieces(block)]
    text, at = "".join(said for _, said in parts), -len(query)
    for _ in range(nth + 1):
        if (at := text.find(query, at + len(query))) < 0:
            return True  # it is in what the model was sent for it
    shown = ""
    for drawn, said in parts:
        if at < len(said):
            shown += drawn[: at + len(query)]
            return drawn != said or at + len(query) > len(said) or shown.count(query) != nth + 1
        shown += drawn
        at -= len(said)
    return True
