"""Flags are read into a `Given`, which says alone what holds without them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from agent_tui.agent.config import CHOOSE
from agent_tui.cli import arguments
from agent_tui.cli.arguments import find_alternative
from agent_tui.cli.given import Given


def told(given: Given) -> dict[str, object]:
    return {name: getattr(given, name) for name in dir(given) if not name.startswith("_")}


@pytest.mark.parametrize("read", [arguments.screen, arguments.chat])
def test_no_words_give_what_is_given_where_nothing_is_read(
    read: Callable[[Sequence[str]], Given],
) -> None:
    assert told(read([])) == told(Given())  # so the screen need not read them


def test_a_run_has_the_same_defaults() -> None:
    assert told(arguments.run(["hello"])) == told(Given()) | {"prompt": "hello"}


def test_each_flag_has_its_place() -> None:
    words = "-m a/b --add-dir x --add-dir y --max-cost 2 -r --otr hello"
    given = arguments.screen(words.split())
    wanted: dict[str, object] = {
        "model": "a/b",
        "add_dir": ["x", "y"],
        "max_cost": 2.0,
        "otr": True,
    }
    wanted |= {"resume": CHOOSE, "prompt": "hello"}
    assert told(given) == told(Given()) | wanted
    assert Given().add_dir == []  # what was read is nobody else's
    run = arguments.run(["--output", "json", "--timeout", "1.5", "--max-steps", "3", "-c", "go"])
    assert told(run) == told(Given()) | {
        "output": "json",
        "timeout": 1.5,
        "max_steps": 3,
        "last": True,
        "prompt": "go",
    }


def test_the_help_names_the_variables_that_matter_most() -> None:
    names = ("AGENT_TUI_MODEL", "AGENT_TUI_MODE", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
    assert all(name in arguments.EPILOG for name in names)


def test_a_word_that_is_nearly_a_command_is_not_sent_unasked() -> None:
    said = "no command 'doctr': did you mean doctor? To send it as a prompt: agent-tui -- doctr"
    assert find_alternative(["doctr"]) == said
    assert find_alternative(["tool", "list"]).startswith("no command 'tool': did you mean tools?")
    assert not find_alternative(["tool", "-m", "demo"])
    assert not find_alternative(["--", "doctr"]) and not find_alternative(["hello"])
    assert arguments.screen(["--", "doctr"]).prompt == "doctr"


def test_the_screen_alone_reads_no_flags_where_there_are_none() -> None:
    code = "import sys, agent_tui.tui.runtime.start, agent_tui.cli.main; print('argparse' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize(
    "command",
    ["", "run", "chat", "doctor", "models", "sessions", "config", "auth", "bug", "replay", "setup"],
)
def test_help_fits_the_terminal(command: str, columns: int) -> None:
    argv = [sys.executable, "-m", "agent_tui", *command.split(), "--help"]
    given = {**os.environ, "COLUMNS": str(columns)}
    said = subprocess.run(
        argv, env=given, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert [line for line in said.splitlines() if len(line) > columns] == []


def test_a_wrong_mode_is_named_also_where_there_is_no_terminal() -> None:
    argv = [sys.executable, "-m", "agent_tui", "--mode", "accept", "x"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 2 and "--mode accept: unknown mode" in done.stderr
