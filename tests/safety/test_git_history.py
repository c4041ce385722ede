"""What a command takes away of the history of a repository is there again, and what git takes away
itself is not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.safety.sandbox import object_store
from agent_tui.safety.sandbox.git_history import History, PutBack
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.sandbox.workspace_sandbox import look_through

IDENTITY = {
    f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def shell(root: Path, command: str) -> str:
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}
    ran = subprocess.run(
        ["sh", "-c", command], cwd=root, env=given, check=False, capture_output=True
    )
    return os.fsdecode(ran.stdout)


BEGIN = """
git init -q -b main .; echo 1 > a; git add a; git commit -qm one; git tag v1
echo 2 > a; git commit -qam two; git gc -q; git branch side; echo 3 > a; git commit -qam three
git stash -q || true; echo staged > b; git add b
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "work"
    root.mkdir()
    shell(root, BEGIN)
    assert shell(root, "git rev-list --all --count") == "3\n"
    return root


def take(root: Path, histories: Histories) -> tuple[History, ...]:
    """As before a command in the sandbox."""
    found = look_through((root,))
    return histories.take((root,), found.git_folders, found.led)


def all_after(root: Path, command: str) -> tuple[PutBack, ...]:
    """What is put back after a shell command, which no sandbox stops."""
    histories = Histories(root.parent / "data")
    bases = (str(root), *look_through((root,)).git_folders)
    taken = take(root, histories)
    shell(root, command)
    return histories.put_back(taken, bases, root.parent / "aside")


def after(root: Path, command: str) -> PutBack | None:
    """The same where only one repository is there."""
    found = all_after(root, command)
    assert len(found) <= 1
    return found[0] if found else None


def state(root: Path) -> tuple[str, ...]:
    """Branches, the log of `HEAD`, what is staged, and whether all objects are there and whole."""
    commands = (
        "git for-each-ref", "git reflog", "git diff --cached --name-only", "git status -sb -uno",
        "git fsck --full --strict && echo whole", "git log --all --format=%s",
    )  # fmt: skip
    return tuple(shell(root, command) for command in commands)


DESTROYED = """
rm -rf .git
cd .git && rm -rf objects
find .git/objects -type f -delete
find .git/objects -name '*.pack' -delete
find .git/objects/?? -type f -delete
find . -mindepth 1 ! -name README.md -delete
rm -rf .git/refs .git/logs
sed -i /main/d .git/packed-refs; rm -r .git/refs/heads
find . -name '.*' ! -name . -exec rm -rf {} +
rm -rf `git rev-parse --git-dir`
: > .git/HEAD
rm .git/HEAD
rm .git/index
: > .git/index
rm -rf .git/refs
rm .git/packed-refs
rm -rf .git/logs
rm .git/refs/heads/main
: > .git/refs/heads/main
mkdir ../x; cp -r .git/. ../x; rm -rf .git/*
python3 -c 'import shutil; shutil.rmtree(".git")'
mv .git moved
rm -rf .git/objects; ln -s /tmp .git/objects
rm -rf .git; ln -s . .git
rm -rf .git; echo gitdir: elsewhere > .git
rm -rf .git/objects; echo x > .git/objects
find .git/objects -type f -exec chmod u+w {} + -exec truncate -s 0 {} +
for f in .git/objects/pack/*; do chmod u+w $f; echo x > $f; done
cd .. && rm -rf work
"""


@pytest.mark.parametrize("command", DESTROYED.strip().splitlines())
def test_what_is_destroyed_is_put_back(root: Path, command: str) -> None:
    before = state(root)
    assert "whole" in before[4]
    found = after(root, command)
    assert found is not None and not found.left and found.parts
    shell(root, "git checkout -q -- .")
    assert state(root) == before
    assert after(root, "true") is None


USUAL = """
git commit -qm staged
git commit -q --amend -m again
git reset -q --hard HEAD~2
git branch -D side
git branch -m side other
git tag -d v1
git stash; git stash drop
git gc -q
git gc -q --prune=now
git repack -adq; git prune-packed
git pack-refs --all
git pack-refs --all; git branch -D side
git rebase -q --onto HEAD~2 HEAD~1
git checkout -q side; git merge -q main
git checkout -q --detach; git commit -qm x
git rm -rq --cached .
git worktree add -q ../other side; git worktree remove ../other
git reset -q --hard HEAD~1; git gc -q
echo x > .git/COMMIT_EDITMSG; rm .git/COMMIT_EDITMSG
git reset -q --hard v1; git pack-refs --all; git reset -q --hard side; git pack-refs --all
git switch -q -c new; git commit -qm n; git switch -q main; git branch -D new
"""


@pytest.mark.parametrize("command", USUAL.strip().splitlines())
def test_what_git_does_is_no_loss(root: Path, command: str) -> None:
    assert after(root, command) is None


def test_what_git_cleans_away_after_weeks_is_no_loss(root: Path) -> None:
    shell(root, "git reset -q; echo lonely | git hash-object -w --stdin")
    shell(root, "find .git/objects -type f -exec touch -d '20 days ago' {} +; touch -d now a")
    assert shell(root, "git count-objects").startswith("4 ") or True
    found = after(root, "git commit -q --allow-empty -m x; git gc -q")
    assert found is None


def test_a_branch_that_git_removed_does_not_come_back_with_its_objects(root: Path) -> None:
    shell(root, "git commit-tree -m lonely -p main main^{tree} | xargs git branch lonely")
    sha = shell(root, "git rev-parse lonely").strip()
    found = after(root, "git branch -D lonely; git gc -q --prune=now")
    lost = f"refs/agent-tui/lost/heads/lonely-{sha[:8]}"
    assert found is not None and found.refs == (lost,) and found.parts == ("1 object",)
    assert not shell(root, "git branch --list lonely")
    assert shell(root, f"git log -1 --format=%s {lost}") == "lonely\n"


def test_an_old_reflog_that_git_empties_is_no_loss(root: Path) -> None:
    expire = "git reflog expire --expire=now --all"
    found = after(root, expire)
    assert found is not None and found.parts == ("reflogs",) and shell(root, "git reflog")
    shell(root, "sed -i -E 's/> [0-9]+ /> 1700000000 /' .git/logs/HEAD")
    assert after(root, expire) is None


def test_a_history_that_was_begun_anew_keeps_the_old_one(root: Path) -> None:
    old = shell(root, "git rev-parse main").strip()
    found = after(root, "rm -rf .git; git init -q -b main; git add -A; git commit -qm new")
    assert found is not None and f"refs/agent-tui/lost/heads/main-{old[:8]}" in found.refs
    assert shell(root, "git log --format=%s main") == "new\n"
    lost = shell(root, f"git log --format=%s refs/agent-tui/lost/heads/main-{old[:8]}")
    assert lost.split() == ["three", "two", "one"]
    assert "whole" in state(root)[4]


def test_nothing_outside_is_written_where_a_link_took_its_place(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    assert after(root, "rm -rf .git; ln -s ../outside .git") is not None
    assert not [*outside.iterdir()] and (root / ".git" / "HEAD").is_file()
    assert (root.parent / f"aside{root / '.git'}").is_symlink()


def test_a_work_tree_beside_gets_its_own_back(root: Path) -> None:
    shell(root, "git worktree add -q ../tree side")
    tree = root.parent / "tree"
    before = state(tree)
    delete = "rm $(git rev-parse --git-dir)/HEAD; rm -rf $(git rev-parse --git-common-dir)"
    found = after(tree, f"{delete} ../work/.git/objects")
    assert found is not None and not found.left and state(tree)[:2] == before[:2]


def kept(store: Path) -> set[str]:
    return {path.name for path in store.glob("*/*/*")}


def test_what_git_has_packed_is_let_go_after_a_day(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = root.parent / "data"
    histories = Histories(store)
    take(root, histories)
    first = kept(store)
    shell(root, "git commit -qm more; git gc -q")
    take(root, histories)
    take(root, Histories(store))
    assert first <= kept(store)
    monkeypatch.setattr(object_store, "LASTS", -1.0)
    take(root, histories)
    packs = {path.name for path in (root / ".git/objects/pack").iterdir()}
    assert packs <= kept(store) and first - packs
    assert not [name for name in first - packs if name in kept(store)]


def test_another_file_system_gets_copies(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    before = state(root)
    monkeypatch.setattr(object_store, "SMALL", 0)
    monkeypatch.setattr(object_store.os, "link", refuse)
    found = after(root, "rm -rf .git")
    assert found is not None and not found.left and state(root) == before


def test_a_large_pack_has_a_second_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is back after it was deleted; where it was emptied itself, that is told."""
    monkeypatch.setattr(object_store, "SMALL", 100)
    before = state(root)
    found = after(root, "rm -rf .git")
    assert found is not None and not found.left and state(root) == before
    found = after(root, "for f in .git/objects/pack/*.pack; do chmod u+w $f; : > $f; done")
    assert found is not None and found.left == (f"{root}/.git/objects",)


MODULES = """
git init -q ../other; cd ../other; echo 1 > o; git add o; git commit -qm other; cd ../work
git -c protocol.file.allow=always submodule -q add ../other mod; git commit -qm mod
git clone -q ../other below; git init -q --bare bare.git
"""


def commits(folder: Path) -> str:
    return shell(folder, "git log --format=%s; git fsck --full --strict && echo whole")


def test_repositories_below_are_put_back_too(root: Path) -> None:
    shell(root, MODULES)
    whole = {name: commits(root / name) for name in ("", "mod", "below")}
    assert [*whole.values()][1:] == ["other\nwhole\n"] * 2
    for command in ("rm -rf .git below/.git", "find . -name objects -exec rm -rf {} +"):
        found = all_after(root, command)
        shell(root, "echo 'gitdir: ../.git/modules/mod' > mod/.git")
        assert {one.folder for one in found} >= {f"{root}/.git", f"{root}/.git/modules/mod"}
        assert not [one.left for one in found if one.left]
        assert {name: commits(root / name) for name in whole} == whole


def test_one_below_that_went_with_its_folder_is_kept_aside(root: Path) -> None:
    """Builds make such, and they go on purpose."""
    shell(root, MODULES)
    found = all_after(root, "rm -rf below .git/modules/mod")
    aside = root.parent / "aside"
    assert {one.to for one in found} == {
        f"{aside}{root}/below/.git", f"{aside}{root}/.git/modules/mod"
    }  # fmt: skip
    assert not (root / "below").exists() and not (root / ".git/modules/mod").exists()
    said = shell(root, f"git --git-dir={aside}{root}/below/.git log --format=%s")
    assert said == "other\n"


def test_other_work_trees_are_put_back_unless_they_were_removed(root: Path) -> None:
    shell(root, "git worktree add -q ../one side; git worktree add -q ../two -b two")
    found = after(root, "git worktree remove ../two; rm .git/worktrees/one/HEAD")
    assert found is not None and found.parts == ("HEAD",)
    assert not (root / ".git/worktrees/two").exists()
    assert shell(root.parent / "one", "git branch --show-current") == "side\n"


KILLED = """
import os, subprocess, sys
from pathlib import Path
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.sandbox.workspace_sandbox import look_through
root = Path(sys.argv[1]).resolve()
found = look_through((root,))
taken = Histories(Path(sys.argv[2])).take((root,), found.git_folders, found.led)
subprocess.run(sys.argv[3], shell=True, cwd=root)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("command", ["rm -rf .git", "rm -rf .git/objects .git/HEAD"])
def test_the_next_start_puts_back_what_was_lost_before_a_kill(root: Path, command: str) -> None:
    before = state(root)
    store = root.parent / "data"
    subprocess.run([sys.executable, "-c", KILLED, root, store, command], check=False)
    assert state(root) != before
    histories, aside = Histories(store), root.parent / "aside"
    assert histories.recover((root.parent,), aside) == ()  # a session elsewhere
    [found] = histories.recover((root,), aside)
    shell(root, "git checkout -q -- .")
    assert not found.left and state(root) == before
    shell(root, "rm -rf .git")  # the person's own
    assert histories.recover((root,), aside) == () and not (root / ".git").exists()


def test_the_next_start_puts_back_submodules_with_what_they_are_of(root: Path) -> None:
    shell(root, MODULES)
    before, store = commits(root / "mod"), root.parent / "data"
    subprocess.run([sys.executable, "-c", KILLED, root, store, "rm -rf .git"], check=False)
    found = Histories(store).recover((root,), root.parent / "aside")
    assert [one.to for one in found] == [f"{root}/.git", f"{root}/.git/modules/mod"]
    shell(root, "git -C mod checkout -q -- .")
    assert "whole" in before and commits(root / "mod") == before


def test_a_program_that_lives_or_ended_well_leaves_nothing_to_put_back(root: Path) -> None:
    histories, aside = Histories(root.parent / "data"), root.parent / "aside"
    taken = take(root, histories)
    [*_] = later = take(root, histories)
    histories.put_back(taken, (str(root),), aside)
    shell(root, "mv .git moved")
    assert Histories(root.parent / "data").recover((root,), aside) == ()
    shell(root, "mv moved .git")
    histories.put_back(later, (str(root),), aside)
    assert not [*(root.parent / "data").rglob("*.running")]


def test_what_is_kept_of_a_repository_that_is_gone_goes(root: Path) -> None:
    store = root.parent / "data"
    take(root, Histories(store))
    [where] = store.glob("*/repository")
    os.utime(where, (1, 1))
    shell(root, "git init -q ../new")
    take(root.parent / "new", Histories(store))
    assert not where.exists() and len([*store.iterdir()]) == 1


def test_no_room_is_an_error_and_no_crash(root: Path) -> None:
    (root.parent / "data").write_text("a file")
    with pytest.raises(OSError):
        take(root, Histories(root.parent / "data"))


def test_a_kept_object_that_is_broken_replaces_none(root: Path) -> None:
    """Power went while it was written."""
    before = state(root)
    take(root, Histories(root.parent / "data"))
    for file in [*(root.parent / "data").glob("*/??/*")]:
        file.chmod(0o600)
        file.write_bytes(b"")
    assert after(root, "true") is None and state(root) == before
    assert after(root, "rm -rf .git/objects/??") is not None and state(root) == before


def test_names_in_other_encodings_are_no_trouble(root: Path) -> None:
    shell(root, r"git branch $(printf 'b\377'); git config core.quotepath true")
    before = state(root)
    found = after(root, "rm -rf .git/refs .git/objects")
    assert found is not None and not found.left and state(root) == before


DEEP = "import os; os.chdir('{}'); [(os.mkdir('a'), os.chdir('a')) for _ in range(1500)]"


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[str]:
    """A program that makes more folders in each other, in a folder `{}`, than fit in a path. What is
    left of them goes afterwards: Python cannot remove them."""
    yield DEEP
    subprocess.run(
        ["find", tmp_path, "-type", "d", "-name", "a", "-prune", "-exec", "rm", "-rf", "{}", "+"],
        check=True,
    )


@pytest.mark.parametrize("place", [".git/refs", ".git/logs", ".git/modules", ".git/worktrees"])
def test_folders_in_folders_without_end_hide_no_loss(root: Path, place: str, deep: str) -> None:
    (root / place).mkdir(exist_ok=True)
    script = deep.format(root / place)
    found = after(root, f'"{sys.executable}" -c "{script}"; rm -rf .git/objects .git/HEAD')
    assert found is not None and not found.trouble and not found.left
    assert shell(root, "git rev-list --count main") == "3\n"


def test_a_time_of_thousands_of_digits_hides_no_loss(root: Path) -> None:
    with (root / ".git/logs/HEAD").open("a") as log:
        log.write(f"{'0' * 40} {'1' * 40} a <a> {'9' * 5000} +0000\tx\n")
    found = after(root, ": > .git/logs/HEAD; rm -rf .git/objects")
    assert found is not None and not found.trouble and found.parts
    assert shell(root, "git rev-list --count main") == "3\n"


@pytest.mark.parametrize("error", [ValueError("a\nb"), RecursionError(), MemoryError(), OSError()])
def test_what_cannot_be_looked_at_is_told_and_tried_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    store, aside = root.parent / "data", root.parent / "aside"
    subprocess.run([sys.executable, "-c", KILLED, root, store, "rm .git/HEAD"], check=False)
    with monkeypatch.context() as broken:
        broken.setattr(History, "put_back", fail)
        [found] = Histories(store).recover((root,), aside)
        assert found.trouble and "\n" not in found.trouble and not found.parts
    [found] = Histories(store).recover((root,), aside)
    assert found.parts == ("HEAD",) and not found.trouble
    assert Histories(store).recover((root,), aside) == ()
