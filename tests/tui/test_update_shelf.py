"""Names, labels, copies of a session, and going on with a turn that was interrupted."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.events import (
    AssistantReplied,
    Labelled,
    SessionStarted,
    StepStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Continue, Export, Fork, Label, Query, Rename, Resume
from tests.answers import answer_event, session
from tests.tui.play import Play


def worked() -> Play:
    """Two turns, of records 5 and 9."""
    play = Play()
    for turn, n in ((1, 5), (2, 9)):
        play.feed(
            TurnStarted(prompt=f"prompt {turn}", turn=turn, session="s", n=n),
            StepStarted(step=1, turn=turn, session="s"),
            AssistantReplied(text=f"answer {turn}", turn=turn, session="s"),
            TurnEnded(state="completed", turn=turn, session="s"),
        )
    play.take()
    return play


def command(play: Play, line: str) -> None:
    play.type(f"/{line}")
    play.press("escape", "enter")


def mark(play: Play, row: int) -> None:
    play.model = replace(play.model, reading=replace(play.model.reading, mark=row))


def row_of(play: Play, text: str) -> int:
    return next(
        n for n, row in enumerate(play.model.transcript.rows) if getattr(row, "text", "") == text
    )


def test_rename() -> None:
    play = worked()
    command(play, "rename the shop")
    assert play.take()[-1] == Rename("the shop")
    command(play, "rename")
    assert play.view.prompt.label == "New name of this session"
    play.type("tea")
    play.press("enter")
    assert play.take() == [Rename("tea")]


def test_a_label_is_put_to_the_marked_or_the_last_turn() -> None:
    play = worked()
    command(play, "label good")
    assert play.take()[-1] == Label(9, "good")
    mark(play, row_of(play, "answer 1"))
    play.type("/label first")
    mark(play, row_of(play, "answer 1"))
    play.press("enter")
    assert play.take()[-1] == Label(5, "first")
    play.feed(Labelled(5, "first", session="s"))
    command(play, "rewind")
    shown = play.view.overlay
    assert shown is not None and shown.options[1].detail.startswith("first")


def test_a_label_that_is_taken_away_is_told_of() -> None:
    play = worked()
    play.feed(Labelled(9, "good", session="s"))
    command(play, "label")
    assert play.toast == "“prompt 2” is not labelled “good” any more", "so that it can be put back"
    assert play.take()[-1] == Label(9, "")


def test_a_label_needs_a_message_and_a_word() -> None:
    play = Play()
    command(play, "label x")
    assert play.toast == "there is no message to label yet"
    play = worked()
    command(play, "label")
    assert play.toast == "type a label for “prompt 2”, such as /label done"
    assert play.take() == []


def test_fork_of_everything_of_a_prompt_and_of_an_answer() -> None:
    for text, at in (("", 0), ("prompt 1", 5), ("prompt 2", 9), ("answer 1", 9), ("answer 2", 0)):
        play = worked()
        play.type("/fork")
        if text:
            mark(play, row_of(play, text))
        play.press("enter")
        assert play.take()[-1] == Fork(at), text


def test_the_copy_is_opened() -> None:
    play = worked()
    play.feed(
        answer_event("forked", "forked", {"id": "f1", "parent": "s", "problem": ""}, session="s")
    )
    assert play.take()[0] == Resume("f1")
    play.feed(answer_event("forked", "forked", {"id": "", "problem": "no room"}, session="s"))
    assert play.toast == "no copy was made: no room"
    play.begin()
    play.feed(answer_event("forked", "forked", {"id": "f1234567890", "problem": ""}, session="s"))
    assert play.toast == "copied: /load f1234567 opens it once this turn is over"


def test_go_on_with_an_interrupted_turn() -> None:
    play = worked()
    command(play, "continue")
    assert play.take()[-1] == Continue()
    play.begin()
    command(play, "continue")
    assert play.toast == "Esc interrupts the running turn first"


def test_nothing_to_go_on_with_is_said_for_a_moment() -> None:
    play = worked()
    rows = len(play.model.transcript.rows)
    play.feed(
        answer_event("refused", "refused", {"said": "there is nothing to retry"}, session="s")
    )
    assert play.toast == "there is nothing to retry"
    assert len(play.model.transcript.rows) == rows


def test_who_reads_along_keeps_what_was_typed() -> None:
    play = Play()
    transcript = replace(play.model.transcript, reading=True)
    play.model = replace(play.model, sessions={"s": transcript})
    play.type("hello")
    play.press("enter")
    assert play.ops == [] and play.text == "hello"
    assert play.toast == "this session is read only: /fork makes your own copy"
    play.press("ctrl+c")
    play.take()
    command(play, "undo")
    assert play.view.overlay is None


def test_what_another_program_runs_is_left_while_it_is_read_along() -> None:
    play = worked()
    play.begin()
    play.model = replace(
        play.model, sessions={"s": replace(play.model.transcript, reading=True)}, active="s"
    )
    play.type("hello")
    assert play.view.status is not None and not any(
        "stops" in span.text for span in play.view.status.spans
    )
    assert "/fork makes your own copy" in play.view.prompt.label
    offered = [label for _, label in play.view.footer.keys]
    assert "search" in offered and not {"queue", "send", "stop", "steer", "mode", "model"} & set(
        offered
    )
    play.press("ctrl+c")
    play.take()
    play.press("escape")
    assert play.ops == []  # nothing here can interrupt it
    play.feed(answer_event("forked", "forked", {"id": "copy"}))
    assert play.take() == [Resume("copy")]
    command(play, "new")
    assert play.take()[-1] == Resume("")
    play.feed(answer_event("sessions", "sessions", [session("s", "shop")]))
    command(play, "resume shop")
    play.press("enter")
    assert play.take()[-1] == Resume("s")  # once it is free


def test_off_the_record_there_is_nothing_to_copy() -> None:
    play = Play()
    play.feed(SessionStarted(session="s", model="fake/model", otr=True))
    for line, said in (
        ("fork", "there is nothing to copy"),
        ("export", "no report can be written"),
        ("stats", "it has no statistics"),
    ):
        play.take()
        command(play, line)
        assert play.toast == f"this session is off the record: {said}"
        assert play.view.overlay is None and not [
            op for op in play.take() if isinstance(op, Query | Export)
        ]
