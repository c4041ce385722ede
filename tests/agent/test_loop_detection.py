from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from agent_tui.agent.turn.loop_detection import (
    FAILURES,
    NOTHING_NEW,
    LoopGuard,
    Outcome,
    nudge,
    repeated_round,
    research_calls,
    research_reason,
    signature_of,
)
from agent_tui.agent.turn.step_notes import HOSTED_STEPS, LOCAL_STEPS, step_limit, steps_left_note
from agent_tui.protocol.events import ToolEnded
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Place

Step = tuple[Outcome, ...]


def step(
    name: str = "list_files", arguments: str = "{}", result: str = "a", research: bool = False
) -> Step:
    return (Outcome(name, arguments, result, research),)


def rounds(steps: Iterable[Step]) -> int:
    return repeated_round([signature_of(one) for one in steps])


def watched(steps: Iterable[Step]) -> tuple[list[bool], str]:
    """After which steps the model gets a hint, and why the turn is held in the end."""
    guard = LoopGuard()
    hints = [bool(guard.add(one)) for one in steps]
    return hints, guard.hold_reason


def test_the_same_call_with_the_same_result_three_times_is_a_loop() -> None:
    assert not rounds([step(), step()])
    assert rounds([step(), step(), step()]) == 1


@pytest.mark.parametrize("period", [1, 2, 3, 4])
def test_rounds_of_up_to_four_steps_are_a_loop_and_longer_ones_are_not(period: int) -> None:
    one = [step(arguments=f'{{"path": "{n}"}}') for n in range(period)]
    assert rounds([step("other"), *one * 3]) == period
    assert rounds([*one * 3][1:]) == 0
    longer = [step(arguments=f'{{"path": "{n}"}}') for n in range(5)]
    assert rounds(longer * 3) == 0


def test_the_model_gets_one_hint_and_then_the_turn_is_held() -> None:
    assert watched([step()] * 3) == ([False, False, True], "")
    hints, reason = watched([step()] * 4)
    assert hints == [False, False, True, False] and "three times in a row" in reason
    hints, reason = watched([step(), step("other")] * 3 + [step()])
    assert hints.count(True) == 1 and "same 2 steps" in reason
    other = step(arguments='{"path": "b"}', result="new")
    assert watched([step()] * 3 + [other])[1] == "", "it listened"


def test_failures_of_one_tool_on_one_file_are_a_loop() -> None:
    failed = [
        step("edit_file", f'{{"path": "a.py", "old": "{n}"}}', f"Error [no_match]: {n}")
        for n in range(FAILURES + 1)
    ]
    assert watched(failed[:-2]) == ([False] * (FAILURES - 1), "")
    hints, reason = watched(failed)
    assert hints[FAILURES - 1] and reason == f"edit_file failed {FAILURES + 1} times on a.py."
    good = step("edit_file", '{"path": "a.py", "old": "x"}', "Edited a.py")
    assert watched([*failed[:3], good, *failed[3:]])[0].count(True) == 0
    elsewhere = [
        step("edit_file", f'{{"path": "{n}.py"}}', "Error [no_match]: no") for n in range(9)
    ]
    assert watched(elsewhere) == ([False] * 9, "")
    denied = [
        step("edit_file", f'{{"path": "a", "o": {n}}}', "Error [denied]: no") for n in range(9)
    ]
    assert watched(denied) == ([False] * 9, "")


def test_steps_that_bring_nothing_new_are_a_loop() -> None:
    reads = [step("read_file", f'{{"path": "{n}"}}', str(n)) for n in range(5)]
    again = [reads[n] for n in (0, 2, 1, 4, 3, 1, 0, 3, 2)]
    hints, reason = watched([*reads, *again[:NOTHING_NEW]])
    assert hints[-1] and hints.count(True) == 1 and not reason
    assert "nothing new" in watched([*reads, *again])[1]
    change = step("edit_file", '{"path": "x"}', "Edited x")
    assert not any(watched([*reads, *again[:5], change, *again[5:]])[0])


def test_polling_something_that_changes_is_no_loop() -> None:
    assert watched([step(result=str(n)) for n in range(60)]) == ([False] * 60, "")
    both = [one for n in range(30) for one in (step("sleep"), step(result=str(n)))]
    assert watched(both) == ([False] * 60, "")


def test_spelling_of_arguments_does_not_matter_but_their_values_do() -> None:
    same = [
        step(arguments='{"a":1,"b":2}'),
        step(arguments='{"b": 2, "a": 1}'),
        step(arguments='{"a":1, "b":2}'),
    ]
    assert rounds(same)
    assert not rounds(
        [step(arguments='{"a":1}'), step(arguments='{"a":2}'), step(arguments='{"a":1}')]
    )


def test_only_the_last_steps_count() -> None:
    assert not rounds([step(), step(), step(), step("other")])
    assert rounds([step("other"), step(), step(), step()])


def test_a_batch_in_another_order_is_the_same_batch() -> None:
    one = (Outcome("a", "{}", "x"), Outcome("b", "{}", "y"))
    assert rounds([one, one[::-1], one])


def test_varied_research_nudges_at_three_and_asks_at_six() -> None:
    steps = [step("web_search", f'{{"q": {n}}}', str(n), research=True) for n in range(7)]
    assert [research_calls(steps[:n]) for n in range(8)] == list(range(8))
    assert [bool(nudge(n)) for n in range(1, 7)] == [False, False, True, False, False, False]
    assert [bool(research_reason(steps[:n])) for n in range(1, 8)] == [False] * 5 + [True, False]


def test_reads_are_never_counted_as_research() -> None:
    many = [step("grep_files", f'{{"pattern": "{n}"}}', str(n)) for n in range(20)]
    assert research_reason(many) == "" and watched(many)[1] == ""


class Served:
    def __init__(self, name: str, base_url: str = "") -> None:
        self.name, self.base_url = name, base_url


def test_the_limit_of_steps_is_by_where_the_model_runs_and_what_the_person_sets_wins() -> None:
    for near in (Served("ollama"), Served("demo"), Served("compatible", "http://127.0.0.1:1/v1")):
        assert step_limit(0, near) == LOCAL_STEPS == 50
    for far in (Served("openai", "https://api.openai.com/v1"), Served("anthropic")):
        assert step_limit(0, far) == HOSTED_STEPS == 200
        assert step_limit(7, far) == 7


def test_the_model_hears_of_the_last_steps_and_of_its_loop(tmp_path: Path) -> None:
    assert [n for n in range(1, 51) if steps_left_note(n, 50)] == [45, 49]
    assert not any(steps_left_note(n, 4) for n in range(1, 5))
    place = Place(tmp_path)
    (tmp_path / "work").mkdir()
    for n in range(12):
        (place.cwd / f"{n}.txt").write_text(str(n))
    reads = [[{"call": "read_file", "arguments": {"path": f"{n}.txt"}}] for n in range(12)]
    with place.engine(place.script(*reads), agent=AgentSettings(max_steps=10)) as driver:
        assert driver.turn("go").state == "max_steps"
        said = [ended.content for ended in driver.all(ToolEnded)]
    assert [n for n, text in enumerate(said, 1) if "left in this turn" in text] == [5, 9]
    loop = [[{"call": "list_files", "arguments": {}}]] * 4
    with place.engine(place.script(*loop), interactive=False) as driver:
        assert driver.turn("go").state == "stuck"
        said = [ended.content for ended in driver.all(ToolEnded)]
    assert ["Change the approach" in text for text in said] == [False, False, True, False]
