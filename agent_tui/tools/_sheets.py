"""Files of comma or tab separated values, as tables for a person; the model gets their lines."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.protocol.display import TableDisplay

_MARKS: Final = {".csv": ",", ".tsv": "\t"}
COLUMNS: Final = 30
"""More are no table that anybody reads."""


def sheet(path: Path, lines: Sequence[str]) -> TableDisplay | None:
    """The table that `lines` are, the first one its header; None where they are none."""
    mark = _MARKS.get(path.suffix.lower())
    if mark is None or not lines:
        return None
    if mark == "," and lines[0].count(";") > lines[0].count(","):  # what spreadsheets write where a comma is decimal
        mark = ";"
    try:
        rows = [tuple(row) for row in csv.reader(lines, delimiter=mark, strict=True) if row]
    except csv.Error:
        return None
    if len(rows) < 2 or not 2 <= len(rows[0]) <= COLUMNS or any(len(row) != len(rows[0]) for row in rows):
        return None
    return TableDisplay(rows[0], tuple(rows[1:]))
