"""`/theme`: which colours. The whole screen wears the theme under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import ReadSettings, UseTheme, WriteSetting, Yield
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, then
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet
from agent_tui.tui.sheets.opening import open_sheet

SETTING: Final = "display.theme"
REST: Final = 0.08
"""Seconds that the cursor is on a theme before the screen wears it: each takes longer than a key
may."""
WORDS: Final = (
    Span("Text, "),
    Span("a hint, ", "dim"),
    Span("a link, ", "accent"),
    Span("✓ done", "good"),
)
TROUBLE: Final = (Span("⚠ a warning, ", "warning"), Span("✗ a failure", "bad"))
CODE: Final = (
    Span("def ", "keyword"),
    Span("price", "name"),
    Span("(item="),
    Span('"tea"', "string"),
    Span("):  "),
    Span("# gross", "comment"),
)
REMOVED: Final = (Span("-    return ", "removed"), Span("item.cents", "removed word"))
ADDED: Final = (Span("+    return ", "added"), Span("item.cents * 1.19", "added word"))


@frozen
class Trial:
    """`before` is what Esc gives back, `worn` the theme that is seen (empty: the one from before),
    `since` when the cursor came to the row it is on."""

    before: str = ""
    worn: str = ""
    since: float = 0.0


def trial(overlay: Overlay) -> Trial:
    return overlay.state if isinstance(overlay.state, Trial) else Trial()


def in_use(model: Model) -> str:
    """The theme that the settings name; empty: none, as long as the settings are not known."""
    value = model.configured.values.get(SETTING)
    return str(value.value or "auto") if value is not None else ""


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    for name in model.configured.themes:
        yield Entry(name, name, "in use" if name == in_use(model) else "")


def _settle(model: Model, overlay: Overlay) -> Step | None:
    """`/theme nord` takes it at once."""
    picker = overlay.picker
    if picker is not None and not picker.entries and picker.query in model.configured.themes:
        return replace(model, overlay=None), (WriteSetting(SETTING, picker.query),)
    return None


def _on_cursor(model: Model, overlay: Overlay, row: Entry) -> Step:
    now = trial(overlay)
    now = replace(now, before=now.before or in_use(model), since=model.at)
    rests = () if row.id == (now.worn or now.before) else (Yield(REST),)
    return replace(model, overlay=replace(overlay, state=now)), rests


def _wear(model: Model, overlay: Overlay) -> Step:
    """The cursor may have been on a theme for a while: the screen wears it."""
    now, row = trial(overlay), overlay.picker.asked if overlay.picker is not None else ""
    if model.at - now.since < REST / 2 or row in ("", now.worn or now.before):
        return model, ()
    return replace(model, overlay=replace(overlay, state=replace(now, worn=row))), (UseTheme(row),)


def _take_off(model: Model, overlay: Overlay) -> Step:
    """A theme that was only tried is given back."""
    now = trial(overlay)
    worn = (UseTheme(now.before),) if now.worn not in ("", now.before) else ()
    return then((model, worn), _back(model, overlay))


def _take(model: Model, overlay: Overlay, row: Entry) -> Step:
    return then((model, (WriteSetting(SETTING, row.id),)), _back(model, overlay))


def _back(model: Model, overlay: Overlay) -> Step:
    """To the settings, if it was opened there."""
    return open_sheet(model, "settings", note=overlay.note) if overlay.note else (model, ())


def _sample(_: Model, __: Overlay, ___: Entry, cells: int, room: int) -> Lines:
    """What a theme is seen in, beside the whole screen: where there is little room, first what is
    hardest to judge."""
    removed, added = _filled(REMOVED, cells), _filled(ADDED, cells)
    shown = (removed, added, CODE, WORDS, TROUBLE)[:room]
    return tuple(line for line in (WORDS, TROUBLE, CODE, removed, added) if line in shown)


def _filled(spans: tuple[Span, ...], width: int) -> tuple[Span, ...]:
    """A line of a difference: its ground goes to the edge."""
    free = width - sum(len(span.text) for span in spans)
    return (*spans, Span(" " * free, spans[0].tone)) if free > 0 else spans


@command(argument="[name]", rank=57)
def theme(model: Model, args: str) -> Step:
    """Choose a theme: the list shows each at once, Enter keeps it, Esc cancels. /theme NAME takes
    it at once."""
    return open_sheet(model, "theme", args)


SHEET: Final = Sheet(
    "Themes",
    _rows,
    (Action("take", TAKES, "take", _take),),
    (theme,),
    reads=(ReadSettings(),),
    broad=False,
    about_lines=5,
    always_about=True,
    about=_sample,
    begin_on=in_use,
    begin=lambda model: Trial(in_use(model)),
    states=(Trial,),
    waits=lambda model, _: not model.configured.themes,
    settle=_settle,
    on_cursor=_on_cursor,
    on_rest=_wear,
    leave=_take_off,
    esc=lambda _, overlay: "back" if overlay.note else "close",
)
