"""Ctrl+R: the prompt holds what is looked for among the prompts of before; one of them takes the
draft's place."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.present.wording import time_ago
from agent_tui.structures import mention
from agent_tui.tui.core.effects import ReadHistory
from agent_tui.tui.core.history_search import PAGE, Past, Recall
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import HistoryRead, KeyPressed
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.regions import FooterView, Option, OverlayView, Span
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.core.words import format_place, one_line
from agent_tui.tui.prompt import composer

SHOWN: Final = 10
LEAST: Final = 3
OUTSIDE: Final = 9
"""Lines of the screen that are something else: header, prompt with its label, status, footer,
borders."""
CELLS: Final = 66
BEFORE: Final = 20
"""Characters that are shown in front of what was found."""


@lazy
def recall_view(found: Recall, height: int, now: float) -> OverlayView:
    """Always the same height, so that nothing jumps as the hits become fewer."""
    room, numbers = _room(height), hits_in_view(found, height)
    words = found.query.split()
    options = tuple(_option(found.hit_at(number), words, now) for number in reversed(numbers))
    blank = ((Span(" "),),) * (room - len(options))
    if not options:
        said = (
            "reading …"
            if not found.done
            else "no earlier prompt matches"
            if words
            else "no prompts yet"
        )
        return OverlayView(
            "Earlier prompts", ((Span(said, "dim"),), *blank[:-1]), note=_count(found)
        )
    return OverlayView(
        "Earlier prompts", blank[:-1], options, numbers[-1] - found.selected, _count(found)
    )


def hits_in_view(found: Recall, height: int) -> range:
    """The hits that are in view."""
    room = _room(height)
    first = max(0, min(found.selected - room // 2, found.total - room))
    return range(first, min(found.total, first + room))


def _room(height: int) -> int:
    return max(LEAST, min(SHOWN, height - OUTSIDE))


def _option(past: Past, words: list[str], now: float) -> Option:
    when = time_ago(now - past.at) if past.at and now >= past.at else ""
    where = "" if past.here else "elsewhere"
    text = one_line(_around(mention.display_mentions(past.text), words), CELLS)
    return Option("", text, " · ".join(filter(None, (when, where))))


def _around(text: str, words: list[str]) -> str:
    """`text` from shortly before the first of `words`, where that would not be seen otherwise."""
    at = text.lower().find(words[0]) if words else -1
    return text if at < CELLS - BEFORE else f"… {text[at - BEFORE :]}"


def _count(found: Recall) -> str:
    more = "+" if found.has_more else ""
    return f"{format_place(found.selected + 1, found.total)}{more}" if found.total else ""


@lazy
def recall_footer() -> FooterView:
    keys = (("Enter", "into the prompt"), ("↑ Ctrl+R", "older"), ("↓", "newer"), ("Esc", "back"))
    return FooterView(keys, leaves=True)


LABEL: Final = "Search earlier prompts"
OLDER: Final = {"ctrl+r": 1, "up": 1, "pageup": PAGE}
NEARER: Final = {"down": -1, "pagedown": -PAGE}
TAKE: Final = frozenset(("enter", "tab", "ctrl+s"))
LEAVE: Final = frozenset(("escape", "ctrl+c", "ctrl+g"))
KEYS: Final = TAKE | LEAVE | OLDER.keys() | NEARER.keys()
"""What the search takes from the prompt."""


def begin(model: Model, query: str = "") -> Step:
    """Show all prompts of before; `query` to begin with."""
    number = model.recalls + 1
    model = composer.ask(model, Purpose("history", LABEL, sends="search"))
    model = replace(model, recall=Recall(number), recalls=number)
    return composer.write(model, query), (ReadHistory(number),)


def read(model: Model, msg: HistoryRead) -> Model:
    """More of the file was read."""
    now = model.recall
    if now is None or now.number != msg.number:
        return model
    return replace(model, recall=now.read(msg.entries, msg.done))


def settle_search(model: Model) -> Model:
    """Look again if the words are others; once the prompt is for something else, forget it. Costs
    nothing without."""
    now = model.recall
    if now is None:
        return model
    if not model.composer.asks("history"):
        return replace(model, recall=None)
    asked = now.with_query(model.composer.draft)
    return model if asked is now else replace(model, recall=asked)


def on_search_key(model: Model, msg: KeyPressed) -> Step | None:
    """A key while earlier prompts are searched. None: not a key for it."""
    model = settle_search(model)
    now = model.recall
    if now is None or msg.key not in KEYS:
        return None
    if msg.key in LEAVE:
        return composer.dismiss(model)
    if msg.key in TAKE:
        return _taken(model, now)
    return replace(model, recall=now.move_by((OLDER | NEARER)[msg.key])), ()


def _taken(model: Model, now: Recall) -> Step:
    """The chosen prompt stands in the prompt; the draft that stood there is one of the earlier ones
    now."""
    if now.chosen_hit is None:
        return toast(model, "no earlier prompt matches: Esc restores your draft")
    back = composer.leave(replace(model, recall=None))
    kept = (
        composer.spend_text(back, back.composer.draft)
        if back.composer.draft != now.chosen_hit.text
        else (back, ())
    )
    return then(kept, (composer.write(kept[0], now.chosen_hit.text), ()))


def take(model: Model, place: int) -> Step:
    """Take what was found as number `place`."""
    model = settle_search(model)
    now = model.recall
    if now is None or not 0 <= place < now.total:
        return model, ()
    return _taken(model, now.move_by(place - now.selected))
