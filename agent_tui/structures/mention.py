"""How a file is named in a prompt: `@src/app.py`, or `@"a b.txt"` where the path has what would end
it."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

LONGEST: Final = 4_096
"""Characters before the caret that are looked at: no path is longer."""

_BEFORE: Final = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?<![@./\\-])"
"""An `@` inside a word (an address, a package) names no file; what is written without spaces may
stand before one."""
_NAMED: Final = late.pattern(_BEFORE + r'@(?:"((?:[^"\\\n]|\\.)+)"|([^\s"@][^\s"]*))')
_TYPED: Final = late.pattern(_BEFORE + r'@(?:"((?:[^"\\]|\\.)*)|([^\s"@][^\s"]*)?)$')
_ESCAPED: Final = late.pattern(r"\\(.)")
_COPY: Final = late.pattern(r"(?:^|/)outputs/[^/\n]+/([^/\n]+)-[0-9a-f]{8}(\.[^/.\n]*)?$")
"""A file that was copied among the session's own, under its name and a part of its hash."""
_NEEDS_QUOTES: Final = late.pattern(r'[\s"\\@]|[.,;:!?)\]}>\'`…。，、；：！？）」』]$')
_PUNCTUATION: Final = ".,;:!?)]}>'`…。，、；：！？）」』"


@frozen
class Typed:
    """A file's name that is being written: it begins at `start` in the text, and goes to the
    caret."""

    start: int
    end: int
    query: str


def typed_mention(text: str, caret: int) -> Typed | None:
    """The name that ends at the caret; None where none is being written there."""
    begin = max(text.rfind("\n", 0, caret) + 1, caret - LONGEST)
    if "@" not in (line := text[begin:caret]):
        return None
    for at in (number for number, character in enumerate(line) if character == "@"):
        if (match := _TYPED.match(line, at)) is not None:
            quoted, plain = match.group(1), match.group(2)
            return Typed(begin + at, caret, plain or "" if quoted is None else _plain(quoted))
    return None


def mentioned_files(text: str) -> tuple[tuple[str, ...], ...]:
    """Every file that `text` may name, each as the ways to read it: as it stands, and without what
    ends a sentence."""
    found: dict[tuple[str, ...], None] = {}
    for match in _NAMED.finditer(text) if "@" in text else ():
        quoted, plain = match.group(1), match.group(2)
        if quoted is not None:
            found[(_plain(quoted),)] = None
        else:
            shorter = plain.rstrip(_PUNCTUATION)
            if any(map(str.isalnum, plain)):
                found[(plain,) if shorter in ("", plain) else (plain, shorter)] = None
    return tuple(found)


def write_mention(path: str, more: bool = False) -> str:
    """`path` as it is named in a prompt. `more`: it will be typed on, so a quote stays open."""
    if _NEEDS_QUOTES.search(path) is None:
        return f"@{path}"
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'@"{escaped}' if more else f'@"{escaped}"'


def quote_mention(name: str) -> str:
    """`name`, as `written` gives it, in a way that nothing behind it can be read as a part of
    it."""
    return name if name.startswith('@"') else f'@"{name[1:]}"'


def original(path: str) -> str:
    """`path` as it is shown: a copy of the session's own is called as what it is a copy of."""
    found = _COPY.search(path) if "outputs/" in path else None
    return path if found is None else f"{found.group(1)}{found.group(2) or ''}"


def display_mentions(text: str) -> str:
    """`text` as it is shown: the copies that it names are called as what they are copies of."""
    return _NAMED.sub(_shown, text) if "/outputs/" in text else text


def _shown(found: re.Match[str]) -> str:
    quoted, plain = found.group(1), found.group(2)
    if quoted is not None:
        path = _plain(quoted)
        return found.group() if (short := original(path)) == path else write_mention(short)
    path = plain.rstrip(_PUNCTUATION)
    return (
        found.group()
        if (short := original(path)) == path
        else write_mention(short) + plain[len(path) :]
    )


def _plain(quoted: str) -> str:
    return _ESCAPED.sub(r"\1", quoted)
