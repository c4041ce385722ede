"""kill -9 at any moment of a session with streams, edits, commands, approvals and undo: nothing
that was acknowledged is lost or there twice, no tool runs twice, every file is whole, and the next
start goes on.

    AGENT_TUI_KILLS=1000 pytest -n 0 -s tests/agent/test_kills.py

runs up to that many kills (a session may be over before its last one), and says the seed of each
session and how many it had.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agent_tui.protocol.events import AssistantReplied, Event, ToolStarted, fold
from agent_tui.sessions.log.store import Store
from tests.agent.driving import PATIENCE, Place
from tests.agent.kill_program import PROMPT, script

KILLS = int(os.environ.get("AGENT_TUI_KILLS", "20"))
OVER = "The script script.json has no more answers: it has 40."
A_SESSION = 5
"""Kills of one session, before it may end."""


def life(
    place: Place, model: str, session: str, seed: int, kill_after: int
) -> tuple[set[int], bool]:
    """One run, killed after so many acknowledged records (negative: never); their numbers, and
    whether it was done."""
    argv = [
        sys.executable,
        "-m",
        "tests.agent.kill_program",
        str(place.root),
        model,
        session,
        str(seed),
    ]
    told, done = set[int](), False
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as child:
        assert child.stdout is not None
        for number, line in enumerate(child.stdout):
            if line.endswith("\n") and line.strip().isdigit():
                told.add(int(line))
            done = done or line == "done\n"
            if number == kill_after:
                child.kill()
        child.wait(PATIENCE)
    return told, done


def opened(place: Place) -> tuple[str, list[Event]]:
    """The session there is, as the next start finds it; empty where the kill came before the first
    record."""
    found = list((place.home / "sessions").glob("*.jsonl"))
    if not found:
        return "", []
    [path] = found
    log = Store.open(path.parent, path.stem)
    log.store.close()
    assert not [problem for problem in log.problems if "last" not in problem], (
        "only the end of a log can be torn"
    )
    return path.stem, log.events


def whole(place: Place) -> bool:
    """Every file that was made holds one of the two contents that it may."""
    for path in place.cwd.glob("f*"):
        number = int(path.name[1:])
        if path.read_text() not in (f"{number}\n" * 50, f"{number + 1}!\n" * 50):
            return False
    return True


@pytest.mark.parametrize("session", range(-(-KILLS // A_SESSION)))
def test_nothing_is_lost_and_nothing_done_twice(tmp_path: Path, session: int) -> None:
    seed = 7_000 + session
    place, chance = Place(tmp_path / str(seed)), random.Random(seed)
    model = place.script(*script())
    acknowledged, id, done, kills = set[int](), "", False, 0
    for number in range(A_SESSION):
        told, done = life(place, model, id, seed + number, chance.randrange(2, 120))
        acknowledged |= told
        kills += not done
        id, events = opened(place)
        numbers = [event.n for event in events]
        lost = acknowledged - set(numbers)
        assert not lost, (
            f"seed {seed}, life {number}: acknowledged, and not in the log: {sorted(lost)}"
        )
        assert numbers == sorted(set(numbers)), f"seed {seed}, life {number}: a record twice"
        assert whole(place), f"seed {seed}: a file that is not whole"
        if done:
            break
    print(f"seed {seed}: {kills} kills")
    if not done:
        _, done = life(place, model, id, seed + A_SESSION, -1)
    _, events = opened(place)
    said = [event.text for event in events if isinstance(event, AssistantReplied)]
    # Killed between the last answer and the end of its turn, the turn goes on once more: the script
    # has no more to say.
    assert (
        done
        and said.count("all done") == 1
        and said.index("all done") >= len(said) - 1 - said.count(OVER)
    )
    ran = Counter((place.cwd / "ran.txt").read_text().split())
    assert set(ran.values()) <= {1}, f"seed {seed}: a command ran twice"
    started = Counter(event.call_id for event in events if isinstance(event, ToolStarted))
    assert set(started.values()) <= {1}, f"seed {seed}: a call was started twice"
    assert fold(events).marks[0].prompt == PROMPT
