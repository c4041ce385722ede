"""What a person does with sessions as a whole: names, labels, copies, opening another one, going
back in this one, and leaving it while not all of it is on disk."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count, time_ago
from agent_tui.protocol.answers import ForkOutcome, SaveOutcome, ShelfOutcome, Summary
from agent_tui.protocol.events import JobChanged, Rewound
from agent_tui.protocol.ops import Continue, Fork, KeepJob, Label, Op, Rename, Resume, Save
from agent_tui.protocol.transcript import BackgroundJob, UserBlock
from agent_tui.structures import chips
from agent_tui.tui.core.effects import Quit, Send
from agent_tui.tui.core.model import Model, Overlay, Reading
from agent_tui.tui.core.msg import KeyPressed, Msg
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.key_guards import RUN_SECONDS
from agent_tui.tui.sheets.opening import is_open_for, open_for

NAME: Final = "New name of this session"
WHERE: Final = "Write the session to this file or folder"
BUSY: Final = "Esc interrupts the running turn first"
SECONDS: Final = 8.0
REWOUND: Final = (
    "conversation rewound; clear the prompt, then /redo opens the earlier one in a new session"
)


def rename(model: Model, title: str) -> Step:
    """Name this session; without a title it is asked for."""
    if title:
        return then(
            send(model, Rename(title)),
            toast(model, f"this session is called {one_line(title, 60)}", "good"),
        )
    return composer.ask(model, Purpose("title", NAME, sends="save")), ()


def _turn(model: Model) -> int:
    """The place among the marks of the turn that the marked message is in; -1: no message is
    marked."""
    row, marks = model.reading.mark, model.transcript.marks
    if row < 0:
        return -1
    return next((place for place in range(len(marks) - 1, -1, -1) if marks[place].rows <= row), -1)


def label(model: Model, text: str) -> Step:
    """Label the turn of the marked message, or the last one."""
    marks = model.transcript.marks
    if not len(marks):
        return toast(model, "there is no message to label yet")
    place = _turn(model) if model.reading.mark >= 0 else len(marks) - 1
    if place < 0:
        return toast(model, "there is no prompt before the selected message", "warning")
    about = f"“{one_line(marks[place].prompt, 40)}”"
    before = model.transcript.labels.get(marks[place].n, "")
    if not text and not before:
        return toast(model, f"type a label for {about}, such as /label done")
    said = (
        f"{about} is labelled “{one_line(text, 40)}”"
        if text
        else f"{about} is not labelled “{before}” any more"
    )
    return then(send(model, Label(marks[place].n, text)), toast(model, said, "good"))


def fork(model: Model) -> Step:
    """Copy what was before the marked prompt, up to the end of the marked answer's turn, or
    everything."""
    marks, row = model.transcript.marks, model.reading.mark
    if model.transcript.otr:
        return toast(model, "this session is off the record: there is nothing to copy")
    if not len(marks):
        return toast(model, "this session has no prompt yet")
    place = _turn(model)
    rows = model.transcript.rows
    marked = rows[row] if 0 <= row < len(rows) else None
    if place >= 0 and not (isinstance(marked, UserBlock) and not marked.steer):
        place = place + 1 if place + 1 < len(marks) else -1
    told = composer.save(
        model
    )  # the copy has the prompt as it is now: the command itself is no draft
    return then(told, send(told[0], Fork(marks[place].n if place >= 0 else 0)))


def on_forked(model: Model, data: ForkOutcome) -> Step:
    """The copy is made: go on in it."""
    going, model = model.going_back, replace(model, going_back=None)
    if not data.id:
        return toast(model, f"no copy was made: {data.problem}", "warning", SECONDS)
    copied = f"copied: /load {data.id[:8]} opens it"
    if model.busy:
        return toast(model, f"{copied} once this turn is over", "good", SECONDS)
    said = f"this is the copy; the original is unchanged (/load {model.active[:8]})"
    if going is not None and going.redo and going.sent == "both":
        said = f"{going.where} T{said[1:]}"
    elif going is not None and going.files and going.begun:
        said += "; /redo here brings the files back"
    if queued := len(model.queue):
        said += f"; {count(queued, 'queued prompt')} stayed there"
    asks = asks_about_jobs(model) and not model.piped  # whether it is opened is asked first
    return then(
        send(model, Resume(data.id)), toast(model, copied if asks else said, "good", SECONDS)
    )


def go_on(model: Model, again: bool = False) -> Step:
    """Ask the model again."""
    return toast(model, BUSY, "warning") if model.is_running else send(model, Continue(again))


def on_session_changed(model: Model, data: ShelfOutcome) -> Step:
    """Another session was named or deleted, or could not be."""
    if data.problem:
        return toast(model, f"not done: {data.problem}", "warning", SECONDS)
    return toast(model, f"the session was {data.done}", "good") if data.done else (model, ())


def on_locked(model: Model) -> Step:
    """Another program has the session that was to be opened: what there is to do about it."""
    if model.busy or model.question is not None:
        return model, ()
    return open_for(model, "locked")


UNUSED: Final = "nothing said yet"


def known_sessions(model: Model) -> tuple[Summary, ...]:
    """The sessions that the engine told of."""
    found = model.transcript.answers.sessions
    return found.sessions if found is not None else ()


def name_of(one: Summary) -> str:
    """What a session is called; its id, where turns are all that is known of it. A fork that nobody
    has named has the words of its original."""
    called = one.title or (one.id if one.turns else UNUSED)
    return f"fork of {called}" if one.parent and one.by != "person" else called


def session_row(
    model: Model, one: Summary, with_folder: bool = False, snippet: str = "", group: str = ""
) -> Entry:
    """`snippet` is what was found in its text."""
    here = model.started and one.id == model.active and not model.transcript.reading
    said = (
        "open now" if here else "open in another window" if one.elsewhere else "",
        time_ago(model.at - one.at) if model.at else "",
        "" if snippet else count(one.turns, "turn"),
        "a fork" if one.parent and not snippet else "",
        count(one.labels, "label") if one.labels and not snippet else "",
        snippet or (one.cwd if with_folder else ""),
    )
    return Entry(one.id, name_of(one), " · ".join(filter(None, said)), one.model, group)


def open_row(model: Model, _: Overlay, row: Entry) -> Step:
    """Open the session of a row; an empty id: a new one."""
    if not model.started:
        return send(model, Resume(row.id))
    if model.busy:
        return toast(model, BUSY, "warning")
    here = (
        row.id == model.active and not model.transcript.reading
    )  # what is read along can be opened once it is free
    return toast(model, "this session is already open") if here else send(model, Resume(row.id))


def ask_before_leaving(before: Model, step: Step) -> Step:
    """`step`; but where its end would lose or end something, it asks what is to be done instead.
    `before`: the model before it. Who quits once more while it is asked what ends means it."""
    model, effects = step
    if model.leaving == "sure" or model.gone:  # an engine that is gone saves nothing
        return step
    unsent = model.transcript.saving.problem and model.composer.saved.strip()
    loses = (model.transcript.is_unsaved or unsent) and model.leaving != "unsaved"
    asked = is_open_for(before, "jobs") and before.switching is None
    shown = before.overlay
    again = asked and shown is not None and model.at - shown.filled_at >= RUN_SECONDS
    if not loses and ((again and not model.repeated) or not asks_about_jobs(model)):
        return step
    rest = tuple(effect for effect in effects if not isinstance(effect, Quit))
    if not loses and asked:
        return model, rest  # the key that asked is held down
    if not loses:
        model = replace(model, switching=None, leaving="")
        return then((model, rest), open_for(model, "jobs"))
    return then((model, rest), open_for(replace(model, leaving=""), "unsaved", unasked=False))


def call_off_leaving(before: Model, after: Model, msg: Msg) -> Step:
    """Who stops, or sends something, while it is waited for what is saved or kept, stays here."""
    stops = isinstance(msg, KeyPressed) and msg.key in ("escape", "ctrl+c")
    sends = after.in_flight is not None and after.in_flight is not before.in_flight
    if before.leaving not in ("saves", "keeps") or not (stops or sends):
        return after, ()
    after = replace(after, leaving="", switching=None)
    return (after, ()) if sends else toast(after, "you stay in this session")


def ask_before_switching(before: Model, step: Step) -> Step:
    """The same where another session takes the place of this one: its jobs end with it."""
    model, effects = step
    sent = (one for one in effects if isinstance(one, Send))
    switch = next((one for one in sent if _switches(model, one.op)), None)
    chosen = switch is not None and switch.op is before.switching  # what was asked about
    if switch is None or chosen or model.piped or not asks_about_jobs(model):
        return step
    rest = tuple(effect for effect in effects if effect is not switch)
    model = replace(model, switching=switch.op, leaving="")
    return then((model, rest), open_for(model, "jobs"))


def _switches(model: Model, op: Op) -> bool:
    takes_place = isinstance(op, Resume) and not op.beside and op.id not in model.sessions
    return model.started and takes_place


def ending_jobs(model: Model) -> tuple[BackgroundJob, ...]:
    """What ends with the program."""
    return tuple(job for job in model.transcript.jobs if not job.kept)


def asks_about_jobs(model: Model) -> bool:
    """Whether it is asked what becomes of them; nothing off the record can be kept, and the jobs of
    a session that is only read along are another program's."""
    shown = model.transcript
    return bool(ending_jobs(model)) and not (shown.otr or shown.reading)


def choose_ending(model: Model, keeps: bool) -> Step:
    """What the person chose for what runs in the background. What is to be kept is, before anything
    ends."""
    jobs = ending_jobs(model)
    if keeps and jobs:
        return send(replace(model, leaving="keeps"), *(KeepJob(job.id) for job in jobs))
    return _end_session(model)


def follow_keeping(model: Model, event: JobChanged) -> Step:
    """A job is kept as was asked for, or has ended meanwhile; or it cannot be kept: then nothing
    ends, and the question comes again. One that begins while it is asked has to be read."""
    shown = model.overlay
    if shown is not None and is_open_for(model, "jobs") and event.state == "running":
        # there may be one more: no Enter that was begun before ends it
        anew = replace(shown, shown_at=model.now, filled_at=model.now, refused=True)
        return replace(model, overlay=anew), ()
    if model.leaving != "keeps":
        return model, ()
    if event.state == "running" and not event.kept:
        model = replace(model, leaving="")
        return open_for(model, "jobs")
    return (model, ()) if ending_jobs(model) else _end_session(model)


def _end_session(model: Model) -> Step:
    if model.switching is not None:
        return send(replace(model, switching=None, leaving=""), model.switching)
    return replace(model, leaving="sure"), (Quit(),)


def choose_saving(model: Model, choice: str) -> Step:
    """What the person chose."""
    match choice:
        case "again":
            return send(replace(model, leaving="saves"), Save())
        case "elsewhere":
            asked = composer.ask(model, Purpose("save", WHERE, sends="save"))
            return composer.write(asked, f"{model.transcript.cwd.rstrip('/')}/"), ()
        case _:
            return replace(model, leaving="unsaved"), (Quit(),)


def follow_saving(model: Model, data: SaveOutcome) -> Step:
    """The session was saved, and the person leaves; or it could not be: the question comes
    again."""
    if model.leaving != "saves":
        return model, ()
    model = replace(model, leaving="")
    if not data.problem:
        return model, (Quit(),)
    step = toast(model, f"still not saved: {data.problem}", "bad", SECONDS)
    return then(step, open_for(step[0], "unsaved", unasked=False))


def unable(model: Model) -> str:
    """Why nothing can be taken back now; empty: it can."""
    if model.busy:
        return BUSY
    if model.transcript.reading:
        return "this session is read only: /fork makes your own copy"
    return "" if model.started and not model.gone else "there is no session yet"


def on_rewound(model: Model, event: Rewound) -> Step:
    """The conversation is back where it was: an empty prompt has its old words again. Where
    something was typed meanwhile, the old words are in the history, and that is said."""
    going = model.going_back if model.going_back is not None and model.going_back.sent else None
    draft = model.transcript.draft
    old, pastes = chips.expand_chips(draft, model.transcript.pasted)
    if going is not None and going.prompt != old:
        old, pastes, draft = going.prompt, (), going.prompt
    model = replace(model, rewound=event.n, reading=Reading(jump=model.reading.jump + 1))
    if model.composer.asks("search"):
        model = composer.leave(model)
    typed = composer.own_draft(model) not in ("", old, draft)
    if typed:
        step = composer.remember(model, old)
    else:
        back = composer.give_back(model, old, pastes) if old else model
        step = replace(back, composer=replace(back.composer, stayed=back.composer.draft)), ()
    where = f"old prompt: {composer.way_back(model)}" if typed and old.strip() else ""
    if going is not None and going.sent == "both":  # what became of the files is said with it
        return replace(step[0], going_back=replace(going, where=where)), step[1]
    if going is None:
        return then(step, toast(step[0], where, seconds=SECONDS)) if where else step
    said = "; ".join(filter(None, (REWOUND, where)))
    return then(step, toast(replace(step[0], going_back=None), said, "good", SECONDS))
