"""What sessions cost: a record, opening and repairing a log, the list of 2,000, search in all of
them.

`SESSIONS_MB=1024 python -m benchmarks.sessions_speed` searches in a gigabyte (about four minutes,
1.2 GB of disk).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import ToolEnded
from agent_tui.sessions.index.cache import known_sessions
from agent_tui.sessions.index.listing import recent
from agent_tui.sessions.index.search import search, update
from agent_tui.sessions.log.repair import repair
from agent_tui.sessions.log.store import Store
from benchmarks.common import Goal, folder, median, ms, percentile, quick, report
from benchmarks.sessions_many import COMMON, RARE, write_many

RECORD = ToolEnded(
    call_id="c", name="run_shell_command", label="make check", content="all is well\n" * 40
)
QUERIES = (
    RARE,
    COMMON,
    "w17",
    "w17 w23",
    f"{COMMON} w31999",
    "w3",
    RARE[:3],
    "project3 w12",
    "nothing-of-it",
    "question",
)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def appended(home: Path, count: int) -> tuple[list[float], list[float]]:
    """Seconds for a record that must be on the disk, and for the same bytes written and synced by
    hand, by turns."""
    store = Store.create(home / "append", "one")
    fd = os.open(home / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    line = encode(replace(RECORD, n=1_000))

    def floor() -> None:
        os.write(fd, line)
        os.fdatasync(fd)

    ours, bare = [], []
    for _ in range(count):
        bare.append(timed(floor))
        ours.append(timed(lambda: store.append(RECORD)))
    store.close()
    os.close(fd)
    return ours, bare


def opened(home: Path, size: int) -> tuple[float, float, float]:
    """Seconds to open a log, to open and cut one with a torn tail, and to repair one with a hole in
    its middle."""
    write_many(home / "open", 1, size)
    [path] = (home / "open").iterdir()
    whole, id = path.read_bytes(), path.stem

    def open_and_write() -> None:
        store = Store.open(path.parent, id).store
        store.append(RECORD)
        store.close()

    plain = timed(open_and_write)
    path.write_bytes(whole[:-7])
    torn = timed(open_and_write)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\0" * 9_000 + whole[middle + 9_000 :])
    return plain, torn, timed(lambda: repair(path.parent, id))


def listed(home: Path, count: int) -> tuple[float, float]:
    """Seconds for the list, from the logs alone and with the cache."""
    many, cache = home / "list", home / "list-cache"
    write_many(many, count, count * 12_000)
    update(many, cache)
    recent(many)
    cold = median([timed(lambda: recent(many)) for _ in range(5)])
    return cold, median(
        [timed(lambda: recent(many, None, known_sessions(cache))) for _ in range(5)]
    )


def searched(home: Path, megabytes: int) -> tuple[float, float, list[float], int]:
    """Seconds for the first update and for one with nothing to do, for each search, and the bytes
    of the index."""
    folder, cache = home / "search", home / "search-cache"
    write_many(folder, max(20, min(2_000, megabytes * 2)), megabytes << 20)
    first, again = timed(lambda: update(folder, cache)), timed(lambda: update(folder, cache))
    times = []
    for query in QUERIES:
        search(folder, cache, query, fresh=False)
        times += [timed(partial(search, folder, cache, query, fresh=False)) for _ in range(5)]
    return first, again, times, sum(path.stat().st_size for path in cache.iterdir())


def main() -> None:
    small = quick()
    megabytes = int(os.environ.get("SESSIONS_MB", "5" if small else "200"))
    count = 100 if small else 2_000
    with folder() as home:
        ours, bare = appended(home, 20 if small else 500)
        plain, torn, whole = opened(home, 1 << 20 if small else 10 << 20)
        cold, warm = listed(home, count)
        first, again, times, size = searched(home, megabytes)
    rows = [
        (
            "a record on the disk, median",
            ms(median(ours)),
            f"{ms(median(bare))} written and synced by hand",
        ),
        ("a record on the disk, p99", ms(percentile(ours, 0.99)), ms(percentile(bare, 0.99))),
        ("open 10 MB and write", ms(plain), ""),
        ("open 10 MB with a torn tail and write", ms(torn), ""),
        ("repair 10 MB with a hole", ms(whole), ""),
        (f"list {count:,}, from the logs", ms(cold), ""),
        (f"list {count:,}, with the cache", ms(warm), ""),
        (
            f"search in {megabytes:,} MB, median",
            ms(median(times)),
            f"{len(times)} searches, {len(QUERIES)} queries",
        ),
        (f"search in {megabytes:,} MB, slowest", ms(max(times)), ""),
        ("the first index", ms(first), f"{size / 1e6:.0f} MB"),
        ("the index, nothing new", ms(again), ""),
    ]
    judged = None if small else True
    goals = [
        Goal("a record on the disk, median ≤ 2 ms", judged and median(ours) <= 0.002),
        Goal("open or repair 10 MB ≤ 1 s", judged and max(plain, torn, whole) <= 1),
        Goal("list 2,000 ≤ 200 ms", judged and max(cold, warm) <= 0.2),
        Goal("search ≤ 100 ms, warm", judged and max(times) <= 0.1),
    ]
    report("Sessions", ("what", "time", "beside it"), rows, goals)


if __name__ == "__main__":
    main()
