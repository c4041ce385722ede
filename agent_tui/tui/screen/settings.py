"""What holds of the settings that were read, and what a new value changes. Files are read and
written elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from agent_tui.settings.schema import entries
from agent_tui.settings.values import KEYS, THEME, Setting, Value, words
from agent_tui.structures.frozen import replace_fields
from agent_tui.tui import commands
from agent_tui.tui.core import keymap
from agent_tui.tui.core.display_options import FIELDS
from agent_tui.tui.core.effects import Effect, UseTheme
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import SettingsRead
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import notify


@cache
def all_entries() -> tuple[Setting, ...]:
    """Every setting: those of the table, and the keys of each command."""
    own = (
        Setting(
            KEYS,
            commands.keys_of(one.name),
            f"Keys for: {one.summary}.",
            live=True,
            key=f"keys.{one.name}",
        )
        for one in commands.COMMANDS
    )
    return (*entries(), *own)


def value_of(model: Model, entry: Setting) -> Value:
    return model.configured.values.get(entry.key) or Value(entry.default)


def own_keys(model: Model) -> dict[str, tuple[str, ...]]:
    """The keys that the files set, as they were written."""
    found = (
        (key, one.value) for key, one in model.configured.values.items() if key.startswith("keys.")
    )
    return {key.removeprefix("keys."): value for key, value in found if isinstance(value, tuple)}


def on_settings_read(model: Model, msg: SettingsRead) -> Step:
    """The settings were read; if one was written before, it holds from now on where it can."""
    model = replace(model, configured=msg.found)
    if msg.failed:
        return toast(model, msg.failed, "bad", 8.0)
    if not msg.key:
        return _with_those_of_project(model) if msg.project else (model, ())
    entry = next((one for one in all_entries() if one.key == msg.key), None)
    if entry is None:
        return model, ()
    purpose = model.composer.purpose
    if purpose is not None and purpose.secret and purpose.id == msg.key:
        model = composer.leave(model)  # only now: until it was written, the prompt alone had it
    model, effects = _applied(model, entry)
    return then((model, effects), _said(model, entry, msg.project))


def _with_those_of_project(model: Model) -> Step:
    """What the project's file sets holds from now on, where it can."""
    step: Step = (model, ())
    for entry in all_entries():
        if value_of(model, entry).layer == "project":
            step = then(step, _applied(step[0], entry))
    return step


def _applied(model: Model, entry: Setting) -> tuple[Model, tuple[Effect, ...]]:
    """What the new value changes now."""
    value = value_of(model, entry).value
    section, _, name = entry.key.partition(".")
    if not entry.live:
        return model, ()
    if section == "notify":
        return notify.on_setting(model, name, value)
    if entry.key == "prompt.vim":
        return replace(model, vim="insert" if value else ""), ()
    if entry.kind is KEYS:
        return replace(model, keys=keymap.resolve(own_keys(model))[0]), ()
    if entry.kind is THEME:
        theme = model.configured.values.get("display.theme")
        return model, (UseTheme(str(theme.value) if theme else ""),)
    shows = section in ("display", "prompt") and name in FIELDS
    return replace(model, look=replace_fields(model.look, {name: value})) if shows else model, ()


def _said(model: Model, entry: Setting, project: bool) -> Step:
    value = value_of(model, entry)
    nothing = "empty" if entry.kind.form == "names" else "nothing"
    shown = "set" if entry.kind.form == "secret" and value.value else words(value.value) or nothing
    begins = "" if entry.live else ", from the next start"
    if project and value.layer == "project":
        return toast(model, f"saved for this project: {entry.key} is {shown}{begins}")
    if value.layer not in ("user", "default"):
        return toast(
            model, f"saved, but {value.source} overrides it: {entry.key} is {shown}", "warning", 8.0
        )
    lost = [text for at, text in keymap.resolve(own_keys(model))[1] if f"keys.{at}" == entry.key]
    if entry.kind is KEYS and lost:
        return toast(model, f"saved; {lost[0]}", "warning", 8.0)
    return toast(model, f"saved: {entry.key} is {shown}{begins}")
