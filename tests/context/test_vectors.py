"""The cache of vectors, and how near two texts are: the same by sqlite-vec and by Python."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from array import array
from pathlib import Path

import pytest
import sqlite_vec

from agent_tui.context import vectors
from agent_tui.context.vectors import Passage, Vector, Vectors, cosine

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ("/m",)


def unit(*values: float) -> Vector:
    return array("f", (value / math.hypot(*values) for value in values))


def passage(name: str, folder: str = "/m") -> Passage:
    return Passage(Path(folder, f"{name}.md"), f"text of {name}")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


def test_the_same_text_has_a_score_of_one_and_an_ordinary_one_of_zero(cache: Path) -> None:
    """Whatever the model takes for near: here all its texts are."""
    store, floor = Vectors(cache, "a/m"), [unit(10, 1, 0), unit(10, -1, 0)]
    asked, half = unit(10, 0, 4), unit(10, 0, 1.2)
    same, plain = passage("same"), passage("plain")
    store.keep([(same, asked), (plain, unit(10, 0, 0.05)), (passage("half"), half)])
    found = store.nearest(asked, floor, FOLDERS, -1.0)
    assert cosine(asked, unit(10, 0, 0.05)) > 0.9, "a cosine alone says nothing"
    assert found[same.hash] == 1.0 and abs(found[plain.hash]) < 0.2
    assert 0.4 < found[passage("half").hash] < 0.8
    assert store.nearest(asked, floor, FOLDERS, 0.9) == {same.hash: 1.0}


def test_the_path_of_a_folder_need_not_be_utf_8(cache: Path) -> None:
    store, x, odd = Vectors(cache, "a/m"), unit(1, 0), passage("odd", "/m\udcff")
    store.keep([(odd, x)])
    assert store.lacking({odd.hash: odd}, ("/m\udcff", "/m")) == []
    assert store.nearest(x, [unit(0, 1)], ("/m\udcff",), 0.4) == {odd.hash: 1.0}


def test_only_vectors_of_the_model_the_folders_and_the_facts_are_compared(cache: Path) -> None:
    store, other = Vectors(cache, "a/m"), Vectors(cache, "a/other")
    mine, theirs = passage("mine"), passage("theirs", "/elsewhere")
    x, floor = unit(1, 0), [unit(0, 1)]
    store.keep([(mine, x), (theirs, x), (passage("short"), array("f", [1.0]))])
    other.keep([(passage("others"), x)])
    assert store.nearest(x, floor, FOLDERS, 0.4) == {mine.hash: 1.0}
    assert store.lacking({mine.hash: mine, passage("new").hash: passage("new")}, FOLDERS) == [
        passage("new").hash
    ]
    assert other.nearest(x, floor, FOLDERS, 0.4) == {}, "what is gone is gone for every model"
    assert store.nearest(x, floor, ("/elsewhere",), 0.4) == {theirs.hash: 1.0}


def test_what_another_model_of_the_name_made_goes(cache: Path) -> None:
    store, mine = Vectors(cache, "a/m"), passage("mine")
    assert store.is_same(unit(1, 0.1)), "nothing was there"
    store.keep([(mine, unit(1, 0))])
    assert store.is_same(unit(1, 0.11)) and store.lacking({mine.hash: mine}, FOLDERS) == []
    assert not store.is_same(unit(1, 1)) and store.lacking({mine.hash: mine}, FOLDERS)
    assert store.is_same(unit(1, 1)) and not store.is_same(unit(1, 1, 1))


def test_the_cache_is_made_again_where_it_is_gone_damaged_or_of_another_version(
    cache: Path,
) -> None:
    store, mine = Vectors(cache, "a/m"), passage("mine")
    assert store.lacking({}, FOLDERS) == [] and not cache.exists(), "for nothing there is no file"
    for damage in ("", "gone", "damaged", "version"):
        if damage:
            assert cache.stat().st_mode & 0o077 == 0, "for the person alone"
            cache.unlink()
        if damage == "damaged":
            cache.write_bytes(b"no database" * 1_000)
        if damage == "version":
            with sqlite3.connect(cache) as connection:
                connection.executescript("create table vector(x); pragma user_version = 99;")
        assert store.lacking({mine.hash: mine}, FOLDERS) == [mine.hash], damage
        store.keep([(mine, unit(1, 0))])
        assert store.nearest(unit(1, 0), [unit(0, 1)], FOLDERS, 0.4) == {mine.hash: 1.0}


COMPARE = """
import json, sqlite3, sys
from array import array
from agent_tui.context import vectors
if sys.argv[2] == "Python":
    vectors.has_extension = lambda: False
assert vectors.load_extension(sqlite3.connect(":memory:")) is (sys.argv[2] != "Python")
asked, floor = json.load(sys.stdin)
store = vectors.Vectors(vectors.Path(sys.argv[1]), "a/m")
print(json.dumps(store.nearest(array("f", asked), [array("f", floor)], ("/m",), -1.0)))
"""


def with_extensions() -> str | None:
    """A Python of this machine whose SQLite loads extensions: many do not."""
    asked = "import sqlite3; sqlite3.Connection.enable_load_extension"
    for program in (sys.executable, "/usr/bin/python3"):
        if not subprocess.run([program, "-c", asked], capture_output=True, check=False).returncode:
            return program
    return None


def test_sqlite_vec_and_python_say_the_same(cache: Path) -> None:
    store = Vectors(cache, "a/m")
    made = [(passage(str(n)), unit(1, n % 7, n % 11, n % 3)) for n in range(200)]
    store.keep(made)
    asked, floor = unit(1, 3, 5, 2), unit(1, 0, 0, 0)
    plain = store.nearest(asked, [floor], FOLDERS, -1.0)
    program = with_extensions()
    kinds = ("Python", "sqlite-vec") if program else ("Python",)
    package = Path(sqlite_vec.__file__).parents[1]
    for kind in kinds:
        done = subprocess.run(
            [program or sys.executable, "-c", COMPARE, str(cache), kind],
            input=json.dumps([asked.tolist(), floor.tolist()]),
            env={"PYTHONPATH": f"{REPOSITORY}:{package}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert len(found) == 200 and found.keys() == plain.keys()
        assert all(abs(found[hash] - score) <= 0.002 for hash, score in plain.items())


def test_a_python_without_extensions_says_that_it_has_none() -> None:
    able = hasattr(sqlite3.Connection, "enable_load_extension")
    assert vectors.has_extension() is able
