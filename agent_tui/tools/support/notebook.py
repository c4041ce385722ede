"""A Jupyter notebook as numbered cells, with their outputs shortened."""

from __future__ import annotations

import json
from typing import Any, Final

from agent_tui.tools.base import ToolFailure
from agent_tui.tools.support.pdf import page_range

SUFFIX: Final = ".ipynb"
MOST: Final = {"[{": 300_000, '"': 600_000, ",": 2_000_000}
"""Of these characters in a notebook: what takes memory and time is not its length, but of how many
parts it is made."""
_OUTPUT: Final = 1_000
"""Characters of a cell's output: its beginning and its end."""


def read_cells(text: str, wanted: str, room: int) -> str | None:
    """The cells wanted, as many as have `room`; None where the text is no notebook. Raises
    ToolFailure."""
    refuse_many_parts(text)
    try:
        # by functions of Python, between which other threads run
        cells = json.loads(text, object_hook=_same, parse_int=_int, parse_float=_float)["cells"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(cells, list):
        return None
    if not cells:
        return "The notebook has no cells."
    first, last = page_range(wanted, len(cells), "cell")
    parts: list[str] = []
    at = first
    for at in range(first, last + 1):
        part = _cell(at, cells[at - 1])
        if parts and len(part) > room:
            at -= 1
            break
        parts.append(part[:room] + ("…" if len(part) > room else ""))
        room -= len(part) + 1
    more = f" Read on with pages={at + 1}-." if at < len(cells) else ""
    return "\n".join([*parts, f"[Cells {first}-{at} of {len(cells)}.{more}]"])


def refuse_many_parts(text: str) -> None:
    """Raises ToolFailure where a notebook is made of so much that it is not taken apart."""
    if any(sum(map(text.count, marks)) > most for marks, most in MOST.items()):
        hint = "give start_line and end_line to read it as text"
        raise ToolFailure("too_large", f"the notebook has too many parts to be read; {hint}")


def _same(found: dict[str, Any]) -> dict[str, Any]:
    return found


def _int(digits: str) -> int:
    return int(digits)


def _float(digits: str) -> float:
    return float(digits)


def _cell(number: int, cell: Any) -> str:
    if not isinstance(cell, dict):
        return f"[Cell {number}: damaged]"
    outputs = cell.get("outputs")
    shown = [_output(one) for one in outputs] if isinstance(outputs, list) else []
    said = _shortened("\n".join(one for one in shown if one))
    lines = [f"[Cell {number}: {cell.get('cell_type', '?')}]", _text(cell.get("source"))]
    return "\n".join([*lines, *(["[Output]", said] if said else [])])


def _output(output: Any) -> str:
    """What a person would see of it: text, and the names of what is none."""
    if not isinstance(output, dict):
        return ""
    if "ename" in output:
        return f"{output['ename']}: {_text(output.get('evalue'))}"
    if "text" in output:
        return _text(output["text"])
    data = output.get("data")
    if not isinstance(data, dict):
        return ""
    others = [f"[{kind}]" for kind in data if kind.startswith(("image/", "application/"))]
    return "\n".join([*([_text(data["text/plain"])] if "text/plain" in data else []), *others])


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _shortened(text: str) -> str:
    text = text.rstrip()
    if len(text) <= _OUTPUT:
        return text
    half = _OUTPUT // 2
    return f"{text[:half]}\n… ({len(text) - 2 * half:,} more characters)\n{text[-half:]}"
