"""The prompt: what it holds, its history, and what it is for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import Answer, Rename, SaveDraft
from agent_tui.protocol.transcript import EditedPrompt, Queued
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, Paste
from agent_tui.tui.core.effects import Remember, Send
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.prompt_state import Completion, Composer, Editing, Purpose
from agent_tui.tui.core.step import Step, send, then, toast

IN_HISTORY: Final = "not used: what you typed is in the history"
MAX_HISTORY: Final = 1_000
MOST_EDITED: Final = 50_000
"""Characters that the prompt holds unfolded: an editor wraps the line of its caret at each key."""
MOST_CHIPS: Final = 20
"""Chips that are remembered besides those in use, so that a prompt that is taken back has them
again."""
OPENS_LATER: Final = "starting: wait to edit the queue"
NEVER: Final = float("-inf")
MESSAGES: Final = frozenset(("allow", "say", "deny"))
"""What the prompt is for while it answers a question in words."""
SEARCHES: Final = frozenset(("search", "history"))
"""What the prompt is for while something is looked for as it is typed."""
FOR_MODEL: Final = MESSAGES | {"argument"}
"""What the prompt is for while the model will read what is typed."""
PRIVATE: Final = "!!"
"""What begins so goes into no file of ours."""


def change_text(model: Model, text: str, caret: int) -> Model:
    """The prompt holds `text`."""
    composer = model.composer
    if text == composer.draft:
        return replace(model, composer=replace(composer, caret=caret))
    browsing = composer.browsing
    if browsing >= 0 and text != composer.text:
        browsing = -1
    composer = replace(composer, draft=text, caret=caret, browsing=browsing)
    return replace(model, composer=composer, completion=Completion(), typed_at=model.at)


def save(model: Model) -> Step:
    """Tell the engine of the draft, if it is one for the model and another than it was told: it
    survives a kill."""
    composer, words, edited = model.composer, "", None
    purpose = composer.purpose
    draft = _own_words(composer)
    if composer.editing is not None:
        words, draft = _new_words(model, composer.editing, draft), composer.editing.stash
        edited = EditedPrompt(composer.editing.id, len(words)) if words else None
    if purpose is not None and purpose.kind in FOR_MODEL:
        draft = _above(composer.draft, draft)
    elif purpose is not None:
        if not (purpose.kept or _command_of(purpose)):
            return model, ()
        draft = _above(draft, _field_words(composer))  # never a command that swallows the draft
    draft = _above(words, draft) if edited else "" if draft.startswith(PRIVATE) else draft
    if (draft, edited) == (composer.saved, composer.saved_edit):
        return model, ()
    pasted = chips.chips_in(draft, composer.chips)
    return replace(model, composer=replace(composer, saved=draft, saved_edit=edited)), (
        Send(SaveDraft(draft, pasted, edited=edited)),
    )


def _command_of(purpose: Purpose) -> str:
    """The command that takes what is typed into this field, by which it can be typed again."""
    if purpose.kind == "action":
        return purpose.id
    return "rename" if purpose.kind == "title" and not purpose.id else ""


def _field_words(now: Composer) -> str:
    """What the person has written in a field that is not for the model, or the command by which it
    can be typed again. Nothing, if it holds what it was opened with; a search is no loss, and a
    secret is never kept."""
    purpose, written = now.purpose, now.draft.strip() and now.draft != now.text
    if purpose is None or not written or purpose.secret or purpose.kind in FOR_MODEL | SEARCHES:
        return ""
    command, words = _command_of(purpose), chips.expand(now.draft, now.chips)
    return f"/{command} {words}" if command else words


def remember_field(before: Model, model: Model) -> Step:
    """The field of `before` was left or emptied: the history has what was written there, and that
    is said."""
    words = _field_words(before.composer)
    if not words:
        return model, ()
    step = remember(model, words)
    return then(step, toast(step[0], IN_HISTORY))


def own_draft(model: Model) -> str:
    """What the person has written for the model and not sent, whatever the prompt is used for
    now."""
    now = model.composer
    edits = now.purpose is None and now.editing is not None
    return now.editing.stash if edits and now.editing is not None else _own_words(now)


def _new_words(model: Model, editing: Editing, new: str) -> str:
    """The words of a queued prompt that is edited, which the queue does not have yet: on record
    they stand above the draft that was put aside."""
    private = new.startswith(PRIVATE)
    return "" if not new.strip() or private or _is_queued(model, editing, new) else new


def _is_queued(model: Model, editing: Editing, words: str) -> bool:
    """Whether the queue has the prompt that is edited with these words."""
    queued = next((item for item in model.waiting_prompts if item.id == editing.id), None)
    return queued is not None and words == refold_text(model, queued.text, queued.pastes)[1]


def restore(model: Model, text: str, edited: EditedPrompt | None) -> Model:
    """The empty prompt holds the draft `text` of an earlier run; a queued prompt that was edited is
    edited again, if it still waits."""
    if edited is not None and any(item.id == edited.id for item in model.waiting_prompts):
        text, stash = text[: edited.length], text[edited.length :].removeprefix("\n\n")
        editing = Editing(edited.id, stash)
        model = replace(model, composer=replace(model.composer, editing=editing))
    return write(model, text)


def _above(new: str, stash: str) -> str:
    """What is on record of words and of the draft that was put aside for them. One of them may be
    private."""
    public = (text for text in (new, stash) if text.strip() and not text.startswith(PRIVATE))
    return "\n\n".join(public)


def refold_text(model: Model, text: str, pastes: Iterable[Paste]) -> tuple[Model, str]:
    """`text` that was sent, as the prompt holds it: what was a chip is one again, known or new."""
    now = model.composer
    known = {chip.text: chip for chip in now.chips}
    new, said = list[Chip](), list[str]()
    for label, words in chips.parts(text, pastes):
        if label and words not in known:
            known[words] = chips.paste_chip(now.chipped + len(new) + 1, words)
            new.append(known[words])
        said.append(known[words].label if label else chips.collapse(words, reversed(now.chips)))
    return keep_chips(model, *new) if new else model, "".join(said)


def prefill(model: Model, value: str) -> Model:
    """Offer the old value of a field: what is typed takes its place, and a key that moves keeps
    it."""
    model = write(model, value)
    return replace(model, composer=replace(model.composer, selected=bool(value)))


def write(model: Model, text: str, caret: int = -1) -> Model:
    """Make the prompt hold `text`, with the caret at its end unless said otherwise. What was a chip
    is one again."""
    if caret < 0 and text:
        text = chips.collapse(text, reversed(model.composer.chips))
        if len(text) > MOST_EDITED:
            model, chip = new_chip(model, chips.expand(text, model.composer.chips))
            text = chip.label
    at, rev = caret if caret >= 0 else len(text), model.composer.rev + 1
    composer = replace(
        model.composer,
        draft=text,
        caret=at,
        text=text,
        place=caret,
        rev=rev,
        browsing=-1,
        selected=False,
    )
    return replace(model, composer=composer, completion=Completion())


def give_back(model: Model, text: str, pastes: Iterable[Paste] = ()) -> Model:
    """Return `text` to the prompt, unless something was typed there since (the history has it
    anyway). The caret is behind it: who wants to add something has not lost a word."""
    model, text = refold_text(model, text, pastes)
    composer = model.composer
    if composer.editing is not None:
        kept = replace(composer.editing, stash=composer.editing.stash or text)
        return replace(model, composer=replace(composer, editing=kept))
    if composer.purpose is not None:
        return model if composer.stash else replace(model, composer=replace(composer, stash=text))
    return model if composer.draft else write(model, text)


def keep_put_aside(before: Model, model: Model) -> Step:
    """The prompt held an old one, and now holds other words: the draft that was put aside for it is
    in the history, unless it is the draft again."""
    was, now = before.composer, model.composer
    kept = was.kept if was.browsing >= 0 else ""
    here = (_own_words(now), now.stash, now.editing.stash if now.editing is not None else "")
    if not kept.strip() or now.browsing >= 0 or kept in here:
        return model, ()
    if was.editing is not None and _is_queued(before, was.editing, kept):
        return model, ()
    step = remember(model, chips.expand(kept, now.chips))
    if step[0] is model or model.toast is not before.toast:
        return step
    return then(step, toast(step[0], f"draft saved: {way_back(model)}"))


def use_text(model: Model, text: str) -> Step:
    """`text` was used. Where that was an old prompt, the draft that was put aside for it
    returns."""
    now = model.composer
    kept = now.kept if now.browsing >= 0 and now.editing is None else ""
    step = spend_text(model, text)
    if not kept.strip() or kept == text:
        return step
    back = write(step[0], kept)
    return replace(back, composer=replace(back.composer, returned_at=model.at)), step[1]


def keep_apart(model: Model) -> Model:
    """The prompt stays as it is, and who sent it may believe that it is empty."""
    return replace(model, composer=replace(model.composer, stayed=model.composer.draft))


def spend_text(model: Model, text: str) -> Step:
    """`text` was used: the prompt is empty, the history has it, with what its chips stand for."""
    composer = model.composer
    text = chips.expand(text, composer.chips)
    history = composer.history
    if text.strip() and (not history or history[-1] != text):
        history = (*history, text)[-MAX_HISTORY:]
    model = replace(
        model, composer=replace(composer, history=history, stayed="", looked={}), typed_at=NEVER
    )
    effects = (Remember(text),) if text.strip() and not text.startswith(PRIVATE) else ()
    return (write(model, "") if composer.draft or composer.browsing >= 0 else model), effects


def clear_prompt(model: Model) -> Step:
    """Empty the prompt; the history keeps what it held, unless that was not for the model."""
    purpose = model.composer.purpose
    if purpose is not None and purpose.kind not in FOR_MODEL:
        return remember_field(model, write(model, ""))
    step = spend_text(model, model.composer.draft)
    return replace(step[0], typed_at=model.at), step[1]


def empty_prompt(model: Model, more: str = "") -> Step:
    """Empty the prompt on the person's wish, and say how what it held comes back, and `more`."""
    step, purpose = clear_prompt(model), model.composer.purpose
    in_field = purpose is not None and purpose.kind not in FOR_MODEL
    if in_field and not _field_words(model.composer):
        return then(step, toast(step[0], "cleared"))
    return then(step, toast(step[0], f"cleared: {way_back(model)}{more}"))


def way_back(model: Model, prompts: int = 1) -> str:
    """How the newest prompts of the history come back."""
    it, are = ("them", "they are") if prompts > 1 else ("it", "it is")
    elsewhere = model.is_asking or model.queue or model.composer.purpose is not None
    return f"{are} in the history" if elsewhere else f"↑ brings {it} back"


def new_chip(model: Model, text: str) -> tuple[Model, Chip]:
    """A chip for `text`, which is known from now on."""
    chip = chips.paste_chip(model.composer.chipped + 1, text)
    return keep_chips(model, chip), chip


def keep_chips(model: Model, *new: Chip) -> Model:
    """The chips `new` are known; of old ones that are not in use only the newest still are."""
    now = model.composer
    used = chips.chips_in(
        "\n".join((now.draft, now.stash, now.kept, now.editing.stash if now.editing else "")),
        now.chips,
    )
    old = tuple(chip for chip in now.chips if chip.label not in {one.label for one in new})
    known = tuple(chip for n, chip in enumerate(old) if chip in used or n >= len(old) - MOST_CHIPS)
    chipped = max(
        (now.chipped, *(chips.number(chip.label) for chip in new if not chips.is_image(chip.label)))
    )
    return replace(model, composer=replace(now, chips=(*known, *new), chipped=chipped))


def ask(model: Model, purpose: Purpose) -> Model:
    """Use the prompt for `purpose`; the draft is put aside."""
    if model.composer.purpose is not None:
        model = leave(model)
    model = replace(
        model,
        composer=replace(model.composer, stash=_own_words(model.composer), purpose=purpose),
    )
    return write(model, "")


def leave(model: Model) -> Model:
    """The prompt is for the model again, and holds what it held."""
    stash = model.composer.stash
    return write(replace(model, composer=replace(model.composer, purpose=None, stash="")), stash)


def leave_message(model: Model) -> Step:
    """What was written for a question is the draft, or, if there is another one, in the history."""
    words, model = model.composer.draft, leave(model)
    return (
        remember(model, chips.expand(words, model.composer.chips))
        if model.composer.draft
        else (write(model, words) if words else model, ())
    )


def leave_field(model: Model) -> Step:
    """A question takes the field away. What was being written as a command goes on as one, and the
    draft is in the history; words of another field are there. A search is no loss, and a secret
    never was here."""
    now, purpose = model.composer, model.composer.purpose
    left, words = leave(model), _field_words(now)
    if purpose is None or not words:
        return left, ()
    if not _command_of(purpose):
        return remember(left, words)
    written = write(left, words)
    return remember(written, now.stash) if now.stash.strip() else (written, ())


def on_purpose_sent(model: Model, purpose: Purpose, text: str) -> Step:
    """The prompt was sent while it had a purpose."""
    if purpose.kind == "search" or purpose.kind == "history":  # they act as they are typed
        return model, ()
    said, pastes = chips.expand_chips(text.strip(), model.composer.chips)
    if not said.strip() and purpose.kind != "deny":
        return toast(model, "type an answer, or press Esc")
    model = leave(model)
    if model.dialog is not None and model.dialog.id == purpose.id:
        model = replace(model, dialog=replace(model.dialog, answered=True))
    match purpose.kind:
        case "allow" | "deny":
            return send(model, Answer(purpose.id, purpose.choice, said))
        case "say" | "argument":
            return send(model, Answer(purpose.id, "say", said, pastes))
        case "title":
            return send(model, Rename(said, session=purpose.id))
        case "sheet" | "action" | "save":  # `submit` takes them
            return model, ()


def dismiss(model: Model) -> Step:
    """Esc while the prompt answers something that is no sheet."""
    purpose = model.composer.purpose
    if purpose is not None and purpose.kind in MESSAGES:
        return leave_message(model)
    words, left = model.composer.draft, leave(model)
    if purpose is not None and purpose.kind == "argument":
        step = remember(left, chips.expand(words, left.composer.chips))
        return then(step, send(step[0], Answer(purpose.id, "no")))
    return remember_field(model, left)


def browse(model: Model, step: int, draft: str) -> Step:
    """Up or Down at the edge of the prompt: the history, or the newest queued prompt and from there
    the others."""
    composer = model.composer
    if composer.purpose is not None:
        return model, ()
    if (
        composer.editing is not None
        and (other := _neighbour(model, composer.editing, step)) is not None
    ):
        return other
    if (
        step < 0
        and not draft
        and composer.browsing < 0
        and composer.editing is None
        and model.queue
    ):
        return edit(model, model.queue[-1])
    first = step < 0 and not draft and composer.browsing < 0 and composer.editing is None
    if first and model.early:  # the history would give a copy of what waits
        return toast(model, OPENS_LATER)
    at = len(composer.history) if composer.browsing < 0 else composer.browsing
    kept = draft if composer.browsing < 0 else composer.kept
    at += step
    if at < 0 or (step > 0 and composer.browsing < 0):
        return model, ()
    if at >= len(composer.history):
        return write(model, kept), ()
    return _show(model, at, kept), ()


def _neighbour(model: Model, editing: Editing, step: int) -> Step | None:
    """The queued prompt before or after the one that is edited, as long as that is as it was; below
    the newest, the draft. None: there is no other, and it is the history's turn."""
    at = next((n for n, item in enumerate(model.queue) if item.id == editing.id), -1)
    shown = "" if at < 0 else refold_text(model, model.queue[at].text, model.queue[at].pastes)[1]
    changed = at < 0 or model.composer.draft != shown
    if changed or model.composer.browsing >= 0 or at + step < 0:
        return None
    below = at + step >= len(model.queue)
    return (leave_edit(model), ()) if below else edit(model, model.queue[at + step])


def edit(model: Model, item: Queued) -> Step:
    """A queued prompt is in the prompt, to be changed; it keeps its place in the queue, and the
    draft is put aside. Words that were for a question, or for another queued prompt, are the draft
    or in the history."""
    editing, purpose = model.composer.editing, model.composer.purpose
    if purpose is None and editing is not None and editing.id == item.id:
        return model, ()
    if purpose is not None and purpose.kind in FOR_MODEL:
        left = leave_message(model)
    else:
        left = leave_field(model) if purpose is not None else (model, ())
    model, effects = then(left, abandon_edit(left[0]))
    composer = replace(model.composer, editing=Editing(item.id, _own_words(model.composer)))
    return write(*refold_text(replace(model, composer=composer), item.text, item.pastes)), effects


def _own_words(composer: Composer) -> str:
    """What the person has written for the model, as a draft or as new words of a queued prompt,
    whatever the prompt is used for now. Where an old prompt is looked at, the history has that."""
    if composer.purpose is not None:
        return composer.stash
    return (composer.kept if composer.browsing >= 0 else "") or composer.draft


def abandon_edit(model: Model) -> Step:
    """The prompt that was edited stays as it was; other words for it are in the history."""
    now, editing = model.composer, model.composer.editing
    if editing is None:
        return model, ()
    text = chips.expand(_own_words(now), now.chips)
    same = any(item.id == editing.id and item.text == text for item in model.waiting_prompts)
    model = leave_edit(model)
    return (model, ()) if same else remember(model, text)


def leave_edit(model: Model) -> Model:
    """The prompt holds the draft again, now or after what it is used for."""
    composer = model.composer
    if composer.editing is None:
        return model
    stash = composer.editing.stash
    model = replace(model, composer=replace(composer, editing=None))
    if composer.purpose is None:
        return write(model, stash)
    return replace(model, composer=replace(model.composer, stash=stash))


def remember(model: Model, text: str) -> Step:
    """The history has `text`, so that nothing that was typed is lost."""
    history = model.composer.history
    if not text.strip() or (history and history[-1] == text):
        return model, ()
    composer = replace(model.composer, history=(*history, text)[-MAX_HISTORY:])
    kept = () if text.startswith(PRIVATE) else (Remember(text),)
    return replace(model, composer=composer), kept


def _show(model: Model, at: int, kept: str) -> Model:
    shown = write(model, model.composer.history[at])
    composer: Composer = replace(shown.composer, browsing=at, kept=kept)
    return replace(shown, composer=composer)


def on_editor_left(model: Model, text: str, problem: str) -> Step:
    """The person's editor was left. Without a text the draft stays as it was."""
    if problem:
        return toast(model, f"{problem}: your draft is unchanged", "warning", 8.0)
    same = text == chips.expand(model.composer.draft, model.composer.chips)
    return (model, ()) if same else (write(model, text), ())


def on_history_loaded(model: Model, entries: tuple[str, ...], again: bool = False) -> Model:
    """The history of earlier sessions came; what was sent since is newer. `again`: that is in it
    too."""
    now = model.composer
    history = entries if again else (*entries, *now.history)[-MAX_HISTORY:]
    if now.browsing < 0:
        return replace(model, composer=replace(now, history=history))
    shown = now.history[now.browsing]  # the draft is put aside meanwhile: go on from where we are
    at = next((n for n in reversed(range(len(history))) if history[n] == shown), -1)
    return replace(model, composer=replace(now, history=history, browsing=at)) if at >= 0 else model
