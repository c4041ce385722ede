"""`/undo` and `/redo`: what would be taken back or made again, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, cast

from agent_tui.present.wording import count
from agent_tui.protocol.answers import AnswerData, OldFile, RestoreOutcome, UndoPlan
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.ops import FileChoice, Fork, Query, QueryKind, RestoreFiles, Rewind
from agent_tui.protocol.transcript import NoticeBlock
from agent_tui.structures import mention
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.core.undo_state import GoingBack, What, in_order
from agent_tui.tui.core.words import hunk_lines, one_line
from agent_tui.tui.screen.session_actions import unable
from agent_tui.tui.sheets import Action, Body, Sheet, cursor, opening

SECONDS: Final = 8.0
WORDS: Final = 300
"""Characters of what a toast says."""
NOTHING: Final = "no file is chosen: switch one on"
NO_FILE: Final = "↑↓: choose a file first"
READ_FIRST: Final = 0.8
"""So long after the files were told Enter does nothing: a key that is held down comes again
before."""
DOES: Final = "do:"
"""With what is offered: the row that does it. The other rows are files."""
DRAWN: Final = 1_500
"""Lines of differences up to which they are drawn as in the transcript; more would keep keys
waiting."""
LINES: Final = 4_000
"""Lines of differences that can be scrolled to."""
MARKS: Final = {"": "[?]", "keep": "[ ]", "restore": "[x]", "both": "[+]"}
ACTIONS: Final = {
    "both": ("code and conversation", "files and messages"),
    "code": ("code", "the files only"),
    "conversation": ("conversation", "messages only"),
}
REDONE: Final = {
    "both": ("code and conversation", "files again, messages in a new session"),
    "code": ("code", "the files, changed again"),
    "conversation": ("conversation", "as before, in a new session"),
}
NONE: Final = "These turns left no file changed"
NOT_SEEN: Final = "/undo knows of no changed file in these turns"
UNDONE: Final = "The file changes of these turns are already undone"
FILES: Final = "Files"
LIMITED: Final = "Not everything can be undone: the end says what."


# -- what is shown


def _title(model: Model, _: Overlay) -> str:
    going = model.going_back
    if going is None:
        return "Undo"
    about = one_line(visible(mention.display_mentions(going.prompt)), 50)
    name = f"{_name(going)}{' to before' if going.to and not going.redo else ''}"
    return f"{name}: {about}" if about and not (going.redo and not going.files) else name


def _name(going: GoingBack) -> str:
    """What is done is called as the command that does it."""
    return "Redo" if going.redo else "Rewind" if going.to else "Undo"


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    going = model.going_back
    if going is None:
        return
    for file in going.files:
        choice = going.choice(file)
        tone: Tone = "normal" if choice == "restore" else "dim" if choice else "warning"
        name = f"{MARKS[choice]} {one_line(visible(file.path), 60)}"
        yield Entry(file.path, name, _fate(going, file), group=FILES, tone=tone)
    group = _name(going) if going.files else ""
    for what in going.offered_parts:
        label, detail = (REDONE if going.redo else ACTIONS)[what]
        yield Entry(f"{DOES}{what}", label, detail, group=group)


def _body(model: Model, _: Overlay, __: int) -> Body:
    going = model.going_back
    return (
        _read(going) if going is not None and going.told else Body(((Span("looking …", "dim"),),))
    )


@lazy
def _read(going: GoingBack) -> Body:
    """What would be done, the differences, and then what undo cannot reach or show: first come the
    files, on a small screen too."""
    head, rest = _head(going), _differences(going)
    limits = ((), *_limits(going)) if going.files and going.caps else ()
    if len(rest) >= DRAWN:
        return Body((*head, *rest), below=limits)
    diffs = tuple(DiffDisplay(file.path, file.diff) for file in going.looked_at)
    return Body((*head, *rest), diffs=diffs, drawn_from=len(head) if diffs else 0, below=limits)


def _limits(going: GoingBack) -> tuple[tuple[Span, ...], ...]:
    return tuple((Span(note, "warning"),) for note in going.caps)


def _head(going: GoingBack) -> list[tuple[Span, ...]]:
    """What would be done; without files also what undo cannot reach."""
    if going.files:
        more = [(Span(LIMITED, "warning"),)] if going.caps else []
        return [(Span(_summary(going)),), *more]
    none = UNDONE if going.undone else NOT_SEEN if going.caps else NONE
    said = "No file needs to change." if going.redo else f"{none}: only the conversation goes back."
    return [(Span(said),), *_limits(going)]


def _summary(going: GoingBack) -> str:
    """What would become of how many files, in the words that say afterwards what was done."""
    chosen = [(going.choice(file), file) for file in going.files]
    restored = [file for choice, file in chosen if choice == "restore"]
    gone = sum(file.goes for file in restored)
    there, kept = len(restored) - gone, sum(choice == "keep" for choice, _ in chosen)
    beside, unsaid = (
        sum(choice == "both" for choice, _ in chosen),
        sum(not choice for choice, _ in chosen),
    )
    parts = [f"{'change' if going.redo else 'restore'} {count(there, 'file')}"] if there else []
    parts += [f"delete {count(gone, 'file')}"] if gone else []
    parts += [f"write {count(beside, going.version)} beside"] if beside else []
    parts += [f"keep {count(kept, 'file')} unchanged"] if kept else []
    parts += [f"{count(unsaid, 'file')} to decide about"] if unsaid else []
    if going.idle and any(len(file.choices) > 1 for file in going.files):
        return "No file is chosen yet: switch on what to change."
    said = ", ".join(parts)
    return f"{said[:1].upper()}{said[1:]}. Nothing is written yet: choose below."


def _fate(going: GoingBack, file: OldFile) -> str:
    """The words beside a file: what becomes of it, how many lines come and go, and what there is to
    know."""
    choice = going.choice(file)
    restored = "deleted" if file.goes else "restored" if file.comes else ""
    fate = {
        "": "choose what happens",
        "keep": "kept",
        "both": f"kept, {going.version} beside it",
    }.get(choice, restored)
    counts = [
        f"{sign}{lines:,}" for sign, lines in (("+", file.added), ("-", file.removed)) if lines
    ]
    why = one_line(visible(file.why), 100)
    return " · ".join(filter(None, (" ".join(counts), fate, why)))


def _differences(going: GoingBack) -> list[tuple[Span, ...]]:
    lines: list[tuple[Span, ...]] = []
    for file in going.looked_at:
        lines += [(), (Span(one_line(visible(file.path), 80), "accent"),), *hunk_lines(file.diff)]
    left = len(lines) - LINES
    return [*lines[:LINES], (Span(f"… {left:,} more lines", "dim"),)] if left > 0 else lines


# -- opening it, and what it does


def _open(model: Model, to: int = 0, redo: bool = False) -> Step:
    """Show what would be taken back (`to`: up to the turn that began with this record), or made
    again."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    mark = next((mark for mark in model.transcript.marks if mark.n == to), None) if to else None
    kind: QueryKind = "redo" if redo else "undo"
    talks = bool(model.rewound) if redo else bool(len(model.transcript.marks))
    going = GoingBack(redo, to, mark.prompt if mark else "", talks)
    shown, effects = opening.open_sheet(replace(model, going_back=going), "undo")
    id = f"{kind}-{shown.queries}"
    shown = replace(shown, overlay=shown.overlay and replace(shown.overlay, query=id))
    asked = send(shown, Query(id, kind, str(to) if to else ""))
    return asked[0], (*effects, *asked[1])


def _plan(model: Model, id: str, data: UndoPlan) -> Step:
    """The engine said which files there are. Nothing at all: the sheet is not needed."""
    overlay, going = model.overlay, model.going_back
    if overlay is None or going is None or overlay.query != id:
        return model, ()
    prompt = going.prompt or (data.turns[0].prompt if data.turns else "")
    first = min(data.turns, key=lambda one: one.n, default=None)
    is_command = first is not None and not first.turn  # the conversation does not begin there
    going = replace(
        going,
        told=True,
        talks=going.talks and (bool(going.to) or not is_command),
        files=in_order(data.files),
        turns=tuple(one.n for one in data.turns),
        prompt=prompt,
        caps=data.caps,
        undone=data.undone,
        begun=data.begun,
    )
    if not going.files and not going.to and not (going.redo and going.talks):
        said = "there is nothing to redo" if going.redo else "there is no changed file to undo"
        more = "" if going.redo or not going.talks else "; /rewind goes back in the conversation"
        return toast(replace(model, overlay=None, going_back=None), said + more)
    shown = opening.refresh(
        replace(model, going_back=going, overlay=replace(overlay, query="", filled_at=model.at))
    )
    at = next(
        (number for number, file in enumerate(going.files) if file.path == going.on),
        going.first_row,
    )
    return cursor.put_cursor(shown[0], at), shown[1]


def _is_file(_: Model, __: Overlay, row: Entry) -> bool:
    return not row.id.startswith(DOES)


def _is_deed(_: Model, __: Overlay, row: Entry) -> bool:
    return row.id.startswith(DOES)


def _deed_label(model: Model, _: Overlay) -> str:
    return _name(model.going_back).lower() if model.going_back is not None else ""


def _switch(model: Model, _: Overlay, row: Entry) -> Step:
    """The next choice for a file."""
    going = model.going_back
    assert going is not None
    at = next(number for number, file in enumerate(going.files) if file.path == row.id)
    return opening.refresh(replace(model, going_back=replace(going, choices=going.switch(at))))


def _switch_all(model: Model, _: Overlay, __: Entry) -> Step:
    going = model.going_back
    assert going is not None
    return opening.refresh(replace(model, going_back=replace(going, choices=going.switch_all())))


def _say_no_file(model: Model, _: Overlay, __: Entry) -> Step:
    """Space switches a file, and never confirms anything."""
    return toast(model, NO_FILE)


def _is_beside_files(model: Model, overlay: Overlay, row: Entry) -> bool:
    return _is_deed(model, overlay, row) and _has_files(model, overlay, row)


def _has_files(model: Model, _: Overlay, __: Entry) -> bool:
    return model.going_back is not None and bool(model.going_back.files)


def _do(model: Model, _: Overlay, row: Entry) -> Step:
    """Do it; a file that changed since needs a word first."""
    going, what = model.going_back, cast(What, row.id.removeprefix(DOES))
    assert going is not None
    if refused := unable(model):
        return toast(model, refused, "warning")
    if what != "conversation" and (file := going.open_question) is not None:
        shown = cursor.put_cursor(model, going.files.index(file))
        return toast(shown, f"first choose what happens to {file.path}", "warning")
    if what == "code" and going.idle:
        return toast(cursor.put_cursor(model, 0), NOTHING, "warning")
    to = going.to or min(going.turns, default=0)
    prompt = next((mark.prompt for mark in model.transcript.marks if mark.n == to), "")
    after = replace(model, overlay=None, going_back=replace(going, sent=what, prompt=prompt))
    if what == "conversation" and going.redo:
        return send(after, Fork(model.rewound))
    if what == "conversation":
        return send(after, Rewind(to))
    choices = {path: cast(FileChoice, choice) for path, choice in going.choices.items()}
    seen = {
        file.path: file.now
        for file in going.files
        if file.now and choices.get(file.path, "keep") != "keep"
    }
    return send(after, RestoreFiles(going.to, what, choices, going.redo, seen))


def _leave(model: Model, _: Overlay) -> Step:
    return replace(model, going_back=None), ()


# -- what became of it


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    match data:
        case UndoPlan():
            return _plan(model, id, data)
        case RestoreOutcome():
            return _restored(model, data)
        case _:
            return None


def _restored(model: Model, data: RestoreOutcome) -> Step:
    """The engine has put files back, or could not."""
    going = (
        model.going_back if model.going_back is not None and model.going_back.sent else GoingBack()
    )
    closed = (
        replace(model, going_back=None) if going is model.going_back else model
    )  # else another sheet is open
    if data.asked:
        again, effects = _open(closed, going.to, going.redo)
        if again.going_back is not None:
            named = [one.path for one in data.asked]
            kept = {path: choice for path, choice in going.choices.items() if path not in named}
            again = replace(again, going_back=replace(again.going_back, choices=kept, on=named[0]))
        changed = data.asked[0].path
        said = f"{changed} changed meanwhile, so nothing was done: choose what happens to it"
        return then((again, effects), toast(again, said, "warning", SECONDS))
    if data.problem:
        return toast(closed, f"not done: {data.problem}", "warning", SECONDS)
    if going.redo and going.sent == "both" and data.done:  # the copy is told of when it is there
        forks = replace(model, going_back=replace(going, where=data.said))
        return send(forks, Fork(going.begun or model.rewound))
    last = model.transcript.rows[-1] if model.transcript.rows else None
    if isinstance(last, NoticeBlock) and last.text == data.said and not going.where:
        return closed, ()  # the transcript has just said it
    said = f"{one_line(data.said, WORDS)} {going.where[:1].upper()}{going.where[1:]}".rstrip()
    return toast(closed, said, "good" if data.done else "bad", SECONDS)


@command(rank=56)
def undo(model: Model, args: str) -> Step:
    """Undo the file changes of the last turn. First you see each file with its diff. A file that
    changed since then, or while a command ran, is kept unless you choose otherwise. /redo reverses
    it."""
    return _open(model, next((mark.n for mark in model.transcript.marks if str(mark.n) == args), 0))


@command(rank=56)
def redo(model: Model, _: str) -> Step:
    """Redo the last undo: the changed files, or the conversation, which opens as a new session."""
    return _open(model, redo=True)


SHEET: Final = Sheet(
    _title,
    _rows,
    (
        Action(
            "switch",
            ("enter", "space"),
            "switch",
            _switch,
            _is_file,
            closes=False,
            shown="Space",
            one_click=True,
            at_once=True,
        ),
        Action("do", ("enter",), _deed_label, _do, _is_deed, closes=False, careful=True),
        Action(
            "no_file",
            ("space",),
            "switch",
            _say_no_file,
            _is_beside_files,
            closes=False,
            hidden=True,
            at_once=True,
        ),
        Action(
            "all",
            ("ctrl+a",),
            "switch all",
            _switch_all,
            _has_files,
            needs_row=False,
            closes=False,
            typed="a",
        ),
    ),
    (undo, redo),
    typing="acts",
    body=_body,
    hears=(UndoPlan, RestoreOutcome),
    on_answer=_on_answer,
    leave=_leave,
    esc="cancel",
    is_ready=lambda model, _: model.going_back is not None and model.going_back.told,
    read_first=READ_FIRST,
)
