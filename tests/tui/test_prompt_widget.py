"""The editor of the prompt, alone: its text and caret after any edits, undone and redone."""

from __future__ import annotations

import asyncio
import random

import pytest
from textual.app import App, ComposeResult

from agent_tui.tui.prompt.keys import EDITING, SELECTING
from agent_tui.tui.prompt.widget import Prompt

PASTES = ("x\ny", "one two three four five six seven eight", "a\n\nb", "\n", "漢字 👩‍👩‍👧", "x\ny")


class Alone(App[None]):
    """Nobody else wants the prompt's keys."""

    def compose(self) -> ComposeResult:
        yield Prompt()

    def key_came(self) -> None: ...
    def draft_changed(self, text: str, caret: int) -> None: ...
    def submitted(self, text: str) -> None: ...
    def pasted(self, text: str, unmarked: bool) -> None: ...
    def chip_clicked(self, label: str) -> None: ...
    def history_asked(self, step: int, draft: str) -> None: ...
    def key_taken(self, _key: str, _character: str, _draft: str) -> bool:
        return False


def paste(prompt: Prompt, text: str) -> None:
    result = prompt._replace_via_keyboard(text, *prompt.selection)
    assert result is not None
    prompt.move_cursor(result.end_location)


@pytest.mark.parametrize("height", [4, 8, 30])
def test_pastes_are_undone_and_done_again(height: int) -> None:
    asyncio.run(_there_and_back(height))


async def _there_and_back(height: int) -> None:
    async with Alone().run_test(size=(20, height)) as pilot:
        prompt = pilot.app.query_one(Prompt)
        states = [prompt.text]
        for text in PASTES:
            paste(prompt, text)
            prompt.press("slash", "/")
            await pilot.pause()
            states.append(prompt.text)
        full = prompt.text
        for _ in range(len(states) * 2):
            prompt.press("ctrl+underscore", None)
            prompt.tell()
            await pilot.pause()
        assert (prompt.text, prompt.cursor_location) == ("", (0, 0))
        for _ in range(len(states) * 2):
            prompt.press("alt+z", None)
            prompt.tell()
            await pilot.pause()
        assert (prompt.text, prompt.cursor_location) == (full, prompt.document.end)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_drawn_is_what_stands_there_after_any_keys(seed: int) -> None:
    asyncio.run(_drawn_after(random.Random(seed)))


async def _drawn_after(chance: random.Random) -> None:
    keys = sorted({*EDITING, *SELECTING, "ctrl+j"} - {"tab"})
    async with Alone().run_test(size=(16, 8)) as pilot:
        prompt, pressed = pilot.app.query_one(Prompt), list[str]()
        for _ in range(300):
            pressed.append(chance.choice((*"ab /", *keys, "ctrl+w", "ctrl+underscore", "alt+z")))
            prompt.press(pressed[-1], pressed[-1] if len(pressed[-1]) == 1 else None)
            rows = range(min(8, prompt.wrapped_document.height))
            assert [prompt.render_line(y).text for y in rows] == [
                prompt._render_line(y).text for y in rows
            ], pressed


def test_copying_nothing_does_nothing() -> None:
    asyncio.run(_copy_nothing())


async def _copy_nothing() -> None:
    async with Alone().run_test() as pilot:
        prompt = pilot.app.query_one(Prompt)
        prompt.press("super+c", None)
        prompt.press("a", "a")
        assert prompt.text == "a"
