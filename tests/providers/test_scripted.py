"""The scripted provider: every item, the choice of the step, and what a bad script says."""

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
    Request,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from agent_tui.providers.base import (
    CallChunk,
    Failed,
    Finished,
    ProviderError,
    ProviderSetup,
    StreamItem,
)
from agent_tui.providers.base import TextChunk as Said
from agent_tui.providers.base import ThinkingChunk as Thought
from agent_tui.providers.scripted import Scripted, create

HELLO = UserMessage("hello")
MINE = ToolCall("mine", "x", "{broken")
KEYS = (
    "steps",
    "branches",
    "when",
    "items",
    "text",
    "call",
    "fail",
    "usage",
    "stop",
    "arguments",
    "chunk",
)


def player(folder: Path, script: Any, name: str = "s.json") -> Scripted:
    text = script if isinstance(script, str) else json.dumps(script)
    (folder / name).write_text(text, encoding="utf-8")
    return create(name, ProviderSetup(cwd=folder))


def played(provider: Scripted, *messages: Message) -> list[StreamItem]:
    async def all_of_it() -> list[StreamItem]:
        return [item async for item in provider.stream(Request("", messages or (HELLO,)))]

    return asyncio.run(all_of_it())


def problem(folder: Path, script: Any, name: str = "s.json") -> str:
    """What a bad script says, in its stream and as an error: one line that names the file."""
    provider = player(folder, script, name)
    (failed,) = played(provider)
    assert isinstance(failed, Failed)
    with pytest.raises(ProviderError) as raised:
        asyncio.run(provider.info())
    assert raised.value.failed == failed
    assert "\n" not in failed.text
    assert failed.text.startswith(f"{folder / name}: ")
    return failed.text.removeprefix(f"{folder / name}: ")


def test_text_thinking_calls_usage_and_stop(tmp_path: Path) -> None:
    provider = player(
        tmp_path,
        [
            [
                {"thinking": "hm"},
                "one ",
                {"text": "two three", "chunk": 4},
                {"call": "read_file", "arguments": {"path": "ä"}},
                {"call": "x", "arguments": "{broken", "id": "mine", "chunk": 5},
                {"usage": {"prompt_tokens": 7, "completion_tokens": 3}},
            ]
        ],
    )
    assert played(provider) == [
        Thought("hm"),
        Said("one "),
        Said("two "),
        Said("thre"),
        Said("e"),
        CallChunk(0, id="call-1-1", name="read_file"),
        CallChunk(0, '{"path": "ä"}'),
        CallChunk(1, id="mine", name="x"),
        CallChunk(1, "{brok"),
        CallChunk(1, "en"),
        Finished(
            "tool_calls", (ToolCall("call-1-1", "read_file", '{"path": "ä"}'), MINE), Usage(7, 3)
        ),
    ]


def test_stop_reason_is_stop_or_what_the_script_says(tmp_path: Path) -> None:
    provider = player(tmp_path, [["a"], [{"stop": "length"}], []])
    answer = AssistantMessage("a")
    assert played(provider)[-1] == Finished("stop")
    assert played(provider, HELLO, answer) == [Finished("length")]
    assert played(provider, HELLO, answer, HELLO, answer) == [Finished("stop")]


def test_repeat_and_rate_cut_text_into_tokens(tmp_path: Path) -> None:
    provider = player(tmp_path, [[{"text": "abcdef", "repeat": 2, "rate": 100000}]])
    assert played(provider)[:-1] == [Said("abcd"), Said("efab"), Said("cdef")]


def test_step_is_the_number_of_answers_in_the_history(tmp_path: Path) -> None:
    provider = player(tmp_path, [["one"], ["two"]])
    call = ToolCall("c", "list_files")
    history: tuple[Message, ...] = (
        HELLO,
        AssistantMessage("one", calls=(call,)),
        ToolMessage("c", "list_files", "."),
    )
    assert played(provider, *history)[0] == Said("two")
    assert played(create("s.json", ProviderSetup(cwd=tmp_path)), *history)[0] == Said("two")
    said, end = played(provider, *history, AssistantMessage("two"), HELLO)
    assert said == Said("The script s.json has no more answers: it has 2.")
    assert end == Finished("stop")


def test_branches_choose_by_the_last_user_message(tmp_path: Path) -> None:
    branches = [{"when": "yes", "items": ["good"]}, {"items": ["else"]}]
    provider = player(tmp_path, [{"branches": branches}, {"when": "more", "items": ["again"]}])
    assert played(provider, UserMessage("oh yes"))[0] == Said("good")
    assert played(provider, UserMessage("no"))[0] == Said("else")
    assert played(provider, UserMessage("yes"), AssistantMessage("x"), UserMessage("more!"))[
        0
    ] == Said("again")
    unfit, end = played(provider, UserMessage("yes"), AssistantMessage("x"), UserMessage("less"))
    assert unfit == Said("Step 2 of the script s.json has no branch for this prompt.")
    assert end == Finished("stop")


def test_fail_with_times_fails_that_often_and_goes_on(tmp_path: Path) -> None:
    item = {
        "fail": "server",
        "text": "busy",
        "hint": "wait",
        "may_pass": True,
        "retry_after": 0.5,
        "times": 2,
    }
    provider = player(tmp_path, [["a", item, "b"]])
    failed = Failed("server", "busy", "wait", True, 0.5)
    assert [played(provider)[-1] for _ in range(2)] == [failed, failed]
    assert played(provider) == [Said("a"), Said("b"), Finished("stop")]
    always = player(tmp_path, [[{"fail": "overflow"}]])
    assert [played(always) for _ in range(4)] == [
        [Failed("overflow", "the script fails here (overflow)")]
    ] * 4


def test_cut_ends_without_an_end(tmp_path: Path) -> None:
    assert played(player(tmp_path, [["a", {"cut": True}, "b"]])) == [Said("a")]


def test_hang_waits_for_its_cancellation(tmp_path: Path) -> None:
    provider = player(tmp_path, [["a", {"wait": 0}, {"hang": True}, "b"]])
    heard: list[StreamItem] = []

    async def listen(began: asyncio.Event) -> None:
        async for item in provider.stream(Request("", (HELLO,))):
            heard.append(item)
            began.set()

    async def cancel_it() -> None:
        began = asyncio.Event()
        task = asyncio.create_task(listen(began))
        await began.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_it())
    assert heard == [Said("a")]


def test_jsonl_is_one_step_a_line(tmp_path: Path) -> None:
    provider = player(
        tmp_path, '{"window": 100, "thinking": true}\n["one"]\n\n{"items": ["two"]}\n', "s.jsonl"
    )
    info = asyncio.run(provider.info())
    assert (info.name, info.window, info.tools, info.thinking) == (
        "scripted/s.jsonl",
        100,
        True,
        True,
    )
    assert asyncio.run(provider.models()) == (info,)
    assert played(provider)[0] == Said("one")
    assert played(provider, HELLO, AssistantMessage("one"))[0] == Said("two")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "[[\n{]]",
            "line 2, column 2: not JSON: Expecting property name enclosed in double quotes",
        ),
        ('"x"', "the script: must be a list of steps, or an object with `steps`"),
        ("{}", "the script: `steps` is missing"),
        ({"steps": [], "stepz": 1}, "the script: unknown key 'stepz'"),
        ({"steps": 3}, "the script: `steps` must be a list"),
        ([["a"], 3], "step 2: must be a list of items, or an object with `items`"),
        ([{"when": "x"}], "step 1: `items` is missing"),
        (
            [{"branches": [["a"], {"items": [{"text": 3}]}]}],
            "step 1, branch 2, item 1: `text` must be text",
        ),
        ([["a", {"text": "b", "txt": "c"}]], "step 1, item 2: unknown key 'txt'"),
        ([[{"text": "b", "chunk": True}]], "step 1, item 1: `chunk` must be a whole number"),
        ([[{"text": "b", "delay": -1}]], "step 1, item 1: `delay` must be 0 or more"),
        (
            [[{"text": "b", "delay": 1, "rate": 1}]],
            "step 1, item 1: has `rate` and `delay`; remove one of them",
        ),
        ([[{"hang": False}]], "step 1, item 1: `hang` must be true"),
        (
            [[{"call": "x", "arguments": [1]}]],
            "step 1, item 1: `arguments` must be an object or text",
        ),
        ([[{"usage": {"tokens": 1}}]], "step 1, item 1: unknown key 'tokens'"),
        (
            [[{"text": "ab", "repeat": 10**30}]],
            "step 1, item 1: the text is longer than 16,000,000 characters",
        ),
        ([[{"wait": 10**400}]], "step 1, item 1: `wait` must be 0 or more"),
    ],
)
def test_a_bad_script_says_where_and_what(tmp_path: Path, script: Any, said: str) -> None:
    assert problem(tmp_path, script) == said


def test_the_documents_quote_a_mistake_as_it_is_said(tmp_path: Path) -> None:
    mistakes = (
        (Path(__file__).parents[2] / "docs" / "scripted.md")
        .read_text("utf-8")
        .partition("## Mistakes")[2]
    )
    said = problem(tmp_path, [["a"], [{"txt": "Done."}]], "plan.json")
    assert f"\nplan.json: {said}\n" in mistakes and '`[{"txt": "Done."}]`' in mistakes


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"txt": "a"}, "has 'txt'; it must have exactly one of: text, thinking, call"),
        (
            {"text": "a", "call": "b"},
            "has `text` and `call`; it must have exactly one of: text, thinking, call",
        ),
        ({"fail": "sometimes"}, "`fail` is 'sometimes'; it must be one of: unreachable, auth"),
        ({"stop": "now"}, "`stop` is 'now'; it must be one of: stop, tool_calls"),
    ],
)
def test_a_wrong_name_lists_the_right_ones(tmp_path: Path, item: Any, said: str) -> None:
    assert problem(tmp_path, [[item]]).startswith(f"step 1, item 1: {said}")


def test_a_bad_line_of_jsonl_is_named(tmp_path: Path) -> None:
    assert problem(tmp_path, '["a"]\n["b"\n', "s.jsonl").startswith("line 2, column ")
    assert problem(tmp_path, '["a"]\n{"items": 1}\n', "s.jsonl") == "line 2: `items` must be a list"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    def failed(name: str) -> Failed:
        (item,) = played(create(name, ProviderSetup(cwd=tmp_path)))
        assert isinstance(item, Failed)
        return item

    assert failed("gone.json").text == f"no script file {tmp_path / 'gone.json'}"
    assert failed("").text == f"no script file {tmp_path}"
    assert failed("a\0b").kind == "unknown_model"
    (tmp_path / "latin.json").write_bytes(b'["\xe4"]')
    assert failed("latin.json").text == f"{tmp_path / 'latin.json'}: not valid UTF-8 at byte 2"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_script_or_one_clear_line(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    items = played(player(tmp_path_factory.mktemp("s"), json.dumps(data)))
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    assert len(ends) == 1
    assert items[-1] is ends[0]
    if isinstance(ends[0], Failed):
        assert "\n" not in ends[0].text


@given(st.text(), st.integers(0, 4))
def test_whatever_is_said_there_is_one_end(
    tmp_path_factory: pytest.TempPathFactory, said: str, before: int
) -> None:
    provider = player(tmp_path_factory.mktemp("s"), [["a"], {"when": "b", "items": ["c"]}])
    items = played(provider, *(AssistantMessage("x") for _ in range(before)), UserMessage(said))
    assert [isinstance(item, Finished) for item in items] == [False] * (len(items) - 1) + [True]
