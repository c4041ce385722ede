"""What a prompt recalls of 10,000 remembered facts, and what it takes to look whether one has
changed: beside a search that does nothing but ask FTS5 for the same words, and beside `stat` of
the same files, in turns.

All of it runs off the screen's thread, after a prompt was sent and before the request leaves.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from agent_tui.context import memory
from agent_tui.context.recall import Recall
from benchmarks.common import folder, judged, ms, pair, percentile, quick, report

GOAL: Final = 0.02
"""Seconds for a recall over all facts."""
FACTS: Final = 200 if quick() else 10_000
ASKED: Final = 5 if quick() else 200
WORDS: Final = 12
"""Words of a fact, and of a prompt."""
SEED: Final = 20260131


def timed(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def sentences(count: int) -> list[str]:
    chance = random.Random(SEED)
    known = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=6)) for _ in range(6_000)]

    def word() -> str:
        """Some are in many facts and most in few, as in any language."""
        return known[min(len(known) - 1, int(chance.paretovariate(0.55)))]

    return [" ".join(word() for _ in range(WORDS)) for _ in range(count)]


def stat_all(place: Path) -> None:
    with os.scandir(place) as entries:
        for entry in entries:
            entry.stat()


def main() -> None:
    with folder() as home:
        place, cache = home / "memory", home / "cache" / "memory.sqlite"
        place.mkdir()
        texts, asked = sentences(FACTS), sentences(FACTS + ASKED)[FACTS:]
        for number, text in enumerate(texts):
            (place / f"fact-{number}.md").write_text(f"{text}.\n")
        recall, problems = Recall(cache), list[str]()
        first = timed(lambda: memory.read_user(place, {}, problems))
        files = memory.read_user(place, {}, problems)
        made = timed(lambda: recall.search(files, "nothing"))
        again = timed(lambda: Recall(cache).search(files, "nothing"))
        known = {one.path.name: one for one in files}
        recalls, floors, looks, stats = (list[float]() for _ in range(4))
        for text in asked:
            recalls.append(timed(partial(recall.search, files, text)))
            floors.append(timed(partial(bare, cache, text)))
            looks.append(timed(partial(memory.read_user, place, known, problems)))
            stats.append(timed(partial(stat_all, place)))
    assert not problems
    rows = [
        ("a recall", pair(recalls, 0.95)),
        ("floor: FTS5 with all words of the prompt", pair(floors, 0.95)),
        ("looking whether a file changed", pair(looks, 0.95)),
        ("floor: stat of each file", pair(stats, 0.95)),
        ("once: reading all files", ms(first)),
        ("once: making the index", ms(made)),
        ("once a start: comparing it", ms(again)),
    ]
    kept = percentile(recalls, 0.95) <= GOAL
    report(
        f"Memory: {FACTS:,} facts, {len(asked)} prompts of {WORDS} words",
        ("what", "CPU p50 / p95"),
        rows,
        [judged(f"a recall p95 (CPU) ≤ {ms(GOAL)}", kept)],
    )


def bare(cache: Path, text: str) -> None:
    query = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
    with closing(sqlite3.connect(cache)) as connection:
        asked = "select rowid from fact where fact match ? order by rank limit 5"
        connection.execute(asked, (query,)).fetchall()


if __name__ == "__main__":
    main()
