"""A small real ToolContext for tests of tools: real files, real processes, everything it was told
kept in lists."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_tui.agent.services.files import breathing
from agent_tui.context.repo_map import build
from agent_tui.protocol.display import DiffDisplay, Display, TodoItem
from agent_tui.protocol.messages import MemoryFact, MemoryScope, SkillInfo
from agent_tui.protocol.standing import IntendedChange
from agent_tui.safety import paths
from agent_tui.safety.permissions import Permissions, forbid_reading
from agent_tui.safety.process import processes
from agent_tui.safety.process.environment import child_environment
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.processes import CommandResult, Job
from agent_tui.safety.sandbox.network_proxy import Internet
from agent_tui.safety.secrets.scrubber import Scrubber, hide_secrets
from agent_tui.tools.base import Inquiry, MemoryStore, Reply, Tool, ToolFailure, ToolResult, sha256
from agent_tui.tools.support.seen_files import SeenFiles


@dataclass
class Changed:
    path: Path
    diff: DiffDisplay
    before: str
    after: str
    folders: int = 0
    parted: str = ""
    mode: int = 0


@dataclass
class Remembered:
    """A memory of files in one folder; a fact fits where it has all of a text."""

    folder: Path

    def facts(self) -> Mapping[Path, MemoryFact]:
        found = (path for path in sorted(self.folder.glob("*.md")))
        return {path: MemoryFact(path.stem, "user", path.read_text().strip()) for path in found}

    def search(self, text: str) -> Sequence[tuple[float, MemoryFact]]:
        return [(1.0, fact) for fact in self.facts().values() if text in fact.text]

    def path_for(self, text: str, _: MemoryScope) -> Path:
        return self.folder / f"{text[:20]}.md"


@dataclass
class Context:
    """`root` is the session's folder; `granted` are real paths that a person allowed for the call."""

    root: Path
    granted: set[Path] = field(default_factory=set)
    emitted: list[str] = field(default_factory=list)
    checkpoints: dict[str, bytes] = field(default_factory=dict)
    changes: list[Changed] = field(default_factory=list)
    intended: list[tuple[IntendedChange, ...]] = field(default_factory=list)
    todos: list[tuple[TodoItem, ...]] = field(default_factory=list)
    """Each list that was set."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    known_skills: dict[str, str] = field(default_factory=dict)
    """Text of each skill by name."""
    past: dict[str, str] = field(default_factory=dict)
    """Results of earlier calls."""
    left: dict[int, tuple[str, Job]] = field(default_factory=dict)
    """What commands left in the background."""
    call_id: str = "call_1"
    command_timeout: float = 20.0
    max_output_chars: int = 32_000
    max_read_chars: int = 32_000
    seen_files: SeenFiles = field(default_factory=SeenFiles)
    path_variable: str = field(default_factory=lambda: os.environ["PATH"])
    internet: Internet = field(default_factory=Internet)
    keys: Mapping[str, str] = field(default_factory=dict)
    named_hosts: frozenset[str] = frozenset()
    mode: str = "auto"
    permissions: Permissions = field(default_factory=Permissions)
    in_blocking: bool = False
    """Whether `blocking` was used."""
    scrubber: Scrubber = field(default_factory=lambda: Scrubber(()))
    """Of the values that are known."""

    @property
    def roots(self) -> tuple[Path, ...]:
        return (self.root.resolve(),)

    @property
    def folder(self) -> Path:
        return self.roots[0]

    @property
    def environment(self) -> Mapping[str, str]:
        """With a home of its own, beside the folder."""
        home = str(self.root.parent / f"{self.root.name}-home")
        return {"PATH": self.path_variable, "HOME": home}

    def emit(self, text: str) -> None:
        self.emitted.append(text)

    def path(self, text: str) -> Path:
        try:
            fact = paths.facts(text, self.roots)
        except ValueError as error:
            raise ToolFailure("invalid_arguments", str(error)) from None
        known = fact.real in self.granted
        if known or (
            fact.inside
            and not fact.secret
            and not self.unreadable(fact.real.parent, [fact.real.name])
        ):
            return fact.real
        raise ToolFailure("blocked", f"{fact.shown}: not what was allowed for this call")

    def unreadable(self, folder: Path, names: Sequence[str]) -> Collection[str]:
        return forbid_reading(self.permissions, folder, names, self.roots[0]).keys()

    def hide_secrets(self, text: str, of_secrets: bool = False) -> str:
        return hide_secrets(self.hide_known(text), of_secrets)

    def hide_known(self, text: str) -> str:
        return self.scrubber.scrub_known(text)

    def past_result(self, call_id: str) -> str | None:
        return self.past.get(call_id)

    def display_path(self, path: Path) -> str:
        return paths.display_path(path, self.roots[0])

    def jobs(self) -> Mapping[int, tuple[str, Job]]:
        return self.left

    async def process(
        self, command: str, timeout: float, background: bool = False
    ) -> CommandResult:
        result = await processes.run(
            command,
            self.roots[0],
            child_environment(os.environ),
            timeout,
            self.emit,
            Captured(
                self.max_output_chars,
                self.root.parent / f"{self.root.name}-spool" / f"{self.call_id}.txt",
            ),
            background=background,
        )
        if result.job is not None:
            result.job.number = len(self.left) + 1
            self.left[result.job.number] = (command, result.job)
        return result

    async def run_blocking(self, work: Callable[[Callable[[], bool]], Any]) -> Any:
        self.in_blocking = True
        stop = threading.Event()
        try:
            return await asyncio.to_thread(work, stop.is_set)
        finally:
            stop.set()

    async def map_files(self, path: str, focus: Sequence[str], tokens: int) -> str:
        wanted = build.Wanted("" if path == "." else path, tuple(focus), (), tokens)
        made = build.RepoMap(self.root, {}, None, logging.getLogger(__name__))
        drawn = await self.run_blocking(
            lambda stopped: made.make(wanted, self.unreadable, hide_secrets, breathing(stopped))
        )
        return str(drawn.text())

    def scrub_ahead(self, display: Display) -> None:
        assert display is not None and self.in_blocking

    def checkpoint(self, content: bytes, sha: str = "") -> str:
        assert sha in ("", sha256(content)), "it is of another content"
        self.checkpoints[sha256(content)] = content
        return sha256(content)

    def begin_changes(self, files: tuple[IntendedChange, ...]) -> None:
        asyncio.get_running_loop()  # the log is the loop's: no other thread may write to it
        self.intended.append(files)

    def report_change(
        self,
        path: Path,
        diff: DiffDisplay,
        before: str,
        after: str,
        folders: int = 0,
        parted: str = "",
        mode: int = 0,
    ) -> None:
        self.changes.append(Changed(path, diff, before, after, folders, parted, mode))

    def set_todos(self, items: tuple[TodoItem, ...]) -> None:
        self.todos.append(items)

    @property
    def memory(self) -> MemoryStore:
        return Remembered(self.roots[0])

    def skills(self) -> Sequence[SkillInfo]:
        return tuple(SkillInfo(name, f"does {name}") for name in self.known_skills)

    async def ask(self, inquiries: Sequence[Inquiry]) -> Sequence[Reply] | None:
        """Nobody is there."""
        assert inquiries
        return None

    def set_mode(self, mode: str) -> None:
        self.mode = mode

    def load_tools(self, group: str) -> Sequence[str]:
        return self.groups[group]

    async def load_skill(self, name: str, words: str) -> str:
        if name not in self.known_skills:
            raise ToolFailure(
                "not_found", f"no skill {name!r}; there are: {', '.join(self.known_skills)}"
            )
        return f"{self.known_skills[name]} {words}".strip()


def call(tool: Tool[Any], context: Context, /, **arguments: Any) -> ToolResult:
    """Run a tool as the executor does: arguments from JSON, and a failure that has a name as a
    result."""
    parsed = tool.arguments.model_validate(json.loads(json.dumps(arguments)))

    context.seen_files.begin_step()

    async def run() -> ToolResult:
        try:
            return await tool.run(parsed, context)
        except ToolFailure as failure:
            return failure.result()

    return asyncio.run(run())
