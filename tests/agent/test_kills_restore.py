"""kill -9 while many files are put back: each is whole, the next start says which are, and the rest
can be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.protocol.events import Answered, FilesRestored, Notice, RestoreStarted
from agent_tui.protocol.ops import RestoreFiles
from agent_tui.sessions.log.store import Store
from tests.agent.driving import PATIENCE, Driver, Place

FILES = 60
KILLS = int(os.environ.get("AGENT_TUI_RESTORE_KILLS", "2"))
CHILD = """
import sys
from pathlib import Path
from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import Answered, RestoreStarted, SessionStarted
from agent_tui.protocol.ops import RestoreFiles
from tests.agent.driving import Place

worker = Worker(Place(Path(sys.argv[1])).config(sys.argv[2], mode="accept-all", resume=sys.argv[3]))
worker.start(lambda: None)
while True:
    event = worker.events.get(timeout=20)
    if isinstance(event, SessionStarted):
        worker.send(RestoreFiles(redo=sys.argv[4] == "redo"))
    if isinstance(event, RestoreStarted):
        print("started", flush=True)
    if isinstance(event, Answered) and event.kind == "restored":
        print("done", flush=True)
        sys.stdin.read()
"""


def text(number: int, word: str) -> str:
    return f"{word} {number}\n" * 2_000


def states(place: Place) -> list[str]:
    """What each file holds; fails for one that is not whole."""
    found = []
    for number in range(FILES):
        path = place.cwd / "f" / str(number)
        held = path.read_text() if path.exists() else ""
        known = {text(number, "new"): "new", text(number, "old") if number % 2 else "": "old"}
        assert held in known, f"{path.name} is not whole"
        found.append(known[held])
    return found


def killed(place: Place, model: str, session: str, direction: str, after: float) -> None:
    argv = [sys.executable, "-c", CHILD, str(place.root), model, session, direction]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        argv, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        time.sleep(after)  # the moment of the kill: any will do
        child.kill()
        child.wait(PATIENCE)


def completed(driver: Driver, redo: bool) -> None:
    """Everything there is to take back, or to make again."""
    while True:
        driver.send(RestoreFiles(redo=redo))
        told = driver.until(Answered, lambda event: event.kind == "restored").data
        if told.problem.startswith("there is nothing to"):
            return
        assert told.done, told


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_kill_while_many_files_are_put_back(tmp_path: Path, seed: int) -> None:
    chance, place = random.Random(seed), Place(tmp_path)
    calls = [
        {
            "call": "create_file",
            "arguments": {"path": f"f/{n}", "content": text(n, "new"), "overwrite": True},
        }
        for n in range(FILES)
    ]
    model = place.script(calls, [{"text": "made"}])
    (place.cwd / "f").mkdir()
    for number in range(1, FILES, 2):
        (place.cwd / "f" / str(number)).write_text(text(number, "old"))
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        session = driver.events[0].session
    for direction in ("undo", "redo"):
        killed(place, model, session, direction, chance.random() * 0.1)
        before = states(place)
        with place.engine(model, mode="accept-all", resume=session) as driver:
            assert states(place) == before, "a start changes no file"
            beside = [
                path.name for path in (place.cwd / "f").iterdir() if not path.name.isdecimal()
            ]
            assert beside == [], "nothing of ours stays beside them"
            completed(driver, direction == "redo")
            assert set(states(place)) == {"new" if direction == "redo" else "old"}
        log = Store.open(place.home / "sessions", session)
        log.store.close()
        assert not log.problems
        begun = [event.id for event in log.events if isinstance(event, RestoreStarted)]
        assert begun == [event.id for event in log.events if isinstance(event, FilesRestored)], (
            "each has its end"
        )
        told = [
            one.text
            for one in log.events
            if isinstance(one, Notice) and "while it restored" in one.text
        ]
        assert told or len(set(before)) == 1, "where some are back and some are not, that is said"
