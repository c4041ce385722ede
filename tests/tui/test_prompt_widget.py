"""The editor of the prompt, alone: its text and caret after any edits, undone and redone."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult

from agent_tui.tui.widgets.prompt import Prompt

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


def test_copying_nothing_does_nothing() -> None:
    asyncio.run(_copy_nothing())


async def _copy_nothing() -> None:
    async with Alone().run_test() as pilot:
        prompt = pilot.app.query_one(Prompt)
        prompt.press("super+c", None)
        prompt.press("a", "a")
        assert prompt.text == "a"
