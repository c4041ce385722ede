"""kill -9 at single moments of a call that changes files: the next start says of each file what
became of it, nothing stays beside them, and undo and redo know just what was done.

    AGENT_TUI_CHANGE_KILLS=1000 pytest -n 0 tests/agent/test_kills_changes.py

kills each call at every sync, rename, exchange, link and unlink, before it and after.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_tui import registry
from agent_tui.protocol.answers import RestoreOutcome
from agent_tui.protocol.events import Answered, ChangesStarted, Notice, ToolEnded
from agent_tui.protocol.ops import RestoreFiles
from agent_tui.protocol.tool_events import FILE_TOOLS
from agent_tui.registry import names
from agent_tui.sessions.log.store import read
from tests.agent.driving import PATIENCE, Driver, Place

KILLS = int(os.environ.get("AGENT_TUI_CHANGE_KILLS", "2"))
NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "id": "a", "source": ["x"], "metadata": {}, "outputs": [],'
    ' "execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)
PATCH = """*** Begin Patch
*** Update File: a.txt
-MINE
+THEIRS
*** Add File: new/c.txt
+new
*** Delete File: b.txt
*** Update File: n.ipynb
*** Move to: moved/n.ipynb
-{old}
+{new}
*** End Patch""".format(old=NOTEBOOK, new=NOTEBOOK.replace('"x"', '"y"'))
CALLS: dict[str, dict[str, Any]] = {
    "create_file": {"path": "new/deep/c.txt", "content": "new\n"},
    "edit_file": {"path": "a.txt", "old": "MINE", "new": "THEIRS"},
    "delete_file": {"path": "a.txt"},
    "move_file": {"path": "a.txt", "to": "new/a.txt"},
    "edit_notebook": {"path": "n.ipynb", "cell": 0, "source": "y"},
    "apply_patch": {"patch": PATCH},
}
BEFORE = {"a.txt": "MINE\nline2\n", "b.txt": "MINE\nline2\n", "n.ipynb": NOTEBOOK + "\n"}
Tree = dict[str, str]


def prepared(root: Path, tool: str) -> tuple[Place, str]:
    place = Place(root)
    model = place.script([{"call": tool, "arguments": CALLS[tool]}], [{"text": "done"}])
    for name, text in BEFORE.items():
        (place.cwd / name).write_text(text)
    return place, model


def tree(place: Place) -> Tree:
    """The files there are, and the folders: whatever is beside them is seen."""
    found = {str(one.relative_to(place.cwd)): one for one in place.cwd.rglob("*")}
    return {
        name: one.read_text() if one.is_file() else "(folder)"
        for name, one in found.items()
        if name != "script.json"
    }


def lived(place: Place, model: str, moment: int) -> int:
    """One run, killed at `moment`; without a kill how many moments there were, else 0."""
    argv = [sys.executable, "-m", "tests.agent.change_program", str(place.root), model, str(moment)]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        argv, cwd=root, capture_output=True, text=True, timeout=60 + PATIENCE, check=False
    )
    if done.returncode == -signal.SIGKILL:
        return 0
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def restored(driver: Driver, redo: bool = False) -> bool:
    driver.send(RestoreFiles(redo=redo))
    told = driver.until(Answered, lambda event: event.kind == "restored").data
    assert isinstance(told, RestoreOutcome)
    assert not told.asked, f"a kill makes no file that somebody else changed: {told}"
    return bool(told.done)


def check_next_start(place: Place, model: str, after: Tree, where: str) -> None:
    """What the next start finds and says; undo and redo do just what it says."""
    [log] = (place.home / "sessions").glob("*.jsonl")
    with place.engine(model, mode="accept-edits", resume=log.stem) as driver:
        now = tree(place)
        assert not [name for name in now if "/." in f"/{name}"], (where, now)
        for name, text in now.items():
            assert text in (BEFORE.get(name), after.get(name), NOTEBOOK + "\n"), (where, name)
        events = read(log)[0]
        told = [one.text for one in events if isinstance(one, Notice)]
        calls = [one for one in events if isinstance(one, ToolEnded)]
        begun = any(isinstance(one, ChangesStarted) for one in events)
        assert begun or now == BEFORE, f"{where}: no intent"
        if begun and calls[0].tag == "interrupted":
            assert [text for text in told if text.startswith("When agent-tui stopped")], where
            assert calls[0].content.startswith("Error [interrupted]: the program ended"), where
        undone = restored(driver)
        assert undone == (now != BEFORE) and tree(place) == BEFORE, (where, tree(place))
        if undone:
            assert restored(driver, redo=True) and tree(place) == now, where
    with place.engine(model, mode="accept-edits", resume=log.stem) as driver:
        assert tree(place) == now, f"{where}: a start changes nothing that is settled"


def test_all_tools_that_change_files_are_killed() -> None:
    tools = (registry.load("agent_tui.tools", name, "TOOL") for name in names("agent_tui.tools"))
    assert {tool.name for tool in tools if tool.effect == "write"} == FILE_TOOLS
    assert FILE_TOOLS - set(CALLS) == {"save_memory", "delete_memory"}, (
        "they change one, as others do"
    )


@pytest.mark.parametrize("tool", CALLS)
def test_a_kill_while_a_call_changes_files(tmp_path: Path, tool: str) -> None:
    place, model = prepared(tmp_path / "whole", tool)
    count, after = lived(place, model, -1), tree(place)
    assert count and after != BEFORE
    chance = random.Random(tool)
    moments = sorted(chance.sample(range(1, count + 1), min(KILLS, count)))
    for moment in moments:
        place, model = prepared(tmp_path / str(moment), tool)
        killed = lived(place, model, moment) == 0  # else it had a moment less than the first one
        assert killed or moment > count - 4
        if list((place.home / "sessions").glob("*.jsonl")):
            check_next_start(place, model, after, f"{tool}, moment {moment} of {count}")
