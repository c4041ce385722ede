"""Tools that change several files or move and delete them, through the real engine: undo takes all of
it back, and an edit of a file that changed since it was read is told first."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.protocol.display import DiffDisplay, DiffsDisplay, Hunk
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    Event,
    FileChanged,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Clear, RestoreFiles, Rewind, Submit
from agent_tui.safety import file_access
from agent_tui.tools import create_file
from tests.agent.driving import Driver, Place
from tests.agent.test_command_changes import workplace

PATCH = "\n".join(
    (
        "*** Begin Patch",
        "*** Update File: a.py",
        "@@",
        "-x = 1",
        "+x = 2",
        "*** Update File: old.py",
        "*** Move to: new/name.py",
        "@@",
        "-two",
        "+2",
        "*** Delete File: gone.py",
        "*** Add File: more.py",
        "+y = 1",
        "*** End Patch",
    )
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    return Place(tmp_path)


def step(name: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": name, "arguments": arguments}]


def tree(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(folder)): (path.read_text(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".json"
    }


def fill(folder: Path) -> dict[str, tuple[str, int]]:
    (folder / "a.py").write_text("x = 1\n")
    (folder / "old.py").write_text("one\ntwo\n")
    (folder / "gone.py").write_text("bye\n")
    (folder / "old.py").chmod(0o750)
    (folder / "gone.py").chmod(0o640)
    return tree(folder)


def restore(driver: Driver, redo: bool = False) -> Any:
    driver.send(RestoreFiles(redo=redo))
    return driver.until(Answered, lambda event: event.kind == "restored").data


def test_undo_and_redo_of_a_patch_a_move_and_a_deletion(place: Place) -> None:
    before = fill(place.cwd)
    model = place.script(
        step("apply_patch", patch=PATCH),
        step("move_file", path="a.py", to="b.py"),
        step("delete_file", path="more.py"),
        [{"text": "done"}],
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert [ended.tag for ended in driver.all(ToolEnded)] == ["ok"] * 3
        after = tree(place.cwd)
        assert {name: text for name, (text, _) in after.items()} == {
            "b.py": "x = 2\n",
            "new/name.py": "one\n2\n",
        }
        assert restore(driver).done
        assert tree(place.cwd) == before and not (place.cwd / "new").exists()
        assert restore(driver, redo=True).done
        assert tree(place.cwd) == after


def test_one_question_shows_all_files_of_a_patch(place: Place) -> None:
    before = fill(place.cwd)
    model = place.script(step("apply_patch", patch=PATCH), [{"text": "done"}])
    with place.engine(model) as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert isinstance(asked.display, DiffsDisplay)
        assert [diff.path for diff in asked.display.diffs] == [
            "a.py",
            "new/name.py",
            "gone.py",
            "more.py",
        ]
        assert tree(place.cwd) == before
        driver.send(Answer(asked.id, "once"))
        driver.until(TurnEnded)
        assert len(driver.all(FileChanged)) == 5 and not (place.cwd / "gone.py").exists()


def test_a_file_outside_asks_whatever_the_patch_calls_it(place: Place) -> None:
    outside = place.cwd.parent / "outside.py"
    patch = f"*** Begin Patch\n*** Add File: {outside}\n+x\n*** End Patch"
    model = place.script(step("apply_patch", patch=patch), [{"text": "done"}])
    with place.engine(model, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert driver.all(ToolEnded)[0].tag == "denied" and not outside.exists()


def test_an_edit_of_a_file_that_changed_is_told_first(place: Place) -> None:
    file = place.cwd / "a.txt"
    file.write_text("one\ntwo\n")
    edit = step("edit_file", path="a.txt", old="two", new="2")
    model = place.script(
        step("read_file", path="a.txt"),
        step("run_shell_command", command="sed -i s/one/ONE/ a.txt"),
        [*edit, *edit],
        edit,
        [{"text": "done"}],
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        ends = [ended for ended in driver.all(ToolEnded) if ended.name == "edit_file"]
        assert [ended.tag for ended in ends] == ["stale", "stale", "ok"]
        assert "+ONE" in ends[0].content and file.read_text() == "ONE\n2\n"


def test_a_session_that_goes_on_knows_of_no_file(place: Place) -> None:
    file = place.cwd / "a.txt"
    file.write_text("one\ntwo\n")
    edit = step("edit_file", path="a.txt", old="two", new="2")
    model = place.script(
        step("read_file", path="a.txt"), [{"text": "read"}], edit, [{"text": "done"}]
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("read")
        session = driver.transcript().session
    file.write_text("ONE\ntwo\n")
    with place.engine(model, mode="accept-all", resume=session) as driver:
        driver.turn("edit")
        assert driver.all(ToolEnded)[-1].tag == "ok"


@pytest.mark.parametrize("how", ["rewind", "clear"])
def test_what_the_model_does_not_have_any_more_it_does_not_know(place: Place, how: str) -> None:
    file = place.cwd / "a.txt"
    file.write_text("one\ntwo\n")
    edit = step("edit_file", path="a.txt", old="two", new="2")
    model = place.script(edit, [{"text": "done"}])  # it begins anew, both times
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("edit")
        file.write_text("one, and more\ntwo\n")
        mark = driver.transcript().marks[0].n
        driver.send(Rewind(mark) if how == "rewind" else Clear())
        driver.turn("edit again")
        assert driver.all(ToolEnded)[-1].tag == "ok"


def test_what_is_learnt_meanwhile_is_hidden(tmp_path: Path) -> None:
    place = workplace(tmp_path, lambda _: None)
    lines = ("+hunter2hunter2", *(f"+{number}" for number in range(300)))
    shown = DiffDisplay("a.txt", (Hunk(1, 1, lines),))
    first = place.scrub_display(shown)
    assert first.hunks[0].lines == lines and place.scrub_display(shown) is first
    place.learn_more(["hunter2hunter2"])
    assert "hunter2" not in str(place.scrub_display(shown))
    assert "hunter2" not in str(place.scrub_display(first))


@pytest.mark.parametrize("cancels", [1, 2])
def test_a_change_whose_call_is_cancelled_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cancels: int
) -> None:
    told: list[Event] = []
    file, write = tmp_path.resolve() / "a.txt", file_access.atomic_write
    writes, goes_on = threading.Event(), threading.Event()

    def slow(path: Path, data: bytes, **how: Any) -> None:
        writes.set()
        goes_on.wait(20)
        write(path, data, **how)

    monkeypatch.setattr(file_access, "atomic_write", slow)

    async def scenario() -> None:
        context = CallContext(workplace(tmp_path.resolve(), told.append), "c", frozenset({file}))
        arguments = create_file.CreateFile(path="a.txt", content="x\n")
        running = asyncio.ensure_future(create_file.TOOL.run(arguments, context))
        await asyncio.to_thread(writes.wait, 20)
        for _ in range(cancels):
            running.cancel()
            await asyncio.sleep(0)
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        while not any(isinstance(event, FileChanged) for event in told):
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(scenario(), 60))
    assert [event.path for event in told if isinstance(event, FileChanged)] == [str(file)]
    assert file.read_text() == "x\n"
