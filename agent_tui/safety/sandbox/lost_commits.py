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
_OF_TAGS: Final = ("cat-file", "--batch-check=%(objectname) %(rest)")
"""Of each commit that is asked for by a tag with a message: it, and the tag."""


def find_lost(common: str, before: Mapping[str, Was], now: Mapping[str, Was]) -> dict[str, str]:
    """Those that a branch or tag or a young entry of a reflog named, each with the name of that, and
    to which neither what is named `now` nor another one of them leads; where git does not answer,
    all that nothing names. Reads files, and runs git."""
    dropped = dict([*_dropped(common, before, now).items()][:MOST])
    if not dropped:
        return {}
    given = "\n".join((*dropped, *(f"^{sha}" for sha in git_files.all_named(now, common)), ""))
    lines = _ask(common, _WORDS, given)
    tagged = _ask(common, _OF_TAGS, "".join(f"{sha}^{{commit}} {sha}\n" for sha in dropped))
    if lines is None or tagged is None:
        return dropped
    inner = {parent for line in lines for parent in line[1:]}
    tips = {line[0] for line in lines if line} - inner
    tips |= {line[1] for line in tagged if len(line) > 1 and line[0] in tips}
    return {sha: name for sha, name in dropped.items() if sha in tips}


def _ask(common: str, words: tuple[str, ...], given: str) -> list[list[str]] | None:
    """The words of each line that git answers; None: it does not."""
    folder = Path(common)
    where = Repository(folder.parent, folder, folder)
    answer = asyncio.run(ask_git(where, words, _MOST_SECONDS, given.encode(), is_shown=False))
    return None if answer.problem else [line.split() for line in answer.output.splitlines()]


def _dropped(common: str, before: Mapping[str, Was], now: Mapping[str, Was]) -> dict[str, str]:
    """Those that nothing names any more."""
    found = dict[str, str]()
    for path, was in git_files.cut_files(before, now):
        name = git_files.log_name(path, common)
        kept = {*git_files.log_lines(path, now[path], common)} if path in now else set[bytes]()
        for line in () if name == git_files.STASH else git_files.log_lines(path, was, common):
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
