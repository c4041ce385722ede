"""The list of `/doctor`: what was looked at, what is wrong first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.regions import Tone
from agent_tui.tui.update.session_lists import listed
from agent_tui.tui.wording import count

WRONG: Final = "bad"
MARKS: Final[Mapping[str, tuple[str, Tone]]] = {"ok": ("✓", "normal"), "note": ("·", "dim"), WRONG: ("✗", "bad")}


def _checks(model: Model) -> list[Mapping[str, Any]]:
    return listed(model.transcript.answers.get("doctor"), "checks")


def entries(model: Model) -> Iterator[Entry]:
    """Each check; those that found something wrong stand in front, under a name of their own."""
    found = list(enumerate(_checks(model)))
    for wrong in (True, False):
        for number, one in found:
            if (one.get("state") == WRONG) == wrong:
                area, said, fix = (str(one.get(name, "")) for name in ("area", "said", "fix"))
                mark, tone = MARKS.get(str(one.get("state")), MARKS["note"])
                about = f"To mend it: {fix} ({said})" if fix and wrong else "; ".join(filter(None, (said, fix)))
                group = "To mend" if wrong else area.capitalize()
                label = f"{mark} {area}: {said}" if wrong else f"{mark} {said}"
                yield Entry(str(number), label, "", about, group, tone)


def note(model: Model) -> str:
    """How it stands, in words; empty: nothing was told yet."""
    found = _checks(model)
    wrong = sum(one.get("state") == WRONG for one in found)
    return "" if not found else f"{count(wrong, 'thing')} to mend" if wrong else "nothing is wrong"


def copied(picker: Picker) -> str:
    """The list as text."""
    return "\n".join(f"{one.label[:1]} {one.about}" for one in picker.shown)
