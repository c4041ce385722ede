from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import TodoDisplay, TodoItem
from agent_tui.tools.update_todos import CHARS, MOST, TOOL
from tests.tools.context import Context, call


def test_the_list_is_kept_shown_and_answered_in_one_line(tmp_path: Path) -> None:
    context = Context(tmp_path)
    todos = [
        {"text": " look\n at it ", "state": "done"},
        {"text": "mend it", "state": "active"},
        {"text": "test it"},
    ]
    result = call(TOOL, context, todos=todos)
    items = (TodoItem("look at it", "done"), TodoItem("mend it", "active"), TodoItem("test it"))
    assert (result.content, result.tag) == ("The todo list is saved: 1 of 3 done.", "ok")
    assert result.display == TodoDisplay(items)
    assert context.todos == [items]


def test_an_empty_list_is_none(tmp_path: Path) -> None:
    context = Context(tmp_path)
    assert call(TOOL, context, todos=[]).content == "The todo list is empty."
    assert context.todos == [()]


def test_words_of_other_programs_and_mere_texts_are_understood(tmp_path: Path) -> None:
    context = Context(tmp_path)
    call(
        TOOL,
        context,
        todos=[
            "a",
            {"text": "b", "state": "in_progress"},
            {"text": "c", "state": "completed"},
            {"text": "d", "state": None},
        ],
    )
    assert context.todos == [
        (TodoItem("a"), TodoItem("b", "active"), TodoItem("c", "done"), TodoItem("d"))
    ]


@pytest.mark.parametrize(
    ("todos", "said"),
    [
        ([{"text": "x"}] * (MOST + 1), "51 items are too many: at most 50"),
        ([{"text": "a"}, {"text": " \n"}, {"text": ""}], "item 2 has no text"),
        ([{"text": "x" * (CHARS + 1)}], "item 1 has 501 characters: at most 500"),
        (
            [{"text": "a", "state": "doing"}] * 9,
            "item 1 is 'doing': a state is pending, active or done",
        ),
        ([{"text": "a", "state": "active"}] * 3, "3 items are active: at most one may be"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_changes_nothing(
    tmp_path: Path, todos: Any, said: str
) -> None:
    context = Context(tmp_path)
    result = call(TOOL, context, todos=todos)
    assert result.tag == "invalid_arguments"
    assert result.content.startswith(f"Error [invalid_arguments]: {said}")
    assert "\n" not in result.content and len(result.content) < 150
    assert context.todos == []


def test_a_list_of_the_greatest_size_is_taken(tmp_path: Path) -> None:
    context = Context(tmp_path)
    assert call(TOOL, context, todos=[{"text": "x" * CHARS}] * MOST).tag == "ok"
    assert len(context.todos[0]) == MOST


def test_the_schema_names_the_states_and_nobody_is_asked() -> None:
    schema = json.dumps(TOOL.spec().parameters)
    assert '"enum": ["pending", "active", "done"]' in schema
    assert "$defs" not in schema
    assert TOOL.effect == "read" and not TOOL.research
    assert TOOL.label(TOOL.arguments(todos=[])) == "Clear the todo list"
