"""The session as a document."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.ops import Export
from agent_tui.tui.commands.base import command
from agent_tui.tui.commands.bug import OFF
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, then, toast

WAIT_SECONDS: Final = 60.0
"""A long session takes a while; the answer takes the place of these words."""


@command(argument="[path]", choices=lambda _: ("md", "html", "json"), free=True, rank=57)
def export(model: Model, args: str) -> Step:
    """Write the session to a new file in its folder: md, html or json, or a path that ends so. No file is
    overwritten: a number is added to the name."""
    if model.transcript.otr:
        return toast(model, OFF, "warning")
    said = toast(model, "writing …", seconds=WAIT_SECONDS)
    return then(said, send(said[0], Export(args)))
