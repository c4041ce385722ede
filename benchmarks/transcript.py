"""What the transcript costs, beside a bare `RichLog` that shows the same text unformatted.

    python -m benchmarks.transcript [--quick] [ROWS ...]        (default: 1000 10000 50000)

Process CPU milliseconds; memory is resident size gained, the text of the rows itself not counted. `RichLog` cannot
re-wrap what it holds on resize and keeps every line, which is why it is a floor and no alternative.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import RichLog

from agent_tui.paths import shipped
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.markdown_stream import MdStream
from agent_tui.structures.vec import Vec
from agent_tui.tui.blocks import block_lines
from agent_tui.tui.regions import TranscriptView
from agent_tui.tui.theme import load_theme
from agent_tui.tui.widgets.transcript import Transcript

WORDS = "the loop reads each event once and folds it into a value that nothing else may change "
FUNCTIONS = "".join(f"def f{n}(x: int) -> int:\n    return x * {n}  # a comment\n" for n in range(5))
CODE = f"```python\n{FUNCTIONS}```\n"
ANSWER = f"## Head\n\n{WORDS * 6}\n\n- {WORDS}\n- `code` and **bold**\n\n{CODE}\n{WORDS * 4}\n\n"
SIZE = (120, 40)
ROWS = (1_000, 10_000, 50_000)
FRAME = 0.05
"""Seconds after which what was changed has surely been painted (waiting costs no CPU)."""


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

    def __str__(self) -> str:
        numbers = (self.open, self.chunk, self.chunk_worst, self.page_up, self.resize, self.memory)
        return "".join(f"{number:>12.1f}" for number in numbers)


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
        self.palette = load_theme("dark", [shipped("themes")])
        self.register_theme(self.palette.textual())
        self.theme = self.palette.textual().name

    def compose(self) -> ComposeResult:
        yield Transcript()


async def measure_ours(count: int) -> Costs:
    app, costs = Ours(), Costs()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.query_one(Transcript)
        transcript.apply(TranscriptView(Vec(rows(5)), ()))
        await pilot.pause()
        view = TranscriptView(Vec(rows(count)), ())
        gc.collect()
        before = resident()
        costs.open = await cost(pilot, lambda: transcript.apply(view))
        costs.memory = resident() - before
        stream, chunks = MdStream(), [ANSWER[i : i + 100] for i in range(0, len(ANSWER), 100)] * 12
        ticks: list[float] = []
        for chunk in chunks:
            closed, stream = stream.feed(chunk)
            texts = [TextBlock(piece.text, piece.lead) for piece in closed]
            view = replace(view, rows=view.rows.extend(texts), live=(TextBlock(stream.tail, stream.lead),))
            ticks.append(await cost(pilot, partial(transcript.apply, view)))
        costs.chunk, costs.chunk_worst = statistics.mean(ticks), max(ticks)
        pages = [await cost(pilot, lambda: transcript.scroll_view("page_up")) for _ in range(20)]
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
        texts = [plain(block) for block in rows(count)]
        await pilot.pause()

        def fill() -> None:
            for text in texts:
                log.write(text)

        gc.collect()
        before = resident()
        costs.open = await cost(pilot, fill)
        costs.memory = resident() - before
        parts = [ANSWER[i : i + 100] for i in range(0, len(ANSWER), 100)] * 12
        ticks = [await cost(pilot, partial(log.write, Text(part))) for part in parts]
        costs.chunk, costs.chunk_worst = statistics.mean(ticks), max(ticks)
        pages = [await cost(pilot, lambda: log.scroll_page_up(animate=False)) for _ in range(20)]
        costs.page_up = statistics.mean(pages)
        costs.resize = await cost(pilot, lambda: pilot.resize_terminal(100, 40))
    return costs


def measure_layout() -> float:
    """CPU milliseconds to lay out 1,000 different blocks (Markdown, highlighting, wrapping; no screen)."""
    for block in rows(10):
        block_lines(block, SIZE[0], False, 0.0, cell_len)
    blocks = rows(1_000)
    start = time.process_time()
    for block in blocks:
        block_lines(block, SIZE[0], False, 0.0, cell_len)
    return (time.process_time() - start) * 1000


def main() -> None:
    words = sys.argv[1:]
    counts = [int(word) for word in words if word.isdigit()] or ([1_000] if "--quick" in words else [*ROWS])
    print(f"layout of 1,000 blocks: {measure_layout():.0f} ms\n")
    print(f"{'':<22}" + "".join(f"{head:>12}" for head in ("open", "chunk", "worst", "PageUp", "resize", "MB")))
    for count in counts:
        print(f"{f'transcript {count:,}':<22}{asyncio.run(measure_ours(count))}", flush=True)
        if count <= 10_000:
            print(f"{f'RichLog {count:,}':<22}{asyncio.run(measure_floor(count))}", flush=True)


if __name__ == "__main__":
    main()
