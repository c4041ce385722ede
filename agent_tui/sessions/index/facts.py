"""What a list says of a session, folded from its records: plain data that a cache can keep and go
on with."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import BinaryIO, Final

from agent_tui.sessions.log.raw import (
    RawRecord,
    begins_turn,
    is_main,
    number,
    records,
    seconds,
    text,
)
from agent_tui.structures import late

KINDS: Final = frozenset(
    {
        b"session_started",
        b"model_changed",
        b"turn_started",
        b"step_started",
        b"request_sent",
        b"usage",
        b"file_changed",
        b"titled",
        b"labelled",
        b"forked",
    }
)
FILES: Final = 300
"""Paths of changed files that are remembered."""
TITLE: Final = 80
_BRANCH: Final = late.pattern(
    r"^Git branch: (?:No commits yet on )?(.+?)(?:\.\.\.| \[|$)", re.MULTILINE
)


@dataclass(slots=True)
class SessionFacts:
    """`named`, `told`, `prompt`: the title by the person, by the model, and the first prompt's
    first line."""

    cwd: str = ""
    named: str = ""
    told: str = ""
    prompt: str = ""
    began: float = 0.0
    at: float = 0.0
    turns: int = 0
    model: str = ""
    branch: str = ""
    parent: str = ""
    parent_at: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @property
    def title(self) -> str:
        return self.named or self.told or self.prompt

    def take(self, record: RawRecord) -> None:
        """Go on with `record`, whatever is in it."""
        at = seconds(record)
        if at is not None:
            self.at = at
            self.began = self.began or at
        if not is_main(record) and record["type"] not in ("usage", "file_changed"):
            return  # of a sub-agent counts what it took and changed
        match record["type"]:
            case "session_started":
                self.cwd = self.cwd or text(record, "cwd")
                self.model = text(record, "model") or self.model
                self._from(record)
            case "forked":
                self._from(record)
            case "model_changed" | "request_sent":
                self.model = text(record, "model") or self.model
            case "turn_started":
                self.turns += 1
                self.prompt = self.prompt or first_line(text(record, "prompt"))
            case "step_started":
                found = _BRANCH.search(text(record, "facts"))
                self.branch = found[1].strip() if found is not None else self.branch
            case "usage":
                self._used(record)
            case "file_changed":
                self._changed(text(record, "path"))
            case "titled":
                self._titled(record)
            case "labelled":
                self._labelled(record)
            case _:
                pass  # what else is on record says nothing here

    def _from(self, record: RawRecord) -> None:
        if text(record, "parent"):
            self.parent = text(record, "parent")
            self.parent_at = number(record, "parent_at")

    def _used(self, record: RawRecord) -> None:
        usage = record.get("usage")
        if isinstance(usage, dict):
            self.tokens_in += number(usage, "prompt_tokens")
            self.tokens_out += number(usage, "completion_tokens")
        cost = record.get("cost")
        if isinstance(cost, int | float):
            self.cost = (self.cost or 0.0) + float(cost)

    def _changed(self, path: str) -> None:
        if path and len(self.files) < FILES and path not in self.files:
            self.files.append(path)

    def _titled(self, record: RawRecord) -> None:
        title = first_line(text(record, "title"))
        if text(record, "by") == "model":
            self.told = title
        else:
            self.named = title

    def _labelled(self, record: RawRecord) -> None:
        target = str(number(record, "of"))
        if label := first_line(text(record, "label")):
            self.labels[target] = label
        else:
            self.labels.pop(target, None)

    def words(self, id: str) -> str:
        """All of it that is searched, in one text."""
        days = dict.fromkeys(day(at) for at in (self.began, self.at) if at)
        parts = (
            self.named,
            self.told,
            self.prompt,
            *self.labels.values(),
            self.cwd,
            self.branch,
            self.model,
            *days,
        )
        return "\n".join((*parts, id, *self.files)).casefold()

    def dump(self) -> dict[str, object]:
        return asdict(self)


_FIELDS: Final = frozenset(one.name for one in fields(SessionFacts))


def facts_of(data: object) -> SessionFacts:
    """The facts that were dumped. Raises TypeError, ValueError for anything else."""
    if not isinstance(data, dict) or not data.keys() <= _FIELDS:
        raise ValueError("no facts of a session")
    return SessionFacts(**data)


def first_line(words: str) -> str:
    return words.strip().split("\n", 1)[0][:TITLE]


def day(at: float) -> str:
    """The local day of `at`; empty for what no calendar shows."""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(at))
    except (OverflowError, OSError, ValueError):
        return ""


SEARCHED_KINDS: Final = frozenset(
    {
        b"turn_started",
        b"steer_seen",
        b"assistant_message",
        b"tool_ended",
        b"shell_ended",
        b"file_changed",
        b"labelled",
        b"aside_ended",
    }
)
_READ: Final = SEARCHED_KINDS | KINDS
PIECE: Final = 512 << 10
"""Bytes of a log that make a document, at most, but for its last record: a longer turn is several.
"""
SPOKEN: Final = 200_000
"""Characters of a prompt or an answer that are searched."""
OUTPUT: Final = 20_000
"""Characters of a tool's or a command's result that are searched."""
_UNSPACED: Final = late.pattern(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])"
)
"""Characters of scripts that write no spaces: each is a word here."""
_COLOUR: Final = late.pattern(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass(slots=True)
class Document:
    """`start` to `stop`: where in the log it stands; `before`: what was known of the session at its
    start."""

    turn: int
    start: int
    stop: int
    before: SessionFacts
    texts: list[str]

    @property
    def text(self) -> str:
        return spread_characters("\n".join(self.texts))


def documents(file: BinaryIO, facts: SessionFacts, check: Callable[[], None]) -> Iterator[Document]:
    """The turns from where `file` is, in pieces; `facts` takes part in all that is read."""
    now: Document | None = None
    for start, stop, record in records(file, _READ, check):
        begins = begins_turn(record)
        if now is None or ((begins or start - now.start > PIECE) and start > now.start):
            if now is not None and now.texts:
                yield now
            before = copy.copy(facts)
            before.labels, before.files = dict(facts.labels), list(facts.files)
            now = Document(number(record, "turn"), start, stop, before, [])
        facts.take(record)
        now.stop = stop
        now.turn = (is_main(record) and number(record, "turn")) or now.turn
        now.texts.extend(texts(record))
    if now is not None and now.texts:
        yield now


def texts(record: RawRecord) -> Iterator[str]:
    """What of `record` is searched, without colours. Nothing of a private command is."""
    for said in _texts(record):
        yield _COLOUR.sub("", said) if "\x1b" in said else said


def _texts(record: RawRecord) -> Iterator[str]:
    match record["type"]:
        case "turn_started":
            yield text(record, "prompt")[:SPOKEN]
        case "steer_seen" | "assistant_message":
            yield text(record, "text")[:SPOKEN]
        case "tool_ended":
            yield text(record, "label")
            yield text(record, "content")[:OUTPUT]
        case "shell_ended":
            if record.get("private") is not True:
                yield text(record, "label")
                yield text(record, "content")[:OUTPUT]
        case "aside_ended":
            yield text(record, "question")
            yield text(record, "text")[:SPOKEN]
        case "file_changed":
            yield text(record, "path")
        case "labelled":
            yield text(record, "label")
        case _:
            return


def spread_characters(words: str) -> str:
    """`words` with spaces around each character of a script that has none, so that each is
    found."""
    return words if words.isascii() else _UNSPACED.sub(r" \1 ", words)
