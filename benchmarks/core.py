"""The pure core, per Msg: update, view, and the comparison of every region with the one before;
without Textual."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import Restored, StepStarted, TextDelta, TurnStarted
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, Transcript, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Msg, Started, Ticked, Toggled
from agent_tui.tui.core.regions import View
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from benchmarks.common import judged, percentile, quick, report

REGIONS = tuple(f.name for f in fields(View))
DELTA = "forty characters of an answer, with a \n\n "


def transcript(rows: int) -> Transcript:
    """`rows` closed blocks of the usual kinds."""
    kinds: tuple[Callable[[int], Block], ...] = (
        lambda n: UserBlock(f"prompt {n}"),
        lambda n: TextBlock(f"Paragraph {n} of an answer, with a few words in it.\n\n", head=True),
        lambda n: ToolBlock(
            f"call-{n}",
            "run_shell_command",
            "ls",
            "done",
            display=CommandDisplay("ls", output="a\nb\n"),
        ),
        lambda _: TextBlock("- an item\n- another\n\n"),
    )
    return Transcript(
        session="s", model="openai/bench", rows=Vec(kinds[n % 4](n) for n in range(rows))
    )


def prepared(rows: int) -> Model:
    """A screen with `rows` rows and an answer that is being written."""
    model = initial()
    opened = Restored(transcript(rows))
    running = (
        TurnStarted(turn=1, prompt="go", at=1.0),
        StepStarted(turn=1, step=1),
        TextDelta(text="Begun "),
    )
    for msg in (
        Started(120, 40, at=1.0),
        EventsArrived((opened,), at=1.0),
        EventsArrived(running, at=1.0),
    ):
        model, _ = update(model, msg)
    return model


CASES: dict[str, Callable[[int, int], Msg]] = {
    "key": lambda n, _: DraftChanged("x" * (n % 60 + 1), n % 60 + 1, at=2.0 + n / 10),
    "tick": lambda n, _: Ticked(at=2.0 + n / 10),
    "40-character delta": lambda n, _: EventsArrived(
        (TextDelta(text=DELTA, at=2.0),), at=2.0 + n / 10
    ),
    "toggle in the middle": lambda n, rows: Toggled(rows // 2 // 4 * 4 + 2, at=2.0 + n / 10),
}


def measured(
    model: Model, make: Callable[[int], Msg], count: int, step: Callable[[Model, Msg], Model]
) -> list[float]:
    """Microseconds of each of `count` Msgs: the step, the view, and which regions are new."""
    shown, took = view(model), []
    for number in range(count):
        msg = make(number)
        begin = time.perf_counter_ns()
        model = step(model, msg)
        now = view(model)
        changed = [name for name in REGIONS if getattr(now, name) is not getattr(shown, name)]
        took.append((time.perf_counter_ns() - begin) / 1000)
        shown = now
        assert len(changed) <= len(REGIONS)
    return took[count // 10 :]


def main() -> None:
    sizes = (100, 1_000) if quick() else (100, 1_000, 10_000, 50_000)
    count = 60 if quick() else 2_000
    took: dict[str, list[list[float]]] = {"floor: nothing happens": []}
    for size in sizes:
        model = prepared(size)
        took["floor: nothing happens"].append(
            measured(model, lambda n: Ticked(at=n), count, lambda same, _: same)
        )
        for name, case in CASES.items():
            rounds = measured(model, lambda n, case=case, size=size: case(n, size), count, step)  # type: ignore[misc]
            took.setdefault(name, []).append(rounds)
    rows = [
        (name, *(f"{percentile(one, 0.5):.0f} / {percentile(one, 0.95):.0f}" for one in by_size))
        for name, by_size in took.items()
    ]
    cases = [took[name] for name in CASES]
    slowest = max(percentile(one, 0.95) for by_size in cases for one in by_size)
    growth = max(percentile(by_size[-1], 0.5) / percentile(by_size[0], 0.5) for by_size in cases)
    report(
        "update + view + compare, µs per Msg (p50 / p95)",
        ("case", *(f"{size:,} rows" for size in sizes)),
        rows,
        [
            judged(f"p95 under 200 µs (slowest is {slowest:.0f})", slowest < 200),
            judged(f"the same at most and fewest rows within 2 x (is {growth:.2f} x)", growth <= 2),
        ],
    )


def step(model: Model, msg: Msg) -> Model:
    return update(model, msg)[0]


if __name__ == "__main__":
    main()
