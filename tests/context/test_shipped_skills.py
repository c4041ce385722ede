"""The skills that come with the program: they load without a complaint and keep to the published
format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from skills_ref.validator import validate

from agent_tui.context.skills.catalog import Skills
from agent_tui.context.skills.discovery import discover
from agent_tui.context.skills.expansion import Expansion, Missing
from agent_tui.context.skills.front_matter import front_matter
from agent_tui.paths import shipped_folder
from tests.places import admit

NAMES = ["commit", "explain", "fix", "init", "review", "test"]
FOLDERS = sorted(path.parent for path in shipped_folder("skills").glob("*/SKILL.md"))


@pytest.fixture
def skills(tmp_path: Path) -> Skills:
    return discover(shipped_folder("skills"), tmp_path, tmp_path, tmp_path, admits=admit)


def test_they_load(skills: Skills) -> None:
    assert [info.name for info in skills.list()] == NAMES
    assert skills.problems == ()


def test_each_can_be_run(skills: Skills) -> None:
    for info in skills.list():
        expanded = skills.expand(f"/{info.name} these {{words}}")
        assert isinstance(expanded, Expansion)
        assert "these {words}" in expanded.text
        assert "$ARGUMENTS" not in expanded.text
        assert bool(info.hint) == info.free
        alone = skills.expand(f"/{info.name}")
        assert isinstance(alone, Missing if info.arguments else Expansion)


def test_descriptions_are_one_plain_sentence_or_two(skills: Skills) -> None:
    for info in skills.list():
        assert re.fullmatch(r"[A-Z][^{}]{20,200}\.", info.description), info


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_published_format(folder: Path) -> None:
    """What the reference validator (`skills-ref`) asks for: it allows no other fields at the top."""
    values, body = front_matter((folder / "SKILL.md").read_text())
    top = {key for key in values if "." not in key}
    assert top <= {"name", "description", "license", "allowed-tools", "metadata", "compatibility"}
    assert values["name"] == folder.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", values["name"])
    assert 0 < len(values["description"]) <= 1_024
    assert body.strip()


def test_the_reference_validator_has_no_complaint() -> None:
    assert {folder.name: validate(folder) for folder in FOLDERS} == {
        folder.name: [] for folder in FOLDERS
    }
