"""Where the calls of a session work: folders, limits, and what is hidden from the model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from logging import Logger
from pathlib import Path
from typing import Any, Final, TypeVar

from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.repo_maps import RepoMaps
from agent_tui.protocol.display import DiffDisplay, DiffsDisplay, Display, Hunk
from agent_tui.protocol.events import (
    Event,
    QuestionAsked,
)
from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.ops import Answer
from agent_tui.safety import paths
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.sandbox.network_proxy import Internet
from agent_tui.safety.sandbox.protected_state import AllowedChanges
from agent_tui.safety.sandbox.support import Support
from agent_tui.safety.secrets.env_files import EnvFiles
from agent_tui.safety.secrets.hidden_values import HiddenValues
from agent_tui.safety.secrets.scrubber import ScrubbedStream
from agent_tui.tools.base import MemoryStore, ToolContext, ToolResult
from agent_tui.tools.support.seen_files import SeenFiles

D = TypeVar("D")
SkillLoader = Callable[[str, str, ToolContext], Awaitable[str]]
"""Brings a skill by its name, with these words, for a call."""
CHEAP_LINES: Final = 100
"""Lines of a change that take no time to look through."""
UNSEEN: Final = (
    "These folders are too large to look through all of them for protected names that a command "
    "made."
)


class Folder:
    """Where the commands of an agent run: what one of them changes holds for the next."""

    def __init__(self, roots: Callable[[], tuple[Path, ...]]) -> None:
        self._roots = roots
        self._moved: Path | None = None

    @property
    def path(self) -> Path:
        """A real path in a folder of the session; that of the session where it is none any more."""
        here, roots = self._moved, self._roots()
        return here if here is not None and is_inside(here, roots) else roots[0]

    def reset(self) -> None:
        """The next command begins in the folder of the session."""
        self._moved = None

    def move(self, wanted: str) -> bool:
        """A command ended in `wanted`, as its shell says; false: that is no folder of the session,
        and the next one begins in the session's."""
        here = Path(wanted)
        self._moved = here if (inside := is_inside(here, self._roots())) else None
        return inside


def is_inside(folder: Path, roots: Sequence[Path]) -> bool:
    try:
        real = folder.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    inside = any(real.is_relative_to(root) for root in roots)
    return inside and real == folder and real.is_dir()


NO_LIMIT: Final = 10**9
READ: Final = 3
"""How much more a file that is read may have than another result."""


@dataclass(frozen=True)
class Workplace:
    """What all calls of a session share. `emit` takes events of tools; `scrub` hides the program's
    own secrets."""

    all_roots: Callable[[], tuple[Path, ...]]
    """Real paths; the first is the session's folder. A call, because a provider may add a scratch
    folder."""
    environment: Mapping[str, str]
    keys: Mapping[str, str] = field(repr=False)
    """The program's own environment, in which keys and addresses of services stand."""
    command_timeout: float
    command_memory: int
    """Bytes that each process of a command may have; 0: no limit."""
    output_limit: int
    """Characters of a result, as the person set it."""
    spool: Path
    """Folder for command output that is too long for the model."""
    emit: Callable[[Event], None]
    scrub: Callable[[str], str]
    scrub_known: Callable[[str], str]
    """Only the values that are known: what a person is asked about is shown as it is, to the last
    byte."""
    scrub_secret_file: Callable[[str], str]
    """The same for what stands in a file whose purpose is secrets."""
    scrub_stream: Callable[[bool], ScrubbedStream]
    """The same for the output of a command, which comes in pieces and is kept on disk; true: it
    shows such a file."""
    jobs: Jobs
    """Takes what commands leave in the background."""
    learn: Callable[[Iterable[str]], None]
    """From now on these are hidden, too."""
    hidden: HiddenValues
    """What was hidden in what the model was told."""
    checkpoint: Callable[[bytes, str], str]
    own: tuple[Path, ...]
    """The program's own folders: what only looks does not look there."""
    histories: Histories
    """What commands in the sandbox delete of those of repositories is put back from these."""
    sandbox_support: Callable[[], Awaitable[Support]]
    """What the read-only sandbox is on this machine."""
    workspace_support: Callable[[], Awaitable[Support]]
    """The same for the sandbox in which commands work."""
    skills: Callable[[], Sequence[SkillInfo]]
    load_tools: Callable[[str], Sequence[str]]
    """Offers the tools of a group to the model from now on; their names. Raises ToolFailure."""
    off_loop: Callable[[Callable[[], Any]], asyncio.Future[Any]]
    """Runs blocking work in the worker's executor."""
    log: Logger
    env_files: EnvFiles = field(default_factory=EnvFiles)
    internet: Internet = field(default_factory=Internet)
    ask: Callable[[QuestionAsked], asyncio.Future[Answer]] | None = None
    """Asks the person; None: nobody is there."""
    mode: Callable[[], str] = lambda: "auto"
    set_mode: Callable[[str], None] = lambda _: None
    seen_files: SeenFiles = field(default_factory=SeenFiles)
    scrubbed: deque[tuple[DiffDisplay, Any, int]] = field(default_factory=lambda: deque(maxlen=8))
    """Long changes with what they are without secrets, as they were known then: it is looked for
    once, off the loop."""
    lessons: list[None] = field(default_factory=list)
    """One for each time that more secrets became known."""
    allowed_changes: AllowedChanges = field(default_factory=AllowedChanges)
    """What was changed that programs obey, and may stay."""
    closed_since: dict[str, int] = field(default_factory=dict)
    """Folders that nobody could look into, which is said once, and when each was first found so."""
    has_room: Callable[[], int] = lambda: NO_LIMIT
    """Characters that a result may have to fit into the window of the model."""
    past_result: Callable[[str], str | None] = lambda _: None
    """The result of an earlier call that is in no request as it was; None: there is none."""
    load_skill: SkillLoader | None = None
    is_sent: Callable[[str, str], bool] = lambda *_: False
    """Whether the next request still holds the result of a call, by the call's id and that
    result."""

    memory: MemoryStore | None = None
    """What is remembered from session to session; None: nothing."""
    maps: RepoMaps | None = None
    """Makes the maps of the folders; None: there are none."""

    @cached_property
    def folder(self) -> Folder:
        return Folder(lambda: tuple(root for root in self.roots if root != self.spool))

    @property
    def max_output_chars(self) -> int:
        """The most characters of a result that the model gets."""
        return min(self.output_limit, self.has_room())

    @property
    def max_read_chars(self) -> int:
        """The most of a file that is read, if it is known how large the window is."""
        room = self.has_room()
        return self.output_limit if room == NO_LIMIT else min(READ * self.output_limit, room)

    @property
    def roots(self) -> tuple[Path, ...]:
        return self.all_roots()

    def learn_more(self, values: Iterable[str]) -> None:
        """From now on these are hidden, too."""
        self.lessons.append(None)
        self.learn(values)

    def learn_own(self, values: Iterable[str]) -> None:
        """The same for keys of this program, which the model is never shown."""
        kept = tuple(values)
        self.hidden.never_show(kept)
        self.learn_more(kept)

    async def learn_env_files(self) -> None:
        """Hide the secrets of the project's `.env` from now on, wherever a tool finds them. Costs a
        look at each folder and file where none has changed; who waits for the same look shares
        it."""
        files = self.env_files

        def look() -> None:
            if values := files.new_values(self.roots):
                self.learn_more(values)  # here, for who asked may be cancelled

        files.asked = own = files.asked + 1
        async with files.lock:
            if files.answered >= own:
                return  # a look that began later has ended
            asked = files.asked
            await self.off_loop(look)
            files.answered = asked

    def scrub_of(self, path: str) -> Callable[[str], str]:
        """What hides secrets in the text of a file."""
        real = self.roots[0] / path
        return self.scrub_secret_file if paths.is_secret(real) else self.scrub

    def scrub_result(self, result: ToolResult) -> ToolResult:
        """`result` without secrets."""
        if not result.is_scrubbed:
            shown = self.scrub_display(result.display)
            return replace(result, content=self.scrub(result.content), display=shown)
        shown = _scrubbed(result.display, self.scrub_known)
        return replace(result, content=self.scrub_known(result.content), display=shown)

    def scrub_display(self, display: D) -> D:
        """The same display, with every text in it scrubbed."""
        learnt = len(self.lessons)
        for own, clean, when in tuple(self.scrubbed):
            if when == learnt and (display is own or display is clean):
                known: D = clean
                return known
        if isinstance(display, DiffsDisplay):
            each: D = replace(display, diffs=tuple(map(self.scrub_display, display.diffs)))
            return each
        scrub = self.scrub_of(display.path) if isinstance(display, DiffDisplay) else self.scrub
        same: D = _scrubbed(display, scrub)
        if (
            isinstance(display, DiffDisplay)
            and sum(len(hunk.lines) for hunk in display.hunks) > CHEAP_LINES
        ):
            self.scrubbed.append((display, same, learnt))
        return same

    def scrubbed_question(self, display: Display) -> Display:
        """The same display for a person who is asked about it: what was in a file before is
        scrubbed, and what will be written or run is not, but for the known values. A placeholder
        must not hide what a yes is for."""
        if isinstance(display, DiffsDisplay):
            return replace(display, diffs=tuple(map(self._scrubbed_diff, display.diffs)))
        if not isinstance(display, DiffDisplay):
            same: Display = _scrubbed(display, self.scrub_known)
            return same
        return self._scrubbed_diff(display)

    def _scrubbed_diff(self, display: DiffDisplay) -> DiffDisplay:
        old = self.scrub_display(display)
        hunks = tuple(map(self._scrubbed_hunk, display.hunks, old.hunks))
        return replace(old, hunks=hunks)

    def _scrubbed_hunk(self, hunk: Hunk, old: Hunk) -> Hunk:
        shown = zip(hunk.lines, old.lines, strict=True)
        lines = (self.scrub_known(own) if own.startswith("+") else hidden for own, hidden in shown)
        return replace(hunk, lines=tuple(lines))


def _scrubbed(value: Any, scrub: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, tuple) and all(
        isinstance(item, str) and "\n" not in item for item in value
    ):
        return (
            tuple(scrub("\n".join(value)).split("\n")) if value else value
        )  # a key has many lines
    if isinstance(value, tuple):
        return tuple(_scrubbed(item, scrub) for item in value)
    if hasattr(value, "__dataclass_fields__"):
        return replace(
            value,
            **{name: _scrubbed(getattr(value, name), scrub) for name in value.__dataclass_fields__},
        )
    return value
