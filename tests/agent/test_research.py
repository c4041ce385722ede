"""Tools that look things up: the third varied call tells the model to conclude, the sixth asks the
person."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.turn import tool_wiring
from agent_tui.protocol.events import QuestionAsked, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.tools.base import Arguments, Tool, ToolContext, ToolResult
from tests.agent.driving import Place


class LookUp(Arguments):
    question: str


async def look_up(arguments: LookUp, _: ToolContext) -> ToolResult:
    return ToolResult(f"something about {arguments.question}")


TOOL = Tool(
    name="look_up",
    description="Looks things up.",
    arguments=LookUp,
    effect="read",
    label=lambda a: f"Look up {a.question}",
    run=look_up,
    research=True,
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    real = tool_wiring.enabled_tools
    monkeypatch.setattr(
        tool_wiring, "enabled_tools", lambda *given: {**real(*given), TOOL.name: TOOL}
    )
    return Place(tmp_path)


def test_look_ups_nudge_at_three_and_ask_at_six(place: Place) -> None:
    steps = [[{"call": "look_up", "arguments": {"question": f"q{n}"}}] for n in range(6)]
    with place.engine(place.script(*steps, [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        question = driver.until(QuestionAsked)
        contents = [event.content for event in driver.all(ToolEnded)]
        assert [("[note:" in content) for content in contents] == [
            False,
            False,
            True,
            False,
            False,
            False,
        ]
        assert "6 look-ups" in question.text
        driver.send(Answer(question.id, "continue"))
        assert driver.until(TurnEnded).state == "completed"


def test_many_in_one_step_count_each(place: Place) -> None:
    calls = [{"call": "look_up", "arguments": {"question": f"q{n}"}} for n in range(3)]
    with place.engine(place.script(calls, [{"text": "done"}])) as driver:
        assert driver.turn("go").state == "completed"
        assert [("[note:" in event.content) for event in driver.all(ToolEnded)] == [
            False,
            False,
            True,
        ]
