"""Programs that arrange for code to run later, or whenever the machine or a session starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late

JOBS: Final = "it changes scheduled jobs"
SERVICES: Final = "it changes what starts by itself"
_CRON: Final = frozenset({"crontab", "fcrontab"})
_QUEUE_LOOKS: Final = late.pattern(r"-[a-eg-pr-su-zA-Z]*?[lrcdV]")
"""An option of `at` by which it queues nothing; behind `f`, `q` and `t` stands a value."""
_TIME: Final = late.pattern(
    r"(?:now|noon|midnight|teatime|today|tomorrow|\d{1,2}:?\d\d|\d{1,2}(?:am|pm))(?:\b|\+)"
)
_TIMERS: Final = late.pattern(r"--(?:on-\w+|timer-property|path-property|socket-property)")
_COMMANDS: Final = {
    program: word_set(words)
    for program, words in {
        "systemctl": "enable reenable link preset preset-all add-wants add-requires edit set-default",
        "launchctl": "load bootstrap submit enable",
        "loginctl": "enable-linger",
        "schtasks": "/create /change",
        "sc": "create",
        "update-rc.d": "defaults enable",
        "chkconfig": "on",
        "rc-update": "add",
        "pm2": "startup",
        "scalar": "register clone reconfigure",
        "git maintenance": "start register",
        "brew services": "start restart",
    }.items()
}
"""The word of each by which something starts by itself from then on; options may stand before
it."""
_FAMILIES: Final = frozenset(name.partition(" ")[0] for name in _COMMANDS if " " in name)


def reason(name: str, arguments: Sequence[str], is_given: bool = False) -> str:
    """What a program with these words arranges for later, in one line; empty: nothing. `is_given`:
    another program is given them, for which they may be files."""
    if is_given and name in (*_CRON, *programs.QUEUES) and not _says_when(name, arguments):
        return ""
    if name in _CRON:
        return "" if "-l" in arguments else JOBS
    if name in programs.QUEUES:
        return "" if any(map(_QUEUE_LOOKS.match, arguments)) else JOBS
    if name == "systemd-run":
        return JOBS if any(map(_TIMERS.match, arguments)) else ""
    name, words = name.removesuffix(".exe"), arguments
    if name in _FAMILIES:
        command, words = programs.git_command(arguments)
        name = f"{name} {command}"
    if name not in _COMMANDS:
        return ""
    operands = [text.lower() for text in programs.split(words)[1]]
    adds = name == "chkconfig" and "--add" in words
    return SERVICES if adds or not _COMMANDS[name].isdisjoint(operands[:2]) else ""


def _says_when(name: str, arguments: Sequence[str]) -> bool:
    """Whether the words are more than names of files that are called so."""
    first = arguments[0] if arguments else ""
    return first[:1] == "-" or (name in programs.QUEUES and _TIME.match(first) is not None)
