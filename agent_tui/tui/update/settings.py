"""What holds of the settings that were read, and what a new value changes. Files are read and written elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from agent_tui.settings_kinds import KEYS, Entry, Value, entries, words
from agent_tui.tui import commands, keymap
from agent_tui.tui.effects import Effect, UseTheme
from agent_tui.tui.model import Model
from agent_tui.tui.msg import SettingsRead
from agent_tui.tui.update import attention, composer
from agent_tui.tui.update.step import Step, then, toast

THEMES: Final = ("display.theme", "display.theme_dark", "display.theme_light")
FIXED: Final[dict[str, str]] = {
    "display.status": "status", "display.diff": "diff", "display.thinking": "thinking",
    "display.timestamps": "timestamps",
    "display.durations": "durations", "display.animation": "animation", "prompt.paste_lines": "paste_lines",
    "prompt.paste_chars": "paste_chars",
}  # fmt: skip
"""Settings that are a part of the look, and which."""


@cache
def all_entries() -> tuple[Entry, ...]:
    """Every setting: those of the table, and the keys of each command."""
    own = (
        Entry(f"keys.{one.name}", KEYS, commands.keys_of(one.name), f"Keys for: {one.summary}.", live=True)
        for one in commands.COMMANDS
    )
    return (*entries(), *own)


def value_of(model: Model, entry: Entry) -> Value:
    return model.configured.values.get(entry.key) or Value(entry.default)


def own_keys(model: Model) -> dict[str, tuple[str, ...]]:
    """The keys that the files set, as they were written."""
    values = model.configured.values.items()
    return {key.removeprefix("keys."): tuple(one.value) for key, one in values if key.startswith("keys.")}


def told(model: Model, msg: SettingsRead) -> Step:
    """The settings were read; if one was written before, it holds from now on where it can."""
    model = replace(model, configured=msg.found)
    if msg.failed:
        return toast(model, msg.failed, "bad", 8.0)
    if not msg.key:
        return model, ()
    entry = next((one for one in all_entries() if one.key == msg.key), None)
    if entry is None:
        return model, ()
    purpose = model.composer.purpose
    if purpose is not None and purpose.secret and purpose.id == msg.key:
        model = composer.leave(model)  # only now: until it was written, the prompt alone had it
    model, effects = _applied(model, entry)
    return then((model, effects), _said(model, entry, msg.project))


def _applied(model: Model, entry: Entry) -> tuple[Model, tuple[Effect, ...]]:
    """What the new value changes now."""
    value = value_of(model, entry).value
    if entry.key in FIXED:
        return replace(model, look=replace(model.look, **{FIXED[entry.key]: value})), ()
    if entry.key.startswith("notify."):
        return attention.configured(model, entry.key.removeprefix("notify."), value)
    if entry.key == "prompt.vim":
        return replace(model, vim="insert" if value else ""), ()
    if entry.kind is KEYS:
        return replace(model, keys=keymap.resolve(own_keys(model))[0]), ()
    theme = model.configured.values.get("display.theme")
    return model, (UseTheme(theme.value if theme else ""),) if entry.key in THEMES else ()


def _said(model: Model, entry: Entry, project: bool) -> Step:
    value = value_of(model, entry)
    nothing = "empty" if entry.kind.form == "names" else "nothing"
    shown = "set" if entry.kind.form == "secret" and value.value else words(value.value) or nothing
    begins = "" if entry.live else ", from the next start"
    if project and value.layer == "project":
        return toast(model, f"saved for this project: {entry.key} is {shown}{begins}")
    if value.layer not in ("user", "default"):
        return toast(model, f"saved, but {value.source} overrides it: {entry.key} is {shown}", "warning", 8.0)
    lost = [text for at, text in keymap.resolve(own_keys(model))[1] if f"keys.{at}" == entry.key]
    if entry.kind is KEYS and lost:
        return toast(model, f"saved; {lost[0]}", "warning", 8.0)
    return toast(model, f"saved: {entry.key} is {shown}{begins}")
