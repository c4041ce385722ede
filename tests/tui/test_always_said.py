"""What "always" would allow is a part of the answer: it stands whole wherever the answer does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display
from agent_tui.safety.policy import Facts, decide
from tests.safety.test_policy import path
from tests.tui.test_question_compact import EDIT, NEW, question, rows

LONG = CommandDisplay("\n".join(f"echo {number}" for number in range(40)), "/work/shop")
SHORT = CommandDisplay("make", "/work/shop")


def allowing(display: Display) -> str:
    """What the policy says that "always" allows."""
    facts = (
        Facts("edit_file", "write", (path("a.py"),))
        if isinstance(display, DiffDisplay)
        else Facts("run_shell_command", "execute", command="make", cwd="/work/shop")
    )
    return decide("manual", facts).always_text


@pytest.mark.parametrize("size", [(40, 12), (60, 14), (60, 20), (80, 24), (100, 30)], ids=str)
@pytest.mark.parametrize("display", [EDIT, NEW, SHORT, LONG], ids=["edit", "long", "make", "many"])
def test_what_always_allows_is_said_whole(display: Display, size: tuple[int, int]) -> None:
    limit = "this file" if isinstance(display, DiffDisplay) else "this command"
    asked = replace(question("Do it", display), always=allowing(display))
    shown = rows(asked, *size)
    assert any(f"session: {limit}" in row or f"session: exactly {limit}" in row for row in shown), (
        shown
    )


def test_an_answer_too_long_for_its_line_is_said_in_short() -> None:
    shown = rows(question("Edit cart.py", EDIT), 40, 30)
    assert any("session: this file" in row for row in shown), shown
    assert any("yes, accept edits" in row for row in shown), shown


@pytest.mark.parametrize("size", [(50, 12), (50, 18), (60, 18), (80, 24)], ids=str)
def test_how_long_an_answer_holds_is_said_before_what_it_allows(size: tuple[int, int]) -> None:
    long = "python -m pytest …"
    asked = replace(
        question("Do it", SHORT, why="auto mode asks before a command that may change something"),
        always="exactly this command, in this folder",
        prefix=long,
        folder=f"{long} tests/…",
    )
    shown = "\n".join(rows(asked, *size))
    assert f"session: {long}" in shown and "every session: python -m pytest" in shown, shown
    assert "every session: exactly" not in shown and "session: exactly this command" in shown
