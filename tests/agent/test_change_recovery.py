"""What a kill left of a call that changed files is settled by what the files hold."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.session.change_recovery import Settled, settle_changes
from agent_tui.agent.session.changes import Changes
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import (
    ChangesStarted,
    FileChanged,
    Forked,
    Notice,
    SessionStarted,
    ToolEnded,
    TurnStarted,
)
from agent_tui.protocol.standing import IntendedChange
from agent_tui.sessions.log.checkpoints import Blobs

TOKEN = "0123456789ab"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest() if content else ""


class Killed:
    """A folder in which a call was killed that was to write `new` in the place of `old`."""

    def __init__(self, root: Path) -> None:
        self.cwd, self.blobs = (root / "work").resolve(), Blobs(root / "blobs")
        self.cwd.mkdir()
        self.path = self.cwd / "a"
        self.aside = self.cwd / f".a.{TOKEN}.was"
        self.changes = Changes()
        self.changes.take(TurnStarted(prompt="go", turn=1, n=5))

    def begin(self, *files: IntendedChange) -> None:
        self.changes.take(ChangesStarted("1", files, turn=1, step=2))

    def edit(self, before: bytes = b"old", after: bytes = b"new") -> IntendedChange:
        return IntendedChange(str(self.path), sha(before), sha(after), 0o640, 0, TOKEN)

    def settle(self) -> tuple[Settled, list[str]]:
        found = settle_changes(self.changes, self.blobs, self.cwd)
        for event in found.changed:
            self.changes.take(event)
        return found, [one.text for one in found.told if isinstance(one, Notice)]

    def undone(self) -> list[tuple[str, str]]:
        return [(file.left, file.target) for file in self.changes.undo().files]


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    return Killed(tmp_path)


def test_what_was_done_is_on_record_with_its_turn_and_mode(killed: Killed) -> None:
    killed.path.write_bytes(b"new")
    killed.aside.write_bytes(b"old")
    killed.begin(killed.edit())
    found, told = killed.settle()
    [event] = found.changed
    assert isinstance(event, FileChanged) and (event.turn, event.step, event.mode) == (1, 2, 0o640)
    assert told == ["When agent-tui stopped, a was already changed."]
    assert found.done == {("main", "1"): "a was already changed"}
    assert killed.undone() == [(sha(b"new"), sha(b"old"))]
    assert not killed.aside.exists() and killed.blobs.get(sha(b"old")) == b"old"
    assert killed.settle() == (Settled(done=found.done), []), "a second kill adds nothing"


def test_what_was_not_done_leaves_neither_a_record_nor_a_folder(killed: Killed) -> None:
    path = killed.cwd / "new" / "deep" / "a"
    (killed.cwd / "new").mkdir()
    (killed.cwd / f".a.{TOKEN}.tmp").write_bytes(b"ne")
    killed.path.write_bytes(b"old")
    killed.begin(killed.edit(), IntendedChange(str(path), "", sha(b"new"), 0, 2, TOKEN))
    found, told = killed.settle()
    assert found.changed == () and killed.undone() == []
    assert told == [
        "When agent-tui stopped, a was not changed yet.",
        "When agent-tui stopped, new/deep/a was not created yet.",
    ]
    assert [one.name for one in killed.cwd.iterdir()] == ["a"]


def test_a_moved_file_that_was_not_edited_yet_is_known_as_it_is(killed: Killed) -> None:
    killed.path.write_bytes(b"old")
    gone = IntendedChange(str(killed.cwd / "from"), sha(b"old"), "", 0o600)
    killed.begin(gone, killed.edit(b""))
    _, told = killed.settle()
    assert told[0] == "When agent-tui stopped, from was already deleted."
    assert "with its old text" in told[1]
    assert killed.undone() == [("", sha(b"old")), (sha(b"old"), "")]


def test_what_another_program_wrote_at_that_moment_goes_back(killed: Killed) -> None:
    killed.aside.write_bytes(b"theirs")
    killed.begin(killed.edit(after=b""))
    _, told = killed.settle()
    assert killed.path.read_bytes() == b"theirs" and not killed.aside.exists()
    assert told == [
        "When agent-tui stopped, a holds neither its old nor its new text: something else wrote it."
    ]


def test_it_is_named_where_its_place_is_taken(killed: Killed) -> None:
    killed.path.write_bytes(b"new")
    killed.aside.write_bytes(b"theirs")
    killed.begin(killed.edit())
    _, told = killed.settle()
    assert killed.aside.read_bytes() == b"theirs" and str(killed.aside) in told[1]


def test_only_the_names_of_the_intent_are_touched(killed: Killed) -> None:
    killed.path.write_bytes(b"new")
    others = [".a.0123456789ac.was", ".a.0123456789ac.tmp", ".a.tmp", f".b.{TOKEN}.tmp"]
    for name in others:
        (killed.cwd / name).write_bytes(b"old")
    killed.begin(replace(killed.edit(), token="../../x"), killed.edit())
    killed.settle()
    assert {one.name for one in killed.cwd.iterdir()} == {"a", *others}


def test_a_call_with_an_end_is_settled_and_a_copy_settles_none(killed: Killed) -> None:
    ended = ToolEnded(call_id="1", name="edit_file", label="x", content="x")
    for last in (ended, Forked("p"), SessionStarted("/", "m", "auto")):
        killed.begin(killed.edit())
        killed.changes.take(last)
        assert killed.settle() == (Settled(), [])


def test_a_cancelled_call_whose_work_went_on_is_told_only_where_it_did(killed: Killed) -> None:
    killed.begin(killed.edit())
    cancelled = ToolEnded(call_id="1", name="x", label="x", content="x", tag="cancelled")
    killed.changes.take(cancelled)
    killed.path.write_bytes(b"old")
    assert killed.settle()[1] == []
    killed.path.write_bytes(b"new")
    assert killed.settle()[1] == ["When agent-tui stopped, a was already changed."]


def test_what_is_on_record_already_is_not_asked_of_the_files(killed: Killed) -> None:
    killed.begin(killed.edit())
    changed = FileChanged("1", str(killed.path), DiffDisplay("a", ()), sha(b"old"), sha(b"new"))
    killed.changes.take(changed)
    killed.path.write_bytes(b"by the person")
    assert killed.settle() == (Settled(done={("main", "1"): "a was already changed"}), [])
