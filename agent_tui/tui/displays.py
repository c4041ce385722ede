"""What a tool shows of its work, as lines: one function for each member of `protocol/display.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from agent_tui.present import wording
from agent_tui.protocol import display as d
from agent_tui.structures import late
from agent_tui.structures.markdown_stream import LIMIT, split
from agent_tui.structures.visible import visible
from agent_tui.tui.clip import MOST_LINES, bounded, clipped, is_cut, more_line, short
from agent_tui.tui.diff import PART as PART
from agent_tui.tui.diff import diff_lines, diff_parts
from agent_tui.tui.look import DEFAULT, Look
from agent_tui.tui.markdown.chop import GOES_ON, GOES_ON_MARK, HANGS, chop
from agent_tui.tui.markdown.code import code_lines, highlight, plain, preceding
from agent_tui.tui.markdown.inline import flat
from agent_tui.tui.markdown.lines import EMPTY, Cells, Line, Segment, cut_runs, wrap
from agent_tui.tui.markdown.render import render
from agent_tui.tui.markdown.table import Table, table_lines

FOLDED_LINES: Final = 30
"""Lines that a folded display shows before it says how many more there are."""
MOST_DIFF_LINES: Final = 1_500
"""Lines that even an open diff shows: each costs more than one of text."""
MOST_ASKED_LINES: Final = 20_000
"""The same for a diff that waits for consent."""
LONGEST_PATTERN: Final = 200
MOST_HITS: Final = 20
"""Characters of a pattern that is looked for in the lines that it found, and about as many places of a line."""
_LITERAL: Final = late.pattern(r"(?:[^\\.^$*+?{}\[\]()|]|\\\W)+(?:\|(?:[^\\.^$*+?{}\[\]()|]|\\\W)+)*")
_OR: Final = late.pattern(r"(?<!\\)\|")
_ESCAPED: Final = late.pattern(r"\\(\W)")
COLOURED: Final = 24_000
"""Characters of a file that are highlighted; a lexer takes about a microsecond for each."""


def display_lines(display: d.Display, width: int, open: bool, cells: Cells, look: Look = DEFAULT) -> tuple[Line, ...]:
    """The whole of `display` in lines of at most `width` cells; its beginning where it is not `open`."""
    width = max(1, width)
    if isinstance(display, d.DiffDisplay):
        title = Line(cut_runs(diff_title(display), width, cells))
        return (title, *diff_body(display, width, open, cells, look))
    shown, rest = clipped(display)
    return bounded(_whole(shown, width, cells), width, MOST_LINES if open else FOLDED_LINES, cells, rest, not open)


def asked_lines(display: d.Display, width: int, cells: Cells, look: Look) -> tuple[Line, ...]:
    """`display` as a person is to judge it: a command to its last line, a diff as far as anybody may read."""
    return tuple(line for part in asked_parts(display, width, cells, look) for line in part)


def asked_parts(
    display: d.Display, width: int, cells: Cells, look: Look, named: bool = False
) -> Iterator[Sequence[Line]]:
    """The same in parts, each laid out when it is asked for. All but the last have more lines than most screens: of a
    command they have `PART`, or more. `named`: the path and count of a diff stand above it already."""
    width = max(1, width)
    if isinstance(display, d.CommandDisplay):
        yield from _command_parts(display, width, cells)
    elif isinstance(display, d.TextDisplay):
        yield text_lines(display.text, width, cells, False, GOES_ON_MARK)
    elif not isinstance(display, d.DiffDisplay):
        yield _whole(display, width, cells)
    else:
        head = [] if named else [Line(cut_runs(diff_title(display), width, cells))]
        left = 0
        for lines, rest in diff_parts(display, width, cells, look.diff, MOST_ASKED_LINES):
            yield [*head, *lines]
            head, left = [], rest
        if left:
            yield [more_line(left, width, False, cells)]


def diff_body(diff: d.DiffDisplay, width: int, open: bool, cells: Cells, look: Look) -> tuple[Line, ...]:
    """The hunks of `diff`, in the form that `look` wants and `width` allows."""
    lines, left = diff_lines(diff, width, cells, look.diff, MOST_DIFF_LINES if open else FOLDED_LINES)
    return (*lines, more_line(left, width, not open, cells)) if left else tuple(lines)


def text_lines(text: str, width: int, cells: Cells, overwrite: bool = True, mark: Segment = HANGS) -> list[Line]:
    """Plain output, line by line, broken only where a line is full; `overwrite`: as a terminal would show it; `mark`:
    what stands in front of what goes on."""
    clean = visible(text, overwrite).rstrip("\n").expandtabs(8)
    lines: list[Line] = []
    for part in clean.split("\n") if clean else ():
        lines.extend(chop([Segment(part, "tool.output")] if part else [], width, cells, (), (mark,)))
    return lines


def _whole(display: d.Display, width: int, cells: Cells) -> list[Line]:
    match display:
        case d.TextDisplay():
            return text_lines(display.text, width, cells)
        case d.MarkdownDisplay() | d.PlanDisplay():
            return markdown_lines(display.text, width, cells)
        case d.CodeDisplay():
            return _code(display, width, cells)
        case d.DiffDisplay():
            return list(display_lines(display, width, True, cells))
        case d.ListingDisplay():
            return _listing(display, width, cells)
        case d.MatchesDisplay():
            return _matches(display, width, cells)
        case d.CommandDisplay():
            return _command(display, width, cells)
        case d.TableDisplay():
            return _table(display, width, cells)
        case d.TodoDisplay():
            return [line for item in display.items for line in _todo(item, width, cells)]
        case d.QuestionDisplay():
            return _question(display, width, cells)
        case d.ImageDisplay():
            size = f"  {display.width}×{display.height}" if display.width else ""
            return wrap([Segment(f"▣ {flat(display.path)}", "image"), Segment(size, "dim")], width, cells)
        case d.AgentsDisplay():
            return [line for agent in display.agents for line in _agent(agent, width, cells)]
        case _:
            assert_never(display)


def diff_title(diff: d.DiffDisplay) -> tuple[Segment, ...]:
    """`src/app.py  +3 -1`, and whether the file is new."""
    return (Segment(flat(diff.path), "diff.path"), Segment("  "), *diff_count(diff))


def diff_count(diff: d.DiffDisplay) -> tuple[Segment, ...]:
    parts = [Segment("new file ", "dim")] if diff.created else []
    if diff.added or not diff.removed:
        parts.append(Segment(f"+{diff.added}", "diff.count.added"))
    if diff.removed:
        parts.append(Segment(f"{' ' if diff.added else ''}-{diff.removed}", "diff.count.removed"))
    return tuple(parts)


def markdown_lines(text: str, width: int, cells: Cells) -> list[Line]:
    """Long texts piece by piece: that takes linear time."""
    if len(text) <= LIMIT:
        return list(render(text, width, cells))
    lines: list[Line] = []
    before = ""
    for piece in split(text):
        drawn = render(piece.text, width, cells, 0, piece.lead)
        lines.extend([EMPTY] if drawn and lines and not piece.lead and not is_cut(before) else [])
        lines.extend(drawn)
        before = piece.text
    return lines


def _code(code: d.CodeDisplay, width: int, cells: Cells) -> list[Line]:
    text = code.text.removesuffix("\n")
    language = code.language or code.path.rpartition("/")[2]
    last = code.first_line + text.count("\n")
    digits = len(str(last))
    lines: list[Line] = []
    if width < digits + 8:
        return code_lines(text, language, width, cells, fill="", before=preceding(code.opening))
    rest = (Segment(f"{GOES_ON:>{digits + 1}} ", "diff.number"),)
    end = text.rfind("\n", 0, COLOURED) if len(text) > COLOURED else len(text)
    coloured = highlight(text[:end], language, preceding(code.opening)) if end > 0 else ()
    rest_of_text = plain(text[end + 1 :]) if end < len(text) else ()
    for number, runs in enumerate((*coloured, *rest_of_text), code.first_line):
        lines.extend(chop(runs, width, cells, (Segment(f"{number:>{digits}}  ", "diff.number"),), rest))
    if code.total_lines > last:
        lines.extend(wrap([Segment(f"of {code.total_lines:,} lines", "dim")], width, cells))
    return lines


def _listing(listing: d.ListingDisplay, width: int, cells: Cells) -> list[Line]:
    lines: list[Line] = []
    for entry in listing.entries:
        end = {"folder": "/", "link": " →", "other": "", "file": ""}[entry.kind]
        style = "match.path" if entry.kind == "folder" else "tool.output"
        name = Segment(flat(entry.name).removesuffix("/") + end, style)
        size = [Segment(f"  {wording.size(entry.size)}", "dim")] if entry.kind == "file" and entry.size else []
        lines.extend(wrap([name, *size], width, cells, (), (HANGS,)))
    if listing.total > len(listing.entries):
        lines.extend(wrap([Segment(f"of {listing.total:,} in all", "dim")], width, cells))
    return lines or [Line(cut_runs((Segment("empty", "dim"),), width, cells))]


def _matches(found: d.MatchesDisplay, width: int, cells: Cells) -> list[Line]:
    lines: list[Line] = []
    wanted = _literals(found.pattern)
    path = None
    for match in found.matches:
        if match.path != path:
            if lines:
                lines.append(EMPTY)
            path = match.path
            lines.extend(wrap([Segment(flat(path), "match.path")], width, cells))
        number = Segment(f"{match.line:>5}  ", "diff.number")
        text = visible(short(match.text)).expandtabs(4).replace("\n", "␊")
        rest = Segment(f"{GOES_ON:>6} ", "diff.number")
        lines.extend(chop(_hits(text, wanted), width, cells, (number,), (rest,)))
    if found.total > len(found.matches):
        lines.extend(wrap([Segment(f"of {found.total:,} matches in all", "dim")], width, cells))
    return lines or [Line(cut_runs((Segment("no match", "dim"),), width, cells))]


def _literals(pattern: str) -> Sequence[str]:
    """The texts that `pattern` stands for, if it is no more than that: a pattern of somebody else's is never run here,
    it might take for ever."""
    if len(pattern) > LONGEST_PATTERN or not _LITERAL.fullmatch(pattern):
        return ()
    return tuple(_ESCAPED.sub(r"\1", part) for part in _OR.split(pattern))


def _hits(text: str, wanted: Sequence[str]) -> list[Segment]:
    """A line that matched, with what it matched set off; where no capitals fit, whatever the capitals."""
    if not any(one in text for one in wanted):
        low = text.lower()
        wanted = [one.lower() for one in wanted] if len(low) == len(text) else ()
    else:
        low = text
    runs: list[Segment] = []
    at = 0
    while len(runs) < MOST_HITS:
        start, one = min(((low.find(one, at), one) for one in wanted if one in low[at:]), default=(-1, ""))
        if start < 0:
            break
        runs += [Segment(text[at:start], "tool.output"), Segment(text[start : start + len(one)], "match.hit")]
        at = start + len(one)
    return [run for run in (*runs, Segment(text[at:], "tool.output")) if run.text]


def _command(command: d.CommandDisplay, width: int, cells: Cells) -> list[Line]:
    return [line for part in _command_parts(command, width, cells) for line in part]


def _command_parts(command: d.CommandDisplay, width: int, cells: Cells) -> Iterator[list[Line]]:
    lines: list[Line] = []
    source, before = command.command.strip("\n").split("\n"), list[str]()
    for start in range(0, len(source), PART):
        part = "\n".join(source[start : start + PART])
        for number, runs in enumerate(highlight(part, "bash", tuple(before)), start):
            prompt = Segment("$ " if number == 0 else "  ", "tool.mark")
            lines.extend(chop(runs, width, cells, (prompt,), (GOES_ON_MARK,)))
        if start + PART < len(source):
            before.append(f"{part}\n")
            yield lines
            lines = []
    if command.cwd:
        lines.extend(wrap([Segment(f"in {flat(command.cwd)}", "dim")], width, cells))
    lines.extend(text_lines(command.output, width, cells))
    ended = exit_words(command)
    if ended:
        lines.extend(wrap([Segment(ended, "tool.bad")], width, cells))
    yield lines


def exit_words(command: d.CommandDisplay) -> str:
    """How the command ended; nothing for success, and while it runs."""
    if command.timed_out:
        return "timed out"
    return f"exit code {command.exit_code}" if command.exit_code else ""


def _table(table: d.TableDisplay, width: int, cells: Cells) -> list[Line]:
    head = tuple((Segment(flat(cell), "text"),) for cell in table.header)
    rows = tuple(tuple((Segment(flat(cell), "text"),) for cell in row) for row in table.rows)
    return table_lines(Table(head, rows), width, cells)


def _todo(item: d.TodoItem, width: int, cells: Cells) -> list[Line]:
    mark, style = {"open": ("☐ ", "list.open"), "active": ("▸ ", "accent"), "done": ("☑ ", "list.done")}[item.state]
    text = Segment(flat(item.text), {"open": "text", "active": "strong", "done": "dim strike"}[item.state])
    return wrap([text], width, cells, (Segment(mark, style),), (Segment("  ", "indent"),))


def _question(question: d.QuestionDisplay, width: int, cells: Cells) -> list[Line]:
    lines = markdown_lines(question.text, width, cells)
    for number, option in enumerate(question.options, 1):
        chosen = option == question.answer
        mark = Segment(f"{'▸' if chosen else ' '} {number}. ", "accent" if chosen else "list.marker")
        lines.extend(wrap([Segment(flat(option), "strong" if chosen else "text")], width, cells, (mark,)))
    if question.answer and question.answer not in question.options:
        lines.extend(wrap([Segment(f"▸ {flat(question.answer)}", "strong")], width, cells))
    return lines


def _agent(agent: d.AgentStatus, width: int, cells: Cells) -> list[Line]:
    name, state = Segment(flat(agent.name), "strong"), Segment(f"  {flat(agent.state)}  ", "dim")
    return wrap([name, state, Segment(flat(agent.task), "text")], width, cells)
