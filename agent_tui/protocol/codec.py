"""Events to JSON records and back: the only validation at the boundary (pydantic over the stdlib dataclasses).

A record is one JSON object: `v` (format), `n`, `at`, `type`, the ids, the event's own fields, and `c`, the CRC-32 of
the record without `c`. Fields at their default are left out. What this version does not know comes back unchanged.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from agent_tui.protocol.events import AnyEvent, Event, Unknown

VERSION: Final = 1


class BadRecord(ValueError):
    """A line that is no record: the message says what is wrong with it."""


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(Annotated[AnyEvent, Field(discriminator="type")])


def _defaults(event: Event) -> set[str]:
    """The event's own fields that say nothing (nested values stay whole: their `type` tells them apart)."""
    return {
        f.name
        for f in dataclasses.fields(event)
        if f.name != "type" and (f.default == getattr(event, f.name) or getattr(event, f.name) in ((), {}))
    }


def dump(event: Event) -> dict[str, Any]:
    """The event as plain JSON data."""
    if isinstance(event, Unknown):
        return dict(event.raw)
    data: dict[str, Any] = _adapter().dump_python(event, mode="json", exclude=_defaults(event))
    return {"v": VERSION, "n": event.n, "at": event.at, "type": data.pop("type"), **data}


def load(data: dict[str, Any]) -> Event:
    """The event in `data`; `Unknown` for a type or a shape of a newer version."""
    try:
        event: Event = _adapter().validate_python({k: v for k, v in data.items() if k not in ("v", "c")})
        return event
    except ValidationError as error:
        known = data.get("v", VERSION) <= VERSION and error.errors()[0]["type"] != "union_tag_invalid"
        if known:
            first = error.errors()[0]
            raise BadRecord(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        return Unknown(n=int(data.get("n", 0)), at=float(data.get("at", 0.0)), raw=data, type=str(data.get("type")))


def encode(event: Event) -> bytes:
    """One line of a log, with its checksum and line end."""
    data = dump(event)
    data.pop("c", None)
    body = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return f'{body[:-1]},"c":{zlib.crc32(body.encode())}}}\n'.encode()


def decode(line: bytes) -> Event:
    """The event in one line of a log. Raises BadRecord."""
    try:
        data = json.loads(line)
    except ValueError as error:
        raise BadRecord(f"not JSON: {error}") from None
    if not isinstance(data, dict) or "type" not in data:
        raise BadRecord("not a record")
    body, mark, tail = line.rstrip(b"\r\n").rpartition(b',"c":')
    if not mark or not tail[:-1].isdigit() or zlib.crc32(body + b"}") != int(tail[:-1]):
        raise BadRecord("checksum differs")
    return load(data)
