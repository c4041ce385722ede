"""What the value of an option may run: `git -c core.pager=…`, `sort --compress-program=…`. A
program whose options are all known to look runs none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agent_tui.safety.repository_check import may_run
from agent_tui.safety.shell import harmless, harmless_git
from agent_tui.safety.shell.harmless_options import Unknown
from agent_tui.safety.shell.open_words import may_become
from agent_tui.safety.shell.programs import git_command
from agent_tui.safety.shell.words import Word, word_set
from agent_tui.structures import late

_SAYS: Final = late.pattern(
    r"-[a-zA-Z]*m|-[FSGe]|--(?:message|file|trailer|author|committer|date|since|until|after|before"
    r"|grep|format|pretty|subject-prefix|description|label|notes)(?:=|$)"
)
"""An option of git whose value is a text, also in a row of letters; `_SAYS_NEXT`: the next word."""
_SAYS_NEXT: Final = late.pattern(r"-[a-zA-Z]*[mFSGe]|--[\w-]+")
_STORED: Final = late.pattern(
    r"-[a-zA-Z]*m|--(?:message|title|body|notes?|description|subject|comment|summary)(?:=|$)"
)
"""The same of other programs."""
_PROGRAM: Final = late.pattern(
    r"(?i)command|cmd|program|exec(?!ut)|shell|rsh|pager|editor|visual|browser|askpass|wrapper"
    r"|launcher|invoke|ssh$|-pack$|rsync-path|^-*pre$|-bin$|interpreter|linker|debugger|compiler"
    r"|preprocessor|viewer|preview|hook|external|lessopen|^(?:cc|cxx|ld|ar)$"
)
"""The name of an option, a setting or a variable whose value is a program."""
_LETTERS: Final = {
    "tar": "IF", "rsync": "e", "man": "PH", "scp": "S", "sftp": "S", "xterm": "e", "nc": "ec",
    "ncat": "ec", "netcat": "e", "script": "c", "su": "s", "useradd": "s", "usermod": "s",
    "chsh": "s", "difft": "x", "hg": "e",
}  # fmt: skip
"""Short options of that kind."""
_KEY: Final = late.pattern(r"\A(?:-[a-zA-Z](?=[A-Z]\w*$|[\w-]+[.:])|-+)")
"""What stands before the name of a setting in one word: `-oProxyCommand`."""
STORES: Final = word_set("export declare typeset local readonly env")
"""They set variables for what is run later, whatever they say besides."""
_GLUED: Final = late.pattern(r"--?[\w-]+=|-\w|\++!?")
_PREFIX: Final = late.pattern(r"[\w.-]+=(?=.)", re.DOTALL)
"""What names a setting within a value: `core.pager=…`, `exec=…`."""
_MOST_PREFIXES: Final = 4
_TAKES_TARGET: Final = word_set("ln link cp mv install")
_NAMES_PROGRAMS: Final = _TAKES_TARGET | word_set("hash alias complete bind enable")
"""They give another name to a program or a command."""


def find_values(name: str, words: Sequence[str]) -> Iterator[str]:
    """The values of options among `words` that the program `name` may run as code; only those that
    are more than a word."""
    if not _only_looks(name, words):
        values = _of_git(words) if name == "git" else _of_options(words)
        for value in values:
            yield from inner_values(value)


def inner_values(value: str) -> Iterator[str]:
    """A value, and what stands in it behind the name of a setting."""
    if not any(blank in value for blank in " \t\n"):
        return
    for _ in range(_MOST_PREFIXES):
        yield value[1:] if value.startswith("!") else value
        found = _PREFIX.match(value)
        if found is None:
            return
        value = value[found.end() :]


def named_values(
    name: str, words: Sequence[Word], before: Sequence[Word]
) -> Iterator[tuple[Word, int]]:
    """The values of options, settings and variables by which `name` runs a program that is one
    word there: each with where in `words` those behind it begin. `before`: the words of the command
    up to `name`."""
    argv = [name, *(word.text for word in words)]
    of_config = name == "git" and git_command(argv[1:])[0] == "config"
    set_before = (word for word in before if "=" in word.text)
    yield from ((found, 0) for word in set_before for found in _of_settings(name, word))
    if name not in STORES and _only_looks(name, argv[1:]):
        return
    letters = re.compile(rf"-\w*?[{_LETTERS[name]}](.*)") if name in _LETTERS else None
    for at, word in enumerate(words, 1):
        text = word.text
        if text == "--":
            return
        option = letters.fullmatch(text) if letters else None
        if option and option[1]:
            yield replace(word, text=option[1]), at
        elif "-" in (text[:1], argv[at - 1][:1]) and _is_text(argv, at):
            continue
        if "=" in text:
            yield from ((found, at) for found in _of_settings(name, word))
        names = text[:1] == "-" and text[2:] and "=" not in text and _PROGRAM.search(text)
        if at < len(words) and (option or names or (of_config and "." in text and may_run(text))):
            yield words[at], at + 1


def _is_text(argv: Sequence[str], at: int) -> bool:
    """Whether that word is a message; in other programs than git, a row of letters is none."""
    if argv[0] == "git":
        return says_text(argv, at)
    option = argv[at] if argv[at].startswith("--") else argv[at - 1] if at > 1 else ""
    return _STORED.match(option) is not None and (option[:2] == "--" or option == "-m")


def _of_settings(name: str, word: Word) -> Iterator[Word]:
    """What stands in a word behind `=` and the name of what runs it."""
    key, *values = word.text.split("=", _MOST_PREFIXES)
    for at, value in enumerate(values):
        plain = _KEY.sub("", key)
        if _PROGRAM.search(plain) or (name == "git" and may_run(plain)):
            yield replace(word, text="=".join(values[at:]).lstrip("!| "))
        key = value


def says_text(argv: Sequence[str], at: int) -> bool:
    """Whether the word there is a text that is only stored or shown: the value of an option."""
    if not 0 < at < len(argv):
        return False
    says = _SAYS if argv[0] == "git" else _STORED
    option = argv[at - 1]
    glued = says.match(argv[at]) is not None
    return glued or bool(says.match(option) and _SAYS_NEXT.fullmatch(option))


def renames(argv: Sequence[str], program: str) -> bool:
    """Whether a command gives another name to `program`, by which a later one may start it; also
    where a pattern may name it, but for one that any file fits."""
    name = _base(argv[0]) if argv else ""
    if name not in _NAMES_PROGRAMS:
        return False
    given = argv[1:-1] if name in _TAKES_TARGET else argv[1:]
    firsts = (word.rpartition("=")[2].split()[:1] for word in given)
    names = (_base(first) for (first,) in filter(None, firsts))
    return any(one.strip("*?{}") and may_become(one, program) for one in names)


def _base(word: str) -> str:
    return word.strip("\"'!").rpartition("/")[2]


def _only_looks(name: str, words: Sequence[str]) -> bool:
    try:
        tuple(harmless_git.judge(words) if name == "git" else harmless.judge([name, *words]))
    except Unknown:
        return False
    return True


def _of_options(words: Sequence[str]) -> Iterator[str]:
    """What is glued to an option, and the word behind one."""
    for at, word in enumerate(words):
        if word == "--":
            return
        if word.startswith(("-", "+")):
            found = _GLUED.match(word)
            yield word[found.end() :] if found else ""
        elif at and words[at - 1].startswith("-"):
            yield word


def _of_git(words: Sequence[str]) -> Iterator[str]:
    command, rest = git_command(words)
    yield from _of_options(words[: len(words) - len(rest)])
    if command == "config":
        yield from rest
        return
    kept: list[str] = []
    said = False
    for word in rest:
        if word == "--":
            break
        says = not said and bool(_SAYS.match(word))
        kept += [] if said or says else [word]
        said = says and bool(_SAYS_NEXT.fullmatch(word))
    yield from _of_options(kept)
