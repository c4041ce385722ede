"""What the model is sent: the other fold of the events, into messages.

A request depends on the log alone, so that a resumed session sends the same bytes; messages are
only ever appended, so that a server's cache of the earlier ones stays warm.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final

from agent_tui.agent.services import images
from agent_tui.context import compaction
from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import (
    AssistantReplied,
    Cleared,
    Compacted,
    CompactionUndone,
    ContextBuilt,
    ContextTold,
    DirectoriesChanged,
    Directory,
    Event,
    FilesRestored,
    JobChanged,
    ResultsFolded,
    Retrying,
    Rewound,
    ShellEnded,
    SteerSeen,
    StepStarted,
    TodoChanged,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.protocol.turn_events import ContextPart, Profile
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec

ON: Final = "(Your answer reached its token limit. Go on exactly where it stopped, without repeating anything.)"
"""Stands in a request in the place of a prompt where an answer goes on that was cut."""
BROKE_OFF: Final = (
    "(The connection broke off your answer. Go on exactly where it stopped, without repeating "
    "anything. A call that you had begun did not run: make it again.)"
)
"""Stands in a request in the place of a prompt where an answer goes on that broke off."""
BROKEN: Final = ("error", "interrupted", "cancelled", "refusal")
"""How answers end that did not come to their end."""
NAMED: Final = 50
"""Files that are named to the model when they were put back."""
GO_ON: Final = (
    "(The turn before was interrupted. Go on where it stopped; look before you repeat anything.)"
)
"""Stands in a request in the place of a prompt where an interrupted turn goes on and its last words
are the model's."""

MEMORY: Final = "memory: "
"""How the names begin of facts that were recalled: they stand in messages, not in the prefix."""
BLOCK: Final = "[MEMORY]"
"""How what was recalled begins there."""


@frozen
class Summary:
    """The newest one: how the history was `before` it, how many of its messages it stands for, and
    how many messages stand for them."""

    before: History
    replaced: int
    stands: int


@frozen
class Behind:
    """A text that the program put behind a message: the facts of the moment, or what it tells of
    `parts`, the names of these."""

    text: str
    parts: tuple[str, ...] = ()
    is_facts: bool = False


@frozen
class History:
    """The prefix (system prompt, tools) and the messages. `turn_at`: where the newest turn's
    messages begin; `marks`: what each turn began with, by the number of its record (all of them
    share what they have in common)."""

    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    parts: tuple[ContextPart, ...] = ()
    """What the system prompt is made of."""
    profile: Profile = "full"
    room: int = 0
    """Characters of all instruction files for which the prefix was made."""
    messages: Vec[Message] = Vec()
    turn_at: int = 0
    facts: str = ""
    """The volatile facts that the model was told last."""
    shell: tuple[str, ...] = ()
    """What happened since the last request: commands of the person with their output, files put
    back, jobs that ended. And a todo list of which no message tells."""
    seen: tuple[Image, ...] = ()
    """Pictures that were read since the last request: most servers take none in a result."""
    marks: Vec[tuple[int, History]] = Vec()
    begun: Vec[int] = Vec()
    """Where the messages of each turn begin, of those that are not summarised."""
    cut: bool = False
    """The newest answer reached the model's token limit, or filled its window."""
    broken: int = -1
    """Where the newest answer stands that broke off before its end."""

    directories: tuple[Directory, ...] = ()
    built_for: tuple[Directory, ...] = ()
    calls: int = 0
    """How many calls the model has made, also in messages that are summarised."""
    answered: bool = False
    """The model has said something in the newest turn; its beginning may be summarised."""
    words: Vec[str] = Vec()
    """What the person said, as it was typed."""
    words_at: int = 0
    """How many of them were there when the newest turn began."""
    plan: str = ""
    """The plan that was proposed last."""
    todos: tuple[TodoItem, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict)
    """Results, by their calls, that are in no request as they were."""
    summary: Summary | None = None
    undone: bool = False
    """The person took the newest summary back: only what does not fit is summarised again."""
    told: Mapping[str, str] = field(default_factory=dict)
    """Hashes of the parts of the prefix that the model was told anew, as they are since."""
    behind: Vec[Behind] = Vec()
    """What the program told behind messages, the oldest first, also what no message holds now."""
    """The folders beside the session's own: as they are, and as they were when the prefix was
    built."""

    @property
    def stale(self) -> bool:
        """The prefix tells of other folders than there are."""
        return self.directories != self.built_for

    def request(self) -> Request:
        return Request(self.system, tuple(self.messages), self.tools, calls=self.calls)

    @property
    def is_complete(self) -> bool:
        """Whether the last words are the model's, and came to their end."""
        return isinstance(self._last(), AssistantMessage) and self.broken != len(self.messages) - 1

    @property
    def keeps(self) -> bool:
        """Whether what was asked stays in the conversation, should the turn fail now."""
        return self.has_answered() or len(self.messages) == self.turn_at

    def holds_result(self, call_id: str, result: str) -> bool:
        """Whether the result of a call is in the next request, or what was attached so."""
        return any(
            message.call_id == call_id and message.content == result
            if isinstance(message, ToolMessage)
            else isinstance(message, UserMessage) and result in message.text
            for message in self.messages
        )

    def has_answered(self) -> bool:
        """Whether the model has said anything in the newest turn."""
        return self.answered

    def with_event(self, event: Event) -> History:
        """The history once `event` has happened."""
        match event:
            case ContextBuilt():
                tools = tuple(
                    ToolSpec(t["name"], t["description"], t["parameters"])
                    for t in json.loads(event.tools)
                )
                return replace(
                    self,
                    system=event.system,
                    tools=tools,
                    parts=event.parts,
                    profile=event.profile,
                    room=event.room,
                    built_for=self.directories,
                    told=_recalled(self.told, self.messages),
                )
            case ContextTold():
                joined = self._joined(event.text)
                if (
                    joined is self and self.has_answered()
                ):  # behind results it is a message of its own
                    joined = replace(self, shell=(*self.shell, event.text))
                parts = {**self.told, **event.parts}
                behind = self.behind.append(Behind(event.text, tuple(event.parts)))
                return self if joined is self else replace(joined, told=parts, behind=behind)
            case DirectoriesChanged():
                return replace(self, directories=event.directories)
            case Compacted():
                return self._compacted(event)
            case CompactionUndone():
                return self._uncompacted()
            case ResultsFolded():
                shown = compaction.folded(tuple(self.messages), event.through)
                return replace(
                    self, messages=Vec(shown), results=self._results_among(event.through)
                )
            case Cleared():
                return History(marks=self.marks, directories=self.directories)
            case Rewound():
                return self._before(event.to)
            case TurnStarted():
                told = (self._unbroken() if event.again else self)._shell_told()
                marked = replace(
                    told,
                    begun=told.begun.append(len(told.messages)),
                    answered=False,
                    words_at=len(told.words),
                    words=told.words.append(event.prompt) if event.prompt else told.words,
                    turn_at=len(told.messages),
                    marks=self.marks.append((event.n, self._unmarked())),
                )
                if event.continued and not isinstance(told._last(), AssistantMessage):
                    return marked  # a prompt or a result is what the next request ends with
                sent = UserMessage(GO_ON if event.continued else event.sent or event.prompt)
                return replace(marked, messages=told.messages.append(sent))
            case SteerSeen():
                sent = UserMessage(event.sent or event.text)
                words = self.words.append(event.text)
                return replace(self, messages=self.messages.append(sent), words=words)
            case StepStarted():
                # behind a prompt that is unanswered it could go with that, if the turn fails
                told = self._shell_told() if self.has_answered() else self
                if told.cut and isinstance(told._last(), AssistantMessage):
                    told = replace(told, messages=told.messages.append(UserMessage(ON)), cut=False)
                return told._told(event.facts) if event.facts and len(told.messages) else told
            case Retrying() if 0 <= self.broken == len(self.messages) - 1:
                return replace(self, messages=self.messages.append(UserMessage(BROKE_OFF)))
            case ShellEnded() if event.content:
                said = f"[The person ran this in a shell]\n$ {event.command}\n{event.content}"
                return replace(self, shell=(*self.shell, said))
            case JobChanged() if event.told:
                return replace(self, shell=(*self.shell, event.told))
            case FilesRestored():
                changed = [file.path for file in event.files if file.outcome == "done"]
                return (
                    replace(self, shell=(*self.shell, _restored(event.direction, changed)))
                    if changed
                    else self
                )
            case TodoChanged():
                kept = replace(self, todos=event.items)
                if not event.items or len(self.messages):
                    return kept
                # the call that made it is in no request any more: the session was made smaller
                return replace(kept, shell=(*self.shell, _todos(event.items)))
            case AssistantReplied() if event.text or event.reasoning or event.calls:
                reply = AssistantMessage(
                    event.text, event.reasoning, event.calls, event.provider, event.state
                )
                broken = (
                    len(self.messages)
                    if event.stop_reason in BROKEN and not event.calls
                    else self.broken
                )
                cut = event.stop_reason in ("length", "window") and not event.calls
                plans = [plan for call in event.calls if (plan := compaction.plan_in(call))]
                return replace(
                    self,
                    messages=self.messages.append(reply),
                    answered=True,
                    calls=self.calls + len(event.calls),
                    broken=broken,
                    cut=cut,
                    plan=plans[-1] if plans else self.plan,
                )
            case ToolEnded() if event.name == ATTACHED:
                said = event.content if event.tag == "ok" else f"[{event.label}: {event.content}]"
                return self._joined(said, images.images_of(event.display))
            case ToolEnded():
                result = ToolMessage(event.call_id, event.name, event.content)
                seen = (*self.seen, *images.images_of(event.display))
                return replace(self, messages=self.messages.append(result), seen=seen)
            case TurnEnded(state="error") if not self.has_answered():
                # The prompt never reached the model (or did not fit): it goes back to the person,
                # not into the context.
                return replace(
                    self,
                    messages=self.messages.truncate(self.turn_at),
                    words=self.words.truncate(self.words_at),
                    facts="",
                    told=_recalled(self.told, self.messages[: self.turn_at]),
                )
            case _:
                return self

    def kept_beside(self, replaced: int) -> compaction.Kept:
        """What stays word for word where a summary stands for the first `replaced` messages."""
        stays = [m.text for m in self.messages[replaced:] if isinstance(m, UserMessage)]
        words = [
            said
            for said in self.words
            if not any(text == said or text.startswith(f"{said}\n\n") for text in stays)
        ]
        return compaction.Kept(words, self.plan, self.todos)

    def _compacted(self, event: Compacted) -> History:
        messages, replaced = tuple(self.messages), event.replaced
        after = compaction.compacted(messages, event.summary, replaced, event.pinned, self.facts)
        stands = len(after) - (len(messages) - replaced)
        begun = (at - replaced + stands for at in self.begun if at >= replaced)
        return replace(
            self,
            messages=Vec(after),
            turn_at=self.turn_at - replaced + stands if self.turn_at >= replaced else 0,
            begun=Vec(begun),
            broken=self.broken - replaced + stands if self.broken >= replaced else -1,
            results=self._results_among(replaced),
            told=_recalled(self.told, after),
            undone=False,
            summary=Summary(self._unmarked(), replaced, stands),
        )

    def _uncompacted(self) -> History:
        if (summary := self.summary) is None:
            return self
        before, more = summary.before, summary.replaced - summary.stands
        old = before.messages.truncate(summary.replaced)
        begun = [at for at in before.begun if at < summary.replaced]
        return replace(
            self,
            messages=old.extend(self.messages[summary.stands :]),
            told={**_recalled(before.told, old), **self.told},
            turn_at=self.turn_at + more if self.turn_at >= summary.stands else before.turn_at,
            begun=Vec((*begun, *(at + more for at in self.begun))),
            broken=self.broken + more if self.broken >= 0 else -1,
            summary=before.summary,
            undone=True,
        )

    def _results_among(self, first: int) -> Mapping[str, str]:
        """What `results` are once the first messages are not read as they are."""
        found = {
            one.call_id: one.content
            for one in self.messages[:first]
            if isinstance(one, ToolMessage) and not compaction.is_view(one)
        }
        return {**self.results, **found}

    def _last(self) -> Message | None:
        return self.messages[-1] if len(self.messages) else None

    def _unbroken(self) -> History:
        """Without the answer that broke off, if it is the last: what is sent then is what was sent
        before it."""
        if not 0 <= self.broken == len(self.messages) - 1:
            return self
        return replace(self, messages=self.messages.truncate(self.broken), broken=-1)

    def _unmarked(self) -> History:
        return replace(self, marks=Vec())

    def _before(self, to: int) -> History:
        """As it was before the turn that began with record `to`; unchanged where there is none."""
        for place in range(len(self.marks) - 1, -1, -1):
            n, before = self.marks[place]
            if n == to:
                return replace(
                    before, marks=self.marks.truncate(place), directories=self.directories
                )
        return self

    def _shell_told(self) -> History:
        """What the person's own commands put out, and pictures that were read, stand before what
        comes next."""
        if not self.shell and not self.seen:
            return self
        names = ", ".join(image.name for image in self.seen)
        said = (*self.shell, *([f"[Read: {names}]"] if names else []))
        message = UserMessage("\n\n".join(said), self.seen)
        return replace(self, messages=self.messages.append(message), shell=(), seen=())

    def _told(self, facts: str) -> History:
        after = self._joined(facts)
        behind = self.behind.append(Behind(facts, is_facts=True))
        return self if after is self else replace(after, facts=facts, behind=behind)

    def _joined(self, text: str, images: tuple[Image, ...] = ()) -> History:
        """`text` stands behind the newest message of the person, if nothing followed it."""
        last = self._last()
        if not isinstance(last, UserMessage):
            return self
        both = UserMessage(f"{last.text}\n\n{text}", (*last.images, *images))
        return replace(self, messages=self.messages.set(-1, both))


def _recalled(told: Mapping[str, str], messages: Iterable[Message]) -> dict[str, str]:
    """What of `told` are facts that stand in these messages."""
    said = [one.text for one in messages if isinstance(one, UserMessage) and BLOCK in one.text]
    return {
        name: hashed
        for name, hashed in told.items()
        if name.startswith(MEMORY) and any(f"\n- {name[len(MEMORY) :]}: " in text for text in said)
    }


def _restored(direction: str, changed: list[str]) -> str:
    """What the model is told of files that the person put back."""
    named = "\n".join(changed[:NAMED]) + (
        f"\n… and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    )
    what = (
        "took back changes of"
        if direction == "undo"
        else "made again the changes that were taken back of"
    )
    return f"[The person {what} these files; read them before you rely on them]\n{named}"


def _todos(items: tuple[TodoItem, ...]) -> str:
    """What the model is told of its todo list."""
    return "\n".join(("[Your todo list]", *compaction.todo_lines(items)))
