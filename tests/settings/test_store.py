"""Writing a setting changes that setting alone: comments, order and line ends stay, whole or not at
all."""

from __future__ import annotations

import multiprocessing
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.settings.store import Refused, Store, change_text
from tests.places import place_in

FILE = """\
# mine
model = "a/b"   # the good one

[agent]  # limits
max_steps = 12 # a dozen

[providers.ollama]
num_ctx = 1
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    return Store(place_in(tmp_path / "work", tmp_path / "config"))


def test_the_first_setting_makes_the_file_for_the_person_alone(store: Store) -> None:
    store.write("agent.max_steps", 7)
    path = store.path()
    assert path.read_text() == "[agent]\nmax_steps = 7\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]
    found = store.read()
    assert (found.settings.agent.max_steps, found.problems) == (7, ())


@pytest.mark.parametrize(
    ("key", "value", "line", "instead"),
    [
        (("model",), "x/y", 'model = "a/b"   # the good one', 'model = "x/y"   # the good one'),
        (("agent", "max_steps"), 3, "max_steps = 12 # a dozen", "max_steps = 3 # a dozen"),
        (
            ("agent", "timeout"),
            1.5,
            "max_steps = 12 # a dozen",
            "max_steps = 12 # a dozen\ntimeout = 1.5",
        ),
        (("mode",), "plan", "   # the good one", '   # the good one\nmode = "plan"'),
        (("providers", "ollama", "num_ctx"), 5, "num_ctx = 1", "num_ctx = 5"),
        (("agent", "max_steps"), None, "max_steps = 12 # a dozen\n", ""),
        (("keys", "search"), ("f3",), "num_ctx = 1\n", 'num_ctx = 1\n\n[keys]\nsearch = ["f3"]\n'),
    ],
)
def test_all_else_stays_as_it_is(key: tuple[str, ...], value: Any, line: str, instead: str) -> None:
    assert change_text(FILE.encode(), key, value, "f").decode() == FILE.replace(line, instead)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"agent = { max_steps = 3 }\r\n", b"agent = { max_steps = 3, timeout = 9}\r\n"),
        (b"agent.max_steps = 3\n", b"agent.max_steps = 3\nagent.timeout = 9\n"),
        (b"", b"[agent]\ntimeout = 9\n"),
    ],
)
def test_however_the_table_is_written(before: bytes, after: bytes) -> None:
    assert change_text(before, ("agent", "timeout"), 9, "f") == after


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("x = 1\n\n[display]\ndiff = 'auto'\n", ("display", "diff"), "x = 1\n"),
        ("[display]\n# mine\ndiff = 'auto'\n", ("display", "diff"), "[display]\n# mine\n"),
        ("[display] # mine\ndiff = 'auto'\n", ("display", "diff"), "[display] # mine\n"),
        (
            "[display]\ndiff = 'auto'\nascii = true\n",
            ("display", "diff"),
            "[display]\nascii = true\n",
        ),
        ("[providers.x]\napi_key = 'k'\n", ("providers", "x", "api_key"), ""),
        (
            "[providers.x]\napi_key = 'k'\n[providers.y]\n",
            ("providers", "x", "api_key"),
            "[providers.y]\n",
        ),
    ],
)
def test_a_table_that_holds_nothing_any_more_goes_too(
    before: str, key: tuple[str, ...], after: str
) -> None:
    assert change_text(before.encode(), key, None, "f").decode().strip() == after.strip()


def test_what_is_not_there_is_not_removed() -> None:
    assert change_text(FILE.encode(), ("tools", "enabled"), None, "f") == FILE.encode()


@pytest.mark.parametrize("broken", [b"a = [", b"agent = 3\n", b"\xff", b"[[agent]]\nx = 1\n"])
def test_a_broken_file_is_left_alone(store: Store, broken: bytes) -> None:
    store.place.folders.config.mkdir()
    store.path().write_bytes(broken)
    with pytest.raises(Refused, match=r"was not changed|is not a table"):
        store.write("agent.timeout", 3)
    assert store.path().read_bytes() == broken


@pytest.mark.parametrize(
    ("key", "value"),
    [("agent.max_steps", -1), ("mode", "yolo"), ("display.ascii", "x"), ("keys.help", [1])],
)
def test_a_bad_value_is_never_written(store: Store, key: str, value: Any) -> None:
    with pytest.raises(Refused, match="expected"):
        store.write(key, value)
    assert not store.path().exists()


def test_a_value_may_be_as_it_was_read(store: Store) -> None:
    assert store.put("favourites", ("a/b", "c/d")) == ""
    assert store.path().read_text() == 'favourites = ["a/b", "c/d"]\n'
    assert store.put("favourites", ("a b",)) == "favourites: expected a list of models"


def test_a_link_to_the_file_stays_one(store: Store, tmp_path: Path) -> None:
    store.place.folders.config.mkdir()
    real = tmp_path / "dotfiles.toml"
    real.write_text(FILE)
    store.path().symlink_to(real)
    store.write("mode", "plan")
    assert store.path().is_symlink()
    assert tomllib.loads(real.read_text())["mode"] == "plan"


def test_what_cannot_be_written_is_said(store: Store) -> None:
    store.place.folders.config.write_text("a file where the folder should be")
    with pytest.raises(Refused, match="cannot be written"):
        store.write("mode", "plan")


def test_a_project_may_be_given_its_model_and_display_only(store: Store) -> None:
    store.write("display.theme", "light", project=True)
    assert store.path(project=True) == store.place.cwd / ".agent-tui" / "config.toml"
    assert store.read().settings.display.theme == "light"
    for key, value in (
        ("mode", "accept-all"),
        ("keys.help", ["f2"]),
        ("providers.openai.base_url", "http://x"),
    ):
        with pytest.raises(Refused, match="may set model and display only"):
            store.write(key, value, project=True)
    assert not store.path().exists()


@pytest.mark.parametrize("linked", ["config.toml", ""])
def test_a_projects_link_leads_nowhere_else(store: Store, tmp_path: Path, linked: str) -> None:
    """The repository may be anyone's: what it links to is not written."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    folder = store.place.cwd / ".agent-tui"
    if linked:
        folder.mkdir()
        (folder / linked).symlink_to(outside / "new.toml")
    else:
        folder.symlink_to(outside)
    with pytest.raises(Refused, match="outside the project"):
        store.write("display.theme", "light", project=True)
    assert list(outside.iterdir()) == []


def _write_many(cwd: Path, config: Path, key: str) -> None:
    for number in range(1, 21):
        Store(place_in(cwd, config)).write(key, number)


def test_two_programs_at_once_lose_nothing(store: Store) -> None:
    keys = ("agent.max_steps", "tools.command_timeout")
    context = multiprocessing.get_context("spawn")
    where = store.place.cwd, store.place.folders.config
    running = [context.Process(target=_write_many, args=(*where, key)) for key in keys]
    for process in running:
        process.start()
    for process in running:
        process.join()
        assert process.exitcode == 0
    assert tomllib.loads(store.path().read_text()) == {
        "agent": {"max_steps": 20},
        "tools": {"command_timeout": 20},
    }
    assert [file.name for file in store.place.folders.config.iterdir()] == ["config.toml"]


KEYS = st.sampled_from(
    [("model",), ("agent", "timeout"), ("display", "theme"), ("providers", "my.own", "api_key")]
)
VALUES = (
    st.text(max_size=20)
    | st.integers(-5, 5)
    | st.booleans()
    | st.lists(st.text(max_size=3), max_size=2)
)


@given(st.lists(st.tuples(KEYS, st.none() | VALUES), max_size=8))
def test_any_row_of_changes_ends_in_what_was_set_last(
    changes: list[tuple[tuple[str, ...], Any]],
) -> None:
    text, wanted = FILE.encode(), {}
    for key, value in changes:
        text = change_text(text, key, value, "f")
        wanted[key] = value
    for key, value in wanted.items():
        found: Any = tomllib.loads(text.decode())
        for part in key:
            found = found.get(part) if found is not None else None
        assert found == value
    assert text.startswith(b"# mine\n")
