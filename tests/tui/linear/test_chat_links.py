"""Links in line mode: only where they were asked for and the terminal takes them, and each leads
where its text says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures.visible import visible
from agent_tui.tui.linear.links import Links, links
from tests.agent.driving import Place
from tests.tui.linear.talk import chat, place, steps, terminal

__all__ = ["place"]

LINK = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\(.*?)\x1b\]8;;\x1b\\")
ANSWER = (
    "See src/cart.py:3 and src/none.py,\n"
    "[https://good.example/](https://evil.example/a) or [src/cart.py](javascript:x).\x1b]8;;http://x\x1b\\"
)
XTERM = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TERM_PROGRAM": "", "KITTY_WINDOW_ID": ""}


def filled(place: Place) -> str:
    (place.cwd / "src").mkdir()
    (place.cwd / "src" / "cart.py").write_text("1\n2\n3\n")
    return place.script(*steps(ANSWER))


def test_names_and_addresses_are_links_that_lead_where_they_say(place: Place) -> None:
    with terminal(place, "-m", filled(place), "--color", **XTERM) as it:
        it.hear("> ")
        it.say("go")
        it.hear("Done in")
        raw = it.raw.decode()
        it.type("\x04")
        assert it.wait() == 0
    file = f"file://{os.uname().nodename}{place.cwd.resolve()}/src/cart.py"
    assert LINK.findall(raw) == [
        (file, "src/cart.py:3"),
        ("https://good.example/", "https://good.example/"),
        ("https://evil.example/a", "https://evil.example/a"),
        (file, "src/cart.py"),
    ]
    assert "]8;;http://x\x1b" not in raw, "no sequence of the model's leaves"


@pytest.mark.parametrize(
    "flags, more",
    [((), XTERM), (("--color",), {**XTERM, "TERM": "dumb"}), (("--color",), {**XTERM, "NO_COLOR": "1"})],
    ids=["not-asked", "dumb", "no-color"],
)  # fmt: skip
def test_other_terminals_get_none(
    place: Place, flags: tuple[str, ...], more: dict[str, str]
) -> None:
    with terminal(place, "-m", filled(place), *flags, **more) as it:
        it.hear("> ")
        it.say("go")
        it.hear("Done in")
        assert "\x1b]8" not in it.raw.decode()


def test_a_pipe_gets_none(place: Place) -> None:
    assert "\x1b]8" not in chat(place, "go\n", "-m", filled(place), "--color", **XTERM).stdout


def test_nothing_outside_the_folder_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "work" / "out.txt").symlink_to(tmp_path / "secret.txt")
    made = Links(lambda path, _: f"file://{path}")
    made.folder = str(tmp_path / "work")
    line = f"../secret.txt out.txt {tmp_path}/secret.txt /etc/passwd"
    assert made.mark(line) == line


def test_an_address_with_other_letters_is_text() -> None:
    made = links(XTERM, True, True)
    assert made is not None
    assert made.mark("https://gооd.example/") == "https://gооd.example/"
    assert made.mark(long := f"https://a.example/{'x' * 3_000}") == long


@given(
    st.text() | st.lists(st.sampled_from(["https://a.b/(c)", "a.py", "\x1b]8;;", "é", " ", ")"]))
)
def test_the_text_stays_the_same(given: str | list[str]) -> None:
    line = visible("".join(given)).replace("\n", " ")
    made = Links(lambda path, _: f"file://{path}")
    shown = made.mark(line)
    assert LINK.sub(lambda found: found[2], shown) == line
    assert all(address == text for address, text in LINK.findall(shown))
