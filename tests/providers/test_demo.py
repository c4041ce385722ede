"""The demo says what it is and obeys typed requests; whatever comes, it answers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.protocol.turn_events import INSTRUCTION
from agent_tui.providers.base import (
    Failed,
    Finished,
    ProviderSetup,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.demo import Demo, create
from agent_tui.providers.script.demo import words as demo_words
from tests.providers.demo_session import FACTS, Session

NOTICED = demo_words().notice.strip()
THOUGHT = demo_words().match_request("think").request.items[0]["thinking"]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "data")


# -- what it is


def test_it_says_what_it_is_once(session: Session) -> None:
    info = asyncio.run(session.demo.info())
    assert (info.name, info.tools) == ("demo/tour", True)
    assert asyncio.run(session.demo.models()) == (info,)
    assert session.demo.name + "/" + session.demo.model == "demo/tour"
    assert session.asked("hello").text.startswith(NOTICED)
    assert "not a language model" in NOTICED
    assert NOTICED not in session.asked("hello").text


def test_it_says_what_it_is_to_a_session_that_another_model_began(session: Session) -> None:
    session.messages = [UserMessage("hi"), AssistantMessage("Hello!", provider="ollama")]
    assert session.asked("help").text.startswith(NOTICED)


def test_a_question_on_the_side_is_answered_in_words_and_its_instruction_stays_hidden(
    session: Session,
) -> None:
    for question in ("why is the sky blue?", "tour", "list"):
        answer = session.asked(f"{INSTRUCTION}{question}")
        assert answer.calls == () and f"`{question}`" in answer.text, answer.text
        assert "no tool can be used" not in answer.text


def test_only_the_tour_exists_and_the_pace_is_a_number() -> None:
    with pytest.raises(LookupError, match=r"no model demo/gpt; there is: demo/tour"):
        create("gpt", ProviderSetup())
    for pace in ("fast", -1, True, float("nan")):
        with pytest.raises(LookupError, match="`pace`"):
            create("tour", ProviderSetup(options={"pace": pace}))


# -- typed requests


@pytest.mark.parametrize(
    ("typed", "tool", "arguments"),
    [
        ("read README.md", "read_file", {"path": "README.md"}),
        ('  READ "my file.md" ', "read_file", {"path": "my file.md"}),
        ("read a.py 10-20", "read_file", {"path": "a.py", "start_line": 10, "end_line": 20}),
        ("read a.py 7", "read_file", {"path": "a.py", "start_line": 7, "end_line": 7}),
        ("find TODO", "grep_files", {"pattern": "TODO"}),
        ("find f(x) + 1", "grep_files", {"pattern": r"f\(x\) \+ 1"}),
        ("list", "list_files", {"path": "."}),
        ("list src", "list_files", {"path": "src"}),
        ("run ls -l | wc", "run_shell_command", {"command": "ls -l | wc"}),
        (
            "replace one two with three in a.txt",
            "edit_file",
            {"path": "a.txt", "old": "one two", "new": "three"},
        ),
        (
            "replace 'a with b' with \"\" in x y.txt",
            "edit_file",
            {"path": "x y.txt", "old": "a with b", "new": ""},
        ),
        (
            "replace in with out in in.txt",
            "edit_file",
            {"path": "in.txt", "old": "in", "new": "out"},
        ),
        (
            "create a.txt with some words",
            "create_file",
            {"path": "a.txt", "content": "some words\n"},
        ),
        ("create a.txt: words", "create_file", {"path": "a.txt", "content": "words\n"}),
        (
            "create a.py\n  if x:\n    y\n",
            "create_file",
            {"path": "a.py", "content": "  if x:\n    y\n"},
        ),
        ("create 'a b.txt'", "create_file", {"path": "a b.txt", "content": ""}),
    ],
)
@pytest.mark.parametrize("facts", ["", FACTS])
def test_a_typed_request_is_a_tool_call(
    session: Session, typed: str, tool: str, arguments: dict[str, Any], facts: str
) -> None:
    session.say(typed, facts)
    answer = session.answer()
    assert answer.names == [tool]
    assert answer.arguments == arguments
    assert session.demo.roots == ()


@pytest.mark.parametrize(
    ("typed", "tool", "result", "said"),
    [
        (
            "read a.md",
            "read_file",
            "    1→x",
            "That is `a.md`, with line numbers. A model gets it like this.",
        ),
        (
            "read a.md",
            "read_file",
            "    3→x\n[Lines 3-3 of 12.]",
            "Those are lines 3 to 3 of the 12 lines of `a.md`.",
        ),
        ("read a.md", "read_file", "a.md is empty (0 bytes).", "`a.md` is empty."),
        ("list", "list_files", ". is an empty folder.", "`.` is empty."),
        ("find a(", "grep_files", "12 matches:\na.md\n", "12 matches for `a(`."),
        ("find a(", "grep_files", "No match for 'a\\\\(' in ..", "No line contains `a(`."),
        (
            "run false",
            "run_shell_command",
            "exit code 1\n(no output)",
            "The command ended with exit code 1.",
        ),
        (
            "run x",
            "run_shell_command",
            "Error [denied]: the person said no",
            "You said no, so nothing was done. The agent is told so and continues.",
        ),
        (
            "run x",
            "run_shell_command",
            "Error [denied]: the person said no: not now",
            "You said no, and `not now`. Nothing was done. A model would read your words.",
        ),
        (
            "run x",
            "run_shell_command",
            "Error [denied]: nobody can approve it here (auto mode)",
            "Nothing was done: it needed an approval, and nobody could give it.",
        ),
        (
            "create a",
            "create_file",
            "Error [blocked]: plan mode is read-only",
            "That was refused, so nothing was done: `plan mode is read-only`.",
        ),
        (
            "replace a with b in c",
            "edit_file",
            "Error [not_found]: c: there is no such file\nsecond line",
            "That did not work: `c: there is no such file`.",
        ),
        (
            "replace a with b in c",
            "edit_file",
            "Error [no_match]: It has no similar text: read the file again.",
            "That did not work: `It has no similar text: read the file again`.",
        ),
        ("create a`b", "create_file", "Created", "`` a`b `` was written."),
        ("list", "list_files", "x", "That is what is in `.`."),
    ],
)
def test_a_result_gets_one_true_sentence(
    session: Session, typed: str, tool: str, result: str, said: str
) -> None:
    session.asked("help")
    call = session.asked(typed)
    assert call.names == [tool]
    session.results(call, lambda _: result)
    answer = session.answer()
    assert answer.text == said
    assert answer.calls == ()


@pytest.mark.parametrize(
    "typed", ["read", "find", "run", "replace a", "replace a with b", "create"]
)
def test_an_unfinished_request_is_answered_by_a_whole_one(session: Session, typed: str) -> None:
    answer = session.asked(typed)
    assert answer.calls == ()
    assert f"A complete request is `{typed.split()[0]} " in answer.text


def test_a_long_text_is_no_request(session: Session) -> None:
    assert session.asked("find the cause\n\nThe problem: it breaks").calls == ()
    assert session.asked("run printf a\nprintf b").calls


def test_help_lists_the_requests_and_anything_else_points_to_it(session: Session) -> None:
    text = session.asked("help").text
    assert all(
        f"`{word}" in text
        for word in ("tour", "think", "list", "read", "find", "run", "replace", "create")
    )
    answer = session.asked("write me a *poem*\nplease")
    assert "I do not understand `write me a *poem* please`." in answer.text
    assert "`tour`" in answer.text
    assert "`help`" in answer.text
    assert session.asked("next").calls == ()


@pytest.mark.parametrize("typed", ["think", " Think "])
def test_think_thinks_before_it_answers(session: Session, typed: str) -> None:
    session.say(typed, FACTS)
    *parts, end = session.streamed()
    kinds = [type(part) for part in parts]
    first = kinds.index(TextChunk)
    assert set(kinds[:first]) == {ThinkingChunk} and set(kinds[first:]) == {TextChunk}
    assert "".join(part.text for part in parts if isinstance(part, ThinkingChunk)) == THOUGHT
    assert isinstance(end, Finished) and not end.calls
    said = session.answer().text
    assert said.startswith(NOTICED) and "`/thinking` shows thoughts `live`" in said
    session.say("help")
    assert not any(isinstance(part, ThinkingChunk) for part in session.streamed()), (
        "nothing else thinks unasked"
    )


def test_cut_off_in_its_first_thoughts_it_has_not_said_what_it_is(session: Session) -> None:
    session.messages = [
        UserMessage("think"),
        AssistantMessage("", reasoning="They want", provider="demo"),
    ]
    assert session.asked("help").text.startswith(NOTICED)


def test_think_about_something_is_no_request(session: Session) -> None:
    assert "I do not understand `think about tea`." in session.asked("think about tea").text


# -- whatever comes

words = st.text(max_size=40) | st.sampled_from(
    [
        "tour",
        "next",
        "tour from the start",
        "help",
        "think",
        "list",
        "read x",
        "run y",
        "replace a with b in c",
        "find",
        "?",
        "",
    ]
)
contents = st.text(max_size=20) | st.sampled_from(
    [
        "ok",
        "Error [denied]: the person said no: x",
        "Error [cancelled]: x",
        "Error [",
        "exit code 3",
    ]
)
states = st.sampled_from(
    ["", "{}", "[]", "null", "{", '{"tour": 1, "step": []}']
) | st.sampled_from(demo_words().tour).map(
    lambda step: json.dumps({"tour": "tour-7", "step": step.name})
)
messages = st.lists(
    words.map(UserMessage)
    | st.builds(
        AssistantMessage,
        st.text(max_size=9),
        provider=st.sampled_from(["demo", "", "ollama"]),
        state=states,
        calls=st.lists(st.builds(ToolCall, st.sampled_from("ab"), words, words), max_size=2).map(
            tuple
        ),
    )
    | st.builds(ToolMessage, st.sampled_from("ab"), words, contents),
    max_size=8,
)


def ends_once(items: list[StreamItem]) -> bool:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    return len(ends) == 1 and isinstance(items[-1], Finished) and len(items) > 1


@given(st.text() | words)
def test_any_words_get_an_answer_with_one_end(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    session = Session(tmp_path_factory.getbasetemp() / "any")
    session.say(text)
    assert ends_once(session.streamed())


@given(messages)
def test_any_history_is_answered(
    tmp_path_factory: pytest.TempPathFactory, history: list[Message]
) -> None:
    session = Session(tmp_path_factory.getbasetemp() / "any", history)
    assert ends_once(session.streamed())


def test_the_roots_are_none_before_a_tour(tmp_path: Path) -> None:
    assert Demo(tmp_path).roots == ()
