from __future__ import annotations

from pathlib import Path

from agent_tui.protocol.messages import SkillInfo
from agent_tui.tools.skills import TOOL, _line
from tests.tools.context import Context, call


def test_without_a_name_the_skills_are_listed(tmp_path: Path) -> None:
    result = call(TOOL, Context(tmp_path, known_skills={"review": "…", "commit": "…"}))
    assert result.content.splitlines()[:2] == ["review: does review", "commit: does commit"]


def test_with_a_name_its_text_comes(tmp_path: Path) -> None:
    context = Context(tmp_path, known_skills={"review": "Look at the diff."})
    assert call(TOOL, context, name="review").content == "Look at the diff."
    assert call(TOOL, context, name="/review").content == "Look at the diff."


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    result = call(TOOL, Context(tmp_path, known_skills={"review": "…"}), name="revise")
    assert result.content == "Error [not_found]: no skill 'revise'; there are: review"
    assert call(TOOL, Context(tmp_path)).content == "There are no skills."


def test_a_skill_is_listed_with_its_arguments() -> None:
    assert _line(SkillInfo("port", "ports it", ("from", "to"))) == "port <from> <to>: ports it"
    assert _line(SkillInfo("ask", "", free=True)) == "ask <text>"


def test_labels() -> None:
    assert TOOL.label(TOOL.arguments()) == "List the skills"
    assert TOOL.label(TOOL.arguments(name="review")) == "Load the skill review"
