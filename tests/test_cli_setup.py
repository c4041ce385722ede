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
        pty.until("Type a number to choose")
        assert "OpenAI" in pty.text and "Anthropic" in pty.text
        assert "Session" not in pty.text and "demo" not in pty.text
        pty.type("99\r")
        pty.until("That is not a choice here.")
        pty.type("moonshot\r")
        pty.until("Key for Moonshot")  # the address is set, and refuses to be asked without one
        pty.type(f"{WRONG}\r")
        pty.until("bad key Bearer [hidden:")
        assert kept(tmp_path, "credentials.toml") == {}
        for number in (2, 3):  # the same words a second time are said a second time
            pty.until(lambda text, n=number: text.count("Key for Moonshot") == n)
            pty.type("two words\r")
            pty.until(lambda text, n=number: text.count("Not a key") == n - 1)
        pty.until(lambda text: text.count("Key for Moonshot") == 4)
        assert "It is now" not in pty.text
        pty.type(f"{KEY}\r")
        pty.until("Moonshot offers 2 models.")
        pty.until("2: b")
        pty.type("2\r")
        pty.until("Where should this be your model?")
        pty.until("Type a number")
        assert "in this session only" not in pty.text, "there is no session to go on with"
        pty.type("1\r")
        assert pty.wait(20) == 0
    assert "moonshot/b is your model now" in pty.text and "nothing was changed" not in pty.text
    assert kept(tmp_path, "credentials.toml") == {"keys": {"moonshot": KEY}}
    assert kept(tmp_path, "config.toml") == {"model": "moonshot/b"}
    assert KEY.encode() not in pty.raw and WRONG.encode() not in pty.raw
    assert {path.name for path in tmp_path.rglob("*")} == {"config.toml", "credentials.toml"}
    pty.close()


def test_a_key_that_is_there_is_tried(tmp_path: Path) -> None:
    with listing() as address:
        pty = begun(tmp_path, address, "moonshot", MOONSHOT_API_KEY=KEY)
        pty.until("1: a, proposed")
        pty.type("1\r")
        pty.until("in every project")
        pty.type("1\r")
        assert pty.wait(20) == 0
    assert kept(tmp_path, "config.toml") == {"model": "moonshot/a"}
    assert kept(tmp_path, "credentials.toml") == {}, "a variable has it"
    pty.close()


def test_what_cannot_be_saved_is_said_and_the_code_says_not_done(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("model = [\n")
    with listing() as address:
        pty = begun(tmp_path, address, "moonshot", MOONSHOT_API_KEY=KEY)
        pty.until("1: a, proposed")
        pty.type("1\r")
        pty.until("in every project")
        pty.type("1\r")
        pty.until("choose another model")
        pty.type("\x03")
        assert pty.wait(20) == 1 and "nothing was saved" in pty.text
    assert (tmp_path / "config.toml").read_text() == "model = [\n"
    pty.close()


@pytest.mark.parametrize("leave", ["\x03", "\x04", "quit\r", "/quit\r"])
def test_a_server_that_cannot_be_reached_changes_nothing(tmp_path: Path, leave: str) -> None:
    pty = begun(tmp_path, "http://127.0.0.1:1/v1", "moonshot", MOONSHOT_API_KEY=KEY)
    pty.until("try again")
    pty.until("Type a number")
    assert "no server answers there" in pty.text
    pty.type(leave)
    if leave == "quit\r":  # a word to search with, and no command
        pty.until("an empty line")
        pty.type("\x03")
    assert pty.wait(20) == 130 and "interrupted: nothing was changed" in pty.text
    assert kept(tmp_path, "config.toml") == kept(tmp_path, "credentials.toml") == {}
    pty.close()


def test_an_empty_line_goes_back_and_leaves_at_last(tmp_path: Path) -> None:
    pty = begun(tmp_path, "", "openai")
    pty.until("Key for OpenAI")
    pty.type("\r")
    pty.until("Whose models do you want to use?")
    pty.until("an empty line to close")
    pty.type("/models\r")
    pty.until("That is not a choice here.")
    pty.type("\r")
    assert pty.wait(20) == 130 and "interrupted: nothing was changed" in pty.text
    pty.close()


def test_what_runs_nearby_needs_no_key(tmp_path: Path) -> None:
    said = "cannot reach Ollama at http://127.0.0.1:1: no server answers there"
    (tmp_path / "none").mkdir()
    pty = begun(tmp_path, "", "ollama", PATH=str(tmp_path / "none"))
    pty.until("try again")
    assert (
        said in pty.text
        and "install it from https://ollama.com" in pty.text
        and "Key for" not in pty.text
    )
    pty.type("\x03")
    assert pty.wait(20) == 130
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
