"""The screen of a recording: the real widgets, shown what they were shown, with nothing behind them
that acts; where the replay is, how fast it goes, and what each key does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import Final, Protocol

from agent_tui.boot import terminal
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import Op
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.regions import FooterView, OverlayView, PromptView, ToastView, View
from agent_tui.tui.recording.classes import UNPLAYABLE, unshown
from agent_tui.tui.recording.player import Player
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.view import view
from agent_tui.tui.widgets.theme import Theme

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
LEAP: Final = 10.0
"""Seconds that a page up or down goes."""
LEAST: Final = 8
"""Cells of the timeline, at least."""
SCROLLS: Final = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
"""Lines that the sheet about a moment is scrolled."""
KEYS: Final = (
    ("Space", "play"),
    ("←→", "step"),
    ("PgUp/PgDn", "10 s"),
    ("p n", "prompt"),
    ("+-", "speed"),
    ("i", "moment"),
    ("q", "leave"),
)


class Line(Protocol):
    """What is played: see `Player`."""

    @property
    def seconds(self) -> float: ...
    def __len__(self) -> int: ...
    def steps_before(self, moment: float) -> int: ...
    def moment(self, count: int) -> float: ...
    def prompt(self, count: int, way: int) -> int: ...


@frozen
class Control:
    """`count` steps have happened, at `moment` seconds. `about`: the sheet about this moment is
    open."""

    count: int = 0
    moment: float = 0.0
    speed: float = 1.0
    playing: bool = False
    about: bool = False
    scroll: int = 0
    jumps: int = 0
    """How often it went somewhere else than on."""

    def seek(self, line: Line, moment: float) -> Control:
        """Somewhere else."""
        moment = max(0.0, min(line.seconds, moment))
        return replace(self, moment=moment, count=line.steps_before(moment), jumps=self.jumps + 1)

    def seek_step(self, line: Line, count: int) -> Control:
        """After so many steps."""
        count = max(0, min(len(line), count))
        return replace(self, count=count, moment=line.moment(count), jumps=self.jumps + 1)

    def advance(self, line: Line, seconds: float) -> Control:
        """`seconds` have passed while it plays; at the end it stops."""
        moment = min(line.seconds, self.moment + seconds * self.speed)
        return replace(
            self, moment=moment, count=line.steps_before(moment), playing=moment < line.seconds
        )

    def press_key(self, line: Line, key: str) -> Control | None:
        """After `key`; None: it leaves."""
        if self.about and key in ("escape", "q", "i"):
            return replace(self, about=False, scroll=0)
        if self.about and key in SCROLLS:
            return replace(self, scroll=max(0, self.scroll + SCROLLS[key]))
        match key:
            case "q" | "escape" | "ctrl+c" | "ctrl+d":
                return None
            case "space":
                again = not self.playing and self.moment >= line.seconds
                return replace(self.seek(line, 0.0) if again else self, playing=not self.playing)
            case "right" | "left":
                return replace(
                    self.seek_step(line, self.count + (1 if key == "right" else -1)), playing=False
                )
            case "pagedown" | "pageup":
                return self.seek(line, self.moment + (LEAP if key == "pagedown" else -LEAP))
            case "n" | "p":
                return self.seek_step(line, line.prompt(self.count, 1 if key == "n" else -1))
            case "home" | "end":
                return self.seek(line, 0.0 if key == "home" else line.seconds)
            case "plus" | "equals_sign" | "minus":
                return self._faster(-1 if key == "minus" else 1)
            case "i":
                return replace(self, about=True, playing=False)
            case _ if key.isdigit():
                return self.seek(line, line.seconds * int(key) / 10)
            case _:
                return self

    def footer(self, more: tuple[tuple[str, str], ...] = ()) -> FooterView:
        """The keys. Those that scroll a sheet are named in its edge, if it has more to show."""
        play = ("Space", "pause" if self.playing else "play")
        pages = () if self.about else KEYS[2:3]
        return FooterView((play, KEYS[1], *pages, *KEYS[3:-1], *more, KEYS[-1]))

    def position_line(self, line: Line, width: int) -> str:
        """Where it is, in a line of about `width` cells: time, timeline, step, speed."""
        part = self.moment / line.seconds if line.seconds else 1.0
        state = "playing" if self.playing else "paused"
        before = f"Replay {state} {self.speed:g}×  {clock(self.moment)} "
        behind = f" {clock(line.seconds)}  step {self.count:,} of {len(line):,}"
        cells = max(LEAST, width - len(before) - len(behind))
        at = round(part * (cells - 1))
        return f"{before}{'━' * at}●{'─' * (cells - 1 - at)}{behind}"

    def _faster(self, way: int) -> Control:
        place = min(range(len(SPEEDS)), key=lambda n: abs(SPEEDS[n] - self.speed)) + way
        return replace(self, speed=SPEEDS[max(0, min(len(SPEEDS) - 1, place))])


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    whole = int(seconds)
    hours = f"{whole // 3600}:" if whole >= 3600 else ""
    return (
        f"{hours}{whole // 60 % 60:02}:{whole % 60:02}"
        if hours
        else f"{whole // 60}:{whole % 60:02}"
    )


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
        self.control = Control(speed=speed or 1.0, playing=speed > 0).seek(player, at)
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
            control = self.control.press_key(self.player, key)
            if control is None:
                self.exit(0)
                return False
            self.control = control
        return True

    def on_paste_text(self, _text: str, _unmarked: bool) -> None:
        """Nothing is typed here."""

    def _frame(self) -> None:
        now = time.monotonic()
        if self.control.playing:
            before = self.control
            self.control = before.advance(self.player, now - self._since)
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
            self.control.position_line(self.player, self._room[0] - 8),
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
