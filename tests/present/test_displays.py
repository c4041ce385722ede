"""A result is presented by one function, and all who show it draw on that."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from rich.cells import cell_len

import agent_tui
from agent_tui.present import plain
from agent_tui.present import texts as search
from agent_tui.present.displays import KINDS, kind_of, present
from agent_tui.present.parts import Item, Items, List
from agent_tui.protocol import display as d
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.sessions.export import export
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.transcript.blocks import block_lines
from agent_tui.tui.transcript.displays import display_lines
from tests.tui.asked import asked_lines
from tests.tui.test_copy_joined import chosen

PACKAGE = Path(agent_tui.__file__).parent
NEW = """
from agent_tui.present.displays import Presented, presents
from agent_tui.present.parts import Item, Items, List, Output, Run
from agent_tui.structures.frozen import frozen


@frozen
class WeatherDisplay:
    place: str
    days: tuple[tuple[str, int], ...]
    type: str = "weather"


@presents(WeatherDisplay, stays="begin")
def weather(display: WeatherDisplay) -> Presented:
    days = Items(display.days, lambda day: Item(f"{day[1]} degrees", "done", name=day[0], note="sunny"))
    return Presented((Output(f"In\\t{display.place}:"), List(days)), (Run(f"{len(display.days)} days"),))
"""


@pytest.fixture
def weather(tmp_path: Path) -> Iterator[Any]:
    """A module with a kind of result that nobody else knows of."""
    path = tmp_path / "weather_display.py"
    path.write_text(NEW, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module.WeatherDisplay("Köln", (("Monday", 21), ("Tuesday", 24)))
    del sys.modules[path.stem], KINDS[module.WeatherDisplay]


def ended(display: Any, tag: str = "ok", label: str = "Ask the sky") -> list[Event]:
    return [
        SessionStarted(session="s"),
        TurnStarted(prompt="How is it?", turn=1),
        ToolStarted(call_id="c", name="sky", label=label),
        ToolEnded(call_id="c", name="sky", label=label, content="", display=display, tag=tag),
        TurnEnded("completed"),
    ]


def tool_of(events: list[Event]) -> ToolBlock:
    (block,) = (row for row in fold(events).rows if isinstance(row, ToolBlock))
    return block


def drawn(block: ToolBlock, open: bool = False) -> list[str]:
    return [line.text.rstrip() for line in block_lines(block, 60, open, 0, cell_len)]


def test_every_result_is_presented() -> None:
    assert set(KINDS) == set(get_args(d.Display))


def test_a_new_result_is_one_function(weather: Any) -> None:
    events = ended(weather)
    block = tool_of(events)
    assert drawn(block) == [
        "⚙ Ask the sky  2 days",
        "  In      Köln:",
        "  ☑ Monday  sunny  21 degrees",
        "  ☑ Tuesday  sunny  24 degrees",
    ]
    assert plain.block_lines(block, DEFAULT, False) == [
        "Tool: Ask the sky, 2 days",
        "In\tKöln:",
        "Monday, sunny: done: 21 degrees",
        "Tuesday, sunny: done: 24 degrees",
    ]
    said = "In\tKöln:\nMonday  sunny  [x] 21 degrees\nTuesday  sunny  [x] 24 degrees"
    for form in ("md", "html"):
        assert said in export(events, form)  # type: ignore[arg-type]
    assert (
        search.block_text(block)
        == "Ask the sky\nIn\tKöln:\nMonday sunny 21 degrees\nTuesday sunny 24 degrees"
    )
    assert [source.text for source in search.sources(block)] == ["Ask the sky", "In\tKöln:"]
    assert chosen(block, "In", "Köln:")[0] == "In\tKöln:", "with the tab that it was written with"
    assert chosen(block, "Monday", "21")[0] == "Monday  sunny  21"


def test_one_that_is_asked_about_is_drawn_whole(weather: Any) -> None:
    asked = [line.text.rstrip() for line in asked_lines(weather, 60, cell_len, DEFAULT)]
    assert asked == [line.text.rstrip() for line in display_lines(weather, 60, True, cell_len)]
    assert not kind_of(weather).runs


def test_what_is_no_result_shows_nothing() -> None:
    assert present(None).parts == () and kind_of(None).stays == ""


def test_items_are_made_when_they_are_looked_at() -> None:
    made: list[int] = []

    def make(number: int) -> Item:
        made.append(number)
        return Item(str(number))

    entries = List(Items(range(100_000), make))
    assert len(entries.items) == 100_000 and not made
    assert [item.text for item in entries.items.first_items(3)] == ["0", "1", "2"]
    assert made == [0, 1, 2]


# -- what was refused

DIFF = d.DiffDisplay(
    "notes.md", added=1, removed=1, hunks=(d.Hunk(1, 1, (" one", "-two", "+zwei")),)
)
NO = d.TextDisplay("Error [denied]: the person said no: in English, please")


def refused(display: d.Display, label: str = "Edit notes.md") -> list[Event]:
    return [
        SessionStarted(session="s"),
        TurnStarted(prompt="go", turn=1),
        ApprovalAsked(id="a", call_id="c", tool="edit_file", label=label, display=display),
        ApprovalAnswered(id="a", choice="no", text="in English, please"),
        ToolEnded(call_id="c", name="edit_file", label=label, content="", display=NO, tag="denied"),
    ]


def test_a_refused_change_is_in_documents() -> None:
    document = export(refused(DIFF), "md")
    assert "<details><summary>Edit notes.md — denied</summary>" in document
    assert (
        "*not done*\n\n```diff\n--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n```"
        in document
    )
    page = export(refused(DIFF), "html")
    assert '<p class="remark dim">not done</p>' in page
    assert '<span class="gi">+zwei</span>' in page


def test_a_refused_change_is_in_line_mode() -> None:
    block = tool_of(refused(DIFF))
    said = [
        "Tool: Edit notes.md, denied",
        "you said no: in English, please",
        "Not done:",
        "Diff of notes.md: 1 line added, 1 removed",
        "At line 1:",
        " one",
        "-two",
        "+zwei",
    ]
    assert plain.block_lines(block, DEFAULT, False) == said
    assert plain.tool_lines(block, DEFAULT, False, known=True) == said[:2], (
        "the question has said it"
    )
    assert plain.tool_lines(block, DEFAULT, True, known=True) == said


def test_words_given_with_a_yes_stand_where_those_of_a_no_do() -> None:
    result = d.CommandDisplay("make", output="built", exit_code=0)
    events: list[Event] = [
        SessionStarted(session="s"),
        TurnStarted(prompt="go", turn=1),
        ApprovalAsked(id="a", call_id="c", tool="t", label="Run make"),
        ApprovalAnswered(id="a", choice="once", text="please use the venv"),
        ToolStarted(call_id="c", name="t", label="Run make", note="allowed once"),
        ToolEnded("c", "t", "Run make", "", result),
    ]
    block, said = tool_of(events), "you said yes: please use the venv"
    for expanded in (False, True):
        lines = plain.block_lines(block, DEFAULT, expanded)
        assert lines[0] == "Tool: Run make, exit code 0, allowed once" and lines[1] == said
    assert said in export(events, "md") and said in export(events, "html")
    assert said in search.block_text(block)


def test_a_refused_command_is_shown_where_its_label_is_cut() -> None:
    command = "echo " + "word " * 40 + "end"
    long = refused(d.CommandDisplay(command), f"Run {command[:90]} …")
    assert f"*not done*\n\n```bash\n{command}\n```" in export(long, "md")
    assert f"$ {command}" in plain.block_lines(tool_of(long), DEFAULT, False)
    assert "not done" not in export(refused(d.CommandDisplay("ls"), "Run ls"), "md")


# -- who knows the kinds of results


def test_no_front_end_knows_the_kinds_of_results() -> None:
    """But for the shape of a diff, which is drawn line by line."""
    kinds = {kind.__name__ for kind in get_args(d.Display)} - {"DiffDisplay"}
    places = [*PACKAGE.glob("tui/**/*.py"), *PACKAGE.glob("sessions/*.py"), PACKAGE / "headless.py"]
    places += [path for path in PACKAGE.glob("present/*.py") if path.name != "displays.py"]
    assert len(places) > 100
    for path in places:
        words = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
        assert not words & kinds, (path.name, words & kinds)
