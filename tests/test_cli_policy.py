"""`agent-tui policy check`: one decision, and many at once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_tui.safety.folder_rules import FolderRules
from agent_tui.safety.policy import Rule
from agent_tui.safety.sandbox.support import workspace_support


def run(
    *arguments: str, given: str = "", cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "agent_tui", "policy", "check", *arguments]
    return subprocess.run(
        argv, input=given, capture_output=True, text=True, cwd=cwd, timeout=60, env=env
    )


def check(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = run("--json", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


@pytest.mark.parametrize(
    ("arguments", "decision", "rule"),
    [
        (("--command", "ls -la | head"), "allow", "looks"),
        (("--command", "make"), "ask", "mode"),
        (("make",), "ask", "mode"),
        (("--command", "ls", "--mode", "manual"), "ask", "mode"),
        (("--command", "make", "--mode", "plan"), "deny", "mode"),
        (("--command", "ls", "--mode", "plan"), "allow", "looks"),
        (("--command", "make", "--mode", "accept-all"), "allow", "mode"),
        (("--command", "rm -rf /", "--mode", "accept-all"), "ask", "hard list"),
        (("--path", "a.txt"), "allow", "mode"),
        (("--path", ".env"), "ask", "path"),
        (("--path", "../a"), "ask", "path"),
        (("--path", "a.txt", "--tool", "edit_file"), "ask", "mode"),
        (("--path", "a.txt", "--tool", "edit_file", "--mode", "accept-edits"), "allow", "mode"),
        (("--path", ".git/x", "--tool", "edit_file", "--mode", "accept-all"), "ask", "path"),
    ],
)
def test_one_call(tmp_path: Path, arguments: tuple[str, ...], decision: str, rule: str) -> None:
    said = check(*arguments, cwd=tmp_path)
    assert (said["decision"], said["rule"]) == (decision, rule)
    assert said["reason"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("sandbox", ["auto", "local"])
def test_accept_all_says_what_holds_a_command(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text(f'[sandbox]\nmode = "{sandbox}"\n')
    found = asyncio.run(workspace_support(sandbox))
    holds = "with your own rights" if found.problem else "in the sandbox"
    call, home = ("--command", "rm ../y", "--mode", "accept-all"), str(tmp_path / "home")
    done = run(*call, cwd=tmp_path, env={**os.environ, "AGENT_TUI_HOME": home})
    assert holds in done.stdout and done.stdout.startswith("allow: accept-all mode")
    assert sandbox == "auto" or holds == "with your own rights"


def test_a_command_without_quotes_is_told_how_it_is_written(tmp_path: Path) -> None:
    done = run("git", "status", cwd=tmp_path)
    assert done.returncode == 2 and "policy check 'git status'" in done.stderr
    assert "prompt" not in done.stderr


def test_many_at_once_are_answered_in_order_and_what_is_wrong_is_said(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("")
    asked = [
        {"command": "ls"},
        {"command": "ls", "mode": "manual"},
        {"command": "cat ../a", "cwd": str(tmp_path / "sub")},
        {"path": "a"},
        {"command": 1},
        {"mode": "auto"},
        {"command": "ls", "mode": "none"},
        {"command": "ls", "cwd": "nowhere"},
        {"path": "a", "tool": "none"},
        {"path": "a", "tool": ["none"]},
        [],
    ]
    lines = "\n".join(map(json.dumps, asked)) + "\n\n{\n"
    done = run("--stdin", given=lines, cwd=tmp_path)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["decision"] for one in said] == ["allow", "ask", "ask", "allow"] + ["ask"] * 8
    assert [one["rule"] for one in said[4:]] == ["bad input"] * 8


@pytest.mark.parametrize(
    "bad",
    [b"[" * 100_000, b'{"command": "ls \xff"}', b'{"command": "ls", "cwd": "%s"}' % (b"a" * 9000)],
)
def test_a_line_that_cannot_be_read_does_not_end_the_others(tmp_path: Path, bad: bytes) -> None:
    argv = [sys.executable, "-m", "agent_tui", "policy", "check", "--stdin"]
    given = bad + b'\n{"command": "ls"}\n'
    done = subprocess.run(argv, input=given, capture_output=True, cwd=tmp_path, timeout=60)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, done.stderr) == (0, b"")
    assert (first["rule"], second["decision"]) == ("bad input", "allow")
    assert len(first["reason"]) < 9_500 and "\n" not in first["reason"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--command", "ls", "--path", "a"),
        ("ls", "--path", "a"),
        ("--path", "a", "--tool", "none"),
        ("--command", "ls", "--cwd", "no"),
    ],
)
def test_bad_usage_is_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and not done.stdout
    assert "Traceback" not in done.stderr and done.stderr.strip()


@pytest.mark.parametrize(
    "settings",
    [
        '[permissions]\ndeny = ["run_shell_command(git push"]\n',
        '[permissions]\nask = "edit_file"\n',
        '[permissions]\ndenny = ["edit_file"]\n',
        '[permission]\ndeny = ["edit_file"]\n',
        'permissions = "none"\n',
        '[permissions]\nask = ["run_shell(git push *)"]\n',
        '[permissions]\ndeny = ["edit_file"]\n[display\n',
        '[permissions]\ndeny = ["edit_file"] # \udcff\n',
    ],
)
def test_nothing_starts_while_a_rule_that_forbids_cannot_be_read(
    tmp_path: Path, settings: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(settings.encode("utf-8", "surrogateescape"))
    own = {**os.environ, "AGENT_TUI_HOME": str(tmp_path)}
    for words in (["run", "hi", "-m", "demo/tour"], ["chat", "-m", "demo/tour"]):
        argv = [sys.executable, "-m", "agent_tui", *words]
        done = subprocess.run(
            argv, input="", capture_output=True, text=True, cwd=tmp_path, env=own, timeout=60
        )
        assert done.returncode == 2 and done.stdout == "", (words, done)
        [line] = done.stderr.splitlines()
        assert str(file) in line and "agent-tui config edit" in line
    if "shell(" in settings:
        return  # it can be read
    argv = [sys.executable, "-m", "agent_tui", "policy", "check", "--command", "ls"]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=tmp_path, env=own, timeout=60)
    assert done.returncode != 0 and "rules cannot be read" in done.stderr


def test_a_rule_that_only_allows_is_missed_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[permissions]\nallow = ["edit_file("]\n[other]\n')
    own = {**os.environ, "AGENT_TUI_HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "agent_tui", "run", "hi", "-m", "demo/tour"]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=tmp_path, env=own, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_rule_that_names_no_tool_is_found_by_all_who_read_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("AGENT_TUI_HOME", str(home))
    config = home / "config.toml"
    config.write_text('[permissions]\ndeny = ["run_shel(git push *)"]\n')
    done = run("--command", "git push", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{config}:2: permissions.deny: there is no tool run_shel" in done.stderr
    config.write_text('[permissions]\nallow = ["edit_fle"]\n')
    assert run("--command", "ls", cwd=tmp_path).returncode == 0  # nobody is hurt by that
    doctor = [sys.executable, "-m", "agent_tui", "doctor"]
    said = subprocess.run(doctor, capture_output=True, text=True, cwd=tmp_path, timeout=60).stdout
    assert "permissions.allow: there is no tool edit_fle" in said


def test_a_rule_against_commands_that_would_forbid_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path))
    config = tmp_path / "config.toml"
    for rule in ("git push*", "git * push", "git {push,pull} *"):
        config.write_text(f'[permissions]\ndeny = ["run_shell_command({rule})"]\n')
        done = run("--command", "git push", cwd=tmp_path)
        assert done.returncode == 2
        assert f"{config}:2: permissions.deny: 'run_shell_command({rule})' would" in done.stderr
    config.write_text('[permissions]\nallow = ["run_shell_command(ls *.py)"]\n')
    assert run("--command", "ls", cwd=tmp_path).returncode == 0


def test_what_is_allowed_in_this_folder_for_good_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    here = tmp_path.resolve()
    rule = Rule("run_shell_command", ("make all",), str(here))
    assert check("--command", "make all", cwd=here)["decision"] == "ask"
    FolderRules(tmp_path / "home", str(here)).add(rule)
    assert check("--command", "make all", cwd=here)["decision"] == "allow"
    assert check("--command", "make all clean", cwd=here)["decision"] == "ask"


def test_the_own_folders_of_the_program_ask(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    environment = {**os.environ, "AGENT_TUI_HOME": str(tmp_path / "own")}
    for name, tool, reason in (
        ("own/config.toml", "edit_file", "belongs to agent-tui itself (a protected place)"),
        ("own/credentials.toml", "read_file", "has the name of a secret"),
    ):
        words = ("--json", "--path", name, "--tool", tool, "--mode", "accept-edits")
        said = json.loads(run(*words, cwd=tmp_path, env=environment).stdout)
        assert (said["decision"], said["rule"]) == ("ask", "path")
        assert said["reason"] == f"{name} {reason}"
