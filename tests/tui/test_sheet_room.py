"""Sheets and what is behind them: nothing of it shows through or beside, and nothing is said twice."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot

from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.ops import Op, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.app import AgentApp
from agent_tui.tui.regions import BROADEST, LEAST_BESIDE, WIDEST, Option, sheet_room, sheet_width
from agent_tui.tui.widgets.dialog import options_lines
from agent_tui.tui.widgets.overlay import noted
from agent_tui.tui.widgets.paint import fitted
from tests.tui.stage import SESSION, PlayedEngine, hold, play, text, until

LONG = "\n\n".join(f"paragraph {n} of an answer that fills its lines from the left to the right" for n in range(60))
CODE = "A first answer.\n\n```python\na = 1\n\n\nb = 2\nc = 3\n```\n\nAnd its end."


def long_answers(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text, op.queue_id)
        engine.answer(LONG if op.text == "long" else CODE)
        engine.end()


ROOMY = WIDEST + 2 * LEAST_BESIDE


@pytest.mark.parametrize("width", [40, 80, WIDEST + 2, 100, ROOMY - 1, ROOMY, 160, 200])
def test_beside_a_sheet_there_is_room_for_text_or_none_at_all(width: int) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"long", "enter")
        await until(lambda: "paragraph 59" in text(app))
        await pilot.press("f1")
        await until(lambda: "Keys and commands" in text(app))
        sheet = app.regions.overlay.region
        left, right = sheet.x, width - sheet.right
        assert abs(left - right) <= 1
        assert (left == right == 0) if width < ROOMY else (min(left, right) >= LEAST_BESIDE)
        rows = text(app).split("\n")[sheet.y : sheet.bottom]
        assert width >= ROOMY or all(row[0] == row[-1] == " " and row[1] in "╭│╰" for row in rows)

    play(PlayedEngine(long_answers), steps, size=(width, 30))


def test_a_list_is_broader_than_a_text() -> None:
    assert [sheet_width(screen) for screen in (1, 60, ROOMY - 1, ROOMY, 200)] == [1, 60, ROOMY - 1, WIDEST, WIDEST]
    lists = {screen: sheet_width(screen, True) for screen in (60, ROOMY - 1, ROOMY, 120, 160, 200)}
    assert lists == {60: 60, ROOMY - 1: ROOMY - 1, ROOMY: WIDEST, 120: 104, 160: BROADEST, 200: BROADEST}
    assert (sheet_room(100, True), sheet_room(160, True), sheet_room(160)) == (94, BROADEST - 4, WIDEST - 4)


def test_a_hundred_and_sixty_columns_show_what_the_commands_do() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("f1")
        await until(lambda: "Keys and commands" in text(app))
        sheet = app.regions.overlay.region
        rows = [row[sheet.x : sheet.right] for row in text(app).split("\n")[sheet.y : sheet.bottom]]
        assert not [row for row in rows if "…" in row]
        assert len(rows) > 20 and sheet.width == BROADEST
        await pilot.press("escape")
        await until(lambda: "Keys and commands" not in text(app))
        await pilot.press(*"/mode", "enter")
        await until(lambda: "asks before everything" in text(app))
        assert app.regions.overlay.region.width == WIDEST, "few words need no broad sheet"

    play(PlayedEngine(long_answers), steps, size=(160, 40))


def test_a_name_in_wide_letters_leaves_room_for_the_words_behind_it() -> None:
    options = [Option("1", "说明一下这个函数的作用" * 9, "at the next step"), Option("2", "short", "next")]
    for width in (60, 93, 94):
        rows = ["".join(run.text for run in row) for row in options_lines(options, 0, width, True)]
        assert all(cell_len(row) == width for row in rows)
        assert rows[0].rstrip().endswith("…  at the next step")
        assert rows[1].rstrip().endswith("  next")
    assert fitted([Option("", "n" * 99)], 40) == [Option("", "n" * 99)], "alone it has the line to itself"


def test_the_lower_border_is_whole_however_much_it_says() -> None:
    said = "↑↓ PgUp PgDn scroll · Enter expands it · Esc closes"
    assert noted(said, 80) == said
    assert [noted(said, room) for room in (50, 20, 4)] == [
        "Enter expands it · Esc closes", "Esc closes", "Esc…",
    ]  # fmt: skip

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.post_message(events.Paste("\n".join(f"line {n} " for n in range(60))))
        await until(lambda: "Pasted" in text(app))
        await pilot.press("f4")
        await until(lambda: "line 3 " in text(app))
        sheet = app.regions.overlay.region
        last = text(app).split("\n")[sheet.bottom - 1]
        assert last.strip()[0] == "╰" and last.strip()[-1] == "╯" and "Esc closes" in last

    play(PlayedEngine(long_answers), steps, size=(60, 20))


def test_what_came_below_is_not_told_through_a_sheet() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press(*"long", "enter")
        await until(lambda: "paragraph 59" in text(app))
        await pilot.press("ctrl+home")
        await until(lambda: " ↓ " in text(app))
        await pilot.press(*"/copy", "enter")
        await until(lambda: "❯ 1 answer 1" in text(app))
        assert app.regions.overlay.region.bottom < app.regions.transcript.region.bottom, "its last line is in view"
        assert " ↓ " not in text(app)
        await pilot.press("escape")
        await until(lambda: "1 answer 1" not in text(app) and " ↓ " in text(app))

    play(PlayedEngine(long_answers), steps, size=(100, 40))


def test_the_queue_stands_once() -> None:
    engine = PlayedEngine(hold)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: any(isinstance(op, Submit) for op in engine.asked()))
        engine.say(QueueChanged(session=SESSION, items=(Queued("a", "later"), Queued("b", "last"))))
        await until(lambda: text(app).count("queued (2)") == 2)
        assert text(app).count("later") == 1
        await pilot.press("alt+q")
        await until(lambda: "Queued prompts (2)" in text(app))
        assert (text(app).count("queued (2)"), text(app).count("later"), text(app).count("last")) == (0, 1, 1)
        await pilot.press("alt+q")
        await until(lambda: text(app).count("queued (2)") == 2)

    play(engine, steps, size=(100, 30))


def test_the_list_of_what_can_be_copied_has_no_empty_rows_and_stays_where_it_is() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press(*"/copy", "enter")
        await until(lambda: "❯ 1 answer 1" in text(app))
        rows = text(app).split("\n")
        place = next(number for number, row in enumerate(rows) if "answer 1" in row)
        assert [row for row in rows if row.strip(" │") == "" and "│" in row][1:] == [], "one is between list and text"
        await pilot.press("down")
        await until(lambda: "❯ a code 1" in text(app))
        rows = text(app).split("\n")
        assert "answer 1" in rows[place]
        assert [row.strip(" │") for row in rows[place + 3 : place + 6]] == ["a = 1", "b = 2", "c = 3"]

    play(PlayedEngine(long_answers), steps, size=(90, 30))


@pytest.mark.parametrize("size", [(80, 24), (100, 40), (40, 14)], ids=str)
def test_no_row_of_a_list_is_empty_but_the_one_before_the_words_about_an_entry(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press("f1", *"transcript")
        await until(lambda: "search: transcript" in text(app))
        where = set()
        for _ in range(3):
            sheet = app.regions.overlay.region
            rows = [row[sheet.x : sheet.right].strip("│ ") for row in text(app).split("\n")[sheet.y : sheet.bottom]]
            assert rows.count("") <= 1 and rows[2], rows
            where.add((sheet.y, rows.index("search: transcript▏")))
            await pilot.press("down")
            await pilot.pause()
        assert len(where) == 1, "it stays where it is while the cursor moves"

    play(PlayedEngine(long_answers), steps, size=size)
