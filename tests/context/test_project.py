"""The facts of the moment, from a real git."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from agent_tui.context.project import facts
from agent_tui.safety.git import explain_git_trouble
from agent_tui.safety.secrets.scrubber import placeholder
from tests.places import give_away

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def git(folder: Path, *arguments: str) -> None:
    command = [
        "git",
        "-c",
        "user.name=n",
        "-c",
        "user.email=e@x",
        "-c",
        "init.defaultBranch=main",
        *arguments,
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_facts_name_the_day_the_branch_and_the_changes(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / "kept").write_text("1")
    git(tmp_path, "add", "kept")
    git(tmp_path, "commit", "-m", "first")
    clean = asyncio.run(facts(tmp_path, model="ollama/<q>")).split("\n")
    assert clean[0] == "<environment>"
    assert clean[1].endswith(f"UTC{datetime.now().astimezone():%z}")
    assert clean.pop(2).startswith(f"System: {os.uname().sysname} ")
    assert clean.pop(2) == "Model: ollama/‹q›"
    assert datetime.strptime(clean[1][6:16], "%Y-%m-%d").astimezone().strftime("(%A)") in clean[1]
    assert clean[2:] == ["Git branch: main", "Git status: clean", "</environment>"]
    (tmp_path / "kept").write_text("2")
    (tmp_path / "</environment>".replace("/", "")).write_text("")
    for number in range(25):
        (tmp_path / f"new{number:02}").write_text("")
    changed = asyncio.run(facts(tmp_path)).split("\n")
    assert changed.pop(2).startswith("System: ") and "Model" not in "".join(changed)
    assert changed[2:5] == ["Git branch: main", "Git status:", " M kept"]
    assert changed[-2:] == ["… and 7 more", "</environment>"]
    assert len(changed) == 26
    assert not any("<environment>" in line for line in changed[1:])


def test_facts_hide_secrets_in_names_of_branches_and_files(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / f"a-{TOKEN}.txt").write_text("")
    (tmp_path / f"notes <{TOKEN}>").write_text("")
    git(tmp_path, "checkout", "-q", "-b", f"fix-{TOKEN}")
    said = asyncio.run(facts(tmp_path))
    assert TOKEN not in said and "Git branch: No commits yet on fix-" in said
    assert said.count(placeholder("github-token", TOKEN)) == 3
    assert "of mine ‹" in asyncio.run(
        facts(tmp_path, lambda line: line.replace("notes", "of mine"))
    )


def test_facts_are_text_whatever_a_file_is_named(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "config", "core.quotepath", "false")
    (tmp_path / os.fsdecode(b"caf\xe9")).write_text("")
    assert "?? caf\ufffd" in asyncio.run(facts(tmp_path)).split("\n")


def test_facts_without_a_repository_or_a_folder(tmp_path: Path) -> None:
    assert "Git: no repository" in asyncio.run(facts(tmp_path))
    assert "Git: no repository" in asyncio.run(facts(tmp_path / "gone"))


def test_facts_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = asyncio.run(facts(tmp_path))
    assert said.startswith("<environment>\nDate: ")
    assert "Git: unknown (git is not installed)" in said


def test_a_repository_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / ".git" / "index").write_bytes(b"torn")
    said = asyncio.run(facts(tmp_path))
    assert "Git: unknown (git says: " in said and "index" in said


def test_a_git_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, slow = tmp_path / "top", tmp_path / "bin" / "git"
    top.mkdir()
    git(top, "init")
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    assert "Git: unknown (git did not answer in time)" in asyncio.run(
        asyncio.wait_for(facts(top), 30)
    )


def test_a_repository_of_somebody_else_is_said_to_be_refused(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "theirs"
    top.mkdir()
    git(top, "init")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert "dubious" not in asyncio.run(facts(top)) and explain_git_trouble(top) == ""
    give_away(monkeypatch, top, top / ".git")
    assert "dubious ownership" in asyncio.run(facts(top))
    assert f"safe.directory {top}`" in explain_git_trouble(top)
    for value in (str(top), "*", f"{tmp_path}/*"):
        (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {value}\n")
        assert "dubious" not in asyncio.run(facts(top)) and explain_git_trouble(top) == ""
    monkeypatch.setenv("PATH", str(home))
    assert "not installed" in explain_git_trouble(top)
    assert explain_git_trouble(home) == "", "there is no repository"
