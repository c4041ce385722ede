"""A person, the core and an engine, each as slow as it likes: no queued prompt is lost or sent
twice."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.agent.session.queue import move_item
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    QueueChanged,
    SessionStarted,
    SteerSeen,
    StepStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Cancel, Op, QueueEdit, Steer, Submit
from agent_tui.protocol.transcript import Queued
from tests.campaigns import examples
from tests.tui.play import Play


class TinyEngine:
    """The engine's part of the bargain, in memory: ops come in order, events leave in order, at any
    pace."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.events: list[Event] = [SessionStarted(session="s", model="fake/model")]
        self.queue: list[Queued] = []
        self.paused = False
        self.steers: list[str] = []
        self.turn = 0
        self.running = False
        self.ids = 0
        self.begun: list[str] = []
        self.dropped: list[str] = []

    def tell_queue(self) -> None:
        self.paused = self.paused and bool(self.queue)
        self.events.append(QueueChanged(items=tuple(self.queue), paused=self.paused, session="s"))

    def add(self, text: str) -> None:
        self.ids += 1
        self.queue.append(Queued(f"q{self.ids}", text))
        self.tell_queue()

    def handle(self, op: Op) -> None:
        match op:
            case Submit():
                self.submit(op.text, op.queue_id)
            case Steer():
                self.steer(op.text, op.queue_id)
            case Cancel():
                if op.clear_queue:
                    self.dropped += [item.text for item in self.queue]
                    self.queue = []
                    self.tell_queue()
                self.end("cancelled")
            case QueueEdit(action="add"):
                self.add(op.text)
            case QueueEdit(action="remove"):
                self.dropped += [item.text for item in self.queue if item.id == op.id]
                self.queue = [item for item in self.queue if item.id != op.id]
                self.tell_queue()
            case QueueEdit(action="edit"):
                self.queue = [
                    replace(item, text=op.text) if item.id == op.id else item for item in self.queue
                ]
                self.tell_queue()
            case QueueEdit(action="up" | "down"):
                self.queue = list(
                    move_item(tuple(self.queue), op.id, -1 if op.action == "up" else 1)
                )
                self.tell_queue()
            case QueueEdit(action="clear"):
                self.dropped += [item.text for item in self.queue]
                self.queue = []
                self.tell_queue()
            case QueueEdit():
                self.paused = op.action == "pause"
                self.tell_queue()
            case _:
                raise AssertionError(f"not asked for in this test: {op}")

    def submit(self, text: str, queue_id: str) -> None:
        if queue_id and all(item.id != queue_id for item in self.queue):
            return
        if self.running:
            if not queue_id:
                self.add(text)
            return
        text = next((item.text for item in self.queue if item.id == queue_id), text)
        self.queue = [item for item in self.queue if item.id != queue_id]
        self.turn, self.running = self.turn + 1, True
        self.begun.append(text)
        self.events += [
            TurnStarted(prompt=text, queue_id=queue_id, turn=self.turn, session="s"),
            StepStarted(step=1, session="s"),
            AssistantReplied(text="working on it", session="s"),
        ]

    def steer(self, text: str, queue_id: str) -> None:
        queued = next((item for item in self.queue if item.id == queue_id), None)
        if queue_id and queued is None:
            return
        said = queued.text if queued else text
        if not self.running:
            self.submit(said, queue_id)
            return
        if queued:
            self.queue.remove(queued)
            self.tell_queue()
        self.steers.append(said)

    def step(self) -> None:
        """The next step of the turn begins: the model sees what was steered."""
        if self.running:
            self.begun += self.steers
            self.events += [SteerSeen(text=text, session="s") for text in self.steers]
            self.steers = []

    def end(self, state: str = "completed") -> None:
        if not self.running:
            return
        if self.steers:
            back = []
            for text in self.steers:
                self.ids += 1
                back.append(Queued(f"q{self.ids}", text))
            self.queue, self.steers, self.paused = [*back, *self.queue], [], True
            self.tell_queue()
        if state != "completed" and self.queue:
            self.paused = True
            self.tell_queue()
        self.running = False
        self.events.append(TurnEnded(state=state, turn=self.turn, session="s"))  # type: ignore[arg-type]


ACTIONS = st.sampled_from(
    [
        *["write", "op"] * 3,
        *["tell"] * 2,
        "enter",
        "alt+s",
        "up",
        "escape",
        "ctrl+x",
        "step",
        "end",
        "alt+q",
        *["d", "s", "i", "K", "J", "p", "down", "e", "more"],
    ]
)


class Bargain:
    """A person, the core and the engine, each as slow as it likes."""

    def __init__(self) -> None:
        self.play, self.engine = Play(started=False), TinyEngine()
        self.written: list[str] = []

    def act(self, action: str, at_once: int) -> None:
        play, engine = self.play, self.engine
        listed = play.model.overlay is not None
        match action:
            case "write" | "more" | "up" | "enter" | "alt+s" if listed:
                play.press("escape", after=0.1)
            case "d" | "s" | "i" | "K" | "J" | "p" | "down" | "e" if not listed:
                return
            case "more" if play.model.composer.editing is None:
                return
            case "more":  # the number in front says which prompt it is
                play.type("+", after=0.1)
                play.press("enter", after=0.1)
            case "write":
                if not play.text:
                    self.written.append(f"prompt {len(self.written)}")
                    play.type(self.written[-1], after=0.1)
                play.press("enter", after=0.1)
            case "op":
                for _ in range(min(at_once, len(engine.ops))):
                    engine.handle(engine.ops.pop(0))
            case "tell":
                told, engine.events = engine.events[:at_once], engine.events[at_once:]
                play.feed(*told)
            case "step":
                engine.step()
            case "end":
                engine.end()
            case "up" if play.text or not play.model.queue:
                return  # that would be the history: sent again because a person wants it again
            case "d" | "s" | "i" | "p" | "e":
                play.press(action, "enter", after=0.1)
            case _:
                play.press(action, after=0.1)
        engine.ops += play.take()

    def settle(self) -> None:
        """Everything that is under way arrives, until nothing moves."""
        for _ in range(200):
            if not self.engine.ops and not self.engine.events:
                break
            self.act("op", 99)
            self.act("tell", 99)

    def finish(self) -> None:
        """The person lets everything run to its end."""
        for _ in range(200):
            self.settle()
            if self.engine.running:
                self.engine.step()
                self.engine.end()
            elif self.play.model.overlay is not None:
                self.act("escape", 1)
            elif self.play.text or self.play.model.queue or self.play.model.composer.editing:
                self.act("enter", 1)
            else:
                break


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.tuples(ACTIONS, st.integers(1, 4)), max_size=60))
def test_no_prompt_is_lost_or_sent_twice(actions: list[tuple[str, int]]) -> None:
    bargain = Bargain()
    for action, at_once in actions:
        bargain.act(action, at_once)
    bargain.finish()
    engine = bargain.engine
    assert not engine.queue and not engine.running
    begun = [text.rstrip("+") for text in engine.begun]
    assert len(begun) == len(set(begun))
    assert {*begun, *(text.rstrip("+") for text in engine.dropped)} == set(bargain.written)
    assert bargain.play.model.composer.editing is None and not bargain.play.model.edits
    assert bargain.play.model.in_flight is None
    assert not bargain.play.model.taken
