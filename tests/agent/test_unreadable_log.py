"""A session of which nothing can be read is not gone on with, and what of a log is set aside is told
with where it is kept."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import ErrorRaised, Notice, SessionStarted, TurnStarted
from agent_tui.protocol.ops import Resume
from agent_tui.sessions.log.store import Store, Unreadable, read
from tests.agent.driving import Driver, Place
from tests.tui.pty_stage import Pty

DAMAGE = {
    "newer": lambda data: data.replace(b'{"v":1,', b'{"v":99,'),
    "checksums": lambda data: re.sub(rb'"c":\d+', b'"c":1', data),
    "other": lambda _: b"no log at all\n" * 3,
}
SAID = {"newer": "update yours", "checksums": "put back a copy", "other": "put back a copy"}


@pytest.fixture
def log(tmp_path: Path) -> tuple[Place, str, Path]:
    place = Place(tmp_path)
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as driver:
        driver.turn("go")
        session = driver.events[0].session
    return place, model, place.home / "sessions" / f"{session}.jsonl"


def environment(place: Place) -> dict[str, str]:
    return {"AGENT_TUI_HOME": str(place.home), "TERM": "xterm-256color"}


@pytest.mark.parametrize("way", [["run", "-r"], ["run", "-c"], ["chat", "-r"]])
@pytest.mark.parametrize("damage", ["newer", "checksums"])
def test_it_is_one_line_and_a_usage_error(
    log: tuple[Place, str, Path], damage: str, way: list[str]
) -> None:
    place, model, path = log
    path.write_bytes(before := DAMAGE[damage](path.read_bytes()))
    files = sorted(path.parent.iterdir())
    argv = [way[0], "-m", model, way[1], *([path.stem] if way[1] == "-r" else [])]
    done = subprocess.run(
        [sys.executable, "-m", "agent_tui", *argv, *(["go on"] if way[0] == "run" else [])],
        cwd=place.cwd,
        env={**os.environ, **environment(place)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    [line] = done.stderr.splitlines()
    assert f"session {path.stem} cannot be read" in line and str(path) in line
    assert SAID[damage] in line
    assert path.read_bytes() == before and sorted(path.parent.iterdir()) == files


def test_the_screen_does_not_open_it(log: tuple[Place, str, Path]) -> None:
    place, model, path = log
    path.write_bytes(DAMAGE["checksums"](path.read_bytes()))
    argv = ["-m", "agent_tui", "-m", model, "--cwd", str(place.cwd), "-r", path.stem]
    pty = Pty(argv, environment(place), (200, 30))
    try:
        pty.until("cannot be read")
        assert pty.wait() == 2
    finally:
        pty.close()


@pytest.mark.parametrize("damage", DAMAGE)
def test_nothing_is_read_and_nothing_is_written(tmp_path: Path, damage: str) -> None:
    store = Store.create(tmp_path, "one")
    store.append(SessionStarted())
    store.append(TurnStarted(prompt="said"))
    store.close()
    store.path.write_bytes(before := DAMAGE[damage](store.path.read_bytes()))
    with pytest.raises(Unreadable, match=SAID[damage]):
        Store.open(tmp_path, "one")
    assert [entry.name for entry in tmp_path.iterdir()] == ["one.jsonl"]
    assert store.path.read_bytes() == before


def test_one_that_is_chosen_in_the_screen_leaves_the_other_at_work(
    log: tuple[Place, str, Path],
) -> None:
    place, model, path = log
    path.write_bytes(DAMAGE["checksums"](path.read_bytes()))
    with place.engine(model) as driver:
        driver.send(Resume(path.stem))
        assert "cannot be read" in driver.until(ErrorRaised).text
        assert driver.turn("hello").state == "completed"


def test_one_that_is_chosen_at_the_start_gives_a_new_one(log: tuple[Place, str, Path]) -> None:
    place, model, path = log
    path.write_bytes(DAMAGE["checksums"](path.read_bytes()))
    config = replace(place.config(model, resume=path.stem), or_new=True)
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    assert not driver.until(SessionStarted).resumed
    assert "cannot be read" in driver.until(Notice, lambda notice: notice.level == "error").text
    driver.worker.stop(10)


def test_what_is_set_aside_is_told_with_where_it_is(log: tuple[Place, str, Path]) -> None:
    place, model, path = log
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + DAMAGE["checksums"](b"".join(rest)))
    [problem] = read(path)[1]
    assert f"are {len(rest)} damaged records (checksum differs)" in problem
    with place.engine(model, resume=path.stem) as driver:
        driver.turn("go on")
        told = [notice.text for notice in driver.all(Notice)]
    [aside] = path.parent.glob("*.torn-*")
    assert problem in told
    assert any(str(aside) in text for text in told)
    assert aside.read_bytes() == DAMAGE["checksums"](b"".join(rest))
