"""The prompt: what it holds, its history, and what it is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import Answer, QueueEdit, SaveDraft, SetModel
from agent_tui.tui.effects import Remember, Send
from agent_tui.tui.model import Completion, Composer, Model, Overlay, Purpose
from agent_tui.tui.update.step import Step, send, then, toast

MAX_HISTORY: Final = 1_000


def changed(model: Model, text: str, caret: int) -> Model:
    """The prompt holds `text`."""
    composer = model.composer
    if text == composer.draft:
        return replace(model, composer=replace(composer, caret=caret))
    browsing = composer.browsing
    if browsing >= 0 and text != composer.text:
        browsing = -1
    composer = replace(composer, draft=text, caret=caret, browsing=browsing)
    return replace(model, composer=composer, completion=Completion())


def save(model: Model) -> Step:
    """Tell the engine of the draft, if it is one for the model and another than it was told: it survives a kill."""
    composer = model.composer
    if composer.purpose is not None or composer.draft == composer.saved:
        return model, ()
    return replace(model, composer=replace(composer, saved=composer.draft)), (Send(SaveDraft(composer.draft)),)


def write(model: Model, text: str, caret: int = -1) -> Model:
    """Make the prompt hold `text`, with the caret at its end unless said otherwise."""
    at, rev = caret if caret >= 0 else len(text), model.composer.rev + 1
    composer = replace(model.composer, draft=text, caret=at, text=text, place=caret, rev=rev, browsing=-1)
    return replace(model, composer=composer, completion=Completion())


def give_back(model: Model, text: str) -> Model:
    """Return `text` to the prompt, unless something was typed there since (the history has it anyway)."""
    composer = model.composer
    if composer.purpose is not None:
        return model if composer.stash else replace(model, composer=replace(composer, stash=text))
    return model if composer.draft else write(model, text)


def spent(model: Model, text: str) -> Step:
    """`text` was used: the prompt is empty, the history has it."""
    composer = model.composer
    history = composer.history
    if text.strip() and (not history or history[-1] != text):
        history = (*history, text)[-MAX_HISTORY:]
    model = replace(model, composer=replace(composer, history=history))
    effects = (Remember(text),) if text.strip() else ()
    return (write(model, "") if composer.draft or composer.browsing >= 0 else model), effects


def cleared(model: Model) -> Step:
    """Empty the prompt; the history keeps what it held, unless that was not for the model."""
    if model.composer.purpose is not None:
        return write(model, ""), ()
    return spent(model, model.composer.draft)


def ask(model: Model, purpose: Purpose) -> Model:
    """Use the prompt for `purpose`; the draft is put aside."""
    if model.composer.purpose is not None:
        model = leave(model)
    model = replace(model, composer=replace(model.composer, stash=model.composer.draft, purpose=purpose))
    return write(model, "")


def leave(model: Model) -> Model:
    """The prompt is for the model again, and holds what it held."""
    stash = model.composer.stash
    return write(replace(model, composer=replace(model.composer, purpose=None, stash="")), stash)


def answered(model: Model, purpose: Purpose, text: str) -> Step:
    """The prompt was sent while it had a purpose."""
    if purpose.kind == "search":  # it acts as it is typed
        return model, ()
    said = text.strip()
    if not said and purpose.kind != "deny":
        return toast(model, "type an answer, or press Esc")
    model = leave(model)
    match purpose.kind:
        case "deny":
            return send(model, Answer(purpose.id, "no", said))
        case "say" | "argument":
            return send(model, Answer(purpose.id, "say", said))
        case "address":
            asked = SetModel("", base_url=said)
            if model.transcript.model:
                model = replace(model, overlay=None)
                return then(send(model, asked), toast(model, f"asking {said} …"))
            return send(replace(model, overlay=Overlay("first_run", note=f"asking {said} …")), asked)


def dismissed(model: Model) -> Step:
    """Esc while the prompt has a purpose."""
    purpose = model.composer.purpose
    model = leave(model)
    if purpose is not None and purpose.kind == "argument":
        return send(model, Answer(purpose.id, "no"))
    return model, ()


def browse(model: Model, step: int, draft: str) -> Step:
    """Up or Down at the edge of the prompt: the history, or the newest queued prompt."""
    composer = model.composer
    if composer.purpose is not None:
        return model, ()
    if step < 0 and not draft and composer.browsing < 0 and model.queue:
        return take_back(model)
    at = len(composer.history) if composer.browsing < 0 else composer.browsing
    kept = draft if composer.browsing < 0 else composer.kept
    at += step
    if at < 0 or (step > 0 and composer.browsing < 0):
        return model, ()
    if at >= len(composer.history):
        return write(model, kept), ()
    return _show(model, at, kept), ()


def take_back(model: Model) -> Step:
    """The newest queued prompt leaves the queue and is in the prompt again."""
    last = model.queue[-1]
    return send(write(replace(model, taken=model.taken | {last.id}), last.text), QueueEdit("remove", id=last.id))


def _show(model: Model, at: int, kept: str) -> Model:
    shown = write(model, model.composer.history[at])
    composer: Composer = replace(shown.composer, browsing=at, kept=kept)
    return replace(shown, composer=composer)


def loaded(model: Model, entries: tuple[str, ...]) -> Model:
    """The history of earlier sessions came; what was sent since is newer."""
    history = (*entries, *model.composer.history)[-MAX_HISTORY:]
    return replace(model, composer=replace(model.composer, history=history, browsing=-1))
