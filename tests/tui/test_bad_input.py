"""Bad input and the pure renderer: what is laid out is bounded, says what it leaves out, and holds
nothing raw."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import islice

import pytest
from rich.cells import cell_len

from agent_tui.paths import shipped_folder
from agent_tui.present.parts import Table
from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    UserBlock,
)
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.markdown_stream import LIMIT, LINES, MARKS, MdStream, Piece, split, work
from agent_tui.tui.markdown.lines import EMPTY, Line
from agent_tui.tui.markdown.render import BRACKETS, render
from agent_tui.tui.transcript.blocks import block_lines, extent
from agent_tui.tui.transcript.diff import pairs
from agent_tui.tui.transcript.heights import lines as lines_of
from agent_tui.tui.transcript.painted_rows import KEPT_LINES, Painter
from agent_tui.tui.transcript.truncation import (
    MOST_CHARS,
    MOST_LINES,
    NOTHING,
    Rest,
    clip,
    clip_part,
)
from agent_tui.tui.widgets.theme import load_theme

HOSTILE = (
    "".join(f"<{chr(code)}>" for code in (*range(9), *range(11, 32), 127, *range(0x80, 0xA0)))
    + "\x1b[2J\x1b[31m\x1b]0;t\x07\x1b]8;;x\x1b\\\x1bPq\x1b\\\x1b_a\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\"
    "\x9b5A\x1b[\x1b]52;c;eA=="
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029\ud800\U000e0041"
    + " [bold red]x[/] [/y] [@click=app.quit]z[/] \r over \t tab \\[b]"
)
BIG = {
    "lines": "some words of output\n" * 20_000,
    "blank": "\n" * 200_000,
    "one line": "word " * 100_000,
    "no spaces": "a" * 500_000,
    "wide": "漢" * 200_000,
    "tabs": "\t" * 200_000,
    "returns": "ab\r" * 70_000,
    "escapes": "\x1b[31mx" * 70_000,
    "open": "\x1b]0;" * 70_000,
    "marks": "e\u0301" * 150_000,
}


def tool(display: d.Display, state: str = "done") -> ToolBlock:
    return ToolBlock("1", "tool", "Tool it", state, display=display, tag="exit")  # type: ignore[arg-type]


KINDS: dict[str, Callable[[str], Block]] = {
    "user": UserBlock,
    "sent": lambda text: UserBlock("short", sent=text, skill=text),
    "thinking": lambda text: ThinkingBlock(text, len(text)),
    "live thinking": lambda text: ThinkingBlock(text[-4_000:], len(text), live=True),
    "label": lambda text: ToolBlock("1", text, text, "done", note=text, tag=text),
    "refused": lambda text: ToolBlock(
        "1", text, text, "failed", tag=text, display=d.TextDisplay(text)
    ),
    "tail": lambda text: ToolBlock("1", "n", "l", "running", tail=text[-4_000:]),
    "call": lambda text: CallBlock(text, ArgumentStream().feed(f'{{"{text}": "a", "b": "{text}')),
    "command": lambda text: tool(d.CommandDisplay(text, text, text)),
    "failed command": lambda text: tool(d.CommandDisplay("c", output=text, exit_code=1), "failed"),
    "text": lambda text: tool(d.TextDisplay(text)),
    "code": lambda text: tool(d.CodeDisplay(text, path=text[:3_000] + "/a.py")),
    "markdown": lambda text: tool(d.MarkdownDisplay(text)),
    "plan": lambda text: tool(d.PlanDisplay(text)),
    "question": lambda text: tool(
        d.QuestionDisplay((d.AskedQuestion(text, (text, "b"), (text,)),))
    ),
    "diff": lambda text: tool(d.DiffDisplay(text, (hunk("+", text), hunk("-", text)), 1, 1)),
    "listing": lambda text: tool(d.ListingDisplay(text, (d.Entry(text), d.Entry(text, "folder")))),
    "matches": lambda text: tool(d.MatchesDisplay(text, (d.Match(text, 1, text),))),
    "table": lambda text: tool(d.TableDisplay((text, "b"), ((text, text),))),
    "todo": lambda text: tool(d.TodoDisplay((d.TodoItem(text),))),
    "image": lambda text: tool(d.ImageDisplay(text, 1, 1)),
    "agents": lambda text: tool(d.AgentsDisplay((d.AgentStatus(text, text, text),))),
    "notice": lambda text: NoticeBlock("error", text, text),
    "divider": DividerBlock,
}


def hunk(mark: str, text: str) -> d.Hunk:
    return d.Hunk(1, 1, tuple(mark + line for line in text.split("\n")[:20_000]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1, 8, 40, 120])
def test_nothing_of_any_block_is_raw(kind: str, width: int) -> None:
    for open in (False, True):
        for line in block_lines(KINDS[kind](HOSTILE), width, open, 1.0, cell_len):
            assert cell_len(line.text) <= width
            bad = [
                c
                for c in line.text
                if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or c in "\u202e\u2066"
            ]
            assert not bad, (bad, line.text)
            assert all("\x1b" not in value for s in line.segments if s.meta for _, value in s.meta)


@pytest.mark.parametrize("big", BIG)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_laid_out_is_bounded(kind: str, big: str) -> None:
    block = KINDS[kind](BIG[big])
    looked_at = 0

    def cells(text: str) -> int:
        nonlocal looked_at
        looked_at += len(text)
        return cell_len(text)

    for open in (False, True):
        lines = block_lines(block, 100, open, 1.0, cells)
        assert len(lines) <= 3 * MOST_LINES
        assert sum(len(line.text) for line in lines) <= 12 * MOST_CHARS, "tabs become eight"
        assert lines_of(*extent(block, open), 100) <= 2 * MOST_LINES
    assert looked_at <= 20 * MOST_CHARS


@pytest.mark.parametrize("text", [*BIG.values(), "", "a", "a\n", "\n", "a\r\nb\r\n" * 9_000])
def test_what_is_left_out_is_told_to_the_last_character(text: str) -> None:
    for most in ((10, 100), (MOST_LINES, MOST_CHARS)):
        shown, rest = clip(text, *most)
        assert text.startswith(shown)
        left = text[len(shown) :]
        if rest == NOTHING:
            assert left == ""
        elif rest.chars:
            assert (rest.chars, rest.lines) == (len(left), 0)
        else:
            assert rest.lines == left.replace("\r\n", "\n").replace("\r", "\n").count("\n")


def test_a_table_of_many_columns_is_cut_by_its_cells() -> None:
    shown, rest = clip_part(Table(("h",) * 500, (("c",) * 500,) * 40))
    assert isinstance(shown, Table)
    assert (len(shown.rows), rest) == (20, Rest(20))


def test_a_long_prompt_opens() -> None:
    block = UserBlock("line\n" * 100)
    folded = block_lines(block, 80, False, 0, cell_len)
    assert any("lines (click or Ctrl+O)" in line.text for line in folded)
    assert len(block_lines(block, 80, True, 0, cell_len)) > 100 > len(folded)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 9_000,
        "![" * 5_000,
        "[" * 5_000 + "]" * 5_000,
        "[" * 2_000 + "](x)" * 2_000,
        "*a **b " * 2_000,
        "> " * 9_000,
        "- " * 9_000,
        "".join(" " * n * 2 + "- x\n" for n in range(500)),
        "`" * 9_000,
        "<a " * 3_000,
        "![" * 700 + "](x)" * 700,
        "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "b|" * 500 + "\n") * 9,
    ],
)
def test_nesting_is_drawn_whole_or_as_it_stands(text: str) -> None:
    for piece in split(text):
        assert all(
            cell_len(line.text) <= 60 for line in render(piece.text, 60, cell_len, 0, piece.lead)
        )


def test_brackets_within_reason_are_links() -> None:
    link = "[a [b] c](http://d.example)"
    metas = [s.meta for line in render(link * BRACKETS, 80, cell_len) for s in line.segments]
    assert any(metas)


def test_pieces_are_bounded_in_lines_and_in_characters() -> None:
    many = ("a\n", "- a\n", "x" * 10)
    for text in (
        *(one * 9_000 for one in many),
        "|a|\n|---|\n" + "|b|\n" * 9_000,
        "```\n" + "y\n" * 9_000,
    ):
        pieces = split(text)
        assert "".join(piece.text for piece in pieces) == text
        assert all(
            piece.text.count("\n") <= LINES and len(piece.text) <= 2 * LIMIT for piece in pieces
        )


@pytest.mark.parametrize(
    "text",
    [
        "*a **b " * 9_000,
        "\x1b[1m[b]" * 9_000,
        "[a](b) " * 3_000,
        "|a|b|c|\n|-|-|-|\n" + "|d|e|f|\n" * 2_000,
        "".join("> " * (n % 50 + 1) + "a\nlazy\n" for n in range(500)),
        "`a` <b> ~~c~~\n" * 2_000,
    ],
)
def test_pieces_are_bounded_in_what_they_cost(text: str) -> None:
    pieces = split(text)
    assert "".join(piece.text for piece in pieces) == text
    assert all(work(piece.text) <= 4 * MARKS for piece in pieces)
    closed, stream = list[Piece](), MdStream()
    for at in range(0, len(text), 977):
        more, stream = stream.feed(text[at : at + 977])
        closed += more
    assert (*closed, *stream.close()) == pieces


def test_lines_that_go_on_lazily_in_many_quotes_are_soon_cut() -> None:
    assert split("> " * 58 + "a\n" + "lazy\n" * 400)[0].text.count("\n") < 60


def test_a_table_of_too_many_columns_is_drawn_as_it_stands() -> None:
    row = "|" + " cell |" * 500
    drawn = render(f"{row}\n|{'---|' * 500}\n{row}\n", 60, cell_len)
    assert "".join(line.text for line in drawn).count("cell") == 1_000
    assert len(drawn) < 400


def test_a_fence_that_stays_open_keeps_a_bounded_tail() -> None:
    stream, kept, closed = MdStream().feed("```python\n")[1], 0, 0
    for _ in range(1_000):
        pieces, stream = stream.feed("x = 1\n" * 100)
        closed += sum(piece.text.count("\n") for piece in pieces)
        kept = max(kept, len(stream.tail))
    assert closed > 99_000
    assert kept <= LIMIT


@pytest.mark.parametrize("marks", ["+", "-", "+-", "-+", " ", " -+"])
@pytest.mark.parametrize("twins", [False, True])
def test_the_beginning_of_a_long_change_is_that_of_all_of_it(marks: str, twins: bool) -> None:
    change = d.Hunk(1, 1, tuple(f"{mark}line {number}" for mark in marks for number in range(200)))
    for most in (1, 9, 150, 199, 200, 201, 900):
        wanted = list(islice(pairs(change, twins), most))
        assert list(islice(pairs(change, twins, most), most)) == wanted


def test_painted_rows_are_kept_up_to_a_number_of_lines() -> None:
    painter = Painter(40, load_theme("dark", [shipped_folder("themes")]))
    lines = (EMPTY,) * (KEPT_LINES // 10)
    block = TextBlock("x")
    for index in range(25):
        painter.row(index, block, 0, True, lambda: lines)
    drawn: list[int] = []

    def draw() -> tuple[Line, ...]:
        drawn.append(1)
        return lines

    for index in (24, 15):
        painter.row(index, block, 0, True, draw)
    assert not drawn, "the last ten are there"
    painter.row(3, block, 0, True, draw)
    assert drawn


def test_a_link_that_says_another_address_shows_where_it_goes() -> None:
    block = TextBlock("a [b](http://good.example) [http://good.example](http://evil.example/x)")
    lines = block_lines(block, 80, True, 0, cell_len)
    assert "evil.example" in "".join(line.text for line in lines)
