"""`/compact`: what of the conversation a summary would stand for, before it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import AnswerData, CompactionPlan
from agent_tui.protocol.ops import Cancel, Compact, Query, UndoCompaction
from agent_tui.structures import chips
from agent_tui.structures.frozen import frozen
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.core.words import one_line, tokens
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.session_actions import unable
from agent_tui.tui.sheets import Action, Body, Lines, Sheet, opening

UNDO: Final = "undo"
EDIT: Final = "New summary"
GOES: Final = "Summarised, unless you keep it"
CHARS: Final = 4
"""Of a token, about."""
MARKS: Final = {True: "[keep]", False: "[    ]"}


@frozen
class Compaction:
    """What the engine proposes, and what the person changed of it."""

    plan: CompactionPlan = CompactionPlan()
    told: bool = False
    summary: str = ""
    pinned: frozenset[int] = frozenset()
    edit: str = ""
    """A summary that was written and left with Esc."""


def _state(overlay: Overlay) -> Compaction:
    return overlay.state if isinstance(overlay.state, Compaction) else Compaction()


def _with(model: Model, state: Compaction) -> Step:
    assert model.overlay is not None
    return opening.refresh(replace(model, overlay=replace(model.overlay, state=state)))


def _rows(_: Model, overlay: Overlay) -> Iterator[Entry]:
    state = _state(overlay)
    for one in state.plan.going:
        kept = one.place in state.pinned
        label = f"{MARKS[kept]} {one.who}: {one_line(visible(one.words), 70)}"
        yield Entry(str(one.place), label, tokens(one.tokens, True), visible(one.words), GOES)


def _body(_: Model, overlay: Overlay, __: int) -> Body:
    state = _state(overlay)
    if not state.told:
        return Body(((Span("writing a summary …", "dim"),),))
    plan = state.plan
    going = count(len(plan.going) - len(state.pinned), "message")
    by = plan.model or "no model: put together from the messages"
    after = _after(state)
    counts = f"{tokens(plan.before, True)} → {tokens(after, True)} tokens"
    tone: Tone = "warning" if after >= plan.before else "dim"
    head = (Span(f"{going} → this summary · {counts} · {by}", tone),)
    return Body((head, (), *_summary_lines(state.summary)))


def _after(state: Compaction) -> int:
    """About how many tokens a request has with what the person changed."""
    kept = sum(one.tokens for one in state.plan.going if one.place in state.pinned)
    longer = (len(state.summary) - len(state.plan.summary)) // CHARS
    return max(0, state.plan.after + kept + longer)


@lazy
def _summary_lines(summary: str) -> Lines:
    return tuple((Span(line, _tone(line)),) for line in visible(summary).split("\n"))


def _tone(line: str) -> Tone:
    return "accent" if line.startswith("#") else "normal"


def _switch(model: Model, overlay: Overlay, row: Entry) -> Step:
    state, place = _state(overlay), int(row.id)
    return _with(model, replace(state, pinned=state.pinned ^ {place}))


def _edit(model: Model, overlay: Overlay, _: Entry) -> Step:
    asked = composer.ask(model, Purpose("sheet", EDIT, kept=True, sends="use"))
    state = _state(overlay)
    written = composer.write(asked, state.edit or state.summary)
    begin = replace(written.composer, caret=0, place=0)  # it is read from there
    return replace(written, composer=begin), ()


def _on_text(model: Model, text: str) -> Step:
    left, text = composer.leave(model), chips.expand(text, model.composer.chips).strip()
    if left.overlay is None or not text:
        return left, ()
    state = _state(left.overlay)
    # whatever becomes of the sheet, the words are kept
    kept = composer.remember(left, text) if text != state.plan.summary else (left, ())
    return then(kept, _with(kept[0], replace(state, summary=text, edit="")))


def _on_esc(model: Model) -> Step:
    """The edit is left first: `e` shows it again. Then the sheet."""
    overlay, now = model.overlay, model.composer
    if overlay is None:
        return composer.leave(model), ()
    if now.purpose is None:
        return opening.leave(model, overlay)
    written = chips.expand(now.draft, now.chips).strip()
    return _with(composer.leave(model), replace(_state(overlay), edit=written))


def _do(model: Model, overlay: Overlay, _: Entry) -> Step:
    state = _state(overlay)
    op = Compact(
        state.summary, len(state.plan.going), state.plan.of, tuple(sorted(state.pinned)),
        state.plan.model if state.summary == state.plan.summary else "you",
    )  # fmt: skip
    return send(model, op)


def _is_told(_: Model, overlay: Overlay, __: Entry) -> bool:
    return _state(overlay).told


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    overlay = model.overlay
    if not isinstance(data, CompactionPlan) or overlay is None or overlay.query != id:
        return None
    if data.problem:
        return toast(replace(model, overlay=None), data.problem, "warning")
    filled = replace(overlay, query="", filled_at=model.at)
    return _with(replace(model, overlay=filled), Compaction(data, True, data.summary))


def _leave(model: Model, overlay: Overlay) -> Step:
    """A summary that is being written is called off."""
    if _state(overlay).told:
        return model, ()
    return send(replace(model, stopped_at=model.at), Cancel())


@command(argument="[focus]", rank=57)
def compact(model: Model, args: str) -> Step:
    """Write a summary of the older messages, which frees context. You see it first: edit it, or
    keep messages as they are. The transcript stays whole; `/compact undo` takes it back."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    if args.strip() == UNDO:
        return send(model, UndoCompaction())
    if not len(model.transcript.marks):
        return toast(model, "there is nothing to compact yet")
    shown, effects = opening.open_sheet(model, "compact")
    if shown.overlay is None:
        return shown, effects
    id = f"compact-{shown.queries}"
    shown = replace(shown, overlay=replace(shown.overlay, query=id))
    asked = send(shown, Query(id, "compaction", args))
    return asked[0], (*effects, *asked[1])


SHEET: Final = Sheet(
    "Compact the conversation",
    _rows,
    (
        Action("do", ("enter",), "compact", _do, _is_told, needs_row=False, careful=True),
        Action(
            "keep", ("space",), "keep message", _switch, _is_told, closes=False, one_click=True,
            at_once=True,
        ),
        Action("edit", ("e",), "edit summary", _edit, _is_told, needs_row=False, closes=False),
    ),
    (compact,),
    typing="acts",
    body=_body,
    begin=lambda _: Compaction(),
    states=(Compaction,),
    hears=(CompactionPlan,),
    on_answer=_on_answer,
    on_text=_on_text,
    on_esc=_on_esc,
    holds_queue=True,
    leave=_leave,
    esc="cancel",
    is_ready=lambda _, overlay: _state(overlay).told,
)  # fmt: skip
