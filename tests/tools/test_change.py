"""What a person said yes to is what is written, or nothing: saves, links and other files that came
in between."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.safety import file_access
from agent_tui.tools import create_file, edit_file
from agent_tui.tools.base import Planned, Stale, Tool, ToolFailure
from tests.tools.context import Context, call

TRIALS = int(os.environ.get("AGENT_TUI_SAVES", "150"))


def plan(tool: Tool[Any], context: Context, **arguments: Any) -> Planned:
    assert tool.plan is not None
    return asyncio.run(tool.plan(tool.arguments.model_validate(arguments), context))


def is_current(planned: Planned) -> bool:
    assert planned.is_current is not None
    return asyncio.run(planned.is_current())


def apply(planned: Planned) -> str:
    return asyncio.run(planned.apply()).content


def edit(context: Context, **more: Any) -> Planned:
    return plan(edit_file.TOOL, context, path="a.txt", old="max = 1", new="max = 2", **more)


def save_in_place(path: Path, text: str) -> None:
    path.write_text(text)


def save_in_pieces(path: Path, text: str) -> None:
    """As an editor on a slow disk: the file is empty, then half of it is there, then all."""
    with path.open("w") as file:
        for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
            file.write(piece)
            file.flush()
            time.sleep(0)


def save_beside(path: Path, text: str) -> None:
    """As most editors: a new file takes the place of the old one."""
    scratch = path.with_name(f"{path.name}~")
    scratch.write_text(text)
    scratch.replace(path)


SAVES = (save_in_place, save_in_pieces, save_beside)


@pytest.mark.parametrize("save", SAVES)
def test_no_save_is_lost_whenever_it_comes(
    tmp_path: Path, save: Callable[[Path, str], None]
) -> None:
    """The save is of the same length as the file was: its content tells, not its size."""
    chance, file, outcomes = random.Random(save.__name__), tmp_path / "a.txt", {True: 0, False: 0}
    for trial in range(TRIALS):
        file.write_text("max = 1\nmine 0\n")
        planned = edit(Context(tmp_path))
        mine, began = f"max = 1\nmine {trial % 9 + 1}\n", threading.Event()

        def person(
            text: str = mine, wait: float = chance.choice((0, 0.0003, 0.001)), go: Any = began
        ) -> None:
            go.wait()
            time.sleep(wait)
            save(file, text)

        writer = threading.Thread(target=person)
        writer.start()
        began.set()
        time.sleep(chance.choice((0, 0.0002, 0.0006)))
        try:
            apply(planned)
        except Stale:
            outcomes[False] += 1
        else:
            outcomes[True] += 1
        writer.join()
        assert file.read_text() == mine, f"trial {trial}: the save was lost"
    assert {path.name for path in tmp_path.iterdir()} <= {"a.txt"}
    assert outcomes[False], "no save came in between"


def test_a_save_between_the_question_and_the_yes_makes_it_stale(tmp_path: Path) -> None:
    file, context = tmp_path / "a.txt", Context(tmp_path)
    file.write_text("max = 1\n")
    planned = edit(context)
    assert is_current(planned)
    file.write_text("max = 1\n# mine\n")
    assert not is_current(planned)
    with pytest.raises(Stale) as caught:
        apply(planned)
    assert (caught.value.tag, file.read_text(), context.changes) == (
        "stale",
        "max = 1\n# mine\n",
        [],
    )


def test_what_was_shown_for_one_place_changes_one_place(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("max = 1\n")
    planned = edit(Context(tmp_path), replace_all=True)
    file.write_text("max = 1\nmax = 10\nmax = 1\n")
    with pytest.raises(Stale):
        apply(planned)
    assert file.read_text() == "max = 1\nmax = 10\nmax = 1\n"


def test_a_file_that_is_only_touched_is_the_same_and_keeps_its_new_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("max = 1\n")
    planned = edit(Context(tmp_path))
    file.write_text("max = 1\n")
    file.chmod(0o640)
    assert is_current(planned)
    apply(planned)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("max = 2\n", 0o640)


def test_a_program_that_has_the_file_open_for_writing_keeps_it(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("max = 1\n")
    planned = edit(Context(tmp_path))
    with file.open("a") as log:
        with pytest.raises(Stale):
            apply(planned)
        log.write("later\n")
    assert file.read_text() == "max = 1\nlater\n"


def test_a_new_file_never_replaces_one_that_came_in_between(tmp_path: Path) -> None:
    planned = plan(create_file.TOOL, Context(tmp_path), path="new/a.txt", content="theirs\n")
    assert is_current(planned)
    (tmp_path / "new").mkdir()
    (tmp_path / "new/a.txt").write_text("mine\n")
    assert not is_current(planned)
    with pytest.raises(Stale):
        apply(planned)
    assert (tmp_path / "new/a.txt").read_text() == "mine\n"


def swap_for_a_link(file: Path, elsewhere: Path) -> None:
    file.unlink()
    file.symlink_to(elsewhere / file.name)


def swap_for_a_hard_link(file: Path, elsewhere: Path) -> None:
    file.unlink()
    file.hardlink_to(elsewhere / file.name)


def swap_its_folder(file: Path, elsewhere: Path) -> None:
    file.parent.rename(file.parent.with_name("gone"))
    file.parent.symlink_to(elsewhere)


@pytest.mark.parametrize("swap", [swap_for_a_link, swap_for_a_hard_link, swap_its_folder])
def test_another_file_at_the_place_is_not_written(
    tmp_path: Path, swap: Callable[[Path, Path], None]
) -> None:
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    (work / "in").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "a.txt").write_text("max = 1 of another\n")
    (work / "in/a.txt").write_text("max = 1\n")
    planned = plan(edit_file.TOOL, Context(work), path="in/a.txt", old="max = 1", new="max = 2")
    swap(work / "in/a.txt", elsewhere)
    assert not is_current(planned)
    with pytest.raises(ToolFailure):
        apply(planned)
    assert (elsewhere / "a.txt").read_text() == "max = 1 of another\n"


def test_no_folder_is_made_behind_a_link_that_came_later(tmp_path: Path) -> None:
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    work.mkdir()
    elsewhere.mkdir()
    planned = plan(create_file.TOOL, Context(work), path="in/deep/a.txt", content="x")
    (work / "in").symlink_to(elsewhere)
    with pytest.raises(ToolFailure):
        apply(planned)
    assert list(elsewhere.iterdir()) == []


def test_where_nobody_was_asked_it_is_worked_out_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person saves after it was worked out and before it is written, by a hair."""
    file, context = tmp_path / "a.txt", Context(tmp_path)
    file.write_text("max = 1\n")
    write, saves = file_access.atomic_write, iter(["# mine\nmax = 1\n"])

    def late(path: Path, data: bytes, **how: Any) -> None:
        for text in saves:
            file.write_text(text)
        write(path, data, **how)

    monkeypatch.setattr(file_access, "atomic_write", late)
    assert call(edit_file.TOOL, context, path="a.txt", old="max = 1", new="max = 2").tag == "ok"
    assert file.read_text() == "# mine\nmax = 2\n"
    assert context.checkpoints[context.changes[0].before] == b"# mine\nmax = 1\n"
