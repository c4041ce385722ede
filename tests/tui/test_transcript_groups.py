"""Groups on the screen: folded to a line, opened by a click, and never hiding what is open."""

from __future__ import annotations

from dataclasses import replace

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, rows_of, run


def read(name: str, state: str = "done") -> ToolBlock:
    return ToolBlock(
        name, "read_file", f"Read {name}", state, display=d.CodeDisplay("x = 1\n", name)
    )  # type: ignore[arg-type]


ROWS: Vec[Block] = Vec(
    [
        UserBlock("look"),
        ThinkingBlock("so", 2, 900),
        read("a.py"),
        read("b.py"),
        ThinkingBlock("hm", 2, 900),
        read("c.py"),
        TextBlock("Found."),
    ]
)
FOLDED = ["❯ look", "", "∴ thought for 900 ms", "⚙ Read 3 files  a.py, b.py, c.py", "", "  Found."]
UNFOLDED = [
    "❯ look",
    "",
    "∴ thought for 900 ms",
    "⚙ Read 3 files",
    "⚙ Read a.py  1 line",
    "⚙ Read b.py  1 line",
    "",
    "∴ thought for 900 ms",
    "⚙ Read c.py  1 line",
    "",
    "  Found.",
]


def text(transcript: Transcript) -> list[str]:
    rows = rows_of(transcript)
    while rows and not rows[-1]:
        rows.pop()
    return rows


def test_a_click_on_its_line_opens_the_group_and_another_closes_it() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        assert text(transcript) == FOLDED
        await pilot.click(Transcript, offset=(5, 3))
        assert app.said == [("toggled", 2)]
        transcript.apply(replace(app.view, groups=frozenset({2})))
        assert text(transcript) == UNFOLDED
        transcript.apply(app.view)
        assert text(transcript) == FOLDED

    run(TranscriptView(ROWS, ()), journey)


def test_a_row_that_is_open_is_seen_in_a_folded_group() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        app.transcript.apply(replace(app.view, exceptions=frozenset({3})))
        assert text(app.transcript)[3:] == [
            "⚙ Read 3 files  a.py, b.py, c.py",
            "",
            "⚙ Read b.py  1 line",
            "  1  x = 1",
            "",
            "  Found.",
        ]
        app.transcript.apply(replace(app.view, exceptions=frozenset({2})))
        assert text(app.transcript)[3:] == [
            "",
            "⚙ Read 3 files  a.py, b.py, c.py",
            "",
            "⚙ Read a.py  1 line",
            "  1  x = 1",
            "",
            "  Found.",
        ]

    run(TranscriptView(ROWS, ()), journey)


def test_opening_all_opens_groups_too() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        app.transcript.apply(replace(app.view, expanded=True))
        shown = text(app.transcript)
        assert shown.count("  1  x = 1") == 3
        assert "⚙ Read 3 files" in shown

    run(TranscriptView(ROWS, ()), journey, size=(60, 40))


def test_what_runs_is_seen_until_it_is_done() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        rows = ROWS.truncate(4).append(read("d.py", "running"))
        app.transcript.apply(replace(app.view, rows=rows))
        assert text(app.transcript)[3:] == ["⚙ Read 2 files  a.py, b.py", "⚙ Read d.py  running"]
        app.transcript.apply(replace(app.view, rows=rows.set(4, read("d.py"))))
        assert text(app.transcript)[3:] == ["⚙ Read 3 files  a.py, b.py, d.py"]
        app.transcript.apply(replace(app.view, rows=rows.set(4, read("d.py", "failed"))))
        assert text(app.transcript)[3:5] == ["⚙ Read 2 files  a.py, b.py", ""]
        assert text(app.transcript)[5].startswith("⚙ Read d.py  ✗ failed")

    run(TranscriptView(ROWS, ()), journey)


def test_thinking_that_is_hidden_leaves_no_gap() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        live = (ThinkingBlock("now", 3, live=True), TextBlock("And"))
        view = replace(app.view, rows=ROWS, live=live)
        app.transcript.apply(view)
        assert text(app.transcript)[-4:] == ["∴ thinking", "  now", "", "  And"]
        app.transcript.apply(replace(view, look=Look(thinking="folded")))
        assert text(app.transcript)[-4:] == ["", "∴ thinking", "", "  And"]
        app.transcript.apply(replace(view, look=Look(thinking="hidden")))
        assert text(app.transcript) == [
            "❯ look",
            "",
            "⚙ Read 3 files  a.py, b.py, c.py",
            "",
            "  Found.",
            "",
            "  And",
        ]

    run(TranscriptView(ROWS, ()), journey)


def test_a_copy_over_a_folded_group_takes_its_line() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        copied = app.transcript.get_selection(Selection(Offset(0, 0), Offset(8, 5)))
        assert copied is not None
        assert [line for line in copied[0].split("\n") if line] == [
            "look",
            "∴ thought for 900 ms",
            "Read 3 files  a.py, b.py, c.py",
            "Found.",
        ]

    run(TranscriptView(ROWS, ()), journey)


def test_the_page_stays_where_it_is_when_a_group_above_folds() -> None:
    rows = Vec[Block](
        [*(read(f"{n}.py") for n in range(30)), *(TextBlock(f"words {n}") for n in range(60))]
    )

    async def journey(app: Screen, _: Pilot[None]) -> None:
        view = replace(app.view, groups=frozenset({0}))
        app.transcript.apply(view)
        app.transcript.scroll_view("page_up")
        before = rows_of(app.transcript)
        app.transcript.apply(replace(view, groups=frozenset()))
        assert rows_of(app.transcript) == before
        app.transcript.scroll_view("top")
        assert rows_of(app.transcript)[:3] == [
            "⚙ Read 30 files  0.py, 1.py, 2.py, 3.py, 4.py, 5.py, 6.py…",
            "",
            "  words 0",
        ]

    run(TranscriptView(rows, ()), journey)


def test_after_any_changes_it_shows_what_a_fresh_one_shows() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        view = TranscriptView(Vec(), ())
        for n in range(90):
            view = replace(view, rows=view.rows.append(block(n)))
            if n % 13 == 12:
                view = replace(view, groups=view.groups ^ {n - 10, n - 11, n - 12})
            if n % 17 == 3:
                view = replace(view, exceptions=view.exceptions ^ {n // 2})
            if n == 40:
                view = replace(view, expanded=True)
            if n == 50:
                view = replace(
                    view, expanded=False, rows=view.rows.set(20, read("other", "failed"))
                )
            if n == 70:
                view = replace(view, rows=view.rows.truncate(60), look=Look(thinking="hidden"))
            app.transcript.apply(view)
        app.transcript.scroll_view("end")
        incremental = rows_of(app.transcript)
        fresh = Transcript()
        await app.mount(fresh, after=app.transcript)
        await app.transcript.remove()
        fresh.apply(view)
        fresh.on_resize()
        assert rows_of(fresh) == incremental

    def block(n: int) -> Block:
        if n % 7 == 3:
            return ThinkingBlock("so", 2, 9)
        return (
            TextBlock(f"words {n}")
            if n % 11 == 10
            else read(f"{n}.py", "running" if n % 5 == 4 else "done")
        )

    run(TranscriptView(Vec(), ()), journey, size=(60, 60))
