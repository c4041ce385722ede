"""Taking back files and words: what is shown first, what is asked, and what is said afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.events import (
    DraftSaved,
    FilesRestored,
    QueueChanged,
    Rewound,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Fork, Query, RestoreFiles, Resume, Rewind, Submit
from agent_tui.protocol.standing import Queued, RestoredFile
from agent_tui.protocol.transcript import NoticeBlock
from agent_tui.tui.core.effects import ExpireToast
from agent_tui.tui.core.msg import OptionClicked
from agent_tui.tui.core.step import TOAST_SECONDS
from agent_tui.tui.sheets.undo import DRAWN
from tests.answers import answer_event
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play

HUNK = {"old_start": 1, "new_start": 1, "lines": ["-price = 4", "+price = 3"]}
FREE = {
    "path": "shop.py",
    "why": "",
    "choices": ["keep", "restore"],
    "default": "restore",
    "now": "aa",
    "added": 1,
    "removed": 1,
    "diff": [HUNK],
}
CHANGED = {
    **FREE,
    "path": "own.py",
    "why": "changed since then",
    "choices": ["keep", "restore", "both"],
    "default": "",
}
DURING = {
    **FREE,
    "path": "README.rst",
    "why": "changed while a command ran, perhaps by you",
    "default": "keep",
}


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


def details(play: Play) -> dict[str, str]:
    """What stands beside each file."""
    return {
        option.label: option.detail for option in sheet(play).options if option.label[:1] == "["
    }


def answer(
    play: Play,
    kind: str,
    *files: dict[str, Any],
    n: int = 7,
    caps: tuple[str, ...] = (),
    undone: bool = False,
    after: float = 1.0,
    turn: int = 1,
    begun: int = 0,
) -> None:
    """The engine tells which files there are."""
    asked = play.take()[-1]
    assert isinstance(asked, Query) and asked.kind == kind
    turns = [{"n": n, "turn": turn, "prompt": "fix the price"}] if files else []
    data = {
        "direction": kind,
        "files": list(files),
        "turns": turns,
        "caps": list(caps),
        "undone": undone,
        "begun": begun,
    }
    play.feed(answer_event(asked.id, kind, data, session="s"), after=after)


def restored(play: Play, **data: Any) -> None:
    whole = {"done": True, "id": "1", "asked": [], "files": [], "said": "", "problem": "", **data}
    play.feed(answer_event("restored", "restored", whole, session="s"))


def test_of_a_command_of_the_person_only_the_files_are_taken_back() -> None:
    """No turn of the conversation begins there."""
    play = worked()
    command(play, "undo")
    answer(play, "undo", DURING, turn=0)
    assert labels(play) == ["[ ] README.rst", "code"]


def test_undo_shows_the_files_and_the_difference_first() -> None:
    play = worked()
    command(play, "undo")
    assert text(play) == "looking …"
    play.press("enter")
    answer(play, "undo", FREE)
    assert "Restore 1 file. Nothing is written yet: choose below." in text(play)
    assert "-price = 4\n+price = 3" in text(play)
    assert sheet(play).title == "Undo: fix the price"
    assert labels(play) == ["[x] shop.py", "code", "code and conversation", "conversation"]
    play.press("enter", after=5.5)
    assert play.take() == [RestoreFiles(0, "code", {})]
    restored(play, said="Restored shop.py. /redo reverses this.")
    assert play.toast == "Restored shop.py. /redo reverses this."


def test_what_the_transcript_says_is_not_said_beside_it() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("enter", after=5.5)
    before = play.toast
    files = (RestoredFile("shop.py", outcome="done"),)
    done = FilesRestored(id="1", direction="undo", files=files, session="s")
    play.feed(done)
    restored(play, said=done.summary())
    assert play.toast == before
    assert play.view.transcript.rows[-1] == NoticeBlock("info", done.summary())


def test_the_differences_are_drawn_as_in_the_transcript_unless_they_are_long() -> None:
    play = worked()
    command(play, "undo")
    long = {**FREE, "path": "made.py", "goes": True, "diff": [{**HUNK, "lines": ["-x"] * DRAWN}]}
    answer(play, "undo", FREE, {**FREE, "path": "lost.py", "comes": True})
    shown = sheet(play)
    assert [diff.path for diff in shown.diffs] == ["shop.py", "lost.py"]
    assert details(play)["[x] lost.py"] == "+1 -1 · restored"
    play.press("escape")
    command(play, "undo")
    answer(play, "undo", FREE, long)
    assert details(play)["[x] made.py"] == "+1 -1 · deleted"
    assert "Restore 1 file, delete 1 file. Nothing is written yet: choose below." in text(play)
    assert not sheet(play).diffs and text(play).count("-x") == DRAWN


def test_a_file_that_changed_since_needs_a_word() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, CHANGED)
    assert details(play)["[?] own.py"] == "+1 -1 · choose what happens · changed since then"
    assert [diff.path for diff in sheet(play).diffs] == ["own.py", "shop.py"], (
        "what has to be judged is seen first"
    )
    play.press("down", "down", "enter")  # code
    assert play.toast == "first choose what happens to own.py" and play.take() == []
    play.press("enter")
    assert details(play)["[ ] own.py"] == "+1 -1 · kept · changed since then"
    assert "Restore 1 file, keep 1 file unchanged. Nothing is written yet: choose below." in text(
        play
    )
    assert [diff.path for diff in sheet(play).diffs] == ["shop.py"]
    play.press("enter")
    assert "Restore 2 files. Nothing" in text(play) and len(sheet(play).diffs) == 2
    play.press("enter")
    assert details(play)["[+] own.py"].startswith("+1 -1 · kept, earlier version beside it")
    assert "Restore 1 file, write 1 earlier version beside. Nothing" in text(play)
    play.press("down", "down", "enter")
    assert play.take() == [RestoreFiles(0, "code", {"own.py": "both"}, seen={"own.py": "aa"})]


def test_what_changed_while_a_command_ran_is_kept_unless_it_is_chosen() -> None:
    """It may be the person's own: the row that is under the cursor first does not undo it."""
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, DURING)
    assert labels(play)[:3] == ["[ ] README.rst", "[x] shop.py", "code"]
    assert (
        details(play)["[ ] README.rst"]
        == "+1 -1 · kept · changed while a command ran, perhaps by you"
    )
    assert [diff.path for diff in sheet(play).diffs] == ["README.rst", "shop.py"], (
        "the difference is needed to choose"
    )
    assert "Restore 1 file, keep 1 file unchanged." in text(play)
    play.press("enter")
    assert play.take() == [RestoreFiles(0, "code", {})], "the engine keeps it too"
    for keys in (("home", "space"), ("home", "enter"), ("ctrl+a",)):
        command(play, "undo")
        answer(play, "undo", FREE, DURING)
        play.press(*keys)
        assert "Restore 2 files." in text(play) and "[x] README.rst" in details(play)
        play.press("end", "up", "up", "enter")
        [op] = play.take()
        assert isinstance(op, RestoreFiles)
        assert (op.choices["README.rst"], op.seen["README.rst"]) == ("restore", "aa")


def test_any_single_file_can_be_left_out_by_a_key_or_a_click() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, {**FREE, "path": "till.py"})
    play.say(OptionClicked(2))
    assert labels(play)[:2] == ["[x] shop.py", "[ ] till.py"]
    play.say(OptionClicked(4))  # code
    assert play.take() == [], "the first click selects"
    play.say(OptionClicked(4))
    assert play.take() == [RestoreFiles(0, "code", {"till.py": "keep"})]
    command(play, "undo")
    answer(play, "undo", FREE)
    play.say(OptionClicked(0))  # a heading
    play.press("ctrl+a")
    assert labels(play)[0] == "[ ] shop.py"
    play.press("end", "up", "up", "enter")
    assert play.toast == "no file is chosen: switch one on" and play.take() == []
    play.press("ctrl+a", "end", "up", "up", "enter")
    assert play.take() == [RestoreFiles(0, "code", {"shop.py": "restore"}, seen={"shop.py": "aa"})]


@pytest.mark.parametrize("by", ["undo", "rewind"])
@pytest.mark.parametrize("gap", [0.6, 0.7, 0.9, 1.1, 1.4])
def test_enter_pressed_again_and_again_restores_nothing(by: str, gap: float) -> None:
    play = worked()
    command(play, by)
    if by == "rewind":
        play.press("enter", after=gap)
    answer(play, "undo", FREE, after=0.01)
    for _ in range(20):
        play.press("enter", after=gap)
    assert play.take() == [] and play.view.overlay is not None
    play.press("up", "down")
    play.press("enter")
    assert len(play.take()) == 1, "another key ends the row"


@pytest.mark.parametrize("gap", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_no_enter_of_a_row_restores_that_began_before_the_files_were_there(gap: float) -> None:
    play = worked()
    command(play, "undo")
    play.press("enter", after=0.1)
    asked = play.take()[-1]
    assert isinstance(asked, Query)
    data = {"direction": "undo", "files": [FREE], "turns": [{"n": 7, "turn": 1, "prompt": "fix"}]}
    play.feed(answer_event(asked.id, "undo", data, session="s"), after=0.01)
    for _ in range(8):
        play.press("enter", after=gap)
    assert play.take() == [] and play.view.overlay is not None


def test_one_enter_restores_after_a_look() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, after=0.1)
    play.press("enter", after=1.8)
    assert play.take() == [RestoreFiles(0, "code", {})]


def test_space_switches_a_file_and_never_confirms() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("space")
    assert (
        play.toast == "↑↓: choose a file first"
        and play.take() == []
        and play.view.overlay is not None
    )
    named = set(play.view.footer.keys)
    assert {("Ctrl+A", "switch all"), ("Esc", "cancel")} <= named
    assert ("Space", "switch") not in named, "it switches files, and none is under the cursor"
    play.press("home")
    assert ("Space", "switch") in play.view.footer.keys
    play.press("space")
    assert labels(play)[0] == "[ ] shop.py"
    play.press("escape")
    play.feed(
        TurnStarted(prompt="third", turn=3, session="s", n=9),
        TurnEnded(state="completed", turn=3, session="s"),
    )
    command(play, "rewind")
    play.press("enter")
    answer(play, "undo")
    assert labels(play) == ["conversation"]
    assert not {"Space", "Ctrl+A"} & {key for key, _ in play.view.footer.keys}
    play.press("space")
    assert play.take() == [] and play.view.overlay is not None


def test_the_cursor_is_on_a_file_where_none_would_be_restored() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", DURING)
    assert sheet(play).options[sheet(play).selected].label == "[ ] README.rst"
    assert "No file is chosen yet: switch on what to change." in text(play)


def test_where_something_is_out_of_reach_it_is_not_said_that_no_file_changed() -> None:
    play = worked()
    play.feed(
        TurnStarted(prompt="serve", turn=2, session="s", n=9),
        TurnEnded(state="completed", turn=2, session="s"),
    )
    play.take()
    command(play, "rewind")
    play.press("enter")
    answer(play, "undo", caps=("A command left a process.",))
    assert text(play).startswith("/undo knows of no changed file in these turns: only")


def test_what_undo_cannot_reach_is_said() -> None:
    limit = "There is no git repository here."
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE, caps=(limit,))
    assert limit in text(play)
    play.press("escape")
    command(play, "undo")
    answer(play, "undo", caps=(limit,))
    assert play.toast == "there is no changed file to undo; /rewind goes back in the conversation"
    assert play.takes(ExpireToast)[-1] == ExpireToast(play.model.toasts, TOAST_SECONDS)


def test_pages_and_the_wheel_turn_the_differences_and_end_where_they_end() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", {**FREE, "diff": [{**HUNK, "lines": ["-x"] * 40}]})
    assert sheet(play).reads, "the wheel turns it too"
    play.asked = (10, 42)
    play.press(*["pagedown"] * 20)
    assert sheet(play).scroll == 32
    play.press("pageup")
    assert sheet(play).scroll == 22
    play.press("wheelup")
    assert sheet(play).scroll == 19


def test_a_file_that_can_only_be_kept_is_not_said_to_change() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", {**CHANGED, "choices": ["keep"], "default": "keep"})
    assert "Keep 1 file unchanged. Nothing is written yet: choose below." in text(play)
    assert details(play)["[ ] own.py"] == "+1 -1 · kept · changed since then"


def test_a_file_that_changes_in_between_is_asked_about_again() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("enter")
    play.take()
    restored(play, done=False, asked=[CHANGED])
    assert play.toast == "own.py changed meanwhile, so nothing was done: choose what happens to it"
    answer(play, "undo", FREE, CHANGED)
    assert labels(play)[0] == "[?] own.py"


def test_a_list_that_is_read_again_keeps_the_choices_and_its_cursor_is_on_what_is_asked() -> None:
    play = worked()
    command(play, "undo")
    other = {**FREE, "path": "other.py"}
    answer(play, "undo", other, {**CHANGED, "choices": ["keep", "restore"], "default": "restore"})
    play.press("home", "enter")
    assert play.model.going_back is not None
    chosen = dict(play.model.going_back.choices)
    assert chosen
    play.press("end", "enter")
    play.take()
    restored(play, done=False, asked=[CHANGED])
    answer(play, "undo", other, CHANGED)
    assert play.model.overlay.picker.chosen_entry.id == "own.py"  # type: ignore[union-attr]
    assert {path: one for path, one in chosen.items() if path != "own.py"} == dict(
        play.model.going_back.choices
    )
    before = play.model
    play.press("enter", after=0.1)
    assert play.model.going_back == before.going_back, "the list has only just come"


def test_what_could_not_be_put_back_is_said() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.press("enter")
    play.take()
    said = "1 of 1 file could not be restored: shop.py: No space left on device."
    restored(play, done=False, said=said)
    assert play.toast == f"Error: {said}"


def test_nothing_to_undo_is_said_in_a_line() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo")
    assert play.view.overlay is None
    assert play.toast == "there is no changed file to undo; /rewind goes back in the conversation"
    command(play, "redo")
    answer(play, "redo")
    assert play.toast == "there is nothing to redo"


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
        assert play.toast == "Esc interrupts the running turn first"


def marked(play: Play) -> list[int]:
    return [mark.n for mark in play.model.transcript.marks]


def test_escape_twice_lists_the_turns_and_goes_back() -> None:
    play = worked(3)
    play.press("escape")
    assert play.view.overlay is None
    play.press("escape", after=0.4)
    assert sheet(play).title == "Rewind to before which turn?"
    assert labels(play) == ["prompt 3", "prompt 2", "prompt 1"]
    play.press("escape")
    play.press("escape", after=2.0)
    play.press("escape", after=2.0)
    assert play.view.overlay is None


def test_the_conversation_goes_back_and_its_prompt_is_in_the_prompt() -> None:
    from agent_tui.protocol.events import TurnEnded, TurnStarted

    play = Play()
    play.feed(
        TurnStarted(prompt="first", turn=1, session="s", n=5),
        TurnEnded(state="completed", turn=1, session="s"),
    )
    play.feed(
        TurnStarted(prompt="second", turn=2, session="s", n=9),
        TurnEnded(state="completed", turn=2, session="s"),
    )
    play.take()
    command(play, "rewind")
    play.press("enter")
    assert play.ops == [Query(play.model.overlay.query if play.model.overlay else "", "undo", "9")]
    answer(play, "undo")
    assert labels(play) == ["conversation"]
    assert text(play) == "These turns left no file changed: only the conversation goes back."
    play.press("enter")
    assert play.take() == [Rewind(9)]
    play.feed(Rewound(9, n=12, session="s"))
    assert play.text == "second"
    assert play.toast == (
        "conversation rewound; clear the prompt, then /redo opens the earlier one in a new session"
    )
    assert len(play.model.transcript.marks) == 1
    play.press("ctrl+c")
    command(play, "redo")
    answer(play, "redo")
    play.press("enter")
    assert play.take() == [Fork(12)]


def test_a_command_behind_the_prompt_that_came_back_is_not_sent() -> None:
    play = worked()
    play.feed(Rewound(marked(play)[-1], n=12, session="s"))
    play.take()
    play.type("/redo")
    play.press("enter")
    assert play.ops == [] and play.text == "prompt 2/redo"
    assert play.toast == "not sent: clear the prompt, then /redo"
    play.type("x")
    play.press("enter")
    assert play.ops[-1] == Submit("prompt 2/redox"), "that is no command"


def redoes(began: int) -> Play:
    """The sheet of `/redo` after a rewind, with a file."""
    play = worked()
    play.feed(Rewound(marked(play)[-1], n=12, session="s"))
    play.press("ctrl+c")
    command(play, "redo")
    answer(play, "redo", FREE, begun=began)
    assert labels(play) == ["[x] shop.py", "code", "code and conversation", "conversation"]
    return play


def test_redo_of_both_writes_the_files_and_opens_the_copy_from_before_the_rewind() -> None:
    play = redoes(began=10)
    play.press("enter", after=5.5)
    assert play.take() == [RestoreFiles(0, "both", redo=True)]
    restored(play, said="Changed shop.py again.")
    assert play.take() == [Fork(10)]
    play.feed(answer_event("forked", "forked", {"id": "copy1", "of": "s"}, session="s"))
    assert play.ops == [Resume("copy1")]
    assert play.toast.startswith("Changed shop.py again. This is the copy;")


def test_redo_of_a_rewind_apart_from_the_files_has_them_again_in_the_copy() -> None:
    play = redoes(began=10)
    play.press("down", "enter", after=5.5)
    assert play.take() == [Fork(12)]
    play.feed(answer_event("forked", "forked", {"id": "copy1", "of": "s"}, session="s"))
    assert play.toast.endswith("; /redo here brings the files back")


def test_the_note_of_a_copy_says_that_the_queue_stayed() -> None:
    play = worked()
    queued = (Queued("q1", "then this"), Queued("q2", "and that"))
    play.feed(QueueChanged(queued, paused=True, session="s"))
    play.feed(answer_event("forked", "forked", {"id": "copy1", "of": "s"}, session="s"))
    assert play.toast.endswith("; 2 queued prompts stayed there")


def test_files_that_could_not_be_redone_open_no_copy() -> None:
    play = redoes(began=10)
    play.press("enter", after=5.5)
    play.take()
    restored(play, done=False, said="1 of 1 file could not be changed again.")
    assert play.ops == [] and play.toast == "Error: 1 of 1 file could not be changed again."


@pytest.mark.parametrize(
    "told", [True, False], ids=["the draft is on record", "the draft comes later"]
)
@pytest.mark.parametrize("what", ["both", "conversation"])
def test_what_is_typed_during_a_rewind_does_not_lose_the_old_prompt(what: str, told: bool) -> None:
    play = Play()
    play.feed(
        TurnStarted(prompt="first", turn=1, session="s", n=5),
        TurnEnded(state="completed", turn=1, session="s"),
    )
    play.feed(
        TurnStarted(prompt="second", turn=2, session="s", n=9),
        TurnEnded(state="completed", turn=2, session="s"),
    )
    command(play, "rewind")
    play.press("end", "enter")
    answer(play, "undo", FREE)
    play.press("end", *(["up"] if what == "both" else []), "enter")
    play.type("x")
    play.feed(*([DraftSaved("x", session="s")] if told else []), Rewound(5, n=12, session="s"))
    if what == "both":
        restored(play, said="Restored shop.py. Rewound the conversation.")
    assert play.text == "x" and play.toast.lower().endswith("old prompt: ↑ brings it back")
    play.press("up")
    assert play.text == "first"
    play.press("down")
    assert play.text == "x"


def test_a_rewind_offers_the_same_in_the_same_order_with_the_cursor_on_all() -> None:
    from agent_tui.protocol.events import TurnEnded, TurnStarted

    play = Play()
    play.feed(
        TurnStarted(prompt="first", turn=1, session="s", n=5),
        TurnEnded(state="completed", turn=1, session="s"),
    )
    command(play, "rewind")
    play.press("enter")
    answer(play, "undo", FREE)
    assert labels(play) == ["[x] shop.py", "code", "code and conversation", "conversation"]
    play.press("enter", after=5.5)
    assert play.take() == [RestoreFiles(5, "both", {})]


def test_each_turn_says_how_many_files_tools_and_commands_changed_in_it() -> None:
    from agent_tui.protocol.display import DiffDisplay
    from agent_tui.protocol.events import FileChanged

    play = Play()
    for number, paths in enumerate((("a.py", "b.py", "a.py"), (), ("c.py",)), 1):
        play.begin(f"prompt {number}")
        for path in paths:
            play.feed(
                FileChanged("call", f"/p/{path}", DiffDisplay(path, ()), "", "x", session="s")
            )
        play.end()
    command(play, "rewind")
    counted = [option.detail.rpartition(" · ")[2] for option in sheet(play).options if option.label]
    assert [one if "changed" in one else "" for one in counted] == [
        "1 file changed",
        "",
        "2 files changed",
    ]


def test_files_that_are_back_already_are_not_said_to_be_unchanged() -> None:
    from agent_tui.protocol.display import DiffDisplay
    from agent_tui.protocol.events import FileChanged, TurnEnded, TurnStarted

    play = Play()
    play.feed(TurnStarted(prompt="first", turn=1, session="s", n=5))
    play.feed(FileChanged("call", "/p/a.py", DiffDisplay("a.py", ()), "", "x", session="s"))
    play.feed(TurnEnded(state="completed", turn=1, session="s"))
    command(play, "rewind")
    play.press("enter")
    answer(play, "undo", undone=True)
    assert (
        text(play)
        == "The file changes of these turns are already undone: only the conversation goes back."
    )


def test_without_a_turn_there_is_nothing_to_go_back_to() -> None:
    play = Play()
    play.press("escape", "escape", after=0.2)
    assert play.view.overlay is None and play.effects == []
    command(play, "rewind")
    assert play.view.overlay is None and play.toast == "there is no turn to rewind yet"


@pytest.mark.parametrize(
    "gaps", [[0.03], [0.15], [0.3], [0.5, 0.033, 0.033, 0.033, 0.033], [0.66, *[0.033] * 30]]
)
def test_enter_that_is_doubled_or_held_down_takes_nothing_back(gaps: list[float]) -> None:
    play = worked()
    command(play, "undo")
    asked = play.take()[-1]
    assert isinstance(asked, Query)
    data = {
        "direction": "undo",
        "files": [FREE],
        "turns": [{"n": 7, "turn": 1, "prompt": "fix the price"}],
    }
    play.feed(answer_event(asked.id, "undo", data, session="s"), after=0.01)
    for gap in gaps:
        play.press("enter", after=gap)
    assert play.take() == [] and play.view.overlay is not None
    play.press("down", "enter")
    assert [type(op) for op in play.take()] == [RestoreFiles], "a key of its own does it"


def test_a_key_in_a_row_of_keys_is_named_that_did_nothing() -> None:
    play = worked()
    command(play, "undo")
    asked = play.take()[-1]
    assert isinstance(asked, Query)
    data = {"direction": "undo", "files": [FREE], "turns": [{"n": 7, "turn": 1, "prompt": "fix"}]}
    play.feed(answer_event(asked.id, "undo", data, session="s"), after=0.01)
    play.press("enter", after=0.3)
    assert play.toast == "nothing done: press ↑↓, then Enter"


def test_a_rewind_is_called_a_rewind_and_an_undo_an_undo() -> None:
    for name, title in (("rewind", "Rewind to before: "), ("undo", "Undo: ")):
        play = worked()
        play.feed(
            TurnStarted(prompt="serve", turn=2, session="s", n=9),
            TurnEnded(state="completed", turn=2, session="s"),
        )
        command(play, name)
        if name == "rewind":
            play.press("enter")
        answer(play, "undo", FREE)
        shown = sheet(play)
        assert shown.title.startswith(title)
        assert name.title() in {option.label for option in shown.options if option.heading}
