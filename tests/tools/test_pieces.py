"""Passes over a whole content are made in pieces, with the same result, and end where the call is
cancelled."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, Final
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.safety.secrets.scrubber import hide_keys, hide_keys_between
from agent_tui.tools import apply_patch, edit_file, read_file
from agent_tui.tools.base import Tool
from agent_tui.tools.support import matching, pieces
from agent_tui.tools.support.files import BOM, read_text
from agent_tui.tools.support.matching import Place, Replacement, replace_places
from tests.campaigns import examples
from tests.tools.context import Context, call

TEXT: Final = st.text(alphabet='ab“"\n\r \té', max_size=60)
SIZES: Final = st.integers(1, 9)
AT_ONCE: Final = 50_000
"""Characters of a piece where it is counted what is called."""


@given(text=TEXT, what=st.text(alphabet="ab\r\n", min_size=1, max_size=2), size=SIZES)
def test_find_and_count(text: str, what: str, size: int) -> None:
    what = what if what[0] != what[-1] else what[0]  # it does not overlap with itself
    with mock.patch.object(pieces, "PIECE", size):
        assert pieces.find(text, what) == text.find(what)
        assert pieces.find(text, what, 5) == text.find(what, 5)
        assert pieces.count(text, what) == text.count(what)
        assert pieces.count(text, what, 3, 20) == text.count(what, 3, 20)


@settings(max_examples=examples(500))
@given(text=TEXT, cut=st.tuples(st.integers(0, 60), st.integers(1, 12)), size=SIZES, whole=...)
def test_places(text: str, cut: tuple[int, int], size: int, whole: bool) -> None:
    """Of what stands there, and of what does with other blanks, quotes or line ends."""
    held = text[cut[0] : sum(cut)]
    for old in (held, held.replace("\n", " \n"), held.replace("“", '"'), held.replace("\r", "")):
        if old.strip():
            found = matching.find_places(text, old, whole)
            with mock.patch.object(pieces, "PIECE", size):
                assert matching.find_places(text, old, whole) == found


@pytest.mark.parametrize("how", ["plain", "bom", "crlf", "latin", "wide"])
def test_what_is_written(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"line {number} é“" if how == "wide" else f"line {number}" for number in range(40)]
    text = ("\r\n" if how == "crlf" else "\n").join(lines)
    data = (BOM + text).encode() if how == "bom" else text.encode()
    data = data.replace(b"line 7", b"lin\xe9 7") if how == "latin" else data
    (tmp_path / "a").write_bytes(data)
    held = read_text(tmp_path / "a", Context(tmp_path))
    at = held.text.index("20")
    made = [Replacement(Place(at, at + 2), "ü\n😀"), Replacement(Place(3, 4), "")]
    whole = replace_places(held.text, made)
    wanted = ((BOM if how == "bom" else "") + whole).replace(
        "\n", "\r\n" if how == "crlf" else "\n"
    )
    monkeypatch.setattr(pieces, "PIECE", 7)
    assert read_text(tmp_path / "a", Context(tmp_path)) == held
    assert held.with_places(made) == wanted.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("above", [0, 1, 3, 30])
def test_keys_are_hidden_in_a_part_as_in_the_whole(above: int) -> None:
    key = ["-----BEGIN PRIVATE KEY-----", *["Ab3/" * 16] * 24, "QQ==", "-----END PRIVATE KEY-----"]
    text = "\n".join([*["other text"] * above, *key, *["more text"] * 5])
    whole = hide_keys(text).split("\n")
    assert "Ab3/" not in "".join(whole)
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    for first in range(len(lines)):
        for last in (first, min(first + 2, len(lines) - 1), len(lines) - 1):
            start, end = starts[first], starts[last] + len(lines[last])
            part = hide_keys_between(text[:start], text[start:end], text[end:])
            assert part.split("\n") == whole[first : last + 1]


WHOLE: Final = frozenset(("split", "splitlines", "translate", "replace", "partition", "lower"))
"""Methods that pass over all of a text, whatever they are given."""


def passes(tool: Tool[Any], ctx: Context, **arguments: Any) -> Counter[str]:
    """Methods of a large content that are called in the threads of a call, with how often."""
    found: Counter[str] = Counter()

    def note(_: FrameType, event: str, function: Any) -> None:
        own = getattr(function, "__self__", None)
        if event == "c_call" and isinstance(own, str | bytes) and len(own) > 2 * AT_ONCE:
            found[function.__name__] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call(tool, ctx, **arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return found


LINES: Final = [f"line {number:>6} of a file" for number in range(20_000)]


@pytest.mark.parametrize("kind", ["ascii", "wide", "latin", "crlf"])
@pytest.mark.parametrize("what", ["read", "exact", "blanks", "miss", "patch"])
def test_no_pass_is_made_at_once(
    tmp_path: Path, what: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{line} é“" if kind in ("wide", "latin") else line for line in LINES]
    text = ("\r\n" if kind == "crlf" else "\n").join(lines)
    data = text.replace("“", "x").encode("latin-1") if kind == "latin" else text.encode()
    (tmp_path / "a.txt").write_bytes(data)
    monkeypatch.setattr(pieces, "PIECE", AT_ONCE)
    tools: dict[str, tuple[Tool[Any], dict[str, object]]] = {
        "read": (read_file.TOOL, {"start_line": 15_000}),
        "exact": (edit_file.TOOL, {"old": LINES[9_000], "new": "x"}),
        "blanks": (edit_file.TOOL, {"old": f"{lines[9_000]}  \n", "new": "x\n"}),
        "miss": (edit_file.TOOL, {"old": f"{LINES[9_000]}\nand no more", "new": "long enough x"}),
    }
    patch = f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{lines[9_000]}\n+x\n*** End Patch"
    patch = patch.replace("“", "x") if kind == "latin" else patch
    if what == "patch":
        found = passes(apply_patch.TOOL, Context(tmp_path), patch=patch)
    else:
        tool, arguments = tools[what]
        found = passes(tool, Context(tmp_path), path="a.txt", **arguments)
    assert not found.keys() & WHOLE, found
    assert found["count"] + found["find"] >= len(data) // AT_ONCE


def test_a_cancel_between_pieces_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, begun, ends = tmp_path / "a.txt", threading.Event(), list[BaseException | None]()
    path.write_text("\n".join(LINES))
    find = matching.find_places

    def noted(*arguments: Any) -> Any:
        begun.set()
        try:
            while True:  # as long as it likes: only the cancel ends it
                find(*arguments)
        except pieces.Stopped as stopped:
            ends.append(stopped)
            raise

    monkeypatch.setattr(matching, "find_places", noted)
    arguments = edit_file.TOOL.validate({"path": "a.txt", "old": LINES[9], "new": "x"})

    async def go() -> None:
        task = asyncio.ensure_future(edit_file.TOOL.run(arguments, Context(tmp_path)))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())  # which waits for its threads
    assert len(ends) == 1 and path.read_text() == "\n".join(LINES)
