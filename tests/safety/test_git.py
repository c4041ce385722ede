"""The program's own git: right in every kind of repository, and deaf to what a repository
configures."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.safety.git import GitAnswer, ask_git
from agent_tui.safety.git_config import find_repository, parse_config
from agent_tui.safety.repository_check import check_repository
from agent_tui.safety.sandbox.protected_state import take_state
from agent_tui.safety.sandbox.workspace_sandbox import look_through
from tests.campaigns import examples

STATUS = ("status", "--porcelain=v1", "-b", "--ignore-submodules=dirty")


def git(folder: Path, *words: str) -> str:
    options = (
        "user.name=n",
        "user.email=e@x",
        "init.defaultBranch=main",
        "protocol.file.allow=always",
    )
    argv = ["git", *(part for option in options for part in ("-c", option)), *words]
    return subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with one commit of `a` and `b`."""
    folder = tmp_path.resolve() / "top"
    folder.mkdir()
    git(folder, "init")
    for name in ("a", "b"):
        (folder / name).write_text(name)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "first")
    return folder


def ask(folder: Path, *words: str, timeout: float = 60) -> GitAnswer:
    where = find_repository(folder)
    assert where is not None
    return asyncio.run(ask_git(where, words or STATUS, timeout))


def same(folder: Path) -> str:
    """What our question is answered, which is what plain git says there."""
    answer = ask(folder)
    assert answer == GitAnswer(git(folder, *STATUS))
    return answer.output


def test_an_ordinary_repository(top: Path, tmp_path: Path) -> None:
    assert same(top) == "## main\n"
    (top / "a").write_text("changed")
    (top / "b").unlink()
    (top / "ünï code").write_text("")
    (top / "hidden").write_text("")
    (top / ".git" / "info" / "exclude").write_text("hidden\n")
    git(top, "add", "b")
    assert same(top) == '## main\n M a\nD  b\n?? "\\303\\274n\\303\\257 code"\n'
    (top / "sub").mkdir()
    assert same(top / "sub") == same(top)
    git(top, "clone", "-q", str(top), str(tmp_path / "clone"))
    git(tmp_path / "clone", "commit", "-q", "--allow-empty", "-m", "ahead")
    assert same(tmp_path / "clone") == "## main...origin/main [ahead 1]\n"
    git(tmp_path / "clone", "checkout", "-q", "--detach")
    assert same(tmp_path / "clone") == "## HEAD (no branch)\n"


@pytest.mark.parametrize(
    "setting", ["status.showUntrackedFiles=no", "core.fileMode=false", "core.quotePath=false"]
)
def test_settings_that_are_data_hold(top: Path, setting: str) -> None:
    git(top, "config", *setting.split("="))
    (top / "ü").write_text("")
    (top / "a").chmod(0o755)
    same(top)


def test_the_persons_own_configuration_holds(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").write_text("*.bak\n")
    (tmp_path / ".gitconfig").write_text(
        f"[core]\n\texcludesFile = {tmp_path / 'mine'}\n\tautocrlf = input\n"
    )
    (top / "x.bak").write_text("")
    assert same(top) == "## main\n"
    assert ask(top, "config", "--get", "core.autocrlf").output == "input\n"


def test_line_ends_sparse_trees_and_split_indexes(top: Path) -> None:
    git(top, "config", "core.autocrlf", "true")
    (top / "a").write_bytes(b"one\r\n")
    git(top, "add", "a")
    git(top, "commit", "-m", "crlf")
    os.utime(top / "a", (1, 1))
    assert same(top) == "## main\n"
    for name in ("in/x", "out/x"):
        (top / name).parent.mkdir()
        (top / name).write_text("")
    git(top, "add", "-A")
    git(top, "commit", "-m", "folders")
    git(top, "sparse-checkout", "set", "--cone", "in")
    assert not (top / "out").exists()
    assert same(top) == "## main\n"
    git(top, "sparse-checkout", "reapply", "--sparse-index")
    assert same(top) == "## main\n"
    git(top, "sparse-checkout", "disable")
    git(top, "update-index", "--split-index")
    assert same(top) == "## main\n"


def test_a_second_work_tree_and_a_submodule(top: Path, tmp_path: Path) -> None:
    second, outer = tmp_path.resolve() / "second", tmp_path.resolve() / "outer"
    git(top, "worktree", "add", "-q", str(second), "-b", "side")
    (second / "new").write_text("")
    assert same(second) == "## side\n?? new\n"
    outer.mkdir()
    git(outer, "init")
    git(outer, "submodule", "add", "-q", str(top), "sub")
    (outer / "sub" / "a").write_text("changed")
    assert same(outer / "sub") == "## main...origin/main\n M a\n"
    assert same(outer) == "## No commits yet on main\nA  .gitmodules\nA  sub\n"
    git(outer, "commit", "-m", "sub")
    git(outer / "sub", "commit", "-am", "moved")
    assert same(outer) == "## main\n M sub\n"
    git(outer, "worktree", "add", "-q", str(tmp_path / "third"))
    git(tmp_path / "third", "submodule", "update", "-q", "--init")
    (tmp_path / "third" / "sub" / "new").write_text("")
    assert same(tmp_path.resolve() / "third" / "sub") == "## HEAD (no branch)\n?? new\n"


def test_sha256(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "long"
    folder.mkdir()
    git(folder, "init", "--object-format=sha256")
    (folder / "a").write_text("")
    git(folder, "add", "a")
    git(folder, "commit", "-m", "x")
    assert same(folder) == "## main\n"


def test_names_that_are_no_utf_8_are_kept(top: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (top / name).write_text("")
    assert os.fsencode(ask(top, "status", "--porcelain", "-z").output) == b"?? caf\xe9\0"
    second = tmp_path.resolve() / f"second {name}"
    git(top, "worktree", "add", "-q", str(second), "-b", "side")
    (second / "new").write_text("")
    assert same(second) == "## side\n?? new\n"


def test_an_object_that_another_replaces_is_the_one_of_the_commit(top: Path) -> None:
    real = git(top, "rev-parse", "HEAD:a").strip()
    git(top, "replace", real, git(top, "rev-parse", "HEAD:b").strip())
    assert git(top, "cat-file", "blob", real) == "b"
    assert ask(top, "cat-file", "blob", real).output == "a"


@pytest.mark.parametrize("how", ["file", "link"])
def test_a_git_folder_elsewhere_must_name_the_work_tree(
    top: Path, tmp_path: Path, how: str
) -> None:
    """Else a `.git` that somebody sent would tell the model what another repository of the person's
    holds."""
    sent = tmp_path.resolve() / "sent"
    sent.mkdir()
    if how == "file":
        (sent / ".git").write_text(f"gitdir: {top / '.git'}\n")
    else:
        (sent / ".git").symlink_to(top / ".git")
    assert "a\n" in git(sent, *STATUS)
    answer = ask(sent)
    assert answer.output == "" and "does not name this folder as its work tree" in answer.problem
    git(top, "config", "core.worktree", str(sent))
    assert same(sent) == "## main\n D a\n D b\n"


def brought(tmp_path: Path) -> Path:
    """A repository that somebody sent, beside one of the person's."""
    sent = tmp_path.resolve() / "sent"
    sent.mkdir()
    git(sent, "init")
    git(sent, "commit", "--allow-empty", "-m", "bait")
    return sent


def test_a_git_folder_that_shares_anothers_is_not_read(top: Path, tmp_path: Path) -> None:
    sent = brought(tmp_path)
    (sent / ".git" / "commondir").write_text(f"../../{top.name}/.git\n")
    answer = ask(sent)
    assert answer.output == "" and "commondir" in answer.problem


def test_a_git_folder_that_names_its_tree_and_shares_anothers_is_not_read(
    top: Path, tmp_path: Path
) -> None:
    sent = brought(tmp_path)
    (sent / ".git").rename(sent / "kept")
    (sent / ".git").write_text("gitdir: kept\n")
    (sent / "kept" / "gitdir").write_text(f"{sent / '.git'}\n")
    same(sent)
    (sent / "kept" / "commondir").write_text(f"{top / '.git'}\n")
    answer = ask(sent)
    assert answer.output == "" and "commondir" in answer.problem


@pytest.mark.parametrize(
    "name",
    ["HEAD", "index", "objects", "refs", "refs/heads", "refs/heads/main", "objects/pack", "config"],
)
def test_a_git_folder_whose_parts_lead_out_is_not_read(
    top: Path, tmp_path: Path, name: str
) -> None:
    sent = brought(tmp_path)
    part = sent / ".git" / name
    if part.exists():
        part.rename(tmp_path / "moved")
    part.symlink_to(top / ".git" / name)
    answer = ask(sent)
    assert answer.output == "" and "leads out of the git folder" in answer.problem


@pytest.mark.parametrize("name", ["index", "HEAD", "config", "info/attributes", "packed-refs"])
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(top: Path, name: str) -> None:
    (top / ".env").touch()
    path = top / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    answer = ask(top)
    assert answer.problem == f"{path} is not a regular file"
    assert look_through([top]).secrets == (str(top / ".env"),)
    assert take_state([top]).changed().paths == ()
    assert check_repository(top) == f"{path} is not a regular file"


def test_links_within_a_git_folder_are_followed(top: Path) -> None:
    """As git itself once wrote `HEAD`."""
    (top / ".git" / "HEAD").unlink()
    (top / ".git" / "HEAD").symlink_to("refs/heads/main")
    (top / ".git" / "objects" / "pack").rename(top / ".git" / "packs")
    (top / ".git" / "objects" / "pack").symlink_to("../packs")
    assert "first" in ask(top, "log", "--format=%s").output


def test_a_git_folder_of_its_own_place_is_used_once_it_names_the_work_tree(tmp_path: Path) -> None:
    """`git init --separate-git-dir` does not say in there which work tree is meant."""
    top = tmp_path.resolve() / "my work"
    git(
        tmp_path, "init", "-q", "-b", "main", "--separate-git-dir", str(tmp_path / "kept"), str(top)
    )
    (top / "new").write_text("")
    said = ask(top).problem
    assert "does not name this folder as its work tree" in said
    command = said.partition("`git ")[2].partition("`")[0]
    git(top, *shlex.split(command))
    assert same(top) == "## No commits yet on main\n?? new\n"


def test_each_failure_is_said_as_what_it_is(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = (top / ".git" / "index").read_bytes()
    (top / ".git" / "index").write_bytes(b"torn")
    assert "index file" in ask(top).problem
    (top / ".git" / "index").write_bytes(index)
    config = (top / ".git" / "config").read_bytes()
    git(top, "config", "core.repositoryFormatVersion", "1")
    git(top, "config", "extensions.fromTheFuture", "true")
    assert "fromthefuture" in ask(top).problem
    (top / ".git" / "config").write_bytes(config)
    same(top)
    branch = top / ".git" / "refs" / "heads" / "main"
    branch.unlink()
    os.mkfifo(branch)
    assert ask(top, timeout=0.5) == GitAnswer(problem="git did not answer in time", slow=True)
    monkeypatch.setenv("PATH", str(top))
    assert ask(top).problem == "git is not installed"


def test_a_git_file_that_leads_nowhere_is_not_the_repository_above(top: Path) -> None:
    (top / "gone").mkdir()
    (top / "gone" / ".git").write_text("gitdir: ../nowhere\n")
    assert "nowhere" in ask(top / "gone").problem


def test_an_ignored_file_named_git_and_a_bare_repository_are_none(
    top: Path, tmp_path: Path
) -> None:
    assert find_repository(tmp_path.resolve()) is None
    git(tmp_path, "init", "-q", "--bare", "bare")
    assert find_repository(tmp_path.resolve() / "bare") is None
    (top / "sub").mkdir()
    (top / "sub" / ".git").write_text("no pointer")
    found = find_repository(top / "sub")
    assert found is not None and found.top == top


names = st.text("abcXYZ019-", min_size=1, max_size=5).map(lambda text: f"k{text}")
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=12)
inner = st.one_of(st.none(), texts.filter(lambda text: "\n" not in text))


@settings(max_examples=examples(15))
@given(st.lists(st.tuples(names, inner, names, texts), max_size=4))
def test_what_git_wrote_is_read_as_git_reads_it(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, str | None, str, str]]
) -> None:
    file = tmp_path_factory.mktemp("config") / "config"
    file.touch()
    for section, inner, key, value in entries:
        name = f"{section}.{key}" if inner is None else f"{section}.{inner}.{key}"
        subprocess.run(["git", "config", "--file", file, "--add", name, value], check=True)
    said = subprocess.run(
        ["git", "config", "--file", file, "--list", "-z"], check=True, capture_output=True
    ).stdout.decode()
    expected = [tuple(one.split("\n", 1)) for one in said.split("\0")[:-1]]
    assert list(parse_config(file.read_bytes().decode())) == expected


def test_what_a_person_wrote_is_read_as_git_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        '# first\n[core]\n\tbare\n\tAutoCRLF = input # so\n[Branch "a \\"b\\" \\\\c"] merge = refs/heads/x\n'
        '  [remote.Old]\n fetch = "+refs/*:"refs/*   ; end\n\tlong = one \\\n two\\t"  three # no " \n[empty]\n\n'
        '[core] eol="lf"\n\tname = a  b c\t \n'
    )
    said = subprocess.run(
        ["git", "config", "--file", file, "--list", "-z"],
        check=True,
        capture_output=True,
        text=True,
    )
    expected = [
        (name, value or "true" if name == "core.bare" else value)
        for name, _, value in (one.partition("\n") for one in said.stdout.split("\0")[:-1])
    ]
    assert list(parse_config(file.read_text())) == expected


FRAGMENTS = (
    '[extensions ""]',
    "[extensions.]",
    '[Extensions "partialClone"]',
    "[EXTENSIONS]",
    "partialClone = origin",
    "worktreeConfig",
    '[branch "a\\"]',
    '[branch "\\\\"]',
    '[branch ""]',
    'merge = "a\\n[core]\\n\\tfsmonitor = evil"',
    "[core]",
    "\\",
    'merge = "\\"\\n[core] fsmonitor = evil"',
    "fsmonitor = evil",
    "worktree = /",
    '"',
    "\n",
    "\r\n",
    "autocrlf = input # ",
    '[remote "x"] fetch = a',
    "uploadpack = evil",
    "url = ext::evil",
    "[include] path = /evil",
    '[filter "x"] clean = evil',
    '[remote "a\\\\\\"] [core"]',
    "[core] eol = lf",
    ";",
    "\x00",
    "\x08",
    "\ufffd",
    " ",
    "\t",
)
HARMLESS = re.compile(
    r"core\.(bare|autocrlf|eol)|branch\..+\.merge|remote\..+\.fetch|extensions\.(?!partialclone|worktreeconfig)[a-z]+",
    re.S,
)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_nothing_but_data_gets_through(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    top = tmp_path_factory.mktemp("top").resolve()
    for folder in ("objects", "refs"):
        (top / ".git" / folder).mkdir(parents=True)
    (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (top / ".git" / "config").write_text(text)
    answer = ask(top, "config", "--local", "--list", "--name-only", "-z")
    assert not answer.problem
    assert [name for name in answer.output.split("\0")[:-1] if not HARMLESS.fullmatch(name)] == []


def test_a_name_does_not_become_another(top: Path) -> None:
    with (top / ".git" / "config").open("a") as file:
        file.write(
            '[extensions ""]\n\tpartialClone = origin\n[extensions.]\n\tpartialClone = origin\n'
        )
    assert "partialclone" not in ask(top, "config", "--local", "--list").output


@pytest.mark.parametrize("written", ["{}\n", "# mine\n{}", '"{}"\n', "../../../other/.git/objects"])
def test_a_repository_that_borrows_objects_shows_nothing_of_the_other(
    top: Path, tmp_path: Path, written: str
) -> None:
    """Else a folder that somebody sends could show what a repository elsewhere holds."""
    other = tmp_path.resolve() / "other"
    git(tmp_path, "clone", "-q", str(top), str(other))
    (other / "private").write_text("not to be shown")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "second")
    commit = git(other, "rev-parse", "HEAD").strip()
    assert not check_repository(top) and same(top)
    alternates = top / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(written.format(other / ".git" / "objects"))
    assert "not to be shown" in git(top, "show", commit)
    assert "objects/info/alternates names other folders" in check_repository(top)
    answer = ask(top, "show", commit)
    assert not answer.output and "alternates" in answer.problem
    alternates.write_text("\n")
    assert not check_repository(top) and same(top)
    alternates.unlink()
    os.mkfifo(alternates)
    assert "not a regular file" in check_repository(top)


def test_a_work_tree_borrows_by_way_of_the_one_it_shares_with(top: Path, tmp_path: Path) -> None:
    tree = tmp_path.resolve() / "tree"
    git(top, "worktree", "add", "-q", str(tree))
    assert not check_repository(tree)
    (top / ".git" / "objects" / "info" / "alternates").write_text("/elsewhere\n")
    assert "alternates" in check_repository(tree) and ask(tree).problem
