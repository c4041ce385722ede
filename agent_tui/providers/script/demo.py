"""What `demo.toml` holds, how its sentences are filled in, and where the demo stands, folded from
the messages of a request. Pure, but that the file is read at the first use.

Nothing is remembered beside the history, so a resumed session goes on where it stopped. Each answer
leaves its place in the message's `state`; an answer without one was interrupted.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.protocol.turn_events import INSTRUCTION
from agent_tui.providers.script.format import DEFAULT_CHUNK, Call, Item, Text, items_of
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

RATE: Final = 40.0
"""Tokens per second, where the file says nothing else."""


@frozen
class Request:
    """What a person can type."""

    when: str
    items: list[object] = field(default_factory=list)
    midway: list[object] = field(default_factory=list)
    tour: Literal["", "on", "next", "afresh"] = ""
    talk: bool = False


@frozen
class Result:
    """A sentence about the result of a tool."""

    say: str
    when: str = ""
    tool: str = ""


@frozen
class Step:
    """One answer of the tour."""

    name: str
    show: list[object] = field(default_factory=list)
    items: list[object] = field(default_factory=list)
    done: str | None = None
    failed: str = ""
    needs_file: bool = False
    again_from: str = ""
    cut: str = ""


@frozen
class Asked:
    """The request that a text is, and the values in it."""

    request: Request
    values: Mapping[str, str]


@frozen
class Words:
    requests: tuple[Request, ...]
    results: tuple[Result, ...]
    tour: tuple[Step, ...]
    notice: str
    go_on: str
    over: str
    no_folder: str
    above: str
    back: str
    heard: str
    aside: str

    def match_request(self, text: str) -> Asked:
        text = text.strip()
        for request in self.requests:
            if found := re.fullmatch(request.when, text):
                return Asked(request, found.groupdict("") | {"text": text})
        raise AssertionError("the last request fits every text")

    def on_the_side(self, text: str) -> Asked:
        """A question on the side: it is answered in words alone, whatever it asks for."""
        return Asked(Request("", [self.aside], [self.aside], talk=True), {"text": text.strip()})

    def unknown_request(self, text: str) -> Asked:
        return Asked(self.requests[-1], {"text": text.strip()})

    def describe_result(self, call: ToolCall, result: ToolMessage) -> str:
        """One sentence that the result of `call` bears out."""
        values = {"tool": call.name} | {
            name: str(value) for name, value in _arguments(call).items()
        }
        for rule in self.results:
            if rule.tool in ("", call.name) and (
                found := re.match(rule.when, result.content, re.MULTILINE)
            ):
                return fill_values(rule.say, values | found.groupdict(""))
        raise AssertionError("the last sentence is about every result")

    def index(self, name: str) -> int:
        """Where the step `name` of the tour stands; -1 if there is none."""
        return next((number for number, step in enumerate(self.tour) if step.name == name), -1)

    def next_step(self, done: int, has_file: bool) -> int | None:
        """The step after `done`; None behind the last."""
        after = range(done + 1, len(self.tour))
        return next(
            (number for number in after if has_file or not self.tour[number].needs_file), None
        )


@cache
def words() -> Words:
    data = tomllib.loads(Path(__file__).with_name("demo.toml").read_text("utf-8"))
    return Words(
        tuple(Request(**each) for each in data.pop("requests")),
        tuple(Result(**each) for each in data.pop("results")),
        tuple(Step(**each) for each in data.pop("tour")),
        **data,
    )


def items(data: list[object], values: Mapping[str, str]) -> tuple[Item, ...]:
    """The items in `data`, filled in, at the pace of the demo."""
    given = [_filled(each, values) for each in data]
    return tuple(_paced(item) for item in items_of(given, "demo.toml"))


def say(text: str) -> Item:
    return _paced(Text(text))


def _paced(item: Item) -> Item:
    if isinstance(item, Text | Call) and not item.delay:
        return replace(item, chunk=DEFAULT_CHUNK, delay=1 / RATE)
    return item


def _filled(data: object, values: Mapping[str, str]) -> object:
    match data:
        case str():
            return fill_values(data, values)
        case list():
            return [_filled(each, values) for each in data]
        case dict():
            return {key: _filled(each, values) for key, each in data.items()}
        case _:
            return data


def fill_values(text: str, values: Mapping[str, str]) -> str:
    return text.format_map({name: _Value(value) for name, value in values.items()})


class _Value(str):
    """A value that `{name:form}` writes in one of the forms."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return _FORMS[form](str(self))


def code(text: str) -> str:
    """`text` as a Markdown code span, whatever it holds, on one line and not too long."""
    line = " ".join(text.split())
    line = f"{line[:160]}…" if len(line) > 160 else line
    if not line:
        return "(nothing)"
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"


_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "": str,
    "code": code,
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "literal": lambda text: re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text),
    "found": lambda text: code(re.sub(r"\\(.)", r"\1", text)),
}


def _arguments(call: ToolCall) -> dict[str, object]:
    try:
        data = json.loads(call.arguments)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


NAME: Final = "demo"
SCRATCH: Final = late.pattern(r"tour-[0-9]{1,9}")
_FACTS: Final = "\n\n<environment>\n"
"""Where the facts begin that the engine puts behind what a person typed."""
_FAILED: Final = late.pattern(r"Error \[([a-z_]+)\]:")
_STOPPED: Final = ("cancelled", "interrupted")
"""Tags of calls that the person, or the end of the program, broke off."""


@frozen
class Standing:
    answers: int = 0
    introduced: bool = False
    """The demo has said what it is."""
    due: Asked = field(default_factory=lambda: words().match_request(""))
    """What the next answer is about."""
    scratch: str = ""
    """Name of the tour's scratch folder; empty before its first answer is whole."""
    done: int = -1
    """The tour's last whole step."""
    cut: bool = False
    """The step after that one was begun, and interrupted."""
    back: bool = False
    """The person called the tour back; otherwise it goes on in its turn."""
    has_file: bool = False
    said: str = ""
    """What the person said into the running turn."""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolMessage, ...] = ()

    @property
    def is_touring(self) -> bool:
        return bool(self.due.request.tour)

    @property
    def is_midway(self) -> bool:
        """A tour was begun and is not at its end."""
        return (self.done >= 0 or self.cut) and self.done < len(words().tour) - 1

    @property
    def failed_calls(self) -> tuple[ToolMessage, ...]:
        return tuple(result for result in self.results if _tag(result))

    def with_message(self, message: Message) -> Standing:
        match message:
            case UserMessage():
                return self._asked(message.text.rpartition(_FACTS)[0] or message.text)
            case ToolMessage():
                made = self.is_touring and self.done == 0 and not _tag(message)
                return replace(
                    self, results=(*self.results, message), has_file=self.has_file or made
                )
            case AssistantMessage():
                return self._answer(message)

    def _asked(self, text: str) -> Standing:
        if text.startswith(INSTRUCTION):
            due = words().on_the_side(text.removeprefix(INSTRUCTION))
            return replace(self, due=due, calls=(), results=(), back=False)
        asked = words().match_request(text)
        stopped = any(_tag(result) in _STOPPED for result in self.results)
        into = self.is_touring and bool(self.results) and not stopped  # said into the running turn
        if into and asked.request.talk:
            return replace(self, said=f"{self.said}\n{text.strip()}".strip())
        now = replace(self, due=asked, said="", calls=(), results=(), back=True)
        if self.is_touring and stopped:
            now = replace(now, done=self.done - 1, cut=True)
        wish = asked.request.tour
        if not wish:
            return now
        if wish == "next" and not now.is_midway:
            return replace(now, due=words().unknown_request(text))
        if wish == "afresh" or not now.is_midway:
            return replace(now, scratch="", done=-1, cut=False, back=False, has_file=False)
        following = words().next_step(now.done, now.has_file)
        earlier = words().index(words().tour[following].again_from) if following is not None else -1
        if earlier >= 0 and into:
            return self  # the circle goes on anyway, and nothing was interrupted
        return replace(now, done=earlier - 1, cut=True) if earlier >= 0 else now

    def _answer(self, answer: AssistantMessage) -> Standing:
        ours = answer.provider == NAME
        now = replace(
            self,
            answers=self.answers + 1,
            introduced=self.introduced or (ours and bool(answer.text)),
            calls=answer.calls,
            results=(),
            said="",
            back=False,
        )
        place = _place(answer.state) if ours else None
        if place is not None:
            return replace(
                now, scratch=place[0], done=place[1], cut=False, due=words().match_request("tour")
            )
        if self.is_touring and (ours or not answer.provider) and not answer.state:
            return replace(now, cut=True, due=words().match_request(""))
        return now


def read_standing(messages: Iterable[Message]) -> Standing:
    now = Standing()
    for message in messages:
        now = now.with_message(message)
    return now


def state(scratch: str, step: int) -> str:
    """What the tour's answer `step` leaves in the history."""
    return json.dumps({"tour": scratch, "step": words().tour[step].name})


def _tag(result: ToolMessage) -> str:
    """Why the call failed; empty if it did not."""
    found = _FAILED.match(result.content)
    return found[1] if found else ""


def _place(state: str) -> tuple[str, int] | None:
    """Scratch folder and step that an answer left; None if it was not one of the tour's."""
    try:
        data = json.loads(state)
        scratch, step = str(data["tour"]), words().index(str(data["step"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (scratch, step) if SCRATCH.fullmatch(scratch) and step >= 0 else None
