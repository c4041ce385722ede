"""Answers of the engine, made from what a record of them says."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol import codec
from agent_tui.protocol.events import Answered


def answer_event(id: str, kind: str, data: Any, **whose: Any) -> Answered:
    """The answer `kind` to the query `id`."""
    event = codec.load({"type": "answered", "id": id, "kind": kind, "data": data, **whose})
    assert isinstance(event, Answered), f"there is no answer of the kind {kind}"
    return event


def session(id: str, title: str = "", **more: Any) -> dict[str, Any]:
    """What a record says of a session in a list."""
    return {
        "id": id,
        "title": title,
        "cwd": "/p",
        "at": 1.0,
        "turns": 1,
        "model": "fake/model",
        **more,
    }
