"""What the engine said, folded; and what follows from it: the next question, the next queued
prompt, what is said of a copy that was made."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final, assert_never

from agent_tui.protocol.answers import (
    AnswerData,
    Checkup,
    ClipboardImage,
    ClipboardSet,
    CompactionPlan,
    Differences,
    Efforts,
    Files,
    FileWritten,
    ForkOutcome,
    HiddenList,
    ImageFile,
    Jobs,
    Ledger,
    Locked,
    LogTail,
    MemoryList,
    Models,
    NamedFiles,
    PermissionList,
    Preview,
    PrivateOutput,
    PromptHold,
    PullProgress,
    Refused,
    RepoMap,
    RestoreOutcome,
    SaveOutcome,
    SearchResults,
    Sessions,
    SetupOffers,
    SetupOutcome,
    ShelfOutcome,
    Skills,
    Stats,
    Tree,
    TrustOffer,
    UndoPlan,
)
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    Answered,
    AsideDelta,
    AsideEnded,
    Cleared,
    DraftSaved,
    ErrorRaised,
    JobChanged,
    ModeChanged,
    ModelChanged,
    QuestionAnswered,
    QueueChanged,
    Rewound,
    SessionStarted,
    SteerSeen,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Query, QueueEdit, SetClipboard
from agent_tui.protocol.transcript import NoticeBlock, Transcript, TurnBlock, UserBlock
from agent_tui.registry import late
from agent_tui.structures import chips
from agent_tui.tui import commands
from agent_tui.tui.core.effects import Remember, Send
from agent_tui.tui.core.model import InFlight, Model, Reading
from agent_tui.tui.core.msg import Copied
from agent_tui.tui.core.step import Step, send, then, toast

with late():
    from agent_tui.tui.dialog import following
    from agent_tui.tui.prompt import completion, composer, pastes, queue, submit
    from agent_tui.tui.screen import session_actions
    from agent_tui.tui.sheets import opening
    from agent_tui.tui.transcript import named_files


START: Final = "start"
OTHERS: Final = "others"
"""The id of answers that the engine gives unasked."""
SHELF: Final = "shelf"
"""The id of the list of sessions after one of them was named or deleted."""
CLEARED: Final = "context cleared; /new also empties the screen"
KEPT: Final = "not sent yet: press Enter to send"
FATAL: Final = frozenset(("locked", "stopped"))
"""Kinds of an error after which there is no engine."""
LOOK_BACK: Final = 8
"""Rows that are looked through, from the end, for the prompt of a turn that came to nothing."""


def on_events(model: Model, events: tuple[Event | Restored, ...], at: float) -> Step:
    """Fold `events`, then do what they call for."""
    step: Step = (replace(model, now=at), ())
    for event in events:
        step = then(step, _one(step[0], event))
    step = then(step, queue.settle_queue(step[0]))
    step = following.keep_rows(model, step[0]), step[1]
    step = then(step, following.follow(step[0], at, bool(completion.shown_candidates(step[0]))))
    return then(step, queue.dispatch(step[0]))


def _one(model: Model, event: Event | Restored) -> Step:
    model = named_files.follow(_fold(model, event), event)
    if isinstance(event, Restored):
        return _restored(model)
    if isinstance(event, QuestionAnswered) and model.asked == event.id:
        model = replace(model, asked="")  # the next one that is open
    if not event.is_main:  # all that a sub-agent does is in its block
        return model, ()
    if model.early:
        model = _without_told(model, event)
    match event:
        case SessionStarted():
            fresh = Reading(jump=model.reading.jump + 1) if model.started else model.reading
            return replace(model, started=True, reading=fresh), ()
        case Cleared():
            model = replace(model, reading=model.reading.at_end())
            return toast(model, CLEARED, seconds=8.0) if len(model.transcript.rows) else (model, ())
        case TurnStarted():
            return _begun(model, event.queue_id), ()
        case TurnEnded():
            return _ended(model, event), ()
        case QuestionAnswered():
            return (_refused(model) if event.idle and event.choice == "no" else model), ()
        case QueueChanged():
            flight = model.in_flight
            return (replace(model, in_flight=None) if _is_settled(flight, event) else model), ()
        case Rewound():
            return session_actions.on_rewound(model, event)
        case JobChanged():
            return session_actions.follow_keeping(model, event)
        case Answered():
            return _answered(model, event.id, event.data)
        case ErrorRaised():
            return (
                (replace(_refused(model), gone=True), ()) if event.kind in FATAL else _failed(model)
            )
        case ModeChanged():
            return (replace(model, mode_asked="") if event.mode == model.mode_asked else model), ()
        case AsideDelta() | AsideEnded():
            return on_answered(model, event)
        case ModelChanged():
            return _found(model) if event.model else (model, ())
        case _:
            return model, ()


def _without_told(model: Model, event: Event) -> Model:
    """The prompts that were sent before the engine was up, without those that it has told of by
    now."""
    match event:
        case TurnStarted():
            told = {event.prompt}
        case SteerSeen():
            told = {event.text}
        case QueueChanged():
            told = {item.text for item in event.items}
        case TurnEnded() | ErrorRaised() | DraftSaved():
            told = set(model.early)
        case _:
            return model
    return replace(model, early=tuple(text for text in model.early if text not in told))


def _fold(model: Model, event: Event | Restored) -> Model:
    """Apply `event` to its session; the first session that is named, or one that begins, is the
    active one."""
    before = model.transcript
    begins = isinstance(event, Restored | SessionStarted)
    named = event.transcript.session if isinstance(event, Restored) else event.session
    session = named or model.active
    known = model.sessions.get(session)
    start = known if known is not None else before if not model.active else Transcript()
    after = event.apply(start)
    if after is before and session == model.active:
        return model
    kept = {} if begins else model.sessions  # what was open before it is not looked at any more
    sessions = {**{id: value for id, value in kept.items() if id}, session: after}
    return replace(
        model, sessions=sessions, active=session if begins or not model.active else model.active
    )


def _restored(model: Model) -> Step:
    """The draft from before comes back; if something is typed already, it is found in the
    history."""
    draft, pasted, edited = (
        model.transcript.draft,
        model.transcript.pasted,
        model.transcript.edited,
    )
    told = replace(model.composer, saved=draft, saved_edit=edited)
    model = replace(model, composer=told, overlay=None)
    now, place = model.reading, model.transcript.place
    if 0 <= place < len(model.transcript.rows):  # where it was left
        reading = Reading(jump=now.jump, mark=place, go=now.go + 1, following=False)
    else:
        reading = Reading(jump=now.jump + 1, go=now.go)
    model = replace(model, reading=reading, going_back=None, rewound=0)
    if not draft or model.composer.draft == draft:
        return model, ()
    if model.composer.draft or model.composer.purpose is not None:
        draft = chips.expand(draft, pasted)
        history = (*model.composer.history, draft)
        return replace(model, composer=replace(model.composer, history=history)), (Remember(draft),)
    return composer.restore(composer.keep_chips(model, *pasted), draft, edited), ()


def _is_settled(flight: InFlight | None, event: QueueChanged) -> bool:
    """Whether the prompt that was handed over has left the queue, or waits in it."""
    if flight is None:
        return False
    if flight.queue_id:
        return all(item.id != flight.queue_id for item in event.items)
    return bool(event.items) and event.items[-1].text == flight.text


def _held(model: Model, data: PromptHold) -> Model:
    """A queued prompt that was sent meanwhile did not begin its turn: it waits as before."""
    flight = model.in_flight
    if not data.on or flight is None or not flight.queue_id:
        return model
    return replace(model, in_flight=None, taken=model.taken - {flight.queue_id})


def _begun(model: Model, queue_id: str) -> Model:
    flight = model.in_flight
    if (
        flight is not None and flight.queue_id != queue_id
    ):  # another prompt was first: this one still waits
        model = replace(model, taken=model.taken - {flight.queue_id})
    return replace(model, in_flight=None)


def _ended(model: Model, event: TurnEnded) -> Model:
    """A prompt that got no answer at all returns to an empty draft, unless the engine has put it
    first into the queue: it stands in one place."""
    prompt = _unanswered(model.transcript) if event.state in ("cancelled", "error") else None
    if prompt is None or not prompt.text:
        return model
    first = next(iter(model.transcript.queue), None)
    if first is not None and (first.text, first.pastes) == (prompt.text, prompt.pastes):
        return model
    return composer.give_back(model, prompt.text, prompt.pastes)


def _unanswered(transcript: Transcript) -> UserBlock | None:
    """The prompt of the last turn, if nothing but notices followed it."""
    for row in islice(reversed(transcript.rows), LOOK_BACK):
        if isinstance(row, UserBlock):
            return None if row.steer else row
        if not isinstance(row, NoticeBlock | TurnBlock):
            return None
    return None


def _refused(model: Model) -> Model:
    """The prompt in flight will not begin a turn: it returns to the draft, or waits in the queue
    again."""
    flight = model.in_flight
    model = replace(model, in_flight=None, taken=frozenset(), early=())
    return model if flight is None or flight.queue_id else composer.give_back(model, flight.text)


def _awaited(model: Model, id: str, data: AnswerData) -> Step | None:
    """An answer that the start, or the prompt, waits for. None: it is another."""
    match data:
        case Models() if id == START and model.started and not model.transcript.model:
            return _nothing_chosen(model, id, data)
        case Models() if id == OTHERS and model.overlay is None:
            return commands.find("model").run(model, "")
        case Skills() if model.composer.calls:
            return submit.skills_told(model)
        case Sessions() if id in (START, SHELF):
            return _start_list(model) if id == START else opening.refresh(model)
        case _:
            return None


def _answered(model: Model, id: str, data: AnswerData) -> Step:
    """The engine answered the query `id`, or told something unasked."""
    if (awaited := _awaited(model, id, data)) is not None:
        return awaited
    match data:
        case (
            Models()
            | Skills()
            | Sessions()
            | Efforts()
            | Files()
            | LogTail()
            | Preview()
            | Stats()
            | Tree()
            | Checkup()
            | Jobs()
            | PermissionList()
            | HiddenList()
            | Ledger()
            | MemoryList()
        ):
            return opening.on_answer(model, id) if model.overlay is not None else (model, ())
        case ImageFile():
            return pastes.on_image_answer(model, id, data), ()
        case NamedFiles(paths):
            return named_files.learn(model, paths), ()
        case ClipboardImage():
            return pastes.clipboard_told(model, data)
        case ClipboardSet():
            return clipboard_set(model, data)
        case FileWritten():
            return on_written(model, data.path, data.problem, data.note)
        case ForkOutcome():
            return session_actions.on_forked(model, data)
        case ShelfOutcome():
            return session_actions.on_session_changed(model, data)
        case Locked():
            return session_actions.on_locked(model)
        case Refused():
            return toast(model, data.said)
        case PromptHold():
            return _held(model, data), ()
        case SaveOutcome():
            return session_actions.follow_saving(model, data)
        case (
            SearchResults()
            | PrivateOutput()
            | UndoPlan()
            | RestoreOutcome()
            | Differences()
            | PullProgress()
            | SetupOffers()
            | SetupOutcome()
            | TrustOffer()
            | CompactionPlan()
            | RepoMap()
        ):
            return opening.tell(model, id, data)
        case _:
            assert_never(data)


def _start_list(model: Model) -> Step:
    """The list of sessions of a start with `--resume`, which the engine has told already; for a
    moment, keys may still be meant for the prompt."""
    shown, effects = commands.find("resume").run(model, "")
    if shown.overlay is None:
        return shown, effects
    asked = Send(Query(shown.overlay.query, "sessions"))
    overlay = replace(shown.overlay, query="", shown_at=model.at)
    return replace(shown, overlay=overlay), tuple(one for one in effects if one != asked)


def _nothing_chosen(model: Model, id: str, data: Models) -> Step:
    """There is no model: what was tried is said, unless one is being set up."""
    model = _refused(model)
    if model.overlay is not None and not opening.is_open_for(model, "no_model"):
        return opening.tell(model, id, data)
    opened = model if model.overlay is not None else opening.open_for(model, "no_model")[0]
    return opening.tell(opened, id, data)


def _found(model: Model) -> Step:
    """There is a model: what was shown while there was none has done its work, and so has its
    question. A prompt that waited for it is sent by the person: it may be meant for another one."""
    if not opening.is_open_for(model, "no_model"):
        return model, ()
    left = composer.leave_field(model) if model.composer.asks("sheet") else (model, ())
    model = replace(left[0], overlay=None)
    return then(left, toast(model, KEPT) if composer.own_draft(model).strip() else (model, ()))


def _failed(model: Model) -> Step:
    """Something failed. If that was before a turn began, the prompt in flight is given back; a
    queue waits."""
    flight = model.in_flight
    if flight is None or model.transcript.state != "idle" or not model.started:
        return model, ()
    model = _refused(model)
    return model, (Send(QueueEdit("pause")),) if flight.queue_id else ()


def on_tick(model: Model, at: float) -> Step:
    """Time passed while something runs."""
    return replace(model, now=at), ()


def on_answered(model: Model, event: AsideDelta | AsideEnded) -> Step:
    """What came for a question that was given up in the meantime is nobody's any more."""
    aside = model.aside
    if aside is None or aside.id != event.id:
        return model, ()
    if isinstance(event, AsideDelta):
        return replace(model, aside=replace(aside, text=aside.text + event.text)), ()
    used = (event.usage.prompt_tokens, event.usage.completion_tokens)
    aside = replace(
        aside,
        text=event.text,
        state=event.state,
        problem=event.problem,
        tokens=used,
        estimated=event.usage.estimated,
    )
    model = replace(model, aside=aside)
    seen = event.state == "cancelled" or (
        model.overlay is not None and model.overlay.query == event.id
    )
    return (model, ()) if seen else toast(model, "your side question is answered: /btw shows it")


TERMINAL_BYTES: Final = 74_994
"""What surely gets through: many terminals cut what they are sent for the clipboard at 100,000
bytes of Base64."""
FILE_SECONDS: Final = 8.0


def on_copied(model: Model, msg: Copied) -> Step:
    """The terminal was told. The machine's own clipboard gets it too, for terminals that do not
    listen."""
    size = len(msg.text.encode("utf-8", "replace"))
    long = size > TERMINAL_BYTES
    words = _counted(msg.chars)
    more = f"; a terminal may take only {TERMINAL_BYTES:,} of its {size:,} bytes" if long else ""
    step = toast(
        replace(model, copied=msg.chars, long_copy=long),
        words + more,
        "warning" if long else "good",
    )
    return then(step, send(step[0], SetClipboard(msg.text))) if msg.text else step


def _counted(chars: int) -> str:
    return f"copied {chars:,} character{'' if chars == 1 else 's'}"


def on_written(model: Model, path: str, problem: str, note: str = "") -> Step:
    """The file `path` was written, or could not be; `note`: what is not in it."""
    if problem:
        return toast(model, f"not written: {problem}", "bad", FILE_SECONDS)
    about = f" ({note})" if note else ""
    return toast(model, f"written to {path}{about}", "warning" if note else "good", FILE_SECONDS)


def clipboard_set(model: Model, data: ClipboardSet) -> Step:
    """The engine has used a clipboard tool: who has the copy. The terminal says nothing."""
    words = _counted(model.copied)
    if data.tool and model.long_copy:  # no worry about the terminal any more
        words += f" with {data.tool}"
    if data.tmux:
        return toast(model, f"{words} (tmux buffer too)", "good")
    if data.problem:
        return toast(model, f"sent to the terminal only: {data.problem}", "warning", FILE_SECONDS)
    if data.tmux is False and not data.tool:
        return toast(model, "sent to the terminal; tmux may block it", "warning", FILE_SECONDS)
    return toast(model, words, "good") if data.tool and model.long_copy else (model, ())
