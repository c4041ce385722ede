"""Log and debug console as values; and what holds of every list, at every size and whatever the
engine answers."""

from __future__ import annotations

import pytest

from agent_tui.protocol.ops import Query
from agent_tui.tui.core.effects import Copy, ReadFacts
from agent_tui.tui.core.msg import FactsRead, KeyPressed, Resized
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, opened, sheet, text

LINES = [
    {"at": "10:00:00", "level": "info", "source": "log", "text": "session begun"},
    {"at": "10:00:01", "level": "warning", "source": "log", "text": "a slow server"},
    {"at": "10:00:02", "level": "record", "source": "session", "text": "turn_started {}"},
]


def test_the_log_ends_with_the_newest_line_and_says_levels() -> None:
    play = opened("log")
    assert play.take() == [Query("log-1", "log")] and "looking" in text(play)
    play.feed(answer_event("log-1", "log", {"lines": LINES, "left": 99_000_000}))
    assert chosen(play).startswith("10:00:02  record") and "without 99 MB of older lines" in text(
        play
    )
    assert [option.tone for option in sheet(play).options] == ["normal", "warning", "dim"]
    play.press(*"warning")
    assert labels(play) == ["10:00:01  warning  a slow server"]
    play.press("enter")
    assert play.takes(Copy) == [Copy("10:00:01  warning  a slow server")]


def test_a_line_of_the_log_begins_with_what_sets_it_apart() -> None:
    said = 'agent_end {"session": "b5c296da-6d37", "run": "36e0cc8", "trace": "4e70", "turn": 1, "state": "completed"}'
    play = opened("log")
    play.feed(answer_event("log-1", "log", {"lines": [{**LINES[0], "text": said}], "left": 0}))
    assert labels(play)[0].startswith('10:00:00  info     agent_end {"turn": 1')
    assert '"session": "b5c296da-6d37"' in text(play), "below the list it is whole"
    play.press("enter")
    assert play.takes(Copy) == [Copy(f"10:00:00  info     {said}")]


def test_an_empty_log_is_said() -> None:
    play = opened("log")
    play.feed(answer_event("log-1", "log", {"lines": [], "left": 0}))
    assert "empty" in text(play)


def test_the_log_is_read_again_and_its_end_stays_in_view() -> None:
    play = opened("log")
    play.feed(answer_event("log-1", "log", {"lines": LINES[:2], "left": 0}))
    play.take()
    play.press("f5")
    assert play.take() == [Query("log-2", "log")]
    play.feed(answer_event("log-2", "log", {"lines": LINES, "left": 0}))
    assert chosen(play).startswith("10:00:02")


def test_the_debug_console_is_copied_with_a_key() -> None:
    play = opened("debug")
    assert play.takes(ReadFacts) == [ReadFacts()]
    play.say(FactsRead((("agent-tui", "1.0"), ("terminal", "80 x 24"))))
    assert labels(play) == ["agent-tui", "terminal"]
    play.press("enter")
    assert play.takes(Copy) == [Copy("agent-tui: 1.0\nterminal: 80 x 24")]


# -- anywhere


LISTS = ["palette", "help", "model", "resume", "skills", "theme", "mode", "files", "log", "debug"]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("size", [(40, 16), (12, 4), (1, 1), (200, 60)])
def test_every_list_has_a_view_at_every_size(name: str, size: tuple[int, int]) -> None:
    play = opened(name)
    play.say(Resized(*size))
    assert sheet(play).title and play.view.footer.keys[-1] == ("Esc", "close")
    for option in sheet(play).options:
        assert len(option.label) <= max(8, size[0])
    play.press(*"a b", "down", "backspace", "escape")
    assert play.view.overlay is None


def test_keys_that_are_no_text_are_not_typed() -> None:
    play = opened("mode")
    play.say(KeyPressed("ctrl+e", "\x05"))
    assert len(labels(play)) == 5
