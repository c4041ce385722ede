"""`/files`: a file, for the prompt."""

from __future__ import annotations

from typing import Final

from agent_tui.structures import mention
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import composer
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet


def _arrange(model: Model, _: Overlay, picker: Picker, __: bool) -> Picker:
    """The paths stand in the engine's answer: they are no rows before they are found."""
    found = model.transcript.answers.files
    if found is None or (picker.files is not None and picker.files.corpus.paths is found.paths):
        return picker
    return picker.listing(found)


def _note(model: Model, _: Overlay) -> str:
    found = model.transcript.answers.files
    return found.note if found is not None else ""


def name_file(model: Model, _: Overlay, row: Entry) -> Step:
    """The file is named in the prompt, where the caret is."""
    now = model.composer
    before, after = now.draft[: now.caret], now.draft[now.caret :]
    gap = " " if before and not before[-1].isspace() else ""
    text = f"{before}{gap}{mention.write_mention(row.id)}{'' if after[:1].isspace() else ' '}"
    return composer.write(model, text + after, caret=len(text)), ()


@command(argument="[search]", rank=58)
def files(model: Model, args: str) -> Step:
    """Choose a file with a preview. Its name goes into the prompt, as with @."""
    return open_sheet(model, "files", args)


SHEET: Final = Sheet(
    "Files",
    lambda _, __: (),
    (Action("name", TAKES, "insert", name_file),),
    (files,),
    query="files",
    preview="file_preview",
    about_lines=8,
    always_about=True,
    note=_note,
    arrange=_arrange,
    waits=lambda _, overlay: overlay.picker is None or not overlay.picker.count,
)
