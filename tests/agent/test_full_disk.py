"""A disk that fills while the agent works, and empties again: the log is whole at every moment,
nothing is lost, and nothing is changed that could not be written down."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from agent_tui.sessions.log.store import read

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, resource, sys
from pathlib import Path
from agent_tui.protocol.events import Notice, ToolEnded
from agent_tui.sessions.log.store import read
from tests.agent.driving import Place

place = Place(Path(sys.argv[1]))
create = lambda name: [{"call": "create_file", "arguments": {"path": name, "content": "x"}}]
model = place.script([{"text": "one"}], create("never"), [{"text": "two " * 900}], create("made"), [{"text": "three"}])
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
with place.engine(model, mode="accept-all") as driver:
    driver.turn("first")
    log = place.home / "sessions" / f"{driver.events[0].session}.jsonl"
    # No file may grow beyond this, in the middle of a record: a full disk for every file that does, not for new ones.
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + int(sys.argv[2]), hard))
    driver.turn("second")
    full = [type(event).__name__ for event in read(log)[0]], read(log)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    driver.turn("third")
    notices = [notice.text for notice in driver.all(Notice)]
    tags = [event.tag for event in driver.all(ToolEnded)]
    told = [event.n for event in driver.events if event.settled and event.n]
print(json.dumps({"log": str(log), "full": full, "notices": notices, "tags": tags, "told": told}))
"""


def run(folder: Path, room: int) -> dict[str, Any]:
    argv = [sys.executable, "-c", PROGRAM, str(folder), str(room)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_disk_that_fills_and_empties(tmp_path: Path) -> None:
    """Full at some byte of the next records: behind the prompt, in it, in the intent of the tool."""
    for room in (10, 300, 700):
        folder = tmp_path / str(room)
        found = run(folder, room)
        assert found["full"][1] == [], "the log is whole while the disk is full"
        assert found["tags"] == ["blocked", "ok"]
        assert not (folder / "work" / "never").exists() and (folder / "work" / "made").exists()
        assert any("not being saved" in text for text in found["notices"])
        assert any("saved again" in text for text in found["notices"])
        events, problems = read(Path(found["log"]))
        assert problems == () and set(found["told"]) <= {event.n for event in events}
        assert [event.n for event in events] == list(range(1, len(events) + 1))
