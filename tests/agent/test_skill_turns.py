"""How skills run on the real engine: who is asked first, which tools they leave, and those with a
context of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    AssistantReplied,
    DraftSaved,
    ErrorRaised,
    Event,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    SteerSeen,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.ops import Answer, Cancel, Continue, Query, Steer, Submit
from agent_tui.protocol.transcript import TextBlock, ToolBlock
from agent_tui.settings.trust import records
from tests.agent.driving import Driver, Place
from tests.places import trust_project


def write_skill(folder: Path, name: str, body: str, head: str = "") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n{body}\n")
    return path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The person trusts the files of a project with the skill `tidy`, and has not used it."""
    made = Place(tmp_path, trusts=False)
    write_skill(made.cwd / ".agents" / "skills", "tidy", "Sweep $ARGUMENTS like a heron.")
    trust_project(made.cwd.resolve(), made.home)
    return made


def own(place: Place) -> Path:
    """The folder of the person's own skills."""
    return place.home / "skills"


def yes(driver: Driver) -> QuestionAsked:
    asked = driver.until(QuestionAsked)
    driver.send(Answer(asked.id, "choose", picks=(0,)))
    return asked


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"call": name, "arguments": arguments}


DONE = [{"text": "done"}]


# -- the first use of a skill of the project


def test_a_project_skill_asks_at_its_first_use_with_its_text_and_only_then(place: Place) -> None:
    with place.engine(place.script(DONE, DONE)) as driver:
        driver.send(Submit("/tidy here"))
        asked = yes(driver)
        assert asked.kind == "skill" and not driver.all(TurnStarted)
        assert asked.text.splitlines() == [
            "Use the skill /tidy of this project?",
            "It is from .agents/skills/tidy/SKILL.md",
        ]
        assert "Sweep $ARGUMENTS like a heron." in str(asked.display)
        assert "description: Does tidy." in str(asked.display)
        driver.until(TurnEnded)
        assert driver.all(TurnStarted)[0].sent.startswith("Sweep here like a heron.")
        driver.turn("/tidy there")
        assert len(driver.all(QuestionAsked)) == 1
    with place.engine(place.script(DONE)) as driver:
        driver.turn("/tidy again")
        assert not driver.all(QuestionAsked)
    [record] = records(place.home)
    assert len(record.skills) == 1 and list(record.files), "what was trusted stays beside it"


def test_another_text_of_a_project_skill_asks_again(place: Place) -> None:
    with place.engine(place.script(DONE)) as driver:
        driver.send(Submit("/tidy here"))
        yes(driver)
        driver.until(TurnEnded)
    write_skill(place.cwd / ".agents" / "skills", "tidy", "Burn $ARGUMENTS down.")
    trust_project(place.cwd.resolve(), place.home)
    with place.engine(place.script(DONE)) as driver:
        driver.send(Submit("/tidy here"))
        assert "Burn" in str(driver.until(QuestionAsked).display)


@pytest.mark.parametrize("way_out", ["no", "cancel"])
def test_a_no_sends_nothing_and_gives_the_line_back(place: Place, way_out: str) -> None:
    with place.engine(place.script(DONE)) as driver:
        driver.send(Submit("/tidy here"))
        asked = driver.until(QuestionAsked)
        driver.send(Cancel() if way_out == "cancel" else Answer(asked.id, "no"))
        driver.until(QuestionAnswered)
        assert driver.until(DraftSaved).text == "/tidy here"
        assert driver.transcript().state == "idle" and not driver.transcript().pending
        assert driver.turn("plain").state == "completed"
        assert [one.prompt for one in driver.all(TurnStarted)] == ["plain"]
    assert all(not record.skills for record in records(place.home))


def test_what_was_asked_about_is_what_is_used(place: Place) -> None:
    with place.engine(place.script([call("skills", name="tidy")], DONE)) as driver:
        for prompt in ("tidy up", "/tidy"):
            driver.send(Submit(prompt))
            asked = driver.until(QuestionAsked)
            write_skill(place.cwd / ".agents" / "skills", "tidy", f"Burn it, {prompt}.")
            trust_project(place.cwd.resolve(), place.home)
            driver.send(Query(prompt, "skills"))
            driver.until(Answered, lambda answer, id=prompt: answer.id == id)
            driver.send(Answer(asked.id, "choose", picks=(0,)))
            driver.until(TurnEnded)
        assert "heron" in driver.all(ToolEnded)[0].content
        assert "Burn it, tidy up." in driver.all(TurnStarted)[1].sent


def test_a_skill_that_is_asked_about_gets_its_arguments_after_that(place: Place) -> None:
    write_skill(place.cwd / ".agents" / "skills", "greet", "Hi {who}!", "arguments: [who]\n")
    trust_project(place.cwd.resolve(), place.home)
    with place.engine(place.script(DONE)) as driver:
        driver.send(Submit("/greet"))
        assert yes(driver).kind == "skill"
        driver.send(Answer(driver.until(QuestionAsked).id, "say", "Ada"))
        driver.until(TurnEnded)
        assert driver.all(TurnStarted)[0].sent.startswith("Hi Ada!")


def test_the_model_gets_a_project_skill_only_with_a_yes(place: Place) -> None:
    load = call("skills", name="tidy")
    with place.engine(place.script([load], DONE, [load], DONE, [load], DONE)) as driver:
        driver.send(Submit("tidy up"))
        asked = driver.until(QuestionAsked)
        assert asked.kind == "skill" and asked.call_id and "heron" in str(asked.display)
        driver.send(Answer(asked.id, "no"))
        driver.until(TurnEnded)
        result = driver.all(ToolEnded)[-1]
        assert result.tag == "denied" and "heron" not in result.content
        driver.send(Submit("again"))
        yes(driver)
        driver.until(TurnEnded)
        assert "Sweep $ARGUMENTS like a heron." in driver.all(ToolEnded)[-1].content
        driver.turn("/tidy now")
        assert len(driver.all(QuestionAsked)) == 2, "that yes is for the person's own use, too"


def test_without_a_person_a_project_skill_is_refused_with_a_line(place: Place) -> None:
    said = "/tidy is a skill of this project that was never used, and nobody is here to read it"
    model = place.script([call("skills", name="tidy")], DONE)
    with place.engine(model, interactive=False) as driver:
        driver.send(Submit("/tidy here"))
        error = driver.until(ErrorRaised)
        assert error.text.startswith(said) and "--trust" in error.text
        driver.turn("tidy up")
        assert driver.all(ToolEnded)[0].tag == "denied"
        assert any(notice.text.startswith(said) for notice in driver.all(Notice))
        assert [one.prompt for one in driver.all(TurnStarted)] == ["tidy up"]


def test_a_project_named_on_the_command_line_needs_no_yes(tmp_path: Path) -> None:
    place = Place(tmp_path)
    write_skill(place.cwd / ".agents" / "skills", "tidy", "Sweep like a heron.")
    with place.engine(place.script(DONE), interactive=False) as driver:
        driver.turn("/tidy")
        assert "heron" in driver.all(TurnStarted)[0].sent


def test_a_line_that_must_be_asked_about_enters_no_running_turn(place: Place) -> None:
    write_skill(own(place), "apart", "Look.", "context: fork\n")
    slow = [{"text": "one"}, {"wait": 1.0}, call("run_shell_command", command="true")]
    with place.engine(place.script(slow, DONE), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Steer("/tidy here"))
        driver.send(Steer("/apart"))
        driver.until(TurnEnded)
        assert not driver.all(SteerSeen)
        waits = [n.text for n in driver.all(Notice) if "waits for its own turn" in n.text]
        assert [text.partition(" ")[0] for text in waits] == ["/tidy", "/apart"]
        assert [one.text for one in driver.transcript().queue] == ["/tidy here", "/apart"]


def test_an_approved_new_skill_is_trusted_and_still_asks_at_its_first_use(place: Place) -> None:
    text = "---\nname: fresh\ndescription: New.\n---\nDo a new thing.\n"
    path = ".agents/skills/fresh/SKILL.md"
    model = place.script([call("create_file", path=path, content=text)], DONE, DONE)
    with place.engine(model) as driver:
        driver.send(Submit("write a skill"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
        driver.send(Query("q", "skills"))
        driver.until(Answered, lambda answer: answer.id == "q")
        driver.send(Submit("/fresh"))
        assert "Do a new thing." in str(yes(driver).display)
        driver.until(TurnEnded)


# -- the tools that a skill leaves


def test_only_the_tools_that_a_skill_names_are_accepted_in_its_turn(place: Place) -> None:
    head = "allowed-tools: Read, Bash(git status:*), Task\n"
    write_skill(own(place), "look", "Look around.", head)
    (place.cwd / "a.txt").write_text("text\n")
    calls = [
        call("read_file", path="a.txt"),
        call("list_files", path="."),
        call("run_shell_command", command="git log"),
        call("run_shell_command", command="git status; touch made"),
        call("run_shell_command", command="git status $(touch made)"),
        call("create_file", path="new.txt", content="x"),
    ]
    plain = [call("list_files", path=".")]
    with place.engine(place.script(calls, DONE, plain, DONE), mode="accept-all") as driver:
        driver.turn("/look")
        results = driver.all(ToolEnded)
        assert [one.tag for one in results] == ["ok", *["blocked"] * 5]
        only = "read_file, run_shell_command(git status *)"
        assert results[1].content == f"Error [blocked]: the skill /look allows only: {only}"
        assert f"only these calls are accepted: {only}" in driver.all(TurnStarted)[0].sent
        assert "/look names tools that are not here: Task" in [n.text for n in driver.all(Notice)]
        assert not (place.cwd / "made").exists() and not (place.cwd / "new.txt").exists()
        driver.turn("plain")
        assert driver.all(ToolEnded)[-1].tag == "ok", "the next turn has all tools"


def test_a_command_that_begins_as_the_skill_says_is_accepted(place: Place) -> None:
    write_skill(own(place), "look", "Look.", "allowed-tools:\n- Bash(echo *)\n- Grep\n")
    shell = call("run_shell_command", command="echo one && echo two")
    with place.engine(place.script([shell], DONE), mode="accept-all") as driver:
        driver.turn("/look")
        assert driver.all(ToolEnded)[0].tag == "ok"


def test_a_skill_that_names_a_tool_allows_nothing_that_would_be_asked(place: Place) -> None:
    write_skill(own(place), "make", "Make it.", "allowed-tools: [Write]\n")
    write = call("create_file", path="new.txt", content="x")
    with place.engine(place.script([write], DONE), interactive=False) as driver:
        driver.turn("/make")
        assert driver.all(ToolEnded)[0].tag == "denied"


def test_a_turn_that_goes_on_has_the_tools_of_its_skill(place: Place) -> None:
    write_skill(own(place), "look", "Look around.", "allowed-tools: Read\n")
    slow = [{"text": "one"}, {"wait": 5.0}]
    with place.engine(place.script(slow, [call("list_files", path=".")], DONE)) as driver:
        driver.send(Submit("/look"))
        driver.until(TextDelta)
        driver.send(Cancel())
        driver.until(TurnEnded)
        driver.send(Continue())
        driver.until(TurnEnded)
        assert driver.all(ToolEnded)[-1].tag == "blocked"


# -- a context of its own


def branches(*steps: tuple[str, list[Any]]) -> dict[str, Any]:
    return {"branches": [{"when": when, "items": told} for when, told in steps]}


def ended(driver: Driver) -> TurnEnded:
    return driver.until(TurnEnded, lambda event: event.is_main)


def mains(events: list[Event]) -> list[Event]:
    return [event for event in events if event.is_main]


def test_a_forked_skill_knows_nothing_of_before_and_its_last_words_are_the_answer(
    place: Place,
) -> None:
    write_skill(own(place), "audit", "Audit $ARGUMENTS.", "context: fork\nallowed-tools: Read\n")
    (place.cwd / "a.txt").write_text("the seed is 7\n")
    read, stray = call("read_file", path="a.txt"), call("list_files", path=".")
    model = place.script(
        branches(("Audit a.txt", [read, stray]), ("before", [{"text": "hello"}])),
        branches(("Audit a.txt", [{"text": "It holds 7."}])),
        branches(("and now", [{"text": "after"}])),
    )
    with place.engine(model) as driver:
        driver.turn("secret of before")
        driver.send(Submit("/audit a.txt"))
        assert ended(driver).state == "completed"
        child = [event for event in driver.events if event.agent == "audit-1"]
        [began] = [event for event in child if isinstance(event, TurnStarted)]
        assert began.prompt.startswith("Audit a.txt.") and "read_file" in began.prompt
        tags = [event.tag for event in child if isinstance(event, ToolEnded)]
        assert tags == ["ok", "blocked"], "its tools are those that it names"
        started = [one for one in mains(driver.events) if isinstance(one, TurnStarted)][-1]
        assert started.skill == "audit" and "Audit" not in started.sent
        replies = [one for one in mains(driver.events) if isinstance(one, AssistantReplied)]
        assert [one.text for one in replies] == ["hello", "It holds 7."]
        seen = driver.transcript()
        [block] = [row for row in seen.rows if isinstance(row, ToolBlock)]
        assert [one.agent for one in block.children] == ["audit-1"]
        assert [row.text for row in seen.rows if isinstance(row, TextBlock)][-1] == "It holds 7."
        settled = [event for event in driver.events if event.settled]
        assert fold(settled).rows == seen.rows, "the log says the same"
        driver.turn("and now")
    sent = [line for line in place.log_lines() if line["type"] == "request_sent"]
    counts = [line["messages"] for line in sent]
    assert counts[1] == 1 and counts[-1] >= 5, counts


def test_a_forked_skill_that_the_model_loads_is_one_result(place: Place) -> None:
    write_skill(own(place), "audit", "Audit $ARGUMENTS.", "context: fork\n")
    model = place.script(
        branches(
            ("please", [call("skills", name="audit", arguments="a.txt")]),
            ("Audit a.txt", [call("list_files", path=".")]),
        ),
        branches(
            ("please", [{"text": "It says: well."}]),
            ("Audit a.txt", [{"text": "All is well."}]),
        ),
    )
    with place.engine(model) as driver:
        driver.send(Submit("please audit"))
        assert ended(driver).state == "completed"
        results = [one for one in mains(driver.events) if isinstance(one, ToolEnded)]
        assert [(one.name, one.content) for one in results] == [("skills", "All is well.")]
        [block] = [row for row in driver.transcript().rows if isinstance(row, ToolBlock)]
        assert block.name == "skills" and [one.agent for one in block.children] == ["audit-1"]


def test_what_goes_wrong_in_a_forked_skill_is_told_and_it_can_be_stopped(place: Place) -> None:
    write_skill(own(place), "audit", "Audit.", "context: fork\n")
    fails = [{"fail": "auth", "text": "no such key"}]
    with place.engine(place.script(fails)) as driver:
        driver.send(Submit("/audit"))
        assert ended(driver).state == "error"
        assert [one.text for one in mains(driver.events) if isinstance(one, ErrorRaised)] == [
            "no such key"
        ]
    slow = [{"text": "x"}, {"wait": 9.0}]
    with place.engine(place.script(branches(("Audit", slow), ("plain", DONE)))) as driver:
        driver.send(Submit("/audit"))
        driver.until(TextDelta)
        driver.send(Cancel())
        assert [driver.until(TurnEnded).state for _ in range(2)] == ["cancelled", "cancelled"]
        assert driver.transcript().state == "idle"
        assert driver.turn("plain").state == "completed"


def test_a_session_that_was_killed_in_a_forked_skill_goes_on(place: Place) -> None:
    write_skill(own(place), "audit", "Audit.", "context: fork\n")
    with place.engine(place.script([call("list_files", path=".")], DONE, DONE)) as driver:
        driver.send(Submit("/audit"))
        ended(driver)
        session = driver.events[0].session
    [log] = (place.home / "sessions").glob("*.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    begun = next(at for at, one in enumerate(lines) if json.loads(one).get("skill") == "audit")
    for end in range(begun + 1, len(lines), 3):
        log.write_bytes(b"".join(lines[:end]))
        with place.engine("", resume=session) as driver:
            assert driver.restored is not None and driver.restored.state == "idle"


def test_a_skill_that_is_written_meanwhile_is_listed_for_the_model(place: Place) -> None:
    with place.engine(place.script([call("skills")], DONE)) as driver:
        write_skill(own(place), "fresh", "New.")
        driver.send(Query("q", "skills"))
        driver.turn("list them")
        assert "fresh <text>: Does fresh." in driver.all(ToolEnded)[0].content


def test_a_skill_that_is_too_long_is_cut_and_that_is_said(place: Place) -> None:
    write_skill(own(place), "long", "x" * 70_000)
    with place.engine(place.script(DONE)) as driver:
        driver.turn("/long")
        assert len(driver.all(TurnStarted)[0].sent) < 64_300
        assert "/long is longer than 64,000 characters: the last 6,000 characters are not sent" in [
            notice.text for notice in driver.all(Notice)
        ]
