"""`/rewind`: where each turn began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.present.displays import diff_of
from agent_tui.present.wording import count, time_ago
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.structures import chips
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.screen import session_actions
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """Each turn, the newest first, and how many files were changed in it."""
    t, last = model.transcript, len(model.transcript.rows)
    for place in range(len(t.marks) - 1, -1, -1):
        mark = t.marks[place]
        shown = {  # all that there is of a session that another program has written
            diff.path
            for row in t.rows[mark.rows : last]
            if isinstance(row, ToolBlock) and (diff := diff_of(row.display)) is not None
        }
        paths = shown | set(mark.files)
        last = mark.rows
        when = time_ago(model.at - mark.at) if mark.at and model.at else ""
        files = count(len(paths), "file") + " changed" if paths else ""
        called = t.labels.get(mark.n, "")
        lines = chips.fold_pastes(mark.prompt, mark.pastes).splitlines()
        label = next((line.strip() for line in lines if line.strip()), "(went on)")
        yield Entry(
            str(mark.n), label, " · ".join(filter(None, (called, when, files))), mark.prompt
        )


def _show_changes(model: Model, _: Overlay, row: Entry) -> Step:
    return commands.find("undo").run(model, row.id)


@command(argument="[search]", rank=56)
def rewind(model: Model, args: str) -> Step:
    """Rewind to before an earlier turn: files, messages or both. First you see each file with its
    diff. The log keeps everything. Esc Esc on an empty prompt does the same."""
    if refused := session_actions.unable(model):
        return toast(model, refused, "warning")
    if not len(model.transcript.marks):
        return toast(model, "there is no turn to rewind yet")
    return open_sheet(model, "rewind", args)


SHEET: Final = Sheet(
    "Rewind to before which turn?",
    _rows,
    (Action("show", TAKES, "show changes", _show_changes),),
    (rewind,),
    about_lines=2,
)
