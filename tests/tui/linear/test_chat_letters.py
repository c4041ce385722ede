"""What is typed or piped into `agent-tui chat` is what is sent, whatever the script and the locale."""

from __future__ import annotations

import pytest

from tests.agent.driving import Place
from tests.tui.linear.talk import chat, place, steps, terminal
from tests.tui.test_typed_terminal import WORDS, prompts

__all__ = ["place"]

PLACES = [
    {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}, {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "C"},
]  # fmt: skip


@pytest.fixture
def script(place: Place) -> str:
    return place.script(*steps(*(f"answer {number}." for number in range(len(WORDS)))))


@pytest.mark.parametrize("around", PLACES, ids=str)
def test_joiners_are_sent_through_a_pipe(place: Place, script: str, around: dict[str, str]) -> None:
    assert (
        chat(place, "".join(f"{words}\n" for words in WORDS), "-m", script, **around).returncode
        == 0
    )
    assert prompts(place.home) == WORDS


@pytest.mark.parametrize("at_once", [True, False], ids=["pasted", "typed"])
@pytest.mark.parametrize("around", PLACES, ids=str)
def test_joiners_are_sent_from_a_terminal(
    place: Place, script: str, around: dict[str, str], at_once: bool
) -> None:
    with terminal(place, "-m", script, **around) as it:
        for number, words in enumerate(WORDS):
            it.hear("> ")
            for part in [words] if at_once else words:
                it.type(part)
                it.read(0.02)
            it.type("\r")
            it.hear(f"answer {number}.")
    assert prompts(place.home) == WORDS
