"""Plays the pure core without a screen: keys as a terminal sends them, a prompt that keeps its own
text, events as an engine tells them. What the core asks of the engine is collected in `ops`."""

from __future__ import annotations

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import SessionStarted, StepStarted, TurnEnded, TurnStarted
from agent_tui.protocol.ops import Op, SaveDraft
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.tui.commands import bindings
from agent_tui.tui.core.effects import Effect, ExpireToast, Send, Type
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    HistoryAsked,
    KeyPressed,
    Msg,
    Started,
    Submitted,
    Ticked,
    VimMoved,
    Yielded,
)
from agent_tui.tui.core.regions import Span, View
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.answers import answer_event

CHARACTERS = {"question_mark": "?", "space": " ", "slash": "/"}
SKILLS = [
    {
        "name": "review",
        "description": "Review a change.",
        "arguments": ["file"],
        "free": False,
        "source": "user",
    },
    {"name": "tidy", "description": "Tidy up.", "arguments": [], "free": True, "source": "project"},
]


class Play:
    """A person before the screen. Time passes one second a key unless said otherwise."""

    def __init__(self, *, model: str = "fake/model", started: bool = True) -> None:
        self.model: Model = initial()
        self.text = ""
        self.rev = 0
        self.at = 1_000.0
        self.effects: list[Effect] = []
        self.asked = (1, 1)
        """Of what is asked about: how many lines are in view, and how many there are."""
        self.turn = 0
        self.say(Started(80, 24, home="/home/ada"))
        if started:
            self.feed(SessionStarted(session="s", cwd="/home/ada/work", model=model, window=32_768))
            self.feed(answer_event("start", "skills", SKILLS))
        self.effects.clear()

    # -- Msgs

    def say(self, msg: Msg, after: float = 1.0) -> View:
        """Give the core `msg`, `after` seconds later, as the runtime would; returns what is to be
        seen."""
        held = self.model.held
        if held is not None and held.due <= self.at + after:
            self.rest()
        self.at += after
        object.__setattr__(msg, "at", self.at)
        self.model, effects = update(self.model, msg)
        self.effects += effects
        self._wrote(effects)
        return view(self.model)

    def _wrote(self, effects: tuple[Effect, ...]) -> None:
        """What the prompt does with them."""
        shown = view(self.model)
        if shown.prompt.rev != self.rev:
            self.rev, self.text = shown.prompt.rev, shown.prompt.text
        for effect in effects:
            if isinstance(effect, Type) and self.model.vim == "normal":
                if effect.character and effect.character in "iIaAoO":
                    self.say(VimMoved("insert"), after=0.0)
            elif isinstance(effect, Type) and (effect.character or effect.key == "backspace"):
                self.text = self.text + effect.character if effect.character else self.text[:-1]
                self.say(DraftChanged(self.text, len(self.text)), after=0.0)

    def feed(self, *events: Event | Restored, after: float = 1.0) -> View:
        return self.say(EventsArrived(events), after)

    def tick(self, seconds: float = 0.1) -> View:
        return self.say(Ticked(), after=seconds)

    def type(self, text: str, after: float = 1.0) -> View:
        """Type or paste `text` at the end of the prompt."""
        self.text += text
        return self.say(DraftChanged(self.text, len(self.text)), after)

    def rest(self) -> View:
        """Nothing is pressed until a key that is held answers."""
        held = self.model.held
        assert held is not None
        self.at = max(self.at, held.due)
        self.model, effects = update(self.model, Yielded(at=self.at))
        self.effects += effects
        self._wrote(effects)
        return view(self.model)

    def press(
        self, *keys: str, after: float = 1.0, selection: bool = False, rests: bool = True
    ) -> View:
        """Press `keys`, then wait for what a held one does, unless this person does not rest."""
        for key in keys:
            self._key(key, after, selection)
        if rests and self.model.held is not None and self.model.held.due < float("inf"):
            self.rest()
        return view(self.model)

    def _key(self, key: str, after: float, selection: bool) -> None:
        shown = view(self.model)
        character = CHARACTERS.get(key, key if len(key) == 1 else "")
        grabbed = shown.grab_all or key in shown.grab
        if key in ("enter", "ctrl+s") and not grabbed:
            self.say(Submitted(self.text), after)
        elif key in ("up", "down") and not grabbed:
            self.say(HistoryAsked(-1 if key == "up" else 1, self.text), after)
        elif grabbed or key in bindings():
            self.say(KeyPressed(key, character, self.text, selection, asked=self.asked), after)
        elif character:
            self.type(character, after)

    # -- what came of it

    @property
    def ops(self) -> list[Op]:
        """What the engine was asked for, drafts aside."""
        return [
            e.op for e in self.effects if isinstance(e, Send) and not isinstance(e.op, SaveDraft)
        ]

    def take(self) -> list[Op]:
        """The ops since the last time."""
        ops = self.ops
        self.effects.clear()
        return ops

    def takes(self, kind: type[Effect]) -> list[Effect]:
        """The effects of `kind` since the last time."""
        found = [effect for effect in self.effects if isinstance(effect, kind)]
        self.effects.clear()
        return found

    @property
    def view(self) -> View:
        return view(self.model)

    @property
    def toast(self) -> str:
        """What the toast says; every toast has an end."""
        shown = self.view.toast
        if shown is None:
            return ""
        assert self.model.toast is not None
        number = self.model.toast.number
        assert any(isinstance(e, ExpireToast) and e.number == number for e in self.effects)
        return shown.text

    # -- an engine's words

    def begin(self, prompt: str = "work", queue_id: str = "") -> View:
        """A turn begins."""
        self.turn += 1
        started = TurnStarted(
            prompt=prompt, queue_id=queue_id, turn=self.turn, session="s", at=self.at
        )
        return self.feed(started, StepStarted(step=1, turn=self.turn, session="s"))

    def end(self, state: TurnEnd = "completed") -> View:
        return self.feed(TurnEnded(state=state, turn=self.turn, session="s"))


def words(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)
