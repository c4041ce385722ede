"""What each block of the transcript looks like, as text; and that none can break the page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.present import wording
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
)
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.markdown.lines import STYLES
from agent_tui.tui.transcript.blocks import block_lines, extent, gap, hidden
from agent_tui.tui.transcript.displays import display_lines
from agent_tui.tui.transcript.heights import lines as lines_of
from agent_tui.tui.transcript.tool_block import FAILED_LINES
from tests.campaigns import examples

HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
DIFF = d.DiffDisplay(
    "a.py", (d.Hunk(9, 9, (" x", "-y = 1", "+y = 2", "+z")), d.Hunk(30, 31, ("-gone",))), 2, 2
)


def page(
    block: Block, width: int = 50, open: bool = False, now: float = 0.0, look: Look = DEFAULT
) -> list[str]:
    return [line.text.rstrip() for line in block_lines(block, width, open, now, cell_len, look)]


def shown(display: d.Display, width: int = 50, open: bool = True) -> list[str]:
    return [line.text.rstrip() for line in display_lines(display, width, open, cell_len)]


def tool(display: d.Display | None = None, state: str = "done", **more: object) -> ToolBlock:
    values = {
        "call_id": "1",
        "name": "read_file",
        "label": "Read a.py",
        "state": state,
        "display": display,
        **more,
    }
    return ToolBlock(**values)  # type: ignore[arg-type]


def test_a_prompt() -> None:
    assert page(UserBlock("one two three four\n\n  five"), 14) == [
        "❯ one two",
        "  three four",
        "",
        "    five",
    ]


def test_a_skill_shows_what_was_sent() -> None:
    block = UserBlock("/fix a", 0.0, "Fix the file a.\nNow.", "fix")
    assert page(block) == ["❯ /fix a", "  ▸ skill fix: 5 words sent"]
    assert page(block, open=True) == [
        "❯ /fix a",
        "  ▾ skill fix: 5 words sent",
        "  Fix the file a.",
        "  Now.",
    ]


def test_steering_says_so() -> None:
    assert page(UserBlock("left", steer=True)) == ["↳ left", "  sent while it worked"]


def test_an_answer_has_margins() -> None:
    assert page(TextBlock("# A\ntext\n")) == ["  A", "", "  text"]
    assert page(TextBlock("text"), 10) == ["text"]


def test_thinking_folds() -> None:
    block = ThinkingBlock("one\ntwo", 7, 5000)
    assert page(block) == ["∴ thought for 5.0 s"]
    assert page(block, open=True) == ["∴ thought for 5.0 s", "  one", "  two"]
    live = ThinkingBlock("\n".join(map(str, range(20))), 50, live=True)
    assert page(live) == ["∴ thinking", *(f"  {n}" for n in range(14, 20))]


def test_thinking_can_be_one_line_or_nothing() -> None:
    live = ThinkingBlock("one\ntwo", 7, live=True)
    assert page(live, look=Look(thinking="folded")) == ["∴ thinking"]
    assert page(live, open=True, look=Look(thinking="folded")) == ["∴ thinking", "  one", "  two"]
    assert page(live, open=True, look=Look(thinking="hidden")) == []
    assert page(ThinkingBlock("one", 3, 5000), look=Look(thinking="hidden")) == []
    assert hidden(live, Look(thinking="hidden")) and not hidden(live, Look(thinking="folded"))
    assert not hidden(TextBlock("a"), Look(thinking="hidden"))


def test_what_is_said_of_a_command_stands_apart_from_its_length() -> None:
    command = d.CommandDisplay("serve", output="up", exit_code=None, background=True)
    assert page(tool(command))[0] == "⚙ Read a.py  in the background · 1 line"


def test_a_tool_is_one_line() -> None:
    block = tool(d.CodeDisplay("a\nb\n", "a.py"), duration_ms=120)
    assert page(block) == ["⚙ Read a.py  2 lines · 120 ms"]
    assert page(block, open=True) == ["⚙ Read a.py  2 lines · 120 ms", "  1  a", "  2  b"]


def test_a_long_label_is_cut_when_folded_and_whole_when_open() -> None:
    block = tool(d.CommandDisplay("x"), label="Run " + "long " * 20)
    folded, opened = page(block, 30), page(block, 30, open=True)
    assert len(folded) == 1 and "…" in folded[0] and folded[0].endswith("✓")
    assert " ".join(opened).count("long") == 20


def test_an_edit_shows_its_diff_with_numbers_and_marks() -> None:
    assert page(tool(DIFF, label="Edit a.py", note="allowed once")) == [
        "⚙ Edit a.py  +2 -2 · allowed once",
        "   9   x",
        "  10 - y = 1",
        "  10 + y = 2",
        "  11 + z",
        "     ⋯",
        "  30 - gone",
    ]


def test_a_long_diff_is_bounded_until_opened() -> None:
    block = tool(d.DiffDisplay("a", (d.Hunk(1, 1, tuple(f"+{n}" for n in range(42))),), 42))
    folded = page(block, 60)
    assert len(folded) == 32
    assert folded[-1] == "  … 12 more lines (click or Ctrl+O)"
    assert len(page(block, 60, open=True)) == 43


def test_words_before_and_after_a_long_paste_stay_in_sight() -> None:
    paste = "".join(f"line {n}\n" for n in range(100))
    block = UserBlock(f"Why does this fail?\n{paste}Do not change the tests.")
    assert page(block) == [
        "❯ Why does this fail?",
        *(f"  line {n}" for n in range(5)),
        "  … 90 lines (click or Ctrl+O)",
        *(f"  line {n}" for n in range(95, 100)),
        "  Do not change the tests.",
    ]
    assert len(page(block, open=True)) == 102
    long = page(UserBlock(f"{'word ' * 5_000}and my question"))
    assert long[-1].endswith("and my question") and len(long) < 50
    assert any("characters (click or Ctrl+O)" in line for line in long)


def test_changed_words_are_marked() -> None:
    diff = d.DiffDisplay(
        "a.py", (d.Hunk(1, 1, ("-y = 1", "+y = 2", " ", "-all", "+other things")),), 2, 2
    )
    lines = block_lines(tool(diff), 50, False, 0, cell_len)
    marked = {s.text: s.style for line in lines for s in line.segments if "word" in s.style}
    assert marked == {
        "1": "code.number diff.removed diff.removed.word",
        "2": "code.number diff.added diff.added.word",
    }


def test_a_running_command_shows_its_end_and_its_time() -> None:
    block = tool(
        state="running",
        label="Run make",
        tail="".join(f"{n}\n" for n in range(20)),
        started_at=100.0,
    )
    assert page(block, now=103.4) == ["⚙ Run make  running 3 s", *(f"  {n}" for n in range(12, 20))]
    assert len(page(block, open=True, now=103.4)) == 21


def test_a_limit_is_said_beside_the_time() -> None:
    block = tool(state="running", label="Run make", started_at=100.0, timeout_s=120.0)
    assert page(block, now=100.2) == ["⚙ Run make  running"]
    assert page(block, now=112.9) == ["⚙ Run make  running 12 s of 120 s"]
    assert page(block, now=175.0) == ["⚙ Run make  running 75 s of 120 s"]
    assert page(replace(block, timeout_s=3600.0), now=190.0) == [
        "⚙ Run make  running 1 min 30 s of 1 h"
    ]


def test_progress_bars_do_not_pile_up() -> None:
    assert page(tool(state="running", tail="10%\r20%\r30%"))[1:] == ["  30%"]


def test_failures_show_why() -> None:
    block = tool(
        d.TextDisplay("\nError [exception]: no such file\nmore"),
        "failed",
        tag="exception",
        duration_ms=2,
    )
    assert page(block) == ["⚙ Read a.py  ✗ failed · 2 ms", "  no such file"]
    lines = [f"line {n}" for n in range(FAILED_LINES + 2)]
    command = d.CommandDisplay("make", output="\n".join((*lines, "")), exit_code=2)
    for state, tag in (("done", ""), ("failed", "exit")):
        shown = page(tool(command, state, tag=tag))
        assert shown == [
            "⚙ Read a.py  ✗ exit code 2 · 10 lines",
            *(f"  {line}" for line in lines[2:]),
        ]
    assert page(tool(d.CommandDisplay("make", timed_out=True)))[0] == "⚙ Read a.py  ✗ timed out"


def test_words_given_with_a_yes_stand_below_the_call() -> None:
    block = tool(d.CommandDisplay("make", output="built"), duration_ms=0)
    block = replace(block, words="use the venv", note="allowed once")
    assert page(block)[1:] == ["  you said yes: use the venv", "  built"]
    read = replace(tool(d.TextDisplay("one\ntwo\nthree")), words="use the venv")
    assert page(read)[1:] == ["  you said yes: use the venv"], "no more is unfolded than without"


def test_a_call_that_never_ran_did_not_fail() -> None:
    no = d.TextDisplay("Error [denied]: the person said no: make it shorter")
    assert page(tool(no, "failed", tag="denied")) == [
        "⚙ Read a.py  ✗ denied",
        "  you said no: make it shorter",
    ]
    plan = d.TextDisplay("Error [blocked]: plan mode is read-only")
    assert page(tool(plan, "failed", tag="blocked")) == [
        "⚙ Read a.py  ✗ blocked",
        "  plan mode is read-only",
    ]


def test_a_folded_command_says_how_much_it_wrote_and_keeps_its_last_lines() -> None:
    assert page(tool(d.CommandDisplay("ls", output="a\nb\n", exit_code=0))) == [
        "⚙ Read a.py  ✓ 2 lines",
        "  a",
        "  b",
    ]
    one_more = tool(d.CommandDisplay("ls", output="a\nb\nc\nd\n\n", exit_code=0))
    assert page(one_more) == ["⚙ Read a.py  ✓ 4 lines", "  a", "  b", "  c", "  d"]
    many = tool(d.CommandDisplay("ls", output="0\na\nb\nc\nd\n\n", exit_code=0))
    assert page(many) == ["⚙ Read a.py  ✓ 5 lines", "  b", "  c", "  d"]
    lines = block_lines(many, 50, False, 0.0, cell_len)
    assert {part.style for line in lines[1:] for part in line.segments if part.text.strip()} == {
        "tool.output"
    }
    assert page(replace(one_more, state="cancelled")) == [
        "⚙ Read a.py  interrupted",
        "  a",
        "  b",
        "  c",
        "  d",
    ]
    assert page(tool(d.CommandDisplay("true", output="\n", exit_code=0))) == ["⚙ Read a.py  ✓"]


def test_waiting_and_cancelled_say_so() -> None:
    assert page(tool(DIFF, "asking")) == ["⚙ Read a.py  waiting"]
    assert page(tool(None, "cancelled", tag="cancelled")) == ["⚙ Read a.py  interrupted"]
    cut = tool(None, "cancelled", tag="interrupted", note="it was not started")
    assert page(cut) == ["⚙ Read a.py  cut off · it was not started"]


def test_a_call_being_written() -> None:
    content = (
        '{"path": "a.py", "content": "' + "".join(f"line {n}\\n" for n in range(20)) + 'x = \\"1'
    )
    assert page(called("create_file", content)) == [
        "⚙ Create file a.py  writing content · 21 lines",
        *(f"  line {n}" for n in range(13, 20)),
        '  x = "1',
    ]
    assert page(called("run_shell_command", '{"command": "make te')) == [
        "⚙ Run shell command make te  writing"
    ]
    assert page(called("run_shell_command", '{"command": "make\\nmake te')) == [
        "⚙ Run shell command  writing command · 2 lines",
        "  make",
        "  make te",
    ]
    assert page(CallBlock()) == ["⚙ tool call  writing"]
    gaps = called("create_file", '{"path": "a.py", "content": "x' + "\\n" * 9 + "def a():\\n" * 3)
    assert page(gaps)[1:] == ["  def a():"] * 3, "no blank lines below the name"


def called(name: str, json: str) -> CallBlock:
    return CallBlock(name, ArgumentStream().feed(json))


def test_notices_say_their_level_in_words() -> None:
    assert page(NoticeBlock("error", "it broke", "do this")) == ["  Error: it broke", "  do this"]
    assert page(NoticeBlock("warning", "careful")) == ["  Warning: careful"]
    assert page(NoticeBlock("info", "so")) == ["  Note: so"]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("completed", "completed"),
        ("cancelled", "interrupted"),
        ("interrupted", "cut off"),
        ("error", "failed"),
        ("timed_out", "timed out"),
        ("max_steps", "stopped at the step limit"),
        ("budget_exceeded", "stopped at the budget"),
        ("stuck", "stopped: it repeated itself"),
    ],
)
def test_the_end_of_a_turn_in_words(state: str, words: str) -> None:
    block = TurnBlock(state, 12_300, 3, 1234, True)  # type: ignore[arg-type]
    assert page(block, 80) == [f"  {words} · 12 s · 3 steps · ≈ 1.2k tokens out"]


def test_a_divider_fills_the_line() -> None:
    assert page(DividerBlock("resumed"), 20) == ["─── resumed ────────"]


def test_every_display() -> None:
    assert shown(d.TextDisplay("a\tb\x1b[1m\n")) == ["a       b"]
    assert shown(d.MarkdownDisplay("**a**")) == ["a"]
    assert shown(d.CodeDisplay("x\n", "a.py", first_line=99, total_lines=120)) == [
        "99  x",
        "of 120 lines",
    ]
    assert (
        shown(d.DiffDisplay("n.py", (d.Hunk(0, 1, ("+a",)),), 1, created=True))[0]
        == "n.py  new file +1"
    )
    assert shown(
        d.ListingDisplay(".", (d.Entry("src", "folder"), d.Entry("a.py", "file", 4100)), 5)
    ) == [
        "src/",
        "a.py  4.1 kB",
        "of 5 in all",
    ]
    assert shown(d.ListingDisplay(".", ())) == ["empty"]
    assert shown(
        d.MatchesDisplay(
            "x", (d.Match("a", 3, "x1"), d.Match("a", 40, "x2"), d.Match("b", 1, "x")), 9
        )
    ) == [
        "a",
        "    3  x1",
        "   40  x2",
        "",
        "b",
        "    1  x",
        "of 9 matches in all",
    ]
    assert shown(d.CommandDisplay("a\nb", "/w", "out\n", 3)) == [
        "$ a",
        "  b",
        "in /w",
        "out",
        "exit code 3",
    ]
    assert shown(d.TableDisplay(("a", "b"), (("1", "2"),))) == ["a │ b", "──┼──", "1 │ 2"]
    assert shown(
        d.TodoDisplay((d.TodoItem("x"), d.TodoItem("y", "active"), d.TodoItem("z", "done")))
    ) == [
        "☐ x",
        "▸ y",
        "☑ z",
    ]
    asked = d.AskedQuestion("Q?", ("yes", "no"), ("no",))
    assert shown(d.QuestionDisplay((asked,))) == ["Q?", "  1. yes", "▸ 2. no"]
    assert shown(d.PlanDisplay("1. do")) == ["1. do"]
    assert shown(d.ImageDisplay("a.png", 3, 4)) == ["▣ a.png  3×4"]
    assert shown(d.AgentsDisplay((d.AgentStatus("a", "look", "running"),))) == ["a  running  look"]


def test_space_between_blocks() -> None:
    text, one, two = TextBlock("a"), tool(), tool()
    assert gap(None, text) == 0
    assert gap(UserBlock("a"), text) == 1
    assert gap(one, two) == 0
    assert gap(one, two, unfolded=True) == 1
    assert gap(ThinkingBlock("a"), one) == 0
    assert gap(one, tool(DIFF)) == gap(tool(DIFF), one) == 1
    assert gap(text, one) == gap(one, text) == 1
    assert gap(text, TextBlock("x\n", lead="```py\n")) == 0


def test_numbers_in_words() -> None:
    assert [wording.duration(ms) for ms in (0, 999, 4200, 9960, 61_000, 120_000, 3_900_000)] == [
        "0 ms",
        "999 ms",
        "4.2 s",
        "10 s",
        "1 min 1 s",
        "2 min",
        "1 h 5 min",
    ]
    written = ((1, False), (312, True), (1234, False), (123_456, True), (1_234_567, False))
    assert [wording.written_tokens(n, e) for n, e in written] == [
        "1 token out",
        "≈ 312 tokens out",
        "1.2k tokens out",
        "≈ 123k tokens out",
        "1.2M tokens out",
    ]
    assert [wording.size(n) for n in (5, 4100, 12_000_000)] == ["5 B", "4.1 kB", "12 MB"]
    assert wording.elapsed_time(65.9) == "1 min 5 s"


texts = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["a", "漢", "\n", "\x1b[2J", "\r", "\t", "[b]", "\u202e", "`", "word ", "\ud800"]
        )
    ).map("".join),
)
displays = st.one_of(
    texts.map(d.TextDisplay),
    texts.map(d.MarkdownDisplay),
    texts.map(d.PlanDisplay),
    st.builds(d.CodeDisplay, texts, texts, texts, st.integers(1, 10**6), st.integers(0, 10**7)),
    st.builds(
        d.DiffDisplay,
        texts,
        st.lists(
            st.builds(
                d.Hunk, st.integers(0, 9**5), st.integers(0, 9**5), st.lists(texts).map(tuple)
            )
        ).map(tuple),
    ),
    st.builds(
        d.ListingDisplay, texts, st.lists(st.builds(d.Entry, texts)).map(tuple), st.integers(0, 99)
    ),
    st.builds(
        d.MatchesDisplay,
        texts,
        st.lists(st.builds(d.Match, texts, st.integers(), texts)).map(tuple),
    ),
    st.builds(
        d.CommandDisplay, texts, texts, texts, st.none() | st.integers(-64, 255), st.booleans()
    ),
    st.builds(
        d.TableDisplay, st.lists(texts).map(tuple), st.lists(st.lists(texts).map(tuple)).map(tuple)
    ),
    st.builds(d.TodoDisplay, st.lists(st.builds(d.TodoItem, texts)).map(tuple)),
    st.builds(
        d.AskedQuestion,
        texts,
        st.lists(texts).map(tuple),
        st.lists(texts).map(tuple),
        st.booleans(),
    ).map(lambda asked: d.QuestionDisplay((asked, asked))),
    st.builds(d.ImageDisplay, texts, st.integers(0, 9**5)),
    st.builds(d.AgentsDisplay, st.lists(st.builds(d.AgentStatus, texts, texts, texts)).map(tuple)),
)
states = st.sampled_from(["asking", "running", "done", "failed", "cancelled"])
blocks = st.one_of(
    st.builds(UserBlock, texts, st.just(0.0), texts, texts, st.booleans()),
    st.builds(TextBlock, texts, st.sampled_from(["", "```py\n", "| a |\n|---|\n"])),
    st.builds(ThinkingBlock, texts, st.integers(0, 99), st.integers(0, 10**7), st.booleans()),
    st.builds(
        ToolBlock,
        texts,
        texts,
        texts,
        states,
        st.floats(0, 1e9),
        st.integers(0, 10**8),
        texts,
        texts,
        st.none() | displays,
        texts,
    ),
    st.builds(CallBlock, texts, texts.map(ArgumentStream().feed)),
    st.builds(NoticeBlock, st.sampled_from(["info", "warning", "error"]), texts, texts),
    st.builds(DividerBlock, texts),
)


@settings(max_examples=examples(300), deadline=None)
@given(blocks, st.integers(1, 90), st.booleans())
def test_any_block_fits_and_is_harmless(block: Block, width: int, open: bool) -> None:
    for line in block_lines(block, width, open, 1e9, cell_len):
        assert sum(cell_len(s.text) for s in line.segments) <= width, line.text
        assert not HARMFUL.search(line.text), repr(line.text)
        assert all(set(s.style.split()) <= set(STYLES) for s in line.segments)
        assert not line.fill or line.fill in STYLES
    assert lines_of(*extent(block, open), width) >= 1
