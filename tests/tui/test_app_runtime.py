"""The runtime and an engine that plays: keys become Ops, events a screen, and nothing runs when
nothing does."""

from __future__ import annotations

import asyncio
from math import inf
from time import monotonic

from textual import events
from textual.pilot import Pilot

from agent_tui.protocol.events import QueueChanged, TextDelta
from agent_tui.protocol.ops import Cancel, KeepPlace, Op, Query, QueueEdit, SaveDraft, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import EventsArrived, KeyPressed, Submitted
from agent_tui.tui.runtime.app import AgentApp, current_time
from tests.answers import answer_event, session
from tests.tui.stage import SESSION, PlayedEngine, hold, play, screen, text, until


def polling(app: AgentApp) -> bool:
    return app._poll._active.is_set()


def test_a_prompt_is_sent_and_its_answer_shown() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"hello", "enter")
        await until(lambda: "You said: hello" in text(app))
        assert app.regions.prompt.text == ""

    play(engine, steps)
    assert engine.asked() == [Submit("hello")]


def test_what_is_shown_for_the_first_time_while_the_screen_ends_does_no_harm() -> None:
    """A key on its way when a signal ended the program asked for a line that no longer had a
    screen."""

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        await until(lambda: app.model.started)
        app.exit(0)
        queued = QueueChanged(session=SESSION, items=(Queued("a", "later"),), paused=True)
        app.dispatch(EventsArrived(at=current_time(), events=(queued,)))
        assert app.model.transcript.queue

    play(PlayedEngine(), steps)


def test_a_question_in_a_list_is_seen_though_more_of_the_list_arrives() -> None:
    """Enter did nothing when words about the row arrived just before it."""
    listed = [session(id, id, here=True) for id in ("tea", "shop")]

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        def key_is_blind() -> bool:
            return app.regions.key_message("enter", "", "", selection=False).blind

        await until(lambda: app.model.started)
        app.dispatch(Submitted("/resume", at=current_time()))
        asked = next(op.id for op in engine.ops if isinstance(op, Query) and op.kind == "sessions")
        app.dispatch(
            EventsArrived(
                (answer_event(asked, "sessions", listed, session=SESSION),), at=current_time()
            )
        )
        await pilot.pause()
        app.regions.prompt.pressed_at = monotonic()
        app.dispatch(KeyPressed("delete", at=current_time()))
        assert key_is_blind()
        await until(lambda: app.regions.prompt.pressed_at < app.regions._painted_at < inf)
        app.regions.prompt.pressed_at = monotonic()
        said = {"of": "tea", "parts": [{"name": "you", "text": "a pot", "lines": 1}]}
        app.dispatch(
            EventsArrived(
                (answer_event("preview", "preview", said, session=SESSION),), at=current_time()
            )
        )
        assert not key_is_blind()
        app.dispatch(
            KeyPressed("escape", at=current_time()),
            KeyPressed("down", at=current_time()),
            KeyPressed("delete", at=current_time()),
        )
        assert key_is_blind()

    engine = PlayedEngine()
    play(engine, steps)


def test_the_poll_rests_when_nothing_runs_and_wakes_for_the_first_event() -> None:
    engine = PlayedEngine(hold)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: app.model.started and not polling(app))
        assert engine.resting
        await pilot.press("x", "enter")
        await until(lambda: app.model.transcript.state == "running")
        assert polling(app)
        await asyncio.sleep(0.3)
        assert polling(app)
        engine.end()
        await until(lambda: not polling(app))
        assert engine.resting
        assert app.model.transcript.state == "idle"
        active = [timer for timer in app._timers if timer._active.is_set()]
        assert active == []
        engine.say(QueueChanged(session=SESSION, items=(Queued("a", "later"),), paused=True))
        await until(lambda: "queued (1)" in text(app))

    play(engine, steps)


def test_a_stream_costs_one_message_a_poll() -> None:
    engine = PlayedEngine(hold)
    seen: list[int] = []

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: app.model.transcript.state == "running")
        await asyncio.sleep(0.2)
        dispatch = app.dispatch
        app.dispatch = lambda *messages: (seen.append(len(messages)), dispatch(*messages))[1]  # type: ignore[method-assign]
        for number in range(100):
            engine.say(TextDelta(session=SESSION, turn=1, step=1, text=f"w{number} "))
        await until(lambda: "w99" in text(app))
        assert len(seen) <= 4

    play(engine, steps)


def test_keys_of_one_burst_keep_their_order() -> None:
    engine = PlayedEngine()

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        for key, character in [
            ("x", "x"),
            ("y", "y"),
            ("backspace", "\x7f"),
            ("Q", "Q"),
            ("enter", "\r"),
            ("z", "z"),
        ]:
            app.post_message(events.Key(key, character))
        await until(lambda: "You said: xQ" in text(app))
        assert app.regions.prompt.text == "z"

    play(engine, steps)
    assert engine.asked() == [Submit("xQ")]


def test_keys_before_the_first_frame_wait_for_it() -> None:
    engine = PlayedEngine()
    app = screen(engine)

    async def run() -> None:
        app.post_message(events.Key("a", "a"))
        app.post_message(events.Paste("b\nc"))
        app.post_message(events.Key("d", "d"))
        async with app.run_test() as pilot:
            await pilot.pause()
            await until(lambda: app.regions.prompt.text == "ab\ncd")
            assert app.model.composer.draft == "ab\ncd"

    asyncio.run(run())
    assert engine.asked() == []


def test_the_engine_starts_only_once_typing_has_paused() -> None:
    engine = PlayedEngine()

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        for _ in range(8):
            app.post_message(events.Key("a", "a"))
            await asyncio.sleep(0.05)
            assert engine.started == 0
        await until(lambda: engine.started == 1)

    play(engine, steps, at_once=False)


def test_a_prompt_starts_the_engine_at_the_latest() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "You said: a" in text(app))

    play(engine, steps, at_once=False)
    assert engine.started == 1


def test_the_prompt_of_the_command_line_is_sent_once() -> None:
    engine = PlayedEngine()

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "You said: do it" in text(app))

    play(engine, steps, prompt="do it", at_once=False)
    assert [op for op in engine.asked() if isinstance(op, Submit)] == [Submit("do it")]


def test_drafts_reach_the_engine_after_typing_and_at_the_end() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: app.model.started)
        await pilot.press(*"one")
        assert SaveDraft("on") not in engine.ops
        await until(lambda: engine.ops == [SaveDraft("one")])
        await pilot.press(*" two")

    app = play(engine, steps)
    app.link.close(1.0)
    assert engine.ops == [SaveDraft("one"), SaveDraft("one two"), KeepPlace(-1)]
    assert engine.stopped


def test_enter_queues_while_a_turn_runs_and_escape_cancels() -> None:
    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, QueueEdit) and op.action == "add":
            engine.say(QueueChanged(session=SESSION, items=(Queued("q1", op.text),)))
        else:
            hold(engine, op)

    engine = PlayedEngine(react)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: app.model.transcript.state == "running")
        await pilot.press("b", "enter")
        await until(lambda: "queued (1)" in text(app))
        await pilot.press("escape")
        await until(lambda: Cancel() in engine.ops)

    play(engine, steps)
    assert engine.asked()[:3] == [Submit("a"), QueueEdit("add", text="b"), Cancel()]
