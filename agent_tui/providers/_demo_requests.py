"""What a person can ask of the demo, read from what they typed. Pure: text in, plain values out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agent_tui.providers._demo_speech import Wish

_QUOTES: Final = "\"'`"
_ONE_LINE: Final = ("read", "find", "list")
"""Requests of one line; a longer text that begins so is one for a model: a skill, or something pasted."""


@dataclass(frozen=True, slots=True)
class Tour:
    """Start the tour, or go on with it. `afresh`: from the start, wherever it stopped."""

    afresh: bool = False
    by_next: bool = False
    """Asked for by `next`, which means nothing where no tour was begun."""


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call that was asked for."""

    wish: Wish


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A request that lacks something: `usage` shows a whole one."""

    usage: str


@dataclass(frozen=True, slots=True)
class Help:
    pass


@dataclass(frozen=True, slots=True)
class Think:
    """An answer with thoughts before it."""


@dataclass(frozen=True, slots=True)
class Chat:
    """Anything else."""

    text: str


Asked = Tour | Act | Unfinished | Help | Think | Chat


def understood(text: str) -> Asked:
    """What `text` asks for."""
    text = text.strip()
    word, rest = _first_word(text)
    if "\n" in rest and word.casefold() in _ONE_LINE:
        return Chat(text)
    match word.casefold():
        case "tour" | "next" if not rest:
            return Tour(by_next=word.casefold() == "next")
        case "tour" if " ".join(rest.casefold().split()) in ("from the start", "again", "restart"):
            return Tour(afresh=True)
        case "help" | "?" if not rest:
            return Help()
        case "think" if not rest:
            return Think()
        case "read":
            return _read(rest)
        case "find":
            words = _literally(_unquoted(rest))
            return Act(Wish("grep_files", {"pattern": words})) if words else Unfinished("find TODO")
        case "list":
            return Act(Wish("list_files", {"path": _unquoted(rest) or "."}))
        case "run":
            return Act(Wish("run_shell_command", {"command": rest})) if rest else Unfinished("run ls")
        case "replace":
            return _replace(rest)
        case "create":
            return _create(rest)
        case _:
            return Chat(text)


def _first_word(text: str) -> tuple[str, str]:
    word, *rest = text.split(maxsplit=1) or [""]
    return word, rest[0] if rest else ""


def _read(rest: str) -> Asked:
    """`FILE`, `FILE 10-20` or `FILE 10`."""
    path, _, lines = rest.rpartition(" ")
    numbers = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", lines)
    if numbers and path.strip():
        first = int(numbers[1])
        return Act(
            Wish("read_file", {"path": _unquoted(path), "start_line": first, "end_line": int(numbers[2] or first)})
        )
    path = _unquoted(rest)
    return Act(Wish("read_file", {"path": path})) if path else Unfinished("read README.md")


def _replace(rest: str) -> Asked:
    """`A with B in FILE`; A and B may be quoted. The file is what follows the last ` in `."""
    usage = Unfinished('replace "old words" with "new words" in notes.md')
    old, rest = _quoted(rest) or _cut(rest, r"\swith\s")
    rest = re.sub(r"\Awith\s", "", rest.lstrip(), count=1)
    new, place = _quoted(rest) or _cut(rest, r"\sin\s", last=True)
    path = _unquoted(re.sub(r"\Ain\s", "", place.lstrip(), count=1))
    if not old or not path:
        return usage
    return Act(Wish("edit_file", {"path": path, "old": old, "new": new}))


def _create(rest: str) -> Asked:
    """`FILE`, `FILE with TEXT`, `FILE: TEXT`, or the text on the lines that follow."""
    word = re.match(r"\S*", rest)
    path, text = _quoted(rest) or (word[0] if word else "", rest[word.end() if word else 0 :])
    if not path:
        return Unfinished("create notes.md with some words")
    if path.endswith(":") and len(path) > 1:
        path = path[:-1]
    text = re.sub(r"\A[ \t]*(?:with\b|:)?[ \t]*\n?", "", text, count=1)
    if text and not text.endswith("\n"):
        text += "\n"
    return Act(Wish("create_file", {"path": path, "content": text}))


def _quoted(text: str) -> tuple[str, str] | None:
    """A quoted stretch at the start of `text` and what follows it; None if there is none."""
    text = text.lstrip()
    if not text or text[0] not in _QUOTES:
        return None
    end = text.find(text[0], 1)
    return (text[1:end], text[end + 1 :]) if end > 0 else None


def _cut(text: str, mark: str, last: bool = False) -> tuple[str, str]:
    """What stands before and after the first (or last) `mark`; nothing after it where it is missing."""
    found = list(re.finditer(mark, text))
    if not found:
        return text.strip(), ""
    at = found[-1 if last else 0]
    return text[: at.start()].strip(), text[at.end() :]


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = _quoted(text)
    return quoted[0] if quoted and not quoted[1] else text


def _literally(text: str) -> str:
    """A search pattern that finds exactly `text`."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)
