"""Copying: the list of answers and code to choose from, and what is said of a copy once it is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import ClipboardSet
from agent_tui.protocol.ops import SetClipboard, WriteFile
from agent_tui.tui.effects import Copy
from agent_tui.tui.model import Model, Overlay, Source
from agent_tui.tui.msg import Copied, KeyPressed
from agent_tui.tui.update.sources import sources
from agent_tui.tui.update.step import Step, send, then, toast

TERMINAL_BYTES: Final = 74_994
"""What surely gets through: many terminals cut what they are sent for the clipboard at 100,000 bytes of Base64."""
LETTERS: Final = "abcdefghijklmnop"
"""Keys of the pieces of code in the list; `q` and `w` mean something else there."""
FILE_SECONDS: Final = 8.0


def choose(model: Model, args: str) -> Step:
    """Copy answer number `args` (1: the last), or the only thing there is; else show what there is."""
    found = sources(model.transcript)
    if not found:
        return toast(model, "there is no answer to copy yet", "warning")
    if args:
        chosen = next((source for source in found if source.key and source.key == args.lstrip("0")), None)
        if chosen is None:
            count = sum(source.kind == "answer" for source in found)
            there = "there is one answer" if count == 1 else f"there are answers 1 to {count}"
            return toast(model, f"no answer {args!r}: {there}, 1 is the last", "warning")
        return model, (Copy(chosen.text),)
    if len(found) == 1:
        return model, (Copy(found[0].text),)
    return replace(model, overlay=Overlay("copy", sources=_keyed(found))), ()


def _keyed(found: tuple[Source, ...]) -> tuple[Source, ...]:
    """Answers are taken by their number (up to 9), code by a letter."""
    letters = iter(LETTERS)
    return tuple(
        replace(source, key=next(letters, "") if source.kind == "code" else source.key if len(source.key) == 1 else "")
        for source in found
    )


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the list is open. None: not a key for it."""
    found = overlay.sources
    selected = min(overlay.selected, len(found) - 1)
    if msg.key == "escape" or msg.character == "q":
        return replace(model, overlay=None), ()
    if msg.key in ("up", "down"):
        selected = (selected + (1 if msg.key == "down" else -1)) % len(found)
        return replace(model, overlay=replace(overlay, selected=selected)), ()
    chosen = next((source for source in found if msg.character and source.key == msg.character), None)
    if msg.key == "enter" or chosen is not None:
        return replace(model, overlay=None), (Copy((chosen or found[selected]).text),)
    if msg.character == "w":
        return send(replace(model, overlay=None), WriteFile(found[selected].file, found[selected].text + "\n"))
    return None


def copied(model: Model, msg: Copied) -> Step:
    """The terminal was told. The machine's own clipboard gets it too, for terminals that do not listen."""
    size = len(msg.text.encode("utf-8", "replace"))
    long = size > TERMINAL_BYTES
    words = _counted(msg.chars)
    more = f"; a terminal may take only {TERMINAL_BYTES:,} of its {size:,} bytes" if long else ""
    step = toast(replace(model, copied=msg.chars, long_copy=long), words + more, "warning" if long else "good")
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
