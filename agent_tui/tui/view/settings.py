"""The settings sheet as a value."""

from __future__ import annotations

from typing import Final

from agent_tui.settings_kinds import Entry, Value, words
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.keymap import key_named
from agent_tui.tui.model import Configured, Model, Overlay
from agent_tui.tui.regions import Option, OverlayView, Span, sheet_room
from agent_tui.tui.update import settings
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

ROOMY: Final = 70
"""Columns of the screen from which a source has its place beside a value."""
VALUE_CELLS: Final = 22


def settings_view(model: Model, overlay: Overlay) -> OverlayView:
    return _sheet(overlay, model.configured, model.width)


@lazy
def _sheet(overlay: Overlay, configured: Configured, width: int) -> OverlayView:
    shown = settings.found(overlay)
    values = [configured.values.get(one.key) or Value(one.default) for one in shown]
    selected = min(overlay.selected, max(0, len(shown) - 1))
    lines = [_search(overlay.filter, len(shown)), *_about(shown, values, selected)]
    room = width - 10
    options = tuple(_option(one, value, room) for one, value in zip(shown, values, strict=True))
    return OverlayView(
        "Settings", (*_problems(configured.problems, width), *lines), options, selected, _leaves(overlay), broad=True
    )


def _leaves(overlay: Overlay) -> str:
    return "Esc clears the search" if overlay.filter else "Esc closes"


def _problems(said: tuple[str, ...], width: int) -> tuple[tuple[Span, ...], ...]:
    """The first line that says what is wrong in the files, and how many more there are; the start has said all."""
    if not said:
        return ()
    place, _, text = said[0].partition(": ")
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    line = one_line(f"{place.rpartition('/')[2]}: {text}", max(10, sheet_room(width, True) - len(more)))
    return ((Span(f"{line}{more}", "warning"),),)


def _search(text: str, count: int) -> tuple[Span, ...]:
    if not text:
        return (Span("type to search", "dim"),)
    number = "no match" if not count else f"{count} settings" if count > 1 else "1 setting"
    return (Span("search: ", "dim"), Span(f"{text}▏", "accent"), Span(f" {number}", "dim"))


def _about(shown: tuple[Entry, ...], values: list[Value], at: int) -> list[tuple[Span, ...]]:
    """What the setting under the cursor means, and how it is now."""
    if not shown:
        return []
    entry, value = shown[at], values[at]
    when = "" if entry.live else " Takes effect at the next start."
    where = {"default": "the default", "user": "from your config.toml", "project": "from the project's config.toml"}
    source = where.get(value.layer) or f"from {value.source}"
    default = f"; the default is {_words(entry, entry.default)}" if value.layer != "default" and entry.default else ""
    wins = value.layer not in ("default", "user")
    now = (
        Span(f"{entry.key}: ", "dim"), Span(_words(entry, value.value)), Span(f", {source}{default}", "dim"),
        *((Span("; it overrides your config.toml", "warning"),) if wins else ()),
    )  # fmt: skip
    return [now, (Span(f"{entry.about}{when}"),)]


def _option(entry: Entry, value: Value, room: int) -> Option:
    if room < ROOMY - 10:
        name, short = max(12, room - 14), entry.key
        if len(short) > name:
            short = f"…{short[1 - name :]}"
        return Option("", short, one_line(_words(entry, value.value), 14))
    now = one_line(_words(entry, value.value), VALUE_CELLS)
    return Option("", entry.key, f"{now:<{VALUE_CELLS}}  {value.source}")


def _words(entry: Entry, value: object) -> str:
    """The value as the list shows it."""
    if entry.kind.form == "secret":
        return "set" if value else "not set"
    if entry.key.startswith("keys.") and isinstance(value, tuple):
        return ", ".join(key_name(key_named(str(key)) or str(key)) for key in value) or "none"
    if entry.key == "tools.enabled" and not value:
        return "all"
    return words(value) or "not set"
