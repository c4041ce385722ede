"""Instruction files, in order and once; and the facts of the moment, from a real git."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from agent_tui.context import project as context
from agent_tui.context.project import NAMES, Instruction, facts
from agent_tui.safety import paths
from agent_tui.safety.git import explain_git_trouble
from agent_tui.safety.secrets.scrubber import placeholder
from tests.places import admit

instructions = partial(context.instructions, admits=admit)
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "above" / "project"
    (folder / "inner" / ".agent-tui").mkdir(parents=True)
    (folder / ".git").mkdir()
    return folder


def names(found: tuple[Instruction, ...]) -> list[str]:
    return [one.name for one in found]


def test_from_the_person_to_the_folder(home: Path, project: Path) -> None:
    (home / ".claude" / "CLAUDE.md").write_text("mine")
    (project.parent / "AGENTS.md").write_text("above the root")
    (project / "AGENTS.md").write_bytes(b"\xef\xbb\xbf root \r\n rules\r\n")
    (project / "CLAUDE.md").write_text("claude")
    (project / "inner" / ".agent-tui" / "context.md").write_text("inner")
    found = instructions(project / "inner", home)
    assert names(found) == [
        "~/.claude/CLAUDE.md",
        "AGENTS.md",
        "CLAUDE.md",
        "inner/.agent-tui/context.md",
    ]
    assert [one.text for one in found] == ["mine", "root \n rules", "claude", "inner"]
    assert [one.problem for one in found] == [""] * 4


def test_without_git_only_the_folder_itself(home: Path, project: Path) -> None:
    (project / ".git").rmdir()
    (project / "AGENTS.md").write_text("outer")
    (project / "inner" / "AGENTS.md").write_text("inner")
    assert [one.text for one in instructions(project / "inner", home)] == ["inner"]


def test_a_worktrees_git_file_is_a_root_too(home: Path, project: Path) -> None:
    (project / ".git").rmdir()
    (project / ".git").write_text("gitdir: elsewhere")
    (project / "AGENTS.md").write_text("root")
    assert names(instructions(project / "inner", home)) == ["AGENTS.md"]


def test_a_file_behind_two_names_comes_once(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("rules")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    (home / ".claude" / "CLAUDE.md").symlink_to(project / "AGENTS.md")
    assert names(instructions(project, home)) == ["~/.claude/CLAUDE.md"]


def test_links_out_of_the_project(home: Path, project: Path, tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("shared")
    (project / "AGENTS.md").symlink_to("../../shared.md")
    (project / "CLAUDE.md").symlink_to(tmp_path / "shared.md")
    (project / "inner" / "AGENTS.md").symlink_to("CLAUDE.md")
    (project / "inner" / "CLAUDE.md").write_text("inside")
    (home / ".claude" / "CLAUDE.md").symlink_to(tmp_path / "shared.md")
    own, first, second, inside = instructions(project / "inner", home)
    assert [own.text, first.text, second.text, inside.text] == ["shared", "", "", "inside"]
    why = f"leads outside the project, to {tmp_path / 'shared.md'}: not used"
    assert [one.problem for one in (first, second)] == [
        f"{one.path} {why}" for one in (first, second)
    ]
    assert inside.problem == ""


def test_a_link_into_an_added_folder_is_used(home: Path, project: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "notes.md").write_text("shared")
    (project / "AGENTS.md").symlink_to(shared / "notes.md")
    assert [one.text for one in instructions(project, home, [shared])] == ["shared"]


SECRET_PLACES = (".env", "server.key", ".ssh/x.md", "deploy/.aws/notes.md", ".env.local")


@pytest.mark.parametrize("place", SECRET_PLACES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("inside", [True, False])
def test_no_link_to_a_secret_is_followed(
    home: Path, project: Path, name: str, place: str, inside: bool
) -> None:
    secret = (project if inside else project.parent) / place
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text("word from a secret file")
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).symlink_to(os.path.relpath(secret, (project / name).parent))
    (home / ".claude" / "CLAUDE.md").symlink_to(secret)
    found = instructions(project, home)
    assert [one.text for one in found] == [""] * len(found)
    assert (
        found[0].problem
        == f"{home}/.claude/CLAUDE.md leads to {secret}, which may hold secrets: not used"
    )


def test_no_hard_link_to_what_lies_elsewhere_is_read(
    home: Path, project: Path, tmp_path: Path
) -> None:
    (project / ".env").write_text("inside")
    (tmp_path / "private.md").write_text("outside")
    (project / "AGENTS.md").hardlink_to(project / ".env")
    (project / "CLAUDE.md").hardlink_to(tmp_path / "private.md")
    (project / "inner" / "AGENTS.md").write_text("both")
    (project / "inner" / "CLAUDE.md").hardlink_to(project / "inner" / "AGENTS.md")
    secret, outside, both = instructions(project / "inner", home)
    assert [secret.text, outside.text, both.text] == ["", "", "both"]
    assert "AGENTS.md is a hard link of .env, which may hold secrets: not used" in secret.problem
    assert "CLAUDE.md is a hard link of a file elsewhere: not used" in outside.problem


def test_a_link_that_comes_after_the_check_is_not_followed(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.parent / "private.md").write_text("outside")
    (project / "AGENTS.md").write_text("rules")
    checked = paths.is_secret

    def exchanged(path: Path) -> bool:
        if path.name == "AGENTS.md":
            path.unlink()
            path.symlink_to(project.parent / "private.md")
        return checked(path)

    monkeypatch.setattr(paths, "is_secret", exchanged)
    [found] = instructions(project, home)
    assert (found.text, found.problem) == ("", f"{project}/AGENTS.md is not a file: not used")


KEY = "ghp_" + "k4T9xQ2mZ7bL1vR8nC3dW6yF5hJ0sP2aE9uG"


def test_secrets_in_a_projects_file_are_hidden(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text(f"Push with {KEY} only.")
    (home / ".claude" / "CLAUDE.md").write_text(f"Mine is {KEY}.")
    own, found = instructions(project, home)
    assert KEY in own.text and own.problem == ""
    assert KEY not in found.text and found.text.startswith("Push with [hidden:")
    assert found.problem == f"{project}/AGENTS.md contains secrets: hidden from the model"
    [known] = instructions(project, home.parent, hide=lambda text: text.replace("only", "[hidden]"))
    assert known.text.endswith("[hidden].")


def give_away(monkeypatch: pytest.MonkeyPatch, *given: Path) -> None:
    """Make files another user's. Who may not do that becomes another user: then all files are."""
    if os.getuid():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    else:
        for path in given:
            os.chown(path, 65_534, -1, follow_symlinks=False)


@pytest.mark.parametrize("whose", [".", ".git", "AGENTS.md"])
def test_what_belongs_to_somebody_else_above_the_folder_is_not_used(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    (project / "AGENTS.md").write_text("theirs")
    (project / "inner" / "AGENTS.md").write_text("chosen")
    give_away(monkeypatch, project / whose)
    above, chosen = instructions(project / "inner", home)
    assert (above.text, chosen.text) == ("", "chosen")
    assert "belongs to another user" in above.problem and chosen.problem == ""
    assert [one.text for one in instructions(project, home)] == ["theirs"], (
        "the person chose to work there"
    )


def test_an_added_folder_of_somebody_else_was_chosen(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "AGENTS.md").write_text("theirs")
    give_away(monkeypatch, shared, shared / "AGENTS.md")
    assert [one.text for one in instructions(project, home, [shared])] == ["theirs"]


def test_a_folder_above_that_wants_nothing_is_not_spoken_of(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "other").mkdir()
    give_away(monkeypatch, project)
    assert instructions(project / "other", home) == ()


def test_a_long_file_is_cut_and_says_so(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("é" * 40_000)
    (found,) = instructions(project, home)
    assert found.text.startswith(
        "é" * 32_000 + "\n[cut here: only the first 64 kB of AGENTS.md are used]"
    )
    assert "longer than 64 kB" in found.problem


def test_all_of_them_together_have_a_limit_and_the_nearest_stay(home: Path, project: Path) -> None:
    inner = project / "a" / "b" / "c"
    inner.mkdir(parents=True)
    for folder in (project, project / "a", project / "a" / "b", inner):
        (folder / "AGENTS.md").write_text(folder.name[0] * 60_000)
    (home / ".claude" / "CLAUDE.md").write_text("mine")
    found = instructions(inner, home)
    assert [len(one.text.split("\n")[0]) for one in found] == [4, 0, 7_996, 60_000, 60_000]
    assert found[0].text == "mine" and "[cut here" in found[2].text
    [said] = [one.problem for one in found if one.problem]
    assert "128,000 characters" in said and "the rest of AGENTS.md, a/AGENTS.md is not used" in said


def test_hidden_characters_are_taken_out_and_told(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("Be \u202ebrief\u202c.\u00ad")
    (found,) = instructions(project, home)
    assert found.text == "Be brief." and "3 hidden characters: removed" in found.problem


def test_what_cannot_be_read_is_named(home: Path, project: Path) -> None:
    (project / "AGENTS.md").mkdir()
    (project / "CLAUDE.md").symlink_to("CLAUDE.md")
    os.mkfifo(project / "inner" / "AGENTS.md")
    (project / "inner" / "CLAUDE.md").write_bytes(b"bad \xff byte")
    found = instructions(project / "inner", home)
    assert names(found) == ["AGENTS.md", "CLAUDE.md", "inner/AGENTS.md", "inner/CLAUDE.md"]
    assert [bool(one.problem) for one in found] == [True, True, True, False]
    assert [one.text for one in found] == ["", "", "", "bad \ufffd byte"]


def test_empty_files_and_missing_folders_say_nothing(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text(" \n")
    assert instructions(project, home) == ()
    assert instructions(project / "gone", home / "gone") == ()


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
    clean = asyncio.run(facts(tmp_path)).split("\n")
    assert clean[0] == "<environment>"
    assert datetime.strptime(clean[1][6:16], "%Y-%m-%d").astimezone().strftime("(%A)") in clean[1]
    assert clean[2:] == ["Git branch: main", "Git status: clean", "</environment>"]
    (tmp_path / "kept").write_text("2")
    (tmp_path / "</environment>".replace("/", "")).write_text("")
    for number in range(25):
        (tmp_path / f"new{number:02}").write_text("")
    changed = asyncio.run(facts(tmp_path)).split("\n")
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
