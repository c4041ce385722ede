"""The one view of all sheets, as a value: what is typed, the rows near the cursor, what is said of
the row under it, what is read, and the keys."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Final

from agent_tui.protocol.answers import Preview
from agent_tui.tui import commands, sheets
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.regions import (
    WIDEST,
    FooterView,
    Option,
    OverlayView,
    Span,
    list_room,
    preview_room,
    sheet_room,
)
from agent_tui.tui.core.words import format_place, one_line
from agent_tui.tui.screen.key_guards import enter_takes, is_command, was_just_enter
from agent_tui.tui.sheets import Body, Lines, Sheet
from agent_tui.tui.sheets.actions import (
    actions_of,
    asked_row,
    is_for_words,
    marked_action,
)

ROOMY: Final = 24
"""Lines of the screen from which what is said of a row has its place, and headings have an empty
line above them; below there is a third of it."""
AROUND: Final = 9
"""Lines of the screen beside a list and the words about a row."""
LOW: Final = 12
"""Below that there is nothing but the list."""
NAME_CELLS: Final = 32
GAPS: Final = 8
"""Cells of a line before a name, and between it and the words behind it."""
NARROW: Final = 60
SCANT: Final = 28
"""Cells of a line in which a name is not cut for the words behind it."""
SHORT: Final = 5
"""A list with no more rows than this has no line to search in and no counter."""
LOOKING: Final = "looking …"
ENTER: Final = key_name("enter")
FIRM: Final = "\N{NO-BREAK SPACE}"
NO_BODY: Final = Body()


def sheet_view(model: Model, overlay: Overlay) -> OverlayView:
    """The sheet that is open."""
    sheet = sheets.find(overlay.kind)
    title = sheet.title_for(model, overlay)
    body = _body(model, sheet, overlay)
    said = sheet.note(model, overlay) if sheet.note is not None else ""
    if overlay.picker is None:
        return _text_view(title, body, said, overlay.scroll, sheet.broad)
    about = _about(model, sheet, overlay)
    if sheet.typing != "finds":
        keys = _key_line(model, overlay) if sheet.keys_in_body and overlay.picker.shown else ()
        writes = sheets.typing_of(model, overlay) == "below" and is_command(model.composer.draft)
        asked, size = question_of(overlay), (model.width, model.height)
        return _choices_view(
            sheet,
            title,
            body,
            keys,
            about,
            overlay.picker,
            said,
            overlay.scroll,
            writes,
            asked,
            size,
        )
    waits = bool(overlay.query) or still_waits(model, overlay)
    instead = sheet.instead(model, overlay) if sheet.instead is not None else ()
    return _list_view(
        sheet,
        title,
        body,
        overlay.picker,
        said,
        question_of(overlay),
        waits,
        bool(overlay.query),
        about,
        instead,
        (model.width, model.height),
        overlay.scroll,
    )


def _body(model: Model, sheet: Sheet, overlay: Overlay) -> Body:
    return (
        sheet.body(model, overlay, sheet_room(model.width, sheet.broad))
        if sheet.body is not None
        else NO_BODY
    )


@lazy
def _text_view(title: str, body: Body, note: str, scroll: int, broad: bool) -> OverlayView:
    """A sheet that is read."""
    return OverlayView(
        title,
        body.lines,
        note=note,
        scroll=scroll,
        text=body.text,
        below=body.below,
        diffs=body.diffs,
        told=body.drawn_from,
        broad=broad,
        reads=True,
    )


@lazy
def _choices_view(
    sheet: Sheet,
    title: str,
    body: Body,
    keys: tuple[Span, ...],
    about: Lines,
    picker: Picker,
    note: str,
    scroll: int,
    writes: bool,
    asked: str,
    size: tuple[int, int],
) -> OverlayView:
    """A few choices, and what is read beside them. `writes`: the cursor is in a command that is
    being written."""
    beside = _is_beside(sheet, size[0])
    inner = list_room(size[0]) if beside else sheet_room(size[0], True)
    options, selected = _options(picker.shown, picker.at, inner, True, inner)
    lines = (*body.lines, *((keys,) if keys else ()), *about)
    kept = sheet.about_lines if about else 0
    spare = (
        max(0, max(kept, len(options)) - max(len(about), len(options)))
        if beside
        else max(0, kept - len(about))
    )
    return OverlayView(
        title,
        lines,
        options,
        -1 if writes else selected,
        note,
        scroll,
        below=body.below,
        diffs=body.diffs,
        told=body.drawn_from,
        broad=sheet.broad,
        stays=_last_group(options) if sheet.decides else 0,
        reads=sheet.body is not None,
        list_first=sheet.list_first,
        spare=spare,
        beside=beside,
        asked=_asked(asked),
        airy=size[1] >= ROOMY,
    )


def _last_group(options: tuple[Option, ...]) -> int:
    """How many options the last group has, its heading counted; 0: there is no other."""
    heads = [number for number, one in enumerate(options) if one.heading]
    return len(options) - heads[-1] if heads and heads[-1] else 0


def _is_beside(sheet: Sheet, width: int) -> bool:
    """Whether a preview stands beside the list; words about a row that are no more than that stand
    below it."""
    return preview_room(width) > 0 and (sheet.preview is not None or sheet.about is not None)


def _asked(question: str) -> tuple[Span, ...]:
    return (Span(question, "warning"),) if question else ()


def _key_line(model: Model, overlay: Overlay) -> tuple[Span, ...]:
    """The keys beside Enter, for which the footer has no room. A key and its words are never on two
    lines; as in the footer, nothing but room is between two."""
    spans = list[Span]()
    for key, what in _offered(model, overlay):
        if key == ENTER:
            continue
        spans += [Span(key, "accent"), Span(f" {what}".replace(" ", FIRM), "dim"), Span("   ")]
    return tuple(spans[:-1])


def question_of(overlay: Overlay) -> str:
    """What is asked before an action is done; empty: nothing."""
    asked, row = overlay.confirming, asked_row(overlay)
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
    sheet: Sheet,
    title: str,
    body: Body,
    picker: Picker,
    said: str,
    asked: str,
    waits: bool,
    asks: bool,
    about: Lines,
    instead: Lines,
    size: tuple[int, int],
    scroll: int,
) -> OverlayView:
    """A list that is found by typing. `waits`: it has not come yet; `asks`: the engine is asked for
    it."""
    width, height = size
    beside = _is_beside(sheet, width)
    inner = list_room(width) if beside else sheet_room(width, True)
    kept = _about_room(sheet, picker, height)
    if (row := picker.chosen_entry) is not None and sheet.says_all and sheet.says_all(row):
        about = ()
    short = _is_short(sheet, picker)
    free = height - AROUND - (0 if beside else kept and kept + 1)
    typed = picker.query or _is_searched(picker, short, free, height) or waits
    none = not (picker.count or body.lines)
    head: Lines = (_head(picker, said, waits, asks, inner),) if typed or none or said else ()
    if instead:  # there is nothing to search
        about, kept, beside = instead, 0, False
        head = head if picker.query or not picker.count else ()
    head = (*body.lines, *head)
    near, first = _near(picker, height)
    first_below = not body.lines and not (instead and not head)
    airy, below = height >= ROOMY, bool(head) and not body.lines
    grouped = _is_grouped(picker)
    options, selected = _options(near, picker.at - first, inner, grouped, _name_cells(inner))
    rows = _count_lines(near, grouped, airy, below)
    there = (
        min(height, picker.count)
        if picker.files is not None
        else _count_lines(picker.entries[:height], True, airy, below)
    )
    spare = _spare(max(there, rows), kept, rows, len(about), beside) if not instead else 0
    return OverlayView(
        title,
        (*head, *about),
        options,
        selected,
        "" if sheet.high or short else _count(picker),  # of steps it would seem to count these
        scroll,
        broad=sheet.broad,
        list_first=first_below,
        head=len(head),
        spare=spare,
        reads=bool(body.lines),
        beside=beside,
        asked=_asked(asked),
        airy=airy,
        high=sheet.high,
    )


def _name_cells(inner: int) -> int:
    """What a row's name may take of `inner` cells."""
    if inner >= NARROW:
        return max(NAME_CELLS, inner // 3)
    return inner // 2 if inner >= SCANT else inner


def _is_searched(picker: Picker, short: bool, free: int, height: int) -> bool:
    """Whether there are more rows than the `free` lines hold: then somebody may look for one."""
    lines = _count_lines(picker.shown[:height], True, height >= ROOMY, False)
    return bool(picker.count) and not short and lines > free


def _is_short(sheet: Sheet, picker: Picker) -> bool:
    """Whether it is taken in at a glance: nobody has to search or count."""
    few = 0 < picker.count <= SHORT and not picker.query
    return few and not picker.ordered and sheet.on_typed is None


def _spare(there: int, kept: int, rows: int, about: int, beside: bool) -> int:
    """Lines that a list of `there` rows, with `kept` lines about one, takes more than what is shown
    of it now."""
    if beside:
        return max(0, max(there, kept) - max(rows, about))
    return max(0, there + (kept and kept + 1) - rows - (about and about + 1))


def _near(picker: Picker, height: int) -> tuple[tuple[Entry, ...], int]:
    """The rows around the cursor that a screen has room for, and the number of the first."""
    first = max(0, min(picker.at - height // 2, len(picker.shown) - height))
    return picker.shown[first : first + height], first


def _is_grouped(picker: Picker) -> bool:
    return not picker.query or bool(picker.extra)


def _about_room(sheet: Sheet, picker: Picker, height: int) -> int:
    """Lines that are kept for what is said of a row."""
    if not sheet.always_about and not any(one.about for one in picker.entries):
        return 0
    room = sheet.about_lines
    return room if height >= ROOMY else (sheet.about_small or -(-room // 3)) if height >= LOW else 0


def _head(picker: Picker, note: str, waits: bool, asks: bool, inner: int) -> tuple[Span, ...]:
    """What was typed (of much the end, where the caret is), or that something can be; and the state
    of the list, in words."""
    state = LOOKING if waits and not picker.count else "empty"
    if picker.query:
        said = (
            f"  {note}"
            if note
            else ""
            if picker.shown
            else f"  {state if state == LOOKING else 'no match'}"
        )
        room = max(8, inner - len(f"search: ▏{said}"))
        query = picker.query if len(picker.query) <= room else f"…{picker.query[1 - room :]}"
        return (Span("search: ", "dim"), Span(f"{query}▏", "accent"), Span(said, "warning"))
    more = f" · {note}" if note else f" · {LOOKING}" if asks and picker.count else ""
    return (Span(f"type to search{more}" if picker.count else state, "dim"),)


def _count(picker: Picker) -> str:
    if not picker.count:
        return ""
    if not picker.shown:
        return format_place(0, picker.count)
    return format_place(picker.at + 1, len(picker.shown))


def _about(model: Model, sheet: Sheet, overlay: Overlay) -> Lines:
    """What is said of the row under the cursor."""
    picker = overlay.picker
    chosen = picker.chosen_entry if picker is not None else None
    room = _about_room(sheet, picker, model.height) if picker is not None else 0
    if chosen is None or picker is None or not room:
        return ()
    inner = sheet_room(model.width, True)
    if _is_beside(sheet, model.width):  # it has the height of the list
        inner, room = (
            preview_room(model.width),
            max(room, min(len(picker.shown), model.height - AROUND)),
        )
    if sheet.about is not None:
        return sheet.about(model, overlay, chosen, inner, room)
    if sheet.preview is not None and chosen.id:
        return _preview(chosen.id, model.transcript.answers.preview, inner, room)
    inner = min(inner, WIDEST)
    words = wrap(
        one_line(chosen.about, inner * (room + 1)), inner, max_lines=room, placeholder=" …"
    )
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
            rows = wrap(line, inner, initial_indent=head, max_lines=most, placeholder=" …") or [
                head
            ]
        for number, row in enumerate(rows):
            cut = row if len(row) <= inner else f"{row[: inner - 1]}…"
            named = name and not number
            lines.append(
                (Span(head, "dim"), Span(cut[len(head) :])) if named else (Span(cut or " "),)
            )
    said = any(part.name for part in preview.parts)  # of a file, the first lines are enough
    if said and len(lines) > room:
        *before, last = lines[room - 1]
        taken = sum(len(span.text) for span in before)
        lines[room - 1] = (*before, Span(f"{last.text[: max(0, inner - 2 - taken)].rstrip()} …"))
    return tuple(lines[:room]) or ((Span("it is empty", "dim"),),)


def _count_lines(near: Iterable[Entry], grouped: bool, airy: bool, below: bool) -> int:
    """The lines of a list; `below`: there is something above it, from which its first heading
    stands apart."""
    groups = [entry.group for entry in near]
    begun = zip(groups, ["", *groups], strict=False) if grouped else ()
    heads = [new for new, old in begun if new != old]
    apart = sum(map(bool, heads)) if airy else 0  # a heading without words is an empty line itself
    first = bool(groups and groups[0]) and not below
    return len(groups) + len(heads) + apart - (first and apart > 0)


def _options(
    near: tuple[Entry, ...], at: int, inner: int, grouped: bool, cells: int
) -> tuple[tuple[Option, ...], int]:
    """The lines of the list, with `cells` of a name; a group begins with its name."""
    options: list[Option] = []
    selected, group = 0, ""
    beside = max((len(one.value) + len(one.detail) for one in near), default=0)
    cells = max(cells, inner - beside - GAPS)  # what the words beside a name leave free
    for number, entry in enumerate(near):
        if grouped and entry.group != group:
            group = entry.group
            options.append(Option("", group, tone="dim", heading=True))
        if number == at:
            selected = len(options)
        wide = cells if entry.detail or entry.value else inner
        label = one_line(entry.label, wide)
        options.append(Option(entry.key, label, entry.detail, tone=entry.tone, value=entry.value))
    return tuple(options), selected


def clicked_row(model: Model, overlay: Overlay, line: int) -> int:
    """The row that stands in line `line` of the choices; negative: it is a heading."""
    picker = overlay.picker
    if picker is None:
        return -1
    finds = sheets.find(overlay.kind).typing == "finds"
    near, first = _near(picker, model.height) if finds else (picker.shown, 0)
    grouped, group, at = not finds or _is_grouped(picker), "", 0
    for number, entry in enumerate(near, first):
        if grouped and entry.group != group:
            group, at = entry.group, at + 1
            if at - 1 == line:
                return -1
        if at == line:
            return number
        at += 1
    return -1


def sheet_footer(model: Model, overlay: Overlay) -> FooterView:
    """The keys that do something now, what is needed most in front."""
    sheet, asked = sheets.find(overlay.kind), overlay.confirming
    if asked is not None and asked_row(overlay) is not None:
        action = next(one for one in sheet.actions if one.name == asked.action)
        return _footer((("Enter", action.label_for(model, overlay)), ("Esc", "keep it")))
    if (marked := marked_action(model, overlay)) is not None:
        what = marked.label_for(model, overlay)
        return _footer((("Enter", what), ("Esc", sheet.esc_for(model, overlay))))
    again = (("F5", "refresh"),) if sheet.refreshes else ()
    if overlay.picker is None:
        return _footer((*_offered(model, overlay), ("Esc", sheet.esc_for(model, overlay))))
    moves = (("↑↓", "choose"),) if overlay.picker.shown else ()
    if sheets.typing_of(model, overlay) == "below" and not enter_takes(model):
        key = commands.key_of("send", model.keys)
        keeps = not model.transcript.model or sheet.opens_for == "locked"
        sends = "keep the prompt" if keeps else "send"
        queues = model.transcript.answers.holds_prompts or sheet.holds_queue
        does = "queue" if queues else sends
        return _footer((*moves, (key, does), ("Esc", sheet.esc_for(model, overlay))))
    named = _offered(model, overlay)
    if sheet.keys_in_body and overlay.picker.shown:
        named = tuple(one for one in named if one[0] == ENTER)
    return _footer((*named, *again, *moves, ("Esc", sheet.esc_for(model, overlay))))


def _key(key: str) -> str:
    """A letter is written as it is typed."""
    return key if len(key) == 1 else key_name(key)


def _offered(model: Model, overlay: Overlay) -> tuple[tuple[str, str], ...]:
    refuses = is_for_words(model, overlay) or (overlay.refused and was_just_enter(model))
    return tuple(
        (one.shown or _key(one.keys[0]), one.label_for(model, overlay))
        for one in actions_of(model, overlay)
        if not one.hidden and not (refuses and one.careful and "enter" in one.keys)
    )


@lazy
def _footer(keys: tuple[tuple[str, str], ...]) -> FooterView:
    return FooterView(keys, leaves=True)
