"""The system prompt and the prefix of a request, built once a session (and again after `/clear`):
the same bytes for the same folder, tools, skills and files. No clock, no git status, no chance: the
facts that change go behind it.

Short, because a small local model reads all of it before its first word; exact, because a large one
takes it literally.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Final

from agent_tui.context import identity, instruction_files, project, prompt_texts
from agent_tui.context.instruction_files import ALL_LIMIT, Instruction, Places
from agent_tui.context.prompt_texts import OwnText
from agent_tui.protocol.events import ContextBuilt, Notice
from agent_tui.protocol.messages import SkillInfo, ToolSpec
from agent_tui.protocol.turn_events import ContextPart, Profile
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

PLAN_FACT = (
    "Mode: plan. Only look and think: tools that change anything are refused. End with a plan: "
    "give it to propose_plan, where you have that tool."
)
PLACE_PART, SKILLS_PART, MEMORY_PART = "place", "skills", "memory"
FILE_PART: Final = "instructions: "
"""How the name of a part begins that is an instruction file."""
_BETWEEN: Final = "\n\n"


@frozen
class PromptInput:
    """What a prompt is made from. `others`: folders that the session works in, too; `left_out`:
    names of the person's variables that commands do not get; `groups`: tools that are loaded on
    demand; `remaining`: off the record, the tools that are not refused."""

    cwd: Path
    tools: Sequence[ToolSpec] = ()
    skills: Sequence[SkillInfo] = ()
    instructions: Sequence[Instruction] = ()
    others: Sequence[Path] = ()
    left_out: str = ""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    profile: Profile = "full"
    remaining: Sequence[str] | None = None
    memory: str = ""
    """The list of remembered facts."""
    identity: Sequence[Instruction] = ()
    own: Mapping[str, OwnText] = field(default_factory=dict)
    """The person's own texts, by the parts in whose place they stand."""
    unknown: str = ""
    """What is to be said of files that stand in the place of no part."""


@frozen
class Part:
    """A part of the prompt. `write` makes its text; empty: it is left out, because of `absent`. The
    `files` that are quoted in it are a part each. `from_person`: a file of the person may stand in
    its place, and `behind` goes on in either. `told`: when it changes, the model is told."""

    name: str
    about: str
    source: str
    write: Callable[[PromptInput], str]
    absent: str = ""
    files: Callable[[PromptInput], Sequence[Instruction]] | None = None
    from_person: bool = True
    behind: Callable[[PromptInput], str] = lambda _: ""
    told: bool = False


def _fixed(name: str) -> Callable[[PromptInput], str]:
    return lambda given: prompt_texts.BUILT_IN[given.profile][name]


def _tools(given: PromptInput) -> str:
    if not given.tools:
        return ""
    there = {tool.name for tool in given.tools}.union(*given.groups.values())
    rules = prompt_texts.OF_TOOLS[given.profile].items()
    more = "".join(f"\n- {rule}" for needed, rule in rules if needed in there)
    return _fixed("tools")(given) + more


def _name_groups(given: PromptInput) -> str:
    listed = "; ".join(f"{group} ({', '.join(names)})" for group, names in given.groups.items())
    return prompt_texts.MORE_TOOLS.format(listed) if listed else ""


def _off_record(given: PromptInput) -> str:
    if given.remaining is None:
        return ""
    return prompt_texts.OFF_RECORD.format(", ".join(given.remaining) or "none")


def _place(given: PromptInput) -> str:
    lines = ["# Place", f"Working directory: {given.cwd}"]
    if given.others:
        others = ", ".join(map(str, given.others))
        lines.append(f"You work in these folders as well, by their full paths: {others}")
    lines.append(f"Platform: {sys.platform}")
    if given.left_out:
        lines.append(
            "Set for the person, but not for commands (they can add names to `tools.pass_env`): "
            f"{given.left_out}"
        )
    return "\n".join(lines)


def _skills(given: PromptInput) -> str:
    if not given.skills:
        return ""
    loadable = any(tool.name == "skills" for tool in given.tools)
    return _skill_list(given.skills, loadable, SKILLS_CHARS[given.profile])


def _memory(given: PromptInput) -> str:
    return f"{prompt_texts.MEMORY}\n{given.memory}" if given.memory else ""


BUILT_IN: Final = "built in"
PARTS: Final = (
    Part("role", "what it is and for whom it works", BUILT_IN, _fixed("role")),
    Part("work", "how to work", BUILT_IN, _fixed("work")),
    Part(
        "tools", "how to use tools, and which can be loaded", BUILT_IN, _tools,
        "no tools are offered", behind=_name_groups,
    ),
    Part("style", "how to answer", BUILT_IN, _fixed("style")),
    Part("trust", "whose orders count", BUILT_IN, _fixed("trust")),
    Part("sensitive", "what is never shown or sent", BUILT_IN, _fixed("sensitive")),
    Part(
        "off-the-record", "off the record: what is not kept, and which tools remain", BUILT_IN,
        _off_record, "this session is recorded",
    ),
    Part(
        PLACE_PART, "the folders, the platform, variables that commands do not get",
        "this session", _place, from_person=False,
    ),
    Part(SKILLS_PART, "the list of skills", "the skills", _skills, "there are no skills", told=True),
    Part(
        MEMORY_PART, "the list of remembered facts", "the memory", _memory,
        "nothing is remembered", from_person=False, told=True,
    ),
    Part(
        "instructions", "the instruction files, each a part", BUILT_IN,
        lambda _: prompt_texts.INSTRUCTIONS, "there are none that you trust",
        lambda given: given.instructions, from_person=False,
    ),
    Part(
        "identity", "the identity files, each a part", BUILT_IN,
        lambda _: prompt_texts.IDENTITY, "there are none that you trust",
        lambda given: given.identity, from_person=False,
    ),
)  # fmt: skip
"""The parts in their order. Behind them come the messages, and the facts that change."""
TOLD_PARTS: Final = frozenset(part.name for part in PARTS if part.told)
REPLACEABLE: Final = tuple(part.name for part in PARTS if part.from_person)
GUARDS: Final = ("trust", "sensitive")
"""Parts that protect the person: it is said where another text stands in their place."""


@frozen
class Prefix:
    """The system prompt, what it is made of in the same order, and what is not in it: the name of
    the part, and why."""

    system: str
    parts: tuple[ContextPart, ...]
    left_out: tuple[tuple[str, str], ...] = ()


def build(given: PromptInput) -> Prefix:
    """The prompt. The tools' schemas are sent beside it, not in it."""
    texts, parts, left_out = list[str](), list[ContextPart](), list[tuple[str, str]]()
    for part in PARTS:
        files = (
            [(f"{part.name}: {one.name}", one) for one in part.files(given)] if part.files else ()
        )
        text, source, why = _text_of(part, given)
        if part.files and not any(one.text for _, one in files):
            text, why = "", part.absent
        left_out += [(name, one.problem) for name, one in files if not one.text]
        if not text:
            left_out.append((part.name, why))
            continue
        found = [(part.name, text, source)]
        found += [(name, _quoted(part.name, one), str(one.path)) for name, one in files if one.text]
        texts += [text for _, text, _ in found]
        parts += [ContextPart(name, len(text), source) for name, text, source in found]
    return Prefix(_BETWEEN.join(texts), tuple(parts), tuple(left_out))


def _text_of(part: Part, given: PromptInput) -> tuple[str, str, str]:
    """The text of a part, the file that it is from, and why there is none."""
    text, own = part.write(given), given.own.get(part.name)
    if not text or own is None or not own.used:  # what has no place here has none for a file
        return text and text + part.behind(given), "", part.absent
    if not own.text:
        return "", "", f"{own.path} is empty"
    return own.text + part.behind(given), str(own.path), ""


def source_of(part: ContextPart) -> str:
    """Where a part is from: its file, or in words."""
    named = {one.name: one.source for one in PARTS}
    return part.source or named.get(part.name, BUILT_IN)


def part_texts(system: str, parts: Sequence[ContextPart]) -> dict[str, str]:
    """The texts of a prompt by the names of its parts, as `build` put them together."""
    texts, at = dict[str, str](), 0
    for part in parts:
        texts[part.name] = system[at : at + part.chars]
        at += part.chars + len(_BETWEEN)
    return texts


def with_files(
    given: PromptInput,
    places: Places,
    config: Path,
    hide: Callable[[str], str] = hide_secrets,
    room: int = ALL_LIMIT,
    *,
    admits: Callable[[Path, bytes], bool],
    closed: Sequence[str] = (),
) -> PromptInput:
    """The same with what the files say now: instruction files in `places` with so much `room`, and
    those of the person in `config`. `admits` says which of a project's files are used, `hide`
    replaces the secrets in them."""
    instructions = instruction_files.read_all(places, hide, room, admits=admits, closed=closed)
    files = identity.read(given.cwd, config, hide, admits=admits, closed=closed)
    own, unknown = prompt_texts.read_own_texts(config, REPLACEABLE)
    return replace(
        given,
        instructions=instructions,
        identity=identity.as_identity(files, given.profile),
        own=own,
        unknown=unknown,
    )


def notices(given: PromptInput) -> list[Notice]:
    """What is said of files and skills that are not used, or not whole."""
    said = [one.problem for one in (*given.instructions, *given.identity) if one.problem]
    said += describe_own(given)
    limit = SKILLS_CHARS[given.profile]
    if SKILLS_PART not in given.own and (without := unlisted_skills(given.skills, limit)):
        named = ", ".join(f"/{skill.name}" for skill in without[:5])
        more = f" and {len(without) - 5} more" if len(without) > 5 else ""
        said.append(
            f"The list of skills is longer than {limit:,} characters: it leaves out {named}{more}"
        )
    return [Notice(text, "warning") for text in dict.fromkeys(said)]


def describe_own(given: PromptInput) -> list[str]:
    """What is said of the person's own parts: what is not used of them, and rules that they take
    away."""
    said = [one.problem for one in given.own.values() if one.problem]
    said += [given.unknown] if given.unknown else []
    for name in GUARDS:
        if (own := given.own.get(name)) is not None and own.used:
            how = "stands in the place of" if own.text else "is empty: it leaves out"
            said.append(f"{own.path} {how} the rules that protect you ({name})")
    return said


def with_tools(
    system: str,
    parts: Sequence[ContextPart],
    tools: Sequence[ToolSpec],
    profile: Profile,
    room: int = 0,
) -> ContextBuilt:
    """The prefix of a request that offers these tools."""
    schemas = json.dumps([asdict(tool) for tool in tools], ensure_ascii=True)
    hashed = hashlib.sha256((system + schemas).encode("utf-8", "surrogatepass")).hexdigest()
    return ContextBuilt(system, schemas, tuple(parts), hashed[:16], profile, room)


async def volatile_facts(
    cwd: Path, mode: str, hide: Callable[[str], str] = hide_secrets, model: str = ""
) -> str:
    """Git status, date, system, model, and the mode where it changes what the model should try;
    `hide` replaces the secrets."""
    facts = await project.facts(cwd, hide, model)
    return f"{facts}\n{PLAN_FACT}" if mode == "plan" else facts


def _quoted(tag: str, one: Instruction) -> str:
    """Nothing in the file or its name ends the block."""
    name = re.sub(r'[<>"\n]', "_", one.name)
    return f'<{tag} file="{name}">\n{_BLOCK.sub("‹", one.text)}\n</{tag}>'


_BLOCK: Final = late.pattern(r"<(?=\s*/?\s*(?:instructions|identity))", re.IGNORECASE)
SKILLS_CHARS: Final[Mapping[Profile, int]] = {"full": 16_000, "small": 1_500}
"""Characters of the list of skills: it goes with every request."""


def unlisted_skills(
    skills: Sequence[SkillInfo], limit: int = SKILLS_CHARS["full"]
) -> tuple[SkillInfo, ...]:
    """The skills for which the list has no room: those of the project first, the last of them
    first."""
    by_trust = sorted(skills, key=lambda skill: skill.source == "project")
    used = list(accumulate(len(_skill_line(skill)) + 1 for skill in by_trust))
    return tuple(skill for skill, chars in zip(by_trust, used, strict=True) if chars > limit)


def _skill_line(skill: SkillInfo) -> str:
    return f"- {skill.name}: {' '.join(skill.description.split())}"


def _skill_list(skills: Sequence[SkillInfo], loadable: bool, limit: int) -> str:
    how = "Load one with the `skills` tool when the task fits its description." if loadable else ""
    head = f"# Skills\nPrepared instructions; the person runs one by typing `/name`. {how}".rstrip()
    without = unlisted_skills(skills, limit)
    lines = [_skill_line(skill) for skill in skills if skill not in without]
    if without:
        lines.append(
            f"- … and {len(without)} more" + (": the `skills` tool lists all" if loadable else "")
        )
    return "\n".join((head, *lines))
