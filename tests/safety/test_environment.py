"""What of the person's variables a command gets: what builds need, what the person names, and
nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.safety.process.environment import (
    child_environment,
    describe_left_out,
    in_english,
    may_be_credential,
    names_left_out,
)
from agent_tui.safety.secrets.scrubber import Scrubber, known_secrets
from tests.agent.driving import Place

CREDENTIALS = {
    "STRIPE_KEY": "v",
    "PGPASSWORD": "v",
    "COOKIE": "v",
    "DATABASE_URL": "postgres://me:pw@host/db",
    "GH_PAT": "v",
    "ANTHROPIC_API_KEY": "v",
    "SSH_AUTH_SOCK": "/run/agent",
    "SENTRY_DSN": "https://abc@sentry/1",
    "MYSQL_PWD": "v",
}
OBEYED = dict.fromkeys(
    (
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "PS4",
        "PROMPT_COMMAND",
        "IFS",
        "CDPATH",
        "SHELLOPTS",
        "BASH_FUNC_ls%%",
        "GIT_DIR",
        "GIT_SSH_COMMAND",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PERL5OPT",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "EDITOR",
        "LESSOPEN",
    ),
    "v",
)
USUAL = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LANG": "C.UTF-8",
    "LC_TIME": "C",
    "TZ": "UTC",
    "XDG_CACHE_HOME": "/c",
    "CI": "1",
    "VIRTUAL_ENV": "/v",
    "CONDA_PREFIX": "/c",
    "GOPATH": "/go",
    "CARGO_HOME": "/c",
    "JAVA_HOME": "/j",
    "NVM_DIR": "/n",
    "HTTPS_PROXY": "http://proxy:3128",
    "no_proxy": "localhost",
    "SSL_CERT_FILE": "/etc/ca",
}


def test_builds_find_what_they_need_and_nothing_else_passes() -> None:
    assert child_environment({**USUAL, **CREDENTIALS, **OBEYED, "ANY_NAME": "v"}) == USUAL


def test_a_usual_name_with_a_credential_in_it_does_not_pass() -> None:
    given = {
        "HTTPS_PROXY": "http://me:pw@proxy:3128",
        "PIP_INDEX_URL": "https://token@index/simple",
        "CONDA_TOKEN": "v",
        "NPM_CONFIG_REGISTRY": "https://me:pw@registry",
        "UV_INDEX_MINE_PASSWORD": "v",
        "XDG_SESSION_COOKIE": "v",
    }
    assert child_environment(given) == {}


HELD = "Qz7vRk2mWp9xAb3"
"""It stands nowhere else."""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", f"alice:{HELD}@proxy.corp:3128"),
        ("https_proxy", "alice@proxy.corp:3128"),
        ("PIP_PROXY", f"alice:{HELD}@proxy.corp:3128"),
        ("NIX_CONFIG", f"access-tokens = github.com=x gitlab.corp=PAT:{HELD}"),
        ("CONDA_CHANNEL_ALIAS", f"https://conda.corp/t/tk-{HELD}/chan"),
        ("CCACHE_REMOTE_STORAGE", f"http://cache.corp|bearer-token={HELD}"),
        ("PIP_INDEX_URL", f"https://pypi.corp/simple?token={HELD}"),
        ("MAKEFLAGS", f"API_KEY={HELD} -j4"),
        ("CFLAGS", f'-O2 -DAPI_KEY=\\"{HELD}\\"'),
        ("GOFLAGS", f"-ldflags=-X=main.apiKey={HELD}"),
    ],
)
def test_a_value_with_a_credential_in_it_does_not_pass_and_is_known(name: str, value: str) -> None:
    assert child_environment({name: value}) == {} and may_be_credential(name, value)
    assert names_left_out({name: value}) == (name,)
    if HELD in value:
        assert HELD not in Scrubber(known_secrets({name: value})).scrub(f"see tk-{HELD}")


def test_values_that_only_look_like_that_pass() -> None:
    given = {
        "PATH": "/usr/bin:/opt/node@18/bin:/nix/store/0c5flbgw7ypzl8xw5gzz4ddpkpvpbxfs-key/bin",
        "LANGUAGE": "en:ca@valencia",
        "CFLAGS": "-O2 -march=x86-64-v3 -DKEY_BITS=256",
        "GOFLAGS": "-mod=vendor -ldflags=-X=main.version=v1.2.3-5-gabc1234",
        "HTTP_PROXY": "http://proxy.corp:3128",
        "ALL_PROXY": "socks5h://127.0.0.1:9050",
        "no_proxy": "localhost,.corp",
        "NIX_PATH": "nixpkgs=/nix/store/0c5flbgw7ypzl8xw5gzz4ddpkpvpbxfs-source",
        "NIX_CONFIG": "experimental-features = nix-command flakes",
    }
    assert child_environment(given) == given and known_secrets(given) == ()


def test_what_the_person_names_passes_and_a_pattern_brings_no_credentials() -> None:
    given = {**CREDENTIALS, **OBEYED, "AWS_REGION": "eu", "AWS_SECRET_ACCESS_KEY": "v", "AWS": "v"}
    named = ("DATABASE_URL", "ANTHROPIC_API_KEY", "LD_LIBRARY_PATH", "AWS_*", "NOT_SET")
    assert set(child_environment(given, named)) == {
        "DATABASE_URL",
        "ANTHROPIC_API_KEY",
        "LD_LIBRARY_PATH",
        "AWS_REGION",
    }
    assert child_environment(CREDENTIALS, ("*",)) == {}


def test_the_names_that_are_left_out_are_told_without_what_nobody_misses() -> None:
    given = {
        **USUAL,
        **CREDENTIALS,
        "TERM_PROGRAM": "x",
        "SHLVL": "1",
        "_": "x",
        "OLDPWD": "/",
        "LS_COLORS": "x",
        "B\n": "",
    }
    assert names_left_out(given) == tuple(sorted(CREDENTIALS))
    assert names_left_out(given, ("COOKIE", "GH_*")) == tuple(
        n for n in sorted(CREDENTIALS) if n != "COOKIE"
    )
    own = (
        *(
            "LOGIN_URL",
            "WINDOW_SIZE",
            "PROMPT_MODEL",
            "TERMINAL_API",
            "EDITOR_API_URL",
            "HISTORY_DB",
        ),
        *("QT_PLUGIN_PATH", "VISUAL_STUDIO", "DESKTOP_ID", "MAILER_URL", "LINES_API", "PAGER_DUTY"),
    )
    assert names_left_out(dict.fromkeys((*USUAL, *own), "v")) == tuple(sorted(own))
    left = (
        *(
            "TERMINFO",
            "HISTSIZE",
            "BASH_VERSION",
            "KITTY_WINDOW_ID",
            "SSH_TTY",
            "WT_SESSION",
            "ZSH",
        ),
        *(
            "VTE_VERSION",
            "DESKTOP_SESSION",
            "QT_QPA_PLATFORM",
            "LESSOPEN",
            "WINDOWID",
            "__CFBundle",
        ),
    )
    assert names_left_out(dict.fromkeys(left, "v")) == ()
    many = names_left_out({f"VALUE_{n:02}": "" for n in range(45)})
    assert describe_left_out(many).endswith("VALUE_38, VALUE_39 and 5 more")


@pytest.mark.parametrize("name", [*CREDENTIALS])
def test_what_may_be_a_credential_is_known(name: str) -> None:
    assert may_be_credential(name, CREDENTIALS[name])
    assert not may_be_credential("PATH", "/bin")


def run(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = {"AGENT_TUI_HOME": str(place.home), "HOME": str(place.root), "OLLAMA_HOST": "127.0.0.1:1"}
    python = {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-m", "agent_tui", "run", *arguments],
        cwd=place.cwd,
        stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], **CREDENTIALS, **own, **python},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_command_of_the_model_gets_what_the_person_lets_pass_and_the_model_knows_the_rest(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    call = {
        "call": "run_shell_command",
        "arguments": {"command": "env > seen; cat /proc/$PPID/environ > above"},
    }
    model = place.script([call], [{"text": "done"}])
    place.home.mkdir()
    (place.home / "config.toml").write_text('[tools]\npass_env = ["PGPASSWORD", "GH_PAT"]\n')
    (place.cwd / ".agent-tui").mkdir()
    (place.cwd / ".agent-tui" / "config.toml").write_text('[tools]\npass_env = ["STRIPE_KEY"]\n')
    given = ("--mode", "accept-all", "--sandbox", "local", "--trust", str(place.cwd))
    done = run(place, "go", "-m", model, *given)
    assert done.stdout == "done\n"
    assert "not allowed in a project's file" in done.stderr
    seen = dict(
        line.split("=", 1) for line in (place.cwd / "seen").read_text().splitlines() if "=" in line
    )
    assert seen.keys() & {*CREDENTIALS, "PYTHONPATH"} == {"PGPASSWORD", "GH_PAT"}
    above = (place.cwd / "above").read_bytes()
    assert b"me:pw@host" not in above and b"abc@sentry" not in above
    (log,) = place.home.glob("sessions/**/*.jsonl")
    systems = [
        record["system"]
        for record in map(json.loads, log.read_text().splitlines())
        if record.get("system")
    ]
    told = (
        "Set for the person, but not for commands (they can add names to `tools.pass_env`): "
        "ANTHROPIC_API_KEY, COOKIE"
    )
    assert [told in system and "GH_PAT" not in system for system in systems] == [True]


@pytest.mark.parametrize(
    ("spoken", "wanted"),
    [
        ({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8"}),
        ({"LC_ALL": "fr_FR.UTF-8", "LC_TIME": "C"}, {"LANG": "fr_FR.UTF-8"}),
        ({"LC_ALL": "", "LC_CTYPE": "C.UTF-8"}, {"LC_CTYPE": "C.UTF-8"}),
    ],
)
def test_messages_are_in_english_and_the_rest_as_it_was(
    spoken: dict[str, str], wanted: dict[str, str]
) -> None:
    assert in_english({"HOME": "/h", **spoken}) == {"HOME": "/h", **wanted, "LC_MESSAGES": "C"}
