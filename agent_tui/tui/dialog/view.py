"""The dialog: an approval or a question above the prompt."""

from __future__ import annotations

from typing import Final

from agent_tui.present.wording import REPEATS
from agent_tui.protocol.display import Display
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.registry import late
from agent_tui.tui import commands
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Dialog, Model, OwnKeys, Purpose
from agent_tui.tui.core.regions import DialogView, FooterView, Option
from agent_tui.tui.dialog.answering import (
    READ_ON,
    Offer,
    alt_key,
    enter_sends,
    letters_answer,
    offers,
    simplest_answer,
)

with late():
    from agent_tui.present import displays

TITLES: Final = {
    "budget": "The budget is reached",
    "price": "No price is known",
    "stuck": REPEATS,
}
"""What a question is about."""
HARD: Final = "Run it? This cannot be undone"
NARROW: Final = 50
"""Columns below which the footer names one key that scrolls."""


def dialog_view(model: Model) -> DialogView | None:
    purpose, pending = model.composer.purpose, len(model.transcript.questions)
    letters, cwd = letters_answer(model), model.transcript.cwd
    return _dialog(
        model.question, model.dialog, purpose, pending, model.look, letters, cwd, model.keys
    )


@lazy
def _dialog(
    question: Approval | Question | None,
    state: Dialog | None,
    purpose: Purpose | None,
    pending: int,
    look: Look,
    letters: bool,
    cwd: str,
    own: OwnKeys,
) -> DialogView | None:
    """`letters`: those alone choose, else with Alt."""
    if question is None or state is None:
        return None
    brief = ""
    if isinstance(question, Question):
        if question.kind == "skill_argument":
            return None
        title, reason, display, warning = TITLES.get(question.kind, ""), question.text, None, True
        if question.kind == "confirm":
            (title, _, reason), warning = question.text.partition("\n"), False
    else:
        (title, brief), reason, warning = titles(question), question.reason, question.hard
        display = _at_home(question.display, cwd)
    if question.agent:
        title, brief = (
            f"{question.agent}: {words}" if words else "" for words in (title or "question", brief)
        )
    offered = () if purpose is not None else offers(question)
    options = tuple(_option(one, letters, own) for one in offered)
    return DialogView(
        title,
        reason,
        display,
        options,
        min(state.selected, max(0, len(options) - 1)),
        warning,
        f"1 of {pending}" if pending > 1 else "",
        state.scroll,
        look,
        question.id,
        brief,
    )


def _option(offer: Offer, letters: bool, own: OwnKeys) -> Option:
    key = offer.keys[0] if letters else alt_key(offer, own)
    also = "".join(offer.keys[1:]) if letters else ""
    return Option(key, offer.label, offer.detail, also=also, short=offer.brief)


def asked_footer(model: Model) -> FooterView:
    """The keys while something is asked."""
    dialog = model.dialog
    hidden = dialog is not None and (dialog.scroll > 0 or bool(dialog.unseen))
    back = dialog is not None and dialog.scroll > 0 and not dialog.unseen
    draft, narrow = bool(model.composer.draft), 0 < model.width < NARROW
    return _footer(
        simplest_answer(model), model.keys, hidden, back, narrow, draft, enter_sends(model)
    )


@lazy
def _footer(
    nearest: tuple[str, str],
    own: OwnKeys,
    hidden: bool,
    back: bool,
    narrow: bool,
    draft: bool,
    words: bool,
) -> FooterView:
    """`hidden`: a part of what is asked about is out of view, so that what scrolls it is said before
    what the cursor shows by itself. `back`: the part above, and the end has been in view. `words`:
    they are what Enter sends. What Esc does is said above the prompt."""
    scroll, choose = (
        (("PgUp" if back else "PgDn") if narrow else "PgUp/PgDn", "scroll"),
        ("↑↓", "choose"),
    )
    moves = (scroll, choose) if hidden and nearest[1] != READ_ON else (choose,)
    clears = ((commands.key_of("interrupt", own), "clear"),) if draft else ()
    queues = ((commands.key_of("send", own), "queue"),) if words else ()
    named = (nearest, *queues, *moves, *clears)
    return FooterView(tuple(pair for pair in named if pair[0]))


def titles(asked: Approval) -> tuple[str, str]:
    """What is asked, and the same in short. A command stands whole below it."""
    if displays.kind_of(asked.display).runs:
        return (HARD if asked.hard else "Allow this command?"), ""
    return (
        f"{f'{HARD}:' if asked.hard else 'Allow this?'} {asked.label}",
        f"{asked.label}?",
    )


@lazy
def _at_home(display: Display | None, cwd: str) -> Display | None:
    return displays.at_home(display, cwd)
