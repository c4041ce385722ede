"""What Gemini wants back with its own answers: which part of an answer carried which signature.

A signature belongs to the very part that it came with, so the parts are kept as runs over the settled text, thoughts
and calls: `{"model": …, "parts": [["text", length, signature], ["call", own id, signature], …]}`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from agent_tui.protocol.messages import AssistantMessage
from agent_tui.providers._translate import state_of

Kind = Literal["text", "thought", "call"]


@dataclass(frozen=True, slots=True)
class Run:
    """One part. `size`: the length of its text; of a call, 1 where its id is the server's own, else 0."""

    kind: Kind
    size: int
    signature: str = ""


class Runs:
    """The parts of an answer as they come. Text without a signature goes together; a signed part stays alone."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._kind: Kind | None = None
        self._size = 0
        """Of the text, or the thought, that may still go on; it is not among the runs yet."""

    def add(self, kind: Kind, size: int, signature: str = "") -> None:
        if kind == self._kind and not signature:
            self._size += size
        elif kind == "call" or signature:
            self._settle()
            self._runs.append(Run(kind, size, signature))
        elif size:
            self._settle()
            self._kind, self._size = kind, size

    def _settle(self) -> None:
        if self._kind is not None:
            self._runs.append(Run(self._kind, self._size))
        self._kind = None

    def state(self, model: str) -> str:
        """Empty where nothing of it is worth keeping."""
        self._settle()
        if not any(run.signature or (run.kind == "call" and run.size) for run in self._runs):
            return ""
        parts = [[run.kind, run.size, run.signature] if run.signature else [run.kind, run.size] for run in self._runs]
        return state_of({"model": model, "parts": parts})


def runs_of(given: AssistantMessage, provider: str, model: str) -> tuple[Run, ...]:
    """The parts of `given`; empty where it is another's (signatures hold for one model), or does not fit any more."""
    if given.provider != provider or not given.state:
        return ()
    try:
        kept = json.loads(given.state)
    except (ValueError, RecursionError):
        return ()
    parts = kept.get("parts") if isinstance(kept, dict) and kept.get("model") == model else None
    runs = tuple(run for part in parts if (run := _run(part))) if isinstance(parts, list) else ()
    sizes = {kind: sum(run.size for run in runs if run.kind == kind) for kind in ("text", "thought")}
    calls = sum(run.kind == "call" for run in runs)
    fits = (sizes["text"], sizes["thought"], calls) == (len(given.text), len(given.reasoning), len(given.calls))
    return runs if fits else ()


def _run(part: Any) -> Run | None:
    match part:
        case ["text" | "thought" | "call" as kind, int(size), *rest] if size >= 0:
            return Run(kind, size, rest[0] if rest and isinstance(rest[0], str) else "")
    return None
