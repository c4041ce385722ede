"""The values that one setting may have, where they are too many to be stepped through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.settings.values import THEME, Setting, parse_typed, words
from agent_tui.tui.core.effects import WriteSetting
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, then
from agent_tui.tui.screen.settings import all_entries, value_of
from agent_tui.tui.sheets import TAKES, Action, Sheet, opening


def choices(model: Model, entry: Setting) -> tuple[str, ...]:
    """What the setting may be, where that can be counted."""
    if entry.kind is THEME:
        auto = entry.key == "display.theme"
        return tuple(name for name in model.configured.themes if auto or name != "auto")
    return entry.kind.choices


def _setting(overlay: Overlay) -> Setting | None:
    """The one that the list was opened for."""
    return next((one for one in all_entries() if one.key == overlay.note), None)


def _rows(model: Model, overlay: Overlay) -> Iterator[Entry]:
    entry, now = _setting(overlay), _in_use(model)
    for name in choices(model, entry) if entry is not None else ():
        yield Entry(name, name, "in use" if name == now else "")


def _in_use(model: Model) -> str:
    entry = _setting(model.overlay) if model.overlay is not None else None
    return words(value_of(model, entry).value) if entry is not None else ""


def _take(model: Model, overlay: Overlay, row: Entry) -> Step:
    entry = _setting(overlay)
    written = (WriteSetting(entry.key, parse_typed(entry.kind, row.id)),) if entry else ()
    return then((model, written), _leave(model, overlay))


def _leave(model: Model, overlay: Overlay) -> Step:
    """Back to the settings, where it was opened."""
    return opening.open_sheet(model, "settings", note=overlay.note)


SHEET: Final = Sheet(
    lambda _, overlay: overlay.note or "Values",
    _rows,
    (Action("take", TAKES, "take", _take),),
    broad=False,
    begin_on=_in_use,
    leave=_leave,
    esc="back",
)
