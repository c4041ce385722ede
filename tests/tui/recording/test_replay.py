"""A recording played back in another place makes the same models and the same frames, step by step."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.event import Restored
from agent_tui.tui.core.msg import EventsArrived, Msg, Started
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.view import view
from tests.campaigns import examples
from tests.tui.recording.live import Live
from tests.tui.test_update_any import MSGS


def assert_same(live: Live) -> None:
    player = live.replayed()
    assert player.problems == []
    assert len(player) == len(live.hashes) + 1
    for count, expected in enumerate(live.hashes, 2):
        assert digests(player.model(count), view) == expected, live.lines[count - 1]


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(MSGS, max_size=20))
def test_any_session_replays_to_the_same_hashes(told: list[Msg]) -> None:
    live = Live()
    live.say(Started(80, 24, home="/home/ada"))
    for msg in told:
        if isinstance(msg, EventsArrived):  # a restored transcript is what the log folds into
            msg = EventsArrived(
                tuple(event for event in msg.events if not isinstance(event, Restored))
            )
        live.say(msg)
    assert_same(live)
