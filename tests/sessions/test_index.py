"""The list of sessions: from the ends of each log, newest first, whatever lies in the folder."""

from __future__ import annotations

from pathlib import Path

from agent_tui.protocol.answers import Summary
from agent_tui.protocol.events import (
    ContextBuilt,
    DraftSaved,
    Event,
    ModelChanged,
    Notice,
    RequestSent,
    SessionStarted,
    Titled,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from agent_tui.sessions.index.listing import find, recent
from agent_tui.sessions.log.store import Store


def session(folder: Path, id: str, *events: Event) -> None:
    store = Store.create(folder, id)
    for event in events:
        store.append(event)
    store.close()


def turn(number: int, prompt: str, at: float) -> tuple[Event, ...]:
    return (
        TurnStarted(turn=number, prompt=prompt, at=at),
        RequestSent(turn=number, step=1, model="ollama/qwen3:8b", at=at + 1),
        TurnEnded(turn=number, state="completed", at=at + 2),
    )


def test_newest_first_and_only_those_of_the_folder(tmp_path: Path) -> None:
    session(
        tmp_path,
        "aa1",
        SessionStarted(cwd="/a", model="x/y"),
        *turn(1, "\n first line \nsecond", 10.0),
    )
    session(
        tmp_path,
        "ab2",
        SessionStarted(cwd="/b", model="x/y"),
        *turn(1, "other", 30.0),
        *turn(2, "more", 40.0),
    )
    session(tmp_path, "ab3", SessionStarted(cwd="/a", model="x/y"), *turn(1, "newer", 20.0))
    newest = Summary(
        "ab2",
        "/b",
        "other",
        42.0,
        2,
        "ollama/qwen3:8b",
        size=(tmp_path / "ab2.jsonl").stat().st_size,
    )
    oldest = Summary(
        "aa1",
        "/a",
        "first line ",
        12.0,
        1,
        "ollama/qwen3:8b",
        size=(tmp_path / "aa1.jsonl").stat().st_size,
    )
    assert [summary.id for summary in recent(tmp_path)] == ["ab2", "ab3", "aa1"]
    assert recent(tmp_path)[0] == newest
    assert recent(tmp_path, Path("/a"))[-1] == oldest
    assert [summary.id for summary in recent(tmp_path, Path("/a"))] == ["ab3", "aa1"]
    assert [summary.id for summary in find(tmp_path, "ab")] == ["ab2", "ab3"]
    assert find(tmp_path, "zz") == find(tmp_path, "../") == []


def test_long_records_at_both_ends_hide_nothing(tmp_path: Path) -> None:
    big = "x" * 200_000
    session(
        tmp_path,
        "one",
        SessionStarted(cwd="/a", model="x/y"),
        Notice(text=big),
        *turn(1, "title", 1.0),
        ContextBuilt(system=big, turn=1),
        *turn(7, "p", 5.0),
        ToolEnded(call_id="c", name="n", label="l", content=big, turn=7, at=9.0),
    )
    size = (tmp_path / "one.jsonl").stat().st_size
    assert recent(tmp_path) == [Summary("one", "/a", "title", 9.0, 7, "ollama/qwen3:8b", size=size)]


def test_a_name_is_found_wherever_it_was_given(tmp_path: Path) -> None:
    """Until the index knows a log only its ends are read: what a person called it is looked for in
    between."""
    long = [
        ToolEnded(call_id="c", name="n", label="l", content="words " * 4_000, turn=1, at=3.0)
        for _ in range(8)
    ]
    said = Notice(text='they wrote "type":"titled" in it', at=4.0)
    old, new = Titled("Heron", at=2.0), Titled("Pelican", at=2.5)
    session(
        tmp_path,
        "one",
        SessionStarted(cwd="/a"),
        *turn(1, "prompt", 1.0),
        old,
        *long[:3],
        new,
        *long,
        said,
        *long,
    )
    assert [one.title for one in recent(tmp_path)] == ["Pelican"]
    session(tmp_path, "two", SessionStarted(cwd="/a"), *turn(1, "unnamed", 1.0), *long, said, *long)
    assert {one.title for one in recent(tmp_path)} == {"Pelican", "unnamed"}


def test_a_last_record_beyond_measure_hides_no_session(tmp_path: Path) -> None:
    """A kill behind the record of a very long call leaves such an end."""
    session(
        tmp_path,
        "one",
        SessionStarted(cwd="/a", model="x/y"),
        *turn(1, "first", 10.0),
        Notice("x" * 3_000_000),
    )
    [found] = recent(tmp_path, Path("/a"))
    assert (found.id, found.title, found.model) == ("one", "first", "x/y")
    assert found.at == (tmp_path / "one.jsonl").stat().st_mtime


def test_the_newest_model_is_named(tmp_path: Path) -> None:
    session(
        tmp_path,
        "one",
        SessionStarted(model="x/y"),
        *turn(1, "a", 1.0),
        ModelChanged(model="demo/tour", at=9.0),
    )
    session(tmp_path, "two", SessionStarted(model="x/y"), DraftSaved(text="no turn", at=2.0))
    assert [(summary.model, summary.turns) for summary in recent(tmp_path)] == [
        ("demo/tour", 1),
        ("x/y", 0),
    ]


def test_what_is_no_log_is_passed_over(tmp_path: Path) -> None:
    session(tmp_path, "good", SessionStarted(cwd="/a"), *turn(1, "title", 1.0))
    whole = (tmp_path / "good.jsonl").read_bytes()
    (tmp_path / "torn.jsonl").write_bytes(whole[:-20])
    (tmp_path / "zeros.jsonl").write_bytes(bytes(5_000))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "odd.jsonl").write_bytes(b'{"v":[\n{"v":1,"type":3}\n{"v":1}\n')
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "good.torn-1").write_bytes(whole)
    (tmp_path / "good.lock").write_bytes(b"")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")
    assert {summary.id: summary.title for summary in recent(tmp_path)} == {
        "good": "title",
        "torn": "title",
    }


def test_no_folder_no_sessions(tmp_path: Path) -> None:
    assert recent(tmp_path / "none") == find(tmp_path / "none", "") == []
