"""Every value knows where it comes from, and what a person types becomes a value or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.settings.layers import Flags, Loaded, read
from agent_tui.settings.schema import PROVIDER, entries, entry, sections, top_rows
from agent_tui.settings.table import Settings
from agent_tui.settings.values import KEYS, Kind, parse_typed, words
from tests.places import place_in


def load(
    place: Path, user: str = "", project: str = "", flags: Flags | None = None, **environment: str
) -> Loaded:
    for folder, text in ((place / "config", user), (place / "work" / ".agent-tui", project)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(text)
    return read(place_in(place / "work", place / "config", environment, flags))


def test_every_value_has_a_source(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        'model = "a/user"\n[agent]\nmax_steps = 3\ntimeout = 9\n[providers.demo]\npace = 2',
        '[display]\ndiff = "split"',
        Flags(model="a/flag", max_steps=5),
        AGENT_TUI_MODE="plan",
        OLLAMA_HOST="box",
    )
    sources = {key: (one.value, one.source) for key, one in found.values.items()}
    assert sources["model"] == ("a/flag", "flag --model")
    assert sources["mode"] == ("plan", "environment AGENT_TUI_MODE")
    assert sources["agent.max_steps"] == (5, "flag --max-steps")
    assert sources["agent.timeout"] == (9.0, "user")
    assert sources["display.diff"] == ("split", "project")
    assert sources["display.theme"] == ("auto", "default")
    assert sources["providers.demo.pace"] == (2.0, "user")
    assert sources["providers.ollama.base_url"] == ("box", "environment OLLAMA_HOST")


@pytest.mark.parametrize(
    "name", ["", "a b", "a\nb", "a\x1b[31m", "a\u202eb", "/a", "a/", "x" * 301]
)
def test_what_is_no_name_of_a_model_is_refused(tmp_path: Path, name: str) -> None:
    """One of ten thousand characters would stand in every line that tells of it, and a control
    character would act."""
    for good in ("a/" + "x" * 298, "scripted/한글\U0001f469\u200d\U0001f4bb.json"):
        assert load(tmp_path, flags=Flags(model=good)).settings.model == good
    found = load(tmp_path, AGENT_TUI_MODEL=name)
    assert (found.settings.model, bool(found.problems)) == ("", bool(name))


def test_the_values_are_those_of_the_settings(tmp_path: Path) -> None:
    found = load(tmp_path, '[display]\nascii = true\n[keys]\nsearch = "f4"\nmouse = []')
    assert found.values["display.ascii"].value is found.settings.display.ascii is True
    assert found.settings.keys == {"search": ("f4",), "mouse": ()}
    assert found.values["keys.search"].value == ("f4",)


def test_a_problem_is_said_where_the_value_is_set(tmp_path: Path) -> None:
    found = load(tmp_path, 'mode = "plan"\n[keys]\n# mine\nserach = "f4"', AGENT_TUI_MODEL="a/b")
    assert str(found.problem("keys.serach", "no such command")) == (
        f"{tmp_path / 'config' / 'config.toml'}:4: keys.serach: no such command"
    )
    assert str(found.problem("model", "gone")) == "environment AGENT_TUI_MODEL: model: gone"


def test_keys_of_a_wrong_kind_and_in_a_project_are_named(tmp_path: Path) -> None:
    found = load(tmp_path, "[keys]\nsearch = 3\nhelp = 'f2'", "[keys]\nhelp = 'ctrl+c'")
    assert found.settings.keys == {"help": ("f2",)}
    assert [(problem.line, problem.key) for problem in found.problems] == [
        (2, "keys.search"),
        (1, "keys"),
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[providers.demo]\npace = 101", "pace"),
        ('[providers.openai]\nwindow = "x"', "window"),
        ("[providers.ollama]\nthink = 3", "think"),
        ("[providers.compatible.options]\nidle_timeout = -1", "idle_timeout"),
    ],
)
def test_what_one_provider_understands_is_checked_too(tmp_path: Path, text: str, key: str) -> None:
    found = load(tmp_path, text)
    assert [problem.key.rpartition(".")[2] for problem in found.problems] == [key]
    assert not any(provider.options for provider in found.settings.providers.values())


def test_the_table_has_every_setting_with_the_default_that_holds() -> None:
    listed = {one.key: one for one in entries()}
    known = Settings()
    for key in top_rows():
        assert listed[key].default == getattr(known, key)
    for name, kinds in sections().items():
        for key in kinds:
            assert listed[f"{name}.{key}"].default == getattr(getattr(known, name), key)
    assert all(one.about.endswith(".") for one in entries())
    for one in entries():
        held = list(one.default) if isinstance(one.default, tuple) else one.default
        assert one.default in ("", ()) or one.kind.read(held) == one.default
    found = entry("providers.my.own.base_url")
    assert found is not None and found.kind is PROVIDER["base_url"].kind
    assert entry("providers.base_url") is entry("nothing") is None


def kind(key: str) -> Kind:
    found = entry(key)
    assert found is not None
    return found.kind


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kind("agent.max_steps"), " 1,000 ", 1000),
        (kind("agent.timeout"), "1.5", 1.5),
        (kind("display.animation"), "false", False),
        (kind("display.ascii"), "auto", "auto"),
        (kind("display.ascii"), "true", True),
        (kind("mode"), "plan", "plan"),
        (kind("tools.enabled"), '["read_file", glob_files]', ["read_file", "glob_files"]),
        (kind("tools.enabled"), "", []),
        (kind("providers.ollama.think"), "low", "low"),
        (KEYS, "ctrl+f, f3", ["ctrl+f", "f3"]),
        (kind("model"), "a/true", "a/true"),
    ],
)
def test_what_is_typed_is_a_value(kind: Kind, text: str, value: Any) -> None:
    assert parse_typed(kind, text) == value
    assert parse_typed(kind, words(parse_typed(kind, text))) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("agent.max_steps", "-1"),
        ("agent.max_steps", "ten"),
        ("agent.max_steps", ""),
        ("agent.max_steps", "1.5"),
        ("agent.timeout", "nan"),
        ("agent.timeout", "9" * 400),
        ("display.animation", "yes"),
        ("mode", "yolo"),
        ("model", "a b"),
        ("providers.openai.base_url", "box"),
        ("display.theme", " "),
    ],
)
def test_what_is_typed_wrong_is_refused(key: str, text: str) -> None:
    with pytest.raises(ValueError):
        parse_typed(kind(key), text)
