"""What the rows of the transcript say, as text: what a search looks through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_tui.protocol import display as d
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
)  # fmt: skip
from agent_tui.structures import mention

Said = Callable[[Any], str]
ENTRIES: Final = 1_000
"""Files, matches, table rows and the like of one tool's result that are searched."""


def reader(raw: bool, thinking: bool) -> Callable[[Block], str]:
    """What says the text of a block. `raw`: answers with Markdown's marks; `thinking`: thoughts too."""
    kinds = dict(_SAID)
    if raw:
        kinds[TextBlock] = _own_text
    if not thinking:
        kinds[ThinkingBlock] = _nothing
    return lambda block: kinds[type(block)](block)


def said(block: Block) -> str:
    """All that `block` shows where it is open, as text."""
    return _SAID[type(block)](block)


def head(block: Block) -> str:
    """What of that is to be seen where it is folded; of a prompt, `blocks.pieces` knows."""
    match block:
        case ToolBlock():
            return block.label or block.name
        case ThinkingBlock():
            return ""
        case _:
            return said(block)


def _user(block: UserBlock) -> str:
    text = mention.shown(block.text)
    return f"{text}\n{block.sent}" if block.sent else text


def _tool(block: ToolBlock) -> str:
    label = block.label or block.name
    if block.state == "running":
        return f"{label}\n{block.tail}"
    return "\n".join([label, *(shown(one) for one in (block.display, block.proposed) if one is not None)])


def _answer(block: TextBlock) -> str:
    return block.text.replace("`", "").replace("*", "").replace("\n", " ")


def _own_text(block: TextBlock | ThinkingBlock | DividerBlock) -> str:
    return block.text


def _notice(block: NoticeBlock) -> str:
    return f"{block.text}\n{block.hint}"


def _call(block: CallBlock) -> str:
    return f"{block.name}\n{block.arguments.subject}\n{block.arguments.body}"


def _nothing(_: Block) -> str:
    return ""


_SAID: Final[Mapping[type[Block], Said]] = {
    UserBlock: _user, TextBlock: _answer, ThinkingBlock: _own_text, ToolBlock: _tool, CallBlock: _call,
    NoticeBlock: _notice, TurnBlock: _nothing, DividerBlock: _own_text,
}  # fmt: skip


def shown(display: d.Display) -> str:
    """The words of a tool's result."""
    match display:
        case d.TextDisplay() | d.MarkdownDisplay() | d.CodeDisplay() | d.PlanDisplay():
            return display.text
        case d.CommandDisplay():
            return f"{display.command}\n{display.output}"
        case d.DiffDisplay():
            return "\n".join("\n".join(hunk.lines) for hunk in display.hunks[:ENTRIES])
        case d.ListingDisplay():
            return "\n".join([entry.name for entry in display.entries[:ENTRIES]])
        case d.MatchesDisplay():
            found = display.matches[:ENTRIES]
            return "\n".join([*dict.fromkeys([match.path for match in found]), *[match.text for match in found]])
        case d.TableDisplay():
            return "\n".join("\n".join(row) for row in (display.header, *display.rows[:ENTRIES]))
        case d.TodoDisplay():
            return "\n".join(item.text for item in display.items[:ENTRIES])
        case d.QuestionDisplay():
            return "\n".join((display.text, *display.options[:ENTRIES], display.answer))
        case d.ImageDisplay():
            return display.path
        case d.AgentsDisplay():
            return "\n".join(f"{agent.name} {agent.state} {agent.task}" for agent in display.agents[:ENTRIES])
