"""Bad input through the whole program: scripted model, real tools, a real terminal whose every byte
is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty
from tests.tui.raw_output import MARK, violations
from tests.tui.resize_campaign import campaign

SEQUENCES = (
    f"\x1b[{MARK}m\x1b[{MARK}C\x9b{MARK}A\x1b]0;{MARK}\x07\x1b]8;;http://{MARK}\x1b\\\x1b]52;c;{MARK}\x07"
    f"\x1bP{MARK}q\x1b\\\x1b_{MARK}\x1b\\\x1b^{MARK}\x1b\\\x1bX{MARK}\x1b\\\x9d0;{MARK}\x9c\x90{MARK}\x9c\x1bc\x1b7\x1b[?1049l\x1b[!p\x0e\x0f"
)
CONTROLS = "".join(
    f"<{chr(code)}>" for code in (*range(1, 9), 11, 12, *range(14, 32), 127, *range(0x80, 0xA0))
)
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
MARKUP = "[bold red]x[/] [/y] [@click=app.quit]z[/]"
HOSTILE = f"{SEQUENCES} {CONTROLS} {BIDI} {MARKUP}"
OPEN = f"\x1b]0;{MARK} unfinished \x1bP{MARK} \x1b[{MARK}"
LINKS = (
    f"[https://good.example](https://evil.example/{MARK}) [a](http://b.example/\x1b]0;{MARK}\x07) "
    f"<http://c.example/\x9b2J> [x](javascript:{MARK}) [y](http://\u202egro.example) ![p\x1b[2J](http://d.example/\x07)"
)
ANSWER = (
    f"# head {HOSTILE}\n\n{HOSTILE}\n\n- item {HOSTILE}\n\n> quote {HOSTILE}\n\n```py\x1b[2J\n{HOSTILE}\n```\n\n"
    f"| a {SEQUENCES} |\n|---|\n| b {MARKUP} {BIDI} |\n\n`code {HOSTILE}`\n\n{LINKS}\n\n<b>{HOSTILE}</b>\n\n{OPEN}\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "work").mkdir()
    yield tmp_path


def start(
    place: Path, steps: list[object], size: tuple[int, int] = (100, 40), name: str = "s.json"
) -> Pty:
    (place / "work" / name).write_text(json.dumps({"steps": steps, "thinking": True}))
    env = {
        "AGENT_TUI_HOME": str(place / "home"),
        "HOME": str(place),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }
    arguments = [
        "-m",
        "agent_tui",
        "-m",
        f"scripted/{name}",
        "--mode",
        "accept-all",
        "--cwd",
        str(place / "work"),
    ]
    return Pty(arguments, env, size)


def test_no_block_sends_anything_raw(place: Path) -> None:
    name = f"a\x1b[{MARK}m\u202e\x07[b].txt"
    (place / "work" / name).write_text(HOSTILE)
    octal = "".join(f"\\{byte:03o}" for byte in f"{HOSTILE}\n{OPEN}".encode())
    steps: list[object] = [
        [
            {"thinking": HOSTILE},
            {"text": ANSWER, "chunk": 7},
            {"call": "list_files", "arguments": {"path": "."}},
        ],
        [
            {"call": "read_file", "arguments": {"path": name}},
            {"call": "grep_files", "arguments": {"pattern": "red"}},
        ],
        [
            {
                "call": "edit_file",
                "arguments": {"path": name, "old_text": "bold red", "new_text": SEQUENCES},
            }
        ],
        [{"call": "create_file", "arguments": {"path": f"new{SEQUENCES[:9]}", "content": HOSTILE}}],
        [{"call": f"no{HOSTILE}", "arguments": HOSTILE}],
        [
            {
                "call": "run_shell_command",
                "arguments": {"command": f"printf '{octal}\\377\\376\\300'; exit 3"},
            }
        ],
        [{"text": "All done"}],
        [{"fail": "server", "text": HOSTILE, "hint": HOSTILE}],
    ]
    pty = start(place, steps, name="s[b]\u200d.json")
    try:
        pty.until("Enter send")
        pty.paste(HOSTILE.replace(chr(27), ""))
        pty.until("All done")
        pty.until("Enter send")
        pty.type("more\r")
        pty.until("Error: ")
        pty.until("Enter send")
        pty.type("\x0f\x0f")
        for key in ("\x1b[5~", "\x1b[5~", "\x1b[5~", "\x1b[1;5F", "\x05"):
            pty.type(key)
            pty.read(0.2)
        pty.type("kept")
        pty.until("kept")
        assert violations(pty.raw) == []
        assert pty.poll() is None
    finally:
        pty.close()


def test_a_deceptive_link_shows_where_it_goes(place: Path) -> None:
    pty = start(place, [[{"text": LINKS}]])
    try:
        pty.until("Enter send")
        pty.type("go\r")
        pty.until("evil.example")
        pty.until("javascript:")
        assert b"]8;;javascript" not in pty.raw
        assert violations(pty.raw) == []
    finally:
        pty.close()


def test_sizes_change_while_an_answer_streams() -> None:
    seed = int(os.environ.get("SEED", "0")) or int.from_bytes(os.urandom(3), "big") + 1
    print("seed", seed)
    campaign(60, seed)


def test_the_reader_of_bytes_is_strict() -> None:
    good = "\x1b[1;2Hword\x1b[0m\r\n\x1b]8;id=1;http://a.example/\x1b\\link\x1b]8;;\x1b\\"
    assert violations(good.encode()) == []
    for bad in (
        f"\x1b[{MARK}m",
        "\x1b]0;t\x07",
        "\x1bP1q\x1b\\",
        "\x9b2J",
        "\x07",
        "\u202e",
        "\x1bc",
        "\x7f",
        "\x1b[!p",
        "\x1b]8;;file:///x\x1b\\",
        "\x1b]52;c;eA==\x07",
    ):
        assert violations(bad.encode()), bad
