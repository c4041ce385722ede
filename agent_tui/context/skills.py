"""Skills: prepared prompts that the person runs as `/name …` and the model can load by name.

Sources, the later wins: shipped, `~/.claude/skills/`, the person's own (`skills.md` and `skills/`
in the config folder). The project's (`.agent-tui/skills.md` and `.agent-tui/skills/`, the nearest
to the session's folder last) come with a repository, from anyone: one that is called as one of
those is `/project:name`.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.context.skill_files import Skill, from_folder, from_sections
from agent_tui.paths import project_folders
from agent_tui.protocol.messages import SkillInfo
from agent_tui.safety.secrets import hide_secrets

PROJECT: Final = "project"
"""The source of what comes with a repository."""
LIMIT: Final = 256_000
"""Bytes of one skill file that are used."""
_LINE: Final = re.compile(r"/(\S+)\s*(.*)", re.DOTALL)
_FREE: Final = "$ARGUMENTS"


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is sent to the model for a skill."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A named argument was not given: ask the person for it (`Skills.complete`). `given`: those
    before it."""

    name: str
    argument: str
    given: tuple[str, ...]


class Skills:
    """The skills of a session, by name. What was odd in their files is in `problems`, one line
    each."""

    def __init__(self, skills: Mapping[str, Skill], problems: tuple[str, ...] = ()) -> None:
        self._skills = dict(sorted(skills.items()))
        self.problems = problems

    @classmethod
    def discover(
        cls,
        shipped: Path,
        config: Path,
        cwd: Path,
        home: Path,
        hide: Callable[[str], str] = hide_secrets,
    ) -> Skills:
        """Read all there are; `hide` replaces the secrets in those of the project. Never raises:
        what cannot be read is a problem."""
        found: dict[str, Skill] = {}
        problems: list[str] = []
        folders = project_folders(cwd)
        project = text_files.Project(folders[:1], folders[-1:], hide)
        sources: list[tuple[str, Path | None, Path, text_files.Project | None]] = [
            ("shipped", shipped / "skills.md", shipped, None),
            ("~/.claude", None, home / ".claude" / "skills", None),
            ("user", config / "skills.md", config / "skills", None),
        ]
        for folder in folders:
            own = folder / ".agent-tui"
            sources.append((PROJECT, own / "skills.md", own / "skills", project))
        for source, sections, folder, within in sources:
            here: dict[str, Skill] = {}
            written = [] if sections is None else _in_file(sections, within, problems)
            for skill in (*written, *_in_folder(folder, within, problems)):
                if (
                    source == PROJECT
                    and (known := found.get(skill.name))
                    and known.source != PROJECT
                ):
                    whose = "shipped" if known.source == "shipped" else "your own"
                    name = f"{PROJECT}:{skill.name}"
                    problems.append(f"/{skill.name} is {whose}; the one of this project is /{name}")
                    skill = replace(skill, name=name)
                if skill.name in here:
                    problems.append(
                        f"{skill.folder}: /{skill.name} is defined twice; this one is used"
                    )
                here[skill.name] = replace(skill, source=source)
            found.update(here)
        return cls(found, tuple(problems))

    def list(self) -> tuple[SkillInfo, ...]:
        """All skills, sorted by name."""
        return tuple(
            SkillInfo(s.name, s.description, s.arguments, s.free, s.source, s.hint)
            for s in self._skills.values()
        )

    def body(self, name: str) -> str:
        """The text of a skill as a model loads it: places for arguments stay as they are. Raises
        KeyError."""
        return _located(self._skills[name], self._skills[name].body)

    def expand(self, line: str) -> Expansion | Missing | None:
        """What `/name args` stands for; None where it names no skill."""
        typed = _LINE.fullmatch(line.strip())
        skill = self._skills.get(typed[1]) if typed else None
        if typed is None or skill is None:
            return None
        rest = typed[2].strip()
        if skill.arguments:
            return self._filled(skill, split(rest, len(skill.arguments)))
        return Expansion(skill.name, _located(skill, _with_free_text(skill.body, rest)))

    def complete(self, missing: Missing, answer: str) -> Expansion | Missing:
        """Go on with what the person answered; without an answer the same argument is still
        missing."""
        given = (*missing.given, answer.strip()) if answer.strip() else missing.given
        return self._filled(self._skills[missing.name], given)

    @staticmethod
    def _filled(skill: Skill, given: tuple[str, ...]) -> Expansion | Missing:
        if len(given) < len(skill.arguments):
            return Missing(skill.name, skill.arguments[len(given)], given)
        values = dict(zip(skill.arguments, given, strict=False))
        places = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
        text = places.sub(
            lambda place: values[place[0][1:-1]], skill.body
        )  # one pass: a value is never read again
        return Expansion(skill.name, _located(skill, text))


def split(text: str, count: int) -> tuple[str, ...]:
    """At most `count` arguments, quoted as in a shell; the last one takes the rest of the line as
    it stands."""
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    given: list[str] = []
    try:
        while len(given) < count - 1:
            token = lexer.get_token()
            if token is None:
                return tuple(given)
            given.append(token)
    except ValueError:  # a quote that is never closed: an apostrophe, most likely
        return tuple(text.split(None, count - 1))
    rest = stream.read().strip()
    return (*given, _unquoted(rest)) if rest else tuple(given)


def _unquoted(rest: str) -> str:
    """`rest` without quotes that go around all of it."""
    if rest[:1] not in "\"'" or rest[:1] != rest[-1:]:
        return rest
    try:
        tokens = shlex.split(rest)
    except ValueError:
        return rest
    return tokens[0] if len(tokens) == 1 else rest


def _with_free_text(body: str, rest: str) -> str:
    if _FREE in body:
        return body.replace(_FREE, rest)
    return f"{body}\n\n{rest}".strip() if rest else body


def _located(skill: Skill, text: str) -> str:
    """A folder's skill says where it lies, so that the model can read the files beside it."""
    return f"{text}\n\n(This skill's folder: {skill.folder})" if skill.folder else text


def _in_file(path: Path, within: text_files.Project | None, problems: list[str]) -> Iterator[Skill]:
    file = text_files.read(path, LIMIT, within)
    if file is not None:
        problems.extend([file.problem] if file.problem else [])
        yield from from_sections(file.text, str(path), problems)


def _in_folder(
    folder: Path, within: text_files.Project | None, problems: list[str]
) -> Iterator[Skill]:
    """The skills in `folder`: each a folder with a SKILL.md in it."""
    try:
        real = folder.resolve(strict=True)
        if within is not None and not within.holds(real):
            problems.append(f"{folder} leads outside the project, to {real}: not used")
            return
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "links in a circle"
        problems.append(f"{folder} cannot be read ({reason}): not used")
        return
    for entry in entries:
        file = text_files.read(entry / "SKILL.md", LIMIT, within)
        if file is None:
            continue
        problems.extend([file.problem] if file.problem else [])
        skill = (
            from_folder(file.text, str(entry), entry.name, problems) if file.text.strip() else None
        )
        if skill is not None:
            yield skill
