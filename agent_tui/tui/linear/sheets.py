"""Sheets as numbered lists, and the intents that a typed line stands for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final

from agent_tui import registry
from agent_tui.structures import late
from agent_tui.tui import sheets
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.msg import Acted
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.linear.keys import REAL, UNSEEN

if TYPE_CHECKING:
    from agent_tui.tui.sheets import Action, Body

with registry.late():
    from agent_tui.tui.sheets import actions, draw

Rows = Sequence[Entry]

GAP: Final = late.pattern(r" · |\s{2,}")
MOST: Final = 50
"""Rows of a list that are said; words find the others."""
MARKS: Final = dict.fromkeys(map(ord, "✗✓☐☑▸"))
"""Marks that only the eye needs: the words behind them say the same."""
NAMED: Final = 9
"""Rows of which each is named where they do different things."""
CELLS: Final = 200
"""Cells of a line of what is read."""
TYPED: Final = (
    "Each line is a prompt; while the agent works, it is queued. End a line with a backslash to continue it;",
    'the lines between two lines of """ are one prompt. !command runs a shell command. Ctrl+C interrupts;',
    "Ctrl+D on an empty line quits.",
)


def must_be_read(overlay: Overlay) -> bool:
    """Whether it came by itself and gives something away: no line that was begun before is for
    it."""
    return overlay.shown_at > -inf and sheets.find(overlay.kind).read_first > 0


def signature(model: Model) -> Any:
    """What the said sheet depends on, but for its questions; another one: it is said again. None:
    it is not complete yet."""
    overlay = model.overlay
    if overlay is None:
        return None
    sheet, picker = sheets.find(overlay.kind), overlay.picker
    waits = overlay.query or (
        picker is not None and not picker.count and draw.still_waits(model, overlay)
    )
    if sheet.is_ready(model, overlay) if sheet.is_ready is not None else not waits:
        finds = sheet.typing == "finds"
        shown = picker.shown[:MOST] if picker is not None else ()
        rows = tuple(
            one.id or one.label if finds else (one.id, one.label, one.detail) for one in shown
        )
        query = picker.query if picker is not None else ""
        body = sheet.body(model, overlay, CELLS) if sheet.body is not None else None
        return overlay.kind, sheet.title_for(model, overlay), query, rows, body
    return None


def sheet_lines(model: Model, overlay: Overlay) -> list[str]:
    """The sheet as lines: what it is called, what it says, and what can be chosen."""
    sheet = sheets.find(overlay.kind)
    body = sheet.body(model, overlay, CELLS) if sheet.body is not None else None
    lines = [f"{sheet.title_for(model, overlay)}:", *(TYPED if sheet.lists_keys else ())]
    lines += _read(body) if body is not None else []
    found, group = choices(overlay), ""
    for number, entry in enumerate(found[:MOST], 1):
        if sheet.says_groups and entry.group != group:
            group = entry.group
            lines.append(f"{group}:")
        detail = _plain(" · ".join(filter(None, (entry.value, entry.detail))))
        lines.append(f"{_key(entry, number)}: {entry.label}{f', {detail}' if detail else ''}")
    if len(found) > MOST:
        lines.append(f"and {len(found) - MOST} more; type words to find them")
    elif not found and overlay.picker is not None and (body is None or not body.lines):
        lines.append("empty")
    return [*lines, hint(model, overlay)]


def question_line(overlay: Overlay) -> str:
    """What is asked before an action is done; empty: nothing."""
    asked = draw.question_of(overlay)
    return f"{asked.partition('?')[0]}? Type yes, or an empty line to keep it." if asked else ""


def hint(model: Model, overlay: Overlay) -> str:
    """What may be typed while it is open."""
    sheet, offered = sheets.find(overlay.kind), _offered(model, overlay)
    ways = list(_row_ways(model, overlay, offered))
    rows = choices(overlay)
    first = {_main_action(model, overlay, row) for row in rows}
    for one in offered:
        if first == {one}:
            continue  # a number alone does it
        if one.typed and one.needs_row:
            ways.append(f"{one.typed} and a number to {one.label_for(model, overlay)}")
        elif one.typed:
            ways.append(f"{one.typed} ({one.label_for(model, overlay)})")
    if not ways:
        ways = [f"y to {one.label_for(model, overlay)}" for one in offered[:1] if not one.hidden]
    ways += ["words to search"] if sheet.typing == "finds" and overlay.picker is not None else []
    esc = sheet.esc_for(model, overlay)
    leaves = f"an empty line to {'go back' if esc == 'back' else esc}"
    return f"Type {', '.join(ways)}, or {leaves}." if ways else f"Type {leaves}."


def _row_ways(model: Model, overlay: Overlay, offered: tuple[Action, ...]) -> Iterator[str]:
    """What is typed for a row, and what it does: where rows do different things, each of them."""
    rows, first = choices(overlay), next((one for one in offered if one.needs_row), None)
    if not rows or first is None:
        return
    keys = [_key(one, number) for number, one in enumerate(rows, 1)]
    does = [_verb(_main_action(model, overlay, row) or first, model, overlay) for row in rows]
    named = len(set(does)) > 1 and len(keys) <= NAMED
    moves = {
        _verb(one, model, overlay) for one in sheets.find(overlay.kind).actions if one.only_moves
    }
    for verb in dict.fromkeys(one for one in does if one not in moves) if named else does[:1]:
        of = [key for key, done in zip(keys, does, strict=True) if done == verb or not named]
        spelt = named or not any(key.isdecimal() for key in of)
        yield f"{_join_or(of) if spelt else 'a number'} to {verb}"


def _join_or(keys: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(keys[:-1]), keys[-1])))


def _main_action(model: Model, overlay: Overlay, row: Entry) -> Action | None:
    """What the number of a row does."""
    known = sheets.find(overlay.kind).actions
    return next((one for one in known if one.needs_row and one.offered(model, overlay, row)), None)


def _verb(action: Action, model: Model, overlay: Overlay) -> str:
    label = action.label_for(model, overlay)
    return "choose" if label == "take" else label


def _offered(model: Model, overlay: Overlay) -> tuple[Action, ...]:
    """What can be done with any row, or with the whole sheet."""
    known = sheets.find(overlay.kind).actions
    rows = overlay.picker.shown if overlay.picker is not None else ()
    offered = (
        one
        for one in known
        if (
            any(one.offered(model, overlay, row) for row in rows)
            if one.needs_row
            else one.offered(model, overlay, actions.row_of(overlay))
        )
    )
    by_label = {one.label_for(model, overlay): one for one in reversed(tuple(offered))}
    return tuple(one for one in known if one in by_label.values())


def choices(overlay: Overlay) -> list[Entry]:
    """What can be chosen here; what only a screen can do is left out."""
    if overlay.picker is None:
        return []
    shown = overlay.picker.shown
    if overlay.picker.ordered:  # the newest are last: those are the ones to hear
        shown = shown[-MOST:]
    found = [one for one in shown if one.id.removeprefix("command:") not in UNSEEN]
    if not sheets.find(overlay.kind).lists_keys:
        return found
    found = [
        one for one in found if one.id.removeprefix("command:") not in REAL
    ]  # keys, told in TYPED
    return list(
        {one.id: one for one in found if one.id}.values()
    )  # a key here is a command: said once


def _key(entry: Entry, number: int) -> str:
    """What is typed for a row."""
    letter = entry.key.rpartition("+")[2].lower()
    return letter if letter and not letter.isdecimal() else str(number)


def _read(body: Body) -> list[str]:
    """What is read, as lines of text."""
    texts = [(len(line), "".join(span.text for span in line)) for line in body.lines]
    lines = [text if spans == 1 and text[:1] in " +-" else _plain(text) for spans, text in texts]
    below = [_plain("".join(span.text for span in line)) for line in body.below]
    return [line for line in (*lines, *body.text.split("\n"), *below) if line]


def _plain(detail: str) -> str:
    """`detail` without what only divides it for the eye."""
    return GAP.sub(", ", detail.translate(MARKS).strip()).replace("≈", "about")


# -- what a line asks for


def intents(
    model: Model, overlay: Overlay, line: str, said: Rows | None = None
) -> list[Acted] | None:
    """What `line` asks for; None: it is nothing that can be chosen here. `said`: the rows as they
    were said last, which a number means; None: as they are now."""
    rows = choices(overlay)[:MOST] if said is None else said
    text = line.strip()
    if not text:
        return [_acted(overlay, "keep" if overlay.confirming is not None else "close")]
    if overlay.confirming is not None:
        return [_acted(overlay, "confirm" if text.lower() in ("y", "yes") else "keep")]
    word, _, rest = text.partition(" ")
    named = next((one for one in _offered(model, overlay) if one.typed == word), None)
    if named is not None and not named.needs_row and not rest:
        return [_acted(overlay, named.name)]
    if named is not None and named.needs_row and (not rest or rest.strip().isdecimal()):
        row = _row(
            rows, rest.strip()
        )  # a word of an action needs the number of a row that is there
        return [_acted(overlay, named.name, row)] if row is not None else None
    if named is not None and (row := _row(rows, rest.strip())) is not None:
        return [_acted(overlay, named.name, row)]
    if (row := _row(rows, text)) is not None:
        return [_acted(overlay, "", row)]
    if text.isascii() and text.isdecimal():
        return None
    if sheets.find(overlay.kind).typing == "finds" and overlay.picker is not None:
        return [_acted(overlay, "find", text=text)]
    if text.lower() in ("y", "yes") and not choices(overlay) and not overlay.picker:
        first = next(
            (one for one in _offered(model, overlay) if not one.typed and not one.hidden), None
        )
        return [_acted(overlay, first.name)] if first is not None else None
    return None


def _row(rows: Rows, text: str) -> Entry | None:
    """The row that `text` names: by its letter, its number, or what it is called."""
    for number, one in enumerate(rows, 1):
        if text == _key(one, number):
            return one
    low = text.lower()
    return next(
        (one for one in rows if one.id and low in (one.id.lower(), one.label.lower())), None
    )


def closing_acts(model: Model, overlay: Overlay) -> list[Acted]:
    """What closes it for a line that is meant for the model; what is fetched goes on."""
    hides = any(one.name == "hide" for one in actions.actions_of(model, overlay))
    return [_acted(overlay, "hide" if hides else "close")]


def is_read_only(overlay: Overlay) -> bool:
    """Whether there is nothing to choose: a line that is meant for the model closes it."""
    return overlay.picker is None


def _acted(overlay: Overlay, action: str, row: Entry | None = None, text: str = "") -> Acted:
    return Acted(overlay.kind, action, row.id if row is not None else None, text, at=time.time())
