"""Every list in the whole program: the time from the key that opens it to its frame, and of each key in it.

The program runs in a pty, over a folder of 2,000 files, 200 sessions and a log of 100 MB. The first opening of a list
brings the import of the lists with it; it is shown apart. The floor is the echo of a letter in the prompt, in the same
run.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import (
    LETTERS,
    Goal,
    Pty,
    agent,
    folder,
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

ROUNDS = 2 if quick() else 8
FILES, SESSIONS = (50, 5) if quick() else (2_000, 200)
LOG_BYTES = 1_000_000 if quick() else 100_000_000
LINE = "9999-01-01 12:00:00,000 INFO a line as the program writes it, of some length\n"
FULL_LOG = "agent-99990101-000000-000000.log"
"""Named so that it is the newest."""
LISTS = {
    "palette": ("\x10", "Esc closes", "mod"), "help": ("\x1bOP", "Esc closes", "mod"),
    "models": ("\x0c", "openai/bench", "ben"), "sessions": ("/resume\r", " turns ", "pro"),
    "themes": ("/theme\r", "nord", "nor"), "modes": ("/mode\r", "only reads: no edits", "pla"),
    "files": ("/files\r", "f1.py", "f1"), "log (100 MB)": ("/log\r", "a line as the program", "ses"),
    "debug console": ("/debug\r", "COLORTERM", "tex"), "settings": ("/settings\r", "Esc closes", "dis"),
}  # fmt: skip
"""How it is opened, what is in its frame once it is filled, and what is typed in it."""
COMPLETION = "commands under /"


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


def opened(terminal: Pty, keys: str, inside: str) -> float:
    """Seconds from the last of `keys` to the frame of the filled list."""
    if keys.endswith("\r"):
        terminal.write(keys[:-1])
        terminal.quiet(0.15)
        keys = "\r"
    terminal.mark()
    begun = terminal.now()
    terminal.write(keys)
    return terminal.wait(inside) - begun


def typed(terminal: Pty, text: str) -> list[float]:
    """Seconds from each letter of `text` to its frame."""
    took = []
    for number in range(len(text)):
        terminal.quiet(0.05)
        terminal.mark()
        begun = terminal.now()
        terminal.write(text[number])
        took.append(terminal.wait(f"{text[: number + 1]}▏") - begun)
    return took


def closed(terminal: Pty) -> None:
    """Esc ends what is typed, and the list."""
    for _ in range(2):
        terminal.write("\x1b")
        terminal.quiet(0.12)


def completion(terminal: Pty) -> tuple[float, list[float]]:
    """The list under a slash: its opening, and keys in it."""
    opening = opened(terminal, "/", "/durations")
    terminal.quiet(0.05)
    terminal.mark()
    begun = terminal.now()
    terminal.write("m")
    key = terminal.wait("/mode") - begun
    terminal.write("\x7f\x7f")
    terminal.quiet(0.12)
    return opening, [key]


def measured(terminal: Pty) -> dict[str, tuple[float, list[float], list[float]]]:
    """Of each list the first opening, the later ones, and the keys."""
    found: dict[str, tuple[float, list[float], list[float]]] = {}
    for number in range(ROUNDS + 1):
        for name, (keys, inside, text) in LISTS.items():
            opening, each = opened(terminal, keys, inside), typed(terminal, text)
            closed(terminal)
            first, later, took = found.setdefault(name, (opening, [], []))
            if number:
                later.append(opening)
                took.extend(each)
        opening, each = completion(terminal)
        _, later, took = found.setdefault(COMPLETION, (opening, [], []))
        if number:
            later.append(opening)
            took.extend(each)
    return found


def row(name: str, first: float, later: Sequence[float], keys: Sequence[float]) -> tuple[str, ...]:
    return name, ms(first), ms(median(later)), ms(percentile(later, 0.95)), ms(median(keys)), ms(percentile(keys, 0.95))


def main() -> None:
    with server() as url, folder() as home:
        prepare(home)
        with running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
            terminal.ready()
            terminal.quiet(1.0)
            echoes = [terminal.key(LETTERS[number % len(LETTERS)]) for number in range(ROUNDS * 5)]
            terminal.write("\x15")
            terminal.quiet(0.3)
            found = measured(terminal)
    floor = median(echoes)
    rows = [("a letter in the prompt", "", "", "", ms(floor), ms(percentile(echoes, 0.95)))]
    rows += [row(name, *times) for name, times in found.items()]  # type: ignore[misc]
    slowest = max(percentile(later, 0.95) for _, later, _ in found.values())
    first = max(first for first, _, _ in found.values())
    key = max(percentile(keys, 0.95) for _, _, keys in found.values())
    above = max(median(keys) for _, _, keys in found.values()) - floor
    judged = not quick()
    report(
        f"Lists ({ROUNDS} openings each)", ("list", "first", "open p50", "open p95", "key p50", "key p95"), rows,
        [
            Goal(f"opening p95 at most 50 ms (slowest is {ms(slowest)})", slowest <= 0.05 if judged else None),
            Goal(f"first opening at most 100 ms (slowest is {ms(first)})", first <= 0.1 if judged else None),
            Goal(f"a key costs at most 10 ms more than one in the prompt, p50 (is {ms(above)}; p95 {ms(key)} in all)",
                 above <= 0.01 if judged else None),
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
