"""What each block of the transcript shows: its parts, and the words that go for every front end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.present.displays import diff_of, parts_of, present
from agent_tui.protocol.display import Display
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

ENDS: Final = {
    "completed": "done",
    "cancelled": "interrupted",
    "error": "failed",
    "max_steps": "stopped at the step limit",
    "timed_out": "timed out",
    "budget_exceeded": "stopped at the budget",
    "stuck": "stopped: it repeated itself",
    "interrupted": "cut off: agent-tui stopped",
}
"""How a turn ended."""
BROKEN_OFF: Final = {"cancelled": "interrupted", "interrupted": "cut off"}
"""What a person ended, and what ended with the program: the words for their tags and states."""
LEVELS: Final = {"info": "Note", "warning": "Warning", "error": "Error"}
REFUSED: Final = frozenset(("denied", "blocked"))
"""Tags of calls that never ran: they did not fail."""
NOT_DONE: Final = p.Words("not done", "note")
"""Stands above what was asked for and then not done."""
REASON: Final = 20_000
"""Characters of a failure in which its reason is looked for."""
SAID_NO: Final = "the person said no"


def block_parts(block: Block) -> tuple[p.Part, ...]:
    """All that `block` shows where it is open."""
    match block:
        case UserBlock():
            sent = (p.Words(block.sent),) if block.sent else ()
            return (p.Words(block.text, "prompt"), *sent)
        case TextBlock():
            return (p.Markdown(block.text),)
        case ThinkingBlock():
            return (p.Words(block.text),)
        case ToolBlock():
            return (p.Words(block.label or block.name, "heading"), *tool_parts(block))
        case CallBlock():
            written = block.arguments
            return (p.Words(f"{block.name}\n{written.subject}", "heading"), p.Words(written.body))
        case NoticeBlock():
            return (p.Words(block.text), *((p.Words(block.hint),) if block.hint else ()))
        case TurnBlock():
            return ()
        case DividerBlock():
            detail = (p.Markdown(block.detail),) if block.detail else ()
            return (p.Words(block.text, "heading"), *detail)
        case _:
            assert_never(block)


def tool_parts(block: ToolBlock) -> tuple[p.Part, ...]:
    """What a call shows below its line: what the person said with a yes, what came of it, and what
    it was not allowed to do."""
    if block.state == "running":
        return (*yes_parts(block), *((p.Output(block.tail),) if block.tail else ()))
    refused = undone_display(block)
    return (
        *yes_parts(block),
        *parts_of(block.display),
        *((NOT_DONE, *parts_of(refused)) if refused is not None else ()),
    )


def yes_parts(block: ToolBlock) -> tuple[p.Part, ...]:
    """The words that a person gave with a yes. Those with a no are the result."""
    return (p.Words(f"you said yes: {block.words}"),) if block.words else ()


def undone_display(block: ToolBlock) -> Display | None:
    """What was asked for and then not done; of a command only where the label has not all of it."""
    shown = block.proposed
    if shown is None or diff_of(shown) is not None or is_cut(block, block.label):
        return shown
    return None


def is_cut(block: ToolBlock, label: str) -> bool:
    """Whether `label` is the beginning of a command."""
    return label.endswith("…") and any(
        isinstance(part, p.Script)
        for one in (block.display, block.proposed)
        for part in present(one).parts
    )


def answer_parts(parts: tuple[p.Part, ...], tag: str) -> tuple[p.Part, ...]:
    """What came of a call; that a person refused it is told the model in other words than the
    person."""
    told = f"Error [{tag}]: {SAID_NO}"
    match parts:
        case (p.Output() | p.Markdown() as first, *rest) if first.text.startswith(told):
            said = f"you said no{first.text[len(told) :]}"
            return (replace(first, text=said), *rest) if tag == "denied" else parts
        case _:
            return parts


def problem(parts: tuple[p.Part, ...], tag: str) -> str | None:
    """The first line of a failure, as said to a person; None where something else than words
    came of it."""
    match answer_parts(parts, tag):
        case (p.Output() | p.Markdown() as first, *_):
            return wording.reason(first.text[:REASON], tag)
        case _:
            return None


def failure(block: ToolBlock) -> str:
    """Why a call failed, in two words."""
    ended = "" if block.tag in REFUSED else present(block.display).failure
    return ended or wording.failure_reason(block.tag)


def child_facts(child: Child) -> list[str]:
    seen, end = child.seen, child.end
    parts = ["waits for you" if seen.questions else ENDS[end] if end else "working"]
    if seen.steps:
        parts.append(wording.count(seen.steps, "step") if end else f"step {seen.steps}")
    if seen.turn_tokens:
        parts.append(wording.written_tokens(seen.turn_tokens, seen.estimated))
    if not end and (doing := _activity(seen)):
        parts.append(doing)
    return parts


def _activity(seen: Transcript) -> str:
    """The tool that runs or is asked about, or that it writes or thinks."""
    if seen.open_tools:
        row = seen.rows[max(seen.open_tools.values())]
        return row.label if isinstance(row, ToolBlock) else ""
    stream = seen.streaming
    if seen.retry is not None or stream is None:
        return "" if seen.retry is None else "retrying"
    if stream.text.length or stream.calls:
        return "writing"
    return "thinking" if stream.thinking_chars else ""
