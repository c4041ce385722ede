"""What commands put in the way of a history that is put back: packs that hold nothing, closed
folders, files without number, and branches that were moved by hand."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.agent.turn.sandbox_words import describe_lost
from agent_tui.safety.sandbox import object_store, pack_check
from agent_tui.safety.sandbox.git_objects import ObjectCheck
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.sandbox.object_store import list_objects
from tests.safety.test_git_history import KILLED, after, all_after, kept, shell, state, take
from tests.safety.test_git_history import root as root

EMPTY = "for p in .git/objects/pack/*.pack; do chmod u+w $p; : > $p; done"
ZEROS = (
    "for p in .git/objects/pack/*.pack; do chmod u+w $p; "
    "dd if=/dev/zero of=$p bs=1 seek=20 count=40 conv=notrunc; done"
)


@pytest.mark.parametrize(
    "command",
    [
        f"git repack -adq; {EMPTY}",
        f"git gc -q --prune=now; {EMPTY}",
        f"git gc -q; {ZEROS}",
        ZEROS,
        f"git gc -q; {EMPTY.replace('.pack', '.idx')}",
        "cp .git/objects/pack/*.pack p; rm .git/objects/pack/*; git unpack-objects -q < p; "
        "find .git/objects/?? -type f -exec chmod u+w {} + -exec truncate -s 0 {} +",
    ],
)
def test_what_holds_nothing_replaces_nothing(root: Path, command: str) -> None:
    before = state(root)
    found = after(root, command)
    assert found is not None and found.parts and not found.left
    assert state(root) == before
    assert after(root, "true") is None


def test_a_pack_that_was_broken_by_an_earlier_command_replaces_nothing(root: Path) -> None:
    before = state(root)
    histories, aside = Histories(root.parent / "data"), root.parent / "aside"
    for command in (f"git repack -q; {ZEROS}", "git prune-packed"):
        taken = take(root, histories)
        shell(root, command)
        found = histories.put_back(taken, (str(root),), aside)
    assert found and not found[0].left and state(root) == before


def test_copies_stay_whatever_packs_appear(root: Path) -> None:
    histories, store = Histories(root.parent / "data"), root.parent / "data"
    take(root, histories)
    first = kept(store)
    for command in (f"git repack -adq; {EMPTY}", "git gc -q --prune=now"):
        shell(root, command)
        take(root, histories)
        assert first <= kept(store)


def test_where_there_is_no_room_copies_go_that_whole_packs_hold(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = root.parent / "data"
    take(root, Histories(store))
    first = kept(store)
    monkeypatch.setattr(object_store, "MOST_STORED", 0)
    shell(root, "git gc -q; cp -r .git/objects/pack ../packs")
    shell(root, EMPTY)
    take(root, Histories(store))
    assert first <= kept(store)
    shell(root, "rm -rf .git/objects/pack; mv ../packs .git/objects/pack")
    take(root, Histories(store))
    assert not {name for name in first & kept(store) if name.endswith(".pack")}


def test_a_pack_for_which_there_is_no_time_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack_check, "MOST_SECONDS", -1.0)
    found = after(root, "git gc -q")
    assert found is not None and found.unchecked_packs == 1 and not found.parts
    said = describe_lost([found], str)
    assert "too large to be checked" in said and f"kept for a day in {root.parent}/data" in said


def test_a_pack_is_read_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell(root, "git gc -q")
    store = object_store.ObjectStore(root.parent / "data")
    objects = f"{root}/.git/objects"
    now = list_objects(objects, {})
    name = bytes.fromhex(shell(root, "git rev-parse HEAD").strip())
    assert name in store.find_held(objects, now, now, ObjectCheck())
    monkeypatch.setattr(pack_check, "open_regular", None)
    assert name in store.find_held(objects, now, now, ObjectCheck())


FOREIGN = {
    "alternates": "echo /nonexistent > .git/objects/info/alternates",
    "http-alternates": "echo http://nowhere.invalid > .git/objects/info/http-alternates",
    "zz": "ln -s /etc/passwd .git/refs/heads/zz",
    "main": "ln -sf /etc/passwd .git/refs/heads/main",
    "yy": "ln -s /etc/passwd .git/logs/refs/heads/yy",
    "shallow": "mkfifo .git/shallow",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_its_own_does_not_end_the_guard(root: Path, name: str) -> None:
    """As where it is there from the begin: the next session has a guard all the same, and says
    what it does not hold."""
    before = state(root)
    shell(root, "cp -r .git ../whole")
    shell(root, FOREIGN[name])
    histories = Histories(root.parent / "data")
    taken = take(root, histories)
    is_said = name not in ("http-alternates", "yy")
    assert [*histories.new_limits()] == ([f"{root}/.git"] if is_said else [])
    assert not histories.new_limits()
    shell(root, "rm -rf .git")
    [found] = histories.put_back(taken, (str(root),), root.parent / "aside")
    assert found.parts[:2] == ("HEAD", "index") and not found.left
    shell(
        root,
        "rm -f .git/refs/heads/zz .git/refs/heads/main; git update-ref refs/heads/main $(cat ../whole/refs/heads/main)",
    )
    assert state(root)[4] == before[4]


def test_a_shared_clone_gets_its_own_back(root: Path) -> None:
    shell(root, "git clone -qs . ../clone; cd ../clone; echo x > x; git add x; git commit -qm x")
    clone = root.parent / "clone"
    before = state(clone)
    found = after(clone, "rm -rf .git/objects/?? .git/refs .git/HEAD")
    assert found is not None and not found.left and state(clone) == before


def test_a_history_that_is_gone_is_found_with_its_copies(root: Path) -> None:
    histories = Histories(root.parent / "data")
    take(root, histories)
    assert histories.find_gone((root,)) == ()
    shell(root, "rm -rf .git")
    [(folder, copies)] = Histories(root.parent / "data").find_gone((root,))
    assert (
        folder == f"{root}/.git"
        and Histories(root.parent / "data").find_gone((Path("/usr"),)) == ()
    )
    shell(root, "echo gitdir: ../elsewhere > .git")
    assert Histories(root.parent / "data").find_gone((root,)) == ()
    shell(root, f"rm .git; git init -q; cp -r {copies}/* .git/objects")
    assert "commit" in shell(root, "git fsck --lost-found")


FOLLOWS_RIGHTS = """
import sys
from pathlib import Path
from tests.safety.test_git_history import after
from agent_tui.agent.turn.sandbox_words import describe_lost
found = after(Path(sys.argv[1]), sys.argv[2])
print(describe_lost([found] if found else [], str))
"""


def told(root: Path, command: str) -> str:
    """What is told after a command, by a program for which a closed folder is closed."""
    drop = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if not os.geteuid() else ()
    words = (*drop, sys.executable, "-c", FOLLOWS_RIGHTS, root, command)
    here = Path(__file__).parents[2]
    ran = subprocess.run(words, cwd=here, check=False, capture_output=True, text=True)
    assert not ran.stderr, ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    "closes", ["chmod 000 .git", "chmod 000 .git/objects .git/refs", "chmod -R a-w .git"]
)
def test_closed_folders_are_opened_to_put_back(root: Path, closes: str) -> None:
    before = state(root)
    said = told(root, f"find .git -type f ! -name config -delete; {closes}")
    assert "put back: HEAD, index" in said and "Not put back" not in said
    assert state(root) == before


def test_folders_that_were_only_closed_are_no_loss(root: Path) -> None:
    before = state(root)
    said = told(root, "chmod 000 .git/objects/pack .git/objects .git/logs")
    assert said.startswith("3 folders of git in") and "lost" not in said
    assert state(root) == before


def test_what_cannot_be_put_back_is_said_and_tried_again(root: Path) -> None:
    before, store = state(root), root.parent / "data"
    histories, aside = Histories(store), root.parent / "aside"
    taken = take(root, histories)
    shell(root, "rm -rf .git/objects .git/HEAD; rm .git/index")
    bases = (f"{root}/nowhere",)
    (root / ".git/index").symlink_to("/nowhere")
    [found] = histories.put_back(taken, bases, aside)
    assert found.is_failed and found.left and found.copies.startswith(str(store))
    said = describe_lost([found], str)
    assert "tries again" in said and found.copies in said
    assert [*store.glob("*/*.running")]
    script = KILLED.replace("subprocess.run", "0 and subprocess.run")
    subprocess.run([sys.executable, "-c", script, root, root.parent / "none", ""], check=False)
    [running] = store.glob("*/*.running")
    running.rename(running.with_name(f"00-{running.name.partition('-')[2]}"))  # it has ended
    [found] = Histories(store).recover((root,), aside)
    assert not found.left and state(root) == before


def chain(root: Path) -> str:
    """Six commits, of which the last two have no name but a branch and reflogs. The last one."""
    for number in range(6):
        shell(root, f"echo c{number} > c; git add c; git commit -qm c{number}")
    shell(root, "git branch -f side")
    return shell(root, "git rev-parse main").strip()


MOVED = (
    "old=$(git rev-parse HEAD~5); echo $old > .git/refs/heads/main; "
    "echo $old > .git/refs/heads/side"
)


def test_reflogs_that_were_shortened_come_back(root: Path) -> None:
    last = chain(root)
    before = shell(root, "git reflog; git reflog main; git reflog side")
    cut = "find .git/logs -type f -exec sed -i 2,\\$d {} +"
    found = after(root, f"{MOVED}; {cut}")
    assert found is not None and found.parts == ("reflogs",) and not found.refs
    logs = shell(root, "git reflog; git reflog main; git reflog side")
    assert logs == before and last[:7] in logs
    found = after(root, f"{cut}; git commit -q --allow-empty -m later")
    assert found is not None and "later" in shell(root, "git reflog -1")
    assert "c4" in shell(root, "git reflog") and "fatal" not in shell(root, "git fsck 2>&1")


@pytest.mark.parametrize("deletes", ["rm -rf .git/logs", "git config core.logallrefupdates false"])
def test_commits_that_nothing_names_any_more_get_a_name(root: Path, deletes: str) -> None:
    last = chain(root)
    shell(root, "rm -rf .git/logs; git config core.logallrefupdates false")
    found = after(root, f"{MOVED}; {deletes}")
    assert found is not None and not found.parts and len(found.refs) == 1
    assert shell(root, f"git rev-parse {found.refs[0]}").strip() == last
    said = describe_lost([found], str)
    assert said.startswith("commits in") and found.refs[0] in said
    assert after(root, "git branch -D side; git commit -q --allow-empty -m x") is None


@pytest.mark.parametrize("place", ["other", "logs", "worktrees/x/logs"])
def test_a_commit_of_a_tag_gets_a_name_in_any_folder(root: Path, place: str) -> None:
    where = root.parent / place / "inner"
    where.parent.mkdir(parents=True, exist_ok=True)
    shell(
        root, "git checkout -q --detach; git commit -q --allow-empty -m lone; git branch logs/x/y"
    )
    shell(root, "git tag -am release rel; git checkout -q main; git branch -qD logs/x/y")
    shell(root, "git reflog expire --expire=now --all")
    root.rename(where)
    lone = shell(where, "git rev-parse rel^{commit}")
    found = after(where, "git tag -d rel; git tag -d v1")
    assert found is not None and not found.parts and len(found.refs) == 1
    assert found.refs[0].startswith("refs/agent-tui/lost/tags/rel-")
    assert shell(where, f"git rev-parse {found.refs[0]}^{{commit}}") == lone
    assert shell(where, "git fsck && echo whole") == "whole\n"


LEAVES_NAMES = """
git branch -m main other; git branch -m other main
git checkout -q -b lonely; git commit -q --allow-empty -m l; git checkout -q main; git branch -D lonely
git branch -d merged
git tag -d merged
git stash pop
git stash drop
git rebase -q --onto HEAD~3 HEAD~1
git reset -q --hard HEAD~4; git commit -q --amend -m again
git fetch -q --prune origin
git update-ref refs/heads/side main
git fetch -q . main:side
git gc -q
git reflog expire --all
git branch -M side merged
git checkout -q -b topic side; git cherry-pick -n main; git commit -q --allow-empty -m y; git switch -q main
"""


@pytest.mark.parametrize("command", LEAVES_NAMES.strip().splitlines())
def test_what_git_moves_keeps_its_name(root: Path, command: str) -> None:
    chain(root)
    shell(root, "git clone -q . ../up; git -C ../up branch gone; git remote add origin ../up")
    shell(root, "git fetch -q; git -C ../up branch -D gone")
    shell(root, "git branch merged $(git commit-tree -p main -m m main^{tree})")
    shell(root, "git merge -q merged; git tag merged merged; git branch -f side main~3")
    shell(root, "echo stash > a; git stash; echo more > a; git stash")
    assert all_after(root, command) == ()


def test_files_without_number_hide_no_loss(root: Path) -> None:
    before = state(root)
    histories, aside = Histories(root.parent / "data"), root.parent / "aside"
    taken = take(root, histories)
    for number in range(20_001):
        (root / f".git/sharedindex.{number}").touch()
    begun = time.monotonic()
    [found] = histories.put_back(taken, (str(root),), aside)
    assert not found.parts and not found.is_all and "too many files" in describe_lost([found], str)
    taken = take(root, histories)
    assert [*histories.new_limits()] == [f"{root}/.git"]
    shell(root, "rm -rf .git")
    [found] = histories.put_back(taken, (str(root),), aside)
    assert time.monotonic() - begun < 30
    assert found.parts[:2] == ("HEAD", "index") and not found.left and state(root) == before


@pytest.mark.parametrize("place", ["refs", "logs", "info"])
def test_new_files_push_out_none_that_was_known(
    root: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_tui.safety.sandbox.git_files.MOST_FILES", 40)
    before = state(root)
    histories, aside = Histories(root.parent / "data"), root.parent / "aside"
    for _ in range(2):
        taken = take(root, histories)
        for number in range(100):
            (root / f".git/{place}/0{number}").touch()
        histories.put_back(taken, (str(root),), aside)
    taken = take(root, histories)
    shell(root, "rm -rf .git")
    [found] = histories.put_back(taken, (str(root),), aside)
    shell(root, f"find .git/{place} -name '0*' -size 0 -delete")
    assert not found.left and state(root) == before


def test_a_ref_that_is_endless_is_no_ref(root: Path) -> None:
    before = state(root)
    found = after(root, "truncate -s 900G .git/refs/heads/main; truncate -s 900G .git/HEAD")
    assert found is not None and not found.left and state(root) == before
