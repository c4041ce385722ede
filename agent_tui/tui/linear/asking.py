"""Questions as numbered lines, and which of the answers a typed line is."""

from __future__ import annotations

from typing import Final

from agent_tui.present.plain import display_lines
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.msg import QuestionAnswered
from agent_tui.tui.dialog.answering import Offer, offers
from agent_tui.tui.dialog.view import TITLES, titles

WORDS: Final = {
    "y": ("yes", "once"),
    "a": ("always",),
    "e": ("edits", "accept edits"),
    "n": ("no",),
    "m": ("no, and say why",),
    "s": ("stop",),
    "c": ("continue", "go on"),
}
"""What may be typed for a key."""
YES: Final = "yes"
"""What must be typed, letter by letter, for what cannot be taken back."""


@frozen
class Taken:
    """An answer: the key of the offer, and words that go with it."""

    key: str
    text: str = ""


def question_lines(question: Approval | Question, pending: int) -> list[str]:
    """The question with everything that is asked about, and the ways to answer it."""
    place = (f" 1 of {pending}" if pending > 1 else "") + (
        f" from {question.agent}" if question.agent else ""
    )
    if isinstance(question, Question):
        title = TITLES.get(question.kind, "")
        said = f"{title}\n{question.text}" if title else question.text
        lines = f"Question{place}: {said}".split("\n")
    else:
        lines = [f"Question{place}: {titles(question)[0]}"]
        lines += [f"Reason: {question.reason}"] if question.reason else []
        lines += display_lines(question.display) if question.display is not None else []
    hard = isinstance(question, Approval) and question.hard
    lines += [_option(offer, hard) for offer in offers(question)]
    return [*lines, ways(question)]


def ways(question: Approval | Question) -> str:
    """What may be typed now."""
    hard = isinstance(question, Approval) and question.hard
    return f"Type {_or([_key(offer, hard) for offer in offers(question)])}{_more(question)}."


def taken(question: Approval | Question, line: str) -> Taken | None:
    """Which answer `line` is; None: it is none."""
    text = line.strip()
    low = text.lower()
    for offer in offers(question):
        key = offer.keys[0]
        if key == "y" and isinstance(question, Approval) and question.hard:
            if low == YES:
                return Taken(key)
        elif low in offer.keys or low in WORDS.get(key, ()):
            return Taken(key)
    word, _, rest = text.partition(" ")
    takes_words = isinstance(question, Approval) or question.kind == "stuck"
    if rest.strip() and takes_words and word.lower().rstrip(",:") in ("n", "no", "m"):
        return Taken("m", rest.strip())
    return None


def reply(question: Approval | Question, answer: Taken) -> QuestionAnswered:
    """What `answer` tells the core."""
    offer = next(offer for offer in offers(question) if offer.keys[0] == answer.key)
    asks = bool(offer.purpose) and not answer.text
    return QuestionAnswered(question.id, offer.choice, offer.mode, answer.text, asks)


def _option(offer: Offer, hard: bool) -> str:
    detail = f" ({offer.detail})" if offer.detail else ""
    if hard and offer.choice == "once":
        return f"yes: {offer.label}{detail} (type the whole word)"
    return f"{' or '.join(offer.keys)}: {offer.label}{detail}"


def _key(offer: Offer, hard: bool) -> str:
    return YES if hard and offer.choice == "once" else offer.keys[0]


def _more(question: Approval | Question) -> str:
    if isinstance(question, Question):
        return ", or m and what to tell the model" if question.kind == "stuck" else ""
    return ", or n and what to do instead"


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
