from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.protocol.display import CodeDisplay, TextDisplay
from agent_tui.safety.secrets.scrubber import Scrubber
from agent_tui.tools import grep_files
from agent_tui.tools.base import Tool, ToolResult
from agent_tui.tools.read_file import LONGEST_LINE, MAX_BYTES, MOST, PREVIEW, TOOL, WHOLE
from tests.safety.secret_corpus import private_keys
from tests.tools.context import Context, call


def read(root: Path, path: str, **arguments: object) -> ToolResult:
    return call(TOOL, Context(root), path=path, **arguments)


def numbered(root: Path, count: int, name: str = "a.txt") -> None:
    (root / name).write_text("".join(f"line {n}\n" for n in range(1, count + 1)))


def test_lines_come_with_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import os\n\nprint(1)\n")
    result = read(tmp_path, "app.py")
    assert result.content == "    1→import os\n    2→\n    3→print(1)"
    assert result.display == CodeDisplay("import os\n\nprint(1)", "app.py", "python", 1, 3)


def test_a_range_of_lines(tmp_path: Path) -> None:
    numbered(tmp_path, 20)
    result = read(tmp_path, "a.txt", start_line=3, end_line=4)
    assert result.content == "    3→line 3\n    4→line 4\n[Lines 3-4 of 20.]"
    assert isinstance(result.display, CodeDisplay)
    assert (result.display.first_line, result.display.total_lines) == (3, 20)


def test_an_end_behind_the_last_line_is_the_last_line(tmp_path: Path) -> None:
    numbered(tmp_path, 3)
    assert read(tmp_path, "a.txt", end_line=99).content.splitlines()[-1] == "    3→line 3"


def test_a_null_stands_for_an_argument_left_out(tmp_path: Path) -> None:
    numbered(tmp_path, 2)
    assert (
        read(tmp_path, "a.txt", start_line=None, end_line=None).content
        == "    1→line 1\n    2→line 2"
    )


def test_a_file_that_fits_is_whole_and_a_longer_one_a_preview_that_says_how_to_go_on(
    tmp_path: Path,
) -> None:
    numbered(tmp_path, 1_500)
    assert len(read(tmp_path, "a.txt").content.splitlines()) == 1_500
    numbered(tmp_path, MOST + 1)
    lines = read(tmp_path, "a.txt").content.splitlines()
    assert len(lines) == PREVIEW + 1
    assert lines[-1].startswith(
        f"[Lines 1-{PREVIEW} of {MOST + 1}. Read on with start_line={PREVIEW + 1}"
    )


def test_what_does_not_fit_comes_in_parts_that_are_larger_where_there_is_room(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text(
        "".join(f"value_{n} = compute({n}, {n})\n" for n in range(1_500))
    )
    small, large = Context(tmp_path), Context(tmp_path, max_read_chars=96_000)
    assert len(call(TOOL, small, path="a.py").content.splitlines()) == PREVIEW + 1
    on = call(TOOL, small, path="a.py", start_line=1).content.splitlines()
    assert len(on) == WHOLE + 1
    assert len(call(TOOL, large, path="a.py").content.splitlines()) == 1_500
    (tmp_path / "b.py").write_text("x = 1\n" * 30_000)
    more = call(TOOL, large, path="b.py", start_line=2).content.splitlines()
    assert len(more) == MOST + 1 and "start_line=2002" in more[-1]


def test_following_the_hints_reads_every_line_once(tmp_path: Path) -> None:
    numbered(tmp_path, 2_300)
    seen: list[str] = []
    start = 1
    while start:
        lines = read(
            tmp_path, "a.txt", **({"start_line": start} if start > 1 else {})
        ).content.splitlines()
        seen += [line.split("→", 1)[1] for line in lines if "→" in line]
        hint = lines[-1].partition("start_line=")[2]
        start = int(hint.split(",")[0]) if hint else 0
    assert seen == [f"line {n}" for n in range(1, 2_301)]


def test_no_more_is_shown_than_the_model_may_get(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{'x' * 200}\n" for _ in range(400)))
    context = Context(tmp_path, max_read_chars=8_000)
    content = call(TOOL, context, path="a.txt").content
    assert len(content) <= 8_000
    assert "Read on with start_line=" in content


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    result = read(tmp_path, "a.txt")
    assert result.content == "a.txt is empty (0 bytes)."
    assert isinstance(result.display, TextDisplay)


def test_long_lines_are_cut_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("a" * (LONGEST_LINE + 5) + "\nshort\n")
    content = read(tmp_path, "a.js").content
    assert "… (5 more characters)\n    2→short\n" in content
    assert content.endswith(f"[1 line was cut at {LONGEST_LINE} characters.]")


def test_bytes_that_are_no_utf8_are_replaced_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("café\n".encode("latin-1"))
    content = read(tmp_path, "a.txt").content
    assert content.startswith("    1→caf�\n")
    assert "Not valid UTF-8" in content


def test_byte_order_mark_and_crlf_are_not_part_of_the_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read(tmp_path, "a.txt").content == "    1→one\n    2→two"


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\u2028still one\x0cstill\ntwo", encoding="utf-8")
    assert read(tmp_path, "a.txt").content.count("→") == 2


@pytest.mark.parametrize("data", [b"\x89PNG\0\0", bytes(range(1, 32)) * 20], ids=["png", "?"])
def test_a_binary_file_is_not_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    result = read(tmp_path, "a.bin")
    assert result.tag == "binary"
    assert result.content.startswith("Error [binary]: a.bin is a binary file (")


def test_utf16_says_how_to_convert_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("hello".encode("utf-16"))
    assert "iconv -f UTF-16" in read(tmp_path, "a.txt").content


def test_a_missing_file_names_similar_ones(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "settings.py").touch()
    result = read(tmp_path, "src/setting.py")
    assert (
        result.content == "Error [not_found]: there is no src/setting.py; similar: src/settings.py"
    )
    assert read(tmp_path, "no/such/file").tag == "not_found"


def test_a_folder_points_to_list_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    result = read(tmp_path, "src")
    assert result.tag == "invalid_arguments"
    assert "list_files" in result.content


def test_a_fifo_fails_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = read(tmp_path, "pipe")
    assert (result.tag, "a FIFO, not a file" in result.content) == ("invalid_arguments", True)


def test_a_device_fails_where_it_was_allowed(tmp_path: Path) -> None:
    result = call(TOOL, Context(tmp_path, granted={Path("/dev/zero")}), path="/dev/zero")
    assert (result.tag, "a device" in result.content) == ("invalid_arguments", True)


def test_what_was_not_allowed_is_blocked(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "other.txt").write_text("secret")
    (tmp_path / "work" / ".env").write_text("KEY=1")
    (tmp_path / "work" / "link").symlink_to("../other.txt")
    for path in ("../other.txt", ".env", "link"):
        assert read(tmp_path / "work", path).tag == "blocked"


def test_a_secret_is_read_where_a_person_allowed_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1\n")
    allowed = Context(tmp_path, granted={(tmp_path / ".env").resolve()})
    assert call(TOOL, allowed, path=".env").content == "    1→KEY=1"


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big.txt").open("wb") as file:
        file.write(b"text\n" * 2_000)
        for _ in range(MAX_BYTES // 1_000_000 + 1):
            file.write(b"y" * 1_000_000)
    assert read(tmp_path, "big.txt").tag == "too_large"


def test_ranges_that_make_no_sense_are_named(tmp_path: Path) -> None:
    numbered(tmp_path, 5)
    assert (
        "start_line 4 is after end_line 2"
        in read(tmp_path, "a.txt", start_line=4, end_line=2).content
    )
    behind = read(tmp_path, "a.txt", start_line=6)
    assert (
        behind.content
        == "Error [invalid_arguments]: start_line 6 is after the end: a.txt has 5 lines"
    )


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        ({}, "Read a.py"),
        ({"start_line": 1, "end_line": 80}, "Read a.py (lines 1–80)"),
        ({"start_line": 7, "end_line": 7}, "Read a.py (line 7)"),
        ({"start_line": 7}, "Read a.py (lines 7–)"),
    ],
)
def test_labels(arguments: dict[str, int], label: str) -> None:
    assert TOOL.label(TOOL.arguments(path="a.py", **arguments)) == label


@pytest.mark.parametrize(("text", "lines"), list(private_keys())[:3])
def test_a_page_or_a_match_within_a_private_key_hides_its_lines(
    tmp_path: Path, text: str, lines: list[str]
) -> None:
    (tmp_path / "pem.txt").write_text(f"first\n{text}\nlast\n")
    page = read(tmp_path, "pem.txt", start_line=5, end_line=7).content
    found = call(grep_files.TOOL, Context(tmp_path), pattern="[A-Za-z0-9+/]{4}|last").content
    assert not [line for line in lines if line.rstrip("=") in page + found]
    assert page.startswith("    5→") and "hidden:private-key" in page and "last" in found


def test_a_hard_link_of_a_secret_asks_and_what_it_holds_is_hidden(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DB_PASSWORD=hunter2\n")
    (tmp_path / "notes").hardlink_to(tmp_path / ".env")
    assert read(tmp_path, "notes").tag == "blocked"
    allowed = Context(tmp_path, granted={(tmp_path / "notes").resolve()})
    assert "hunter2" not in call(TOOL, allowed, path="notes").content


HALVES = ("MC4CAQAwBQYDK2VwBCIEIAbCdEfGhIjKlMnOpQrStUvWxYz0", "Lm5pXc7dYh2bJf")


@pytest.mark.parametrize("tool", [TOOL, grep_files.TOOL], ids=["read_file", "grep_files"])
@pytest.mark.parametrize("between", ["@", "\n"], ids=["mark", "line"])
def test_a_key_within_a_known_value_leaves_nothing_of_it(
    tmp_path: Path, tool: Tool, between: str
) -> None:
    """And the lines keep their numbers."""
    value = between.join(HALVES)
    (tmp_path / "a.txt").write_text(f"first\nurl {value} word\nlast\n")
    ctx = Context(tmp_path, scrubber=Scrubber([value]))
    more = {"pattern": "."} if tool is grep_files.TOOL else {}
    told = call(tool, ctx, path="a.txt", **more).content
    assert [half for half in HALVES if half in told] == []
    last = 3 + between.count("\n")
    assert f"{last}→last" in told or f"{last}: last" in told
