"""A long paste in a real pty: until its chip is on the screen, and whether keys wait after it. And
one of a terminal that does not mark pastes, which comes as keys: until its last letter has been
answered, beside the bare app.

`whole` is from the first byte of the paste to its chip, with the time in which the terminal hands
it over and the key
parser reads it; `after its end` from the last byte: the parser's end, the Paste event, the chip,
the frame.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final

from benchmarks.common import (
    LETTERS,
    PACE,
    agent,
    bare,
    folder,
    judged,
    median,
    ms,
    percentile,
    quick,
    report,
    running,
)

GOAL: Final = 0.3
"""Seconds from the Paste event to the screen."""
KEY: Final = 0.2
PATIENCE: Final = 120.0
KEYS: Final = 4 if quick() else 20
REST: Final = 0.55 * PACE
"""So long nobody types: then the draft goes on record while the keys after it come."""
PIECE: Final = 1 << 16
UNMARKED: Final = 3_000
"""Characters that come as keys, in one write."""
KEYS_GOAL: Final = 0.5
FLOOR: Final = "the prompt of the bare app"
PLACES: Final = {FLOOR: "", "the prompt": "", "the palette": "\x10"}
"""Where they go, and what opens it."""
RUNS: Final = 1 if quick() else 5


@dataclass(slots=True)
class Case:
    name: str
    text: str
    whole: float = 0.0
    after: float = 0.0
    memory: float = 0.0
    echoes: list[float] = field(default_factory=list)


def cases(size: int) -> list[Case]:
    """All cases; `size` 1 is the real thing, 100 a hundredth of it."""
    line = "some words in a line of a log, with 漢字 and [brackets] and \x1b[31mcontrol\x1b[0m characters\n"
    return [
        Case("100,000 short lines", "x = 1\n" * (100_000 // size)),
        Case("1 MB of lines", "some words of a line\n" * (1_000_000 // 21 // size)),
        Case("20 MB of lines", "some words of a line\n" * (20_000_000 // 21 // size)),
        Case("20 MB in one line", "x" * (20_000_000 // size)),
        Case(
            "20 MB with escape sequences and wide letters",
            line * (20_000_000 // len(line.encode()) // size),
        ),
    ]


def measure(case: Case) -> None:
    with folder() as home:
        (home / "work" / "s.json").write_text(json.dumps({"steps": [[{"text": "ok"}]]}))
        with running(agent("-m", "scripted/s.json"), home) as terminal:
            terminal.ready()
            terminal.quiet(0.5, 5.0)
            terminal.mark()
            begun = terminal.now()
            terminal.hand_over(f"\x1b[200~{case.text}\x1b[201~", PIECE, PATIENCE)
            last = terminal.now()
            shown = terminal.wait("[Pasted text #1", PATIENCE)
            case.whole, case.after = shown - begun, shown - last
            for number in range(KEYS):
                if number == KEYS // 2:
                    terminal.pump(REST)
                case.echoes.append(terminal.key(LETTERS[number], PATIENCE))
                terminal.pump(0.05)
            case.memory = terminal.memory()


def unmarked(place: str, size: int) -> tuple[float, float]:
    """From the first byte of `size` keys to the frame that answers the last; the CPU seconds that
    it took."""
    opens, last = PLACES[place], LETTERS[-1]
    with folder() as home:
        (home / "work" / "s.json").write_text(json.dumps({"steps": [[{"text": "ok"}]]}))
        with running(
            bare() if place == FLOOR else agent("-m", "scripted/s.json"), home
        ) as terminal:
            terminal.ready()
            terminal.quiet(1.5 * PACE, 5.0)
            terminal.write(opens)
            terminal.quiet(0.5 * PACE, 5.0)
            text = ("mode " * (size // 5 + 1))[
                : size - 1
            ] + last  # each word is found in the palette
            terminal.mark()
            begun, used = terminal.now(), terminal.cpu()
            terminal.hand_over(text, PIECE, PATIENCE)
            answered = terminal.wait(last, PATIENCE)
            return answered - begun, terminal.cpu() - used


def report_unmarked() -> None:
    rows, slowest = [], 0.0
    for size in (UNMARKED // 10,) if quick() else (UNMARKED // 10, UNMARKED, UNMARKED * 3):
        for place in (
            PLACES if size <= UNMARKED else [one for one in PLACES if one != FLOOR]
        ):  # its time is quadratic
            took = [unmarked(place, size) for _ in range(RUNS)]
            wall, cpu = (median([one[which] for one in took]) for which in (0, 1))
            rows.append((place, f"{size:,}", ms(wall), ms(cpu)))
            slowest = max(slowest, wall if size == UNMARKED and place != FLOOR else 0.0)
    report(
        f"a paste that comes as keys (median of {RUNS})",
        ("place", "characters", "until answered", "CPU"),
        rows,
        [judged(f"{UNMARKED:,} of them are answered in {ms(KEYS_GOAL)}", slowest <= KEYS_GOAL)],
    )


def main() -> None:
    report_unmarked()
    measured = cases(100)[::4] if quick() else cases(1)
    rows = []
    for case in measured:
        measure(case)
        size = f"{len(case.text.encode()) / 1e6:.1f} MB"
        keys = (ms(percentile(case.echoes, 0.5)), ms(max(case.echoes)))
        rows.append(
            (case.name, size, ms(case.whole), ms(case.after), *keys, f"{case.memory:.0f} MB")
        )
    after, worst = max(case.after for case in measured), max(max(case.echoes) for case in measured)
    report(
        "a long paste",
        ("case", "size", "whole", "after its end", "key p50 after", "worst key", "memory"),
        rows,
        [
            judged(f"the chip is on the screen {ms(GOAL)} after its end", after <= GOAL),
            judged(f"no key after it waits over {ms(KEY)}", worst <= KEY),
        ],
    )


if __name__ == "__main__":
    main()
