"""`/settings`: all settings and keys, and changing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from agent_tui.settings.values import KEYS, Setting, parse_typed, words
from agent_tui.tui.commands.base import command, key_name
from agent_tui.tui.core import keymap
from agent_tui.tui.core.effects import ReadSettings, WriteSecret, WriteSetting
from agent_tui.tui.core.keymap import key_named
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.regions import Span, list_room
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.settings import all_entries, own_keys, value_of
from agent_tui.tui.sheets import Action, Body, Lines, Run, Sheet, cursor, opening
from agent_tui.tui.sheets.choice import choices
from agent_tui.tui.sheets.theme import SETTING as THEMES

GAPS: Final = 8
"""Cells of a line before a name, and between it, the value and its source."""
VALUE_CELLS: Final = 22
NARROW_CELLS: Final = 14
ROOMY: Final = 70
"""Columns of the list from which a source has its place beside a value."""
SECONDS: Final = 8.0
FEW: Final = 3
"""So many values are stepped through: of more, Enter would save one that nobody has seen."""
READ_FIRST: Final = 0.3
"""A change is saved: an Enter that is doubled, or one of a row of keys, makes none."""


def _setting(key: str) -> Setting:
    return next(one for one in all_entries() if one.key == key)


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    roomy = list_room(model.width) >= ROOMY
    entries = all_entries()
    named = max(len(one.key) for one in entries)
    values = [value_of(model, one) for one in entries]
    sources = [one.source if roomy and one.layer != "default" else "" for one in values]
    free = list_room(model.width) - named - GAPS - max(map(len, sources))
    room = max(VALUE_CELLS if roomy else NARROW_CELLS, free)
    for one, value, source in zip(entries, values, sources, strict=True):
        now = one_line(_words(one, value.value), room)
        yield Entry(one.key, one.key, source, one.about, value=now)


def _body(model: Model, _: Overlay, cells: int) -> Body:
    """The first line that says what is wrong in the files, and how many more there are; the start
    has said all."""
    said = model.configured.problems
    if not said:
        return Body()
    place, text = said[0].split(": ", 1) if ": " in said[0] else ("", said[0])
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    line = one_line(f"{place.rpartition('/')[2]}: {text}", max(10, cells - len(more)))
    counted = (Span(more, "dim"),) if more else ()
    return Body(((Span(line, "warning"), *counted),))


def _about(model: Model, _: Overlay, row: Entry, __: int, room: int) -> Lines:
    """What the setting under the cursor means, and how it is now."""
    entry = _setting(row.id)
    value = value_of(model, entry)
    when = "" if entry.live else " Takes effect at the next start."
    where = {
        "default": "the default",
        "user": "from your config.toml",
        "project": "from the project's config.toml",
    }
    source = where.get(value.layer) or f"from {value.source}"
    default = (
        f"; the default is {_words(entry, entry.default)}"
        if value.layer != "default" and entry.default
        else ""
    )
    wins = value.layer not in ("default", "user")
    now = (
        Span(f"{entry.key}: ", "dim"),
        Span(_words(entry, value.value)),
        Span(f", {source}{default}", "dim"),
        *_in_use(model, entry, value.value),
        *((Span("; it overrides your config.toml", "warning"),) if wins else ()),
    )
    return (now, (Span(f"{entry.about}{when}"),))[:room]


def _in_use(model: Model, entry: Setting, value: object) -> tuple[Span, ...]:
    """What the session has instead: another model was chosen in it."""
    now = model.transcript.model
    other = entry.key == "model" and now and now != value
    return (Span(f"; in use now: {now}", "warning"),) if other else ()


def _words(entry: Setting, value: object) -> str:
    """The value as the list shows it."""
    if entry.kind.form == "secret":
        return "set" if value else "not set"
    if entry.key.startswith("keys.") and isinstance(value, tuple):
        return ", ".join(key_name(key_named(str(key)) or str(key)) for key in value) or "none"
    if entry.key == "tools.enabled" and not value:
        return "all"
    return words(value) or "not set"


# -- changing them


def _change(step: int) -> Run:
    """The next (1) or the previous (-1) choice; Enter (0) shows them as a list, where they are more
    than a few. Where there are none, it lets the prompt take what is typed."""

    def change(model: Model, _: Overlay, row: Entry) -> Step:
        entry = _setting(row.id)
        there, now = choices(model, entry), words(value_of(model, entry).value)
        if len(there) > FEW and not step:
            if entry.key == THEMES:
                return opening.open_sheet(model, "theme", note=entry.key)
            return opening.open_sheet(model, "choice", note=entry.key)
        if there:
            at = there.index(now) if now in there else 0 if step < 0 else -1
            wanted = there[(at + (step or 1)) % len(there)]
            return model, (WriteSetting(entry.key, parse_typed(entry.kind, wanted)),)
        if step:
            return model, ()
        secret = entry.kind.form == "secret"
        asked = composer.ask(
            model, Purpose("sheet", _label(entry), entry.key, secret=secret, sends="save")
        )
        return (asked if secret else composer.prefill(asked, now)), ()

    return change


def _reset(model: Model, _: Overlay, row: Entry) -> Step:
    entry = _setting(row.id)
    value = value_of(model, entry)
    if value.layer == "default":
        return toast(model, f"{entry.key} already has its default value")
    if value.layer != "user":
        return toast(
            model, f"{entry.key} is not set by your config.toml, but by: {value.source}", "warning"
        )
    return model, (WriteSetting(entry.key, None),)


def _label(entry: Setting) -> str:
    """What is asked for in the prompt, and what an empty one means."""
    if entry.kind is KEYS:
        return f"{entry.key}: keys, such as ctrl+f, f3; empty: none"
    if entry.kind.form == "names":
        return f"{entry.key}: {entry.kind.expected}, with commas"
    if entry.kind.form == "secret":
        return f"{entry.key}: hidden as you type, not saved in the session"
    return f"{entry.key}: {entry.kind.expected}; empty: the default"


def _on_text(model: Model, text: str) -> Step:
    """The prompt was sent while it held a value."""
    purpose = model.composer.purpose
    assert purpose is not None
    entry, key = _setting(purpose.id), purpose.id
    if entry.kind.form == "secret":
        missing = toast(model, "type the key, or press Esc; Del in the list removes it")
        return (model, (WriteSecret(key),)) if text.strip() else missing
    if text.strip() and text.strip() == words(value_of(model, entry).value).strip():
        return composer.leave(model), ()
    try:
        value = (
            parse_typed(entry.kind, text) if text.strip() or entry.kind.form == "names" else None
        )
    except ValueError:
        return toast(
            model, f"{text.strip()} is not used: expected {entry.kind.expected}", "warning", SECONDS
        )
    if wrong := _conflict(model, entry, value):
        return toast(model, wrong, "warning", SECONDS)
    return composer.leave(model), (WriteSetting(key, value),)


def _conflict(model: Model, entry: Setting, value: Any) -> str:
    """Why what was typed cannot be the keys of a command; empty for other settings."""
    if entry.kind is not KEYS or not value:
        return ""
    name = entry.key.removeprefix("keys.")
    others = {other: keys for other, keys in own_keys(model).items() if other != name}
    said = keymap.resolve({**others, name: tuple(value)})[1]
    return next((text for at, text in said if at == name and text.endswith("not used")), "")


def _on_esc(model: Model) -> Step:
    """A value that is typed is left first, then the search, then the sheet."""
    overlay = model.overlay
    if model.composer.purpose is not None or overlay is None:
        return composer.leave(model), ()
    searched = overlay.picker is not None and overlay.picker.query
    return cursor.find(model, "") if searched else opening.leave(model, overlay)


def _esc(_: Model, overlay: Overlay) -> str:
    return "clear the search" if overlay.picker is not None and overlay.picker.query else "close"


@command(aliases=("config",), argument="[search]", rank=56)
def settings(model: Model, args: str) -> Step:
    """Show and change all settings and keys. A change is saved in your config.toml at once."""
    return opening.open_sheet(model, "settings", args.strip())


SHEET: Final = Sheet(
    "Settings",
    _rows,
    (
        Action("change", ("enter",), "change", _change(0), closes=False),
        Action("reset", ("delete", "ctrl+r"), "reset", _reset, closes=False, typed="r"),
        Action("next", ("right",), "next value", _change(1), closes=False, hidden=True),
        Action("previous", ("left",), "previous value", _change(-1), closes=False, hidden=True),
    ),
    (settings,),
    reads=(ReadSettings(),),
    about=_about,
    begin_on=lambda model: model.overlay.note if model.overlay is not None else "",
    about_lines=2,
    about_small=2,
    always_about=True,
    body=_body,
    on_text=_on_text,
    on_esc=_on_esc,
    esc=_esc,
    read_first=READ_FIRST,
    live=lambda model: (model.configured, model.width),
    waits=lambda model, _: not model.configured.values,
)
