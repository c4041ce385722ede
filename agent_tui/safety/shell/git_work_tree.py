"""What commands of git that only look show beyond what is committed: changes of tracked secrets,
and files that git does not track."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.git_config import find_repository
from agent_tui.safety.git_index import BadIndex
from agent_tui.safety.shell.harmless_git import COMMANDS, split_words
from agent_tui.safety.shell.harmless_options import ParsedWords, parse_words
from agent_tui.safety.shell.named_files import FileBudget
from agent_tui.safety.shell.syntax import Unclear

_SHOW_FILES: Final = frozenset({"diff", "diff-files", "diff-index", "grep", "status"})
"""They show files of the work tree that nobody named."""
_OF_THE_INDEX: Final = frozenset({"cached", "staged"})
_NAMES_ONLY: Final = frozenset({"name-only", "name-status"})
_PATCH: Final = frozenset({"p", "u", "U", "patch", "unified", "stat", "W", "function-context"})


def check_work_tree(words: Sequence[str], folder: Path, budget: FileBudget) -> None:
    """Raises Unclear where `git` with these words, in `folder`, would show what nobody has judged.
    They have been judged by `harmless_git`."""
    name, rest = split_words(words)
    where = find_repository(folder)
    if name not in _SHOW_FILES or where is None:
        return
    found = parse_words(COMMANDS[name], rest)
    if name == "diff":
        for one in found.operands:
            _check_inside(one, folder, where.top)
    if not _shows_files(name, found, folder):
        return
    try:
        changed = budget.changed_secrets(where)
    except (OSError, BadIndex) as problem:
        raise Unclear(f"the index of git cannot be read: {problem}") from None
    if changed:
        raise Unclear(f"it may show {changed[0]}: a secret with changes that are not committed")


def _check_inside(operand: str, folder: Path, top: Path) -> None:
    """Raises Unclear for a path out of the repository: then `git diff` compares any two files, also
    those that it does not track."""
    place = folder / operand
    for path in (os.path.normpath(place), os.path.realpath(place)):
        if not Path(path).is_relative_to(top):
            raise Unclear(f"{operand} is outside this repository, so git compares it as a file")


def _shows_files(name: str, found: ParsedWords, folder: Path) -> bool:
    """Whether it shows what is in files of the work tree."""
    options = [option for option, _ in found.options]
    if name == "status":
        return options.count("v") + options.count("verbose") > 1
    if _OF_THE_INDEX & {*options}:
        return False
    if name == "grep":
        return True
    if _NAMES_ONLY & {*options} and not _PATCH & {*options}:
        return False
    # between two commits; a file can have such a name, too
    return not any(".." in one and not os.path.lexists(folder / one) for one in found.operands)
