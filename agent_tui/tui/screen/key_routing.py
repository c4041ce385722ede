"""One key: to the overlay, the dialog or the completion list if one of them is open, else to its
command. And keys that came in a row: how many of them are nothing but text, so that they are one
step."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from itertools import takewhile
from math import inf
from typing import Final

from agent_tui.registry import late
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import ClearSelection, Type
from agent_tui.tui.core.keymap import is_typed
from agent_tui.tui.core.model import Held, Model, VimMode
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.dialog import answer_keys, answering, refusals, typed_words, unread, words_line
from agent_tui.tui.prompt import completion, composer, history_prompt
from agent_tui.tui.prompt.queue import ANSWER_FIRST
from agent_tui.tui.screen import key_guards
from agent_tui.tui.transcript import search_prompt

with late():
    from agent_tui.tui.sheets import control, cursor, opening


WHEEL: Final = ("wheelup", "wheeldown")
NOT_ANSWERED: Final = "not answered: another key followed"
"""Alt and a letter, and at once another key, look like Esc and a word."""
MOVES = frozenset(("up", "down", "left", "right", "pageup", "pagedown"))
"""Keys that are aimed at a list or a question which takes them: another one of them may follow at
once."""


def on_key(model: Model, msg: KeyPressed) -> Step:
    """A key that was bound or grabbed."""
    if msg.key in WHEEL:
        return _wheeled(model, msg)
    before, name = (
        model.last_key,
        msg.character[-1:] or msg.key,
    )  # several letters at once are as many keys
    since_same = msg.at - model.pressed_at if name == model.last_name else inf
    model = replace(
        model,
        last_key=msg.at,
        pressed_at=msg.at,
        last_name=name,
        since_same=since_same,
        selection=msg.selection,
        idle_enter=_is_idle_enter(model, msg),
        seen=msg.seen,
        repeated=since_same < key_guards.REPEAT_SECONDS,
    )
    after, effects = _pressed(model, msg, before)
    elsewhere = not model.is_asking or bool(msg.draft)  # one that came too soon moves nothing
    goes_on = elsewhere or msg.at - model.arrow_at < key_guards.TYPING_SECONDS
    if msg.key in answer_keys.ARROWS and goes_on and not answer_keys.has_moved(after, msg.at):
        after = replace(after, arrow_at=msg.at)
    return replace(after, repeated=False, since_same=inf), effects


def _is_idle_enter(model: Model, msg: KeyPressed) -> bool:
    """Whether it is an Enter that sends nothing, and answers nothing."""
    refused = model.dialog is not None and model.dialog.refused_at > -inf
    return msg.key == "enter" and not msg.draft.strip() and (refused or not model.is_asking)


def _pressed(model: Model, msg: KeyPressed, before: float) -> Step:
    if is_text(msg.character) and not model.is_asking:
        model = replace(model, typed_at=msg.at)
    if msg.draft != model.composer.draft:
        model = composer.change_text(model, msg.draft, len(msg.draft))
    if model.is_asking:
        model = unread.mark_viewed_at(model, msg)
    if words_line.is_open(model) and refusals.holds_enter(model):
        return words_line.end_enter(model, msg)
    if refusals.holds_enter(model):
        model, effects = refusals.refuse_enter(model, refusals.NOT_ALONE)
        first = model, effects
        return first if msg.key == "enter" else then(first, _unheld(model, msg, msg.at))
    if words_line.holds_tab(model):
        first = words_line.end_tab(model, msg)
        return first if msg.key == "enter" else then(first, _unheld(first[0], msg, msg.at))
    if model.held is not None:
        if (
            msg.key == "enter"
            and (taken := _enter_held(model, model.held, msg, before)) is not None
        ):
            return taken
        if model.held.on and msg.key in ("pageup", "pagedown"):
            return _routed(model, msg, before)  # who reads on has still chosen
        if model.held.on and words_line.opens_line(model, msg, before):
            free = replace(key_guards.without_hint(model), held=None)
            return words_line.hold_tab(free, msg)  # words for the row that the letter has marked
        if model.held.on and msg.key == "backspace":
            taken_back = refusals.take_back(model)
            return _unheld(taken_back, msg, before) if msg.draft else (taken_back, ())
        if (marked := key_guards.keep_mark(model, model.held, msg)) is not None:
            return marked, ()
        later = msg.at - before > key_guards.ESCAPE_SECONDS
        if later and (begun := typed_words.begin_reason(model, model.held, msg)) is not None:
            return begun
        bound = msg.key in commands.bindings(model.keys)
        first = key_guards.end_hold(key_guards.without_hint(model), msg, bound)
        if msg.key == "enter":
            return first
        text = bool(first[1])  # else the letter was meant, and so is what comes after it
        if (
            model.held.on
            and model.held.key.startswith(key_guards.ALT)
            and msg.key != model.held.key
        ):
            first = then(first, toast(first[0], NOT_ANSWERED))
        if text and is_text(msg.character):
            before = msg.at  # slow as it was, it goes on with that word
        return then(first, _unheld(first[0], msg, before if text else -inf))
    return _unheld(model, msg, before)


def _enter_held(model: Model, held: Held, msg: KeyPressed, before: float) -> Step | None:
    """Enter while a key is held. It takes what waits for it: not within a paste. None: it ends a
    word."""
    alone = msg.draft in ("", held.character)  # what was typed is one letter: no word
    meant = not msg.blind and msg.at - before >= key_guards.REPEAT_SECONDS
    if held.on:
        seen = (
            model.dialog is not None and msg.at - model.dialog.shown_at >= key_guards.ENTER_SECONDS
        )
        return _take_held(model) if meant and seen else toast(model, refusals.TOO_SOON)
    return _take_held(model) if alone or (meant and held.due == inf) else None


def settle_held(model: Model, rested: bool = False) -> Step:
    """What a held key would answer may be gone by now: then it was text. `rested`: some time has
    passed, and it may answer."""
    held = model.held
    if held is None:
        return model, ()
    asks = model.is_asking or words_line.is_open(model)
    here = asks and model.dialog is not None and model.dialog.id == held.on
    if not here and (held.on or not model.is_covered or not _holds(model)):
        return key_guards.release_key(model)
    if not here and (said := control.lost_mark(model, held)) is not None:
        freed = replace(key_guards.without_hint(model), held=None)
        return toast(freed, said) if said else (freed, ())
    waiting = key_guards.await_due(model, held) if rested else (model, ())
    return _take_held(model) if waiting is None else waiting


def _take_held(model: Model) -> Step:
    held = model.held
    assert held is not None
    free = replace(model, held=None)
    taken: Step | None
    if words_line.is_open(free):
        taken = words_line.take_enter(free)
    elif words_line.holds_tab(model):
        taken = words_line.take_tab(free)
    elif held.on:
        taken = answering.take_held(free, held)
    else:
        taken = (
            control.take_held(free, free.overlay, held)
            if free.overlay is not None and free.is_covered
            else None
        )
    return key_guards.release_key(model) if taken is None else taken


def _unheld(model: Model, msg: KeyPressed, before: float) -> Step:
    if msg.key != "escape" or not msg.selection:
        return _routed(model, msg, before)
    if not (model.is_running or model.is_covered or model.is_asking):
        return model, (ClearSelection(),)
    return then((model, (ClearSelection(),)), _routed(model, msg, before))  # one Esc always stops


def _routed(model: Model, msg: KeyPressed, before: float) -> Step:
    name = commands.bindings(model.keys).get(msg.key)
    if (model.is_covered and not _calls(model, msg.key)) or model.is_asking:
        shown = model.overlay if model.is_covered else None
        if shown is None and words_line.opens_line(model, msg, before):
            return words_line.hold_tab(model, msg)
        taken = (
            answering.answer_key(model, msg, before)
            if shown is None
            else control.on_key(model, shown, msg, before)
        )
        if taken is not None:
            return _aim(taken, msg, before)
        if not model.is_covered and msg.draft and msg.key in commands.when_empty(model.keys):
            return model, (Type(msg.character, msg.key),)  # with words in the prompt, it edits them
        if name in commands.THROUGH or (name == "leave" and model.is_covered and not msg.draft):
            return commands.find(name).run(model, "")
        if name == "mode" and not model.is_covered:
            return _answer_first(model, msg.key)
        edits = name is None and (not model.is_covered or _is_written_below(model))
        if not edits:
            return refusals.refuse_key(model)
        return model, (Type(msg.character, msg.key),)
    if name == "send" and words_line.may_send(model):
        return words_line.hold_enter(model, msg, before)
    if (
        model.recall is not None
        and (recalled := history_prompt.on_search_key(model, msg)) is not None
    ):
        return recalled
    chosen = (
        search_prompt.on_search_key(model, msg)
        if model.search is not None
        else completion.on_list_key(model, msg)
    )
    if chosen is not None:
        return chosen
    if name is None and msg.key == "enter":  # the person sends with another key
        asked = model.composer.purpose is not None
        return commands.find("send").run(model, "") if asked else (model, (Type("\n", "ctrl+j"),))
    for_prompt = bool(msg.draft) or model.composer.purpose is not None
    if name is None or (msg.key in commands.when_empty(model.keys) and for_prompt):
        return model, (Type(msg.character, msg.key),)
    if model.composer.purpose is not None and name not in commands.ASKED:
        return model, ()
    if name == "mode" and model.dialog is not None:
        return _answer_first(model, msg.key)
    called = commands.find(name)
    step = called.run(model.with_used(f"command:{name}") if called.slash else model, "")
    if opening.hides_question(model, step[0]):
        return toast(model, ANSWER_FIRST)
    opened = step[0].overlay is not None and model.overlay is None and msg.key != "enter"
    return (
        (replace(step[0], last_key=-inf), step[1]) if opened else step
    )  # the next key is for the sheet


def _aim(step: Step, msg: KeyPressed, before: float) -> Step:
    """A list or a question took the key: one that moves the cursor is no typing, and the next key
    may follow at once. In a row of keys without a pause it is one more of them."""
    if msg.key not in MOVES:
        return step
    last_key = before if key_guards.is_quiet(msg, before) else msg.at
    return replace(step[0], last_key=last_key, moved_at=msg.at), step[1]


def _calls(model: Model, key: str) -> bool:
    """Whether `key` is for the command that is written under a sheet."""
    if key == "escape":
        return bool(completion.shown_candidates(model)) and completion.writes_command(model)
    return key not in ("pageup", "pagedown") and completion.writes_command(model)


def _answer_first(model: Model, key: str) -> Step:
    """A mode is no answer, and what is asked now was asked under the old one."""
    return toast(model, f"answer first; then {key_name(key)} changes the mode")


def _holds(model: Model) -> bool:
    """Whether the sheet has letters that may begin a word of the prompt."""
    return model.overlay is not None and opening.may_hold(model.overlay)


def _is_written_below(model: Model) -> bool:
    return model.overlay is not None and opening.is_written_below(model, model.overlay)


def _wheeled(model: Model, msg: KeyPressed) -> Step:
    """The wheel moves the sheet that is open."""
    if model.overlay is None or not model.is_covered:
        return model, ()
    return control.on_key(model, model.overlay, msg, model.last_key) or (model, ())


def vim_moved(model: Model, mode: VimMode, missed: str) -> Step:
    """The prompt is in this mode of vim's; what another key does than in vim is said."""
    if not missed:
        typed_at = (
            model.at if mode == "insert" else model.typed_at
        )  # what enters it is the beginning of words
        return replace(model, vim=mode if model.vim else "", typed_at=typed_at), ()
    if missed == ":":
        return toast(
            model, f"no : commands here: {commands.hint('palette', 'finds ours', model.keys)}"
        )
    return toast(
        model,
        f"{missed} does not search: {commands.hint('search', 'does, in the transcript', model.keys)}",
    )


def count_text(
    model: Model, keys: Iterable[str], at: float, free: bool, grab: Container[str] = ()
) -> int:
    """How many of `keys`, all of which type, are text like the first of them: one by one they would
    do the same.

    0 or 1: the first may mean something. They came at the time `at`; `free`: the prompt puts them
    where its caret is;
    `grab` are keys that something else wants.
    """
    if not _takes_text(model, at, free):
        return 0

    def is_text_key(key: str) -> bool:  # the commands are loaded for none that every prompt has
        return key not in grab and (is_typed(key) or key not in commands.bindings(model.keys))

    return sum(1 for _ in takewhile(is_text_key, keys))


def _takes_text(model: Model, at: float, free: bool) -> bool:
    """Whether no key that types answers, chooses or closes anything, and none will after another of
    them."""
    if model.held is not None:
        return False
    overlay = model.overlay if model.is_covered else None
    if overlay is not None and cursor.finds_rows(overlay):
        asked_for = overlay.shown_at == float("-inf")  # else the first keys may be the prompt's
        return free or asked_for
    if overlay is not None and not opening.is_written_below(model, overlay):
        return False
    if overlay is not None and not model.composer.draft:
        return False  # of the first letter is said where it went
    if model.is_asking:
        drops = model.dialog is not None and model.dialog.drops_keys
        return free and not (drops or answer_keys.letters_answer(model))
    if overlay is not None:
        return free and at - model.last_key < key_guards.BURST_SECONDS  # words that began as words
    return free
