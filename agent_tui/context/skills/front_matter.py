"""The head of a skill's file, between two lines of `---`: the simple part of YAML that skills use."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.structures import late

_KEY: Final = late.pattern(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|)$")
_ITEM: Final = late.pattern(r"[^\s,()]+(?:\([^)]*\))?")
"""One of a list; what stands in brackets behind it, as in `Bash(git diff:*)`, is part of it."""


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The key-value pairs, and the rest of `text`: plain and quoted values, values that go on in
    indented lines, the blocks `|` and `>`, lists (`a, b`), and tables of one level (`metadata` with
    an `author` gives `metadata.author`); what is nested deeper is passed over."""
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
        while number < end and (not lines[number].strip() or lines[number][0] in " \t-"):
            number += 1
        if entry:
            key, head = entry[1].lower(), (entry[2] or "").strip()
            values[key] = _value(head, lines[first:number])
            for line in () if head else lines[first:number]:
                if inner := _KEY.match(line.strip()):
                    values[f"{key}.{inner[1].lower()}"] = _value((inner[2] or "").strip(), [])
    return values, "\n".join(lines[end + 1 :])


def items(value: str) -> tuple[str, ...]:
    """The items of a list, as `[a, b]`, with commas or with spaces alone."""
    bare = value.strip().removeprefix("[").removesuffix("]")
    found = (one.strip("\"'") for one in _ITEM.findall(bare))
    return tuple(dict.fromkeys(filter(None, found)))


def _value(head: str, more: list[str]) -> str:
    if re.fullmatch(r"[|>][+-]?\d?", head):
        return _block(more, folded=head[0] == ">")
    written = [line.strip() for line in more if line.strip()]
    if head == "" and written:
        listed = all(line.startswith("- ") for line in written)
        return ", ".join(_value(line[2:].strip(), []) for line in written) if listed else ""
    joined = " ".join([head, *written]).strip()
    if len(joined) > 1 and joined[0] == joined[-1] == "'":
        return joined[1:-1].replace("''", "'")
    if joined.startswith('"') and (quoted := re.match(r'"((?:[^"\\]|\\.)*)"', joined)):
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted[1])
    return re.sub(r"(?:^|\s+)#.*$", "", joined)


def _block(lines: list[str], folded: bool) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[indent:].rstrip() for line in lines).strip("\n")
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text) if folded else text
