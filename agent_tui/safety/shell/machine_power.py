"""Commands that stop the machine, or every process on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late

STOPS: Final = "it shuts the machine down or restarts it"
_POWER: Final = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_UNITS: Final = word_set("poweroff reboot halt kexec soft-reboot emergency rescue")
_WHEN: Final = late.pattern(r"now|\+?\d+|\d\d?:\d\d|-[a-zA-Z]+|--[a-z][a-z-]*")
"""What they are given first; a name there (`virsh shutdown vm`) is that of something else."""
_OWN: Final = word_set(
    """
    make gmake just task rake npm npx pnpm yarn bun cargo gradle mvn vagrant virsh adb fastboot
    multipass lxc incus machinectl vboxmanage docker podman nerdctl gcloud az aws doctl hcloud
    openstack ipmitool xe qm pct pytest tox nox
    """
)
"""Programs that have targets, tests or commands of these names, which stop something else."""
_FITS_ALL: Final = late.pattern(r"\^?(?:\.[*+]?)*\$?")


def reason(name: str, arguments: Sequence[str], given_to: str = "") -> str:
    """That a program with these words stops the machine; empty: it does not. `given_to`: they stand
    in the arguments of that program, which may run them."""
    first = programs.split(arguments)[1][:1]
    stops = name in _POWER
    if stops and given_to:
        stops = all(map(_WHEN.fullmatch, arguments[:1])) if arguments else given_to not in _OWN
    levels = name == "telinit" or (name == "init" and given_to not in _OWN)
    stops = stops or (levels and first in (["0"], ["6"]))
    return STOPS if stops or (name == "systemctl" and _UNITS.intersection(first)) else ""


def kills_all(name: str, arguments: Sequence[str]) -> bool:
    """`-1` as a process id (behind a signal), not as the signal; or a pattern that all names
    fit."""
    if name == "killall5":
        return True
    if name in ("pkill", "killall"):
        flags, operands = programs.split(arguments, "uUGgPst", ("--user", "--signal"))
        by_user = programs.has(flags, "uU", "--user", "--euid", "--uid")
        is_pattern = name == "pkill" or programs.has(flags, "r", "--regexp")
        all_fit = is_pattern and any(_FITS_ALL.fullmatch(one) for one in operands)
        return all_fit or (by_user and not operands)
    rest = list(arguments)
    if rest[:1] in (["-s"], ["-n"]):
        rest = rest[2:]
    elif rest and rest[0] != "--" and rest[0].startswith("-") and len(rest) > 1:
        rest = rest[1:]
    return "-1" in rest
