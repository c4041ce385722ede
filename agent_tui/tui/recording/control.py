"""Playing a recording: where it is, how fast it goes, and what each key does. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol

from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.regions import FooterView

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
    def before(self, moment: float) -> int: ...
    def moment(self, count: int) -> float: ...
    def prompt(self, count: int, way: int) -> int: ...


@frozen
class Control:
    """`count` steps have happened, at `moment` seconds. `about`: the sheet about this moment is open."""

    count: int = 0
    moment: float = 0.0
    speed: float = 1.0
    playing: bool = False
    about: bool = False
    scroll: int = 0
    jumps: int = 0
    """How often it went somewhere else than on."""

    def at(self, line: Line, moment: float) -> Control:
        """Somewhere else."""
        moment = max(0.0, min(line.seconds, moment))
        return replace(self, moment=moment, count=line.before(moment), jumps=self.jumps + 1)

    def to(self, line: Line, count: int) -> Control:
        """After so many steps."""
        count = max(0, min(len(line), count))
        return replace(self, count=count, moment=line.moment(count), jumps=self.jumps + 1)

    def on(self, line: Line, seconds: float) -> Control:
        """`seconds` have passed while it plays; at the end it stops."""
        moment = min(line.seconds, self.moment + seconds * self.speed)
        return replace(
            self, moment=moment, count=line.before(moment), playing=moment < line.seconds
        )

    def pressed(self, line: Line, key: str) -> Control | None:
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
                return replace(self.at(line, 0.0) if again else self, playing=not self.playing)
            case "right" | "left":
                return replace(
                    self.to(line, self.count + (1 if key == "right" else -1)), playing=False
                )
            case "pagedown" | "pageup":
                return self.at(line, self.moment + (LEAP if key == "pagedown" else -LEAP))
            case "n" | "p":
                return self.to(line, line.prompt(self.count, 1 if key == "n" else -1))
            case "home" | "end":
                return self.at(line, 0.0 if key == "home" else line.seconds)
            case "plus" | "equals_sign" | "minus":
                return self._faster(-1 if key == "minus" else 1)
            case "i":
                return replace(self, about=True, playing=False)
            case _ if key.isdigit():
                return self.at(line, line.seconds * int(key) / 10)
            case _:
                return self

    def footer(self, more: tuple[tuple[str, str], ...] = ()) -> FooterView:
        """The keys."""
        page = ("PgUp/PgDn", "scroll") if self.about else KEYS[2]
        return FooterView(
            (
                ("Space", "pause" if self.playing else "play"),
                KEYS[1],
                page,
                *KEYS[3:-1],
                *more,
                KEYS[-1],
            )
        )

    def where(self, line: Line, width: int) -> str:
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
