"""How the transcript is drawn: from the settings to the screen, and changed by a command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import ApprovalAsked
from agent_tui.protocol.transcript import Transcript
from agent_tui.settings.table import Settings
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.msg import EventsArrived, Submitted, Toggled
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.places import load
from tests.tui.play import Play


def test_the_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[display]\ndiff = "split"\nthinking = "folded"\n')
    found, problems = load(tmp_path, tmp_path)
    assert (found.display.diff, found.display.thinking, problems) == ("split", "folded", ())
    usual = Settings().display
    assert (usual.theme, usual.diff, usual.thinking) == ("auto", "auto", "live")


def test_thinking_goes_round() -> None:
    play = Play()
    seen = []
    for _ in range(4):
        play.say(Submitted("/thinking"))
        seen.append(play.view.transcript.look.thinking)
    assert seen == ["folded", "hidden", "live", "folded"]
    assert play.toast == "folded: thoughts are one line"


@pytest.mark.parametrize("how", ["live", "folded", "hidden"])
def test_thinking_by_name(how: str) -> None:
    play = Play()
    play.say(Submitted(f"/thinking {how}"))
    assert play.view.transcript.look.thinking == how


def test_another_word_names_the_ones_there_are() -> None:
    play = Play()
    play.say(Submitted("/thinking loud"))
    assert play.toast == "no choice 'loud'; use live, folded, hidden"
    assert play.view.transcript.look == Look()


def test_a_resumed_session_keeps_the_look() -> None:
    play = Play()
    play.say(Submitted("/thinking hidden"))
    model, _ = update(
        play.model, EventsArrived(at=9.0, events=(Restored(Transcript(session="s")),))
    )
    assert view(model).transcript.look == Look(thinking="hidden")


def test_the_dialog_draws_diffs_as_the_transcript_does() -> None:
    play = Play()
    play.begin()
    play.model = replace(play.model, look=Look(diff="unified"))
    diff = DiffDisplay("a", (Hunk(1, 1, ("-a", "+b")),), 1, 1)
    play.feed(
        ApprovalAsked(
            id="q", call_id="c", tool="edit_file", label="Edit a", display=diff, session="s"
        )
    )
    assert play.view.dialog is not None
    assert play.view.dialog.look == play.view.transcript.look == Look(diff="unified")


def test_a_group_is_toggled_apart_from_its_first_row() -> None:
    play = Play()
    play.begin()
    model, _ = update(play.model, Toggled(at=1.0, row=0, group=True))
    shown = view(model).transcript
    assert (shown.groups, shown.exceptions) == (frozenset({0}), frozenset())
    model, _ = update(model, Toggled(at=1.0, row=0, group=True))
    assert view(model).transcript.groups == frozenset()
