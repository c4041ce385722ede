"""Whether a command runs git and nothing of the project: then it may write in the git folder, which
is read-only for every other command where the sandbox has mounts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from agent_tui.programs import lies_outside
from agent_tui.safety.shell import harmless, harmless_git, programs
from agent_tui.safety.shell.harmless_options import Unknown
from agent_tui.safety.shell.started_programs import named_programs
from agent_tui.safety.shell.syntax import Command, Unclear, parse
from agent_tui.safety.shell.words import TooMany, simple_commands, word_set
from agent_tui.structures import late

_WRITES: Final = word_set(
    """
    add am apply bisect branch checkout checkout-index cherry-pick clean clone commit commit-graph
    commit-tree config fetch fetch-pack gc hash-object init merge multi-pack-index mv notes
    pack-refs prune pull push read-tree rebase remote repack replace rerere reset restore revert rm
    send-pack sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref
    version worktree write-tree
    """
)
"""Commands of git itself. Another one may be an alias, or a program called `git-…`."""
_MERGES: Final = word_set("cherry-pick merge pull rebase revert")
_STARTS: Final = _MERGES | word_set(
    "bisect clone fetch fetch-pack grep init push send-pack submodule"
)
"""Some options of these name a program."""
_SIGNS: Final = word_set("cherry-pick revert")
"""Here `-s` names no strategy."""
_STRATEGIES: Final = word_set("octopus ort ours recursive resolve subtree")
"""Those of git itself; for another one it starts `git-merge-…`."""
_STRATEGY: Final = late.pattern(r"-[a-zA-LN-WYZ]*s(.*)", re.DOTALL)
_LOOKERS: Final = harmless.INERT | harmless.PROGRAMS.keys()
_IN_WORD, _READ = "agent-tui-message", "agent-tui-document"
_DOCUMENT: Final = late.pattern(
    r"(?P<inner>\"\$\(cat )?<< ?(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?P<rest>[^\n]*)\n"
    r"(?P<text>(?:(?!(?P=end)).*\n)*)(?P=end)(?:(?P<close>\n *\)\")|(?=\n|\Z))"
)
"""A message that is written as a here-document, in a word (`"$(cat <<'EOF' …)"`) or by itself."""


def runs_alone(command: str, environment: Mapping[str, str], roots: Sequence[Path]) -> bool:
    """Whether all that `command` starts in its words is git, and programs that only look, of which
    none lies in `roots`. What it does not say for certain is something else."""
    try:
        calls = _parse(command)
    except Unclear:
        return False
    names = {call.name for call in calls}
    path = environment.get("PATH", os.defpath)
    is_plain = "git" in names and all(map(_is_plain, calls))
    return is_plain and all(lies_outside(one, path, *roots) for one in names)


def stands_beside(command: str) -> bool:
    """Whether `command` starts git in its words to change something, and another program that does
    more than look."""
    try:
        text = _DOCUMENT.sub(_mark, command)
        found = [programs.unwrap_call(one) for one in simple_commands(text, lambda _: "")]
    except TooMany:
        return False
    calls = [call for call in found if call is not None]
    writes = any(
        call.name == "git" and _changes([word.text for word in call.arguments]) for call in calls
    )
    return writes and not {call.name for call in calls} <= {"git", *_LOOKERS}


def _changes(words: Sequence[str]) -> bool:
    command, rest = programs.git_command(words)
    try:
        return tuple(harmless_git.judge([command, *rest])) is None
    except Unknown:
        return True


def _parse(command: str) -> tuple[Command, ...]:
    """Its simple commands, with a mark in place of each here-document. Raises Unclear."""
    if "<<" not in command:
        return parse(command)
    marked = _DOCUMENT.sub(_mark, command)
    calls = parse(marked)
    words = [word.text for call in calls for word in call.words]
    # what stands in quotes, or in a comment, is none
    found = sum(_IN_WORD in word and f'"{_IN_WORD}' not in word for word in words)
    found += sum(word.text == _READ for call in calls for word in call.reads)
    if found != marked.count(_IN_WORD) + marked.count(_READ):
        raise Unclear("it cannot be seen where a here-document of it begins")
    return calls


def _mark(found: re.Match[str]) -> str:
    is_whole = bool(found["inner"]) == bool(found["close"])
    if not is_whole or (not found["quote"] and re.search(r"[$`\\]", found["text"])):
        return found[0]
    if found["inner"]:
        return f'"{_IN_WORD}"' if not found["rest"] else found[0]
    return f"< {_READ}{found['rest']}"


def _is_plain(call: Command) -> bool:
    argv = [word.text for word in call.words]
    try:
        if call.name != "git":
            return tuple(harmless.judge(argv)) is not None
        command, rest = programs.git_command(argv[1:])
    except Unknown:
        return False
    if command not in _WRITES and command not in harmless_git.COMMANDS:
        return argv[1:] == ["--version"]
    # a pattern may stand for a name that is an option
    is_said = command not in _STARTS or not any(word.pattern for word in call.words)
    starts = any(named_programs(argv)) or (command in _MERGES and _starts_strategy(command, rest))
    return is_said and not starts


def _starts_strategy(command: str, words: Sequence[str]) -> bool:
    for word, after in pairwise([*words, ""]):
        if programs.has([word], "", "--strategy"):
            value = word.partition("=")[2] or after
        elif command not in _SIGNS and (found := _STRATEGY.fullmatch(word)):
            value = found[1] or after
        else:
            continue
        if value not in _STRATEGIES:
            return True
    return False
