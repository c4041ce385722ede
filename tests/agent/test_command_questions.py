"""What a person said yes to is what runs: a command that names other files by then asks again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.protocol.events import ApprovalAsked, Event, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Answer, Submit
from tests.agent.driving import Place

CHANGED = "what it works on changed meanwhile, so it asks again"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    (place.cwd / "sub").mkdir(parents=True)
    for name in ("a.o", "b.o", ".ex"):
        (place.cwd / name).write_text(name)
    return place


def new_file(cwd: Path) -> None:
    (cwd / "mine.o").write_text("precious")


def secret(cwd: Path) -> None:
    (cwd / ".env").write_text("A=b")


def link(cwd: Path) -> None:
    (cwd / "sub").rmdir()
    (cwd.parent / "outside").mkdir()
    (cwd / "sub").symlink_to(cwd.parent / "outside")


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("rm *.o", new_file),
        ("r'm' -f ?*.o", new_file),
        ("cp .e* copy", secret),
        ("cd sub && touch made", link),
    ],
)
def test_a_command_that_works_on_other_files_by_then_asks_again(
    place: Place, command: str, change: Callable[[Path], None]
) -> None:
    run = {"call": "run_shell_command", "arguments": {"command": command}}
    with place.engine(place.script([run], ["done"])) as driver:
        driver.send(Submit("go"))
        first = driver.until(ApprovalAsked)
        change(place.cwd)
        before = sorted(place.root.rglob("*"))
        driver.send(Answer(first.id, "once"))
        second = driver.until(Event, lambda event: isinstance(event, ApprovalAsked | ToolEnded))
        assert isinstance(second, ApprovalAsked) and CHANGED in second.reason
        assert second.argv != first.argv or second.reason != first.reason
        driver.send(Answer(second.id, "no"))
        driver.until(TurnEnded)
    after = [path for path in sorted(place.root.rglob("*")) if "home" not in path.parts]
    assert after == [path for path in before if "home" not in path.parts], "nothing ran"


def test_a_command_that_is_the_same_runs_at_the_first_yes(place: Place) -> None:
    run = {"call": "run_shell_command", "arguments": {"command": "rm *.o"}}
    with place.engine(place.script([run], ["done"])) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
        assert len(driver.all(ApprovalAsked)) == 1
    assert not list(place.cwd.glob("*.o"))
