"""Commands of git that write its settings (`.git/config`) besides what they are named for. In the
sandbox of the folder the settings stay as they are, and git would do half of it: a branch that is
renamed, and its upstream is lost. The same goes for the steps of a rebase that are left. Whoever
allows such a command lets it run without the sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.safety.shell import harmless_git, programs
from agent_tui.safety.shell.harmless_options import Unknown

GIT: Final = "git"
WRITES: Final = "it writes git's settings or next steps, which the sandbox holds fast"
_ONLY_LOOKS: Final = frozenset({"get-url", "prune", "set-head", "show", "status", "update"})
"""Of `git remote` and `git submodule`. `update` takes `--init` to write."""
_GOES_ON: Final = frozenset(
    ("--abort", "--continue", "--edit-todo", "--quit", "--resolved", "--skip")
)
"""Of what git does in steps: those that are left lie in its folder, and git runs some of them."""
_UPSTREAM: Final = ("--set-upstream",)
_REMOTE: Final = ("origin/", "upstream/", "remotes/", "refs/remotes/")
"""How the names of branches of others begin that are usual: what starts there follows them."""


def writes_settings(argv: Sequence[str]) -> bool:
    """Whether a simple command is one of git that writes settings of the repository."""
    if not argv or argv[0].rpartition("/")[2] != GIT:
        return False
    command, rest = programs.git_command(argv[1:])
    try:
        harmless_git.judge((command, *rest))
        return False  # it only looks
    except Unknown:
        said, operands = programs.split(rest)
    flags = [flag.partition("=")[0] for flag in said]
    match command:
        case "config" | "sparse-checkout":
            return True
        case "remote":
            return bool(operands) and operands[0] not in _ONLY_LOOKS
        case "submodule":
            has_init = programs.has(flags, "", "--init")
            return has_init or (bool(operands) and operands[0] not in _ONLY_LOOKS | {"foreach"})
        case "branch":
            changes = ("--move", "--copy", "--delete", "--unset-upstream", "--edit-description")
            if programs.has(flags, "mMcCdDut", *changes, "--set-upstream-to", "--track"):
                return True
            return _follows(flags, operands[1:])
        case "checkout" | "switch" | "worktree":
            makes = programs.has(flags, "bBcC", "--create", "--force-create")
            return programs.has(flags, "t", "--track") or (makes and _follows(flags, operands[1:]))
        case "rebase" | "am" | "cherry-pick" | "revert":
            return any(flag in _GOES_ON for flag in flags)
        case "push" | "pull" | "fetch":
            return programs.has(flags, "u" if command == "push" else "", *_UPSTREAM)
        case _:
            return False


def _follows(flags: Sequence[str], starts: Sequence[str]) -> bool:
    """Whether a new branch that starts there follows that of a remote repository."""
    return not programs.has(flags, "", "--no-track") and any(
        start.startswith(_REMOTE) for start in starts
    )
