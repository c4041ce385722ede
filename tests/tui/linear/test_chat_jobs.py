"""Jobs in line mode: they are listed, kept and stopped by words, and to quit while one runs is asked
about."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agent_tui.tui.linear.input_rules import ANEW_SECONDS
from tests.agent.driving import Place
from tests.safety.test_processes import alive, gone
from tests.tui.linear.talk import Terminal, steps, terminal

__all__ = ["place"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    place.script(*steps("fine", "fine"))
    return place


def begins(spoken: Terminal) -> None:
    """A job runs."""
    spoken.hear("> ")
    spoken.say("!sleep 300 & echo $! > pid; echo beg''un")
    spoken.hear("begun")
    spoken.hear("> ")


def pid_of(place: Place) -> int:
    return int((place.cwd / "pid").read_text())


READ = 1.0
"""Seconds in which the question can be read."""
WORDS = ("-m", "scripted/script.json", "--mode", "accept-all")


def test_quit_names_the_job_and_a_number_keeps_it(place: Place) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.say("/quit")
        spoken.hear("1 background job ends with agent-tui")
        spoken.hear("2: Keep running and quit")
        time.sleep(READ)
        spoken.say("2")
        spoken.hear("Still running: sleep 300")
        assert spoken.wait() == 0
    pid = pid_of(place)
    assert alive(pid)
    with terminal(place, *WORDS) as spoken:
        spoken.hear("Still running from before: sleep 300")
        spoken.say("/jobs")
        spoken.hear("kept after quit")
        spoken.say("1")
        assert gone(pid)
        spoken.say("/quit")
        assert spoken.wait() == 0


def test_ctrl_d_asks_too_and_once_more_ends_it(place: Place) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.type("\x04")
        spoken.hear("1 background job ends with agent-tui")
        spoken.hear("> ")
        time.sleep(READ)
        spoken.say("")
        spoken.hear("> ")
        assert alive(pid_of(place))
        spoken.type("\x04")
        spoken.hear("1 background job ends with agent-tui")
        spoken.hear("> ")
        for _ in range(12):  # a finger that rests on it
            spoken.type("\x04")
            spoken.read(0.15)
        assert alive(pid_of(place))
        time.sleep(ANEW_SECONDS)
        spoken.type("\x04")
        assert spoken.wait() == 0
    assert gone(pid_of(place))


@pytest.mark.parametrize("way", ["\x04", "/quit\r"], ids=["ctrl+d", "quit"])
def test_who_leaves_while_asked_about_a_switch_is_asked_anew(place: Place, way: str) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.say("/new")
        spoken.hear("1 background job ends with this session")
        spoken.hear("> ")
        time.sleep(READ)
        spoken.type(way)
        spoken.hear("1 background job ends with agent-tui")
        assert alive(pid_of(place))


def test_an_end_right_behind_the_number_that_keeps_it_ends_nothing(place: Place) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.say("/quit")
        spoken.hear("2: Keep running and quit")
        time.sleep(READ)
        spoken.type("2\r\x04")
        spoken.hear("Still running: sleep 300")
        assert spoken.wait() == 0
    assert alive(pid_of(place))


def test_to_quit_twice_before_the_question_can_be_read_ends_nothing(place: Place) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.say("/quit")
        spoken.hear("2: Keep running and quit")
        spoken.hear("> ")
        spoken.say("/quit")
        spoken.hear("> ")
        assert alive(pid_of(place))


def test_a_new_session_asks_and_a_number_keeps_it(place: Place) -> None:
    with terminal(place, *WORDS) as spoken:
        begins(spoken)
        spoken.say("/new")
        spoken.hear("1 background job ends with this session")
        spoken.hear("2: Keep running and switch")
        spoken.say("2")
        spoken.hear("You typed that before you could read")
        time.sleep(READ)
        spoken.say("2")
        spoken.hear("Still running from before: sleep 300")
        spoken.hear("> ")
        pid = pid_of(place)
        assert alive(pid)
        spoken.say("/jobs")
        spoken.hear("kept after quit")
        spoken.say("1")
        spoken.hear("Stopped by you")
    assert gone(pid)
