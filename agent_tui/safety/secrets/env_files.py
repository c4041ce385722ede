"""The secrets that a project keeps in `.env` and its like at the top of a folder. A tool can show
them from elsewhere (`git log -p`, a dump, a log), where neither a name nor a shape tells: so their
values are known before one runs."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from agent_tui.safety import file_access, protected_names
from agent_tui.safety.folder_walk import entries_of
from agent_tui.safety.secrets.scrubber import is_secret_name, known_secrets
from agent_tui.safety.secrets.strength import is_secret_value
from agent_tui.structures import late

MAX_BYTES: Final = 64_000
"""Of a file; longer ones are no settings."""
MOST_FILES: Final = 40
"""In a folder."""
_FILE: Final = late.pattern(r"(?:.*\.)?env(?:rc|[._~-].*)?", re.IGNORECASE)
_LINE: Final = late.pattern(r"[^\r\n]+")
"""As programs read one: nothing else that Unicode knows ends it."""
_SETTING: Final = late.pattern(r"[\s#]*(?:export\s+)?(\w+)(?:\s*=|:\s)\s*(\S.*)")
"""A line that names one value; `NAME: value` is one to some programs."""
_ASSIGNED: Final = late.pattern(
    r"(?<![^\s;&(#])(\w+)=((?:\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|\\.|[^\s\"'\\;&|()])++)", re.DOTALL
)
"""As a shell assigns, perhaps several on a line (`export A=1 B=2`): parts with and without
quotes."""
_PART: Final = late.pattern(r"\"((?:[^\"\\]|\\.)*+)\"|'([^']*+)'|\\(.)|([^\"'\\]++)", re.DOTALL)
_IN_QUOTES: Final = late.pattern(r"\\([$`\"\\\n])")
_QUOTED: Final = late.pattern(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'", re.DOTALL)
"""A value in quotation marks, which may go on over lines."""
_ESCAPED: Final = late.pattern(r"\\(.)", re.DOTALL)
_LETTERS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_NAME: Final = late.pattern(
    r"(?:(?:^|_)(?:API)?(?:KEY|PIN|PWD|AUTH|COOKIE|SALT|PEPPER|SEED)|SECRET|TOKEN|PASS(?:WORD|WD|CODE|PHRASE)?)"
    r"(?:_?(?:BASE64|OLD|NEW|\d+))?$",
    re.IGNORECASE,
)
"""Beside those of `is_secret_name`: in a file of secrets a shorter word says enough."""
_MIXED: Final = late.pattern(r"(?=.*[A-Za-z])(?=.*\d)[^\s/]+")
"""Words with a digit (`hunter2xyzzy`): behind the name of a secret that is none that stands in
code."""
_SETTLED: Final = 1_000_000_000
"""Nanoseconds after which a folder cannot change any more without another time."""


class EnvFiles:
    """What was read of the files of some folders. One that has not changed is not read again."""

    def __init__(self) -> None:
        self._listed: dict[Path, tuple[int, tuple[str, ...]]] = {}
        self._read: dict[str, tuple[int, int, int]] = {}
        self.lock = asyncio.Lock()
        """Held until what was read is known to whoever hides it: another command waits for that."""
        self.asked = self.answered = 0
        """How often a look was asked for, and how many of these have had one."""

    def new_values(self, folders: Iterable[Path]) -> tuple[str, ...]:
        """The secrets of files that are new or have changed since the last call."""
        return tuple(value for folder in folders for value in self._changed(folder))

    def _changed(self, folder: Path) -> Iterator[str]:
        for path in self._files(folder):
            try:
                about = os.stat(path)  # noqa: PTH116 - a text, of which there are many
                mark = (about.st_mtime_ns, about.st_size, about.st_ino)
                if self._read.get(path) == mark:
                    continue
                data = file_access.read_regular(Path(os.path.realpath(path)), MAX_BYTES)
            except (OSError, ValueError):
                continue  # gone, none for us to read, or no file
            self._read[path] = mark
            yield from values_in(data[:MAX_BYTES].decode("utf-8-sig", "replace"))

    def _files(self, folder: Path) -> tuple[str, ...]:
        try:
            changed = folder.stat().st_mtime_ns
            known, names = self._listed.get(folder, (0, ()))
            if known == changed:
                return names
            with entries_of(str(folder)) as entries:
                found = [f"{folder}/{one.name}" for one in entries if is_env_file(one.name)]
        except OSError:
            return ()
        names = tuple(sorted(found)[:MOST_FILES])
        settled = time.time_ns() - changed > _SETTLED
        self._listed[folder] = (changed if settled else 0, names)
        return names


def is_env_file(name: str) -> bool:
    """Whether a file of this name holds settings some of which are secrets; a sample holds none."""
    return _FILE.fullmatch(name) is not None and protected_names.is_secret((name,))


def values_in(text: str) -> Iterator[str]:
    """The values that are secrets; those behind a `#`, too: they were in use."""
    for found in _ASSIGNED.finditer(text):
        yield from _secrets_of(found[1], _read_by_shell(found[2]))
    for line in _LINE.finditer(text):
        if setting := _SETTING.fullmatch(line[0]):
            begins = line.start() + setting.start(2)
            # one that is never closed takes nothing from the settings below it
            for value in _spellings(setting[2], _QUOTED.match(text, begins)):
                yield from _secrets_of(setting[1], value)


def _read_by_shell(written: str) -> str:
    """A value without its quotes: a backslash at the end of a line joins it with the next."""

    def plain(part: re.Match[str]) -> str:
        double, single, escaped, bare = part.groups()
        if double is not None:
            return _IN_QUOTES.sub(lambda one: one[1].strip("\n"), double)
        return (single or bare or "") if escaped is None else escaped.strip("\n")

    return _PART.sub(plain, written)


def _spellings(rest: str, quoted: re.Match[str] | None) -> Iterator[str]:
    """The values that a setting may have: as it is written, and as a program reads it."""
    if quoted is None:
        yield rest.partition(" #")[0].rstrip()
        return
    written = quoted[1] if quoted[1] is not None else quoted[2]
    yield written
    if quoted[1] is not None and "\\" in written:
        yield _ESCAPED.sub(lambda found: _LETTERS.get(found[1], found[1]), written)
    lines = _LINE.findall(written)
    yield from lines if len(lines) > 1 else ()


def _secrets_of(name: str, value: str) -> Iterator[str]:
    yield from known_secrets({name: value})
    named = is_secret_name(name) or _NAME.search(name)
    if named and (is_secret_value(value) or _MIXED.fullmatch(value)):
        yield value
