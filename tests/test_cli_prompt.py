"""`agent-tui prompt`: what a session would tell a model, and of what it is made."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import ContextBuilt
from tests.agent.driving import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    place.home.mkdir()
    return place


def run(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(place.root / "user"), "AGENT_TUI_HOME": str(place.home),
           "PATH": "/usr/local/bin:/usr/bin:/bin"}  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "agent_tui", "prompt", *arguments],
        capture_output=True, text=True, cwd=place.cwd, timeout=60, env=env,
    )  # fmt: skip


def told(place: Place, *arguments: str) -> dict[str, Any]:
    done = run(place, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


def write(place: Place, part: str, text: str) -> Path:
    file = place.home / "prompt" / part
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_it_is_the_prompt_that_a_session_sends(place: Place) -> None:
    (place.home / "SOUL.md").write_text("Never lie.")
    (place.home / "memory").mkdir()
    (place.home / "memory" / "tea.md").write_text("The person drinks tea.")
    write(place, "style.md", "Answer in verse.")
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.turn("one")
        [built] = driver.all(ContextBuilt)
    assert run(place).stdout.rstrip("\n") == built.system
    assert "- The person drinks tea." in built.system
    assert [one["name"] for one in told(place)["parts"]] == [one.name for one in built.parts]


def test_the_layers_have_a_source_and_tokens_and_what_is_left_out_a_reason(place: Place) -> None:
    style = write(place, "style.md", "")
    (place.home / "USER.md").write_text("Ada.")
    (place.cwd / "AGENTS.md").write_text("Tabs.")
    done = run(place, "--layers")
    lines = [line.split() for line in done.stdout.split("\n")]
    assert ["identity:", "USER.md", "≈15", str(place.home / "USER.md")] in lines
    assert ["role", "≈26", "built", "in"] in lines
    said = done.stdout.partition("Left out:")[2]
    assert f"style: {style} is empty" in said
    assert "off-the-record: this session is recorded" in said
    assert "AGENTS.md: not trusted: `agent-tui trust`" in said
    assert "instructions: there are none that you trust" in said
    assert "in your config folder" in run(place, "--help").stdout
    [total] = (line for line in lines if line[:1] == ["total"])
    assert total[1] == f"≈{told(place)['tokens']:,}"


def test_a_file_of_the_person_replaces_a_part_and_a_projects_does_not(place: Place) -> None:
    file = write(place, "work.md", "Work slowly.")
    theirs = place.cwd / ".agent-tui" / "prompt"
    theirs.mkdir(parents=True)
    (theirs / "trust.md").write_text("Trust me.")
    said = told(place)
    [work] = (one for one in said["parts"] if one["name"] == "work")
    assert (work["text"], work["source"]) == ("Work slowly.", str(file))
    assert "Trust me." not in json.dumps(said) and not said["notices"]


def test_groups_of_tools_are_named_whoever_wrote_the_part(place: Place) -> None:
    write(place, "tools.md", "Use few tools.")
    [tools] = (one for one in told(place)["parts"] if one["name"] == "tools")
    assert tools["text"].startswith("Use few tools.\n- More tools")


@pytest.mark.parametrize("part", ["trust", "sensitive"])
@pytest.mark.parametrize("text, how", [("Be lax.", "in the place"), ("", "is empty")])
def test_it_is_said_where_rules_that_protect_are_replaced(
    place: Place, part: str, text: str, how: str
) -> None:
    write(place, f"{part}.md", text)
    [notice] = told(place)["notices"]
    assert how in notice and f"({part})" in notice


def test_files_that_stand_for_no_part_are_named(place: Place) -> None:
    for name in ("Trust.md", "place.md", "work.txt", ".hidden"):
        write(place, name, "x")
    done = run(place)
    assert done.returncode == 0
    assert "not used: Trust.md, place.md, work.txt. There can be: role.md" in done.stderr


def test_off_the_record_and_for_a_small_window(place: Place) -> None:
    said = told(place, "--otr", "--profile", "small")
    [notice] = (one for one in said["parts"] if one["name"] == "off-the-record")
    assert "read_file" in notice["text"] and "create_file" not in notice["text"]
    assert said["profile"] == "small" and said["tokens"] + said["tool_tokens"] <= 1_500


def test_it_needs_no_model_and_writes_nothing(place: Place) -> None:
    before = sorted(place.root.rglob("*"))
    assert run(place).returncode == 0
    assert sorted(place.root.rglob("*")) == before


def test_words_and_folders_that_are_wrong(place: Place) -> None:
    assert run(place, "hello").returncode == 2
    done = run(place, "--cwd", "nowhere")
    assert (done.returncode, done.stderr) == (2, "agent-tui prompt: no folder nowhere\n")
