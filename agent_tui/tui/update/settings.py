"""The settings sheet: what there is, what was typed to find it, changing it. Files are read and written elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Final

from agent_tui.settings_kinds import KEYS, Entry, Value, entries, typed, words
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands, keymap
from agent_tui.tui.effects import Effect, ReadSettings, UseTheme, WriteSecret, WriteSetting
from agent_tui.tui.model import Model, Overlay, Purpose
from agent_tui.tui.msg import KeyPressed, SettingsRead
from agent_tui.tui.update import attention, composer
from agent_tui.tui.update.step import Step, then, toast

PAGE: Final = 10
RESET: Final = ("delete", "ctrl+r")
EMPTIES: Final = ("ctrl+u", "ctrl+w", "ctrl+backspace", "alt+backspace")
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


def found(overlay: Overlay) -> tuple[Entry, ...]:
    """The settings in which every word that was typed occurs: called so first, then those with it in their name."""
    text = overlay.filter.strip().lower()
    asked = text.split()
    told = [one for one in all_entries() if all(word in f"{one.key} {one.about}".lower() for word in asked)]
    if not asked:
        return tuple(told)
    leaf = {one.key: one.key.rpartition(".")[2] for one in told}
    return tuple(sorted(told, key=lambda one: (
        text not in (one.key, leaf[one.key]), not leaf[one.key].startswith(text),
        not all(word in one.key for word in asked),
    )))  # fmt: skip


def chosen(overlay: Overlay) -> Entry | None:
    shown = found(overlay)
    return shown[min(overlay.selected, len(shown) - 1)] if shown else None


def value_of(model: Model, entry: Entry) -> Value:
    return model.configured.values.get(entry.key) or Value(entry.default)


def open_sheet(model: Model, asked: str) -> Step:
    """Show the sheet; what it shows is read anew."""
    return replace(model, overlay=Overlay("settings", filter=asked.strip())), (ReadSettings(),)


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. None: not a key for it."""
    shown, entry = found(overlay), chosen(overlay)
    here = min(overlay.selected, max(0, len(shown) - 1))
    steps = {"up": -1, "down": 1, "pageup": -PAGE, "pagedown": PAGE}
    if msg.key in steps:
        return _at(model, overlay, max(0, min(here + steps[msg.key], len(shown) - 1)))
    match msg.key:
        case "home" | "end":
            return _at(model, overlay, 0 if msg.key == "home" else max(0, len(shown) - 1))
        case "escape":
            return _filtered(model, overlay, "") if overlay.filter else (replace(model, overlay=None), ())
        case "backspace":
            return _filtered(model, overlay, overlay.filter[:-1])
        case key if key in EMPTIES:
            return _filtered(model, overlay, "")
        case key if key in RESET:
            return (model, ()) if entry is None else _reset(model, entry)
        case "enter" | "left" | "right":
            return (model, ()) if entry is None else _edit(model, overlay, entry, msg.key)
        case _ if is_text(msg.character):
            return _filtered(model, overlay, overlay.filter + msg.character)
        case _:
            return None


def _at(model: Model, overlay: Overlay, selected: int) -> Step:
    return replace(model, overlay=replace(overlay, selected=selected)), ()


def _filtered(model: Model, overlay: Overlay, text: str) -> Step:
    return replace(model, overlay=replace(overlay, filter=text, selected=0)), ()


def _reset(model: Model, entry: Entry) -> Step:
    value = value_of(model, entry)
    if value.layer == "default":
        return toast(model, f"{entry.key} already has its default value")
    if value.layer != "user":
        return toast(model, f"{entry.key} is not set by your config.toml, but by: {value.source}", "warning")
    return model, (WriteSetting(entry.key, None),)


def choices(model: Model, entry: Entry) -> tuple[str, ...]:
    """What the setting may be, where that can be counted."""
    if entry.key in THEMES:
        auto = entry.key == "display.theme"
        return tuple(name for name in model.configured.themes if auto or name != "auto")
    return entry.kind.choices


def _edit(model: Model, overlay: Overlay, entry: Entry, key: str) -> Step:
    """The next (or the previous) choice; where there are none, the prompt takes what is typed."""
    there = choices(model, entry)
    now = words(value_of(model, entry).value)
    if there:
        at = there.index(now) if now in there else -1 if key != "left" else 0
        wanted = there[(at + (-1 if key == "left" else 1)) % len(there)]
        return model, (WriteSetting(entry.key, typed(entry.kind, wanted)),)
    if key != "enter":
        return model, ()
    model = replace(model, overlay=replace(overlay, editing=entry.key))
    secret = entry.kind.form == "secret"
    model = composer.ask(model, Purpose("setting", _label(entry), secret=secret))
    return (model if secret else composer.write(model, now)), ()


def _label(entry: Entry) -> str:
    """What is asked for in the prompt, and what an empty one means."""
    if entry.kind is KEYS:
        return f"{entry.key}: keys, such as ctrl+f, f3; empty: none"
    if entry.kind.form == "names":
        return f"{entry.key}: {entry.kind.expected}, with commas"
    if entry.kind.form == "secret":
        return f"{entry.key}: hidden as you type, not saved in the session"
    return f"{entry.key}: {entry.kind.expected}; empty: the default"


def answered(model: Model, text: str) -> Step:
    """The prompt was sent while it held a value."""
    key = model.overlay.editing if model.overlay is not None else ""
    entry = next((one for one in all_entries() if one.key == key), None)
    if entry is None:
        return composer.leave(model), ()
    if entry.kind.form == "secret":
        missing = toast(model, "type the key, or press Esc; Del in the list removes it")
        return (model, (WriteSecret(key),)) if text.strip() else missing
    try:
        value = typed(entry.kind, text) if text.strip() or entry.kind.form == "names" else None
    except ValueError:
        return toast(model, f"{text.strip()} is not used: expected {entry.kind.expected}", "warning", 8.0)
    if wrong := _conflict(model, entry, value):
        return toast(model, wrong, "warning", 8.0)
    return composer.leave(model), (WriteSetting(key, value),)


def _conflict(model: Model, entry: Entry, value: Any) -> str:
    """Why what was typed cannot be the keys of a command; empty for other settings."""
    if entry.kind is not KEYS or not value:
        return ""
    name = entry.key.removeprefix("keys.")
    others = {other: keys for other, keys in own_keys(model).items() if other != name}
    said = keymap.resolve({**others, name: tuple(value)})[1]
    return next((text for at, text in said if at == name and text.endswith("not used")), "")


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
    if purpose is not None and purpose.secret and model.overlay is not None and model.overlay.editing == msg.key:
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
