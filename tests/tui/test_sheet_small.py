"""Sheets in a small terminal: their words scroll, no row stays blank, and choices that have no room
are told of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot

from agent_tui.protocol.event import Event
from agent_tui.protocol.ops import Op
from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.regions import Option, OverlayView, Span
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.sheets import cursor, opening
from agent_tui.tui.view import view
from tests.answers import answer_event
from tests.tui.gallery import SHEETS
from tests.tui.setup_play import OFFERS
from tests.tui.stage import SESSION, PlayedEngine, play, text, until
from tests.tui.story import Unheard

WORDS = [f"word{number}" for number in range(1, 40)]
TRIED = {"tried": [{"what": "Server", "result": " ".join(WORDS)}], "variables": ["OPENAI_API_KEY"]}
CHOICES = ("set up a provider", "enter a server", "look again", "the demo", "quit")


def answered(kind: str, data: object, id: str = "start") -> Event:
    return answer_event(id, kind, data, session=SESSION)


def sets_up(engine: PlayedEngine, op: Op) -> None:
    """No step works, and the reason is a long one."""
    if isinstance(op, SetUp) and op.step == "look":
        engine.say(
            answered("setup", {"offers": OFFERS, "looking": False, "keyring": False}, "setup")
        )
    if isinstance(op, SetUp) and op.step == "ask":
        why = {
            "state": "failed",
            "provider": op.provider,
            "kind": "unreachable",
            "said": " ".join(WORDS),
        }
        engine.say(answered("setup_step", {**why, "hint": "the very end"}, op.id))


class NoModels(PlayedEngine):
    """Nothing that was tried has a model."""

    def start(self, wake: Callable[[], None]) -> None:
        super().start(wake)
        self.say(answered("models", TRIED))


def without_models() -> PlayedEngine:
    return NoModels(sets_up, model="")


async def read(pilot: Pilot[int], app: AgentApp, last: str, key: str = "pagedown") -> str:
    """All that is shown on the way to `last`."""
    said = text(app)
    for _ in range(30):
        if last in text(app):
            break
        before = app.model.overlay
        await pilot.press(key)
        await until(lambda before=before: app.model.overlay is not before)  # type: ignore[misc]
        await pilot.pause()
        said += text(app)
    assert last in text(app)
    return said


@pytest.mark.parametrize("size", [(60, 20), (40, 12), (40, 10)])
def test_all_that_was_tried_can_be_read(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app))
        await pilot.pause()
        assert f"{WORDS[-1]} " not in text(app) and "PgDn" in text(app)
        said = await read(pilot, app, "OPENAI_API_KEY")
        assert all(word in said for word in WORDS)
        assert "❯ k set up" in text(app), "the choices stay where they are"
        await pilot.press("pagedown")
        await read(pilot, app, "needs a model", "pageup")

    play(without_models(), steps, size)


def test_the_wheel_turns_them_too() -> None:
    engine = without_models()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app) and "1–" in text(app))
        await pilot._post_mouse_events([events.MouseScrollDown], widget=app.regions.overlay)
        await until(lambda: "─ No model yet" in text(app) and " 4–" in text(app))
        await pilot._post_mouse_events([events.MouseScrollUp], widget=app.regions.overlay)
        await until(lambda: " 1–" in text(app))
        assert app.model.composer.draft == "" and app.regions.transcript.following

    play(engine, steps, (40, 12))


def test_the_edge_says_that_it_counts_lines_where_rows_are_counted_too() -> None:
    async def steps(_: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app) and "lines 1–" in text(app))

    play(without_models(), steps, (70, 12))


def test_a_sheet_has_the_rows_that_stayed_blank_and_leaves_the_draft_its_own() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app))
        await pilot.pause()
        rows = text(app).split("\n")
        assert (
            rows[2].strip().startswith("─ No model yet")
            and rows[9].strip()
            and rows[10].strip() == "❯ Ask, or type / for commands"
        )
        for letter in "words that take two lines of the prompt":
            await pilot.press("space" if letter == " " else letter)
        await until(lambda: app.model.composer.draft.endswith("of the prompt"))
        await until(lambda: app.regions.overlay.region.bottom == 9)
        assert "❯ words that" in text(app).split("\n")[9]

    play(without_models(), steps, (40, 12))


def test_choices_without_room_are_told_of() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app))
        await pilot.pause()
        shown = text(app)
        hidden = sum(choice not in shown for choice in CHOICES)
        assert hidden and f"1–{len(CHOICES) - hidden} of {len(CHOICES)}" in shown
        await pilot.press("up")
        await until(lambda: "❯ q quit" in text(app))
        assert f"{hidden + 1}–{len(CHOICES)} of {len(CHOICES)}" in text(app)

    play(without_models(), steps, (40, 12))


def test_why_a_step_of_the_setup_failed_can_be_read() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "No model yet" in text(app))
        await pilot.press(*"/setup", "enter")
        await until(lambda: "Ollama" in text(app) and "Whose models" in text(app))
        await pilot.press("down")
        await until(lambda: "❯ Ollama" in text(app))
        await pilot.press("enter")
        await until(lambda: "try again" in text(app) and WORDS[0] in text(app))
        await pilot.pause()
        assert "the very end" not in text(app)
        said = await read(pilot, app, "the very end")
        assert all(word in said for word in WORDS) and "❯ try again" in text(app)
        await pilot.press("down")
        await until(lambda: "❯ type its address" in text(app))
        assert "the very end" in text(app), "what was read stays in view while one chooses"

    play(without_models(), steps, (40, 12))


@pytest.mark.parametrize("size", [(60, 20), (40, 12), (100, 30)])
@pytest.mark.parametrize("row", [0, 7, 19])
def test_a_question_about_a_row_stands_whole_below_it(size: tuple[int, int], row: int) -> None:
    asked = "Delete “a session with a name of some length” (0b0e1c5a, 3 min ago) for ever and ever?"
    options = tuple(Option("", f"session {number}", "just now") for number in range(20))
    head = ((Span("type to search", "dim"),),)
    sheet = OverlayView(
        "Sessions", head, options, row, list_first=True, head=1, asked=(Span(asked, "warning"),)
    )

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.regions.show(replace(view(app.model), overlay=sheet))
        await until(lambda: "Delete" in text(app))
        await pilot.pause()
        rows = [line.strip() for line in text(app).split("\n")]
        first = rows.index(next(line for line in rows if line.startswith("Delete")))
        assert rows[first - 1].startswith(f"❯ session {row} ")
        assert " ".join(" ".join(rows[first:]).split()).startswith(asked)

    play(PlayedEngine(), steps, size)


def project_files(number: int) -> dict[str, object]:
    """So many files of a project, each longer than the screen."""
    lines = "\n".join(f"rule {n} of this file" for n in range(30))
    names = [f"notes-{n}/AGENTS.md" for n in range(number)]
    files = [{"name": one, "size": 900, "hash": one[:7] * 9, "text": lines} for one in names]
    return {"folder": "/work/shop", "files": files, "asks": True}


class Untrusted(PlayedEngine):
    """The project brings files."""

    number = 2

    def start(self, wake: Callable[[], None]) -> None:
        super().start(wake)
        self.say(answered("trust", project_files(self.number)))


@pytest.mark.parametrize("number", [2, 12])
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30)])
def test_what_is_decided_about_files_stays_in_view(size: tuple[int, int], number: int) -> None:
    engine = Untrusted()
    engine.number = number

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "Trust" in text(app))
        for _ in range(number):
            await pilot.pause()
            shown = text(app)
            assert all(row in shown for row in ("trust these", "trust until", "go on without"))
            assert "❯ notes-" in shown and "PgDn" in shown, "a file, and words of it, are in view"
            assert shown.count(f" of {number}") == (number > 2), "the files are counted once"
            at = app.model.overlay
            await pilot.press("down")
            await until(lambda at=at: app.model.overlay is not at)  # type: ignore[misc]

    play(engine, steps, size)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30)])
def test_a_list_has_one_counter_and_says_once_that_typing_searches(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("f1")
        await until(lambda: "Keys and commands" in text(app))
        for _ in range(25):
            await pilot.pause()
            shown = text(app)
            assert len(re.findall(r"\d of \d", shown)) == 1
            assert shown.lower().count("type to search") == 1
            at = app.model.overlay
            await pilot.press("down")
            await until(lambda at=at: app.model.overlay is not at)  # type: ignore[misc]

    play(PlayedEngine(), steps, size)


@pytest.mark.parametrize("size", [(20, 5), (24, 4), (30, 6)])
def test_the_prompt_keeps_its_row_below_any_sheet(size: tuple[int, int]) -> None:
    class Asks(PlayedEngine):
        def start(self, wake: Callable[[], None]) -> None:
            super().start(wake)
            files = [{"name": "AGENTS.md", "size": 8, "hash": "a" * 64, "text": "obey me"}]
            self.say(answered("trust", {"folder": "/w", "files": files, "asks": True}))

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: app.model.overlay is not None)
        await pilot.pause()
        for letter in "my plan":
            await pilot.press("space" if letter == " " else letter)
        await until(lambda: app.model.composer.draft == "my plan")
        await until(lambda: "❯ my plan" in text(app))

    play(Asks(), steps, size)


def test_undo_in_the_usual_size_shows_each_file_each_choice_and_what_changes() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.model = replace(SHEETS["undo"](), width=80, height=24)
        app.regions.show(view(app.model))
        await pilot.pause()
        shown = text(app)
        for row in ("[x] shop/price.py", "[x] sale.txt", "❯ code", "code and", "  conversation"):
            assert row in shown, row
        assert "10 -" in shown and "10 +" in shown

    play(Unheard(), steps)


@pytest.mark.parametrize("more", [1, 2])
def test_rewind_in_the_usual_size_shows_the_switch_of_each_of_a_few_files(more: int) -> None:
    shown_of = SHEETS["undo"]()
    assert shown_of.going_back is not None
    first = shown_of.going_back.files[0]
    added = (replace(first, path=f"more{number}.py") for number in range(more))
    going = replace(shown_of.going_back, to=1, files=(*shown_of.going_back.files, *added))

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        model = replace(shown_of, going_back=going, width=80, height=24)
        app.model = cursor.put_cursor(opening.refresh(model)[0], len(going.files))
        app.regions.show(view(app.model))
        await pilot.pause()
        shown = text(app)
        for row in (*(f"[x] {file.path}" for file in going.files), "❯ code", "  conversation"):
            assert row in shown, row
        assert "10 -" in shown, "and lines of the difference"

    play(Unheard(), steps)
