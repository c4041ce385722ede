"""How skills are written: `SKILL.md` folders with front matter, and `skills.md` files with a
section for each skill.

Pure: text in, skills and problems out. What is odd is named, never refused, as long as it can be
used at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_DESCRIPTION: Final = 1_024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""What the published format allows as a name (at most 64 characters)."""
_USABLE: Final = re.compile(r"[^\s/<>{}$\"'`]+")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+/(?P<name>\S+)(?P<rest>.*?)(?:[ \t]+#+)?[ \t]*")
_ARGUMENTS: Final = re.compile(r"(?:\s*<[^<>{}]+>)*\s*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_KEY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|)$")


@dataclass(frozen=True, slots=True)
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
