"""The request's prefix, built once a session (and again after `/clear`), and the facts that change
behind it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from agent_tui.context import project, prompt
from agent_tui.protocol.events import ContextBuilt, Notice
from agent_tui.protocol.messages import SkillInfo, ToolSpec
from agent_tui.safety.secrets import hide_secrets

PLAN_FACT = (
    "Mode: plan. Only look and think: tools that change anything are refused. End with a plan."
)


def build_prefix(
    cwd: Path,
    home: Path,
    tools: Sequence[ToolSpec],
    skills: Sequence[SkillInfo],
    others: Sequence[Path] = (),
    left_out: str = "",
    hide: Callable[[str], str] = hide_secrets,
) -> tuple[ContextBuilt, list[Notice]]:
    """System prompt and tool schemas as they stand now, whole, for the log; and what of the files was
    not used.
    `others`: folders that the session works in, too; `left_out`: names of variables that commands
    do not get;
    `hide` replaces the secrets in a project's files."""
    instructions = project.instructions(cwd, home, others, hide)
    prefix = prompt.build(cwd, tools, skills, instructions, others, left_out)
    schemas = json.dumps([asdict(tool) for tool in tools], ensure_ascii=True)
    hashed = hashlib.sha256((prefix.system + schemas).encode("utf-8", "surrogatepass")).hexdigest()[
        :16
    ]
    notices = [Notice(file.problem, "warning") for file in instructions if file.problem]
    if without := prompt.left_out(skills):
        named = ", ".join(f"/{skill.name}" for skill in without[:5])
        more = f" and {len(without) - 5} more" if len(without) > 5 else ""
        said = f"The list of skills is longer than {prompt.SKILLS_CHARS:,} characters: it leaves out {named}{more}"
        notices.append(Notice(said, "warning"))
    return ContextBuilt(
        system=prefix.system, tools=schemas, parts=prefix.parts, hash=hashed
    ), notices


async def volatile_facts(cwd: Path, mode: str) -> str:
    """Git status, date, and the mode where it changes what the model should try."""
    facts = await project.facts(cwd)
    return f"{facts}\n{PLAN_FACT}" if mode == "plan" else facts
