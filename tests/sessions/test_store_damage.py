"""Damage costs only itself: torn tails, flipped bytes, lines run together, doubles, gaps, a full
disk, no folder."""

from __future__ import annotations

import itertools
import resource
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import DraftSaved, Event, ToolEnded, TurnEnded, TurnStarted
from agent_tui.sessions.log.store import Store, read
from tests.campaigns import examples
from tests.strategies import sessions

QUIET = settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow]
)


def lines(told: list[Event]) -> list[tuple[Event, bytes]]:
    """The settled ones as records with their lines."""
    numbered = [event for event in told if event.settled]
    events = [replace(event, n=n) for n, event in enumerate(numbered, 1)]
    return [(event, encode(event)) for event in events]


@contextmanager
def file_of(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.jsonl"
        path.write_bytes(data)
        yield path


@QUIET
@given(sessions(), st.data())
def test_a_torn_tail_costs_only_itself(told: list[Event], data: st.DataObject) -> None:
    records = lines(told)
    whole = b"".join(line for _, line in records)
    cut = data.draw(st.integers(0, len(whole)))
    ends = list(itertools.accumulate(len(line) for _, line in records))
    kept = [event for (event, _), end in zip(records, ends, strict=True) if end - 1 <= cut]
    with file_of(whole[:cut]) as path:
        opened = Store.open(path.parent, "one")
        assert opened.events == kept
        added = opened.store.append(DraftSaved(text="after"))
        opened.store.close()
        assert read(path) == ([*kept, added], ())
        torn = b"".join(aside.read_bytes() for aside in path.parent.glob("one.torn-*"))
        assert path.read_bytes().startswith(whole[: cut - len(torn)])
        assert torn == whole[cut - len(torn) : cut]
        assert (torn != b"") == bool(opened.problems)


@QUIET
@given(sessions(), st.data())
def test_damaged_bytes_cost_only_their_records(told: list[Event], data: st.DataObject) -> None:
    records = lines(told)
    whole = bytearray(b"".join(line for _, line in records))
    places = data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=6))
    original = bytes(whole)
    for place in places:
        whole[place] = data.draw(st.integers(0, 255))
    at, intact = 0, []
    for event, line in records:
        if whole[at : at + len(line) - 1] == original[at : at + len(line) - 1]:
            intact.append(event)
        at += len(line)
    with file_of(bytes(whole)) as path:
        events, problems = read(path)
        assert events == intact
        assert problems or bytes(whole[:-1]) == original[:-1]


@QUIET
@given(st.binary(max_size=300), st.lists(st.binary(max_size=40), max_size=5))
def test_no_bytes_are_too_strange(first: bytes, others: list[bytes]) -> None:
    good = encode(DraftSaved(n=1, text="whole"))
    with file_of(b"\n".join([first, *others]) + b"\n" + good + b"\0" * 40) as path:
        opened = Store.open(path.parent, "one")
        assert opened.events == [DraftSaved(n=1, text="whole")]
        opened.store.append(DraftSaved(text="after"))
        opened.store.close()
        assert [event.n for event in read(path)[0]] == [1, 2]


ONE, TWO, THREE = (encode(DraftSaved(n=n, text=f"number {n}")) for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("data", "numbers", "problem"),
    [
        (ONE + TWO + TWO + THREE, [1, 2, 3], "record 2 appears twice: the second is ignored"),
        (ONE + THREE, [1, 3], "record 2 is missing"),
        (THREE, [3], "records 1 to 2 are missing"),
        (ONE + THREE + TWO, [1, 3, 2], "record 2 comes after record 3"),
        (ONE + b"\0" * 4096 + TWO, [1, 2], "line 2 is damaged"),
        (ONE[:20] + TWO, [2], "line 1 is damaged"),
        (ONE[:-1] + TWO[:-1] + THREE, [1, 2, 3], "3 records in it could be read"),
        (b"\xef\xbb\xbf" + ONE + TWO, [1, 2], "line 1 is damaged"),
        (ONE.replace(b"\n", b"\r\n") + TWO.replace(b"\n", b"\r\n"), [1, 2], ""),
        (ONE + TWO[:-30], [1], "bytes are an incomplete record"),
        (ONE + b"[" * 100_000 + b"\n" + TWO, [1, 2], "line 2 is damaged"),
        (b"", [], ""),
        (b"\n\n", [], "the last 2 bytes are an incomplete record"),
    ],
    ids=range(13),
)
def test_what_is_wrong_is_named(data: bytes, numbers: list[int], problem: str) -> None:
    with file_of(data) as path:
        events, problems = read(path)
    assert [event.n for event in events] == numbers
    assert any(problem in text for text in problems) if problem else problems == ()
    assert all("\n" not in text and len(text) < 300 for text in problems)


def test_a_whole_record_of_an_odd_shape_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    odd = encode(TurnStarted(n=2, prompt="x")).replace(b'"prompt":"x"', b'"prompt":[1]')
    body = odd.rpartition(b',"c":')[0]
    odd = body + b',"c":%d}\n' % zlib.crc32(body + b"}")
    path.write_bytes(ONE + odd)
    opened = Store.open(tmp_path, "one")
    opened.store.append(DraftSaved(text="after"))
    opened.store.close()
    assert odd in path.read_bytes()
    assert list(tmp_path.glob("*.torn-*")) == []
    assert "prompt" in opened.problems[0]


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes: a write is cut short there, and the
    next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_loses_nothing_and_the_file_stays_valid(tmp_path: Path) -> None:
    store = Store.create(tmp_path, "one")
    told: list[Event] = [store.append(TurnStarted(prompt="hello"))]
    with disk_of(1_000):
        for number in range(9):
            told.append(
                store.append(ToolEnded(call_id=str(number), name="n", label="l", content="x" * 200))
            )
            events, problems = read(store.path)
            assert problems == ()
            assert events == told[: len(events)]
        assert len(events) < len(told)
        assert "one.jsonl" in store.trouble
        assert "\n" not in store.trouble
    told.append(store.append(TurnEnded(state="completed")))
    assert store.trouble == ""
    store.close()
    assert read(store.path) == (told, ())


def test_what_waits_is_written_at_the_end(tmp_path: Path) -> None:
    store = Store.create(tmp_path, "one")
    told: list[Event] = [store.append(DraftSaved(text="a"))]
    with disk_of(store.path.stat().st_size):
        told.append(store.append(DraftSaved(text="b")))
        assert store.trouble
    store.close()
    assert read(store.path)[0] == told


def test_an_impossible_folder_keeps_the_session_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store.create(tmp_path / "file" / "sessions", "one")
    assert "file" in store.trouble
    assert [store.append(DraftSaved(text="a")).n, store.append(DraftSaved(text="b")).n] == [1, 2]
    assert store.trouble
    (tmp_path / "file").unlink()
    store.append(DraftSaved(text="c"))
    assert store.trouble == ""
    store.close()
    assert [event.n for event in read(store.path)[0]] == [1, 2, 3]


def test_a_log_that_cannot_be_locked_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(ONE + TWO)
    (tmp_path / "one.lock").mkdir()
    opened = Store.open(tmp_path, "one")
    assert [event.n for event in opened.events] == [1, 2]
    assert "one.lock" in opened.store.trouble
    assert opened.store.append(DraftSaved(text="c")).n == 3
    opened.store.close()
    assert (tmp_path / "one.jsonl").read_bytes() == ONE + TWO


def test_a_log_that_somebody_else_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(ONE)
    opened = Store.open(tmp_path, "one")
    path.write_bytes(ONE + TWO)
    opened.store.append(DraftSaved(text="c"))
    assert "changed by another program" in opened.store.trouble
    opened.store.close()
    assert path.read_bytes() == ONE + TWO


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(ONE)
    (tmp_path / "one.jsonl").symlink_to(target)
    opened = Store.open(tmp_path, "one")
    opened.store.append(DraftSaved(text="b"))
    assert opened.store.trouble
    opened.store.close()
    assert target.read_bytes() == ONE
