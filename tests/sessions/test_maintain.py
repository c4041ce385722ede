"""Damaged logs: one clear line each, every good record kept, nothing deleted. And copies, names,
ends of sessions."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.protocol.events import Cleared, Labelled, Rewound, Titled, fold
from agent_tui.sessions.index import manage
from agent_tui.sessions.index.cache import known_sessions, update
from agent_tui.sessions.index.listing import branches_of, find, recent, tree
from agent_tui.sessions.index.manage import old_sessions, plan_deletions, prune
from agent_tui.sessions.index.search import search
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log import repair as maintain
from agent_tui.sessions.log.copies import fork, trim
from agent_tui.sessions.log.lock import Lock, SessionLocked
from agent_tui.sessions.log.raw import encode_record
from agent_tui.sessions.log.repair import Refused, repair, verify, verify_log
from agent_tui.sessions.log.store import Store, read
from tests.sessions.logs import turn, write

Mutation = Callable[[random.Random, bytes], bytes]


def _cut(r: random.Random, data: bytes) -> bytes:
    return data[: r.randrange(len(data))]


def _zeroed(r: random.Random, data: bytes) -> bytes:
    at, length = r.randrange(len(data)), r.randrange(1, 3_000)
    return data[:at] + b"\0" * min(length, len(data) - at) + data[at + length :]


def _fused(r: random.Random, data: bytes) -> bytes:
    ends = [at for at, byte in enumerate(data) if byte == 10]
    gone = set(r.sample(ends, min(len(ends), r.randrange(1, 5))))
    return bytes(byte for at, byte in enumerate(data) if at not in gone)


def _flipped(r: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(r.randrange(1, 6)):
        changed[r.randrange(len(changed))] ^= 1 << r.randrange(8)
    return bytes(changed)


def _doubled(r: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = r.randrange(len(lines))
    return b"".join((*lines[: at + 1], *lines[at:]))


def _lost(r: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[r.randrange(len(lines) - 1)]
    return b"".join(lines)


MUTATIONS: dict[str, Mutation] = {
    "cut": _cut,
    "zeroed": _zeroed,
    "fused": _fused,
    "flipped": _flipped,
    "doubled": _doubled,
    "lost": _lost,
    "crlf": lambda _, data: data.replace(b"\n", b"\r\n"),
    "bom": lambda _, data: b"\xef\xbb\xbf" + data,
    "utf8": lambda r, data: (
        data[: (at := r.randrange(len(data)))] + b"\xc3\xff\xed\xa0\x80" + data[at:]
    ),
    "empty": lambda *_: b"",
    "nothing": lambda r, _: b"\0" * r.randrange(1, 100_000),
    "noise": lambda r, _: r.randbytes(10_000),
    "text": lambda *_: b"no log at all\n" * 50,
    "newer": lambda _, data: data.replace(b'{"v":1,', b'{"v":7,', 5),
    "inserted": lambda r, data: (
        data[: (at := r.randrange(len(data)))] + r.randbytes(2_000) + data[at:]
    ),
}


def whole_lines(data: bytes, mutated: bytes) -> set[bytes]:
    """The records of `data` that are in `mutated` byte by byte."""
    return {line for line in data.splitlines() if line in mutated}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("logs")
    path = write(
        folder,
        "one",
        *turn(1, "first"),
        Titled("Name", "person"),
        *turn(2, "second"),
        *turn(3, "third"),
    )
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("kind", MUTATIONS)
def test_200_mutated_files(log: bytes, tmp_path: Path, kind: str, seed: int) -> None:
    mutated = MUTATIONS[kind](random.Random(f"{kind} {seed}"), log)
    folder, cache = tmp_path / "sessions", tmp_path / "cache"
    folder.mkdir()
    path = folder / "one.jsonl"
    path.write_bytes(mutated)
    good = whole_lines(log, mutated)
    check = verify_log(path)
    assert (
        "\n" not in check.summary
        and check.summary.startswith("one: ")
        and check.size == len(mutated)
    )
    assert check.records >= len(good)
    assert (check.state == "no log") == (check.records == 0)
    search(folder, cache, "first")
    recent(folder, None, known_sessions(cache))
    events, _ = read(path)
    stats(events)
    assert path.read_bytes() == mutated  # looking changes nothing
    try:
        done = repair(folder, "one")
    except Refused as error:
        assert not good and "\n" not in str(error)
        assert [file.name for file in folder.iterdir()] == [
            "one.jsonl"
        ] and path.read_bytes() == mutated
        return
    kept = path.read_bytes().splitlines()
    assert good <= set(kept) and len(kept) == check.records
    if done.original is None:
        assert path.read_bytes() == mutated
    else:
        assert done.original.read_bytes() == mutated
        aside = sum(file.stat().st_size for file in done.aside)
        assert aside == sum(stop - start for start, stop in done.check.bad)
        assert aside or done.check.fused
    assert verify_log(path).state in ("ok", "gaps")
    assert [event.n for event in read(path)[0]] == [
        event.n for event in events
    ]  # the same session as before


def test_records_of_a_newer_version_are_kept_and_said(tmp_path: Path, log: bytes) -> None:
    newer = encode_record(
        {"v": 9, "n": 42, "at": 9.0, "type": "hologram", "shape": {"of": "things"}}
    )
    (tmp_path / "one.jsonl").write_bytes(log + newer)
    check = verify_log(tmp_path / "one.jsonl")
    assert (check.state, check.newer) == ("ok", 1) and check.summary.endswith(
        "1 of a newer version, kept"
    )
    (tmp_path / "one.jsonl").write_bytes(log + b"\0\0\0" + newer)
    repair(tmp_path, "one")
    assert (tmp_path / "one.jsonl").read_bytes() == log + newer
    copy = fork(tmp_path, "one").id
    assert b'"hologram"' in (tmp_path / f"{copy}.jsonl").read_bytes()


def test_what_is_no_file_of_ones_own_is_named_and_left(tmp_path: Path, log: bytes) -> None:
    (tmp_path / "good.jsonl").write_bytes(log)
    (tmp_path / "good.msgs.jsonl").write_bytes(b"beside it")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "good.jsonl")
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "gone")
    before = sorted(path.name for path in tmp_path.iterdir())
    said = {check.id: check.summary for check in verify(tmp_path)}
    assert said["good"].startswith("good: ok: ")
    assert said["folder"] == "folder: a folder"
    assert said["pipe"] == "pipe: not a regular file"
    assert (
        said["link"] == "link: a symbolic link: not followed" and "symbolic link" in said["nowhere"]
    )
    assert set(said) == {"good", "folder", "pipe", "link", "nowhere"}
    assert [one.id for one in recent(tmp_path)] == ["good"]
    for name in ("folder", "pipe", "link", "nowhere"):
        with pytest.raises(Refused):
            repair(tmp_path, name)
        with pytest.raises(Refused):
            manage.rename(tmp_path, name, "x")
        with pytest.raises(Refused):
            manage.delete(tmp_path, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_log_of_somebody_else_is_named(
    tmp_path: Path, log: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.jsonl").write_bytes(log)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert verify_log(tmp_path / "one.jsonl").summary == "one: owned by somebody else"
    assert recent(tmp_path) == []


def test_a_line_longer_than_memory_is_passed_over(
    tmp_path: Path, log: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_tui.sessions.log.raw.LONGEST", 4_096)
    path = tmp_path / "one.jsonl"
    path.write_bytes(
        log
        + b"\0" * 3_000_000
        + b"\n"
        + log.splitlines(keepends=True)[-1].replace(b'"n":', b'"n":9')
    )
    check = verify_log(path)
    assert check.state == "damaged" and check.records == len(log.splitlines())
    assert repair(tmp_path, "one").check.records == check.records
    assert path.read_bytes() == log


def test_a_session_that_is_open_elsewhere_is_left(tmp_path: Path, log: bytes) -> None:
    (tmp_path / "one.jsonl").write_bytes(log[:-20])
    lock = Lock(tmp_path / "one.lock")
    lock.take()
    for act in (
        lambda: repair(tmp_path, "one"),
        lambda: manage.delete(tmp_path, "one"),
        _named(tmp_path),
    ):
        with pytest.raises(SessionLocked, match="open in another program"):
            act()
    assert manage.is_open(tmp_path, "one")
    lock.release()
    assert not manage.is_open(tmp_path, "one")
    assert (tmp_path / "one.jsonl").read_bytes() == log[:-20]


def _named(folder: Path) -> Callable[[], object]:
    return lambda: manage.rename(folder, "one", "name")


def test_a_name_is_on_record_and_can_be_taken_away(tmp_path: Path) -> None:
    write(tmp_path, "one", *turn(1, "prompt"))
    manage.rename(tmp_path, "one", " A \n name ")
    assert [(one.title, one.by) for one in find(tmp_path, "one")] == [("A name", "person")]
    manage.rename(tmp_path, "one", "")
    assert [(one.title, one.by) for one in find(tmp_path, "one")] == [("prompt", "prompt")]
    with pytest.raises(Refused, match="up to 200 characters"):
        manage.rename(tmp_path, "one", "x" * 201)
    assert not list(tmp_path.glob("*.lock"))


def test_delete_takes_its_own_files_and_no_others(tmp_path: Path, log: bytes) -> None:
    tmp_path = tmp_path / "sessions"
    tmp_path.mkdir()
    for name in ("one", "one.two", "onetwo"):
        (tmp_path / f"{name}.jsonl").write_bytes(log[:-5])
    (tmp_path / "one.msgs.jsonl").write_bytes(b"")
    repair(tmp_path, "one")
    outputs = tmp_path.parent / "outputs" / "one"
    outputs.mkdir(parents=True)
    (outputs / "call-1.txt").write_text("long")
    gone = manage.delete(tmp_path, "one")
    assert len(gone) == 5 and not outputs.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.two.jsonl", "onetwo.jsonl"]


def test_a_fork_is_the_beginning_and_says_whose(tmp_path: Path) -> None:
    path = write(tmp_path, "one", *turn(1, "first"), *turn(2, "second"))
    begins = [event.n for event in read(path)[0] if event.type == "turn_started"]  # type: ignore[attr-defined]
    made = fork(tmp_path, "one", begins[1])
    assert made.turns == 1 and made.left_out == 13
    [child] = find(tmp_path, made.id)
    assert (child.parent, child.parent_at, child.title) == ("one", begins[1], "first")
    assert fork(tmp_path, "one").turns == 2
    with pytest.raises(Refused, match="no turn starts at record 3"):
        fork(tmp_path, "one", 3)


def test_trim_writes_a_new_log_that_stands_alone(tmp_path: Path) -> None:
    events = [event for n in range(1, 21) for event in turn(n, f"prompt {n}")]
    path = write(
        tmp_path,
        "one",
        *events[:13],
        Titled("Its name", "person"),
        Labelled(of=2, label="gone"),
        *events[13:],
        Labelled(of=len(events) - 9, label="kept"),
        Rewound(to=len(events) - 9),
    )
    before = path.read_bytes()
    made = trim(tmp_path, "one", 3)
    assert path.read_bytes() == before
    told, problems = read(tmp_path / f"{made.id}.jsonl")
    assert problems == () and [event.n for event in told] == list(range(1, len(told) + 1))
    assert {event.session for event in told} == {made.id}
    transcript = fold(told)
    assert transcript.title == "Its name" and transcript.session == made.id
    assert [one.parent for one in find(tmp_path, made.id)] == ["one"]
    opened = Store.open(tmp_path, made.id)
    opened.store.append(Cleared())
    opened.store.close()
    with pytest.raises(Refused, match="not more than you want to keep"):
        trim(tmp_path, "one", 20)
    with pytest.raises(Refused, match="at least one"):
        trim(tmp_path, "one", 0)


def test_the_tree_has_each_session_once(tmp_path: Path) -> None:
    for name in ("root", "other"):
        write(tmp_path, name, *turn(1, name))
    child = fork(tmp_path, "root").id
    grandchild = fork(tmp_path, child).id
    branches = tree(recent(tmp_path))
    depths = {branch.session.id: branch.depth for branch in branches}
    assert depths == {"root": 0, "other": 0, child: 1, grandchild: 2}
    assert [branch.session.id for branch in branches_of(recent(tmp_path), grandchild)] == [
        "root",
        child,
        grandchild,
    ]
    (tmp_path / "root.jsonl").unlink()
    assert {branch.depth for branch in tree(recent(tmp_path)) if branch.session.id == child} == {0}


def test_retention_spares_what_somebody_wanted(tmp_path: Path) -> None:
    folder, cache = tmp_path / "sessions", tmp_path / "cache"
    now = 100 * 86_400.0
    for day in range(10):
        write(folder, f"day{day}", *turn(1, "p", output="x" * 20_000, at=day * 10 * 86_400.0 + 1))
    write(folder, "named", *turn(1, "p", at=5.0), Titled("Keep", "person", at=6.0))
    write(folder, "labelled", *turn(1, "p", at=5.0), Labelled(of=2, label="look", at=6.0))
    lock = Lock(folder / "day1.lock")
    lock.take()
    assert old_sessions(folder, {}, 30, 0, now) == []  # nothing is known of any
    update(folder, cache)
    by_age = old_sessions(folder, known_sessions(cache), 50, 0, now, frozenset({"day2"}))
    assert [one.session.id for one in by_age] == ["day0", "day3", "day4"]
    by_size = old_sessions(folder, known_sessions(cache), 0, 1, now)
    assert by_size == []
    assert plan_deletions(folder, cache, 0, 0) == []
    gone, size, problem = prune(folder, cache, 1, 0, frozenset({"day9"}))
    assert (gone, problem) == (8, "") and size > 160_000
    assert {one.id for one in recent(folder)} == {"day1", "day9", "named", "labelled"}
    lock.release()


def test_an_old_session_that_has_just_come_here_is_kept(tmp_path: Path) -> None:
    folder, cache = tmp_path / "sessions", tmp_path / "cache"
    path = write(folder, "one", *turn(1, "p"))
    assert [one.session.id for one in plan_deletions(folder, cache, 30, 0)] == ["one"]
    path.write_bytes(path.read_bytes())
    assert plan_deletions(folder, cache, 30, 0) == []


def test_retention_by_room_takes_the_oldest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_tui.sessions.index.manage.MB", 1_000)
    folder, cache = tmp_path / "sessions", tmp_path / "cache"
    for day in range(4):
        write(folder, f"day{day}", *turn(1, "p", output="x" * 20_000, at=day * 86_400.0 + 1))
    assert [one.session.id for one in plan_deletions(folder, cache, 0, 70)] == ["day0"]
    assert [one.session.id for one in plan_deletions(folder, cache, 0, 1)] == [
        "day0",
        "day1",
        "day2",
        "day3",
    ]


def test_verify_says_all_in_one_line(tmp_path: Path, log: bytes) -> None:
    lines = log.splitlines(keepends=True)
    (tmp_path / "one.jsonl").write_bytes(
        b"".join((*lines[:4], *lines[7:9], b"garbage\n", *lines[9:], b'{"v":1,"n"'))
    )
    said = verify_log(tmp_path / "one.jsonl").summary
    assert said.startswith("one: damaged: records 5 to 7 are missing; 8 bytes at ")
    assert (
        "are not a record; the last 10 bytes are an incomplete record; " in said
        and said.count("\n") == 0
    )
    assert maintain.verify_log(tmp_path / "gone.jsonl").summary.startswith(
        "gone: cannot be read (No such file"
    )
