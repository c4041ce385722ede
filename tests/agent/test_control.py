"""Approvals, questions, the queue, cancelling: what a person does to a running engine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agent_tui.agent.session.recovery import describe_put_back
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    DraftSaved,
    FileChanged,
    ModeChanged,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    QueueChanged,
    RequestSent,
    Rewound,
    SteerSeen,
    TextDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.ops import (
    Answer,
    Cancel,
    QueueEdit,
    Rewind,
    SaveDraft,
    SetMode,
    Steer,
    Submit,
)
from agent_tui.settings.table import ToolSettings
from tests.agent.driving import Driver, Place

CREATE = {"call": "create_file", "arguments": {"path": "new.txt", "content": "hello\n"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(command: str, **more: object) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command, **more}}


def asked(driver: Driver, prompt: str = "go") -> ApprovalAsked:
    driver.send(Submit(prompt))
    return driver.until(ApprovalAsked)


def test_a_file_is_only_made_after_a_yes(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "made"}])) as driver:
        question = asked(driver)
        assert question.display is not None and question.always
        assert not (place.cwd / "new.txt").exists()
        driver.send(Answer(question.id, "once"))
        assert driver.until(TurnEnded).state == "completed"
        assert (place.cwd / "new.txt").read_text() == "hello\n"
        changed = driver.all(FileChanged)[0]
        assert changed.before == "" and changed.diff.created


def test_a_no_with_a_message_reaches_the_model(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "understood"}])) as driver:
        driver.send(Answer(asked(driver).id, "no", "call it old.txt"))
        assert driver.until(TurnEnded).state == "completed"
        ended = driver.all(ToolEnded)[0]
        assert ended.content.startswith("Error [denied]: ") and "call it old.txt" in ended.content
        assert not driver.all(ToolStarted) and not (place.cwd / "new.txt").exists()


def test_always_holds_for_exactly_this_command_in_this_session(place: Place) -> None:
    model = place.script(
        [run("env echo one")], [run("env echo one")], [run("env echo two")], [{"text": "done"}]
    )
    with place.engine(model) as driver:
        driver.send(Answer(asked(driver).id, "always"))
        second = driver.until(ApprovalAsked)
        assert "two" in second.label
        driver.send(Answer(second.id, "no"))
        driver.until(TurnEnded)
        assert [event.tag for event in driver.all(ToolEnded)] == ["ok", "ok", "denied"]


def test_a_beginning_holds_for_commands_that_begin_so_also_when_the_session_is_resumed(
    place: Place,
) -> None:
    model = place.script(
        [run("make one")],
        [run("make one -s")],
        [run("make one -f other.mk")],
        [{"text": "done"}],
        [run("make one -k")],
        [run("make two")],
        [{"text": "done"}],
    )
    with place.engine(model) as driver:
        (place.cwd / "Makefile").write_text("one:\n\t@echo made\n")
        first = asked(driver)
        assert first.prefix == "make one …"
        driver.send(Answer(first.id, "prefix"))
        third = driver.until(ApprovalAsked)
        assert "other.mk" in third.label and not third.prefix
        driver.send(Answer(third.id, "no"))
        driver.until(TurnEnded)
        assert [event.tag for event in driver.all(ToolEnded)] == ["ok", "ok", "denied"]
        session = driver.events[0].session
    with place.engine("", resume=session) as driver:
        question = asked(driver, "again")
        assert "two" in question.label
        driver.send(Answer(question.id, "no"))
        driver.until(TurnEnded)
        assert [event.tag for event in driver.all(ToolEnded)] == ["ok", "denied"]
        assert [event.text for event in driver.all(Notice) if "Still" in event.text] == [
            "Still allowed from earlier in this session: Run shell command make one …"
        ]


def test_a_rewind_says_what_stays_allowed_of_what_was_allowed_since(place: Place) -> None:
    model = place.script([run("make one")], *([{"text": "done"}] for _ in range(4)))
    with place.engine(model) as driver:
        (place.cwd / "Makefile").write_text("one:\n\t@echo made\n")
        driver.send(Answer(asked(driver).id, "prefix"))
        driver.until(TurnEnded)
        driver.turn("again")
        first, second = (event.n for event in driver.all(TurnStarted))
        driver.send(Rewind(second))
        driver.until(Rewound)
        driver.turn("more")
        assert not [event for event in driver.all(Notice) if "Still" in event.text]
        driver.send(Rewind(first))
        driver.until(Rewound)
        driver.turn("more")
        assert [event.text for event in driver.all(Notice) if "Still" in event.text] == [
            "Still allowed from earlier in this session: Run shell command make one …"
        ]


def test_a_command_says_how_long_it_may_take(place: Place) -> None:
    read = {"call": "list_files", "arguments": {}}
    model = place.script([run("true")], [run("true", timeout=7)], [read], [{"text": "done"}])
    with place.engine(model) as driver:
        driver.send(SetMode("accept-all"))
        driver.send(Submit("go"))
        driver.until(TurnEnded)
        assert [event.timeout_s for event in driver.all(ToolStarted)] == [120.0, 7.0, 0.0]


def test_a_command_has_as_much_memory_as_the_settings_give_it(place: Place) -> None:
    takes = "python3 -c 'len(bytearray(400_000_000))'"
    model = place.script([run(takes)], [{"text": "done"}])
    for megabytes, tag in ((200, "exit"), (0, "ok")):
        tools = ToolSettings(command_memory=megabytes)
        with place.engine(model, mode="accept-all", tools=tools) as driver:
            driver.send(Submit("go"))
            driver.until(TurnEnded)
            [ended] = driver.all(ToolEnded)
            assert ended.tag == tag and ("MemoryError" in ended.content) == bool(megabytes)


def test_an_answer_to_another_question_changes_nothing(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "ok"}])) as driver:
        question = asked(driver)
        driver.send(Answer("not-this-one", "once"))
        driver.send(SetMode("accept-all"))
        driver.until(ModeChanged)
        assert not driver.all(ApprovalAnswered)
        driver.send(Answer(question.id, "no"))
        driver.until(TurnEnded)
        assert not (place.cwd / "new.txt").exists()


@pytest.mark.parametrize(
    ("mode", "call", "verdict"),
    [
        ("manual", {"call": "list_files", "arguments": {}}, "asks"),
        ("auto", {"call": "list_files", "arguments": {}}, "runs"),
        ("auto", CREATE, "asks"),
        ("auto", run("true"), "runs"),
        ("auto", run("env true"), "asks"),
        ("accept-edits", CREATE, "runs"),
        ("accept-edits", run("true"), "runs"),
        ("accept-edits", run("env true"), "asks"),
        ("accept-all", run("true"), "runs"),
        ("accept-all", run("rm -rf /"), "asks"),
        ("accept-all", {"call": "read_file", "arguments": {"path": "/etc/hostname"}}, "asks"),
        ("accept-all", {"call": "read_file", "arguments": {"path": ".env"}}, "asks"),
        ("plan", {"call": "list_files", "arguments": {}}, "runs"),
        ("plan", CREATE, "refused"),
        ("plan", run("true"), "runs"),
        ("plan", run("env true"), "refused"),
        ("manual", run("true"), "asks"),
    ],
)
def test_modes(place: Place, mode: str, call: dict[str, object], verdict: str) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / ".env").write_text("A=1\n")
    with place.engine(place.script([call], [{"text": "ok"}]), mode=mode) as driver:
        driver.send(Submit("go"))
        if verdict == "asks":
            question = driver.until(ApprovalAsked)
            assert question.hard == ("rm -rf" in question.label)
            driver.send(Answer(question.id, "no"))
        driver.until(TurnEnded)
        tags = [event.tag for event in driver.all(ToolEnded)]
        assert tags == [{"asks": "denied", "runs": "ok", "refused": "blocked"}[verdict]]
        assert bool(driver.all(ApprovalAsked)) == (verdict == "asks")


def test_a_mode_that_came_while_it_was_asked_holds(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "ok"}])) as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        driver.send(SetMode("plan"))
        driver.send(Answer(asked.id, "always"))
        assert driver.until(ToolEnded).tag == "blocked"
        driver.until(TurnEnded)
        assert not (place.cwd / "new.txt").exists() and not driver.all(ToolStarted)


def test_with_nobody_there_what_must_be_asked_is_denied(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "ok"}]), interactive=False) as driver:
        assert driver.turn("go").state == "completed"
        assert driver.all(ApprovalAnswered)[0].by == "headless"
        assert driver.all(ToolEnded)[0].content.startswith("Error [denied]")


def test_cancel_keeps_the_partial_answer_and_pauses_the_queue(place: Place) -> None:
    with place.engine(
        place.script([{"text": "half"}, {"hang": True}], [{"text": "more"}])
    ) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(QueueEdit("add", text="next"))
        driver.until(QueueChanged)
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        reply = driver.all(AssistantReplied)[0]
        assert (reply.text, reply.stop_reason) == ("half", "cancelled")
        transcript = driver.transcript()
        assert transcript.paused and [item.text for item in transcript.queue] == ["next"]
        time.sleep(0.2)
        assert len(driver.all(TurnStarted)) == 1
        assert driver.turn("again").state == "completed"


def test_cancel_in_an_approval_gives_the_call_a_result(place: Place) -> None:
    with place.engine(place.script([CREATE], [{"text": "ok"}])) as driver:
        asked(driver)
        driver.send(Cancel(clear_queue=True))
        assert driver.until(TurnEnded).state == "cancelled"
        assert driver.all(ToolEnded)[0].tag == "cancelled"
        assert driver.transcript().pending == ()


def test_cancel_ends_a_child_that_ignores_sigterm(place: Place) -> None:
    command = "trap '' TERM; echo pid $$; while true; do sleep 0.1; done"
    model = place.script([run(command)], [{"text": "ok"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        output = driver.until(ToolOutput, lambda event: "pid" in event.text).text
        pid = int(output.split()[1])
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        assert alive(pid), "the turn was settled only after the child had gone"
        deadline = time.monotonic() + 15
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z" and os.path.exists(f"/proc/{pid}")  # noqa: PTH110


def test_the_queue_is_edited_and_each_prompt_leaves_it_once(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}], [{"text": "two"}])) as driver:
        for text in ("a", "b", "c"):
            driver.send(QueueEdit("add", text=text))
        driver.until(QueueChanged, lambda event: len(event.items) == 3)
        first, second, third = driver.transcript().queue
        driver.send(QueueEdit("edit", id=second.id, text="B"))
        driver.send(QueueEdit("remove", id=third.id))
        driver.until(QueueChanged, lambda event: len(event.items) == 2)
        driver.send(Submit(first.text, queue_id=first.id))
        driver.send(Submit(first.text, queue_id=first.id))
        driver.until(TurnEnded)
        assert [event.prompt for event in driver.all(TurnStarted)] == ["a"]
        assert [item.text for item in driver.transcript().queue] == ["B"]


def test_a_queue_that_waits_when_a_session_is_opened_again_is_paused(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.turn("go")
        for text in ("a", "b"):
            driver.send(QueueEdit("add", text=text))
        driver.until(QueueChanged, lambda event: len(event.items) == 2)
        assert not driver.transcript().paused
        session = driver.events[0].session
    with place.engine("", resume=session) as driver:
        assert driver.transcript().paused
        assert [item.text for item in driver.transcript().queue] == ["a", "b"]


def test_a_queued_prompt_can_steer(place: Place) -> None:
    with place.engine(place.script([{"wait": 0.4}, {"text": "one"}], [{"text": "two"}])) as driver:
        driver.send(Submit("go"))
        driver.until(RequestSent)
        driver.send(QueueEdit("add", text="and that"))
        item = driver.until(QueueChanged).items[0]
        driver.send(Steer(queue_id=item.id))
        assert driver.until(TurnEnded).steps == 2
        assert driver.transcript().queue == ()


def test_steering_that_the_model_never_saw_goes_back_to_the_queue(place: Place) -> None:
    with place.engine(place.script([{"hang": True}])) as driver:
        driver.send(Submit("go"))
        driver.until(TurnStarted)
        driver.send(Steer("too late"))
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert [item.text for item in driver.transcript().queue] == ["too late"]
        assert driver.transcript().paused
        said = "The model has not read “too late”: it is in the queue."
        assert (
            [notice.text for notice in driver.all(Notice)]
            == [said]
            == [describe_put_back(["too late"])]
        )


def test_words_that_entered_a_turn_whose_first_request_failed_go_back_to_the_queue(
    place: Place,
) -> None:
    failing = [{"fail": "auth", "text": "no key"}]
    with place.engine(place.script(failing, failing)) as driver:
        driver.send(Submit("go"))
        driver.send(Steer("and mind the tests"))
        assert driver.until(TurnEnded).state == "error"
        assert driver.all(SteerSeen), "they were in the request that failed"
        assert [item.text for item in driver.transcript().queue] == ["and mind the tests"]
        assert driver.transcript().draft == "go" and driver.transcript().paused
        driver.send(Submit("second"))
        driver.until(TurnEnded)
        queued = [item.text for item in driver.transcript().queue]
        assert queued == ["second", "and mind the tests"], (
            "there is a draft: the prompt waits in front"
        )
        assert [notice.text for notice in driver.all(Notice)] == [
            describe_put_back(["and mind the tests"]),
            describe_put_back(["second"]),
        ]


def test_a_prompt_that_fails_takes_the_place_of_a_draft_that_was_just_spent(place: Place) -> None:
    failing = [{"fail": "auth", "text": "no key"}]
    with place.engine(place.script(failing, failing)) as driver:
        driver.send(Submit("second"))
        driver.until(TurnEnded)
        assert driver.transcript().draft == "second"
        driver.send(SaveDraft("third"))
        driver.send(SaveDraft(""))
        driver.send(Submit("third"))
        driver.until(TurnEnded)
        assert driver.transcript().draft == "third"
        assert not driver.transcript().queue and not driver.all(Notice)


def test_words_for_the_turn_are_on_record_until_the_model_sees_them(place: Place) -> None:
    """A kill between the words and the next step must not lose them; what was edited or removed
    meanwhile holds."""
    steps = [{"wait": 0.6}, {"text": "one"}], [{"text": "two"}]
    with place.engine(place.script(*steps)) as driver:
        driver.send(Submit("go"))
        driver.until(RequestSent)
        for text in ("keep", "change", "drop"):
            driver.send(Steer(text))
        driver.send(Steer("  "))
        items = driver.until(QueueChanged, lambda e: len(e.items) == 3).items
        driver.send(Steer(queue_id=items[0].id))
        driver.send(QueueEdit("edit", id=items[1].id, text="changed"))
        driver.send(QueueEdit("remove", id=items[2].id))
        logged = [record for record in place.log_lines() if record["type"] == "queue_changed"]
        assert [item["text"] for item in logged[2]["items"]] == ["keep", "change", "drop"]
        assert driver.until(TurnEnded).steps == 2
        assert [event.text for event in driver.all(SteerSeen)] == ["keep", "changed"]
        assert driver.transcript().queue == ()


def test_clearing_the_queue_drops_the_words_that_wait_in_it(place: Place) -> None:
    with place.engine(place.script([{"hang": True}])) as driver:
        driver.send(Submit("go"))
        driver.until(TurnStarted)
        driver.send(Steer("never mind"))
        driver.send(Cancel(clear_queue=True))
        driver.until(TurnEnded)
        assert driver.transcript().queue == ()


LOOP = [{"call": "list_files", "arguments": {"path": "."}}]


@pytest.mark.parametrize(
    ("choice", "words", "state", "steps"),
    [
        ("stop", "", "stuck", 4),
        ("continue", "", "completed", 5),
        ("say", "look elsewhere", "completed", 5),
    ],
)
def test_a_stuck_loop_asks(place: Place, choice: str, words: str, state: str, steps: int) -> None:
    with place.engine(place.script(*[LOOP] * 4, [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        question = driver.until(QuestionAsked)
        assert question.kind == "stuck"
        driver.send(Answer(question.id, choice, words))  # type: ignore[arg-type]
        end = driver.until(TurnEnded)
        assert (end.state, end.steps) == (state, steps)
        assert any(
            getattr(b, "text", "") == "look elsewhere" for b in driver.transcript().rows
        ) == bool(words)


def test_a_stuck_loop_ends_a_run_with_nobody_there(place: Place) -> None:
    with place.engine(place.script(*[LOOP] * 4, [{"text": "done"}]), interactive=False) as driver:
        assert driver.turn("go").state == "stuck"
        assert any("three times" in notice.text for notice in driver.all(Notice))


def skill(place: Place) -> None:
    (place.cwd / ".agent-tui").mkdir(parents=True)
    (place.cwd / ".agent-tui" / "skills.md").write_text(
        "# /greet <name> <mood>\nGreet {name}, {mood}.\n"
    )


def test_a_missing_argument_is_asked_for(place: Place) -> None:
    skill(place)
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.send(Submit("/greet Ada"))
        question = driver.until(QuestionAsked)
        assert "mood" in question.text and not driver.all(TurnStarted)
        driver.send(Answer(question.id, "say", "happily"))
        driver.until(TurnEnded)
        assert "Greet Ada, happily." in driver.all(TurnStarted)[0].sent


def test_a_line_that_wants_an_argument_outlives_the_program(place: Place) -> None:
    skill(place)
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.send(SaveDraft("/greet Ada", at_once=True))
        driver.until(DraftSaved)
        driver.send(Submit("/greet Ada"))
        driver.until(QuestionAsked)
        driver.send(SaveDraft("very happ", at_once=True))
        driver.until(DraftSaved, lambda event: event.text == "very happ")
        killed = driver.transcript()
    for waits in (killed, driver.transcript()):
        assert [one.text for one in waits.queue] == ["/greet Ada"]
        assert waits.draft == "very happ"
    with place.engine(place.script([{"text": "hi"}]), resume=waits.session) as driver:
        assert driver.restored is not None
        assert [one.text for one in driver.restored.queue] == ["/greet Ada"]


def test_arguments_that_were_given_stand_in_the_line(place: Place) -> None:
    skill(place)
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.send(Submit("/greet"))
        driver.send(Answer(driver.until(QuestionAsked).id, "say", "Ada Byron"))
        second = driver.until(QuestionAsked)
        assert [one.text for one in driver.transcript().queue] == ["/greet 'Ada Byron'"]
        driver.send(Answer(second.id, "no"))
        assert driver.until(DraftSaved).text == "/greet 'Ada Byron'"
        driver.send(Submit("/greet 'Ada Byron' happily"))
        driver.until(TurnEnded)
        assert "Greet Ada Byron, happily." in driver.all(TurnStarted)[0].sent


def test_a_steered_skill_says_what_it_stands_for(place: Place) -> None:
    skill(place)
    model = place.script([{"text": "one"}, {"wait": 1.0}, run("true")], [{"text": "two"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Steer("/greet Ada happily"))
        driver.send(Steer("/greet"))
        seen = driver.until(SteerSeen)
        assert (seen.text, seen.sent) == ("/greet Ada happily", "Greet Ada, happily.")
        assert any("waits for its own turn" in notice.text for notice in driver.all(Notice))
        assert [one.text for one in driver.transcript().queue] == ["/greet"]


@pytest.mark.parametrize("way_out", ["no", "cancel"])
def test_not_giving_the_argument_gives_the_line_back(place: Place, way_out: str) -> None:
    skill(place)
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.send(Submit("/greet Ada"))
        question = driver.until(QuestionAsked)
        driver.send(Cancel() if way_out == "cancel" else Answer(question.id, "no"))
        driver.until(QuestionAnswered)
        assert driver.until(DraftSaved).text == "/greet Ada"
        assert driver.transcript().queue == ()
        assert driver.transcript().state == "idle" and driver.transcript().pending == ()
        assert driver.turn("plain").state == "completed"


def test_a_prompt_right_behind_a_cancelled_question_runs(place: Place) -> None:
    skill(place)
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.send(Submit("/greet Ada"))
        driver.until(QuestionAsked)
        driver.send(Cancel())
        driver.send(Submit("plain"))
        assert driver.until(TurnEnded).state == "completed"
        begun = next(n for n, event in enumerate(driver.events) if isinstance(event, TurnStarted))
        states = [fold(driver.events[:end]).state for end in range(begun + 1, len(driver.events))]
        assert "idle" not in states
        assert driver.all(DraftSaved)[0].text == "/greet Ada"


def test_a_draft_is_on_record_soon_and_once(place: Place) -> None:
    with place.engine(place.script([{"text": "hi"}])) as driver:
        for text in ("h", "he", "hel"):
            driver.send(SaveDraft(text))
        assert driver.until(DraftSaved).text == "hel"
        time.sleep(0.7)
        assert len(driver.all(DraftSaved)) == 1


def test_what_was_allowed_for_the_session_holds_when_it_is_resumed(place: Place) -> None:
    model = place.script(
        [run("env echo one")],
        [{"text": "ok"}],
        [run("env echo one")],
        [run("env echo two")],
        [{"text": "done"}],
    )
    with place.engine(model) as driver:
        driver.send(Answer(asked(driver).id, "always"))
        driver.until(TurnEnded)
        session = driver.events[0].session
    with place.engine("", resume=session) as driver:
        question = asked(driver, "again")
        assert "two" in question.label
        driver.send(Answer(question.id, "no"))
        driver.until(TurnEnded)
        assert [event.tag for event in driver.all(ToolEnded)] == ["ok", "denied"]
        assert [event.text for event in driver.all(Notice) if "Still" in event.text] == [
            "Still allowed from earlier in this session: Run shell command env echo one"
        ]


def test_an_allowance_that_names_a_secret_is_not_on_record(place: Place) -> None:
    secret = {"OPENAI_API_KEY": "hunter2hunter2"}
    echo = [run("env echo hunter2hunter2")]
    with place.engine(
        place.script(echo, [{"text": "ok"}], echo, [{"text": "done"}]), environment=secret
    ) as driver:
        driver.send(Answer(asked(driver).id, "always"))
        driver.until(TurnEnded)
        assert driver.all(ApprovalAnswered)[0].allows is None
        session = driver.events[0].session
    logs = list((place.home / "sessions").glob("*.jsonl"))
    assert logs and all('"allows"' not in path.read_text() for path in logs)
    with place.engine("", resume=session, environment=secret) as driver:
        driver.send(Answer(asked(driver, "again").id, "no"))
        driver.until(TurnEnded)
