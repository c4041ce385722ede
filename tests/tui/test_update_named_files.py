"""The files that the transcript names: asked for, remembered, opened when a person wants it."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import DiffDisplay, Match, MatchesDisplay
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    FileChanged,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Query
from agent_tui.tui.core.effects import OpenFile
from agent_tui.tui.core.msg import FileClicked, FilesNamed
from agent_tui.tui.runtime.editor import at_line
from agent_tui.tui.transcript.named_files import MOST
from tests.answers import answer_event
from tests.tui.lists import labels, sheet
from tests.tui.play import Play

Paths = dict[str, str]


def told(play: Play, paths: Paths) -> None:
    play.feed(answer_event("named_files", "named_files", {"paths": paths}, session="s"))


def answered(*words: str) -> Play:
    """A session whose answers say `words`."""
    play = Play()
    play.begin()
    for text in words:
        play.feed(AssistantReplied(text=text, session="s"))
    play.end()
    play.take()
    return play


def test_names_are_asked_for_once_and_the_view_has_the_answer() -> None:
    play = Play()
    play.say(FilesNamed(("a.py", "b.py")))
    assert play.take() == [Query("named_files", "named_files", "a.py\nb.py")]
    told(play, {"a.py": "/w/a.py", "b.py": ""})
    assert play.view.transcript.files == {"a.py": "/w/a.py", "b.py": ""}
    play.say(FilesNamed(("b.py", "c.py")))
    assert play.take() == [Query("named_files", "named_files", "c.py")]
    play.say(FilesNamed(("a.py",)))
    assert play.take() == []


@pytest.mark.parametrize(
    "event",
    [
        FileChanged(call_id="c", path="/w/b.py", diff=DiffDisplay("/w/b.py", ()), session="s"),
        TurnEnded(state="completed", turn=1, session="s"),
    ],
    ids=["file", "turn"],
)
def test_what_was_no_file_is_asked_for_again_when_it_may_be_one(event: Event) -> None:
    play = Play()
    told(play, {"a.py": "/w/a.py", "b.py": ""})
    play.feed(event)
    assert play.view.transcript.files == {"a.py": "/w/a.py"}


def test_another_session_knows_nothing_of_them_and_the_newest_are_kept() -> None:
    play = Play()
    told(play, {f"{n}.py": "" for n in range(MOST)})
    told(play, {"0.py": "/w/0.py", "new.py": ""})
    known = play.view.transcript.files
    assert len(known) == MOST and "1.py" not in known and known["0.py"] == "/w/0.py"
    play.feed(SessionStarted(session="t", cwd="/other", model="fake/model", window=1))
    assert play.view.transcript.files == {}


def test_a_click_opens_what_the_engine_has_found_and_nothing_else() -> None:
    play = Play()
    told(play, {"a.py": "/w/a.py", "b.py": ""})
    play.say(FileClicked("a.py", 12))
    assert play.takes(OpenFile) == [OpenFile("/w/a.py", 12)]
    for name in ("b.py", "/etc/passwd"):
        play.say(FileClicked(name))
        assert play.toast == f"{name} was not found in this session's folders"
        assert play.takes(OpenFile) == []


def test_alt_e_opens_the_only_file_in_view() -> None:
    play = answered("See `src/a.py:7`.")
    told(play, {"src/a.py": "/w/src/a.py"})
    play.press("alt+e")
    assert play.takes(OpenFile) == [OpenFile("/w/src/a.py", 7)] and play.view.overlay is None


def test_several_are_listed_once_the_engine_has_looked() -> None:
    play = answered("See a.py, b.py:3 and no.py.")
    play.press("alt+e")
    assert play.take() == [Query("named_files", "named_files", "a.py\nb.py\nno.py")]
    told(play, {"a.py": "/w/a.py", "b.py": "/w/b.py", "no.py": ""})
    assert labels(play) == ["a.py", "b.py"] and sheet(play).options[1].detail == "line 3"
    play.press("down", "enter")
    assert play.takes(OpenFile) == [OpenFile("/w/b.py", 3)] and play.view.overlay is None


def test_the_selected_block_comes_first() -> None:
    play = answered("Old: a.py", "New: b.py")
    told(play, {"a.py": "/w/a.py", "b.py": "/w/b.py"})
    play.press("ctrl+up", "ctrl+up", "alt+e")
    assert play.takes(OpenFile) == [OpenFile("/w/a.py", 0)]


def test_each_hit_of_a_search_is_a_place() -> None:
    play = Play()
    play.begin()
    found = MatchesDisplay("x", (Match("a.py", 3, "x = 1"), Match("a.py", 9, "x = 2")), 2)
    play.feed(ToolStarted(call_id="c", name="grep_files", label="Search x", session="s"))
    play.feed(ToolEnded("c", "grep_files", "Search x", "", found, session="s"))
    play.end()
    told(play, {"a.py": "/w/a.py"})
    play.press("alt+o", "alt+e")
    assert [option.detail for option in sheet(play).options] == ["", "line 3", "line 9"]


def test_where_no_file_is_named_that_is_said() -> None:
    play = answered("Only words.")
    play.press("alt+e")
    assert play.toast == "nothing in view names a file" and play.ops == []
    play = answered("Not there: no.py")
    play.press("alt+e")
    told(play, {"no.py": ""})
    assert "Nothing in view names a file of this session." in repr(sheet(play).lines)


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (["vim"], ["vim", "+7", "/w/a.py"]),
        (["/usr/bin/nano", "-m"], ["/usr/bin/nano", "-m", "+7", "/w/a.py"]),
        (["code", "--wait"], ["code", "--wait", "-g", "/w/a.py:7"]),
        (["subl"], ["subl", "/w/a.py:7"]),
        (["other"], ["other", "/w/a.py"]),
    ],
    ids=lambda value: value[0].rpartition("/")[2],
)
def test_editors_are_told_of_the_line(argv: list[str], command: list[str]) -> None:
    assert at_line(argv, "/w/a.py", 7) == command
    assert at_line(argv, "/w/a.py", 0) == [*argv, "/w/a.py"]
