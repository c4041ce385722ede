"""Search over real logs: what is found, how the index follows the logs, and what happens when there
is none."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from agent_tui.protocol.answers import SearchResults
from agent_tui.protocol.events import Labelled, ShellEnded, Titled, TurnStarted
from agent_tui.sessions.index import cache as caches
from agent_tui.sessions.index.cache import cache_file, known_sessions, update
from agent_tui.sessions.index.listing import recent
from agent_tui.sessions.index.search import search
from tests.sessions.logs import turn, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sessions = tmp_path / "sessions"
    write(
        sessions,
        "aaa",
        *turn(1, "why does the parser fail", "Because of a stray bracket."),
        cwd="/work/one",
    )
    write(
        sessions,
        "bbb",
        *turn(1, "add a retry"),
        *turn(2, "and a test for it", "The test uses a bracket too."),
        Titled("Network troubles", "person"),
        cwd="/work/two",
    )
    return sessions


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def ids(found: SearchResults) -> list[str]:
    return [hit.session.id for hit in found.hits]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("stray", ["aaa"]),
        ("bracket", ["bbb", "aaa"]),
        ("BRACKET", ["bbb", "aaa"]),
        ("brack", ["bbb", "aaa"]),  # the last word may be the beginning of one
        ("brack stray", []),  # an earlier one may not
        ("stray bracket", ["aaa"]),
        ("network", ["bbb"]),  # the title
        ("network bracket", ["bbb"]),  # one word in the title, one in what was said
        ("topic/x bracket", ["bbb", "aaa"]),  # the branch
        ("part2.py", ["bbb"]),  # a file that was changed
        ("/work/one", ["aaa"]),
        ("1970-01-01 retry", ["bbb"]),
        ("nothing-of-the-kind", []),
        ('"quoted* (AND', []),
        ("", []),
        ("a", ["aaa", "bbb"]),
    ],
)
@pytest.mark.parametrize("indexed", [True, False], ids=["index", "logs"])
def test_what_is_found(
    folder: Path, cache: Path, words: str, wanted: list[str], indexed: bool
) -> None:
    if not indexed:
        cache.write_text("no folder")  # there can be no index
    found = search(folder, cache, words)
    assert sorted(ids(found)) == sorted(wanted) or (not indexed and set(wanted) <= set(ids(found)))
    assert bool(found.note) == (not indexed and bool(words))


def test_a_hit_says_where(folder: Path, cache: Path) -> None:
    [hit, _] = search(folder, cache, "bracket").hits
    assert (hit.session.title, hit.turn, hit.snippet) == (
        "Network troubles",
        2,
        "The test uses a bracket too.",
    )
    assert [hit.snippet[start:stop] for start, stop in hit.marks] == ["bracket"]
    record = json.loads((folder / "bbb.jsonl").read_bytes().split(b"\n")[hit.n - 1])
    assert record["n"] == hit.n and record["text"] == "The test uses a bracket too."
    assert [
        one.session.id for one in search(folder, cache, "bracket", cwd=Path("/work/one")).hits
    ] == ["aaa"]
    assert len(search(folder, cache, "bracket", limit=1).hits) == 1


def test_a_snippet_is_one_harmless_line(folder: Path, cache: Path) -> None:
    write(
        folder,
        "ccc",
        *turn(1, "x" * 500 + " \x1b[31mneedle\x1b]0;title\x07\nnext\u202eline " + "y" * 500),
    )
    [hit] = search(folder, cache, "needle").hits
    assert "needle" in hit.snippet and len(hit.snippet) < 200
    assert not any(bad in hit.snippet for bad in ("\x1b", "\n", "\x07", "\u202e"))


def test_scripts_without_spaces_are_found(folder: Path, cache: Path) -> None:
    write(folder, "ccc", *turn(1, "データベースを消す"), *turn(2, "ファイル"))
    assert ids(search(folder, cache, "ベース")) == ids(search(folder, cache, "消す")) == ["ccc"]
    assert ids(search(folder, cache, "スー")) == []  # the same characters in another order


def test_private_commands_are_not_found(folder: Path, cache: Path) -> None:
    secret = ShellEnded(
        "s1", "secretive", private=True, command="secretive", content="secretive", turn=1
    )
    write(folder, "ccc", *turn(1, "hello"), secret)
    assert ids(search(folder, cache, "secretive")) == []


def test_the_index_follows_the_logs(folder: Path, cache: Path) -> None:
    assert update(folder, cache).sessions == 2
    assert update(folder, cache).sessions == 0
    write(folder, "ccc", *turn(1, "elephants"))
    with (folder / "aaa.jsonl").open("ab") as file:
        file.write(
            b'{"v":1,"n":99,"at":1,"type":"turn_started","turn":2,"prompt":"giraffes"'
        )  # not whole yet
    assert ids(search(folder, cache, "elephants")) == ["ccc"]
    assert ids(search(folder, cache, "giraffes")) == []
    with (folder / "aaa.jsonl").open("ab") as file:
        file.write(b',"c":1}\n')
    assert ids(search(folder, cache, "giraffes")) == ["aaa"]
    (folder / "ccc.jsonl").unlink()
    assert ids(search(folder, cache, "elephants")) == []
    (folder / "aaa.jsonl").unlink()
    write(folder, "aaa", *turn(1, "another file of the same name"))
    assert ids(search(folder, cache, "stray")) == []
    assert ids(search(folder, cache, "another file")) == ["aaa"]


def test_what_is_read_again_counts_once(folder: Path, cache: Path) -> None:
    path = folder / "bbb.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"")
    for line in whole.splitlines(keepends=True):  # as it grew, with an update after each record
        with path.open("ab") as file:
            file.write(line)
        update(folder, cache)
    grown = known_sessions(cache)["bbb"].facts
    cache_file(cache).unlink()
    update(folder, cache)
    assert grown == known_sessions(cache)["bbb"].facts
    assert (grown.tokens_in, grown.tokens_out, grown.files) == (
        600,
        60,
        ["src/part1.py", "src/part2.py"],
    )
    assert (grown.title, grown.branch) == ("Network troubles", "topic/x")


def test_a_list_knows_what_stands_in_the_middle_of_a_log(folder: Path, cache: Path) -> None:
    long = "x" * 2_000_000
    write(
        folder,
        "ccc",
        *turn(1, "first"),
        Labelled(of=2, label="here"),
        Titled("Its name", "person"),
        *turn(2, "second", output=long),
        *turn(3, "third", output=long),
    )
    assert recent(folder)[0].title == "first"
    update(folder, cache)
    [one, *_] = recent(folder, None, known_sessions(cache))
    assert (one.id, one.title, one.by, one.labels, one.files, one.tokens) == (
        "ccc",
        "Its name",
        "person",
        1,
        3,
        990,
    )
    with (folder / "ccc.jsonl").open("ab") as file:
        file.write(
            b'{"v":1,"n":50,"at":9999,"type":"turn_started","turn":4,"prompt":"new","c":1}\n'
        )
    [one, *_] = recent(folder, None, known_sessions(cache))
    assert (one.title, one.turns, one.at, one.labels) == ("Its name", 4, 9999.0, 1)


@pytest.mark.parametrize("damage", ["garbage", "empty", "older", "cut", "table"])
def test_a_bad_cache_is_made_again(folder: Path, cache: Path, damage: str) -> None:
    for n in range(30):
        write(folder, f"more{n}", *turn(1, f"elephant number{n}"))
    update(folder, cache)
    path = cache_file(cache)
    with sqlite3.connect(path) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        if damage == "older":
            connection.execute("pragma user_version=0")
        elif damage == "table":
            connection.execute("drop table turn")
    connection.close()
    if damage == "garbage":
        path.write_bytes(os.urandom(50_000))
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:4096])
    found = search(folder, cache, "elephant number7")
    assert ids(found) == ["more7"]
    assert found.note.count("\n") == 0
    again = search(folder, cache, "elephant number7")
    assert (ids(again), again.note) == (["more7"], "")


def test_no_cache_is_said_and_the_logs_are_searched(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        caches, "_SCHEMA", caches._SCHEMA.replace("fts5", "fts99")
    )  # an SQLite without the module
    found = search(folder, cache, "stray")
    assert (
        ids(found) == ["aaa"]
        and "no such module" in found.note
        and "the logs themselves" in found.note
    )


def test_another_program_at_work_on_the_index_is_said(folder: Path, cache: Path) -> None:
    update(folder, cache)
    write(folder, "ccc", *turn(1, "elephants"))
    other = sqlite3.connect(cache_file(cache), isolation_level=None)
    other.execute("begin immediate")
    found = search(folder, cache, "stray")
    assert ids(found) == ["aaa"] and "another program" in found.note
    other.execute("rollback")
    other.close()
    assert ids(search(folder, cache, "elephants")) == ["ccc"]


def test_an_interrupted_update_goes_on(folder: Path, cache: Path) -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        update(folder, cache, check)
    assert ids(search(folder, cache, "bracket")) == ["bbb", "aaa"]


def test_a_turn_longer_than_a_document_is_found_at_both_ends(folder: Path, cache: Path) -> None:
    many = [event for n in range(60) for event in turn(1, f"only{n}", output="z" * 19_000)]
    first, *rest = [event for event in many if not isinstance(event, TurnStarted)]
    write(folder, "ccc", TurnStarted("beginning", turn=1), first, *rest, *turn(2, "ending"))
    assert (
        ids(search(folder, cache, "beginning")) == ids(search(folder, cache, "ending")) == ["ccc"]
    )


def test_the_cache_is_for_its_owner_alone(folder: Path, cache: Path) -> None:
    update(folder, cache)
    assert cache.stat().st_mode & 0o777 == 0o700
    assert cache_file(cache).stat().st_mode & 0o777 == 0o600
