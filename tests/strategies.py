"""Hypothesis strategies for the vocabulary: any event by its type, and sessions as an engine would
tell them."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from agent_tui.protocol.answers import AnswerData
from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import (
    Answered,
    AnyEvent,
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    DirectoriesChanged,
    Directory,
    DraftSaved,
    EffortChanged,
    Event,
    JobChanged,
    ModeChanged,
    Notice,
    Partial,
    QueueChanged,
    RequestSent,
    SessionStarted,
    ShellEnded,
    ShellStarted,
    SteerSeen,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    TodoChanged,
    ToolArgsDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import ToolCall, Usage
from agent_tui.protocol.transcript import EditedPrompt, Queued

EVENT_TYPES: tuple[type[Event], ...] = get_args(AnyEvent)

texts = st.text(max_size=12)
numbers = st.integers(-(2**53), 2**53)
seconds = st.floats(0, 4e9, allow_nan=False)
json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
PLAIN: dict[Any, SearchStrategy[Any]] = {
    str: texts,
    int: numbers,
    float: seconds,
    bool: st.booleans(),
}


def values(hint: Any) -> SearchStrategy[Any]:
    """Values of the type `hint`: plain ones, literals, unions, tuples, mappings and dataclasses of
    those."""
    if hint is object:
        return json_values
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is type(None):
        return st.none()
    if dataclasses.is_dataclass(hint):
        return instances(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([values(argument) for argument in arguments])
    if origin is tuple and arguments[-1] is not ...:
        return st.tuples(*map(values, arguments))
    if origin in (tuple, Sequence):
        return st.lists(values(arguments[0]), max_size=3).map(origin if origin is tuple else list)
    if origin in (dict, Mapping):
        return st.dictionaries(texts, values(arguments[1]), max_size=3)
    raise TypeError(f"no strategy for {hint!r}")


def instances(cls: Any) -> SearchStrategy[Any]:
    """Instances of the dataclass `cls`, every field drawn but `type` and what only newer versions
    know."""
    hints = get_type_hints(cls)
    if cls is Answered:
        hints["data"] = AnswerData
    names = [f.name for f in dataclasses.fields(cls) if f.name not in ("type", "newer")]
    return st.deferred(lambda: st.builds(cls, **{name: values(hints[name]) for name in names}))


def events() -> SearchStrategy[Event]:
    return st.one_of([instances(cls) for cls in EVENT_TYPES])


MARKDOWN_BITS = (
    "\n",
    "\n\n",
    "\r\n",
    "# Heading\n",
    "text ",
    "more words\n",
    "- item\n",
    "  nested\n",
    "1. first\n",
    "* star\n",
    "```py\n",
    "```\n",
    "~~~\n",
    "    code\n",
    "| a | b |\n",
    "|---|:-:|\n",
    "| 1 | 2 |\n",
    "> quote\n",
    "\t",
    " ",
    "`tick`",
    "***\n",
    "---\n",
    "#",
    "`",
    "é",
    "漢字",
    "\u2028",
    "\r",
)
markdown = st.lists(st.sampled_from(MARKDOWN_BITS) | st.text(max_size=5), max_size=30).map("".join)


@st.composite
def chunked(draw: DrawFn, text: str) -> list[str]:
    """`text` in pieces, some of them empty."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


ids = st.sampled_from(["a", "b", "c", "d"])
commands = st.sampled_from(["own-1", "own-2"])
asides: SearchStrategy[Event] = st.one_of(
    st.builds(Notice, text=texts, level=st.sampled_from(["info", "warning", "error"])),
    st.builds(
        QueueChanged,
        items=st.lists(st.builds(Queued, ids, texts), max_size=3).map(tuple),
        paused=st.booleans(),
    ),
    st.builds(ModeChanged, mode=st.sampled_from(["manual", "auto", "plan"])),
    st.builds(EffortChanged, effort=st.sampled_from(["", "low", "high"])),
    st.builds(
        DirectoriesChanged, st.lists(st.builds(Directory, texts), max_size=2).map(tuple), texts
    ),
    st.builds(
        DraftSaved,
        text=texts,
        edited=st.none() | st.builds(EditedPrompt, id=texts, length=st.integers(0, 9)),
    ),
    st.builds(
        JobChanged,
        id=texts,
        state=st.sampled_from(("running", "ended", "stopped")),
        command=texts,
        kept=st.booleans(),
        waits=texts,
        exit_code=st.none() | st.integers(0, 255),
    ),
    st.builds(TodoChanged, items=st.lists(st.builds(TodoItem, texts), max_size=2).map(tuple)),
    st.builds(SteerSeen, text=texts, queue_id=ids),
    st.builds(ShellStarted, call_id=commands, label=texts),
    st.builds(
        ShellEnded, call_id=commands, label=texts, private=st.booleans(), lines=st.integers(0, 2)
    ),
)
"""What can be said at any moment, also while an answer streams."""


@st.composite
def tool_runs(draw: DrawFn, calls: tuple[ToolCall, ...]) -> list[Event]:
    """The calls of a step: some are asked about, all start and end; their outputs mix."""
    told: list[Event] = []
    for call in calls:
        if draw(st.booleans()):
            told.append(
                ApprovalAsked(id=f"ask-{call.id}", call_id=call.id, tool=call.name, label=call.name)
            )
            told.extend(draw(st.lists(asides, max_size=1)))
            told.append(ApprovalAnswered(id=f"ask-{call.id}", choice="once"))
        effect, note = draw(st.sampled_from(["read", "write"])), draw(texts)
        told.append(ToolStarted(call.id, call.name, call.name, effect=effect, note=note))
    outputs = st.builds(
        ToolOutput, call_id=st.sampled_from([call.id for call in calls]), text=texts
    )
    told.extend(draw(st.lists(outputs | asides, max_size=4)))
    for call in draw(st.permutations(calls)):
        tag = draw(st.sampled_from(["ok", "denied", "cancelled"]))
        told.append(
            ToolEnded(call_id=call.id, name=call.name, label=call.name, content="result", tag=tag)
        )
    return told


@st.composite
def answers(draw: DrawFn, step: int, least: int) -> tuple[list[Event], tuple[ToolCall, ...]]:
    """A step up to its settled answer, with its deltas, partials and what was said meanwhile, and
    with `least` calls or more."""
    reasoning, text = draw(texts), draw(markdown)
    tools = st.sampled_from(["read_file", "run_shell_command"])
    names = draw(st.lists(tools, min_size=least, max_size=3))
    calls = tuple(ToolCall(f"call-{step}-{n}", name) for n, name in enumerate(names))
    stream: list[Event] = [ThinkingDelta(text=part) for part in draw(chunked(reasoning))]
    stream += [TextDelta(text=part) for part in draw(chunked(text))]
    stream += [
        ToolArgsDelta(index=n, name=call.name, text=call.arguments) for n, call in enumerate(calls)
    ]
    told: list[Event] = [StepStarted(step=step), RequestSent(model="m")]
    said = {"text": "", "thinking": ""}
    kept = {"text": 0, "thinking": 0}
    for at, event in enumerate(stream):
        told.append(dataclasses.replace(event, at=float(at)))
        match event:
            case TextDelta():
                said["text"] += event.text
            case ThinkingDelta():
                said["thinking"] += event.text
            case _:
                pass
        if draw(st.integers(0, 4)) == 0:
            told.append(
                Partial(
                    text=said["text"][kept["text"] :],
                    offset=kept["text"],
                    thinking=said["thinking"][kept["thinking"] :],
                    thinking_offset=kept["thinking"],
                )
            )
            kept = {name: len(value) for name, value in said.items()}
        if draw(st.integers(0, 4)) == 0:
            told.append(draw(asides))
    settled = draw(st.sampled_from([text, text, text, text.strip(), ""]))
    told.append(
        AssistantReplied(
            text=settled, reasoning=reasoning, calls=calls, thinking_ms=draw(st.integers(0, 9))
        )
    )
    if draw(st.booleans()):
        told.append(UsageReported(usage=Usage(draw(st.integers(0, 99)), draw(st.integers(0, 99)))))
    return told, calls


@st.composite
def sessions(draw: DrawFn, least: int = 0) -> list[Event]:
    """A session of a few turns as an engine tells it, deltas and partials included; every turn
    ends. The first has `least` calls or more."""
    told: list[Event] = [SessionStarted(session="s", model="demo/tour")]
    for turn in range(1, draw(st.integers(1, 3)) + 1):
        told.append(TurnStarted(turn=turn, prompt=draw(texts), queue_id=draw(st.just("") | ids)))
        for step in range(1, draw(st.integers(least, 2)) + 1):
            answer, calls = draw(answers(step, least))
            least = 0
            told.extend(answer)
            if calls:
                told.extend(draw(tool_runs(calls)))
        told.append(
            TurnEnded(turn=turn, state=draw(st.sampled_from(["completed", "cancelled", "stuck"])))
        )
        told.extend(draw(st.lists(asides, max_size=2)))
    return told


@st.composite
def trees(draw: DrawFn) -> list[Event]:
    """A session whose calls start two agents, one of which may start another; what they say mixes
    at random."""
    told = draw(sessions(least=1))
    for agent in draw(st.sampled_from([("a", "b"), ("a", "b", "a/c")])):
        above = agent.rpartition("/")[0] or "main"
        starts = [
            (place, event.call_id)
            for place, event in enumerate(told)
            if isinstance(event, ToolStarted) and event.agent == above
        ]
        if not starts:
            continue
        place, call = draw(st.sampled_from(starts))
        said = [
            dataclasses.replace(event, agent=agent, parent_call=call)
            for event in draw(sessions())[1:]
        ]
        places = sorted(
            draw(
                st.lists(st.integers(place + 1, len(told)), min_size=len(said), max_size=len(said))
            )
        )
        for shift, (where, event) in enumerate(zip(places, said, strict=True)):
            told.insert(where + shift, event)
    return told
