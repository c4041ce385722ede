"""What the engine answers about the context: what a summary would stand for, and of what the next
request is made, and what the files of the project define."""

from __future__ import annotations

from typing import ClassVar, Literal

from agent_tui.structures.frozen import frozen


@frozen
class GoingMessage:
    """A message that a summary would stand for: its place, `who` says it, how it begins, and about
    how many tokens it is."""

    place: int
    who: str
    words: str
    tokens: int = 0


@frozen
class CompactionPlan:
    """What `/compact` would do with the `of` messages of the context; `before` and `after`: about
    how many tokens a request has. `problem`: why there is nothing to do."""

    summary: str = ""
    going: tuple[GoingMessage, ...] = ()
    of: int = 0
    before: int = 0
    after: int = 0
    model: str = ""
    problem: str = ""
    type: ClassVar[Literal["compaction"]] = "compaction"


@frozen
class MappedFile:
    """A file of a map: its definitions as lines, each with its number, and how many there are
    besides."""

    path: str
    lines: tuple[str, ...] = ()
    left_out: int = 0


@frozen
class RepoMap:
    """What the files of the folder define, the most used first. `note`: what is to be known of it;
    `problem`: why there is none."""

    files: tuple[MappedFile, ...] = ()
    note: str = ""
    problem: str = ""
    type: ClassVar[Literal["repo_map"]] = "repo_map"


@frozen
class LedgerPart:
    """A part of the next request, or what it leaves out (`gone`; `source` says why then where it was
    never sent). `text` can be read where the program wrote it, or put it together."""

    name: str
    tokens: int
    source: str = ""
    gone: bool = False
    text: str = ""


@frozen
class Ledger:
    """What the next request is made of, and how much of the window that takes. `tokens` is the sum,
    counted by the server unless `estimated`; `limit`: from where on it is compacted (0: never);
    `cached`: what the server read from its cache in the last request, of `sent` tokens; `broke`:
    what changed of the part that a cache keeps, as it was last."""

    parts: tuple[LedgerPart, ...] = ()
    tokens: int = 0
    estimated: bool = True
    model: str = ""
    window: int = 0
    window_assumed: bool = False
    limit: int = 0
    reserve: int = 0
    cached: int = 0
    sent: int = 0
    broke: str = ""
    type: ClassVar[Literal["context"]] = "context"


@frozen
class MemoryRow:
    """A fact that is remembered, with the `path` of its file, or one that is proposed, and since
    which day."""

    id: str
    scope: Literal["user", "project", "proposed"]
    text: str
    path: str = ""
    day: str = ""


@frozen
class MemoryList:
    """What is remembered, and proposed. `forgotten`: what can still be brought back; not `on`:
    nothing of it is told to the model; `left`: how many facts more there are; `meaning`: what is
    to say of the search by meaning."""

    rows: tuple[MemoryRow, ...] = ()
    forgotten: str = ""
    on: bool = True
    left: int = 0
    meaning: str = ""
    type: ClassVar[Literal["memory"]] = "memory"
