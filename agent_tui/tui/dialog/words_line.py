"""The line for words that go with an answer: what opens it, and which Enter sends it.

A Tab that text follows at once was text, as a letter is: a paste that the terminal does not mark
may begin with one. And an Enter with a key right before or behind it ends a line of such a paste.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.core.effects import Type, Yield
from agent_tui.tui.core.model import Held, Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.dialog import answer_keys, refusals, typed_words
from agent_tui.tui.dialog.offers import DECLINES
from agent_tui.tui.dialog.tabs import default_row
from agent_tui.tui.dialog.unread import why_too_small, why_unreadable
from agent_tui.tui.prompt.composer import MESSAGES
from agent_tui.tui.screen.key_guards import HOLD_SECONDS, QUIET_SECONDS, REPEAT_SECONDS

TAB: Final = "tab"


def opens_line(model: Model, msg: KeyPressed, before: float) -> bool:
    """Whether the key is a Tab that is meant for the question, as a letter would be."""
    if msg.key != TAB or msg.draft or model.dialog is None or not answer_keys.can_say(model):
        return False
    return answer_keys.letter_is_meant(model, msg, model.dialog, before)


def hold_tab(model: Model, msg: KeyPressed) -> Step:
    """The Tab opens the line if nothing comes behind it for a moment."""
    dialog = model.dialog
    assert dialog is not None
    held = Held(TAB, "", msg.at + HOLD_SECONDS, on=dialog.id, row=dialog.selected)
    return replace(model, held=held), (Yield(HOLD_SECONDS),)


def holds_tab(model: Model) -> bool:
    return model.held is not None and model.held.key == TAB


def end_tab(model: Model, msg: KeyPressed) -> Step:
    """A key came right behind the Tab: with text, the Tab was some, and a letter that had marked a
    row before it was too."""
    free, question, dialog = replace(model, held=None), model.question, model.dialog
    if msg.key == "enter":
        return refusals.refuse_enter(free, refusals.TOO_SOON)
    if is_text(msg.character) and question is not None and dialog is not None:
        offer = answer_keys.under_cursor(answer_keys.ways(model), dialog)
        stays = dialog.moved_at > -inf or answer_keys.declines(offer)
        row = dialog.selected if stays else default_row(question)
        free = replace(free, dialog=replace(dialog, selected=row), typed_at=msg.at)
    return free, ()


def take_tab(model: Model) -> Step | None:
    """Nothing came behind the Tab. None: what it was for is not asked any more."""
    question, dialog = model.question, model.dialog
    if question is None or dialog is None or not answer_keys.can_say(model):
        return None
    offer = answer_keys.under_cursor(answer_keys.ways(model), dialog)
    if problem := why_unreadable(model, question, offer):
        return toast(model, problem, "warning")
    return typed_words.ask_words(model, question, offer), ()


def is_open(model: Model) -> bool:
    purpose = model.composer.purpose
    return model.dialog is not None and purpose is not None and purpose.kind in MESSAGES


def may_send(model: Model) -> bool:
    """Whether Enter sends words: there are some, and it is not the Enter that opened the line."""
    now = model.composer
    doubled = model.since_same < QUIET_SECONDS and now.draft == now.text
    return is_open(model) and bool(now.draft.strip()) and not doubled


def hold_enter(model: Model, msg: KeyPressed, before: float) -> Step:
    """Enter sends the words if it is no part of a paste; else it ends a line of them."""
    dialog = model.dialog
    assert dialog is not None
    if msg.blind or msg.at - max(before, model.typed_at) < REPEAT_SECONDS:
        return then((model, (Type("\n", "ctrl+j"),)), toast(model, refusals.TOO_SOON))
    held = Held("enter", "", msg.at + refusals.PASTE_SECONDS, on=dialog.id)
    return replace(model, held=held), (Yield(refusals.PASTE_SECONDS),)


def end_enter(model: Model, msg: KeyPressed) -> Step:
    """Another key came right behind Enter, which ended a line of a paste."""
    said = toast(replace(model, held=None), refusals.NOT_ALONE)
    key = "ctrl+j" if msg.key == "enter" else msg.key
    ends = () if msg.key == "enter" else (Type("\n", "ctrl+j"),)
    character = "\n" if msg.key == "enter" else msg.character
    return then((said[0], ends), (said[0], (*said[1], Type(character, key))))


def take_enter(model: Model) -> Step:
    """Nothing came behind Enter: the words go with their answer, unless what they would allow is
    out of sight by now."""
    purpose = model.composer.purpose
    if purpose is not None and purpose.choice not in DECLINES and (why := why_too_small(model)):
        return toast(model, why, "warning")
    return commands.find("send").run(model, "")
