"""`agent-tui policy simulate`: past questions by other rules, and the rules that it proposes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from agent_tui.protocol.events import ApprovalAsked, TurnEnded
from agent_tui.protocol.ops import Answer, Submit
from tests.agent.driving import Place

CALLS = (
    ("make one -s", "once"),
    ("make one -k", "once"),
    ("env echo hello", "once"),
    ("env echo hello", "once"),
    ("env echo secret", "no"),
    ("git push --force", "no"),
    ("git push --force", "once"),
    ("touch a", "once"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One session, in which all of `CALLS` were asked about; the tests only read it."""
    place = Place(tmp_path_factory.mktemp("place"))
    steps = [
        [{"call": "run_shell_command", "arguments": {"command": command}}] for command, _ in CALLS
    ]
    with place.engine(place.script(*steps, [{"text": "done"}])) as driver:
        (place.cwd / "Makefile").write_text("one:\n\t@echo made\n")
        driver.send(Submit("go"))
        for _, choice in CALLS:
            driver.send(Answer(driver.until(ApprovalAsked).id, choice))  # type: ignore[arg-type]
        driver.until(TurnEnded)
    return place


def run(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent_tui", "policy", "simulate", *arguments],
        env={**os.environ, "AGENT_TUI_HOME": str(place.home), "HOME": str(place.root)},
        capture_output=True,
        text=True,
        cwd=place.cwd,
        timeout=60,
    )


def simulated(place: Place, rules: str) -> dict[str, Any]:
    file = place.root / "rules.toml"
    file.write_text(f"[permissions]\n{rules}\n")
    done = run(place, "--json", "--rules", str(file))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


def test_the_fewest_rules_are_proposed_and_none_that_allows_what_was_denied(place: Place) -> None:
    said = simulated(place, "")
    assert (said["questions"], said["spared"], said["denied"]) == (len(CALLS), 0, 0)
    assert said["proposed"] == [
        ["run_shell_command(env echo hello)", 2],
        ["run_shell_command(make one *)", 2],
    ]
    allowed = json.dumps([text for text, _ in said["proposed"]])
    again = simulated(place, f"allow = {allowed}")
    assert (again["spared"], again["proposed"], again["against_a_no"]) == (4, [], [])
    assert ["Run env echo hello", 2] in again["newly_allowed"]


def test_what_rules_allow_and_deny_is_listed(place: Place) -> None:
    said = simulated(
        place,
        'allow = ["run_shell_command(env echo *)"]\ndeny = ["run_shell_command(touch *)"]',
    )
    assert said["newly_allowed"] == [["Run env echo hello", 2]]
    assert said["against_a_no"] == [["Run env echo secret", 1]]
    assert said["newly_denied"] == [["Run touch a", 1]]
    everything = simulated(place, 'allow = ["run_shell_command"]')
    labels = [label for label, _ in everything["newly_allowed"] + everything["against_a_no"]]
    assert not any("push" in label for label in labels), "the hard list asks whatever is allowed"


def test_a_person_reads_it_and_no_log_is_changed(place: Place) -> None:
    logs = {path: path.read_bytes() for path in (place.home / "sessions").iterdir()}
    done = run(place)
    assert done.returncode == 0
    assert done.stdout.startswith("8 questions on record: 8 would be asked, 0 would run")
    assert '    "run_shell_command(make one *)",  # 2\n' in done.stdout
    assert {path: path.read_bytes() for path in (place.home / "sessions").iterdir()} == logs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--command", "ls"), "simulate takes no call"),
        (("--rules", "absent.toml"), "absent.toml"),
        (("--rules", "Makefile"), ""),
    ],
)
def test_bad_input_is_one_line(place: Place, arguments: tuple[str, ...], said: str) -> None:
    done = run(place, *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_rules_are_read_of_a_regular_file_alone(place: Place) -> None:
    os.mkfifo(place.root / "pipe")
    for file in ("/dev/zero", str(place.root / "pipe")):
        done = run(place, "--rules", file)
        assert done.returncode == 2 and "is not a regular file" in done.stderr


def test_rules_of_another_kind_are_named(place: Place) -> None:
    for text in ("[permissions]\nalow = []\n", "[permissions]\nallow = 3\n", "permissions = 3\n"):
        (place.root / "bad.toml").write_text(text)
        done = run(place, "--rules", str(place.root / "bad.toml"))
        assert done.returncode == 2 and "bad.toml" in done.stderr, text
