"""Instruction files and what they import: in order, once, and within limits."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent_tui.context.instruction_files import (
    LIMIT,
    NAMES,
    Instruction,
    Places,
    folders_below,
    own_files,
    read_all,
    room_in,
)
from agent_tui.safety import paths
from agent_tui.safety.secrets.scrubber import hide_secrets
from tests.places import admit, give_away


def instructions(
    cwd: Path,
    home: Path,
    others: Sequence[Path] = (),
    hide: Callable[[str], str] = hide_secrets,
    seen: Sequence[Path] = (),
    room: int = 128_000,
) -> tuple[Instruction, ...]:
    below = folders_below((cwd, *others), seen)
    places = Places(cwd, own_files(home, home / "config"), tuple(others), below)
    return read_all(places, hide, room, admits=admit)


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
    cut = "[cut here: only the first 20,000 characters of AGENTS.md are used]"
    assert found.text == "é" * 20_000 + f"\n{cut}"
    assert "longer than 20,000 characters" in found.problem


def test_all_of_them_together_have_a_limit_and_the_nearest_stay(home: Path, project: Path) -> None:
    inner = project / "a" / "b" / "c"
    inner.mkdir(parents=True)
    for folder in (project, project / "a", project / "a" / "b", inner):
        (folder / "AGENTS.md").write_text(folder.name[0] * 10_000)
    (home / ".claude" / "CLAUDE.md").write_text("mine")
    found = instructions(inner, home, room=22_000)
    assert [len(one.text.split("\n")[0]) for one in found] == [4, 0, 1_996, 10_000, 10_000]
    assert found[0].text == "mine" and "[cut here" in found[2].text
    [said] = [one.problem for one in found if one.problem]
    assert "22,000 characters" in said and "the rest of AGENTS.md, a/AGENTS.md is not used" in said


def test_a_window_gives_them_a_share() -> None:
    assert room_in(8_192) == 983 * 4 and room_in(200_000) == 96_000
    assert room_in(0) == room_in(10_000_000) == 128_000, "unknown, or larger than anybody reads"


def test_the_persons_own_file_for_all_agents(home: Path, project: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "AGENTS.md").write_text("mine")
    (project / "AGENTS.md").write_text("theirs")
    assert [one.text for one in instructions(project, home)] == ["mine", "theirs"]


# -- imports


def test_what_a_file_imports_comes_before_it(home: Path, project: Path) -> None:
    (project / "docs").mkdir()
    (project / "AGENTS.md").write_text("See @docs/style.md, and (@docs/ports.txt).")
    (project / "docs" / "style.md").write_text("Two spaces. @../CLAUDE.md")
    (project / "docs" / "ports.txt").write_text("8080")
    (project / "CLAUDE.md").write_text("Be brief.")
    found = instructions(project, home)
    assert names(found) == ["CLAUDE.md", "docs/style.md", "docs/ports.txt", "AGENTS.md"]
    assert not any(one.problem for one in found)


def test_code_and_names_that_are_no_files_import_nothing(home: Path, project: Path) -> None:
    (project / "a.md").write_text("not this")
    (project / "AGENTS.md").write_text(
        "Mail me@a.md, ask @alice, use `@a.md` and @types/node\n```\n@a.md\n```\n~~~\n@a.md\n~~~"
    )
    assert names(instructions(project, home)) == ["AGENTS.md"]


def test_an_import_that_is_not_there_is_said(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("@docs/gone.md @~nobody-of-that-name/x.md")
    gone, other, found = instructions(project, home)
    assert (gone.text, found.text) == ("", "@docs/gone.md @~nobody-of-that-name/x.md")
    assert gone.problem == f"{project}/AGENTS.md imports docs/gone.md, which is not there"
    assert "which is not there" in other.problem


def test_imports_in_a_circle_and_too_deep(home: Path, project: Path) -> None:
    for number in range(8):
        (project / f"{number}.md").write_text(f"{number} @{(number + 1) % 8}.md @0.md")
    (project / "AGENTS.md").write_text("@0.md")
    found = instructions(project, home)
    assert names(found) == ["4.md", "3.md", "2.md", "1.md", "0.md", "AGENTS.md"]
    assert "4.md is imported 5 files deep: what it imports is not used" in found[0].problem


@pytest.mark.parametrize("target", ["~/own.md", "../outside.md", "key.pem", ".env", "link.md"])
def test_a_project_imports_only_what_it_brings(home: Path, project: Path, target: str) -> None:
    (home / "own.md").write_text("PRIVATE")
    (project.parent / "outside.md").write_text("PRIVATE")
    (project / "key.pem").write_text("PRIVATE")
    (project / ".env").write_text("PRIVATE")
    (project / "link.md").symlink_to(home / "own.md")
    (project / "AGENTS.md").write_text(f"@{target.replace('~', str(home))}")
    found = instructions(project, home)
    assert not any("PRIVATE" in one.text for one in found)
    assert ": not used" in found[0].problem


def test_the_person_imports_from_anywhere(home: Path, project: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    (home / ".claude" / "CLAUDE.md").write_text(f"@{tmp_path}/notes.md")
    assert instructions(project, home)[0].text == "mine"


def test_at_most_fifty_files_are_imported(home: Path, project: Path) -> None:
    for number in range(60):
        (project / f"{number}.md").write_text(str(number))
    (project / "AGENTS.md").write_text(" ".join(f"@{number}.md" for number in range(60)))
    found = instructions(project, home)
    assert len(found) == 51 and "more than 50 files" in found[-1].problem


# -- folders below


def test_folders_below_are_those_with_files_down_to_what_was_read(project: Path) -> None:
    deep = project / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (project / "a" / "AGENTS.md").write_text("a")
    (project / "AGENTS.md").write_text("root")
    (deep / "CLAUDE.md").write_text("c")
    (project / "inner" / "AGENTS.md").write_text("inner")
    seen = [deep.resolve(), project.resolve(), project.parent.resolve()]
    assert folders_below([project], seen) == (project / "a", deep)


def test_one_more_folder_below_changes_nothing_above(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("r" * 900)
    for name in ("a", "b"):
        (project / name).mkdir()
        (project / name / "AGENTS.md").write_text(name * 600)
    first = instructions(project, home, seen=[project / "a"], room=1_600)
    both = instructions(project, home, seen=[project / "a", project / "b"], room=1_600)
    assert [one.text for one in first] == [one.text for one in both[:2]]
    assert both[2].text.startswith("b" * 100 + "\n[cut here")
    assert LIMIT == 20_000


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
