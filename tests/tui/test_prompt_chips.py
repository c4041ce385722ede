"""Chips in the editor: one thing for the caret, for every key that deletes, for selections and for
the mouse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult

from agent_tui.structures import chips
from agent_tui.tui.prompt.widget import Prompt

LABEL = chips.paste_chip(1, "x\n" * 120).label
TEXT = f"ab {LABEL} cd"
BEGIN, END = 3, 3 + len(LABEL)


class Alone(App[None]):
    """Remembers what the prompt tells."""

    def __init__(self) -> None:
        super().__init__()
        self.clicked: list[str] = []
        self.pastes: list[str] = []

    def compose(self) -> ComposeResult:
        yield Prompt()

    def key_came(self) -> None: ...
    def draft_changed(self, text: str, caret: int) -> None: ...
    def submitted(self, text: str) -> None: ...
    def history_asked(self, step: int, draft: str) -> None: ...
    def vim_changed(self, mode: object) -> None: ...
    def pasted(self, text: str, unmarked: bool) -> None:  # noqa: ARG002
        self.pastes.append(text)

    def chip_clicked(self, label: str) -> None:
        self.clicked.append(label)

    def key_taken(self, _key: str, _character: str, _draft: str) -> bool:
        return False


def edited(act: Callable[[Prompt], None], text: str = TEXT) -> tuple[str, int]:
    """The text and the caret after `act`."""
    found: list[tuple[str, int]] = []

    async def run() -> None:
        async with Alone().run_test(size=(90, 12)) as pilot:
            prompt = pilot.app.query_one(Prompt)
            prompt.load_text(text)
            act(prompt)
            await pilot.pause()
            found.append(prompt.current_text())

    asyncio.run(run())
    return found[0]


def keys(place: int, *pressed: str) -> Callable[[Prompt], None]:
    def act(prompt: Prompt) -> None:
        prompt.move_cursor((0, place))
        for key in pressed:
            prompt.press(key, key if len(key) == 1 else None)

    return act


@pytest.mark.parametrize(
    ("place", "key", "after"),
    [
        (END, "backspace", ("ab  cd", 3)),
        (BEGIN, "delete", ("ab  cd", 3)),
        (END, "ctrl+w", ("ab  cd", 3)),
        (BEGIN, "ctrl+k", ("ab ", 3)),
        (END, "ctrl+u", (" cd", 0)),
        (END, "left", (TEXT, BEGIN)),
        (BEGIN, "right", (TEXT, END)),
        (END, "alt+b", (TEXT, BEGIN)),
        (BEGIN, "alt+u", (TEXT, BEGIN)),
        (BEGIN + 4, "x", (TEXT[:END] + "x" + TEXT[END:], END + 1)),
    ],
)
def test_a_key_takes_a_chip_whole_or_not_at_all(
    place: int, key: str, after: tuple[str, int]
) -> None:
    text, caret = edited(keys(place, key))
    assert text == after[0]
    if key != "alt+u":
        assert caret == after[1]


def test_what_was_taken_away_comes_back() -> None:
    assert edited(keys(END, "backspace", "ctrl+underscore"))[0] == TEXT
    assert edited(keys(END, "ctrl+w", "ctrl+y"))[0] == TEXT


def test_a_selection_reaches_over_a_chip() -> None:
    assert edited(keys(BEGIN, "shift+right", "z"))[0] == "ab z cd"
    assert edited(keys(END, "shift+left", "backspace"))[0] == "ab  cd"


def test_a_click_tells_of_the_chip_and_leaves_the_caret_outside() -> None:
    async def run() -> None:
        app = Alone()
        async with app.run_test(size=(90, 12)) as pilot:
            prompt = pilot.app.query_one(Prompt)
            prompt.load_text(TEXT)
            await pilot.pause()
            await pilot.click(Prompt, offset=(BEGIN + 6, 1))
            await pilot.click(Prompt, offset=(BEGIN + 6, 0))
            assert LABEL in app.clicked
            assert prompt.current_text()[1] in (BEGIN, END)

    asyncio.run(run())


def test_no_control_character_of_a_label_or_a_text_is_drawn() -> None:
    async def run() -> None:
        async with Alone().run_test(size=(90, 12)) as pilot:
            prompt = pilot.app.query_one(Prompt)
            prompt.load_text(f"\x1b[31m{LABEL}\x07")
            assert prompt.get_line(0).plain == f"␛[31m{LABEL}␇".replace("\u00a0", " ")

    asyncio.run(run())
