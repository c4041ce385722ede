"""Keys that waited together are one step, and it comes to the same as one after the other, whatever
is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from textual import events

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import ApprovalAsked, QuestionAsked, SessionStarted, TurnStarted
from agent_tui.protocol.ops import Query
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.prompt_state import Composer
from agent_tui.tui.prompt.readline import KillRing
from agent_tui.tui.prompt.vim_text import Vim
from agent_tui.tui.runtime import reconcile
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.textual_port.key_parser import types
from agent_tui.tui.textual_port.terminal import Typed, join_keys
from agent_tui.tui.view import view
from tests.answers import answer_event, session
from tests.campaigns import examples
from tests.tui.stage import SESSION, PlayedEngine, play
from tests.tui.test_holding_terminal import start

NOW = 1_000_000.0
CAME = 5_000.0
WORDS = (
    "mode ",
    "theme",
    "why?",
    "y",
    "n",
    "a",
    "no ",
    "1",
    "q",
    "/",
    "@src",
    " @a.py",
    "?",
    "dd",
    "ciw",
    "漢",
    "e\u0301",
)
NAMED = (
    "enter",
    "escape",
    "backspace",
    "up",
    "down",
    "left",
    "tab",
    "ctrl+u",
    "ctrl+w",
    "ctrl+y",
    "ctrl+p",
    "ctrl+r",
    "ctrl+f",
    "ctrl+k",
    "alt+y",
    "shift+left",
    "home",
)


def told(*events: Event) -> Callable[[AgentApp], None]:
    return lambda app: app.dispatch(msg.EventsArrived(events, at=NOW - 100))


def pressed(*keys: str) -> Callable[[AgentApp], None]:
    def press(app: AgentApp) -> None:
        for key in keys:
            app.regions.prompt.press(key, key if len(key) == 1 else None)
            app.regions.prompt.tell()

    return press


def submitted(text: str) -> Callable[[AgentApp], None]:
    return lambda app: app.on_submit(text)


APPROVAL = ApprovalAsked(id="1", call_id="1", tool="t", label="l", always="x", session=SESSION)
NO_MODEL = told(SessionStarted(session=SESSION, cwd="/w", model=""))
PLACES: dict[str, Callable[[AgentApp], object]] = {
    "the prompt": lambda _: None,
    "a draft with the caret inside": pressed(*"one two", "left", "left"),
    "a selection": pressed(*"one two", "shift+left", "shift+left"),
    "vim, inserting": submitted("/vim on"),
    "vim, normal": lambda app: (submitted("/vim on")(app), pressed(*"one two", "escape")(app)),
    "the palette": pressed("ctrl+p"),
    "help": submitted("/help"),
    "themes": submitted("/theme"),
    "settings": submitted("/settings"),
    "the log": submitted("/log"),
    "the palette under vim": lambda app: (
        submitted("/vim on")(app),
        pressed(*"one", "escape", "ctrl+p")(app),
    ),
    "a search": pressed("ctrl+f"),
    "earlier prompts": pressed("ctrl+r"),
    "a slash": pressed("/"),
    "a question": told(TurnStarted(session=SESSION, turn=1, prompt="x"), APPROVAL),
    "a question and a draft": lambda app: (pressed(*"draft")(app), told(APPROVAL)(app)),
    "a hard question": told(replace(APPROVAL, hard=True)),
    "a stuck turn": told(
        QuestionAsked(id="3", kind="stuck", text="round and round", session=SESSION)
    ),
    "an argument": told(
        QuestionAsked(id="4", kind="skill_argument", text="/x needs <y>", session=SESSION)
    ),
    "no model": lambda app: (NO_MODEL(app), pressed(*"hi", "enter")(app)),
    "no model, an empty prompt": lambda app: (
        NO_MODEL(app),
        pressed(*"hi", "enter", "ctrl+u")(app),
    ),
    "the start's sessions": told(answer_event("start", "sessions", [session("a", "no mode")])),
}


def key(name: str) -> events.Key:
    if len(name) > 1:
        return events.Key(name, None)
    return events.Key(
        {" ": "space", "?": "question_mark", "/": "slash", "@": "at"}.get(name, name), name
    )


def typing(random: Random) -> Iterator[list[events.Key]]:
    """What came together, each time; what one read brings has one time."""
    at = CAME
    for _ in range(random.randint(1, 6)):
        at += random.choice((0.0, 0.005, 0.1, 0.5))
        keys = [key(letter) for _ in range(random.randint(0, 4)) for letter in random.choice(WORDS)]
        if random.random() < 0.4:
            keys.insert(random.randint(0, len(keys)), key(random.choice(NAMED)))
        for one in keys:
            one.time = at
        yield keys


def begin(
    app: AgentApp, place: Callable[[AgentApp], object], fresh: Model, engine: PlayedEngine
) -> None:
    prompt = app.regions.prompt
    app.model, prompt.vim_on, prompt._vim, prompt._rev = fresh, False, Vim(), -1
    prompt.ring, prompt.pressed_at = KillRing(), 0.0
    prompt.selection = prompt.selection.cursor((0, 0))
    app.regions.shown = None
    app.regions.show(view(fresh))
    place(app)
    app.regions._painted_at = 0.0
    app.regions._paints += 1  # what was to be painted has been
    engine.ops.clear()


def state(app: AgentApp, engine: PlayedEngine) -> Any:
    """All that there is, but for what was asked in between."""
    now, prompt = app.model, app.regions.prompt
    overlay = now.overlay
    if overlay is not None and overlay.picker is not None:
        overlay = replace(overlay, picker=replace(overlay.picker, asked=""), state=None)
    model = replace(
        now, queries=0, overlay=overlay, composer=replace(now.composer, looked={}, rev=0)
    )
    asked = [op for op in engine.asked() if not isinstance(op, Query)]
    return model, prompt.current_text(), prompt.selection, prompt._vim, prompt.ring, asked


def again(one: events.Key) -> events.Key:
    """The same key, not handled yet."""
    fresh = one.copy()
    fresh.time = one.time
    return fresh


async def feed(app: AgentApp, runs: list[list[events.Key]]) -> None:
    for run in runs:
        for message in join_keys(again(one) for one in run):
            assert isinstance(message, Typed | events.Key)
            await app.regions.prompt.on_event(message)


@pytest.mark.parametrize("place", PLACES)
def test_one_step_is_as_many(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    monkeypatch.setattr(reconcile, "time", lambda: NOW)
    monkeypatch.setattr(reconcile, "monotonic", lambda: CAME)
    engine = PlayedEngine()

    async def steps(_: object, app: AgentApp) -> None:
        app._poll.stop()
        fresh = replace(app.model, composer=Composer(history=("mode of old", "no theme")))
        for seed in range(examples(25)):
            runs = list(typing(Random(f"{place} {seed}")))
            found = []
            for way in (runs, [[one] for run in runs for one in run]):
                begin(app, PLACES[place], fresh, engine)
                await feed(app, way)
                found.append(state(app, engine))
            assert found[0] == found[1], (seed, [one.key for run in runs for one in run])

    play(engine, steps, size=(80, 24))


def test_only_what_types_is_joined() -> None:
    keys = [key(name) for name in ("a", " ", "enter", "b", "alt+y")]
    keys.append(events.Key("alt+x", "x"))
    found = list(join_keys(keys))
    assert [type(one) for one in found] == [Typed, events.Key, Typed, events.Key, events.Key]
    assert [types(one) for one in keys] == [True, True, False, True, False, False]


def test_what_waits_is_added_until_it_is_taken() -> None:
    first, second, third = (Typed([key(letter)]) for letter in "abc")
    assert first.add(second)
    assert [one.key for one in first.take()] == ["a", "b"]
    assert not first.add(third)
    assert [one.key for one in third.take()] == ["c"]
    assert first.take() == []


def test_undo_takes_back_what_was_typed_as_ever() -> None:
    left: list[list[str]] = []

    async def steps(_: object, app: AgentApp) -> None:
        prompt = app.regions.prompt
        texts: list[str] = []
        for run in ("a", "bc", "d", "x" * 98, "yz", "!"):
            await prompt.on_event(Typed([key(letter) for letter in run]))
        prompt.press("left", None)
        await prompt.on_event(Typed([key(letter) for letter in "mn"]))
        for _ in range(3):
            texts.append(prompt.text)
            prompt.press("ctrl+underscore", None)
        left.append([*texts, prompt.text])

    play(PlayedEngine(), steps)
    assert left == [[f"abcd{'x' * 98}yzmn!", f"abcd{'x' * 98}yz!", f"abcd{'x' * 98}yz", "abcd"]]


def test_two_threads_lose_no_key_and_double_none() -> None:
    sent = [key(letter) for letter in "abcdefgh" * 2_000]
    posted: SimpleQueue[Typed | None] = SimpleQueue()

    def read() -> None:
        last: Typed | None = None
        for one in sent:
            run = Typed([one])
            if last is None or not last.add(run):
                last = run
                posted.put(run)
        posted.put(None)

    came: list[events.Key] = []
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        while (run := posted.get()) is not None:
            came += run.take()
        reading.result()
    assert came == sent


def test_a_paste_without_marks_is_whole_and_sends_nothing(tmp_path: Path) -> None:
    """In the prompt and in a list, in a real terminal, written in one go."""
    pty = start(tmp_path, "--model", "demo/tour")
    try:
        pty.until("Enter send")
        words = " ".join(f"word{number}" for number in range(300))
        pty.type(words + "\rthe last line")
        pty.until(lambda text: "Pasted text #1" in text or "the last line" in text)
        pty.type("\x15\x10")
        pty.until("Esc close")
        pty.type("mode " * 600 + "zqxj")
        pty.until(" 0 of ")
        pty.type("\x15")
        pty.until(lambda text: " 0 of " not in text)
        pty.type("\x1b" + "x" * 500 + "end")
        assert "Pasted" not in pty.until("xend")
    finally:
        pty.close()


def test_a_run_in_the_palette_is_one_look_up() -> None:
    async def steps(_: object, app: AgentApp) -> None:
        app.regions.prompt.press("ctrl+p", None)
        before = app.dispatched
        await app.on_event(Typed([key(letter) for letter in "mode " * 600]))
        while (
            app.model.overlay is None
            or app.model.overlay.picker is None
            or not app.model.overlay.picker.query
        ):
            await asyncio.sleep(0)
        assert app.model.overlay.picker.query == "mode " * 600
        assert app.dispatched - before <= 3

    play(PlayedEngine(), steps)
