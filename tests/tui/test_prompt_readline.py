"""Readline's keys: the pure functions on any text, and in the editor cuts that join, come back and
are undone."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from agent_tui.tui.prompt import readline
from agent_tui.tui.prompt.keys import EDITING, SELECTING
from agent_tui.tui.prompt.readline import KillRing
from agent_tui.tui.prompt.widget import Prompt
from tests.tui.test_prompt_widget import Alone

TEXT = st.text(st.sampled_from("ab_1 .\n漢字かなカナéд👍"), max_size=30)


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("one two_3, (four)", [3, 9, 16, 17]),
        ("été naïve", [3, 9]),
        ("漢字かなカナ abc", [2, 4, 6, 10]),
        ("привет мир", [6, 10]),
        ("  ", [2]),
        ("हिन्दी में", [6, 10]),
    ],
)
def test_words_end_where_a_reader_sees_them_end(text: str, stops: list[int]) -> None:
    at, found = 0, list[int]()
    while at < len(text):
        at = readline.word_right(text, at)
        found.append(at)
    assert found == stops


@given(TEXT, st.integers(0, 30))
def test_every_motion_goes_its_way_and_comes_to_an_end(text: str, at: int) -> None:
    at = min(at, len(text))
    for back in (readline.word_left, readline.space_left, readline.kill_back, readline.line_start):
        assert 0 <= back(text, at) <= at
    for on in (readline.word_right, readline.kill_line, readline.line_end):
        assert at <= on(text, at) <= len(text)
    assert readline.word_left(text, at) < at or not at
    assert readline.word_right(text, at) > at or at == len(text)


def test_a_ring_joins_rotates_and_forgets_the_oldest() -> None:
    ring = (
        KillRing()
        .with_kill("b", joins=False, before=False)
        .with_kill("c", joins=True, before=False)
    )
    ring = ring.with_kill("a", joins=True, before=True).with_kill("new", joins=False, before=True)
    ring = ring.with_kill("", joins=False, before=False)
    assert (ring.text, ring.rotate().text, ring.rotate().rotate().text) == ("new", "abc", "new")
    for number in range(100):
        ring = ring.with_kill(str(number), joins=False, before=False)
    assert (len(ring.texts), KillRing().text, KillRing().rotate().text) == (
        readline.MOST_KILLED,
        "",
        "",
    )


def pressed(keys: str, text: str = "") -> tuple[str, int]:
    """The text and the caret after `keys`, names parted by blanks; a letter types itself."""
    return asyncio.run(_pressed(keys.split(), text))


async def _pressed(keys: list[str], text: str) -> tuple[str, int]:
    async with Alone().run_test(size=(30, 12)) as pilot:
        prompt = _prompt(pilot)
        prompt.text = text
        prompt.move_cursor(prompt.document.end)
        for key in keys:
            prompt.press(key, key if len(key) == 1 else None)
        return prompt.current_text()


def _prompt(pilot: Pilot[None]) -> Prompt:
    return pilot.app.query_one(Prompt)


@pytest.mark.parametrize(
    ("keys", "text", "after"),
    [
        ("ctrl+w ctrl+y ctrl+y", "a b/c", ("a b/cb/c", 8)),
        ("alt+backspace", "a b/c", ("a b/", 4)),
        ("alt+backspace alt+backspace ctrl+a ctrl+y", "one two three", ("two threeone ", 9)),
        ("ctrl+a alt+d alt+d ctrl+e ctrl+y", "one two three", (" threeone two", 13)),
        ("ctrl+w left right ctrl+w ctrl+y alt+y", "a b", ("b", 1)),
        ("alt+y", "a", ("a", 1)),
        ("ctrl+w ctrl+y x alt+y", "a b", ("a bx", 4)),
        ("ctrl+u ctrl+u ctrl+u ctrl+y", "a\nb", ("a\nb", 3)),
        ("up ctrl+a ctrl+k ctrl+k ctrl+k ctrl+y", "a\nb", ("a\nb", 3)),
        ("ctrl+a alt+u alt+l alt+c", "one TWO tHREE", ("ONE two Three", 13)),
        ("alt+less_than_sign x", "a\nb\nc", ("xa\nb\nc", 1)),
        ("alt+less_than_sign alt+greater_than_sign x", "a\nb\nc", ("a\nb\ncx", 6)),
        ("alt+b alt+b x", "one two three", ("one xtwo three", 5)),
        ("ctrl+a alt+f x", "one two", ("onex two", 4)),
        ("ctrl+w ctrl+underscore", "one two", ("one two", 7)),
        ("ctrl+w ctrl+underscore alt+z", "one two", ("one ", 4)),
        ("ctrl+w ctrl+w ctrl+underscore", "one two", ("one ", 4)),
        ("shift+left shift+left ctrl+w ctrl+a ctrl+y", "one two", ("woone t", 2)),
        ("shift+left ctrl+y", "one", ("one", 2)),
        ("ctrl+a ctrl+k shift+left ctrl+y", "one", ("one", 3)),
        ("ctrl+shift+left x", "one two", ("one x", 5)),
    ],
)
def test_keys_edit_as_in_a_shell(keys: str, text: str, after: tuple[str, int]) -> None:
    assert pressed(keys, text) == after


def test_every_key_of_the_tables_has_an_action_that_runs() -> None:
    async def run() -> None:
        async with Alone().run_test() as pilot:
            prompt = _prompt(pilot)
            for key in (*EDITING, *SELECTING):
                prompt.press("a", "a")
                prompt.press(key, None)

    asyncio.run(run())
