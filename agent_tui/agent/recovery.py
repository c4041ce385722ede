"""Start-up is recovery: what a log that ends in the middle of a turn still needs, so that it can go on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agent_tui.agent.undo import left_beside, outcome_of
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    Event,
    FilesRestored,
    Notice,
    Partial,
    QueueChanged,
    RestoreStarted,
    ShellEnded,
    ShellStarted,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.protocol.transcript import Transcript


def interrupted(call: ToolCall, label: str, started: bool) -> ToolEnded:
    """The result of a call whose end was never recorded."""
    said = "unknown whether it ran: look before you repeat it" if started else "it was not started"
    return ToolEnded(
        call_id=call.id, name=call.name, label=label, tag="interrupted", content=f"Error [interrupted]: {said}"
    )


def restored(started: RestoreStarted | None) -> list[Event]:
    """What settles a restore of files that was begun and whose end is not on record: their contents say what was done.

    Reads the files.
    """
    if started is None:
        return []
    files = tuple(outcome_of(file) for file in started.files)
    done = sum(file.outcome in ("done", "same") for file in files)
    whole = done == len(files)
    said = f"The program ended while files were being put back: {done} of {len(files)} are."
    turns = started.turns if whole else ()  # else they can be taken back again
    settled = FilesRestored(started.id, started.direction, turns, files)
    told: list[Event] = [
        Notice(f"{aside} holds what another program wrote while its file was put back.", "warning")
        for file in started.files
        for aside in left_beside(file)
    ]
    return [settled, Notice(said, "info" if whole else "warning", "" if whole else "/undo shows the rest"), *told]


def missing(events: Iterable[Event], seen: Transcript) -> list[Event]:
    """The events that settle an open turn at the end of `events`; `seen` is what they fold into. Empty: all is well."""
    turn, step, texts, thoughts = 0, 0, "", ""
    open_calls: dict[str, ToolCall] = {}
    started: dict[str, str] = {}
    commands: dict[str, ShellStarted] = {}
    asked: dict[str, str] = {}
    for event in events:
        match event:
            case TurnStarted():
                turn, step, texts, thoughts = event.turn, 0, "", ""
                open_calls, started = {}, {}
            case StepStarted():
                step, texts, thoughts = event.step, "", ""
            case Partial():
                texts += event.text
                thoughts += event.thinking
            case AssistantReplied():
                texts = thoughts = ""
                open_calls = {call.id: call for call in event.calls}
            case ToolStarted():
                started[event.call_id] = event.label
                if event.name == ATTACHED:  # the person's call, not one of the model's answer
                    open_calls[event.call_id] = ToolCall(event.call_id, event.name)
            case ApprovalAsked(tool=name) if name == ATTACHED:
                open_calls[event.call_id] = ToolCall(event.call_id, name)
                asked[event.call_id] = event.label
            case ShellStarted():
                commands[event.call_id] = event
            case ShellEnded():
                commands.pop(event.call_id, None)
            case ToolEnded():
                open_calls.pop(event.call_id, None)
            case TurnEnded():
                turn = 0
            case _:
                pass
    needed: list[Event] = [
        ShellEnded(call_id=one.call_id, label=one.label, private=one.private, tag="cancelled", idle=not turn)
        for one in commands.values()
    ]
    if not turn:
        return needed
    if texts or thoughts:
        needed.append(AssistantReplied(text=texts, reasoning=thoughts, stop_reason="interrupted"))
    for call in open_calls.values():
        needed.append(interrupted(call, {**asked, **started}.get(call.id, call.name), call.id in started))
    items = tuple(replace(item, steer=False) for item in seen.queue)  # the turn that they were for is over
    if items and (items, True) != (seen.queue, seen.paused):
        needed.append(QueueChanged(items=items, paused=True))
    needed.append(TurnEnded(state="interrupted", steps=step))
    said = "The program ended in the middle of this turn; what was on record is above."
    needed.append(Notice(said, "warning", "/continue goes on with it"))
    return [replace(event, step=step) for event in needed]
