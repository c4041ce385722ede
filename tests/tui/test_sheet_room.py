"""Sheets and what is behind them: nothing of it shows through or beside, and nothing is said twice."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot

from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.ops import Op, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.regions import (
    DIVIDER,
    LEAST_BESIDE,
    WIDEST,
    Option,
    list_room,
    preview_room,
    sheet_room,
)
from agent_tui.tui.dialog.widget import options_lines
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.paint import fit_options
from agent_tui.tui.widgets.sheet import fit_note
from tests.tui.stage import SESSION, PlayedEngine, hold, play, text, until

LONG = "\n\n".join(
    f"paragraph {n} of an answer that fills its lines from the left to the right" for n in range(60)
)
CODE = "A first answer.\n\n```python\na = 1\n\n\nb = 2\nc = 3\n```\n\nAnd its end."


def long_answers(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text, op.queue_id)
        engine.answer(LONG if op.text == "long" else CODE)
        engine.end()


@pytest.mark.parametrize("size", [(40, 14), (60, 20), (100, 30), (160, 48), (200, 50)], ids=str)
def test_a_sheet_stands_above_the_prompt_over_the_full_width(size: tuple[int, int]) -> None:
    width, height = size

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"long", "enter")
        await until(lambda: "paragraph 59" in text(app))
        for keys, title in ((("f1",), "Keys and commands"), ((*"/mode", "enter"), "Modes")):
            await pilot.press(*keys)
            await until(lambda title=title: f"─ {title} " in text(app))  # type: ignore[misc]
            await pilot.pause()
            sheet, rows = app.regions.overlay.region, text(app).split("\n")
            assert (sheet.x, sheet.width) == (0, width)
            between = rows[sheet.bottom : app.regions.box.region.y]
            assert len(between) <= 1 and not "".join(between).strip(), (
                "nothing but what runs is between"
            )
            assert rows[sheet.y].startswith(f" ─ {title} "), "one edge, where the prompt's begins"
            last = [row for row in rows[1 : sheet.y] if row.strip()]
            kept = app.regions.transcript.region.height
            assert kept >= (3 if height >= 24 else 1), "some lines of the transcript stay"
            assert "paragraph 59" in "".join(last) or "40 ms" in "".join(last), "its last ones"
            await pilot.press("escape")
            await until(lambda title=title: title not in text(app))  # type: ignore[misc]

    play(PlayedEngine(long_answers), steps, size=size)


def test_a_text_is_no_wider_than_one_reads_and_a_list_has_it_all() -> None:
    assert [sheet_room(screen) for screen in (60, 90, 100, 200)] == [54, 84, WIDEST, WIDEST]
    assert [sheet_room(screen, True) for screen in (60, 100, 160)] == [54, 94, 154]
    assert [preview_room(screen) for screen in (60, LEAST_BESIDE - 1)] == [0, 0]
    for screen in (LEAST_BESIDE, 160, 200):
        assert list_room(screen) + DIVIDER + preview_room(screen) == sheet_room(screen, True)
        assert list_room(screen) > preview_room(screen) > 30


def test_a_hundred_and_sixty_columns_show_what_the_commands_do() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("f1")
        await until(lambda: "Keys and commands" in text(app))
        sheet = app.regions.overlay.region
        rows = text(app).split("\n")[sheet.y : sheet.bottom]
        assert len(rows) > 20 and not [row for row in rows if "…" in row]

    play(PlayedEngine(long_answers), steps, size=(160, 40))


@pytest.mark.parametrize(
    ("width", "beside"), [(LEAST_BESIDE - 1, False), (LEAST_BESIDE, True), (160, True)]
)
def test_a_preview_stands_beside_its_list_where_there_is_room(width: int, beside: bool) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press(*"/copy", "enter")
        await until(lambda: "❯ 1 answer 1" in text(app))
        await pilot.press("down")
        await until(lambda: "❯ a code 1" in text(app))
        sheet = app.regions.overlay.region
        rows = text(app).split("\n")[sheet.y : sheet.bottom]
        assert any("│ a = 1" in row for row in rows) == beside and any(
            "a = 1" in row for row in rows
        ), rows
        assert [row.strip() for row in rows if row.strip() == "c = 3"] == ["c = 3"] * (
            not beside
        ), "below the list"
        await pilot.click(app.regions.overlay, offset=(10, 1))
        await until(lambda: "❯ 1 answer 1" in text(app))

    play(PlayedEngine(long_answers), steps, size=(width, 30))


def test_a_name_in_wide_letters_leaves_room_for_the_words_behind_it() -> None:
    options = [
        Option("1", "说明一下这个函数的作用" * 9, "at the next step"),
        Option("2", "short", "next"),
    ]
    for width in (60, 93, 94):
        rows = ["".join(run.text for run in row) for row in options_lines(options, 0, width, True)]
        assert all(cell_len(row) == width for row in rows)
        assert rows[0].rstrip().endswith("…  at the next step")
        assert rows[1].rstrip().endswith("  next")
    assert fit_options([Option("", "n" * 99)], 40) == [Option("", "n" * 99)], (
        "alone it has the line to itself"
    )


def test_the_edge_is_whole_however_much_it_says() -> None:
    said = "1–9 of 60 · PgUp/PgDn · 1–2 of 5"
    assert fit_note(said, 80) == said
    assert [fit_note(said, room) for room in (25, 10, 4)] == [
        "PgUp/PgDn · 1–2 of 5",
        "1–2 of 5",
        "1–2…",
    ]

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.post_message(events.Paste("\n".join(f"line {n} " for n in range(60))))
        await until(lambda: "Pasted" in text(app))
        await pilot.press("f4")
        await until(lambda: "line 3 " in text(app))
        edge = text(app).split("\n")[app.regions.overlay.region.y]
        assert (
            edge.startswith(" ─ ")
            and edge.endswith("─ ")
            and " of 6" in edge
            and "↑↓ PgUp/PgDn" in edge
        )

    play(PlayedEngine(long_answers), steps, size=(60, 20))


def test_keys_that_scroll_are_named_only_where_there_is_more() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.post_message(events.Paste("\n".join(f"line {n} " for n in range(9))))
        await until(lambda: "Pasted" in text(app))
        await pilot.press("f4")
        await until(lambda: "line 8 " in text(app) and "Esc close" in text(app))
        assert "PgUp" not in text(app) and "scroll" not in text(app)

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
        await until(lambda: text(app).count("queued (2)") == 1)
        assert text(app).count("later") == 1
        await pilot.press("alt+q")
        await until(lambda: "Queued prompts (2)" in text(app))
        assert (
            text(app).count("queued (2)"),
            text(app).count("later"),
            text(app).count("last"),
        ) == (0, 1, 1)
        await pilot.press("alt+q")
        await until(lambda: text(app).count("queued (2)") == 1)

    play(engine, steps, size=(100, 30))


def test_the_list_of_what_can_be_copied_has_no_empty_rows_and_stays_where_it_is() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press(*"/copy", "enter")
        await until(lambda: "❯ 1 answer 1" in text(app))
        rows = text(app).split("\n")
        place = next(number for number, row in enumerate(rows) if "answer 1" in row)
        sheet = app.regions.overlay.region
        inside = (
            "\n".join(row.strip() for row in rows[sheet.y : sheet.bottom]).strip("\n").split("\n")
        )
        assert inside.count("") == 1, "one is between list and text"
        await pilot.press("down")
        await until(lambda: "❯ a code 1" in text(app))
        rows = text(app).split("\n")
        assert "answer 1" in rows[place]
        assert [row.strip(" │") for row in rows[place + 3 : place + 6]] == [
            "a = 1",
            "b = 2",
            "c = 3",
        ]

    play(PlayedEngine(long_answers), steps, size=(90, 30))


@pytest.mark.parametrize("size", [(80, 24), (100, 40), (40, 14)], ids=str)
def test_no_row_of_a_list_is_empty_but_the_one_before_the_words_about_an_entry(
    size: tuple[int, int],
) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "And its end." in text(app))
        await pilot.press("f1", *"transcript")
        await until(lambda: "search: transcript" in text(app))
        where = set()
        for _ in range(3):
            sheet = app.regions.overlay.region
            rows = [row.strip() for row in text(app).split("\n")[sheet.y : sheet.bottom]]
            assert "\n".join(rows).rstrip("\n").split("\n").count("") <= 1 and rows[2], rows
            where.add((sheet.y, rows.index("search: transcript▏")))
            await pilot.press("down")
            await pilot.pause()
        assert len(where) == 1, "it stays where it is while the cursor moves"

    play(PlayedEngine(long_answers), steps, size=size)


TITLES = (
    (
        "Fix the flaky login test and make the retry policy configurable",
        "2 h ago · 12 turns · a fork",
    ),
    ("Short one", "open now · 3 min ago · 2 turns"),
)


@pytest.mark.parametrize(("screen", "least"), [(80, 43), (100, 29), (160, 63)])
def test_a_title_takes_the_room_of_what_is_said_last_behind_it(screen: int, least: int) -> None:
    options = [Option("", title, detail) for title, detail in TITLES]
    rows = [
        "".join(run.text for run in row)
        for row in options_lines(options, 0, list_room(screen), True)
    ]
    title, _, detail = rows[0].removeprefix("❯ ").partition("  ")
    assert cell_len(title) >= least or title == TITLES[0][0], rows
    assert "2 h ago · 12 turns" in detail and "open now · 3 min ago" in rows[1]
