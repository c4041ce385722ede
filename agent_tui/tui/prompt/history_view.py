"""The sheet of earlier prompts that are searched: the nearest at the bottom, next to what is typed."""

from __future__ import annotations

from typing import Final

from agent_tui.present.wording import ago
from agent_tui.structures import mention
from agent_tui.tui.core.history_search import Past, Recall
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.regions import FooterView, Option, OverlayView, Span
from agent_tui.tui.core.words import one_line

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
    room, numbers = _room(height), shown(found, height)
    words = found.query.split()
    options = tuple(_option(found.hit(number), words, now) for number in reversed(numbers))
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


def shown(found: Recall, height: int) -> range:
    """The hits that are in view."""
    room = _room(height)
    first = max(0, min(found.selected - room // 2, found.total - room))
    return range(first, min(found.total, first + room))


def _room(height: int) -> int:
    return max(LEAST, min(SHOWN, height - OUTSIDE))


def _option(past: Past, words: list[str], now: float) -> Option:
    when = ago(now - past.at) if past.at and now >= past.at else ""
    where = "" if past.here else "elsewhere"
    text = one_line(_around(mention.shown(past.text), words), CELLS)
    return Option("", text, " · ".join(filter(None, (when, where))))


def _around(text: str, words: list[str]) -> str:
    """`text` from shortly before the first of `words`, where that would not be seen otherwise."""
    at = text.lower().find(words[0]) if words else -1
    return text if at < CELLS - BEFORE else f"… {text[at - BEFORE :]}"


def _count(found: Recall) -> str:
    more = "+" if found.more else ""
    return f"{found.selected + 1:,} of {found.total:,}{more}" if found.total else ""


@lazy
def recall_footer() -> FooterView:
    keys = (("Enter", "into the prompt"), ("↑ Ctrl+R", "older"), ("↓", "newer"), ("Esc", "back"))
    return FooterView(keys, leaves=True)
