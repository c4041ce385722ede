"""What a log holds once: the text of a file that a call writes.

The arguments of a call stand in the model's message. The record of its start has them again, and
the differences that are asked about, done and shown have the file's lines. There a record of
format 2 names the place where they stand, `of` being the number of that record:

* arguments: `{"of": 12}`, those of the same call in the message;
* hunks of a difference: `{"of": 13, "diff": 0}`, those of the first difference in that record;
* lines of a hunk: `{"of": 12, "in": ["content"], "at": 0, "length": 90, "mark": "+"}`, these
  characters of a text in the arguments, with the mark in front of each line.

Many lines of a hunk that stand nowhere else (they were removed) are compressed: `{"z": "…"}`. So are
arguments in letters for which a log, which is ASCII, needs many bytes: `{"z": "…"}`.

Only what stands before it, of the same call in the same turn, is named. So the beginning of a log
is a log, and nothing that is not in the file is needed to read it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from agent_tui.protocol.codec import VERSION, WHOLE
from agent_tui.protocol.event import MAIN

LEAST: Final = 1_000
"""Characters of a text that is named instead of written."""
MOST_TIMES: Final = 16
"""How many times as long as it is all that is read from a call's texts may become: a log from
elsewhere could name one text for ever."""
DEEPEST: Final = 4
"""How deep in the arguments a text may lie that is named."""
ESCAPE: Final = 4
"""Characters that an escape in JSON has more than the letter that it stands for has bytes."""
FAST: Final = 1
"""How hard it is tried to make a text short: the loop waits meanwhile."""
_TELLING: Final = frozenset({"calls", "prompt", "diff", "display"})
"""One of these fields has each record of which something is kept, or that ends what was kept."""
LOST: Final = "\\ these lines stood in a record that is lost"

Json = dict[str, Any]
Key = tuple[str, str]


class Lost(Exception):
    """The text that a record names is not there. The number of the record that had it."""

    def __init__(self, number: object) -> None:
        super().__init__(number)
        self.number = _number(number)


@dataclass(slots=True)
class _Call:
    """`number`: of the message that has its arguments; `hunks`: of differences in records about it,
    by the record's number and their place there; `given`: characters that were read of all this."""

    number: int = 0
    arguments: str = ""
    hunks: dict[tuple[int, int], list[Json]] = field(default_factory=dict)
    size: int = 0
    given: int = 0
    parsed: object = None

    def may_give(self, size: int) -> bool:
        self.given += size
        return self.given <= MOST_TIMES * self.size

    def data(self) -> object:
        """The arguments as data; nothing where they are no JSON."""
        if self.parsed is None:
            try:
                self.parsed = json.loads(self.arguments)
            except (ValueError, RecursionError):
                self.parsed = {}
        return self.parsed


class Texts:
    """What the newest calls of a log have on record. Takes its records in their order: to leave out
    of each what stands there, or to put it back."""

    def __init__(self) -> None:
        self._calls: dict[Key, _Call] = {}
        self._lost: set[int] = set()

    def pack(self, record: Json) -> Json:
        """`record` as it is written."""
        call, packed = self._call_of(record) or _Call(), record
        match record["type"] if record.get("v") == WHOLE else "":
            case "assistant_message":
                packed = _with_arguments(record, _deflated_arguments)
            case "tool_started":
                if len(call.arguments) >= LEAST and record.get("arguments") == call.arguments:
                    packed = {**record, "arguments": {"of": call.number}}
            case _ if record.get("v") == WHOLE:
                packed = _with_hunks(record, lambda hunks: _named(call, hunks))
        self._note(record, packed)
        return packed if packed is record else {**packed, "v": VERSION}

    def unpack(self, record: Json) -> tuple[Json, str]:
        """The whole of a `record` that was read, and in a line what of it is lost; empty: nothing,
        or it was said before."""
        if record.get("v") != VERSION:
            self._note(record, record)
            return record, ""
        lost: list[int] = []
        call = self._call_of(record) or _Call()
        whole = record
        match record.get("type"):
            case "assistant_message":
                number = _number(record.get("n"))
                whole = _with_arguments(record, lambda text: _whole_arguments(text, number, lost))
            case "tool_started" if isinstance(handle := record.get("arguments"), dict):
                fits = call.number == handle.get("of") and call.number
                lost += [] if fits else [_number(handle.get("of"))]
                whole = {**record, "arguments": call.arguments if fits else "{}"}
            case _:
                whole = _with_hunks(record, lambda hunks: _whole(call, hunks, lost))
        whole = {**whole, "v": WHOLE}
        self._note(whole, record)
        return whole, self._say(record, lost)

    def _say(self, record: Json, lost: list[int]) -> str:
        news = set(lost) - self._lost
        self._lost |= {*lost, *([_number(record.get("n"))] if lost else [])}
        if not news:
            return ""
        return (
            f"record {record.get('n')} names a text in record {min(news)}, which is lost:"
            " what its calls wrote is not shown"
        )

    def _call_of(self, record: Json) -> _Call | None:
        return self._calls.get((_agent(record), str(record.get("call_id"))))

    def _note(self, whole: Json, written: Json) -> None:
        """Keep what later records may name, until the agent's next message, or the next turn."""
        if not (whole.keys() & _TELLING):
            return  # most records: nothing is named of them
        agent, number = _agent(whole), whole.get("n")
        match whole.get("type"):
            case "turn_started" if agent == MAIN:
                self._calls.clear()
            case "assistant_message":
                for key in [key for key in self._calls if key[0] == agent]:
                    del self._calls[key]
                for call in _dicts(whole.get("calls")):
                    text = call.get("arguments")
                    if isinstance(text, str) and type(number) is int:
                        known = _Call(number, text, size=len(text))
                        self._calls[agent, str(call.get("id"))] = known
            case _ if whole.get("call_id") and type(number) is int:
                kept = [diff.get("hunks") for diff in _diffs(written)]
                for place, diff in enumerate(_diffs(whole)):
                    hunks = diff.get("hunks")
                    size = _size(hunks)
                    if (
                        size >= LEAST
                        and isinstance(hunks, list)
                        and not isinstance(kept[place], dict)
                    ):
                        about = self._calls.setdefault((agent, str(whole["call_id"])), _Call())
                        about.hunks[number, place] = hunks
                        about.size += size


def whole_records(records: Iterable[Json]) -> list[Json]:
    """The records of a log, in their order, each with its own texts."""
    texts = Texts()
    return [texts.unpack(record)[0] for record in records]


def _number(value: object) -> int:
    return value if type(value) is int else -1


def _agent(record: Json) -> str:
    return str(record.get("agent") or MAIN)


def _dicts(items: object) -> Iterator[Json]:
    yield from (item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def _diffs(record: Json) -> list[Json]:
    """The differences in a record."""
    display = record.get("diff") or record.get("display")
    if not isinstance(display, dict):
        return []
    return list(_dicts(display.get("diffs", [display])))


def _with_arguments(record: Json, change: Callable[[object], object]) -> Json:
    """A message with other arguments in its calls; itself where they stay."""
    calls = record.get("calls")
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        return record
    made = [{**call, "arguments": change(call.get("arguments"))} for call in calls]
    return record if made == calls else {**record, "calls": made}


def _with_hunks(record: Json, change: Callable[[object], object]) -> Json:
    """`record` with other hunks in its differences; itself where they stay."""
    diffs = _diffs(record)
    changed = [change(diff.get("hunks")) for diff in diffs]
    if all(new is diff.get("hunks") for new, diff in zip(changed, diffs, strict=True)):
        return record
    made = [{**diff, "hunks": new} for new, diff in zip(changed, diffs, strict=True)]
    name = "diff" if record.get("diff") else "display"
    several = "diffs" in record[name]
    return {**record, name: {**record[name], "diffs": made} if several else made[0]}


def _size(hunks: object) -> int:
    """Characters of the lines of hunks."""
    return sum(
        len(line)
        for hunk in _dicts(hunks)
        if isinstance(hunk.get("lines"), list)
        for line in hunk["lines"]
        if isinstance(line, str)
    )


def _with_lines(hunks: list[Any], change: Callable[[list[Any]], Iterator[object]]) -> list[Any]:
    return [
        {**hunk, "lines": list(change(hunk["lines"]))}
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
        else hunk
        for hunk in hunks
    ]


# -- to the log


def _named(call: _Call, hunks: object) -> object:
    """What is written for `hunks`: the place of the same, or with places of their lines."""
    size = _size(hunks)
    if not isinstance(hunks, list) or size < LEAST:
        return hunks
    for (number, place), known in call.hunks.items():
        if known == hunks and call.may_give(size):
            return {"of": number, "diff": place}
    sources = [one for one in _texts(call.data(), ()) if len(one[1]) >= LEAST]
    made = _with_lines(hunks, lambda lines: _named_lines(call, lines, sources))
    return hunks if made == hunks else made


def _texts(data: object, place: tuple[str | int, ...]) -> Iterator[tuple[list[str | int], str]]:
    """Every text in `data`, with its place."""
    if isinstance(data, str):
        yield list(place), data
    elif len(place) > DEEPEST:
        return
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(value, (*place, name))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _texts(value, (*place, at))


def _named_lines(
    call: _Call, lines: list[Any], sources: list[tuple[list[str | int], str]]
) -> Iterator[str | Json]:
    """The lines of a hunk; those with the same mark that stand together in a text are its place."""
    if not all(isinstance(line, str) for line in lines):
        yield from lines  # a log from elsewhere
        return
    left: list[str] = []
    for mark, group in groupby(lines, lambda line: line[:1]):
        run = list(group)
        text = "\n".join(run)
        found = None
        if len(text) >= LEAST and text.count("\n") == len(run) - 1:
            bare = "\n".join(line[1:] for line in run)
            found = _place(bare, mark, sources) or _place(text, "", sources)
        if found is not None and call.may_give(len(text)):
            yield from _compressed(left)
            yield {"of": call.number, **found}
            left = []
        else:
            left += run
    yield from _compressed(left)


def _compressed(lines: list[str]) -> Iterator[str | Json]:
    text = "\n".join(lines)
    whole = len(text) >= LEAST and text.count("\n") == len(lines) - 1
    deflated = _deflated(text) if whole else None
    if deflated is None:
        yield from lines
    else:
        yield deflated


def _place(wanted: str, mark: str, sources: list[tuple[list[str | int], str]]) -> Json | None:
    """Where these whole lines stand."""
    for place, text in sources:
        at = 0 if text.startswith(wanted) else text.find(f"\n{wanted}") + 1
        if (at or text.startswith(wanted)) and text[at + len(wanted) :][:1] in ("", "\n"):
            return {"in": place, "at": at, "length": len(wanted), "mark": mark}
    return None


def _deflated_arguments(text: object) -> object:
    """`text`, compressed where a log needs more than half as much again for its letters."""
    if not isinstance(text, str) or len(text) < LEAST:
        return text
    escapes = text.count("\\u")
    if text.isascii() and not escapes:
        return text
    letters = len(text.encode("utf-8", "surrogatepass")) - ESCAPE * escapes
    return (_deflated(text) or text) if len(json.dumps(text)) > 1.5 * letters else text


def _deflated(text: str) -> Json | None:
    """`text`, compressed; None where it repeats itself so much that nobody would read it again."""
    data = zlib.compress(text.encode("utf-8", "surrogatepass"), FAST)
    written = base64.b64encode(data).decode()
    return (
        {"z": written} if len(text) <= MOST_TIMES * len(written) < MOST_TIMES * len(text) else None
    )


# -- from the log


def _inflated(handle: Json) -> str:
    """Raises Lost."""
    written = handle.get("z")
    stream = zlib.decompressobj()
    try:
        data = base64.b64decode(written, validate=True) if isinstance(written, str) else b""
        text = stream.decompress(data, 4 * MOST_TIMES * len(str(written)))
        if not stream.eof:
            raise Lost(handle.get("of"))
        return text.decode("utf-8", "surrogatepass")
    except (ValueError, zlib.error):
        raise Lost(handle.get("of")) from None


def _whole_arguments(text: object, number: int, lost: list[int]) -> object:
    if not isinstance(text, dict):
        return text
    try:
        return _inflated(text)
    except Lost:
        lost.append(number)
        return "{}"


def _whole(call: _Call, hunks: object, lost: list[int]) -> object:
    """What `hunks` stand for; in `lost` go the numbers of records that are needed for it."""
    if isinstance(hunks, dict):
        number, place = hunks.get("of"), hunks.get("diff")
        known = call.hunks.get((_number(number), _number(place)))
        if known is not None and call.may_give(_size(known)):
            return known
        lost.append(_number(number))
        return [{"old_start": 1, "new_start": 1, "lines": [LOST]}]
    if not isinstance(hunks, list):
        return hunks
    return _with_lines(hunks, lambda lines: _whole_lines(call, lines, lost))


def _whole_lines(call: _Call, lines: list[object], lost: list[int]) -> Iterator[object]:
    for line in lines:
        if not isinstance(line, dict):
            yield line
            continue
        try:
            yield from _read(call, line)
        except Lost as error:
            lost.append(error.number)
            yield LOST


def _read(call: _Call, handle: Json) -> list[str]:
    """The lines at a place. Raises Lost."""
    at, length, mark = handle.get("at"), handle.get("length"), handle.get("mark")
    if "z" in handle:
        return _inflated(handle).split("\n")
    data: Any = call.data() if call.number and handle.get("of") == call.number else None
    try:
        for key in handle["in"]:
            data = data[key]
    except (LookupError, TypeError):
        data = None
    if not (
        isinstance(data, str)
        and type(at) is int
        and type(length) is int
        and isinstance(mark, str)
        and 0 <= at <= at + length <= len(data)
        and len(mark) <= 1
        and call.may_give(length)
    ):
        raise Lost(handle.get("of"))
    return [f"{mark}{line}" for line in data[at : at + length].split("\n")]
