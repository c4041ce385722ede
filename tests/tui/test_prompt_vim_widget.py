"""Vim in the real editor: what its mode does to keys, caret, selection and undo."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.events import ApprovalAsked
from agent_tui.protocol.ops import Cancel
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import SESSION, PlayedEngine, hold, play, text, until

NAMES = {" ": "space", "/": "slash", "\n": "enter", "⎋": "escape", "®": "ctrl+r"}


def vim(
    keys: str, engine: PlayedEngine | None = None, look: Callable[[AgentApp], None] = lambda _: None
) -> AgentApp:
    """`/vim`, then `keys`."""

    async def steps(_: object, app: AgentApp) -> None:
        app.on_submit("/vim on")
        for key in keys:
            name = NAMES.get(key, key)
            app.regions.prompt.press(name, key if name == key or key in " /" else None)
            app.regions.prompt.vim_settled()
            app.regions.prompt.tell()
            await asyncio.sleep(0)
        look(app)

    return play(engine or PlayedEngine(), steps, size=(60, 16))


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ("one two⎋bcwtree⎋", ("one tree", 7)),
        ("abc⎋0xu", ("abc", 0)),
        ("abc⎋0xxuu®", ("bc", 0)),
        ("one two⎋bviwd", ("one ", 3)),
        ("one two⎋0vexix", ("x two", 1)),
        ("abc⎋Vd", ("", 0)),
        ("abc⎋ddp", ("\nabc", 1)),
        ("abc⎋", ("abc", 2)),
        ("a b⎋0dwix⎋", ("xb", 0)),
        ("one two⎋bcwtree⎋u", ("one two", 4)),
        ("one⎋oabc⎋u", ("one", 2)),
        ("one⎋oabc⎋u®", ("one\nabc", 6)),
        ("a b⎋0cwxy⎋wcwzz⎋u", ("xy b", 3)),
        ("a b⎋0cwxy⎋wcwzz⎋uu", ("a b", 0)),
        ("ab⎋Acd⎋u", ("ab", 1)),
    ],
)
def test_keys_edit_as_in_vim(keys: str, after: tuple[str, int]) -> None:
    found: list[tuple[str, int]] = []
    vim(keys, look=lambda app: found.append(app.regions.prompt.current_text()))
    assert found == [after]


@pytest.mark.parametrize(
    ("keys", "mode"), [("a", "insert"), ("a⎋", "normal"), ("a⎋v", "visual"), ("a⎋V", "visual line")]
)
def test_the_mode_is_said_in_words(keys: str, mode: str) -> None:
    shown: list[str] = []
    vim(keys, look=lambda app: shown.append(text(app)))
    assert f"vim: {mode} " in shown[0]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("ab⎋/", "/ does not search: Ctrl+F does, in the transcript"),
        ("ab⎋:", "no : commands here: Ctrl+P finds ours"),
    ],
)
def test_a_key_of_vim_that_is_none_here_says_what_is(keys: str, said: str) -> None:
    app = vim(keys)
    assert app.model.toast is not None and app.model.toast.text == said
    assert app.model.vim == "normal"
    assert app.regions.prompt.text == "ab"


def test_esc_leaves_insert_mode_first_and_then_interrupts() -> None:
    engine = PlayedEngine(hold)
    vim("work\nabc⎋", engine)
    assert [op for op in engine.asked() if isinstance(op, Cancel)] == []
    engine = PlayedEngine(hold)
    vim("work\nabc⎋⎋", engine)
    assert len([op for op in engine.asked() if isinstance(op, Cancel)]) == 1


def test_a_selection_ends_where_the_draft_is_another() -> None:
    def look(app: AgentApp) -> None:
        app.regions.prompt.press("ctrl+u", None)
        app.regions.prompt.vim_settled()
        assert app.model.vim == "normal"

    vim("one two⎋v", look=look)


def test_k_in_the_first_line_goes_to_earlier_prompts() -> None:
    engine = PlayedEngine()
    vim("first\nsecond⎋k", engine, look=lambda app: _holds(app, "first"))


def _holds(app: AgentApp, expected: str) -> None:
    assert app.regions.prompt.text == expected
    assert app.regions.prompt.current_text()[1] == len(expected) - 1


def test_an_answer_that_is_typed_is_no_vim() -> None:
    """Esc leaves the search at once."""
    vim("abc®", look=lambda app: _searching(app))


def _searching(app: AgentApp) -> None:
    assert app.model.recall is not None
    app.regions.prompt.press("x", "x")
    app.regions.prompt.press("escape", None)
    now = app.model
    assert now.recall is None
    assert (app.regions.prompt.text, now.vim) == ("abc", "insert")


def test_vim_is_switched_off_again() -> None:
    def look(app: AgentApp) -> None:
        app.on_submit("/vim")
        app.regions.prompt.press("d", "d")
        assert (app.model.vim, app.regions.prompt.text) == ("", "d")

    vim("⎋", look=look)


def test_a_key_at_a_question_is_vims_in_normal_mode_and_text_in_insert_mode() -> None:
    engine = PlayedEngine()

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        app.on_submit("/vim on")
        prompt = app.regions.prompt
        for letter in "one two":
            prompt.press("space" if letter == " " else letter, letter)
        prompt.press("escape", None)
        engine.begin("go")
        engine.say(ApprovalAsked(session=SESSION, id="1", call_id="1", tool="t", label="l"))
        await until(lambda: app.model.dialog is not None)
        for key in "0dw":
            prompt.press(key, key)
        assert prompt.text == "two"
        for key in ("A", "!", "x"):
            prompt.press(key, key)
        assert prompt.text == "two!x"
        prompt.press("escape", None)
        assert app.model.vim == "normal" and Cancel() not in engine.ops
        await asyncio.sleep(0.15)  # no finger rests on it
        prompt.press("escape", None)
        await until(lambda: Cancel() in engine.ops)

    play(engine, steps)
