"""A kill at any moment: no queued prompt is lost, none runs twice."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agent_tui.protocol.events import Event, QueueChanged, SteerSeen, TurnStarted
from agent_tui.sessions.log.store import Store
from tests.agent.driving import PATIENCE, Place

KILLS = 3


def _run(
    place: Place, model: str, seed: int, actions: int, session: str, kill_after: int
) -> set[str]:
    """One life of the program, killed after so many lines (negative: never); what was taken back."""
    argv = [
        sys.executable,
        "-m",
        "tests.agent.queue_program",
        str(place.root),
        model,
        str(seed),
        str(actions),
        session,
    ]
    gone = set()
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as child:
        assert child.stdout is not None
        for number, line in enumerate(child.stdout):
            if line.startswith("gone ") and line.endswith(
                "\n"
            ):  # the last line may be torn: it was not done yet
                gone.add(line.split()[1])
            if number == kill_after:
                child.kill()
        code = child.wait(PATIENCE)
    assert code == (-9 if kill_after >= 0 else 0)
    return gone


def _events(place: Place) -> tuple[str, list[Event]]:
    [path] = (place.home / "sessions").glob("*.jsonl")
    opened = Store.open(path.parent, path.stem)
    opened.store.close()
    return path.stem, opened.events


@pytest.mark.parametrize("seed", [1, 2])
def test_no_prompt_is_lost_or_runs_twice_over_kills(tmp_path: Path, seed: int) -> None:
    place, chance = Place(tmp_path), random.Random(seed)
    step = {"text": "so ", "repeat": 4, "delay": 0.004}
    model = place.script(*[[step, {"call": "list_files", "arguments": {}}], [step]] * 150)
    session, gone = "", set[str]()
    for life in range(KILLS):
        gone |= _run(place, model, seed * 10 + life, 10_000, session, chance.randrange(20, 160))
        session, _ = _events(place)
    gone |= _run(place, model, seed * 10 + KILLS, 20, session, -1)
    _, events = _events(place)
    known, begun = set[str](), Counter[str]()
    for event in events:
        if isinstance(event, QueueChanged):
            known |= {item.text.split()[0] for item in event.items}
        elif isinstance(event, TurnStarted):
            begun[event.prompt.split()[0]] += 1
        elif isinstance(event, SteerSeen):
            begun[event.text.split()[0]] += 1
    assert known and begun
    assert [prompt for prompt, times in begun.items() if times > 1] == []
    assert known - begun.keys() - gone == set()
