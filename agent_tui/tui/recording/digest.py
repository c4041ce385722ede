"""A hash of the model and of what is seen of it: equal on every machine that was told the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from typing import Final, TypeVar

from agent_tui.protocol.transcript import Transcript
from agent_tui.structures.plain import plain
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import View
from agent_tui.tui.recording import masked
from agent_tui.tui.recording.frame import frame

T = TypeVar("T")
Shown = Callable[[Model], View]

NEWEST: Final = 256
"""Rows and marks of a transcript that are hashed; of the others their number. So it costs the same
at any length."""

SHORT: Final = 6
"""Digits of a hash that are enough to see a difference: one in 16 million goes unseen, until the
next check."""
LONG: Final = 4_096
"""Characters from which a text is hashed by itself, once: a model names the same pasted megabytes
in several places."""


def digests(live: Model, view: Shown) -> tuple[str, str]:
    """The hash of `live` and the hash of its frame, 32 hexadecimal digits each."""
    known, long = masked.model(live), dict[str, str]()

    def said(text: str) -> str:
        if len(text) < LONG:
            return masked.said(text)
        if text not in long:
            long[text] = f"{len(text)} characters {_hash(masked.said(text))}"
        return long[text]

    counts = {name: len(session.rows) for name, session in known.sessions.items()}
    # counted only where they are cut, so that the hashes of recordings without so many stay as they
    # were
    counts |= {
        f"{name} marks": n for name, t in known.sessions.items() if (n := len(t.marks)) > NEWEST
    }
    short = replace(
        known, sessions={name: _short(session) for name, session in known.sessions.items()}
    )
    return _hash([counts, plain(short, said)]), _hash(_frame(known, view))


def frame_of(live: Model, view: Shown) -> list[str]:
    """What is seen of `live`, in lines of its width."""
    return _frame(masked.model(live), view)


def _frame(known: Model, view: Shown) -> list[str]:
    return frame(view(known), known.width, known.height, known.composer.draft)


def _short(t: Transcript) -> Transcript:
    return replace(t, rows=_newest(t.rows), marks=_newest(t.marks))


def _newest(values: Vec[T]) -> Vec[T]:
    return Vec(values[len(values) - NEWEST :]) if len(values) > NEWEST else values


def _hash(data: object) -> str:
    if not isinstance(data, str):
        data = json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return blake2b(data.encode(errors="surrogatepass"), digest_size=16).hexdigest()
