"""What a search finds in a log: its turns as documents, and the texts of a record that count."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from agent_tui.sessions import facts as facts_
from agent_tui.sessions.facts import Facts
from agent_tui.sessions.raw import RawRecord, begins_turn, is_main, number, records, text

KINDS: Final = frozenset(
    {
        b"turn_started", b"steer_seen", b"assistant_message", b"tool_ended", b"shell_ended", b"file_changed",
        b"labelled", b"aside_ended",
    }
)  # fmt: skip
_READ: Final = KINDS | facts_.KINDS
PIECE: Final = 512 << 10
"""Bytes of a log that make a document, at most, but for its last record: a longer turn is several."""
SPOKEN: Final = 200_000
"""Characters of a prompt or an answer that are searched."""
OUTPUT: Final = 20_000
"""Characters of a tool's or a command's result that are searched."""
_UNSPACED: Final = re.compile(r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")
"""Characters of scripts that write no spaces: each is a word here."""
_COLOUR: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass(slots=True)
class Document:
    """`start` to `stop`: where in the log it stands; `before`: what was known of the session at its start."""

    turn: int
    start: int
    stop: int
    before: Facts
    texts: list[str]

    @property
    def text(self) -> str:
        return spread("\n".join(self.texts))


def documents(file: BinaryIO, facts: Facts, check: Callable[[], None]) -> Iterator[Document]:
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


def spread(words: str) -> str:
    """`words` with spaces around each character of a script that has none, so that each is found."""
    return words if words.isascii() else _UNSPACED.sub(r" \1 ", words)
