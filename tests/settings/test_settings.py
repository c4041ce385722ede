"""Settings: who wins, what a project may not say, and that a mistake is named by file, line and
key."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.safety import policy
from agent_tui.settings.layers import Flags, Suggestion, read
from agent_tui.settings.schema import Problem
from agent_tui.settings.store import remember
from agent_tui.settings.table import Settings
from agent_tui.structures.vocabulary import MODES
from tests.campaigns import examples
from tests.places import load, place_in


@dataclass
class Place:
    """A config folder, and a project with a folder in it."""

    config: Path
    project: Path
    inner: Path

    @property
    def data(self) -> Path:
        return self.config.parent / "data"

    def user(self, text: str | bytes) -> None:
        (self.config / "config.toml").write_bytes(text.encode() if isinstance(text, str) else text)

    def own(self, text: str, folder: Path | None = None) -> None:
        path = (folder or self.project) / ".agent-tui" / "config.toml"
        path.parent.mkdir()
        path.write_text(text)

    def load(
        self, flags: Flags | None = None, **environment: str
    ) -> tuple[Settings, tuple[Problem, ...]]:
        found = read(place_in(self.inner, self.config, environment, flags, self.data))
        return found.settings, found.problems


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path / "config", tmp_path / "project", tmp_path / "project" / "inner")
    found.config.mkdir()
    found.inner.mkdir(parents=True)
    (found.project / ".git").mkdir()
    return found


EVERYTHING = """
model = "ollama/qwen3:8b"
mode = "manual"

[agent]
max_steps = 12
timeout = 90
parallel_tools = false

[tools]
enabled = ["read_file", "grep_files"]
command_timeout = 2.5
max_output_chars = 4000

[display]
theme = "light"

[providers.ollama]
base_url = "http://box:11434/"
api_key = "secret"
num_ctx = 8192
keep_alive = "5m"

[providers.ollama.options]
temperature = 0.1
"""


def test_nothing_anywhere_gives_the_defaults(place: Place) -> None:
    assert place.load() == (Settings(), ())


def test_every_key_is_read(place: Place) -> None:
    place.user(EVERYTHING)
    found, problems = place.load()
    assert problems == ()
    assert (found.model, found.mode) == ("ollama/qwen3:8b", "manual")
    assert (found.agent.max_steps, found.agent.timeout, found.agent.parallel_tools) == (
        12,
        90.0,
        False,
    )
    assert found.tools.enabled == ("read_file", "grep_files")
    assert (found.tools.command_timeout, found.tools.max_output_chars) == (2.5, 4000)
    assert found.display.theme == "light"
    ollama = found.providers["ollama"]
    assert (ollama.base_url, ollama.api_key, ollama.num_ctx) == ("http://box:11434", "secret", 8192)
    assert ollama.options == {"keep_alive": "5m", "temperature": 0.1}


def test_keys_show_up_in_no_repr_and_no_snapshot(place: Place) -> None:
    place.user(EVERYTHING)
    found, _ = place.load()
    assert "secret" not in repr(found)
    assert json.loads(json.dumps(found.snapshot())) == found.snapshot()
    assert "secret" not in str(found.snapshot())
    assert found.snapshot()["agent"] == {
        "max_steps": 12,
        "timeout": 90.0,
        "wait": 0.0,
        "tool_dispatcher": "auto",
        "parallel_tools": False,
        "memory": "recall",
        "embedding_model": "",
        "compact": True,
        "continues": 3,
        "map_tokens": 0,
        "edit_format": "auto",
        "effort": "",
        "max_cost": 0.0,
        "max_tokens": 0,
    }


def test_the_later_source_wins(place: Place) -> None:
    place.user(
        'model = "a/user"\nmode = "plan"\n[agent]\nmax_steps = 5\ntimeout = 6\n[display]\ntheme = "dark"'
    )
    assert place.load()[0].model == "a/user"
    place.own('model = "a/project"\n[display]\ntheme = "light"')
    assert place.load()[0].model == "a/user"  # a project only suggests
    remember(place.data, Suggestion("a/project", str(place.project)), True)
    assert place.load()[0].model == "a/project"
    assert place.load(AGENT_TUI_MODEL="a/variable")[0].model == "a/variable"
    flags = Flags(model="a/flag", mode="auto", max_steps=7, timeout=0.0)
    found, problems = place.load(flags, AGENT_TUI_MODEL="a/variable", AGENT_TUI_MODE="manual")
    assert problems == ()
    assert (found.model, found.mode, found.agent.max_steps, found.agent.timeout) == (
        "a/flag",
        "auto",
        7,
        0.0,
    )
    assert found.display.theme == "light"


@pytest.mark.parametrize(("value", "theme"), [("1", "no-colour"), ("", "light")])
def test_no_color(place: Place, value: str, theme: str) -> None:
    place.user('[display]\ntheme = "light"')
    assert place.load(NO_COLOR=value)[0].display.theme == theme


def test_the_nearest_project_file_counts_and_none_above_the_git_root(place: Place) -> None:
    place.own('[display]\ntheme = "no-colour"', place.project.parent)
    assert place.load()[0].display.theme == "auto"
    place.own('[display]\ntheme = "light"\ndiff = "split"')
    assert place.load()[0].display.theme == "light"
    place.own('[display]\ntheme = "ansi"', place.inner)
    found, _ = place.load()
    assert (found.display.diff, found.display.theme) == ("auto", "ansi")


def test_no_project_file_above_the_folder_counts_where_the_project_belongs_to_somebody_else(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.own('[display]\ntheme = "light"')
    if os.getuid():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    else:
        os.chown(place.project / ".git", 65_534, -1)
    assert place.load()[0].display.theme == "auto"


def test_without_git_only_the_folder_itself(place: Place) -> None:
    (place.project / ".git").rmdir()
    place.own('[display]\ntheme = "light"')
    assert place.load()[0].display.theme == "auto"


def test_a_project_may_set_its_model_and_display_only(place: Place) -> None:
    place.own(
        'model = "a/b"\nmode = "accept-all"\n[display]\ntheme = "light"\n[tools]\ncommand_timeout = 9\n'
        '[providers.openai]\nbase_url = "http://evil"\n[agent]\nmax_steps = 9\n'
    )
    found, problems = place.load()
    assert (found.model, found.display.theme) == ("", "light")
    assert (found.mode, found.providers, found.agent, found.tools) == (
        "auto",
        {},
        Settings().agent,
        Settings().tools,
    )
    named = [(problem.line, problem.key) for problem in problems]
    assert named == [(2, "mode"), (5, "tools"), (7, "providers"), (9, "agent")]
    assert all("not allowed in a project's file" in problem.text for problem in problems)
    assert all(
        problem.file == str(place.project / ".agent-tui" / "config.toml") for problem in problems
    )


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        (
            'mode = "yolo"',
            1,
            "mode",
            "expected one of manual, auto, accept-edits, accept-all, plan",
        ),
        ("\n\nmode = 3", 3, "mode", "the value 3 is not used"),
        ('model = "a b"', 1, "model", 'expected "<provider>/<model>"'),
        ('model = "/x"', 1, "model", "expected"),
        ('modle = "a/b"', 1, "modle", "did you mean model?"),
        ("[agnet]\nmax_steps = 3", 1, "agnet", "did you mean agent?"),
        (
            "zzz = 1",
            1,
            "zzz",
            "there are: model, mode, fallback, small_model, favourites, agent, tools, permissions, sandbox, hooks, "
            "display, notify, sessions, prompt, telemetry, providers, keys",
        ),
        ("agent = 3", 1, "agent", "expected a table [agent]"),
        ("[agent]\nmax_step = 3", 2, "agent.max_step", "did you mean max_steps?"),
        (
            "[agent]\n# max_steps = 1\nmax_steps = true",
            3,
            "agent.max_steps",
            "a whole number from 0 to 10,000",
        ),
        ("[agent]\nmax_steps = -1", 2, "agent.max_steps", "the value -1"),
        ("[agent]\nmax_steps = 1.5", 2, "agent.max_steps", "the value 1.5"),
        ("[agent]\ntimeout = -1", 2, "agent.timeout", "(0: no limit)"),
        ("[agent]\ntimeout = nan", 2, "agent.timeout", "the value nan"),
        ('[agent]\nparallel_tools = "yes"', 2, "agent.parallel_tools", "true or false"),
        ('[tools]\nenabled = "read_file"', 2, "tools.enabled", "a list of tool names"),
        ("[tools]\nenabled = [1]", 2, "tools.enabled", "a list of tool names"),
        ("[tools]\ncommand_timeout = 0", 2, "tools.command_timeout", "seconds, from 1"),
        ("[tools]\nmax_output_chars = 10", 2, "tools.max_output_chars", "from 500"),
        ('[display]\ntheme = ""', 2, "display.theme", "the name of a theme"),
        ('[display]\n\ndiff = "wide"', 3, "display.diff", "one of auto, unified, split"),
        ("[display]\nthinking = true", 2, "display.thinking", "one of hidden, folded, live"),
        ('[display]\ntimestamps = "on"', 2, "display.timestamps", "true or false"),
        ('[prompt]\nvim = "yes"', 2, "prompt.vim", "true or false"),
        ("[prompt]\npaste_lines = -1", 2, "prompt.paste_lines", "from 0 to 100,000"),
        ("[display]\ndurations = 1", 2, "display.durations", "true or false"),
        ("tools.max_output_chars = 1", 1, "tools.max_output_chars", "from 500"),
        ("agent = { max_steps = -1 }", 1, "agent.max_steps", "the value -1"),
        (
            '[ providers . "my own" ]\n"base_url" = "ftp://x"',
            2,
            "providers.my own.base_url",
            "an address",
        ),
        ("[providers]\nollama = 3", 2, "providers.ollama", "expected a table [providers.ollama]"),
        (
            '[display]\ntheme = """\nmode = 1\n"""\n[agent]\nmax_steps = -1',
            6,
            "agent.max_steps",
            "the value -1",
        ),
    ],
)
def test_a_wrong_setting_is_named_and_the_rest_is_used(
    place: Place, text: str, line: int, key: str, says: str
) -> None:
    place.user(text + "\n[providers.kept]\nnum_ctx = 4096\n")
    found, problems = place.load()
    assert [(problem.line, problem.key) for problem in problems] == [(line, key)]
    assert says in problems[0].text
    assert str(problems[0]).startswith(f"{place.config / 'config.toml'}:{line}: {key}: ")
    assert found.providers["kept"].num_ctx == 4096 or key.startswith("providers")


def test_a_wrong_key_for_a_provider_is_not_repeated(place: Place) -> None:
    place.user("[providers.openai]\napi_key = [7777777]")
    _, problems = place.load()
    assert "7777777" not in str(problems)
    assert problems[0].key == "providers.openai.api_key"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'model = "a/b"\nmode = = 3\n', 2),
        (b'model = "a/b"\n[agent\nmax_steps = 3\n', 2),
        (b"model = \"a/b\"\n\nmode = '''never closed\n", 3),
        (b'model = "a/b"\nmodel = "a/c"\n', 2),
        (b'model = "a/b"\r\nmode = \r\n', 2),
        (b'\n\n\nmodel = "\xff"', 4),
    ],
)
def test_invalid_toml_names_the_line_and_nothing_of_the_file_is_used(
    place: Place, content: bytes, line: int
) -> None:
    place.user(content)
    found, problems = place.load()
    assert found == Settings()
    assert [problem.line for problem in problems] == [line]
    assert "the whole file is not used" in problems[0].text


@pytest.mark.parametrize(
    "content",
    [
        b"a = " + b"9" * 5_000,
        b"[agent]\nmax_steps = 0x" + b"f" * 9_000,
        b"a." * 400_000 + b"a = 1",
        b"a = " + b"[" * 9_000,
    ],
    ids=["decimal", "hexadecimal", "dots", "brackets"],
)
def test_a_file_made_to_harm_is_not_used(place: Place, content: bytes) -> None:
    place.user(content)
    found, problems = place.load()
    assert found == Settings()
    assert len(problems) == 1 and "the whole file is not used" in problems[0].text


def test_a_file_with_bom_and_crlf_is_read(place: Place) -> None:
    place.user(b'\xef\xbb\xbfmodel = "a/b"\r\n[agent]\r\nmax_steps = -1\r\n')
    found, problems = place.load()
    assert found.model == "a/b"
    assert [problem.line for problem in problems] == [3]


def test_a_folder_in_the_place_of_the_file(place: Place) -> None:
    (place.config / "config.toml").mkdir()
    found, problems = place.load()
    assert found == Settings()
    assert str(problems[0]) == f"{place.config / 'config.toml'}: is not a file: not used"


def test_links_in_a_circle_and_folders_under_files_are_no_settings(place: Place) -> None:
    (place.config / "config.toml").symlink_to(place.config / "config.toml")
    (place.inner / ".agent-tui").write_text("a file")
    assert place.load()[0] == Settings()


def test_wrong_variables_and_flags_are_named_too(place: Place) -> None:
    found, problems = place.load(
        Flags(model="a b", max_steps=-1), AGENT_TUI_MODE="yolo", AGENT_TUI_MODEL=""
    )
    assert found == Settings()
    assert [(problem.file, problem.key) for problem in problems] == [
        ("environment", "AGENT_TUI_MODE"),
        ("command line", "--model"),
        ("command line", "--max-steps"),
    ]
    assert str(problems[0]).startswith("environment: AGENT_TUI_MODE: the value 'yolo' is not used")


def test_in_the_home_folder_the_persons_file_is_no_projects_file(place: Place) -> None:
    own = place.inner / ".agent-tui"
    own.mkdir()
    (own / "config.toml").write_text('mode = "plan"')
    found, problems = load(place.inner, own)
    assert (found.mode, problems) == ("plan", ())


inner_names = st.sampled_from(["base_url", "x", "theme"])
values = st.recursive(
    st.booleans() | st.integers(-5, 10**6) | st.sampled_from(["x", "a/b", "", "http://x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(inner_names, inner, max_size=2),
    max_leaves=4,
)
names = st.sampled_from(
    ["model", "mode", "agent", "tools", "display", "providers", "max_steps", "theme", "odd key"]
)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(inner)}' for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@settings(deadline=None, max_examples=examples(80))
@given(st.dictionaries(names, values | st.dictionaries(names, values, max_size=3), max_size=4))
def test_no_file_is_too_strange(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]
) -> None:
    config = tmp_path_factory.mktemp("config")
    (config / "config.toml").write_text(
        "".join(f'"{key}" = {toml(value)}\n' for key, value in data.items())
    )
    found, problems = load(config, config)
    assert isinstance(found, Settings)
    assert all(1 <= problem.line <= len(data) for problem in problems)


def test_the_modes_are_those_of_the_policy() -> None:
    assert MODES == policy.MODES
