"""The log: what is appended is there, once, numbered, whoever reads it; two programs never write
one log."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from agent_tui.agent.session.history import History
from agent_tui.agent.turn.request_measure import RequestMeasure
from agent_tui.protocol.codec import VERSION, decode, encode
from agent_tui.protocol.events import (
    AssistantReplied,
    ContextBuilt,
    DraftSaved,
    Event,
    ModeChanged,
    Notice,
    SessionStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
    Unknown,
    fold,
)
from agent_tui.sessions.log.store import SessionLocked, Store, read
from tests.campaigns import examples
from tests.disks import small_disk
from tests.strategies import sessions

QUIET = settings(
    deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow]
)


def log(folder: Path, *events: Event) -> tuple[Path, list[Event]]:
    """A closed log of `events`, and those as they were recorded."""
    store = Store.create(folder, "one")
    recorded = [store.append(event) for event in events]
    store.close()
    assert store.trouble == ""
    return store.path, recorded


@QUIET
@given(sessions())
def test_what_was_appended_is_read_back_and_folds_into_the_same_screen(told: list[Event]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.create(Path(folder), "one")
        recorded = [event for event in map(store.append, told) if event.settled]
        store.close()
        events, problems = read(store.path)
        assert events == recorded
        assert problems == ()
        assert [event.n for event in events] == list(range(1, len(events) + 1))
        assert fold(events) == fold(recorded)


def test_a_header_alone_leaves_no_file(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "sessions", "one")
    header = store.append(SessionStarted(cwd="/work"))
    store.close()
    assert header.n == 1
    assert list((tmp_path / "sessions").iterdir()) == []


def test_the_header_goes_in_front_of_the_first_record(tmp_path: Path) -> None:
    path, recorded = log(tmp_path, SessionStarted(cwd="/work"), TurnStarted(prompt="hello"))
    assert read(path)[0] == recorded
    assert path.read_bytes().count(b"\n") == 2


def test_looking_into_a_session_again_changes_nothing(tmp_path: Path) -> None:
    path, _ = log(
        tmp_path, SessionStarted(), TurnStarted(prompt="hello"), TurnEnded(state="completed")
    )
    path.write_bytes(path.read_bytes()[:-5])
    before = path.read_bytes()
    opened = Store.open(tmp_path, "one")
    opened.store.append(SessionStarted(resumed=True))
    opened.store.close()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["one.jsonl"]


def test_deltas_are_not_stored(tmp_path: Path) -> None:
    store = Store.create(tmp_path, "one")
    assert store.append(TextDelta(text="a")).n == 0
    store.append(DraftSaved(text="b"))
    store.close()
    assert [type(event) for event in read(store.path)[0]] == [DraftSaved]


def test_numbers_go_on_where_the_log_ended(tmp_path: Path) -> None:
    log(tmp_path, SessionStarted(), TurnStarted(prompt="hello"))
    opened = Store.open(tmp_path, "one")
    assert [event.n for event in opened.events] == [1, 2]
    assert opened.store.append(DraftSaved(text="more")).n == 3
    opened.store.close()
    assert [event.n for event in read(opened.store.path)[0]] == [1, 2, 3]


def test_records_of_a_newer_version_stay_as_they_are(tmp_path: Path) -> None:
    path, _ = log(tmp_path, SessionStarted(), TurnStarted(prompt="hello"))
    raw = {"v": 1, "n": 3, "at": 5.0, "type": "hologram_shown", "depth": [1, {"deep": "ü"}]}
    line = encode(Unknown(raw=raw, type="hologram_shown"))
    path.write_bytes(path.read_bytes() + line)
    opened = Store.open(tmp_path, "one")
    newer = opened.events[-1]
    assert isinstance(newer, Unknown)
    assert (newer.type, newer.n, newer.raw["depth"]) == ("hologram_shown", 3, [1, {"deep": "ü"}])
    assert opened.store.append(DraftSaved(text="after")).n == 4
    opened.store.close()
    assert line in path.read_bytes()
    assert opened.problems == read(path)[1] == ()


def test_a_log_in_a_newer_format_is_read_and_never_written(tmp_path: Path) -> None:
    path, _ = log(tmp_path, SessionStarted(), TurnStarted(prompt="hello"))
    shape = {"shape": "of tomorrow"}
    raw = {"v": VERSION + 1, "n": 3, "at": 5.0, "type": "turn_started", "prompt": shape}
    path.write_bytes(path.read_bytes() + encode(Unknown(raw=raw, type="turn_started")))
    before = path.read_bytes()
    with pytest.raises(SessionLocked, match="newer agent-tui"):
        Store.open(tmp_path, "one")
    events, problems = read(path)
    assert ([event.n for event in events], problems, path.read_bytes()) == ([1, 2, 3], (), before)
    assert [entry.name for entry in tmp_path.iterdir()] == ["one.jsonl"]


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path, _ = log(tmp_path / "data" / "sessions", DraftSaved(text="a"))
        path.chmod(0o644)
        path.parent.chmod(0o755)
        opened = Store.open(path.parent, "one")
        opened.store.append(DraftSaved(text="b"))
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
        opened.store.close()
    finally:
        os.umask(before)
    assert modes == {"one.jsonl": 0o600, "one.lock": 0o600}
    assert [
        stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)
    ] == [0o700, 0o700]


def replaced(path: Path) -> None:
    (path.parent / "other").write_text("another file\n")
    (path.parent / "other").rename(path)


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


TAKEN_AWAY = {
    "deleted": Path.unlink,
    "replaced by a pipe": piped,
    "replaced by a directory": made_a_folder,
    "moved": lambda path: path.rename(path.with_name("away")),
    "replaced": replaced,
    "deleted with its folder": lambda path: shutil.rmtree(path.parent),
}


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("how", TAKEN_AWAY)
def test_a_log_that_was_taken_away_is_written_anew_and_whole(
    tmp_path: Path, how: str, resumed: bool
) -> None:
    folder = tmp_path / "home" / "sessions"
    before = log(folder, SessionStarted(), TurnStarted(prompt="a"))[1] if resumed else []
    store = Store.open(folder, "one").store if resumed else Store.create(folder, "one")
    if not resumed:
        before = [store.append(SessionStarted()), store.append(TurnStarted(prompt="a"))]
    TAKEN_AWAY[how](store.path)
    after = store.append(Notice("not worth a power cut"))
    if resumed:
        after = store.append(TurnEnded(state="completed"))
    assert (store.trouble, store.renewed, store.is_behind) == ("", 1, False)
    events, problems = read(store.path)
    assert problems == () and [event.n for event in events] == list(range(1, after.n + 1))
    assert events[: len(before)] == before and events[-1] == after
    with pytest.raises(SessionLocked):
        Store.open(folder, "one")
    store.append(DraftSaved("goes on"))
    assert store.renewed == 1
    store.close()
    assert len(read(store.path)[0]) == after.n + 1
    aside = [path.read_text() if path.is_file() else "" for path in folder.glob("one.torn-*")]
    assert aside == (
        ["another file\n"] if how == "replaced" else [""] if how.startswith("replaced") else []
    )
    assert not list(folder.glob(".*"))


def test_a_log_that_became_a_link_is_written_anew_and_what_it_points_to_stays_as_it_is(
    tmp_path: Path,
) -> None:
    folder, away = tmp_path / "sessions", tmp_path / "away"
    store = Store.create(folder, "one")
    recorded = [store.append(TurnStarted(prompt="a"))]
    store.path.rename(away)
    store.path.symlink_to(away)
    before = away.read_bytes()
    recorded.append(store.append(TurnEnded(state="completed")))
    assert (store.trouble, store.renewed) == ("", 1) and not store.path.is_symlink()
    store.close()
    assert read(store.path) == (recorded, ()) and away.read_bytes() == before


WRITTEN_TO = {
    "emptied": lambda path: os.truncate(path, 0),
    "shortened": lambda path: os.truncate(path, path.stat().st_size - 10),
    "filled with another text": lambda path: path.write_text("another text\n" * 1_000),
    "appended to": lambda path: path.write_bytes(path.read_bytes() + b"a line without an end"),
}


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("how", WRITTEN_TO)
def test_a_log_that_another_program_wrote_to_is_written_anew_and_whole(
    tmp_path: Path, how: str, resumed: bool
) -> None:
    if resumed:
        log(tmp_path, SessionStarted(), TurnStarted(prompt="a"))
    store = Store.open(tmp_path, "one").store if resumed else Store.create(tmp_path, "one")
    recorded = [store.append(event) for event in (SessionStarted(), TurnStarted(prompt="b"))]
    WRITTEN_TO[how](store.path)
    found = store.path.read_bytes()
    recorded.append(store.append(TurnEnded(state="completed")))
    assert (store.trouble, store.renewed, store.is_behind) == ("", 1, False)
    store.close()
    events, problems = read(store.path)
    assert problems == () and events[-3:] == recorded and len(events) == recorded[-1].n
    assert [path.read_bytes() for path in tmp_path.glob("one.torn-*")] == ([found] if found else [])


def test_a_large_log_that_was_shortened_is_told_of_as_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only up to some size its bytes are in memory. Nobody is told that it is whole."""
    monkeypatch.setattr("agent_tui.sessions.log.store.MOST_COPIED", 200)
    store = Store.create(tmp_path, "one")
    store.append(TurnStarted(prompt="a" * 300))
    os.truncate(store.path, 0)
    store.append(TurnEnded(state="completed"))
    assert "shortened" in store.trouble and store.is_behind and store.renewed == 0
    store.close()
    assert store.is_behind


def test_a_log_that_is_deleted_while_nothing_happens_is_there_again_at_the_end(
    tmp_path: Path,
) -> None:
    store = Store.create(tmp_path, "one")
    recorded = store.append(TurnStarted(prompt="a"))
    store.path.unlink()
    store.close()
    assert read(store.path)[0] == [recorded]


def test_a_log_is_kept_elsewhere_from_now_on(tmp_path: Path) -> None:
    """All that there is, what could not be written and what comes later."""
    mine = tmp_path / "mine.jsonl"
    with small_disk(tmp_path / "disk") as disk:
        _, recorded = log(disk.folder, SessionStarted(), TurnStarted(prompt="a"))
        store = Store.open(disk.folder, "one").store
        with disk.full():
            recorded.append(store.append(AssistantReplied(text="long " * 2_000)))
            assert "one.jsonl" in store.trouble and (store.last_number, store.is_behind) == (
                2,
                True,
            )
            with pytest.raises(FileExistsError):
                store.move(disk.folder)
            if disk.mounted:
                store.move(mine)
        if not disk.mounted:
            store.move(mine)
        recorded.append(store.append(DraftSaved("later")))
        assert (store.trouble, store.moved, store.last_number) == ("", True, 4)
        store.close()
    assert read(mine) == (recorded, ())


def test_one_writer(tmp_path: Path) -> None:
    log(tmp_path, DraftSaved(text="a"))
    first = Store.open(tmp_path, "one")
    with pytest.raises(
        SessionLocked, match=f"session one is open in another program .process {os.getpid()}"
    ):
        Store.open(tmp_path, "one")
    first.store.close()
    Store.open(tmp_path, "one").store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["one.jsonl"]


def test_a_new_session_is_locked_from_its_first_record(tmp_path: Path) -> None:
    store = Store.create(tmp_path, "one")
    store.append(DraftSaved(text="a"))
    with pytest.raises(SessionLocked):
        Store.open(tmp_path, "one")
    store.close()


@pytest.mark.parametrize("id", ["none", "", "../outside", "folder"])
def test_a_session_that_is_not_there(tmp_path: Path, id: str) -> None:
    (tmp_path / "outside.jsonl").write_bytes(b"")
    (tmp_path / "sessions" / "folder.jsonl").mkdir(parents=True)
    with pytest.raises(FileNotFoundError):
        Store.open(tmp_path / "sessions", id)
    assert [entry.name for entry in (tmp_path / "sessions").iterdir()] == ["folder.jsonl"]


WRITER = """
import sys
from pathlib import Path
from agent_tui.protocol.events import DraftSaved, ToolEnded
from agent_tui.sessions.log.store import Store
store = Store.open(Path(sys.argv[1]), "one").store
while True:
    event = store.append(ToolEnded(call_id="c", name="n", label="l", content="x" * 3000))
    sys.stdout.write(f"{event.n}\\n")
    sys.stdout.flush()
"""


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path, _ = log(tmp_path, SessionStarted())
    assert not path.exists()
    path, _ = log(tmp_path, SessionStarted(), DraftSaved(text="a"))
    acknowledged = 2
    for round_ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            for _ in range(20 + 7 * round_):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            rest = writer.stdout.read().split(b"\n")[:-1]
            acknowledged = int(rest[-1]) if rest else acknowledged
        opened = Store.open(tmp_path, "one")  # the dead writer's lock is no obstacle
        numbers = [event.n for event in opened.events]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= acknowledged
        opened.store.append(DraftSaved(text="after"))
        opened.store.close()
        assert read(path)[1] == ()


def test_a_resumed_session_sends_the_prompt_of_the_log_and_not_of_todays_files(
    tmp_path: Path,
) -> None:
    agents = tmp_path / "AGENTS.md"
    agents.write_text("old rules")
    tools = '[{"name": "t", "description": "d", "parameters": {"type": "object"}}]'
    path, recorded = log(
        tmp_path / "sessions",
        SessionStarted(),
        TurnStarted(prompt="hello"),
        ContextBuilt(system=f"You are.\n{agents.read_text()}\u2028\ud800", tools=tools, hash="h"),
        AssistantReplied(text="hi"),
        TurnEnded(state="completed"),
    )
    agents.write_text("new rules")
    live, resumed = History(), History()
    for event in recorded:
        live = live.with_event(event)
    for event in read(path)[0]:
        resumed = resumed.with_event(event)
    assert resumed.request() == live.request()
    assert RequestMeasure().digest(resumed.request()) == RequestMeasure().digest(live.request())
    assert "old rules" in resumed.system


def test_each_line_is_one_record_in_plain_ascii(tmp_path: Path) -> None:
    path, recorded = log(tmp_path, DraftSaved(text="a\nb\u2028c\u0085d\x00"), DraftSaved(text="é"))
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert [decode(line) for line in lines] == recorded
    assert path.read_bytes().isascii()


def test_looking_in_leaves_nothing_and_what_was_said_comes_with_the_first_prompt(
    tmp_path: Path,
) -> None:
    store = Store.create(tmp_path, "one")
    opening = (
        SessionStarted(),
        Notice(text="a setting is wrong"),
        ModeChanged(mode="plan"),
        DraftSaved(text=""),
    )
    for event in opening:
        store.append(event)
    assert not store.path.exists()
    store.append(TurnStarted(prompt="go"))
    store.close()
    assert [type(event) for event in read(store.path)[0]] == [*map(type, opening), TurnStarted]


def test_a_log_behind_a_link_or_of_another_user_is_read_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = log(tmp_path / "real", TurnStarted(prompt="hello"))
    before, folder = path.read_bytes(), tmp_path / "sessions"
    folder.mkdir()
    (folder / "two.jsonl").symlink_to(path)
    for session, where, said in (
        ("two", folder, "is a link"),
        ("one", path.parent, "another user"),
    ):
        opened = Store.open(where, session)
        assert len(opened.events) == 1
        if session == "one":
            monkeypatch.setattr(os, "geteuid", lambda: 12_345)
        opened.store.append(DraftSaved(text="more"))
        opened.store.close()
        assert said in opened.store.trouble
        assert path.read_bytes() == before


def test_a_limit_on_the_size_of_files_is_not_called_a_full_disk(tmp_path: Path) -> None:
    program = """
import resource, sys
from pathlib import Path
from agent_tui.protocol.events import TurnStarted
from agent_tui.sessions.log.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
store = Store.create(Path(sys.argv[1]), "s")
for turn in range(3):
    store.append(TurnStarted(prompt="x" * 3000, turn=turn))
print(store.trouble)
"""
    argv = [sys.executable, "-c", program, str(tmp_path)]
    said = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "File too large" in said and len(read(tmp_path / "s.jsonl")[0]) == 1
