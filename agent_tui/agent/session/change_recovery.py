"""What a kill left of the changes of calls: the contents of the files say what was done, and what
lies beside them under names of ours goes. What a file held is never lost by it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Set
from dataclasses import field
from pathlib import Path
from typing import Final, Literal

from agent_tui.agent.services.restore_looks import inspect_path
from agent_tui.agent.session.changes import Changes
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import ChangesStarted, Event, FileChanged, Notice
from agent_tui.protocol.standing import IntendedChange
from agent_tui.protocol.transcript import Level
from agent_tui.safety import atomic_swap, file_access, paths
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MOST_TOLD: Final = 20
"""Files that are told of."""
UNDO: Final = "/undo shows what can be taken back"
_TOKEN: Final = late.pattern(r"[0-9a-f]{12}")
State = Literal["done", "not", "half", "unknown"]


@frozen
class Settled:
    """`changed`: what was done, for the record; `told`: the same, for the person; `done`: for the
    model, by agent and call."""

    changed: tuple[Event, ...] = ()
    told: tuple[Event, ...] = ()
    done: Mapping[tuple[str, str], str] = field(default_factory=dict)


def settle_changes(changes: Changes, blobs: Blobs, folder: Path) -> Settled:
    """What settles calls whose intent is on record, and not what became of it. `folder`: where the
    session works. Reads the files, and removes what the kill left beside them."""
    changed: list[Event] = []
    told: list[Notice] = []
    done: dict[tuple[str, str], str] = {}
    for key, begun in changes.intents.items():
        held = {file.before for file in begun.files}
        aside = [note for file in begun.files for note in _clear_beside(file, held, blobs)]
        gone = {file.before for file in begun.files if not file.after}
        said: list[str] = []
        for file in begun.files:
            is_known = file.path in changes.recorded[key]
            state, event = ("done", None) if is_known else _settle(file, begun, gone, folder)
            changed += [event] if event else []
            said.append(_describe(file, state, folder))
            if not is_known and (state != "not" or key not in changes.over):
                told.append(_notice(said[-1], state))
        told += [Notice(f"{note}.", "warning") for note in aside]
        done[key] = "; ".join(said[:MOST_TOLD])
    if (more := len(told) - MOST_TOLD) > 0:
        told[MOST_TOLD:] = [Notice(f"{more} more files were begun.", "warning", UNDO)]
    return Settled(tuple(changed), tuple(told), done)


def _notice(said: str, state: State) -> Notice:
    """The same for the person."""
    level: Level = "info" if state == "not" else "warning"
    return Notice(f"When agent-tui stopped, {said}.", level, "" if state == "not" else UNDO)


def _clear_beside(file: IntendedChange, held: Set[str], blobs: Blobs) -> list[str]:
    """Remove what lies beside a file under the names that its intent tells; `held`: what the files
    of the call held before. What another program wrote at that moment stays: in its place, or it is
    told of."""
    if not _TOKEN.fullmatch(file.token):
        return []
    path = Path(file.path)
    part = path.with_name(atomic_swap.name_beside(path.name, "tmp", file.token))
    aside = path.with_name(atomic_swap.name_beside(path.name, "was", file.token))
    with contextlib.suppress(OSError):  # mostly there is none
        part.unlink()
    if not os.path.lexists(aside):
        return []
    found = inspect_path(aside)
    with contextlib.suppress(OSError):
        if found.sha and found.sha in held | {file.after}:
            if found.sha in held:
                blobs.put(found.content)  # else nobody has it
            aside.unlink()
            return []
        os.link(aside, path, follow_symlinks=False)  # never over what is there
        aside.unlink()
        return []
    return [f"{aside} has a text that stood in {path.name}: move it where you want it"]


def _settle(
    file: IntendedChange, begun: ChangesStarted, gone: Set[str], folder: Path
) -> tuple[State, FileChanged | None]:
    """What became of a file, and the record of it; `gone`: what files held that were to be moved
    or deleted."""
    path = Path(file.path)
    now = inspect_path(path)
    state: State = "unknown"
    if not now.problem and now.sha == file.before:
        _remove_folders(path, file.folders)
        return "not", None
    if not now.problem and now.sha == file.after:
        state = "done"
    elif not file.before and now.sha and now.sha in gone:
        state = "half"
    elif not file.before:
        return "unknown", None  # there is nothing to get back
    event = FileChanged(
        begun.call_id,
        file.path,
        DiffDisplay(paths.display_path(path, folder), ()),
        file.before,
        now.sha if state == "half" else file.after,
        file.mode,
        now.mode,
        file.folders,
        turn=begun.turn,
        step=begun.step,
        agent=begun.agent,
        parent_call=begun.parent_call,
    )
    return state, event


def _remove_folders(path: Path, count: int) -> None:
    """Those that were made for a file that did not come, where nothing else is in them."""
    for above in list(path.parents)[:count]:
        with contextlib.suppress(OSError):
            file_access.remove_folder(above)


def _describe(file: IntendedChange, state: State, folder: Path) -> str:
    """What became of a file, in words."""
    shown = paths.display_path(Path(file.path), folder)
    what = "created" if not file.before else "changed" if file.after else "deleted"
    match state:
        case "done":
            return f"{shown} was already {what}"
        case "not":
            return f"{shown} was not {what} yet"
        case "half":
            return f"{shown} was there with its old text, which was not changed yet"
        case _:
            return f"{shown} holds neither its old nor its new text: something else wrote it"
