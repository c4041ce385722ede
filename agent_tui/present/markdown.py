"""A session as Markdown: what was said stays the source it was, tool calls fold where a reader
knows `<details>`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final, assert_never

from agent_tui.present.document import (
    Code,
    Folded,
    Piece,
    Prose,
    Remark,
    Section,
    Speech,
    facts,
    title,
)
from agent_tui.protocol.transcript import Transcript
from agent_tui.structures import late

_TICKS: Final = late.pattern("`+")
_WORD: Final = late.pattern(r"[\w+#.-]{1,40}")
_NAMES: Final = {"person": "You", "agent": "Agent", "task": "Task"}


def markdown(transcript: Transcript, sections: Iterable[Section]) -> str:
    """The whole document, with a newline at its end."""
    about = "\n".join(f"- {name}: {code_span(value)}" for name, value in facts(transcript))
    return (
        "\n\n".join(
            (
                f"# {inline(title(transcript))}",
                *([about] if about else []),
                *map(_section, sections),
            )
        )
        + "\n"
    )


def _section(section: Section) -> str:
    match section:
        case Speech():
            said = " · ".join(word for word in (section.at, section.note) if word)
            return f"## {_NAMES[section.who]}{f' ({inline(said)})' if said else ''}\n\n{section.text}".rstrip()
        case Folded():
            return "\n\n".join(_folded(section))
        case Remark():
            return _remark(section)
        case _:
            assert_never(section)


def _folded(part: Folded) -> Iterable[str]:
    outcome = f" — {inline(part.outcome)}" if part.outcome else ""
    yield f"<details><summary>{inline(part.label)}{outcome}</summary>"
    yield from map(_piece, part.pieces)
    yield from map(_section, part.sections)
    yield "</details>"


def _piece(piece: Piece) -> str:
    match piece:
        case Code():
            return fence_code(piece.text, piece.language)
        case Prose():
            return fence_code(
                piece.text, "markdown"
            )  # it stays inside of its fold, whatever it holds
        case Remark():
            return _remark(piece)
        case _:
            assert_never(piece)


def _remark(remark: Remark) -> str:
    return f"*{inline(remark.text)}*" if remark.text else "---"


def fence_code(text: str, language: str = "") -> str:
    """`text` as a code block that nothing in it can end."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if _WORD.fullmatch(language) else ''}\n{text}\n{fence}"


def code_span(text: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {text} {ticks}" if longest else f"`{text}`"


def inline(text: str) -> str:
    """`text` as words of a line, never as markup."""
    return re.sub(r"([\\`*_\[\]~|])", r"\\\1", escape(text, quote=False))
