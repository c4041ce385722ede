"""The tour, driven as the engine drives it: every chapter, every interruption."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from agent_tui.protocol.messages import AssistantMessage, Request, ToolCall, UserMessage
from agent_tui.providers.base import ThinkingChunk
from agent_tui.providers.script.demo import words
from tests.providers.demo_session import FACTS, Answer, Session

NOTICED = words().notice.strip()
CHAPTERS = [
    ["create_file"],
    ["list_files", "read_file"],
    ["grep_files"],
    ["edit_file"],
    ["run_shell_command"],
    ["glob_files"],
    ["list_files"],
    ["list_files"],
    ["list_files"],
    ["list_files"],
    [],
]


def denies(call: ToolCall) -> str:
    writes = call.name in ("create_file", "edit_file", "run_shell_command")
    return "Error [denied]: the person said no" if writes else "ok"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "data")


def whole(answers: list[Answer]) -> str:
    return "\n".join(answer.text for answer in answers)


def test_left_alone_the_tour_plays_every_chapter_in_one_turn(session: Session) -> None:
    session.say("tour", FACTS)
    answers = session.play()
    assert [answer.names for answer in answers] == CHAPTERS
    text = whole(answers)
    assert text.startswith(NOTICED)
    for sign in (
        "# A tour",
        "\n- ",
        "|---|",
        "```python",
        "> Quotes",
        "press Enter",
        "Press Esc",
        "14, 15.",
        "/model",
    ):
        assert sign in text
    ids = [call.id for answer in answers for call in answer.calls]
    assert len(set(ids)) == len(ids)
    loop = [answer.calls[0].arguments for answer in answers[6:9]]
    assert loop[0] == loop[1] == loop[2]


def test_the_tour_takes_one_to_two_minutes(session: Session) -> None:
    session.say("tour")
    delays: list[float] = []
    while True:
        beats = list(session.demo.schedule(Request("", tuple(session.messages))))
        delays += [beat.delay for beat in beats]
        answer = session.answer()
        if not answer.calls:
            break
        session.results(answer)
    assert 60 <= sum(delays) + 3 <= 90  # its one command runs for three seconds
    assert max(delays) <= 2.0


def test_one_chapter_thinks_and_says_how_thoughts_are_shown(session: Session) -> None:
    session.say("tour")
    thought: list[int] = []
    for chapter in range(len(CHAPTERS)):
        if any(isinstance(item, ThinkingChunk) for item in session.streamed()):
            thought.append(chapter)
        session.results(session.answer())
    assert thought == [CHAPTERS.index(["run_shell_command"])]
    (said,) = [
        m.text for m in session.messages if isinstance(m, AssistantMessage) and "thoughts" in m.text
    ]
    assert "Ctrl+O" in said and "`/thinking`" in said


def test_the_slow_chapters_give_time_to_take_part(session: Session) -> None:
    def seconds(words: str) -> float:
        session.messages.clear()
        session.say("tour")
        session.play(until=words)
        del session.messages[-1]
        return sum(
            beat.delay for beat in session.demo.schedule(Request("", tuple(session.messages)))
        )

    assert 8 <= seconds("## The queue") <= 12
    assert 15 <= seconds("## Interrupting") <= 21


def test_it_writes_only_in_the_scratch_folder_that_it_names(session: Session) -> None:
    assert not session.data.exists()
    session.say("tour")
    answers = session.play()
    (scratch,) = session.demo.roots
    assert scratch == session.data.resolve() / "tour-1"
    assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
    assert f"`{scratch}`" in answers[0].text
    for call in (call for answer in answers for call in answer.calls):
        arguments = json.loads(call.arguments)
        if call.name == "run_shell_command":
            assert not set(arguments["command"]) & set(">/~")
        else:
            assert Path(arguments["path"]).is_relative_to(scratch)
    assert [path.name for path in session.data.iterdir()] == ["tour-1"]


def test_the_same_history_gives_the_same_answer_in_another_process(session: Session) -> None:
    session.say("tour")
    for _ in CHAPTERS[:-1]:
        session.results(session.answer())
        again = Session(session.data, list(session.messages))
        assert again.streamed() == session.streamed()
        assert again.demo.roots == session.demo.roots


def test_without_consent_it_says_so_and_goes_on_without_the_file(session: Session) -> None:
    session.say("tour")
    answers = session.play(denies)
    assert [answer.names for answer in answers] == [CHAPTERS[0], *CHAPTERS[4:]]
    assert "You said no, so nothing was done." in answers[1].text
    assert "Without the file, the tour skips reading, searching and the diff." in answers[1].text
    assert "You said no" in answers[2].text


def test_failing_tools_are_told_and_do_not_stop_it(session: Session) -> None:
    def broken(call: ToolCall) -> str:
        return "ok" if call.name == "create_file" else f"Error [exception]: no {call.name} today"

    session.say("tour")
    answers = session.play(broken)
    assert [answer.names for answer in answers] == CHAPTERS
    for tool in ("list_files", "grep_files", "edit_file", "run_shell_command", "glob_files"):
        assert f"That did not work: `no {tool} today`." in whole(answers)


@pytest.mark.parametrize("word", ["tour", "next", " Tour "])
def test_after_escape_in_the_count_it_goes_on(session: Session, word: str) -> None:
    session.say("tour")
    session.play(until="## Interrupting")
    text = session.messages.pop()
    assert isinstance(text, AssistantMessage)
    cut = session.interrupted(text.text.index("4, "))
    assert cut.endswith("3, ")
    session.say(word)
    answers = session.play()
    assert answers[0].text.startswith("You stopped me")
    assert "Press Esc" not in answers[0].text
    assert [answer.names for answer in answers] == CHAPTERS[6:]


@pytest.mark.parametrize("step", range(len(CHAPTERS)))
def test_interrupted_anywhere_it_goes_on_and_reaches_the_end(session: Session, step: int) -> None:
    session.say("tour")
    for _ in range(step):
        session.results(session.answer())
    session.interrupted(30)
    session.say("tour")
    answers = session.play()
    first = 6 if 6 <= step < 10 else step  # the loop is only a loop within one turn
    assert [answer.names for answer in answers] == CHAPTERS[first:]
    assert len(list(session.data.iterdir())) == 1
    again = Session(session.data, list(session.messages))
    assert again.asked("next").calls == ()


@pytest.mark.parametrize("step", range(len(CHAPTERS) - 1))
def test_a_cancelled_call_is_made_again(session: Session, step: int) -> None:
    session.say("tour")
    for _ in range(step):
        session.results(session.answer())
    session.results(session.answer(), lambda _: "Error [cancelled]: cancelled before it ran")
    assert session.asked("hm").text.endswith(
        "`tour` continues the tour. `help` lists what I understand."
    )
    session.say("tour")
    answers = session.play()
    assert [answer.names for answer in answers] == CHAPTERS[6 if 6 <= step < 10 else step :]
    begins = "You stopped me" if 6 <= step < 10 else "The tour continues" if step else "## Tools"
    assert answers[0].text.startswith(begins)


def test_the_last_section_is_shown_again_where_it_was_stopped(session: Session) -> None:
    session.say("tour")
    session.play(until="## That was the tour")
    session.messages.pop()
    session.interrupted(30)
    assert "## That was the tour" in session.asked("tour").text


def test_other_requests_in_the_middle_are_answered_and_the_tour_waits(session: Session) -> None:
    session.say("tour")
    session.results(session.answer())
    session.interrupted(10)
    listing = session.asked("list")
    assert listing.arguments == {"path": "."}
    session.results(listing)
    assert session.answer().text == "That is what is in `.`. `tour` continues the tour."
    assert "`tour` continues the tour." in session.asked("help").text
    assert session.asked("tour").names == CHAPTERS[1]


def test_words_said_into_the_turn_are_heard(session: Session) -> None:
    session.say("tour")
    answer = session.answer()
    session.results(answer)
    session.say("what a nice day")
    session.say("and a good evening")
    assert "You said `what a nice day and a good evening`." in session.answer().text


@pytest.mark.parametrize("word", ["tour", "next"])
def test_a_wish_for_the_tour_that_is_said_into_it_interrupts_nothing(
    session: Session, word: str
) -> None:
    session.say("tour")
    session.results(session.play(until="## Interrupting")[-1])
    session.say(word)
    answer = session.answer()
    assert "Esc" not in answer.text and "The same once more" in answer.text


@pytest.mark.parametrize(
    ("back", "start"), [("tour", "The tour continues."), ("", "## That was the tour")]
)
def test_after_the_loop_was_stopped_or_let_go_on_the_end_comes(
    session: Session, back: str, start: str
) -> None:
    session.say("tour")
    session.results(session.play(until="I do it all the same")[-1])
    if back:
        session.say(back)
    answer = session.answer()
    assert answer.text.startswith(start)
    assert answer.calls == ()
    assert session.asked("next").calls == ()


def test_from_the_start_and_after_the_end_it_begins_anew_in_a_new_folder(session: Session) -> None:
    session.say("tour")
    session.results(session.answer())
    (session.data / "tour-1" / "notes.md").touch()
    assert session.asked("tour from the start").names == CHAPTERS[0]
    assert session.demo.roots == (session.data.resolve() / "tour-2",)
    del session.messages[-1]
    assert [answer.names for answer in session.play()] == CHAPTERS
    (session.data / "tour-2" / "notes.md").touch()
    assert session.asked("tour").names == CHAPTERS[0]
    assert session.demo.roots == (session.data.resolve() / "tour-3",)


def test_a_scratch_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    answer = Session(tmp_path / "data").asked("tour")
    assert "The tour cannot make a scratch folder" in answer.text
    assert "File exists" in answer.text
    assert answer.calls == ()


def test_a_made_up_state_cannot_choose_the_folder(session: Session) -> None:
    for scratch in ("../../etc", "/etc", "tour-1/..", "tour-1\n", ""):
        state = json.dumps({"tour": scratch, "step": "words"})
        session.messages = [
            UserMessage("tour"),
            AssistantMessage("x", provider="demo", state=state),
        ]
        session.asked("tour")
        assert session.demo.roots == (session.data.resolve() / "tour-1",)
