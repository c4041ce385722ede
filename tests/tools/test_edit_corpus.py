"""Edits of a table, each with what must come of it: what may be overlooked, and where to overlook it
would be wrong. No edit is a wrong one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tools.edit_file import TOOL
from tests.tools.context import Context, call

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "edit_corpus.jsonl").read_text("utf-8").splitlines()
]


def arguments(old: Any, new: str, more: list[str]) -> dict[str, Any]:
    if isinstance(old, str):
        return {"old": old, "new": new, "replace_all": "all" in more}
    return {"edits": [{"old": one, "new": other} for one, other in old]}


def test_there_are_enough_of_them() -> None:
    assert len(ROWS) >= 120 and len({row[0] for row in ROWS}) == len(ROWS)
    assert sum(row[0].startswith("trap:") for row in ROWS) >= 40


@pytest.mark.parametrize("row", ROWS, ids=[row[0].replace(" ", "-") for row in ROWS])
def test_an_edit(tmp_path: Path, row: list[Any]) -> None:
    _, text, old, new, expected, *more = row
    file = tmp_path / "a.txt"
    file.write_bytes(text.encode())
    result = call(TOOL, Context(tmp_path), path="a.txt", **arguments(old, new, more))
    if expected.startswith("!"):
        assert (result.tag, file.read_bytes()) == (expected[1:], text.encode()), result.content
    else:
        assert (file.read_bytes().decode(), result.tag) == (expected, "ok"), result.content
