"""What the engine told of the skills."""

from __future__ import annotations

from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.transcript import Answers


def names(answers: Answers) -> frozenset[str] | None:
    """The names of the skills; None while the engine has not told them."""
    return (
        frozenset(skill.name for skill in answers.skills.skills)
        if answers.skills is not None
        else None
    )


def listed(answers: Answers) -> tuple[SkillInfo, ...]:
    return answers.skills.skills if answers.skills is not None else ()


def find(answers: Answers, name: str) -> SkillInfo | None:
    """The skill that is called so."""
    return next((skill for skill in listed(answers) if skill.name == name), None)


def hint(skill: SkillInfo) -> str:
    return " ".join(f"<{name}>" for name in skill.arguments) or ("[text]" if skill.free else "")
