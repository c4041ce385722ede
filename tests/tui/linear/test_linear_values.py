"""The linear mode as values: lines to prompts, lines to answers, lines to keys, events to lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.present import plain
from agent_tui.present.plain import display_lines, summary
from agent_tui.protocol import display as d
from agent_tui.protocol.answers import ProjectFile, Sessions, Summary, TrustOffer
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    RequestSent,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.transcript import (
    Answers,
    Approval,
    Question,
    Queued,
    Transcript,
    TurnBlock,
)
from agent_tui.tui import commands, linear
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import EventsArrived
from agent_tui.tui.core.step import toast
from agent_tui.tui.dialog.typed_words import ANSWERS_BY
from agent_tui.tui.linear import announcer, keys, sheets
from agent_tui.tui.linear import writer as scribing
from agent_tui.tui.linear.announcer import Notices
from agent_tui.tui.linear.chat import Outcome
from agent_tui.tui.linear.lines import Assembler, Out
from agent_tui.tui.linear.writer import Scribe
from agent_tui.tui.sheets.opening import open_sheet
from agent_tui.tui.update import update

APPROVAL = Approval("q", "c", "run", "Run ls", "it runs", always="ls in here")
HARD = replace(APPROVAL, hard=True, always="")
STUCK = Question("s", "stuck", "The same call three times.")


@pytest.mark.parametrize(
    ("typed", "prompts"),
    [
        (["one", "two"], ["one", "two"]),
        (["one\\", "two\\", "three"], ["one\ntwo\nthree"]),
        (['"""', "one", "", 'two"""', "three"], ["one\n\ntwo", "three"]),
        (['"""one', '"""'], ["one"]),
        (['"""one"""'], ["one"]),
        (['"""', "a \\", '"""'], ["a \\"]),
        (["", "one"], ["", "one"]),
    ],
)
def test_lines_become_prompts(typed: list[str], prompts: list[str]) -> None:
    assembler = Assembler()
    assert [whole for line in typed if (whole := assembler.feed(line)) is not None] == prompts
    assert not assembler.open


@pytest.mark.parametrize(
    ("question", "line", "key", "text"),
    [
        (APPROVAL, "y", "y", ""),
        (APPROVAL, " YES ", "y", ""),
        (APPROVAL, "1", "y", ""),
        (APPROVAL, "always", "a", ""),
        (APPROVAL, "2", "a", ""),
        (APPROVAL, "n", "n", ""),
        (APPROVAL, "No, use tabs", "m", "use tabs"),
        (APPROVAL, "n use tabs", "m", "use tabs"),
        (APPROVAL, "m", "m", ""),
        (APPROVAL, "y: and test it", "y", "and test it"),
        (APPROVAL, "Yes: good", "y", "good"),
        (HARD, "yes", "y", ""),
        (HARD, "n", "n", ""),
        (STUCK, "s", "s", ""),
        (STUCK, "continue", "c", ""),
        (STUCK, "m look elsewhere", "m", "look elsewhere"),
    ],
)
def test_lines_that_answer(question: Approval | Question, line: str, key: str, text: str) -> None:
    assert announcer.match_answer(question, line) == announcer.Taken(key, text)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (APPROVAL, ""),
        (APPROVAL, "yes please"),
        (APPROVAL, "yes, but not the last one"),
        (APPROVAL, "y:"),
        (HARD, "yes: go"),
        (APPROVAL, "y\ny"),
        (APPROVAL, "5"),
        (APPROVAL, "yy"),
        (HARD, "y"),
        (HARD, "1"),
        (HARD, "once"),
        (HARD, "a"),
        (HARD, "2"),
        (STUCK, "y"),
        (STUCK, "stop it"),
    ],
)
def test_lines_that_do_not(question: Approval | Question, line: str) -> None:
    assert announcer.match_answer(question, line) is None


@pytest.mark.parametrize("hard", [False, True])
def test_a_question_about_a_command_in_the_background_says_so(hard: bool) -> None:
    serves = d.CommandDisplay("make watch", background=True)
    asked = replace(APPROVAL, display=serves, hard=hard)
    first = announcer.question_lines(asked, (asked,))[0]
    assert "in the background" in first and "no timeout" in first
    assert ("This cannot be undone" in first) == hard


def test_a_question_says_all_that_is_asked_about() -> None:
    asked = replace(APPROVAL, display=d.CommandDisplay("line one\nline two", cwd="/work"))
    said = announcer.question_lines(asked, (asked, replace(STUCK, text="Thrice.")))
    assert said[0] == "Question 1 of 2: Allow this command?"
    assert said[2:5] == ["$ line one", "line two", "in /work"]
    assert "a or 2: always, this session: ls in here" in said
    assert "Also asked: Thrice." in said
    assert said[-1] == "Type y, a, n, m or next, or n and why, or y: and more words."


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (HARD, "Question: Run it? This cannot be undone: Run ls", "Reason: it runs"),
        (STUCK, "Question: The agent repeats itself", STUCK.text),
        (
            Question("b", "budget", "All is used."),
            "Question: The budget is reached",
            "All is used.",
        ),
    ],
)
def test_a_question_has_the_title_that_it_has_on_the_screen(
    question: Approval | Question, first: str, second: str
) -> None:
    assert announcer.question_lines(question, (question,))[:2] == [first, second]


def test_every_command_is_a_line_or_belongs_to_the_screen() -> None:
    bound = dict(keys.KEYS)
    for one in commands.COMMANDS:
        line = bound[one.name][0]
        reached = line.startswith("/") or one.name in keys.REAL
        assert reached, one.name
        assert (
            one.slash or one.name in keys.UNSEEN or keys.parse_call(f"/{one.name}")[0] == one.name
        )
    assert commands.key_of("stop-all", keys.KEYS) == "/stop-all"


def test_no_command_of_the_screen_is_offered() -> None:
    shown, _ = update(
        Model(keys=keys.KEYS), EventsArrived((SessionStarted(session="s", model="m"),))
    )
    opened, _ = commands.find("help").run(shown, "")
    assert opened.overlay is not None
    offered = {entry.id.removeprefix("command:") for entry in sheets.choices(opened.overlay)}
    assert offered & keys.UNSEEN == set()
    assert {"stop", "steer", "queue", "model", "expand"} <= offered
    assert offered & keys.REAL.keys() == set()  # what is pressed has no number to type
    assert len(offered) == len(sheets.choices(opened.overlay))


def queue_of(*texts: str) -> Model:
    items = tuple(Queued(f"q{number}", text) for number, text in enumerate(texts))
    return open_sheet(Model(sessions={"": Transcript(queue=items)}, keys=keys.KEYS), "queue")[0]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", ("close", None)),
        ("p", ("pause", None)),
        ("d 2", ("remove", "q1")),
        ("1", ("", "q0")),
        ("u 2", ("up", "q1")),
        ("d 3", None),
        ("d 0", None),
        ("x 1", None),
        ("d", None),
        ("d 9", None),
    ],
)
def test_the_queue_is_worked_on_by_number(line: str, wanted: tuple[str, str | None] | None) -> None:
    model = queue_of("one", "two")
    assert model.overlay is not None
    found = sheets.intents(model, model.overlay, line)
    asked = None if found is None else [(one.action, one.row) for one in found]
    assert asked == (None if wanted is None else [wanted])


def test_what_a_number_does_is_said_once() -> None:
    model = queue_of("one", "two")
    assert model.overlay is not None
    said = sheets.hint(model, model.overlay)
    assert said.count("to edit") == 1 and "a number to edit" in said and "d and a number" in said


def test_a_file_of_a_project_is_read_and_not_chosen() -> None:
    files = (ProjectFile("AGENTS.md", 4, "aa", "Obey"), ProjectFile("b/AGENTS.md", 4, "bb", "More"))
    transcript = Transcript(answers=Answers(trust=TrustOffer("/w", files, asks=True)))
    model = open_sheet(Model(sessions={"": transcript}, keys=keys.KEYS), "trust")[0]
    assert model.overlay is not None
    said = sheets.hint(model, model.overlay)
    assert said == "Type 3, 4 or 5 to choose, or an empty line to go on without."


def test_a_list_that_refuses_stays_open_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    notices, model = Notices(Out()), queue_of("one")
    notices.follow(model)
    capsys.readouterr()
    notices.follow(toast(model, "not now", "warning")[0])
    assert capsys.readouterr().out == "Not now. The list is still open.\n"


def test_keys_of_the_screen_are_not_named_to_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Notices(Out()).follow(toast(Model(keys=keys.KEYS), f"queued{ANSWERS_BY}")[0])
    assert capsys.readouterr().out == "Queued; the question is still open.\n"


def said_by(capsys: pytest.CaptureFixture[str], *events: Event) -> str:
    scribe, model = Scribe(Out(), echo=True), Model(keys=keys.KEYS)
    for event in events:
        before = model
        model, _ = update(model, EventsArrived((event,)))
        scribe.follow(event, before, model)
    return capsys.readouterr().out


def test_an_answer_is_said_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    begun = (StepStarted(step=1), TextDelta("one li"), TextDelta("ne\nanother"))
    assert said_by(capsys, *begun) == "Assistant: one line\n"
    assert (
        said_by(capsys, *begun, AssistantReplied("one line\nanother"))
        == "Assistant: one line\nanother\n"
    )


def test_words_that_wait_for_the_end_of_their_line_are_said_after_a_pause(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scribing, "PAUSE", -1.0)
    scribe, model = Scribe(Out(), echo=True), Model(keys=keys.KEYS)
    for event in (
        StepStarted(step=1),
        TextDelta("these words wa"),
        AssistantReplied("these words wait\nno more"),
    ):
        before = model
        model, _ = update(model, EventsArrived((event,)))
        scribe.follow(event, before, model)
        scribe.on_pause()
    assert capsys.readouterr().out == "Assistant: these words\nwait\nno more\n"


def test_an_answer_that_is_another_is_said_whole(capsys: pytest.CaptureFixture[str]) -> None:
    said = said_by(capsys, StepStarted(step=1), TextDelta("one\ntwo"), AssistantReplied("three"))
    assert said == "Assistant: one\nThe answer has changed; here is all of it:\nAssistant: three\n"


def test_an_attempt_that_failed_is_not_mixed_with_the_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = said_by(
        capsys,
        StepStarted(step=1),
        TextDelta("one\ntw"),
        RequestSent("m", attempt=2),
        TextDelta("one\n"),
        AssistantReplied("one\ntwo"),
    )
    assert said == "Assistant: one\ntw\nAssistant: one\ntwo\n"


def test_control_sequences_are_shown_in_tools_too(capsys: pytest.CaptureFixture[str]) -> None:
    ended = ToolEnded(
        "c",
        "run",
        "Run \x1b[31mx",
        "",
        d.CommandDisplay("x", output="a\x1b]0;t\x07b\x07", exit_code=1),
    )
    assert said_by(capsys, ended) == "Tool: Run ␛[31mx, exit code 1\nab␇\n"


def test_a_refused_change_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """With the question; or, where the session goes on in another window, with the call."""
    diff = d.DiffDisplay("a.md", (d.Hunk(1, 1, ("-one", "+two")),), 1, 1)
    denied = d.TextDisplay("Error [denied]: the person said no")
    events: list[Event] = [
        TurnStarted(prompt="go", turn=1),
        ApprovalAsked(id="q", call_id="c", tool="edit", label="Edit a.md", display=diff),
        ApprovalAnswered(id="q", choice="no"),
        ToolEnded("c", "edit", "Edit a.md", "", denied, tag="denied"),
    ]
    question = replace(APPROVAL, display=diff)
    assert "+two" in announcer.question_lines(question, (question,))
    assert said_by(capsys, *events).endswith("Tool: Edit a.md, denied\nyou said no\n")
    before, resumed = Model(keys=keys.KEYS), Restored(fold(events), 4)
    model, _ = update(before, EventsArrived((resumed,)))
    Scribe(Out(), echo=True).follow(resumed, before, model)
    diff_said = "Not done:\nDiff of a.md: 1 line added, 1 removed\nAt line 1:\n-one\n+two\n"
    assert capsys.readouterr().out.endswith(f"you said no\n{diff_said}")


@pytest.mark.parametrize(
    ("display", "lines", "short"),
    [
        (d.TextDisplay("a\nb\n"), ["a", "b"], "2 lines"),
        (
            d.ListingDisplay(".", (d.Entry("a", "folder"), d.Entry("b")), 5),
            ["a/", "b", "of 5 in all"],
            "5 entries",
        ),
        (d.MatchesDisplay("x", (d.Match("f.py", 3, "x = 1"),)), ["f.py, line 3: x = 1"], "1 match"),
        (d.TableDisplay(("a", "b"), (("1", "2"),)), ["a, b", "1, 2"], "1 row"),
        (
            d.TodoDisplay((d.TodoItem("a", "done"), d.TodoItem("b"))),
            ["done: a", "to do: b"],
            "1 of 2 done",
        ),
        (
            d.QuestionDisplay((d.AskedQuestion("Q", ("x", "y"), ("y",)),)),
            ["Q", "1. x", "2. y", "answer: y"],
            "y",
        ),
        (d.ImageDisplay("p.png", 4, 3), ["image p.png, 4 by 3"], ""),
        (d.AgentsDisplay((d.AgentStatus("n", "task", "running"),)), ["n, running: task"], ""),
    ],
)
def test_displays_are_text(display: d.Display, lines: list[str], short: str) -> None:
    assert display_lines(display) == lines
    assert summary(display) == short


def test_the_end_of_a_turn_in_words() -> None:
    block = TurnBlock("completed", 3_000, 2, 380, estimated=True)
    assert plain.turn(block, DEFAULT) == "Done in 3.0 s, 2 steps, about 380 tokens out."
    assert (
        plain.turn(replace(block, state="cancelled", steps=1, tokens=0), DEFAULT)
        == "Interrupted after 3.0 s."
    )


def test_without_a_turn_there_is_no_failure() -> None:
    assert Outcome().code(True) == 0


def test_line_mode_presses_no_key() -> None:
    """What a line means is said as an intent: guards against accidental keys are not for it."""
    for path in sorted(Path(linear.__file__).parent.glob("*.py")):
        assert "KeyPressed" not in path.read_text(encoding="utf-8"), path.name


def sessions_open(*ids: str, **more: str) -> Model:
    titles = {id: more.get(id, f"about {id}") for id in ids}
    found = (Summary(id, "/w", title, 1.0, int(bool(title)), "m") for id, title in titles.items())
    listed = Sessions(tuple(found), "/w")
    model = update(
        Model(keys=keys.KEYS), EventsArrived((SessionStarted(session="s", model="m", cwd="/w"),))
    )[0]
    opened = open_sheet(model, "resume")[0]
    assert opened.overlay is not None
    return update(opened, EventsArrived((Answered(opened.overlay.query, listed, session="s"),)))[0]


def test_numbers_mean_the_rows_that_were_said_until_the_list_is_said_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notices, model = Notices(Out()), sessions_open("a", "b", "c")
    notices.follow(model)
    assert "2: about b" in capsys.readouterr().out
    other = sessions_open("c", "a", "b")  # somebody worked in c: nobody was told yet
    assert other.overlay is not None
    asked = sheets.intents(other, other.overlay, "d 2", notices.rows)
    assert asked is not None and [(one.action, one.row) for one in asked] == [("delete", "b")]
    notices.follow(other)
    assert "1: about c" in capsys.readouterr().out, "another order is said at once"
    asked = sheets.intents(other, other.overlay, "d 2", notices.rows)
    assert asked is not None and asked[0].row == "a"


def test_a_list_is_not_said_again_for_a_question_that_was_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notices, model = Notices(Out()), sessions_open("a", "b")
    notices.follow(model)
    capsys.readouterr()
    for line, said in (
        ("d 1", "Delete “about a” (a) for ever? Type yes, or an empty line to keep it.\n"),
        ("", "Type a number to open"),
    ):
        assert model.overlay is not None
        for intent in sheets.intents(model, model.overlay, line, notices.rows) or ():
            model = update(model, intent)[0]
        notices.follow(model)
        heard = capsys.readouterr().out
        assert heard.startswith(said) and "1: about a" not in heard


def test_a_session_without_a_prompt_is_called_so() -> None:
    model = sessions_open("5a2b", **{"5a2b": ""})
    assert model.overlay is not None
    assert "1: nothing said yet, 0 turns" in sheets.sheet_lines(model, model.overlay)


def test_a_command_that_has_run_is_not_asked_about_as_one_that_will() -> None:
    asked = replace(APPROVAL, display=d.CommandDisplay("ls"), always="", ran=True)
    said = announcer.question_lines(asked, (asked,))
    assert said[0] == "Question: Keep these changes?"
    assert said.index("n or 3: no, put them back") < said.index("y or 1: yes, keep them")
