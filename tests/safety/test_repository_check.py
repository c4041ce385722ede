"""What was found out about a repository is used again, and no change of it is missed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.safety import repository_check
from agent_tui.safety.repository_check import check_repository
from tests.safety import shell_corpus


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were looked through."""
    seen: list[Path] = []
    real = repository_check._check

    def counted(folder: Path) -> str:
        seen.append(folder)
        return real(folder)

    monkeypatch.setattr(repository_check, "_check", counted)
    return seen


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project with a submodule that is there, and one that is not."""
    work = shell_corpus.build(tmp_path)
    (work / ".gitmodules").write_text(
        '[submodule "a"]\n\tpath = deep\n[submodule "b"]\n\tpath = absent\n'
    )
    make_repository(work / "deep" / ".git")
    return work


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as old at once: a later change has another time, or another size or inode."""
    monkeypatch.setattr(repository_check, "_SETTLED_NS", -1_000_000_000)


def make_repository(folder: Path) -> None:
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in shell_corpus.REPOSITORY.items():
        (folder / name).write_text(text)


@pytest.mark.usefixtures("settled")
def test_an_answer_is_used_again(place: Path, looked: list[Path]) -> None:
    assert [check_repository(place) for _ in range(3)] == ["", "", ""]
    assert looked == [place]
    (place / "src" / "app.py").write_text("changed\n")
    assert check_repository(place) == ""
    assert looked == [place]
    assert check_repository(place / "src") == ""
    assert looked == [place, place / "src"]


def test_what_was_just_written_is_read_every_time(place: Path, looked: list[Path]) -> None:
    """A second change within the same tick of the disk's clock would leave no trace."""
    assert [check_repository(place) for _ in range(2)] == ["", ""]
    assert len(looked) == 2


EVIL = '[filter "x"]\n\tclean = ./evil\n'


def append(name: str) -> Callable[[Path], object]:
    def change(work: Path) -> None:
        with (work / name).open("a") as file:
            file.write(EVIL)

    return change


def same_size_and_time(work: Path) -> None:
    """A configuration of the same length, with its time of change set back."""
    file = work / ".git" / "config"
    before, about = file.read_text(), file.stat()
    evil = EVIL + "#" * (len(before) - len(EVIL))
    file.write_text(evil[: len(before)])
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))


def renamed_over(work: Path) -> None:
    other = work / "other"
    other.write_text((work / ".git/config").read_text() + EVIL)
    other.replace(work / ".git" / "config")


def other_git_folder(work: Path) -> None:
    make_repository(work / "evil")
    append("evil/config")(work)
    (work / ".git").rename(work / "old")
    (work / "evil").rename(work / ".git")


def linked(name: str) -> Callable[[Path], object]:
    return lambda work: (work / name).symlink_to(work.parent / "other")


def nested_refs(work: Path) -> None:
    (work / ".git/refs/heads/a").mkdir()
    (work / ".git/refs/heads/a/b").symlink_to(work.parent / "other")


def submodule_appears(work: Path) -> None:
    make_repository(work / "absent" / ".git")
    append("absent/.git/config")(work)


def another_submodule(work: Path) -> None:
    make_repository(work / "docs" / ".git")
    append("docs/.git/config")(work)
    with (work / ".gitmodules").open("a") as file:
        file.write('[submodule "c"]\n\tpath = docs\n')


def looks_bare(work: Path) -> None:
    for name in ("objects", "refs"):
        (work / "src" / name).mkdir()
    (work / "src" / "HEAD").write_text("")


def nearer(work: Path) -> None:
    make_repository(work / "src" / ".git")
    append("src/.git/config")(work)


CHANGES: dict[str, Callable[[Path], object]] = {
    "config": append(".git/config"),
    "config of a work tree": append(".git/config.worktree"),
    "same size and time": same_size_and_time,
    "renamed over": renamed_over,
    "another git folder": other_git_folder,
    "commondir": lambda work: (work / ".git/commondir").write_text("../../elsewhere"),
    "a git file": lambda work: (
        (work / ".git").rename(work.parent / "moved"),
        (work / ".git").write_text("gitdir: ../moved"),
    ),
    "config is a link": lambda work: (
        (work / ".git/config").unlink(),
        (work / ".git/config").symlink_to(work.parent / "other"),
    ),
    "link among refs": linked(".git/refs/heads/x"),
    "link in a new folder of refs": nested_refs,
    "link among objects": linked(".git/objects/ab"),
    "shared index": linked(".git/sharedindex.x"),
    "config of a submodule": append("deep/.git/config"),
    "a submodule appears": submodule_appears,
    "another submodule": another_submodule,
    "looks bare": looks_bare,
    "a nearer repository": nearer,
    "no repository": lambda work: (work / ".git/HEAD").unlink(),
}


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("name", CHANGES)
def test_no_change_is_missed(place: Path, looked: list[Path], name: str) -> None:
    assert check_repository(place / "src") == ""
    assert check_repository(place / "src") == ""
    assert len(looked) == 1, "the answer was not kept"
    CHANGES[name](place)
    assert check_repository(place / "src")


@pytest.mark.usefixtures("settled")
def test_a_mend_is_seen_too(place: Path) -> None:
    append(".git/config")(place)
    assert check_repository(place)
    (place / ".git" / "config").write_text(shell_corpus.REPOSITORY["config"])
    assert check_repository(place) == ""


@pytest.mark.usefixtures("settled")
def test_what_a_link_leads_to_is_read_every_time(place: Path, looked: list[Path]) -> None:
    config = place / ".git" / "config"
    config.rename(place / ".git" / "refs" / "real")
    config.symlink_to("refs/real")
    assert [check_repository(place) for _ in range(2)] == ["", ""]
    assert len(looked) == 2


PLAIN = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
HIDES = '[filter "x"]\n\tclean = ./evil.sh\n'


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN,
        PLAIN + '[filter\r"x"]\n\tclean = ./evil.sh\n',
        "a\n" + PLAIN,
        "[core] bare = false\n",
        "[core]\n\tbare = false \\\n" + HIDES,
        '[core]\n\tbare = "false\n' + HIDES,
        "[core];c\n",
        "[]\n" + PLAIN,
        PLAIN + "\x0b" + HIDES,
        PLAIN + "\tcomment\x00char = x\n",
    ],
)
def test_a_configuration_that_may_be_read_in_two_ways_asks(place: Path, text: str) -> None:
    (place / ".git" / "config").write_text(text)
    assert "cannot be read for certain" in check_repository(place)


def test_a_configuration_as_git_writes_it_does_not_ask(place: Path) -> None:
    env = {**os.environ, "GIT_DIR": str(place / ".git"), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ("remote.origin.url", "git@example.com:a/b.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.feature/x#1.merge", "refs/heads/feature/x#1"),
        ("user.name", ' A "B" \\ C; D '),
        ("alias.lg", "log --format='%h \t%s'"),
    ):
        subprocess.run(["git", "config", *words], env=env, check=True)
    assert check_repository(place) == ""


def test_a_git_folder_that_git_would_pass_over_asks(place: Path) -> None:
    (place / "src" / ".git").mkdir()
    (place / "src" / ".git" / "HEAD").write_text("junk\n")
    assert "is not whole" in check_repository(place / "src")
    make_repository(place / "src" / ".git")
    assert check_repository(place / "src") == ""
    (place / "src" / ".git" / "refs").rmdir()
    assert "is not whole" in check_repository(place / "src")


def test_submodules_that_only_the_index_knows_ask(tmp_path: Path) -> None:
    work = tmp_path.resolve() / "work"
    for folder in (work, work / "m"):
        folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        (folder / "f").write_text("x\n")
        subprocess.run(["git", "add", "f"], cwd=folder, check=True)
        subprocess.run(["git", "commit", "-qm", "x"], cwd=folder, check=True)
    (work / ".gitmodules").write_text('[submodule "m"]\n\tpath = m\n\tignore = none\n')
    subprocess.run(["git", "add", ".gitmodules", "m"], cwd=work, check=True, capture_output=True)
    assert check_repository(work) == ""
    (work / ".gitmodules").unlink()
    assert "no .gitmodules" in check_repository(work)
    (work / ".gitmodules").write_text('x\n[submodule "m"]\n\tpath = elsewhere\n')
    assert "cannot be read for certain" in check_repository(work)
