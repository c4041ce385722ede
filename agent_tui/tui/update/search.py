"""Searching the transcript: the prompt holds the query, the model what was found and which hit is looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui import search
from agent_tui.tui.model import Model, Purpose, Search
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import composer, reading
from agent_tui.tui.update.step import Step

LABEL: Final = "Search the transcript"
NEXT: Final = frozenset(("enter", "down", "f3", "ctrl+f"))
PREVIOUS: Final = frozenset(("shift+enter", "alt+enter", "up", "shift+f3"))
KEYS: Final = NEXT | PREVIOUS
"""What a search takes from the prompt."""


def begin(model: Model, query: str = "") -> Model:
    """Ask for what is looked for; `query` to begin with. The rows are read now: one key less at the first letter."""
    last = reading.seen(model)[1]
    model = composer.ask(model, Purpose("search", LABEL))
    index, _ = _index(model, query, Search().index)
    return composer.write(replace(model, search=Search(index=index, origin=last)), query)


def _index(model: Model, query: str, known: search.Index) -> tuple[search.Index, int]:
    return search.index(model.transcript.rows, known, search.has_marks(query), model.look.thinking != "hidden")


def pressed(model: Model, msg: KeyPressed) -> Step | None:
    """A key while the prompt holds a query. None: not a key for the search."""
    if model.search is None or msg.key not in KEYS:
        return None
    model = settled(model)
    found = model.search
    if found is None or not found.hits.total:
        return model, ()
    number = found.at + (1 if msg.key in NEXT else -1) if found.at >= 0 else found.hits.nearest(found.origin)
    return _to(model, found, number % found.hits.total), ()


def settled(model: Model) -> Model:
    """Look again if the query or the rows are others; after the search, forget it. Costs nothing without one."""
    now = model.search
    if now is None:
        return model
    purpose = model.composer.purpose
    if purpose is None or purpose.kind != "search":
        return replace(model, search=None)
    draft, rows = model.composer.draft.replace("\n", " "), model.transcript.rows
    query = search.plain(draft)
    if query == now.query and (not query or rows is now.index.rows):
        return model
    index, since = now.index, 0
    if query:
        index, since = _index(model, query, now.index)
    hits = search.find(index, query, now.hits, since)
    looked = replace(now, query=query, index=index, hits=hits)
    if query == now.query:  # rows came or went: the same hit, if it is still there
        return replace(model, search=replace(looked, at=hits.number(*place(now))))
    if not hits.total:
        return reading.unmark(_closed(model, replace(looked, at=-1)))
    return _to(model, looked, hits.nearest(now.origin))


def place(found: Search) -> tuple[int, int]:
    """The row that is looked at, and which of its hits; (-1, -1): none."""
    return found.hits.place(found.at) if 0 <= found.at < found.hits.total else (-1, -1)


def _to(model: Model, found: Search, number: int) -> Model:
    """Look at hit `number`; what hides it is opened, what was opened for the one before is closed again."""
    row, nth = found.hits.place(number)
    if found.opened not in (-1, row):
        model = _closed(model, found)
        found = replace(found, opened=-1)
    if not reading.is_open(model, row) and _hidden(model, found, row, nth):
        model = reading.toggled(model, row)
        found = replace(found, opened=row)
    origin = found.origin if number == found.hits.nearest(found.origin) else row
    model = replace(model, search=replace(found, at=number, origin=origin))
    return reading.go(model, row)


def _closed(model: Model, found: Search) -> Model:
    """The row that was opened to show a hit is as it was before; nothing is looked at."""
    if found.opened >= 0 and reading.is_open(model, found.opened):
        model = reading.toggled(model, found.opened)
    return replace(model, search=replace(found, opened=-1))


def _hidden(model: Model, found: Search, row: int, nth: int) -> bool:
    """Whether the `nth` hit of `row` is in what is folded away."""
    block = model.transcript.rows[row]
    if not reading.foldable(block):
        return False
    return reading.is_hidden(model, row) or search.plain(search.head(block)).count(found.query) <= nth
