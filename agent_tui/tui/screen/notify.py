"""What is told outside of the screen: the title, always; the bell and the desktop, while nobody
looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.transcript import Approval, Transcript, TurnBlock
from agent_tui.structures.visible import visible
from agent_tui.tui.core.effects import Effect, Notify, ReadBranch, SetTitle, UseGround
from agent_tui.tui.core.model import Model, Occasion
from agent_tui.tui.core.msg import (
    Acted,
    CommandCalled,
    DraftChanged,
    HistoryAsked,
    KeyPressed,
    Msg,
    Pasted,
    PromptRecalled,
    QuestionAnswered,
    Started,
    Submitted,
)
from agent_tui.tui.core.step import Step

TITLE_CHARS: Final = 80
NAME_CHARS: Final = 40
STOPPED: Final = frozenset({"cancelled"})
"""Ends of a turn that the person made."""
_TOUCHES: Final = (
    Acted,
    CommandCalled,
    DraftChanged,
    HistoryAsked,
    KeyPressed,
    Pasted,
    PromptRecalled,
    QuestionAnswered,
    Submitted,
)
_MARKS: Final = {"idle": "", "waiting_for_input": "? "}


def on_ground(model: Model, dark: bool) -> Step:
    """The terminal told whether its ground is dark."""
    if model.window.dark is dark:
        return model, ()
    return replace(model, window=replace(model.window, dark=dark)), (UseGround(dark),)


def on_focus(model: Model, has: bool) -> Step:
    """Who comes back may have changed the branch elsewhere."""
    shown = has and "branch" in model.look.status
    effects = (ReadBranch(model.transcript.cwd),) if shown else ()
    return replace(model, window=replace(model.window, focused=has)), effects


def on_branch(model: Model, name: str) -> Model:
    return replace(model, window=replace(model.window, branch=name))


def on_setting(model: Model, name: str, value: Any) -> Step:
    """The setting `name` of `[notify]` is another; it holds at once."""
    if name == "title":
        title = title_of(model.transcript) if value else ""
        return replace(model, window=replace(model.window, titled=value, title=title)), (
            SetTitle(title),
        )
    changed = {"desktop": value != "off"} if name == "desktop" else {name: value}
    return replace(model, window=replace(model.window, **changed)), ()


def notify_changes(before: Model, model: Model, msg: Msg) -> Step:
    """What follows from `before` having become `model` by `msg`."""
    if model.window.focused is None and isinstance(msg, _TOUCHES):
        model = replace(model, window=replace(model.window, touched=msg.at))
    effects = _branch(before, model, isinstance(msg, Started))
    if (
        before.transcript is model.transcript
        and before.gone is model.gone
        and not isinstance(msg, Started)
    ):
        return model, effects
    if model.window.titled and (title := title_of(model.transcript)) != model.window.title:
        model, effects = (
            replace(model, window=replace(model.window, title=title)),
            (*effects, SetTitle(title)),
        )
    return model, (*effects, *_told(before, model))


def _branch(before: Model, model: Model, begins: bool) -> tuple[Effect, ...]:
    """The branch is read anew when it may be another: at the start, elsewhere, after a turn."""
    was, now = before.transcript, model.transcript
    if "branch" not in model.look.status:
        return ()
    ended = was.state != "idle" and now.state == "idle"
    new = begins or ended or was.cwd != now.cwd or before.look.status is not model.look.status
    return (ReadBranch(now.cwd),) if new else ()


def _told(before: Model, model: Model) -> tuple[Effect, ...]:
    """The person is told what happened, unless they look."""
    window, occasion = model.window, _occasion(before, model)
    if occasion is None or occasion not in window.on or not _away(model):
        return ()
    desktop = window.desktop and window.focused is False
    return (
        (Notify(_words(occasion, model) if desktop else "", window.bell),)
        if desktop or window.bell
        else ()
    )


def title_of(transcript: Transcript) -> str:
    """State, folder and the name of the session, on one short line."""
    folder = transcript.cwd.rstrip("/").rpartition("/")[2]
    mark = "? " if transcript.questions else _MARKS.get(transcript.state, "* ")
    name = plain_text(folder) or "/" if transcript.cwd else "agent-tui"
    called = (
        f": {plain_text(transcript.title)[:NAME_CHARS]}"
        if transcript.titled_by and transcript.cwd
        else ""
    )
    return f"{mark}{name}{called}{' - agent-tui' if transcript.cwd else ''}"[:TITLE_CHARS]


def plain_text(text: str) -> str:
    """`text` without anything that a terminal could take for more than letters."""
    kept = "".join(c if c.isprintable() else " " for c in visible(text))
    return " ".join(kept.split())[:TITLE_CHARS]


def _occasion(before: Model, model: Model) -> Occasion | None:
    """What has happened between the two that a person may wait for."""
    was, now = before.transcript, model.transcript
    if model.gone and not before.gone:
        return "failure"
    if was.session and was.session != now.session:
        return None
    if now.questions and (not was.questions or was.questions[0].id != now.questions[0].id):
        return "question"
    if was.state != "idle" and not model.is_running:
        ended = _ended(now)
        return None if ended in STOPPED else "done" if ended == "completed" else "failure"
    return None


def _ended(transcript: Transcript) -> str:
    """How the last turn ended."""
    rows = transcript.rows
    last = rows[len(rows) - 1] if len(rows) else None
    return last.state if isinstance(last, TurnBlock) else "completed"


def _away(model: Model) -> bool:
    window = model.window
    return window.focused is False or (
        window.focused is None and model.at - window.touched >= window.after
    )


def _words(occasion: Occasion, model: Model) -> str:
    transcript = model.transcript
    if occasion == "question":
        asked = transcript.questions[0]
        about = plain_text(asked.label if isinstance(asked, Approval) else asked.text)
        who = f"{plain_text(asked.agent)} " if asked.agent else ""
        return f"{who}waits for you{': ' + about if about else ''}"
    if model.gone:
        return "stopped"
    return "is done" if occasion == "done" else f"stopped: {_ended(transcript).replace('_', ' ')}"
