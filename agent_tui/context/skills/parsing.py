"""What a skill is, and how it is written: as a folder with a SKILL.md (agentskills.io), as a file of
its own, or as a section of a skills.md."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from agent_tui.context.skills.front_matter import front_matter, items
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MAX_DESCRIPTION: Final = 1_024
NAME: Final = late.pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""What the published format allows as a name (at most 64 characters)."""
_USABLE: Final = late.pattern(r"[^\s/<>{}$\"'`]+")
_HEADING: Final = late.pattern(r"(#{1,6})[ \t]+/(?P<name>\S+)(?P<rest>.*?)(?:[ \t]+#+)?[ \t]*")
_ARGUMENTS: Final = late.pattern(r"(?:\s*<[^<>{}]+>)*\s*")
_FENCE: Final = late.pattern(r" {0,3}(`{3,}|~{3,})")


@frozen
class Skill:
    """A skill as it was written. `arguments`: its named places in `body`; `free`: it takes one text
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
    tools: tuple[str, ...] | None = None
    """The tools that its turn may use (`allowed-tools`), as they are written; None: all."""
    fork: bool = False
    """It runs in a context of its own (`context: fork`)."""
    file: str = ""
    text: str = ""
    """All that the file says of it: what a person reads before they let it be used."""

    @property
    def digest(self) -> str:
        """Which text it is, under which name."""
        said = f"{self.name}\0{self.text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(said).hexdigest()


def from_folder(text: str, folder: str, folder_name: str, problems: list[str]) -> Skill | None:
    """The skill in a SKILL.md. None: its name cannot be typed, or is not that of its folder."""
    where = f"{folder}/SKILL.md"
    values, body = front_matter(text)
    if not values:
        problems.append(
            f"{where}: has no front matter (name and description between two lines of `---`)"
        )
    description = " ".join(values.get("description", "").split())
    if not description:
        problems.append(f"{where}: has no description, so a model cannot tell when to use it")
    name, owner = values.get("name", "").strip() or folder_name, f"its folder, {folder_name!r}"
    if not _has_good_name(name, folder_name, owner, where, problems):
        return None
    return _skill(values, body, name, where, text, folder, problems)


def from_file(text: str, path: Path, problems: list[str]) -> Skill | None:
    """The skill in a file of its own, which needs no front matter. None: that has another name."""
    values, body = front_matter(text)
    name = values.get("name", "").strip() or path.stem
    if not _has_good_name(name, path.stem, "its file", str(path), problems):
        return None
    return _skill(values, body, name, str(path), text, "", problems)


def _has_good_name(name: str, there: str, owner: str, where: str, problems: list[str]) -> bool:
    if name != there:
        problems.append(f"{where}: its name {name[:80]!r} is not that of {owner}: not used")
        return False
    if not _USABLE.fullmatch(name):
        problems.append(f"{where}: the name {name!r} cannot be typed as a command: not used")
        return False
    if not NAME.fullmatch(name) or len(name) > 64:
        allowed = "small letters, digits and single hyphens, at most 64"
        problems.append(f"{where}: the name {name!r} should be {allowed}")
    return True


def _skill(
    values: Mapping[str, str],
    body: str,
    name: str,
    where: str,
    text: str,
    folder: str,
    problems: list[str],
) -> Skill:
    def given(key: str) -> str:
        """The published format has no such keys: `metadata` may hold them."""
        return values.get(key, values.get(f"metadata.{key}", "")).strip()

    description = " ".join(values.get("description", "").split()) or summary(body)
    if len(description) > MAX_DESCRIPTION:
        most = f"only the first {MAX_DESCRIPTION:,} are used"
        problems.append(f"{where}: the description has {len(description):,} characters, {most}")
        description = f"{description[: MAX_DESCRIPTION - 1]}…"
    arguments = items(given("arguments"))
    return Skill(
        name,
        description,
        body.strip(),
        arguments,
        free=not arguments,
        folder=folder,
        hint=" ".join(given("argument-hint").split()),
        tools=items(values["allowed-tools"]) if "allowed-tools" in values else None,
        fork=given("context").lower() == "fork",
        file=where,
        text=text,
    )


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
        unused = [one for one in arguments if f"{{{one}}}" not in body and f"${one}" not in body]
        if unused:
            missing = ", ".join(f"{{{one}}}" for one in unused)
            problems.append(f"{at}: the text of /{name} does not contain {missing}")
        if not body:
            problems.append(f"{at}: /{name} has no text")
        heading = " ".join((f"/{name}", *(f"<{one}>" for one in places)))
        whole = f"{heading}\n\n{body}"
        found[name] = Skill(name, summary(body), body, arguments, file=where, text=whole)
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
