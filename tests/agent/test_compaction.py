"""A conversation that would not fit any more becomes shorter, goes on, and nothing of it is lost;
against a real server with a small window."""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.history import History
from agent_tui.context.compaction import HEAD, INSTRUCTION
from agent_tui.protocol.answers import CompactionPlan, Ledger
from agent_tui.protocol.events import (
    Answered,
    AssistantReplied,
    Compacted,
    CompactionStopped,
    CompactionUndone,
    ErrorRaised,
    Event,
    Notice,
    ResultsFolded,
    Rewound,
    SteerSeen,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import ToolCall, UserMessage
from agent_tui.protocol.ops import (
    Cancel,
    Compact,
    Query,
    Rewind,
    Submit,
    UndoCompaction,
)
from agent_tui.protocol.tool_events import READ_RESULT
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Driver, Place
from tests.agent.model_server import (
    Always,
    Answer,
    call,
    engine,
    model_server,
    said,
    status,
    streamed,
)
from tests.campaigns import WHOLE

WINDOW = 8_192


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def is_summary(body: dict[str, Any]) -> bool:
    return bool(body["messages"][0]["content"] == INSTRUCTION)


def texts(body: dict[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in body["messages"])


def talks(body: dict[str, Any]) -> Answer:
    return (
        said("SUMMARY: the code is kept") if is_summary(body) else said("answer " + "word " * 300)
    )


def test_a_long_conversation_is_summarised_before_it_is_too_long(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            for number in range(40):
                assert driver.turn(f"question {number}: " + "more " * 60).state == "completed"
            events = driver.all(Compacted)
            asked = [body for body in server.bodies if not is_summary(body)]
    assert len(events) >= 2
    for event in events:
        assert event.after < event.before < WINDOW
        assert event.model == "compatible/m" and "SUMMARY" in event.summary
    last = texts(asked[-1])
    assert HEAD in last and "question 39" in last and "- question 0" in last
    assert max(len(texts(body)) for body in asked) < WINDOW * 5, "and none of them came near it"


def test_the_persons_own_words_stay(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            driver.turn("never use tabs")
            for number in range(12):
                driver.turn(f"question {number}: " + "more " * 60)
            summary = driver.all(Compacted)[-1].summary
    assert "- never use tabs" in summary


def test_a_server_that_refuses_gets_a_shorter_request_once(place: Place) -> None:
    refused = status(
        400, "This model's maximum context length is 8192 tokens, however you requested more"
    )

    def answer(body: dict[str, Any]) -> Answer:
        if is_summary(body):
            return said("SUMMARY")
        return (
            refused if "too much" in texts(body) and HEAD not in texts(body) else said("a " * 2_000)
        )

    with model_server() as server:
        server.answers = Always(server, answer)  # nobody knows its window
        with engine(place, server) as driver:
            for number in range(3):
                driver.turn(f"question {number}")
            assert driver.turn("too much").state == "completed"
            [event] = driver.all(Compacted)
    assert event.by == "overflow"
    assert not [body for body in server.bodies[-1:] if HEAD not in texts(body)]


def test_a_first_prompt_that_is_too_long_says_so_and_is_not_asked_again(place: Place) -> None:
    refused = status(400, "maximum context length is 8192 tokens")
    with model_server(refused) as server, engine(place, server) as driver:
        assert driver.turn("x" * 50_000).state == "error"
        assert driver.all(ErrorRaised)[-1].kind == "overflow"
    assert len(server.bodies) == 1


def test_old_results_become_one_line_and_come_back_when_asked_for(place: Place) -> None:
    content = "".join(f"value_{number} = {number}\n" for number in range(1_200))
    place.cwd.mkdir()
    (place.cwd / "a.py").write_text(content)
    reads = [
        {
            "index": at,
            "id": f"c{at}",
            "function": {
                "name": "read_file",
                "arguments": json.dumps(
                    {"path": "a.py", "start_line": at * 200 + 1, "end_line": at * 200 + 200}
                ),
            },
        }
        for at in range(5)
    ]
    steps = iter(
        [
            streamed({"tool_calls": reads}, end="tool_calls"),
            said("read"),
            *[said("answer " + "word " * 600)] * 4,
            streamed(call(READ_RESULT, '{"id": "c4"}', "again"), end="tool_calls"),
            said("thanks"),
        ]
    )
    with model_server() as server:
        server.window, server.answers = 16_384, Always(server, lambda _: next(steps))
        with engine(place, server) as driver:
            for number in range(6):
                ended = driver.turn(f"question {number}")
                assert ended.state == "completed", driver.all(ErrorRaised)
            assert driver.all(ResultsFolded) and not driver.all(Compacted)
            result = driver.all(ToolEnded)[-1]
    folded = next(body for body in server.bodies if "bytes of Python source code" in texts(body))
    assert "value_999" not in texts(folded)
    assert READ_RESULT in {tool["function"]["name"] for tool in folded["tools"]}
    assert result.name == READ_RESULT and "value_999 = 999" in result.content


def test_without_a_summary_what_can_be_said_is_said_and_no_model_is_asked_for_ever(
    place: Place,
) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        return status(500, "down") if is_summary(body) else talks(body)

    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, answer)
        with engine(place, server) as driver:
            for number in range(40):
                assert driver.turn(f"question {number}: " + "more " * 60).state == "completed"
            events = driver.all(Compacted)
    assert len(events) > 2 and not any(event.model for event in events)
    assert all("left out" in event.summary for event in events)
    assert len([body for body in server.bodies if is_summary(body)]) == 2


def test_a_resumed_session_sends_the_same(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            for number in range(12):
                driver.turn(f"question {number}: " + "more " * 60)
            assert driver.all(Compacted)
            driver.turn("one more")
            session, before = driver.events[0].session, server.bodies[-1]["messages"]
        with engine(place, server, resume=session) as driver:
            driver.turn("after it")
    after = server.bodies[-1]["messages"]
    assert after[: len(before)] == before


def test_it_can_be_switched_off(place: Place) -> None:
    refused = status(400, "maximum context length is 8192 tokens")
    settings = AgentSettings(compact=False)
    with model_server(said("a " * 3_000), refused) as server:
        server.window = WINDOW
        with engine(place, server, settings) as driver:
            driver.turn("first")
            assert driver.turn("second").state == "error"
            assert not driver.all(Compacted)


def test_what_a_summary_took_is_counted_and_is_no_step(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            for number in range(12):
                driver.turn(f"question {number}: " + "more " * 60)
            used = [one for one in driver.all(UsageReported) if one.purpose == "compaction"]
            assert len(used) == len(driver.all(Compacted))
            assert {ended.steps for ended in driver.all(TurnEnded)} == {1}
    assert json.dumps(server.bodies).count('"temperature": 0.2') == len(used)


def small_talk(driver: Driver, turns: int = 6) -> None:
    for number in range(turns):
        driver.turn(f"question {number}: " + "more " * 60)


def proposed(driver: Driver, focus: str = "") -> CompactionPlan:
    driver.send(Query("plan", "compaction", focus))
    answered = driver.until(Answered, lambda event: event.id == "plan")
    assert isinstance(answered.data, CompactionPlan)
    return answered.data


def test_the_row_of_a_prompt_is_what_the_person_said_without_what_was_recalled(
    place: Place,
) -> None:
    (place.home / "memory").mkdir(parents=True)
    (place.home / "memory" / "port.md").write_text("The harbour database listens on port 7777.")
    with model_server() as server:
        server.answers = Always(server, talks)
        with engine(place, server) as driver:
            driver.turn("which port does the harbour database listen on?")
            assert "[MEMORY]" in texts(server.bodies[-1])
            small_talk(driver)
            first = proposed(driver).going[0]
    assert first.words == "which port does the harbour database listen on?"


def test_a_person_sees_a_summary_changes_it_and_takes_it_back(place: Place) -> None:
    with model_server() as server:
        server.answers = Always(server, talks)
        with engine(place, server) as driver:
            small_talk(driver)
            plan = proposed(driver, "keep the ports")
            assert plan.after < plan.before and len(plan.going) < plan.of == 12
            assert not driver.all(Compacted), "nothing has changed yet"
            assert "keep the ports" in texts(server.bodies[-1])
            driver.send(Compact("my own words", len(plan.going), plan.of, (1,), "you"))
            driver.until(Compacted)
            driver.turn("go on")
            sent = texts(server.bodies[-1])
            assert "my own words" in sent and "question 0" not in sent
            assert sent.count("answer word") == 1 + 12 // 2 - len(plan.going) // 2
            driver.send(UndoCompaction())
            driver.until(CompactionUndone)
            driver.turn("and on")
            sent = texts(server.bodies[-1])
    assert "my own words" not in sent
    assert all(f"question {number}" in sent for number in range(6))
    assert "go on" in sent, "what was said since stays"


def test_a_summary_of_an_older_conversation_is_not_put_in_place(place: Place) -> None:
    with model_server() as server:
        server.answers = Always(server, talks)
        with engine(place, server) as driver:
            small_talk(driver)
            plan = proposed(driver)
            driver.turn("one more")
            driver.send(Compact(plan.summary, len(plan.going), plan.of))
            said = driver.until(Notice).text
            driver.send(Compact("my words", len(plan.going), plan.of, model="you"))
            assert "in the history" in driver.until(Notice).text
            driver.send(UndoCompaction())
            assert "no compaction to undo" in driver.until(Notice).text
    assert "went on" in said and "history" not in said and not driver.all(Compacted)


def test_a_short_conversation_is_not_compacted(place: Place) -> None:
    with model_server() as server:
        server.answers = Always(server, lambda _: said("hi"))
        with engine(place, server) as driver:
            driver.turn("hello")
            assert "short" in proposed(driver).problem
    assert len(server.bodies) == 1


def test_a_summary_that_is_called_off_leaves_nothing_behind(place: Place) -> None:
    began = threading.Event()

    def slow(_: BaseHTTPRequestHandler) -> None:
        began.set()
        time.sleep(0.5)

    with model_server() as server:
        server.answers = Always(server, lambda body: slow if is_summary(body) else talks(body))
        with engine(place, server) as driver:
            small_talk(driver)
            driver.send(Query("plan", "compaction"))
            assert began.wait(10)
            driver.send(Cancel())
            driver.until(CompactionStopped)
            assert driver.transcript().state == "idle" and not driver.transcript().compacting
            assert driver.turn("go on").state == "completed"
    assert not driver.all(Compacted)


def test_a_rewind_to_before_a_summary_brings_the_messages_back(place: Place) -> None:
    with model_server() as server:
        server.answers = Always(server, talks)
        with engine(place, server) as driver:
            small_talk(driver)
            begun = [event.n for event in driver.events if isinstance(event, TurnStarted)]
            plan = proposed(driver)
            driver.send(Compact(plan.summary, len(plan.going), plan.of))
            driver.until(Compacted)
            driver.send(Rewind(begun[3]))
            driver.until(Rewound)
            driver.turn("another way")
    sent = texts(server.bodies[-1])
    assert "question 2" in sent and "question 3" not in sent and HEAD not in sent


def test_the_ledger_is_the_request(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            small_talk(driver, 10)
            driver.send(Query("now", "context"))
            ledger = driver.until(Answered, lambda event: event.id == "now").data
    assert isinstance(ledger, Ledger)
    there = [part for part in ledger.parts if not part.gone]
    assert sum(part.tokens for part in there) == ledger.tokens
    names = {part.name for part in there}
    assert {"answers", "your prompts", "summary of older messages"} <= names
    gone = [part for part in ledger.parts if part.gone]
    assert [part.name for part in gone if part.tokens] == ["older messages, summarised"]
    untold = {part.name: part.source for part in gone if not part.tokens}
    assert untold["system: off-the-record"] == "this session is recorded"
    [work] = (part for part in there if part.name == "system: work")
    assert work.source == "built in" and work.text.startswith("# How to work")
    assert 0 < ledger.tokens < ledger.limit + 600 and ledger.window == WINDOW


def test_two_thousand_turns_in_a_small_window(place: Place) -> None:
    """The small version; `AGENT_TUI_RANDOM=1` has the whole."""
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            for number in range(2_000 if WHOLE else 60):
                assert driver.turn(f"question {number}: " + "more " * 60).state == "completed"
            assert "- question 0" in driver.all(Compacted)[-1].summary
    assert max(len(texts(body)) for body in server.bodies) < WINDOW * 5


def test_facts_are_there_after_each_of_five_summaries(place: Place) -> None:
    """What a good writer of summaries keeps is not lost by the program."""

    def answer(body: dict[str, Any]) -> Answer:
        if not is_summary(body):
            return said("noted " + "word " * 300)
        found = dict.fromkeys(re.findall(r"fact-\d+-is-\w+", texts(body)))
        return said("## Goal\n" + " ".join(found))

    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, answer)
        with engine(place, server) as driver:
            for number in range(20):
                driver.turn(f"fact-{number}-is-{'abcdefghijklmnopqrst'[number]} " + "more " * 40)
            number = 0
            while len(driver.all(Compacted)) < 8:
                driver.turn(f"question {number}: " + "more " * 60)
                number += 1
    sent = texts([body for body in server.bodies if not is_summary(body)][-1])
    kept = [n for n in range(20) if f"fact-{n}-is-" in sent]
    assert kept == list(range(20))


@pytest.mark.parametrize(
    ("refused", "window"),
    [
        (status(413, "Request Entity Too Large"), 0),
        (status(400, "input length and max_tokens exceed context limit: 9000 + 4096 > 8192"), 0),
        (status(400, "This model's maximum context length is 8192 tokens"), 0),
        (streamed({"content": "and so"}, end="length", used=(8_100, 92)), WINDOW),
    ],
    ids=["413", "input and answer", "OpenAI", "the answer fills it"],
)
def test_each_way_of_a_full_window_compacts_once_and_goes_on(
    place: Place, refused: Answer, window: int
) -> None:
    failed: list[int] = []

    def answer(body: dict[str, Any]) -> Answer:
        if is_summary(body):
            return said("SUMMARY")
        if "now it is full" in texts(body) and not failed:
            failed.append(1)
            return refused
        return said("a " * 1_500)

    with model_server() as server:
        server.window, server.answers = window, Always(server, answer)
        with engine(place, server) as driver:
            for number in range(3):
                driver.turn(f"question {number}")
            ended = driver.turn("now it is full")
            compacted = driver.all(Compacted)
    assert ended.state == "completed" and failed == [1]
    assert [event.by for event in compacted] == ["overflow"]


def test_a_result_fits_into_what_is_left_of_a_small_window(place: Place) -> None:
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("a long line of text for nothing\n" * 2_000)
    command = json.dumps({"command": "cat a.txt"})

    def answer(body: dict[str, Any]) -> Answer:
        if body["messages"][-1]["role"] == "tool":
            return said("read")
        return streamed(call("run_shell_command", command), end="tool_calls")

    lengths: list[int] = []
    for window in (0, WINDOW):
        with model_server() as server:
            server.window, server.answers = window, Always(server, answer)
            with engine(place, server) as driver:
                assert driver.turn("read it").state == "completed"
                lengths.append(len(driver.all(ToolEnded)[-1].content))
    assert lengths[0] > 30_000 and 2_000 <= lengths[1] < WINDOW


def test_a_turn_that_fails_behind_its_own_summary_loses_nothing() -> None:
    """The turn's beginning is summarised, and a word of the person stands first behind that."""
    events: list[Event] = [
        TurnStarted("the first question", n=1),
        AssistantReplied("the first answer"),
        TurnEnded("completed"),
        TurnStarted("read it", n=5),
        AssistantReplied(calls=(ToolCall("c1", "read_file"),)),
        ToolEnded(call_id="c1", name="read_file", label="", content="a long result"),
        SteerSeen("and the tests"),
    ]
    history = History()
    for event in events:
        history = history.with_event(event)
    replaced = len(history.messages) - 1
    history = history.with_event(Compacted("the summary", replaced))
    failed = history.with_event(TurnEnded("error"))
    assert [one.text for one in failed.messages if isinstance(one, UserMessage)] == [
        f"{HEAD}\n\nthe summary",
        "and the tests",
    ]
    whole = failed.with_event(CompactionUndone())
    assert len(whole.messages) == replaced + 1 and whole.has_answered()


def test_a_prompt_that_was_given_back_is_not_among_the_persons_words(place: Place) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        return status(401, "no") if "WRONG" in texts(body) else talks(body)

    with model_server() as server:
        server.answers = Always(server, answer)
        with engine(place, server) as driver:
            small_talk(driver)
            assert driver.turn("WRONG prompt").state == "error"
            plan = proposed(driver)
    assert "question 0" in plan.summary and "WRONG" not in plan.summary


def test_short_words_of_the_person_stay_though_they_stand_within_others(place: Place) -> None:
    with model_server() as server:
        server.answers = Always(server, talks)
        with engine(place, server) as driver:
            driver.turn("no")
            small_talk(driver)
            driver.turn("note that")
            plan = proposed(driver)
    assert "- no\n" in plan.summary


def test_no_id_of_a_call_is_given_twice_where_the_server_gives_none(place: Place) -> None:
    place.cwd.mkdir()
    for name in "abcdefgh":
        (place.cwd / f"{name}.txt").write_text(f"CONTENT-{name} " * 60)
    names = iter("abcdefgh")

    def answer(body: dict[str, Any]) -> Answer:
        if is_summary(body):
            return said("SUMMARY")
        if body["messages"][-1]["role"] != "user":
            return said("word " * 400)
        return streamed(call("read_file", json.dumps({"path": f"{next(names)}.txt"}), ""))

    with model_server() as server:
        server.answers = Always(server, answer)
        with engine(place, server) as driver:
            for _ in range(4):
                driver.turn("read the next")
            plan = proposed(driver)
            driver.send(Compact(plan.summary, len(plan.going), plan.of))
            driver.until(Compacted)
            for _ in range(4):
                driver.turn("read the next")
            ids = [ended.call_id for ended in driver.all(ToolEnded)]
    assert len(ids) == len(set(ids)) == 8


def test_a_summary_that_was_taken_back_is_not_made_again_at_once(place: Place) -> None:
    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, talks)
        with engine(place, server) as driver:
            number = 0
            while not driver.all(Compacted):
                driver.turn(f"question {number}: " + "more " * 60)
                number += 1
            driver.send(UndoCompaction())
            driver.until(CompactionUndone)
            driver.send(Query("now", "context"))
            ledger = driver.until(Answered, lambda event: event.id == "now").data
            assert isinstance(ledger, Ledger)
            assert ledger.limit == WINDOW - ledger.reserve > ledger.tokens, "only what does not fit"
            driver.turn("go on")
            assert len(driver.all(Compacted)) == 1
            assert HEAD not in texts(server.bodies[-1])


def test_a_turn_that_begins_as_a_summary_is_called_off_can_be_stopped(place: Place) -> None:
    began, talking, left = threading.Event(), threading.Event(), threading.Event()

    def slow(_: BaseHTTPRequestHandler) -> None:
        began.set()
        time.sleep(1.0)

    def endless(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("Content-Type", "text/event-stream")
        to.end_headers()
        data = json.dumps({"choices": [{"index": 0, "delta": {"content": "on "}}]})
        try:
            for _ in range(400):
                to.wfile.write(f"data: {data}\n\n".encode())
                talking.set()
                time.sleep(0.05)
        except OSError:
            left.set()

    def answer(body: dict[str, Any]) -> Answer:
        if is_summary(body):
            return slow
        return endless if "endless" in texts(body) else talks(body)

    with model_server() as server:
        server.answers = Always(server, answer)
        with engine(place, server) as driver:
            small_talk(driver)
            driver.send(Query("plan", "compaction"))
            assert began.wait(10)
            driver.send(Cancel())
            driver.send(Submit("endless"))
            assert talking.wait(10)
            driver.send(Cancel())
            assert driver.until(TurnEnded).state == "cancelled"
            assert left.wait(5), "the answer is not read on"


@pytest.mark.parametrize("window", [2_048, 4_096])
def test_a_summary_that_saves_little_is_not_put_in_place(place: Place, window: int) -> None:
    with model_server() as server:
        server.window, server.answers = window, Always(server, lambda _: said("words " * 60))
        with engine(place, server) as driver:
            for number in range(30):
                driver.turn(f"question {number}")
            events = driver.all(Compacted)
    by_limit = [event for event in events if event.by == "limit"]
    assert by_limit and all(event.after <= 0.85 * event.before for event in by_limit)


def test_a_result_that_the_model_has_not_read_stays_whole_where_a_summary_is_enough(
    place: Place,
) -> None:
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("CONTENT of the file\n" * 100)
    refused: list[int] = []

    def answer(body: dict[str, Any]) -> Answer:
        if is_summary(body):
            return said("SUMMARY")
        if body["messages"][-1]["role"] == "tool" and not refused:
            refused.append(1)
            return status(400, "This model's maximum context length is 8192 tokens")
        if "read it" in str(body["messages"][-1]["content"]):
            return streamed(call("read_file", '{"path": "a.txt"}', "c1"), end="tool_calls")
        return said("answer " + "word " * 200)

    with model_server() as server:
        server.answers = Always(server, answer)
        with engine(place, server) as driver:
            small_talk(driver)
            assert driver.turn("read it").state == "completed"
            assert [event.by for event in driver.all(Compacted)] == ["overflow"]
    assert server.bodies[-1]["messages"][-1]["content"].count("CONTENT") == 100
