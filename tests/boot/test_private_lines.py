"""What is typed at a start goes to disk, but for private lines."""

from __future__ import annotations

import pytest

from agent_tui.boot.private_lines import public_keys

PASTED = b"\x1b[200~%b\x1b[201~"


@pytest.mark.parametrize(
    "keys",
    [
        b"mend the tests",
        b"!make test\r",
        b"wow!! really!!\r",
        b"a!!\x7f\x7fb",
        b"x!!\x15y",
        PASTED % b"if (!!x)\rreturn !!y",
        b"\xc3\xa4!!",
        b"\x1b]11;rgb:1010/1010/1010\x1b\\a!!\x1b[?62;22c",
        b"a\n!!b",  # Ctrl+J
        b"a\\\r!!b",
        b"a\x1b\r!!b",
    ],
)
def test_other_lines_are_as_they_came(keys: bytes) -> None:
    assert public_keys(keys) == keys


@pytest.mark.parametrize(
    "keys",
    [
        b"!!echo hush",
        b"  !!echo hush",
        b"!x\x7f!echo hush",
        b"\xc3\xa4\x7f!!echo hush",
        b"no way\x17\x17!!echo hush",
        b"no\x15!!echo hush",
        b"!echo hush\x01!",  # Ctrl+A
        b"!echo hush\x1b[H!",
        b"echo hush\x1b[D\x1bb!!",
        b"\x1b]11;rgb:1010/1010/1010\x1b\\!!echo hush",
        b"\x1b[?62;22c!!echo hush",
        b"\x1b[200~!!echo hush\rand more\x1b[201~",
        b"\x1b[200~!!echo hu",
        b"!!echo \\\rhush",
        b"!!echo \x1b\rhush",
        b"!!echo \nhush",
    ],
)
@pytest.mark.parametrize("ends", [b"", b"\r"])
def test_a_private_line_is_left_out_whole(keys: bytes, ends: bytes) -> None:
    ends = ends if keys.count(b"\x1b[200~") == keys.count(b"\x1b[201~") else b""
    after = b"two" if ends else b""
    assert public_keys(b"one\r" + keys + ends + after) == b"one\r" + after


def test_before_the_terminal_was_ready_a_line_feed_was_enter() -> None:
    keys = b"!!hush\nmend it\n!!hush"
    assert public_keys(keys, len(keys)) == b"mend it\n"
    assert public_keys(keys) == b""
