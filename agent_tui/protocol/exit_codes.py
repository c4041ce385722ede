"""The exit codes of all commands, and what a turn came to as one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from agent_tui.protocol.transcript import TurnEnd

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
DENIED: Final = 3
LIMIT: Final = 4
UNSAVED: Final = 5
MAY_PASS: Final = 75
CANCELLED: Final = 130

_DONE: Final = {OK: "done", FAILED: "not done", USAGE: "usage"}
_TALK: Final = {
    OK: "done",
    FAILED: "failed",
    USAGE: "usage",
    DENIED: "an approval was needed, but nobody could give it",
    LIMIT: "a limit or a loop",
    UNSAVED: "done, but the session is not completely saved",
    MAY_PASS: "the provider failed; a later try may work",
    CANCELLED: "cancelled",
}
MEANINGS: Final[Mapping[str, Mapping[int, str]]] = {
    "run": _TALK,
    "chat": _TALK,
    "auth": _DONE,
    "bug": _DONE,
    "config": {**_DONE, FAILED: "not written"},
    "doctor": {OK: "no problems", FAILED: "problems found", USAGE: "usage"},
    "models": {**_DONE, CANCELLED: "interrupted"},
    "policy": {OK: "answered", USAGE: "usage"},
    "prompt": {OK: "printed", USAGE: "usage"},
    "replay": {**_DONE, FAILED: "the replay differs or is not possible"},
    "sessions": {**_DONE, FAILED: "not done, nothing found or damage found"},
    "setup": {**_DONE, CANCELLED: "interrupted"},
    "tools": {**_DONE, FAILED: "a custom tool is broken"},
    "trust": {**_DONE, FAILED: "not trusted or not saved"},
}
"""What each command's codes mean: the help and docs/usage.md are made from it."""


def summary(command: str) -> str:
    """The codes of a command, in one line."""
    return f"exit codes: {', '.join(f'{n} {text}' for n, text in MEANINGS[command].items())}"


def of_saving(code: int, unsaved: bool) -> int:
    """`code`, or where all went well but not all of the session is on disk the one that says so."""
    return UNSAVED if unsaved and code == 0 else code


def of_turn(state: TurnEnd, denied: bool, may_pass: bool) -> int:
    """`denied`: consent was asked for, and nobody could give it. `may_pass`: its failure may be
    over later."""
    match state:
        case "completed":
            return DENIED if denied else 0
        case "cancelled" | "interrupted":
            return CANCELLED
        case "max_steps" | "timed_out" | "budget_exceeded" | "stuck":
            return LIMIT
        case "error":
            return MAY_PASS if may_pass else FAILED
        case _:
            assert_never(state)
