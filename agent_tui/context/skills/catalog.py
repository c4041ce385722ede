"""The skills of a session, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from agent_tui.context.skills.expansion import Expansion, Missing, as_written, expand, split
from agent_tui.context.skills.parsing import Skill
from agent_tui.protocol.messages import SkillInfo
from agent_tui.structures import late

PROJECT: Final = "project"
"""The source of what comes with a repository."""
_LINE: Final = late.pattern(r"/(\S+)\s*(.*)", re.DOTALL)


class Skills:
    """All there are. What was odd in their files is in `problems`, one line each."""

    def __init__(self, skills: Mapping[str, Skill], problems: tuple[str, ...] = ()) -> None:
        self._skills = dict(sorted(skills.items()))
        self.problems = problems

    def list(self) -> tuple[SkillInfo, ...]:
        """All skills, sorted by name."""
        return tuple(
            SkillInfo(s.name, s.description, s.arguments, s.free, s.source, s.hint)
            for s in self._skills.values()
        )

    def of_project(self) -> Iterable[Skill]:
        return (one for one in self._skills.values() if one.source == PROJECT)

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name)

    def called_by(self, line: str) -> Skill | None:
        """The skill that `/name words` calls."""
        typed = _LINE.fullmatch(line.strip())
        return self._skills.get(typed[1]) if typed else None

    def body(self, name: str, words: str = "") -> str:
        """The text of a skill as a model loads it, with its `words`; without any, places for
        arguments stay as they are. Raises KeyError."""
        return load(self._skills[name], words).text

    def expand(self, line: str) -> Expansion | Missing | None:
        """What `/name words` stands for; None where it names no skill."""
        typed, skill = _LINE.fullmatch(line.strip()), self.called_by(line)
        if typed is None or skill is None:
            return None
        words = typed[2].strip()
        return _filled(skill, words, split(words, len(skill.arguments)))

    def complete(self, missing: Missing, answer: str) -> Expansion | Missing:
        """Go on with what the person answered; without an answer the same argument is still
        missing."""
        given = (*missing.given, answer.strip()) if answer.strip() else missing.given
        return _filled(self._skills[missing.name], " ".join(given), given)


def load(skill: Skill, words: str) -> Expansion:
    """What a model gets that loads `skill` with these words."""
    if not words.strip():
        return as_written(skill)
    return expand(skill, words.strip(), split(words, len(skill.arguments)))


def _filled(skill: Skill, words: str, given: tuple[str, ...]) -> Expansion | Missing:
    if len(given) < len(skill.arguments):
        return Missing(skill.name, skill.arguments[len(given)], given)
    return expand(skill, words, given)
