"""Where a session is left, there it is opened again."""

from __future__ import annotations

import json
from pathlib import Path

from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    Notice,
    PlaceKept,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.tui.core.regions import TranscriptView
from tests.tui.play import Play
from tests.tui.tmux_live import TmuxWindow

STARTED = SessionStarted(session="s", model="fake/model")
ROWS = tuple(Notice(f"row {n}") for n in range(9))


def opened(*events: object) -> TranscriptView:
    play = Play(started=False)
    return play.feed(Restored(fold([STARTED, *ROWS, *events]))).transcript  # type: ignore[list-item]


def test_the_row_is_marked_and_shown() -> None:
    shown = opened(PlaceKept(4))
    assert (shown.mark, shown.go) == (4, 1)


def test_at_the_end_or_after_another_turn_it_is_the_end() -> None:
    turn = (TurnStarted(prompt="p", turn=1), TurnEnded(state="completed", turn=1))
    for events in ((), (PlaceKept(4), PlaceKept(-1)), (PlaceKept(4), *turn), (PlaceKept(99),)):
        shown = opened(*events)
        assert (shown.mark, shown.jump) == (-1, 1)


def test_a_session_is_left_and_opened_in_the_middle(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    steps = [[{"text": "\n\n".join(f"line {n}-{k}" for k in range(20))}] for n in range(3)]
    (work / "s.json").write_text(json.dumps({"steps": steps}))
    argv = ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(work)]
    window = TmuxWindow(argv, tmp_path, {}, (80, 24))
    window.until("Ask, or")
    for n in range(3):
        window.send(f"p{n}", f"line {n}-19")
    window.press("PageUp", "PageUp")
    window.until(lambda text: "line 2-19" not in text)
    left = window.text.splitlines()[1:10]
    window.press("C-d")
    again = TmuxWindow([*argv, "-c"], tmp_path, {}, (80, 24))
    try:
        again.until(lambda text: text.replace("▌", " ").splitlines()[1:10] == left)
    finally:
        again.close()
