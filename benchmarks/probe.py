"""Measurements of a program in a pty, from the outside: the same for every program that takes a
prompt and Enter."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, islice

from benchmarks.common import LETTERS, PACE, Pty, environment, folder, model, running
from benchmarks.server import sign

RATE = 100
"""Tokens a second of a usual model."""
TYPING, PAUSE = 0.4 * PACE, 0.45 * PACE
"""Seconds in which a prompt is typed, and until Enter."""
SIZE, SMALLER = (120, 40), (100, 30)
LEAD, TRAIL = 1.0 * PACE, 0.7 * PACE
"""Seconds of an answer before it is measured, so that it is under way, and after."""
QUIET = 1.0
"""Seconds without output after which a program is taken to be done (see `Pty.quiet`)."""

_CONTROL = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-Z\\^-~]|\x1b.*$|[\x07-\x0f]",
    re.DOTALL,
)
"""Control sequences (the last may be cut off), line breaks, tabs."""
_signs = count(1)


def draws(output: bytes, blanks: bool) -> bool:
    """Whether there is text in it beside control sequences; with `blanks`, coloured blanks are
    enough."""
    text = _CONTROL.sub(b"", output)
    return bool(text if blanks else text.strip())


@dataclass(slots=True)
class Window:
    """What a stretch of time cost: seconds, CPU seconds, bytes to the terminal, and each key's time
    to its echo."""

    seconds: float = 0.0
    cpu: float = 0.0
    echoes: list[float] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Percent of a core."""
        return self.cpu / self.seconds * 100

    @property
    def tick(self) -> float:
        """CPU seconds of each tenth of a second."""
        return self.cpu / self.seconds / 10


def window(terminal: Pty, seconds: float, typing: bool = True) -> Window:
    """Watch for `seconds`; with `typing`, about five keys a second are typed and each taken back
    again."""
    measured, moments = Window(), random.Random(5)
    begin, cpu = terminal.now(), terminal.cpu()
    while terminal.now() - begin < seconds:
        if typing:
            measured.echoes.append(terminal.key(LETTERS[len(measured.echoes) % len(LETTERS)]))
        terminal.pump(
            0.18 * moments.uniform(0.7, 1.3)
        )  # no timer of a program falls in with these moments
    measured.seconds, measured.cpu = terminal.now() - begin, terminal.cpu() - cpu
    return measured


def first_paint(terminal: Pty, blanks: bool = False) -> float:
    """Seconds from the start of the process to the first output that draws text (see `draws`)."""
    if not terminal.pump(30.0, lambda: draws(terminal.seen, blanks)):
        raise TimeoutError(f"nothing was drawn; the output was {terminal.seen[-2000:]!r}")
    return terminal.last - terminal.started


def start(terminal: Pty, blanks: bool) -> tuple[float, float]:
    """Seconds to the first paint, and to the first key that the program draws."""
    painted = first_paint(terminal, blanks)
    return painted, terminal.ready()


def interpreter(executable: str) -> float:
    """Seconds of `python -c pass`, from its start to its end."""
    with folder() as home:
        terminal = Pty([executable, "-c", "pass"], home / "work", environment(home))
        terminal.pump(10.0, lambda: terminal.ended)
        took = terminal.last - terminal.started
        terminal.close()
        return took


def typed(terminal: Pty, plan: str) -> list[str]:
    """Type a prompt that asks for the parts of `plan`; returns the signs that their ends will show."""
    numbers = list(islice(_signs, plan.count("@")))
    terminal.write(f"stream {plan} #{numbers[0] - 1}")
    terminal.pump(PAUSE)
    return [sign(number) for number in numbers]


def enter(terminal: Pty) -> None:
    terminal.mark()
    terminal.write("\r")


def warm_up(terminal: Pty) -> None:
    """Start, and have one short answer, as a person would: what is loaded once is loaded."""
    terminal.ready()
    terminal.quiet(QUIET, 5.0)
    [end] = typed(terminal, "300@0")
    enter(terminal)
    terminal.wait(end)
    terminal.quiet(QUIET, 8.0)


def at_rate(terminal: Pty, seconds: float, typing: bool) -> tuple[Window, int]:
    """A window in an answer at `RATE`; with it the bytes written to the terminal for that whole
    answer."""
    [end] = typed(terminal, f"{int((seconds + LEAD + TRAIL) * RATE)}@{RATE}")
    before = terminal.written
    enter(terminal)
    terminal.pump(LEAD)
    measured = window(terminal, seconds, typing)
    terminal.wait(end, 30.0)
    terminal.settle()
    return measured, terminal.written - before


def at_once(terminal: Pty, tokens: int, seconds: float = 120.0) -> tuple[float, float]:
    """Seconds, and CPU seconds, from Enter to the painted end of `tokens` that come as fast as they
    are read."""
    [end] = typed(terminal, f"{tokens}@0")
    cpu, begin = terminal.cpu(), terminal.now()
    enter(terminal)
    terminal.wait(end, seconds)
    took = terminal.last - begin, terminal.cpu() - cpu
    terminal.quiet(QUIET, 8.0)
    return took


def settled(terminal: Pty) -> float:
    """Seconds from now to the last byte of the burst of output that must come. Raises TimeoutError."""
    begin, before = terminal.now(), terminal.written
    if not terminal.pump(3.0, lambda: terminal.written > before):
        raise TimeoutError("nothing was drawn")
    return terminal.settle() - begin


def resizes(terminal: Pty, times: int) -> list[float]:
    """Seconds from each change of the terminal's size, there and back, until all is drawn."""
    took = []
    for size in (SMALLER, SIZE) * times:
        terminal.resize(*size)
        took.append(settled(terminal))
    return took


def idle(terminal: Pty, seconds: float) -> float:
    """Percent of a core while nothing happens."""
    terminal.quiet(QUIET, 8.0)
    terminal.pump(QUIET * PACE)
    before = terminal.cpu()
    terminal.pump(seconds)
    return (terminal.cpu() - before) / seconds * 100


def first_answer(command: Sequence[str], url: str) -> float:
    """Seconds from the start of the process to the first answer, with the typing of the prompt in
    them."""
    number = next(_signs)
    prompt = f"stream 1@0 #{number - 1} ".ljust(100, ".")
    with folder() as home, running(command, home, **model(url)) as terminal:
        first_paint(terminal, blanks=True)
        while terminal.echoes:
            terminal.pump(0.002)
        for letter in prompt:
            terminal.write(letter)
            terminal.pump(TYPING / len(prompt))
        terminal.pump(PAUSE)
        enter(terminal)
        terminal.wait(sign(number), 20.0)
        return terminal.last - terminal.started
