"""A person lets the model see a hidden value for one turn: requests hold it, and nothing that is
kept does. A real server takes the requests."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agent_tui.protocol.answers import HiddenList, HiddenValue
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    AssistantReplied,
    ErrorRaised,
    Notice,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Query, ShowHidden, Submit
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.safety.secrets.hidden_values import MOST_CHARACTERS, MOST_VALUES, HiddenValues
from agent_tui.safety.secrets.scrubber import AnswerScrubber, Scrubber, placeholder
from tests.agent.driving import Driver, Place
from tests.agent.model_server import call, engine, model_server, said, status, streamed

KEY = "ghp_" + "a1B2c3D4" * 5
MARK = placeholder("github-token", KEY)
OWN = "sk-own-0123456789abcdefABCDEF"
READS = streamed(call("read_file", '{"path": "config.py"}'), end="tool_calls")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    (made.cwd / "config.py").write_text(f"token = '{KEY}'\n")
    return made


def kept(place: Place) -> str:
    """All that the program has written."""
    files = (path for path in place.home.rglob("*") if path.is_file())
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def listed(driver: Driver) -> tuple[HiddenValue, ...]:
    driver.send(Query("h", "hidden"))
    found = driver.until(Answered, lambda one: one.id == "h").data
    assert isinstance(found, HiddenList)
    return found.values


def test_it_is_counted_listed_and_seen_for_one_turn(place: Place) -> None:
    """The answer repeats it in pieces, and in the arguments of a call."""
    repeats = streamed(
        {"content": f"it is {KEY[:9]}"},
        {"content": f"{KEY[9:]}!"},
        call("list_files", json.dumps({"path": KEY})),
        end="tool_calls",
    )
    with (
        model_server(READS, said("ok"), repeats, said("done"), said("bye")) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        driver.turn("go")
        [read] = driver.all(ToolEnded)
        [row] = [one for one in driver.transcript().rows if isinstance(one, ToolBlock)]
        assert read.hidden == 1 and "1 value hidden" in row.note
        assert listed(driver) == (HiddenValue(MARK, "read_file"),)
        driver.send(ShowHidden(MARK))
        assert "until the next turn ends" in driver.until(Notice, lambda one: MARK in one.text).text
        assert listed(driver)[0].shown
        driver.turn("look again")
        driver.turn("and now?")
        assert not listed(driver)[0].shown
        bodies = [json.dumps(body) for body in server.bodies]
        assert [KEY in body for body in bodies] == [False, False, True, True, False]
        assert MARK in bodies[1] and MARK in bodies[4]
        replies = [one for one in driver.all(AssistantReplied) if "it is" in one.text]
        assert [one.text for one in replies] == [f"it is {MARK}!"]
        assert not driver.all(ErrorRaised)
        assert all(KEY not in repr(event) for event in driver.events)
    assert KEY not in kept(place) and MARK in kept(place)


def test_the_facts_of_git_that_go_with_a_request_hold_none(place: Place) -> None:
    subprocess.run(["git", "init", "-q", "-b", f"fix-{KEY}", place.cwd], check=True)
    (place.cwd / ".env").write_text("PASSWORD=correct-horse-battery\n")
    (place.cwd / f"dump-{KEY}.txt").write_text("")
    (place.cwd / "of correct-horse-battery").write_text("")
    with model_server(said("ok")) as server, engine(place, server) as driver:
        driver.turn("go")
        sent = json.dumps(server.bodies, ensure_ascii=False)
        assert "Git status:" in sent and f"on fix-{MARK}" in sent and f"dump-{MARK}.txt" in sent
        assert KEY not in sent and "correct-horse" not in sent
    assert KEY not in kept(place) and "correct-horse" not in kept(place)


def test_it_is_seen_in_the_next_request_of_the_running_turn(place: Place) -> None:
    runs = streamed(call("run_shell_command", '{"command": "touch x"}', "c2"), end="tool_calls")
    with (
        model_server(READS, runs, said("done")) as server,
        engine(place, server, mode="auto") as driver,
    ):
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        driver.send(ShowHidden(MARK))
        assert "until this turn ends" in driver.until(Notice, lambda one: MARK in one.text).text
        driver.send(Answer(asked.id, "once"))
        driver.until(TurnEnded)
        assert [KEY in json.dumps(body) for body in server.bodies] == [False, False, True]
    assert KEY not in kept(place)


def test_an_error_that_repeats_it_does_not_keep_it(place: Place) -> None:
    with (
        model_server(READS, said("ok"), status(400, f"bad content {KEY}")) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        driver.turn("go")
        driver.send(ShowHidden(MARK))
        driver.turn("again")
        assert all(KEY not in repr(event) for event in driver.events)
        assert KEY in json.dumps(server.bodies[-1])
    assert KEY not in kept(place)


def test_what_is_not_known_any_more_is_said(place: Place) -> None:
    """A resumed session has the placeholder alone."""
    with (
        model_server(READS, said("ok"), said("no")) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        driver.turn("go")
        session = driver.all(TurnEnded)[0].session
    with model_server(said("no")) as server, engine(place, server, resume=session) as driver:
        assert listed(driver) == (
            HiddenValue(MARK, "read_file", "its value is not in memory (any more)"),
        )
        driver.send(ShowHidden(MARK))
        assert "not in memory" in driver.until(Notice, lambda one: MARK in one.text).text
        driver.turn("go")
        assert KEY not in json.dumps(server.bodies)


def test_the_programs_own_key_is_never_seen(place: Place) -> None:
    (place.cwd / "notes.txt").write_text(f"{OWN}\n")
    mark, reads = (
        placeholder("key", OWN),
        streamed(call("read_file", '{"path": "notes.txt"}')),
    )
    with (
        model_server(reads, said("ok"), said("no")) as server,
        engine(place, server, mode="accept-all", environment={"OPENAI_API_KEY": OWN}) as driver,
    ):
        driver.turn("go")
        [found] = listed(driver)
        assert found.placeholder == mark and "a key of this program" in found.problem
        driver.send(ShowHidden(mark))
        driver.until(Notice, lambda one: mark in one.text)
        driver.turn("go")
        assert OWN not in json.dumps(server.bodies)


def test_values_are_bounded_and_never_mistaken() -> None:
    hidden = HiddenValues()
    for number in range(MOST_VALUES + 1):
        hidden.keep(f"[hidden:x:{number:04x}]", f"secret-value-{number}")
    assert "not in memory" in hidden.explain_unknown("[hidden:x:0000]")
    assert not hidden.explain_unknown("[hidden:x:0001]")
    hidden.keep("[hidden:x:0001]", "another-value-of-the-same-hash")
    hidden.keep("[hidden:x:0001]", "secret-value-1")
    assert "not in memory" in hidden.explain_unknown("[hidden:x:0001]")
    hidden.keep("[hidden:x:0002]", "x" * (MOST_CHARACTERS + 1))
    hidden.keep("[hidden:x:ffff]", "short12")
    for mark in ("[hidden:x:0002]", "[hidden:x:ffff]", "nonsense"):
        hidden.show(mark)
        assert hidden.explain_unknown(mark) and not hidden.shown


def test_a_key_of_several_lines_is_put_back_also_within_json() -> None:
    hidden, value = HiddenValues(), '-----BEGIN KEY-----\nMIIB"x\\y\n-----END KEY-----'
    hidden.keep(MARK, value)
    hidden.show(MARK)
    assert hidden.fill(f"a {MARK} b") == f"a {value} b"
    scrubber = AnswerScrubber(hidden)
    assert scrubber.scrub(f"a {value} b") == f"a {MARK} b"
    assert json.loads(scrubber.scrub(json.dumps({"x": value}))) == {"x": MARK}


def test_a_stream_remembers_what_it_hides() -> None:
    hidden = HiddenValues()
    stream = Scrubber(("ünknown-välue-1",), True, hidden).stream()
    text = f"key {KEY}\nünknown-välue-1\n".encode()
    out = b"".join(stream.feed(bytes([byte])) for byte in text) + stream.feed(b"", final=True)
    marks = [MARK, placeholder("key", "ünknown-välue-1")]
    assert out.decode().split() == ["key", *marks]
    for mark in marks:
        hidden.show(mark)
    assert list(hidden.shown.values()) == [KEY, "ünknown-välue-1"]
