"""Ctrl+P: any command, skill or setting, each as `kind:name`. Its command is in
`commands/search.py`: the footer names its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.settings.values import Setting, parse_typed, words
from agent_tui.tui import commands
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.core.effects import ReadSettings, WriteSetting
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import completion, composer, submit
from agent_tui.tui.screen import settings
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

COMMAND: Final = "command:"
SKILL: Final = "skill:"
SETTING: Final = "setting:"


def skill_rows(model: Model) -> Iterator[Entry]:
    for skill in completion.skills(model.transcript.answers) or ():
        called, about = f"/{skill.name} {completion.skill_hint(skill)}".rstrip(), skill.description
        yield Entry(
            skill.name,
            called,
            about,
            f"{about} ({skill.source})" if skill.source else about,
            skill.source,
        )


def is_switch(setting: Setting) -> bool:
    """Whether Enter can go to the other value at once."""
    return len(setting.kind.choices) == 2


def run(model: Model, id: str) -> Step:
    """Do what the palette calls `id`; what it needs to know is asked for in the prompt."""
    model = model.with_used(id)
    kind, _, name = id.partition(":")
    if f"{kind}:" == SETTING:
        return _set(model, name)
    if f"{kind}:" == SKILL:
        skill = completion.find_skill(model.transcript.answers, name)
        hint = completion.skill_hint(skill) if skill is not None else ""
        return _ask(model, name, hint) if hint.startswith("<") else submit.submit(model, f"/{name}")
    command = commands.find(name)
    if command.argument.startswith("<"):
        return _ask(model, name, command.argument)
    return open_sheet(model, name) if command.has_list else command.run(model, "")


def _ask(model: Model, name: str, argument: str) -> Step:
    return composer.ask(model, Purpose("action", f"/{name} {argument}", name, sends="run")), ()


def _set(model: Model, key: str) -> Step:
    """The other value of a switch; for the rest, the settings sheet."""
    setting = next(one for one in settings.all_entries() if one.key == key)
    if not is_switch(setting) or not model.configured.values:
        return commands.find("settings").run(model, key)
    now = words(settings.value_of(model, setting).value)
    other = next(one for one in setting.kind.choices if one != now)
    return model, (WriteSetting(key, parse_typed(setting.kind, other)),)


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
    for one in skill_rows(model):
        yield Entry(f"{SKILL}{one.id}", one.label, one.detail, one.about, "Skills")


def _settings(model: Model) -> Iterator[Entry]:
    for one in settings.all_entries():
        if not one.key.startswith("keys."):
            now = words(settings.value_of(model, one).value) or "not set"
            does = f"is {now}; Enter switches it" if is_switch(one) else f"is {now}"
            shown = (
                does
                if model.configured.values and one.kind.form != "secret"
                else "show and change it"
            )
            yield Entry(f"{SETTING}{one.key}", one.key, shown, one.about, "Settings")


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return run(model, row.id)


SHEET: Final = Sheet(
    "Commands", _rows, (Action("run", TAKES, "run", _run),), reads=(ReadSettings(),), about_lines=2
)
