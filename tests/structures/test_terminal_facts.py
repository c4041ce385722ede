"""What a terminal is, by what it set."""

from __future__ import annotations

import pytest

from agent_tui.structures import terminal_facts as facts


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "truecolour"),
        ({"TERM": "screen", "COLORTERM": "24bit"}, "truecolour"),
        ({"TERM": "xterm-kitty"}, "truecolour"),
        ({"TERM": "xterm-direct"}, "truecolour"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "tmux-256color"}, "256"),
        ({"TERM": "xterm", "COLORTERM": "yes"}, "256"),
        ({"TERM": "xterm"}, "16"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "screen"}, "16"),
        ({}, "16"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "none"),
        ({"TERM": "vt100"}, "none"),
    ],
)
def test_colours(environment: dict[str, str], depth: str) -> None:
    assert facts.depth(environment) == depth


@pytest.mark.parametrize(
    ("said", "dark"),
    [
        ("15;0", True),
        ("0;15", False),
        ("0;default;15", False),
        ("7;8", True),
        ("12;7", False),
        ("0;7", False),
        ("15;default", None),
        ("", None),
        ("1;99", None),
        ("²;²", None),
    ],
)
def test_the_hint_about_the_ground(said: str, dark: bool | None) -> None:
    assert facts.dark_hint({"COLORFGBG": said}) is dark


@pytest.mark.parametrize(
    ("environment", "notifier"),
    [
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"}, "osc99"),
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM_PROGRAM": "tmux", "LC_TERMINAL": "iTerm2"}, "osc9"),
        ({"TERM_PROGRAM": "ghostty"}, "osc777"),
        ({"TERM_PROGRAM": "WezTerm"}, "osc777"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "linux"}, ""),
    ],
)
def test_the_way_to_the_desktop(environment: dict[str, str], notifier: str) -> None:
    assert facts.notifier(environment) == notifier


def test_what_goes_through_multiplexers() -> None:
    said = "\x1b]777;notify;a;b\x1b\\"
    assert facts.pass_through(said, {}) == said
    assert (
        facts.pass_through(said, {"TMUX": "x"})
        == "\x1bPtmux;\x1b\x1b]777;notify;a;b\x1b\x1b\\\x1b\\"
    )
    assert facts.pass_through("\x1b]9;a\a", {"STY": "x"}) == "\x1bP\x1b]9;a\a\x1b\\"


def test_an_old_console_is_asked_nothing() -> None:
    assert not facts.answers({"TERM": "linux"}) and not facts.answers({"TERM": "dumb"})
    assert facts.answers({"TERM": "xterm"})


def test_grounds_are_remembered_for_each_terminal() -> None:
    one, two = (
        facts.identity({"TERM": "xterm"}),
        facts.identity({"TERM": "xterm", "TERM_PROGRAM": "x y\nz"}),
    )
    assert one != two and not any(c.isspace() for c in one + two)
    text = facts.remember(facts.remember("", one, True), two, False)
    assert (facts.read_ground(text, one), facts.read_ground(text, two)) == (True, False)
    text = facts.remember(text, one, False)
    assert facts.read_ground(text, one) is False and len(text.splitlines()) == 2
    assert facts.read_ground("nonsense\n\nxterm green", "xterm") is None
    for n in range(50):
        text = facts.remember(text, f"t{n}", True)
    assert len(text.splitlines()) == 8 and facts.read_ground(text, "t49") is True
