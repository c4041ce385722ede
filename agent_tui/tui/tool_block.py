"""Tool calls as lines: one line each, with a body where the work is worth seeing at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import Final, TypeVar, assert_never

from agent_tui.present import wording
from agent_tui.protocol import display as d
from agent_tui.protocol.shell_events import SHELL
from agent_tui.protocol.transcript import Block, CallBlock, ToolBlock
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.visible import visible
from agent_tui.tui.clip import MOST_LINES, more_line
from agent_tui.tui.displays import (
    FOLDED_LINES,
    MOST_DIFF_LINES,
    diff_body,
    diff_count,
    display_lines,
    exit_words,
    text_lines,
)
from agent_tui.tui.look import DEFAULT, Look
from agent_tui.tui.markdown.chop import GOES_ON_MARK, hung
from agent_tui.tui.markdown.inline import FLAT, flat
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs, line_cells, wrap

LIVE_LINES: Final = 8
"""Lines of a running command's output."""
LAST_LINES: Final = 3
"""Last lines of a command's output, which stay when it has ended: the screen does not jump, and its result is there."""
FAILED_LINES: Final = LIVE_LINES
"""The same where it failed: what went wrong is seldom in the last three; and for what the person runs to see it."""
LAST_CHARS: Final = 4_000
"""Characters of each of them that are looked at."""
REFUSED: Final = frozenset(("denied", "blocked"))
"""Tags of calls that never ran: they did not fail."""
SAID_NO: Final = "the person said no"
_D = TypeVar("_D", bound=d.Display)
_TOGGLE: Final = (("toggle", "1"),)
_MARK: Final = Segment("⚙ ", "tool.mark", _TOGGLE)
_INDENT: Final = (Segment("  ", "margin"),)


def tool_lines(block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look = DEFAULT) -> list[Line]:
    """Mark, label, outcome and duration, and what is shown below it."""
    lines = _head(block, width, open, now, cells, look)
    room = max(1, width - 3) if width >= 20 else width
    body = _body(block, room, open, cells, look)
    if open:
        body += _proposed(block, room, cells, look)
    if width < 20:
        return lines + body
    return lines + [hung(line, _INDENT[0]) for line in body]


def call_lines(block: CallBlock, width: int, open: bool, cells: Cells) -> list[Line]:
    """A call that is still being written: its name, what it is about, and the last lines of the text in it."""
    written = block.arguments
    about = f" {flat(written.subject)}" if written.subject.strip() else ""
    name = (Segment(flat(block.name) or "tool call", "tool.name"), Segment(about, "tool.label"))
    body: list[Line] = []
    indent, goes_on = (_INDENT, (GOES_ON_MARK,)) if width >= 20 else ((), ())
    text = visible(written.body).expandtabs(4).strip("\n")
    for part in text.split("\n") if text.strip() else ():
        body.extend(wrap([Segment(part, "tool.output")], width, cells, indent, goes_on))
    head = _call_line(name, [Segment("  "), Segment(_being_written(written), "tool.wait")], width, cells)
    return [head, *(body if open else dropwhile(lambda line: not line.text.strip(), body[-LIVE_LINES:]))]


def _being_written(written: ArgumentStream) -> str:
    """`writing`, `writing content`, `writing content · 12 lines`."""
    if not written.body.strip():
        return "writing"
    lines = f" · {wording.count(written.lines, 'line')}" if written.lines > 1 else ""
    return f"writing {flat(written.key)}{lines}".rstrip()


def has_body(block: Block) -> bool:
    """Whether a folded tool block shows more than its line."""
    if isinstance(block, CallBlock):
        return bool(block.arguments.body.strip())
    if not isinstance(block, ToolBlock):
        return False
    shown = block.display
    if block.state == "running":
        return bool(block.tail)
    if block.state == "failed":
        return True
    if block.state in ("done", "cancelled") and isinstance(shown, d.CommandDisplay):
        return bool(exit_words(shown) or (shown.output and not shown.output.isspace()))
    return block.state == "done" and isinstance(shown, d.DiffDisplay | d.TodoDisplay | d.PlanDisplay | d.AgentsDisplay)


def body_estimate(block: ToolBlock, open: bool) -> int:
    """About how many lines are below the first."""
    if not open and not has_body(block):
        return 0
    shown = block.proposed if open and isinstance(block.proposed, d.DiffDisplay) else block.display
    if isinstance(shown, d.DiffDisplay):
        lines = sum(len(hunk.lines) for hunk in shown.hunks)
        return min(lines, MOST_DIFF_LINES if open else FOLDED_LINES)
    if not open:
        return LAST_LINES
    if isinstance(shown, d.CommandDisplay):
        return min(shown.output.count("\n") + 2, MOST_LINES)
    if isinstance(shown, d.TextDisplay | d.MarkdownDisplay | d.CodeDisplay | d.PlanDisplay):
        return min(shown.text.count("\n") + 1, MOST_LINES)
    return LIVE_LINES


def _head(block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look) -> list[Line]:
    label = flat(block.label or block.name)
    verb, space, what = label.partition(" ")
    name = [Segment(verb, "tool.name", _TOGGLE), Segment(space + what, "tool.label", _TOGGLE)]
    outcome = [Segment("  "), *_outcome(block, now, look)]
    if not open and outcome[-1].style == "tool.note" and line_cells((*name, *outcome), cells) > width - 3:
        outcome.pop()  # rather the whole label than how it was allowed
    cut = _is_cut(block, label)  # the whole of it stands below
    if open and not cut:
        runs = [run for run in (*name, *outcome) if run.text]
        return wrap(runs, width, cells, (_MARK,), _INDENT)
    return [_call_line(name, outcome, width, cells)]


def _call_line(name: Sequence[Segment], outcome: Sequence[Segment], width: int, cells: Cells) -> Line:
    """Both on one line; where it is full, the name is cut."""
    room = width - 3 - line_cells(outcome, cells)  # as everywhere, a cell stays free at the right edge
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
            parts = [Segment(f"✗ {_why(block)}", "tool.bad"), *_length(block.display, " · ")]
        case "done":
            parts = _summary(block.display)
        case _:
            assert_never(block.state)
    if took:
        parts.append(Segment(f"{' · ' if parts else ''}{took}", "tool.time"))
    if block.note:
        parts.append(Segment(f"{' · ' if parts else ''}{flat(block.note)}", "tool.note"))
    return parts


def _stopped(block: ToolBlock) -> Segment:
    """The program ended meanwhile, or somebody cancelled it: what a person asked for is nothing that went wrong."""
    return Segment("interrupted", "tool.bad") if block.tag == "interrupted" else Segment("cancelled", "notice.warning")


def _why(block: ToolBlock) -> str:
    """Why it failed, in two words."""
    ended = exit_words(block.display) if isinstance(block.display, d.CommandDisplay) else ""
    return (block.tag not in REFUSED and ended) or wording.failed(flat(block.tag))


def _length(display: d.Display | None, before: str) -> list[Segment]:
    """How much a command said."""
    said = display.output.strip("\n") if isinstance(display, d.CommandDisplay) else ""
    return [Segment(f"{before}{wording.count(said.count(chr(10)) + 1, 'line')}", "tool.time")] if said else []


def _running(seconds: float, limit: float) -> str:
    """`running`, `running 12 s`, `running 12 s of 120 s`."""
    if seconds < 1:
        return "running"
    if not limit:
        return f"running {wording.elapsed(seconds)}"
    if limit < 600:  # one unit for both, so that they can be compared
        return f"running {int(seconds)} s of {limit:.0f} s"
    return f"running {wording.elapsed(seconds)} of {wording.elapsed(limit)}"


def _summary(display: d.Display | None) -> list[Segment]:
    """What came of it, in a few words."""
    match display:
        case d.DiffDisplay():
            return list(diff_count(display))
        case d.CommandDisplay():
            ended = exit_words(display)
            if ended:
                return [Segment(f"✗ {ended}", "tool.bad"), *_length(display, " · ")]
            return [Segment("✓", "tool.ok"), *_length(display, " ")]
        case d.CodeDisplay():
            return [Segment(wording.count(display.text.removesuffix("\n").count("\n") + 1, "line"), "tool.time")]
        case d.ListingDisplay():
            return [Segment(wording.count(max(display.total, len(display.entries)), "entry", "entries"), "tool.time")]
        case d.MatchesDisplay():
            return [Segment(wording.count(max(display.total, len(display.matches)), "match", "matches"), "tool.time")]
        case d.TableDisplay():
            return [Segment(wording.count(len(display.rows), "row"), "tool.time")]
        case d.ImageDisplay():
            return [Segment(f"{display.width}×{display.height}", "tool.time")] if display.width else []
        case d.TodoDisplay():
            done = sum(item.state == "done" for item in display.items)
            return [Segment(f"{done} of {len(display.items)} done", "tool.time")]
        case _:
            return []


def _body(block: ToolBlock, width: int, open: bool, cells: Cells, look: Look) -> list[Line]:
    shown = block.display
    if block.state == "running":
        lines = text_lines(block.tail, width, cells)
        return lines if open else lines[-LIVE_LINES:]
    if shown is None or (block.state == "asking" and not open):
        return []
    if isinstance(shown, d.DiffDisplay):
        return list(diff_body(shown, width, open, cells, look))
    if open:
        return list(display_lines(answered(shown, block.tag), width, True, cells))
    if block.state == "failed":
        return _error(shown, block.tag, width, cells)
    if isinstance(shown, d.CommandDisplay):
        own = block.name == SHELL
        if block.state not in ("done", "cancelled"):
            return []
        ended_well = block.state == "done" and not exit_words(shown)
        most = LAST_LINES if ended_well and not own else FAILED_LINES
        lines, left = _last(shown, width, cells, most), shown.output.rstrip().count("\n") + 1 - most
        return [more_line(left, width, True, cells), *lines] if own and left > 0 else lines
    return list(display_lines(shown, width, False, cells)) if has_body(block) else []


def answered(display: _D, tag: str) -> _D:
    """What came of a call; that a person refused it is told the model in other words than the person."""
    told = f"Error [{tag}]: {SAID_NO}"
    if tag == "denied" and isinstance(display, d.TextDisplay | d.MarkdownDisplay) and display.text.startswith(told):
        return replace(display, text=f"you said no{display.text[len(told) :]}")
    return display


def _is_cut(block: ToolBlock, label: str) -> bool:
    """Whether `label` is the beginning of a command."""
    return label.endswith("…") and any(isinstance(one, d.CommandDisplay) for one in (block.display, block.proposed))


def _proposed(block: ToolBlock, width: int, cells: Cells, look: Look) -> list[Line]:
    """What was asked for and then not done; of a command only where the line above has not all of it."""
    shown = block.proposed
    head = [Segment("not done", "tool.note")]
    if isinstance(shown, d.DiffDisplay):
        head += [Segment("  "), *diff_count(shown)]
        lines = diff_body(shown, width, True, cells, look)
    elif shown is not None and _is_cut(block, block.label):
        lines = display_lines(shown, width, True, cells)
    else:
        return []
    return [Line(cut_runs(tuple(head), width, cells)), *lines]


def _last(command: d.CommandDisplay, width: int, cells: Cells, most: int) -> list[Line]:
    """The end of the output; blank lines before and after it are none, and several within it are one."""
    end = [line[-LAST_CHARS:] for line in command.output.rstrip().rsplit("\n", 4 * most)[-4 * most :]]
    kept = [line for before, line in zip(("", *end), end, strict=False) if line.strip() or before.strip()]
    lines = text_lines("\n".join(kept[-most:]), width, cells)[-most:]
    return lines[1:] if lines and not lines[0].text.strip() else lines


def _error(display: d.Display, tag: str, width: int, cells: Cells) -> list[Line]:
    """The first line of a failure, as said to a person, wrapped, its tag in the line above; the last lines of a
    command's output, where the reason usually is."""
    if isinstance(display, d.CommandDisplay):
        return _last(display, width, cells, FAILED_LINES)
    if isinstance(display, d.TextDisplay | d.MarkdownDisplay):
        first = wording.reason(answered(display, tag).text[:FLAT], tag)
        rows = wrap((Segment(flat(first), "tool.bad"),), width, cells)
        rest = "".join(row.text + row.glue for row in rows[LAST_LINES - 1 :])
        return [*rows[: LAST_LINES - 1], Line(cut_runs((Segment(rest, "tool.bad"),), width, cells))][: len(rows)]
    return list(display_lines(display, width, False, cells))[:LAST_LINES]
