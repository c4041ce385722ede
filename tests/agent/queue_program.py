"""A person at work on the real engine, through the pure core: types, queues, edits, steers, stops,
until it is killed.

    python -m tests.agent.queue_program FOLDER MODEL SEED ACTIONS SESSION

Each prompt has a number of its own. What the person takes back is said on a line of stdout before
it is done; another line for each action. After ACTIONS of them everything that waits is let out,
and the program ends by itself.
"""

from __future__ import annotations

import queue
import random
import sys
from pathlib import Path

from agent_tui.agent.worker import Worker
from agent_tui.protocol.event import Event, Restored
from agent_tui.tui.core.effects import Send
from agent_tui.tui.core.msg import DraftChanged
from tests.agent.driving import Place
from tests.tui.play import Play

ACTIONS = (
    "write",
    "write",
    "write",
    "hear",
    "hear",
    "up",
    "steer",
    "escape",
    "resume",
    "list",
    "ctrl+x",
)
IN_THE_LIST = ("d", "s", "i", "K", "J", "p", "down", "e", "escape")


class Person:
    def __init__(self, where: Place, model: str, session: str, seed: int) -> None:
        self.worker = Worker(where.config(model, resume=session, mode="accept-all"))
        self.play = Play(started=False)
        self.random = random.Random(seed)
        self.written, self.seed = 0, seed
        self.worker.start(lambda: None)
        while not self.play.model.started:
            self.hear(20.0)

    def hear(self, patience: float = 0.02) -> None:
        """What the engine said, and what the core makes of it."""
        told: list[Event | Restored] = []
        try:
            told.append(self.worker.events.get(timeout=patience))
            while True:
                told.append(self.worker.events.get_nowait())
        except queue.Empty:
            pass
        if told:
            self.play.feed(*told)
        self.hand_on()

    def hand_on(self) -> None:
        for effect in self.play.effects:
            if isinstance(effect, Send):
                self.worker.send(effect.op)
        self.play.effects.clear()

    def act(self) -> None:
        play, action = self.play, self.random.choice(ACTIONS)
        if play.model.overlay is not None:
            self.list(self.random.choice(IN_THE_LIST))
        elif play.model.composer.editing is not None:
            self.edit(self.random.choice(("enter", "escape", "alt+s")))
        elif action == "write":
            self.empty()
            self.written += 1
            play.type(f"p{self.seed}-{self.written} ")
            play.press("enter")
        elif action == "hear":
            self.hear()
        elif action == "ctrl+x":
            if self.random.random() < 0.2:
                asked = (
                    f"p{self.seed}-{number}" for number in range(1, self.written + 1)
                )  # some are on their way
                self.say_gone(*asked, *(item.text for item in play.model.transcript.queue))
                play.press("ctrl+x")
        else:
            self.empty()
            play.press({"steer": "enter", "resume": "enter", "list": "alt+q"}.get(action, action))
            if action == "up" and play.model.composer.editing is None:
                self.empty()  # that was the history: those prompts are not sent again
        self.hand_on()
        print("did", action, flush=True)

    def list(self, key: str) -> None:
        if key == "d" and (listed := self.play.model.waiting_prompts):
            shown = self.play.model.overlay
            assert shown is not None and shown.picker is not None
            self.say_gone(listed[shown.picker.at].text)
        self.play.press(key)

    def edit(self, key: str) -> None:
        if key != "escape":
            self.play.type("again ")
        self.play.press(key)

    def empty(self) -> None:
        """A draft that came back is not sent again."""
        if self.play.text:
            self.play.text = ""
            self.play.say(DraftChanged(""))

    def say_gone(self, *texts: str) -> None:
        for text in texts:
            print("gone", text.split()[0], flush=True)

    def finish(self) -> None:
        """Everything goes out and comes to its end."""
        while True:
            self.hear(0.05)
            model = self.play.model
            if model.overlay is not None or model.composer.editing is not None:
                self.play.press("escape")
            elif model.transcript.state == "idle" and model.in_flight is None:
                if not model.queue and not model.taken:
                    break
                if model.transcript.paused:
                    self.empty()
                    self.play.press("enter")
            self.hand_on()
        self.worker.stop(10)


if __name__ == "__main__":
    folder, model, seed, actions, session = sys.argv[1:]
    person = Person(Place(Path(folder)), model, session, int(seed))
    print("ready", flush=True)
    for _ in range(int(actions)):
        person.act()
    person.finish()
