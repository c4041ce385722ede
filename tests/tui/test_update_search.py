"""Searching, jumping, opening by key and times, as values."""

from __future__ import annotations

from agent_tui.protocol.display import CodeDisplay
from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    SessionStarted,
    TextDelta,
    ThinkingDelta,
)
from agent_tui.protocol.transcript import (
    Block,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    Transcript,
    UserBlock,
)
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.effects import Scroll, Yield
from agent_tui.tui.core.msg import KeyPressed, Scrolled, Toggled, Yielded
from tests.answers import answer_event
from tests.tui.play import Play


def read(n: int) -> Block:
    return ToolBlock(
        f"{n}", "read_file", f"Read f{n}.py", "done", display=CodeDisplay(f"body {n}\n", f"f{n}.py")
    )


ROWS = Vec[Block]([
    UserBlock("first question"), TextBlock("first answer\n", head=True), TextBlock("more of it\n"),
    ThinkingBlock("a thought"), ToolBlock("t", "run", "Run make", "failed"),
    UserBlock("second question", sent="the whole skill"), read(1), read(2), read(3),
    TextBlock("last answer", head=True),
])  # fmt: skip


def at(rows: Vec[Block] = ROWS) -> Play:
    play = Play()
    play.feed(
        Restored(Transcript(session="s", rows=rows, model="fake/model")),
        SessionStarted(session="s", model="m"),
    )
    play.effects.clear()
    return play


def mark(play: Play) -> int:
    return play.view.transcript.mark


def test_the_draft_is_kept_while_one_searches() -> None:
    play = at()
    play.type("half a prompt")
    play.press("ctrl+f")
    assert play.text == ""
    assert play.view.prompt.label == "Search the transcript"
    play.type("question")
    assert play.view.footer.note == "2 of 2"
    assert (mark(play), play.view.transcript.query, play.view.transcript.nth) == (5, "question", 0)
    play.press("up")
    assert (mark(play), play.view.footer.note) == (0, "1 of 2")
    play.press("up", "enter")
    assert play.view.footer.note == "1 of 2 · wrapped"
    play.press("escape")
    assert play.text == "half a prompt"
    assert (play.view.transcript.query, mark(play)) == ("", 0)
    assert not play.ops
    play.press("escape")
    assert mark(play) == -1


def test_a_search_that_begins_again_at_the_other_end_says_so() -> None:
    play = at()
    play.press("ctrl+f")
    play.type("question")
    notes = []
    for key in ("enter", "enter", "enter", "up", "up"):
        play.press(key)
        notes.append(play.view.footer.note)
    assert notes == ["1 of 2 · wrapped", "2 of 2", "1 of 2 · wrapped", "2 of 2 · wrapped", "1 of 2"]
    play.press("up")
    assert play.view.footer.note == "2 of 2 · wrapped"
    play.text = "first"
    play.type(" question")
    assert play.view.footer.note == "1 of 1", "another search has not wrapped"
    play.press("enter")
    assert play.view.footer.note == "1 of 1 · wrapped", "there is but one"


def test_slash_search_begins_with_its_words_and_says_what_is_not_there() -> None:
    play = at()
    play.type("/search first ANSWER")
    play.press("enter")
    assert (play.text, play.view.footer.note) == ("first ANSWER", "1 of 1")
    play.type(" never said")
    assert play.view.footer.note == "not found"
    play.press("enter", "up")
    assert not play.ops


def test_what_arrives_is_counted_and_the_hit_stays() -> None:
    play = at()
    play.press("ctrl+f")
    play.type("answer")
    assert play.view.footer.note == "2 of 2"
    go = play.view.transcript.go
    play.begin("another answer")
    play.feed(TextDelta(session="s", turn=1, step=1, text="the answer\n\n"))
    play.feed(AssistantReplied(session="s", turn=1, step=1, text="the answer\n\n"))
    assert play.view.footer.note == "2 of 4"
    assert play.view.transcript.go == go


def test_a_question_of_the_agent_ends_the_search() -> None:
    play = at()
    play.begin()
    play.press("ctrl+f")
    play.type("answer")
    play.feed(ApprovalAsked(id="1", call_id="c", tool="t", label="l", session="s"))
    assert play.model.search is None
    assert play.view.dialog is not None and play.view.dialog.options
    assert play.view.transcript.query == ""


def test_messages_and_lines_that_open_are_marked_one_after_the_other() -> None:
    play = at()
    for key, wanted in (("shift+up", [9, 5, 1, 0]), ("ctrl+down", [1, 5, 9])):
        for row in wanted:
            play.press(key)
            assert mark(play) == row
    play.takes(Scroll)
    play.press("ctrl+down")
    assert (mark(play), play.takes(Scroll)) == (-1, [Scroll("end")])
    for row in (6, 5, 4, 3):  # the three reads are one line
        play.press("alt+up")
        assert mark(play) == row
    play.press("alt+up")
    assert (mark(play), play.takes(Scroll)) == (3, [Scroll("top")])


def test_a_mark_out_of_view_does_not_count() -> None:
    play = at()
    play.press("shift+up")
    assert mark(play) == 9
    play.say(Scrolled(False))
    play.say(KeyPressed("shift+down", seen=(0, 3)))
    assert mark(play) == 1
    play.say(KeyPressed("shift+up", seen=(3, 6)))
    assert mark(play) == 5


def test_at_the_end_nothing_old_stays_marked() -> None:
    play = at()
    for key in ("ctrl+end", "end"):
        play.press("shift+up", "shift+up")
        assert mark(play) == 5
        play.takes(Scroll)
        play.press(key)
        assert (mark(play), play.takes(Scroll)) == (-1, [Scroll("end")])
    play.press("ctrl+f")
    play.type("first")
    play.press("ctrl+end")
    assert (mark(play), play.view.footer.note) == (-1, "2 of 2")
    play.press("up")
    assert (mark(play), play.view.footer.note) == (0, "1 of 2")


def test_one_key_opens_a_group_then_its_first_row_then_closes_both() -> None:
    play = at()
    states = []
    for _ in range(4):
        play.press("alt+o")
        states.append((play.view.transcript.groups, play.view.transcript.exceptions))
    assert mark(play) == 6
    assert states == [
        ({6}, frozenset()),
        ({6}, {6}),
        (frozenset(), frozenset()),
        ({6}, frozenset()),
    ]
    play.press("alt+down", "alt+o")
    assert play.view.transcript.exceptions == {7}


def test_nothing_to_open_is_said() -> None:
    play = at(Vec([UserBlock("only this")]))
    play.press("alt+o")
    assert play.toast == "nothing in view can expand"


def test_what_is_being_thought_opens() -> None:
    play = at()
    play.begin()
    play.feed(ThinkingDelta(text="so far"))
    play.press("alt+o")
    live = len(play.model.transcript.rows)
    assert play.view.transcript.exceptions == {live} and play.model.toast is None
    play.press("alt+o")
    assert play.view.transcript.exceptions == frozenset()
    play.type("/thinking hidden")
    play.press("enter", "alt+o")
    assert live not in play.view.transcript.exceptions


def test_hidden_thoughts_stay_as_they_are_when_all_is_opened() -> None:
    play = at(Vec([*ROWS, ThinkingBlock("another")]))
    play.say(Toggled(3))
    for how, keys in (("hidden", ["ctrl+o"]), ("live", []), ("hidden", ["ctrl+o"]), ("live", [])):
        play.type(f"/thinking {how}")
        play.press("enter", *keys)
        shown = play.view.transcript
        assert [shown.expanded != (row in shown.exceptions) for row in (3, 10)] == [True, False], (
            how
        )
        assert (4 in shown.exceptions) is False
    play.press("ctrl+o")
    assert play.view.transcript.expanded and not play.view.transcript.exceptions


def test_hidden_thoughts_are_neither_found_nor_marked() -> None:
    play = at()
    play.type("/thinking hidden")
    play.press("enter", "ctrl+f")
    play.type("a thought")
    assert play.view.footer.note == "not found"
    play.press("escape", "alt+up", "alt+up", "alt+up", "alt+up")
    assert mark(play) == 4


def test_a_long_session_is_searched_in_slices_and_keys_come_between() -> None:
    words = {5: "early", **dict.fromkeys(range(9_991, 10_000), "late")}
    play = at(Vec[Block](UserBlock(f"{words.get(n, 'words')} {n}") for n in range(10_000)))
    play.say(Scrolled(False))
    play.say(KeyPressed("ctrl+f", seen=(3, 20)))
    play.type("late")
    assert (play.view.footer.note, mark(play)) == (
        "9+ …",
        -1,
    )  # the nearest may be among the older ones
    play.press("down")
    assert (play.view.footer.note, mark(play)) == ("9+ …", 9_991)
    play.press("up")
    assert mark(play) == 9_991
    for _ in range(9):  # nor is the end a place to begin again from, before it is known where
        play.press("down")
    assert (play.view.footer.note, mark(play)) == ("9+ …", 9_999)
    for _ in range(8):
        play.press("up")
    play.feed(answer_event("x", "jobs", {}))
    while yields := play.takes(Yield):
        assert len(yields) == 1
        play.say(Yielded())
    assert (play.view.footer.note, mark(play)) == ("1 of 9", 9_991)
    play.text = ""
    play.type("early")
    assert (play.view.footer.note, mark(play)) == ("1 of 1", 5)
    play.type(" nothing")
    play.press("escape")
    play.say(Yielded())
    assert not play.takes(Yield)[1:]


def test_an_empty_transcript_has_nothing() -> None:
    play = Play()
    play.press(
        "ctrl+f",
        "enter",
        "x",
        "up",
        "escape",
        "shift+up",
        "shift+down",
        "alt+up",
        "alt+down",
        "alt+o",
    )
    assert mark(play) == -1


def test_a_prompt_that_is_sent_takes_the_mark_away() -> None:
    play = at()
    play.press("shift+up")
    play.type("go on")
    play.press("enter")
    assert mark(play) == -1


def test_times_are_shown_and_hidden() -> None:
    play = at()
    for words, shown in (("", True), ("", False), (" on", True), (" never", True)):
        play.type(f"/timestamps{words}")
        play.press("enter")
        assert play.view.transcript.look.timestamps is shown
    assert play.toast == "no choice 'never'; use on or off"


def test_durations_are_shown_until_they_are_hidden() -> None:
    play = at()
    for words, shown in (("", False), ("", True), (" off", False), (" never", False)):
        play.type(f"/durations{words}")
        play.press("enter")
        assert play.view.transcript.look.durations is shown
    assert play.toast == "no choice 'never'; use on or off"
