"""Opening a sheet, filling it with what was asked for, and closing it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_tui.protocol.ops import Query
from agent_tui.tui import sheets
from agent_tui.tui.core.effects import Copy, Effect, LookLater, Send
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import key_guards
from agent_tui.tui.sheets import Sheet
from agent_tui.tui.sheets.actions import asked_row
from agent_tui.tui.sheets.cursor import NEVER, arrange_rows, follow_cursor

if TYPE_CHECKING:
    from agent_tui.protocol.answers import AnswerData


FOLLOWS: Final = 1.5
"""A row that goes so soon after a key did something with it has gone by that. Later, who pressed
the key may have begun to wonder, and pressed it once more for the same row."""
EARLY: Final = 0.9
"""Of the time after which a sheet looks again: what comes much before that is of an earlier
look."""


def copy_rows(model: Model, overlay: Overlay, _: Entry) -> Step:
    """Copy the rows that the words typed have left, each with what stands beside it."""
    shown = overlay.picker.shown if overlay.picker is not None else ()
    return model, (Copy("\n".join(f"{one.label}: {one.detail}" for one in shown)),)


def refuses_pastes(model: Model) -> str:
    """What is said instead of taking a paste, where the sheet that is open takes none and the
    prompt asks for nothing; else empty."""
    if model.overlay is None or model.composer.purpose is not None:
        return ""
    return sheets.find(model.overlay.kind).not_pasted


def open_sheet(
    model: Model, kind: str, query: str = "", note: str = "", unasked: bool = False
) -> Step:
    """Show the sheet `kind`, with `query` typed already: at once, with what is known; what has to
    be asked for comes after. `unasked`: it comes by itself, so for a moment keys may still be meant
    for the prompt."""
    sheet = sheets.find(kind)
    if sheet.refuse is not None and (why := sheet.refuse(model)):
        return toast(model, why, "warning")
    model = replace(model, overlay=None, queries=model.queries + 1)
    overlay = Overlay(
        kind,
        query=f"{kind}-{model.queries}" if sheet.query is not None else "",
        note=note,
        shown_at=model.at if unasked else NEVER,
        refused=unasked and key_guards.was_just_enter(model),
        filled_at=model.at,
        holds_queue=sheet.holds_queue,
        picker=Picker(query=query, ordered=sheet.newest_last) if sheet.rows is not None else None,
        state=sheet.begin(model) if sheet.begin is not None else None,
    )
    step = refresh(replace(model, overlay=overlay))
    shown = step[0].overlay
    if (
        shown is not None and shown.picker is not None and sheet.live is not None
    ):  # its cursor stays on its row
        step = (
            replace(step[0], overlay=replace(shown, picker=replace(shown.picker, touched=True))),
            step[1],
        )
    return step[0], (*step[1], *_fetching(sheet, overlay))


def open_for(model: Model, occasion: str, unasked: bool = True) -> Step:
    """Show the sheet that opens by itself for `occasion`, if there is one; `unasked`: nobody has
    just asked for it."""
    kind = next((name for name in sheets.names() if sheets.find(name).opens_for == occasion), "")
    return open_sheet(model, kind, unasked=unasked) if kind else (model, ())


def is_open_for(model: Model, occasion: str) -> bool:
    return model.overlay is not None and sheets.find(model.overlay.kind).opens_for == occasion


def asks(model: Model) -> bool:
    """Whether the sheet that is open is the question for which prompts wait."""
    return model.is_held and model.overlay is not None and sheets.find(model.overlay.kind).decides


def hides_question(before: Model, after: Model) -> bool:
    """Whether the question is open no more, and nobody has answered it."""
    kind = before.overlay.kind if before.overlay is not None else ""
    return asks(before) and (after.overlay is None or after.overlay.kind != kind)


def _fetching(sheet: Sheet, overlay: Overlay) -> tuple[Effect, ...]:
    """What brings what the sheet shows."""
    asked = (Send(Query(overlay.query, sheet.query)),) if sheet.query is not None else ()
    return (*sheet.reads, *asked)


def refresh(model: Model) -> Step:
    """What the open sheet shows may be another now."""
    overlay = model.overlay
    if overlay is None:
        return model, ()
    sheet = sheets.find(overlay.kind)
    if sheet.settle is not None and (settled := sheet.settle(model, overlay)) is not None:
        return settled
    if sheet.rows is None or overlay.picker is None:
        return model, ()
    begins_on = sheet.begin_on(model) if sheet.begin_on is not None else ""
    done = overlay.done if model.at - overlay.done_at < FOLLOWS else ""
    picker = overlay.picker.with_entries(tuple(sheet.rows(model, overlay)), begins_on, done)
    return follow_cursor(_without_lost_question(arrange_rows(model, overlay, picker, typed=False)))


def on_answer(model: Model, id: str) -> Step:
    """The query `id` was answered, and what it told is in the transcript: the open list may have
    waited for it."""
    now = model.overlay
    if now is None or now.picker is None or (now.query and now.query != id):
        return model, ()
    shown, effects = refresh(replace(model, overlay=replace(now, query="", told_at=model.at)))
    every = _looks_every(model, now.kind)
    return shown, (*effects, *[LookLater(now.kind, every)] * (every > 0))


def _looks_every(model: Model, kind: str) -> float:
    every = sheets.find(kind).every
    return every(model) if every is not None else 0.0


def look_on(model: Model, kind: str) -> Step:
    """The sheet `kind` was filled a while ago: if it is still open, and nothing was told since, the
    engine is asked again. Nobody waits for the answer."""
    overlay, every = model.overlay, _looks_every(model, kind)
    if overlay is None or overlay.kind != kind or model.at - overlay.told_at < every * EARLY:
        return model, ()
    return _ask_again(model, kind)


def _ask_again(model: Model, kind: str) -> Step:
    asked = sheets.find(kind).query
    model = replace(model, queries=model.queries + 1)
    return (
        send(model, Query(f"{kind}-{model.queries}", asked)) if asked is not None else (model, ())
    )


def tell(model: Model, id: str, data: AnswerData) -> Step:
    """The engine told something: the sheet that is open may take it, else one that it concerns
    although it is not."""
    if (
        model.overlay is not None
        and (taken := _told(model, model.overlay.kind, id, data)) is not None
    ):
        return taken
    concerned = (kind for kind in sheets.names() if isinstance(data, sheets.find(kind).hears))
    steps = (_told(model, kind, id, data) for kind in concerned)
    return next((step for step in steps if step is not None), (model, ()))


def _told(model: Model, kind: str, id: str, data: AnswerData) -> Step | None:
    hears = sheets.find(kind).on_answer
    heard = hears(model, id, data) if hears is not None else None
    return (_without_lost_question(heard[0]), heard[1]) if heard is not None else None


def follow(before: Model, model: Model) -> Step:
    """What the rows of the open sheet are made of may be another now."""
    if model.overlay is None or (live := sheets.find(model.overlay.kind).live) is None:
        return model, ()
    same = all(new is old for new, old in zip(live(model), live(before), strict=True))
    if same:
        return model, ()
    kind, shown = model.overlay.kind, refresh(model)
    return then(shown, _ask_again(shown[0], kind)) if sheets.find(kind).every else shown


def on_rest(model: Model) -> Step:
    """A moment has passed without anything else."""
    overlay = model.overlay
    if overlay is None or (rested := sheets.find(overlay.kind).on_rest) is None:
        return model, ()
    return rested(model, overlay)


def leave(model: Model, overlay: Overlay) -> Step:
    """Esc: the sheet is closed."""
    sheet, closed = sheets.find(overlay.kind), replace(model, overlay=None)
    return sheet.leave(closed, overlay) if sheet.leave is not None else (closed, ())


def on_text(model: Model, text: str) -> Step:
    """The prompt was sent while it was the sheet's."""
    typed = sheets.find(model.overlay.kind).on_text if model.overlay is not None else None
    return typed(model, text) if typed is not None else (composer.leave(model), ())


def dismiss_purpose(model: Model) -> Step:
    """Esc while the prompt has a purpose, which may be the sheet's."""
    purpose = model.composer.purpose
    if purpose is None or purpose.kind != "sheet":
        return composer.dismiss(model)
    esc = sheets.find(model.overlay.kind).on_esc if model.overlay is not None else None
    left = esc(model) if esc is not None else (composer.leave(model), ())
    return then(left, composer.remember_field(model, left[0]))


def is_written_below(model: Model, overlay: Overlay) -> bool:
    """Whether words for the model can be written while the sheet stays."""
    return sheets.typing_of(model, overlay) == "below"


def may_hold(overlay: Overlay) -> bool:
    """Whether a letter of the sheet may begin a word of the prompt."""
    return sheets.find(overlay.kind).typing != "finds"


def shows(model: Model, what: str) -> bool:
    """Whether the sheet that is open shows `what` (`queue`, `pull`), which then stands nowhere
    else."""
    return (
        model.is_covered
        and model.overlay is not None
        and what in sheets.find(model.overlay.kind).shows
    )


def _without_lost_question(model: Model) -> Model:
    """A question goes with its row: unseen, it must not take the next Enter."""
    overlay = model.overlay
    if overlay is None or overlay.confirming is None or asked_row(overlay) is not None:
        return model
    return replace(model, overlay=replace(overlay, confirming=None))


def look_again(model: Model, overlay: Overlay) -> Step:
    """What the list shows is asked for anew; the cursor stays, but where the newest is last."""
    sheet = sheets.find(overlay.kind)
    model = replace(model, queries=model.queries + 1)
    fresh = overlay.picker and replace(overlay.picker, touched=not sheet.newest_last, lost=False)
    asked = f"{overlay.kind}-{model.queries}" if sheet.query is not None else ""
    overlay = replace(overlay, query=asked, picker=fresh)
    return replace(model, overlay=overlay), _fetching(sheet, overlay)


def show_unseen(model: Model) -> Step | None:
    """The question is open, but something else took its place: nobody answers it before it is seen.
    None: it is not so."""
    asked = model.is_held and not model.busy and model.question is None
    if (
        not asked
        or not (offer := model.transcript.answers.trust)
        or not offer.asks
        or model.overlay is not None
    ):
        return None
    return open_sheet(model, "trust")
