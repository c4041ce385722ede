"""A question says each fact once: the title what is asked, the body all of it, the answers what
they would cover."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display, Hunk
from agent_tui.protocol.events import ApprovalAsked
from agent_tui.tools.support.diff import diff
from agent_tui.tui.dialog.widget import Dialog
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import SESSION, play, text, until
from tests.tui.story import begun, still, told
from tests.tui.test_dialog_small import asking

WHY = "auto mode asks before a file is changed"
SOURCE = "RATE = 1\n\n\ndef tax(amount):\n    return amount * RATE\n"
EDIT = diff("cart.py", SOURCE, SOURCE.replace("amount * RATE", "round(amount, 2)"))
NEW = DiffDisplay(
    "tests/a.py", (Hunk(0, 1, tuple(f"+line {n}" for n in range(60))),), 60, created=True
)
COMMAND = CommandDisplay("python -m pytest -q", "/work/shop")


def question(label: str, display: Display, *, hard: bool = False, why: str = WHY) -> ApprovalAsked:
    mode = "" if isinstance(display, CommandDisplay) else "accept-edits"
    return ApprovalAsked(
        "a",
        "c",
        "tool",
        label,
        why,
        display,
        "this file, with this tool",
        hard,
        mode,
        session=SESSION,
    )


async def drawn(asked: ApprovalAsked, width: int, height: int) -> list[str]:
    model = replace(told(*begun("Fix it."), replace(asked, session="")), width=width, height=height)
    app = still(model)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        dialog = app.query_one(Dialog)
        return [dialog.render_line(y).text.rstrip() for y in range(dialog.size.height)]


def rows(asked: ApprovalAsked, width: int, height: int) -> list[str]:
    return asyncio.run(drawn(asked, width, height))


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (100, 30), (160, 48)], ids=str)
def test_the_path_of_an_edit_stands_once_with_its_count_and_all_of_it_is_in_view(
    size: tuple[int, int],
) -> None:
    shown = rows(question("Edit cart.py", EDIT), *size)
    assert (
        "\n".join(shown).count("cart.py") == 1
        and "Edit cart.py" in shown[0]
        and "+1 -1" in shown[0]
    ), shown
    assert any("return amount" in row for row in shown) and any(
        "round(amount, 2)" in row for row in shown
    )
    assert any("yes, once" in row for row in shown) and not any("lines 1" in row for row in shown)


@pytest.mark.parametrize("hard", [False, True], ids=["plain", "hard"])
@pytest.mark.parametrize("size", [(50, 18), (80, 24)], ids=str)
def test_a_command_that_nobody_waits_for_says_so(size: tuple[int, int], hard: bool) -> None:
    serves = replace(COMMAND, background=True)
    title = rows(question("Run it", serves, hard=hard), *size)[0]
    assert ("In the background" if not hard else "Run it") in title.replace(
        "Allow this command in", "In"
    )
    assert "no timeout" in title or (hard and size[0] == 50), "what is final is said before that"
    assert "cannot be undone" in title or not hard


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (100, 30)], ids=str)
def test_a_command_stands_once(size: tuple[int, int]) -> None:
    shown = "\n".join(rows(question("Run python -m pytest -q", COMMAND), *size))
    assert "Allow this command?" in shown and shown.count("pytest") == 1


def test_the_folder_of_a_command_is_named_once() -> None:
    """Beside the title, or, where it is another than the session's, below the command."""

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        assert text(app).count(f"in {folder}") == 1

    for folder in ("/work/shop", "/work/other"):
        play(asking(question("Run make", CommandDisplay("make", folder))), steps, size=(100, 30))


def test_the_reason_and_the_place_stand_in_the_border_of_a_long_one() -> None:
    shown = rows(question("Create tests/a.py", NEW), 80, 24)
    assert shown[0].startswith("╭─ Allow this? Create tests/a.py  new file +60 ─")
    assert "1 + line 0" in shown[1] and "e yes, accept edits" in shown[-3]
    assert (
        shown[-1].startswith(f"╰─ {WHY} ─")
        and "lines 1–" in shown[-1]
        and shown[-1].endswith("of 60 ─╯")
    )


def test_a_warning_keeps_its_own_line() -> None:
    why = "it overwrites a remote branch"
    for size in ((80, 24), (40, 12)):
        shown = rows(
            question("Run git push -f", CommandDisplay("git push -f"), hard=True, why=why), *size
        )
        assert "This cannot be undone" in shown[0] and why in shown[1] and "git push -f" in shown[2]
        assert "\n".join(shown).count("git push -f") == 1


def test_on_a_small_screen_the_title_is_short_and_says_which_lines_are_in_view() -> None:
    shown = rows(question("Edit cart.py", replace(NEW, path="cart.py", created=False)), 40, 12)
    assert shown[0].split() == ["Edit", "cart.py?", "+60", "lines", "1–4", "of", "60"], shown
    assert [row.split()[-1] for row in shown[1:5]] == ["0", "1", "2", "3"]


def test_blank_lines_at_the_ends_of_a_hunk_are_left_out() -> None:
    (hunk,) = EDIT.hunks
    assert (hunk.old_start, hunk.new_start, hunk.lines[0]) == (4, 4, " def tax(amount):")
    (hunk,) = diff("a", "a\n\n\n\nb\n", "A\n\n\n\nb\n").hunks
    assert hunk.lines == ("-a", "+A")
