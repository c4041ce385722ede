"""Tool calls as lines: one line each, with a body where the work is worth seeing at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.present.blocks import (
    BROKEN_OFF,
    NOT_DONE,
    answer_parts,
    failure,
    is_cut,
    problem,
    tool_parts,
    undone_display,
    yes_parts,
)
from agent_tui.present.displays import diff_of, is_in_background, kind_of, parts_of, present
from agent_tui.protocol.display import Display
from agent_tui.protocol.tool_events import SHELL
from agent_tui.protocol.transcript import Block, CallBlock, ToolBlock
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.readable import display_tool_name
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.markdown.code import GOES_ON_MARK, hang_line
from agent_tui.tui.markdown.inline import flatten
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs, file_runs, line_cells, wrap
from agent_tui.tui.transcript.displays import (
    FOLDED_LINES,
    MOST_DIFF_LINES,
    WORDS,
    part_lines,
    runs_of,
    text_lines,
)
from agent_tui.tui.transcript.truncation import MOST_LINES, more_line

LIVE_LINES: Final = 8
"""Lines of a running command's output."""
LAST_LINES: Final = 3
"""Last lines of a command's output, which stay when it has ended: the screen does not jump, and
its result is there."""
FAILED_LINES: Final = LIVE_LINES
"""The same where it failed: what went wrong is seldom in the last three; and for what the person
runs to see it."""
LAST_CHARS: Final = 4_000
"""Characters of each of them that are looked at."""
_TOGGLE: Final = (("toggle", "1"),)
_MARK: Final = Segment("⚙ ", "tool.mark", _TOGGLE)
_INDENT: Final = (Segment("  ", "margin"),)


def tool_lines(
    block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look = DEFAULT
) -> list[Line]:
    """Mark, label, outcome and duration, and what is shown below it."""
    lines = _head(block, width, open, now, cells, look)
    room = max(1, width - 3) if width >= 20 else width
    body = [
        *part_lines(yes_parts(block), room, open, cells, look),
        *_body(block, room, open, cells, look),
        *(_proposed(block, room, cells, look) if open else ()),
    ]
    if width < 20:
        return lines + body
    return lines + [hang_line(line, _INDENT[0]) for line in body]


def call_lines(block: CallBlock, width: int, open: bool, cells: Cells) -> list[Line]:
    """A call that is still being written: its name, what it is about, and the last lines of the
    text in it."""
    written = block.arguments
    about = f" {flatten(written.subject)}" if written.subject.strip() else ""
    name = (
        Segment(flatten(display_tool_name(block.name)) or "tool call", "tool.name"),
        Segment(about, "tool.label"),
    )
    body: list[Line] = []
    indent, goes_on = (_INDENT, (GOES_ON_MARK,)) if width >= 20 else ((), ())
    text = visible(written.body).expandtabs(4).strip("\n")
    for part in text.split("\n") if text.strip() else ():
        body.extend(wrap([Segment(part, "tool.output")], width, cells, indent, goes_on))
    head = _call_line(
        name, [Segment("  "), Segment(_being_written(written), "tool.wait")], width, cells
    )
    return [
        head,
        *(body if open else dropwhile(lambda line: not line.text.strip(), body[-LIVE_LINES:])),
    ]


def _being_written(written: ArgumentStream) -> str:
    """`writing`, `writing content`, `writing content · 12 lines`."""
    if not written.body.strip():
        return "writing"
    lines = f" · {wording.count(written.lines, 'line')}" if written.lines > 1 else ""
    return f"writing {flatten(written.key)}{lines}".rstrip()


def has_body(block: Block) -> bool:
    """Whether a folded tool block shows more than its line."""
    if isinstance(block, CallBlock):
        return bool(block.arguments.body.strip())
    return isinstance(block, ToolBlock) and (
        bool(block.children or block.words) or _shows_more(block)
    )


def _shows_more(block: ToolBlock) -> bool:
    if block.state == "running":
        return bool(block.tail)
    if block.state == "failed":
        return True
    stays = kind_of(block.display).stays
    if stays != "end":
        return block.state == "done" and stays == "begin"
    shown = present(block.display)
    return block.state in ("done", "cancelled") and bool(
        shown.failure or (shown.output and not shown.output.isspace())
    )


def body_estimate(block: ToolBlock, open: bool) -> int:
    """About how many lines are below the first."""
    said = sum(map(_estimate, yes_parts(block)))
    if not open and not _shows_more(block):
        return said
    if not open and kind_of(block.display).stays != "begin":
        return said + LAST_LINES
    parts = tool_parts(block)
    diffs = [part for part in parts if isinstance(part, p.Diff)]
    most = FOLDED_LINES if not open else MOST_DIFF_LINES if diffs else MOST_LINES
    return min(sum(map(_estimate, diffs or parts)), most)


def _estimate(part: p.Part) -> int:
    match part:
        case p.Diff():
            return sum(len(hunk.lines) for hunk in part.diff.hunks)
        case p.List():
            return len(part.items)
        case p.Matches():
            return len(part.matches)
        case p.Table():
            return len(part.rows)
        case _:
            return part.text.count("\n") + 1


def _head(
    block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look
) -> list[Line]:
    label = flatten(block.label or block.name)
    verb, space, what = label.partition(" ")
    about = file_runs(Segment(space + what, "tool.label", _TOGGLE))
    name = [Segment(verb, "tool.name", _TOGGLE), *about]
    outcome = [Segment("  "), *_outcome(block, now, look)]
    if (
        not open
        and outcome[-1].style == "tool.note"
        and line_cells((*name, *outcome), cells) > width - 3
    ):
        outcome.pop()  # rather the whole label than how it was allowed
    cut = is_cut(block, label)  # the whole of it stands below
    if open and not cut:
        runs = [run for run in (*name, *outcome) if run.text]
        return wrap(runs, width, cells, (_MARK,), _INDENT)
    return [_call_line(name, outcome, width, cells)]


def _call_line(
    name: Sequence[Segment], outcome: Sequence[Segment], width: int, cells: Cells
) -> Line:
    """Both on one line; where it is full, the name is cut."""
    room = (
        width - 3 - line_cells(outcome, cells)
    )  # as everywhere, a cell stays free at the right edge
    if room < 8:
        return Line(cut_runs((_MARK, *name, *outcome), width, cells))
    return Line((_MARK, *cut_runs(tuple(run for run in name if run.text), room, cells), *outcome))


def _outcome(block: ToolBlock, now: float, look: Look) -> list[Segment]:
    took = wording.duration(block.duration_ms) if block.duration_ms and look.durations else ""
    match block.state:
        case "asking":
            return [Segment("waiting", "tool.wait")]
        case "running":
            seconds = now - block.started_at if block.started_at and now else 0.0
            return [Segment(_running(seconds, block.timeout_s), "tool.wait")]
        case "cancelled":
            parts = [_stopped(block)]
        case "failed":
            parts = [
                Segment(f"✗ {flatten(failure(block))}", "tool.bad"),
                *_length(block.display, " · "),
            ]
        case "done":
            parts = _summary(block.display)
        case _:
            assert_never(block.state)
    if took:
        parts.append(Segment(f"{' · ' if parts else ''}{took}", "tool.time"))
    if block.note:
        parts.append(Segment(f"{' · ' if parts else ''}{flatten(block.note)}", "tool.note"))
    return parts


def _stopped(block: ToolBlock) -> Segment:
    """The program ended meanwhile, or a person interrupted it: what a person asked for is nothing
    that went wrong."""
    ended = "interrupted" if block.tag == "interrupted" else "cancelled"
    return Segment(BROKEN_OFF[ended], "tool.bad" if ended == "interrupted" else "notice.warning")


def _length(display: Display | None, before: str) -> list[Segment]:
    """How much a command said."""
    said = present(display).output.strip("\n")
    return (
        [Segment(f"{before}{wording.count(said.count(chr(10)) + 1, 'line')}", "tool.time")]
        if said
        else []
    )


def _running(seconds: float, limit: float) -> str:
    """`running`, `running 12 s`, `running 12 s of 120 s`."""
    if seconds < 1:
        return "running"
    if not limit:
        return f"running {wording.elapsed_time(seconds)}"
    if limit < 600:  # one unit for both, so that they can be compared
        return f"running {int(seconds)} s of {limit:.0f} s"
    return f"running {wording.elapsed_time(seconds)} of {wording.elapsed_time(limit)}"


def _summary(display: Display | None) -> list[Segment]:
    """What came of it, in a few words."""
    presented = present(display)
    is_said = presented.failure or is_in_background(display)  # in words, not by a mark
    return [*runs_of(presented.summary), *_length(display, " · " if is_said else " ")]


def _body(block: ToolBlock, width: int, open: bool, cells: Cells, look: Look) -> Sequence[Line]:
    if block.state == "running":
        lines = text_lines(block.tail, width, cells)
        return lines if open else lines[-LIVE_LINES:]
    shown, stays = block.display, kind_of(block.display).stays
    if block.state == "asking" and not open:
        return []
    if open or diff_of(shown) is not None:
        return part_lines(answer_parts(parts_of(shown), block.tag), width, open, cells, look, True)
    if block.state == "failed":
        return _error(block, width, cells)
    if stays == "end":
        return _end(block, width, cells)
    shows = block.children or _shows_more(block)
    return part_lines(parts_of(shown), width, False, cells, look, True) if shows else []


def _end(block: ToolBlock, width: int, cells: Cells) -> list[Line]:
    """The end of what a command said; the person ran their own to see it."""
    shown, own = present(block.display), block.name == SHELL
    ended_well = block.state == "done" and not shown.failure
    most = LAST_LINES if ended_well and not own else FAILED_LINES
    left = shown.output.rstrip().count("\n") + 1 - most
    if left == 1:  # one line more takes no more room than to say so
        most, left = most + 1, 0
    lines = _last(shown.output, width, cells, most)
    return [more_line(left, width, True, cells), *lines] if own and left > 0 else lines


def _proposed(block: ToolBlock, width: int, cells: Cells, look: Look) -> list[Line]:
    """What was asked for and then not done."""
    refused = undone_display(block)
    if refused is None:
        return []
    changes = diff_of(refused) is not None
    count = (Segment("  "), *runs_of(present(refused).summary)) if changes else ()
    head = (Segment(NOT_DONE.text, WORDS[NOT_DONE.kind]), *count)
    return [
        Line(cut_runs(head, width, cells)),
        *part_lines(parts_of(refused), width, True, cells, look, True),
    ]


def _last(output: str, width: int, cells: Cells, most: int) -> list[Line]:
    """The end of an output; blank lines before and after it are none, and several within it are
    one."""
    end = [line[-LAST_CHARS:] for line in output.rstrip().rsplit("\n", 4 * most)[-4 * most :]]
    kept = [
        line
        for before, line in zip(("", *end), end, strict=False)
        if line.strip() or before.strip()
    ]
    lines = text_lines("\n".join(kept[-most:]), width, cells)[-most:]
    return lines[1:] if lines and not lines[0].text.strip() else lines


def _error(block: ToolBlock, width: int, cells: Cells) -> list[Line]:
    """The first line of a failure, as said to a person, wrapped, its tag in the line above; the
    last lines of a command's output, where the reason usually is."""
    shown = present(block.display)
    if kind_of(block.display).stays == "end":
        return _last(shown.output, width, cells, FAILED_LINES)
    first = problem(shown.parts, block.tag)
    if first is None:
        return list(part_lines(shown.parts, width, False, cells))[:LAST_LINES]
    rows = wrap((Segment(flatten(first), "tool.bad"),), width, cells)
    rest = "".join(row.text + row.glue for row in rows[LAST_LINES - 1 :])
    return [*rows[: LAST_LINES - 1], Line(cut_runs((Segment(rest, "tool.bad"),), width, cells))][
        : len(rows)
    ]
