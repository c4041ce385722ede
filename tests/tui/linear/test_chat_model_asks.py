"""Questions of the model where there are only lines, and where nobody is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.agent.driving import Place
from tests.tui.linear.talk import chat, environment, place

__all__ = ["place"]

QUESTIONS = [
    {"question": "Which way?", "options": ["even", "up"]},
    {"question": "Which Pythons?", "options": ["3.11", "3.12", "3.13"], "multi": True},
    {"question": "Where to?", "options": ["here", "there"]},
]
ASK = {"call": "ask_user", "arguments": {"questions": QUESTIONS}}
PROPOSE = {"call": "propose_plan", "arguments": {"plan": "1. Do it"}}


def test_numbers_words_and_a_no_answer(place: Place) -> None:
    model = place.script([ASK], [{"text": "Done."}])
    lines = "go\n2\n1,3\nm in a new place\n/expand\n"
    done = chat(place, lines, "-m", model)
    assert "Tool: Ask 3 questions, up; 3.11, 3.13; in a new place" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("call", [ASK, PROPOSE])
def test_the_end_of_the_input_declines_and_is_no_failure(
    place: Place, call: dict[str, object]
) -> None:
    model = place.script([call], [{"text": "Done."}])
    done = chat(place, "go\n", "-m", model, "--mode", "plan")
    assert "Nobody answered, so it is declined." in done.stdout
    assert done.returncode == 0 and "Assistant: Done." in done.stdout


@pytest.mark.parametrize("call", [ASK, PROPOSE])
def test_headless_it_is_declined_and_is_no_failure(place: Place, call: dict[str, object]) -> None:
    model = place.script([call], [{"text": "Done."}])
    argv = ["-m", "agent_tui", "run", "go", "-m", model, "--mode", "plan"]
    done = subprocess.run(
        [sys.executable, *argv],
        cwd=place.cwd,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done.\n", "")
