"""The script format of the `scripted` provider: JSON or JSONL into values, and these into a stream
with its delays.

`docs/scripted.md` describes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar, assert_never, cast, get_args

from agent_tui.protocol.messages import StopReason, ToolCall, Usage
from agent_tui.providers.base import (
    CallChunk,
    Failed,
    FailureKind,
    Finished,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.structures.frozen import frozen

T = TypeVar("T")

DEFAULT_CHUNK: Final = 4
"""Characters of a chunk where a rate is given and no chunk size: about a token."""
TEXT_LIMIT: Final = 16_000_000
"""Characters of one text, repeats included."""


@frozen
class Text:
    """Text (or reasoning), cut into chunks of `chunk` characters (0: whole), `delay` seconds before
    each."""

    text: str
    chunk: int = 0
    delay: float = 0.0
    thinking: bool = False


@frozen
class Call:
    name: str
    arguments: str = "{}"
    id: str = ""
    chunk: int = 0
    delay: float = 0.0


@frozen
class Used:
    usage: Usage


@frozen
class Stop:
    reason: StopReason


@frozen
class Fail:
    """Fails the first `times` times that it is reached, then is passed over; 0: always."""

    kind: FailureKind
    text: str
    hint: str = ""
    may_pass: bool = False
    retry_after: float | None = None
    times: int = 0


@frozen
class Wait:
    seconds: float


@frozen
class Hang:
    """Blocks until it is cancelled."""


@frozen
class Cut:
    """The stream just ends, without its end mark."""


Item = Text | Call | Used | Stop | Fail | Wait | Hang | Cut


@frozen
class Branch:
    """Items to play where `when` is part of the last user message (empty: always)."""

    items: tuple[Item, ...]
    when: str = ""


@frozen
class Script:
    """`steps[n]` holds the branches of the answer number n, counted from 0."""

    steps: tuple[tuple[Branch, ...], ...]
    window: int = 0
    tools: bool = True
    thinking: bool = False


@frozen
class Beat:
    """An item of the stream (None: only time passes), and the seconds to wait before it."""

    delay: float
    item: StreamItem | None


def beats(items: Iterable[Item], name: str, state: str = "") -> Iterator[Beat]:
    """The stream of one answer. The ids of its calls begin with `name`; `state` goes into the
    history with it."""
    calls: list[ToolCall] = []
    usage: Usage | None = None
    stop: StopReason | None = None
    for item in items:
        match item:
            case Text():
                kind = ThinkingChunk if item.thinking else TextChunk
                yield from (
                    Beat(item.delay, kind(chunk)) for chunk in _chunks(item.text, item.chunk)
                )
            case Call():
                index = len(calls)
                calls.append(ToolCall(item.id or f"{name}-{index + 1}", item.name, item.arguments))
                yield Beat(0, CallChunk(index, id=calls[-1].id, name=item.name))
                yield from (
                    Beat(item.delay, CallChunk(index, chunk))
                    for chunk in _chunks(item.arguments, item.chunk)
                )
            case Used(usage=usage):
                pass
            case Stop(reason=stop):
                pass
            case Wait():
                yield Beat(item.seconds, None)
            case Fail():
                yield Beat(
                    0, Failed(item.kind, item.text, item.hint, item.may_pass, item.retry_after)
                )
                return
            case Hang():
                yield Beat(math.inf, None)
            case Cut():
                return
            case _:
                assert_never(item)
    yield Beat(
        0, Finished(stop or ("tool_calls" if calls else "stop"), tuple(calls), usage, state=state)
    )


def _chunks(text: str, size: int) -> Iterator[str]:
    """`text` in stretches of `size` characters (0: whole)."""
    size = size or len(text)
    return (text[start : start + size] for start in range(0, len(text), size or 1))


def parse(text: str, lines: bool) -> Script:
    """The script in `text`; `lines`: one step a line (JSONL). Raises BadScript."""
    if lines:
        return _from_lines(text)
    data = _decoded(text, "")
    if isinstance(data, list):
        return Script(_steps(data))
    if not isinstance(data, dict):
        raise BadScript("the script: must be a list of steps, or an object with `steps`")
    head = Fields(data, "the script")
    steps = head.items("steps")
    settings = _settings(head)
    return Script(_steps(steps), *settings)


def _from_lines(text: str) -> Script:
    settings: tuple[int, bool, bool] = (0, True, False)
    steps: list[tuple[Branch, ...]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"line {number}"
        data = _decoded(line, where)
        if not steps and isinstance(data, dict) and not data.keys() & {"items", "branches"}:
            settings = _settings(Fields(data, where))
        else:
            steps.append(_step(data, where))
    return Script(tuple(steps), *settings)


def _decoded(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = (
            f"{where}, column {error.colno}"
            if where
            else f"line {error.lineno}, column {error.colno}"
        )
        raise BadScript(f"{place}: not JSON: {error.msg}") from None
    except RecursionError:
        raise BadScript(f"{where or 'the script'}: nested too deeply") from None
    except ValueError as error:
        raise BadScript(f"{where or 'the script'}: not JSON: {error}") from None


def _settings(head: Fields) -> tuple[int, bool, bool]:
    settings = head.count("window"), head.flag("tools", True), head.flag("thinking")
    head.end()
    return settings


def _steps(data: list[object]) -> tuple[tuple[Branch, ...], ...]:
    return tuple(_step(step, f"step {number}") for number, step in enumerate(data, 1))


def _step(data: object, where: str) -> tuple[Branch, ...]:
    if isinstance(data, dict) and "branches" in data:
        fields = Fields(data, where)
        branches = fields.items("branches")
        fields.end()
        return tuple(
            _branch(branch, f"{where}, branch {number}")
            for number, branch in enumerate(branches, 1)
        )
    return (_branch(data, where),)


def _branch(data: object, where: str) -> Branch:
    if isinstance(data, list):
        return Branch(items_of(data, where))
    if not isinstance(data, dict):
        raise BadScript(f"{where}: must be a list of items, or an object with `items`")
    fields = Fields(data, where)
    items = fields.items("items")
    when = fields.string("when")
    fields.end()
    return Branch(items_of(items, where), when)


def items_of(data: list[object], where: str) -> tuple[Item, ...]:
    return tuple(_item(item, f"{where}, item {number}") for number, item in enumerate(data, 1))


def _item(data: object, where: str) -> Item:
    if isinstance(data, str):
        return Text(data)
    if not isinstance(data, dict):
        raise BadScript(f"{where}: must be text or an object")
    kinds = [kind for kind in _READERS if kind in data]
    if "fail" in kinds:  # its message is called `text`
        kinds = ["fail"]
    if len(kinds) != 1:
        found = (
            " and ".join(f"`{kind}`" for kind in kinds) or ", ".join(map(repr, data)) or "no keys"
        )
        raise BadScript(f"{where}: has {found}; it must have exactly one of: {', '.join(_READERS)}")
    fields = Fields(data, where)
    item = _READERS[kinds[0]](fields)
    fields.end()
    return item


def _speed(fields: Fields) -> tuple[int, float]:
    """Chunk size and delay per chunk; `rate` is chunks (tokens) per second."""
    chunk, delay, rate = fields.count("chunk"), fields.number("delay"), fields.number("rate")
    if rate and delay:
        raise BadScript(f"{fields.where}: has `rate` and `delay`; remove one of them")
    return (chunk or DEFAULT_CHUNK, 1 / rate) if rate else (chunk, delay)


def _text(fields: Fields, key: str = "text") -> Item:
    text, repeat = fields.string(key), fields.count("repeat", 1)
    if len(text) * repeat > TEXT_LIMIT:
        raise BadScript(f"{fields.where}: the text is longer than {TEXT_LIMIT:,} characters")
    return Text(text * repeat, *_speed(fields), thinking=key == "thinking")


def _call(fields: Fields) -> Item:
    name = fields.string("call")
    raw = fields.take("arguments", dict, str) or {}
    arguments = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    return Call(name, arguments, fields.string("id"), *_speed(fields))


def _usage(fields: Fields) -> Item:
    numbers = Fields(fields.take("usage", dict) or {}, fields.where)
    usage = Usage(
        numbers.count("prompt_tokens"),
        numbers.count("completion_tokens"),
        numbers.count("cached_tokens"),
        numbers.flag("estimated"),
    )
    numbers.end()
    return Used(usage)


def _fail(fields: Fields) -> Item:
    kind = cast(FailureKind, fields.pick("fail", get_args(FailureKind)))
    retry_after = fields.number("retry_after") if "retry_after" in fields.data else None
    text = fields.string("text", f"the script fails here ({kind})")
    hint, may_pass = fields.string("hint"), fields.flag("may_pass")
    return Fail(kind, text, hint, may_pass, retry_after, fields.count("times"))


def _stop(fields: Fields) -> Item:
    return Stop(cast(StopReason, fields.pick("stop", get_args(StopReason))))


def _wait(fields: Fields) -> Item:
    return Wait(fields.number("wait"))


def _flagged(key: str, item: Item) -> Callable[[Fields], Item]:
    def read(fields: Fields) -> Item:
        if not fields.flag(key):
            raise BadScript(f"{fields.where}: `{key}` must be true")
        return item

    return read


_READERS: Final[Mapping[str, Callable[[Fields], Item]]] = {
    "text": _text,
    "thinking": lambda fields: _text(fields, "thinking"),
    "call": _call,
    "usage": _usage,
    "stop": _stop,
    "fail": _fail,
    "wait": _wait,
    "hang": _flagged("hang", Hang()),
    "cut": _flagged("cut", Cut()),
}


class BadScript(ValueError):
    """The script cannot be played: one line that says where and why."""


_KIND_NAMES: Final[Mapping[type, str]] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class Fields:
    """The keys of one object of the script; whatever was not taken by the end is a mistake."""

    def __init__(self, data: Mapping[str, object], where: str) -> None:
        self.data, self.where = dict(data), where

    def take(self, key: str, *kinds: type[T]) -> T | None:
        """What stands there, of one of these kinds; None: nothing."""
        if key not in self.data:
            return None
        value = self.data.pop(key)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise BadScript(
                f"{self.where}: `{key}` must be {' or '.join(_KIND_NAMES[k] for k in kinds)}"
            )
        return value

    def items(self, key: str) -> list[object]:
        """A list that has to be there."""
        found = self.take(key, list)
        if found is None:
            raise BadScript(f"{self.where}: `{key}` is missing")
        return found

    def number(self, key: str, default: float = 0.0) -> float:
        """A number that is finite and not negative."""
        try:
            given = self.take(key, int, float)
            value = default if given is None else float(given)
        except OverflowError:
            value = float("inf")
        if not 0 <= value < float("inf"):
            raise BadScript(f"{self.where}: `{key}` must be 0 or more")
        return value

    def count(self, key: str, default: int = 0) -> int:
        value = self.take(key, int)
        if value is not None and value < 0:
            raise BadScript(f"{self.where}: `{key}` must be 0 or more")
        return default if value is None else value

    def string(self, key: str, default: str = "") -> str:
        value = self.take(key, str)
        return default if value is None else value

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.take(key, bool)
        return default if value is None else value

    def pick(self, key: str, names: tuple[str, ...]) -> str:
        value = self.string(key)
        if value not in names:
            raise BadScript(
                f"{self.where}: `{key}` is {value!r}; it must be one of: {', '.join(names)}"
            )
        return value

    def end(self) -> None:
        if self.data:
            raise BadScript(
                f"{self.where}: unknown key {', '.join(repr(key) for key in self.data)}"
            )
