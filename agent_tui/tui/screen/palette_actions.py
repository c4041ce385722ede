"""What the palette can run: commands, skills and settings, each as `kind:name`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.settings.values import Setting, typed, words
from agent_tui.tui import commands
from agent_tui.tui.core.effects import WriteSetting
from agent_tui.tui.core.model import Model, Purpose
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import completion, composer, submit
from agent_tui.tui.screen import settings
from agent_tui.tui.sheets.control import open_sheet

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
    model = model.used(id)
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
    return model, (WriteSetting(key, typed(setting.kind, other)),)
