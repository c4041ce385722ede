"""Ctrl+P: any command, skill or setting. Its command is in `commands/palette.py`: the footer names
its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.settings.values import words
from agent_tui.tui import commands
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.core.effects import ReadSettings
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.screen import palette_actions, settings
from agent_tui.tui.screen.palette_actions import COMMAND, SETTING, SKILL
from agent_tui.tui.sheets import TAKES, Action, Sheet

RECENT: Final = 5


def _rows(model: Model, _: Overlay) -> tuple[Entry, ...]:
    found = (*_commands(model), *_skills(model), *_settings(model))
    by_id = {entry.id: entry for entry in found}
    recent = [by_id[id] for id in model.recent_actions if id in by_id][:RECENT]
    first = tuple(replace(one, group="Used last") for one in recent)
    return (*first, *(entry for entry in found if entry not in recent))


def _commands(model: Model) -> Iterator[Entry]:
    for command in sorted(commands.COMMANDS, key=lambda one: not one.slash):
        if command.name != "palette":
            label, group = (
                (f"/{command.name}", "Commands") if command.slash else (command.name, "Keys")
            )
            yield Entry(
                f"{COMMAND}{command.name}",
                label,
                command.summary,
                command.help,
                group,
                value=_key(model, command),
            )


def _key(model: Model, command: Command) -> str:
    keys = commands.keys_of(command.name, model.keys)
    return key_name(keys[0]) if keys else ""


def _skills(model: Model) -> Iterator[Entry]:
    for one in palette_actions.skill_rows(model):
        yield Entry(f"{SKILL}{one.id}", one.label, one.detail, one.about, "Skills")


def _settings(model: Model) -> Iterator[Entry]:
    for one in settings.all_entries():
        if not one.key.startswith("keys."):
            now = words(settings.value_of(model, one).value) or "not set"
            does = f"is {now}; Enter switches it" if palette_actions.is_switch(one) else f"is {now}"
            shown = (
                does
                if model.configured.values and one.kind.form != "secret"
                else "show and change it"
            )
            yield Entry(f"{SETTING}{one.key}", one.key, shown, one.about, "Settings")


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return palette_actions.run(model, row.id)


SHEET: Final = Sheet(
    "Commands", _rows, (Action("run", TAKES, "run", _run),), reads=(ReadSettings(),), about_lines=2
)
