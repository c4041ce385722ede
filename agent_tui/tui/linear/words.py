"""Blocks of the transcript in words: who speaks, what was done, how it ended."""

from __future__ import annotations

from typing import Final, assert_never

from agent_tui.present import wording
from agent_tui.protocol import display as d
from agent_tui.protocol.shell_events import SHELL
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    TurnBlock,
    UserBlock,
)
from agent_tui.structures import chips, mention
from agent_tui.tui.linear.displays import display_lines, output, summary
from agent_tui.tui.look import Look
from agent_tui.tui.tool_block import answered

LAST: Final = 3
LAST_OF_FAILED: Final = 8
"""Last lines of a command's output that are said without `/expand`."""
ENDS: Final = {
    "completed": "Done", "cancelled": "Interrupted", "error": "Failed", "max_steps": "Stopped at the step limit",
    "timed_out": "Timed out", "budget_exceeded": "Stopped at the budget", "stuck": "Stopped: going in circles",
    "interrupted": "Cut off: agent-tui stopped",
}  # fmt: skip
LEVELS: Final = {"info": "Note", "warning": "Warning", "error": "Error"}
YOU: Final = "You"
ASSISTANT: Final = "Assistant"
TOOL: Final = "Tool"


def block_lines(block: Block, look: Look, expanded: bool) -> list[str]:
    """`block` in plain lines; none for what is not said."""
    match block:
        case UserBlock():
            said = mention.shown(block.text if expanded else chips.folded(block.text, block.pastes))
            return [f"{'You, into the turn' if block.steer else YOU}: {said}", *_skill(block, expanded)]
        case TextBlock():
            return block.text.rstrip("\n").split("\n")
        case ThinkingBlock():
            return _thought(block, look, expanded)
        case ToolBlock():
            return tool_lines(block, look, expanded)
        case CallBlock():
            return []
        case NoticeBlock():
            return [f"{LEVELS[block.level]}: {block.text}", *([block.hint] if block.hint else [])]
        case TurnBlock():
            return [turn(block, look)]
        case DividerBlock():
            return [f"The session was {block.text}." if block.text == "resumed" else f"{block.text.capitalize()}."]
        case _:
            assert_never(block)


def turn(block: TurnBlock, look: Look) -> str:
    """`Done in 3 s, 2 steps, about 380 tokens out.`"""
    took = f" in {wording.duration(block.duration_ms)}" if look.durations else ""
    parts = [f"{ENDS[block.state]}{took if block.state == 'completed' else took.replace(' in', ' after')}"]
    if block.steps > 1:
        parts.append(wording.count(block.steps, "step"))
    if block.tokens:
        parts.append(wording.written(block.tokens, block.estimated).replace("≈", "about"))
    if block.bill.cost:
        parts.append(wording.cost(block.bill.cost, block.bill.estimated).replace("≈", "about"))
    return f"{', '.join(parts)}."


def running(block: ToolBlock) -> str:
    return f"{_who(block)}: {block.label or block.name}, running"


def tool_lines(block: ToolBlock, look: Look, expanded: bool) -> list[str]:
    """What was called and what came of it; below it what is worth reading at once, or all of it."""
    parts = [f"{_who(block)}: {block.label or block.name}"]
    ended = summary(block.display)
    match block.state:
        case "asking":
            parts.append("waiting for your answer")
        case "running":
            parts.append("running")
        case "cancelled":
            parts.append("interrupted" if block.tag == "interrupted" else "cancelled")
        case "failed":
            parts.append((block.tag not in ("denied", "blocked") and ended) or wording.failed(block.tag))
        case "done":
            parts.append(ended or "done")
        case _:
            assert_never(block.state)
    if block.duration_ms and look.durations:
        parts.append(wording.duration(block.duration_ms))
    if block.note:
        parts.append(block.note)
    return [", ".join(parts), *_body(block, expanded)]


def _who(block: ToolBlock) -> str:
    return "Your command" if block.name == SHELL else TOOL


def _body(block: ToolBlock, expanded: bool) -> list[str]:
    shown = block.display
    if shown is None or block.state in ("asking", "running"):
        return []
    if expanded or isinstance(shown, d.DiffDisplay | d.TodoDisplay | d.PlanDisplay | d.AgentsDisplay):
        return display_lines(answered(shown, block.tag))
    if isinstance(shown, d.CommandDisplay):
        said = output(shown)
        most = LAST_OF_FAILED if block.state != "done" or shown.exit_code or shown.timed_out else LAST
        if len(said) <= most:
            return said
        before = wording.count(len(said) - most, "line")
        return [f"{before} before these; /expand shows all", *said[-most:]]
    if block.state == "failed" and isinstance(shown, d.TextDisplay | d.MarkdownDisplay):
        return [wording.reason(answered(shown, block.tag).text, block.tag)]
    return []


def _skill(block: UserBlock, expanded: bool) -> list[str]:
    if not block.sent:
        return []
    said = f"{block.skill and f'skill {block.skill}, '}{wording.count(len(block.sent.split()), 'word')} sent"
    return [said, *(block.sent.split("\n") if expanded else [])]


def _thought(block: ThinkingBlock, look: Look, expanded: bool) -> list[str]:
    if look.thinking == "hidden" or block.live:
        return []
    took = f" for {wording.duration(block.duration_ms)}" if block.duration_ms and look.durations else ""
    return [f"Assistant thought{took}.", *(block.text.strip("\n").split("\n") if expanded else [])]
