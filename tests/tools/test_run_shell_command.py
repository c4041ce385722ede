from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.tools.base import ToolFailure, ToolResult
from agent_tui.tools.run_shell_command import TOOL, RunShellCommand
from tests.tools.context import Context


def run(folder: Path, command: str, timeout: float = 0, background: bool = False) -> ToolResult:
    arguments = RunShellCommand(command=command, timeout=timeout, background=background)
    return asyncio.run(TOOL.run(arguments, Context(folder)))


def test_exit_code_and_output(tmp_path: Path) -> None:
    result = run(tmp_path, "echo out; echo err >&2; pwd")
    assert result.content.startswith("exit code 0\nout\nerr\n") and str(tmp_path) in result.content
    assert result.tag == "ok"
    assert isinstance(result.display, CommandDisplay) and result.display.exit_code == 0


@pytest.mark.parametrize("background", [False, True])
def test_a_question_knows_whether_it_is_for_the_background(
    tmp_path: Path, background: bool
) -> None:
    assert TOOL.plan is not None
    arguments = RunShellCommand(command="make", background=background)
    planned = asyncio.run(TOOL.plan(arguments, Context(tmp_path)))
    shown = planned.display
    assert isinstance(shown, CommandDisplay) and shown.background == background


def test_a_failing_command_is_a_result_not_an_error(tmp_path: Path) -> None:
    result = run(tmp_path, "echo no; exit 3")
    assert (result.content, result.tag) == ("exit code 3\nno\n", "exit")


def test_a_timeout_says_so_and_keeps_the_output(tmp_path: Path) -> None:
    result = run(tmp_path, "echo begun; sleep 30", timeout=0.3)
    assert result.tag == "timeout" and result.content.startswith(
        "Error [timeout]: it took longer than 0.3 s"
    )
    assert "begun" in result.content


def test_the_input_is_closed(tmp_path: Path) -> None:
    assert "exit code 1" in run(tmp_path, "read answer").content


def test_long_output_is_cut_and_names_the_file_with_all_of_it(tmp_path: Path) -> None:
    context = Context(tmp_path)
    result = asyncio.run(TOOL.run(RunShellCommand(command="seq 1 200000"), context))
    assert len(result.content) < context.max_output_chars + 500
    assert "left out in the middle" in result.content and "200000" in result.content
    spool = result.content.rsplit(" is in ", 1)[1].split(" (read_file)")[0]
    assert Path(spool).read_text().startswith("1\n2\n3\n") and Path(spool).read_text().endswith(
        "200000\n"
    )


def test_output_is_told_while_it_runs(tmp_path: Path) -> None:
    context = Context(tmp_path)
    asyncio.run(TOOL.run(RunShellCommand(command="echo one; sleep 0.4; echo two"), context))
    assert "".join(context.emitted) == "one\ntwo\n" and len(context.emitted) >= 2


def test_a_progress_bar_and_colours_are_folded_before_they_are_counted(tmp_path: Path) -> None:
    bar = "for i in $(seq 1 20000); do printf '\\r%d of 20000' $i; done; echo"
    colours = "printf '\\033]0;title\\007\\033[31mred\\033[0m\\n'"
    result = run(tmp_path, f"{bar}; {colours}")
    assert result.content == "exit code 0\n20000 of 20000\nred\n"


def test_of_long_output_the_lines_that_say_what_failed_are_kept(tmp_path: Path) -> None:
    said = "FAILED tests/test_a.py::test_b - assert 1 == 2"
    result = run(tmp_path, f"seq 1 50000; echo '{said}'; seq 1 50000; exit 1")
    assert result.tag == "exit" and said in result.content
    assert "1 line of it that may say what failed" in result.content
    assert len(result.content) < Context(tmp_path).max_output_chars + 500


def test_what_begins_in_the_background_and_fails_at_once_is_a_usual_result(tmp_path: Path) -> None:
    result = run(tmp_path, "nothing-of-this-name", background=True)
    assert result.tag == "exit" and result.content.startswith("exit code 127\n")


@pytest.mark.parametrize("command", ["", "   ", "a\0b"])
def test_what_cannot_be_a_command_fails_with_a_tag(tmp_path: Path, command: str) -> None:
    with pytest.raises(ToolFailure):
        run(tmp_path, command)


def test_labels_are_one_short_line() -> None:
    assert TOOL.label(RunShellCommand(command="pytest -q")) == "Run pytest -q"
    label = TOOL.label(RunShellCommand(command="x" * 500 + "\nsecond"))
    assert "\n" not in label and len(label) < 150 and label.endswith("…")
