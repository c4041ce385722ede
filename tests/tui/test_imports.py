"""Before the first frame only Textual and what it brings itself is imported, and little of our own."""

from __future__ import annotations

import json
import subprocess
import sys

from agent_tui.tui.commands import bindings
from agent_tui.tui.core.keymap import is_typed
from tests.tui.pty_stage import ROOT

BASE = (
    "import textual.app, textual.widgets._text_area, textual.drivers.linux_driver, textual.widgets"
)
OURS = """
from pathlib import Path
from queue import SimpleQueue
from agent_tui.paths import shipped_folder
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.theme import load_theme
class Engine:
    events = SimpleQueue()
    resting = False
AgentApp(Engine(), load_theme("dark", (shipped_folder("themes"),)))
"""
LATER = (
    "markdown_it",
    "pygments",
    "pydantic",
    "httpx",
    "ollama",
    "agent_tui.agent",
    "agent_tui.providers",
    "agent_tui.tools",
    "agent_tui.context",
    "agent_tui.sessions",
    "agent_tui.protocol.codec",
    "textual.widgets._markdown",
    "textual.widgets._input",
    "textual.widgets._option_list",
)


def loaded(code: str) -> set[str]:
    """The modules a fresh interpreter has after `code`."""
    tail = "\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code + tail], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(json.loads(done.stdout))


def test_the_screen_brings_no_package_but_textual() -> None:
    base, ours = loaded(BASE), loaded(OURS)
    tops = {name.partition(".")[0] for name in ours - base}
    assert tops - set(sys.stdlib_module_names) <= {"agent_tui", "textual", "rich"}
    bare = loaded("import textual.app")
    assert {name for name in LATER if name in ours and name not in bare} == set()


FIRST_LETTER = """
import asyncio, sys
from textual import events
from agent_tui.tui.runtime import preload
preload.AFTER = 1e6  # nothing else imports them meanwhile
async def main():
    app = AgentApp(Engine(), load_theme("dark", (shipped_folder("themes"),)))
    async with app.run_test() as pilot:
        before = set(sys.modules)
        await pilot.press("a")
        assert app.model.composer.draft == "a"
        waited = [events.Key(key, key[0]) for key in ("b", "space", "9")]  # typed before the first frame
        assert app.regions.only_text(app.model, waited, 0, True) == 3
        new = {name for name in set(sys.modules) - before if name.startswith(("agent_tui.tui.sheets.", COMMANDS))}
        assert not new, new
COMMANDS = "agent_tui.tui.commands."
asyncio.run(main())
"""


def test_the_first_letters_ask_for_no_command_and_no_sheet() -> None:
    """It would wait for all of them: fifty modules."""
    loaded(OURS + FIRST_LETTER)


def test_no_command_has_a_letter_a_digit_or_the_space_bar_as_its_key() -> None:
    assert not [key for key in bindings() if is_typed(key)]
