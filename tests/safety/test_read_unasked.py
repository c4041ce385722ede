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


def git(folder: Path, *words: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *author, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, **files: str) -> None:
    """A repository with these files committed."""
    shutil.rmtree(folder / ".git", ignore_errors=True)
    git(folder, "init", "-q")
    for name, text in files.items():
        write(folder / name, text)
    git(folder, "add", "-f", *files)
    git(folder, "commit", "-qm", "x", "--allow-empty")


def test_what_git_compares_out_of_its_repository_asks(place: Path) -> None:
    """Of two paths one of which is outside, `git diff` shows what it does not track."""
    repository(place, **{"src/a.py": "x = 1\n", "src/b.py": "x = 2\n"})
    write(place / "a/.env", PLANTED)
    write(place / "b/.env", "1")
    (place / "inner").mkdir()
    repository(place / "inner", x="1", y="2")
    assert asks("cd inner && git diff ../a ../b", place)
    assert asks("git -C inner diff ../a ../b", place)
    assert asks("git -C inner diff x ../a/.env", place)
    assert asks("git --no-pager diff --stat ../outside src", place)
    other = place.parent / "other"
    write(other / "x/.env", PLANTED)
    write(other / "y/.env", "1")
    assert classify("git diff ../other/x ../other/y", (place, other)).reason
    assert shows("git diff ../other/x ../other/y", place)
    for command in ("git diff src/a.py src/b.py", "git -C inner diff x y", "cd src && git diff .."):
        assert not asks(command, place), command


@pytest.mark.parametrize("rule", ["config/*", "/config/*", "config/**", "**/config/*", "*/*.key"])
def test_a_rule_about_paths_leaves_out_nothing_of_a_named_folder(place: Path, rule: str) -> None:
    """rg forgets it where it is told of a folder below that of the rule."""
    write(place / "config/a.key", PLANTED)
    write(place / "config/deep/.env", PLANTED)
    write(place / ".gitignore", f"{rule}\n")
    for folder in ("config", "./config", "config/"):
        assert asks(f"rg {PLANTED} {folder}", place), folder
        assert asks(f"rg --hidden {PLANTED} {folder}", place), folder
    assert asks(f"cd config && rg {PLANTED}", place)
    write(place / ".gitignore", "*.key\n")
    assert not asks(f"rg {PLANTED} config", place)


@pytest.mark.parametrize("rule", ["certs/**", "certs/*", "certs/", "*.key", "certs"])
@pytest.mark.parametrize("option", ["-g '*.key'", "--iglob '*.KEY'", "-g '**/a.*'", "--glob=*.key"])
def test_a_glob_shows_what_a_rule_leaves_out(place: Path, option: str, rule: str) -> None:
    write(place / "certs/a.key", PLANTED)
    write(place / ".gitignore", f"{rule}\n")
    assert asks(f"rg {option} {PLANTED}", place)
    assert not asks(f"rg {PLANTED}", place)
    assert not asks(f"rg -g '!*.lock' {PLANTED}", place)


def test_another_name_of_a_secret_asks_wherever_the_secret_lies(place: Path) -> None:
    (place / "notes").mkdir()
    (place / "notes/a.txt").hardlink_to(place / "sub/.env")
    (place / "src/two.py").hardlink_to(place / "src/a.py")
    reading = ("grep -r {} notes", "rg {} notes", "cat notes/a.txt", "diff notes src", "rg -uu {}")
    for command in reading:
        assert asks(command.format(PLANTED), place), command
    write(place / ".env", PLANTED)
    (place / "notes/a.txt").unlink()
    (place / "notes/b.txt").hardlink_to(place / ".env")
    for command in ("grep -r {} notes", "rg {} notes"):
        assert asks(command.format(PLANTED), place), command
    for command in ("grep -r {} src", "cat src/two.py", "rg {} src"):
        assert not asks(command.format(PLANTED), place), command


SHOWN_BY_GIT = ("diff", "diff sub", "diff HEAD", "diff-files -p", "grep PLANTED", "status -v -v")
NOT_SHOWN_BY_GIT = (
    *("status", "diff --cached", "diff --name-only", "log -p", "diff HEAD~1..HEAD", "status -v"),
    *("grep --cached PLANTED", "diff-tree -p HEAD"),
)


def test_what_is_not_committed_of_a_tracked_secret_asks(place: Path) -> None:
    repository(place, **{"sub/.env": "1\n", "src/a.py": "x = 1\n"})
    git(place, "commit", "-qm", "y", "--allow-empty")
    for words in (*SHOWN_BY_GIT, *NOT_SHOWN_BY_GIT):
        assert not asks(f"git {words}", place), words
    write(place / "sub/.env", PLANTED)
    for words in SHOWN_BY_GIT:
        assert asks(f"git {words}", place), words
        assert shows(f"git {words}", place), words
    for words in NOT_SHOWN_BY_GIT:
        assert not asks(f"git {words}", place), words
    write(place / "sub/.env", "1\n")
    assert not asks("git diff", place), "it was put back, whatever its times say"
    write(place / "sub/.env", PLANTED)
    (place / ".git/index").write_bytes(b"no index")
    assert asks("git diff", place), "nobody knows what it would show"


PIECES = (
    *(".env", "env", "*", "**", "?", "!", "/", "sub", "deep", "[e]", "{.env,x}", "\\", ".pem"),
    *("key", "#", ".e?", "*.pem", "-", "y", "sub/*", "sub/**"),
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
    for _ in range(160):
        files = chance.sample(PLACES, chance.randint(1, 3))
        for file in files:
            lines = [
                "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 4)))
                for _ in range(chance.randint(1, 3))
            ]
            write(place / file, "\n".join(["*.pem", *lines]))
        option = chance.choice(("", "", "-g '*.pem' ", "-g '!*.x' ", "--hidden ", "-t py "))
        where = chance.choice(("", " sub", " sub/deep", " ./sub/"))
        asked += asks(f"rg {option}{PLANTED}{where}", place)
        for file in files:
            (place / file).unlink()
        shutil.rmtree(place / "sub/.git", ignore_errors=True)
    assert asked < 160


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
