"""Files that say who the model is: where they are found, what of them is told, and how much."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from agent_tui.context import identity
from agent_tui.context.aieos import NoIdentity, describe_identity
from agent_tui.context.identity import as_identity, read, strip_decoration
from agent_tui.context.instruction_files import (
    LIMIT,
    Instruction,
    Places,
    own_files,
    read_all,
)

AIEOS: dict[str, Any] = {
    "standard": {"protocol": "AIEOS", "version": "1.1.0"},
    "identity": {
        "@type": "aieos:EntityIdentity",
        "names": {"first": "Ada", "middle": "", "last": "Field", "nickname": "Adi"},
        "bio": {"birthday": "1990-01-01", "@birthday_format": "ISO 8601", "gender": "female"},
        "residence": {"current_city": "Ghent"},
    },
    "psychology": {
        "neural_matrix": {"@description": "0 to 1", "logic": 0.9},
        "traits": {"ocean": {"openness": 0.8}, "mbti": "INTP"},
        "moral_compass": {"alignment": "Neutral Good", "core_values": ["care", "candour"]},
    },
    "linguistics": {
        "text_style": {
            "formality_level": 0.2, "verbosity_level": 0.1, "style_descriptors": ["dry", "warm"],
        },
        "idiolect": {"catchphrases": ["Let us\nsee."], "forbidden_words": ["utilise"]},
    },
    "motivations": {"core_drive": "to mend", "goals": {"long_term": ["a garden"]}},
    "physicality": {"face": {"shape": "round"}},
}  # fmt: skip


def found(tmp_path: Path, admitted: bool = True) -> tuple[Instruction, ...]:
    return read(tmp_path / "work", tmp_path / "home", str, admits=lambda *_: admitted)


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    home, work = tmp_path / "home", tmp_path / "work" / ".agent-tui"
    home.mkdir()
    work.mkdir(parents=True)
    (work.parent / ".git").mkdir()
    return home, work


def test_the_persons_own_come_first_and_a_projects_only_where_they_are_trusted(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    home, work = places
    (home / "USER.md").write_text("Her name is Ada.")
    (home / "SOUL.md").write_text("Never lie.")
    (work / "IDENTITY.md").write_text("You are Bo.")
    names = [one.name for one in as_identity(found(tmp_path), "full")]
    assert names == ["SOUL.md", "USER.md", ".agent-tui/IDENTITY.md"]
    assert [one.name for one in found(tmp_path, admitted=False)] == ["SOUL.md", "USER.md"]


def test_a_soul_is_told_as_guardrails_and_a_bootstrap_with_its_last_rule(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    home, _ = places
    (home / "SOUL.md").write_text("Never lie.")
    (home / "BOOTSTRAP.md").write_text("Ask for my name.")
    soul, bootstrap = as_identity(found(tmp_path), "full")
    assert soul.text.startswith("Guardrails.") and soul.text.endswith("\nNever lie.")
    assert bootstrap.text.split("\n")[1] == "Ask for my name."
    assert f"remove the file {home / 'BOOTSTRAP.md'}" in bootstrap.text.split("\n")[-1]
    (home / "BOOTSTRAP.md").unlink()
    assert [one.name for one in as_identity(found(tmp_path), "full")] == ["SOUL.md"]


@pytest.mark.parametrize("profile, limit", [("full", 4_000), ("small", 1_000)])
def test_together_they_have_a_limit_and_what_is_cut_is_said(
    tmp_path: Path, places: tuple[Path, Path], profile: Any, limit: int
) -> None:
    home, _ = places
    (home / "SOUL.md").write_text("s" * 400)
    (home / "IDENTITY.md").write_text("i" * 5_000)
    (home / "USER.md").write_text("u" * 50)
    soul, me, user = as_identity(found(tmp_path), profile)
    assert soul.text.count("s" * 400) == 1
    assert me.text.startswith("i" * (limit - 400)) and "[cut here" in me.text
    assert "i" * (limit - 399) not in me.text
    assert user.text == ""
    assert user.problem == (
        f"The identity files are longer than {limit:,} characters together: "
        "the rest of IDENTITY.md, USER.md is not used"
    )


def test_tools_and_heartbeat_are_instructions(tmp_path: Path, places: tuple[Path, Path]) -> None:
    home, work = places
    (home / "TOOLS.md").write_text("Use uv.")
    (work / "HEARTBEAT.md").write_text("Look at the queue.")
    (work.parent / "AGENTS.md").write_text("Tabs.")
    assert not found(tmp_path)
    where = Places(work.parent, own_files(tmp_path, home))
    files = read_all(where, admits=lambda *_: True)
    names = [one.name for one in files]
    assert names == ["your TOOLS.md", "AGENTS.md", ".agent-tui/HEARTBEAT.md"]


def test_a_file_behind_two_names_counts_once(tmp_path: Path, places: tuple[Path, Path]) -> None:
    home, _ = places
    (home / "USER.md").write_text("Ada.")
    (home / "IDENTITY.md").symlink_to(home / "USER.md")
    assert len(found(tmp_path)) == 1


def test_markdown_that_only_decorates_is_left_out() -> None:
    text = """\
<!-- for
me --># Who
**Ada** is __kind__ to snake__case.

---
## Empty

### Also empty
## Voice
***

- dry *and* short
```
# stays
**as it is**
```
## Nothing below
"""
    assert strip_decoration(text) == (
        "# Who\nAda is kind to snake__case.\n\n## Voice\n\n"
        "- dry *and* short\n```\n# stays\n**as it is**\n```"
    )


def test_an_aieos_identity_is_told_in_a_few_lines() -> None:
    assert describe_identity(json.dumps(AIEOS)).split("\n") == [
        "Name: Ada Field (Adi)",
        "Bio: female; Ghent",
        "Traits: INTP; openness 0.8; logic 0.9",
        "Values: Neutral Good; care, candour",
        "Speech: dry, warm; formality 0.2, verbosity 0.1",
        "Says: Let us see.",
        "Never says: utilise",
        "Drive: to mend",
        "Goals: a garden",
    ]


def test_characters_that_nobody_sees_are_no_part_of_an_identity() -> None:
    named = {"identity": {"names": {"first": "A\u202eda\ud800"}}}
    assert describe_identity(json.dumps(named)) == "Name: Ada?"


@pytest.mark.parametrize(
    "raw, why",
    [("{", "no JSON"), ("[]", "no JSON object"), ('{"a": 1}', "AIEOS"), ("[" * 99_999, "no JSON"),
     ('{"identity": {"bio": ' + "[" * 600 + "]" * 600 + "}}", "nested too deeply"),
     ('{"identity": 3, "psychology": [], "linguistics": null}', "AIEOS")],
)  # fmt: skip
def test_what_is_no_identity_is_said(
    tmp_path: Path, places: tuple[Path, Path], raw: str, why: str
) -> None:
    with pytest.raises(NoIdentity, match=why):
        describe_identity(raw)
    (places[0] / identity.AIEOS).write_text(raw)
    [one] = found(tmp_path)
    assert not one.text and why in one.problem


@pytest.mark.parametrize("piece", ["**a", "__a ", "<!--", "- ", "# \n", "```\n"])
def test_a_large_file_of_one_mark_is_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    strip_decoration(piece * (LIMIT // len(piece)))
    assert time.process_time() - began < 1.0
