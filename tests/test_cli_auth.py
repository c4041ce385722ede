"""`agent-tui auth` as it is typed: keys come in unseen, and never out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

KEY = "sk-abcdefghijklmnop0123"
NO_KEYRING = "keyring.backends.null.Keyring"


def environment(home: Path, **more: str) -> dict[str, str]:
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_API_KEY", "_TOKEN"))
    }
    own = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }
    return {**plain, **own, "PYTHON_KEYRING_BACKEND": NO_KEYRING, **more}


def auth(home: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "agent_tui", "auth", *words]
    return subprocess.run(
        argv,
        env=environment(home, **more),
        cwd=home,
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_key_from_standard_input_is_kept_listed_and_forgotten(tmp_path: Path) -> None:
    done = auth(tmp_path, "set", "openai", typed=f"{KEY}\n")
    assert (done.returncode, done.stdout) == (0, f"saved in {tmp_path / 'credentials.toml'}\n")
    listed = auth(tmp_path, GEMINI_API_KEY="sk-another-key", OPENAI_API_KEY="sk-yet-another").stdout
    assert (
        listed == "openai  OPENAI_API_KEY  (not used: credentials.toml)\ngemini  GEMINI_API_KEY\n"
    )
    assert auth(tmp_path, "list").stdout == "openai  credentials.toml\n"
    assert auth(tmp_path, "remove", "openai").stdout.startswith("deleted from: ")
    assert auth(tmp_path, "remove", "openai").returncode == 1
    assert auth(tmp_path).stdout.startswith("no keys")


def test_the_name_of_a_provider_may_be_written_in_any_case(tmp_path: Path) -> None:
    assert auth(tmp_path, "set", "OpenAI", typed=KEY).returncode == 0
    assert "openai" in (tmp_path / "credentials.toml").read_text()
    assert auth(tmp_path, "remove", "OPENAI").returncode == 0


def test_the_keyring_comes_first(tmp_path: Path) -> None:
    more = {
        "PYTHON_KEYRING_BACKEND": "tests.keyrings.FileKeyring",
        "TEST_KEYRING": str(tmp_path / "ring.json"),
    }
    assert auth(tmp_path, "set", "anthropic", typed=KEY, **more).stdout == "saved in the keyring\n"
    assert json.loads((tmp_path / "ring.json").read_text()) == {"agent-tui/anthropic": KEY}
    assert not (tmp_path / "credentials.toml").exists()
    assert auth(tmp_path, **more).stdout == "anthropic  the keyring\n"


@pytest.mark.parametrize(
    ("words", "typed", "code", "said"),
    [
        (["set", "nobody"], KEY, 2, "unknown provider"),
        (["set", "openai"], "", 1, "nothing was typed"),
        (["set", "openai"], "two words", 2, "no key can"),
        (["set"], KEY, 2, "PROVIDER"),
        (["x"], "", 2, "invalid"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, words: list[str], typed: str, code: int, said: str
) -> None:
    done = auth(tmp_path, *words, typed=typed)
    assert done.returncode == code and said in done.stderr and KEY not in done.stdout + done.stderr
    assert not (tmp_path / "credentials.toml").exists()


def test_a_key_that_is_typed_is_not_shown(tmp_path: Path) -> None:
    pty = Pty(["-m", "agent_tui", "auth", "set", "openai"], environment(tmp_path))
    pty.until("not shown")
    pty.type(f"{KEY}\r")
    assert pty.wait() == 0
    assert KEY.encode() not in pty.raw and b"saved in" in pty.raw
    assert KEY in (tmp_path / "credentials.toml").read_text()
    pty.close()
