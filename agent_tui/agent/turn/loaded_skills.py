"""The skills of a session, which of the project's the person lets be used, and what an agent that
loads one gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from agent_tui.context.skills.catalog import PROJECT, Skills
from agent_tui.context.skills.parsing import Skill
from agent_tui.protocol.display import TextDisplay
from agent_tui.tools.base import Inquiry, ToolFailure

YES: Final = "yes, use it"
YES_MEANS: Final = "it asks again when its text changes"
NO_MEANS: Final = "nothing of it is sent to the model"
REFUSED: Final = (
    "/{} is a skill of this project that was never used, and nobody is here to read it ({}). Use it once in a session, "
    "or name the project with --trust"
)


class LoadedSkills:
    """`discover` reads all skills, and which of the project's the person let be used; `agree` keeps
    that for one more. Raises OSError."""

    def __init__(
        self,
        discover: Callable[[], tuple[Skills, frozenset[str]]],
        agree: Callable[[Skill], None],
        cwd: Path,
    ) -> None:
        self._discover, self._agree, self._cwd = discover, agree, cwd
        self._agreed: set[str] = set()
        self.look_again()

    def look_again(self) -> None:
        """Read all skills anew. Reads files: not for the loop."""
        self.skills, agreed = self._discover()
        self._agreed |= agreed

    def is_new(self, skill: Skill | None) -> bool:
        """Whether the person has to say first that it may be used."""
        project = skill is not None and skill.source == PROJECT
        return skill is not None and project and skill.digest not in self._agreed

    def agree(self, skill: Skill) -> None:
        """The person lets it be used. Writes a file: not for the loop. Raises OSError where that
        cannot be kept; it holds all the same."""
        self._agreed.add(skill.digest)
        self._agree(skill)

    def inquiry(self, skill: Skill) -> Inquiry:
        """What is asked before a skill of the project is used for the first time."""
        text = f"Use the skill /{skill.name} of this project?\nIt is from {self.place_of(skill)}"
        details = (YES_MEANS, NO_MEANS)
        return Inquiry(text, (YES,), details, kind="skill", display=TextDisplay(skill.text))

    def refusal(self, skill: Skill) -> str:
        """What is said of its first use where nobody can be asked."""
        return REFUSED.format(skill.name, self.place_of(skill))

    def place_of(self, skill: Skill) -> str:
        path = Path(skill.file)
        return str(path.relative_to(self._cwd) if path.is_relative_to(self._cwd) else path)

    def find(self, name: str) -> Skill:
        """The skill of this name. Raises ToolFailure."""
        if (skill := self.skills.get(name)) is not None:
            return skill
        names = ", ".join(skill.name for skill in self.skills.list()) or "none"
        raise ToolFailure("not_found", f"no skill {name!r}; there are: {names}")
