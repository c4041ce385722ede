"""The backend of line mode: blocks and parts in words, line by line. Raw texts: who prints them
makes them harmless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, assert_never

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.present.blocks import (
    BROKEN_OFF,
    ENDS,
    LEVELS,
    NOT_DONE,
    answer_parts,
    child_facts,
    failure,
    problem,
    undone_display,
    yes_parts,
)
from agent_tui.present.displays import diff_of, kind_of, present
from agent_tui.protocol.display import TODO_WORDS, DiffDisplay, Display
from agent_tui.protocol.tool_events import SHELL
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
from agent_tui.structures.visible import visible

LAST: Final = 3
LAST_OF_FAILED: Final = 8
"""Last lines of a command's output that are said without `/expand`."""
YOU: Final = "You"
ASSISTANT: Final = "Assistant"
TOOL: Final = "Tool"
_MARKS: Final[dict[p.Mark, tuple[str, str]]] = {
    "": ("", ""),
    "open": (f"{TODO_WORDS['open']}: ", ""),
    "active": (f"{TODO_WORDS['active']}: ", ""),
    "done": (f"{TODO_WORDS['done']}: ", ""),
    "option": ("", ""),
    "chosen": ("answer: ", ""),
    "folder": ("", "/"),
    "link": ("", ""),
    "image": ("image ", ""),
}
"""What stands before and behind an item."""


class Look(Protocol):
    """How a person wants it."""

    @property
    def durations(self) -> bool: ...
    @property
    def thinking(self) -> str: ...


def block_lines(block: Block, look: Look, expanded: bool) -> list[str]:
    """`block` in plain lines; none for what is not said."""
    match block:
        case UserBlock():
            said = mention.display_mentions(
                block.text if expanded else chips.fold_pastes(block.text, block.pastes)
            )
            return [
                f"{'You, into the turn' if block.steer else YOU}: {said}",
                *_skill(block, expanded),
            ]
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
            return [
                f"The session was {block.text}."
                if block.text == "resumed"
                else f"{block.text.capitalize()}.",
                *(block.detail.splitlines() if expanded else ()),
            ]
        case _:
            assert_never(block)


def turn(block: TurnBlock, look: Look) -> str:
    """`Done in 3 s, 2 steps, about 380 tokens out.`"""
    after = "in" if block.state == "completed" else "after"
    took = f" {after} {wording.duration(block.duration_ms)}" if look.durations else ""
    parts = [ENDS[block.state].capitalize() + took]
    if block.steps > 1:
        parts.append(wording.count(block.steps, "step"))
    if block.tokens:
        parts.append(wording.written_tokens(block.tokens, block.estimated).replace("≈", "about"))
    if block.bill.cost:
        parts.append(wording.cost(block.bill.cost, block.bill.estimated).replace("≈", "about"))
    return f"{', '.join(parts)}."


def running_line(block: ToolBlock) -> str:
    return f"{_who(block)}: {block.label or block.name}, running"


def tool_lines(block: ToolBlock, look: Look, expanded: bool, known: bool = False) -> list[str]:
    """What was called and what came of it; below it what is worth reading at once, or all of it.
    `known`: the change that it makes was read already, with the question."""
    parts = [f"{_who(block)}: {block.label or block.name}"]
    match block.state:
        case "asking":
            parts.append("waiting for your answer")
        case "running":
            parts.append("running")
        case "cancelled":
            parts.append(BROKEN_OFF.get(block.tag, BROKEN_OFF["cancelled"]))
        case "failed":
            parts.append(failure(block))
        case "done":
            parts.append(summary(block.display) or "done")
        case _:
            assert_never(block.state)
    if block.duration_ms and look.durations:
        parts.append(wording.duration(block.duration_ms))
    if block.note:
        parts.append(block.note)
    lines = [", ".join(parts), *_body(block, expanded, known and not expanded)]
    for child in block.children:
        lines.append(f"Agent {child.agent}: {', '.join(child_facts(child))}")
        for row in child.seen.rows if expanded else ():
            lines += block_lines(row, look, False)
    return lines


def _who(block: ToolBlock) -> str:
    return "Your command" if block.name == SHELL else TOOL


def _body(block: ToolBlock, expanded: bool, known: bool) -> list[str]:
    if block.state in ("asking", "running"):
        return []
    said, refused = part_lines(yes_parts(block)), undone_display(block)
    if known and diff_of(block.display):
        return said
    said += _result(block, expanded)
    if refused is None or known:
        return said
    return [*said, *part_lines([NOT_DONE]), *display_lines(refused)]


def _result(block: ToolBlock, expanded: bool) -> list[str]:
    """What came of the call."""
    presented, kind = present(block.display), kind_of(block.display)
    if expanded or kind.stays == "begin":
        return part_lines(answer_parts(presented.parts, block.tag))
    if kind.stays == "end":
        return _end(
            presented.output,
            LAST if block.state == "done" and not presented.failure else LAST_OF_FAILED,
        )
    told = problem(presented.parts, block.tag) if block.state == "failed" else None
    return [] if told is None else [told]


def _end(output: str, most: int) -> list[str]:
    said = _output(output)
    if len(said) <= most:
        return said
    return [
        f"{wording.count(len(said) - most, 'line')} before these; /expand shows all",
        *said[-most:],
    ]


def _skill(block: UserBlock, expanded: bool) -> list[str]:
    if not block.sent:
        return []
    name = f"skill {block.skill}, " if block.skill else ""
    words = wording.count(len(block.sent.split()), "word")
    return [f"{name}{words} sent", *(block.sent.split("\n") if expanded else [])]


def _thought(block: ThinkingBlock, look: Look, expanded: bool) -> list[str]:
    if look.thinking == "hidden" or block.live:
        return []
    took = (
        f" for {wording.duration(block.duration_ms)}"
        if block.duration_ms and look.durations
        else ""
    )
    return [f"Assistant thought{took}.", *(block.text.strip("\n").split("\n") if expanded else [])]


def display_lines(display: Display) -> list[str]:
    """All of a result, line by line."""
    return part_lines(present(display).parts)


def summary(display: Display | None) -> str:
    """What came of it, in a few words; empty where the label says it all."""
    presented = present(display)
    return (
        "".join(run.text for run in presented.summary)
        if presented.spoken is None
        else presented.spoken
    )


def part_lines(parts: Iterable[p.Part]) -> list[str]:
    return [line for part in parts for line in _lines(part)]


def _lines(part: p.Part) -> Sequence[str]:
    match part:
        case p.Words(kind="note"):
            return [f"{part.text.capitalize()}:"]
        case p.Words() | p.Markdown() | p.Code():
            return part.text.rstrip("\n").split("\n")
        case p.Output():
            return _output(part.text)
        case p.Script():
            first, *more = part.text.strip("\n").split("\n")
            return [f"$ {first}", *more, *([f"in {part.cwd}"] if part.cwd else [])]
        case p.Diff():
            return [*_diff(part.diff)]
        case p.Matches():
            return [f"{one.path}, line {one.line}: {one.text}" for one in part.matches] or [
                "no match"
            ]
        case p.Table():
            return [", ".join(part.header), *(", ".join(row) for row in part.rows)]
        case p.List():
            return _list(part)
        case _:
            assert_never(part)


def _output(text: str) -> list[str]:
    """As a terminal would show it."""
    said = visible(text, overwrite=True)
    return said.rstrip().split("\n") if said.strip() else []


def _diff(diff: DiffDisplay) -> Iterable[str]:
    yield f"Diff of {diff.path}: {summary(diff)}"
    for hunk in diff.hunks:
        yield f"At line {hunk.new_start or hunk.old_start}:"
        yield from hunk.lines


def _list(part: p.List) -> list[str]:
    answers = [_item(item) for item in part.items if item.mark == "chosen"]
    if part.numbered:
        return [*(f"{number}. {item.text}" for number, item in enumerate(part.items, 1)), *answers]
    more = [f"of {part.total:,} in all"] if part.total > len(part.items) else []
    return [*map(_item, part.items), *more] or [part.empty] * bool(part.empty)


def _item(item: p.Item) -> str:
    before, after = _MARKS[item.mark]
    words = f"{before}{item.text}{after}"
    if item.name:
        return f"{item.name}, {item.note}: {words}"
    return f"{words}, {item.note.replace('×', ' by ')}" if item.note else words
