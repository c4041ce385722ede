"""Start-up is recovery: what a log that ends in the middle of a turn still needs, so that it can go
on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import Final

from agent_tui.agent.services.file_restore import left_beside, outcome_of, remove_unfinished
from agent_tui.agent.services.jobs import ended_meanwhile, ended_with_program
from agent_tui.agent.turn.sandbox_words import describe_undecided
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    Event,
    FilesRestored,
    JobChanged,
    Notice,
    Partial,
    QuestionAnswered,
    QueueChanged,
    RequestSent,
    RestoreStarted,
    ShellEnded,
    ShellStarted,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.protocol.transcript import BackgroundJob, Question, Transcript
from agent_tui.safety.atomic_swap import Leftovers
from agent_tui.safety.process.output_capture import Captured
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures import late

FIRST_WORDS: Final = 50
"""Characters of a prompt by which a person knows it."""
MOST_NAMED: Final = 3
NOTHING: Final[Mapping[tuple[str, str], str]] = {}
_OUTPUT: Final = late.pattern(r"[0-9a-f]{8}\.txt")


def interrupted_result(
    call: ToolCall,
    label: str,
    started: ToolStarted | None,
    output: str = "",
    words: str = "",
    done: str = "",
) -> ToolEnded:
    """The result of a call whose end was never recorded; `output` is what came of its command,
    `words` what the person had said of it, `done` what became of its files."""
    said = "unknown whether it ran: look before you repeat it" if started else "it was not started"
    said = f"the program ended while it ran: {done}" if done else said
    said += f"\n\n[note: the person had said: {words}]" if words else ""
    display = None
    if started and output:
        said += f". Its output until then:\n{output}"
        display = CommandDisplay(_command(started), output=output)
    return ToolEnded(
        call_id=call.id,
        name=call.name,
        label=label,
        tag="interrupted",
        content=f"Error [interrupted]: {said}",
        display=display,
    )


def _command(started: ToolStarted) -> str:
    """The command that a call ran."""
    try:
        found = json.loads(started.arguments)
    except ValueError:
        return started.label  # the arguments needed a repair
    return str(found.get("command", started.label)) if isinstance(found, dict) else started.label


def output_of(outputs: Path, limit: int, name: str) -> str:
    """What came of a command before the program was killed, from its file `name` among the
    `outputs` of the session: at most about `limit` characters. Empty where nothing came."""
    if not _OUTPUT.fullmatch(name):  # a log may come from anywhere: it names no other file
        return ""
    try:
        found = Captured.of_file(outputs / name, limit)
    except (OSError, ValueError):
        return ""
    return found.text() + found.loss


def _cut_off(begun: ShellStarted, output: str, idle: bool) -> ShellEnded:
    """The end of a command of the person's whose end was never recorded."""
    ended = ShellEnded(
        call_id=begun.call_id,
        label=begun.label,
        private=begun.private,
        tag="cancelled",
        idle=idle,
    )
    if not output:
        return ended
    command = begun.label.removeprefix("! ")
    return replace(
        ended,
        command=command,
        content=f"cut off: the program ended\n{output}",
        lines=len(output.splitlines()),
        display=CommandDisplay(command, output=output),
    )


def settle_restore(started: RestoreStarted | None, blobs: Blobs) -> list[Event]:
    """What settles a restore of files that was begun and whose end is not on record: their contents
    say what was done.

    Reads the files, and removes what the kill left beside them.
    """
    if started is None:
        return []
    beside = Leftovers()
    for file in started.files:
        remove_unfinished(file, started.at, blobs, beside)
    files = tuple(outcome_of(file) for file in started.files)
    done = sum(file.outcome in ("done", "same") for file in files)
    whole = done == len(files)
    said = f"The program ended while it restored files: {done} of {len(files)} are done."
    turns = started.turns if whole else ()  # else they can be taken back again
    settled = FilesRestored(started.id, started.direction, turns, files)
    told: list[Event] = [
        Notice(
            f"{aside} has the text that another program wrote while the file was restored.",
            "warning",
        )
        for file in started.files
        for aside in left_beside(file, beside)
    ]
    return [
        settled,
        Notice(said, "info" if whole else "warning", "" if whole else "/undo shows the rest"),
        *told,
    ]


def settle_open_turns(
    events: Iterable[Event],
    seen: Transcript,
    output: Callable[[str], str] = lambda _: "",
    lives: Callable[[str], bool] = lambda _: False,
    done: Mapping[tuple[str, str], str] = NOTHING,
) -> list[Event]:
    """The events that settle the open turns at the end of `events`, those of sub-agents first;
    `seen` is what they fold into. Empty: all is well. `output` gives what came of a command, by the
    name of its file; `lives` says whether a job runs that was kept; `done` says what became of the
    files of a call, by its agent and id."""
    events = [*events]
    main: list[Event] = []
    below: dict[str, list[Event]] = {}
    for event in events:
        (main if event.is_main else below.setdefault(event.agent, [])).append(event)
    needed: list[Event] = []
    for agent, own in sorted(below.items(), key=lambda one: one[0].count("/"), reverse=True):
        turn = max(event.turn for event in own)
        needed += [
            replace(event, agent=agent, parent_call=own[-1].parent_call, turn=turn)
            for event in _missing(own, Transcript(), output, done)
            if not isinstance(event, Notice)
        ]
    ended = [_job_ended(job) for job in seen.jobs if not (job.kept and lives(job.id))]
    of_main = (*ended, *_missing(main, seen, output, done))
    needed += [replace(event, turn=seen.turn) for event in of_main]
    undecided = map(describe_undecided, _undecided(events))
    return [*needed, *(Notice(said, "warning", turn=seen.turn) for said in undecided)]


def _job_ended(job: BackgroundJob) -> JobChanged:
    """The end of a job that is not on record."""
    if job.kept:
        told = ended_meanwhile(job.number, job.command)
        return JobChanged(job.id, "ended", job.command, number=job.number, told=told)
    told = ended_with_program(job.number, job.command)
    return JobChanged(job.id, "stopped", job.command, number=job.number, told=told)


def _undecided(events: Iterable[Event]) -> list[str]:
    """Why it was asked, in a turn that is open, whether what commands changed stays."""
    reasons: dict[str, str] = {}
    for event in events:
        if isinstance(event, ApprovalAsked) and event.ran:
            reasons[event.id] = event.reason
        elif isinstance(event, ApprovalAnswered):
            reasons.pop(event.id, None)
        elif isinstance(event, TurnEnded) and event.is_main:
            reasons.clear()
    return [*reasons.values()]


def _missing(
    events: Iterable[Event],
    seen: Transcript,
    output: Callable[[str], str],
    done: Mapping[tuple[str, str], str],
) -> list[Event]:
    """The same of one agent."""
    turn, step, texts, thoughts = 0, 0, "", ""
    open_calls: dict[str, ToolCall] = {}
    started: dict[str, ToolStarted] = {}
    commands: dict[str, ShellStarted] = {}
    asked: dict[str, str] = {}
    questions: dict[str, str] = {}
    words: dict[str, str] = {}
    for event in events:
        if isinstance(event, ApprovalAsked):
            questions[event.id] = event.call_id
        match event:
            case ApprovalAnswered(text=text) if text:
                words[questions.get(event.id, "")] = text
            case TurnStarted():
                turn, step, texts, thoughts = event.turn, 0, "", ""
                open_calls, started = {}, {}
            case StepStarted():
                step, texts, thoughts = event.step, "", ""
            case RequestSent():  # what an attempt before it had begun is void
                texts = thoughts = ""
            case Partial():
                texts += event.text
                thoughts += event.thinking
            case AssistantReplied():
                texts = thoughts = ""
                open_calls = {call.id: call for call in event.calls}
            case ToolStarted():
                started[event.call_id] = event
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
    needed: list[Event] = [_cut_off(one, output(one.output), not turn) for one in commands.values()]
    # in the order in which they would have been read; the turn that some were for is over
    read = sorted(seen.queue, key=lambda item: not item.steer)
    items = tuple(replace(item, steer=False) for item in read)
    if items and (items, True) != (seen.queue, seen.paused):  # without a key nothing is sent
        needed.append(QueueChanged(items=items, paused=True))
    if not turn:  # a question outside a turn has nobody any more who waits for its answer
        open_questions = [asked for asked in seen.pending if isinstance(asked, Question)]
        return [
            *needed,
            *(QuestionAnswered(asked.id, "later", idle=True) for asked in open_questions),
        ]
    if texts or thoughts:
        needed.append(AssistantReplied(text=texts, reasoning=thoughts, stop_reason="interrupted"))
    for call in open_calls.values():
        begun = started.get(call.id)
        label = begun.label if begun else asked.get(call.id, call.name)
        came = output(begun.output) if begun and begun.output else ""
        said = "" if begun else words.get(call.id, "")
        changed = done.get((begun.agent, call.id), "") if begun else ""
        needed.append(interrupted_result(call, label, begun, came, said, changed))
    needed.append(TurnEnded(state="interrupted", steps=step))
    said = "agent-tui stopped during this turn; what was saved is above."
    needed.append(Notice(said, "warning", "/continue resumes it"))
    if steers := [item.text for item in seen.queue if item.steer]:
        needed.append(Notice(describe_put_back(steers)))
    return [replace(event, step=step) for event in needed]


def describe_put_back(prompts: Sequence[str]) -> str:
    """What became of these prompts, for a turn that ended before the model read them: by their
    first words, for they need not be the last ones."""
    named = ", ".join(
        f"“{shorten(prompt, FIRST_WORDS, placeholder=' …')}”" for prompt in prompts[:MOST_NAMED]
    )
    more = f" and {len(prompts) - MOST_NAMED} more" if len(prompts) > MOST_NAMED else ""
    are = "they are" if len(prompts) > 1 else "it is"
    return f"The model has not read {named}{more}: {are} in the queue."
