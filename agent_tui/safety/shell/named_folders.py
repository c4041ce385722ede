"""Which folders the words of a command may name, also as parts of a word, by a pattern, or by what
stands for the folder in which the command runs."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from agent_tui.safety.shell import carried_code, programs
from agent_tui.safety.shell.option_values import says_text
from agent_tui.safety.shell.words import (
    Budget,
    ShellValues,
    Simple,
    TooMany,
    simple_commands,
    word_set,
)
from agent_tui.structures import late

_LEADS: Final = frozenset(("-C", "-D", "--chdir", "--directory", "--cwd"))
"""Options whose value is the folder in which the words behind them are meant."""
_MARK: Final = late.pattern(r"[=@:,;]")
_BREAK: Final = late.pattern(r"[\s'\"`$(){}<>|&;\[\]]+")
"""What stands between names in code, and in lists."""
_MOST_NAMES: Final = 2_000
_MOST_MARKS: Final = 100
_HERE: Final = late.pattern(r"\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`|^~\+(?=/|$)")
_HOME: Final = late.pattern(r"\$HOME\b|\$\{HOME\}")
_PROCESS: Final = r"/proc/(?:[^/]*[*?\[$][^/]*|self|thread-self|\d+)(?:/task/[^/]+)?"
_PLACE: Final = late.pattern(rf"{_PROCESS}/(?P<what>cwd|root)(?=/|$)")
"""What stands for the folder of a process, and for the whole disk."""
_DESCRIPTOR: Final = late.pattern(rf"(?:/dev|{_PROCESS})/fd/[^/]+/.")
"""What is in a folder that is open."""
_PATTERN: Final = late.pattern(r"[*?\[]|[@+!]\(")
_OPEN: Final = late.pattern(r"\$[\w{(]|`")
_WIDENS: Final = word_set("shopt setopt emulate")
_SETS: Final = late.pattern(r"[-+][a-zA-Z]*[oOG]")
_IN_VARIABLE: Final = ("BASHOPTS=", "SHELLOPTS=")
_WIDE_SHELLS: Final = word_set("zsh ksh mksh fish")
"""In them `**` goes through folders without being told."""
_SHOW: Final = word_set("echo printf")
_DEEPEST: Final = 8
_READ_CODE: Final = word_set("eval trap watch parallel hyperfine su runuser script tmux screen ssh")
_FEEDERS: Final = word_set("xargs parallel cpio pax")
_LISTS: Final = late.pattern(r"--(?:files0?-from|pathspec-from-file)(?:=|$)|-@$|-files0-from$")
"""An option whose value is a file with names of files; `_LIST_OF_TAR`: that of `tar`."""
_LIST_OF_TAR: Final = late.pattern(r"-\w*T.*")
_DOCUMENT: Final = late.pattern(
    r"(?m)^(?P<head>[^\n]*?<<-?[ \t]*(?P<mark>['\"]?)(?P<end>\w+)(?P=mark)(?P<tail>[^\n]*)\n)"
    r"(?P<body>(?:[^\n]*\n)*?)[ \t]*(?P=end)[ \t]*$"
)
_STORES: Final = late.pattern(r"(?:^|[;&|]\s*)(?:cat|tee)\b[^|;&]*$")
"""What a here-document is only stored by."""


class FolderNames:
    """The real paths that the words of a call may name, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Path] = {}

    def of(self, argv: Sequence[str], folder: str) -> Iterator[Path]:
        """Those of a simple command in `folder`. Raises TooMany."""
        folders = [folder, *(after for word, after in pairwise(argv) if word in _LEADS)]
        folders += [word.partition("=")[2] for word in argv if word.partition("=")[0] in _LEADS]
        bases = dict.fromkeys(os.path.join(folder, one) for one in folders)  # noqa: PTH118
        only_said = bool(argv) and _base(argv[0]) in _SHOW
        for at, word in enumerate(argv):
            is_text = only_said or says_text(argv, at)
            for name in _names_in(word, is_text):
                yield from (self.real(name, base) for base in bases)

    def real(self, name: str, folder: str) -> Path:
        """As `real`. Raises TooMany."""
        key = (name, folder)
        if key not in self._known:
            if len(self._known) >= _MOST_NAMES:
                raise TooMany("it names too many files to be judged")
            self._known[key] = Path(real(name, folder))
        return self._known[key]


def real(name: str, folder: str) -> str:
    """The real path of a name in `folder`, as the command finds it there."""
    text = _HOME.sub(lambda _: os.path.expanduser("~"), _HERE.sub(lambda _: folder, name))  # noqa: PTH111
    text = re.sub(r"/(?:\.?/)+", "/", text)
    if found := _PLACE.match(text):
        text = f"{folder if found['what'] == 'cwd' else ''}{text[found.end() :] or '/'}"
    whole = os.path.join(folder, os.path.expanduser(text))  # noqa: PTH111, PTH118
    try:
        return os.path.realpath(whole)
    except (OSError, ValueError):
        return os.path.normpath(whole)  # of another user, or no path


def _names_in(word: str, is_text: bool) -> Iterator[str]:
    """What may be the name of a file: a word, what stands behind an option's letter, beside marks
    and between them; and what looks like a path in code, if the word is no text."""
    if not word or "\0" in word:
        return
    yield from _parts(word)
    if not is_text and _BREAK.search(word):
        parts = (part for part in _BREAK.split(word) if "/" in part and part.strip("./"))
        yield from (name for part in parts for name in _parts(part))


def _parts(word: str) -> Iterator[str]:
    """Raises TooMany."""
    yield word
    if word.startswith("-"):
        yield word[2:] or "-"
    marks = [found.start() for found in _MARK.finditer(word)]
    starts, ends = (0, *(at + 1 for at in marks)), (*marks, len(word))
    yield from filter(None, (word[start:end] for start, end in zip(starts, ends, strict=True)))
    if len(marks) > _MOST_MARKS:
        raise TooMany("it names too many files to be judged")
    yield from filter(None, (word[at + 1 :] for at in marks))
    yield from filter(None, (word[:at] for at in marks))


def may_match(word: str, folder: str, closed: str, wide: bool) -> bool:
    """Whether a pattern may stand for the real path `closed`, or for what is in it. `wide`: with
    the options of a shell by which patterns fit more."""
    if not _PATTERN.search(word):
        return False
    fixed = _PATTERN.split(word, maxsplit=1)[0].rpartition("/")
    begin = real("".join(fixed[:2]) or ".", folder)
    rest = word[len("".join(fixed[:2])) :]
    parts = [*Path(begin).parts[1:], *(part for part in rest.split("/") if part not in ("", "."))]
    return _reaches(parts, len(Path(begin).parts) - 1, Path(closed).parts[1:], wide)


def _reaches(parts: Sequence[str], fixed: int, closed: Sequence[str], wide: bool) -> bool:
    """Whether the parts of a pattern, the first `fixed` of them literal, may begin with `closed`."""
    at = {0}
    for number, part in enumerate(parts):
        if part == "..":
            return True  # it leads anywhere
        if number >= fixed and wide and "**" in part:
            at = set(range(min(at), len(closed) + 1))
        elif number < fixed:
            at = {one + 1 for one in at if one < len(closed) and closed[one] == part}
        else:
            at = {one + 1 for one in at if one < len(closed) and _fits(part, closed[one], wide)}
        if len(closed) in at:
            return True
        if not at:
            return False
    return False


def _fits(part: str, name: str, wide: bool) -> bool:
    """Brackets may be of any kind: `[ab]`, `@(a|b)`."""
    loose = re.sub(r"\[[^\]]*\]?|[@+!?*]\(.*?\)", "*", part)
    said = "".join(".*" if one in "*?" else re.escape(one) for one in loose)
    return re.fullmatch(said, name, re.IGNORECASE if wide else re.NOFLAG) is not None


def widens(argv: Sequence[str]) -> bool:
    """Whether a command sets options of a shell by which patterns fit more, or runs one that has
    them."""
    name = _base(argv[0]) if argv else ""
    if any(word.startswith(_IN_VARIABLE) for word in argv) or name in _WIDENS | _WIDE_SHELLS:
        return True
    return name in (*programs.SHELLS, "set") and any(map(_SETS.fullmatch, argv[1:]))


def runs_shell(words: Iterable[str]) -> bool:
    """Whether one of the words of a command is a program that reads others as a shell does."""
    return any(_base(word) in programs.SHELLS | _READ_CODE for word in words)


def is_open(argv: Sequence[str], literal: Container[str] | None) -> bool:
    """Whether it cannot be known what the words of a command name: they come out of a pipe, lie in
    an open folder, or are set when it runs. The words in `literal` stand for themselves, all if it is none."""
    name = _base(argv[0])
    if any(map(_DESCRIPTOR.match, argv)):
        return True
    if name in _SHOW:
        return False
    if not carried_code.only_says(name) and any(_base(word) in _FEEDERS for word in argv):
        return True
    if any(map(_LISTS.match, argv)) or (name == "tar" and any(map(_LIST_OF_TAR.match, argv))):
        return True
    others = () if literal is None else (word for word in argv[1:] if word not in literal)
    return any(map(_OPEN.search, others))


def bare_names(argv: Sequence[str]) -> Iterator[str]:
    """Words of code in a command, each of which may be the name of a folder."""
    for at, word in enumerate(argv if _base(argv[0]) not in _SHOW else ()):
        if not says_text(argv, at) and _BREAK.search(word):
            yield from (part for part in _BREAK.split(word) if part.strip("."))


def given_words(text: str, budget: Budget) -> Iterator[str]:
    """The words of redirections in a text, and in code of shells that stands there: files, and the
    words of here-strings. Raises TooMany."""
    values = ShellValues(budget)
    for simple in simple_commands(text, lambda _: ""):
        values.fill(simple)
        budget.take_words(simple.words)
        for operator, target in simple.redirects:
            if operator not in ("<<", "<<-"):
                yield from target.text.split() if operator == "<<<" else (target.text,)
        for code in _code_in(simple):
            if budget.depth < _DEEPEST:
                yield from given_words(code, budget.deeper())


def _code_in(simple: Simple) -> Iterator[str]:
    call = programs.unwrap_call(simple)
    yield from (text for word in simple.words for text in word.nested)
    yield from (word.text for word in call.code) if call is not None else ()


def without_stored_texts(text: str) -> str:
    """A command without the here-documents that `cat` or `tee` only store: no word of theirs is
    one of the command."""

    def bare(found: re.Match[str]) -> str:
        head = found["head"].partition("<<")[0]
        stores = _STORES.search(head) and ">" in head + found["tail"] and "|" not in found["tail"]
        return found["head"] if stores else found[0]

    return _DOCUMENT.sub(bare, text) if "<<" in text else text


def _base(word: str) -> str:
    return word.rpartition("/")[2]
