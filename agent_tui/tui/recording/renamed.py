"""Classes that recordings know by an earlier name. Whoever renames or moves one adds a line, so
that old recordings still play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
}
"""What a recording says → what it is called now, the oldest change first. Names are `module.Class`;
a module alone stands for all classes that it held."""


def with_old_names(
    known: Mapping[str, type[Any]], renamed: Mapping[str, str] = RENAMED
) -> dict[str, type[Any]]:
    """`known`, by its earlier names too. A name that is used anew means the class that has it now."""
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
