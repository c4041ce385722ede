"""`/doctor`: what was looked at, what is wrong first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import Check
from agent_tui.structures.tone import Tone
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import sheet_room
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

WRONG: Final = "bad"
MARGIN: Final = 2
"""Cells before a row."""
MARKS: Final[Mapping[str, tuple[str, Tone]]] = {
    "ok": ("✓", "normal"),
    "note": ("·", "dim"),
    WRONG: ("✗", "bad"),
}


def _checks(model: Model) -> tuple[Check, ...]:
    found = model.transcript.answers.doctor
    return found.checks if found is not None else ()


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """Each check; those that found something wrong stand in front, under a name of their own."""
    found = list(enumerate(_checks(model)))
    for wrong in (True, False):
        for number, one in found:
            if (one.state == WRONG) == wrong:
                (mark, tone), said, fix = MARKS[one.state], one.said, one.fix
                group = "To fix" if wrong else one.area.capitalize()
                label = f"{mark} {one.area}: {said}" if wrong else f"{mark} {said}"
                about = _both(one)
                if fix and wrong:  # what its row says whole need not stand there twice
                    cut = len(label) > sheet_room(model.width, True) - MARGIN
                    about = f"To fix it: {fix}{f' ({said})' if cut else ''}"
                yield Entry(str(number), label, "", about, group, tone)


def _both(one: Check) -> str:
    return "; ".join(filter(None, (one.said, one.fix)))


def _note(model: Model, overlay: Overlay) -> str:
    """How it stands, in words; empty: nothing was told yet."""
    found = _checks(model)
    wrong = sum(one.state == WRONG for one in found)
    if overlay.query or not found:
        return ""
    return f"{count(wrong, 'problem')} to fix" if wrong else "no problems"


def _copy(model: Model, overlay: Overlay, _: Entry) -> Step:
    rows = (
        overlay.picker.entries if overlay.picker is not None else ()
    )  # all, whatever is looked for
    found = [_checks(model)[int(one.id)] for one in rows]
    return model, (Copy("\n".join(f"{MARKS[one.state][0]} {_both(one)}" for one in found)),)


@command(argument="[search]", rank=59)
def doctor(model: Model, args: str) -> Step:
    """Check settings, servers, keys, terminal, commands and files, and say how to fix what is
    wrong. Enter copies all of it, F5 checks again."""
    return open_sheet(model, "doctor", args)


SHEET: Final = Sheet(
    "Doctor",
    _rows,
    (Action("copy", TAKES, "copy all", _copy),),
    (doctor,),
    query="doctor",
    about_lines=4,
    about_small=4,
    note=_note,
    refreshes=True,
)
