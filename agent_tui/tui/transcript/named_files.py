"""The files that the transcript names: asked for when a name comes into view, and opened in the
person's own editor, at their wish alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    DirectoriesChanged,
    FileChanged,
    FilesRestored,
    SessionStarted,
    ShellEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Query
from agent_tui.tui.core.effects import OpenFile
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, send, toast

QUERY: Final = "named_files"
MOST: Final = 2_000
"""Names that are remembered; the newest."""
_CHANGES: Final = (FileChanged, FilesRestored, ShellEnded, TurnEnded, DirectoriesChanged)


def ask(model: Model, paths: tuple[str, ...]) -> Step:
    """Names of files came into view: the engine looks where they are."""
    new = [path for path in paths if path not in model.files]
    return (
        send(model, Query(QUERY, QUERY, "\n".join(new))) if new and not model.gone else (model, ())
    )


def learn(model: Model, paths: Mapping[str, str]) -> Model:
    """The engine has looked."""
    known = {**{name: at for name, at in model.files.items() if name not in paths}, **paths}
    most = dict(islice(known.items(), max(0, len(known) - MOST), None))
    return replace(model, files=most)


def follow(model: Model, event: Event | Restored) -> Model:
    """What was no file may be one now: it is asked for again when it is painted."""
    if not model.files:
        return model
    if isinstance(event, SessionStarted | Restored):
        return replace(model, files={})
    if not isinstance(event, _CHANGES):
        return model
    found = {name: where for name, where in model.files.items() if where}
    return model if len(found) == len(model.files) else replace(model, files=found)


def open_file(model: Model, path: str, line: int) -> Step:
    """The person wants to see a file that the transcript names."""
    if where := model.files.get(path):
        return model, (OpenFile(where, line),)
    return toast(model, f"{path} was not found in this session's folders", "warning")
