"""Sessions as rows of a list, and opening one of them."""

from __future__ import annotations

from typing import Final

from agent_tui.present.wording import ago, count
from agent_tui.protocol.answers import Summary
from agent_tui.protocol.ops import Resume
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry
from agent_tui.tui.update.step import Step, send, toast

UNUSED: Final = "nothing said yet"
BUSY: Final = "Esc interrupts the running turn first"


def known(model: Model) -> tuple[Summary, ...]:
    """The sessions that the engine told of."""
    found = model.transcript.answers.sessions
    return found.sessions if found is not None else ()


def name_of(one: Summary) -> str:
    """What a session is called; its id, where turns are all that is known of it."""
    return one.title or (one.id if one.turns else UNUSED)


def session_row(model: Model, one: Summary, with_folder: bool = False, snippet: str = "", group: str = "") -> Entry:
    """`snippet` is what was found in its text."""
    here = model.started and one.id == model.active and not model.transcript.reading
    said = (
        "open now" if here else "open in another window" if one.elsewhere else "",
        ago(model.at - one.at) if model.at else "",
        "" if snippet else count(one.turns, "turn"),
        "a fork" if one.parent and not snippet else "",
        count(one.labels, "label") if one.labels and not snippet else "",
        snippet or (one.cwd if with_folder else ""),
    )
    return Entry(one.id, name_of(one), " · ".join(filter(None, said)), one.model, group)


def open_row(model: Model, _: Overlay, row: Entry) -> Step:
    """Open the session of a row; an empty id: a new one."""
    if not model.started:
        return send(model, Resume(row.id))
    if model.busy:
        return toast(model, BUSY, "warning")
    here = row.id == model.active and not model.transcript.reading  # what is read along can be opened once it is free
    return toast(model, "this session is already open") if here else send(model, Resume(row.id))
