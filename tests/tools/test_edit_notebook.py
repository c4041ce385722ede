from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tools.base import ToolResult
from agent_tui.tools.edit_notebook import TOOL
from tests.tools.context import Context, call

NOTEBOOK: dict[str, Any] = {
    "cells": [
        {
            "cell_type": "markdown",
            "id": "aa",
            "metadata": {"x": 1},
            "source": ["# Größe\n", "text"],
        },
        {
            "cell_type": "code",
            "execution_count": 3,
            "id": "bb",
            "metadata": {},
            "outputs": [{"output_type": "stream", "text": ["1"]}],
            "source": ["print(1)"],
        },
    ],
    "metadata": {"kernelspec": {"name": "python3"}, "own": [1.5, None]},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def change(folder: Path, text: str, **arguments: Any) -> tuple[ToolResult, str]:
    file = folder / "a.ipynb"
    file.write_bytes(text.encode())
    result = call(TOOL, Context(folder), path="a.ipynb", **arguments)
    return result, file.read_bytes().decode()


@pytest.mark.parametrize("indent", [1, 2, 4, "\t", None])
@pytest.mark.parametrize("escaped", [True, False])
def test_all_else_stays_as_it_is_written(tmp_path: Path, indent: Any, escaped: bool) -> None:
    text = json.dumps(NOTEBOOK, indent=indent, ensure_ascii=escaped) + "\n"
    result, after = change(
        tmp_path, text.replace("1.5", "1.50e0"), cell=1, source="print(2)\nprint(3)\n"
    )
    wanted, after = json.loads(text), after.replace("1.50e0", "1.5")
    wanted["cells"][1] |= {
        "execution_count": None,
        "outputs": [],
        "source": ["print(2)\n", "print(3)\n"],
    }
    assert result.tag == "ok", result.content
    assert after == json.dumps(wanted, indent=indent, ensure_ascii=escaped) + "\n"


def test_a_cell_is_inserted_and_deleted(tmp_path: Path) -> None:
    text = json.dumps(NOTEBOOK, indent=1, ensure_ascii=False)
    _, after = change(tmp_path, text, action="insert", cell=2, source="new", cell_type="markdown")
    cells = json.loads(after)["cells"]
    assert [cell["source"] for cell in cells][2] == ["new"] and len(
        {cell["id"] for cell in cells}
    ) == 3
    assert "outputs" not in cells[2]
    result, after = change(tmp_path, after, action="delete", cell=2)
    assert after == text and "2 cells now" in result.content


def test_a_cell_becomes_another_kind(tmp_path: Path) -> None:
    _, after = change(tmp_path, json.dumps(NOTEBOOK), cell=1, source="text", cell_type="markdown")
    assert json.loads(after)["cells"][1] == {
        "cell_type": "markdown",
        "id": "bb",
        "metadata": {},
        "source": ["text"],
    }


@pytest.mark.parametrize(
    ("text", "arguments", "tag"),
    [
        (json.dumps(NOTEBOOK), {"cell": 2, "source": "x"}, "not_found"),
        (json.dumps(NOTEBOOK), {"cell": 3, "action": "insert"}, "not_found"),
        ("{}", {"cell": 0}, "invalid_arguments"),
        ("[1", {"cell": 0}, "invalid_arguments"),
        ('{"cells": [1]}', {"cell": 0}, "invalid_arguments"),
        ('{"cells": 1}', {"cell": 0}, "invalid_arguments"),
    ],
)
def test_failures_change_nothing(
    tmp_path: Path, text: str, arguments: dict[str, Any], tag: str
) -> None:
    result, after = change(tmp_path, text, **arguments)
    assert (result.tag, after) == (tag, text)


def test_a_name_that_stands_twice_is_not_dropped(tmp_path: Path) -> None:
    text = json.dumps(NOTEBOOK).replace('"x": 1', '"x": 1, "x": 2')
    result, after = change(tmp_path, text, cell=1, source="print(2)")
    assert result.tag == "invalid_arguments" and after == text
    assert 'a.ipynb has "x" twice in one object' in result.content


def test_odd_characters_in_a_cell_stay(tmp_path: Path) -> None:
    source = "a\x0bb\x0cc\u2028d\ne"
    _, after = change(tmp_path, json.dumps(NOTEBOOK), cell=1, source=source)
    assert "".join(json.loads(after)["cells"][1]["source"]) == source


def test_a_text_that_looks_like_a_number_stays_a_text(tmp_path: Path) -> None:
    like = "\x000123\x00"
    notebook = {**NOTEBOOK, "metadata": {"own": [1.5, like], like: like}}
    _, after = change(tmp_path, json.dumps(notebook, indent=1), cell=1, source=like)
    held = json.loads(after)
    assert held["metadata"] == notebook["metadata"]
    assert held["cells"][1]["source"] == [like]
