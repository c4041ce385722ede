"""What programs take away from where it lies: what they delete with all that is in it, and what
they move where it does not last."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from agent_tui.safety.shell import find_expression, programs
from agent_tui.safety.shell.find_expression import finds_all
from agent_tui.safety.shell.words import Simple, Word
from agent_tui.structures import late

_TEMPORARY: Final = late.pattern(r"(?:/private)?(?:/var)?/tmp(?:/|$)|\$\{?TMPDIR\b|\$\(mktemp\b")
_OF_COMMAND: Final = late.pattern(r"/dev(?:/|$)|(?:/var)?/run(?:/|$)|\$\{?XDG_RUNTIME_DIR\b")
"""What the sandbox makes anew for each command."""
_TRASH: Final = frozenset({"rimraf", "trash", "trash-put", "gvfs-trash"})
"""Programs that take whole folders without an option."""
_ALL_TAKEN: Final = _TRASH | {"mv"}
_TAKEN: Final = _ALL_TAKEN | {"rm", "shred", "truncate", "unlink"}
"""Programs after which a file is not where or what it was; and a whole folder, without an
option."""
_NAMED: Final = late.pattern(rf"-delete\b|\b(?:{'|'.join(sorted(_TAKEN))})\b")
_BREAK: Final = late.pattern(r"[\s;&|'\"()]+")
_CARRIED_TRASH: Final = frozenset(
    {("gio", "trash"), ("npx", "rimraf"), ("bunx", "rimraf"), ("pnpx", "rimraf")}
)
_TAR: Final = frozenset({"tar", "gtar", "bsdtar"})
_TAR_VALUES: Final = "fCTXbIgV"
_FD_VALUES: Final = "cdEejotSxX"
_EXEC_OF_FD: Final = frozenset({"-x", "-X", "--exec", "--exec-batch"})


DELETES: Final = _TRASH | _TAR | {"rm", "gio", "find", "fd", "fdfind", "zip", "7z", "7za", "7zr"}
"""Programs that may delete folders that their words name."""


def deleted_folders(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """The folders all of which `name` with these words deletes."""
    flags, operands = programs.split(arguments)
    if (name == "rm" and programs.has(flags, "rR", "--recursive")) or name in _TRASH:
        yield from operands
    elif (name, *operands[:1]) in _CARRIED_TRASH:
        yield from operands[1:]
    elif name == "find" and finds_to_delete(arguments) and finds_all(arguments, deleted_by):
        yield from find_expression.split(arguments)[0]
    elif name in ("fd", "fdfind"):
        yield from _found_by_fd(arguments)
    else:
        yield from _packed(name, arguments)[1]


def kept_in_temporary(name: str, arguments: Sequence[str], places: tuple[str, ...]) -> str:
    """That files are moved, or packed and deleted, from elsewhere to a temporary folder, which
    commands in the sandbox have for themselves; empty: they are not."""
    to, sources = _moved(arguments) if name == "mv" else _packed(name, arguments)
    if not sources or not _is_temporary(to, places):
        return ""
    if all(_is_temporary(one, places) for one in sources):
        return ""
    ends = "agent-tui" if _lies_in(_TEMPORARY, to, places) else "the command"
    return f"it moves files to {to}, which the sandbox deletes when {ends} ends"


def _moved(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Where `mv` brings files, and which."""
    flags, operands = programs.split(arguments)
    into = [text.partition("=")[2] for text in flags if text.startswith("--target-directory=")]
    if into or programs.has(flags, "t", "--target-directory"):
        operands += into or operands[:1]
    *sources, to = operands or [""]
    return to, sources


def _packed(name: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The archive into which files are moved, and which these are."""
    if name in _TAR and programs.has(arguments, "", "--remove-files"):
        words = list(arguments)
        if words and not words[0].startswith("-"):
            words[0] = f"-{words[0]}"  # the letters of old: `tar czf`
        _, operands = programs.split(words, _TAR_VALUES, ("--file", "--directory"))
        archive = _after_file(words)
        return archive, [one for one in operands if one != archive]
    flags, operands = programs.split(arguments)
    moves = (name == "zip" and programs.has(flags, "m", "--move")) or (
        name in ("7z", "7za", "7zr") and "-sdel" in arguments
    )
    if not moves or not operands:
        return "", []
    operands = operands[1:] if name != "zip" else operands
    return (operands[0], operands[1:]) if operands else ("", [])


def _after_file(words: Sequence[str]) -> str:
    """The archive that `tar` writes."""
    for at, word in enumerate(words):
        if word.startswith("--file="):
            return word.partition("=")[2]
        if word == "--file" or (re.fullmatch(r"-[A-Za-z]*f", word) and at + 1 < len(words)):
            return words[at + 1] if at + 1 < len(words) else ""
        if found := re.fullmatch(r"-[A-Za-z]*?f(.+)", word):
            return found[1]
    return ""


def taken_by(words: Sequence[str]) -> int:
    """What a command takes away of what it is given: 1 for files, 2 for folders with all in them;
    0: nothing."""
    return _taken_by(tuple(words))


@lru_cache(maxsize=16)
def _taken_by(words: tuple[str, ...]) -> int:
    call = programs.unwrap_call(Simple([Word(text) for text in words]))
    if call is None:
        return 0
    parts = [call.name, *(word.text for word in call.arguments)]
    names = {call.name}
    if call.code:
        parts = [part for word in call.code for part in _BREAK.split(word.text)]
        names = {part.rpartition("/")[2] for part in parts}
    if _TAKEN.isdisjoint(names):
        return 0
    is_deep = "rm" in names and programs.has(
        [part for part in parts if part[:1] == "-"], "rR", "--recursive"
    )
    return 2 if is_deep or not _ALL_TAKEN.isdisjoint(names) else 1


def deleted_by(action: str, words: Sequence[str]) -> int:
    """The same of an action of `find`."""
    return 1 if action == "-delete" else taken_by(words)


def finds_to_delete(arguments: Sequence[str]) -> bool:
    """Whether a `find` deletes what it finds."""
    if _NAMED.search("\n".join(arguments)) is None:
        return False
    run = programs.started_by_find("find", [Word(text) for text in arguments])
    return "-delete" in arguments or any(taken_by([one.text for one in words]) for words in run)


def fd_deletes(arguments: Sequence[str]) -> bool:
    """Whether an `fd` deletes what it finds."""
    at = next((n for n, word in enumerate(arguments) if word in _EXEC_OF_FD), len(arguments))
    return bool(taken_by(arguments[at + 1 :]))


def _found_by_fd(arguments: Sequence[str]) -> Iterator[str]:
    """The folders all of which an `fd` finds, where it runs something that deletes them."""
    at = next((n for n, word in enumerate(arguments) if word in _EXEC_OF_FD), -1)
    if at < 0 or not fd_deletes(arguments):
        return
    flags, operands = programs.split(arguments[:at], _FD_VALUES)
    if programs.has(flags, "eESo", "--extension", "--exclude", "--size", "--owner", "--changed"):
        return
    if not operands or operands[0] in ("", ".", ".*", "*"):
        yield from operands[1:] or ["."]


def _is_temporary(path: str, places: tuple[str, ...]) -> bool:
    return any(_lies_in(folders, path, places) for folders in (_TEMPORARY, _OF_COMMAND))


def _lies_in(folders: re.Pattern[str], path: str, places: tuple[str, ...]) -> bool:
    if path.startswith("$"):
        return folders.match(path) is not None
    whole = posixpath.normpath(posixpath.join(places[0] or ".", path))
    inside = any(whole == one or whole.startswith(f"{one}/") for one in places if one)
    return folders.match(whole) is not None and not inside
