"""The program's own folders, where a session works in them or above: its file tools ask before
they change what the program obeys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.paths import Folders
from agent_tui.protocol.events import ApprovalAsked, ToolEnded
from agent_tui.protocol.ops import Answer, Submit
from tests.agent.driving import Driver, Place, running

CONFIG = ".config/agent-tui"
DATA = ".local/share/agent-tui"
OWN = "belongs to agent-tui itself (a protected place)"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A session in the home folder."""
    made = Place(tmp_path)
    made.script([{"text": "done"}])
    (made.cwd / CONFIG).mkdir(parents=True)
    return made


def create(path: str) -> dict[str, object]:
    return {"call": "create_file", "arguments": {"path": path, "content": "x = 1\n"}}


def run(place: Place, calls: list[dict[str, object]], mode: str, cwd: Path | None = None) -> Driver:
    """One step with these calls; every question is answered with no."""
    config = place.config(place.script(calls, [{"text": "done"}]), mode=mode)
    home = place.cwd
    folders = Folders(home / CONFIG, home / DATA, home / ".local/state/log", home / ".cache/a")
    config = replace(config, folders=folders, cwd=(cwd or home).resolve())
    if cwd is not None:
        (cwd / "script.json").write_text((home / "script.json").read_text())
    with running(config) as driver:
        driver.send(Submit("go"))
        while len(driver.all(ToolEnded)) < len(calls):
            driver.until(object)  # type: ignore[type-var]
            for asked in driver.all(ApprovalAsked):
                driver.send(Answer(asked.id, "no"))
        return driver


def reasons(driver: Driver) -> list[str]:
    return [asked.reason for asked in driver.all(ApprovalAsked)]


@pytest.mark.parametrize("mode", ["accept-edits", "accept-all"])
@pytest.mark.parametrize(
    "name",
    [
        f"{CONFIG}/tools/more.py",
        f"{CONFIG}/config.toml",
        f"{CONFIG}/memory/fact.md",
        f"{CONFIG}/prompt/trust.md",
        f"{CONFIG}/SOUL.md",
        f"{CONFIG}/skills/one/SKILL.md",
        f"{DATA}/allowed.toml",
        f"{DATA}/sessions/one.jsonl",
        ".local/state/log/agent.log",
        ".cache/a/maps/x",
    ],
)
def test_a_new_file_in_them_asks(place: Place, mode: str, name: str) -> None:
    driver = run(place, [create(name)], mode)
    assert reasons(driver) == [f"{name} {OWN}"]
    assert not (place.cwd / name).exists()


def test_every_tool_that_changes_files_asks(place: Place) -> None:
    config = place.cwd / CONFIG / "config.toml"
    config.write_text("a = 1\n")
    (place.cwd / "own.txt").write_text("x\n")
    path = f"{CONFIG}/config.toml"
    calls: list[Any] = [
        {"call": "read_file", "arguments": {"path": path}},
        {"call": "edit_file", "arguments": {"path": path, "old": "a = 1", "new": "a = 2"}},
    ]
    driver = run(place, calls, "accept-edits")
    read, _ = driver.all(ToolEnded)
    assert "a = 1" in read.content, "to read it is no question"
    assert reasons(driver) == [f"{path} {OWN}"]
    more: list[dict[str, Any]] = [
        {"call": "move_file", "arguments": {"path": path, "to": "config.bak"}},
        {"call": "move_file", "arguments": {"path": "own.txt", "to": f"{CONFIG}/tools/own.py"}},
        {"call": "delete_file", "arguments": {"path": path}},
    ]
    for call in more:
        [reason] = reasons(run(place, [call], "accept-edits"))
        assert reason.endswith(OWN)
    assert config.read_text() == "a = 1\n" and (place.cwd / "own.txt").exists()


def test_a_session_in_the_config_folder_asks(place: Place) -> None:
    driver = run(place, [create("tools/more.py")], "accept-edits", cwd=place.cwd / CONFIG)
    assert reasons(driver) == [f"tools/more.py {OWN}"]


def test_what_links_in_them_lead_to_asks(place: Place) -> None:
    """A repository with settings, into which the config folder links."""
    kept, config = place.root / "kept", place.cwd / CONFIG
    (kept / "tools").mkdir(parents=True)
    (config / "skills").mkdir()
    (config / "tools").symlink_to(kept / "tools")
    (config / "config.toml").symlink_to(kept / "settings.txt")
    (config / "skills" / "one").symlink_to(kept / "skill")
    names = ["tools/more.py", "settings.txt", "skill/SKILL.md"]
    driver = run(place, [create("readme.txt"), *map(create, names)], "accept-edits", cwd=kept)
    assert sorted(reasons(driver)) == sorted(f"{name} {OWN}" for name in names)
    assert (kept / "readme.txt").exists()


def test_the_config_folder_itself_may_be_a_link(place: Place) -> None:
    kept = place.root / "kept"
    (place.cwd / CONFIG).rmdir()
    kept.mkdir()
    (place.cwd / CONFIG).symlink_to(kept)
    driver = run(place, [create("tools/more.py")], "accept-edits", cwd=kept)
    assert reasons(driver) == [f"tools/more.py {OWN}"]


def test_stored_keys_are_read_like_a_secret(place: Place) -> None:
    keys, kept = place.cwd / CONFIG / "credentials.toml", place.cwd / "kept.txt"
    keys.write_text('openai = "hunter2-hunter2"\n')
    calls: list[Any] = [
        {"call": "grep_files", "arguments": {"pattern": "hunter", "path": ".config"}},
        {"call": "read_file", "arguments": {"path": f"{CONFIG}/credentials.toml"}},
    ]
    driver = run(place, calls, "accept-edits")
    assert reasons(driver) == [f"{CONFIG}/credentials.toml has the name of a secret"]
    assert not any("hunter2" in ended.content for ended in driver.all(ToolEnded))
    keys.rename(kept)
    keys.symlink_to(kept)
    driver = run(place, [{"call": "read_file", "arguments": {"path": "kept.txt"}}], "accept-edits")
    assert reasons(driver) == ["kept.txt has the name of a secret"]
