"""Every list in the whole program: the time from the key that opens it to its frame, and of each
key in it.

The program runs in a pty, over a folder of 2,000 files, 200 sessions and a log of 100 MB. The first
opening of a list brings the import of the lists with it; it is shown apart. The floor is the echo
of a letter in the prompt, in the same run. Beside each time stands the CPU time of the program: on
a busy machine only that says something.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common import (
    LETTERS,
    Pty,
    agent,
    folder,
    judged,
    median,
    model,
    ms,
    percentile,
    quick,
    report,
    running,
    server,
)
from benchmarks.sessions import ID, write_session

ROUNDS, COLD = (1, 0) if quick() else (8, 1)
"""So often each list is opened and counted, and before that, not counted."""
FILES, SESSIONS = (50, 5) if quick() else (2_000, 200)
LOG_BYTES = 1_000_000 if quick() else 100_000_000
LINE = "9999-01-01 12:00:00,000 INFO a line as the program writes it, of some length\n"
FULL_LOG = "agent-99990101-000000-000000.log"
"""Named so that it is the newest."""
LISTS = {
    "palette": ("\x10", "Esc", "mod"),
    "help": ("\x1bOP", "Esc", "mod"),
    "models": ("\x0c", "openai/bench", "ben"),
    "sessions": ("/resume\r", " ago ", "pro"),
    "themes": ("/theme\r", "nord", "nor"),
    "modes": ("/mode\r", "edits files", "pla"),
    "files": ("/files\r", "f1.py", "f1"),
    "log (100 MB)": ("/log\r", "a line as the program", "ses"),
    "debug console": ("/debug\r", "COLORTERM", "tex"),
    "settings": ("/settings\r", "Esc", "dis"),
}
"""How it is opened, what is in its frame once it is filled, and what is typed in it."""
COMPLETION = "commands under /"
ESCAPE = 0.12
"""So long after an Esc it is sure that no more follows."""


def prepare(home: Path) -> None:
    """Files, sessions and a log as they are after months."""
    for number in range(FILES):
        (home / "work" / f"f{number}.py").write_text("print()\n" * 5)
    write_session(home, 1_000)
    folder = home / "agent-tui" / "sessions"
    for number in range(1, SESSIONS):
        shutil.copy(folder / f"{ID}.jsonl", folder / f"{number:08}{ID[8:]}.jsonl")
    logs = home / "agent-tui" / "logs"
    logs.mkdir()
    with (logs / FULL_LOG).open("w") as file:
        for _ in range(LOG_BYTES // len(LINE) // 1_000):
            file.write(LINE * 1_000)


Sample = tuple[float, float]
"""Seconds from a key to the frame that answers it, and those of CPU time that the program took for
it."""


def timed(terminal: Pty, key: str, inside: str) -> Sample:
    terminal.mark()
    begun, used = terminal.now(), terminal.cpu()
    terminal.write(key)
    return terminal.wait(inside) - begun, terminal.cpu() - used


def opened(terminal: Pty, keys: str, inside: str) -> Sample:
    """From the last of `keys` to the frame of the filled list."""
    if keys.endswith("\r"):
        terminal.write(keys[:-1])
        terminal.quiet(0.15)
        keys = "\r"
    return timed(terminal, keys, inside)


def typed(terminal: Pty, text: str) -> list[Sample]:
    """From each letter of `text` to its frame."""
    took = []
    for number in range(1 if quick() else len(text)):
        terminal.quiet(0.1)
        took.append(timed(terminal, text[number], f"{text[: number + 1]}▏"))
    return took


def closed(terminal: Pty) -> None:
    """Esc ends the list, and what the prompt is used for."""
    for _ in range(2):
        terminal.write("\x1b")
        terminal.pump(ESCAPE)
        terminal.quiet(0.12)


def completion(terminal: Pty) -> tuple[Sample, list[Sample]]:
    """The list under a slash: its opening, and a key in it."""
    opening = opened(terminal, "/", "/undo")
    terminal.quiet(0.1)
    key = timed(terminal, "m", "/mode")
    terminal.write("\x7f\x7f")
    terminal.quiet(0.12)
    return opening, [key]


@dataclass
class Times:
    """Of one list: the first opening, the later ones, and the keys."""

    first: Sample
    later: list[Sample] = field(default_factory=list)
    keys: list[Sample] = field(default_factory=list)


def measured(terminal: Pty) -> dict[str, Times]:
    found: dict[str, Times] = {}
    for number in range(COLD + ROUNDS):
        for name in (*LISTS, COMPLETION):
            if name == COMPLETION:
                opening, each = completion(terminal)
            else:
                keys, inside, text = LISTS[name]
                opening, each = opened(terminal, keys, inside), typed(terminal, text)
                closed(terminal)
            times = found.setdefault(name, Times(opening))
            if number >= COLD:
                times.later.append(opening)
                times.keys.extend(each)
    return found


def cells(samples: list[Sample]) -> tuple[str, str]:
    """Seconds and CPU seconds, median and p95."""
    seconds, cpu = zip(*samples, strict=True)
    return tuple(f"{ms(median(one))} / {ms(percentile(one, 0.95))}" for one in (seconds, cpu))  # type: ignore[return-value]


def cpu(samples: list[Sample], share: float) -> float:
    return percentile([used for _, used in samples], share)


def main() -> None:
    with server() as url, folder() as home:
        prepare(home)
        with running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
            terminal.ready()
            terminal.quiet(1.0)
            echoes = []
            for number in range(ROUNDS * 3):
                terminal.quiet(0.1)
                letter = LETTERS[number % len(LETTERS)]
                echoes.append(timed(terminal, letter, letter))
                terminal.write("\x7f")
            terminal.write("\x15")
            terminal.quiet(0.3)
            found = measured(terminal)
    floor = cpu(echoes, 0.5)
    rows = [("a letter in the prompt", "", "", "", *cells(echoes))]
    rows += [
        (name, ms(one.first[1]), *cells(one.later), *cells(one.keys)) for name, one in found.items()
    ]
    slowest = max(cpu(one.later, 0.95) for one in found.values())
    key = max(cpu(one.keys, 0.5) for one in found.values()) - floor
    report(
        f"Lists ({ROUNDS} openings each): p50 / p95",
        ("list", "first, CPU", "open", "open, CPU", "key", "key, CPU"),
        rows,
        [
            judged(
                f"opening takes at most 50 ms of CPU, p95 (slowest is {ms(slowest)})",
                slowest <= 0.05,
            ),
            judged(
                f"a key takes at most 10 ms of CPU more than one in the prompt, p50 (is {ms(key)})",
                key <= 0.01,
            ),
        ],
    )


if __name__ == "__main__":
    main()
