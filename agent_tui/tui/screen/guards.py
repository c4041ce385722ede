"""When a key is meant for what appeared by itself, and when it rather belongs to what was typed
before."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import KeyPressed

ALT: Final = "alt+"
BURST_SECONDS: Final = 0.3
"""A key answers only so long after the key before it, and after a sheet that nobody asked for
appeared."""
ENTER_SECONDS: Final = 0.6
"""Enter answers so long after what it answers appeared: a letter, which is held for a while, takes
no less."""
RUN_SECONDS: Final = 1.0
"""So long after a sheet or a question appeared, keys may still belong to those pressed before it.
"""
QUIET_SECONDS: Final = 0.5
"""So long without a key before Enter, or a letter, answers: who presses Enter again and again has
read nothing."""
STEADY_SECONDS: Final = 1.2
"""So long after the last one, Enter belongs to a row of Enters: who steers presses it once a
second. What cannot be taken back, and what asked first, is done by none of a row."""
REPEAT_SECONDS: Final = 0.1
"""Keys that come faster are repeated by one that is held down."""


def is_meant(model: Model, msg: KeyPressed, shown_at: float, before: float) -> bool:
    """Whether Enter or an arrow is meant for what appeared by itself at `shown_at`. It is not where
    it ends a word, is one of a row of keys that began before, or is repeated by a finger that rests
    on it. `before`: when the key before it was pressed."""
    since = msg.at - shown_at
    pause = BURST_SECONDS if since < RUN_SECONDS else REPEAT_SECONDS
    early = msg.blind or min(since, msg.at - model.typed_at) < BURST_SECONDS
    if msg.key == "enter":
        early = early or since < ENTER_SECONDS or msg.at - model.moved_at < BURST_SECONDS
        pause = QUIET_SECONDS
    return not early and msg.at - before >= pause


def is_quiet(msg: KeyPressed, before: float) -> bool:
    """Whether `msg` begins anew: no key came for a while. `before`: when the key before it was
    pressed."""
    return msg.at - before >= QUIET_SECONDS


def is_command(draft: str) -> bool:
    """Whether a command is being written: a path has a second slash."""
    return draft.startswith("/") and "/" not in draft[1:].partition(" ")[0]


def enter_takes(model: Model) -> bool:
    """Whether Enter is for the row of a sheet that stays while words are typed: not right after
    those words."""
    shown_at = model.overlay.shown_at if model.overlay is not None else 0.0
    return (
        not model.composer.draft.strip()
        or model.moved_at > model.typed_at
        or model.typed_at <= shown_at
    )
