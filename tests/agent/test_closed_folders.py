"""Commands that close folders even to their owner, in the real sandboxes: what they did there is
found, told and put back like anything else."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.agent.turn.undo_limits import describe_unseen
from agent_tui.protocol.events import ErrorRaised, FileChanged, Notice, ToolEnded, UndoLimited
from agent_tui.safety.sandbox.profiles import LANDLOCK
from tests.agent.driving import Driver, Place
from tests.agent.test_command_changes import git
from tests.agent.test_commands_that_work import run
from tests.agent.test_commands_that_work import way as way
from tests.agent.test_restore import restore_all
from tests.ordinary import ordinary_rights


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    with ordinary_rights():
        yield made
        subprocess.run(["chmod", "-R", "u+rwX", tmp_path], check=True)


def notices(driver: Driver, words: str) -> list[str]:
    return [one.text for one in driver.all(Notice) if words in one.text]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("closed", ["311", "000"])
def test_what_one_plants_is_put_back(place: Place, closed: str) -> None:
    plant = f"mkdir d; cd d; git init -q .; git config core.fsmonitor x; chmod {closed} ."
    script = place.script([run(plant)], [run("chmod 755 d; ls -A d")], [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        first, second = driver.all(ToolEnded)
        assert "d/.git" in first.content and "put back" in first.content
        assert ".git" not in second.content
        assert len(notices(driver, "were opened again")) == (closed == "000")
    assert not (place.cwd / "d/.git").exists()


@pytest.mark.usefixtures("way")
def test_what_a_job_plants_is_put_back(place: Place) -> None:
    plant = "(sleep 0.5; mkdir d; echo x > d/.envrc; chmod 000 d) >/dev/null 2>&1 &"
    script = place.script([run(plant)], [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        driver.until(Notice, lambda one: "put back" in one.text and "d/.envrc" in one.text)
        assert not (place.cwd / "d/.envrc").exists()


@pytest.mark.parametrize("closed", ["311", "000"])
def test_history_below_stays_or_is_put_back(place: Place, way: str, closed: str) -> None:
    library = place.cwd / "v" / "lib"
    library.mkdir(parents=True)
    git(library, "init", "-q")
    (library / "a").write_text("a\n")
    git(library, "add", "a")
    git(library, "commit", "-q", "-m", "first")
    (place.cwd / "clean").write_text("chmod 755 v; rm -rf v/lib/.git\n")
    calls = [[run(f"chmod {closed} v")], [run("sh clean")]]
    script = place.script(*calls, [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert bool(notices(driver, "istory of git was lost")) is (way == LANDLOCK)
    said = subprocess.run(["git", "log", "--format=%s"], cwd=library, capture_output=True).stdout
    assert said == b"first\n"


@pytest.mark.parametrize("closed", ["311", "000"])
def test_secrets_in_one_from_before_are_out_of_reach(place: Place, way: str, closed: str) -> None:
    conf = place.cwd / "conf"
    conf.mkdir()
    (conf / ".env").write_text("GREETING=plainvalue\n")
    conf.chmod(int(closed, 8))
    calls = [run("chmod 755 conf; cat conf/.env"), run("cat conf/.env")]
    script = place.script(calls, [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        contents = [one.content for one in driver.all(ToolEnded)]
        assert any("plainvalue" in one for one in contents) is (way == LANDLOCK)
        said = notices(driver, "let nobody here look into them: conf")
        assert len(said) == (closed == "000")
        assert all(("cannot reach" in one) is (way != LANDLOCK) for one in said)


@pytest.mark.parametrize("ignored", [None, "notes/\n", ""])
def test_undo_brings_back_files_in_one(place: Place, ignored: str | None) -> None:
    if ignored is not None:
        git(place.cwd, "init", "-q")
        (place.cwd / ".gitignore").write_text(ignored)
        git(place.cwd, "add", ".gitignore")
        git(place.cwd, "commit", "-q", "-m", "first")
    notes = place.cwd / "notes"
    notes.mkdir()
    (notes / "todo.txt").write_text("mine\n")
    calls = [[run("chmod 311 notes")], [run("rm notes/todo.txt")]]
    with place.engine(place.script(*calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.turn("go")
        assert not (notes / "todo.txt").exists()
        assert [Path(one.path).name for one in driver.all(FileChanged)] == ["todo.txt"]
        assert restore_all(driver).done
    assert (notes / "todo.txt").read_text() == "mine\n"


@pytest.mark.parametrize("has_git", [False, True])
def test_one_that_nobody_can_enter_is_named_once(place: Place, has_git: bool) -> None:
    if has_git:
        git(place.cwd, "init", "-q")
    (place.cwd / "notes").mkdir()
    (place.cwd / "notes" / "todo.txt").write_text("mine\n")
    (place.cwd / "notes").chmod(0)
    calls = [[run("touch a")], [run("touch b")]]
    with place.engine(place.script(*calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.turn("go")
        limits = [one for one in driver.all(UndoLimited) if one.text == describe_unseen(["notes"])]
        assert [one.shown for one in limits] == [True]
        assert len(notices(driver, "let nobody here look into them: notes")) == 1
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok", "ok"]
    assert (place.cwd / "notes").stat().st_mode & 0o777 == 0


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("closed", [".vscode", "sub/.git", ".git"])
def test_protected_ones_that_a_person_closed_stay_so(place: Place, closed: str) -> None:
    for folder in (place.cwd, place.cwd / "sub"):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    (place.cwd / ".vscode").mkdir()
    (place.cwd / ".vscode" / "settings.json").write_text("{}")
    (place.cwd / closed).chmod(0o600)
    script = place.script([run("ls")], [run("touch a")], [run("touch b")], [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert len(notices(driver, f"let nobody here look into them: {closed}.")) == 1
        assert not notices(driver, "opened") and not notices(driver, "put back: ")
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok"] * 3
    assert (place.cwd / closed).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", ["auto", "accept-all"])
def test_names_in_one_that_nobody_can_enter_end_no_turn(place: Place, mode: str) -> None:
    (place.cwd / "conf" / "sub").mkdir(parents=True)
    (place.cwd / "conf").chmod(0)
    commands = (
        "cat conf/x",
        "cd conf/sub && ls",
        "git -C conf/sub log",
        "mv conf/x z",
        "rm conf/x",
    )
    calls: list[dict[str, object]] = [*map(run, commands)]
    for name in ("read_file", "delete_file", "list_files"):
        calls.append({"call": name, "arguments": {"path": "conf/x"}})
    calls.append({"call": "create_file", "arguments": {"path": "conf/x", "content": "x"}})
    script = place.script(*([one] for one in calls), [{"text": "ok"}])
    with place.engine(script, mode=mode, interactive=False) as driver:
        driver.turn("go")
        assert not driver.all(ErrorRaised)
        assert len(driver.all(ToolEnded)) == len(calls)
        refused = [one.content for one in driver.all(ToolEnded)[len(commands) :]]
        words = ("denies access", "Permission denied")
        assert all(any(word in one for word in words) for one in refused)
