"""`cd` of one command holds for the next one of the agent, inside the folders of the session; what
is judged, asked about and run is the command in that folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Answer, Clear, Submit
from tests.agent.driving import Place

OUTSIDE = "begins in the session's folder again"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    (place.cwd / "a sub" / "deep").mkdir(parents=True)
    return place


def run(command: str) -> dict[str, Any]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


def results(place: Place, *commands: str, **options: Any) -> list[str]:
    model = place.script(*([run(one)] for one in commands), [{"text": "done"}])
    with place.engine(model, mode="accept-all", **{"sandbox": "local", **options}) as driver:
        driver.turn("go")
        return [ended.content for ended in driver.all(ToolEnded)]


@pytest.mark.parametrize("sandbox", ["local", "auto"])
def test_a_folder_holds_for_the_next_command_and_is_said(place: Place, sandbox: str) -> None:
    moved, there, deeper, back = results(
        place, "cd 'a sub'; false", "pwd", "cd deep && pwd", "cd ../.. && pwd", sandbox=sandbox
    )
    home = place.cwd.resolve()
    assert moved.startswith("exit code 1\n") and "begins in a sub." in moved
    assert f"{home}/a sub\n" in there and "begins in a sub." in there
    assert f"{home}/a sub/deep\n" in deeper and "begins in a sub/deep." in deeper
    assert f"{home}\n" in back and "begins in the session's folder.]" in back


@pytest.mark.parametrize(
    "command", ["cd /", "cd ..", "cd link", "mkdir gone && cd gone && rmdir ../gone"]
)
def test_what_is_no_folder_of_the_session_does_not_last(place: Place, command: str) -> None:
    (place.root / "other").mkdir()
    (place.cwd / "link").symlink_to(place.root / "other")
    left, there = results(place, command, "pwd")
    assert OUTSIDE in left or "gone" in command
    assert f"{place.cwd.resolve()}\n" in there and "begins" not in there


@pytest.mark.parametrize(
    "command",
    [
        "cd 'a sub'; trap - EXIT",
        "cd 'a sub'; exec true",
        "echo /etc >&198; cd 'a sub'",
        "(cd 'a sub')",
        "echo cd",
    ],
)
def test_what_cannot_be_known_changes_nothing(place: Place, command: str) -> None:
    _, there = results(place, command, "pwd")
    assert f"{place.cwd.resolve()}\n" in there


def test_output_that_looks_like_a_folder_changes_nothing(place: Place) -> None:
    _, there = results(place, "cd .; echo /etc; echo 'a sub'", "pwd")
    assert f"{place.cwd.resolve()}\n" in there


def test_words_and_errors_of_a_command_that_moves_are_as_it_wrote_them(place: Place) -> None:
    told, broken, traced = results(
        place, "cd . ; echo $# $0; nothing-here", "cd . ; echo (", "set -x; cd ."
    )
    assert traced == "exit code 0\n++ cd .\n"
    assert told == "exit code 127\n0 bash\nbash: line 1: nothing-here: command not found\n"
    assert "trap" not in broken and "echo (" in broken


def test_a_folder_that_is_gone_is_left(place: Place) -> None:
    _, _, there = results(place, "cd 'a sub/deep'", "rmdir ../deep", "pwd")
    assert f"exit code 0\n{place.cwd.resolve()}\n" in there


def test_clear_goes_back_to_the_folder_of_the_session(place: Place) -> None:
    model = place.script(
        [run("cd 'a sub'")], [{"text": "one"}], [run("pwd")], [{"text": "two"}], [{"text": "x"}]
    )
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        driver.send(Clear())
        place.script([run("pwd")], [{"text": "two"}])
        driver.turn("again")
        contents = [ended.content for ended in driver.all(ToolEnded)]
    assert all("a sub\n" not in one for one in contents)


def test_a_person_is_asked_about_the_command_in_its_folder_and_allows_it_there_alone(
    place: Place,
) -> None:
    """What was allowed in one folder asks in another, and is judged with the folder it runs in."""
    make = "touch made"
    model = place.script(
        [run(make)], [run("cd 'a sub'")], [run(make)], [run("cat ../script.json")], [{"text": "x"}]
    )
    with place.engine(model, mode="auto", sandbox="local") as driver:
        driver.send(Submit("go"))
        first = driver.until(ApprovalAsked)
        driver.send(Answer(first.id, "always"))
        second = driver.until(ApprovalAsked)
        assert isinstance(second.display, CommandDisplay)
        assert second.display.command == make
        assert second.display.cwd == str(place.cwd.resolve() / "a sub")
        assert not (place.cwd / "a sub" / "made").exists()
        driver.send(Answer(second.id, "once"))
        assert driver.until(TurnEnded).state == "completed"
        assert (place.cwd / "a sub" / "made").exists()
        assert len(driver.all(ApprovalAnswered)) == 2  # what only looks inside needs no yes


def test_a_secret_of_the_folder_asks(place: Place) -> None:
    (place.cwd / "a sub" / ".env").write_text("A=1\n")
    model = place.script([run("cd 'a sub'")], [run("cat .env")], [{"text": "x"}])
    with place.engine(model, mode="auto", sandbox="local") as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert "a sub/.env has the name of a secret" in asked.reason
        driver.send(Answer(asked.id, "no"))
        driver.until(TurnEnded)
