"""`/permissions`: what runs without a question, the rules of the settings, and what was denied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.present.wording import time_ago
from agent_tui.protocol.answers import DeniedCall, PermissionStatus
from agent_tui.protocol.ops import AllowOnce, RevokePermission
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

ALLOWED: Final = "allowed:"
DENIED: Final = "denied:"
"""How the ids of rows begin that something can be done with."""
PROJECT: Final = "project"
MEANS: Final = {
    "allow": "Runs without a question, except what is on the hard list or leads outside.",
    "ask": "Asks in every mode.",
    "deny": "Is denied in every mode.",
}


def _rows(model: Model, __: Overlay) -> Iterator[Entry]:
    known = model.transcript.answers.permissions
    if known is None:
        return
    for one in known.session:
        where = f"Only in {one.folder}. " if one.folder else ""
        about = f"{where}You allowed it for this session."
        yield Entry(f"{ALLOWED}{one.id}", one_line(one.text), "", about, "Allowed in this session")
    for one in known.folder:
        about = f"Only in {one.folder}. You allowed it there for good, in every session."
        yield Entry(f"{ALLOWED}{one.id}", one_line(one.text), "", about, "Allowed in this folder")
    for one in known.lapsed:
        about = f"Another folder is at {one.folder} now than the one in which you allowed it."
        yield Entry(f"{ALLOWED}{one.id}", one_line(one.text), "", about, "Holds no longer")
    for call in known.denied:
        yield _denied(call, model.at)
    for number, rule in enumerate(known.settings):
        yield _own(rule, number)
    if known.project:
        folder, _, how = known.project.rpartition(": ")
        about = "Settings, instructions and skills of a project are used once you trust them."
        yield Entry(PROJECT, one_line(how), "", f"{folder}. {about}", "This project")


def _denied(call: DeniedCall, at: float) -> Entry:
    about = f"{'Why it asked' if call.may_retry else 'Why it was denied'}: {call.reason}."
    about += " Enter allows it once and sends the model a prompt." if call.may_retry else ""
    id = f"{DENIED}{call.call_id}" if call.may_retry else f"blocked:{call.call_id}"
    return Entry(id, one_line(call.label), time_ago(at - call.at), about, "Denied")


def _own(rule: PermissionStatus, number: int) -> Entry:
    about = f"{MEANS[rule.kind]} It stands in your settings file."
    return Entry(f"own:{number}", one_line(rule.text), rule.kind, about, "Your settings")


def _is(kind: str, row: Entry) -> bool:
    return row.id.startswith(kind)


def _revoke(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, RevokePermission(row.id.removeprefix(ALLOWED)))


def _retry(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, AllowOnce(row.id.removeprefix(DENIED)))


def _explain(model: Model, _: Overlay, row: Entry) -> Step:
    own = row.id.startswith("own:")
    if row.id == PROJECT:
        return commands.find("trust").run(model, "")
    return toast(model, "change it in your settings file" if own else "it cannot be allowed here")


@command(argument="[search]", rank=53)
def permissions(model: Model, args: str) -> Step:
    """List what runs without a question, what was denied, and your rules. Enter takes back what you
    allowed in this session or folder, or allows once what was denied."""
    return open_sheet(model, "permissions", args)


SHEET: Final = Sheet(
    "Permissions",
    _rows,
    (
        Action("revoke", TAKES, "revoke", _revoke, lambda _, __, row: _is(ALLOWED, row)),
        Action(
            "retry", TAKES, "allow once", _retry, lambda _, __, row: _is(DENIED, row), careful=True
        ),
        Action(
            "explain",
            TAKES,
            "explain",
            _explain,
            lambda _, __, row: not _is(ALLOWED, row) and not _is(DENIED, row),
            hidden=True,
            closes=False,
        ),
    ),
    (permissions,),
    query="permissions",
    about_lines=2,
    refreshes=True,
    read_first=0.5,
)
