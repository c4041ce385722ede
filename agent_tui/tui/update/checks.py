"""The list of `/doctor`: what was looked at, what is wrong first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.protocol.answers import Check
from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.regions import Tone
from agent_tui.tui.wording import count

WRONG: Final = "bad"
MARKS: Final[Mapping[str, tuple[str, Tone]]] = {"ok": ("✓", "normal"), "note": ("·", "dim"), WRONG: ("✗", "bad")}


def _checks(model: Model) -> tuple[Check, ...]:
    found = model.transcript.answers.doctor
    return found.checks if found is not None else ()


def entries(model: Model) -> Iterator[Entry]:
    """Each check; those that found something wrong stand in front, under a name of their own."""
    found = list(enumerate(_checks(model)))
    for wrong in (True, False):
        for number, one in found:
            if (one.state == WRONG) == wrong:
                (mark, tone), said, fix = MARKS[one.state], one.said, one.fix
                about = f"To fix it: {fix} ({said})" if fix and wrong else "; ".join(filter(None, (said, fix)))
                group = "To fix" if wrong else one.area.capitalize()
                label = f"{mark} {one.area}: {said}" if wrong else f"{mark} {said}"
                yield Entry(str(number), label, "", about, group, tone)


def note(model: Model) -> str:
    """How it stands, in words; empty: nothing was told yet."""
    found = _checks(model)
    wrong = sum(one.state == WRONG for one in found)
    return "" if not found else f"{count(wrong, 'problem')} to fix" if wrong else "no problems"


def copied(picker: Picker) -> str:
    """The list as text."""
    return "\n".join(f"{one.label[:1]} {one.about}" for one in picker.shown)
