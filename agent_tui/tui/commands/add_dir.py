"""Folders beside the session's own."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.ops import SetDirectory
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, toast

REMOVE: Final = "--remove"


@command(argument="[path]", rank=58)
def add_dir(model: Model, args: str) -> Step:
    """Let the agent work in another folder too, also after a resume. Its AGENTS.md is read. --remove and its
    path removes it again; without a path they are listed."""
    word, _, rest = args.partition(" ")
    removes = word == REMOVE
    path = _unquoted((rest if removes else args).strip())
    if removes and not path:
        return toast(model, f"type the folder after {REMOVE}; /add-dir lists them", "warning")
    if path.startswith("--"):
        return toast(model, f"no {path.split()[0]}; there is {REMOVE}", "warning")
    return send(model, SetDirectory(path, removes))


def _unquoted(text: str) -> str:
    """A path may stand in quotes, as in a shell."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
