"""Taking back files and words: what is shown first, what is asked, and what is said afterwards."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.events import Answered, Rewound
from agent_tui.protocol.ops import Fork, Query, RestoreFiles, Rewind
from agent_tui.tui.view.going_back import DRAWN
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play

FREE = {
    "path": "shop.py", "why": "", "choices": [], "added": 1, "removed": 1,
    "diff": [{"old_start": 1, "new_start": 1, "lines": ["-price = 4", "+price = 3"]}],
}  # fmt: skip
CHANGED = {**FREE, "path": "own.py", "why": "it was changed since", "choices": ["keep", "restore", "both"]}


def worked(turns: int = 2) -> Play:
    play = Play()
    for turn in range(turns):
        play.begin(f"prompt {turn + 1}")
        play.end()
    play.take()
    return play


def command(play: Play, name: str) -> None:
    play.type(f"/{name}")
    play.press("escape", "enter")


def answer(play: Play, kind: str, *files: dict[str, Any], n: int = 7) -> None:
    """The engine tells which files there are."""
    asked = play.take()[-1]
    assert isinstance(asked, Query) and asked.kind == kind
    turns = [{"n": n, "turn": 1, "prompt": "fix the price"}] if files else []
    data = {"direction": kind, "files": list(files), "turns": turns, "caps": []}
    play.feed(Answered(id=asked.id, kind=kind, data=data, session="s"))


def restored(play: Play, **data: Any) -> None:
    whole = {"done": True, "id": "1", "asked": [], "files": [], "problem": "", **data}
    play.feed(Answered(id="restored", kind="restored", data=whole, session="s"))


def test_undo_shows_the_files_and_the_difference_first() -> None:
    play = worked()
    command(play, "undo")
    assert text(play) == "looking …"
    play.press("enter")
    answer(play, "undo", FREE)
    assert "1 file would change. Nothing is written yet." in text(play)
    assert "-price = 4\n+price = 3" in text(play)
    assert sheet(play).title == "Undo: fix the price"
    assert labels(play) == ["code", "code and conversation", "conversation"]
    play.press("enter")
    assert play.take() == [RestoreFiles(0, "code", {})]
    restored(play, files=[{"path": "shop.py", "outcome": "done", "beside": "", "problem": ""}])
    assert play.toast == "1 file put back; /redo takes that back"


def test_the_differences_are_drawn_as_in_the_transcript_unless_they_are_long() -> None:
    play = worked()
    command(play, "undo")
    long = {**FREE, "path": "made.py", "goes": True, "diff": [{"lines": ["-x"] * DRAWN}]}
    answer(play, "undo", FREE, {**FREE, "path": "lost.py", "comes": True})
    shown = sheet(play)
    assert [diff.path for diff in shown.diffs] == ["shop.py", "lost.py"]
    head = ["".join(span.text for span in line) for line in shown.lines[: shown.told]]
    assert "  lost.py  +1 −1  would come back" in head
    play.press("escape")
    command(play, "undo")
    answer(play, "undo", FREE, long)
    assert "made.py  +1 −1  would be deleted" in text(play)
    assert not sheet(play).diffs and text(play).count("-x") == DRAWN


def test_a_file_that_changed_since_needs_a_word() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, CHANGED)
    assert "own.py  +1 −1  it was changed since" in text(play)
    assert [diff.path for diff in sheet(play).diffs] == ["own.py", "shop.py"], "what has to be judged is seen first"
    play.press("down", "enter")  # code
    assert play.toast == "choose first what becomes of own.py" and play.take() == []
    play.press("enter")
    assert sheet(play).options[1].detail == "keep it as it is now"
    assert "1 file would change. Nothing is written yet." in text(play)
    assert "own.py  is left as it is  it was changed since" in text(play)
    assert [diff.path for diff in sheet(play).diffs] == ["shop.py"]
    play.press("enter")
    assert "2 files would change." in text(play) and len(sheet(play).diffs) == 2
    play.press("enter")
    assert sheet(play).options[1].detail == "both: the old one beside it"
    assert "1 file would change, 1 earlier version would be written beside. Nothing" in text(play)
    assert "own.py  is left as it is, its earlier version beside it" in text(play)
    play.press("down", "enter")
    assert play.take() == [RestoreFiles(0, "code", {"own.py": "both"})]
    files = [{"outcome": "done"}, {"outcome": "beside", "beside": "/w/own.py.orig-1234"}]
    restored(play, files=files)
    beside = "1 file kept, its earlier version stays beside it as own.py.orig-1234"
    assert play.toast == f"1 file put back; /redo takes that back; {beside}"


def test_each_kind_of_what_was_done_is_named() -> None:
    done, gone, kept = {"outcome": "done"}, {"outcome": "done", "gone": True}, {"outcome": "kept"}
    beside = [{"outcome": "beside", "beside": f"/w/{name}.orig-1"} for name in "abc"]
    two = [*beside[:2], kept]
    redo = "/redo takes that back"
    for files, said in (
        ([done, gone, gone], f"1 file put back, 2 files removed again; {redo}"),
        ([gone, kept], f"1 file removed again; {redo}; 1 file kept as it is"),
        ([kept, kept], "2 files kept as they are"),
        (two, "1 file kept as it is; 2 files kept, their earlier versions stay beside them as a.orig-1, b.orig-1"),
        (beside, "3 files kept, their earlier versions stay beside them as a.orig-1, b.orig-1, …"),
        ([{"outcome": "same"}], "nothing had to be put back"),
    ):
        play = worked()
        command(play, "undo")
        answer(play, "undo", FREE)
        play.press("enter")
        restored(play, files=files)
        assert play.toast == said
    play = worked()
    command(play, "redo")
    answer(play, "redo", FREE)
    play.press("enter")
    restored(play, files=[done, beside[0]])
    said = "1 file kept, its changed version stays beside it as a.orig-1"
    assert play.toast == f"1 file changed again; /undo takes that back; {said}"


def test_a_file_that_can_only_be_kept_is_not_said_to_change() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", {**CHANGED, "choices": ["keep"]})
    assert "No file would change. Nothing is written yet." in text(play)
    assert "own.py  is left as it is" in text(play) and not sheet(play).diffs


def test_a_file_that_changes_in_between_is_asked_about_again() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("enter")
    play.take()
    restored(play, done=False, asked=[CHANGED])
    assert play.toast == "own.py changed meanwhile, and nothing was done: choose what becomes of it"
    answer(play, "undo", FREE, CHANGED)
    assert labels(play)[0] == "own.py"


def test_what_could_not_be_put_back_is_said() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("enter")
    play.take()
    restored(play, done=False, files=[{"outcome": "failed", "problem": "shop.py: No space left on device"}])
    assert play.toast == "Error: 1 file of 1 could not be put back: shop.py: No space left on device"


def test_nothing_to_undo_is_said_in_a_line() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo")
    assert play.view.overlay is None
    assert play.toast == "no change of a file is left to undo; /rewind takes back what was said"
    command(play, "redo")
    answer(play, "redo")
    assert play.toast == "nothing was taken back"


def test_escape_leaves_all_as_it_is() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("escape")
    assert play.view.overlay is None and play.take() == []


def test_while_something_runs_nothing_is_taken_back() -> None:
    play = Play()
    play.begin()
    for name in ("undo", "redo", "rewind"):
        play.take()
        command(play, name)
        assert play.view.overlay is None
        assert play.toast == "something is running: interrupt it first (Esc)"


def marked(play: Play) -> list[int]:
    return [mark.n for mark in play.model.transcript.marks]


def test_escape_twice_lists_the_turns_and_goes_back() -> None:
    play = worked(3)
    play.press("escape")
    assert play.view.overlay is None
    play.press("escape", after=0.4)
    assert sheet(play).title == "Go back to before a turn"
    assert labels(play) == ["prompt 3", "prompt 2", "prompt 1"]
    play.press("escape")
    play.press("escape", after=2.0)
    play.press("escape", after=2.0)
    assert play.view.overlay is None


def test_the_conversation_goes_back_and_its_prompt_is_in_the_prompt() -> None:
    from agent_tui.protocol.events import TurnEnded, TurnStarted

    play = Play()
    play.feed(TurnStarted(prompt="first", turn=1, session="s", n=5), TurnEnded(state="completed", turn=1, session="s"))
    play.feed(TurnStarted(prompt="second", turn=2, session="s", n=9), TurnEnded(state="completed", turn=2, session="s"))
    play.take()
    command(play, "rewind")
    play.press("enter")
    assert play.ops == [Query(play.model.overlay.query if play.model.overlay else "", "undo", "9")]
    answer(play, "undo")
    assert labels(play) == ["conversation"]
    assert text(play) == "These turns changed no file: only what was said goes back."
    play.press("enter")
    assert play.take() == [Rewind(9)]
    play.feed(Rewound(9, n=12, session="s"))
    assert play.text == "second"
    assert play.toast == "the conversation is back there; /redo opens it as it was, in a new session"
    assert len(play.model.transcript.marks) == 1
    play.press("ctrl+c")
    command(play, "redo")
    answer(play, "redo")
    play.press("enter")
    assert play.take() == [Fork(12)]


def test_each_turn_says_how_many_files_tools_and_commands_changed_in_it() -> None:
    from agent_tui.protocol.display import DiffDisplay
    from agent_tui.protocol.events import FileChanged

    play = Play()
    for number, paths in enumerate((("a.py", "b.py", "a.py"), (), ("c.py",)), 1):
        play.begin(f"prompt {number}")
        for path in paths:
            play.feed(FileChanged("call", f"/p/{path}", DiffDisplay(path, ()), "", "x", session="s"))
        play.end()
    command(play, "rewind")
    counted = [option.detail.rpartition(" · ")[2] for option in sheet(play).options if option.label]
    assert [one if "changed" in one else "" for one in counted] == ["1 file changed", "", "2 files changed"]


def test_files_that_are_back_already_are_not_said_to_be_unchanged() -> None:
    from agent_tui.protocol.display import DiffDisplay
    from agent_tui.protocol.events import FileChanged, TurnEnded, TurnStarted

    play = Play()
    play.feed(TurnStarted(prompt="first", turn=1, session="s", n=5))
    play.feed(FileChanged("call", "/p/a.py", DiffDisplay("a.py", ()), "", "x", session="s"))
    play.feed(TurnEnded(state="completed", turn=1, session="s"))
    command(play, "rewind")
    play.press("enter")
    answer(play, "undo")
    assert text(play) == "What these turns changed in files is taken back already: only what was said goes back."


def test_without_a_turn_there_is_nothing_to_go_back_to() -> None:
    play = Play()
    play.press("escape", "escape", after=0.2)
    assert play.view.overlay is None and play.effects == []
    command(play, "rewind")
    assert play.view.overlay is None and play.toast == "there is no turn to go back to yet"
