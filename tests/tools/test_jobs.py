"""`jobs`: what commands left in the background is listed, read, waited for and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.safety.process import processes
from agent_tui.tools import run_shell_command
from agent_tui.tools.base import ToolFailure, ToolResult
from agent_tui.tools.jobs import TOOL
from tests.safety.test_processes import gone
from tests.tools.context import Context

Ask = Callable[..., Awaitable[ToolResult]]


def play(folder: Path, command: str, then: Callable[[Context, Ask], Awaitable[Any]]) -> Any:
    """Start `command` in the background, then do `then`."""

    async def ask(**arguments: Any) -> ToolResult:
        return await TOOL.run(TOOL.arguments.model_validate(arguments), context)

    async def whole() -> Any:
        arguments = {"command": command, "background": True}
        tool = run_shell_command.TOOL
        await tool.run(tool.arguments.model_validate(arguments), context)
        try:
            return await then(context, ask)
        finally:
            await processes.settle(20)

    context = Context(folder)
    return asyncio.run(whole())


def test_a_job_is_listed_read_and_stopped(tmp_path: Path) -> None:
    async def then(context: Context, ask: Ask) -> None:
        listed = await ask(action="list")
        assert listed.content.startswith("1: echo ready; sleep 300 (running for")
        assert listed.content.endswith("ready")
        read = await ask(action="tail", job=1)
        assert "Job 1: running for" in read.content and read.content.endswith("ready\n")
        pids = context.left[1][1].pids
        stopped = await ask(action="stop", job=1)
        assert stopped.content.startswith("Job 1: stopped.") and all(map(gone, pids))

    play(tmp_path, "echo ready; sleep 300", then)


def test_a_wait_ends_with_the_job_or_with_words_of_its_output(tmp_path: Path) -> None:
    async def then(_: Context, ask: Ask) -> None:
        heard = await ask(action="wait", job=1, until="ready")
        assert "running for" in heard.content and heard.tag == "ok"
        (tmp_path / "go").touch()
        ended = await ask(action="wait", job=1)
        assert ended.content.startswith("Job 1: ended, exit code 3.")

    command = "sleep 1; echo ready; while [ ! -e go ]; do sleep 0.05; done; exit 3"
    play(tmp_path, command, then)


def test_a_wait_that_is_too_short_says_that_it_still_runs(tmp_path: Path) -> None:
    async def then(_: Context, ask: Ask) -> None:
        waited = await ask(action="wait", job=1, seconds=0.2)
        assert (waited.tag, "still running after 0.2 s" in waited.content) == ("timeout", True)

    play(tmp_path, "sleep 300", then)


def test_one_that_ignores_term_is_ended(tmp_path: Path) -> None:
    async def then(context: Context, ask: Ask) -> None:
        pids = context.left[1][1].pids
        stopped = await ask(action="stop", job=1)
        assert stopped.content.startswith("Job 1: stopped.") and all(map(gone, pids))

    play(tmp_path, "trap '' TERM; while :; do sleep 0.1; done", then)


def test_a_number_that_no_job_has(tmp_path: Path) -> None:
    async def then(_: Context, ask: Ask) -> None:
        with pytest.raises(ToolFailure, match="no job 7; there are:\n1: sleep 300"):
            await ask(action="tail", job=7)

    play(tmp_path, "sleep 300", then)
