"""Ctrl+G."""

from __future__ import annotations

from agent_tui.structures import chips
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import EditDraft
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, then
from agent_tui.tui.prompt import composer, history_prompt, pastes


@command(keys=("ctrl+g",), slash=False, rank=53)
def editor(model: Model, _: str) -> Step:
    """Edit the prompt in your own editor: $VISUAL or $EDITOR if it is set, or nano, vim, vi or
    emacs. When you close it, its text is the prompt; what you save there is the draft at once."""
    text = chips.expand(model.composer.draft, model.composer.chips)
    saved = composer.save(model)  # before the editor begins: what stands there is on record then
    return then(saved, (saved[0], (EditDraft(text),)))


@command(keys=("ctrl+r",), argument="[text]", rank=53)
def history(model: Model, args: str) -> Step:
    """Search earlier prompts while you type, those of this folder first. Ctrl+R or ↑ goes to an
    older one, ↓ to a newer one. Enter or Tab takes it, Esc cancels."""
    return history_prompt.begin(model, args)


@command(keys=("ctrl+v", "alt+v"), slash=False, rank=67)
def paste_image(model: Model, _: str) -> Step:
    """Paste the image from the clipboard. If there is none: paste the text that was cut here."""
    return pastes.paste_clipboard(model)
