"""What a command that runs unasked really reads: real programs in real folders, beside what was
judged of their words."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from agent_tui.safety.shell import walked_folders
from agent_tui.safety.shell.classifier import classify, environment

PLANTED = "PLANTED-9981"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a secret in `sub`, and what lies outside of it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    top = tmp_path.resolve() / "work"
    write(top / "src/a.py", "x = 1\n")
    write(top / "sub/.env", PLANTED)
    write(top.parent / "outside", PLANTED)
    (top / ".git/info").mkdir(parents=True)
    return top


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def link(file: Path, target: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(target)


def asks(command: str, place: Path, **variables: str) -> bool:
    """Whether it asks. What does not ask shows nothing that is planted."""
    asked = classify(command, (place,)).reason != ""
    assert asked or not shows(command, place, **variables), command
    return asked


def shows(command: str, place: Path, **variables: str) -> bool:
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", command],
        cwd=place,
        env=environment({**os.environ, **variables}, (place,)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return PLANTED.encode() in ran.stdout


def test_a_type_of_rg_that_names_a_secret_asks(place: Path) -> None:
    for command in (
        f"rg --type-add 'foo:*.env' -t foo {PLANTED}",
        f"rg --type-add 'foo:*.[e]nv' -t foo {PLANTED}",
        f"rg --type-add 'py:*.env' -t py {PLANTED}",
        f"rg -t nobodys {PLANTED}",
    ):
        assert asks(command, place), command
    assert not asks(f"rg --type-add 'py:*.pyi' -t py {PLANTED}", place)
    write(place / "sub/.env.py", PLANTED)
    assert asks(f"rg -t py {PLANTED}", place)


@pytest.mark.parametrize("target", ["../sub/.env", "{outside}", "../other"])
@pytest.mark.parametrize("command", ["diff a b", "diff -rN a b", "diff b a", "diff -r --text a b"])
def test_a_link_that_diff_follows_asks(place: Path, command: str, target: str) -> None:
    write(place / "b/x", "1")
    write(place / "a/x", "2")
    link(place / "other/q", "../sub/.env")
    assert not asks(command, place)
    (place / "a/x").unlink()
    (place / "b/x").unlink()
    (place / "b/x").mkdir() if target == "../other" else write(place / "b/x", "1")
    link(place / "a/x", target.format(outside=place.parent / "outside"))
    assert asks(command, place)
    assert not asks(f"{command} --no-dereference", place)


def test_diff_reads_a_link_within_the_project_unasked(place: Path) -> None:
    write(place / "b/x", "1")
    link(place / "a/x", "../src/a.py")
    assert not asks("diff -r a b", place)


def test_a_pattern_of_folders_leaves_out_nothing_for_certain(place: Path) -> None:
    write(place / "app/[id]/.env", PLANTED)
    assert asks(f"grep -r {PLANTED} --exclude-dir='[id]' app", place)
    assert not asks(f"grep -r {PLANTED} --exclude-dir=sub --exclude-dir=app .", place)


RULES_THAT_SHOW = ("!.env", "!.e*", "!sub/.env", "/x\n!**/.env\n", "!{.env,x}", "!.[e]nv", "!*\n")


@pytest.mark.parametrize("rule", RULES_THAT_SHOW)
@pytest.mark.parametrize(
    "file",
    [
        *(
            ".git/info/exclude",
            ".gitignore",
            "sub/.gitignore",
            ".ignore",
            ".rgignore",
            "sub/.ignore",
        ),
        *("../.ignore", "../.config/git/ignore"),
    ],
)
def test_a_rule_that_shows_what_is_hidden_asks(place: Path, file: str, rule: str) -> None:
    write(place / file, "!*.py\n!src/\n" if "ignore" in Path(file).name[1:] else "!*.py\n")
    if Path(file).name not in (".ignore", ".rgignore"):
        assert not asks(f"rg {PLANTED}", place)
    write(place / file, rule)
    if not file.startswith("sub/") or not rule.startswith("!sub"):
        assert asks(f"rg {PLANTED}", place)
    assert not asks(f"rg -g '*.py' {PLANTED}", place)


def test_other_places_of_rules_that_show_ask(place: Path) -> None:
    command = f"rg {PLANTED}"
    write(place.parent / ".gitconfig", "[core]\n\texcludesFile = ~/mine\n")
    assert not asks(command, place)
    write(place.parent / "mine", "!.env")
    assert asks(command, place)
    (place.parent / "mine").unlink()
    (place / ".gitignore").symlink_to("rules")
    write(place / "rules", "!.env")
    assert asks(command, place)
    (place / ".gitignore").unlink()
    write(place / ".gitignore", "#" * walked_folders._LONGEST_RULES + "\n!.env\n")
    assert asks(command, place)
    (place / ".gitignore").unlink()
    write(place / "sub/.git/info/exclude", "!.env")
    assert asks(command, place)


def test_the_rules_of_a_work_tree_that_show_ask(place: Path) -> None:
    """Its `.git` is a file, and its rules lie with the repository that it shares."""
    git = place.parent / "main.git"
    shutil.rmtree(place / ".git")
    write(place / ".git", f"gitdir: {git}/worktrees/work\n")
    write(git / "worktrees/work/commondir", "../..\n")
    assert not asks(f"rg {PLANTED}", place)
    write(git / "info/exclude", "!.env\n")
    assert asks(f"rg {PLANTED}", place)
    write(place / ".git", "gitdir: a\0b\n")
    assert asks(f"rg {PLANTED}", place), "what names no folder is not understood"


def test_what_is_ignored_is_read_where_the_rule_ends(place: Path) -> None:
    """In a repository within another, in none, and where rg reads the rule otherwise."""
    command = f"rg {PLANTED}"
    write(place / ".gitignore", "*.pem\n")
    write(place / "sub/deep/key.pem", PLANTED)
    assert not asks(command, place)
    for marker in (".git", ".jj"):
        (place / "sub" / marker).mkdir()
        assert asks(command, place)
        (place / "sub" / marker).rmdir()
    write(place / ".gitignore", "key{,}.pem\n")
    assert asks(command, place)
    (place / ".gitignore").write_bytes(b"\xff\n*.pem\n")
    assert asks(command, place)
    write(place / ".gitignore", "*.pem\n")
    shutil.rmtree(place / ".git")
    (place / ".git").symlink_to("nowhere")
    assert asks(command, place)


PIECES = (
    *(".env", "env", "*", "**", "?", "!", "/", "sub", "deep", "[e]", "{.env,x}", "\\", ".pem"),
    *("key", "#", ".e?", "*.pem", "-", "y"),
)
PLACES = (
    *(".gitignore", "sub/.gitignore", "sub/deep/.gitignore", ".git/info/exclude", ".ignore"),
    *("sub/.git/info/exclude", "sub/deep/.rgignore", "../.config/git/ignore"),
)


def test_nothing_that_rg_shows_by_any_rules_was_not_asked_about(place: Path) -> None:
    write(place / "sub/deep/key.pem", PLANTED)
    write(place / "sub/deep/.env", PLANTED)
    write(place / ".y/key.pem", PLANTED)
    chance, asked = random.Random(11), 0
    for _ in range(120):
        files = chance.sample(PLACES, chance.randint(1, 3))
        for file in files:
            lines = [
                "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 4)))
                for _ in range(chance.randint(1, 3))
            ]
            write(place / file, "\n".join(["*.pem", *lines]))
        where = chance.choice(("", " sub", " sub/deep"))
        asked += asks(f"rg {PLANTED}{where}", place)
        for file in files:
            (place / file).unlink()
        shutil.rmtree(place / "sub/.git", ignore_errors=True)
    assert asked < 120


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "de_DE.UTF-8"}])
def test_a_name_that_a_pattern_means_in_one_locale_only_asks(
    place: Path, variables: dict[str, str]
) -> None:
    assert not asks("cat s??/a.py", place, **variables)
    (place / "\u00e9").symlink_to("sub/.env")
    assert asks("cat ??", place, **variables)
    assert asks("cat ./*?", place, **variables)
    assert not asks("cat s??/a.py s*/*.py", place, **variables)


def test_a_comment_hides_nothing_in_a_program_of_jq(place: Path) -> None:
    assert asks("jq -n '$#\nENV.SHOWN'", place, SHOWN=PLANTED)
    assert not asks("jq '.name' src/a.py", place, SHOWN=PLANTED)
