"""The classes whose values may stand in a recording, by name; and by an earlier name. Whoever
renames or moves one adds a line to `RENAMED`, so that old recordings still play."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final

from agent_tui.protocol import (
    answers,
    display,
    messages,
    ops,
    session_answers,
    session_events,
    standing,
    tool_events,
    transcript,
    turn_events,
)
from agent_tui.settings.values import Value
from agent_tui.structures import chips, markdown_stream, mention
from agent_tui.structures.plain import has_fields, name_of
from agent_tui.tui import sheets
from agent_tui.tui.core import (
    display_options,
    history_search,
    model,
    msg,
    picker,
    prompt_state,
    setup_state,
    undo_state,
)
from agent_tui.tui.transcript import search

MODULES: tuple[ModuleType, ...] = (
    msg, model, prompt_state, setup_state, display_options, undo_state, picker, history_search,
    search, chips, mention, markdown_stream, transcript, display, messages, ops, session_events,
    tool_events, turn_events, answers, session_answers, standing,
)  # fmt: skip


@cache
def classes() -> dict[str, type[Any]]:
    """Every class with fields of `MODULES`, and the value of a setting, by what `plain` calls it or
    once called it."""
    found: dict[str, type[Any]] = {name_of(Value): Value}
    for module in MODULES:
        for own in vars(module).values():
            if isinstance(own, type) and has_fields(own) and own.__module__ == module.__name__:
                found[name_of(own)] = own
    for kind in sheets.names():
        found.update({name_of(own): own for own in sheets.find(kind).states})
    return with_old_names(found)


UNPLAYABLE: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What such values can do to code that trusts them."""


def unshown(error: Exception) -> str:
    """Why something of a recording cannot be shown, in a line."""
    return f"it was not written by this program ({type(error).__name__}: {str(error)[:80]})"


RENAMED: Final[Mapping[str, str]] = {
    "going_back.OldFile": "answers.OldFile",
    "settings_kinds.Value": "values.Value",
    "look": "display_options",
    "recall": "history_search",
    "going_back": "undo_state",
    "held": "model",
    "aside": "model",
    "finder": "model",
    "setting_up": "model",
    "markdown_links": "markdown_stream",
    "aside_events": "turn_events",
    "shell_events": "tool_events",
    "undo_events": "session_events",
    "model_answers": "answers",
    "window": "model",
    "model.Completion": "prompt_state.Completion",
    "model.Composer": "prompt_state.Composer",
    "model.Editing": "prompt_state.Editing",
    "model.Finder": "prompt_state.Finder",
    "model.Purpose": "prompt_state.Purpose",
    "model.SettingUp": "setup_state.SettingUp",
}
"""What a recording says → what it is called now, the oldest change first. Names are
`module.Class`; a module alone stands for all classes that it held."""


def with_old_names(
    known: Mapping[str, type[Any]], renamed: Mapping[str, str] = RENAMED
) -> dict[str, type[Any]]:
    """`known`, by its earlier names too. A name that is used anew means the class that has it
    now."""
    found = dict(known)
    for old, new in reversed(
        tuple(renamed.items())
    ):  # the newest first: an older name may lead to one of these
        if "." in old:
            found.setdefault(old, found[new])
            continue
        for name in [one for one in found if one.startswith(f"{new}.")]:
            found.setdefault(f"{old}.{name.partition('.')[2]}", found[name])
    return found
