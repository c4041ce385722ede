"""Commands after an edit, in the real engine: what they change is part of the edit, what goes wrong
is one line, and those of a project run only once it is trusted."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import TrustOffer
from agent_tui.protocol.display import DiffsDisplay
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    FileChanged,
    FilesRestored,
    Notice,
    ToolEnded,
)
from agent_tui.protocol.ops import Answer, Cancel, Query, RestoreFiles, SetTrust, Submit
from agent_tui.safety.sandbox import support
from agent_tui.settings.table import PermissionSettings, ToolSettings
from agent_tui.settings.trust import ThisRun
from tests.agent.driving import PATIENCE, Driver, Place, running
from tests.agent.test_restore import ask
from tests.test_headless import environment

UPPER = "sed -i 's/one/ONE/' {file}"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("zero\n")
    return place


def hooks(place: Place, *commands: str, pattern: str = "*.txt") -> None:
    place.home.mkdir(exist_ok=True)
    (place.home / "config.toml").write_text(table(*commands, pattern=pattern))


def table(*commands: str, pattern: str = "*.txt") -> str:
    return f"[hooks.after_edit]\n{json.dumps(pattern)} = {json.dumps(commands)}\n"


def edit(old: str, new: str, path: str = "a.txt") -> list[dict[str, Any]]:
    return [{"call": "edit_file", "arguments": {"path": path, "old": old, "new": new}}]


def call(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": tool, "arguments": arguments}]


def run(place: Place, *steps: Any, **more: Any) -> list[ToolEnded]:
    """The results of the calls in a turn with these steps."""
    with engine(place, *steps, **more) as driver:
        assert driver.turn("go").state == "completed"
        return driver.all(ToolEnded)


def engine(place: Place, *steps: Any, mode: str = "accept-edits", **more: Any) -> Any:
    return place.engine(place.script(*steps, [{"text": "done"}]), mode=mode, **more)


def text(place: Place, name: str = "a.txt") -> str:
    return (place.cwd / name).read_text()


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.01)


def notes(ended: ToolEnded) -> list[str]:
    """The lines of the differences that say something."""
    shown = ended.display
    assert isinstance(shown, DiffsDisplay)
    lines = (line for diff in shown.diffs for hunk in diff.hunks for line in hunk.lines)
    return [line[2:] for line in lines if line.startswith("\\ ")]


def notices(driver: Driver) -> list[str]:
    return [event.text for event in driver.all(Notice) if event.text.startswith("After an edit")]


def test_what_a_formatter_changed_is_told_and_known(place: Place) -> None:
    hooks(place, UPPER)
    first, second = run(place, edit("zero", "one\ntwo"), edit("ONE", "1"))
    assert "Edited a.txt" in first.content and "    1→one" in first.content
    said = f"After the edit, `{UPPER.replace('{file}', 'a.txt')}` changed a.txt (+1 -1 lines)."
    assert f"{said} It stands so now:\n    1→ONE\n    2→two" in first.content
    assert isinstance(first.display, DiffsDisplay)
    before, after = first.display.diffs
    assert "+one" in before.hunks[0].lines and "+ONE" in after.hunks[0].lines
    assert notes(first) == [f"changed after the edit by `{UPPER.replace('{file}', 'a.txt')}`"]
    assert second.tag == "ok", "the edit of what it holds now is not stale"
    assert text(place) == "1\ntwo\n"


def test_undo_takes_edit_and_formatting_back_together(place: Place) -> None:
    hooks(place, UPPER, "chmod 755 {file}")
    with engine(place, edit("zero", "one")) as driver:
        driver.turn("go")
        edited, formatted = driver.all(FileChanged)
        assert edited.after == formatted.before and not formatted.during_command
        assert (formatted.mode, formatted.mode_after) == (0o644, 0o755)
        assert [(file.path, file.state) for file in ask(driver).files] == [("a.txt", "as_left")]
        driver.send(RestoreFiles())
        assert [file.outcome for file in driver.until(FilesRestored).files] == ["done"]
        assert text(place) == "zero\n" and not os.access(place.cwd / "a.txt", os.X_OK)
        driver.send(RestoreFiles(redo=True))
        driver.until(FilesRestored)
        assert text(place) == "ONE\n"


def test_what_a_command_did_to_permissions_is_told(place: Place) -> None:
    hooks(place, "chmod 644 {file}; chmod 4777 {file}", "true")
    [ended] = run(place, edit("zero", "one"))
    by, now = "`chmod 644 a.txt; chmod 4777 a.txt`", "permissions: 644, now 4777 (a program now)"
    assert f"After the edit, {by} changed a.txt: {now}." in ended.content
    assert notes(ended) == [f"{now}, after the edit by {by}"]


def test_permissions_that_a_command_put_back_are_not_told(place: Place) -> None:
    hooks(place, "chmod 755 {file}", "chmod 644 {file}")
    [ended] = run(place, edit("zero", "one"))
    assert "permissions" not in ended.content and not isinstance(ended.display, DiffsDisplay)


def test_permissions_of_another_file_are_told_as_of_a_command(place: Place) -> None:
    (place.cwd / "b.txt").write_text("b\n")
    hooks(place, "chmod 4755 b.txt")
    with engine(place, edit("zero", "one")) as driver:
        driver.turn("go")
        other = driver.all(FileChanged)[-1]
        assert other.path.endswith("b.txt") and other.during_command
        lines = [line for hunk in other.diff.hunks for line in hunk.lines]
        assert "\\ permissions: 644, now 4755 (a program now)" in lines


def test_a_linter_that_fails_is_told_in_few_lines(place: Place) -> None:
    hooks(place, "seq 30; echo secret-of-mine >&2; exit 3", "echo fine")
    [ended] = run(place, edit("zero", "one"), environment={"MY_API_KEY": "secret-of-mine"})
    assert (
        "`seq 30; echo secret-of-mine >&2; exit 3` failed (exit code 3):\n1\n2\n"
        not in ended.content
    )
    assert (
        "failed (exit code 3):\n1\n2\n" in ended.content
        and "\n20\n… (11 more lines)" in ended.content
    )
    assert "fine" not in ended.content and "secret-of-mine" not in ended.content
    assert notes(ended)[1:3] == ["1", "2"] and ended.tag == "ok"


def test_what_changes_content_runs_them_once_for_a_file(place: Place) -> None:
    (place.cwd / "b.txt").write_text("b\n")
    log = "echo {file} >> log; echo ran >> once"
    hooks(place, log.partition("; ")[0], "echo call >> calls")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n-zero\n+one\n*** Add File: d/c.txt\n+c\n"
        "*** Update File: b.txt\n*** Move to: moved.txt\n*** End Patch"
    )
    run(
        place,
        call("apply_patch", patch=patch),
        call("create_file", path="-n.txt", content="n\n"),
        call("create_file", path="n.md", content="n\n"),
        call("move_file", path="a.txt", to="z.txt"),
        edit("zero", "one", "n.md"),
    )
    assert text(place, "log").split("\n") == ["a.txt", "d/c.txt", "./-n.txt", ""]
    assert text(place, "calls") == "call\ncall\n", "without {file}: once a call"


@pytest.mark.parametrize(("command", "did"), [("rm {file}", "deleted"), (": > {file}", "emptied")])
def test_a_command_that_loses_the_file_costs_nothing(place: Place, command: str, did: str) -> None:
    (place.cwd / "a.txt").chmod(0o755)
    hooks(place, UPPER, command, "touch never")
    with engine(place, edit("zero", "one"), edit("ONE", "2")) as driver:
        driver.turn("go")
        first, second = driver.all(ToolEnded)
        said = f"`{command.replace('{file}', 'a.txt')}` {did} a.txt: it was put back"
        assert said in first.content and "(1 command behind it did not run)" in first.content
        assert second.tag == "ok" and text(place) == "2\n"
        assert any(said in one for one in notices(driver)) and len(notices(driver)) == 2
    assert not (place.cwd / "never").exists()
    assert (place.cwd / "a.txt").stat().st_mode & 0o777 == 0o755


def test_a_command_that_hangs_is_ended(place: Place) -> None:
    hooks(place, "sleep 1000", "touch never")
    [ended] = run(place, edit("zero", "one"), tools=ToolSettings(command_timeout=1))
    assert "`sleep 1000` took longer than 1 s and was ended." in ended.content
    assert text(place) == "one\n" and not (place.cwd / "never").exists()


def test_a_cancel_ends_it_and_keeps_what_undo_needs(place: Place) -> None:
    hooks(place, f"{UPPER} && touch began && sleep 1000")
    with engine(place, edit("zero", "one")) as driver:
        driver.send(Submit("go"))
        driver.until(FileChanged)
        wait_for(place.cwd / "began")
        driver.send(Cancel())
        [ended] = [driver.until(ToolEnded)]
        assert ended.tag == "cancelled" and "its change was made by then: a.txt" in ended.content
        formatted = driver.until(FileChanged)
        assert not formatted.during_command
        driver.send(RestoreFiles())
        driver.until(FilesRestored)
    assert text(place) == "zero\n"


def test_what_would_ask_does_not_run(place: Place) -> None:
    hooks(place, "rm -rf ~", "touch denied", "mkdir ran")
    rules = PermissionSettings(deny=("run_shell_command(touch *)",))
    [ended] = run(place, edit("zero", "one"), permissions=rules)
    assert "`rm -rf ~` did not run: it would ask, and nobody is asked" in ended.content
    assert "`touch denied` did not run: your rule denies it" in ended.content
    assert (place.cwd / "ran").exists() and not (place.cwd / "denied").exists()


def test_in_the_sandbox_it_writes_only_in_the_folders_of_the_session(place: Place) -> None:
    outside = place.root / "outside"
    outside.mkdir()
    hooks(place, f"echo x > {outside}/x", "echo x > inside", "echo x > .envrc", UPPER)
    [ended] = run(place, edit("zero", "one"))
    has_one = not asyncio.run(support.workspace_support()).problem
    assert (outside / "x").exists() is not has_one and text(place, "inside") == "x\n"
    assert (place.cwd / ".envrc").exists() is not has_one, "programs obey it: it was put back"
    assert text(place) == "ONE\n" and ended.tag == "ok"


@pytest.mark.parametrize("path", [".envrc", ".env"])
def test_secrets_and_protected_files_are_left_alone(place: Place, path: str) -> None:
    hooks(place, "echo {file} > ran", pattern="*")
    place.cwd.joinpath(path).write_text("zero=1\n")
    with engine(place, edit("zero", "one", path)) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        assert driver.until(ToolEnded).tag == "ok"
    assert not (place.cwd / "ran").exists()


def test_plan_mode_and_a_failed_edit_run_nothing(place: Place) -> None:
    hooks(place, "touch ran")
    assert run(place, edit("zero", "one"), mode="plan")[0].tag == "blocked"
    assert run(place, edit("nothing", "one"))[0].tag == "no_match"
    assert not (place.cwd / "ran").exists()


def test_those_of_a_project_run_once_it_is_trusted_and_a_change_asks_again(place: Place) -> None:
    own = place.cwd / ".agent-tui" / "config.toml"
    own.parent.mkdir()
    own.write_text(table("echo project >> ran"))
    hooks(place, "echo mine >> ran", pattern="a.*")
    model = place.script(edit("zero", "one"), [{"text": "1"}], edit("one", "two"), [{"text": "2"}],
                         edit("two", "three"), [{"text": "3"}])  # fmt: skip
    config = replace(place.config(model, mode="accept-edits"), this_run=ThisRun())
    with running(replace(config, asks=False)) as driver:
        driver.turn("untrusted")
        assert text(place, "ran") == "mine\n"
        driver.send(Query("t", "trust"))
        offer = driver.until(Answered, lambda event: event.id == "t").data
        assert isinstance(offer, TrustOffer) and [one.name for one in offer.files] == [
            ".agent-tui/config.toml"
        ]
        assert "echo project" in offer.files[0].text
        driver.send(SetTrust("always", (offer.files[0].hash,)))
        driver.until(Answered, lambda event: event.id == "trust")
        driver.turn("trusted")
        assert text(place, "ran") == "mine\nmine\nproject\n"
        own.write_text(table("echo other >> ran"))
        driver.turn("changed")
        assert text(place, "ran") == "mine\nmine\nproject\nmine\n"
        driver.send(Query("t2", "trust"))
        asked = driver.until(Answered, lambda event: event.id == "t2").data
        assert isinstance(asked, TrustOffer)
        lines = [line for hunk in asked.files[0].diff for line in hunk.lines]
        assert any("other" in line for line in lines if line.startswith("+"))


def test_what_a_killed_program_left_may_be_the_persons(place: Place) -> None:
    hooks(place, f"{UPPER} && touch began && sleep 1000")
    model = place.script(edit("zero", "one"), [{"text": "done"}])
    argv = [sys.executable, "-m", "agent_tui", "run", "-m", model, "--mode", "accept-edits", "go"]
    given = environment(place)
    with subprocess.Popen(argv, cwd=place.cwd, env=given) as program:
        wait_for(place.cwd / "began")
        program.kill()
    with (place.cwd / "a.txt").open("a") as file:
        file.write("mine\n")
    [log] = (place.home / "sessions").glob("*.jsonl")
    with place.engine(model, resume=log.stem) as driver:
        formatted = driver.until(FileChanged)
        assert formatted.path == str(place.cwd / "a.txt") and formatted.during_command
        driver.send(RestoreFiles())
        outcomes = {
            Path(file.path).name: file.outcome for file in driver.until(FilesRestored).files
        }
        assert outcomes == {"a.txt": "kept", "began": "kept"}
    assert text(place).endswith("mine\n")


@pytest.mark.parametrize(
    "command", ['cat "{file}"', "cat '{file}'", "cat \\{file}", 'cat "$(echo {file})"']
)
def test_a_place_in_quotes_is_refused(place: Place, command: str) -> None:
    """The quotes of the name would end them, and its text would be a command."""
    hooks(place, command)
    name = "a$(touch ran).txt"
    with engine(place, call("create_file", path=name, content="x\n"), sandbox="local") as driver:
        driver.turn("go")
        [said] = notices(driver)
    assert "without quotes" in said and not (place.cwd / "ran").exists()


def test_what_a_command_makes_of_a_file_is_bounded_on_record(place: Place) -> None:
    hooks(place, "head -c 2000000 /dev/zero >> {file}")
    [ended] = run(place, edit("zero", "one"))
    assert (place.cwd / "a.txt").stat().st_size > 2_000_000
    assert len(repr(ended)) < 20_000
