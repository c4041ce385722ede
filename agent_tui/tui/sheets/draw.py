"""The one view of all sheets, as a value: what is typed, the rows near the cursor, what is said of the row under it,
what is read, and the keys."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from agent_tui.protocol.answers import Preview
from agent_tui.protocol.transcript import Answers
from agent_tui.tui import sheets
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, sheet_room
from agent_tui.tui.sheets import control
from agent_tui.tui.sheets.base import Lines, Sheet
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

ROOMY: Final = 24
"""Lines of the screen from which what is said of a row has its place; below there is a third of it."""
AROUND: Final = 9
"""Lines of the screen beside a list and the words about a row."""
LOW: Final = 12
"""Below that there is nothing but the list."""
NAME_CELLS: Final = 32
NARROW: Final = 60
SCANT: Final = 28
"""Cells of a line in which a name is not cut for the words behind it."""
LOOKING: Final = "looking …"


def sheet_view(model: Model, overlay: Overlay) -> OverlayView:
    sheet = sheets.find(overlay.kind)
    note = sheet.note(model, overlay) if sheet.note is not None else ""
    waits = bool(overlay.query) or still_waits(model, overlay)
    instead = sheet.instead(model, overlay) if sheet.instead is not None else ()
    asked = question_of(overlay)
    assert overlay.picker is not None
    return _list_view(
        sheet, overlay, overlay.picker, model.transcript.answers, sheet.title_for(model, overlay), note, asked, waits,
        instead, model.width, model.height,
    )  # fmt: skip


def question_of(overlay: Overlay) -> str:
    """What is asked before an action is done; empty: nothing."""
    asked, row = overlay.confirming, control.asked_row(overlay)
    if asked is None or row is None:
        return ""
    action = next(one for one in sheets.find(overlay.kind).actions if one.name == asked.action)
    return action.confirm(row) if action.confirm is not None else ""


def still_waits(model: Model, overlay: Overlay) -> bool:
    """Whether a list that is empty has not come yet."""
    waits = sheets.find(overlay.kind).waits
    return waits is not None and waits(model, overlay)


@lazy
def _list_view(
    sheet: Sheet, overlay: Overlay, picker: Picker, answers: Answers, title: str, note: str, asked: str, waits: bool,
    instead: Lines, width: int, height: int,
) -> OverlayView:  # fmt: skip
    inner = sheet_room(width, sheet.broad)
    kept = _about_room(sheet, picker, height)
    chosen = picker.chosen
    room = 0 if chosen is not None and sheet.says_all is not None and sheet.says_all(chosen) else kept
    about = _about(sheet, chosen, answers.preview, inner, room) if room else ()
    head: Lines = (_head(overlay, picker, note, asked, waits, inner),)
    if instead:
        about, room = instead, 0
        head = head if picker.query or not picker.count else ()  # there is nothing to search
    about = about[: room or None]
    first = max(0, min(picker.at - height // 2, len(picker.shown) - height))
    near = picker.shown[first : first + height]
    options, selected = _options(near, picker.at - first, inner, grouped=not picker.query or bool(picker.extra))
    fills = len(options) + kept + AROUND > height  # where the list takes all there is, it takes the same always
    lines = (*head, *about, *(((Span(" "),),) * (room - len(about)) if fills else ()))
    spare = 0 if fills else max(0, kept - len(about) + (kept > 0 and not about))  # with the empty line before them
    return OverlayView(
        title, lines, options, selected, _count(picker), broad=sheet.broad, list_first=bool(head), head=len(head),
        spare=spare,
    )  # fmt: skip


def _about_room(sheet: Sheet, picker: Picker, height: int) -> int:
    """Lines that are kept for what is said of a row."""
    if not sheet.always_about and not any(one.about for one in picker.entries):
        return 0
    room = sheet.about_lines
    return room if height >= ROOMY else -(-room // 3) if height >= LOW else 0


def _head(
    overlay: Overlay, picker: Picker, note: str, asked: str, waits: bool, inner: int
) -> tuple[Span, ...]:
    """What was typed (of much the end, where the caret is), or that something can be; and the state of the list, in
    words."""
    state = LOOKING if waits and not picker.count else "empty"
    if asked:
        return (Span(asked, "warning"),)
    if picker.query:
        said = f"  {note}" if note else "" if picker.shown else f"  {state if state == LOOKING else 'no match'}"
        room = max(8, inner - len(f"search: ▏{said}"))
        query = picker.query if len(picker.query) <= room else f"…{picker.query[1 - room :]}"
        return (Span("search: ", "dim"), Span(f"{query}▏", "accent"), Span(said, "warning"))
    more = f" · {note}" if note else f" · {LOOKING}" if overlay.query and picker.count else ""
    return (Span(f"type to search{more}" if picker.count else state, "dim"),)


def _count(picker: Picker) -> str:
    if not picker.shown:
        return f"0 of {picker.count:,} · Esc closes"
    found, total = len(picker.shown), picker.count
    of = f"{found:,}" if found >= total else f"{found:,} ({total:,} in all)"
    return f"{picker.at + 1:,} of {of} · Esc closes"


def _about(sheet: Sheet, chosen: Entry | None, preview: Preview | None, inner: int, room: int) -> Lines:
    """What is said of the row under the cursor."""
    if chosen is None:
        return ()
    if sheet.about is not None:
        return sheet.about(chosen, inner, room)
    if sheet.preview is not None and chosen.id:
        return _preview(chosen.id, preview, inner, room)
    words = wrap(one_line(chosen.about, inner * (room + 1)), inner, max_lines=room, placeholder=" …")
    return tuple((Span(line, chosen.tone if sheet.newest_last else "normal"),) for line in words)


def _preview(id: str, preview: Preview | None, inner: int, room: int) -> Lines:
    """What the engine told of the row; only if it is of this one."""
    if preview is None or preview.of != id:
        return ((Span(LOOKING, "dim"),),)
    lines: list[tuple[Span, ...]] = []
    for part in preview.parts:
        name, text, most = part.name, part.text, part.lines
        head = f"{name}: " if name else ""
        rows = [row.expandtabs(4) for row in text.split("\n", most)[:most]]
        if name:
            line = one_line(text, inner * most)
            rows = wrap(line, inner, initial_indent=head, max_lines=most, placeholder=" …") or [head]
        for number, row in enumerate(rows):
            cut = row if len(row) <= inner else f"{row[: inner - 1]}…"
            named = name and not number
            lines.append((Span(head, "dim"), Span(cut[len(head) :])) if named else (Span(cut or " "),))
    said = any(part.name for part in preview.parts)  # of a file, the first lines are enough
    if said and len(lines) > room:
        *before, last = lines[room - 1]
        taken = sum(len(span.text) for span in before)
        lines[room - 1] = (*before, Span(f"{last.text[: max(0, inner - 2 - taken)].rstrip()} …"))
    return tuple(lines[:room]) or ((Span("it is empty", "dim"),),)


def _options(near: tuple[Entry, ...], at: int, inner: int, grouped: bool) -> tuple[tuple[Option, ...], int]:
    """The lines of the list; a group begins with its name."""
    options: list[Option] = []
    selected, group = 0, ""
    cells = NAME_CELLS if inner >= NARROW else inner // 2 if inner >= SCANT else inner
    for number, entry in enumerate(near):
        if grouped and entry.group != group:
            group = entry.group
            options.append(Option("", group, tone="dim", heading=True))
        if number == at:
            selected = len(options)
        wide = inner if not entry.detail else cells
        detail = entry.detail if inner >= NARROW else entry.detail.strip()
        options.append(Option("", one_line(entry.label, wide), detail, tone=entry.tone))
    return tuple(options), selected


def sheet_footer(model: Model, overlay: Overlay) -> FooterView:
    """The keys that do something now, what is needed most in front."""
    offered = tuple(
        (one.shown or key_name(one.keys[0]), one.label_for(model, overlay))
        for one in control.actions_of(model, overlay)
        if not one.hidden
    )
    sheet = sheets.find(overlay.kind)
    again = (("F5", sheet.again),) if sheet.again else ()
    moves = (("↑↓", "choose"),) if overlay.picker is not None and overlay.picker.shown else ()
    return _footer((*offered, *again, *moves, ("Esc", "close")))


@lazy
def _footer(keys: tuple[tuple[str, str], ...]) -> FooterView:
    return FooterView(keys)
