"""A forbidden folder is out of reach of what commands run, whatever their words say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    ApprovalAsked,
    ContextBuilt,
    Notice,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.settings.table import PermissionSettings
from tests.agent.driving import Place

WAYS = tuple(sandbox_support._ways())
MOUNTS = tuple(filter(None, WAYS))
"""Without them nothing below a folder that is written is hidden."""


@pytest.fixture(params=WAYS, ids=lambda way: Path(way or "landlock").name)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The only backend that is looked for."""
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([request.param]))
    return str(request.param)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.cwd / "clients/a").mkdir(parents=True)
    (made.cwd / "clients/a/x").write_text("TOP\n")
    (made.cwd / "clients/AGENTS.md").write_text("TOP\n")
    (made.cwd / "b.txt").write_text("plain\n")
    (made.cwd / "look.sh").write_text(
        "echo begun; ls clients; cat clients/a/x clients/AGENTS.md; cat **/x; cat */AGENTS.md\n"
        "cd clients && cat a/x; chmod 700 clients; rm -rf clients; mv clients z; echo ended\n"
    )
    return made


def run(command: str) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


def rules(place: Place, *allow: str) -> PermissionSettings:
    return PermissionSettings(
        allow=tuple(f"run_shell_command({one})" for one in allow),
        forbidden_dirs=(str(place.cwd / "clients"),),
    )


def git(place: Place, *words: str) -> str:
    own = ("git", "-C", str(place.cwd), "-c", "user.name=x", "-c", "user.email=x")
    return subprocess.run([*own, *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("way", MOUNTS, indirect=True)
@pytest.mark.usefixtures("way")
def test_a_script_does_not_look_into_it(place: Place) -> None:
    calls = [run("sh look.sh; true")]
    with place.engine(
        place.script(calls, [{"text": "ok"}]), mode="accept-all", permissions=rules(place)
    ) as driver:
        driver.turn("go")
        [ended], [started] = driver.all(ToolEnded), driver.all(ToolStarted)
        assert started.note == "sandboxed" and not driver.all(ApprovalAsked)
        assert "begun" in ended.content and "ended" in ended.content
        assert "TOP" not in ended.content
    assert (place.cwd / "clients/a/x").read_text() == "TOP\n"


@pytest.mark.parametrize("way", MOUNTS, indirect=True)
@pytest.mark.usefixtures("way")
def test_a_commit_does_not_delete_what_is_tracked_in_it(place: Place) -> None:
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "one")
    (place.cwd / "b.txt").write_text("new\n")
    git(place, "config", "user.name", "x")
    git(place, "config", "user.email", "x")
    calls = [run("git add -A"), run("git commit -qam two")]
    with place.engine(
        place.script(calls, [{"text": "ok"}]), mode="accept-all", permissions=rules(place)
    ) as driver:
        driver.turn("go")
        assert driver.all(ToolEnded)[0].tag == "ok", driver.all(ToolEnded)[0].content
    assert "b.txt" in git(place, "log", "--oneline", "--stat", "-1")
    assert "clients/a/x" in git(place, "ls-tree", "-r", "--name-only", "HEAD")
    assert (place.cwd / "clients/a/x").read_text() == "TOP\n"


@pytest.mark.parametrize("mode", ["auto", "accept-all"])
def test_a_rule_takes_what_may_reach_it_out_of_no_sandbox(
    place: Place, way: str, mode: str
) -> None:
    (place.cwd / "list").write_text("clients/a/x\n")
    calls = [run("cat list | xargs cat")]
    held = rules(place, "xargs *", "cat *")
    with place.engine(place.script(calls, [{"text": "ok"}]), mode=mode, permissions=held) as driver:
        driver.send(Submit("go"))
        if mode == "auto" or not way:
            asked = driver.until(ApprovalAsked)
            assert "forbidden" in asked.reason
            driver.send(Answer(asked.id, "no"))
        driver.until(TurnEnded)
        assert "TOP" not in driver.all(ToolEnded)[0].content


def test_nothing_in_it_goes_into_the_prompt_by_itself(place: Place) -> None:
    """Neither what an instruction file imports, nor instructions, skills, identity or memory, of
    the project or of the person."""
    closed, config = place.cwd / "clients", place.home
    skill = "---\nname: one\ndescription: TOP skill\n---\nTOP\n"
    texts = {
        closed / "own/SOUL.md": "TOP soul\n",
        closed / "memory/fact.md": "TOP fact\n",
        closed / "memory/MEMORY.md": "TOP index\n",
        closed / "skills/one/SKILL.md": skill,
        place.cwd / "AGENTS.md": "plain words\n@clients/a/x.md\n",
        closed / "a/x.md": "TOP imported\n",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for at in (config, place.cwd / ".agent-tui"):
        at.mkdir(exist_ok=True)
        (at / "SOUL.md").symlink_to(closed / "own/SOUL.md")
        (at / "memory").symlink_to(closed / "memory")
        (at / "skills").symlink_to(closed / "skills")
    (config / "AGENTS.md").write_text(f"own words\n@{closed}/a/x.md\n")
    (place.cwd / "CLAUDE.md").symlink_to(closed / "AGENTS.md")
    with place.engine(place.script([{"text": "ok"}]), permissions=rules(place)) as driver:
        driver.turn("go")
        [built], said = driver.all(ContextBuilt), driver.all(Notice)
    assert "plain words" in built.system and "own words" in built.system
    assert "TOP" not in built.system
    left = [one.text for one in said if "permissions.forbidden_dirs" in one.text]
    assert len(left) == len(set(left)) and any("a/x.md" in text for text in left)
    assert (closed / "memory/MEMORY.md").read_text() == "TOP index\n"
    with place.engine(place.script([{"text": "ok"}])) as driver:
        driver.turn("go")
        assert driver.all(ContextBuilt)[0].system.count("TOP") > 4
