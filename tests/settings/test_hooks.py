"""Commands after an edit in the settings: whose count, what is wrong, and how they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.settings.layers import Loaded, read
from agent_tui.settings.store import Refused, Store
from agent_tui.settings.trust import ThisRun
from agent_tui.settings.values import COMMANDS, parse_typed, words
from tests.places import place_in

OWN = '"*.py" = ["black {file}"]\n"*.go" = "gofmt -w {file}"'


def hooks(place: Path, own: str, project: str = "", trusted: bool = True) -> Loaded:
    config, work = place / "config", place / "work"
    (work / ".agent-tui").mkdir(parents=True)
    config.mkdir()
    (config / "config.toml").write_text(f"[hooks.after_edit]\n{own}\n")
    if project:
        (work / ".agent-tui" / "config.toml").write_text(f"[hooks.after_edit]\n{project}\n")
    found = place_in(work, config)
    return read(found if trusted else type(found)(work, found.folders, this_run=ThisRun()))


def test_one_command_may_stand_alone(tmp_path: Path) -> None:
    found = hooks(tmp_path, OWN)
    assert found.problems == ()
    assert dict(found.settings.hooks.after_edit) == {
        "*.py": ("black {file}",),
        "*.go": ("gofmt -w {file}",),
    }
    assert found.settings.snapshot()["hooks"] == {
        "after_edit": {"*.py": ["black {file}"], "*.go": ["gofmt -w {file}"]}
    }


def test_those_of_a_trusted_project_come_behind_and_win(tmp_path: Path) -> None:
    found = hooks(tmp_path, OWN, '"*.js" = ["eslint {file}"]\n"*.py" = []')
    assert found.problems == ()
    assert list(found.settings.hooks.after_edit.items()) == [
        ("*.py", ()),
        ("*.go", ("gofmt -w {file}",)),
        ("*.js", ("eslint {file}",)),
    ]


def test_a_project_names_none_before_it_is_trusted(tmp_path: Path) -> None:
    found = hooks(tmp_path, OWN, '"*.js" = ["eslint {file}"]', trusted=False)
    assert list(found.settings.hooks.after_edit) == ["*.py", "*.go"]


@pytest.mark.parametrize(
    "wrong", ['"*.py" = 3', '"*.py" = ["a", 3]', '"" = ["a"]', '"*.py" = [""]']
)
def test_what_is_no_command_is_named(tmp_path: Path, wrong: str) -> None:
    found = hooks(tmp_path, wrong)
    [problem] = found.problems
    assert (problem.key, problem.line) == ("hooks.after_edit", 1)
    assert "expected patterns with commands" in problem.text
    assert not found.settings.hooks.after_edit


def test_it_is_typed_as_it_is_shown() -> None:
    given = {"*.py": ("ruff format {file}", 'echo "a\\b"'), "md": ()}
    assert COMMANDS.read(parse_typed(COMMANDS, words(given))) == given
    assert words({}) == "" and words(given).startswith('{ "*.py" = ["ruff format {file}", ')
    with pytest.raises(ValueError):
        parse_typed(COMMANDS, "ruff format {file}")


def test_it_is_written_to_the_persons_file_alone(tmp_path: Path) -> None:
    work, config = tmp_path / "work", tmp_path / "config"
    work.mkdir()
    store = Store(place_in(work, config))
    store.write("hooks.after_edit", {"*.py": ["ruff format {file}"]})
    assert dict(store.read().settings.hooks.after_edit) == {"*.py": ("ruff format {file}",)}
    with pytest.raises(Refused, match="may set model and display only"):
        store.write("hooks.after_edit", {"*.py": ["a"]}, project=True)
