"""Commits that had a name, and to which nothing in a repository leads any more. git is asked, for
what leads to a commit stands in other commits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agent_tui.safety.git import ask_git
from agent_tui.safety.git_config import Repository
from agent_tui.safety.sandbox import git_files
from agent_tui.safety.sandbox.protected_state import Was

MOST: Final = 200
"""Commits that are asked about."""
_MOST_SECONDS: Final = 5.0
_NAMING: Final = ("refs/heads/", "refs/tags/")
"""Those of remotes, and others that git has for itself, come and go with these."""
_WORDS: Final = ("rev-list", "--parents", "--ignore-missing", "--stdin", "--max-count=10000")


def find_lost(common: str, before: Mapping[str, Was], now: Mapping[str, Was]) -> dict[str, str]:
    """Those that a branch or tag or a young entry of a reflog named, each with the name of that, and
    to which neither what is named `now` nor another one of them leads; where git does not answer,
    all that nothing names. Reads files, and runs git."""
    dropped = dict([*_dropped(common, before, now).items()][:MOST])
    if not dropped:
        return {}
    given = "\n".join((*dropped, *(f"^{sha}" for sha in git_files.all_named(now, common)), ""))
    folder = Path(common)
    where = Repository(folder.parent, folder, folder)
    asked = ask_git(where, _WORDS, _MOST_SECONDS, given.encode(), is_shown=False)
    answer = asyncio.run(asked)
    if answer.problem:
        return dropped
    lines = [line.split() for line in answer.output.splitlines()]
    inner = {parent for line in lines for parent in line[1:]}
    tips = {line[0] for line in lines if line} - inner
    return {sha: name for sha, name in dropped.items() if sha in tips}


def _dropped(common: str, before: Mapping[str, Was], now: Mapping[str, Was]) -> dict[str, str]:
    """Those that nothing names any more."""
    found = dict[str, str]()
    for path, was in git_files.cut_files(before, now):
        name = path.partition("/logs/")[2]
        kept = {*git_files.log_lines(path, now[path])} if path in now else set[bytes]()
        for line in () if name == git_files.STASH else git_files.log_lines(path, was):
            if line not in kept and not git_files.is_old(line):
                found[git_files.commit_of(line)] = name
        if path.endswith("/HEAD") and not name:
            found[was.content.decode("utf-8", "replace").strip()] = "HEAD"
    named = git_files.refs(now, common)
    for name, sha in git_files.refs(before, common).items():
        if name.startswith(_NAMING) and named.get(name) != sha:
            found[sha] = name
    there = git_files.all_named(now, common) if found else frozenset()
    return {
        sha: name
        for sha, name in found.items()
        if git_files.SHA.fullmatch(sha) and sha not in there and sha.strip("0")
    }
