"""The dialog: an approval or a question above the prompt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import Final

from agent_tui.present.wording import REPEATS
from agent_tui.protocol.display import Display
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.registry import late
from agent_tui.tui import commands
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Dialog, Model, OwnKeys
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.regions import DialogView, FooterView, Option
from agent_tui.tui.core.words import folder, format_place, one_line
from agent_tui.tui.dialog.answer_keys import (
    alt_key,
    can_say,
    enter_answers,
    lettered_answer,
    letters_answer,
    marking_key,
    refuses_enter,
    refusing_answer,
    simplest_answer,
)
from agent_tui.tui.dialog.marking import is_multi
from agent_tui.tui.dialog.offers import Offer, alike, offers
from agent_tui.tui.dialog.tabs import NONE
from agent_tui.tui.dialog.typed_words import is_command
from agent_tui.tui.dialog.unread import READ_ON
from agent_tui.tui.prompt import completion

with late():
    from agent_tui.present import displays

TITLES: Final = {
    "budget": "The budget is reached",
    "price": "No price is known",
    "stuck": REPEATS,
    "ask": "The model asks",
}
"""What a question is about."""
ANSWERED: Final = "answered"
HARD: Final = "Run it? This cannot be undone"
LASTING: Final = (
    "Allow this command in the background? It has no timeout",
    "In the background, no timeout?",
)
"""What is asked of a command that nobody waits for, and the same in short."""
HARD_LASTING: Final = "Run it in the background, no timeout? This cannot be undone"
NARROW: Final = 50
"""Columns below which the footer names one key that scrolls."""


def dialog_view(model: Model) -> DialogView | None:
    purpose, pending = model.composer.purpose, model.transcript.questions
    letters, here = letters_answer(model), (model.transcript.cwd, model.home)
    dialog = model.dialog
    if (
        dialog is not None
        and refuses_enter(model)
        and not simplest_answer(model)[0].startswith("Enter")
    ):
        dialog = replace(dialog, selected=NONE)  # no Enter takes it: nothing looks as if it did
    return _dialog(model.question, dialog, purpose, pending, model.look, letters, here, model.keys)


@lazy
def _dialog(
    question: Approval | Question | None,
    state: Dialog | None,
    purpose: Purpose | None,
    pending: tuple[Approval | Question, ...],
    look: Look,
    letters: bool,
    here: tuple[str, str],
    own: OwnKeys,
) -> DialogView | None:
    """`letters`: those alone choose, else with Alt. `here`: where the session works, and the
    person's home."""
    if question is None or state is None:
        return None
    brief, about, cwd = "", ("", ""), here[0]
    if isinstance(question, Question):
        if question.kind == "skill_argument":
            return None
        title, reason, display, warning = TITLES.get(question.kind, ""), question.text, None, True
        if question.kind in ("confirm", "skill"):
            (title, _, reason), warning = question.text.partition("\n"), False
            display = question.display
        elif question.call_id:
            title, reason, warning = title or question.text, "", False
            display = question.display or _words(question.text)
            about = (ANSWERED, ANSWERED) if question.answered else about
    else:
        (title, brief), reason, warning = titles(question), question.reason, question.hard
        about = _about(question, here)
        display = _asked_about(question.display, question.argv, cwd)
    if question.agent:
        title, brief = (
            f"{question.agent}: {words}" if words else "" for words in (title or "question", brief)
        )
    offered = () if purpose is not None else offers(question, alike(question, pending))
    options = tuple(_option(row, one, letters, own) for row, one in enumerate(offered))
    if is_multi(question):
        options = tuple(map(partial(_with_mark, state.marked), options, offered))
    return DialogView(
        title,
        reason,
        display,
        options,
        min(state.selected, max(0, len(options) - 1)),
        warning,
        format_place(pending.index(question) + 1, len(pending)) if len(pending) > 1 else "",
        state.scroll,
        look,
        question.id,
        brief,
        about,
        tuple(one_line(brief_of(one)) for one in pending if one is not question),
    )


def _about(question: Approval, place: tuple[str, str]) -> tuple[str, str]:
    """Where a command would run and what would hold it, and the second alone."""
    display, (cwd, home) = question.display, place
    if not displays.kind_of(display).runs:
        return "", ""
    here = f"in {folder(cwd, home)}" if displays.folder_of(display) == cwd and cwd else ""
    return ", ".join(filter(None, (here, question.sandbox))), question.sandbox


def reading_of(argv: str) -> str:
    """A command as the shell reads it."""
    return f"It reads: {argv}"


def brief_of(question: Approval | Question) -> str:
    """An open question in a few words: the call, and how much of a file changes."""
    if isinstance(question, Question):
        return f"{'✓ ' * question.answered}{question.text.partition(chr(10))[0]}"
    changes = displays.diff_of(question.display) is not None
    shown = displays.present(question.display).summary if changes else ()
    count = "".join(run.text for run in shown)
    return f"{question.label} {count}".rstrip()


def _option(row: int, offer: Offer, letters: bool, own: OwnKeys) -> Option:
    key = offer.keys[0] if letters else alt_key(offer, own)
    also = "".join(offer.keys[1:]) if letters else ""
    return Option(key, offer.label, offer.detail, also=also, short=offer.brief, row=row)


def _with_mark(marked: tuple[int, ...], option: Option, offer: Offer) -> Option:
    """An option of which several may be chosen, with its mark."""
    if not offer.picks:
        return option
    mark = "[x] " if offer.picks[0] in marked else "[ ] "
    return replace(option, label=mark + option.label, short=mark + offer.brief)


@lazy
def _words(text: str) -> Display:
    """What the model asks; one value for the same words, so that it is laid out once."""
    return displays.markdown(text)


def _enter_sends(model: Model) -> bool:
    """Whether Enter sends what is in the prompt."""
    words = model.composer.draft
    return not (
        enter_answers(model)
        or is_command(words)
        or lettered_answer(model, words)
        or completion.is_unknown(model.transcript.answers, words)
    )


def asked_footer(model: Model) -> FooterView:
    """The keys while something is asked."""
    dialog = model.dialog
    hidden = dialog is not None and (dialog.scroll > 0 or bool(dialog.unseen))
    back = dialog is not None and dialog.scroll > 0 and not dialog.unseen
    draft, narrow = bool(model.composer.draft), 0 < model.width < NARROW
    several = len(model.transcript.questions) > 1 and not draft
    nearest = simplest_answer(model)
    marks = (marking_key(model), "mark")
    back_key = (("Backspace", "take it back"),) * _has_marked(model, dialog)
    more = back_key + (marks,) * (bool(marks[0]) and nearest != marks)
    more += (("←→", "see others"),) * several + (("Tab", "add words"),) * can_say(model)
    return _footer(
        (nearest, refusing_answer(model)),
        model.keys,
        hidden,
        back,
        narrow,
        draft,
        _enter_sends(model),
        more,
    )


def _has_marked(model: Model, dialog: Dialog | None) -> bool:
    """Whether a letter has marked its row. The cursor may have been there already: then nothing of
    the row shows that the letter has come."""
    held = model.held
    return held is not None and dialog is not None and held.on == dialog.id and held.due == inf


@lazy
def _footer(
    nearest: tuple[tuple[str, str], ...],
    own: OwnKeys,
    hidden: bool,
    back: bool,
    narrow: bool,
    draft: bool,
    words: bool,
    more: tuple[tuple[str, str], ...],
) -> FooterView:
    """`nearest`: answers, the simplest to take first. `hidden`: a part of what is asked about is
    out of view, so that what scrolls it is said before what the cursor shows by itself. `back`:
    the part above, and the end has been in view. `words`: they are what Enter sends. `more`: what
    else can be done with the question. What Esc does is said above the prompt."""
    scroll, choose = (
        (("PgUp" if back else "PgDn") if narrow else "PgUp/PgDn", "scroll"),
        ("↑↓", "choose"),
    )
    moves = (scroll, choose) if hidden and nearest[0][1] != READ_ON else (choose,)
    clears = ((commands.key_of("interrupt", own), "clear"),) if draft else ()
    queues = ((commands.key_of("send", own), "queue"),) if words else ()
    named = (*nearest, *queues, *moves, *more, *clears)
    return FooterView(tuple(pair for pair in named if pair[0]))


def titles(asked: Approval) -> tuple[str, str]:
    """What is asked, and the same in short. A command stands whole below it."""
    if asked.ran:
        return "Keep these changes?", ""
    if displays.is_in_background(asked.display):
        return (HARD_LASTING, HARD) if asked.hard else LASTING
    if displays.kind_of(asked.display).runs:
        return (HARD if asked.hard else "Allow this command?"), ""
    return (
        f"{f'{HARD}:' if asked.hard else 'Allow this?'} {asked.label}",
        f"{asked.label}?",
    )


@lazy
def _asked_about(display: Display | None, argv: tuple[str, ...], cwd: str) -> Display | None:
    """What is to be read: below a command, what the shell makes of it."""
    shown = displays.at_home(display, cwd)
    return displays.with_output(shown, "\n".join(map(reading_of, argv))) if argv else shown
