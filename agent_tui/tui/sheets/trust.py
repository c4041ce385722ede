"""`/trust`: what of the project acts only once the person trusts it, and the question about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from textwrap import wrap
from typing import Final, Literal

from agent_tui.present.wording import count, size
from agent_tui.protocol.answers import AnswerData, ProjectFile, TrustOffer
from agent_tui.protocol.ops import Query, SetTrust
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import ReadSettings
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span, sheet_room
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import Action, Body, Lines, Sheet, cursor, opening

ASKED: Final = "asked"
"""The id of an answer that the person asked for."""
START: Final = "start"
"""The id of the answer that the engine gives when a session begins."""
DOES: Final = "do:"
"""With what the person may say: the row that says it. The other rows are files."""
Said = Literal["always", "once", "no"]
ROWS: Final[Mapping[Said, tuple[str, str]]] = {
    "always": ("trust these files", "until one changes"),
    "once": ("trust until you quit", "not saved"),
    "no": ("go on without", "none is used"),
}
READ_FIRST: Final = 0.8
"""So long after the files were told Enter does nothing: a key that is held down comes again
before."""
LINES: Final = 600
"""Lines of a file that can be scrolled to."""
CHARS: Final = 4_000
"""Characters of a line."""
TONES: Final[Mapping[str, Tone]] = {"+": "good", "-": "bad"}
NOTHING: Final = TrustOffer("")
EXPLAINS: Final = "These files tell the agent what to do. They are not used until you decide."
CHANGED: Final = "These changes tell the agent what to do. They are not used until you decide."
CODE_FOLDER: Final = ".agent-tui/tools/"
RUNS: Final = "{} code: it runs in agent-tui with your rights."
REPLACED: Final = "You trusted another folder at this place."


def _offer(model: Model) -> TrustOffer:
    return model.transcript.answers.trust or NOTHING


def _title(model: Model, _: Overlay) -> str:
    files = _offer(model).files
    changed = files and all(one.diff for one in files)
    what = count(len(files), "changed file" if changed else "file")
    project = one_line(visible(_offer(model).folder.rpartition("/")[2]), 30)
    return f"Trust {what} of {project or '/'}?"


def _is_code(file: ProjectFile) -> bool:
    return CODE_FOLDER in file.name


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    offer = _offer(model)
    for one in offer.files:
        kind = f"{'changed' if one.diff else 'new'}{' code' * _is_code(one)}"
        by = f" · imported by {one_line(visible(one.importer), 40)}" if one.importer else ""
        about = f"{kind} · {size(one.size)}{by} · {one.hash[:8]}"
        tone: Tone = "warning" if one.diff or _is_code(one) else "normal"
        yield Entry(
            one.hash + one.name, one_line(visible(one.name), 60), about, group="Files", tone=tone
        )
    unseen = _lines(offer, sheet_room(model.width, True))[2]
    for said, (label, detail) in ROWS.items():
        if offer.lasts or said != "always":
            detail = f"{detail} · {unseen:,} more lines" if unseen and said != "no" else detail
            yield Entry(f"{DOES}{said}", label, detail, group="Your decision")


def _body(model: Model, _: Overlay, cells: int) -> Body:
    return Body(_lines(_offer(model), cells)[0])


@lazy
def _lines(offer: TrustOffer, cells: int) -> tuple[Lines, tuple[int, ...], int]:
    """What is read, the line where each file begins, and how many lines are not shown."""
    changed = offer.files and all(one.diff for one in offer.files)
    said = f"{REPLACED} " * offer.replaced + (CHANGED if changed else EXPLAINS)
    if code := sum(map(_is_code, offer.files)):
        said += f" {RUNS.format('1 file is' if code == 1 else f'{code} files are')}"
    head = tuple((Span(line),) for line in wrap(said, cells))
    found = [_block(one, cells) for one in offer.files]
    blocks = [head, *(block for block, _ in found)]
    starts = tuple(accumulate(map(len, blocks)))
    lines = tuple(line for block in blocks for line in block)
    return lines, starts[:-1], sum(left for _, left in found)


def _block(file: ProjectFile, cells: int) -> tuple[Lines, int]:
    """A file: its name, and its text or what changed in it; and how many lines are not shown."""
    shown = list(_diff(file, cells) if file.diff else _text(file, cells))
    left = max(0, len(shown) - LINES) + (0 if file.diff else file.unseen)
    if left:
        shown[LINES:] = [(Span(f"… {left:,} more lines: read the file", "warning"),)]
    return ((), (Span(one_line(visible(file.name), cells), "accent"),), *shown), left


def _text(file: ProjectFile, cells: int) -> Iterator[tuple[Span, ...]]:
    for line in file.text.rstrip("\n").split("\n"):
        yield from _wrapped(line, "normal", cells)


def _diff(file: ProjectFile, cells: int) -> Iterator[tuple[Span, ...]]:
    for number, hunk in enumerate(file.diff):
        if number:
            yield (Span("⋯", "dim"),)
        for line in hunk.lines:
            yield from _wrapped(line, TONES.get(line[:1], "dim"), cells, indent=" ")


def _wrapped(line: str, tone: Tone, cells: int, indent: str = "") -> Iterator[tuple[Span, ...]]:
    whole = visible(line.expandtabs(4))
    text, left = whole[:CHARS], len(whole) - CHARS
    pieces = wrap(
        text,
        max(8, cells),
        subsequent_indent=indent,
        drop_whitespace=False,
        replace_whitespace=False,
    )
    for piece in pieces or [" "]:
        yield (Span(piece, tone),)
    if left > 0:
        yield (Span(f"… {left:,} more characters: read the file", "warning"),)


def _show(model: Model, overlay: Overlay, _: Entry) -> Step:
    """What is read goes to the file under the cursor; of the first one, to what stands above it."""
    starts = _lines(_offer(model), sheet_room(model.width, True))[1]
    at = overlay.picker.at if overlay.picker is not None else 0
    if at >= len(starts):
        return model, ()
    scroll = starts[at] + 1 if at else 0
    return replace(model, overlay=replace(overlay, scroll=scroll)), ()


def _decide(model: Model, _: Overlay, __: Entry) -> Step:
    """From a file to what can be said of all of them, and there to the last, which uses none: who
    presses Enter again and again has read nothing."""
    return cursor.put_cursor(model, len(_offer(model).files) + len(ROWS) - 1), ()


def _say(model: Model, _: Overlay, row: Entry) -> Step:
    said: Said = next(one for one in ROWS if row.id == f"{DOES}{one}")
    return _answer(model, said)


def _answer(model: Model, said: Said) -> Step:
    hashes = tuple(one.hash for one in _offer(model).files)
    return send(model, SetTrust(said, hashes))


def _leave(model: Model) -> Step:
    """Esc decides, once: the prompt that waited begins, and one more Esc is not for that."""
    if model.repeated:
        return model, ()
    return _answer(replace(model, overlay=None, decided_at=model.at), "no")


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    if not isinstance(data, TrustOffer):
        return None
    now = model.overlay
    shown = now is not None and now.kind == "trust"
    if not data.asks:
        closed = replace(model, overlay=None) if shown else model
        if id == ASKED:
            used = f"{count(data.used, 'file')} of this project trusted"
            return toast(closed, used if data.used else "this project has nothing to trust")
        if id == START and not shown:
            return model, ()
        return closed, (ReadSettings(of_project=True),)
    if shown:
        return opening.refresh(model)
    if now is not None and not opening.is_open_for(model, "no_model") and id != ASKED:
        return toast(model, "files of this project wait: /trust", "warning")
    return opening.open_sheet(model, "trust", unasked=id != ASKED)


@command(rank=53)
def trust(model: Model, _: str) -> Step:
    """Show which settings, instructions and skills of this project are not used before you trust
    them, with the changes since you did."""
    return send(model, Query(ASKED, "trust"))


SHEET: Final = Sheet(
    _title,
    _rows,
    (
        Action(
            "decide",
            ("enter",),
            "decide",
            _decide,
            lambda _, __, row: not row.id.startswith(DOES),
            closes=False,
            only_moves=True,
        ),
        Action(
            "say",
            ("enter",),
            "take",
            _say,
            lambda _, __, row: row.id.startswith(DOES),
            careful=True,
        ),
    ),
    (trust,),
    typing="below",
    body=_body,
    hears=(TrustOffer,),
    on_answer=_on_answer,
    on_cursor=_show,
    on_esc=_leave,
    esc="go on without",
    live=lambda model: (model.transcript.answers.trust,),
    read_first=READ_FIRST,
    decides=True,
)
