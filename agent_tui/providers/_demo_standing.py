"""Where the demo stands, folded from the messages of a request: who speaks next, and how far the tour has come.

Nothing is remembered beside the history, so a resumed session goes on where it stopped. Each answer leaves its place
in the message's `state`; an answer without one was interrupted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from agent_tui.protocol.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agent_tui.providers import _tour
from agent_tui.providers._demo_requests import Asked, Chat, Tour, understood
from agent_tui.providers._demo_results import STOPPED, failure

NAME: Final = "demo"
NOTHING: Final = Chat("")
SCRATCH: Final = re.compile(r"tour-[0-9]{1,9}")
_FACTS: Final = "\n\n<environment>\n"
"""Where the facts begin that the engine puts behind what a person typed."""


@dataclass(frozen=True, slots=True)
class Standing:
    answers: int = 0
    introduced: bool = False
    """The demo has said what it is."""
    due: Asked = NOTHING
    """What the next answer is about."""
    scratch: str = ""
    """Name of the tour's scratch folder; empty before its first answer is whole."""
    done: int = -1
    """The tour's last whole step."""
    cut: bool = False
    """The step after that one was begun, and interrupted."""
    back: bool = False
    """The person called the tour back; otherwise it goes on in its turn."""
    has_file: bool = False
    said: str = ""
    """What the person said into the running turn."""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolMessage, ...] = ()

    @property
    def touring(self) -> bool:
        return isinstance(self.due, Tour)

    @property
    def midway(self) -> bool:
        """A tour was begun and is not at its end."""
        return (self.done >= 0 or self.cut) and self.done < len(_tour.STEPS) - 1

    def after(self, message: Message) -> Standing:
        match message:
            case UserMessage():
                return self._asked(message.text.rpartition(_FACTS)[0] or message.text)
            case ToolMessage():
                return self._result(message)
            case AssistantMessage():
                return self._answer(message)

    def _asked(self, text: str) -> Standing:
        asked = understood(text)
        stopped = any((problem := failure(result)) and problem.tag in STOPPED for result in self.results)
        if self.touring and self.results and not stopped and isinstance(asked, Chat):
            return replace(self, said=f"{self.said}\n{asked.text}".strip())
        now = replace(self, due=asked, said="", calls=(), results=(), back=True)
        if self.touring and stopped:
            now = replace(now, done=self.done - 1, cut=True)
        if not isinstance(asked, Tour):
            return now
        if asked.by_next and not now.midway:
            return replace(now, due=Chat(text.strip()))
        if asked.afresh or not now.midway:
            return replace(now, scratch="", done=-1, cut=False, back=False, has_file=False)
        following = _tour.following(now.done, now.has_file)
        earlier = _tour.index(_tour.STEPS[following].again_from) if following is not None else -1
        if earlier >= 0 and self.touring and self.results and not stopped:
            return self  # said into the running turn: the circle goes on anyway, and nothing was interrupted
        return replace(now, done=earlier - 1, cut=True) if earlier >= 0 else now

    def _result(self, result: ToolMessage) -> Standing:
        made = self.touring and self.done == 0 and failure(result) is None
        return replace(self, results=(*self.results, result), has_file=self.has_file or made)

    def _answer(self, answer: AssistantMessage) -> Standing:
        ours = answer.provider == NAME
        now = replace(
            self, answers=self.answers + 1, introduced=self.introduced or (ours and bool(answer.text)),
            calls=answer.calls, results=(), said="", back=False,
        )  # fmt: skip
        place = _place(answer.state) if ours else None
        if place is not None:
            return replace(now, scratch=place[0], done=place[1], cut=False, due=Tour())
        if self.touring and (ours or not answer.provider) and not answer.state:
            return replace(now, cut=True, due=NOTHING)
        return now


def standing(messages: Iterable[Message]) -> Standing:
    now = Standing()
    for message in messages:
        now = now.after(message)
    return now


def state(scratch: str, step: int) -> str:
    """What the tour's answer `step` leaves in the history."""
    return json.dumps({"tour": scratch, "step": _tour.STEPS[step].name})


def _place(state: str) -> tuple[str, int] | None:
    """Scratch folder and step that an answer left; None if it was not one of the tour's."""
    try:
        data = json.loads(state)
        scratch, step = str(data["tour"]), _tour.index(str(data["step"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (scratch, step) if SCRATCH.fullmatch(scratch) and step >= 0 else None
