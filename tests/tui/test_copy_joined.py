"""A part of a line with joined pictures is selected and copied in whole ones, however the line is
drawn."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.structures.visible import harmless
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.source_map import forms
from tests.tui.test_transcript_select import selected
from tests.tui.transcript_stage import Screen, rows_of, run

FAMILY, TECHNICIAN, PLANE = "👨\u200d👩\u200d👧", "👩🏽\u200d💻", "✈\ufe0f"
FLAG, KEY = "🇯🇵", "1\ufe0f\u20e3"
SAID = f"The **family** {FAMILY} and the `technician` {TECHNICIAN} fly {PLANE} to {FLAG} as number {KEY} of *all*.\n"
DRAWN = "👨👩👧"


def chosen(
    block: Block, first: str, last: str, size: tuple[int, int] = (100, 22)
) -> tuple[str, list[str]]:
    """What is copied and what is marked of `block`, from the first character of `first` to the last
    of `last`."""
    found: list[tuple[str, list[str]]] = []

    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        rows = rows_of(app.transcript)
        y, line = next((y, row) for y, row in enumerate(rows) if first in row)
        below, end = next((y, row) for y, row in enumerate(rows) if last in row)
        selection = Selection(
            Offset(line.index(first), y), Offset(end.index(last) + len(last), below)
        )
        app.screen.selections = {app.transcript: selection}
        await pilot.pause()
        copied = app.transcript.get_selection(selection)
        found.append((copied[0] if copied else "", selected(app)))

    run(TranscriptView(Vec([block]), ()), journey, size)
    return found[0]


@pytest.mark.parametrize(
    ("first", "last", "copied", "drawn"),
    [
        ("👩👧", "and", f"{FAMILY} and", f"{DRAWN} and"),
        ("👧", "the", f"{FAMILY} and the", f"{DRAWN} and the"),
        ("family", "👨", f"family {FAMILY}", f"family {DRAWN}"),
        ("technician", "👩💻", f"technician {TECHNICIAN}", "technician 👩💻"),
        ("fly", "✈", f"fly {PLANE}", "fly ✈"),
        ("P as", "as", f"{FLAG} as", "JP as"),
        ("number", "1", f"number {KEY}", "number 1\u20e3"),
        ("family", "and", f"family {FAMILY} and", f"family {DRAWN} and"),
    ],
)
def test_a_drag_over_markup_takes_no_picture_apart(
    first: str, last: str, copied: str, drawn: str
) -> None:
    assert chosen(TextBlock(SAID, head=True), first, last) == (copied, [drawn])


def test_a_line_of_the_person_and_of_an_output_too() -> None:
    assert chosen(UserBlock(f"see {FAMILY} there"), "see", "👨") == (
        f"see {FAMILY}",
        [f"see {DRAWN}"],
    )
    ran = CommandDisplay("make", output=f"see {FAMILY} there\n", exit_code=1)
    block = ToolBlock("1", "run", "Run make", "failed", display=ran)
    assert chosen(block, "👧", "there") == (f"{FAMILY} there", [f"{DRAWN} there"])


def test_what_is_broken_between_two_rows_is_joined_again() -> None:
    said = TextBlock(f"Some **words** {FAMILY * 12} end.\n", head=True)
    copied, _ = chosen(said, "words", "end", (40, 22))
    assert copied == f"words {FAMILY * 12} end"


def test_what_is_written_in_two_ways_stays_as_it_is_drawn() -> None:
    both = TextBlock(f"A **{FAMILY}** and {DRAWN} and JP and {FLAG} end.\n", head=True)
    assert not forms(both).written
    assert chosen(both, "A", "👧 and JP")[0].startswith(f"A {DRAWN} and {DRAWN}")
    assert chosen(both, "P and", "end")[0] == "P and JP end"


def test_a_mark_stays_with_its_letter() -> None:
    block = TextBlock("An **e\u0301t\u0323e\u0301** here.\n", head=True)
    drawn = forms(block)
    assert drawn.snap_range("e\u0301t\u0323e\u0301", 1, 3) == (0, 4)
    assert drawn.snap_range("e\u0301t\u0323e\u0301", 2, -1) == (2, -1)
    assert drawn.snap_range("e\u0301t", 3, 1) == (3, 1), "nothing is selected"


@pytest.mark.parametrize(
    "text",
    [FAMILY, TECHNICIAN, PLANE, FLAG, KEY, "👍🏽", "⚠\ufe0f", "👩\u200d💻", "❤\ufe0f\u200d🔥"],
)
def test_what_was_joined_once_is_not_joined_again(text: str) -> None:
    known = forms(TextBlock(f"One {text} here"))
    (drawn,) = known.written
    assert known.rejoin_text(f"see {drawn} and {drawn}") == f"see {text} and {text}"
    assert known.rejoin_text(f"see {text} and") == f"see {text} and"
    assert harmless(text) == text


def test_a_text_without_them_costs_nothing() -> None:
    assert forms(TextBlock("plain *words*")).pattern is None
    assert forms(TextBlock("日本語のことば、はい。")).pattern is None
