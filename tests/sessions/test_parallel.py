"""A hundred programs start on one session at once: one after another writes, never two, and no line
is torn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from agent_tui.protocol.events import DraftSaved, TurnStarted
from agent_tui.sessions.log.store import Store, read

PROGRAM = """
import json, os, sys, time
from pathlib import Path
from agent_tui.protocol.events import DraftSaved
from agent_tui.sessions.log.store import SessionLocked, Store

folder, children = Path(sys.argv[1]), []
for number in range(100):
    if child := os.fork():
        children.append(child)
        continue
    try:
        log = Store.open(folder, "one").store
        for turn in range(3):
            log.append(DraftSaved(text=f"{number}-{turn}" + " and more" * 200))
        trouble = log.trouble
        log.close()
        os._exit(4 if trouble else 0)
    except SessionLocked:
        os._exit(3)
    except BaseException:
        os._exit(5)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]))
"""


def test_a_hundred_starts_on_one_session(tmp_path: Path) -> None:
    log = Store.create(tmp_path, "one")
    log.append(TurnStarted(prompt="hello"))
    log.close()
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True)
    codes = Counter(json.loads(done.stdout))
    assert set(codes) <= {0, 3} and codes[0] >= 1 and sum(codes.values()) == 100
    events, problems = read(log.path)
    assert problems == () and [event.n for event in events] == list(range(1, len(events) + 1))
    writers = [event.text.split("-")[0] for event in events if isinstance(event, DraftSaved)]
    assert len(writers) == 3 * codes[0] and set(Counter(writers).values()) == {3}
    assert all(len(set(writers[at : at + 3])) == 1 for at in range(0, len(writers), 3)), (
        "two wrote at once"
    )
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["one.jsonl"]
