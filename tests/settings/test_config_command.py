"""`agent-tui config` as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agent_tui.boot.terminal import wants_screen
from tests.places import trust_project

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    return tmp_path


def config(home: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, output, errors."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "agent_tui", "config", *arguments],
        cwd=home / "work",
        text=True,
        capture_output=True,
        env=kept | {"AGENT_TUI_HOME": str(home / "home"), "PYTHONPATH": str(ROOT)} | environment,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_it_needs_no_screen() -> None:
    assert not wants_screen(["config", "show"])
    assert wants_screen(["configure this"])


def test_set_get_unset_and_show(home: Path) -> None:
    file = home / "home" / "config.toml"
    assert config(home, "set", "agent.max_steps", "7") == (0, "agent.max_steps = 7\n", "")
    assert config(home, "get", "agent.max_steps") == (0, "7\n", "")
    assert config(home, "set", "keys.search", "f21,f22") == (
        0,
        'keys.search = ["f21", "f22"]\n',
        "",
    )
    assert config(home, "get", "keys.search") == (0, '["f21", "f22"]\n', "")
    assert config(home, "get", "keys.mouse") == (0, '["f9"]\n', "")
    assert tomllib.loads(file.read_text()) == {
        "agent": {"max_steps": 7},
        "keys": {"search": ["f21", "f22"]},
    }
    code, shown, said = config(home, "show")
    assert config(home) == (code, shown, said), "without an action it shows"
    found = tomllib.loads(shown)
    assert (code, said) == (0, "")
    assert (found["agent"]["max_steps"], found["mode"], found["keys"]) == (
        7,
        "auto",
        {"search": ["f21", "f22"]},
    )
    assert config(home, "unset", "agent.max_steps") == (0, "agent.max_steps = 0\n", "")
    assert config(home, "get", "agent.max_steps") == (0, "0\n", "")


def test_show_names_the_source_of_every_value(home: Path) -> None:
    own = home / "work" / ".agent-tui" / "config.toml"
    own.parent.mkdir()
    own.write_text('\ndisplay.diff = "split"\nmode = "accept-all"\n')
    trust_project(home / "work", home / "home")
    config(home, "set", "agent.timeout", "9")
    config(home, "set", "providers.my-box.base_url", "http://localhost:9")
    code, shown, said = config(home, "show", "--sources", AGENT_TUI_MODEL="a/b")
    assert code == 0 and tomllib.loads(shown)
    sources = {line.split(" = ")[0]: line.rpartition("  # ")[2] for line in shown.splitlines()}
    assert sources["model"] == "environment AGENT_TUI_MODEL"
    assert sources["agent.timeout"] == f"user {home / 'home' / 'config.toml'}:2"
    assert sources["display.diff"] == f"project {own}:2"
    assert sources["mode"] == "default"
    assert sources["providers.my-box.base_url"].startswith("user ")
    only = "only display, hooks, model and permissions are: not used"
    assert said == f"{own}:3: mode: is not allowed in a project's file, {only}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["set", "agent.max_stps", "3"],
            "agent.max_stps: is not a setting; did you mean agent.max_steps?",
        ),
        (
            ["set", "agent.max_steps", "20000"],
            "the value '20000' is not used: expected a whole number from 0 to 10,000",
        ),
        (["set", "mode", "yolo"], "expected one of manual, auto"),
        (["set", "keys.serach", "f22"], "did you mean keys.search?"),
        (["set", "keys.search", "x"], "X is needed for typing"),
        (["set", "keys.search", "ctrl+fx"], "is not a key"),
        (["get", "nothing"], "is not a setting"),
        (["unset", "nothing"], "is not a setting"),
        (["set", "mode"], "required: VALUE"),
        (["paint"], "invalid choice"),
        (["show", "--cwd", "nowhere"], "--cwd nowhere: No such file or directory"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    home: Path, arguments: list[str], says: str
) -> None:
    code, shown, said = config(home, *arguments)
    assert (code, shown) == (2, "")
    assert says in said
    assert not (home / "home").exists()


def test_a_broken_file_is_left_as_it_is(home: Path) -> None:
    file = home / "home" / "config.toml"
    file.parent.mkdir()
    file.write_text("mode = \n")
    code, _, said = config(home, "set", "mode", "plan")
    assert code == 1 and "is not valid TOML, so it was not changed" in said
    assert file.read_text() == "mode = \n"
    assert config(home, "get", "mode")[:2] == (0, "auto\n")
    assert f"{file}:1: is not valid TOML" in config(home, "show")[2]


def test_the_projects_file(home: Path) -> None:
    own = home / "work" / ".agent-tui" / "config.toml"
    assert config(home, "path") == (0, f"{home / 'home' / 'config.toml'}\n{own}\n", "")
    assert config(home, "set", "--project", "display.theme", "light") == (
        0,
        'display.theme = "light"\n',
        "",
    )
    assert own.read_text() == '[display]\ntheme = "light"\n'
    for key, value in (
        ("mode", "accept-all"),
        ("tools.enabled", "x"),
        ("providers.openai.base_url", "http://evil"),
    ):
        code, _, said = config(home, "set", "--project", key, value)
        assert code == 1 and "a project's file may set model and display only" in said
    said = config(home, "set", "display.theme", "dark")[2]
    assert said == f"agent-tui: display.theme: saved, but project {own}:2 overrides it\n"


def test_a_key_for_a_server_is_not_printed(home: Path) -> None:
    config(home, "set", "providers.openai.api_key", "sk-secret")
    for arguments in (["show", "--sources"], ["get", "providers.openai.api_key"]):
        code, shown, said = config(home, *arguments, OPENAI_BASE_URL="http://box/v1")
        assert code == 0 and "sk-secret" not in shown + said
    assert (
        'providers.openai.base_url = "http://box/v1"'
        in config(home, "show", OPENAI_BASE_URL="http://box/v1")[1]
    )


def test_of_two_commands_on_one_key_the_first_has_it(home: Path) -> None:
    config(home, "set", "keys.search", "f22")
    code, _, said = config(home, "set", "keys.mouse", "f22")
    assert code == 0
    assert (
        said
        == f"{home / 'home' / 'config.toml'}:3: keys.mouse: F22 is already the key of search: not used\n"
    )
