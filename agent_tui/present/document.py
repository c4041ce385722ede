"""The backend of documents: what a session consists of for a reader, in order, for Markdown and
HTML alike.

Texts in here are harmless already (`readable`), and still raw Markdown or raw code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal, assert_never

from agent_tui.present import parts as p
from agent_tui.present.blocks import BROKEN_OFF, ENDS, child_facts, tool_parts
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    Child,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    Transcript,
    TurnBlock,
    UserBlock,
)
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import readable

_MARKS: Final[dict[p.Mark, tuple[str, str]]] = {
    "": ("", ""),
    "open": ("[ ] ", ""),
    "active": ("[>] ", ""),
    "done": ("[x] ", ""),
    "option": ("  ", ""),
    "chosen": ("> ", ""),
    "folder": ("", "/"),
    "link": ("", "@"),
    "image": ("picture: ", ""),
}
"""What stands before and behind an item."""


@frozen
class Code:
    """Text to show as it is; `language` for highlighting, empty for none."""

    text: str
    language: str = ""


@frozen
class Prose:
    """Markdown."""

    text: str


@frozen
class Remark:
    """A line between the others, or above what follows: a notice, the end of a turn, a divider."""

    text: str
    tone: Literal["dim", "warning", "error"] = "dim"


Piece = Code | Prose | Remark
Local = Callable[[float], str]
"""A moment in local time; empty if it is not known."""


@frozen
class Speech:
    """What the person or the model said, as Markdown, or what a sub-agent was given to do (`task`);
    `at`: local time, empty if unknown."""

    who: Literal["person", "agent", "task"]
    text: str
    at: str = ""
    note: str = ""


@frozen
class Folded:
    """What is folded away under one line: thinking, a tool call with how it ended, or all that a
    sub-agent did; `sections`: what is folded in it."""

    kind: Literal["thinking", "tool", "agent"]
    label: str
    outcome: str
    good: bool
    pieces: tuple[Piece, ...] = ()
    sections: tuple[Section, ...] = ()


Section = Speech | Folded | Remark


def sections(transcript: Transcript, local: Local) -> tuple[Section, ...]:
    """The sections of `transcript`. An answer that was cut into pieces to be drawn is one again."""
    found: list[Section] = []
    answer: list[str] = []
    for block in (*transcript.rows, *transcript.live()):
        if answer and (not isinstance(block, TextBlock) or block.head):
            found.append(Speech("agent", harmless_text("".join(answer)).strip("\n")))
            answer = []
        if isinstance(block, TextBlock):
            answer.append(block.text)
        elif (section := _section(block, local)) is not None:
            found.append(section)
    if answer:
        found.append(Speech("agent", harmless_text("".join(answer)).strip("\n")))
    return tuple(found)


def title(transcript: Transcript) -> str:
    return " ".join(harmless_text(transcript.title).split()) or "A session without a prompt"


def facts(transcript: Transcript) -> tuple[tuple[str, str], ...]:
    """What is said of the whole session: (name, value)."""
    named = (
        ("session", transcript.session),
        ("model", transcript.model),
        ("folder", transcript.cwd),
    )
    return tuple((name, one_line(value)) for name, value in named if value)


def harmless_text(text: str) -> str:
    """`text` without anything that a terminal or an editor would act on."""
    return readable(text)


def one_line(text: str) -> str:
    return " ".join(harmless_text(text).split())


def _section(block: Block, local: Local) -> Section | None:
    match block:
        case UserBlock():
            note = (
                "sent while it worked"
                if block.steer
                else f"skill {one_line(block.skill)}"
                if block.skill
                else ""
            )
            return Speech("person", harmless_text(block.text).strip("\n"), local(block.at), note)
        case TextBlock():
            return None  # joined to answers above
        case ThinkingBlock():
            seconds = f"{block.duration_ms / 1000:.1f} s" if block.duration_ms else ""
            return Folded(
                "thinking",
                "Thinking",
                seconds,
                True,
                (Prose(harmless_text(block.text).strip("\n")),),
            )
        case ToolBlock():
            return _tool(block, local)
        case CallBlock():
            return None  # nothing was called yet
        case NoticeBlock():
            text = f"{block.text} ({block.hint})" if block.hint else block.text
            return Remark(one_line(text), "dim" if block.level == "info" else block.level)
        case TurnBlock():
            end = ENDS[block.state] if block.state != "completed" else ""
            words = [end, f"{block.duration_ms / 1000:.1f} s" if block.duration_ms else ""]
            said = " · ".join(word for word in words if word)
            return (
                Remark(said, "dim" if block.state == "completed" else "warning") if said else None
            )
        case DividerBlock() if block.detail:
            summary = Prose(harmless_text(block.detail))
            return Folded("thinking", one_line(block.text), "", True, (summary,))
        case DividerBlock():
            return Remark(one_line(block.text))
        case _:
            assert_never(block)


def _tool(block: ToolBlock, local: Local) -> Folded:
    ended = block.tag if block.state in ("failed", "cancelled") and block.tag else block.state
    words = [
        BROKEN_OFF.get(ended, ended),
        f"{block.duration_ms / 1000:.1f} s" if block.duration_ms >= 100 else "",
        block.note,
    ]
    outcome = one_line(" · ".join(word for word in words if word))
    label = one_line(block.label or block.name)
    pieces = pieces_of(tool_parts(block))
    children = tuple(_child(child, local) for child in block.children)
    return Folded("tool", label, outcome, block.state == "done", pieces, children)


def _child(child: Child, local: Local) -> Folded:
    """A sub-agent: in its transcript, what stands for the person is the call that started it."""
    done = [
        replace(one, who="task") if isinstance(one, Speech) and one.who == "person" else one
        for one in sections(child.seen, local)
    ]
    good, outcome = child.end == "completed", one_line(" · ".join(child_facts(child)))
    return Folded("agent", one_line(child.agent), outcome, good, sections=tuple(done))


def pieces_of(parts: Iterable[p.Part]) -> tuple[Piece, ...]:
    """Lines that follow one another without a language are one piece."""
    found: list[Piece] = []
    for piece in map(_piece, parts):
        before = found[-1] if found else None
        if (
            isinstance(piece, Code)
            and not piece.language
            and isinstance(before, Code)
            and not before.language
        ):
            found[-1] = Code("\n".join(filter(None, (before.text, piece.text))))
        else:
            found.append(piece)
    return tuple(piece for piece in found if piece.text)


def _piece(part: p.Part) -> Piece:
    match part:
        case p.Markdown():
            return Prose(harmless_text(part.text))
        case p.Words(kind="note"):
            return Remark(part.text)
        case p.Words() | p.Output():
            return Code(harmless_text(part.text).rstrip("\n"))
        case p.Code():
            return Code(harmless_text(part.text), part.language)
        case p.Script():
            return Code(harmless_text(part.text).strip("\n"), "bash")
        case p.Diff():
            return Code("\n".join(_diff(part.diff)), "diff")
        case p.Matches():
            lines = [
                f"{one_line(m.path)}:{m.line}: {harmless_text(m.text).rstrip()}"
                for m in part.matches
            ]
            return Code("\n".join([*lines, *_more(part.total, len(part.matches))]))
        case p.Table():
            return Code(
                "\n".join("\t".join(map(one_line, row)) for row in (part.header, *part.rows))
            )
        case p.List():
            return Code(
                "\n".join([*map(_item, part.items), *_more(part.total, len(part.items))])
                or part.empty
            )
        case _:
            assert_never(part)


def _diff(diff: DiffDisplay) -> Iterator[str]:
    path = one_line(diff.path)
    yield "--- /dev/null" if diff.created else f"--- a/{path}"
    yield f"+++ b/{path}"
    for hunk in diff.hunks:
        old = sum(line[:1] not in ("+", "\\") for line in hunk.lines)
        new = sum(line[:1] not in ("-", "\\") for line in hunk.lines)
        yield f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"
        yield from (harmless_text(line).replace("\n", "␊") for line in hunk.lines)


def _item(item: p.Item) -> str:
    before, after = _MARKS[item.mark]
    text = f"{before}{one_line(item.text)}{after}"
    if item.name:
        return f"{one_line(item.name)}  {one_line(item.note)}  {text}"
    return f"{text} ({item.note})" if item.note else text


def _more(total: int, there: int) -> tuple[str, ...]:
    return (f"({total:,} in all)",) if total > there else ()
