"""What the model asks the person in a call, and the plan that it proposes: answers, nobody there,
an end in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.recovery import settle_open_turns
from agent_tui.protocol.display import AskedQuestion, PlanDisplay, QuestionDisplay
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    FileChanged,
    ModeChanged,
    QuestionAnswered,
    QuestionAsked,
    ToolEnded,
    TurnEnded,
    fold,
)
from agent_tui.protocol.ops import Answer, Cancel, Submit
from agent_tui.protocol.transcript import Question, ToolBlock, Transcript
from tests.agent.driving import Driver, Place

TIE = {
    "question": "Which way?",
    "options": [{"label": "half to even", "description": "no bias"}, "half up"],
}
PYTHONS = {"question": "Which Pythons?", "options": ["3.11", "3.12", "3.13"], "multi": True}
PLAN = "# Plan\n\n1. Do it"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def ask(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"call": "ask_user", "arguments": {"questions": list(questions)}}


def propose(plan: str = PLAN) -> dict[str, Any]:
    return {"call": "propose_plan", "arguments": {"plan": plan}}


@pytest.fixture
def driver(place: Place) -> Iterator[Driver]:
    with place.engine(place.script([ask(TIE)], [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        yield driver


def result(driver: Driver) -> ToolEnded:
    driver.until(TurnEnded)
    [ended] = driver.all(ToolEnded)
    return ended


def block(transcript: Transcript) -> ToolBlock:
    return next(row for row in transcript.rows if isinstance(row, ToolBlock))


@pytest.mark.parametrize(
    ("answer", "told", "answers"),
    [
        (Answer("", "choose", picks=(1,)), "The person chose: half up", ("half up",)),
        (
            Answer("", "say", "up, but not for\nprices"),
            "The person answered in their own words: up, but not for\nprices",
            ("up, but not for\nprices",),
        ),
        (Answer("", "no"), "The person declined to answer", ()),
        (Answer("", "choose", picks=(7,)), "The person declined to answer", ()),
        (Answer("", "choose"), "The person declined to answer", ()),
        (Answer("", "say", "  "), "The person declined to answer", ()),
        (Answer("", "choose", picks=(1, 0)), "The person chose: half to even", ("half to even",)),
    ],
)
def test_the_model_and_the_block_have_the_answer(
    driver: Driver, answer: Answer, told: str, answers: tuple[str, ...]
) -> None:
    asked = driver.until(QuestionAsked)
    assert (asked.kind, asked.options, asked.details) == (
        "ask",
        ("half to even", "half up"),
        ("no bias", ""),
    )
    assert block(driver.transcript()).state == "asking"
    driver.send(Answer(asked.id, answer.choice, answer.text, picks=answer.picks))
    ended = result(driver)
    assert ended.content.startswith(told) and ended.tag == "ok"
    shown = AskedQuestion("Which way?", asked.options, answers, not answers)
    assert ended.display == QuestionDisplay((shown,))
    assert driver.transcript().questions == ()


def test_several_are_open_at_once_and_an_answer_may_change_until_all_have_one(
    place: Place,
) -> None:
    with place.engine(place.script([ask(TIE, PYTHONS)], [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        way, pythons = driver.until(QuestionAsked), driver.until(QuestionAsked)
        driver.send(Answer(way.id, "choose", picks=(0,)))
        driver.until(QuestionAnswered)
        [first, second] = driver.transcript().questions
        assert isinstance(first, Question) and isinstance(second, Question)
        assert (first.id, first.answered, first.picks) == (way.id, True, (0,))
        assert (second.answered, driver.transcript().state) == (False, "waiting_for_input")
        driver.send(Answer(way.id, "say", "neither"))
        driver.until(QuestionAnswered)
        driver.send(Answer(pythons.id, "choose", picks=(2, 0)))
        ended = result(driver)
    assert ended.content == (
        "1. Which way?\n   The person answered in their own words: neither\n"
        "2. Which Pythons?\n   The person chose: 3.11; 3.13"
    )


@pytest.mark.parametrize("mode", ["auto", "manual", "plan", "accept-all"])
def test_no_mode_asks_whether_it_may_ask(place: Place, mode: str) -> None:
    with place.engine(place.script([ask(TIE)], [{"text": "done"}]), mode=mode) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(QuestionAsked).id, "no"))
        assert result(driver).tag == "ok" and not driver.all(ApprovalAsked)


@pytest.mark.parametrize("call", [ask(TIE), propose()])
def test_where_nobody_is_the_turn_goes_on_at_once(place: Place, call: dict[str, Any]) -> None:
    script = place.script([call], [{"text": "done"}])
    with place.engine(script, mode="plan", interactive=False) as driver:
        assert driver.turn("go").state == "completed"
        [ended] = driver.all(ToolEnded)
        assert ended.content.startswith("Nobody is there") and ended.tag == "ok"
        assert not driver.all(QuestionAsked) and not driver.all(ApprovalAnswered)


@pytest.mark.parametrize("call", [ask(TIE), propose()])
def test_esc_ends_it_and_the_block_keeps_what_was_asked(place: Place, call: dict[str, Any]) -> None:
    with place.engine(place.script([call], [{"text": "done"}]), mode="plan") as driver:
        driver.send(Submit("go"))
        asked = driver.until(QuestionAsked)
        driver.send(Cancel())
        ended = result(driver)
        assert ended.tag == "cancelled"
        now = block(driver.transcript())
        assert now.state == "cancelled" and now.proposed is None
        wanted = asked.display or QuestionDisplay((AskedQuestion("Which way?", asked.options),))
        assert now.display == wanted and driver.transcript().questions == ()
        driver.send(Answer(asked.id, "choose", picks=(0,)))  # too late: nobody waits for it
        assert driver.turn("again").state == "completed"


def test_a_kill_in_the_middle_cuts_the_call_off_as_any(driver: Driver) -> None:
    driver.until(QuestionAsked)
    seen = driver.transcript()
    settled = fold([*driver.events, *settle_open_turns(driver.events, seen)])
    assert settled.questions == () and settled.state == "idle"
    now = block(settled)
    assert (now.state, now.tag) == ("cancelled", "interrupted")
    assert isinstance(now.display, QuestionDisplay)
    driver.send(Cancel())
    driver.until(TurnEnded)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "0 questions"),
        ([TIE] * 5, "5 questions"),
        ([{"question": "Q", "options": ["one"]}], "question 1 has 1 options"),
        ([TIE, {"question": "Q", "options": list("abcdefg")}], "question 2 has 7 options"),
        ([{"question": "Q", "options": ["a", "a"]}], "labels that differ"),
        ([{"question": " ", "options": ["a", "b"]}], "0 characters"),
        ([{"question": "Q", "options": ["a", "b" * 81]}], "at most 80 characters"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_asked(
    place: Place, questions: list[dict[str, Any]], said: str
) -> None:
    with place.engine(place.script([ask(*questions)], [{"text": "done"}])) as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
        assert ended.tag == "invalid_arguments" and said in ended.content
        assert not driver.all(QuestionAsked)


# -- a plan


@pytest.mark.parametrize(
    ("answer", "mode", "told", "verdict"),
    [
        (Answer("", "choose", picks=(1,)), "accept-edits", "begin", "approved, mode accept-edits"),
        (Answer("", "choose", picks=(0,)), "auto", "begin", "approved, mode auto"),
        (Answer("", "say", "add tests"), "plan", "They said: add tests", "to be revised"),
        (Answer("", "no"), "plan", "rejected the plan", "rejected"),
    ],
)
def test_a_plan_is_judged_and_a_yes_leaves_plan_mode(
    place: Place, answer: Answer, mode: str, told: str, verdict: str
) -> None:
    with place.engine(place.script([propose()], [{"text": "done"}]), mode="plan") as driver:
        driver.send(Submit("go"))
        asked = driver.until(QuestionAsked)
        assert (asked.kind, asked.display) == ("plan", PlanDisplay(PLAN))
        driver.send(Answer(asked.id, answer.choice, answer.text, picks=answer.picks))
        ended = result(driver)
        assert told in ended.content and ended.display == PlanDisplay(PLAN, verdict)
        assert driver.transcript().mode == mode
        changed = [event.mode for event in driver.all(ModeChanged)]
        assert changed == ([mode] if mode != "plan" else [])


def test_what_stands_behind_the_plan_in_its_step_runs_under_the_new_mode(place: Place) -> None:
    create = {"call": "create_file", "arguments": {"path": "a.txt", "content": "x\n"}}
    with place.engine(place.script([propose(), create], [{"text": "done"}]), mode="plan") as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(QuestionAsked).id, "choose", picks=(1,)))
        driver.until(TurnEnded)
        assert driver.all(FileChanged) and (place.cwd / "a.txt").read_text() == "x\n"


def test_in_another_mode_it_is_an_error_that_says_so(place: Place) -> None:
    with place.engine(place.script([propose()], [{"text": "done"}])) as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
        assert ended.content == "Error [blocked]: plans are for plan mode, and this is auto: begin"
