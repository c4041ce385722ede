"""What holds for every sheet: it stands in one file that nobody else names, and one controller
moves in all of them."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import agent_tui
from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import AsideDelta, QueueChanged, TodoChanged
from agent_tui.protocol.transcript import Queued
from agent_tui.tui import commands, sheets
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import KeyPressed, Pasted
from agent_tui.tui.sheets import cursor, draw, opening
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.play import Play

PACKAGE = Path(agent_tui.__file__).parent
FOLDER = PACKAGE / "tui" / "sheets"


def opened(kind: str) -> Model | None:
    """The sheet `kind` over a session with something of everything; None: there is nothing to show."""
    play = Play()
    play.begin("work")
    play.say(Pasted("line\n" * 60))
    queued = tuple(Queued(str(number), f"prompt {number}") for number in range(12))
    todos = tuple(TodoItem(f"item {number}", "open") for number in range(60))
    play.feed(QueueChanged(items=queued, session="s"), TodoChanged(todos, session="s"))
    private = {"command": "ls", "output": "line\n" * 60, "said": "exit code 0"}
    play.feed(answer_event("x", "private", private, session="s"))
    play.model = replace(play.model, overlay=None)
    if kind == "btw":
        play.model, _ = commands.find("btw").run(play.model, "why?")
        assert play.model.aside is not None
        play.feed(AsideDelta(play.model.aside.id, "line\n\n" * 60))
        return play.model
    note = play.model.composer.chips[0].label if kind == "paste" else ""
    model, _ = opening.open_sheet(play.model, kind, note=note)
    return model if model.overlay is not None and model.overlay.kind == kind else None


def pressed(model: Model, key: str, asked: tuple[int, int] = (0, 0)) -> Model:
    at = model.at + 1.0
    return update(model, KeyPressed(key, draft=model.composer.draft, asked=asked, at=at))[0]


def place(model: Model) -> tuple[int, int]:
    """Where the cursor is, and how far is read."""
    assert model.overlay is not None
    picker = model.overlay.picker
    return picker.at if picker is not None else 0, model.overlay.scroll


def rows(kind: str) -> int:
    """How many rows there are in the list of the sheet."""
    model = opened(kind)
    picker = model.overlay.picker if model is not None and model.overlay is not None else None
    return len(picker.shown) if picker is not None else 0


LISTS = [kind for kind in sheets.names() if rows(kind) > 1]
READ = ["btw", "paste", "private", "todo"]


def test_there_are_lists_and_sheets_that_are_read() -> None:
    assert len(LISTS) >= 8 and all(opened(kind) is not None for kind in READ)


@pytest.mark.parametrize("kind", LISTS)
def test_the_cursor_goes_round_and_home_and_end_are_its_ends(kind: str) -> None:
    model = opened(kind)
    assert model is not None and model.overlay is not None and model.overlay.picker is not None
    last = len(model.overlay.picker.shown) - 1
    model = pressed(model, "home")
    assert place(model)[0] == 0
    assert (
        place(pressed(model, "up"))[0] == last
        and place(pressed(pressed(model, "up"), "down"))[0] == 0
    )
    assert place(pressed(model, "end"))[0] == last
    for _ in range(40):
        model = pressed(model, "pagedown")
    assert place(model)[0] == last and place(pressed(model, "pageup"))[0] == max(
        0, last - cursor.PAGE
    )
    assert place(pressed(model, "wheelup"))[0] == max(0, last - cursor.NOTCH)


@pytest.mark.parametrize("kind", READ)
def test_what_is_read_ends_at_its_last_line(kind: str) -> None:
    model, part = opened(kind), (10, 61)
    assert model is not None
    for _ in range(random.Random(kind).randint(7, 20)):
        model = pressed(model, "pagedown", part)
    assert place(model)[1] == 51
    assert place(pressed(model, "pageup", part))[1] == 41, "the first PgUp moves"
    assert (
        place(pressed(model, "up", part))[1] == 50
        and place(pressed(model, "wheelup", part))[1] == 48
    )
    assert place(pressed(model, "home", part))[1] == 0
    assert place(pressed(pressed(model, "home", part), "end", part))[1] == 51


@pytest.mark.parametrize("kind", [*LISTS, *READ])
def test_every_sheet_closes_and_has_a_title_a_footer_and_keys(kind: str) -> None:
    model = opened(kind)
    assert model is not None and model.overlay is not None
    view = draw.sheet_view(model, model.overlay)
    keys = draw.sheet_footer(model, model.overlay).keys
    assert view.title and keys[-1][0] == "Esc" and "Esc" not in view.note
    for _ in range(3):
        model = pressed(model, "escape")
    assert model.overlay is None or model.overlay.kind == "first_run"


def test_no_file_outside_names_a_sheet() -> None:
    """But for the command of the same name, which stands apart where the first frame names its key."""
    kinds, found = set(sheets.names()), list[str]()
    for path in PACKAGE.rglob("*.py"):
        if path.parent == FOLDER:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "agent_tui.tui.sheets"
            ):
                names = {
                    (node.module or "").rpartition(".")[2],
                    *(alias.name for alias in node.names),
                }
                found += [f"{path.name}: imports {name}" for name in names & kinds]
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == "open_sheet"
            ):
                named = {arg.value for arg in node.args if isinstance(arg, ast.Constant)} & kinds
                if path.parent == PACKAGE / "tui" / "commands":
                    named -= {one.name for one in commands.of_file(path.stem)}
                found += [f"{path.name}: opens {name}" for name in named]
            if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith("overlay.kind"):
                found += [
                    f"{path.name}: asks for {ast.unparse(node)}"
                    for arg in node.comparators
                    if isinstance(arg, ast.Constant)
                ]
    assert found == []


DEMO = '''
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet
from agent_tui.tui.core.step import toast


def _rows(model, overlay):
    return (Entry("tea", "tea", "3.00"), Entry("jam", "jam", "4.50"))


def _copy(model, overlay, row):
    return model, (Copy(row.label),)


def _drop(model, overlay, row):
    return toast(model, f"{row.label} is dropped")


def _count(model, overlay, row):
    return toast(model, "two goods")


@command(argument="[search]", rank=70)
def goods(model, args):
    """List the goods. Enter copies a name."""
    return open_sheet(model, "goods", args)


SHEET = Sheet(
    "Goods", _rows,
    (
        Action("copy", TAKES, "copy", _copy),
        Action(
            "drop", ("delete",), "drop", _drop, closes=False, typed="d",
            confirm=lambda row: f"Drop {row.label}? Enter drops it.",
        ),
        Action("count", ("f7",), "count", _count, needs_row=False, closes=False, typed="c"),
    ),
    (goods,),
)
'''


def test_a_sheet_is_one_file(tmp_path: Path) -> None:
    """With a list and three actions, on the screen, in the footer, in the help and in line mode."""
    code = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "import agent_tui.tui.sheets as sheets\n"
        f"sheets.__path__.append({str(tmp_path)!r})\n"
        "from agent_tui.tui.linear.sheets import intents, sheet_lines\n"
        "from tests.tui.play import Play\n"
        "from tests.tui.lists import labels, sheet\n"
        "play = Play()\n"
        "play.type('/goods'); play.press('escape', 'enter')\n"
        "assert labels(play) == ['tea', 'jam'] and sheet(play).title == 'Goods'\n"
        "keys = dict(play.view.footer.keys)\n"
        "assert (keys['Enter'], keys['Del'], keys['F7']) == ('copy', 'drop', 'count'), keys\n"
        "lines = sheet_lines(play.model, play.model.overlay)\n"
        "assert lines[1:3] == ['1: tea, 3.00', '2: jam, 4.50'], lines\n"
        "assert 'd and a number to drop, c (count), words to search' in lines[-1], lines\n"
        "for wanted in intents(play.model, play.model.overlay, 'd 2'): play.say(wanted)\n"
        "play.press('enter'); assert play.toast == 'jam is dropped', play.toast\n"
        "play.press('f7'); assert play.toast == 'two goods'\n"
        "play.press('escape', 'f1', *'goods')\n"
        "assert any('goods' in label for label in labels(play)), labels(play)\n"
    )
    (tmp_path / "goods.py").write_text(DEMO, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
