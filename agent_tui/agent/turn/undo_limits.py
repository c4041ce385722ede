"""What undo cannot reach of a command, in the words of the screen and of the sheet of `/undo`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.agent.turn.untracked_files import LARGEST, MOST

MOST_FILES: Final = 2_000
"""Of those that git calls changed, and the session changed, around one command."""
_SMALL: Final = f"{LARGEST // 1_000_000} MB"

NO_REPOSITORY: Final = (
    f"No git repository here: /undo does not see a command's changes to files over {_SMALL} or "
    "with the name of a secret, in folders like node_modules, and in repositories below."
)
IGNORED: Final = (
    "/undo does not see a command's changes to what git ignores where it is in a folder like "
    f"node_modules, larger than {_SMALL} or named like a secret; to files that git is told to pass "
    "over (assume-unchanged, skip-worktree), to submodules and repositories inside this one, to "
    "empty folders, and to permissions other than executable. It takes no commit back. A tracked "
    "file that a command deleted comes back readable only by you."
)
UNREAD: Final = "/undo reverts a command's changes only in files that this session changed before."
CONVERTED: Final = (
    "git converts files here (line ends, encodings, filters): /undo reverts a command's changes to "
    "those only if they were modified before it."
)
MANY: Final = (
    f"More than {MOST_FILES:,} files are changed here: /undo does not see a command's changes to "
    "the others."
)
MANY_UNTRACKED: Final = (
    f"More than {MOST:,} files here are not in git: /undo does not see a command's changes to the "
    "others."
)
UNLISTED: Final = (
    "git ignores too many files here to list them: /undo does not see a command's changes to those."
)
COMMIT: Final = "A command switched to another commit: git can switch back, /undo cannot."
MOVED: Final = (
    "A command moved files here from where /undo does not look: /undo can delete them here, but "
    "not move them back."
)
UNKNOWN: Final = "What the command changed that was cut off is not known: /undo cannot revert it."
APPEARED: Final = (
    "git shows files that it did not show before a command, but the command did not make them: "
    "/undo keeps them."
)
NAMED: Final = 3
"""Files that are named which nobody could look at."""


def describe_unseen(names: Sequence[str]) -> str:
    """In words, which files nobody could look at."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    said = f"{', '.join(names[:NAMED])}{more}"
    return f"Too large or not readable: {said}. /undo does not see a command's changes there."
