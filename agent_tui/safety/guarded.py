"""The environment of a command that nobody can answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_UNSET: Final = frozenset({"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE"})
_UNSET_PREFIXES: Final = ("LD_", "DYLD_", "BASH_FUNC_")


def guarded(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without start-up files, prompts and pagers."""
    kept = {k: v for k, v in environment.items() if k not in _UNSET and not k.startswith(_UNSET_PREFIXES)}
    refuse = "/bin/false" if Path("/bin/false").exists() else "/usr/bin/false"
    ssh = kept.get("GIT_SSH_COMMAND", "ssh")
    return kept | {
        "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": refuse, "SSH_ASKPASS": refuse, "SUDO_ASKPASS": refuse,
        "GIT_SSH_COMMAND": ssh if "BatchMode" in ssh else f"{ssh} -o BatchMode=yes",
        "GIT_PAGER": "cat", "PAGER": "cat", "MANPAGER": "cat", "GIT_EDITOR": "true", "TERM": "dumb",
    }  # fmt: skip
