"""Commands of git that throw away work which no commit holds, or the only name of commits. A
snapshot is taken before every command, but of files that git ignores there is none, and of branches
neither.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.structures import late

CHANGES: Final = "it throws away changes that are not committed"
FILES: Final = "it deletes files that git does not hold"
STASH: Final = "it throws away changes that were put aside"
BRANCH: Final = "it deletes a branch, with commits that may be nowhere else"
MOVED: Final = "it sets a branch to other commits, and those that it had may be nowhere else"
OBJECTS: Final = "it deletes what only git still holds: commits and files that no branch names"
CUT: Final = "it cuts off the history: git forgets the older commits, which may be nowhere else"
TREE: Final = "it deletes a work tree with changes that are not committed"


_EXPIRES: Final = late.pattern(
    r"gc\.(?:(?:.+\.)?reflogexpire(?:unreachable)?|pruneexpire|worktreepruneexpire)(?:=|\Z)",
    re.IGNORECASE,
)
_CUTS: Final = ("--depth", "--shallow-since", "--shallow-exclude", "--update-shallow")
_NO_BRANCH: Final = late.pattern(r"^:|[*?\[]")
"""In what names files: `:/`, `*.py`."""


def git_loss(command: str, rest: Sequence[str], cwd: str = "") -> str:
    """What `git` with this command and these words throws away in the folder `cwd`, in one line;
    empty: nothing."""
    flags, operands = programs.split(rest, "sb")
    match command:
        case "reset" if programs.has(flags, "", "--hard", "--merge"):
            return CHANGES
        case "checkout" if _checks_files_out(rest, flags, operands, cwd):
            return CHANGES
        case "switch" if programs.has(flags, "f", "--force", "--discard-changes"):
            return CHANGES
        case "restore" if not programs.has(flags, "S", "--staged") or programs.has(
            flags, "W", "--worktree"
        ):
            return CHANGES
        case "rm" if programs.has(flags, "f", "--force"):
            return CHANGES
        case "merge" | "rebase" | "am" | "cherry-pick" | "revert" if programs.has(
            flags, "", "--abort", "--skip"
        ):
            return CHANGES
        case "read-tree" if programs.has(flags, "u") and programs.has(flags, "m", "--reset"):
            return CHANGES
        case "checkout-index" if programs.has(flags, "f", "--force"):
            return CHANGES
        case "clean" if not programs.has(
            programs.split(rest, "e", ("--exclude",))[0], "n", "--dry-run"
        ):  # a setting may stand for `-f`
            return FILES
        case "prune" if not programs.has(flags, "n", "--dry-run"):
            return OBJECTS
        case "gc" if programs.has((flag for flag in flags if "=" in flag), "", "--prune"):
            return OBJECTS
        case "repack" if programs.has(flags, "a") and programs.has(flags, "d"):
            return OBJECTS
        case "stash" if rest[:1] in (["drop"], ["clear"]):
            return STASH
        case "branch" if programs.has(flags, "D") or (
            programs.has(flags, "d", "--delete") and programs.has(flags, "f", "--force")
        ):
            return BRANCH
        case "branch" if programs.has(flags, "fMC", "--force"):
            return MOVED
        case "checkout" | "switch" if programs.has(flags, "BC", "--force-create"):
            return MOVED
        case "worktree" if rest[:1] == ["add"] and programs.has(flags, "B"):
            return MOVED
        case "fetch" | "pull" | "fetch-pack":
            return _fetch_loss(flags, operands)
        case "lfs" if rest[:1] == ["prune"]:
            return OBJECTS
        case "worktree" if rest[:1] == ["remove"] and programs.has(flags, "f", "--force"):
            return TREE
        case "submodule" if rest[:1] in (["deinit"], ["update"]) and programs.has(
            flags, "f", "--force"
        ):
            return TREE
    return ""


def sets_expiry(words: Sequence[str]) -> bool:
    """Whether a setting among the words of git says how soon it deletes what no branch names."""
    return any(_EXPIRES.match(word) for word in words)


def _fetch_loss(flags: list[str], operands: list[str]) -> str:
    """That what is fetched is put over branches of here, whatever they hold, or over old commits.
    Options that are cut shorter than here say more than one thing, and git refuses them."""
    if programs.has((flag for flag in flags if len(flag) > len("--de")), "", *_CUTS):
        return CUT
    forced = programs.has(flags, "f", "--force")
    targets = (one.partition(":")[2] for one in operands[1:] if forced or one.startswith("+"))
    is_set = any(target and not target.startswith("refs/remotes/") for target in targets)
    return MOVED if is_set else ""


def _checks_files_out(rest: Sequence[str], flags: list[str], operands: list[str], cwd: str) -> bool:
    """Whether files are put over those in the work tree: by force, behind `--`, or by name where
    that cannot be a branch, as git refuses what is both."""
    makes = programs.has(flags, "bB", "--orphan")
    named = "--" in rest and rest[-1] != "--"
    return (
        programs.has(flags, "f", "--force", "--ours", "--theirs", "--pathspec-from-file")
        or named
        or any(one == "." or _NO_BRANCH.search(one) for one in operands)
        or (len(operands) > 1 and not makes)
        or (not makes and any(os.path.lexists(Path(cwd, one)) for one in operands))
    )
