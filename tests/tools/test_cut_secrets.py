"""Lines that are cut when they are shown, and secrets in them: no part of one is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety.secrets.scrubber import Scrubber
from agent_tui.tools import apply_patch, edit_file
from agent_tui.tools.support import changes, nearest
from tests.tools.context import Context, call

KNOWN = "correct horse battery staple of my own"
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7"


def context(folder: Path, *lines: str, known: str = KNOWN) -> Context:
    (folder / "a.txt").write_text("\n".join(("first of all", *lines, "last of all")) + "\n")
    return Context(folder, scrubber=Scrubber([known]))


def miss(ctx: Context, tool: str, line: str) -> str:
    if tool == "edit_file":
        return call(edit_file.TOOL, ctx, path="a.txt", old=f"{line}\nx", new="y").content
    patch = f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{line}\n-x\n+y\n*** End Patch"
    return call(apply_patch.TOOL, ctx, patch=patch).content


@pytest.mark.parametrize("tool", ["edit_file", "apply_patch"])
@pytest.mark.parametrize("value", [KNOWN, TOKEN], ids=["known", "token"])
def test_the_nearest_text_hides_before_it_cuts(tmp_path: Path, tool: str, value: str) -> None:
    line = f"{'some words ' * 35}{value} and more"
    assert line.index(value) < nearest.LINE < line.index(value) + len(value)
    said = miss(context(tmp_path, line), tool, line)
    assert "some words" in said and "nearest text" in said
    assert value[:8] not in said


@pytest.mark.parametrize("tool", ["edit_file", "apply_patch"])
def test_a_value_that_reaches_beyond_the_nearest_text(tmp_path: Path, tool: str) -> None:
    value = "one part of it is here\nanother part of it is there"
    for line in value.split("\n"):
        said = miss(context(tmp_path, value, known=value), tool, line[:-1])
        assert "part of it" not in said.split("in `old`")[0]


def test_both_sides_of_a_difference_are_hidden(tmp_path: Path) -> None:
    said = miss(context(tmp_path, f"password {KNOWN}", "y"), "edit_file", f"password {KNOWN}")
    assert "line 2" not in said and "line 3 in the file: y" in said


@pytest.mark.parametrize("value", [KNOWN, TOKEN], ids=["known", "token"])
@pytest.mark.parametrize("tool", ["edit_file", "apply_patch"])
def test_changed_lines_are_hidden_before_they_are_cut(
    tmp_path: Path, tool: str, value: str
) -> None:
    line = f"{'some words ' * 26}{value} and more"
    assert line.index(value) < changes.LINE < line.index(value) + len(value)
    ctx = context(tmp_path, line)
    if tool == "edit_file":
        done = call(edit_file.TOOL, ctx, path="a.txt", old="last of all", new="the end")
    else:
        hunk = f"@@\n {line}\n-last of all\n+the end"
        patch = f"*** Begin Patch\n*** Update File: a.txt\n{hunk}\n*** End Patch"
        done = call(apply_patch.TOOL, ctx, patch=patch)
    assert "    3→the end" in done.content and "    2→some words" in done.content
    assert value[:8] not in done.content


def test_what_is_left_out_of_changed_lines_is_said(tmp_path: Path) -> None:
    ctx = context(tmp_path, *(f"line {number}" for number in range(99)), "x" * 999)
    both = [{"old": "first of all", "new": "1"}, {"old": "last of all", "new": "2"}]
    said = call(edit_file.TOOL, ctx, path="a.txt", edits=both).content
    assert "    1→1\n" in said and "\n   …\n" in said and said.endswith("  102→2")
    assert f"→{'x' * (changes.LINE - 1)}…\n" in said
    new = "\n".join(map(str, range(50)))
    said = call(edit_file.TOOL, ctx, path="a.txt", old="line 50", new=new).content
    assert said.endswith("(more changed lines)") and said.count("→") == changes.SHOWN_LINES
