"""The prompt: other ways to write one, what is pasted into it, and those that wait."""

from __future__ import annotations

from agent_tui.structures import chips
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.effects import EditDraft
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.prompt import composer, history_prompt, pastes
from agent_tui.tui.prompt import queue as waiting
from agent_tui.tui.sheets.opening import open_sheet


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


def _paste_label(now: Situation) -> str:
    return f"show {'image' if chips.is_image(now.chip) else 'paste'}" if now.chip else ""


@command(keys=("f4",), slash=False, label=_paste_label, rank=25)
def paste(model: Model, args: str) -> Step:
    """Show the folded paste or image at the caret. Enter there expands it."""
    now = model.composer
    label = args or chips.label_at(now.draft, now.caret)  # or else the last one
    if not any(chip.label == label for chip in now.chips):
        return toast(model, "there is no pasted text in the prompt")
    return open_sheet(model, "paste", note=label)


def _queue_label(now: Situation) -> str:
    return "show queue" if now.queued else ""


@command(
    keys=("alt+q",),
    argument="[clear|pause|resume]",
    choices=lambda _: ("clear", "pause", "resume"),
    label=_queue_label,
    rank=25,
)
def queue(model: Model, args: str) -> Step:
    """List the queued prompts: edit, move, remove, send or pause them. /queue clear removes all."""
    match args:
        case "":
            return open_sheet(model, "queue") if model.waiting_prompts else waiting.say_empty(model)
        case "clear":
            return waiting.clear(model)
        case "pause" | "resume" if not model.queue:
            return waiting.say_empty(model)
        case "pause":
            return waiting.pause(model)
        case "resume":
            return waiting.resume(model)
        case _:
            return toast(model, "/queue lists what waits; /queue clear, pause, resume", "warning")
