"""Random files and random edits: what a simple reference says, or an error and the file as it was."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tui.tools import apply_patch, edit_file
from agent_tui.tools.support.diff import diff
from tests.campaigns import examples
from tests.tools.context import Context, call

LINE = st.sampled_from(["a", "b", "  a", "\ta", "a ", "", "  ", "“a”", '"a"', "x - y", "x — y"])
END = st.sampled_from(["\n", "\n", "\n", "\r\n"])
PIECE = st.lists(st.tuples(LINE, END), max_size=8).map(
    lambda lines: "".join(line + end for line, end in lines)
)
SETTINGS = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def plain(text: str) -> str:
    """What no step looks at, left out."""
    table = str.maketrans({"“": '"', "”": '"', "—": "-"})
    lines = text.replace("\r\n", "\n").translate(table).split("\n")
    return "\n".join(line.strip(" \t") for line in lines).strip("\n")


@SETTINGS
@given(text=PIECE, old=PIECE, new=PIECE, cut=st.integers(0, 3))
def test_an_edit_is_exact_or_overlooks_only_what_it_may(
    tmp_path: Path, text: str, old: str, new: str, cut: int
) -> None:
    file, old = tmp_path / "a.txt", old[: len(old) - cut]
    file.write_bytes(text.encode())
    result = call(edit_file.TOOL, Context(tmp_path), path="a.txt", old=old, new=new)
    after = file.read_bytes().decode()
    if result.tag != "ok":
        assert after == text
        return
    crlf = text.count("\r\n") == text.count("\n")
    own_old, own_new = (
        part.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else part for part in (old, new)
    )
    if text.count(own_old) == 1 and "\r" not in text:
        assert after == text.replace(own_old, own_new)
    elif own_old not in text:
        assert plain(old) in plain(text), result.content
        assert plain(new) in plain(after), result.content


@SETTINGS
@given(text=PIECE, old=st.lists(LINE, min_size=1, max_size=4), new=st.lists(LINE, max_size=4))
def test_a_patch_is_exact_or_overlooks_only_what_it_may(
    tmp_path: Path, text: str, old: list[str], new: list[str]
) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(text.encode())
    lines = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    whole = "\n".join(("*** Begin Patch", "*** Update File: a.txt", "@@", *lines, "*** End Patch"))
    result = call(apply_patch.TOOL, Context(tmp_path), patch=whole)
    after = file.read_bytes().decode()
    if result.tag != "ok":
        assert after == text
    else:
        assert plain("\n".join(old)) in plain(text)
        assert plain("\n".join(new)) in plain(after)


@SETTINGS
@given(seed=st.integers(0, 2**32), end=st.sampled_from(["\n", "\r\n"]), tail=st.booleans())
def test_a_patch_made_from_two_texts_makes_the_one_of_the_other(
    tmp_path: Path, seed: int, end: str, tail: bool
) -> None:
    chance = random.Random(seed)
    old = [f"line {number}" for number in range(chance.randint(1, 60))]
    new = list(old)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randint(0, 3)] = [f"new {chance.random()}"] * chance.randint(0, 2)
    if old == new or not new:
        return
    shown = diff("a.txt", "\n".join([*old, ""]), "\n".join([*new, ""]))
    hunks = [line for hunk in shown.hunks for line in ("@@", *hunk.lines)]
    whole = "\n".join(("*** Begin Patch", "*** Update File: a.txt", *hunks, "*** End Patch"))
    file, last = tmp_path / "a.txt", "" if tail else end
    file.write_bytes((end.join(old) + last).encode())
    result = call(apply_patch.TOOL, Context(tmp_path), patch=whole)
    after = file.read_bytes().decode()
    assert result.tag == "ok", result.content
    assert after.splitlines() == new and after.count(end) >= len(new) - 1


@SETTINGS
@given(
    before=st.lists(LINE, max_size=12),
    after=st.lists(LINE, max_size=12),
    above=st.integers(0, 3),
    below=st.integers(0, 3),
)
def test_a_difference_in_a_large_file_is_that_of_a_small_one(
    before: list[str], after: list[str], above: int, below: int
) -> None:
    head = "".join(f"head {number}\n" for number in range(20_000 * above))
    tail = "".join(f"tail {number}\n" for number in range(1_000 * below))
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    small = diff("a.txt", f"top\n\n\n\n{old}end\n\n\n\n", f"top\n\n\n\n{new}end\n\n\n\n")
    large = diff(
        "a.txt",
        f"{head}top\n\n\n\n{old}end\n\n\n\n{tail}",
        f"{head}top\n\n\n\n{new}end\n\n\n\n{tail}",
    )
    count = 20_000 * above
    assert (large.added, large.removed) == (small.added, small.removed)
    assert [hunk.lines for hunk in large.hunks] == [hunk.lines for hunk in small.hunks]
    assert [hunk.old_start for hunk in large.hunks] == [
        hunk.old_start + count for hunk in small.hunks
    ]


def test_two_changes_far_apart_are_two_hunks() -> None:
    lines = [f"line {number}\n" for number in range(50_000)]
    new = ["first\n", *lines[1:-1], "last\n"]
    shown = diff("a.txt", "".join(lines), "".join(new))
    assert (shown.added, shown.removed, len(shown.hunks)) == (2, 2, 2)


@pytest.mark.parametrize("how", ["edit", "patch", "move"])
def test_what_lies_beside_the_content_is_kept(tmp_path: Path, how: str) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeffone\r\ntwo\r\n".encode())
    file.chmod(0o2751)
    os.setxattr(file, "user.note", b"mine")
    to = "*** Move to: b.txt\n" if how == "move" else ""
    patch = f"*** Begin Patch\n*** Update File: a.txt\n{to}@@\n-two\n+2\n*** End Patch"
    tool, arguments = (
        (edit_file.TOOL, {"path": "a.txt", "old": "two", "new": "2"})
        if how == "edit"
        else (apply_patch.TOOL, {"patch": patch})
    )
    assert call(tool, Context(tmp_path), **arguments).tag == "ok"
    left = tmp_path / ("b.txt" if to else "a.txt")
    assert left.read_bytes() == "\ufeffone\r\n2\r\n".encode()
    assert stat.S_IMODE(left.stat().st_mode) == 0o2751
    assert os.getxattr(left, "user.note") == b"mine"
