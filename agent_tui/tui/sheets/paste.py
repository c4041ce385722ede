"""What a chip of the prompt stands for. Its command is in `commands/prompt.py`: the footer names
its key."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.structures import chips
from agent_tui.structures.chips import Chip
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt.composer import MOST_EDITED
from agent_tui.tui.prompt.pastes import text_lines
from agent_tui.tui.sheets import CLOSES, Action, Body, Sheet


def _chip(model: Model, overlay: Overlay) -> Chip | None:
    return next((chip for chip in model.composer.chips if chip.label == overlay.note), None)


def _title(_: Model, overlay: Overlay) -> str:
    return overlay.note[1:-1].replace("\u00a0", " ")


def _body(model: Model, overlay: Overlay, _: int) -> Body:
    chip = _chip(model, overlay)
    return Body(text_lines(chip.text)) if chip is not None else Body()


def _label(_: Model, overlay: Overlay) -> str:
    return "name the file instead" if chips.is_image(overlay.note) else "expand"


def _expand(model: Model, overlay: Overlay, _: Entry) -> Step:
    """The text itself stands in the prompt."""
    chip, draft = _chip(model, overlay), model.composer.draft
    if chip is None or chip.label not in draft:
        return model, ()
    if len(chip.text) > MOST_EDITED:
        return toast(
            model,
            f"too long to edit here ({len(chip.text):,} characters); all of it is sent",
            "warning",
        )
    end = draft.index(chip.label) + len(chip.label)
    follows = draft[end : end + 1]
    text = chips.expand(draft[:end] + follows, (chip,))
    if chips.is_image(chip.label):  # it is wanted so: it does not become a chip again
        looked = dict.fromkeys((raw for raw, _ in chips.mentioned_images(f"{text} ")), "")
        model = replace(
            model, composer=replace(model.composer, looked={**looked, **model.composer.looked})
        )
    return composer.write(model, text + draft[end + 1 :], caret=len(text) - len(follows)), ()


SHEET: Final = Sheet(
    _title,
    actions=(Action("expand", ("enter",), _label, _expand, needs_row=False), CLOSES),
    typing="prompt",
    body=_body,
    broad=False,
)
