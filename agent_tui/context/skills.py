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
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.paths import project_folders
from agent_tui.protocol.messages import SkillInfo
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MAX_DESCRIPTION: Final = 1_024
_NAME: Final = late.pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""What the published format allows as a name (at most 64 characters)."""
_USABLE: Final = late.pattern(r"[^\s/<>{}$\"'`]+")
_HEADING: Final = late.pattern(r"(#{1,6})[ \t]+/(?P<name>\S+)(?P<rest>.*?)(?:[ \t]+#+)?[ \t]*")
_ARGUMENTS: Final = late.pattern(r"(?:\s*<[^<>{}]+>)*\s*")
_FENCE: Final = late.pattern(r" {0,3}(`{3,}|~{3,})")
_KEY: Final = late.pattern(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|)$")


@frozen
class Skill:
    """A skill as it was written. `arguments`: the named places in `body`; `free`: it takes one text
    (`$ARGUMENTS`).
    `folder`: where its other files lie; `source`: whose it is; `hint`: the argument in words, for
    the person."""

    name: str
    description: str
    body: str
    arguments: tuple[str, ...] = ()
    free: bool = False
    folder: str = ""
    source: str = ""
    hint: str = ""


def from_folder(text: str, folder: str, folder_name: str, problems: list[str]) -> Skill | None:
    """The skill in a SKILL.md. None: its name cannot be typed, or is not that of its folder."""
    where = f"{folder}/SKILL.md"
    values, body = front_matter(text)
    if not values:
        problems.append(
            f"{where}: has no front matter (name and description between two lines of `---`)"
        )
    name = values.get("name", "").strip() or folder_name
    if name != folder_name:
        problems.append(
            f"{where}: its name {name[:80]!r} is not that of its folder, {folder_name!r}: not used"
        )
        return None
    if not _USABLE.fullmatch(name):
        problems.append(f"{where}: the name {name!r} cannot be typed as a command: not used")
        return None
    if not _NAME.fullmatch(name) or len(name) > 64:
        problems.append(
            f"{where}: the name {name!r} should be small letters, digits and single hyphens, at most 64"
        )
    description = " ".join(values.get("description", "").split())
    if not description:
        problems.append(f"{where}: has no description, so a model cannot tell when to use it")
        description = summary(body)
    if len(description) > MAX_DESCRIPTION:
        most = f"only the first {MAX_DESCRIPTION:,} are used"
        problems.append(f"{where}: the description has {len(description):,} characters, {most}")
        description = f"{description[: MAX_DESCRIPTION - 1]}…"
    hint = values.get("argument-hint", values.get("metadata.argument-hint", "")).strip()
    return Skill(name, description, body.strip(), free=True, folder=folder, hint=hint)


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The key-value pairs between the first two `---` lines, and the rest. The simple part of YAML
    that skills use: plain and quoted values, values that go on in indented lines, the blocks `|`
    and `>`, and tables of one level (`metadata` with an `author` gives `metadata.author`); what is
    nested deeper is passed over."""
    lines = text.split("\n")
    if not lines or lines[0].rstrip() != "---":
        return {}, text
    end = next(
        (number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0
    )
    if not end:
        return {}, text
    values: dict[str, str] = {}
    number = 1
    while number < end:
        entry = _KEY.match(lines[number].rstrip())
        number += 1
        first = number
        while number < end and (not lines[number].strip() or lines[number][0] in " \t"):
            number += 1
        if entry:
            key, head = entry[1].lower(), (entry[2] or "").strip()
            values[key] = _value(head, lines[first:number])
            for line in () if head else lines[first:number]:
                if inner := _KEY.match(line.strip()):
                    values[f"{key}.{inner[1].lower()}"] = _value((inner[2] or "").strip(), [])
    return values, "\n".join(lines[end + 1 :])


def _value(head: str, more: list[str]) -> str:
    if re.fullmatch(r"[|>][+-]?\d?", head):
        return _block(more, folded=head[0] == ">")
    if head == "" and any(line.strip() for line in more):
        return ""  # a nested table or list
    joined = " ".join([head, *(line.strip() for line in more if line.strip())]).strip()
    if len(joined) > 1 and joined[0] == joined[-1] == "'":
        return joined[1:-1].replace("''", "'")
    if joined.startswith('"') and (quoted := re.match(r'"((?:[^"\\]|\\.)*)"', joined)):
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted[1])
    return re.sub(r"(?:^|\s+)#.*$", "", joined)


def _block(lines: list[str], folded: bool) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[indent:].rstrip() for line in lines).strip("\n")
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text) if folded else text


def from_sections(text: str, where: str, problems: list[str]) -> Iterator[Skill]:
    """The skills in a skills.md: one for each heading `/name <arg> <other>`, its text up to the
    next such heading."""
    found: dict[str, Skill] = {}
    for number, name, places, body in _sections(text, where, problems):
        at = f"{where}:{number}"
        if name in found:
            problems.append(f"{at}: /{name} is defined twice; the later one is used")
        if len(set(places)) < len(places):
            problems.append(f"{at}: /{name} names an argument twice")
        arguments = tuple(dict.fromkeys(places))
        unused = [argument for argument in arguments if f"{{{argument}}}" not in body]
        if unused:
            problems.append(
                f"{at}: the text of /{name} does not contain {', '.join(f'{{{one}}}' for one in unused)}"
            )
        if not body:
            problems.append(f"{at}: /{name} has no text")
        found[name] = Skill(name, summary(body), body, arguments)
    yield from found.values()


def _sections(
    text: str, where: str, problems: list[str]
) -> Iterator[tuple[int, str, list[str], str]]:
    """Line, name, arguments and text of each section. What looks like a heading in a code block is
    text."""
    start: tuple[int, str, list[str]] | None = None
    body: list[str] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not line.strip(" `~") else fence
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.fullmatch(line.rstrip()):
            name, rest = heading["name"], heading["rest"]
            name, _, glued = name.partition("<")
            rest = f"<{glued}{rest}" if glued else rest
            if _USABLE.fullmatch(name) and _ARGUMENTS.fullmatch(rest):
                if start:
                    yield (*start, "\n".join(body).strip())
                start, body = (
                    (number, name, [one.strip() for one in re.findall(r"<([^<>]+)>", rest)]),
                    [],
                )
                continue
            problems.append(
                f"{where}:{number}: {line.strip()!r} is not a skill's heading: /name <argument> …"
            )
        body.append(line)
    if start:
        yield (*start, "\n".join(body).strip())


def summary(body: str) -> str:
    """The first line that says something, short."""
    first = next(
        (line.strip(" #>-\t") for line in body.split("\n") if line.strip(" #*_>-\t`~")), ""
    )
    return first if len(first) <= 100 else f"{first[:99].rstrip()}…"


PROJECT: Final = "project"
"""The source of what comes with a repository."""
LIMIT: Final = 256_000
"""Bytes of one skill file that are used."""
_LINE: Final = late.pattern(r"/(\S+)\s*(.*)", re.DOTALL)
_FREE: Final = "$ARGUMENTS"


@frozen
class Expansion:
    """What is sent to the model for a skill."""

    name: str
    text: str


@frozen
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
        *,
        admits: Callable[[Path, bytes], bool],
    ) -> Skills:
        """Read all there are; of the project's, `admits` says which are used and `hide` replaces
        the secrets. Never raises: what cannot be read is a problem."""
        found: dict[str, Skill] = {}
        problems: list[str] = []
        folders = project_folders(cwd)
        project = text_files.Project(folders[:1], folders[-1:], hide, admits)
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
