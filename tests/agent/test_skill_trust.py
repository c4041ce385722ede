"""That a skill of a project may be used is kept for its text and for the folder that is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agent_tui.settings.trust import Found, Gate, ThisRun, forget, records

DIGEST = "d" * 64


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    return tmp_path / "work"


def gate(project: Path, now: ThisRun | None = None) -> Gate:
    return Gate([project], project.parent / "data", now or ThisRun(), {})


def file_of(project: Path) -> Path:
    return project / ".agents" / "skills" / "it" / "SKILL.md"


def test_it_is_kept_beside_what_is_trusted_and_goes_with_it(project: Path) -> None:
    file = file_of(project)
    assert not gate(project).lets_use(file, DIGEST)
    gate(project).let_use(file, DIGEST, lasting=True)
    made = gate(project)
    assert made.lets_use(file, DIGEST) and not made.lets_use(file, "e" * 64)
    made.trust([Found(made.roots[0], "AGENTS.md", project / "AGENTS.md", b"x")], lasting=True)
    assert gate(project).lets_use(file, DIGEST), "to trust a file takes no skill away"
    gate(project).let_use(file, "e" * 64, lasting=True)
    [record] = records(project.parent / "data")
    assert record.skills == (DIGEST, "e" * 64) and list(record.files) == ["AGENTS.md"]
    assert forget(project.parent / "data", str(project))
    assert not gate(project).lets_use(file, DIGEST)


def test_it_does_not_trust_the_file(project: Path) -> None:
    gate(project).let_use(file_of(project), DIGEST, lasting=True)
    assert not gate(project).admits(file_of(project), b"anything")


def test_what_does_not_last_ends_with_the_program(project: Path) -> None:
    now = ThisRun()
    gate(project, now).let_use(file_of(project), DIGEST, lasting=False)
    assert gate(project, now).lets_use(file_of(project), DIGEST)
    assert not gate(project).lets_use(file_of(project), DIGEST)
    assert not (project.parent / "data").exists()


def test_another_folder_at_the_same_place_has_no_yes(project: Path) -> None:
    gate(project).let_use(file_of(project), DIGEST, lasting=True)
    project.rename(project.with_name("old"))
    (project / ".git").mkdir(parents=True)
    assert not gate(project).lets_use(file_of(project), DIGEST)
    shutil.rmtree(project)


def test_a_record_of_an_older_version_is_read(project: Path) -> None:
    made = gate(project)
    made.trust([Found(made.roots[0], "AGENTS.md", project / "AGENTS.md", b"x")], lasting=True)
    [path] = (project.parent / "data" / "trusted").iterdir()
    said = json.loads(path.read_bytes())
    del said["skills"]
    path.write_text(json.dumps(said))
    [record] = records(project.parent / "data")
    assert record.skills == () and list(record.files) == ["AGENTS.md"]
