"""What a session consists of for a reader: the parts that every document of it shows, in order, as plain values.

Texts in here are harmless already (`readable`), and still raw Markdown or raw code.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final, Literal, assert_never

from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    Transcript,
    TurnBlock,
    UserBlock,
)  # fmt: skip
from agent_tui.structures.frozen import frozen
from agent_tui.structures.moments import dated
from agent_tui.structures.visible import readable

_SIGNS: Final = {"open": "[ ]", "active": "[>]", "done": "[x]"}
_ENDS: Final = {
    "completed": "", "cancelled": "interrupted", "error": "failed", "max_steps": "stopped at the step limit",
    "timed_out": "timed out", "budget_exceeded": "stopped at the budget", "stuck": "stopped: going in circles",
    "interrupted": "cut off: agent-tui stopped",
}  # fmt: skip


@frozen
class Code:
    """Text to show as it is; `language` for highlighting, empty for none."""

    text: str
    language: str = ""


@frozen
class Prose:
    """Markdown."""

    text: str


Piece = Code | Prose


@frozen
class Speech:
    """What the person or the model said, as Markdown; `at`: local time, empty if unknown."""

    who: Literal["person", "agent"]
    text: str
    at: str = ""
    note: str = ""


@frozen
class Folded:
    """What is folded away under one line: thinking, or a tool call with how it ended."""

    kind: Literal["thinking", "tool"]
    label: str
    outcome: str
    good: bool
    pieces: tuple[Piece, ...]


@frozen
class Remark:
    """A line between the others: a notice, the end of a turn, a divider."""

    text: str
    tone: Literal["dim", "warning", "error"] = "dim"


Part = Speech | Folded | Remark


def parts(transcript: Transcript) -> tuple[Part, ...]:
    """The parts of `transcript`. An answer that was cut into pieces to be drawn is one part again."""
    found: list[Part] = []
    answer: list[str] = []
    for block in (*transcript.rows, *transcript.live()):
        if answer and (not isinstance(block, TextBlock) or block.head):
            found.append(Speech("agent", shown("".join(answer)).strip("\n")))
            answer = []
        if isinstance(block, TextBlock):
            answer.append(block.text)
        elif (part := _part(block)) is not None:
            found.append(part)
    if answer:
        found.append(Speech("agent", shown("".join(answer)).strip("\n")))
    return tuple(found)


def title(transcript: Transcript) -> str:
    return " ".join(shown(transcript.title).split()) or "A session without a prompt"


def facts(transcript: Transcript) -> tuple[tuple[str, str], ...]:
    """What is said of the whole session: (name, value)."""
    named = (("session", transcript.session), ("model", transcript.model), ("folder", transcript.cwd))
    return tuple((name, one_line(value)) for name, value in named if value)


def shown(text: str) -> str:
    """`text` without anything that a terminal or an editor would act on."""
    return readable(text)


def one_line(text: str) -> str:
    return " ".join(shown(text).split())


def _part(block: Block) -> Part | None:
    match block:
        case UserBlock():
            note = "sent while it worked" if block.steer else f"skill {one_line(block.skill)}" if block.skill else ""
            return Speech("person", shown(block.text).strip("\n"), _when(block.at), note)
        case TextBlock():
            return None  # joined to answers above
        case ThinkingBlock():
            seconds = f"{block.duration_ms / 1000:.1f} s" if block.duration_ms else ""
            return Folded("thinking", "Thinking", seconds, True, (Prose(shown(block.text).strip("\n")),))
        case ToolBlock():
            return _tool(block)
        case CallBlock():
            return None  # nothing was called yet
        case NoticeBlock():
            text = f"{block.text} ({block.hint})" if block.hint else block.text
            return Remark(one_line(text), "dim" if block.level == "info" else block.level)
        case TurnBlock():
            words = [_ENDS[block.state], f"{block.duration_ms / 1000:.1f} s" if block.duration_ms else ""]
            said = " · ".join(word for word in words if word)
            return Remark(said, "dim" if block.state == "completed" else "warning") if said else None
        case DividerBlock():
            return Remark(one_line(block.text))
        case _:
            assert_never(block)


def _when(at: float) -> str:
    """Local time of `at`; empty for none, and for one that no clock can show."""
    try:
        return dated(at, time.localtime(at).tm_gmtoff) if at > 0 else ""
    except (OverflowError, OSError, ValueError):
        return ""


def _tool(block: ToolBlock) -> Folded:
    words = [
        block.tag if block.state in ("failed", "cancelled") and block.tag else block.state,
        f"{block.duration_ms / 1000:.1f} s" if block.duration_ms >= 100 else "", block.note,
    ]  # fmt: skip
    outcome = one_line(" · ".join(word for word in words if word))
    pieces = pieces_of(block.display) if block.display is not None else ()
    tail = (Code(shown(block.tail)),) if block.tail else ()
    return Folded("tool", one_line(block.label or block.name), outcome, block.state == "done", (*pieces, *tail))


def pieces_of(display: d.Display) -> tuple[Piece, ...]:
    """What a tool showed, as text."""
    match display:
        case d.TextDisplay():
            return (Code(shown(display.text)),)
        case d.MarkdownDisplay() | d.PlanDisplay():
            return (Prose(shown(display.text)),)
        case d.CodeDisplay():
            return (Code(shown(display.text), display.language or display.path.rpartition("/")[2]),)
        case d.DiffDisplay():
            return (Code("\n".join(_diff(display)), "diff"),)
        case d.ListingDisplay():
            return (Code("\n".join([*(_entry(e) for e in display.entries), *_more(display.total, display.entries)])),)
        case d.MatchesDisplay():
            lines = [f"{one_line(m.path)}:{m.line}: {shown(m.text).rstrip()}" for m in display.matches]
            return (Code("\n".join([*lines, *_more(display.total, display.matches)])),)
        case d.CommandDisplay():
            return _command(display)
        case d.TableDisplay():
            return (Code("\n".join("\t".join(map(one_line, row)) for row in (display.header, *display.rows))),)
        case d.TodoDisplay():
            return (Code("\n".join(f"{_SIGNS[item.state]} {one_line(item.text)}" for item in display.items)),)
        case d.QuestionDisplay():
            options = [f"{'>' if option == display.answer else ' '} {one_line(option)}" for option in display.options]
            said = [] if display.answer in display.options else [f"> {one_line(display.answer)}"]
            return (Prose(shown(display.text)), Code("\n".join((*options, *said))))
        case d.ImageDisplay():
            return (Code(f"picture: {one_line(display.path)} ({display.width}×{display.height})"),)
        case d.AgentsDisplay():
            rows = (f"{one_line(a.name)}  {one_line(a.state)}  {one_line(a.task)}" for a in display.agents)
            return (Code("\n".join(rows)),)
        case _:
            assert_never(display)


def _diff(diff: d.DiffDisplay) -> Iterable[str]:
    path = one_line(diff.path)
    yield "--- /dev/null" if diff.created else f"--- a/{path}"
    yield f"+++ b/{path}"
    for hunk in diff.hunks:
        old = sum(line[:1] != "+" for line in hunk.lines)
        new = sum(line[:1] != "-" for line in hunk.lines)
        yield f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"
        yield from (shown(line).replace("\n", "␊") for line in hunk.lines)


def _entry(entry: d.Entry) -> str:
    end = {"folder": "/", "link": "@", "file": "", "other": ""}[entry.kind]
    return one_line(entry.name).removesuffix("/") + end


def _more(total: int, there: Sequence[object]) -> tuple[str, ...]:
    return (f"({total:,} in all)",) if total > len(there) else ()


def _command(command: d.CommandDisplay) -> tuple[Piece, ...]:
    end = "timed out" if command.timed_out else f"exit code {command.exit_code}" if command.exit_code else ""
    output = shown(command.output).rstrip("\n")
    after = (Code("\n".join(part for part in (output, end) if part)),) if output or end else ()
    return (Code(shown(command.command).strip("\n"), "bash"), *after)
