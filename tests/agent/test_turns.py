"""Turns through the real engine: answers, tools, failures, limits."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest

from agent_tui.agent.turn.executor import MOST_CALLS
from agent_tui.protocol import codec
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    ContextBuilt,
    DraftSaved,
    ErrorRaised,
    FileChanged,
    Partial,
    RequestSent,
    Retrying,
    SteerSeen,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    fold,
)
from agent_tui.protocol.ops import Answer, Clear, Query, Steer, Submit
from agent_tui.protocol.session_events import Answered
from agent_tui.protocol.transcript import TextBlock, ToolBlock, UserBlock
from agent_tui.sessions.log import store
from agent_tui.settings.table import AgentSettings, ToolSettings
from tests.agent.driving import Place

CALL = {"call": "list_files", "arguments": {"path": "."}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_turn_streams_settles_and_is_on_record(place: Place) -> None:
    with place.engine(place.script([{"text": "Hello **there**", "chunk": 3}])) as driver:
        end = driver.turn("hi")
    assert end.state == "completed"
    assert driver.all(AssistantReplied)[0].text == "Hello **there**"
    types = [record["type"] for record in place.log_lines()]
    order = [
        "session_started",
        "turn_started",
        "context_built",
        "step_started",
        "request_sent",
        "assistant_message",
    ]
    positions = [types.index(name) for name in order]
    assert positions == sorted(positions)
    assert types.index("usage") < types.index("turn_ended")
    assert [record["n"] for record in place.log_lines()] == list(range(1, len(types) + 1))


def test_what_arrives_together_is_told_together(place: Place) -> None:
    script = place.script([{"thinking": "hm " * 9, "chunk": 3}, {"text": "word " * 50, "chunk": 5}])
    with place.engine(script) as driver:
        driver.turn("go")
        thoughts, texts = driver.all(ThinkingDelta), driver.all(TextDelta)
    assert [delta.text for delta in thoughts] == ["hm " * 9]
    assert [delta.text for delta in texts] == ["word " * 50]


def test_the_law_holds_for_a_real_session(place: Place) -> None:
    (place.cwd).mkdir(parents=True)
    (place.cwd / "a.txt").write_text("one\n")
    steps = (
        [
            {"thinking": "let me look\n" * 30, "chunk": 7, "rate": 4000},
            {"text": "Reading.\n\n", "chunk": 2, "rate": 4000},
            {"call": "read_file", "arguments": {"path": "a.txt"}},
        ],
        [{"text": "# Done\n\n```py\nx = 1\n```\nend", "chunk": 1, "rate": 4000}],
    )
    with place.engine(place.script(*steps)) as driver:
        driver.turn("go")
        everything = list(driver.events)
    settled = [event for event in everything if event.settled]
    assert len(everything) > len(settled) + 20
    left, right = fold(everything), fold(settled)
    assert left.rows == right.rows
    assert (left.state, left.queue, left.context_tokens) == (
        right.state,
        right.queue,
        right.context_tokens,
    )


def test_tools_run_and_their_results_reach_the_model(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "a.txt").write_text("the text of a\n")
    model = place.script([{"call": "read_file", "arguments": {"path": "a.txt"}}], [{"text": "ok"}])
    with place.engine(model) as driver:
        assert driver.turn("read it").state == "completed"
        messages = driver.all(RequestSent)
    ended = driver.all(ToolEnded)[0]
    assert ended.tag == "ok" and "the text of a" in ended.content
    assert [request.messages for request in messages] == [1, 3]
    types = [record["type"] for record in place.log_lines()]
    assert (
        types.index("assistant_message") < types.index("tool_started") < types.index("tool_ended")
    )


def test_reads_of_one_step_run_side_by_side_and_all_are_answered(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    for name in "abc":
        (place.cwd / f"{name}.txt").write_text(name)
    calls = [{"call": "read_file", "arguments": {"path": f"{name}.txt"}} for name in "abc"]
    with place.engine(place.script(calls, [{"text": "ok"}])) as driver:
        driver.turn("read all")
        ended = driver.all(ToolEnded)
    assert len({event.call_id for event in ended}) == 3 and all(
        event.tag == "ok" for event in ended
    )


@pytest.mark.parametrize(
    ("call", "tag", "words"),
    [
        ({"call": "frobnicate", "arguments": {}}, "unknown_tool", "read_file"),
        ({"call": "read_file", "arguments": {}}, "invalid_arguments", "path"),
        (
            {"call": "read_file", "arguments": {"path": "a", "wrong": 1}},
            "invalid_arguments",
            "wrong",
        ),
        ({"call": "read_file", "arguments": "{not json"}, "invalid_arguments", "JSON"),
        ({"call": "read_file", "arguments": "[" * 100_000}, "invalid_arguments", "JSON"),
        ({"call": "read_file", "arguments": {"path": "missing.txt"}}, "not_found", "missing.txt"),
    ],
)
def test_every_failure_of_a_call_is_a_tagged_result(
    place: Place, call: dict[str, object], tag: str, words: str
) -> None:
    with place.engine(place.script([call], [{"text": "I see"}])) as driver:
        assert driver.turn("go").state == "completed"
        ended = driver.all(ToolEnded)[0]
    assert ended.tag == tag
    assert ended.content.startswith(f"Error [{tag}]: ") and words in ended.content


def test_a_tool_of_the_log_that_is_gone_is_not_offered_any_more(place: Place) -> None:
    model = place.script(
        [{"text": "first"}], [{"call": "list_files", "arguments": {}}], [{"text": "ok"}]
    )
    with place.engine(model) as driver:
        driver.turn("one")
        session = driver.events[0].session
    with place.engine("", resume=session, tools=ToolSettings(enabled=("read_file",))) as driver:
        driver.turn("two")
        ended = driver.all(ToolEnded)[0]
        offered = driver.all(ContextBuilt)[-1].tools
    assert ended.tag == "unknown_tool"
    assert "read_file" in offered and "list_files" not in offered


def test_what_the_model_gets_is_capped_and_says_so(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "big.txt").write_text("x" * 50_000)
    model = place.script([{"call": "grep_files", "arguments": {"pattern": "x"}}], [{"text": "ok"}])
    with place.engine(model, tools=ToolSettings(max_output_chars=1_000)) as driver:
        driver.turn("go")
        assert len(driver.all(ToolEnded)[0].content) < 1_200


def test_own_keys_never_reach_the_model_the_screen_or_the_log(place: Place) -> None:
    secret = "sk-abcdef0123456789abcdef"
    place.cwd.mkdir(parents=True)
    (place.cwd / "leak.txt").write_text(f"key = {secret}\n")
    model = place.script(
        [{"call": "read_file", "arguments": {"path": "leak.txt"}}], [{"text": "ok"}]
    )
    with place.engine(model, environment={"OPENAI_API_KEY": secret}) as driver:
        driver.turn("read")
        assert secret not in driver.all(ToolEnded)[0].content
        assert secret not in repr(driver.transcript())
    for path in place.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_what_a_file_of_secrets_holds_is_hidden_however_it_is_shown(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    word = "hun" + "ter"
    (place.cwd / ".env").write_text(f"DB_PASSWORD={word}\nPORT=1\n")
    calls = (
        ("read_file", {"path": ".env"}),
        ("grep_files", {"pattern": "PASS", "path": ".env"}),
        ("run_shell_command", {"command": "cat .env"}),
        ("edit_file", {"path": ".env", "old": "PORT=1", "new": "PORT=2"}),
        ("run_shell_command", {"command": "grep -rn PASS ."}),
    )
    model = place.script(
        *([{"call": name, "arguments": arguments}] for name, arguments in calls), [{"text": "ok"}]
    )
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        for _ in range(3):  # a command runs unasked in this mode
            asked = driver.until(ApprovalAsked)
            assert word not in repr(asked)
            driver.send(Answer(asked.id, "once"))
        driver.until(TurnEnded)
        ended = driver.all(ToolEnded)
        assert [event.tag for event in ended] == ["ok"] * len(calls)
        assert all("[hidden:password:" in event.content for event in ended[:3])
        assert word not in repr(driver.transcript()) + repr(ended) + repr(driver.all(FileChanged))


def test_own_keys_in_a_commands_output_are_hidden_in_pieces_and_on_disk(place: Place) -> None:
    secret = "sk-abcdef0123456789abcdef"
    say = f"printf {secret[:9]}; sleep 0.2; echo {secret[9:]}"
    command = f"{say}; for i in $(seq 9000); do echo {secret[:5]}'{secret[5:]}'; done; {say}"
    model = place.script(
        [{"call": "run_shell_command", "arguments": {"command": command}}], [{"text": "ok"}]
    )
    with place.engine(model, mode="accept-all", environment={"OPENAI_API_KEY": secret}) as driver:
        driver.turn("run")
        live = "".join(event.text for event in driver.all(ToolOutput))
        assert (
            "[hidden:key:" in live
            and secret not in live
            and secret not in driver.all(ToolEnded)[0].content
        )
    assert list(place.home.glob("outputs/*/*.txt"))
    for path in place.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_a_failure_that_may_pass_is_tried_again(place: Place) -> None:
    model = place.script(
        [
            {
                "fail": "server",
                "text": "503 busy",
                "may_pass": True,
                "retry_after": 0.01,
                "times": 2,
            },
            {"text": "now"},
        ]
    )
    with place.engine(model) as driver:
        assert driver.turn("go").state == "completed"
        assert [retry.attempt for retry in driver.all(Retrying)] == [2, 3]
        assert driver.transcript().retry is None


def test_a_failure_before_any_answer_gives_the_prompt_back(place: Place) -> None:
    model = place.script(
        [{"fail": "overflow", "text": "too long", "hint": "use /clear"}, {"text": "now"}]
    )
    with place.engine(model) as driver:
        assert driver.turn("my long prompt").state == "error"
        assert "shorten the prompt" in driver.all(ErrorRaised)[0].hint
        assert driver.all(DraftSaved)[-1].text == "my long prompt"
        driver.turn("again")
        assert (
            driver.all(RequestSent)[-1].messages == 1
        )  # the prompt that failed is not in the context


@pytest.mark.parametrize(
    "end", [{"cut": True}, {"fail": "broken_stream", "text": "reset", "may_pass": True}]
)
def test_a_stream_that_breaks_keeps_what_was_written(place: Place, end: dict[str, object]) -> None:
    with place.engine(
        place.script(
            [{"text": "half an answer"}, end], [{"text": "more"}, end], [{"text": "whole"}]
        )
    ) as driver:
        assert driver.turn("go").state == "error"
        assert driver.all(AssistantReplied)[0].text == "half an answer"
        assert driver.all(ErrorRaised)
        assert driver.turn("go on").state == "completed"


def test_a_long_answer_is_on_record_while_it_streams(place: Place) -> None:
    model = place.script([{"text": "word " * 4_000, "chunk": 50}])
    with place.engine(model) as driver:
        driver.turn("write")
        partials = driver.all(Partial)
        text = driver.all(AssistantReplied)[0].text
    assert len(partials) >= 3
    for before, after in pairwise(partials):
        assert after.offset == before.offset + len(before.text)
    assert text.startswith("".join(partial.text for partial in partials))


def test_the_step_limit_ends_the_turn(place: Place) -> None:
    calls = [[{"call": "list_files", "arguments": {"path": "."}, "id": f"c{n}"}] for n in range(5)]
    with place.engine(place.script(*calls), agent=AgentSettings(max_steps=2)) as driver:
        assert driver.turn("loop").state == "max_steps"
        assert len(driver.all(StepStarted)) == 2


def test_the_time_limit_ends_the_turn(place: Place) -> None:
    with place.engine(
        place.script([{"text": "a"}, {"hang": True}]), agent=AgentSettings(timeout=3)
    ) as driver:
        assert driver.turn("go").state == "timed_out"
        assert driver.all(AssistantReplied)[0].stop_reason == "cancelled"


def test_steering_enters_at_the_next_step(place: Place) -> None:
    model = place.script(
        [{"wait": 0.5}, {"call": "list_files", "arguments": {}}],
        {
            "branches": [
                {"when": "rather", "items": [{"text": "steered"}]},
                {"items": [{"text": "not steered"}]},
            ]
        },
    )
    with place.engine(model) as driver:
        driver.send(Submit("go"))
        driver.until(RequestSent)
        driver.send(Steer("rather do that"))
        driver.until(TurnEnded)
        assert driver.all(SteerSeen)[0].text == "rather do that"
        assert driver.all(AssistantReplied)[-1].text == "steered"


def test_steering_after_the_last_step_makes_another(place: Place) -> None:
    with place.engine(
        place.script([{"wait": 0.5}, {"text": "first"}], [{"text": "second"}])
    ) as driver:
        driver.send(Submit("go"))
        driver.until(RequestSent)
        driver.send(Steer("and this"))
        assert driver.until(TurnEnded).steps == 2
        assert [
            block.text for block in driver.transcript().rows if isinstance(block, TextBlock)
        ] == ["first", "second"]


def test_clear_empties_the_context_and_builds_it_anew(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}], [{"text": "two"}])) as driver:
        driver.turn("first")
        driver.send(Clear())
        driver.turn("second")
        assert [request.messages for request in driver.all(RequestSent)] == [1, 1]
        assert len(driver.all(ContextBuilt)) == 2
        assert [b.text for b in driver.transcript().rows if isinstance(b, UserBlock)] == [
            "first",
            "second",
        ]


def test_skills_expand_and_show_what_was_sent(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / ".agent-tui").mkdir()
    (place.cwd / ".agent-tui" / "skills.md").write_text("# /greet <name>\nSay hello to {name}.\n")
    with place.engine(place.script([{"text": "hello"}])) as driver:
        driver.turn("/greet Ada")
        started = driver.all(TurnStarted)[0]
    assert (started.prompt, started.skill) == ("/greet Ada", "greet")
    assert "Say hello to Ada." in started.sent


def test_a_skill_that_was_written_meanwhile_is_there_when_the_list_is_asked_for(
    place: Place,
) -> None:
    with place.engine(place.script([{"text": "hello"}])) as driver:
        (place.cwd / ".agent-tui").mkdir()
        (place.cwd / ".agent-tui" / "skills.md").write_text(
            "# /greet <name>\nSay hello to {name}.\n"
        )
        driver.send(Query("q", "skills"))
        listed = driver.until(Answered, lambda event: event.id == "q").data
        assert "greet" in [skill.name for skill in listed.skills]
        driver.turn("/greet Ada")
        assert "Say hello to Ada." in driver.all(TurnStarted)[0].sent


def test_every_event_of_a_real_log_survives_the_codec(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "a.txt").write_text("x\n")
    model = place.script([{"call": "read_file", "arguments": {"path": "a.txt"}}], [{"text": "ok"}])
    with place.engine(model) as driver:
        driver.turn("go")
    for event in driver.events:
        assert codec.load(json.loads(codec.encode(event))) == event
        assert event.session and event.at
    assert isinstance(driver.transcript().rows[1], ToolBlock)
    assert driver.all(UsageReported)[0].usage.estimated


def test_queries_are_answered(place: Place) -> None:
    with place.engine(place.script([{"text": "ok"}])) as driver:
        driver.turn("hello")
        driver.send(Query("q1", "sessions"))
        data = driver.until(Answered, lambda event: event.id == "q1").data
        assert (data.sessions[0].title, data.sessions[0].turns) == ("hello", 1)


def test_an_answer_with_thousands_of_calls_ends_with_the_limit_of_the_turn(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk: the end does not wait for it at each call, and calls that have begun do not
    keep the turn from its end."""
    synced = 0

    def slow(_: int) -> None:
        nonlocal synced
        synced += 1
        time.sleep(0.05)

    monkeypatch.setattr(store, "_sync", slow)
    limit = AgentSettings(timeout=3)
    makes = {"call": "create_file", "arguments": {"path": "a", "content": "x"}}
    model = place.script([makes] * 3_000)
    with place.engine(model, agent=limit, mode="accept-all") as driver:
        ended = driver.turn("go")
        assert ended.state == "timed_out"
        results = driver.all(ToolEnded)
        assert len(results) == MOST_CALLS + 1
        assert {result.tag for result in results[-40:]} == {"cancelled"}
        started = driver.all(ToolStarted)
        assert synced < len(started) + len(results) and len(started) < MOST_CALLS


def test_the_model_is_told_how_many_calls_one_answer_may_have(place: Place) -> None:
    script = place.script([CALL] * (MOST_CALLS + 50), [{"text": "done"}])
    with place.engine(script) as driver:
        assert driver.turn("go").state == "completed"
        results = driver.all(ToolEnded)
    assert [result.tag for result in results] == ["ok"] * MOST_CALLS + ["too_many"]
    assert f"one answer may have {MOST_CALLS}" in results[-1].content


def test_the_first_request_tells_nothing_that_the_projects_env_file_keeps(place: Place) -> None:
    value = "kP9xZq3L" + "mV7tRw2s"
    place.cwd.mkdir(parents=True, exist_ok=True)
    (place.cwd / ".env").write_text(f"STAGING_TOKEN={value}\n")
    (place.cwd / "AGENTS.md").write_text(f"Staging is reached with {value} as the header.\n")
    with place.engine(place.script([{"text": "Hello."}])) as driver:
        driver.turn("hi")
        [built] = driver.all(ContextBuilt)
    assert "Staging is reached with" in built.system
    assert value not in built.system
