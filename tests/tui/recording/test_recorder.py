"""What a running screen is told becomes lines of the session that it shows; lines from before it was known too."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import SessionStarted, TurnEnded, TurnStarted, fold
from agent_tui.tui.model import Model, initial
from agent_tui.tui.msg import DraftChanged, EventsArrived, Msg, Started
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.recording.player import Player
from agent_tui.tui.recording.recorder import SLICE, Recorder, Taken
from agent_tui.tui.update import update


class Screen:
    """Takes Msgs as the runtime does, a tenth of a second apart; `kept` are the lines of each session."""

    def __init__(self) -> None:
        self.model: Model = initial()
        self.at = 1_795_306_473.197
        self.taken: deque[Taken] = deque()
        self.kept: dict[str, str] = {}
        self.recorder = Recorder(self._keep)

    def say(self, *messages: Msg) -> None:
        for msg in messages:
            self.at = round(self.at + 0.1, 3)
            before, told = self.model, replace(msg, at=self.at)
            self.model, _ = update(before, told)
            self.taken.append((told, before, self.model))

    def write(self) -> None:
        while self.recorder.write(self.taken):
            pass

    def player(self, session: str, log: list[Event]) -> Player:
        return Player.load((line.encode() for line in self.kept[session].splitlines()), log)

    def _keep(self, session: str, lines: str) -> None:
        self.kept[session] = self.kept.get(session, "") + lines


ONE = SessionStarted(session="one", model="m", n=1)
TURN = TurnStarted(prompt="p", turn=1, session="one", n=2)
DONE = TurnEnded(state="completed", turn=1, session="one", n=3)


def test_lines_from_before_the_session_was_known_are_its_own() -> None:
    screen = Screen()
    screen.say(Started(80, 24), DraftChanged("early", 5))
    screen.write()
    assert screen.kept == {}
    screen.say(EventsArrived((ONE,)), EventsArrived((TURN,)), EventsArrived((DONE,)))
    screen.write()
    player = screen.player("one", [ONE, TURN, DONE])
    assert (player.problems, len(player)) == ([], 6)
    assert digests(player.model(6)) == digests(screen.model)
    assert list(player.checks) == [6] and player.verified() == []


def test_another_session_in_the_same_run_has_lines_of_its_own() -> None:
    screen, two = Screen(), SessionStarted(session="two", model="m", n=1)
    screen.say(Started(80, 24), EventsArrived((ONE,)), DraftChanged("stays", 5), EventsArrived((two,)))
    screen.say(DraftChanged("stays here", 10))
    screen.write()
    player = screen.player("two", [two])
    assert (player.problems, len(player)) == ([], 3)
    assert digests(player.model(3)) == digests(screen.model)


def test_another_session_has_what_it_was_restored_to_even_where_its_start_came_later() -> None:
    screen, old = Screen(), [replace(event, session="two") for event in (ONE, TURN, DONE)]
    again = replace(ONE, session="two", n=4)
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((Restored(fold(old), 3),)))
    screen.write()
    screen.say(DraftChanged("typed", 5), EventsArrived((again,)), DraftChanged("typed here", 10))
    screen.write()
    player = screen.player("two", [*old, again])
    assert (player.problems, len(player)) == ([], 5)
    assert digests(player.model(5)) == digests(screen.model)
    assert len(player.model(5).transcript.marks) == 1
    assert len(screen.player("one", [ONE])) == 3


def test_a_session_that_is_read_along_is_recorded_by_the_program_that_has_it() -> None:
    screen, two = Screen(), replace(ONE, session="two")
    along = replace(fold([replace(ONE, session="other")]), reading=True)
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((Restored(along, 1),)), DraftChanged("x", 1))
    screen.write()
    assert list(screen.kept) == ["one"] and len(screen.player("one", [ONE])) == 3
    screen.say(EventsArrived((two,)), DraftChanged("y", 1))
    screen.write()
    assert len(screen.player("two", [two])) == 3
    assert digests(screen.player("two", [two]).model(3)) == digests(screen.model)


def test_it_is_written_in_slices() -> None:
    screen = Screen()
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((DONE,)))
    screen.say(*(DraftChanged("x" * n, n) for n in range(SLICE)))
    assert screen.recorder.write(screen.taken)
    assert not screen.recorder.write(screen.taken)
    assert screen.kept["one"].count("\n") == SLICE + 5
    assert screen.player("one", [ONE, DONE]).verified() == []
    assert len(screen.player("one", [ONE, DONE]).checks) == 1  # once all is written down
