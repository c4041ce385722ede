"""What may lie in the folder of sessions instead of what this program wrote: each costs one clear
line."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.protocol.events import DraftSaved, TurnEnded, TurnStarted
from agent_tui.sessions.index import manage
from agent_tui.sessions.index.listing import missing_reason, recent
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log import copies
from agent_tui.sessions.log.repair import Refused, repair
from agent_tui.sessions.log.store import Store, read
from tests.sessions.logs import turn, write

ROOT = Path(__file__).resolve().parents[2]
GIGABYTE = 1 << 30
SMALL = """
import resource, sys
from pathlib import Path
from agent_tui.protocol.events import DraftSaved
from agent_tui.sessions.log.fork import fork
from agent_tui.sessions.log.store import Store, read
resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
path = Path(sys.argv[1])
opened = Store.open(path.parent, path.stem)
print(len(opened.events), *opened.problems, sep="|")
fork(path.parent, path.stem)
opened.store.append(DraftSaved("goes on"))
opened.store.close()
print(len(read(path)[0]), opened.store.trouble, sep="|")
"""


def test_a_gigabyte_of_zeros_behind_the_last_record_needs_neither_memory_nor_room(
    tmp_path: Path,
) -> None:
    """What a crash may leave of a file: its good records are read, and what is none is set aside as
    the hole it is."""
    path = write(tmp_path, "one", *turn(1, "hello"))
    records = len(read(path)[0])
    os.truncate(path, GIGABYTE)
    argv = [sys.executable, "-c", SMALL, str(path)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found, after = done.stdout.splitlines()
    assert found.startswith(f"{records}|the last ") and found.endswith(
        "bytes are an incomplete record"
    )
    assert after == f"{records + 1}|"
    [aside] = tmp_path.glob("one.torn-*")
    about = aside.stat()
    assert about.st_size + path.stat().st_size > GIGABYTE and about.st_blocks * 512 < 1_000_000


def test_what_cannot_be_set_aside_is_tried_again_and_leaves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    whole = path.read_bytes()
    path.write_bytes(whole + b"torn" * 1_000)
    opened = Store.open(tmp_path, "one")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        for number in range(3):
            opened.store.append(DraftSaved(f"thought {number}"))
            assert opened.store.trouble and list(tmp_path.glob("one.torn-*")) == []
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    opened.store.append(DraftSaved("there is room"))
    opened.store.close()
    assert opened.store.trouble == "" and [
        one.read_bytes() for one in tmp_path.glob("one.torn-*")
    ] == [b"torn" * 1_000]
    events, problems = read(path)
    assert (
        problems == ()
        and [event.text for event in events if isinstance(event, DraftSaved)][-1] == "there is room"
    )
    assert path.read_bytes().startswith(whole)


def link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (link, "lock of the log is a link"),
        (os.mkfifo, "lock is not a regular file"),
        (os.mkdir, "directory"),
        (bound, "one.lock"),
    ],
)
def test_a_lock_that_is_none_of_ours_is_named(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    before = path.read_bytes()
    make(tmp_path / "one.lock")
    opened = Store.open(tmp_path, "one")
    opened.store.append(TurnStarted("unsaved"))
    opened.store.close()
    assert said in opened.store.trouble and "one.lock" in opened.store.trouble
    assert path.read_bytes() == before and os.path.lexists(tmp_path / "one.lock")


def test_what_lies_in_the_place_of_a_log_is_said(tmp_path: Path) -> None:
    for name, make in (
        ("link", link),
        ("pipe", os.mkfifo),
        ("folder", os.mkdir),
        ("empty", Path.touch),
    ):
        make(tmp_path / f"{name}.jsonl")
    (tmp_path / "zeros.jsonl").write_bytes(bytes(500))
    assert missing_reason(tmp_path, "link") == "its log is a symbolic link: not followed"
    assert missing_reason(tmp_path, "pipe") == "its log is not a regular file"
    assert missing_reason(tmp_path, "folder") == "its log is a folder"
    assert (
        missing_reason(tmp_path, "empty")
        == missing_reason(tmp_path, "zeros")
        == "its log has no records"
    )
    assert (
        missing_reason(tmp_path, "none")
        == missing_reason(tmp_path, "../one")
        == "no session has this id or name"
    )


def test_what_is_damaged_is_not_made_whole_by_a_copy(tmp_path: Path) -> None:
    """A record whose text was changed by a fault of the disk has no place in a log with checksums
    that fit."""
    path = write(tmp_path, "one", *turn(1, "first"), *turn(2, "second"), *turn(3, "third"))
    path.write_bytes(path.read_bytes().replace(b'"prompt":"third"', b'"prompt":"thirD"'))
    made = copies.trim(tmp_path, "one", 1)
    copy = tmp_path / f"{made.id}.jsonl"
    assert b"thirD" not in copy.read_bytes() and b"second" in copy.read_bytes()
    assert b"thirD" not in (tmp_path / f"{copies.fork(tmp_path, 'one').id}.jsonl").read_bytes()


def test_a_session_that_is_deleted_in_part_can_be_deleted_again(tmp_path: Path) -> None:
    sessions, outputs = tmp_path / "sessions", tmp_path / "outputs" / "one"
    path = write(sessions, "one", *turn(1, "hello"))
    (outputs / "odd").mkdir(parents=True)
    (sessions / "one.msgs.jsonl").touch()
    with pytest.raises(Refused):
        manage.delete(sessions, "one")
    assert path.exists()
    (outputs / "odd").rmdir()
    manage.delete(sessions, "one")
    assert list(sessions.iterdir()) == [] and not outputs.exists()


def test_a_repair_keeps_holes(tmp_path: Path) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    records = len(read(path)[0])
    os.truncate(path, GIGABYTE // 4)
    with path.open("ab") as file:
        file.write(b"\n")
    made = repair(tmp_path, "one")
    assert made.check.records == records and read(path)[1] == ()
    assert all(aside.stat().st_blocks * 512 < 4_000_000 for aside in made.aside)
    assert any(isinstance(event, TurnEnded) for event in read(path)[0])


@pytest.mark.parametrize(
    "at", ["NaN", "Infinity", "-Infinity", "1e999", "1e308", "1" + "0" * 400, "true", '"x"']
)
def test_a_time_that_no_clock_says_is_damage(tmp_path: Path, at: str) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    records = path.read_bytes().splitlines()
    body = b'{"v":1,"n":%d,"at":%s,"type":"%%s"}' % (len(records) + 1, at.encode())
    for kind in (b"titled", b"turn_started", b"of_another_day"):
        odd = body % kind
        path.write_bytes(b"\n".join([*records, odd[:-1] + b',"c":%d}' % zlib.crc32(odd), b""]))
        events, problems = read(path)
        assert len(events) == len(records) and len(problems) == 1
        assert stats(events).wall_ms >= 0
        [summary] = recent(tmp_path)
        assert abs(summary.at) < 1e12


def test_what_a_kill_left_half_made_goes_after_a_day(tmp_path: Path) -> None:
    """And nothing else: not what is being made now, nor a name that is none of ours."""
    write(tmp_path, "one", *turn(1, "hello"))
    id = "0b0e1c5a-0000-4000-8000-000000000009"
    old = [f".{id}.part", f".{id}.4711.new", f".{id}.20260101T101010-123456789.new"]
    kept = [
        ".other.part",
        f".{id}.txt",
        f"{id}.part",
        ".0b0e1c5a-0000-4000-8000-00000000000a.part",
        f".{id}.5.new",
    ]
    for name in (*old, *kept):
        (tmp_path / name).touch()
        if name != kept[3]:
            os.utime(tmp_path / name, (1.0, 1.0))
    (tmp_path / kept[4]).unlink()
    (tmp_path / kept[4]).symlink_to(tmp_path / "one.jsonl")
    made = copies.fork(tmp_path, "one").id
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "one.jsonl", f"{made}.jsonl"}
    for name in old:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1.0, 1.0))
    write(tmp_path, "two", *turn(1, "a"), *turn(2, "b"))
    copies.trim(tmp_path, "two", 1)
    assert not {path.name for path in tmp_path.iterdir()} & {*old}
