"""`agent-tui setup` on a real terminal, with a real server: a key is tried before it is kept."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.test_cli_auth import environment
from tests.test_cli_doctor import KEY, listing
from tests.tui.pty_stage import Pty

WRONG = "sk-wrong-key-0123456789"


def begun(home: Path, address: str, *words: str, **more: str) -> Pty:
    given = environment(home, MOONSHOT_BASE_URL=address, OLLAMA_HOST="127.0.0.1:1", **more)
    return Pty(["-m", "agent_tui", "setup", *words], given, (100, 40))


def kept(home: Path, name: str) -> dict[str, object]:
    path = home / name
    return tomllib.loads(path.read_text()) if path.exists() else {}


def test_provider_key_and_model_are_chosen_tried_and_kept(tmp_path: Path) -> None:
    with listing() as address:
        pty = begun(tmp_path, address)
        pty.until("Number or name:")
        assert "OpenAI" in pty.text and "Anthropic" in pty.text
        pty.type("99\r")
        pty.until("Type a number from 1 to")
        pty.type("moonshot\r")
        pty.until(
            "Key for Moonshot (not shown):"
        )  # the address is set, and refuses to be asked without one
        pty.type(f"{WRONG}\r")
        pty.until("bad key Bearer [hidden:")
        assert kept(tmp_path, "credentials.toml") == {}
        pty.until(lambda text: text.count("Key for Moonshot") == 2)
        pty.type("two words\r")
        pty.until("Not a key")
        pty.type(f"{KEY}\r")
        pty.until("It offers 2 models.")
        pty.until("Model, by number or name (Enter: moonshot/a):")
        pty.type("2\r")
        assert pty.wait(20) == 0
    assert "moonshot/b is your model now" in pty.text
    assert kept(tmp_path, "credentials.toml") == {"keys": {"moonshot": KEY}}
    assert kept(tmp_path, "config.toml") == {"model": "moonshot/b"}
    assert KEY.encode() not in pty.raw and WRONG.encode() not in pty.raw
    pty.close()


def test_a_key_that_is_there_is_tried_and_enter_takes_the_model(tmp_path: Path) -> None:
    with listing() as address:
        pty = begun(tmp_path, address, "moonshot", MOONSHOT_API_KEY=KEY)
        pty.until("Enter: moonshot/a")
        pty.type("\r")
        assert pty.wait(20) == 0
    assert kept(tmp_path, "config.toml") == {"model": "moonshot/a"}
    assert kept(tmp_path, "credentials.toml") == {}, "a variable has it"
    pty.close()


@pytest.mark.parametrize("leave", ["n\r", "\x03", "\x04"])
def test_a_server_that_cannot_be_reached_changes_nothing(tmp_path: Path, leave: str) -> None:
    pty = begun(tmp_path, "http://127.0.0.1:1/v1", "moonshot", MOONSHOT_API_KEY=KEY)
    pty.until("Try again? [Y/n]")
    assert "no server answers there" in pty.text and "What to do:" in pty.text
    pty.type(leave)
    assert pty.wait(20) == 130 and "stopped: nothing was changed" in pty.text
    assert kept(tmp_path, "config.toml") == kept(tmp_path, "credentials.toml") == {}
    pty.close()


def test_what_runs_nearby_needs_no_key(tmp_path: Path) -> None:
    said = "cannot reach Ollama at http://127.0.0.1:1: no server answers there"
    (tmp_path / "none").mkdir()
    pty = begun(tmp_path, "", "ollama", PATH=str(tmp_path / "none"))
    pty.until("Try again? [Y/n]")
    assert (
        said in pty.text
        and "install it from https://ollama.com" in pty.text
        and "Key for" not in pty.text
    )
    pty.type("n\r")
    assert pty.wait(20) == 130
    pty.close()


def test_a_number_that_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    with listing() as address:
        pty = begun(tmp_path, address, "moonshot", MOONSHOT_API_KEY=KEY)
        pty.until("Enter: moonshot/a")
        pty.type("99\r")
        pty.until("Type a number from 1 to 2, or a name.")
        pty.type("2\r")
        assert pty.wait(20) == 0
    pty.close()


def test_a_name_that_is_no_service(tmp_path: Path) -> None:
    pty = begun(tmp_path, "", "nobody")
    assert pty.wait(20) == 2 and "nobody: unknown provider; choose one of " in pty.text
    pty.close()


@pytest.mark.parametrize("model", ["scripted/none.json", "scripted/bad.json"])
def test_what_is_wrong_with_a_script_is_not_mended_by_a_list_of_models(
    tmp_path: Path, model: str
) -> None:
    (tmp_path / "bad.json").write_text('[[{"txt": "x"}]]', encoding="utf-8")
    argv = [sys.executable, "-m", "agent_tui", "run", "-m", model, "hello"]
    given = environment(tmp_path)
    done = subprocess.run(
        argv, env=given, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (
        done.returncode == 1 and model in done.stderr and "agent-tui models" not in done.stderr
    ), done.stderr


@pytest.mark.parametrize("model", ["openai/gpt-5", "ollama/none", "nobody/x"])
def test_a_run_that_has_no_model_says_how_to_get_one(tmp_path: Path, model: str) -> None:
    """A missing key, a server that is not there, a provider that nobody knows."""
    argv = [sys.executable, "-m", "agent_tui", "run", "-m", model, "hello"]
    given = environment(tmp_path, OLLAMA_HOST="127.0.0.1:1")
    done = subprocess.run(
        argv, env=given, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0 and "`agent-tui models` lists the models" in done.stderr, (
        done.stderr
    )
    assert (
        "`agent-tui setup` sets up a provider" in done.stderr
        and "`-m demo` needs no model" in done.stderr
    )
