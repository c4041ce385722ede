"""The maps of a session's folders. What was found is kept in the cache, unless nothing may be
kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from logging import Logger
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.files import breathing
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.context.repo_map.build import Drawn, RepoMap

with late():  # SQLite, and what only this needs
    from agent_tui.context.repo_map import build

FOLDER: Final = "maps"
"""In the cache."""


@frozen
class Look:
    """How somebody looks at the folders `roots`: `near` are the files that they work on; what is
    `unreadable` for them is left out, and `hide` takes secrets out of what is shown."""

    roots: tuple[Path, ...]
    near: Sequence[Path]
    unreadable: Callable[[Path, Sequence[str]], Collection[str]]
    hide: Callable[[str], str]


class RepoMaps:
    """One map a folder."""

    def __init__(self, config: EngineConfig, log: Logger) -> None:
        self._environment, self._log = config.environment, log
        folder = config.scratch if config.otr else config.folders.cache
        self._cache = folder / FOLDER if folder is not None else None
        self._maps: dict[Path, RepoMap] = {}

    def draw(
        self,
        real: Path,
        focus: Sequence[str],
        tokens: int,
        look: Look,
        stopped: Callable[[], bool],
    ) -> Drawn:
        """The map of what lies at the real path. Reads files: not for the loop. Raises Stopped,
        OSError, ValueError."""
        root = next((one for one in look.roots if real.is_relative_to(one)), None)
        if root is None:
            raise ValueError("it is in no folder of the session")
        if not real.exists():
            raise ValueError("there is no such file or folder")
        found = self._maps.get(root)
        if found is None:
            made = build.RepoMap(root, self._environment, self._cache, self._log)
            found = self._maps.setdefault(root, made)
        near = tuple(
            one.relative_to(root).as_posix() for one in look.near if one.is_relative_to(root)
        )
        below = "" if real == root else real.relative_to(root).as_posix()
        wanted = build.Wanted(below, tuple(focus), near, tokens)
        return found.make(wanted, look.unreadable, look.hide, breathing(stopped))
