"""The tool `ask_user`: the model asks the person, who chooses, says something else, or declines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import Field, model_validator

from agent_tui.protocol.display import AskedQuestion, QuestionDisplay
from agent_tui.tools.base import (
    Inquiry,
    LenientArguments,
    Reply,
    Tool,
    ToolContext,
    ToolFailure,
    ToolResult,
)

MOST_QUESTIONS: Final = 4
LEAST_OPTIONS, MOST_OPTIONS = 2, 6
QUESTION_CHARS, LABEL_CHARS, DETAIL_CHARS = 2_000, 80, 200
NOBODY: Final = (
    "Nobody is there to answer. Go on with what you would recommend, and say what you assumed."
)
DECLINED: Final = "declined to answer: go on as you think best, and say what you assumed"


class Choice(LenientArguments):
    label: str = Field(description="a few words")
    description: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: object) -> object:
        """A mere text is a label."""
        return {"label": raw} if isinstance(raw, str) else raw


class Asked(LenientArguments):
    question: str
    options: list[Choice] = Field(
        description="the one you recommend first",
        json_schema_extra={"minItems": LEAST_OPTIONS, "maxItems": MOST_OPTIONS},
    )
    multi: bool = Field(default=False, description="several may be chosen")


class AskUser(LenientArguments):
    questions: list[Asked] = Field(json_schema_extra={"minItems": 1, "maxItems": MOST_QUESTIONS})

    @model_validator(mode="before")
    @classmethod
    def _from_one(cls, raw: object) -> object:
        """One question may stand alone."""
        return {"questions": [raw]} if isinstance(raw, dict) and "question" in raw else raw


async def run(args: AskUser, ctx: ToolContext) -> ToolResult:
    inquiries = _inquiries(args)
    replies = await ctx.ask(inquiries)
    shown = [Reply()] * len(inquiries) if replies is None else replies
    display = QuestionDisplay(tuple(map(_display, inquiries, shown)))
    return ToolResult(NOBODY if replies is None else _told(inquiries, replies), display)


def _inquiries(args: AskUser) -> list[Inquiry]:
    """The questions as they are asked. Raises ToolFailure."""
    if not 1 <= len(args.questions) <= MOST_QUESTIONS:
        raise _wrong(f"{len(args.questions)} questions: ask 1 to {MOST_QUESTIONS} at once")
    return [_inquiry(number, asked) for number, asked in enumerate(args.questions, 1)]


def _inquiry(number: int, asked: Asked) -> Inquiry:
    text, options = asked.question.strip(), asked.options
    labels = tuple(" ".join(one.label.split()) for one in options)
    details = tuple(" ".join(one.description.split()) for one in options)
    if not text or len(text) > QUESTION_CHARS:
        raise _wrong(f"question {number} has {len(text):,} characters: 1 to {QUESTION_CHARS:,}")
    if not LEAST_OPTIONS <= len(labels) <= MOST_OPTIONS:
        most = f"{LEAST_OPTIONS} to {MOST_OPTIONS}"
        raise _wrong(
            f"question {number} has {len(labels)} options: give {most}; the person can always "
            "write another answer"
        )
    if not all(labels) or len(set(labels)) < len(labels):
        raise _wrong(f"question {number} needs options with labels that differ")
    for limit, words in ((LABEL_CHARS, labels), (DETAIL_CHARS, details)):
        if long := next((one for one in words if len(one) > limit), ""):
            raise _wrong(f"question {number}: at most {limit} characters, not {long[:40]!r}…")
    return Inquiry(text, labels, details, asked.multi)


def _display(inquiry: Inquiry, reply: Reply) -> AskedQuestion:
    answers = tuple(inquiry.options[pick] for pick in reply.picks) or (reply.words,)
    declined = not any(answers)
    return AskedQuestion(inquiry.text, inquiry.options, () if declined else answers, declined)


def _told(inquiries: Sequence[Inquiry], replies: Sequence[Reply]) -> str:
    told = [_answer(inquiry, reply) for inquiry, reply in zip(inquiries, replies, strict=True)]
    if len(told) == 1:
        return f"The person {told[0]}"
    return "\n".join(
        f"{number}. {inquiry.text}\n   The person {said}"
        for number, (inquiry, said) in enumerate(zip(inquiries, told, strict=True), 1)
    )


def _answer(inquiry: Inquiry, reply: Reply) -> str:
    if reply.picks:
        return f"chose: {'; '.join(inquiry.options[pick] for pick in reply.picks)}"
    return f"answered in their own words: {reply.words}" if reply.words else DECLINED


def _wrong(text: str) -> ToolFailure:
    return ToolFailure("invalid_arguments", f"{text}. Nothing was asked.")


def label(args: AskUser) -> str:
    if len(args.questions) != 1:
        return f"Ask {len(args.questions)} questions"
    return f"Ask: {' '.join(args.questions[0].question.split())}"


TOOL: Final = Tool(
    name="ask_user",
    description=(
        "Ask the person what only they can decide. Ask all you need at once. They choose, "
        "write another answer, or decline."
    ),
    arguments=AskUser,
    effect="read",
    label=label,
    run=run,
    asks_person=True,
)
