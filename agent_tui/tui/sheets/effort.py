"""`/effort`: how hard the model thinks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from agent_tui.protocol.ops import EFFORTS, SetEffort
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.sheets import TAKES, Action, Sheet

if TYPE_CHECKING:
    from agent_tui.protocol.answers import Efforts

AUTO: Final = "auto"
USUAL: Final = ("low", "medium", "high")
"""What the key goes through where nobody said which levels the model tells apart."""


@command(
    keys=("alt+t",), argument="[level]", choices=lambda _: (AUTO, *EFFORTS), has_list=True, rank=56
)
def effort(model: Model, args: str) -> Step:
    """Set how hard the model thinks: auto, none, minimal, low, medium, high, xhigh or max. It holds
    from the next request on. The key goes from auto through the levels that the model knows; the
    command without a level lists all. A model without such levels is not asked for one."""
    if args and args not in (AUTO, *EFFORTS):
        return toast(
            model, f"no effort {args!r}; there are: {', '.join((AUTO, *EFFORTS))}", "warning"
        )
    if not args and (why := _refusal(model)):
        return toast(model, why, "warning")
    goes, now = _cycle(model), model.transcript.effort
    after = goes[(goes.index(now) + 1) % len(goes)] if now in goes else ""
    wanted = ("" if args == AUTO else args) if args else after
    about = meanings(model).get(wanted or AUTO, "")
    about = "" if about == f"thinks with effort {wanted}" else about  # it is said already
    said = (
        f"effort {wanted or AUTO}: {about}" if about else f"effort: {wanted or 'the model decides'}"
    )
    return then(send(model, SetEffort(wanted)), toast(model, said))


def _told(model: Model) -> Efforts | None:
    """What the engine said of the model in use; None: nothing yet."""
    found = model.transcript.answers.efforts
    return found if found is not None and found.model == model.transcript.model else None


def takes_effort(model: Model) -> bool:
    """Whether the model can be told how hard to think; true where nobody knows."""
    told = _told(model)
    return told is None or bool(told.levels)


def _refusal(model: Model) -> str:
    """Why no effort can be chosen; empty: it can."""
    return "" if takes_effort(model) else "this model has no thinking effort"


def meanings(model: Model) -> dict[str, str]:
    """What each level comes to with the model in use; empty where nobody said."""
    told = _told(model)
    if told is None or not takes_effort(model):
        return {}
    return {AUTO: told.auto, **{one.level: one.about for one in told.levels}}


def _cycle(model: Model) -> tuple[str, ...]:
    told = _told(model)
    return ("", *(told.cycle if told is not None and told.cycle else USUAL))


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    now, known = model.transcript.effort or AUTO, meanings(model)
    for name in (AUTO, *EFFORTS):
        yield Entry(
            name,
            name,
            " · ".join(filter(None, (known.get(name, ""), "in use" if name == now else ""))),
        )


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    return effort.run(model, row.id)


SHEET: Final = Sheet(
    "Thinking effort",
    _rows,
    (Action("take", TAKES, "take", _take),),
    (effort,),
    broad=False,
    begin_on=lambda model: model.transcript.effort or AUTO,
    refuse=_refusal,
)
