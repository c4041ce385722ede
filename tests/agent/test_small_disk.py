"""A disk that fills and empties again while the agent works: the one with the sessions, the one
with the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_tui.agent.session.recording import Recordings, recording_path
from agent_tui.protocol.events import Notice, ToolEnded, TurnStarted
from agent_tui.protocol.ops import KeepRecording, RestoreFiles
from agent_tui.protocol.session_events import Answered
from agent_tui.sessions.log.store import read
from tests.agent.driving import Place
from tests.disks import small_disk


def create(name: str, size: int = 20_000) -> list[dict[str, Any]]:
    return [{"call": "create_file", "arguments": {"path": name, "content": "x" * size}}]


def test_the_disk_of_the_sessions_fills_and_empties(tmp_path: Path) -> None:
    place = Place(tmp_path)
    words = [{"text": "words " * 2_000}]
    model = place.script(
        [{"text": "one"}], create("never"), words, create("made"), [{"text": "three"}]
    )
    with small_disk(place.home) as disk, place.engine(model, mode="accept-all") as driver:
        driver.turn("first")
        log = place.home / "sessions" / f"{driver.events[0].session}.jsonl"
        with disk.full():
            driver.turn("second")
            assert not (place.cwd / "never").exists() and [
                event.tag for event in driver.all(ToolEnded)
            ] == ["blocked"]
            assert read(log)[1] == (), "the log is whole while the disk is full"
            assert any("not being saved" in notice.text for notice in driver.all(Notice))
        driver.turn("third")
        assert (place.cwd / "made").exists() and any(
            "saved again" in notice.text for notice in driver.all(Notice)
        )
        events, problems = read(log)
        assert problems == () and [event.n for event in events] == list(range(1, len(events) + 1))
        assert [event.prompt for event in events if isinstance(event, TurnStarted)] == [
            "first",
            "second",
            "third",
        ]
        driver.send(RestoreFiles())
        driver.until(Answered, lambda event: event.kind == "restored")
        assert not (place.cwd / "made").exists()
        driver.worker.stop(10)  # before its disk goes


def test_the_disk_of_the_project_fills_and_empties(tmp_path: Path) -> None:
    """A file that cannot be written whole is as it was, before an edit and before undo; nothing
    half is left.

    (A limit of the process would fill the disk of the sessions, too: that is the test before.)"""
    place = Place(tmp_path)
    with small_disk(place.cwd) as disk:
        edit = {"path": "f", "old": "a", "new": "b" * 50_000}
        model = place.script(
            create("f.big", 9),
            create("f", 3),
            [{"text": "there"}],
            [{"call": "edit_file", "arguments": {"path": "f", "old": "xxx", "new": "a"}}],
            [{"text": "one"}],
            [{"call": "edit_file", "arguments": edit}],
            create("g"),
            [{"text": "two"}],
            [{"call": "edit_file", "arguments": edit}],
            [{"text": "three"}],
        )
        with place.engine(model, mode="accept-all") as driver:
            driver.turn("make it")
            driver.turn("change it")
            before = sorted(path.name for path in place.cwd.iterdir())
            if disk.mounted:
                with disk.full():
                    driver.turn("more")
                    assert (place.cwd / "f").read_text() == "a"
                    assert (
                        sorted(path.name for path in place.cwd.iterdir() if path.name != "filler")
                        == before
                    )
                    assert not [event for event in driver.all(ToolEnded)[-2:] if event.tag == "ok"]
                driver.turn("again")
                assert len((place.cwd / "f").read_text()) == 50_000
                with disk.full():
                    driver.send(RestoreFiles())
                    told = driver.until(Answered, lambda event: event.kind == "restored")
                    assert told.data.done is False and "No space left" in told.data.files[0].problem
                    assert len((place.cwd / "f").read_text()) == 50_000
                driver.send(RestoreFiles())
                assert (
                    driver.until(Answered, lambda event: event.kind == "restored").data.done is True
                )
                assert (place.cwd / "f").read_text() == "a"
            driver.worker.stop(10)


def test_a_recording_goes_on_once_there_is_room(tmp_path: Path) -> None:
    """What was to be recorded waits, because each line counts on those before it; no half of a line
    stays."""
    with small_disk(tmp_path / "disk") as disk:
        (disk.folder / "s.jsonl").touch()
        kept = Recordings(disk.folder, 1_000_000)
        assert kept.keep(KeepRecording("s", "one\n")) == ""
        with disk.full():
            assert kept.keep(KeepRecording("s", "two\n" * 3_000)).startswith(
                "The screen is not recorded for now: "
            )
            assert kept.keep(KeepRecording("s", "three\n")) == ""
            assert recording_path(disk.folder, "s").read_text() == "one\n"
        assert kept.keep(KeepRecording("s", "four\n")) == ""
        assert (
            recording_path(disk.folder, "s").read_text()
            == "one\n" + "two\n" * 3_000 + "three\nfour\n"
        )
