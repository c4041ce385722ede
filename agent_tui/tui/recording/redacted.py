"""A recording that can be shown to others: the same steps with what is secret hidden, and hashes of
their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.answers import Preview, SearchResults, Sessions, ShelfOutcome, Tree
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import fold
from agent_tui.protocol.session_events import Answered
from agent_tui.protocol.tool_events import ToolOutput
from agent_tui.protocol.turn_events import TextDelta, ThinkingDelta, ToolArgsDelta
from agent_tui.structures.plain import rebuild, to_plain
from agent_tui.tui.core.history_search import Recall
from agent_tui.tui.core.model import initial
from agent_tui.tui.core.msg import (
    CommandCalled,
    DraftChanged,
    EventsArrived,
    HistoryAsked,
    KeyPressed,
    Msg,
    Submitted,
)
from agent_tui.tui.recording.classes import classes
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.recording.masked import with_hits
from agent_tui.tui.recording.patches import Patch
from agent_tui.tui.recording.player import Player, apply_step
from agent_tui.tui.recording.tape import Header, Step, Writer, check
from agent_tui.tui.view import view

Hide = Callable[[str], str]
"""Gives a text of the same length, with what is secret hidden."""
DOT: Final = "•"
OTHERS: Final = (Sessions, SearchResults, Tree, Preview, ShelfOutcome)
"""Answers that tell of other sessions: nothing of those is for others."""
Delta = TextDelta | ThinkingDelta | ToolArgsDelta | ToolOutput


def redact_lines(player: Player, log: Iterable[Event], hide: Hide) -> Iterator[str]:
    """The lines of the recording in `player`, redacted as the `log` (its settled events) already
    is."""
    known = {event.n: event for event in log}
    deltas, drafts = _streamed(player, hide), _typed(player, hide)
    model, writer = initial(), Writer(0.0)
    for count, step in enumerate(player.steps, 1):
        if isinstance(step, Header):
            sessions = {
                name: replace(own, cwd=hide(own.cwd)) for name, own in step.start.sessions.items()
            }
            start = replace(_hidden(step.start, hide), sessions=sessions)
            writer = Writer(step.at)
            yield writer.header(start, step.session, step.versions)
            model = apply_step(model, replace(step, start=start))
        else:
            told = _step(step, known, deltas, drafts.get(count), hide)
            before, model = model, apply_step(model, told)
            yield writer.step(told.msg, before, model, told.at)
        if (given := player.checks.get(count)) is not None:
            model_hash, frame_hash = digests(model, view)
            yield check(model_hash[: len(given.model)], frame_hash[: len(given.frame)])


def _step(
    step: Step, known: Mapping[int, Event], deltas: Mapping[int, str], draft: str | None, hide: Hide
) -> Step:
    msg, patch = step.msg, step.patch
    if isinstance(msg, EventsArrived):
        msg = replace(msg, events=tuple(_event(told, known, deltas, hide) for told in msg.events))
    elif draft is not None and msg is not None:
        msg = _with_draft(msg, draft)
    elif msg is not None:
        msg = _hidden(msg, hide)
    if patch.history is not None:
        size, at, shown = patch.history
        patch = replace(patch, history=(size, at, hide(shown)))
    finder, picker = _hidden(patch.finder, hide), _hidden(patch.picker, hide)
    hidden = Patch(patch.history, finder, picker, patch.recall and _untold(patch.recall))
    return replace(step, msg=msg, patch=patch if hidden == patch else hidden)


def _untold(found: Recall) -> Recall:
    """`found` without the words of earlier prompts: they are of other sessions."""
    hits = tuple(
        past._replace(text=DOT * len(past.text)) for past in (*found.here, *found.elsewhere)
    )
    return with_hits(found, hits)


def _event(
    told: Event | Restored, known: Mapping[int, Event], deltas: Mapping[int, str], hide: Hide
) -> Event | Restored:
    if isinstance(told, Restored):
        return Restored(fold(event for event in known.values() if event.n <= told.n), told.n)
    if told.settled and told.n in known:
        return known[told.n]
    if isinstance(told, Delta):
        return replace(told, text=deltas[id(told)])
    if isinstance(told, Answered) and isinstance(told.data, OTHERS):
        return replace(told, data=type(told.data)())
    made: Event = _hidden(told, hide)
    return made


def _streamed(player: Player, hide: Hide) -> dict[int, str]:
    """The text of each delta, by its identity: hidden as a part of all that streamed with it."""
    together: dict[tuple[Any, ...], list[Delta]] = defaultdict(list)
    for step in player.steps:
        for told in (
            step.msg.events
            if isinstance(step, Step) and isinstance(step.msg, EventsArrived)
            else ()
        ):
            if isinstance(told, Delta):
                which = told.call_id if isinstance(told, ToolOutput) else getattr(told, "index", "")
                together[type(told), told.session, told.turn, told.step, which].append(told)
    found: dict[int, str] = {}
    for parts in together.values():
        whole, at = hide("".join(part.text for part in parts)), 0
        for part in parts:
            found[id(part)] = whole[at : at + len(part.text)]
            at += len(part.text)
    return found


def _typed(player: Player, hide: Hide) -> dict[int, str]:
    """The prompt's text at each step that tells it. A secret was typed letter by letter: of a draft
    that held one at any moment nothing is shown."""
    found: dict[int, str] = {}
    group: list[tuple[int, str]] = []

    def close() -> None:
        secret = any(hide(text) != text for _, text in group)
        found.update({at: DOT * len(text) if secret else text for at, text in group})
        group.clear()

    for count, step in enumerate(player.steps, 1):
        text = _draft(step.msg) if isinstance(step, Step) else ""
        if text is None:
            continue
        if not text:
            close()
        group.append((count, text))
    close()
    return found


def _draft(msg: Msg | None) -> str | None:
    match msg:
        case DraftChanged() | Submitted():
            return msg.text
        case KeyPressed() | HistoryAsked() | CommandCalled():
            return msg.draft
        case _:
            return None


def _with_draft(msg: Msg, text: str) -> Msg:
    match msg:
        case DraftChanged() | Submitted():
            return replace(msg, text=text)
        case KeyPressed() | HistoryAsked() | CommandCalled():
            return replace(msg, draft=text)
        case _:
            return msg


def _hidden(value: Any, hide: Hide) -> Any:
    """The same value with every text in it hidden."""
    return rebuild(to_plain(value, hide), classes())
