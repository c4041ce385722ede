"""What is said of a sub-agent in a line: its state, steps and tokens, and what it does now."""

from __future__ import annotations

from agent_tui.present import wording
from agent_tui.present.blocks import ENDS
from agent_tui.protocol.transcript import Child, ToolBlock, Transcript


def standing(child: Child) -> list[str]:
    seen, end = child.seen, child.end
    parts = ["waits for you" if seen.questions else ENDS[end] if end else "working"]
    if seen.steps:
        parts.append(wording.count(seen.steps, "step") if end else f"step {seen.steps}")
    if seen.turn_tokens:
        parts.append(wording.written(seen.turn_tokens, seen.estimated))
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
