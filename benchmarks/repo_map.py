"""The map of a project of 5,000 files: the first time, again in a new program, and after a change.

    python -m benchmarks.repo_map [--quick]

The files have about 200 lines each: a third is Python, a third TypeScript, a third Go, with calls
across them. Floors of the same run: reading the same files and nothing else, and listing them. Each
time stands as CPU and as it passed. The longest time between two looks at whether somebody still
waits is what a person waits for it to stop.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from agent_tui.context.file_index import FileIndex
from agent_tui.context.repo_map.build import RepoMap, Wanted
from benchmarks.common import folder, judged, median, ms, quick, report

FILES = 150 if quick() else 5_000
LINES = 200
ROUNDS = 1 if quick() else 3
VERBS = ("load", "save", "open", "read", "write", "find", "make", "draw", "parse", "send")
NOUNS = ("file", "row", "page", "user", "order", "item", "price", "event", "queue", "store")
COLD, WARM, CHANGED = "cold: the first map", "warm: again", "after 20 files changed"
LOG = logging.getLogger("benchmark")


def write(top: Path) -> None:
    pick = random.Random(3)
    names = [[f"{pick.choice(VERBS)}_{pick.choice(NOUNS)}_{n}_{m}" for m in range(20)]
             for n in range(FILES)]  # fmt: skip
    for n, own in enumerate(names):
        path = top / f"part{n % 100}" / f"unit{n % 7}" / f"file_{n}.{('py', 'ts', 'go')[n % 3]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(one(name, pick.choice(names[pick.randrange(FILES)]), n % 3) for name in own)
        path.write_text(text)
    (top / ".git").mkdir()


def one(name: str, used: str, language: int) -> str:
    """A function of ten lines."""
    head = (
        f"def {name}(first: int, second: str) -> str:",
        f"export function {name}(first: number, second: string): string {{",
        f"func {name}(first int, second string) string {{",
    )[language]
    comment, end = ("#", "") if language == 0 else ("//", "}")
    lines = (
        head,
        f"    {comment} what {name} does with the first and the second of them",
        f"    value = {used}(first, second)",
        "    total = len(value) + first * 2",
        "    other = transform(total, second)",
        "    result = combine(other, value, total)",
        "    check(result, first)",
        "    return result",
        end,
        "",
    )
    return "\n".join(lines) + "\n"


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and passed seconds."""
    cpu, passed = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - passed


class Looks:
    """Counts how long nobody asked whether to stop."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.thread_time()

    def __call__(self) -> bool:
        now = time.thread_time()
        self.longest, self._last = max(self.longest, now - self._last), now
        return False


def draw(top: Path, cache: Path, looks: Looks) -> None:
    """As a program that has just started does it."""
    made = RepoMap(top, {"HOME": str(top)}, cache, LOG)
    drawn = made.make(Wanted(), lambda _, __: (), str, looks)
    assert drawn.files and drawn.count == FILES


def main() -> None:
    cases = dict[str, list[tuple[float, float]]]()
    longest = list[float]()
    with folder() as root:
        top = (root / "project").resolve()
        top.mkdir()
        write(top)
        files = list(top.rglob("file_*"))
        index = FileIndex(top, {"HOME": str(top)}, LOG)
        for number in range(ROUNDS):
            cache = root / f"cache{number}"
            listing = timed(lambda: index.scan_all(lambda: False))
            reading = timed(lambda: [path.read_bytes() for path in files])
            for name, took in (("floor: list the files", listing), ("floor: read them", reading)):
                cases.setdefault(name, []).append(took)
            for name in (COLD, WARM, CHANGED):
                if name == CHANGED:
                    for path in files[number * 20 : number * 20 + 20]:
                        path.write_text(f"{path.read_text()}\n")
                looks = Looks()
                cases.setdefault(name, []).append(timed(partial(draw, top, cache, looks)))
                longest.append(looks.longest)
    rows = [
        (name, ms(median([cpu for cpu, _ in took])), ms(median([passed for _, passed in took])))
        for name, took in cases.items()
    ]
    cold, warm = (median([cpu for cpu, _ in cases[name]]) for name in (COLD, WARM))
    report(
        f"A map of {FILES:,} files of {LINES} lines",
        ("what", "CPU", "passed"),
        rows,
        (
            judged("cold: at most 3 s of CPU", cold <= 3),
            judged("warm: at most 200 ms of CPU", warm <= 0.2),
            judged(f"stops within 50 ms of CPU (at most {ms(max(longest))})", max(longest) <= 0.05),
        ),
    )


if __name__ == "__main__":
    main()
