"""What a list says of a session, folded from its records: plain data that a cache can keep and go on with."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from agent_tui.sessions.raw import RawRecord, is_main, number, seconds, text

KINDS: Final = frozenset(
    {
        b"session_started", b"model_changed", b"turn_started", b"step_started", b"request_sent", b"usage",
        b"file_changed", b"titled", b"labelled", b"forked",
    }
)  # fmt: skip
FILES: Final = 300
"""Paths of changed files that are remembered."""
TITLE: Final = 80
_BRANCH: Final = re.compile(r"^Git branch: (?:No commits yet on )?(.+?)(?:\.\.\.| \[|$)", re.MULTILINE)


@dataclass(slots=True)
class Facts:
    """`named`, `told`, `prompt`: the title by the person, by the model, and the first prompt's first line."""

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
        parts = (self.named, self.told, self.prompt, *self.labels.values(), self.cwd, self.branch, self.model, *days)
        return "\n".join((*parts, id, *self.files)).casefold()

    def dump(self) -> dict[str, Any]:
        return asdict(self)


_FIELDS: Final = frozenset(one.name for one in fields(Facts))


def facts_of(data: Any) -> Facts:
    """The facts that were dumped. Raises TypeError, ValueError for anything else."""
    if not isinstance(data, dict) or not data.keys() <= _FIELDS:
        raise ValueError("no facts of a session")
    return Facts(**data)


def first_line(words: str) -> str:
    return words.strip().split("\n", 1)[0][:TITLE]


def day(at: float) -> str:
    """The local day of `at`; empty for what no calendar shows."""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(at))
    except (OverflowError, OSError, ValueError):
        return ""
