"""`/log`: what the program wrote down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.present.wording import size
from agent_tui.protocol.answers import LogLine
from agent_tui.structures import late
from agent_tui.structures.tone import Tone
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

LEVELS: Final[Mapping[str, Tone]] = {
    "error": "bad",
    "critical": "bad",
    "warning": "warning",
    "debug": "dim",
    "info": "normal",
    "record": "dim",
}
IDS: Final = late.pattern(r'"(?:session|run|trace)": "[0-9a-f-]*",? ?')
"""What each line of a session has alike; below the list, and in a copy, a line is whole."""


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """Lines of the program's log and records of the session, oldest first."""
    found = model.transcript.answers.log
    for number, line in enumerate(found.lines if found is not None else ()):
        label, about = IDS.sub("", _whole(line)), f"{line.source}: {line.text}"
        yield Entry(str(number), label, about=about, tone=LEVELS.get(line.level.lower(), "normal"))


def _whole(line: LogLine) -> str:
    return f"{line.at}  {line.level.lower():<7}  {line.text}"


def _note(model: Model, _: Overlay) -> str:
    """What of the log is not in the list."""
    found = model.transcript.answers.log
    return (
        f"without {size(found.left)} of older lines" if found is not None and found.left > 0 else ""
    )


def _copy(model: Model, _: Overlay, row: Entry) -> Step:
    found = model.transcript.answers.log
    return model, (Copy(_whole(found.lines[int(row.id)])),) if found is not None else ()


@command(aliases=("logs",), argument="[search]", rank=59)
def log(model: Model, args: str) -> Step:
    """Show the program's log and the records of this session, newest last. Enter copies a line, F5
    refreshes."""
    return open_sheet(model, "log", args)


SHEET: Final = Sheet(
    "Log",
    _rows,
    (Action("copy", TAKES, "copy", _copy),),
    (log,),
    query="log",
    newest_last=True,
    about_lines=3,
    note=_note,
    refreshes=True,
)
