"""What undo cannot reach is said: files that are too large or not readable, what goes on in the
background, repositories inside this one."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest

from agent_tui.agent.session.changes import BACKGROUND, RAN
from agent_tui.agent.turn import known_files
from agent_tui.agent.turn.undo_limits import APPEARED, IGNORED, describe_unseen
from agent_tui.protocol.events import JobChanged, TurnStarted, UndoLimited
from agent_tui.protocol.ops import RestoreFiles
from tests.agent.driving import Driver, Place
from tests.agent.test_command_changes import changed, git, place, running, tree
from tests.agent.test_restore import answer, ask, restore_all

__all__ = ["place"]
SMALL = 1_000


def said(driver: Driver) -> list[str]:
    return [limit.text for limit in driver.all(UndoLimited)]


@pytest.fixture
def little(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Files of more than a kB are too large; `a-large` is one of the person, `kept` of the commit."""
    monkeypatch.setattr(known_files, "MOST_BYTES", SMALL)
    (place.cwd / "a-large").write_text("mine\n" * SMALL)
    (place.cwd / "kept").write_text("kept\n" * SMALL)
    git(place.cwd, "add", "kept")
    git(place.cwd, "commit", "-q", "-m", "kept")
    return place


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ("true", ["a-large"]),
        ("rm a-large", ["a-large"]),
        ("echo x > a-large", ["a-large"]),
        ("echo x > kept", ["a-large", "kept"]),
        ("head -c 2000 /dev/zero > loose", ["a-large", "loose"]),
        ("rm a-large; mkdir a-large; touch a-large/a", ["a-large"]),
    ],
)
def test_what_does_not_fit_is_named_and_the_others_are_seen(
    little: Place, more: str, names: list[str]
) -> None:
    with little.engine(
        running(little, f"echo x >> clean; echo x >> dirty; {more}"),
        mode="accept-all",
        sandbox="local",
    ) as driver:
        driver.turn("go")
        assert {"clean", "dirty"} <= set(changed(driver)) and not set(names) & set(changed(driver))
        words = " ".join(text for text in said(driver) if text.startswith("Too large"))
        assert all(name in words for name in names) and APPEARED not in said(driver)
        after = tree(little)
        restore_all(driver)
        mine = tree(little)
        assert (
            mine["dirty"][0] == b"dirty of mine\n" and mine["clean"][0] == b"clean as committed\n"
        )
        assert [mine.get(name) for name in names] == [after.get(name) for name in names]


def test_many_files_that_do_not_fit_are_counted() -> None:
    names = [f"f{number}" for number in range(9)]
    assert "f0, f1, f2 and 6 more." in describe_unseen(names) and "more" not in describe_unseen(
        names[:3]
    )


def test_a_file_that_cannot_be_read_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mode would not do: root reads everything."""
    read = known_files.read_content

    def refused(path: Path, mode: int, limit: int) -> bytes:
        if path.name == "loose":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path, mode, limit)

    monkeypatch.setattr(known_files, "read_content", refused)
    with place.engine(
        running(place, "echo x >> dirty; rm loose"), mode="accept-all", sandbox="local"
    ) as driver:
        driver.turn("go")
        assert describe_unseen(["loose"]) in said(driver) and set(changed(driver)) == {"dirty"}


def test_a_file_that_cannot_be_looked_at_is_named(place: Place) -> None:
    """Its path is longer than the system takes from the root: git sees it from the top."""
    name = "d" * 202
    make = f"for i in $(seq 20); do mkdir {name}; cd {name}; done; echo x > deep"
    with place.engine(
        running(place, f"echo x >> dirty; {make}"), mode="accept-all", sandbox="local"
    ) as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"dirty"}
        [said_of] = [text for text in said(driver) if "/deep" in text]
        assert said_of.startswith("Too large or not readable: ddd")
    subprocess.run(["rm", "-r", place.cwd / name], check=True)


def test_what_goes_on_in_the_background_is_said_of_its_turn_and_of_those_while_it_runs(
    place: Place,
) -> None:
    job = "(while [ ! -e .git/go ]; do sleep 0.02; done; echo late >> dirty) & true"
    model = place.script(
        [{"call": "run_shell_command", "arguments": {"command": job}}],
        [{"text": "ran"}],
        [{"text": "then"}],
        [{"text": "last"}],
    )
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("first")
        assert BACKGROUND in ask(driver).caps
        driver.turn("second")
        (place.cwd / ".git" / "go").touch()
        if not any(event.state == "ended" for event in driver.all(JobChanged)):
            driver.until(JobChanged, lambda event: event.state == "ended")
        driver.turn("third")
        first, second, third = (event.n for event in driver.all(TurnStarted))
        assert [limit.turn for limit in driver.all(UndoLimited) if limit.text == BACKGROUND] == [1]
        for turn in (first, second):
            caps = ask(driver, "undo", str(turn)).caps
            assert RAN in caps and BACKGROUND not in caps, "it has ended"
        assert not {RAN, BACKGROUND} & {*ask(driver, "undo", str(third)).caps}


def test_what_a_process_in_the_background_changes_while_a_command_runs_is_kept_unless_chosen(
    place: Place,
) -> None:
    job = (
        "(while [ ! -e .git/go ]; do sleep 0.02; done; echo late >> clean; touch .git/done) & true"
    )
    waits = "touch .git/go; while [ ! -e .git/done ]; do sleep 0.02; done; echo x >> dirty"
    calls = [[{"call": "run_shell_command", "arguments": {"command": one}}] for one in (job, waits)]
    model = place.script(calls[0], [{"text": "left"}], calls[1], [{"text": "ran"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("first")
        driver.turn("second")
        told = ask(driver)
        assert {(file.path, file.state, file.default) for file in told.files} == {
            ("clean", "during", "keep"),
            ("dirty", "during", "keep"),
        }
        assert {BACKGROUND, RAN} & {*told.caps}
        assert all("stays unless you choose it" in text for text in (BACKGROUND, RAN))
        driver.send(RestoreFiles(choices={"dirty": "restore"}))
        assert answer(driver, "restored").done
        assert (place.cwd / "clean").read_text().endswith("late\n")
        assert (place.cwd / "dirty").read_text() == "dirty of mine\n"


@pytest.mark.parametrize("make", ["git init -q inner; touch inner/a", "git clone -q . inner"])
def test_a_repository_inside_is_no_file_that_appeared(place: Place, make: str) -> None:
    with place.engine(running(place, make), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert APPEARED not in said(driver) and IGNORED in ask(driver).caps
        assert changed(driver) == {}


def test_the_line_names_what_git_passes_over() -> None:
    for word in ("ignores", "assume-unchanged", "skip-worktree", "submodules", "repositories"):
        assert word in IGNORED and word in (Path(__file__).parents[2] / "docs/usage.md").read_text()
