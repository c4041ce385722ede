"""F1: all keys and commands. Its command is in `commands/help.py`: the footer names its key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.screen import key_help, palette_actions
from agent_tui.tui.screen.palette_actions import COMMAND
from agent_tui.tui.sheets import TAKES, Action, Sheet


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """First a card of the usual keys, in no group, then all others: each is said once."""
    prompt = list(key_help.prompt_rows())
    more = {keys: about for keys, _, about in prompt}
    for name, key, what in key_help.CARD:
        if keys := key or _keys(model, name):
            about = commands.find(name).help if name else more.get(key, "")
            yield Entry(f"{COMMAND}{name}" if name else "", keys, what, about)
    usual = {name or key for name, key, _ in key_help.CARD}
    for one in commands.COMMANDS:
        if one.name not in usual and (keys := _keys(model, one.name)):
            yield Entry(f"{COMMAND}{one.name}", keys, one.summary, one.help, "Other keys")
    others = (
        ("Keys in the prompt", (row for row in prompt if row[0] not in usual)),
        ("Keys in the prompt, with /vim", key_help.VIM if model.vim else ()),
        ("Keys when the agent asks", key_help.asked_rows()),
    )
    for group, rows in others:
        for keys, what, about in rows:
            yield Entry("", keys, what, about, group)
    for one in commands.COMMANDS:
        if one.slash:
            called = f"/{one.name} {one.argument}".rstrip()
            yield Entry(f"{COMMAND}{one.name}", called, one.summary, one.help, "Commands")


def _keys(model: Model, name: str) -> str:
    return " ".join(map(key_name, commands.keys_of(name, model.keys)))


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return palette_actions.run(model, row.id)


def _is_command(_: Model, __: Overlay, row: Entry) -> bool:
    """A row may only tell of a key that no command has."""
    return bool(row.id)


SHEET: Final = Sheet(
    "Keys and commands",
    _rows,
    (Action("run", TAKES, "run", _run, _is_command),),
    about_lines=2,
    lists_keys=True,
    says_all=lambda row: not row.group,  # the card of the usual keys, which fills a small screen
)
