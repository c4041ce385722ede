"""What a skill's `allowed-tools` leave of the tools while its turn runs. They only take away: what
they name is judged as ever."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final

from agent_tui.agent.turn.tool_offer import LOADER
from agent_tui.context.skills.parsing import Skill
from agent_tui.protocol.tool_events import READ_RESULT
from agent_tui.safety.permissions import Permission, Permissions, find, parse
from agent_tui.safety.policy import Facts
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

NAMES: Final = {
    "AskUserQuestion": ("ask_user",),
    "Bash": ("run_shell_command",),
    "BashOutput": ("jobs",),
    "Edit": ("edit_file",),
    "ExitPlanMode": ("propose_plan",),
    "Glob": ("glob_files",),
    "Grep": ("grep_files",),
    "KillShell": ("jobs",),
    "LS": ("list_files",),
    "MultiEdit": ("edit_file",),
    "NotebookEdit": ("edit_notebook",),
    "Read": ("read_file",),
    "Skill": ("skills",),
    "TodoWrite": ("update_todos",),
    "WebFetch": ("web_fetch",),
    "WebSearch": ("web_search",),
    "Write": ("create_file",),
}
"""The tools of this program, by the names that published skills give them."""
ALWAYS: Final = frozenset((LOADER, READ_RESULT))
"""What brings a tool, or a result, that is allowed."""
_TOOL: Final = late.pattern(r"([\w-]+)(?:\((.*)\))?", re.DOTALL)


@frozen
class AllowedTools:
    """Those that `skill` names; `unknown` are names that mean nothing here."""

    skill: str
    rules: tuple[Permission, ...]
    unknown: tuple[str, ...] = ()

    def refuse(self, facts: Facts) -> str:
        """Why a call is not taken; empty: it goes on to the policy."""
        if facts.tool in ALWAYS or self._names(facts):
            return ""
        return f"the skill /{self.skill} allows only: {self.words}"

    def _names(self, facts: Facts) -> bool:
        if not facts.command:
            held = Permissions(allow=self.rules)
            return find(held, facts.tool, facts.paths, "", (), facts.host) is not None
        rules = [rule for rule in self.rules if rule.tool == facts.tool]
        if any(not rule.pattern or rule.is_exactly(facts.command) for rule in rules):
            return True
        # none where they cannot be read for certain; what only looks may stand beside others
        fits = [any(rule.fits_words(call.argv) for rule in rules) for call in facts.calls]
        calls = zip(facts.calls, fits, strict=True)
        return any(fits) and all(named or call.is_inert for call, named in calls)

    @property
    def words(self) -> str:
        return ", ".join(rule.text for rule in self.rules) or "no tool that there is here"

    @property
    def said(self) -> str:
        """What the model is told with the skill."""
        return f"(While you follow this skill, only these calls are accepted: {self.words})"


def allowed_tools(skill: Skill, known: Container[str]) -> AllowedTools | None:
    """What `skill` allows of the tools that are `known`; None: all."""
    if skill.tools is None:
        return None
    rules: list[Permission] = []
    unknown: list[str] = []
    for one in skill.tools:
        written = _TOOL.fullmatch(one)
        name, pattern = (written[1], written[2] or "") if written else (one, "")
        names = NAMES.get(name, (name,))
        there = [tool for tool in names if tool in known]
        try:
            rules += _rules(there, pattern)
        except ValueError:  # a quote that is never closed
            there = []
        if not there:
            unknown.append(one)
    return AllowedTools(skill.name, tuple(dict.fromkeys(rules)), tuple(unknown))


def _rules(tools: Sequence[str], pattern: str) -> Sequence[Permission]:
    """`git:*` and `git*` are how others write `git *`, and `domain:` is before a host."""
    words = pattern.strip().removeprefix("domain:")
    if "run_shell_command" in tools:
        words = re.sub(r"\s*:?\*$", " *", words)
    words = "" if words.strip() == "*" else words
    return [parse(f"{tool}({words})" if words else tool) for tool in tools]
