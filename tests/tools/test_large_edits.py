"""What an edit of a large file costs: how often its content is gone through, counted and not timed; and
that the shorter ways say the same as the long ones."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.events import ToolEnded
from agent_tui.tools.support.diff import diff, diff_made
from agent_tui.tools.support.files import FileText, read_text
from agent_tui.tools.support.matching import Place as At
from agent_tui.tools.support.matching import Replacement, replace_places
from tests.agent.driving import Place
from tests.tools.context import Context

LARGE = 1_000_000
"""Bytes from which a pass counts."""


def made_of(text: str, *changes: tuple[str, str]) -> list[Replacement]:
    return [
        Replacement(At(text.index(old), text.index(old) + len(old)), new) for old, new in changes
    ]


@pytest.mark.parametrize(
    "raw, new",
    [(b"one\ntwo\n", "2"), (b"one\r\ntwo\r\n", "2\n3"), (b"\xef\xbb\xbfone\ntwo", "2"),
     ("one é\ntwo\n".encode(), "2"), (b"one \xe9\ntwo\n", "2"), (b"one\ntwo\n", "zwei é")],
    ids=["ascii", "crlf", "bom", "utf-8", "latin-1", "new"],
)  # fmt: skip
def test_the_bytes_are_those_of_the_text(tmp_path: Path, raw: bytes, new: str) -> None:
    (tmp_path / "a.txt").write_bytes(raw)
    held: FileText = read_text(tmp_path / "a.txt", Context(tmp_path))
    made = made_of(held.text, ("two", new), ("one", ""))
    text = replace_places(held.text, made)
    assert held.with_places(made) == held.encode(text)


def test_places_that_overlap_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    held = read_text(tmp_path / "a.txt", Context(tmp_path))
    with pytest.raises(ValueError, match="overlap"):
        held.with_places(made_of(held.text, ("one t", "1"), ("two", "2")))


@given(st.integers(0, 9_000), st.integers(0, 60), st.text("ab\n", max_size=12))
def test_a_known_place_gives_the_same_difference(start: int, size: int, new: str) -> None:
    text = "".join(f"{number % 7} line\n" for number in range(1_000))
    made = [Replacement(At(min(start, len(text)), min(start + size, len(text))), new)]
    after = replace_places(text, made)
    assert diff_made("a.txt", text, made) == diff("a.txt", text, after)


@pytest.mark.parametrize("tool", ["edit_file", "apply_patch"])
def test_each_content_is_hashed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    place, hashed, real = Place(tmp_path), list[int](), hashlib.sha256

    def counting(data: bytes = b"", **more: Any) -> Any:
        hashed.extend([len(data)] * (len(data) >= LARGE))
        return real(data, **more)

    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("".join(f"line {number}\n" for number in range(150_000)))
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 70000\n+new\n*** End Patch"
    arguments = {
        "edit_file": {"path": "a.txt", "old": "line 70000\n", "new": "new\n"},
        "apply_patch": {"patch": patch},
    }
    script = place.script([{"call": tool, "arguments": arguments[tool]}], [{"text": "done"}])
    with place.engine(script, mode="accept-edits") as driver:
        monkeypatch.setattr(hashlib, "sha256", counting)
        driver.turn("go")
        assert [ended.tag for ended in driver.all(ToolEnded)] == ["ok"]
    assert len(hashed) == 2, "what it was and what it is"
