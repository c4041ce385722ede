"""The model that a project names is a suggestion: the person is asked once for each project and
value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.settings.layers import ANSWERS, Flags, Loaded, Suggestion, read
from agent_tui.settings.store import Refused, Store, remember
from tests.places import place_in


def suggest(place: Path, model: str, project: str = "work") -> None:
    path = place / project / ".agent-tui" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'# ours\nmodel = "{model}"\n')


def found(
    place: Path, project: str = "work", flags: Flags | None = None, **environment: str
) -> Loaded:
    (place / "config").mkdir(exist_ok=True)
    (place / "config" / "config.toml").write_text('model = "ollama/mine"\n')
    return read(place_in(place / project, place / "config", environment, flags, place / "data"))


def test_it_is_asked_about_and_not_used(tmp_path: Path) -> None:
    suggest(tmp_path, "openai/dear")
    loaded = found(tmp_path)
    where = f"{tmp_path / 'work' / '.agent-tui' / 'config.toml'}:2"
    assert loaded.suggestion == Suggestion("openai/dear", str(tmp_path / "work"), where)
    assert loaded.settings.model == "ollama/mine" and loaded.values["model"].layer == "user"


@pytest.mark.parametrize(("agreed", "model"), [(True, "openai/dear"), (False, "ollama/mine")])
def test_the_answer_holds_for_this_project_and_this_value(
    tmp_path: Path, agreed: bool, model: str
) -> None:
    suggest(tmp_path, "openai/dear")
    first = found(tmp_path).suggestion
    assert first is not None
    remember(tmp_path / "data", first, agreed)
    assert (found(tmp_path).settings.model, found(tmp_path).suggestion) == (model, None)
    assert (tmp_path / "data" / ANSWERS).stat().st_mode & 0o077 == 0
    suggest(tmp_path, "openai/another")
    changed = found(tmp_path)
    assert changed.settings.model == "ollama/mine" and changed.suggestion is not None
    suggest(tmp_path, "openai/dear", "elsewhere")
    other = found(tmp_path, "elsewhere")
    assert other.settings.model == "ollama/mine" and other.suggestion is not None
    suggest(tmp_path, "openai/dear")
    assert found(tmp_path).settings.model == model


def test_a_link_to_a_project_is_that_project(tmp_path: Path) -> None:
    suggest(tmp_path, "openai/dear")
    (tmp_path / "link").symlink_to(tmp_path / "work")
    suggestion = found(tmp_path, "link").suggestion
    assert suggestion is not None and suggestion.project == str(tmp_path / "work")


def test_the_name_of_a_folder_may_be_any_bytes(tmp_path: Path) -> None:
    name = os.fsdecode(b"w\xe4\"'.]\n[x")
    suggest(tmp_path, "openai/dear", name)
    suggestion = found(tmp_path, name).suggestion
    assert suggestion is not None
    remember(tmp_path / "data", suggestion, True)
    assert found(tmp_path, name).settings.model == "openai/dear"


@pytest.mark.parametrize(
    "model",
    [
        "scripted/evil.json",
        "Scripted/evil.json",
        "SCRIPTED/x",
        "demo/tour",
        "demo",
        "openai/http://evil/v1",
    ],
)
def test_what_no_project_may_choose_is_named_and_never_used(tmp_path: Path, model: str) -> None:
    suggest(tmp_path, model)
    remember(tmp_path / "data", Suggestion(model, str(tmp_path / "work")), True)
    loaded = found(tmp_path)
    assert loaded.settings.model == "ollama/mine" and loaded.suggestion is None
    [problem] = loaded.problems
    assert (
        "a project may not" in problem.text
        and problem.line == 2
        and problem.file.endswith("config.toml")
    )
    store = Store(place_in(tmp_path / "work", tmp_path / "config", data=tmp_path / "data"))
    with pytest.raises(Refused, match="a project may not"):
        store.write("model", model, project=True)


@pytest.mark.parametrize("content", [b"\xff", b"[", b"", b'["/"]\n"openai/dear" = 1\n'])
def test_answers_that_cannot_be_read_were_not_given(tmp_path: Path, content: bytes) -> None:
    suggest(tmp_path, "openai/dear")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / ANSWERS).write_bytes(content)
    loaded = found(tmp_path)
    assert loaded.settings.model == "ollama/mine" and loaded.suggestion is not None


def test_nobody_is_asked_where_it_makes_no_difference(tmp_path: Path) -> None:
    suggest(tmp_path, "openai/dear")
    assert found(tmp_path, flags=Flags(model="ollama/now")).suggestion is None
    assert found(tmp_path, AGENT_TUI_MODEL="ollama/now").suggestion is None
    suggest(tmp_path, "ollama/mine")
    assert found(tmp_path).suggestion is None


def test_whoever_writes_it_has_agreed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    store = Store(place_in(tmp_path / "work", tmp_path / "config", data=tmp_path / "data"))
    store.write("model", "openai/dear", project=True)
    loaded = store.read()
    assert loaded.settings.model == "openai/dear" and loaded.values["model"].layer == "project"
