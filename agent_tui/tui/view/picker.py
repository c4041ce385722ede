"""The lists that are found by typing, as a value: what is typed, what is under the cursor, and the entries near it."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Final

from agent_tui.protocol.answers import Preview
from agent_tui.protocol.transcript import Answers
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, sheet_room
from agent_tui.tui.update import checks
from agent_tui.tui.update.choices import log_note
from agent_tui.tui.update.model_list import ADDRESS, IN_USE
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.sheets import no_models
from agent_tui.tui.view.words import one_line

Lines = tuple[tuple[Span, ...], ...]

TITLES: Final[Mapping[str, str]] = {
    "palette": "Commands", "help": "Keys and commands", "models": "Models", "sessions": "Sessions", "skills": "Skills",
    "themes": "Themes", "modes": "Modes", "efforts": "Thinking effort", "files": "Files", "log": "Log",
    "debug": "Debug console", "rewind": "Rewind to before a turn", "tree": "Forks",
    "stats": "Statistics of this session",
    "locked": "Another program has this session open", "doctor": "Doctor",
    "unsaved": "Not all of this session is saved",
    "jobs": "Running in the background",
}  # fmt: skip
DOES: Final[Mapping[str, str]] = {
    "palette": "run", "help": "run", "sessions": "open", "skills": "run", "files": "into the prompt", "log": "copy",
    "debug": "copy all", "rewind": "show changes", "tree": "open", "stats": "copy", "locked": "take",
    "doctor": "copy all", "unsaved": "take", "jobs": "stop",
}  # fmt: skip
"""What Enter does; where nothing stands: take."""
ABOUT: Final[Mapping[str, int]] = {
    "palette": 2, "help": 2, "models": 2, "sessions": 6, "skills": 2, "themes": 5, "files": 8, "log": 3,
    "rewind": 2, "tree": 6, "stats": 2, "locked": 2, "doctor": 3, "unsaved": 3, "jobs": 2,
}  # fmt: skip
"""Lines kept for what is under the cursor, so that the list stays where it is while the cursor moves."""
SHOWN: Final = ("themes", "sessions", "files", "tree")
"""Lists with something to see of each entry, which is no words of its own."""
ROOMY: Final = 24
"""Lines of the screen from which all of that has its place; below there is a third of it."""
AROUND: Final = 9
"""Lines of the screen beside a list and the words about an entry."""
LOW: Final = 12
"""Below that there is nothing but the list."""
SHORT: Final = ("themes", "modes", "efforts", "locked", "unsaved")
"""Lists with few words, which need no broad sheet."""
ON_ENTRY: Final = frozenset(("↑↓", "Enter", "F2", "F3", "Del"))
"""Keys that do something to an entry."""
ENTER: Final = frozenset(("Enter",))
NAME_CELLS: Final = 32
NARROW: Final = 60
SCANT: Final = 28
"""Cells of a line in which a name is not cut for the words behind it."""
WORDS: Final = (Span("Text, "), Span("a hint, ", "dim"), Span("a link, ", "accent"), Span("✓ done", "good"))
TROUBLE: Final = (Span("⚠ a warning, ", "warning"), Span("✗ a failure", "bad"))
CODE: Final = (
    Span("def ", "keyword"), Span("price", "name"), Span("(item="), Span('"tea"', "string"), Span("):  "),
    Span("# gross", "comment"),
)  # fmt: skip
REMOVED: Final = (Span("-    return ", "removed"), Span("item.cents", "removed word"))
ADDED: Final = (Span("+    return ", "added"), Span("item.cents * 1.19", "added word"))


def picker_view(model: Model, overlay: Overlay, picker: Picker) -> OverlayView:
    answers = model.transcript.answers
    return _sheet(overlay, picker, answers, _note(model, overlay), model.width, model.height)


def _note(model: Model, overlay: Overlay) -> str:
    """What is to be said of the list itself."""
    answers = model.transcript.answers
    if overlay.kind == "doctor":
        return "" if overlay.query else checks.note(model)
    if overlay.kind == "log":
        return log_note(answers.log)
    if overlay.picker is not None and overlay.kind == "sessions":
        return overlay.picker.note
    return answers.files.note if overlay.kind == "files" and answers.files is not None else ""


@lazy
def _sheet(
    overlay: Overlay, picker: Picker, answers: Answers, note: str, width: int, height: int
) -> OverlayView:
    kind, broad = overlay.kind, overlay.kind not in SHORT
    inner = sheet_room(width, broad)
    room = ABOUT.get(kind, 0)
    if height < ROOMY:
        room = -(-room // 3) if height >= LOW else 0
    if kind not in SHOWN and not any(one.about for one in picker.entries):
        room = 0
    kept = room
    if kind == "help" and picker.chosen is not None and not picker.chosen.group:
        room = 0  # the card of the usual keys says all there is, and fills a small screen
    about = _about(kind, picker, answers.preview, inner, room) if room else []
    head = [_typed(overlay, picker, note, inner)]
    offered = any(one.id != ADDRESS and one.group != IN_USE for one in picker.entries)
    if kind == "models" and not overlay.query and not offered:  # only the way to another address
        about, room = list(no_models(answers.models)), 0
        head = head if picker.query or not picker.count else []  # there is nothing to search
    about = about[: room or None]
    first = max(0, min(picker.at - height // 2, len(picker.shown) - height))
    near = picker.shown[first : first + height]
    options, selected = _options(near, picker.at - first, inner, grouped=not picker.query or bool(picker.extra))
    fills = len(options) + kept + AROUND > height  # where the list takes all there is, it takes the same always
    lines = [*head, *about, *[(Span(" "),)] * (room - len(about) if fills else 0)]
    spare = 0 if fills else max(0, kept - len(about) + (kept > 0 and not about))  # with the empty line before them
    title = f"{TITLES[kind]} of all folders" if kind == "sessions" and picker.wide else TITLES[kind]
    return OverlayView(
        title, tuple(lines), options, selected, _count(picker), broad=broad, list_first=bool(head), head=len(head),
        spare=spare,
    )  # fmt: skip


def _typed(overlay: Overlay, picker: Picker, note: str, inner: int) -> tuple[Span, ...]:
    """What was typed (of much the end, where the caret is), or that something can be; and the state of the list, in
    words."""
    waits = bool(overlay.query) and not picker.count
    waits = waits or (overlay.kind in ("debug", "themes", "files", "log") and not picker.count)
    said = "looking …" if waits and (overlay.query or overlay.kind != "log") else "empty"
    if picker.sure:
        name = next((f"“{one_line(one.label, 40)}”" for one in picker.shown if one.id == picker.sure), "it")
        return (Span(f"Delete {name} for ever? Del deletes it, any other key cancels.", "warning"),)
    if picker.query:
        told = f"  {note}" if note else "" if picker.shown else f"  {said if waits else 'no match'}"
        room = max(8, inner - len(f"search: ▏{told}"))
        query = picker.query if len(picker.query) <= room else f"…{picker.query[1 - room :]}"
        return (Span("search: ", "dim"), Span(f"{query}▏", "accent"), Span(told, "warning"))
    more = f" · {note}" if note else " · looking …" if overlay.query and picker.count else ""
    return (Span(f"type to search{more}" if picker.count else said, "dim"),)


def _count(picker: Picker) -> str:
    if not picker.shown:
        return f"0 of {picker.count:,} · Esc closes"
    found, total = len(picker.shown), picker.count
    of = f"{found:,}" if found >= total else f"{found:,} ({total:,} in all)"
    return f"{picker.at + 1:,} of {of} · Esc closes"


def _about(kind: str, picker: Picker, preview: Preview | None, inner: int, room: int) -> list[tuple[Span, ...]]:
    chosen = picker.chosen
    if chosen is None:
        return []
    if kind == "themes":
        return _sample(inner, room)
    if kind in SHOWN and chosen.id:
        return _preview(chosen.id, preview, inner, room)
    words = wrap(one_line(chosen.about, inner * (room + 1)), inner, max_lines=room, placeholder=" …")
    return [(Span(line, chosen.tone if kind == "log" else "normal"),) for line in words]


def _sample(inner: int, room: int) -> list[tuple[Span, ...]]:
    """What a theme is seen in, beside the whole screen: where there is little room, first what is hardest to judge."""
    removed, added = _filled(REMOVED, inner), _filled(ADDED, inner)
    shown = (removed, added, CODE, WORDS, TROUBLE)[:room]
    return [line for line in (WORDS, TROUBLE, CODE, removed, added) if line in shown]


def _filled(spans: tuple[Span, ...], width: int) -> tuple[Span, ...]:
    """A line of a difference: its ground goes to the edge."""
    free = width - sum(len(span.text) for span in spans)
    return (*spans, Span(" " * free, spans[0].tone)) if free > 0 else spans


def _preview(id: str, preview: Preview | None, inner: int, room: int) -> list[tuple[Span, ...]]:
    """What the engine told of the entry; only if it is of this one."""
    if preview is None or preview.of != id:
        return [(Span("looking …", "dim"),)]
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
    return lines[:room] or [(Span("it is empty", "dim"),)]


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


@lazy
def picker_footer(kind: str, wide: bool = False, found: bool = True, does: bool = True) -> FooterView:
    """The keys of the list; where nothing is found only those that do something. `does`: Enter does something with the
    entry of the cursor, which may only tell of a key."""
    idle = frozenset() if found and does else ON_ENTRY if not found else ENTER
    return FooterView(tuple(pair for pair in _keys(kind, wide) if pair[0] not in idle))


def _keys(kind: str, wide: bool) -> tuple[tuple[str, str], ...]:
    if kind == "sessions":
        own = (("Ctrl+A", "this folder" if wide else "all folders"), ("F2", "rename"), ("Del", "delete"))
        return (("↑↓", "choose"), ("Enter", "open"), *own, ("Esc", "close"))
    if kind == "models":
        own = (("F2", "favourite"), ("F3", "this project"), ("F5", "refresh"))  # nothing else names them: there is room
        return (("Enter", "take"), *own, ("↑↓", "choose"), ("Esc", "close"))
    again = (("F5", "look again"),) if kind in ("log", "debug", "skills", "doctor", "jobs") else ()
    return (("↑↓", "choose"), ("Enter", DOES.get(kind, "take")), *again, ("Esc", "close"))
