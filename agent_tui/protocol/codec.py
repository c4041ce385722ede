"""Events to JSON records and back: the only validation at the boundary (pydantic over the stdlib
dataclasses).

A record is one JSON object: `v` (format), `n`, `at`, `type`, the ids, the event's own fields, and
`c`, the CRC-32 of the record without `c`. Fields at their default are left out. What this version
does not know comes back unchanged.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, get_args

from pydantic import Field, TypeAdapter, ValidationError

from agent_tui.protocol.answers import AnswerData
from agent_tui.protocol.events import Answered, AnyEvent, Event, QueueChanged, Unknown

VERSION: Final = 2
"""The newest format of a record that is read: it names texts of others (`log/text_handles`)."""
WHOLE: Final = 1
"""That of a record that holds all of its texts."""
ANSWERED: Final = "answered"
LATEST: Final = 253_402_300_800.0
"""Seconds since the epoch that a calendar still has a date for (the end of the year 9999)."""

PIECE: Final = 65_536
"""Characters of a text that are encoded in one go: less than a millisecond."""

_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))


class BadRecord(ValueError):
    """A line that is no record: the message says what is wrong with it."""


@cache
def _adapter() -> TypeAdapter[Event]:
    return TypeAdapter(Annotated[AnyEvent, Field(discriminator="type")])


KINDS: Final[dict[str, type[AnswerData]]] = {kind.type: kind for kind in get_args(AnswerData)}
"""The class of each kind of answer."""


@cache
def _answer_adapter(kind: str) -> TypeAdapter[dict[str, object]]:
    """For `{"data": answer}`. Made for a kind when one is written or read: there are many, and most
    never are."""
    found: Any = KINDS[kind]
    return TypeAdapter(dict[str, found])


@cache
def _own_fields(kind: str) -> frozenset[str]:
    """The names of the fields that event type `kind` has in this version; empty for a type it does
    not know."""
    for event in get_args(AnyEvent):
        own = {f.name: f for f in dataclasses.fields(event)}
        if own["type"].default == kind:
            return frozenset(own) - {"newer"}
    return frozenset()


def _left_out(event: Event) -> set[str]:
    """The event's own fields that say nothing (nested values stay whole: their `type` tells them
    apart)."""
    return {f.name for f in dataclasses.fields(event) if f.name == "newer" or _is_default(event, f)}


def _is_default(event: Event, own: dataclasses.Field[object]) -> bool:
    if own.name == "type":
        return False
    default = own.default if own.default_factory is dataclasses.MISSING else own.default_factory()
    return bool(default == getattr(event, own.name))


def dump(event: Event) -> dict[str, object]:
    """The event as plain JSON data."""
    if isinstance(event, Unknown):
        return dict(event.raw)
    data: dict[str, Any] = _adapter().dump_python(
        event, mode="json", exclude=_left_out(event) | {"data"}
    )
    if isinstance(event, QueueChanged):
        for item in data.get("items", ()):
            if not item["pastes"]:  # a later field: without pastes the record is as before
                del item["pastes"]
    if isinstance(event, Answered):
        fields = _answer_adapter(event.kind).dump_python({"data": event.data}, mode="json")["data"]
        data |= {"kind": event.kind, "data": as_written(event.kind, fields)}
    return {
        "v": WHOLE,
        "n": event.n,
        "at": event.at,
        "type": data.pop("type"),
        **data,
        **(event.newer or {}),
    }


def load(data: dict[str, object]) -> Event:
    """The event in `data`; `Unknown` for a type, a kind of answer, or a shape in a newer format,
    that this version does not know.

    Raises BadRecord: a field is missing or has the wrong type, in a format that this version knows.
    """
    version, kind, at = data.get("v", VERSION), data.get("type"), data.get("at", 0.0)
    if type(version) is not int:
        raise BadRecord(f"v: {version!r} is not a version")
    if not isinstance(kind, str):
        raise BadRecord(f"type: {kind!r} is not a name")
    if isinstance(at, bool) or not isinstance(at, int | float) or not -LATEST < at < LATEST:
        raise BadRecord(f"at: {str(at)[:20]} is not a time")
    own = _own_fields(kind)
    if own and (kind != ANSWERED or _answer_kind(data) in KINDS):
        known = {k: v for k, v in data.items() if k in own}
        newer = {k: v for k, v in data.items() if k not in own and k not in ("v", "c")}
        try:
            if kind == ANSWERED:
                told = answer_kind(str(newer.pop("kind")))
                known |= _answer_adapter(told).validate_python(
                    {"data": as_fields(told, data.get("data"))}
                )
            return _adapter().validate_python({**known, "newer": newer or None})
        except ValidationError as error:
            if version <= VERSION:
                first = error.errors()[0]
                raise BadRecord(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    number = data.get("n", 0)
    if type(number) is not int:
        raise BadRecord(f"{kind}: n and at must be numbers, not {number!r} and {at!r}")
    return Unknown(n=number, at=float(at), raw=data, type=kind)


def _answer_kind(record: dict[str, object]) -> str:
    kind = record.get("kind")
    if not isinstance(kind, str):
        raise BadRecord(f"kind: {kind!r} is not a name")
    return answer_kind(kind)


def encode(event: Event) -> bytes:
    """One line of a log, with its checksum and line end."""
    return as_line(dump(event))


def as_line(record: Mapping[str, object]) -> bytes:
    """The line of a record."""
    data = {key: value for key, value in record.items() if key != "c"}
    body = _json(data).encode("ascii")
    return b"".join((memoryview(body)[:-1], b',"c":%d}\n' % zlib.crc32(body)))


def _json(data: dict[str, object]) -> str:
    """As compact JSON in ASCII. Long texts go in pieces: while C encodes one, no other thread of
    the program runs."""
    long = {
        key: value for key, value in data.items() if isinstance(value, str) and len(value) > PIECE
    }
    if not long:
        return _COMPACT.encode(data)
    parts = [_COMPACT.encode({key: value for key, value in data.items() if key not in long})[:-1]]
    for key, text in long.items():
        parts += (",", _COMPACT.encode(key), ':"')
        parts += (
            _COMPACT.encode(text[start : start + PIECE])[1:-1]
            for start in range(0, len(text), PIECE)
        )
        parts.append('"')
    return "".join((*parts, "}"))


def decode(line: bytes) -> Event:
    """The event in one line of a log. Raises BadRecord."""
    return load(record_in(line))


def record_in(line: bytes) -> dict[str, object]:
    """The record in one line of a log, as plain data. Raises BadRecord."""
    try:
        data = json.loads(line)
    except ValueError as error:
        raise BadRecord(f"not JSON: {error}") from None
    except RecursionError:
        raise BadRecord("not a record: nested too deeply") from None
    if not isinstance(data, dict) or "type" not in data:
        raise BadRecord("not a record")
    body, mark, tail = line.rstrip(b"\r\n").rpartition(b',"c":')
    if not mark or not tail[:-1].isdigit() or zlib.crc32(body + b"}") != int(tail[:-1]):
        raise BadRecord("checksum differs")
    return data


Json = dict[str, object]

BARE: Final = {"skills": "skills", "tree": "branches"}
"""Kinds whose data is the list in this field."""


def answer_kind(written: str) -> str:
    """What the kind is called now: to undo and to redo were told of in two."""
    return "undo" if written == "redo" else written


def as_fields(answer_kind: str, data: object) -> object:
    """The fields of an answer that was written as `data`; what is none of the old shapes stays as
    it is."""
    if answer_kind in BARE and isinstance(data, list | tuple):
        return {BARE[answer_kind]: data}
    if answer_kind == "sessions" and isinstance(data, list | tuple):
        return {"sessions": data, "cwd": next((one["cwd"] for one in data if _began_here(one)), "")}
    if answer_kind == "models" and isinstance(data, Mapping):
        return _models(data)
    return data


def as_written(answer_kind: str, fields: Json) -> object:
    """The `fields` of an answer as they are written; what nobody looked for is left out."""
    return (
        fields[BARE[answer_kind]]
        if answer_kind in BARE
        else {name: own for name, own in fields.items() if own is not None}
    )


def _began_here(session: object) -> bool:
    return (
        isinstance(session, Mapping)
        and isinstance(session.get("cwd"), str)
        and session.get("here", True) is True
    )


def _models(data: Mapping[str, object]) -> Json:
    """What a model can do stood with its price; `window` was what it could hold, `room` what is
    used of that."""
    facts, offered = data.get("facts"), data.get("offered")
    if not isinstance(facts, Mapping) or not isinstance(offered, list | tuple):
        return dict(data)
    return {
        **data,
        "offered": [_model(one, facts) if isinstance(one, Mapping) else one for one in offered],
    }


def _model(one: Mapping[str, object], facts: Mapping[str, object]) -> Json:
    known = facts.get(str(one.get("name")))
    able = (
        {name: known[name] for name in ("thinking", "images") if name in known}
        if isinstance(known, Mapping)
        else {}
    )
    room = {"window": one["room"], "window_max": one.get("window")} if "room" in one else {}
    return {**able, **one, **room}
