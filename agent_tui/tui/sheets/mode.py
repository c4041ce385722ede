"""What may run unasked, as a list. Its command is in `commands/mode.py`: the footer names its
key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.protocol.ops import MODES
from agent_tui.tui import commands
from agent_tui.tui.commands.mode import MEANING
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets import TAKES, Action, Sheet


def _now(model: Model) -> str:
    return model.mode_asked or model.transcript.mode


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    for name in MODES:
        yield Entry(name, name, f"{MEANING[name]}{' · in use' if name == _now(model) else ''}")


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    return commands.find("mode").run(model, row.id)


SHEET: Final = Sheet(
    "Modes", _rows, (Action("take", TAKES, "take", _take),), begin_on=_now, broad=False
)
