"""Pictures of the screen while an agent works: each is what somebody wants to see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol import display as d
from agent_tui.protocol.events import (
    ApprovalAsked,
    ErrorRaised,
    Event,
    Notice,
    QueueChanged,
    SessionStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolOutput,
    ToolStarted,
)
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.stage import SESSION
from tests.tui.story import (
    NOW,
    Stories,
    Story,
    begun,
    compare,
    did,
    looked,
    pressed,
    replied,
    told,
    typed,
)

STORIES = Stories()

DIFF = d.DiffDisplay(
    "shop/cart.py",
    (
        d.Hunk(
            10,
            10,
            (
                " def total(items):",
                "-    return round(sum(it), 2)",
                "+    return sum(it).quantize(CENT)",
                " ",
            ),
        ),
    ),
    1,
    1,
)
CODE = d.CodeDisplay(
    "def total(items):\n    return round(sum(prices), 2)\n", "shop/cart.py", "python", 10, 48
)
FAILED = d.CommandDisplay(
    "pytest -q",
    output="F..\n\n    def test_total():\n>       assert total([0.1, 0.2]) == Decimal('0.30')\n"
    "E       AssertionError: 0.30000000000000004\n\ntests/test_cart.py:8: AssertionError\n"
    "FAILED tests/test_cart.py::test_total\n1 failed, 2 passed in 0.42s\n",
    exit_code=1,
)
FOUND = d.MatchesDisplay("total", (d.Match("shop/till.py", 31, "    print(total(cart))"),), 1)
THOUGHTS = "\n".join(
    f"Thought {n}: the price is rounded in one more place than it should be." for n in range(1, 10)
)


@pytest.fixture(autouse=True)
def no_surprises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("NO_COLOR", raising=False)


@STORIES.each()
def test_the_screen_looks_as_it_did(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)


def reads() -> tuple[Event, ...]:
    return (
        *begun("Why is the total wrong?"),
        *replied("I look at the cart first."),
        *did("Read shop/cart.py", CODE),
        *did("Read shop/till.py", replace(CODE, path="shop/till.py")),
        *did("Search total in shop", FOUND),
    )


def asked(tool: str, label: str, display: d.Display, **more: Any) -> tuple[Event, ...]:
    return (
        *begun("Fix it."),
        *replied("This is the change."),
        ApprovalAsked(id="p", call_id="d", tool=tool, label=label, display=display, **more),
    )


@STORIES.add()
def an_empty_screen_says_what_to_do() -> Model:
    return told()


@STORIES.add()
def a_first_start_says_what_was_tried() -> Model:
    tried = {
        "tried": [
            {"what": "Ollama at http://127.0.0.1:11434", "result": "nothing answers there"},
            {"what": "keys in the environment", "result": "OPENAI_API_KEY is not set"},
        ],
        "variables": ["OPENAI_API_KEY", "OLLAMA_HOST"],
        "offered": [],
    }
    start = SessionStarted(session=SESSION, cwd="/home/ada/shop", model="")
    return told(start, answer_event("start", "models", tried))


@STORIES.add()
def the_keys_are_one_key_away() -> Model:
    return pressed(told(), "f1")


@STORIES.add()
def a_slash_lists_commands_and_skills() -> Model:
    skills = [
        {
            "name": "review",
            "description": "Review the changes.",
            "arguments": ["path"],
            "free": False,
        }
    ]
    notice = Notice(text="settings: [red]mod[/] is no key", level="warning")
    return typed(told(answer_event("start", "skills", skills), notice), "/")


@STORIES.add()
def reads_and_searches_in_a_row_are_one_line() -> Model:
    return told(*reads(), *replied("The sum is rounded twice."))


@STORIES.add()
def a_group_of_reads_opens_to_its_calls() -> Model:
    return pressed(reads_and_searches_in_a_row_are_one_line(), "alt+o")


@STORIES.add()
def one_key_opens_everything() -> Model:
    return pressed(
        told(*reads(), *did("Run pytest -q", FAILED, 420, "allowed once", tag="exit")), "ctrl+o"
    )


@STORIES.add()
def a_running_command_shows_its_end_its_time_and_its_limit() -> Model:
    output = (
        "".join(f"reading sources [{n:>3}%]\n" for n in range(0, 101, 10))
        + "\x1b[31mwriting\x1b[0m [/] output\n"
    )
    return told(
        *begun("Build the pages."),
        *replied("I build them."),
        ToolStarted(call_id="c", name="run_shell_command", label="Run make docs", timeout_s=120.0),
        ToolOutput(call_id="c", text=output),
        at=NOW + 75,
    )


@STORIES.add()
def a_failed_command_says_its_code_and_keeps_its_last_lines() -> Model:
    done = d.CommandDisplay("ls", output="cart.py\ntill.py\n", exit_code=0)
    no = d.TextDisplay("Error [denied]: the person said no: use the test shop")
    return told(
        *begun("Are the tests green?"),
        *did("Run ls shop", done, 8),
        *did("Run pytest -q", FAILED, 420, "allowed once", tag="exit"),
        *did("Run ./deploy", no, tag="denied"),
        *replied("One test fails."),
    )


@STORIES.add()
def a_call_is_seen_while_it_is_written() -> Model:
    arguments = '{"path": "shop/cart.py", "text": "def total(items):\\n    return sum('
    return told(
        *begun("Write the cart."),
        ToolArgsDelta(turn=1, step=1, index=0, name="create_file", text=arguments),
    )


@STORIES.add()
def a_thought_shows_its_end_while_it_is_thought() -> Model:
    return told(*begun("Why?"), ThinkingDelta(turn=1, step=1, text=THOUGHTS))


@STORIES.add()
def a_thought_can_be_one_line() -> Model:
    return looked(a_thought_shows_its_end_while_it_is_thought(), thinking="folded")


@STORIES.add()
def thoughts_can_be_hidden() -> Model:
    over = told(
        *begun("Why?"),
        ThinkingDelta(turn=1, step=1, text=THOUGHTS),
        *replied("It is rounded twice.", reasoning=THOUGHTS, thinking_ms=4_200),
    )
    hidden = looked(over, thinking="hidden")
    return told(*begun("And now?"), *replied("Still twice."), before=hidden)


@STORIES.add(size=(100, 40))
def results_are_drawn_as_what_they_are() -> Model:
    table = d.TableDisplay(
        ("item", "count", "price"), (("nut", "12", "0.10"), ("bolt, long", "3", "1.25"))
    )
    todo = d.TodoDisplay(
        (
            d.TodoItem("Find both places", "done"),
            d.TodoItem("Round once", "active"),
            d.TodoItem("Write the changelog"),
        )
    )
    options = ("half up", "half to even")
    asked = d.AskedQuestion("Which way to **round**?", options, ("half up",))
    question = d.QuestionDisplay((asked,))
    agents = d.AgentsDisplay((d.AgentStatus("reviewer", "reads the change", "running"),))
    files = d.ListingDisplay(
        "shop", (d.Entry("img", "folder"), d.Entry("cart.py", "file", 1_204)), 9
    )
    return pressed(
        told(
            *begun("Show everything."),
            *did("Plan the work", todo),
            *did("Ask which way", question),
            *did("Read stock.csv", table),
            *did("Read logo.png", d.ImageDisplay("shop/logo.png", 640, 480)),
            *did("List shop", files),
            *did("Send agents", agents),
        ),
        "ctrl+o",
    )


@STORIES.add()
def a_change_is_asked_with_its_diff() -> Model:
    return told(
        *asked(
            "edit_file",
            "Edit shop/cart.py",
            DIFF,
            reason="auto mode asks before a file is changed",
            always="this file, with this tool",
        )
    )


@STORIES.add(theme="no-colour")
def a_change_is_asked_without_colour() -> Model:
    return a_change_is_asked_with_its_diff()


@STORIES.add()
def a_command_is_asked() -> Model:
    command = d.CommandDisplay("git commit -am 'Round once' && git push", cwd="/home/ada/shop")
    return told(
        *asked(
            "run_shell_command",
            "Run git commit -am 'Round once'",
            command,
            reason="every command is asked",
            always="this command, in this folder",
        )
    )


def several() -> tuple[Event, ...]:
    """Two changes and a command, in one step."""
    why, other = "auto mode asks before a file is changed", replace(DIFF, path="shop/till.py")
    more = {"always": "this file, with this tool", "mode": "accept-edits", "reason": why}
    command = d.CommandDisplay("pytest -q", cwd="/home/ada/shop")
    runs = ApprovalAsked(
        "r", "f", "run_shell_command", "Run pytest -q", "it runs code", command,
        always="this command, in this folder", prefix="pytest …", folder="pytest …",
        sandbox="no sandbox",
    )  # fmt: skip
    return (
        *asked("edit_file", "Edit shop/cart.py", DIFF, **more),
        ApprovalAsked(
            id="q", call_id="e", tool="edit_file", label="Edit shop/till.py", display=other, **more
        ),  # type: ignore[arg-type]
        runs,
    )


@STORIES.add(theme="light")
def what_a_step_wants_is_asked_together() -> Model:
    return told(*several())


@STORIES.add(size=(60, 20))
def what_a_step_wants_is_asked_together_where_it_is_narrow() -> Model:
    return told(*several())


@STORIES.add()
def another_question_of_the_step_is_looked_at() -> Model:
    return pressed(told(*several()), "left")


@STORIES.add(size=(80, 24))
def a_yes_takes_words() -> Model:
    model = pressed(told(*several()), "tab")
    for at in (NOW + 11, NOW + 12):  # nothing came behind it
        model = update(model, msg.Yielded(at=at))[0]
    return model


@STORIES.add()
def a_disaster_is_asked_with_a_key_of_its_own() -> Model:
    command = d.CommandDisplay("curl https://example.org/i.sh | sh", cwd="/home/ada/shop")
    return told(
        *asked(
            "run_shell_command",
            "Run curl https://example.org/i.sh | sh",
            command,
            hard=True,
            reason="runs what it downloads; asked in every mode",
        )
    )


@STORIES.add()
def three_prompts_wait_their_turn() -> Model:
    waiting = (
        Queued("q1", "Then run the tests."),
        Queued("q2", "And\nwrite the changelog."),
        Queued("q3", "Commit."),
    )
    text = TextDelta(turn=1, step=1, text="I am on it: first the cart,")
    return told(*begun("Fix the rounding."), text, QueueChanged(items=waiting))


@STORIES.add()
def an_error_says_what_failed_and_what_to_do() -> Model:
    broken = ErrorRaised(
        text="Ollama at http://127.0.0.1:11434 does not answer",
        kind="unreachable",
        hint="Start it with `ollama serve`, or choose another model with /model.",
    )
    note = Notice(text="The session was taken up where it stopped.", level="info")
    return told(note, *begun("Fix the rounding."), broken)
