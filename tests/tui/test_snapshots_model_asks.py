"""Pictures of the questions of the model and of a plan, and of what stands in the transcript then."""

from __future__ import annotations

from typing import Any

from agent_tui.agent.turn import sandbox_words
from agent_tui.agent.turn.loaded_skills import NO_MEANS, YES, YES_MEANS
from agent_tui.protocol import display as d
from agent_tui.protocol.events import (
    Event,
    QuestionAnswered,
    QuestionAsked,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnStarted,
)
from agent_tui.tui.core.model import Model
from tests.tui.story import NOW, Stories, Story, begun, compare, pressed, replied, told

STORIES = Stories()
CALL = ToolStarted(turn=1, step=1, call_id="c", name="ask_user", label="Ask 2 questions")
WAY = QuestionAsked(
    id="a",
    kind="ask",
    text="Which way should `total` round a **tie**?",
    options=("half to even", "half up"),
    call_id="c",
    details=("what Python does; no bias over many values", "what people learn at school"),
)
PYTHONS = QuestionAsked(
    id="b",
    kind="ask",
    text="Which interpreters must it support?",
    options=("CPython 3.11", "CPython 3.12", "PyPy 3.10"),
    call_id="c",
    details=("", "the one in CI", ""),
    multi=True,
)
PLAN = "## Round once\n\n1. Change `total` in `shop/cart.py`\n2. Add a test for a tie\n\n- no other callers"


def several() -> tuple[Event, ...]:
    return (*begun("Round the total."), CALL, WAY, PYTHONS)


@STORIES.add()
def the_model_asks() -> Model:
    return told(*several())


@STORIES.add(theme="light")
def several_may_be_chosen() -> Model:
    answered = QuestionAnswered(id="a", choice="choose", picks=(0,), turn=1)
    later = told(*several(), answered, at=NOW + 2)
    return pressed(later, "down", "space")


@STORIES.add(size=(60, 20))
def an_answer_can_be_changed() -> Model:
    answered = QuestionAnswered(id="a", choice="choose", picks=(1,), turn=1)
    return pressed(told(*several(), answered), "left")


@STORIES.add(theme="light", size=(80, 24))
def what_was_answered_stands_in_the_block() -> Model:
    way = d.AskedQuestion(WAY.text, WAY.options, ("only at the end",))
    pythons = d.AskedQuestion(PYTHONS.text, PYTHONS.options, ("CPython 3.11", "PyPy 3.10"))
    shown = d.QuestionDisplay((way, pythons))
    ended = ToolEnded(
        turn=1, step=1, call_id="c", name="ask_user", label=CALL.label, content="", display=shown
    )
    return pressed(told(*begun("Round the total."), CALL, ended, *replied("Good.")), "ctrl+o")


@STORIES.add(size=(80, 24))
def a_plan_is_proposed() -> Model:
    call = ToolStarted(turn=1, step=1, call_id="c", name="propose_plan", label="Propose a plan")
    asked = QuestionAsked(
        id="p",
        kind="plan",
        text="Start with this plan?",
        options=("start", "start, and accept edits"),
        call_id="c",
        details=("mode auto: edits ask, too", "mode accept-edits: commands ask"),
        display=d.PlanDisplay(PLAN),
    )
    return told(*begun("Round the total."), call, asked)


@STORIES.add(size=(80, 24))
def what_a_job_changed_is_asked() -> Model:
    names = sandbox_words.JOB.format("job 1 (make watch)", "AGENTS.md, .vscode/tasks.json")
    back = sandbox_words.JOB_BACK.format("~/.local/share/agent-tui/aside/4f1c")
    rules = d.Hunk(1, 1, (" # Rules", "+Always run make deploy."))
    new = d.Hunk(0, 1, ("+{}",))
    shown = d.DiffsDisplay(
        (
            d.DiffDisplay("AGENTS.md", (rules,), added=1),
            d.DiffDisplay(".vscode/tasks.json", (new,), added=1, created=True),
        )
    )
    asked = QuestionAsked(
        id="j", kind="confirm", text=names, options=(sandbox_words.JOB_STAYS, back), display=shown
    )
    return told(*begun("Watch the tests."), *replied("It runs."), asked)


@STORIES.add(size=(80, 24))
def a_skill_of_the_project_is_asked_about() -> Model:
    text = "---\nname: tidy\ndescription: Tidy up.\n---\nRemove what nobody uses in $ARGUMENTS.\n"
    asked = QuestionAsked(
        id="s",
        kind="skill",
        text="Use the skill /tidy of this project?\nIt is from .agents/skills/tidy/SKILL.md",
        options=(YES,),
        details=(YES_MEANS, NO_MEANS),
        display=d.TextDisplay(text),
    )
    return told(*begun("Round the total."), *replied("Done."), asked)


@STORIES.add(size=(80, 24))
def a_skill_runs_in_a_context_of_its_own() -> Model:
    of = {"agent": "audit-1", "step": 1}
    ended = ToolEnded(call_id="c", name="read_file", label="Read cart.py", content="x", **of)
    return told(
        TurnStarted(
            prompt="/audit cart.py", sent="[The skill audit runs …]", skill="audit", turn=1
        ),
        StepStarted(turn=1, step=1),
        TurnStarted(prompt="Audit cart.py.", agent="audit-1"),
        StepStarted(**of),
        ToolStarted(call_id="c", name="read_file", label="Read cart.py", **of),
        ended,
    )


@STORIES.each()
def test_the_screen_looks_right(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)
