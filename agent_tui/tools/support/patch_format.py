"""The patch format that hosted models were trained on, read strictly: what it does not say is an
error that shows how it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from agent_tui.structures import late

BEGIN: Final = "*** Begin Patch"
END: Final = "*** End Patch"
END_OF_FILE: Final = "*** End of File"
_FILE: Final = late.pattern(r"\*\*\* (Add|Update|Delete) File: (.+?)\s*")
_MOVE: Final = late.pattern(r"\*\*\* Move to: (.+?)\s*")
_NUMBERS: Final = late.pattern(r"-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)")
EXAMPLE: Final = (
    "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    y = 2\n+    y = 3\n"
    "*** End Patch"
)
Kind = Literal["add", "update", "delete"]


@dataclass(slots=True)
class Hunk:
    """Lines of the file, without marks: as they are (`old`) and as they become (`new`). `anchors`:
    lines above them, each below the one before. `at_end`: nothing follows."""

    anchors: list[str] = field(default_factory=list)
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    at_end: bool = False
    loose: int = 0
    """Blank lines at its end without a mark: they may only stand between it and what follows."""


@dataclass(slots=True)
class FilePatch:
    kind: Kind
    path: str
    to: str = ""
    lines: list[str] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)


class NoPatch(ValueError):
    """What is wrong with a patch, for the model."""


def named_paths(patch: str) -> tuple[str, ...]:
    """All files that a patch names, each once; also of one that cannot be read."""
    found: dict[str, None] = {}
    for line in _lines(patch):
        if match := _FILE.fullmatch(line):
            found[match[2]] = None
        elif match := _MOVE.fullmatch(line):
            found[match[1]] = None
    return tuple(found)


def parse(patch: str) -> list[FilePatch]:
    """The files of a patch. Raises NoPatch."""
    lines = _body(patch)
    found: list[FilePatch] = []
    for number, line in enumerate(lines, 2):
        if match := _FILE.fullmatch(line):
            kind: Kind = (
                "add" if match[1] == "Add" else "update" if match[1] == "Update" else "delete"
            )
            found.append(FilePatch(kind, match[2]))
        elif not found:
            if line.strip():
                raise NoPatch(f"line {number} belongs to no file: {line[:80]!r}")
        elif match := _MOVE.fullmatch(line):
            if found[-1].kind != "update" or found[-1].hunks or found[-1].to:
                raise NoPatch(f"line {number}: Move to stands only right below Update File")
            found[-1].to = match[1]
        else:
            _take(found[-1], line, number)
    for one in found:
        _check(one)
    if not found:
        raise NoPatch(f"the patch names no file. Write it so:\n{EXAMPLE}")
    return found


def _lines(patch: str) -> list[str]:
    """Only a line feed ends a line: what else `str.splitlines` cuts at stands in files as text."""
    return [line.removesuffix("\r") for line in patch.split("\n")]


def _body(patch: str) -> list[str]:
    """The lines between its first and its last."""
    lines = _lines(patch.strip("\r\n \t"))
    if len(lines) > 2 and lines[0].rstrip() in ("<<EOF", "<<'EOF'", '<<"EOF"', "```", "```patch"):
        lines = lines[1:-1]  # as a shell or Markdown would hold it
    if lines[0].rstrip() != BEGIN:
        raise NoPatch(f"the patch must begin with {BEGIN!r}. Write it so:\n{EXAMPLE}")
    if lines[-1].rstrip() != END:
        raise NoPatch(f"the patch does not end with {END!r}: perhaps it was cut; nothing was done")
    return lines[1:-1]


def _take(one: FilePatch, line: str, number: int) -> None:
    """A line of a file's part."""
    if one.kind == "add":
        if not line.startswith("+"):
            if not line.strip():
                return  # between two files
            raise NoPatch(f"line {number}: each line of a new file begins with +: {line[:80]!r}")
        one.lines.append(line[1:])
        return
    if one.kind == "delete":
        if line.strip():
            raise NoPatch(f"line {number}: nothing may stand below Delete File: {line[:80]!r}")
        return
    if line.rstrip() == END_OF_FILE:
        if not one.hunks:
            raise NoPatch(f"line {number}: {END_OF_FILE} stands below the lines of a hunk")
        one.hunks[-1].at_end = True
    elif line.startswith("@@"):
        _begin_hunk(one, line)
    elif line[:1] in (" ", "+", "-", ""):
        if not one.hunks:
            one.hunks.append(Hunk())
        hunk = one.hunks[-1]
        if hunk.at_end:
            if line:
                raise NoPatch(f"line {number} stands below {END_OF_FILE}")
            return
        hunk.loose = 0 if line else hunk.loose + 1
        if line[:1] != "+":
            hunk.old.append(line[1:])
        if line[:1] != "-":
            hunk.new.append(line[1:])
    else:
        raise NoPatch(f"line {number} begins with no space, + or -: {line[:80]!r}")


def _begin_hunk(one: FilePatch, line: str) -> None:
    said = line[2:].strip()
    numbers = _NUMBERS.fullmatch(said)
    if numbers:  # those of another format say nothing that the lines do not
        said = ""
    last = one.hunks[-1] if one.hunks else None
    if last is None or last.old or last.new or last.at_end:
        one.hunks.append(Hunk())
    if said:
        one.hunks[-1].anchors.append(said)


def _check(one: FilePatch) -> None:
    for hunk in one.hunks:
        if len(hunk.old) == hunk.loose > 0:  # there is nothing else that they could be lines of
            del hunk.old[-hunk.loose :]
            del hunk.new[-hunk.loose :]
            hunk.loose = 0
        if not hunk.old and not hunk.new:
            raise NoPatch(f"{one.path}: a hunk has no lines")
    if one.kind == "update" and not one.hunks and not one.to:
        raise NoPatch(f"{one.path}: nothing stands below Update File")
