"""`/map`: what the files of the project define, the most used first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import AnswerData, RepoMap
from agent_tui.protocol.ops import Query
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet, files, opening

NOTHING: Final = "No file here defines anything that is known to be code."


def _found(model: Model, overlay: Overlay) -> RepoMap | None:
    return None if overlay.query else model.transcript.answers.repo_map


def _title(_: Model, overlay: Overlay) -> str:
    return f"Map: {one_line(visible(overlay.note), 40)}" if overlay.note else "Map"


def _rows(model: Model, overlay: Overlay) -> Iterator[Entry]:
    found = _found(model, overlay)
    for one in found.files if found is not None else ():
        more = (f"  … {one.left_out} more",) if one.left_out else ()
        said = count(len(one.lines) + one.left_out, "definition")
        about = "\n".join(visible(line) for line in (*one.lines, *more))
        yield Entry(one.path, visible(one.path), said, about)


def _about(_: Model, __: Overlay, row: Entry, width: int, room: int) -> Lines:
    """Line by line: a definition stands below that in which it is."""
    lines = row.about.split("\n") if row.about else []
    more = [*lines[: room - 1], f"  … {len(lines) - room + 1} more"] if len(lines) > room else lines
    return tuple((Span(line if len(line) <= width else f"{line[: width - 1]}…"),) for line in more)


def _instead(model: Model, overlay: Overlay) -> Lines:
    found = _found(model, overlay)
    if found is None or found.files:
        return ()
    return ((Span(found.problem or NOTHING, "warning" if found.problem else "normal"),),)


def _note(model: Model, overlay: Overlay) -> str:
    found = _found(model, overlay)
    return found.note if found is not None else ""


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    overlay = model.overlay
    if not isinstance(data, RepoMap) or overlay is None or overlay.query != id:
        return None
    filled = replace(overlay, query="", filled_at=model.at)
    return opening.refresh(replace(model, overlay=filled))


@command(argument="[path or words]", rank=57)
def map(model: Model, args: str) -> Step:
    """List what the files of the project define, the most used first. A path or words narrow it.
    Enter puts the file into the prompt."""
    shown, effects = opening.open_sheet(model, "map", note=args.strip())
    if shown.overlay is None:
        return shown, effects
    id = f"map-{shown.queries}"
    shown = replace(shown, overlay=replace(shown.overlay, query=id))
    asked = send(shown, Query(id, "repo_map", args.strip()))
    return asked[0], (*effects, *asked[1])


SHEET: Final = Sheet(
    _title,
    _rows,
    (Action("name", TAKES, "insert", files.name_file),),
    (map,),
    hears=(RepoMap,),
    on_answer=_on_answer,
    about_lines=9,
    about=_about,
    note=_note,
    instead=_instead,
    waits=lambda _, overlay: bool(overlay.query),
)
