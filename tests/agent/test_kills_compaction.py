"""kill -9 while a summary is written, put on record, or used for the first time: the next start
goes on, with all that the person said. `AGENT_TUI_KILLS=200` runs so many."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from agent_tui.protocol.events import Compacted, TurnStarted
from agent_tui.sessions.log.store import Store
from tests.agent.driving import PATIENCE, Place
from tests.agent.model_server import Always, Answer, ModelServer, model_server, said
from tests.agent.test_compaction import WINDOW, is_summary, texts

KILLS = int(os.environ.get("AGENT_TUI_KILLS", "3"))


def ask(place: Place, prompt: str) -> subprocess.Popen[bytes]:
    """One prompt in the session that there is."""
    home = str(place.home)
    variables = {"PATH": os.environ["PATH"], "HOME": home, "AGENT_TUI_HOME": home}
    argv = [sys.executable, "-m", "agent_tui", "run", "-m", "compatible/m", prompt]
    there = [*argv[:4], "-c", *argv[4:]] if (place.home / "sessions").exists() else argv
    return subprocess.Popen(
        there, cwd=place.cwd, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def summaries(server: ModelServer) -> int:
    return sum(map(is_summary, server.bodies))


def test_the_next_start_goes_on_with_all_that_was_said(tmp_path: Path) -> None:
    place, chance = Place(tmp_path), random.Random(16)
    place.cwd.mkdir()
    place.home.mkdir()
    slow = threading.Event()

    def answer(body: dict[str, Any]) -> Answer:
        if not is_summary(body):
            return said("answer " + "word " * 300)
        if slow.is_set():
            time.sleep(0.2)
        return said("## Goal\nSUMMARY")

    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, answer)
        (place.home / "config.toml").write_text(
            f'[providers.compatible]\nbase_url = "{server.address}"\n'
        )
        killed, number = 0, 0
        while killed < KILLS:
            before = summaries(server)
            slow.set()
            child = ask(place, f"word-{number}-said " + "more " * 60)
            while child.poll() is None and summaries(server) == before:
                time.sleep(0.01)
            if child.poll() is None:
                time.sleep(chance.random() * 0.6)
                child.kill()
                killed += 1
            child.wait(PATIENCE)
            number += 1
            assert number < 40 * KILLS, "nothing is summarised"
        slow.clear()
        child = ask(place, "the last")
        _, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, err.decode()
        last = texts([body for body in server.bodies if not is_summary(body)][-1])
    [path] = (place.home / "sessions").glob("*.jsonl")
    log = Store.open(path.parent, path.stem)
    log.store.close()
    prompts = [one.prompt.split()[0] for one in log.events if isinstance(one, TurnStarted)]
    assert [f"word-{n}-said" for n in range(number)] == prompts[:number]
    assert any(isinstance(one, Compacted) for one in log.events)
    assert "word-0-said" in last and f"word-{number - 1}-said" in last and "the last" in last
