"""What a running screen is told becomes lines of the session that it shows; lines from before it
was known too."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import pytest

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import SessionStarted, TextDelta, TurnEnded, TurnStarted, fold
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, FocusChanged, Msg, Resized, Started
from agent_tui.tui.recording import recorder
from agent_tui.tui.recording.digest import SHORT, digests
from agent_tui.tui.recording.player import Player
from agent_tui.tui.recording.recorder import RARELY, Recorder, Taken
from agent_tui.tui.update import update
from agent_tui.tui.view import view


class Screen:
    """Takes Msgs as the runtime does, a tenth of a second apart; `kept` are the lines of each
    session."""

    def __init__(self) -> None:
        self.model: Model = initial()
        self.at = 1_795_306_473.197
        self.taken: deque[Taken] = deque()
        self.kept: dict[str, str] = {}
        self.runs: list[str] = []
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

    def _keep(self, session: str, run: str, lines: str) -> None:
        self.runs.append(run)
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
    assert digests(player.model(6), view) == digests(screen.model, view)
    assert list(player.checks) == [2, 4, 5, 6] and player.find_differences() == []
    assert [len(player.checks[count].frame) for count in (5, 6)] == [SHORT, 32]


def test_another_session_in_the_same_run_has_lines_of_its_own() -> None:
    screen, two = Screen(), SessionStarted(session="two", model="m", n=1)
    screen.say(
        Started(80, 24), EventsArrived((ONE,)), DraftChanged("stays", 5), EventsArrived((two,))
    )
    screen.say(DraftChanged("stays here", 10))
    screen.write()
    player = screen.player("two", [two])
    assert (player.problems, len(player)) == ([], 3)
    assert digests(player.model(3), view) == digests(screen.model, view)


def test_another_session_has_what_it_was_restored_to_even_where_its_start_came_later() -> None:
    screen, old = Screen(), [replace(event, session="two") for event in (ONE, TURN, DONE)]
    again = replace(ONE, session="two", n=4)
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((Restored(fold(old), 3),)))
    screen.write()
    screen.say(DraftChanged("typed", 5), EventsArrived((again,)), DraftChanged("typed here", 10))
    screen.write()
    player = screen.player("two", [*old, again])
    assert (player.problems, len(player)) == ([], 5)
    assert digests(player.model(5), view) == digests(screen.model, view)
    assert len(player.model(5).transcript.marks) == 1
    assert len(screen.player("one", [ONE])) == 3


def test_a_session_that_is_read_along_is_recorded_by_the_program_that_has_it() -> None:
    screen, two = Screen(), replace(ONE, session="two")
    along = replace(fold([replace(ONE, session="other")]), reading=True)
    screen.say(
        Started(80, 24),
        EventsArrived((ONE,)),
        EventsArrived((Restored(along, 1),)),
        DraftChanged("x", 1),
    )
    screen.write()
    assert list(screen.kept) == ["one"] and len(screen.player("one", [ONE])) == 3
    screen.say(EventsArrived((two,)), DraftChanged("y", 1))
    screen.write()
    assert len(screen.player("two", [two])) == 3
    assert digests(screen.player("two", [two]).model(3), view) == digests(screen.model, view)


def test_lines_come_with_the_run_that_opened_their_session() -> None:
    screen = Screen()
    for session, run in (("one", "a"), ("two", "b"), ("one", "c")):
        screen.say(EventsArrived((replace(ONE, session=session, run=run),)), DraftChanged(run, 1))
    screen.write()
    assert list(dict.fromkeys(screen.runs)) == ["a", "b", "c"]


def test_a_slice_is_one_msg_if_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "SLICE", 0.0)
    screen = Screen()
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((DONE,)))
    assert [screen.recorder.write(screen.taken) for _ in range(3)] == [True, True, False]
    assert screen.player("one", [ONE, DONE]).find_differences() == []


def test_each_msg_is_hashed_but_of_those_that_come_many_times_a_second_a_share() -> None:
    screen = Screen()
    screen.say(Started(80, 24), EventsArrived((ONE,)), EventsArrived((TURN,)))
    screen.say(
        *(
            EventsArrived((TextDelta(text="word ", turn=1, session="one"),))
            for _ in range(2 * RARELY)
        )
    )
    screen.say(Resized(90, 24), FocusChanged(False))
    screen.write()
    player = screen.player("one", [ONE, TURN])
    last = 4 + 2 * RARELY
    assert list(player.checks) == [2, 3, 4, 4 + RARELY, last, last + 1, last + 2]
    assert player.find_differences() == []


def test_the_msg_is_named_after_which_a_replay_differs() -> None:
    screen = Screen()
    screen.say(
        Started(80, 24),
        EventsArrived((ONE,)),
        EventsArrived((TURN,)),
        Resized(90, 24),
        Resized(80, 30),
    )
    screen.write()
    text = screen.kept["one"]
    screen.kept["one"] = text.replace('"width":90', '"width":91')
    assert screen.kept["one"] != text
    differences = screen.player("one", [ONE, TURN]).find_differences()
    assert [line.split(":")[0] for line in differences] == ["step 5"]
