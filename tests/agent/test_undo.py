"""Putting files back, as values: no file is overwritten that somebody else has changed, unless that
was chosen."""

from __future__ import annotations

import hashlib
import os
import random
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.agent.services import file_restore, restore_looks
from agent_tui.agent.session.changes import Changes
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import FileChanged, FilesRestored, ToolStarted, TurnStarted, fold
from agent_tui.protocol.session_events import RestoredFile
from agent_tui.safety import file_access
from agent_tui.sessions.log.checkpoints import Blobs
from tests.campaigns import examples

Tree = dict[str, bytes]


class World:
    """A folder that a session works in: what it does is folded as its events would be."""

    def __init__(self, root: Path) -> None:
        self.root, self.changes, self.blobs, self.n = (
            (root / "work").resolve(),
            Changes(),
            Blobs(root / "blobs"),
            0,
        )
        self.root.mkdir()

    def begin(self) -> int:
        self.n += 1
        self.changes.take(TurnStarted(prompt=f"turn {self.n}", turn=self.n, n=self.n * 10))
        return self.n * 10

    def edit(self, name: str, content: bytes | None, mode: int | None = None) -> None:
        """As a tool does it: the content before is kept, the change is told."""
        path = self.root / name
        before = self.blobs.put(path.read_bytes()) if path.exists() else ""
        bits = stat.S_IMODE(path.stat().st_mode) if before else 0
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            file_access.atomic_write(path, content, mode)
        after = hashlib.sha256(content).hexdigest() if content is not None else ""
        bits_after = stat.S_IMODE(path.stat().st_mode) if after else 0
        diff = DiffDisplay(name, ())
        self.changes.take(
            FileChanged("c", str(path), diff, before, after, bits, bits_after, turn=self.n)
        )

    def tree(self) -> Tree:
        found = (path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    def undo(
        self, to: int = 0, choice: str = "", redo: bool = False
    ) -> tuple[list[restore_looks.Look], list[RestoredFile]]:
        plan = self.changes.redo() if redo else self.changes.undo(to)
        looks = restore_looks.look(plan, self.blobs, (self.root,))
        files = [file_restore.restore(look, choice, self.blobs) for look in looks]
        self.changes.take(FilesRestored("i", plan.direction, plan.turns, tuple(files)))
        return looks, files


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_undo_and_redo_of_a_turn(world: World) -> None:
    (world.root / "a").write_bytes(b"a0")
    (world.root / "a").chmod(0o754)
    (world.root / "d").write_bytes(b"d0")
    (world.root / "d").chmod(0o700)
    before = world.tree()
    world.begin()
    world.edit("a", b"a1")
    world.edit("a", b"a2")
    world.edit("new/b", b"b1")
    world.edit("d", None)
    after = world.tree()
    _, files = world.undo()
    assert {file.outcome for file in files} == {"done"} and world.tree() == before
    modes = [stat.S_IMODE((world.root / name).stat().st_mode) for name in ("a", "d")]
    assert modes == [0o754, 0o700]
    assert world.changes.undo().files == ()
    _, files = world.undo(redo=True)
    assert {file.outcome for file in files} == {"done"} and world.tree() == after
    assert world.changes.redo().files == ()
    world.undo()
    assert world.tree() == before


def test_a_change_belongs_to_the_turn_of_its_call_however_late_it_is_seen(world: World) -> None:
    world.begin()
    world.edit("early", b"0")
    second = world.begin()
    world.edit("b", b"2")
    late = FileChanged(
        "c", str(world.root / "a"), DiffDisplay("a", ()), "", "x", during_command=True, turn=1
    )
    world.changes.take(late)
    assert [Path(one.path).name for one in world.changes.undo().files] == ["b"]
    assert world.changes.undo().turns == (second,)
    assert (
        fold([TurnStarted(prompt="1", turn=1), TurnStarted(prompt="2", turn=2), late])
        .marks[0]
        .files[0]
        == "a"
    )


def test_in_an_old_log_the_call_says_that_a_command_ran(world: World) -> None:
    world.begin()
    world.changes.take(ToolStarted("c", "run_shell_command", "Run x", effect="execute"))
    world.edit("a", b"1")
    world.changes.take(ToolStarted("c", "create_file", "Create b", effect="write"))
    world.edit("b", b"1")
    looks, files = world.undo()
    assert [(look.state, file.outcome) for look, file in zip(looks, files, strict=True)] == [
        ("during", "kept"),
        ("as_left", "done"),
    ]


def test_a_file_that_was_kept_can_still_be_put_back_by_going_to_its_turn(world: World) -> None:
    first = world.begin()
    world.edit("a", b"1")
    second = world.begin()
    world.edit("b", b"1")
    world.undo(choice="keep")
    assert world.changes.undo().turns == (first,) and world.changes.undo(second).turns == (second,)
    world.undo(second)
    assert world.tree() == {"a": b"1"} and world.changes.undo(second).files == ()


def test_what_could_not_be_made_again_is_still_there_to_be(world: World) -> None:
    world.begin()
    world.edit("a", b"a1")
    world.edit("b", b"b1")
    world.undo()
    plan = world.changes.redo()
    [first, second] = restore_looks.look(plan, world.blobs, (world.root,))
    cut = file_restore.outcome_of(file_restore.intent(second))  # the program ended between the two
    assert cut.outcome == "failed"
    world.changes.take(
        FilesRestored("i", "redo", (), (file_restore.restore(first, "", world.blobs), cut))
    )
    assert [Path(one.path).name for one in world.changes.redo().files] == ["b"]
    world.undo(redo=True)
    assert world.tree() == {"a": b"a1", "b": b"b1"} and world.changes.redo().files == ()
    world.undo()
    assert world.tree() == {}


def test_a_change_of_permissions_alone_is_taken_back(world: World) -> None:
    (world.root / "run").write_bytes(b"x")
    (world.root / "run").chmod(0o644)
    world.begin()
    world.edit("run", b"x", 0o755)
    world.undo()
    assert stat.S_IMODE((world.root / "run").stat().st_mode) == 0o644
    world.undo(redo=True)
    assert stat.S_IMODE((world.root / "run").stat().st_mode) == 0o755


def test_several_turns_and_the_last_alone(world: World) -> None:
    (world.root / "a").write_bytes(b"0")
    first = world.begin()
    world.edit("a", b"1")
    world.begin()
    world.edit("a", b"2")
    world.begin()  # changes nothing
    world.undo()
    assert world.tree() == {"a": b"1"}
    world.begin()
    world.edit("a", b"3")
    world.undo(first)
    assert world.tree() == {"a": b"0"}


def replaced(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


STATES: dict[str, Callable[[Path], object]] = {
    "changed": lambda path: path.write_bytes(b"mine"),
    "gone": lambda path: path.unlink(),
    "replaced": lambda path: replaced(path),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("choice", ["", "keep", "restore", "both"])
def test_what_changed_since_waits_for_a_choice(world: World, state: str, choice: str) -> None:
    path = world.root / "a"
    path.write_bytes(b"old")
    world.begin()
    world.edit("a", b"new")
    STATES[state](path)
    mine = world.tree()
    [look], [file] = world.undo(choice=choice)
    assert look.state == state and look.choices
    if choice not in look.choices or choice == "keep":
        assert (file.outcome, world.tree()) == ("kept", mine)
    elif choice == "both":
        assert file.outcome == "beside" and Path(file.beside).read_bytes() == b"old"
        assert {name: data for name, data in world.tree().items() if ".orig-" not in name} == mine
    else:
        assert file.outcome == "done" and world.tree() == {"a": b"old"}
        world.undo(redo=True)
        assert world.tree() == mine


def test_what_somebody_changed_between_two_changes_waits_for_a_choice(world: World) -> None:
    (world.root / "a").write_bytes(b"0")
    first = world.begin()
    world.edit("a", b"1")
    (world.root / "a").write_bytes(b"mine")
    world.begin()
    world.edit("a", b"mine and 2")
    [look], [file] = world.undo(first)
    assert (look.state, file.outcome, world.tree()) == ("between", "kept", {"a": b"mine and 2"})


def test_a_pre_image_that_is_gone_is_said(world: World) -> None:
    (world.root / "a").write_bytes(b"0")
    world.begin()
    world.edit("a", b"1")
    for blob in world.blobs.folder.iterdir():
        blob.unlink()
    [look], [file] = world.undo(choice="restore")
    assert (look.state, look.choices, file.outcome) == ("lost", ("keep",), "kept")


@pytest.mark.parametrize("name", [".git/config", "../outside"])
def test_a_path_that_no_tool_may_write_freely_is_asked_about(world: World, name: str) -> None:
    world.begin()
    world.edit(name, b"1")
    [look], _ = world.undo()
    assert look.state == "outside"


def test_a_folder_that_became_a_link_is_not_followed(world: World, tmp_path: Path) -> None:
    (world.root / "sub").mkdir()
    (world.root / "sub" / "a").write_bytes(b"0")
    world.begin()
    world.edit("sub/a", b"1")
    elsewhere = tmp_path / "elsewhere"
    (world.root / "sub").rename(elsewhere)
    (world.root / "sub").symlink_to(elsewhere)
    [look], [file] = world.undo(choice="restore")
    assert look.state == "replaced" and file.outcome == "kept"
    assert (elsewhere / "a").read_bytes() == b"1"


def test_a_change_at_the_last_moment_is_noticed(world: World) -> None:
    for name in ("a", "b"):
        world.begin()
        world.edit(name, b"1")
        if name == "a":
            (world.root / name).write_bytes(b"1")
        [look] = restore_looks.look(world.changes.undo(), world.blobs, (world.root,))
        (world.root / name).write_bytes(b"mine!")
        file = file_restore.restore(look, "", world.blobs)
        assert file.outcome == "changed" and (world.root / name).read_bytes() == b"mine!"


def test_what_comes_at_any_moment_of_a_restore_is_not_lost(world: World) -> None:
    """Another program puts a file of its own there while ours is being put back: it stays, or is
    kept."""
    path, other = world.root / "a", world.root / "other"
    path.write_bytes(b"old")
    for trial in range(300):
        world.begin()
        world.edit("a", b"left")
        [look] = restore_looks.look(world.changes.undo(), world.blobs, (world.root,))
        mine = f"mine {trial}".encode()
        other.write_bytes(mine)
        thread = threading.Timer(trial % 30 / 20_000, other.replace, (path,))
        thread.start()
        file_restore.restore(look, "", world.blobs)
        thread.join()
        assert path.read_bytes() == mine, "it came last, or nothing was put over it"


NAMES = ("a", "b", "sub/c", "sub/deep/d")


@settings(deadline=None, max_examples=examples(60))
@given(seed=st.integers(0, 2**32))
def test_undo_gives_the_tree_back_or_asks(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Random edits, deletions and changes from outside; then one or several turns are taken back."""
    chance = random.Random(seed)
    world = World(tmp_path_factory.mktemp("w"))
    for name in NAMES[::2]:
        (world.root / name).parent.mkdir(exist_ok=True)
        (world.root / name).write_bytes(os.urandom(3))
    trees: dict[int, Tree] = {}
    foreign: set[str] = set()
    since: dict[int, set[str]] = {}
    for _ in range(chance.randint(1, 4)):
        turn = world.begin()
        trees[turn], since[turn] = world.tree(), set()
        for _ in range(chance.randint(0, 5)):
            name = chance.choice(NAMES)
            here = (world.root / name).exists()
            content = None if here and chance.random() < 0.3 else bytes([chance.randint(0, 3)])
            if chance.random() < 0.25:
                if content is None:
                    (world.root / name).unlink()
                else:
                    (world.root / name).parent.mkdir(parents=True, exist_ok=True)
                    (world.root / name).write_bytes(content)
                for touched in since.values():
                    touched.add(name)
            else:
                world.edit(name, content)
    to = chance.choice(list(trees))
    foreign = since[to]
    now, wanted = world.tree(), trees[to]
    looks, files = world.undo(to)
    after = world.tree()
    asked = {
        str(Path(look.plan.path).relative_to(world.root)) for look in looks if not look.decide("")
    }
    for name in NAMES:
        if name in asked:
            assert after.get(name) == now.get(name), "a question leaves the file as it is"
            assert name in foreign, "nobody is asked about what only the session changed"
        elif name not in foreign:
            assert after.get(name) == wanted.get(name), "what only the session changed is as it was"
    for look, file in zip(looks, files, strict=True):
        if file.outcome == "done" and look.found.sha:
            assert world.blobs.get(look.found.sha) == look.found.content, (
                "nothing that was there is lost"
            )
    world.undo(redo=True)
    assert world.tree() == now
