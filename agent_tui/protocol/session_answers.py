"""Answers that tell of sessions: which there are, what was said in them, what they came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from agent_tui.protocol.display import Hunk
from agent_tui.protocol.messages import Usage
from agent_tui.structures.frozen import frozen


@frozen
class Summary:
    """A session in a line. `at`: seconds since the epoch of the last record; `title`: the person's,
    else the model's, else the first prompt's first line, and `by` says whose; `size` in bytes;
    `cost` in dollars, None where nothing is known."""

    id: str
    cwd: str
    title: str
    at: float
    turns: int
    model: str
    by: Literal["person", "model", "prompt"] = "prompt"
    size: int = 0
    labels: int = 0
    parent: str = ""
    parent_at: int = 0
    branch: str = ""
    files: int = 0
    tokens: int = 0
    cost: float | None = None
    elsewhere: bool = False
    """Another program has it open."""


@frozen
class Sessions:
    """The sessions there are: those of the folder `cwd`, in which is worked, first, each group
    newest first."""

    sessions: tuple[Summary, ...] = ()
    cwd: str = ""
    type: ClassVar = "sessions"

    def is_here(self, session: Summary) -> bool:
        """Whether `session` began in the folder in which is worked."""
        return session.cwd == self.cwd


@frozen
class Branch:
    """A session in the tree: `depth` 0 has no parent here, `last` has no sibling below it."""

    session: Summary
    depth: int
    last: bool
    lines: str = ""
    """What to draw before it: `│  ├─ `."""


@frozen
class Tree:
    """A session and its forks, parents before children."""

    branches: tuple[Branch, ...] = ()
    type: ClassVar = "tree"


@frozen
class Hit:
    """A session, and the newest place in it. `turn` and `n` (of the record) are 0 where only its
    facts have the words; `marks` are the places of the words in `snippet`, which is one harmless
    line."""

    session: Summary
    snippet: str
    turn: int = 0
    n: int = 0
    marks: tuple[tuple[int, int], ...] = ()


@frozen
class SearchResults:
    """Where `words` were found; `here`: in sessions of this folder only. `note`: in a line, what a
    person should know of how it was searched. `more`: the logs are still being read, another answer
    under the same id follows."""

    hits: tuple[Hit, ...] = ()
    note: str = ""
    words: str = ""
    here: bool = False
    more: bool = False
    type: ClassVar = "search"


@frozen
class PreviewPart:
    """`text`, of which `lines` lines are worth showing; `name` says whose words they are, if they
    are anybody's."""

    name: str
    text: str
    lines: int


@frozen
class Preview:
    """What a list shows of the entry `of`, a session's id or a file's path."""

    of: str = ""
    parts: tuple[PreviewPart, ...] = ()
    type: ClassVar = "preview"


@frozen
class LogLine:
    """`at`: the time of day, as it is shown."""

    at: str
    level: str
    source: str
    text: str


@frozen
class LogTail:
    """The ends of the program's log and of the session's records, oldest first; `left`: bytes
    before them."""

    lines: tuple[LogLine, ...] = ()
    left: int = 0
    type: ClassVar = "log"


@frozen
class ForkOutcome:
    """The copy `id` of the session `parent`, up to its record `at` (0: all of it); without an id
    why there is none."""

    id: str = ""
    parent: str = ""
    at: int = 0
    problem: str = ""
    type: ClassVar = "forked"


@frozen
class ShelfOutcome:
    """What was done to the session `id`, which is not the one at work; the list of sessions
    follows."""

    id: str = ""
    done: Literal["", "renamed", "deleted"] = ""
    problem: str = ""
    type: ClassVar = "shelf"


@frozen
class Refused:
    """What was asked for has nothing to act on; `said` is a few words for a moment."""

    said: str = ""
    type: ClassVar = "refused"


@frozen
class ProjectFile:
    """A file of a project that would act, and is not used until the person trusts it. `hash` is the
    SHA-256 of its content, `text` what of it is to be read; `diff` goes from what was trusted last
    to that; empty: nothing was. `unseen`: lines that are not in `text`; `importer`: the file that imports it."""

    name: str
    size: int
    hash: str
    text: str = ""
    diff: tuple[Hunk, ...] = ()
    unseen: int = 0
    importer: str = ""


@frozen
class TrustOffer:
    """Which `files` of the project in `folder` are not used, and how many are. `asks`: the person
    is to say whether they trust them; `lasts`: that can be kept; `replaced`: another folder was
    trusted there before."""

    folder: str
    files: tuple[ProjectFile, ...] = ()
    used: int = 0
    asks: bool = False
    lasts: bool = True
    replaced: bool = False
    type: ClassVar = "trust"


@frozen
class PromptHold:
    """Whether prompts stay in the queue, because something is asked before the next turn."""

    on: bool = False
    type: ClassVar = "hold"


@frozen
class Locked:
    """The session `id` is open in another program: `Resume(id, how)` says what to do about it."""

    id: str
    said: str = ""
    type: ClassVar = "locked"


@frozen
class SaveOutcome:
    """Why the session is still not on disk; empty: all of it is."""

    problem: str = ""
    type: ClassVar = "saved"


# -- figures


@frozen
class Tool:
    """One call: its line, how it ended and how long it took."""

    name: str
    label: str
    tag: str
    ms: int


@frozen
class Step:
    """A model call and its tools. `provider_ms`: waiting for the model, `tool_ms`: the calls, added
    up; `thought` and
    `answer`: how they begin; `cost` in dollars, None where no price was known, `unpriced` so many
    requests."""

    turn: int
    step: int
    agent: str = "main"
    at: float = 0.0
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    estimated: bool = False
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0
    provider_ms: int = 0
    thinking_ms: int = 0
    tool_ms: int = 0
    requests: int = 0
    retries: int = 0
    errors: int = 0
    thought: str = ""
    answer: str = ""
    tools: tuple[Tool, ...] = ()
    files: tuple[str, ...] = ()


@frozen
class Share:
    """What one model, one tool or one turn had in it: requests or calls, tokens, time, errors."""

    name: str
    count: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    ms: int = 0
    errors: int = 0
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0

    def plus(self, one: Usage, ms: int, cost: float | None, estimated: bool) -> Share:
        """With one more request in it."""
        return Share(
            self.name,
            self.count + 1,
            self.tokens_in + one.prompt_tokens,
            self.tokens_out + one.completion_tokens,
            self.cached + one.cached_tokens,
            self.ms + ms,
            self.errors,
            add_costs(self.cost, cost),
            self.cost_estimated or estimated,
            self.unpriced + (cost is None),
        )


@frozen
class Stats:
    """A session in figures. `turn_ms`: from prompts to ends of turns, `wall_ms`: from its first
    record to its last. `beside`: what was asked of a model in no turn (questions on the side,
    titles); its cost is part of `cost`, its tokens are not part of the others. `by_turn`: named by
    their numbers; `ends`: how often turns ended how."""

    session: str = ""
    began: float = 0.0
    ended: float = 0.0
    turns: int = 0
    steps: int = 0
    requests: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    estimated: bool = False
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0
    beside: Share = Share("beside")
    provider_ms: int = 0
    thinking_ms: int = 0
    tool_ms: int = 0
    turn_ms: int = 0
    wall_ms: int = 0
    tool_calls: int = 0
    commands: int = 0
    errors: int = 0
    warnings: int = 0
    files: tuple[str, ...] = ()
    ends: Mapping[str, int] = field(default_factory=dict)
    by_turn: tuple[Share, ...] = ()
    by_model: tuple[Share, ...] = ()
    by_tool: tuple[Share, ...] = ()
    by_step: tuple[Step, ...] = ()
    type: ClassVar = "stats"


def add_costs(one: float | None, other: float | None) -> float | None:
    """Two costs, as far as they are known."""
    return one if other is None else other if one is None else one + other
