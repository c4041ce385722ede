"""Chips in the editor: a label is one thing for the caret and for every edit (`structures/chips.py`)."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.widgets import TextArea

from agent_tui.structures import chips


class Chipped(TextArea, inherit_bindings=False, inherit_css=False):
    """The caret is never inside a label; what takes a part of one away takes all of it."""

    COMPONENT_CLASSES: ClassVar = {*TextArea.COMPONENT_CLASSES, "prompt--chip"}

    def chip_hit(self, label: str) -> None:
        """The mouse clicked on `label`."""

    def edit(self, edit: Edit) -> EditResult:
        first, last = sorted((edit.from_location, edit.to_location))
        given = first, last
        if given[0] == given[1]:  # nothing goes: what is put inside a label stands behind it
            wider = (self._outside(given[0], True),) * 2
        else:
            wider = self._outside(given[0], False), self._outside(given[1], True)
            if edit.text and wider != given:  # other letters for a part of a label: it has none
                return EditResult(self.cursor_location, "")
        if wider == given:
            return super().edit(edit)
        return super().edit(Edit(edit.text, wider[0], wider[1], edit.maintain_selection_offset))

    def _validate_selection(self, selection: Selection) -> Selection:
        start, end = super()._validate_selection(selection)
        forward = end >= self.selection.end
        return Selection(self._outside(start, forward), self._outside(end, forward))

    def _outside(self, location: Location, forward: bool) -> Location:
        row, column = location
        return row, chips.snapped(self.document[row], column, forward)

    def marked(self, drawn: Text, line: str) -> Text:
        """`line` as it is drawn, with its labels in their colour."""
        for begin, end in chips.spans(line):
            drawn.stylize(self.get_component_rich_style("prompt--chip"), begin, end)
        return drawn

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        row, column = self.get_target_document_location(event)
        line = self.document[row]
        await super()._on_mouse_down(event)
        for begin, end in chips.spans(line):
            if begin <= column < end:
                self.chip_hit(line[begin:end])
