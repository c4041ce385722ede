from __future__ import annotations

from agent_tui.agent.turn.loop_detection import (
    Outcome,
    hold_reason,
    is_repeating,
    nudge,
    research_calls,
)


def step(
    name: str = "list_files", arguments: str = "{}", result: str = "a", research: bool = False
) -> tuple[Outcome, ...]:
    return (Outcome(name, arguments, result, research),)


def test_the_same_call_with_the_same_result_three_times_is_stuck() -> None:
    assert not is_repeating([step(), step()])
    assert is_repeating([step(), step(), step()])
    assert "three times in a row" in hold_reason([step(), step(), step()])


def test_polling_something_that_changes_is_not_stuck() -> None:
    assert not is_repeating([step(result="1"), step(result="2"), step(result="3")])


def test_spelling_of_arguments_does_not_matter_but_their_values_do() -> None:
    same = [
        step(arguments='{"a":1,"b":2}'),
        step(arguments='{"b": 2, "a": 1}'),
        step(arguments='{"a":1, "b":2}'),
    ]
    assert is_repeating(same)
    assert not is_repeating(
        [step(arguments='{"a":1}'), step(arguments='{"a":2}'), step(arguments='{"a":1}')]
    )


def test_only_the_last_three_steps_count() -> None:
    assert not is_repeating([step(), step(), step(), step("other")])
    assert is_repeating([step("other"), step(), step(), step()])


def test_a_batch_in_another_order_is_the_same_batch() -> None:
    one = (Outcome("a", "{}", "x"), Outcome("b", "{}", "y"))
    assert is_repeating([one, one[::-1], one])


def test_varied_research_nudges_at_three_and_asks_at_six() -> None:
    steps = [step("web_search", f'{{"q": {n}}}', str(n), research=True) for n in range(7)]
    assert [research_calls(steps[:n]) for n in range(8)] == list(range(8))
    assert [bool(nudge(n)) for n in range(1, 7)] == [False, False, True, False, False, False]
    assert [bool(hold_reason(steps[:n])) for n in range(1, 8)] == [False] * 5 + [True, False]


def test_reads_are_never_counted_as_research() -> None:
    assert (
        hold_reason([step("grep_files", f'{{"pattern": "{n}"}}', str(n)) for n in range(20)]) == ""
    )
