"""`--add-dir` as a script meets it: a real process, what it may do, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.driving import Place
from tests.test_headless import run


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (tmp_path / "lib").mkdir()
    return place


def model(place: Place) -> str:
    content = {"path": str(place.root / "lib" / "a.txt"), "content": "new\n"}
    return place.script([{"call": "create_file", "arguments": content}], [{"text": "done"}])


def test_a_script_works_in_a_folder_that_it_names(place: Place) -> None:
    wanted = ("go", "-m", model(place), "--mode", "accept-edits")
    assert run(place, *wanted).returncode == 3
    assert not (place.root / "lib" / "a.txt").exists()
    done = run(place, *wanted, "--add-dir", str(place.root / "lib"), "--add-dir=.")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    (place.root / "lib" / "a.txt").unlink()
    assert run(place, *wanted, "-c").returncode == 0, "it came back with the session"


@pytest.mark.parametrize(
    ("named", "why"),
    [("/", "too large"), ("nowhere", "No such file"), ("home", "belongs to agent-tui")],
)
def test_what_is_refused_is_one_line(place: Place, named: str, why: str) -> None:
    place.home.mkdir()
    path = str(place.root / named) if named != "/" else named
    done = run(place, "go", "-m", model(place), "--add-dir", path)
    assert done.returncode == 2 and why in done.stderr and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"agent-tui: --add-dir {path}")
