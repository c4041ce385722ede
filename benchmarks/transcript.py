"""What the transcript widget costs, beside a bare `RichLog` that shows the same text unformatted.

    python -m benchmarks.transcript [--quick] [ROWS ...]        (default: 100 1000 10000 50000)

Process CPU milliseconds, without a terminal (see `growth.py` for the whole program in one). Memory
is the resident size gained, the text of the rows included. `RichLog` cannot re-wrap what it holds
on resize and keeps every line, which is why it is a floor and no alternative.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import RichLog

from agent_tui.paths import shipped_folder
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.markdown_stream import MdStream
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.blocks import block_lines
from agent_tui.tui.transcript.widget import Transcript
from agent_tui.tui.widgets.theme import load_theme
from benchmarks.common import Goal, judged, quick, report

WORDS = "the loop reads each event once and folds it into a value that nothing else may change "
FUNCTIONS = "".join(
    f"def f{n}(x: int) -> int:\n    return x * {n}  # a comment\n" for n in range(5)
)
CODE = f"```python\n{FUNCTIONS}```\n"
ANSWER = f"## Head\n\n{WORDS * 6}\n\n- {WORDS}\n- `code` and **bold**\n\n{CODE}\n{WORDS * 4}\n\n"
SIZE = (120, 40)
ROWS = (100, 1_000, 10_000, 50_000)
FLOOR_ROWS = 10_000
"""The most that `RichLog` is asked to hold."""
TOKENS = (1_000, 20_000, 100_000)
ANSWERS, PAGES, LAYOUTS = (1, 3, 100) if quick() else (12, 20, 1_000)
TOKEN = 5
"""Characters."""
CHUNK = 100
"""Characters of a tick."""
FLAT = 1.5
"""So many times what the shortest costs may the longest cost: what is left is noise."""
FRAME = 0.01 if quick() else 0.05
"""Seconds after which what was changed has surely been painted (waiting costs no CPU)."""

Given = TypeVar("Given")
Found = TypeVar("Found")


def rows(count: int) -> list[Block]:
    kinds: list[Callable[[int], Block]] = [
        lambda n: UserBlock(f"question {n}: {WORDS * 2}"),
        lambda n: TextBlock(f"{n} {WORDS * 5}\n"),
        lambda n: ToolBlock(str(n), "read_file", f"Read src/file{n}.py", "done", duration_ms=12),
        lambda n: TextBlock(CODE.replace("f0", f"g{n}")),
        lambda n: TextBlock(f"- {n} {WORDS}\n- **two** {WORDS}\n- `three`\n"),
    ]
    return [kinds[n % len(kinds)](n) for n in range(count)]


def resident() -> float:
    """Resident memory in MB (0 where the system does not tell)."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6
    except OSError:
        return 0.0


@dataclass
class Costs:
    open: float = 0.0
    chunk: float = 0.0
    chunk_worst: float = 0.0
    page_up: float = 0.0
    resize: float = 0.0
    memory: float = 0.0

    def row(self, name: str) -> tuple[str, ...]:
        numbers = (self.open, self.chunk, self.chunk_worst, self.page_up, self.resize, self.memory)
        return name, *(f"{number:.1f}" for number in numbers)


async def cost(pilot: Pilot[None], act: Callable[[], object]) -> float:
    """CPU milliseconds from the act to the painted frame."""
    start = time.process_time()
    waiting = act()
    if isinstance(waiting, Awaitable):
        await waiting
    await asyncio.sleep(FRAME)
    await pilot.pause(0)
    return (time.process_time() - start) * 1000


class Ours(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.palette = load_theme("dark", [shipped_folder("themes")])
        self.register_theme(self.palette.textual())
        self.theme = self.palette.textual().name

    def compose(self) -> ComposeResult:
        yield Transcript()


class Writer:
    """Appends to the one answer that is being written, as the program does at each tick."""

    def __init__(self, transcript: Transcript, view: TranscriptView) -> None:
        self.transcript, self.view, self.stream = transcript, view, MdStream()

    def write(self, text: str) -> None:
        closed, self.stream = self.stream.feed(text)
        texts = [TextBlock(piece.text, piece.lead) for piece in closed]
        live = (TextBlock(self.stream.tail, self.stream.lead),)
        self.view = replace(self.view, rows=self.view.rows.extend(texts), live=live)
        self.transcript.apply(self.view)


def parts(answers: int) -> list[str]:
    """So many answers in pieces of a tick."""
    return [ANSWER[i : i + CHUNK] for i in range(0, len(ANSWER), CHUNK)] * answers


async def measure_answer(tokens: Sequence[int]) -> list[float]:
    """CPU milliseconds of a tick when so many tokens of one answer have come."""
    app, pieces, took, written = Ours(), cycle(parts(1)), [], 0
    async with app.run_test(size=SIZE) as pilot:
        writer = Writer(app.query_one(Transcript), TranscriptView(Vec(rows(5)), ()))
        await pilot.pause()
        for length in tokens:
            while written < length * TOKEN:
                writer.write(
                    "".join(islice(pieces, 100))
                    if length * TOKEN - written > 20_000
                    else next(pieces)
                )
                written = writer.stream.length
            await cost(pilot, partial(writer.write, next(pieces)))
            ticks = [
                await cost(pilot, partial(writer.write, next(pieces))) for _ in range(len(parts(1)))
            ]
            took.append(statistics.mean(ticks))
    return took


async def measure_ours(count: int) -> Costs:
    app, costs = Ours(), Costs()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.query_one(Transcript)
        transcript.apply(TranscriptView(Vec(rows(5)), ()))
        await pilot.pause()
        gc.collect()
        before = resident()
        view = TranscriptView(Vec(rows(count)), ())
        costs.open = await cost(pilot, lambda: transcript.apply(view))
        costs.memory = resident() - before
        writer = Writer(transcript, view)
        ticks = [await cost(pilot, partial(writer.write, part)) for part in parts(ANSWERS)]
        costs.chunk, costs.chunk_worst = statistics.mean(ticks), max(ticks)
        pages = [await cost(pilot, lambda: transcript.scroll_view("page_up")) for _ in range(PAGES)]
        costs.page_up = statistics.mean(pages)
        costs.resize = await cost(pilot, lambda: pilot.resize_terminal(100, 40))
    return costs


class Floor(App[None]):
    def compose(self) -> ComposeResult:
        yield RichLog(wrap=True, auto_scroll=True)


def plain(block: Block) -> Text:
    return Text(block.label if isinstance(block, ToolBlock) else getattr(block, "text", ""))


async def measure_floor(count: int) -> Costs:
    app, costs = Floor(), Costs()
    async with app.run_test(size=SIZE) as pilot:
        log = app.query_one(RichLog)
        await pilot.pause()

        def fill() -> None:
            for text in texts:
                log.write(text)

        gc.collect()
        before = resident()
        texts = [plain(block) for block in rows(count)]
        costs.open = await cost(pilot, fill)
        costs.memory = resident() - before
        ticks = [await cost(pilot, partial(log.write, Text(part))) for part in parts(ANSWERS)]
        costs.chunk, costs.chunk_worst = statistics.mean(ticks), max(ticks)
        pages = [await cost(pilot, lambda: log.scroll_page_up(animate=False)) for _ in range(PAGES)]
        costs.page_up = statistics.mean(pages)
        costs.resize = await cost(pilot, lambda: pilot.resize_terminal(100, 40))
    return costs


def measure_layout() -> float:
    """CPU milliseconds to lay out that many different blocks (Markdown, highlighting, wrapping; no
    screen)."""
    for block in rows(10):
        block_lines(block, SIZE[0], False, 0.0, cell_len)
    blocks = rows(LAYOUTS)
    start = time.process_time()
    for block in blocks:
        block_lines(block, SIZE[0], False, 0.0, cell_len)
    return (time.process_time() - start) * 1000


def goals(costs: dict[int, Costs]) -> list[Goal]:
    each, most = list(costs.values()), max(costs)
    last = costs[most]
    memory, growth = last.memory / most * 1000, last.chunk / costs[min(costs)].chunk
    opened, chunk, page = (
        max(getattr(one, name) for one in each) for name in ("open", "chunk", "page_up")
    )
    return [
        judged(f"open at most 200 ms (is {opened:.0f})", opened <= 200),
        judged(f"a tick at most 8 ms (is {chunk:.1f})", chunk <= 8),
        judged(f"page up at most 20 ms (is {page:.1f})", page <= 20),
        judged(
            f"a resize at {most:,} rows at most 110 ms (is {last.resize:.0f})", last.resize <= 110
        ),
        judged(f"at most 1.5 MB per 1,000 rows, text included (is {memory:.2f})", memory <= 1.5),
        judged(
            f"flat: a tick of the longest within {FLAT} x the shortest (is {growth:.2f} x)",
            growth <= FLAT,
        ),
    ]


def ours(count: int) -> Costs:
    return asyncio.run(measure_ours(count))


def floor(count: int) -> Costs:
    return asyncio.run(measure_floor(count))


def answer(tokens: Sequence[int]) -> list[float]:
    return asyncio.run(measure_answer(tokens))


def alone(measure: Callable[[Given], Found], given: Given) -> Found:
    """In a process of its own: memory that an earlier measurement gave back would hide what this
    one takes. In a quick run nobody looks at it."""
    if quick():
        return measure(given)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measure, given).result()


def main() -> None:
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()] or (
        [100, 300] if quick() else [*ROWS]
    )
    lengths = (500, 1_000) if quick() else TOKENS
    layout = measure_layout()
    costs, table = {}, []
    for count in counts:
        costs[count] = alone(ours, count)
        table.append(costs[count].row(f"transcript {count:,}"))
        if count <= (100 if quick() else FLOOR_ROWS):
            table.append(alone(floor, count).row(f"RichLog {count:,}"))
    ticks = alone(answer, lengths)
    header = ("rows", "open", "tick", "worst tick", "page up", "resize", "MB")
    report(
        f"The transcript, CPU ms (laying out {LAYOUTS:,} blocks: {layout:.0f})",
        header,
        table,
        goals(costs),
    )
    growth = ticks[-1] / ticks[0]
    report(
        "One answer, when so many tokens of it have come, CPU ms",
        ("tokens", "tick"),
        [(f"{length:,}", f"{tick:.1f}") for length, tick in zip(lengths, ticks, strict=True)],
        [
            judged(f"a tick at most 8 ms (is {max(ticks):.1f})", max(ticks) <= 8),
            judged(f"flat: the last within {FLAT} x the first (is {growth:.2f} x)", growth <= FLAT),
        ],
    )


if __name__ == "__main__":
    main()
