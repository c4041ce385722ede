"""The lists that are found by typing: opening one, its keys, what a choice does, and what is shown while it moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import Query, QueryKind, Resume, StopJob
from agent_tui.settings_kinds import typed, words
from agent_tui.structures import mention
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands import effort
from agent_tui.tui.effects import Copy, ReadFacts, ReadSettings, Type, UseTheme, WriteSetting, Yield
from agent_tui.tui.kinds import PickerKind
from agent_tui.tui.model import Model, Overlay, Purpose
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.update import (
    checks,
    choices,
    composer,
    leaving,
    model_list,
    session_search,
    settings,
    shelf,
    skills,
    submit,
)
from agent_tui.tui.update import overlay as overlay_of
from agent_tui.tui.update.step import Step, send, then, toast

PAGE: Final = 10
ASKS: Final[Mapping[str, QueryKind]] = {
    "models": "models", "sessions": "sessions", "skills": "skills", "files": "files", "log": "log",
    "tree": "tree", "stats": "stats", "doctor": "doctor", "jobs": "jobs",
}  # fmt: skip
"""Lists that the engine fills."""
PREVIEWS: Final[Mapping[str, QueryKind]] = {
    "sessions": "session_preview", "tree": "session_preview", "files": "file_preview",
}  # fmt: skip
EMPTIES: Final = frozenset(("ctrl+u", "ctrl+w", "ctrl+backspace", "alt+backspace"))
OPENS: Final[Mapping[str, str]] = {"palette": "palette", "help": "help", "models": "model", "log": "log"}
"""The command whose key closes the list again."""
NEWEST_LAST: Final = frozenset(("log",))
JUST: Final = 0.3
"""A list that nobody asked for takes no key so soon."""
REST: Final = 0.08
"""Seconds that the cursor is on a theme before the screen wears it."""


def opened(model: Model, kind: PickerKind, query: str = "") -> Step:
    """Show the list `kind`: at once, with what is known; what has to be asked for comes after."""
    if kind == "efforts" and not effort.taken(model):
        return effort.refused(model)
    asked = ASKS.get(kind)
    model = replace(model, overlay=None, queries=model.queries + 1)
    id = f"{kind}-{model.queries}" if asked else ""
    before = choices.theme(model) if kind == "themes" else ""
    picker = Picker(query=query, ordered=kind in NEWEST_LAST, before=before)
    step = filled(replace(model, overlay=Overlay(kind, query=id, picker=picker)))
    match kind:
        case "debug":
            return then(step, (step[0], (ReadFacts(),)))
        case "themes" | "palette":
            return then(step, (step[0], (ReadSettings(),)))
        case "models":
            return then(then(step, (step[0], (ReadSettings(),))), send(step[0], Query(id, "models")))
        case _:
            return then(step, send(step[0], Query(id, asked))) if asked else step


def filled(model: Model, facts: tuple[tuple[str, str], ...] = ()) -> Step:
    """What the list shows may be another: an answer, the settings or `facts` have come."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return model, ()
    picker = overlay.picker
    if overlay.kind == "themes" and not picker.entries and picker.query in choices.themes(model):  # /theme nord
        return replace(model, overlay=None), (WriteSetting("display.theme", picker.query),)
    files = model.transcript.answers.files
    if overlay.kind == "files":
        if files is not None and (picker.files is None or picker.files.corpus.paths is not files.paths):
            picker = picker.listing(files)
    elif overlay.kind == "debug":
        picker = picker.filled(tuple(Entry(name, name, value) for name, value in facts) or picker.entries)
    elif overlay.kind == "sessions":
        if (named := session_search.loaded(model, overlay)) is not None:
            return then(named, filled(named[0]))
        picker = session_search.filled(model, picker)
    else:
        if overlay.kind == "models":
            picker = replace(picker, query=model_list.narrowed(model, picker.query))
        picker = picker.filled(choices.entries(model, overlay.kind), _begins_on(model, overlay))
        picker = model_list.beside(model, picker) if overlay.kind == "models" else picker
        if overlay.kind == "themes":
            picker = replace(picker, before=picker.before or choices.theme(model))
    return _previewed(replace(model, overlay=replace(overlay, picker=picker)))


def _begins_on(model: Model, overlay: Overlay) -> str:
    """Where the cursor is when the list opens."""
    if overlay.kind == "themes":
        return choices.theme(model)
    if overlay.kind == "modes":
        return model.mode_asked or model.transcript.mode
    if overlay.kind == "efforts":
        return model.transcript.effort or effort.AUTO
    if overlay.kind != "models":
        return ""
    known = model.transcript.answers.models
    return known.model if known is not None else model.transcript.model


# -- keys


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while a list is open. None: not a key for it."""
    picker = overlay.picker
    assert picker is not None
    unasked = overlay.shown_at > float("-inf") and not picker.query and not picker.touched
    if unasked and msg.key != "escape" and (msg.blind or msg.at - overlay.shown_at < JUST):
        return model, (Type(msg.character, msg.key),) if is_text(msg.character) else ()
    if overlay.kind == "sessions" and (own := session_search.pressed(model, overlay, picker, msg)) is not None:
        return own
    if overlay.kind == "models" and (own := model_list.pressed(model, picker, msg)) is not None:
        return own
    last, at = max(0, len(picker.shown) - 1), picker.at
    goes = {
        "up": at - 1 if at else last, "down": at + 1 if at < last else 0, "pageup": at - PAGE, "pagedown": at + PAGE,
        "home": 0, "end": last, "ctrl+p": at - 1 if at else last, "ctrl+n": at + 1 if at < last else 0,
    }  # fmt: skip
    again = OPENS.get(overlay.kind, "no command") == commands.bindings(model.keys).get(msg.key)
    again = again and not (picker.query and msg.character)  # a key that types is the list's once something is typed
    if msg.key == "escape" or again:
        return left(model, overlay)
    if msg.key in goes:
        return _previewed(_with(model, overlay, picker.moved(goes[msg.key])))
    if msg.key == "backspace":
        return _typed(model, overlay, picker, picker.query[:-1])
    if msg.key in EMPTIES:
        return _typed(model, overlay, picker, "")
    if msg.key in ("f5", "ctrl+r"):
        return _again(model, overlay)
    if msg.key in ("enter", "tab"):
        return taken(model, overlay, picker)
    if is_text(msg.character):
        return _typed(model, overlay, picker, picker.query + msg.character)
    return None


def _with(model: Model, overlay: Overlay, picker: Picker) -> Model:
    return replace(model, overlay=replace(overlay, picker=picker))


def _typed(model: Model, overlay: Overlay, picker: Picker, query: str) -> Step:
    seen = replace(overlay, shown_at=float("-inf"))  # who searches knows that it is there
    found = picker.looked_up(query)
    found = model_list.beside(model, found) if overlay.kind == "models" else found
    step = _previewed(_with(model, seen, found))
    return then(step, session_search.typed(step[0]))


def _again(model: Model, overlay: Overlay) -> Step:
    """Look anew at what the list shows."""
    if overlay.kind == "debug":
        return model, (ReadFacts(),)
    asked = ASKS.get(overlay.kind)
    if asked is None:
        return model, ()
    id = f"{overlay.kind}-{model.queries + 1}"
    fresh = overlay.picker and replace(overlay.picker, touched=overlay.kind != "log")
    overlay = replace(overlay, query=id, picker=fresh)
    return send(replace(model, queries=model.queries + 1, overlay=overlay), Query(id, asked))


def _previewed(model: Model) -> Step:
    """Show what the cursor is on: a theme is used, the rest is asked for. Once an entry."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None or (chosen := overlay.picker.chosen) is None:
        return model, ()
    picker = overlay.picker
    if not chosen.id or chosen.id == picker.asked or overlay.kind not in (*PREVIEWS, "themes"):
        return model, ()
    after = _with(model, overlay, replace(picker, asked=chosen.id, since=model.at))
    if overlay.kind == "themes":
        return after, () if chosen.id == (picker.worn or picker.before) else (Yield(REST),)
    return send(after, Query("preview", PREVIEWS[overlay.kind], chosen.id))


def rested(model: Model) -> Step:
    """The cursor may have been on a theme for a while: the screen wears it. Each theme takes longer than a key may."""
    overlay = model.overlay
    picker = overlay.picker if overlay is not None else None
    if overlay is not None and overlay.kind == "sessions":
        return session_search.rested(model)
    if overlay is None or picker is None or overlay.kind != "themes" or model.at - picker.since < REST / 2:
        return model, ()
    if picker.asked in ("", picker.worn or picker.before):
        return model, ()
    return _with(model, overlay, replace(picker, worn=picker.asked)), (UseTheme(picker.asked),)


# -- leaving it


def left(model: Model, overlay: Overlay) -> Step:
    """Esc. Leaving the list of sessions of the start begins a new one; a theme that was only tried is given back."""
    closed = replace(model, overlay=None)
    if overlay.kind == "sessions" and not model.started:
        return send(closed, Resume(""))
    picker = overlay.picker
    if overlay.kind == "themes" and picker is not None and picker.worn not in ("", picker.before):
        return closed, (UseTheme(picker.before),)
    return closed, ()


def taken(model: Model, overlay: Overlay, picker: Picker) -> Step:
    """Enter."""
    chosen = picker.chosen
    if chosen is None:
        return model, ()
    closed = replace(model, overlay=None)
    match overlay.kind:
        case "help" if not chosen.id:  # a key that no command has
            return model, ()
        case "palette" | "help":
            return run(closed, chosen.id)
        case "skills":
            return run(closed, f"skill:{chosen.id}")
        case "models" if chosen.id == model_list.SILENT:
            return _again(model, overlay)
        case "models":
            return model_list.taken(model, chosen.id)
        case "sessions" | "tree":
            return _session(closed, chosen.id)
        case "locked":
            return shelf.taken(closed, chosen.id)
        case "unsaved":
            return leaving.choose(closed, chosen.id)
        case "themes":
            return closed, (WriteSetting("display.theme", chosen.id),)
        case "modes":
            return commands.find("mode").run(closed, chosen.id)
        case "efforts":
            return commands.find("effort").run(closed, chosen.id)
        case "rewind":
            return overlay_of.go_back(closed, int(chosen.id))
        case "files":
            return _named(closed, chosen.id), ()
        case "jobs":
            return send(closed, StopJob(chosen.id.removeprefix(choices.ALL_JOBS)))
        case "doctor":
            return closed, (Copy(checks.copied(picker)),)
        case "log":
            return closed, (Copy(chosen.label),)
        case _:
            return closed, (Copy("\n".join(f"{one.label}: {one.detail}" for one in picker.shown)),)


def _session(model: Model, id: str) -> Step:
    if not model.started:
        return send(model, Resume(id))
    if model.busy:
        return toast(model, "Esc interrupts the running turn first", "warning")
    here = id == model.active and not model.transcript.reading  # what is read along can be opened once it is free
    return toast(model, "this session is already open") if here else send(model, Resume(id))


def _named(model: Model, path: str) -> Model:
    """`path` is named in the prompt, where the caret is."""
    now = model.composer
    before, after = now.draft[: now.caret], now.draft[now.caret :]
    gap = " " if before and not before[-1].isspace() else ""
    text = f"{before}{gap}{mention.written(path)}{'' if after[:1].isspace() else ' '}"
    return composer.write(model, text + after, caret=len(text))


# -- actions


def run(model: Model, id: str) -> Step:
    """Do what the palette calls `id`; what it needs to know is asked for in the prompt."""
    if not id:
        return model, ()
    model = model.used(id)
    kind, _, name = id.partition(":")
    if kind == "setting":
        return _set(model, name)
    if kind == "skill":
        skill = skills.find(model.transcript.answers, name)
        hint = skills.hint(skill) if skill is not None else ""
        return _ask(model, name, hint) if hint.startswith("<") else submit.submit(model, f"/{name}")
    command = commands.find(name)
    if command.argument.startswith("<"):
        return _ask(model, name, command.argument)
    return opened(model, command.lists) if command.lists else command.run(model, "")


def _ask(model: Model, name: str, argument: str) -> Step:
    return composer.ask(model, Purpose("action", f"/{name} {argument}", name)), ()


def _set(model: Model, key: str) -> Step:
    """The other value of a switch; for the rest, the settings sheet."""
    setting = next(one for one in settings.all_entries() if one.key == key)
    if not choices.toggles(setting) or not model.configured.values:
        return settings.open_sheet(model, key)
    now = words(settings.value_of(model, setting).value)
    other = next(one for one in setting.kind.choices if one != now)
    return model, (WriteSetting(key, typed(setting.kind, other)),)
