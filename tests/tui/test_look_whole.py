"""What must not be cut off where there is little room, and what must be seen where there are few
colours."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from rich.cells import cell_len

from agent_tui.paths import shipped_folder
from agent_tui.protocol.display import (
    CommandDisplay,
    DiffDisplay,
    Hunk,
    Match,
    MatchesDisplay,
    TextDisplay,
)
from agent_tui.protocol.events import ApprovalAsked, QueueChanged
from agent_tui.protocol.transcript import Queued, ToolBlock
from agent_tui.tui.core.model import Model
from agent_tui.tui.dialog.widget import Dialog, options_lines
from agent_tui.tui.transcript.diff import diff_lines
from agent_tui.tui.transcript.displays import display_lines
from agent_tui.tui.transcript.tool_block import LAST_LINES, tool_lines
from agent_tui.tui.view import view
from agent_tui.tui.widgets.theme import load_theme
from tests.tui.story import begun, pressed, still, told

THEMES = [shipped_folder("themes")]


def failed(text: str, width: int) -> list[str]:
    block = ToolBlock(
        "1",
        "edit_file",
        "Edit shop/cart.py",
        state="failed",
        display=TextDisplay(text),
        tag="write_failed",
    )
    return [line.text for line in tool_lines(block, width, False, 0, cell_len)]


def test_the_reason_of_a_failure_is_wrapped_not_cut() -> None:
    reason = "shop/cart.py holds nothing of that kind, as far as I can see it from here"
    assert failed(reason, 120)[1:] == [f"  {reason}"]
    narrow = failed(reason, 44)[1:]
    assert len(narrow) == 2 and " ".join(line.strip() for line in narrow) == reason
    long = failed(f"{reason} " * 9, 44)[1:]
    assert (
        len(long) == LAST_LINES and long[-1].endswith("…") and all(len(line) <= 44 for line in long)
    )


def queue(width: int) -> Model:
    words = "And write the changelog, with a line about the cent and another that says who found it"
    waiting = (Queued("q1", "Then run the tests."), Queued("q2", words), Queued("q3", "Commit."))
    model = told(*begun("Fix the rounding."), QueueChanged(items=waiting))
    return pressed(replace(model, width=width), "alt+q")


@pytest.mark.parametrize("width", range(40, 121, 4))
def test_the_state_of_a_prompt_that_waits_is_whole(width: int) -> None:
    overlay = view(queue(width)).overlay
    assert overlay is not None
    rows = [
        "".join(run.text for run in row)
        for row in options_lines(overlay.options, 0, width - 6, True)
    ]
    assert ["next" in rows[0], "waits" in rows[1], "waits" in rows[2]] == [True] * 3


def asked(width: int) -> Model:
    command = CommandDisplay(
        "python -m pytest tests/test_cart.py -q --maxfail=3 && git commit -m a && git push", "/shop"
    )
    label = f"Run {command.command}"
    why, always = "auto mode asks before every command", "this command, in this folder"
    question = ApprovalAsked("a", "c", "run_shell_command", label, why, command, always)
    return replace(told(*begun("Fix it."), question), width=width, height=20)


async def drawn(model: Model, width: int, height: int) -> list[str]:
    app = still(model)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        dialog = app.query_one(Dialog)
        return [dialog.render_line(y).text for y in range(dialog.size.height)]


def test_a_command_comes_before_the_words_about_the_answers() -> None:
    rows = asyncio.run(drawn(asked(60), 60, 20))
    assert "$ python -m pytest" in rows[2] and "y yes, once" in rows[5], rows
    assert "a session: this command" in "".join(rows[5:7]) and rows[-1].startswith("╰──"), rows


def test_six_lines_of_a_long_command_are_in_view_on_a_small_screen() -> None:
    command = CommandDisplay("\n".join(f"echo {number}" for number in range(40)), "/shop")
    question = ApprovalAsked(
        "b", "c", "run_shell_command", "Run it", "auto mode asks", command, "exactly this"
    )
    long = replace(told(*begun("Fix it."), question), width=60, height=20)
    rows = asyncio.run(drawn(long, 60, 20))
    assert "echo 0" in rows[1] and "echo 5" in rows[6] and "y yes" in rows[7], rows
    assert rows[-1].startswith("╰─ auto mode asks ─"), rows
    assert rows[-1].endswith("─ lines 1–6 of 41 ─╯"), rows


@pytest.mark.parametrize(
    ("pattern", "text", "hits"),
    [
        ("total", "print(total(cart), total)", ["total", "total"]),
        (r"round\(", "return round(x)", ["round("]),
        ("Total", "a total", ["total"]),
        ("sum|len", "len(sum)", ["len", "sum"]),
        (r"a\|b", "x a|b", ["a|b"]),
        (r"t.tal", "total", []),
        (r"(a+)+$", "aaa", []),
        (r"\btotal", "total", []),
        ("", "x", []),
        ("x", "x" * 99, ["x"] * 10),
    ],
)
def test_what_was_found_is_set_off(pattern: str, text: str, hits: list[str]) -> None:
    lines = display_lines(
        MatchesDisplay(pattern, (Match("a.py", 3, text),), 1), 300, True, cell_len
    )
    assert lines[1].text.endswith(text)
    assert [run.text for line in lines for run in line.segments if run.style == "match.hit"] == hits


def test_few_colours_are_never_dimmed_in_the_context_of_a_diff() -> None:
    theme = load_theme("ansi", THEMES)
    diff = DiffDisplay("a.py", (Hunk(1, 1, (" import os", "-x = 1", "+x = 2")),), 1, 1)
    looks = [
        theme.style(run.style)
        for line in diff_lines(diff, 60, cell_len)[0]
        for run in line.segments
    ]
    dimmed = [
        look for look in looks if look.dim and look.color is not None and not look.color.is_default
    ]
    assert looks and not dimmed
