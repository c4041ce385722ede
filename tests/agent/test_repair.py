"""Arguments that are no JSON: what is read, what is not guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tui.agent.turn import argument_repair
from agent_tui.protocol.events import ToolEnded, ToolStarted
from tests.agent.driving import Place


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('"{\\"a\\": \\"b\\"}"', {"a": "b"}),
        ('[{"a": 1}]', {"a": 1}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": 1},', {"a": 1}),
        ('{"a": True, "b": None}', {"a": True, "b": None}),
        ("{'a': 'it is', 'b': [True, None]}", {"a": "it is", "b": [True, None]}),
        ('{path: "x", "line": 3}', {"path": "x", "line": 3}),
        ('{"pattern": "\\d+\\."}', {"pattern": "\\d+\\."}),
        ('{"a": {"b": "c"', {"a": {"b": "c"}}),
        ('{"a": "b"}}', {"a": "b"}),
        ('{}{"a": 1}', {"a": 1}),
        ('{"a": 1}\n{"a": 1}', {"a": 1}),
        ('```\n{path: "x",}\n```', {"path": "x"}),
        ('{"a": "True, {x: 1,}",}', {"a": "True, {x: 1,}"}),
    ],
)
def test_one_reading_is_taken(text: str, wanted: dict[str, Any]) -> None:
    assert argument_repair.repair_object(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "{not json",
        "null",
        "[]",
        "[1, 2]",
        '"words"',
        '[{"a": 1}, {"b": 2}]',
        '{"a": 1}{"a": 2}',
        '{"a": "cut in the mid',
        '{"a": 12',
        '{"a": tr',
        '{"path": "C:\\new\\data"}',
        '{"a" "b"}',
        '{"a": "b" "c"}',
        '{"a": "x]}',
        "[" * 100_000,
        '{"a":' * 200 + '"b"',
        '\\"' * 20_000,
        '{"a": "b\\',
        "{1: 2}",
        "{'a': b'x'}",
        "{'a': " + '\\"' * 20_000 + "}",
        "{'a': [" + "'b' 'c'," * 5_000 + "]}",
    ],
    ids=lambda text: text[:20],
)
def test_nothing_is_guessed(text: str) -> None:
    assert argument_repair.repair_object(text) is None
    assert argument_repair.describe_error(text).startswith("the arguments are ")


def test_what_is_wrong_is_said_with_its_place() -> None:
    assert "character 13, near" in argument_repair.describe_error(
        '{"path": "a" "b"}'
    ) and "'" in argument_repair.describe_error('{"path": "a" "b"}')
    assert argument_repair.describe_error("[1]") == "the arguments are a list, not a JSON object"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_what_was_whole_comes_back_from_a_fence_a_text_and_a_missing_bracket(
    data: dict[str, Any],
) -> None:
    text = json.dumps(data)
    assert argument_repair.repair_object(text) == data
    assert argument_repair.repair_object(f"```json\n{text}\n```") == data
    assert argument_repair.repair_object(json.dumps(text)) == data
    assert argument_repair.repair_object(text + "}") == data
    assert argument_repair.repair_object(repr(data)) in (data, None)


@given(st.text(alphabet="{}[]\",:\\' ab1\n"))
def test_any_text_is_an_object_or_a_word_about_it(text: str) -> None:
    found = argument_repair.repair_object(text)
    assert found is None or isinstance(found, dict)
    assert argument_repair.describe_error(text)


def test_a_call_with_repaired_arguments_runs_and_the_model_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("hello\n")
    texts = "```json\n{path: 'a.txt'}\n```", "{'path': 'a.txt',}"
    steps = [[{"call": "read_file", "arguments": text}] for text in texts]
    with place.engine(place.script(*steps, [{"text": "ok"}])) as driver:
        assert driver.turn("go").state == "completed"
        first, second = driver.all(ToolEnded)
        [started] = driver.all(ToolStarted)
    assert first.tag == "invalid_arguments" and "near" in first.content
    assert second.tag == "ok" and "hello" in second.content and started.name == "read_file"
    assert second.content.endswith(
        '[note: the arguments were no valid JSON object and were read as {"path": "a.txt"}]'
    )
