"""Questions that a tool asks the person: all of a call at once, until each has its answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from agent_tui.protocol.events import Event, QuestionAnswered, QuestionAsked
from agent_tui.protocol.ops import Answer
from agent_tui.tools.base import Inquiry, Reply


def question_of(inquiry: Inquiry, call_id: str, scrub: Callable[[str], str]) -> QuestionAsked:
    """The question as it is shown: without the values that are known to be secret."""
    return QuestionAsked(
        id=uuid.uuid4().hex[:12],
        kind=inquiry.kind,
        text=scrub(inquiry.text),
        options=tuple(map(scrub, inquiry.options)),
        call_id=call_id,
        details=tuple(map(scrub, inquiry.details)),
        multi=inquiry.multi,
        display=inquiry.display,
    )


async def ask_all(
    asked: Sequence[QuestionAsked],
    ask: Callable[[QuestionAsked], asyncio.Future[Answer]],
    tell: Callable[[Event], None],
) -> Sequence[Reply] | None:
    """The answers, in order; None: nobody is there to give them. As long as one is missing, the
    others may be given again."""
    waiting: dict[asyncio.Future[Answer], QuestionAsked] = {}
    answers: dict[str, Answer] = {}
    for one in asked:
        tell(one)
        waiting[ask(one)] = one  # in the same breath: no answer may come before somebody waits
    try:
        while len(answers) < len(asked):
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                one, said = waiting.pop(future), future.result()
                answer = _checked(said, one)
                answers[one.id] = answer
                choice: Literal["choose", "say", "no"] = (
                    "choose" if answer.picks else "say" if answer.text else "no"
                )
                tell(QuestionAnswered(one.id, choice, answer.text, False, answer.picks, answer.by))
                if len(answers) < len(asked):
                    waiting[ask(one)] = one
    finally:
        for future in waiting:
            future.cancel()
    if all(answer.by == "nobody" for answer in answers.values()):
        return None
    return [Reply(answers[one.id].picks, answers[one.id].text) for one in asked]


def _checked(answer: Answer, asked: QuestionAsked) -> Answer:
    """The answer, if the question has such a one; else it is declined."""
    picks = tuple(sorted({pick for pick in answer.picks if 0 <= pick < len(asked.options)}))
    picks = picks if asked.multi else picks[:1]
    if answer.choice == "choose" and picks:
        return replace(answer, picks=picks, text="")
    text = answer.text if answer.choice == "say" and answer.text.strip() else ""
    return replace(answer, choice="say" if text else "no", picks=(), text=text)
