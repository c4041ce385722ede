"""Where the demo stands, folded from the messages of a request: who speaks next, and how far the
tour has come.

Nothing is remembered beside the history, so a resumed session goes on where it stopped. Each answer
leaves its place in the message's `state`; an answer without one was interrupted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.protocol.turn_events import INSTRUCTION
from agent_tui.providers.script.demo_words import Asked, words

NAME: Final = "demo"
SCRATCH: Final = re.compile(r"tour-[0-9]{1,9}")
_FACTS: Final = "\n\n<environment>\n"
"""Where the facts begin that the engine puts behind what a person typed."""
_FAILED: Final = re.compile(r"Error \[([a-z_]+)\]:")
_STOPPED: Final = ("cancelled", "interrupted")
"""Tags of calls that the person, or the end of the program, broke off."""


@dataclass(frozen=True, slots=True)
class Standing:
    answers: int = 0
    introduced: bool = False
    """The demo has said what it is."""
    due: Asked = field(default_factory=lambda: words().asked(""))
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
        return bool(self.due.request.tour)

    @property
    def midway(self) -> bool:
        """A tour was begun and is not at its end."""
        return (self.done >= 0 or self.cut) and self.done < len(words().tour) - 1

    @property
    def failed(self) -> tuple[ToolMessage, ...]:
        return tuple(result for result in self.results if _tag(result))

    def after(self, message: Message) -> Standing:
        match message:
            case UserMessage():
                return self._asked(message.text.rpartition(_FACTS)[0] or message.text)
            case ToolMessage():
                made = self.touring and self.done == 0 and not _tag(message)
                return replace(
                    self, results=(*self.results, message), has_file=self.has_file or made
                )
            case AssistantMessage():
                return self._answer(message)

    def _asked(self, text: str) -> Standing:
        if text.startswith(INSTRUCTION):
            due = words().on_the_side(text.removeprefix(INSTRUCTION))
            return replace(self, due=due, calls=(), results=(), back=False)
        asked = words().asked(text)
        stopped = any(_tag(result) in _STOPPED for result in self.results)
        into = self.touring and bool(self.results) and not stopped  # said into the running turn
        if into and asked.request.talk:
            return replace(self, said=f"{self.said}\n{text.strip()}".strip())
        now = replace(self, due=asked, said="", calls=(), results=(), back=True)
        if self.touring and stopped:
            now = replace(now, done=self.done - 1, cut=True)
        wish = asked.request.tour
        if not wish:
            return now
        if wish == "next" and not now.midway:
            return replace(now, due=words().unknown(text))
        if wish == "afresh" or not now.midway:
            return replace(now, scratch="", done=-1, cut=False, back=False, has_file=False)
        following = words().following(now.done, now.has_file)
        earlier = words().index(words().tour[following].again_from) if following is not None else -1
        if earlier >= 0 and into:
            return self  # the circle goes on anyway, and nothing was interrupted
        return replace(now, done=earlier - 1, cut=True) if earlier >= 0 else now

    def _answer(self, answer: AssistantMessage) -> Standing:
        ours = answer.provider == NAME
        now = replace(
            self,
            answers=self.answers + 1,
            introduced=self.introduced or (ours and bool(answer.text)),
            calls=answer.calls,
            results=(),
            said="",
            back=False,
        )
        place = _place(answer.state) if ours else None
        if place is not None:
            return replace(
                now, scratch=place[0], done=place[1], cut=False, due=words().asked("tour")
            )
        if self.touring and (ours or not answer.provider) and not answer.state:
            return replace(now, cut=True, due=words().asked(""))
        return now


def standing(messages: Iterable[Message]) -> Standing:
    now = Standing()
    for message in messages:
        now = now.after(message)
    return now


def state(scratch: str, step: int) -> str:
    """What the tour's answer `step` leaves in the history."""
    return json.dumps({"tour": scratch, "step": words().tour[step].name})


def _tag(result: ToolMessage) -> str:
    """Why the call failed; empty if it did not."""
    found = _FAILED.match(result.content)
    return found[1] if found else ""


def _place(state: str) -> tuple[str, int] | None:
    """Scratch folder and step that an answer left; None if it was not one of the tour's."""
    try:
        data = json.loads(state)
        scratch, step = str(data["tour"]), words().index(str(data["step"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (scratch, step) if SCRATCH.fullmatch(scratch) and step >= 0 else None
