"""The demo, driven as the engine drives it: requests in, streams out, results appended to the history."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.messages import AssistantMessage, Message, Request, ToolCall, ToolMessage, UserMessage
from agent_tui.providers import _tour
from agent_tui.providers.base import CallChunk, Failed, Finished, ProviderSetup, StreamItem, TextChunk
from agent_tui.providers.demo import NOTICE, Demo, create

FACTS = "\n\n<environment>\nDate: 2026-01-01 (Thursday)\nGit: not a repository\n</environment>"
NOTICED = NOTICE.strip()
CHAPTERS = [
    ["create_file"], ["list_files", "read_file"], ["grep_files"], ["edit_file"], ["run_shell_command"], ["glob_files"],
    ["list_files"], ["list_files"], ["list_files"], [],
]  # fmt: skip

Tools = Callable[[ToolCall], str]


def works(_: ToolCall) -> str:
    return "ok"


def denies(call: ToolCall) -> str:
    writes = call.name in ("create_file", "edit_file", "run_shell_command")
    return "Error [denied]: the person said no" if writes else "ok"


@dataclass
class Answer:
    text: str
    calls: tuple[ToolCall, ...]
    state: str

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]

    @property
    def arguments(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.calls[0].arguments)
        return data


@dataclass
class Session:
    """A history that grows as the engine would let it grow."""

    data: Path
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.demo = create("tour", ProviderSetup(data=self.data, options={"pace": 0}))

    def streamed(self) -> list[StreamItem]:
        async def all_of_it() -> list[StreamItem]:
            return [item async for item in self.demo.stream(Request("", tuple(self.messages)))]

        return asyncio.run(all_of_it())

    def answer(self) -> Answer:
        *parts, end = self.streamed()
        assert isinstance(end, Finished)
        text = "".join(part.text for part in parts if isinstance(part, TextChunk))
        written = ["" for _ in end.calls]
        for part in parts:
            if isinstance(part, CallChunk):
                written[part.index] += part.text
        assert written == [call.arguments for call in end.calls]
        assert end.stop_reason == ("tool_calls" if end.calls else "stop")
        self.messages.append(AssistantMessage(text, calls=end.calls, provider="demo", state=end.state))
        return Answer(text, end.calls, end.state)

    def say(self, text: str, facts: str = "") -> None:
        self.messages.append(UserMessage(text + facts))

    def asked(self, text: str) -> Answer:
        self.say(text)
        return self.answer()

    def results(self, answer: Answer, tools: Tools = works) -> None:
        self.messages.extend(ToolMessage(call.id, call.name, tools(call)) for call in answer.calls)

    def play(self, tools: Tools = works, until: str = "") -> list[Answer]:
        """Answers until a turn ends, or until the one with the words `until` (its calls have no results then)."""
        answers: list[Answer] = []
        while True:
            answers.append(self.answer())
            if not answers[-1].calls or (until and until in answers[-1].text):
                return answers
            self.results(answers[-1], tools)

    def interrupted(self, characters: int) -> str:
        """The next answer, broken off after so many characters."""
        text = "".join(item.text for item in self.streamed() if isinstance(item, TextChunk))[:characters]
        self.messages.append(AssistantMessage(text, provider="demo"))
        return text


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "data")


def whole(answers: list[Answer]) -> str:
    return "\n".join(answer.text for answer in answers)


# -- what it is


def test_it_says_what_it_is_once(session: Session) -> None:
    info = asyncio.run(session.demo.info())
    assert (info.name, info.tools) == ("demo/tour", True)
    assert asyncio.run(session.demo.models()) == (info,)
    assert session.demo.name + "/" + session.demo.model == "demo/tour"
    assert session.asked("hello").text.startswith(NOTICED)
    assert "not a language model" in NOTICED
    assert NOTICED not in session.asked("hello").text


def test_it_says_what_it_is_to_a_session_that_another_model_began(session: Session) -> None:
    session.messages = [UserMessage("hi"), AssistantMessage("Hello!", provider="ollama")]
    assert session.asked("help").text.startswith(NOTICED)


def test_only_the_tour_exists_and_the_pace_is_a_number() -> None:
    with pytest.raises(LookupError, match=r"no model demo/gpt; there is: demo/tour"):
        create("gpt", ProviderSetup())
    for pace in ("fast", -1, True, float("nan")):
        with pytest.raises(LookupError, match="`pace`"):
            create("tour", ProviderSetup(options={"pace": pace}))


# -- typed requests


@pytest.mark.parametrize(
    ("typed", "tool", "arguments"),
    [
        ("read README.md", "read_file", {"path": "README.md"}),
        ('  READ "my file.md" ', "read_file", {"path": "my file.md"}),
        ("read a.py 10-20", "read_file", {"path": "a.py", "start_line": 10, "end_line": 20}),
        ("read a.py 7", "read_file", {"path": "a.py", "start_line": 7, "end_line": 7}),
        ("find TODO", "grep_files", {"pattern": "TODO"}),
        ("find f(x) + 1", "grep_files", {"pattern": r"f\(x\) \+ 1"}),
        ("list", "list_files", {"path": "."}),
        ("list src", "list_files", {"path": "src"}),
        ("run ls -l | wc", "run_shell_command", {"command": "ls -l | wc"}),
        ("replace one two with three in a.txt", "edit_file", {"path": "a.txt", "old": "one two", "new": "three"}),
        ("replace 'a with b' with \"\" in x y.txt", "edit_file", {"path": "x y.txt", "old": "a with b", "new": ""}),
        ("replace in with out in in.txt", "edit_file", {"path": "in.txt", "old": "in", "new": "out"}),
        ("create a.txt with some words", "create_file", {"path": "a.txt", "content": "some words\n"}),
        ("create a.txt: words", "create_file", {"path": "a.txt", "content": "words\n"}),
        ("create a.py\n  if x:\n    y\n", "create_file", {"path": "a.py", "content": "  if x:\n    y\n"}),
        ("create 'a b.txt'", "create_file", {"path": "a b.txt", "content": ""}),
    ],
)
@pytest.mark.parametrize("facts", ["", FACTS])
def test_a_typed_request_is_a_tool_call(
    session: Session, typed: str, tool: str, arguments: dict[str, Any], facts: str
) -> None:
    session.say(typed, facts)
    answer = session.answer()
    assert answer.names == [tool]
    assert answer.arguments == arguments
    assert session.demo.roots == ()


@pytest.mark.parametrize(
    ("typed", "tool", "result", "said"),
    [
        ("read a.md", "read_file", "    1→x", "That is `a.md`, with line numbers, as a model gets it."),
        ("read a.md", "read_file", "    3→x\n[Lines 3-3 of 12.]", "Those are lines 3 to 3 of `a.md`, which has 12."),
        ("read a.md", "read_file", "a.md is empty (0 bytes).", "`a.md` is empty."),
        ("list", "list_files", ". is an empty folder.", "`.` is empty."),
        ("run false", "run_shell_command", "exit code 1\n(no output)", "The command ended with exit code 1."),
        ("run x", "run_shell_command", "Error [denied]: the person said no",
         "You said no, so nothing was done. The agent hears it and goes on."),
        ("run x", "run_shell_command", "Error [denied]: the person said no: not now",
         "You said no, and `not now`: nothing was done, and a model would have read your words."),
        ("run x", "run_shell_command", "Error [denied]: nobody is there to allow it (auto mode)",
         "Nothing was done: nobody was there to allow it."),
        ("create a", "create_file", "Error [blocked]: plan mode is read-only",
         "That was refused, so nothing was done: `plan mode is read-only`."),
        ("replace a with b in c", "edit_file", "Error [not_found]: c: there is no such file\nsecond line",
         "That did not work: `c: there is no such file`."),
        ("create a`b", "create_file", "Created", "`` a`b `` is written."),
        ("list", "list_files", "x", "That is what `.` holds."),
    ],
)  # fmt: skip
def test_a_result_gets_one_true_sentence(session: Session, typed: str, tool: str, result: str, said: str) -> None:
    session.asked("help")
    call = session.asked(typed)
    assert call.names == [tool]
    session.results(call, lambda _: result)
    answer = session.answer()
    assert answer.text == said
    assert answer.calls == ()


@pytest.mark.parametrize("typed", ["read", "find", "run", "replace a", "replace a with b", "create"])
def test_an_unfinished_request_is_answered_by_a_whole_one(session: Session, typed: str) -> None:
    answer = session.asked(typed)
    assert answer.calls == ()
    assert f"a whole request is `{typed.split()[0]} " in answer.text


def test_help_lists_the_requests_and_anything_else_points_to_it(session: Session) -> None:
    text = session.asked("help").text
    assert all(f"`{word}" in text for word in ("tour", "list", "read", "find", "run", "replace", "create"))
    answer = session.asked("write me a *poem*\nplease")
    assert "I read `write me a *poem* please`" in answer.text
    assert "`tour`" in answer.text
    assert "`help`" in answer.text
    assert session.asked("next").calls == ()


# -- the tour


def test_left_alone_the_tour_plays_every_chapter_in_one_turn(session: Session) -> None:
    session.say("tour", FACTS)
    answers = session.play()
    assert [answer.names for answer in answers] == CHAPTERS
    text = whole(answers)
    assert text.startswith(NOTICED)
    for sign in ("# A tour", "\n- ", "|---|", "```python", "> Quotes", "press Enter", "Press Esc", "14, 15.", "/model"):
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


def test_the_slow_chapters_give_time_to_take_part(session: Session) -> None:
    def seconds(words: str) -> float:
        session.messages.clear()
        session.say("tour")
        session.play(until=words)
        del session.messages[-1]
        return sum(beat.delay for beat in session.demo.schedule(Request("", tuple(session.messages))))

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
    assert "Without the file I leave out reading, searching and the diff." in answers[1].text
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
    assert answers[0].text.startswith("You pressed Esc")
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
    first = 6 if 6 <= step < 9 else step  # the loop is only a loop within one turn
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
    assert session.asked("hm").text.endswith("`tour` goes on with the tour. `help` lists the others.")
    session.say("tour")
    answers = session.play()
    assert [answer.names for answer in answers] == CHAPTERS[6 if 6 <= step < 9 else step :]
    assert answers[0].text.startswith("You pressed Esc" if 6 <= step < 9 else "Here is" if step else "## Tools")


def test_other_requests_in_the_middle_are_answered_and_the_tour_waits(session: Session) -> None:
    session.say("tour")
    session.results(session.answer())
    session.interrupted(10)
    listing = session.asked("list")
    assert listing.arguments == {"path": "."}
    session.results(listing)
    assert session.answer().text == "That is what `.` holds. `tour` goes on with the tour."
    assert "`tour` goes on with the tour." in session.asked("help").text
    assert session.asked("tour").names == CHAPTERS[1]


def test_words_said_into_the_turn_are_heard(session: Session) -> None:
    session.say("tour")
    answer = session.answer()
    session.results(answer)
    session.say("what a nice day")
    session.say("and a good evening")
    assert "You said `what a nice day and a good evening`." in session.answer().text


@pytest.mark.parametrize(("back", "start"), [("tour", "Here is the tour again."), ("", "## That was the tour")])
def test_after_the_loop_was_stopped_or_let_go_on_the_end_comes(session: Session, back: str, start: str) -> None:
    session.say("tour")
    session.results(session.play(until="And a third time")[-1])
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
    assert "The tour needs a scratch folder" in answer.text
    assert "File exists" in answer.text
    assert answer.calls == ()


def test_a_made_up_state_cannot_choose_the_folder(session: Session) -> None:
    for scratch in ("../../etc", "/etc", "tour-1/..", "tour-1\n", ""):
        state = json.dumps({"tour": scratch, "step": "words"})
        session.messages = [UserMessage("tour"), AssistantMessage("x", provider="demo", state=state)]
        session.asked("tour")
        assert session.demo.roots == (session.data.resolve() / "tour-1",)


# -- whatever comes

words = st.text(max_size=40) | st.sampled_from(
    ["tour", "next", "tour from the start", "help", "list", "read x", "run y", "replace a with b in c", "find", "?", ""]
)
contents = st.text(max_size=20) | st.sampled_from(
    ["ok", "Error [denied]: the person said no: x", "Error [cancelled]: x", "Error [", "exit code 3"]
)
states = st.sampled_from(["", "{}", "[]", "null", "{", '{"tour": 1, "step": []}']) | st.sampled_from(_tour.STEPS).map(
    lambda step: json.dumps({"tour": "tour-7", "step": step.name})
)
messages = st.lists(
    words.map(UserMessage)
    | st.builds(
        AssistantMessage, st.text(max_size=9), provider=st.sampled_from(["demo", "", "ollama"]), state=states,
        calls=st.lists(st.builds(ToolCall, st.sampled_from("ab"), words, words), max_size=2).map(tuple),
    )
    | st.builds(ToolMessage, st.sampled_from("ab"), words, contents),
    max_size=8,
)  # fmt: skip


def ends_once(items: list[StreamItem]) -> bool:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    return len(ends) == 1 and isinstance(items[-1], Finished) and len(items) > 1


@given(st.text() | words)
def test_any_words_get_an_answer_with_one_end(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    session = Session(tmp_path_factory.getbasetemp() / "any")
    session.say(text)
    assert ends_once(session.streamed())


@given(messages)
def test_any_history_is_answered(tmp_path_factory: pytest.TempPathFactory, history: list[Message]) -> None:
    session = Session(tmp_path_factory.getbasetemp() / "any", history)
    assert ends_once(session.streamed())


def test_the_roots_are_none_before_a_tour(tmp_path: Path) -> None:
    assert Demo(tmp_path).roots == ()
