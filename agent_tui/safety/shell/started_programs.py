"""Options, settings and addresses by which git and its like start a program that they name:
`git fetch --upload-pack=…`, `git -c core.pager=…`, `git clone ext::…`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from agent_tui.safety.repository_check import may_run
from agent_tui.safety.shell.option_values import says_text
from agent_tui.safety.shell.programs import git_command, has, split
from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late

_OPTIONS: Final = {
    command: tuple(options.split())
    for line in """
    git clone                                   -u --upload-pack --template
    git init                                    --template
    git ls-remote                               -u --upload-pack --exec
    git fetch, pull, fetch-pack                 --upload-pack --exec
    git push, send-pack, archive                --receive-pack --exec
    git grep                                    -O? --open-files-in-pager?
    git rebase                                  -x --exec
    git difftool                                -x --extcmd
    git instaweb, help                          --httpd --browser
    git send-email      --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd
    git upload-archive, daemon                  --access-hook
    hg                                          -e --ssh --remotecmd --editor --config-file
    hg bisect                                   -c --command
    hg extdiff                                  -p --program -o --option
    hg merge, resolve, pull, rebase, update     -t --tool
    svn                                         --diff-cmd --diff3-cmd --editor-cmd --config-dir
    """.strip().splitlines()
    for names, options in [re.split(r"(?= --?\w)", line.strip(), maxsplit=1)]
    for program, _, commands in [names.strip().partition(" ")]
    for command in (f"{program} {one.strip()}".strip() for one in commands.split(","))
}
"""What each takes whose value is a program; all may cut short a long one. `?`: the value stands in
the same word, or the program of the settings is meant."""
_OWN: Final = "--exec-path="
"""Of git, before its own command: a folder of programs."""
_START: Final = frozenset(
    {"submodule foreach", "bisect run", "maintenance start", "for-each-repo", "filter-branch"}
    | {"remote-ext", "credential fill", "credential approve", "credential reject"}
)
"""Commands of git that start what their words, or settings, say."""
_VALUED_BY_CONFIG: Final = ("--file", "--blob", "--type", "--default", "--comment", "--value")
_ONLY_LOOKS: Final = word_set("get list unset remove-section edit")
"""Of `git config`: they set nothing, also behind `--`."""
_SETTINGS: Final = {
    "git": ("-c", "--config", "--config-env"),
    "hg": ("--config",),
    "svn": ("--config-option",),
}
"""Options whose value is a setting."""
_ADDRESS: Final = late.pattern(r"(?:^|(?<=\W))(?P<helper>ext|fd)::(?P<command>.*)", re.DOTALL)
_HELPER: Final = late.pattern(r"[A-Za-z][\w+.-]*::")
_REACH: Final = word_set(
    "archive clone fetch ls-remote pull push remote remote-ext remote-fd submodule subtree"
)
"""Commands of git that take the address of a repository."""
_SAID_IN: Final = _REACH | {"", "config"}
"""Where an address is meant, and not only said."""
_ESCAPED: Final = late.pattern(r"%(.)|( +)", re.DOTALL)


def named_programs(argv: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Where a command names a program that it starts: which word, how it is said there, and the
    program as code of a shell, empty where that is not known."""
    name = argv[0].rpartition("/")[2] if argv else ""
    command, rest = git_command(argv[1:]) if name == "git" else ("", [])
    own, words = len(argv) - len(rest), (name, *argv[1:])
    options = _OPTIONS.get(f"{name} {command}".strip(), ())
    if name == "hg":
        options += tuple(chain.from_iterable(map(_options_of_hg, words[1:])))
    yield from ((at, said, "") for at, said in _of_git(words, own, command) if name == "git")
    letters = {option[1] for option in (*options, *_SETTINGS.get(name, ()))}
    for at, word in enumerate(words):
        is_option = name in _SETTINGS and word[:1] == "-" and not letters.isdisjoint(word[1:])
        if "::" not in word and not is_option:
            continue
        after = words[at + 1] if at + 1 < len(words) else ""
        if word.startswith("-") and (at >= own or name != "git"):
            values = ((option, _value_of(option, word, after)) for option in options)
            yield from (
                (at, said.rstrip("?"), value) for said, value in values if value is not None
            )
        if at and not says_text(words, at):
            sets = at < own or command == "clone"  # else `-c` is an option of the command
            of_word = _of_word(name, command, word, after, sets)
            yield from ((at, said, code) for said, code in of_word)


def _of_word(
    program: str, command: str, word: str, after: str, sets: bool
) -> Iterator[tuple[str, str]]:
    """What an address or a setting (if it `sets` one) starts."""
    if command in _SAID_IN and (address := _ADDRESS.search(word)):
        yield f"{address['helper']}::", _of_address(address)
    elif command in _REACH and (helper := _HELPER.match(word)):
        yield helper[0], ""
    if sets and word.startswith("-"):
        given = (_value_of(option, word, after) for option in _SETTINGS.get(program, ()))
        keys = (value.partition("=")[0] for value in given if value)
        yield from ((key, "") for key in keys if program != "git" or may_run(key))


def _options_of_hg(word: str) -> tuple[str, ...]:
    """Those of a command of hg, which may be cut short."""
    names = (name for name in _OPTIONS if len(word) > 1 and name.startswith(f"hg {word}"))
    return _OPTIONS.get(next(names, ""), ())


def _of_git(words: Sequence[str], own: int, command: str) -> Iterator[tuple[int, str]]:
    """Where a command of git starts a program without an option of its own: by a folder, by what it
    is for, or later by a setting."""
    yield from ((at, _OWN) for at in range(1, own) if words[at].startswith(_OWN))
    rest = words[own:]
    if command in _START:
        yield own - 1, f"git {command}"
    elif command == "config":
        yield from ((own + rest.index(said), f"the setting {key}") for said, key in _set_keys(rest))
    else:
        first = next((at for at, word in enumerate(rest) if not word.startswith("-")), 0)
        called = f"{command} {''.join(rest[first : first + 1])}"
        yield from ((own + first, f"git {called}"),) if called in _START else ()


def _set_keys(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The word of `git config` that says which key is set, and the key, if its value may be run."""
    flags, operands = split(words, "f", _VALUED_BY_CONFIG)
    if any(flag.startswith(f"--{name}") for flag in flags for name in _ONLY_LOOKS):
        return
    first, *others = operands or [""]
    renames = first == "rename-section" or has(flags, "", "--rename-section")
    given = others if first in ("set", "rename-section") else operands
    if first in _ONLY_LOOKS or len(given) < 2:
        return
    keys = [(said, f"{said}.any") for said in given[1:]] if renames else []
    # an option that is cut short may have a value before the key
    keys = keys or [(said, said) for said in given[:-1] if "." in said]
    yield from ((said, key) for said, key in keys if may_run(key))


def _of_address(found: re.Match[str]) -> str:
    """The command of `ext::`: blanks stand between its words, and behind `%` they are part of one."""
    if found["helper"] != "ext":
        return ""
    plain = _ESCAPED.sub(lambda one: "\0" if one[2] else one[1], found["command"])
    return shlex.join(plain.split("\0"))


def _value_of(option: str, word: str, after: str) -> str | None:
    """The value of `option` where `word` is it, perhaps in a row of letters or cut short; None
    where it is another one."""
    name, alone = option.rstrip("?"), option.endswith("?")
    if name.startswith("--"):
        said, glued, value = word.partition("=")
        if len(said) < 3 or not name.startswith(said):
            return None
    else:
        if name[1] not in word:
            return None
        found = re.match(rf"-[A-Za-z]*?{name[1]}(.*)", word, re.DOTALL)
        if found is None:
            return None
        glued = value = found[1]
    return value if glued or alone else after
