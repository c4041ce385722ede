"""The classes whose values may stand in a recording, by name."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from agent_tui.protocol import (
    answers,
    aside_events,
    display,
    messages,
    model_answers,
    ops,
    session_answers,
    session_events,
    shell_events,
    standing,
    tool_events,
    transcript,
    turn_events,
)
from agent_tui.settings.values import Value
from agent_tui.structures import chips, markdown_links, markdown_stream, mention
from agent_tui.structures.plain import has_fields, name_of
from agent_tui.tui import (
    aside,
    finder,
    going_back,
    held,
    look,
    model,
    msg,
    picker,
    recall,
    search,
    setting_up,
    sheets,
    window,
)
from agent_tui.tui.recording.renamed import with_old_names

MODULES: tuple[ModuleType, ...] = (
    msg, model, look, window, held, aside, finder, going_back, picker, recall, search, setting_up, chips, mention,
    markdown_stream, markdown_links, transcript, display, messages, ops, session_events, shell_events, tool_events,
    turn_events, aside_events, answers, model_answers, session_answers, standing,
)  # fmt: skip


@cache
def classes() -> dict[str, type[Any]]:
    """Every class with fields of `MODULES`, and the value of a setting, by what `plain` calls it or once called it."""
    found: dict[str, type[Any]] = {name_of(Value): Value}
    for module in MODULES:
        for own in vars(module).values():
            if isinstance(own, type) and has_fields(own) and own.__module__ == module.__name__:
                found[name_of(own)] = own
    for kind in sheets.names():
        found.update({name_of(own): own for own in sheets.find(kind).states})
    return with_old_names(found)
