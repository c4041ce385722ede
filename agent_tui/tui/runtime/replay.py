"""The screen of a recording: the real widgets, shown what they were shown, with nothing behind them
that acts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import Final

from agent_tui.boot import terminal
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import Op
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.regions import OverlayView, PromptView, ToastView, View
from agent_tui.tui.recording.classes import UNPLAYABLE, unshown
from agent_tui.tui.recording.control import Control
from agent_tui.tui.recording.player import Player
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.view import view
from agent_tui.tui.widgets.theme import Theme

FRAME_SECONDS: Final = 1 / 30
KEEP_SECONDS: Final = 0.01
NAMES: Final = {"+": "plus", "-": "minus", "=": "equals_sign", " ": "space"}
"""How keys are called that come as text, several at once."""
About = Callable[[Player, int], str]
"""What there is to know of the moment after so many steps, as Markdown."""
Fork = Callable[[int], str]
"""Copies the session up to a record, and says in one line what came of it."""


class Nobody:
    """An engine that says nothing and does nothing."""

    def __init__(self) -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False

    def start(self, _wake: Callable[[], None]) -> None:
        """Nothing starts."""

    def send(self, _op: Op) -> None:
        """Nothing is done."""

    def stop(self, _timeout: float) -> None:
        """Nothing runs."""


class ReplayApp(AgentApp, inherit_bindings=False):
    """Plays `player`. `speed` 0: it stands still at first."""

    def __init__(
        self,
        player: Player,
        palette: Theme,
        about: About,
        fork: Fork,
        *,
        speed: float = 1.0,
        at: float = 0.0,
        early: terminal.Early | None = None,
    ) -> None:
        super().__init__(Nobody(), palette, early=early)
        self.player, self._about, self._fork = player, about, fork
        self.control = Control(speed=speed or 1.0, playing=speed > 0).at(player, at)
        self._room = (80, 24)
        self._said = ""
        self._since = 0.0

    # -- what drives it

    def on_ready(self) -> None:
        super().on_ready()
        self._since = time.monotonic()
        self.set_interval(FRAME_SECONDS, self._frame)
        self._show()
        asyncio.get_running_loop().call_later(KEEP_SECONDS, self._keep)

    def dispatch(self, *messages: msg.Msg) -> None:
        """What the widgets tell is of no account, but for the size of the terminal."""
        for message in messages:
            if isinstance(message, msg.Started | msg.Resized):
                self._room = (message.width, message.height)
                self._show()

    def key_aside(self, _key: str) -> bool:
        return True

    def key_taken(self, key: str, character: str, _draft: str) -> bool:
        for one in (
            (key,) if key else (NAMES.get(letter, letter) for letter in character)
        ):  # a slow line brings several
            if not self._pressed(one):
                break
        self._since = time.monotonic()
        self._show()
        return True

    def _pressed(self, key: str) -> bool:
        """Whether it goes on."""
        if key == "f" and not self.control.about:
            self._said = self._fork(self.player.last_record(self.control.count))
        else:
            self._said = ""
            control = self.control.pressed(self.player, key)
            if control is None:
                self.exit(0)
                return False
            self.control = control
        return True

    def pasted(self, _text: str, _unmarked: bool) -> None:
        """Nothing is typed here."""

    def _frame(self) -> None:
        now = time.monotonic()
        if self.control.playing:
            before = self.control
            self.control = before.on(self.player, now - self._since)
            if (before.count, int(before.moment)) != (self.control.count, int(self.control.moment)):
                self._show()
        self._since = now

    def _keep(self) -> None:
        """Play ahead in slices, so that it can be gone to any moment at once."""
        if self.player.keep():
            asyncio.get_running_loop().call_later(KEEP_SECONDS, self._keep)

    # -- what is to be seen

    def _show(self) -> None:
        model = self._fitted(self.player.model(self.control.count))
        try:
            shown = self._view(model)
        except UNPLAYABLE as error:
            self._said, model = unshown(error), self._fitted(initial())
            shown = self._view(model)
        self.model = model
        self.regions.show(shown)

    def _fitted(self, model: Model) -> Model:
        width, height = self._room
        reading = replace(model.reading, jump=model.reading.jump + self.control.jumps)
        return replace(model, width=width, height=height, reading=reading)

    def _view(self, model: Model) -> View:
        shown, composer = view(model), model.composer
        prompt = PromptView(
            self.control.count + self.control.jumps,
            composer.draft,
            shown.prompt.placeholder,
            self.control.where(self.player, self._room[0] - 8),
            place=composer.caret,
        )
        toast = ToastView(self._said) if self._said else shown.toast
        toast = (
            replace(toast, above=1) if toast is not None else None
        )  # the keys here are not those of then
        footer = self.control.footer((("f", "fork"),))
        overlay = self._sheet() if self.control.about else shown.overlay
        return replace(
            shown, prompt=prompt, toast=toast, footer=footer, overlay=overlay, grab_all=True
        )

    def _sheet(self) -> OverlayView:
        text = self._about(self.player, self.control.count)
        return OverlayView("This moment", (), scroll=self.control.scroll, text=text)
