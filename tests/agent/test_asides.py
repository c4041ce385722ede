"""`/btw` on the real engine: beside a turn and without one, never part of the context, given up,
failed, on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.services.side_questions import NO_WORDS, request, without_open_calls
from agent_tui.agent.session.history import History
from agent_tui.protocol.events import (
    ApprovalAsked,
    AsideDelta,
    AsideEnded,
    ContextBuilt,
    RequestSent,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.protocol.ops import Answer, AskAside, Cancel, CancelAside, Submit
from agent_tui.protocol.turn_events import INSTRUCTION
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log.store import read
from agent_tui.structures.vec import Vec
from tests.agent.driving import Place

DONE = {"text": "done"}
CREATE = {"call": "create_file", "arguments": {"path": "new.txt", "content": "hello\n"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def aside(*items: object) -> dict[str, object]:
    """A branch for the question on the side."""
    return {"when": "on the side", "items": list(items)}


def test_it_is_answered_while_a_turn_runs_and_is_no_part_of_it(place: Place) -> None:
    used = {"usage": {"prompt_tokens": 70, "completion_tokens": 3}}
    first = {
        "branches": [
            aside({"text": "a monad ", "chunk": 4}, used),
            {"items": [{"text": "half"}, {"hang": True}]},
        ]
    }
    with place.engine(place.script(first)) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(AskAside("1", "what is it?"))
        ended = driver.until(AsideEnded)
        assert (ended.text, ended.state, ended.question) == ("a monad ", "completed", "what is it?")
        assert (
            ended.usage.prompt_tokens,
            ended.usage.completion_tokens,
            ended.usage.estimated,
        ) == (70, 3, False)
        assert "".join(event.text for event in driver.all(AsideDelta)) == "a monad "
        assert not driver.all(TurnEnded)
        before = driver.transcript()
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert before.context_tokens == 0 and not any("monad" in repr(row) for row in before.rows)
        assert len(driver.all(RequestSent)) == 1


def test_the_next_request_is_the_same_with_and_without_it(place: Place) -> None:
    def told(asks: bool) -> tuple[list[str], list[int]]:
        home = Place(place.root / str(asks))
        home.cwd.mkdir(parents=True)
        step = {"branches": [aside({"text": "well"}), {"items": [{"text": "done"}]}]}
        with home.engine(home.script(step, step)) as driver:
            for prompt in ("one", "two"):
                if asks:
                    driver.send(AskAside(prompt, "and?"))
                    assert driver.until(AsideEnded).text == "well"
                driver.turn(prompt)
            return [event.hash for event in driver.all(ContextBuilt)], [
                e.messages for e in driver.all(RequestSent)
            ]

    (built, counts), (built_too, counts_too) = told(True), told(False)
    assert len(built) == len(built_too) == 1 and counts == counts_too == [1, 3]


def test_a_question_that_is_given_up_keeps_what_was_said(place: Place) -> None:
    first = {"branches": [aside({"text": "half"}, {"hang": True}), {"items": [{"text": "done"}]}]}
    with place.engine(place.script(first)) as driver:
        driver.send(AskAside("1", "well?"))
        driver.until(AsideDelta)
        driver.send(CancelAside())
        ended = driver.until(AsideEnded)
        assert (ended.text, ended.state) == ("half", "cancelled")
        assert driver.turn("go").state == "completed"


def test_a_second_question_gives_up_the_first(place: Place) -> None:
    first = {"branches": [{"when": "one?", "items": [{"hang": True}]}, aside({"text": "two"})]}
    with place.engine(place.script(first)) as driver:
        driver.send(AskAside("1", "one?"))
        driver.send(AskAside("2", "other?"))
        ended = {
            event.id: event.state for event in (driver.until(AsideEnded), driver.until(AsideEnded))
        }
        assert ended == {"1": "cancelled", "2": "completed"}


@pytest.mark.parametrize(
    ("items", "said"),
    [([{"fail": "server", "text": "500"}], "500"), ([CREATE], NO_WORDS), ([{"cut": True}], "end")],
)
def test_what_goes_wrong_is_said_and_no_tool_runs(
    place: Place, items: list[object], said: str
) -> None:
    with place.engine(place.script({"branches": [aside(*items)]}), mode="accept-all") as driver:
        driver.send(AskAside("1", "well?"))
        ended = driver.until(AsideEnded)
        assert ended.state == "error" and said in ended.problem
        assert not (place.cwd / "new.txt").exists()


def test_it_is_asked_while_a_call_waits_for_consent(place: Place) -> None:
    first = {"branches": [aside({"text": "yes"}), {"items": [CREATE]}]}
    with place.engine(place.script(first, [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        question = driver.until(ApprovalAsked)
        driver.send(AskAside("1", "is it safe?"))
        assert driver.until(AsideEnded).text == "yes"
        driver.send(Answer(question.id, "no"))
        assert driver.until(TurnEnded).state == "completed"


def test_it_is_on_record_and_not_shown_again(place: Place) -> None:
    step = {"branches": [aside({"text": "well"}), {"items": [{"text": "done"}]}]}
    model = place.script(step, step)
    with place.engine(model) as driver:
        driver.turn("one")
        driver.send(AskAside("1", "and?"))
        driver.until(AsideEnded)
        shown = driver.transcript().rows
    [record] = [line for line in place.log_lines() if line["type"] == "aside_ended"]
    assert (record["question"], record["text"]) == ("and?", "well")
    with place.engine(model, resume=str(record["session"])) as driver:
        assert driver.restored is not None and list(driver.restored.rows) == list(shown)
        driver.turn("two")
        assert len(driver.all(TurnStarted)) == 1 and driver.all(RequestSent)[0].messages == 3


def test_the_request_is_the_next_one_up_to_the_question() -> None:
    tools = (ToolSpec("t", "d", {}),)
    done = AssistantMessage("a", calls=(ToolCall("1", "t"),))
    history = History("sys", tools, Vec((UserMessage("u"), done, ToolMessage("1", "t", "r"))))
    asked = request(history, "q?")
    assert (asked.system, asked.tools) == ("sys", tools)
    assert asked.messages == (*history.messages, UserMessage(f"{INSTRUCTION}q?"))


def test_calls_without_results_are_left_out() -> None:
    user = UserMessage("u")
    open_calls = AssistantMessage("a", calls=(ToolCall("1", "t"), ToolCall("2", "t")))
    assert without_open_calls(()) == () and without_open_calls((user,)) == (user,)
    assert without_open_calls((user, open_calls)) == (user,)
    assert without_open_calls((user, open_calls, ToolMessage("1", "t", "r"))) == (user,)
    settled = (user, open_calls, ToolMessage("2", "t", "r"), ToolMessage("1", "t", "r"))
    assert without_open_calls(settled) == settled and without_open_calls((*settled, user)) == (
        *settled,
        user,
    )


def test_a_question_that_was_refused_is_in_no_figure(place: Place) -> None:
    refused = [{"fail": "auth", "text": "bad key"}]
    broken = [{"text": "half"}, {"fail": "broken_stream", "text": "cut"}]
    step = {
        "branches": [
            {"when": "one?", "items": refused},
            {"when": "two?", "items": broken},
            {"items": [DONE]},
        ]
    }
    with place.engine(place.script(step)) as driver:
        for question in ("one?", "two?"):
            driver.send(AskAside(question, question))
            driver.until(AsideEnded)
        driver.turn("go")
    [log] = (place.home / "sessions").glob("*.jsonl")
    beside = stats(read(log)[0]).beside
    assert (beside.count, beside.unpriced) == (1, 0) and beside.tokens_in > 0
