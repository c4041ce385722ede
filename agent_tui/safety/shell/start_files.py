"""Files of a home folder, or of the system, that programs obey later without a question: start
files of shells, keys of ssh, services, scheduled jobs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.structures import late

_HOME: Final = r"(?:~[\w-]*|/root|/(?:home|Users)/[^/]+)"
_SHELL: Final = late.pattern(
    rf"{_HOME}/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv"
    r"|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|logout|xprofile|xinitrc|xsession"
    rf"|xsessionrc|inputrc|vimrc|gitconfig|pam_environment)$|{_HOME}/\.config/(?:fish|zsh|git|nvim)/"
    r"|/etc/(?:profile|bash\.?bashrc|bashrc|zsh|zshrc|zshenv|environment)"
)
_KEYS: Final = late.pattern(r"(?:^|/)\.ssh/|^/etc/ssh/")
_SERVICES: Final = late.pattern(
    rf"{_HOME}/\.config/(?:systemd|autostart|environment\.d)/|{_HOME}/Library/LaunchAgents/"
    r"|/Library/Launch(?:Agents|Daemons)/|/etc/(?:cron|systemd/|init\.d/|rc\.local|ld\.so\.)"
    r"|/var/spool/cron"
)
_RIGHTS: Final = late.pattern(r"/etc/(?:sudoers|passwd|shadow|group|pam\.d)")
_LAST: Final = frozenset({"cp", "mv", "ln", "install", "rsync", "scp"})
_INTO: Final = late.pattern(r"(?:-[a-zA-Z]*t|--target-directory=?)(.*)")
_EACH: Final = frozenset({"tee", "truncate", "sponge", "ed", "ex", "patch"})
_EDITS: Final = frozenset({"sed", "gsed", "perl"})
_WRITERS: Final = _LAST | _EACH | _EDITS | {"dd"}
_IN_PLACE: Final = late.pattern(r"-[a-zA-Z]*i|--in-place")
_RUNS: Final = late.pattern(
    r"alias\.|include|url\.|filter\.|credential\.|gpg\.|diff\..+\.|merge\..+\."
    r"|core\.(?:hookspath|pager|editor|sshcommand|fsmonitor|askpass|attributesfile)|init\.templatedir",
    re.IGNORECASE,
)


def at_home(path: str) -> str:
    """`path` with the home folder written as `~`."""
    return re.sub(r"^\$(?:HOME\b|\{HOME\})", "~", path)


def find_obeyed(path: str, cwd: str) -> str:
    """What `path` is to the programs that obey it, in words; empty for any other file."""
    text = at_home(path)
    whole = text if text.startswith("~") else posixpath.join(at_home(cwd), text)
    whole = posixpath.normpath(whole)
    for pattern, what in (
        (_KEYS, "what ssh obeys"),
        (_SHELL, "a file that shells and tools run or obey when they start"),
        (_SERVICES, "what starts by itself"),
        (_RIGHTS, "who may do what on this machine"),
    ):
        if pattern.search(whole):
            return f"{what} ({path})"
    return ""


def find_written(name: str, words: Sequence[str], cwd: str) -> str:
    """As `find_obeyed`, for the files that this program writes."""
    if name == "ssh-copy-id":
        return "what ssh obeys on another machine"
    return next((what for one in written_files(name, words) if (what := find_obeyed(one, cwd))), "")


def written_files(name: str, words: Sequence[str]) -> list[str]:
    """The files that this program may write, among them every operand of one that writes in
    place."""
    if name not in _WRITERS:
        return []
    flags, operands = programs.split(words)
    written: list[str] = []
    after = pairwise([*words, ""])
    into = [found[1] or value for word, value in after if (found := _INTO.fullmatch(word))]
    if name in _LAST and into:
        written = [_below(into[0], one) for one in operands]
    elif name in _LAST and len(operands) > 1:
        written = [operands[-1], *(_below(operands[-1], one) for one in operands[:-1])]
    elif name in _EACH or (name in _EDITS and any(_IN_PLACE.match(flag) for flag in flags)):
        written = operands
    elif name == "dd":
        written = [word[3:] for word in words if word.startswith("of=")]
    return written


def _below(folder: str, file: str) -> str:
    return posixpath.join(folder, posixpath.basename(file.rstrip("/")))


def sets_program_for_all(words: Sequence[str]) -> bool:
    """Whether `git config` with these words names a program, or a file that may, for all
    repositories."""
    flags, operands = programs.split(words)
    operands = operands[operands[:1] == ["set"] :]
    sets = len(operands) > 1 and not any(flag.startswith("--get") for flag in flags)
    return (
        sets and programs.has(flags, "", "--global", "--system") and bool(_RUNS.match(operands[0]))
    )
