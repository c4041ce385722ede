"""What a file defines: tags, with the line and the text that stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

Kind = Literal["class", "function", "constant"]
Made = Literal["ast", "tree-sitter", "pygments", "patterns"]


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Final = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "javascript", "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
    "go": "go", "rs": "rust", "java": "java", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp",
    "cxx": "cpp", "hh": "cpp", "hpp": "cpp", "hxx": "cpp", "rb": "ruby", "php": "php",
    "cs": "csharp", "sh": "bash", "bash": "bash", "kt": "kotlin", "kts": "kotlin",
    "swift": "swift", "scala": "scala", "dart": "dart", "lua": "lua", "pl": "perl", "pm": "perl",
    "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "ml": "ocaml", "jl": "julia",
    "r": "r", "zig": "zig", "groovy": "groovy", "m": "objective-c", "nim": "nim", "cr": "crystal",
    "fs": "fsharp", "vb": "vbnet", "d": "d", "f90": "fortran", "v": "verilog", "sol": "solidity",
    "proto": "protobuf", "sql": "sql", "graphql": "graphql", "vue": "javascript",
    "svelte": "javascript",
}  # fmt: skip
"""Of files that can define something, by the ending of their names."""
LINE: Final = 110
"""Characters of a line that are shown."""
_LINES: Final = 8
"""Lines over which the arguments of a definition may go."""
_BLANKS: Final = bytes(
    code if code > 127 or chr(code).isalnum() or code == 95 else 32 for code in range(256)
)
"""What stands in the place of each byte, so that only names are left."""
LONGEST: Final = 60
"""Characters of a name that is looked for elsewhere."""
_KEYWORD: Final = (
    "def|defp|defmodule|class|func|fun|fn|function|sub|struct|interface|trait|enum|union|type|"
    "module|mod|namespace|object|protocol|record|macro|message|service|contract|procedure|"
    "table|view"
)
_BEFORE: Final = (
    "export|default|pub|public|private|protected|internal|static|final|abstract|sealed|async|"
    "unsafe|inline|open|override|data|partial|declare|extern|virtual|local|create|case"
)
_DEFINES: Final = late.pattern(
    # a line break first, not `^`: that is found ten times as fast
    rf"\n(?:[ \t]*(?:(?:{_BEFORE})(?:\([a-z]+\))?[ \t]+)*(?P<keyword>{_KEYWORD})\b\*?[ \t]*"
    r"(?:\([^()\n]*\)[ \t]*)?(?:self\.)?(?P<name>[^\W\d]\w*)"
    r"|(?:export[ \t]+|pub[ \t]+)?(?:const|let|var|val)[ \t]+(?:mut[ \t]+)?"
    r"(?P<constant>[^\W\d]\w*)"
    r"|(?P<upper>[A-Z][A-Z0-9_]{2,})\b[^=\n]{0,60}=(?!=)"
    r"|(?P<shell>\w+)[ \t]*\(\)[ \t]*\{)"
)
_CALLED: Final = late.pattern(
    r"\n[ \t]*(?!(?:return|else|throw|new|await|yield|delete|case)\b)[^\W\d][\w<>\[\],.:?*& \t]*?"
    r"[ \t*&:](?P<name>[^\W\d]\w*)[ \t]*\([^;\n]*(?=\n)"
)
"""A function as C and its kin write one: a type, a name, and no semicolon behind."""
C_LIKE: Final = frozenset(("c", "cpp", "java", "csharp", "dart", "objective-c"))
_CLASSES: Final = word_set(
    "class struct interface trait enum union type module mod namespace object protocol record "
    "message service contract defmodule table view"
)


@frozen
class Tag:
    """A definition. `column` is how far it is indented, `text` its line without that."""

    line: int
    name: str
    kind: Kind
    column: int = 0
    text: str = ""


def language_of(path: str) -> str:
    """By the ending of its name; empty: it defines nothing that we know to find."""
    name = path.rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return LANGUAGES.get(ending.lower(), "") if dot else ""


def words_of(data: bytes) -> set[bytes]:
    """The names that a text may mean something by."""
    return {word for word in set(data.translate(_BLANKS).split()) if 2 < len(word) <= LONGEST}


def find_names(text: str, language: str) -> set[str]:
    """What a text seems to define: good enough to rank by, and fast."""
    found = {match[match.lastgroup or 0] for _, match in _guesses(text, language)}
    return {name for name in found if 2 < len(name) <= LONGEST}


def guess_tags(text: str, language: str) -> tuple[Tag, ...]:
    """The same as tags, for what cannot be parsed, or is too long for that."""
    lines, found, at, line = text.split("\n"), dict[int, Tag](), 0, 1
    for start, match in sorted(_guesses(text, language), key=lambda one: one[0]):
        line, at = line + text.count("\n", at, start), start
        name, kind = match[match.lastgroup or 0], _kind(match.groupdict())
        found.setdefault(line, make_tag(lines, line, name, kind))
    return outermost(found.values())


def _guesses(text: str, language: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Where names stand in `text` that it seems to define."""
    for pattern in (_DEFINES, _CALLED) if language in C_LIKE else (_DEFINES,):
        for match in pattern.finditer(f"\n{text}\n"):
            yield match.start(match.lastgroup or 0) - 1, match


def _kind(groups: dict[str, str | None]) -> Kind:
    if groups.get("constant") or groups.get("upper"):
        return "constant"
    return "class" if (groups.get("keyword") or "").lower() in _CLASSES else "function"


def make_tag(lines: Sequence[str], line: int, name: str, kind: Kind, column: int = -1) -> Tag:
    """The tag for what is defined in `line` (from 1). What a constant is worth is not told: it may
    be a secret. `column`: where the line does not say how deep it is."""
    first = lines[line - 1] if line <= len(lines) else ""
    column = column if column >= 0 else len(first) - len(first.lstrip())
    name = name.rpartition("::")[2]  # C++ writes the class before it
    if kind == "constant":
        return Tag(line, name, kind, column, name)
    text = first
    for more in lines[line : line + _LINES]:
        if text.count("(") <= text.count(")"):
            break
        text += f" {more}"
    text = " ".join(text.split()).replace("( ", "(").replace(", )", ")").rstrip(" {:")
    return Tag(line, name, kind, column, text if len(text) <= LINE else f"{text[: LINE - 1]}…")


def outermost(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    """`tags` (by line) without what is defined inside functions."""
    found, above = list[Tag](), list[Tag]()
    for tag in tags:
        while above and above[-1].column >= tag.column:
            above.pop()
        if not any(one.kind == "function" for one in above):
            found.append(tag)
        above.append(tag)
    return tuple(found)


def nested(tags: Iterable[Tag]) -> Iterator[tuple[int, Tag]]:
    """Each tag with how deep it lies in the others."""
    above = list[int]()
    for tag in tags:
        while above and above[-1] >= tag.column:
            above.pop()
        yield len(above), tag
        above.append(tag.column)
