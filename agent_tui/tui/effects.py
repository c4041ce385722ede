"""What the core wants done. Imperatives, plain data; only the runtime performs them."""

from __future__ import annotations

from dataclasses import dataclass

from agent_tui.protocol.ops import Op


@dataclass(frozen=True, slots=True)
class Send:
    """Give `op` to the engine."""

    op: Op


@dataclass(frozen=True, slots=True)
class Quit:
    pass


@dataclass(frozen=True, slots=True)
class Copy:
    """Put `text` on the clipboard (OSC 52)."""

    text: str


@dataclass(frozen=True, slots=True)
class CopySelection:
    """Put what the mouse selected on the clipboard."""


@dataclass(frozen=True, slots=True)
class Remember:
    """Add `text` to the prompt history."""

    text: str


@dataclass(frozen=True, slots=True)
class ExpireToast:
    """Say `ToastExpired(number)` after `seconds`."""

    number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Scroll:
    """Move the transcript: `page_up`, `page_down`, `top`, `end`."""

    where: str


@dataclass(frozen=True, slots=True)
class Type:
    """Let the prompt handle a key by itself (text typed while a dialog was not yet answering). `key` is Textual's name
    for it, for keys that type no character (`backspace`)."""

    character: str
    key: str = ""


Effect = Send | Quit | Copy | CopySelection | Remember | ExpireToast | Scroll | Type
