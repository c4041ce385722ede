"""The list of files under an `@`: how long the index takes, and how long a key.

    python -m benchmarks.files [--quick]

A repository of 100,000 files is written to disk, with an index of git. First its parts, in this
process: what the index answers at once, the walk, and every key of typical queries, in CPU time:
until its list stands (all slices together), and the longest single Msg, which is what another key
may have to wait. Then the whole program in a pty in that folder, in real time: the echo of a key
while the files are being read and while a list is searched, and the time from a key to the one file
that it finds.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from agent_tui.context.file_index import FileIndex
from agent_tui.protocol.answers import Files
from agent_tui.protocol.events import Answered, SessionStarted
from agent_tui.structures import fuzzy
from agent_tui.tui.core.effects import Yield
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Msg, Started, Yielded
from agent_tui.tui.update import update
from agent_tui.tui.view import view
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

FILES = 3_000 if quick() else 100_000
UNTRACKED = FILES // 100
ROUNDS = 3 if quick() else 30
WORDS = (
    "app",
    "main",
    "util",
    "view",
    "model",
    "test",
    "index",
    "core",
    "parse",
    "server",
    "client",
    "data",
    "user",
    "auth",
    "config",
    "cache",
    "render",
    "widget",
    "build",
    "route",
    "query",
    "store",
    "event",
    "loop",
    "agent",
)
QUERIES = (
    "agentloop",
    "src/mo",
    "ee",
    "sr",
    "config_test",
    "PRompt",
    "viewrenderwidget",
    "xyz",
    "a1b2",
    "index.py",
)
TYPED, FOUND = "Ѫ", "Ѯ"
"""Letters of one file's name: the first is typed, the second is drawn only in the list."""
T = TypeVar("T")


def names() -> list[str]:
    """Paths as a large project has them: a thousand folders, two to six levels deep."""
    pick = random.Random(1)
    folders = [
        "/".join(pick.choices(WORDS, k=pick.randint(1, 5))) for _ in range(max(10, FILES // 20))
    ]
    found = {f"src/{TYPED}{FOUND}.txt"}
    while len(found) < FILES:
        name = f"{pick.choice(WORDS)}_{pick.choice(WORDS)}{pick.randint(0, 999)}"
        found.add(f"src/{pick.choice(folders)}/{name}.{pick.choice(('py', 'ts', 'md', 'tsx'))}")
    return sorted(found, key=str.encode)


def write(top: Path, tracked: Sequence[str]) -> None:
    """The files, some that are not tracked, the rules, and the index."""
    for path in (*tracked, *(f"src/new/{number}.py" for number in range(UNTRACKED))):
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (top / ".git").mkdir()
    (top / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (top / ".gitignore").write_text("*.log\n/out/\nnode_modules/\n*.pyc\n/docs/_build\n")
    body = b"DIRC" + (2).to_bytes(4, "big") + len(tracked).to_bytes(4, "big")
    body += b"".join(entry(path.encode()) for path in tracked)
    (top / ".git/index").write_bytes(body + hashlib.sha1(body).digest())


def entry(name: bytes) -> bytes:
    fixed = bytes(24) + (0o100644).to_bytes(4, "big") + bytes(32) + len(name).to_bytes(2, "big")
    return (fixed + name).ljust((len(fixed) + len(name) + 8) // 8 * 8, b"\0")


def timed(work: Callable[[], T], times: int = 3) -> tuple[T, float]:
    """What `work` returns, and its median seconds of CPU time."""
    took, result = [], None
    for _ in range(times):
        begin = time.thread_time()
        result = work()
        took.append(time.thread_time() - begin)
    assert result is not None
    return result, median(took)


class Screen:
    """The core, given Msgs as the runtime gives them; `longest`: seconds of CPU time of the
    longest."""

    def __init__(self, corpus: fuzzy.Corpus) -> None:
        self.model: Model = initial()
        self.longest = 0.0
        self.say(Started(120, 40))
        self.say(EventsArrived((SessionStarted(session="s", cwd="/", model="m"),)))
        self.say(
            EventsArrived(
                (Answered("files", Files(corpus.paths, corpus.folded, corpus.names, whole=True)),)
            )
        )

    def say(self, msg: Msg) -> None:
        begin = time.thread_time()
        self.model, effects = update(self.model, msg)
        view(self.model)
        self.longest = max(self.longest, time.thread_time() - begin)
        if any(isinstance(effect, Yield) for effect in effects):
            self.say(Yielded())

    def key(self, text: str) -> float:
        """Seconds of CPU time until the list for `text` stands."""
        begin = time.thread_time()
        self.say(DraftChanged(text, len(text)))
        return time.thread_time() - begin


def parts(top: Path) -> None:
    def index() -> FileIndex:
        return FileIndex(top, os.environ, logging.getLogger())

    at_once, read = timed(lambda: index().at_once(lambda: False))
    whole, walked = timed(lambda: index().scan_all(lambda: False))
    corpus, made = timed(lambda: fuzzy.corpus(whole.paths))
    assert at_once is not None and len(whole.paths) > FILES
    screen, keys, slices = Screen(corpus), [], []
    for query in QUERIES:
        for size in range(len(query) + 1):
            screen.longest = 0.0
            keys.append(screen.key(f"look at @{query[:size]}"))
            slices.append(screen.longest)
        screen.key("")
    rows = [
        ("git's index, read and sorted (worker)", ms(read), "", ""),
        ("the walk: new files, ignored files (worker)", ms(walked), "", ""),
        ("made ready for the search (worker)", ms(made), "", ""),
        (
            "a key: until its list stands",
            ms(median(keys)),
            ms(percentile(keys, 0.95)),
            ms(max(keys)),
        ),
        (
            "a key: its longest Msg",
            ms(median(slices)),
            ms(percentile(slices, 0.95)),
            ms(max(slices)),
        ),
    ]
    goals = [
        judged("a key at most 50 ms (p95)", percentile(keys, 0.95) <= 0.05),
        judged("no Msg longer than 25 ms (p95)", percentile(slices, 0.95) <= 0.025),
    ]
    title = f"Files under an @: {FILES:,} tracked, {UNTRACKED:,} new; {len(keys)} keys"
    report(title, ("what", "median", "p95", "max"), rows, goals)


def program(home: Path) -> None:
    """The whole program: echo and list, in a pty."""
    with server() as url, running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
        terminal.ready()
        calm(terminal)
        plain = [echo(terminal, number) for number in range(ROUNDS)]
        terminal.write("x @")  # the files are read now, for the first time
        reading = [echo(terminal, number, 0.03) for number in range(ROUNDS)]
        known(terminal)
        terminal.write("e")
        calm(terminal)
        echoes = [echo(terminal, number) for number in range(ROUNDS)]
        terminal.write("\x7f")
        calm(terminal)
        lists = [listed(terminal) for _ in range(ROUNDS)]
    rows = [
        (name, ms(median(took)), ms(percentile(took, 0.95)), ms(max(took)))
        for name, took in (
            ("a key without a list, echoed", plain),
            ("a key while the files are being read, echoed", reading),
            ("a key under an @, echoed", echoes),
            ("a key under an @, its file listed", lists),
        )
    ]
    slow, extra = percentile(lists, 0.95), median(echoes) - median(plain)
    goals = [
        judged(
            "a key to its list at most 50 ms (p95), terminal and painting included", slow <= 0.05
        ),
        judged(f"the echo at most 5 ms later than without a list (is {ms(extra)})", extra <= 0.005),
    ]
    report(
        f"The whole program in that folder ({ROUNDS} keys each)",
        ("what", "median", "p95", "max"),
        rows,
        goals,
    )


def echo(terminal: Pty, number: int, rest: float = 0.15) -> float:
    """Seconds from a key to its echo; another letter each time, for what stands already is not
    drawn again."""
    took = terminal.key(LETTERS[number % len(LETTERS)])
    terminal.quiet(rest, 5.0)
    return took


def listed(terminal: Pty, limit: float = 5.0) -> float:
    """Type the letter that finds one file, and take it back; the seconds until the file is in the
    list."""
    terminal.mark()
    begin = time.perf_counter()
    terminal.write(TYPED)
    found = terminal.pump(limit, lambda: FOUND.encode() in terminal.seen)
    took = time.perf_counter() - begin
    terminal.write("\x7f")
    terminal.quiet(0.2, 5.0)
    return took if found else math.inf


def known(terminal: Pty, limit: float = 60.0) -> None:
    """Wait until all files are known: until that one is listed, and nothing is computed any more."""
    deadline = time.perf_counter() + limit
    while time.perf_counter() < deadline and listed(terminal, 1.0) == math.inf:
        pass
    calm(terminal)


def calm(terminal: Pty, limit: float = 60.0) -> None:
    """Read until the program neither writes nor computes."""
    deadline = time.perf_counter() + limit
    while time.perf_counter() < deadline:
        before = terminal.cpu()
        terminal.quiet(0.4, 5.0)
        if terminal.cpu() - before < 0.02:
            return


def main() -> None:
    with folder() as home:
        write(home / "work", names())
        parts(home / "work")
        program(home)


if __name__ == "__main__":
    main()
