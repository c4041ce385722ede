"""What git says around a command: which files are not as it has them, and what the others were.
Nothing of git's own is written: no index, no stash, no refs.

A file that was clean before is as git has it in its commit; where git changes it on its way
(line ends, filters), or the command moved to another commit, that is not known, and then nothing is
said of it.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from agent_tui.agent.turn.snapshots import Known, Snapshot, Status, parse_status
from agent_tui.agent.turn.undo_limits import CONVERTED, UNLISTED, UNREAD
from agent_tui.safety import git_config
from agent_tui.safety.file_access import is_link
from agent_tui.safety.git import ask_git
from agent_tui.safety.git_config import Repository
from agent_tui.sessions.log.checkpoints import Blobs

_TIMEOUT: Final = 2.0
_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",  # to count commits takes long, and nobody asks for them
    "--untracked-files=all",
    "--ignore-submodules=dirty",
)
_IGNORED: Final = ("--ignored=matching",)


class GitView:
    """The repository `where` as it is looked at around commands. `limit` takes what undo cannot
    reach."""

    def __init__(
        self,
        where: Repository,
        blobs: Blobs,
        off_loop: Callable[[Callable[[], Any]], Awaitable[Any]],
        limit: Callable[[Snapshot, str], None],
    ) -> None:
        self.where, self._blobs, self._off_loop, self._limit = where, blobs, off_loop, limit
        self._slow, self._problem = False, ""
        self._lists_ignored = True

    async def status(self, around: Snapshot) -> Status | None:
        """What is changed, unknown to git and ignored; None where git cannot say it."""
        if not self._slow:
            words = (*_STATUS, *_IGNORED) if self._lists_ignored else _STATUS
            answer = await ask_git(self.where, words, _TIMEOUT)
            if answer.slow and self._lists_ignored:
                self._lists_ignored = False
                answer = await ask_git(self.where, _STATUS, _TIMEOUT)
            if not answer.problem:
                if not self._lists_ignored:
                    self._limit(around, UNLISTED)
                return parse_status(answer.output, self.where.top, answer.said)
            self._slow, self._problem = answer.slow, answer.problem
        self._limit(around, f"{self._problem}: {UNREAD}")
        return None

    async def committed(
        self, around: Snapshot, clean: Mapping[Path, Known], now: Mapping[Path, Known], most: int
    ) -> tuple[dict[Path, Known], list[Path]]:
        """What files were that had no change before, and are in `now`: their objects, kept, up to
        `most` bytes; and those that cannot be read, or do not fit."""
        clean = await self._unconverted(
            around, {path: has for path, has in clean.items() if path in now}, now
        )
        if not clean:
            return {}, []
        asked = "".join(f"{has.sha}\n" for has in clean.values()).encode()
        with tempfile.TemporaryFile() as output:
            words = ("cat-file", "--batch")
            answer = await ask_git(self.where, words, _TIMEOUT * 5, asked, output)
            if answer.problem:
                self._limit(around, f"{answer.problem}: {UNREAD}")
                return {}, []
            found = await self._off_loop(lambda: self._objects(output, clean, most))
        return found, [path for path in clean if path not in found]

    async def _unconverted(
        self, around: Snapshot, clean: Mapping[Path, Known], now: Mapping[Path, Known]
    ) -> Mapping[Path, Known]:
        """Those of `clean` that git has byte for byte. Links have no rules."""
        files = [path for path, has in clean.items() if not is_link(has.mode)]
        if not files:
            return clean
        changed = any(
            path.name == git_config.ATTRIBUTES_FILE
            and around.files.get(path, Known("?")).sha != has.sha
            for path, has in now.items()
        )
        unknown = changed or git_config.are_rules_unknown(self.where, around.begun)
        other = {*files} if unknown else await self._converted(self.where, files)
        if other:
            self._limit(around, CONVERTED)
        return {path: has for path, has in clean.items() if path not in other}

    async def _converted(self, where: Repository, files: Sequence[Path]) -> set[Path]:
        given = git_config.attribute_query(where, files)
        with tempfile.TemporaryFile() as output:
            crlf, said = await asyncio.gather(
                ask_git(where, git_config.CRLF, _TIMEOUT),
                ask_git(where, git_config.ATTRIBUTE_RULES, _TIMEOUT, given, output, drivers=True),
            )
            output.seek(0)
            rules = b"" if crlf.problem or said.problem else output.read()
        return git_config.converted_paths(files, crlf.output, rules)

    def _objects(
        self, output: IO[bytes], wanted: Mapping[Path, Known], budget: int
    ) -> dict[Path, Known]:
        output.seek(0)
        found: dict[Path, Known] = {}
        for path, has in wanted.items():
            head = output.readline().split()
            if len(head) != 3 or not head[2].isdigit():
                continue
            size = int(head[2])
            if head[1] != b"blob" or size > budget:
                output.seek(size + 1, os.SEEK_CUR)
                continue
            budget -= size
            content = output.read(size)
            output.read(1)
            found[path] = Known(self._blobs.put(content, synced=False), has.mode)
        return found
