"""A question in a small terminal: every answer is named, or how it is seen; and all that is asked
can be read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.events import ApprovalAsked, Event, QuestionAsked, QueueChanged
from agent_tui.protocol.ops import Op, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import AskedShown, Resized
from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.dialog.layout import answers, grid_lines, packed_lines
from agent_tui.tui.dialog.widget import roomy_parts
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.screen.key_guards import BURST_SECONDS
from tests.tui.play import Play
from tests.tui.stage import SESSION, PlayedEngine, play, text, until

DIFF = DiffDisplay("a.py", (Hunk(0, 1, tuple(f"+line {n}" for n in range(60))),), 60)
ASKED = ApprovalAsked(
    session=SESSION,
    id="q",
    call_id="c",
    tool="t",
    label="Create a.py",
    reason="the mode asks",
    always="it",
    mode="accept-edits",
    display=DIFF,
)
WORDS = [f"w{number:02}" for number in range(24)]
STUCK = QuestionAsked(
    session=SESSION, id="q", kind="stuck", text=" ".join(WORDS), options=("stop", "continue", "say")
)
KEYS = "yaenm"
ANSWERS = (
    Option("y", "yes, once"), Option("a", "always here", short="always"),
    Option("e", "yes, and accept edits", short="yes, accept edits"), Option("n", "no"),
    Option("m", "no, and say why", short="no, say why"),
)  # fmt: skip


def asking(event: Event) -> PlayedEngine:
    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, Submit):
            engine.begin(op.text)
            engine.say(event)

    return PlayedEngine(react)


def said(app: AgentApp) -> str:
    """The lines of the question."""
    region = app.regions.dialog.region
    return "\n".join(text(app).split("\n")[region.y : region.bottom])


@pytest.mark.parametrize("size", [(40, 12), (60, 14), (36, 13), (80, 14), (40, 20)], ids=str)
def test_every_answer_is_named_below_what_is_asked(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        shown = said(app)
        assert [key for key in KEYS if not re.search(rf" {key}(, Enter)? ", shown)] == [], shown
        assert "say why" in shown and "accept edits" in shown and "Create a.py" in shown
        assert app.regions.dialog.part[0] >= 3

    play(asking(ASKED), steps, size=size)


@pytest.mark.parametrize("width", range(20, 100))
@pytest.mark.parametrize("chosen", range(len(ANSWERS)))
def test_the_marker_stands_apart_from_the_answer_before_it(width: int, chosen: int) -> None:
    value = DialogView("Create a.py", "", None, ANSWERS, chosen)
    for row in (*answers(value, width, 3, 9), *packed_lines(ANSWERS, chosen, width)):
        words = "".join(part.text for part in row)
        assert len(words) == width and (
            "❯" not in words or f" {words}".partition("❯")[0].endswith(" ")
        ), words


@pytest.mark.parametrize("size", [(24, 8), (30, 10), (32, 9)], ids=str)
def test_where_there_is_no_room_for_all_the_way_to_them_is_named(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        for key in KEYS:
            for _ in range(20):  # one that comes too soon moves nothing
                if f"❯ {key} " in said(app):
                    break
                await pilot.press("down")
                await pilot.pause(BURST_SECONDS)
            assert f"❯ {key} " in said(app) and "↑↓" in said(app), said(app)
            assert app.regions.dialog.part[0] >= 1

    play(asking(ASKED), steps, size=size)


@pytest.mark.parametrize("width", range(12, 90))
@pytest.mark.parametrize("room", [2, 4, 6, 9])
def test_answers_leave_their_place_to_what_is_asked(width: int, room: int) -> None:
    for chosen in range(len(ANSWERS)):
        rows = answers(DialogView("t", "r", DIFF, ANSWERS, chosen), width, room, 60)
        assert 1 <= len(rows) <= max(1, room // 3)
        assert all(sum(len(one.text) for one in row) == width for row in rows)


@pytest.mark.parametrize("size", [(24, 8), (30, 10), (40, 12), (60, 14), (80, 24)], ids=str)
def test_the_words_of_a_question_can_be_read_to_their_end(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "s stop" in text(app) or "s/1 stop" in text(app))
        await pilot.pause()
        seen, before = said(app), ""
        while before != said(app):
            before = said(app)
            await pilot.press("pagedown")
            await pilot.pause()
            seen += said(app)
        assert [word for word in WORDS if word not in seen] == []
        assert WORDS[-1] in before
        for _ in WORDS:
            await pilot.press("pageup")
        await pilot.pause()
        assert WORDS[0] in said(app)

    play(asking(STUCK), steps, size=size)


@pytest.mark.parametrize(
    ("width", "part", "named"),
    [
        (80, (5, 5), ("↑↓", "Tab")),
        (80, (5, 9), ("PgUp/PgDn", "↑↓", "Tab")),
        (24, (1, 9), ("PgDn", "↑↓", "Tab")),
        (40, (4, 9), ("PgDn", "↑↓", "Tab")),
        (40, (5, 5), ("↑↓", "Tab")),
    ],
)
def test_the_footer_names_what_scrolls_where_something_does_before_what_is_seen(
    width: int, part: tuple[int, int], named: tuple[str, ...]
) -> None:
    """A key that nothing on the screen is about has the place."""
    asked = Play()
    asked.begin()
    asked.say(Resized(width, 24))
    asked.feed(replace(ASKED, session="s"))
    keys = asked.say(AskedShown("q", *part)).footer.keys
    assert tuple(key for key, _ in keys[1:]) == named


def test_the_answers_stand_side_by_side_as_soon_as_what_is_asked_about_does_not_fit_beside_them() -> (
    None
):
    words = ("yes", "always", "no", "no, and say why")
    value = DialogView(
        "Allow this?", "", None, tuple(Option(word[0], word, f"about {word}") for word in words), 0
    )
    assert roomy_parts(value, (), 10, 60, 20) is not None
    assert roomy_parts(value, (), 30, 60, 20) is None, "the rows are for what has to be read"


def test_answers_in_several_rows_stand_below_each_other() -> None:
    rows = ["".join(part.text for part in row).rstrip() for row in grid_lines(ANSWERS, 0, 56)]
    assert rows == [
        "❯ y yes, once     a always   e yes, accept edits   n no",
        "  m no, say why",
    ]

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        shown = said(app).split("\n")
        starts = {row.index(key) for row in shown for key in ("y yes, once", "n no") if key in row}
        assert len(starts) == 1, "\n".join(shown)

    play(asking(ASKED), steps, size=(60, 20))


@pytest.mark.parametrize("size", [(20, 5), (24, 6), (24, 7), (30, 8), (30, 9), (40, 12)], ids=str)
@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("draft", ["", "words that are longer than a line", "!make everything now"])
def test_the_prompt_and_the_marked_answer_are_seen_however_many_prompts_are_queued(
    size: tuple[int, int], asks: bool, draft: str
) -> None:
    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, Submit):
            engine.begin(op.text)
            waiting = tuple(Queued(str(n), f"queued prompt {n}") for n in range(6))
            engine.say(QueueChanged(waiting, False, session=SESSION))
            if asks:
                engine.say(ASKED)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: len(app.model.queue) == 6 and (app.model.dialog is not None) is asks)
        await pilot.press(
            *(key if key.isalpha() else {" ": "space"}.get(key, key) for key in draft)
        )
        await pilot.pause(0.1)
        assert app.regions.prompt.region.bottom <= size[1], text(app)
        row = text(app).split("\n")[app.regions.prompt.region.y].strip("❯ ")
        assert not draft or (row and row.split()[0] in draft), text(app)
        assert not asks or re.search(r"❯ (y|Alt\+Y) ", said(app)), text(app)

    play(PlayedEngine(react), steps, size=size)
