"""The prompt queue: nothing is lost, nothing is sent twice, and Esc never fires it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    ModelChanged,
    QueueChanged,
    SessionStarted,
    SteerSeen,
    StepStarted,
    TurnEnded,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.ops import Cancel, Op, QueueEdit, Steer, Submit
from agent_tui.protocol.transcript import Queued
from tests.tui.play import Play, words


def _queue(*texts: str, paused: bool = False) -> QueueChanged:
    return QueueChanged(items=tuple(Queued(f"id-{text}", text) for text in texts), paused=paused, session="s")


def _running(*texts: str) -> Play:
    play = Play()
    play.begin()
    play.feed(_queue(*texts))
    play.effects.clear()
    return play


def test_the_oldest_goes_out_when_the_turn_is_over_and_only_once() -> None:
    play = _running("one", "two")
    play.end()
    assert play.take() == [Submit("one", queue_id="id-one")]
    play.feed(_queue("one", "two"))
    play.tick()
    assert play.take() == []
    assert [item.text for item in play.model.queue] == ["two"]
    play.begin("one", "id-one")
    play.end()
    assert play.take() == [Submit("two", queue_id="id-two")]


def test_a_paused_queue_waits_and_enter_on_an_empty_prompt_resumes_it() -> None:
    play = _running("one")
    play.press("escape")
    assert play.take() == [Cancel()]
    play.feed(_queue("one", paused=True))
    play.end("cancelled")
    assert play.take() == []
    assert play.text == "work"
    play.press("ctrl+c", "enter")
    assert play.take() == [QueueEdit("resume")]
    play.feed(_queue("one"))
    assert play.take() == [Submit("one", queue_id="id-one")]


def test_enter_on_an_empty_prompt_steers_with_the_oldest() -> None:
    play = _running("one", "two")
    play.press("enter", "enter")
    assert play.take() == [Steer(queue_id="id-one"), Steer(queue_id="id-two")]
    assert play.view.queue is None


def test_alt_s_on_an_empty_prompt_does_the_same() -> None:
    play = _running("one")
    play.press("alt+s")
    assert play.take() == [Steer(queue_id="id-one")]


def test_up_on_an_empty_prompt_takes_the_last_one_back() -> None:
    play = _running("one", "two")
    play.press("up")
    assert play.take() == [QueueEdit("remove", id="id-two")]
    assert play.text == "two"
    assert [item.text for item in play.model.queue] == ["one"]
    play.end()
    assert play.take() == [Submit("one", queue_id="id-one")]


def test_ctrl_x_interrupts_and_clears() -> None:
    play = _running("one")
    play.press("ctrl+x")
    assert play.take() == [Cancel(clear_queue=True)]


def test_ctrl_x_with_nothing_running_clears_the_queue() -> None:
    play = Play()
    play.feed(_queue("one", paused=True))
    play.press("ctrl+x")
    assert play.take() == [QueueEdit("clear")]


def test_a_new_prompt_goes_before_a_paused_queue() -> None:
    play = Play()
    play.feed(_queue("one", paused=True))
    play.type("now")
    play.press("enter")
    assert play.take() == [Submit("now")]


def test_the_header_and_the_queue_show_what_waits() -> None:
    play = _running("one", "two\nlines")
    assert "queued (2)" in words(play.view.header.right)
    assert play.view.queue is not None
    assert play.view.queue.items == ("one", "two ⏎ lines")
    play.feed(_queue("one", paused=True))
    assert "paused" in words(play.view.header.right)
    assert play.view.queue is not None and play.view.queue.paused


def test_without_a_model_the_queue_waits() -> None:
    play = Play(model="")
    play.feed(_queue("one"))
    assert play.take() == []
    play.feed(ModelChanged("fake/model", session="s"))
    assert play.take() == [Submit("one", queue_id="id-one")]


class TinyEngine:
    """The engine's part of the bargain, in memory: ops come in order, events leave in order, at any pace."""

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
                self.queue = [item for item in self.queue if item.id != op.id]
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
    [*["write", "op"] * 3, *["tell"] * 2, "enter", "alt+s", "up", "escape", "ctrl+x", "step", "end"]
)


class Bargain:
    """A person, the core and the engine, each as slow as it likes."""

    def __init__(self) -> None:
        self.play, self.engine = Play(started=False), TinyEngine()
        self.written: list[str] = []

    def act(self, action: str, at_once: int) -> None:
        play, engine = self.play, self.engine
        match action:
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
            elif self.play.text or self.play.model.queue:
                self.act("enter", 1)
            else:
                break


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(ACTIONS, st.integers(1, 4)), max_size=60))
def test_no_prompt_is_lost_or_sent_twice(actions: list[tuple[str, int]]) -> None:
    bargain = Bargain()
    for action, at_once in actions:
        bargain.act(action, at_once)
    bargain.finish()
    engine = bargain.engine
    assert not engine.queue and not engine.running
    assert len(engine.begun) == len(set(engine.begun))
    assert {*engine.begun, *engine.dropped} == set(bargain.written)
    assert bargain.play.model.in_flight is None
    assert not bargain.play.model.taken


def test_words_for_the_running_turn_are_shown_apart_and_are_no_prompt_of_their_own() -> None:
    play = Play()
    play.feed(TurnStarted(prompt="go", turn=1), QueueChanged(items=(Queued("1", "and this", steer=True),)))
    assert play.view.queue is not None
    assert (play.view.queue.items, play.view.queue.steers) == ((), ("and this",))
    play.feed(TurnEnded(state="completed"))
    assert not any(isinstance(op, Submit) for op in play.take())
    play.feed(QueueChanged(items=(Queued("2", "and this"),)))
    assert [op for op in play.take() if isinstance(op, Submit)] == [Submit("and this", queue_id="2")]
