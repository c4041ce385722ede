"""Changes a cell of a Jupyter notebook; all else in the file stays as it is written."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from typing import Any, Final, Literal

from pydantic import Field

from agent_tui.structures import late
from agent_tui.tools.base import LenientArguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.changes import Change, plan_changes, refuse_stale, run_planned
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import read_text, refuse_placeholders
from agent_tui.tools.support.notebook import refuse_many_parts

_INDENT: Final = late.pattern(r"[{\[]\r?\n([ \t]+)\"")


class EditNotebook(LenientArguments):
    path: str
    cell: int = Field(ge=0, description="its number, from 0; insert puts the new one before it")
    action: Literal["replace", "insert", "delete"] = "replace"
    source: str = ""
    cell_type: Literal["", "code", "markdown"] = ""


def work_out(arguments: EditNotebook, ctx: ToolContext) -> Change:
    path = ctx.path(arguments.path)
    shown = ctx.display_path(path)
    before = read_text(path, ctx)
    refuse_stale(path, before.raw, ctx)
    refuse_placeholders(arguments.source, before.text, "source")
    refuse_many_parts(before.text)
    mark = uuid.uuid4().hex  # no text has it: a number behind it stays as it is written
    try:
        notebook = json.loads(
            before.text, parse_float=lambda number: f"{mark}{number}", object_pairs_hook=_object
        )
        cells = notebook["cells"]
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ToolFailure("invalid_arguments", f"{shown} is no notebook with cells") from None
    except _Doubled as error:
        said = (
            f"{shown} has {error} twice in one object, of which one would be lost: nothing was done"
        )
        raise ToolFailure("invalid_arguments", f"{said}; use edit_file") from None
    _change(arguments, notebook, cells, shown)
    after = _written(notebook, before.text, mark)
    if after == before.text:
        raise ToolFailure("invalid_arguments", f"{shown} holds that already")
    display = diff(shown, before.text, after)
    done = {"replace": "Replaced", "insert": "Inserted", "delete": "Deleted"}[arguments.action]
    said = f"{done} cell {arguments.cell} of {shown}: it has {len(cells)} cells now."
    return Change(path, before.raw, before.encode(after), display, said)


class _Doubled(Exception):
    """A name stands twice in one object of the file."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Doubled(json.dumps(Counter(names).most_common(1)[0][0]))
    return found


def _change(
    arguments: EditNotebook, notebook: dict[str, Any], cells: list[dict[str, Any]], shown: str
) -> None:
    number, last = arguments.cell, len(cells) - (arguments.action != "insert")
    if number > last:
        said = f"{shown} has {len(cells)} cells: there is no cell {number} (the first is 0)"
        raise ToolFailure("not_found", said)
    if arguments.action == "delete":
        del cells[number]
        return
    if arguments.action == "insert":
        cells.insert(number, _new_cell(arguments.cell_type or "code", notebook, cells))
    cell = cells[number]
    if arguments.cell_type and cell.get("cell_type") != arguments.cell_type:
        for name in set(cell) - {"id", "metadata", "cell_type", "source"}:
            del cell[name]
        cell["cell_type"] = arguments.cell_type
    lines = arguments.source.splitlines(keepends=True)
    cell["source"] = arguments.source if isinstance(cell.get("source"), str) else lines
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}


def _new_cell(kind: str, notebook: dict[str, Any], cells: list[dict[str, Any]]) -> dict[str, Any]:
    version = notebook.get("nbformat"), notebook.get("nbformat_minor")
    named = any("id" in cell for cell in cells) or version in ((4, 5), (4, 6))
    return {
        "cell_type": kind,
        **({"id": uuid.uuid4().hex[:8]} if named else {}),
        "metadata": {},
        "source": [],
    }


def _written(notebook: dict[str, Any], before: str, mark: str) -> str:
    """The notebook as JSON, indented, escaped and ended as it was. A text with `mark` before it is
    a number with a fraction or an exponent."""
    found = _INDENT.search(before)
    tight = found is None and '": ' not in before[:2_000]
    text = json.dumps(
        notebook,
        indent=found[1] if found else None,
        ensure_ascii=before.isascii() and "\\u" in before,
        separators=(",", ":") if tight else None,
    )
    return re.sub(rf'"{mark}([^"]*)"', r"\1", text) + before[len(before.rstrip()) :]


async def plan(arguments: EditNotebook, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="edit_notebook",
    description="Replace, insert or delete a cell of a Jupyter notebook.",
    arguments=EditNotebook,
    effect="write",
    label=lambda a: f"{a.action.capitalize()} cell {a.cell} of {a.path}",
    run=run_planned(plan),
    paths=lambda a: (a.path,),
    plan=plan,
    group="files",
)
