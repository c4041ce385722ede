"""What `demo.toml` holds, and how its sentences are filled in. Pure, but that the file is read at
the first use."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from agent_tui.protocol.messages import ToolCall, ToolMessage
from agent_tui.providers.script.format import DEFAULT_CHUNK, Call, Item, Text, items_of

RATE: Final = 40.0
"""Tokens per second, where the file says nothing else."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person can type."""

    when: str
    items: list[object] = field(default_factory=list)
    midway: list[object] = field(default_factory=list)
    tour: Literal["", "on", "next", "afresh"] = ""
    talk: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A sentence about the result of a tool."""

    say: str
    when: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Asked:
    """The request that a text is, and the values in it."""

    request: Request
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
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

    def asked(self, text: str) -> Asked:
        text = text.strip()
        for request in self.requests:
            if found := re.fullmatch(request.when, text):
                return Asked(request, found.groupdict("") | {"text": text})
        raise AssertionError("the last request fits every text")

    def on_the_side(self, text: str) -> Asked:
        """A question on the side: it is answered in words alone, whatever it asks for."""
        return Asked(Request("", [self.aside], [self.aside], talk=True), {"text": text.strip()})

    def unknown(self, text: str) -> Asked:
        return Asked(self.requests[-1], {"text": text.strip()})

    def about(self, call: ToolCall, result: ToolMessage) -> str:
        """One sentence that the result of `call` bears out."""
        values = {"tool": call.name} | {
            name: str(value) for name, value in _arguments(call).items()
        }
        for rule in self.results:
            if rule.tool in ("", call.name) and (
                found := re.match(rule.when, result.content, re.MULTILINE)
            ):
                return filled(rule.say, values | found.groupdict(""))
        raise AssertionError("the last sentence is about every result")

    def index(self, name: str) -> int:
        """Where the step `name` of the tour stands; -1 if there is none."""
        return next((number for number, step in enumerate(self.tour) if step.name == name), -1)

    def following(self, done: int, has_file: bool) -> int | None:
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
            return filled(data, values)
        case list():
            return [_filled(each, values) for each in data]
        case dict():
            return {key: _filled(each, values) for key, each in data.items()}
        case _:
            return data


def filled(text: str, values: Mapping[str, str]) -> str:
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
