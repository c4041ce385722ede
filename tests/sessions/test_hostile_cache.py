"""What may lie in the place of the search index, and numbers in logs that no database takes: a
clear line each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.sessions.imports.files import import_file
from agent_tui.sessions.index.cache import cache_file
from agent_tui.sessions.index.search import search
from agent_tui.sessions.log import copies
from tests.sessions.logs import turn, write

ROOT = Path(__file__).resolve().parents[2]
SEARCH = """
import sys
from pathlib import Path
from agent_tui.sessions.index.search import search
found = search(Path(sys.argv[1]), Path(sys.argv[2]), "hello")
print(len(found.hits), found.note, sep="|")
"""


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("elsewhere")])
def test_what_lies_in_the_place_of_the_index_holds_nothing_up(
    tmp_path: Path, make: Callable[[Path], None], end: str
) -> None:
    sessions, cache = tmp_path / "sessions", tmp_path / "cache"
    write(sessions, "one", *turn(1, "hello"))
    search(sessions, cache, "hello")
    odd = cache_file(cache).with_name(cache_file(cache).name + end)
    odd.unlink(missing_ok=True)
    make(odd)
    argv = [
        sys.executable,
        "-c",
        SEARCH,
        str(sessions),
        str(cache),
    ]  # what waits in SQLite no test can interrupt
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("1|") and done.stdout.count("\n") == 1, done.stderr
    assert str(odd) in done.stdout and os.path.lexists(odd), "it is named, and left to the person"


def test_a_damaged_index_that_cannot_be_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, cache = tmp_path / "sessions", tmp_path / "cache"
    write(sessions, "one", *turn(1, "hello"))
    cache.mkdir()
    cache_file(cache).write_bytes(b"no database" * 100)

    def read_only(path: Path, **_: bool) -> None:
        raise OSError(30, os.strerror(30), str(path))

    monkeypatch.setattr(Path, "unlink", read_only)
    found = search(sessions, cache, "hello")
    assert (
        len(found.hits) == 1
        and "damaged and cannot be removed" in found.note
        and "\n" not in found.note
    )


def with_record(path: Path, more: str) -> None:
    body = b'{"v":1,"n":99,"at":1.0,%s}' % more.encode()
    with path.open("ab") as file:
        file.write(body[:-1] + b',"c":%d}\n' % zlib.crc32(body))


@pytest.mark.parametrize("number", [10**25, -(10**25), 1 << 63])
def test_a_number_that_no_database_takes_is_none(tmp_path: Path, number: int) -> None:
    path = write(tmp_path / "sessions", "one", *turn(1, "hello"))
    with_record(path, f'"type":"turn_started","prompt":"more","turn":{number},"parent_at":{number}')
    assert len(search(tmp_path / "sessions", tmp_path / "cache", "more").hits) == 1
    assert len(search(tmp_path / "sessions", tmp_path / "cache", "hello").hits) == 1


def test_turns_of_a_restore_that_are_no_numbers_are_left_out_of_a_copy(tmp_path: Path) -> None:
    path = write(tmp_path, "one", *turn(1, "first"), *turn(2, "second"))
    with_record(
        path, '"type":"files_restored","direction":"undo","turns":[[],{},"x",true,null],"files":[]'
    )
    copy = tmp_path / f"{copies.trim(tmp_path, 'one', 1).id}.jsonl"
    assert b'"turns":[]' in copy.read_bytes()


def test_what_a_killed_import_left_is_not_in_the_way_of_the_next(tmp_path: Path) -> None:
    """In a container each run has the same process number."""
    sample = Path(__file__).parent / "samples" / "claude.jsonl"
    id = import_file(sample, tmp_path / "first").id
    folder = tmp_path / "second"
    folder.mkdir()
    (folder / f".{id}.{os.getpid()}.new").write_bytes(b"half")
    assert import_file(sample, folder).id == id and (folder / f"{id}.jsonl").exists()


def test_an_id_with_half_a_character_names_a_session_like_any_other(tmp_path: Path) -> None:
    sample = (Path(__file__).parent / "samples" / "codex.jsonl").read_text("utf-8").splitlines()
    first = json.loads(sample[0])
    first["payload"]["id"] = "\ud800"
    odd = tmp_path / "odd.jsonl"
    odd.write_text("\n".join([json.dumps(first), *sample[1:]]) + "\n")
    made = import_file(odd, tmp_path / "sessions")
    assert made.turns and import_file(odd, tmp_path / "sessions").already
