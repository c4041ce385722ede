"""Drawing is pure, and heavy packages wait for the first text that needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded(code: str, *names: str) -> list[str]:
    script = f"import sys\n{code}\nprint(*[n for n in {names!r} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "module",
    [
        "tui.transcript.blocks",
        "tui.transcript.displays",
        "tui.transcript.diff",
        "tui.transcript.tool_block",
        "tui.markdown",
        "present.wording",
    ],
)
def test_drawing_needs_no_screen(module: str) -> None:
    assert loaded(f"import agent_tui.{module}", "textual", "rich", "asyncio", "markdown_it") == []


def test_the_widget_loads_neither_parser_nor_highlighter() -> None:
    assert (
        loaded(
            "import agent_tui.tui.transcript.widget, agent_tui.tui.widgets.theme",
            "markdown_it",
            "pygments",
        )
        == []
    )


def test_the_first_markdown_loads_the_parser_and_the_first_code_the_highlighter() -> None:
    draw = "from agent_tui.tui.markdown.render import render; render({!r}, 40, len)"
    assert loaded(draw.format("text"), "markdown_it", "pygments") == ["markdown_it"]
    assert loaded(draw.format("```py\nx\n```"), "pygments") == ["pygments"]
