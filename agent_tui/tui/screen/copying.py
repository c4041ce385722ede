"""What is said of a copy once it is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import ClipboardSet
from agent_tui.protocol.ops import SetClipboard
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import Copied
from agent_tui.tui.core.step import Step, send, then, toast

TERMINAL_BYTES: Final = 74_994
"""What surely gets through: many terminals cut what they are sent for the clipboard at 100,000
bytes of Base64."""
LETTERS: Final = "abcdefghijklmnop"
"""Keys of the pieces of code in the list; `q` and `w` mean something else there."""
FILE_SECONDS: Final = 8.0


def copied(model: Model, msg: Copied) -> Step:
    """The terminal was told. The machine's own clipboard gets it too, for terminals that do not
    listen."""
    size = len(msg.text.encode("utf-8", "replace"))
    long = size > TERMINAL_BYTES
    words = _counted(msg.chars)
    more = f"; a terminal may take only {TERMINAL_BYTES:,} of its {size:,} bytes" if long else ""
    step = toast(
        replace(model, copied=msg.chars, long_copy=long),
        words + more,
        "warning" if long else "good",
    )
    return then(step, send(step[0], SetClipboard(msg.text))) if msg.text else step


def _counted(chars: int) -> str:
    return f"copied {chars:,} character{'' if chars == 1 else 's'}"


def written(model: Model, path: str, problem: str, note: str = "") -> Step:
    """The file `path` was written, or could not be; `note`: what is not in it."""
    if problem:
        return toast(model, f"not written: {problem}", "bad", FILE_SECONDS)
    about = f" ({note})" if note else ""
    return toast(model, f"written to {path}{about}", "warning" if note else "good", FILE_SECONDS)


def clipboard_set(model: Model, data: ClipboardSet) -> Step:
    """The engine has used a clipboard tool: who has the copy. The terminal says nothing."""
    words = _counted(model.copied)
    if data.tool and model.long_copy:  # no worry about the terminal any more
        words += f" with {data.tool}"
    if data.tmux:
        return toast(model, f"{words} (tmux buffer too)", "good")
    if data.problem:
        return toast(model, f"sent to the terminal only: {data.problem}", "warning", FILE_SECONDS)
    if data.tmux is False and not data.tool:
        return toast(model, "sent to the terminal; tmux may block it", "warning", FILE_SECONDS)
    return toast(model, words, "good") if data.tool and model.long_copy else (model, ())
