"""Every block of the transcript as styled lines, and the space between two of them. Pure: no
terminal, no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, assert_never

from agent_tui.present import wording
from agent_tui.present.blocks import BROKEN_OFF, ENDS, LEVELS, child_facts
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    Child,
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
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.markdown.inline import flatten
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs, line_cells, wrap
from agent_tui.tui.markdown.render import render
from agent_tui.tui.transcript.tool_block import body_estimate, call_lines, has_body, tool_lines
from agent_tui.tui.transcript.truncation import (
    MOST_CHARS,
    MOST_LINES,
    NOTHING,
    clip,
    is_cut,
    limit_lines,
    more_line,
)

MEASURE: Final = 110
"""Cells of a line of running text on a wide screen: longer ones are hard to read."""
THINKING_LINES: Final = 6
"""Lines of running thought that are shown."""
USER_LINES: Final = 20
USER_CHARS: Final = 6_000
"""Lines and characters of a prompt up to which it is shown whole."""
END_LINES: Final = 6
END_CHARS: Final = 600
"""The same of both ends of a longer one: what a person types stands before and after what they
paste."""
"""Lines and characters of a prompt, as it was typed, that are shown until it is opened."""
NOTICE_LINES: Final = 200
NOTICE_CHARS: Final = 20_000
"""The same for a notice, which does not open."""
LABEL: Final = "x" * 28
"""As long as the label of a paste, about."""
TOGGLE: Final = (("toggle", "1"),)
Runs = tuple[Segment, ...]
_MARGIN: Final = Segment("  ", "margin")
_ENDS: Final = {
    **ENDS,
    **BROKEN_OFF,
    "completed": "completed",
}


def block_lines(
    block: Block, width: int, open: bool, now: float, cells: Cells, look: Look = DEFAULT
) -> tuple[Line, ...]:
    """`block` in lines of at most `width` cells, none if it is hidden. `open`: unfolded; `now`:
    seconds since the
    epoch, for what runs."""
    width = max(1, width)
    match block:
        case UserBlock():
            return tuple(_user(block, width, open, cells))
        case TextBlock():
            inner = body_width(width)
            drawn = render(block.text, inner, cells, MEASURE, block.lead, block.before, block.links)
            return margin(drawn, width)
        case ThinkingBlock():
            return tuple(_thinking(block, width, open, cells, look))
        case ToolBlock():
            lines = tool_lines(block, width, open, now, cells, look)
            if block.children:
                lines += child_lines(block, width, open, now, cells, look, block_lines)
            return tuple(lines)
        case CallBlock():
            return tuple(call_lines(block, width, open, cells))
        case NoticeBlock():
            return tuple(_notice(block, width, cells))
        case TurnBlock():
            return tuple(_turn(block, width, cells, look))
        case DividerBlock():
            line = _divider(block, width, cells)
            if not (open and block.detail):
                return (line,)
            detail = render(block.detail, body_width(width), cells, MEASURE)
            return (line, *margin(detail, width))
        case _:
            assert_never(block)


def gap(before: Block | None, block: Block, unfolded: bool = False) -> int:
    """Blank lines between two blocks: a page of paragraphs, with runs of tool lines set tight.

    `unfolded`: one of the two is open.
    """
    if before is None:
        return 0
    match block:
        case TextBlock():
            if block.lead:
                return 0
            return 0 if isinstance(before, TextBlock) and is_cut(before.text) else 1
        case ToolBlock() | CallBlock():
            tight = isinstance(before, ToolBlock | CallBlock | ThinkingBlock)
            return 0 if tight and not (unfolded or has_body(before) or has_body(block)) else 1
        case _:
            return 1


def body_width(width: int) -> int:
    """What the margins leave of `width`; narrow screens have none."""
    return width - 3 if width >= 20 else width


def margin(lines: Sequence[Line], width: int) -> tuple[Line, ...]:
    if width < 20:
        return tuple(lines)
    return tuple(
        Line((_MARGIN, *line.segments), line.soft, line.glue, line.fill) if line.segments else line
        for line in lines
    )


def is_long(block: UserBlock) -> bool:
    """Whether a prompt is not shown whole until it is opened: without its pastes, or, where it has
    none, without its middle."""
    long = len(block.text) > USER_CHARS or block.text.count("\n") >= USER_LINES
    return long or has_pastes(block)


def has_pastes(block: UserBlock) -> bool:
    """Whether a prompt folds its pastes."""
    return bool(block.pastes) and bool(chips.fitting_pastes(block.text, block.pastes))


def pieces(block: UserBlock) -> list[tuple[str, str]]:
    """What a prompt is made of: of each piece what is drawn while it is folded, and its words."""
    if has_pastes(block):
        parts = chips.parts(block.text, block.pastes)
        shown = ((label, mention.display_mentions(words)) for label, words in parts)
        return [(label or words, words) for label, words in shown]
    text = mention.display_mentions(block.text)
    begin, middle, end = _ends(text) if is_long(block) else (text, "", "")
    return [(begin, begin), ("", middle), (end, end)]


def _user(block: UserBlock, width: int, open: bool, cells: Cells) -> list[Line]:
    mark = Segment("↳ " if block.steer else "❯ ", "user.mark")
    rest = (Segment("  ", "user.mark"),)
    inner = max(1, width - 1)
    if has_pastes(block):
        lines = _with_pastes(block, inner, open, cells, (mark,), rest)
    elif open or not is_long(block):
        lines = list(
            _text(mention.display_mentions(block.text), "user", inner, cells, (mark,), rest, "user")
        )
    else:
        begin, middle, end = _ends(mention.display_mentions(block.text))
        ends = middle.count("\n")
        count, what = (ends - 1, "line") if ends > 1 else (len(middle), "character")
        more = more_line(count, inner - 2, True, cells, what).segments
        lines = list(_text(begin, "user", inner, cells, (mark,), rest, "user"))
        lines.append(
            Line((*rest, *(Segment(s.text, f"user {s.style}", s.meta) for s in more)), fill="user")
        )
        lines.extend(_text(end, "user", inner, cells, rest, rest, "user"))
    if block.steer:
        lines.extend(
            wrap([Segment("sent while it worked", "user.note")], width, cells, rest, rest, "user")
        )
    if block.sent:
        what = f"skill {flatten(block.skill)}" if block.skill else "expanded"
        sent, left = clip(block.sent)
        words = wording.count(len(sent.split()), "word")
        said = words if left == NOTHING else wording.count(len(block.sent), "character")
        head = f"{'▾' if open else '▸'} {what}: {said} sent"
        lines.append(
            Line(cut_runs((*rest, Segment(head, "user.note", TOGGLE)), width, cells), fill="user")
        )
        if open:
            lines.extend(
                _text(block.sent, "user.note", max(1, width - 1), cells, rest, rest, "user")
            )
    return lines


def _with_pastes(
    block: UserBlock, width: int, open: bool, cells: Cells, first: Runs, rest: Runs
) -> list[Line]:
    """A prompt with pastes: every word that was typed, and the label of each paste. If it is open,
    the text of the paste, of which each has its share of what is laid out at all: what was typed
    behind a very long one stays in sight."""
    paragraphs: list[list[Segment]] = [[]]
    for run in _runs(block, open):
        begin, *others = run.text.split("\n")
        paragraphs[-1].append(replace(run, text=begin))
        paragraphs.extend([replace(run, text=line)] for line in others)
    lines: list[Line] = []
    for number, runs in enumerate(paragraphs):
        lines.extend(wrap(runs, width, cells, rest if number else first, rest, "user"))
    return list(limit_lines(lines, width, 2 * MOST_LINES, cells, folded=False))


def _runs(block: UserBlock, open: bool) -> Iterator[Segment]:
    """What `_with_pastes` draws, with its line ends."""
    parts = list(chips.parts(block.text, block.pastes))
    share, room = sum(bool(label) for label, _ in parts), MOST_CHARS
    for label, words in parts:
        if label and not open:
            yield Segment(label, "user.note", TOGGLE)
            continue
        lines, chars = (MOST_LINES // share, MOST_CHARS // share) if label else (MOST_LINES, room)
        shown, left = clip(mention.display_mentions(words).removesuffix("\n"), lines, chars)
        yield Segment(visible(shown).expandtabs(4), "user")
        if left != NOTHING:
            what = "more character" if left.chars else "more line"
            more = wording.count(left.chars or left.lines, what)
            yield Segment(f"\n… {more}\n", "user tool.more")
            if not label:
                return
        elif words.endswith("\n"):
            yield Segment("\n", "user")
        room -= 0 if label else len(shown)


def _ends(text: str) -> tuple[str, str, str]:
    """The first lines of a long text, what is between, and its last lines."""
    begin, _ = clip(text, END_LINES, END_CHARS)
    rest = text[max(len(begin), len(text) - END_CHARS) :].rstrip("\n").split("\n")
    end = "\n".join(rest[-END_LINES:] if len(rest) > END_LINES else rest[1:] or rest)
    at = text.rindex(end)
    return begin, text[len(begin) : at], end


def _text(
    text: str,
    style: str,
    width: int,
    cells: Cells,
    first: Runs = (),
    rest: Runs = (),
    fill: str = "",
    most: tuple[int, int] = (MOST_LINES, MOST_CHARS),
    folded: bool = False,
) -> Sequence[Line]:
    """Plain text, wrapped: at most so many lines and characters of it, and how much more there
    is."""
    shown, left = clip(text, *most)
    lines: list[Line] = []
    for number, part in enumerate(visible(shown).expandtabs(4).split("\n")):
        lines.extend(
            wrap([Segment(part, style)], width, cells, rest if number else first, rest, fill)
        )
    return limit_lines(lines, width, MOST_LINES, cells, left, folded)


def hidden(block: Block, look: Look) -> bool:
    """Whether `block` is not to be seen at all."""
    return isinstance(block, ThinkingBlock) and look.thinking == "hidden"


def _thinking(block: ThinkingBlock, width: int, open: bool, cells: Cells, look: Look) -> list[Line]:
    if hidden(block, look):
        return []
    if block.live:
        head = "∴ thinking"
    elif block.duration_ms and look.durations:
        head = f"∴ thought for {wording.duration(block.duration_ms)}"
    else:
        head = "∴ thought"
    lines = [Line(cut_runs((Segment(head, "thinking", TOGGLE),), width, cells))]
    if not (open or (block.live and look.thinking == "live")):
        return lines
    body = _text(block.text.strip("\n"), "thinking", min(body_width(width), MEASURE), cells)
    return lines + list(margin(body if open else body[-THINKING_LINES:], width))


def _notice(block: NoticeBlock, width: int, cells: Cells) -> list[Line]:
    style = f"notice.{block.level}"
    label = (Segment(f"{LEVELS[block.level]}: ", f"strong {style}"),)
    indent = (Segment("  ", "margin"),) if width >= 20 else ()
    text, more = clip(block.text, NOTICE_LINES, NOTICE_CHARS)
    lines: list[Line] = []
    for number, part in enumerate(visible(text).expandtabs(4).split("\n")):
        runs = [*(label if number == 0 else ()), Segment(part, style)]
        lines.extend(wrap(runs, min(width, MEASURE), cells, indent, indent))
    lines = list(limit_lines(lines, width, MOST_LINES, cells, more, False))
    if block.hint:
        most = (NOTICE_LINES, NOTICE_CHARS)
        lines.extend(
            _text(block.hint, "notice.hint", min(width, MEASURE), cells, indent, indent, "", most)
        )
    return lines


def _turn(block: TurnBlock, width: int, cells: Cells, look: Look) -> list[Line]:
    good = block.state == "completed"
    parts = [_ENDS[block.state]]
    if block.duration_ms and look.durations:
        parts.append(wording.duration(block.duration_ms))
    if block.steps > 1:
        parts.append(wording.count(block.steps, "step"))
    if block.tokens:
        parts.append(wording.written_tokens(block.tokens, block.estimated))
    if block.bill.cost:
        parts.append(wording.cost(block.bill.cost, block.bill.estimated))
    first, *more = parts
    look_of = "turn" if good else "notice.warning" if block.state == "cancelled" else "turn.bad"
    runs = [Segment(first, look_of), Segment("".join(f" · {p}" for p in more), "turn")]
    indent = (_MARGIN,) if width >= 20 else ()
    return wrap([run for run in runs if run.text], width, cells, indent, indent)


def _divider(block: DividerBlock, width: int, cells: Cells) -> Line:
    words = cut_runs(
        (Segment(f" {flatten(block.text)} ", "divider", TOGGLE if block.detail else ()),),
        max(1, width - 6),
        cells,
    )
    left = Segment("─" * min(3, max(0, width - line_cells(words, cells))), "rule")
    right = Segment("─" * max(0, width - line_cells((left, *words), cells)), "rule")
    return Line(tuple(s for s in (left, *words, right) if s.text))


def extent(block: Block, open: bool) -> tuple[int, int]:
    """What `block` takes at any width, about: line breaks, and characters that are wrapped. Never
    exact, never far off, and cheap."""
    match block:
        case TextBlock() | NoticeBlock():
            text = block.text
        case UserBlock() if open:
            text = block.text + block.sent
        case UserBlock() if has_pastes(block):
            labels = LABEL * min(len(block.pastes), chips.MOST)
            text = chips.without_pastes(block.text, block.pastes) + labels
        case UserBlock():
            text = block.text[: 2 * END_CHARS if is_long(block) else None]
        case ThinkingBlock():
            text = block.text if open else ""
        case DividerBlock():
            text = block.detail if open else ""
        case ToolBlock():
            below = children_estimate(block, open) if block.children else 0
            return body_estimate(block, open) + below, 0
        case _:
            return 0, 0
    return text.count("\n"), len(text)


Draw = Callable[[Block, int, bool, float, Cells, Look], tuple[Line, ...]]
"""Draws a block of a sub-agent's own."""

MOST_ROWS: Final = 200
MOST_LIVE_ROWS: Final = 20
"""Its newest rows that are shown: all of it is laid out again when it says something."""
CHILD_LABEL: Final = 60
"""Characters of what it does now."""
ROW_LINES: Final = 2
"""Lines that one of its rows takes, about."""
_TOGGLE: Final = (("toggle", "1"),)
_INDENT: Final = Segment("  ", "margin")


def child_lines(
    block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look, draw: Draw
) -> list[Line]:
    """What is shown of the sub-agents of `block`, below the line of the call."""
    lines: list[Line] = []
    indent = (_INDENT,) if width >= 20 else ()
    for child in block.children:
        lines.append(Line((*indent, *cut_runs(_head(child), max(1, width - 3), cells))))
        for line in _rows(child, max(1, width - 4), now, cells, look, draw) if open else ():
            lines.append(Line((*indent, *indent, *line.segments), line.soft, line.glue, line.fill))
    return lines


def children_estimate(block: ToolBlock, open: bool) -> int:
    """About how many lines that is."""
    return sum(
        1 + (ROW_LINES * min(len(child.seen.rows), _most(child)) if open else 0)
        for child in block.children
    )


def _head(child: Child) -> tuple[Segment, ...]:
    state, *rest = [flatten(part)[:CHILD_LABEL] for part in child_facts(child)]
    style = (
        "tool.wait"
        if child.end is None
        else "tool.note"
        if child.end == "completed"
        else "tool.bad"
    )
    mark = "…" if child.end is None else "✓" if child.end == "completed" else "✗"
    more = "".join(f" · {part}" for part in rest)
    name = (Segment(f"{mark} ", style, _TOGGLE), Segment(flatten(child.name), "tool.name", _TOGGLE))
    return (*name, Segment("  "), Segment(state, style), Segment(more, "tool.note"))


def _most(child: Child) -> int:
    return MOST_ROWS if child.end else MOST_LIVE_ROWS


def _rows(child: Child, width: int, now: float, cells: Cells, look: Look, draw: Draw) -> list[Line]:
    rows = child.seen.rows
    first = max(0, len(rows) - _most(child))
    lines = (
        [Line((Segment(f"… {wording.count(first, 'earlier row')}", "tool.more"),))] if first else []
    )
    for block in (*rows[first:], *child.seen.live()):
        lines.extend(draw(block, width, False, now, cells, look))
    return lines
