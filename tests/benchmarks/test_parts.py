"""What the benchmarks measure with: what counts as drawn, what the server sends, what a written
session holds."""

from __future__ import annotations

import asyncio
import select
from pathlib import Path

import pytest

from agent_tui.protocol.events import fold
from agent_tui.protocol.transcript import DividerBlock
from agent_tui.sessions.log.store import Store
from benchmarks import server
from benchmarks.common import Pty, environment
from benchmarks.plain import Plain
from benchmarks.probe import draws
from benchmarks.sessions import ID, write_session


@pytest.mark.parametrize(
    ("output", "text", "blanks"),
    [
        (b"", False, False),
        (b"\x1b[?1049h\x1b[2J\x1b[1;1H\x1b[?25l", False, False),
        (b"\x1b]0;a title\x07\x1bP+q544e\x1b\\\r\n", False, False),
        (b"\x1b[48;2;1;2;3m    \x1b[0m", False, True),
        (b"\x1b[?1049h\x1b[1mtext", True, True),
        (b"\x1b[2J\x1b[38;2;1", False, False),
    ],
)
def test_drawn_is_what_can_be_seen(output: bytes, text: bool, blanks: bool) -> None:
    assert draws(output, blanks=False) is text
    assert draws(output, blanks=True) is blanks


def test_what_came_while_nobody_read_is_not_missing(tmp_path: Path) -> None:
    terminal = Pty(["sh", "-c", "echo here; read _"], tmp_path, environment(tmp_path))
    try:
        select.select(
            [terminal.fd], [], []
        )  # it is written, and this process was stopped until its patience was over
        assert terminal.pump(0.0, lambda: b"here" in terminal.seen)
        assert not terminal.pump(0.0, lambda: b"more" in terminal.seen)
    finally:
        terminal.close()


def answer(plan: str) -> tuple[int, str]:
    """How many deltas the server sends, without the ends of the parts, and their whole text."""

    async def gather() -> list[str]:
        return [str(delta["content"]) async for batch in server.stream(plan) for delta in batch]

    deltas = asyncio.run(gather())
    return len([delta for delta in deltas if "PART" not in delta]), "".join(deltas)


def test_the_server_sends_the_tokens_asked_for_and_marks_each_end() -> None:
    count, text = answer("450@0 20@5000 #7")
    assert count == 470
    assert f"PART1 {server.sign(8)}" in text
    assert text.endswith(f"PART2 {server.sign(9)}\n\n")
    assert text.count("```") % 2 == 0


def test_without_a_pause_the_tokens_are_the_same() -> None:
    assert answer("400@0 #1") == answer("400@50000 #1")


def test_a_written_session_is_whole_and_as_long_as_asked(tmp_path: Path) -> None:
    write_session(tmp_path, 50)
    opened = Store.open(tmp_path / "agent-tui" / "sessions", ID)
    opened.store.close()
    seen = fold(opened.events)
    assert opened.problems == ()
    assert len(seen.rows) == 51
    assert seen.rows[-1] == DividerBlock("context cleared")
    assert (seen.cwd, seen.turn, seen.state) == (str(tmp_path / "work"), 5, "idle")


def test_the_log_wraps_at_about_a_hundred_columns() -> None:
    app = Plain(rich=False)
    pieces = ["word " * 8, "and " * 10, "more " * 9 + "\n", "x" * 99 + "\n", "end"]
    shown = "".join(app.wrapped(piece) for piece in pieces)
    assert shown.replace("\n", "") == "".join(pieces).replace("\n", "")
    assert max(map(len, shown.split("\n"))) <= 100
