"""What a question asks about can be read to its last line, on any screen."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Hunk
from agent_tui.protocol.events import ApprovalAsked
from agent_tui.protocol.ops import Op, Submit
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.transcript.diff import PART
from agent_tui.tui.transcript.displays import MOST_ASKED_LINES, asked_parts
from tests.tui.asked import asked_lines
from tests.tui.stage import SESSION, PlayedEngine, play, text, until

WORDS = [f"w{number:03}" for number in range(150)]
ONE_LINE = CommandDisplay("echo 漢字漢字漢字 \u202e " + " ".join(WORDS))
FEW_LINES = CommandDisplay("\n".join(WORDS[:9]))
CREATED = DiffDisplay("a.py", (Hunk(0, 1, tuple(f"+{word} = 1" for word in WORDS)),), len(WORDS))


@pytest.mark.parametrize("size", [(80, 24), (80, 14), (34, 16), (120, 40)])
@pytest.mark.parametrize("display", [ONE_LINE, FEW_LINES, CREATED])
def test_every_line_comes_to_be_seen(
    display: CommandDisplay | DiffDisplay, size: tuple[int, int]
) -> None:
    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, Submit):
            engine.begin(op.text)
            engine.say(
                ApprovalAsked(
                    session=SESSION, id="q", call_id="c", tool="t", label="Run it", display=display
                )
            )

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "Allow this" in text(app))
        seen, before = text(app), ""
        while before != text(app):
            before = text(app)
            await pilot.press("pagedown")
            await pilot.pause()
            seen += text(app)
        words = WORDS[:9] if display is FEW_LINES else WORDS
        if display is not ONE_LINE:  # its words are broken at line ends
            assert [word for word in words if word not in seen] == []
        assert words[-1] in text(app)
        end = text(app)
        await pilot.press("pageup")
        await pilot.pause()
        assert text(app) != end or "of" not in end  # at once: nothing was scrolled beyond the end

    play(PlayedEngine(react), steps, size=size)


def test_a_command_that_waits_for_consent_is_whole() -> None:
    lines = asked_lines(CommandDisplay("true\n" * 12_000 + "rm -rf here"), 60, cell_len, DEFAULT)
    assert len(lines) > 12_000
    assert any("rm -rf here" in line.text for line in lines[-3:])


def test_a_diff_that_waits_for_consent_is_longer_than_one_of_before() -> None:
    def drawn(count: int) -> list[str]:
        hunk = Hunk(0, 1, ("+x",) * count)
        return [
            line.text
            for line in asked_lines(DiffDisplay("a", (hunk,), count), 60, cell_len, DEFAULT)
        ]

    assert len(drawn(10_000)) == 10_001
    assert drawn(MOST_ASKED_LINES + 5)[-1] == "… 5 more lines"


def test_a_long_diff_is_laid_out_part_by_part_to_its_end() -> None:
    lines = tuple(f"+line {number}" for number in range(5 * PART))
    display = DiffDisplay("a.txt", (Hunk(0, 1, lines),), len(lines))

    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, Submit):
            engine.begin(op.text)
            engine.say(
                ApprovalAsked(
                    session=SESSION, id="q", call_id="c", tool="t", label="Run it", display=display
                )
            )

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "lines 1–" in text(app))
        await until(lambda: f"of {len(lines) + 1} " in text(app))

    play(PlayedEngine(react), steps)


def test_the_parts_are_the_whole() -> None:
    command = CommandDisplay(
        "cat <<EOF\n" + "$(words) 'and \"more`\n" * (3 * PART) + "EOF\n", cwd="/x", output="out"
    )
    for display in (command, CREATED, ONE_LINE):
        parts = list(asked_parts(display, 60, cell_len, DEFAULT))
        assert tuple(line for part in parts for line in part) == asked_lines(
            display, 60, cell_len, DEFAULT
        )
        assert all(len(part) >= PART for part in parts[:-1])
