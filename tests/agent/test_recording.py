"""The recording beside a session's log: held back until there is one, bounded, and never in the
way."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.session.recording import CUT, HELD, Recordings, recording_path
from agent_tui.protocol.events import SessionStarted
from agent_tui.protocol.ops import KeepRecording, Op, SaveDraft
from tests.agent.driving import Place


def test_it_waits_for_the_log_and_follows_it(tmp_path: Path) -> None:
    kept = Recordings(tmp_path, 1_000)
    assert kept.keep(KeepRecording("s", "one\n")) == ""
    assert not recording_path(tmp_path, "s").exists()
    (tmp_path / "s.jsonl").touch()
    kept.keep(KeepRecording("s", "two\n"))
    assert recording_path(tmp_path, "s").read_text() == "one\ntwo\n"
    assert recording_path(tmp_path, "s").stat().st_mode & 0o777 == 0o600


def test_what_a_kill_left_half_written_is_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    recording_path(tmp_path, "s").write_text("one\ntw")
    kept = Recordings(tmp_path, 1_000)
    kept.keep(KeepRecording("s", "three\n"))
    kept.keep(KeepRecording("s", "four\n"))
    assert recording_path(tmp_path, "s").read_text() == "one\ntw\nthree\nfour\n"


def test_it_has_a_limit_and_says_where_it_was_cut(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    kept = Recordings(tmp_path, 100)
    for _ in range(9):
        assert kept.keep(KeepRecording("s", "x" * 39 + "\n")) == ""
    assert recording_path(tmp_path, "s").read_bytes() == (b"x" * 39 + b"\n") * 2 + CUT


def test_nothing_is_kept_where_nothing_is_wanted_or_nothing_comes_of_it(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    Recordings(tmp_path, 0).keep(KeepRecording("s", "one\n"))
    kept = Recordings(tmp_path, 1_000_000_000)
    kept.keep(KeepRecording("other", "x" * (HELD + 1)))
    kept.keep(KeepRecording("other", "y"))
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_link_in_its_place_is_not_followed_and_said_once(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    (tmp_path / "aim").write_text("mine")
    recording_path(tmp_path, "s").symlink_to(tmp_path / "aim")
    kept = Recordings(tmp_path, 1_000)
    assert kept.keep(KeepRecording("s", "one\n")).startswith("The screen is no longer recorded: ")
    assert kept.keep(KeepRecording("s", "two\n")) == ""
    assert (tmp_path / "aim").read_text() == "mine"


def test_a_visit_that_put_nothing_on_the_log_leaves_no_line(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    kept = Recordings(tmp_path, 1_000)
    kept.keep(KeepRecording("s", "looked\n", "a"), is_behind=True)
    kept.on_session_left("a", is_behind=True)
    kept.keep(KeepRecording("s", "looked on, told late\n", "a"))
    kept.keep(KeepRecording("s", "one\n", "b"), is_behind=True)
    assert not recording_path(tmp_path, "s").exists()
    kept.keep(KeepRecording("s", "two\n", "b"))
    assert recording_path(tmp_path, "s").read_text() == "one\ntwo\n"


def test_what_waits_is_kept_where_the_log_got_its_records_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()
    kept = Recordings(tmp_path, 1_000)
    kept.keep(KeepRecording("s", "one\n", "a"), is_behind=True)
    kept.on_session_left("a", is_behind=False)
    kept.keep(KeepRecording("s", "two\n", "a"))
    assert recording_path(tmp_path, "s").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(("then", "kept"), [((), ""), ((SaveDraft("a word"),), "looked\n")])
def test_the_engine_keeps_what_was_told_of_a_session_with_its_records(
    tmp_path: Path, then: tuple[Op, ...], kept: str
) -> None:
    """One that is opened again and only looked at gets no record; what is done last brings those
    before it."""
    place = Place(tmp_path)
    model = place.script({"items": [{"text": "hello"}]})
    with place.engine(model) as driver:
        driver.turn("hi")
        session = driver.all(SessionStarted)[0].session
    records = len(place.log_lines())
    with place.engine(model, resume=session) as driver:
        driver.send(KeepRecording(session, "looked\n", driver.all(SessionStarted)[-1].run))
        for op in then:
            driver.send(op)
    tape = recording_path(place.home / "sessions", session)
    assert (tape.read_text() if tape.exists() else "") == kept
    log = (place.home / "sessions" / f"{session}.jsonl").read_bytes()
    assert (log.count(b"\n") > records) == bool(kept)
