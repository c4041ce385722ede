"""Records of answers as they have always been written, where that is not how the classes are: read and written so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Json = dict[str, Any]

BARE: Final = {"skills": "skills", "tree": "branches"}
"""Kinds whose data is the list in this field."""


def kind(written: str) -> str:
    """What the kind is called now: to undo and to redo were told of in two."""
    return "undo" if written == "redo" else written


def as_fields(kind: str, data: Any) -> Any:
    """The fields of an answer that was written as `data`; what is none of the old shapes stays as it is."""
    if kind in BARE and isinstance(data, list | tuple):
        return {BARE[kind]: data}
    if kind == "sessions" and isinstance(data, list | tuple):
        return {"sessions": data, "cwd": next((one["cwd"] for one in data if _began_here(one)), "")}
    if kind == "models" and isinstance(data, Mapping):
        return _models(data)
    return data


def as_written(kind: str, fields: Json) -> Any:
    """The `fields` of an answer as they are written; what nobody looked for is left out."""
    return fields[BARE[kind]] if kind in BARE else {name: own for name, own in fields.items() if own is not None}


def _began_here(session: Any) -> bool:
    return isinstance(session, Mapping) and isinstance(session.get("cwd"), str) and session.get("here", True) is True


def _models(data: Mapping[str, Any]) -> Json:
    """What a model can do stood with its price; `window` was what it could hold, `room` what is used of that."""
    facts, offered = data.get("facts"), data.get("offered")
    if not isinstance(facts, Mapping) or not isinstance(offered, list | tuple):
        return dict(data)
    return {**data, "offered": [_model(one, facts) if isinstance(one, Mapping) else one for one in offered]}


def _model(one: Mapping[str, Any], facts: Mapping[str, Any]) -> Json:
    known = facts.get(str(one.get("name")))
    able = {name: known[name] for name in ("thinking", "images") if name in known} if isinstance(known, Mapping) else {}
    room = {"window": one["room"], "window_max": one.get("window")} if "room" in one else {}
    return {**able, **one, **room}
