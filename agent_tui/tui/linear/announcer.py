"""Says what is new beside the transcript: questions, lists, what the prompt is for, and passing
remarks; and which of the answers to a question a typed line is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agent_tui.present.displays import kind_of
from agent_tui.present.plain import display_lines
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.model import Confirming, Model
from agent_tui.tui.core.msg import QuestionAnswered
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.setup_state import SettingUp
from agent_tui.tui.core.words import one_line
from agent_tui.tui.dialog.offers import Offer, alike, offers
from agent_tui.tui.dialog.typed_words import ANSWERS_BY
from agent_tui.tui.dialog.view import TITLES, brief_of, reading_of, titles
from agent_tui.tui.linear.lines import Out
from agent_tui.tui.linear.sheets import MOST, choices, hint, question_line, sheet_lines, signature
from agent_tui.tui.screen.setup_steps import is_ahead

WORDS: Final = {
    "y": ("yes", "once"),
    "t": ("all", "both"),
    "a": ("always",),
    "e": ("edits", "accept edits"),
    "n": ("no",),
    "m": ("no, and say why",),
    "s": ("stop",),
    "c": ("continue", "go on"),
}
"""What may be typed for a key."""
TAKES_WORDS: Final = {
    "stuck": "what to tell the model",
    "ask": "your own answer",
    "plan": "what to change",
}
"""Questions that may be answered in words, and what those are."""
NEXT: Final = "next"
"""What shows the next question, where there are several."""
Pending = Sequence[Approval | Question]
YES: Final = "yes"
"""What must be typed, letter by letter, for what cannot be taken back."""


@frozen
class Taken:
    """An answer: the key of the offer, and words that go with it."""

    key: str
    text: str = ""
    picks: tuple[int, ...] = ()
    """The options that are chosen."""


def question_lines(question: Approval | Question, pending: Pending) -> list[str]:
    """The question with everything that is asked about, and the ways to answer it."""
    others = [one for one in pending if one is not question]
    number = f" {pending.index(question) + 1} of {len(pending)}" if others else ""
    place = number + (f" from {question.agent}" if question.agent else "")
    if isinstance(question, Question):
        title = TITLES.get(question.kind, "")
        asks = question.kind == "ask"  # that the model does is plain here
        said = f"{title}\n{question.text}" if title and not asks else question.text
        lines = f"Question{place}: {said}".split("\n")
        lines += display_lines(question.display) if question.display is not None else []
        lines += [f"Your answer: {_given(question)}"] if question.answered else []
    else:
        lines = [f"Question{place}: {titles(question)[0]}"]
        lines += [f"Reason: {question.reason}"] if question.reason else []
        lines += display_lines(question.display) if question.display is not None else []
        lines += map(reading_of, question.argv)
        lines += [f"It would run with {question.sandbox}."] if question.sandbox else []
    lines += [f"Also asked: {one_line(brief_of(one))}" for one in others]
    hard = _is_hard(question)
    lines += [_option(offer, hard) for offer in _ways(question, pending)]
    lines += [f"{NEXT}: see the next question"] if others else []
    return [*lines, answer_ways(question, pending)]


def _is_hard(question: Approval | Question) -> bool:
    return isinstance(question, Approval) and question.hard


def _given(question: Question) -> str:
    """What was answered, which may still be changed."""
    chosen = (question.options[n] for n in question.picks if n < len(question.options))
    return ", ".join(chosen) or question.words or "none"


def _ways(question: Approval | Question, pending: Pending = ()) -> tuple[Offer, ...]:
    return offers(question, alike(question, pending))


def answer_ways(question: Approval | Question, pending: Pending = ()) -> str:
    """What may be typed now."""
    hard = isinstance(question, Approval) and question.hard
    keys = [_key(offer, hard) for offer in _ways(question, pending)]
    return f"Type {_or([*keys, *[NEXT] * (len(pending) > 1)])}{_more(question)}."


def match_answer(question: Approval | Question, line: str, pending: Pending = ()) -> Taken | None:
    """Which answer `line` is; None: it is none."""
    text = line.strip()
    low = text.lower()
    hard = isinstance(question, Approval) and question.hard
    for offer in _ways(question, pending):
        key = offer.keys[0]
        if key == "y" and hard:
            if low == YES:
                return Taken(key)
        elif (
            low in offer.keys
            or low in WORDS.get(key, ())
            or (offer.picks and low == offer.label.lower())
        ):
            return Taken(key, picks=offer.picks)
    if isinstance(question, Question) and question.multi and (picks := _numbers(question, low)):
        return Taken(str(picks[0] + 1), picks=picks)
    word, _, rest = text.partition(" ")
    takes_words = isinstance(question, Approval) or question.kind in TAKES_WORDS
    no = () if isinstance(question, Question) and question.kind == "ask" else ("n", "no")
    if rest.strip() and takes_words and word.lower().rstrip(",:") in (*no, "m"):
        return Taken("m", rest.strip())
    allows = isinstance(question, Approval) and not hard
    if rest.strip() and allows and word.lower() in ("y:", "yes:"):  # `yes, but …` is none
        return Taken("y", rest.strip())
    return None


def _numbers(question: Question, line: str) -> tuple[int, ...]:
    """The options that `line` names, as in `1,3`; none where it is anything else."""
    words = line.replace(",", " ").split()
    known = {str(n + 1): n for n in range(len(question.options))}
    return tuple(sorted({known[one] for one in words})) if set(words) <= set(known) else ()


def reply(question: Approval | Question, answer: Taken, pending: Pending = ()) -> QuestionAnswered:
    """What `answer` tells the core."""
    offer = next(offer for offer in _ways(question, pending) if offer.keys[0] == answer.key)
    asks, together = bool(offer.purpose) and not answer.text, bool(offer.also)
    return QuestionAnswered(
        question.id,
        offer.choice,
        offer.mode,
        answer.text,
        asks,
        together=together,
        picks=answer.picks,
    )


def _option(offer: Offer, hard: bool) -> str:
    detail = f" ({offer.detail})" if offer.detail else ""
    if hard and offer.choice == "once":
        return f"yes: {offer.label}{detail} (type the whole word)"
    return f"{' or '.join(offer.keys)}: {offer.label}{detail}"


def _key(offer: Offer, hard: bool) -> str:
    return YES if hard and offer.choice == "once" else offer.keys[0]


def _more(question: Approval | Question) -> str:
    if isinstance(question, Question):
        several = ", or several as 1,2" if question.multi else ""
        words = TAKES_WORDS.get(question.kind, "")
        return several + (f", or m and {words}" if words else "")
    return ", or n and why" + ("" if question.hard else ", or y: and more words")


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)


HINTS: Final = {
    "search": "Type the words to look for, or an empty line to leave.",
    "history": "",
    "deny": "Type it, or an empty line for a plain no.",
}  # fmt: skip
HITS: Final = 30
UNSAID: Final = ("copied ", "writing …")
SAID_HERE: Final = (
    ("sent to the terminal only: ", "not copied: "),
    ("type / to list", "/help lists"),
    (ANSWERS_BY, "; the question is still open"),
)
"""What the screen says, and what is said instead where there are only lines."""


class Notices:
    def __init__(self, out: Out) -> None:
        self._out = out
        self._sheet: Any = None
        self._confirming: Confirming | None = None
        self.rows: tuple[Entry, ...] = ()
        """The rows of the open list as they were said last: a number means one of these."""
        self._asked = ""
        self._read: set[str] = set()
        """Questions that were said with everything that they are about."""
        self._named: set[str] = set()
        """Questions that were named beside another one, or said."""
        self._purpose: Purpose | None = None
        self._note = ""
        self._recalled = -1
        self._rev = 0
        self._toasts = 0

    def follow(self, model: Model) -> None:
        """Say what `model` has that was not said yet."""
        self._toast(model)
        self._question(model)
        self._overlay(model)
        self._prompt(model)
        self._recall(model)

    def has_said_all(self, question: Approval | Question, answer: Taken, pending: Pending) -> bool:
        """Whether all that `answer` is for was named, and every command said to its end."""
        offer = next(one for one in _ways(question, pending) if one.keys[0] == answer.key)
        also = [one for one in alike(question, pending) if one.id in offer.also]
        read = all(one.id in self._read or not kind_of(one.display).runs for one in also)
        return read and all(one.id in self._named for one in also)

    def repeat(self, model: Model) -> None:
        """Say the open question or list once more."""
        self._sheet, self._asked, self._purpose, self._recalled = None, "", None, -1
        self._confirming = None
        self.follow(model)

    def _toast(self, model: Model) -> None:
        toast = model.toast
        if toast is None or toast.number == self._toasts:
            return
        self._toasts = toast.number
        text = toast.words
        for said, here in SAID_HERE:
            text = text.replace(said, here)
        if not text.startswith(UNSAID):
            end = "" if text.endswith(".") else "."
            said = f"{text[:1].upper()}{text[1:]}{end}"
            if toast.tone == "warning" and model.overlay and signature(model) == self._sheet:
                said += " The list is still open."
            self._out.say([said], "bad" if toast.tone == "bad" else "")

    def _question(self, model: Model) -> None:
        question, pending = model.question, model.transcript.questions
        if question is None or model.dialog is None:
            return
        new = [one for one in pending if one.id not in self._named and one.id != question.id]
        self._named |= {one.id for one in pending}
        if self._asked == question.id:
            if new:  # they came behind it: an answer may be for them, too
                also = [f"Also asked: {one_line(brief_of(one))}" for one in new]
                rows = [_option(one, _is_hard(question)) for one in _ways(question, pending)]
                self._out.say([*also, *rows, answer_ways(question, pending)], "warning")
            return
        self._asked = question.id
        self._read.add(question.id)
        if not model.composer.asks("argument"):
            self._out.say(question_lines(question, pending), "warning")

    def _overlay(self, model: Model) -> None:
        overlay = model.overlay
        if overlay is None:
            self._sheet, self._confirming, self.rows = None, None, ()
            return
        asked, self._confirming = self._confirming, overlay.confirming
        if question := question_line(overlay):
            if overlay.confirming != asked:
                self._out.say([question])
            return
        now = signature(model)
        if now is None or model.composer.purpose is not None:
            return
        if now != self._sheet:
            self._sheet, self.rows = now, tuple(choices(overlay)[:MOST])
            self._out.say(sheet_lines(model, overlay))
        elif asked is not None:
            self._out.say([hint(model, overlay)])

    def _prompt(self, model: Model) -> None:
        """What the next line is for, where it is not for the model; and a draft that nobody has
        just typed."""
        composer, note = model.composer, _note(model)
        purpose = composer.purpose
        changed = purpose is not self._purpose or note not in ("", self._note)
        self._purpose, self._note = purpose, note
        if changed and purpose is not None and not (_searching(model) or is_ahead(model)):
            hint = HINTS.get(purpose.kind, "Type it, or an empty line to go back.")
            held = composer.draft if not purpose.secret else ""
            now = f" It is now: {held}" if held else ""
            why = [f"{note[:1].upper()}{note[1:]}."] if note else []
            self._out.say([*why, f"{purpose.label}.{now} {hint}".rstrip()])
        if purpose is not None or composer.rev == self._rev:
            return
        self._rev = composer.rev
        if composer.editing is not None:
            self._out.say(
                [
                    f"Queued prompt: {composer.draft}",
                    "Type the new text, or an empty line to keep it.",
                ]
            )
        elif composer.draft:
            self._out.say(
                [
                    f"In the prompt: {one_line(composer.draft)}",
                    "Type /send to send it, or another prompt.",
                ]
            )

    def _recall(self, model: Model) -> None:
        found = model.recall
        if found is None or not found.done or self._recalled == hash((found.number, found.query)):
            return
        self._recalled = hash((found.number, found.query))
        shown = [
            f"{n + 1}: {one_line(found.hit_at(n).text)}" for n in range(min(found.total, HITS))
        ]
        more = (
            [f"and {found.total - HITS} more; type words to find them"]
            if found.total > HITS
            else []
        )
        none = [] if shown else ["no earlier prompt matches"]
        choose = "Type a number to take it, words to search, or an empty line to leave."
        self._out.say(["Earlier prompts, the newest first:", *shown, *more, *none, choose])


def _note(model: Model) -> str:
    """Why what was typed last will not do."""
    state = model.overlay.state if model.overlay is not None else None
    return state.note if isinstance(state, SettingUp) else ""


def _searching(model: Model) -> bool:
    composer = model.composer
    return composer.asks("history") or (composer.asks("search") and bool(composer.draft))
