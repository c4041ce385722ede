"""What a tool call gets from above: the session's workplace, narrowed to what was allowed for this
one call."""

from __future__ import annotations

import stat
import threading
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, TypeVar

from agent_tui.agent.services.repo_maps import Look
from agent_tui.agent.turn import inquiries
from agent_tui.agent.turn.call_facts import place_command
from agent_tui.agent.turn.protected_watch import ProtectedWatch
from agent_tui.agent.turn.workplace import Workplace, is_inside
from agent_tui.protocol.display import DiffDisplay, Display, TodoItem
from agent_tui.protocol.events import (
    ChangesStarted,
    Event,
    FileChanged,
    Notice,
    TodoChanged,
    ToolOutput,
)
from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.standing import IntendedChange
from agent_tui.safety import paths
from agent_tui.safety.permissions import Permissions, unreadable
from agent_tui.safety.policy import Confined
from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured, Refusal, says_git_folder
from agent_tui.safety.process.processes import CommandResult, Job
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.sandbox.network_proxy import Internet, Proxy
from agent_tui.safety.sandbox.profiles import LANDLOCK, Profile
from agent_tui.safety.secret_search import find_secret_files
from agent_tui.safety.secrets.secret_files import shows_secrets
from agent_tui.safety.shell import classifier as shell_classifier
from agent_tui.safety.shell.git_alone import stands_beside
from agent_tui.tools.base import Inquiry, MemoryStore, Reply, ToolFailure
from agent_tui.tools.support.seen_files import SeenFiles

T = TypeVar("T")
NOTES: Final = 1_000
"""Characters of a result that are left to what is said of the output of a command."""


class CallContext:
    """The `ToolContext` of one call; `granted` are the real paths that the policy has judged.
    `writes`: it gets at no others, for a name that became a link may lead to a file that would have
    been asked about. `turn`, `step`: where the call began; what it tells belongs there, however
    late it comes (0: to none)."""

    def __init__(
        self,
        workplace: Workplace,
        call_id: str,
        granted: frozenset[Path],
        writes: bool = False,
        private: bool = False,
        turn: int = 0,
        step: int = 0,
    ) -> None:
        self.workplace, self._call_id, self.granted, self._writes = (
            workplace,
            call_id,
            granted,
            writes,
        )
        self._private, self.turn, self.step = private, turn, step
        self.folder = workplace.roots[0]
        """Where the command runs that the call runs."""
        self.output_file = workplace.spool / f"{uuid.uuid4().hex[:8]}.txt"
        """Where the output of the command goes that the call runs; of a private one nothing is
        written or emitted."""
        self.aside = self.output_file.with_suffix(".put-back")
        """The folder in which is kept what was there, where protected names are put back."""
        self.job: Job | None = None
        self.changes: list[tuple[Path, str, str]] = []
        """Real paths of the files that it changed, with the SHA-256 of their contents before and
        after."""
        self.permissions = Permissions()
        """The limits and rules of the person, which hold for what a tool finds by itself, too."""
        self.confined: Confined = ""
        """In which sandbox its command runs."""
        self.way = ""
        """How that is made, as a profile says it."""
        self.hosts: frozenset[str] = frozenset()
        """To which its command has network in the sandbox in which it works."""
        self.network: Proxy | None = None
        """The way to them, where the sandbox can have one."""
        self.refused: Refusal = ""
        """What the sandbox has probably refused it."""
        self.protected = ProtectedWatch(workplace, self.aside, self.tell, self.display_path)
        self.sealed: Callable[[], str] = lambda: ""
        """Why nothing may be changed now; empty: it may."""
        self._shows_secrets = False
        self._waited, self._asked_at = 0.0, 0.0

    def tell(self, event: Event) -> None:
        """Put an event of this call on record."""
        self.workplace.emit(replace(event, turn=self.turn, step=self.step))

    @cached_property
    def command_output(self) -> Captured:
        """The output of the command that the call runs, where it runs one."""
        kept = None if self._private else self.output_file
        stream = self.workplace.scrub_stream(self._shows_secrets)
        limit = self.workplace.max_output_chars
        return Captured(max(limit - NOTES, limit // 2), kept, stream)

    @property
    def roots(self) -> tuple[Path, ...]:
        return self.workplace.roots

    @property
    def environment(self) -> Mapping[str, str]:
        return self.workplace.environment

    @property
    def call_id(self) -> str:
        return self._call_id

    @property
    def command_timeout(self) -> float:
        return self.workplace.command_timeout

    @property
    def max_output_chars(self) -> int:
        return self.workplace.max_output_chars

    @property
    def max_read_chars(self) -> int:
        return self.workplace.max_read_chars

    def emit(self, text: str) -> None:
        self.tell(ToolOutput(call_id=self._call_id, text=self.workplace.scrub(text)))

    def path(self, text: str) -> Path:
        try:
            fact = paths.facts(paths.without_home(text), self.workplace.roots, writes=False)
        except ValueError as error:
            raise ToolFailure("invalid_arguments", str(error)) from None
        if why := self.permissions.limits.forbid_path([fact.real]):
            raise ToolFailure("blocked", why)
        if fact.real in self.granted:
            return fact.real
        if fact.real.name in self.unreadable(fact.real.parent, [fact.real.name]):
            raise ToolFailure("blocked", f"{fact.shown}: a rule of the person keeps it unread")
        if fact.inside and not fact.secret and not self._writes:
            return fact.real
        raise ToolFailure("blocked", f"{fact.shown}: not what was allowed for this call")

    def unreadable(self, folder: Path, names: Sequence[str]) -> Collection[str]:
        return unreadable(self.permissions, folder, names, self.workplace.roots[0])

    def hide_secrets(self, text: str, of_secrets: bool = False) -> str:
        scrub = self.workplace.scrub_secret_file if of_secrets else self.workplace.scrub
        return scrub(text)

    def hide_known(self, text: str) -> str:
        return self.workplace.scrub_known(text)

    def past_result(self, call_id: str) -> str | None:
        return self.workplace.past_result(call_id)

    def display_path(self, path: Path) -> str:
        root = self.workplace.roots[0]
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

    @property
    def internet(self) -> Internet:
        return self.workplace.internet

    @property
    def keys(self) -> Mapping[str, str]:
        return self.workplace.keys

    @property
    def named_hosts(self) -> frozenset[str]:
        return frozenset(host for host in self.hosts if "=" in host)

    async def process(
        self, command: str, timeout: float, background: bool = False
    ) -> CommandResult:
        roots, (environment, profile) = self.workplace.roots, await self._confine(command)
        if self.reaches_hosts:
            self.network = Proxy(self.hosts, self.workplace.internet)
        self._shows_secrets = shows_secrets(place_command(command, self.folder, roots[0]))
        await self.workplace.learn_env_files()
        if not is_inside(self.folder, roots):
            raise ToolFailure("stale", f"{self.folder} is not in the folders of the session now")
        with self.workplace.jobs.waiting() as moved:
            result = await processes.run(
                command,
                self.folder,
                environment,
                timeout,
                (lambda _: None) if self._private else self.emit,
                self.command_output,
                confined=profile,
                memory=self.workplace.command_memory,
                network=self.network,
                moved=moved,
                background=background,
                on_question=self._tell_question,
            )
        if self.turn and result.folder and not self.workplace.folder.move(result.folder):
            result = replace(result, folder_is_left=True)
        begun_so = background or result.exit_code is not None
        shut_in = result.job is not None and self.confined == "works" and begun_so
        self.refused = result.refused or ("reach" if shut_in else "")
        if self._wants_git(command, result):
            self.refused = "git_folder"
        if self.refused_hosts and result.exit_code != 0:
            self.refused = "network"
        await self.protected.find_changed(ended=result.job is None)
        self.job = result.job
        if result.job is not None:
            said = "!! private command" if self._private else self.workplace.scrub(command)
            self.workplace.jobs.add(result.job, said, self.turn > 0, self.protected.watched)
        return result

    def _wants_git(self, command: str, result: CommandResult) -> bool:
        """Whether it failed for a git folder, which is read-only. git does not always say that."""
        held = self.protected.held_git
        if self.refused == "files":
            return says_git_folder(result.output, held)
        return bool(held and result.exit_code and not self.refused) and stands_beside(command)

    def _tell_question(self, question: str) -> None:
        """The command seems to wait for input. The model hears of it when the command ends."""
        if question and not self._private:
            said = f"The command seems to wait for input, which it cannot get: {question}"
            self.tell(Notice(said, "warning", hint="Esc stops it"))

    async def process_beside(self, command: str, timeout: float) -> CommandResult:
        """The same for a command that is none of the model's: it moves no folder, nothing of it
        goes on in the background, and its sandbox has no network at all."""
        environment, profile = await self._confine(command)
        result = await processes.run(
            command,
            self.folder,
            environment,
            timeout,
            lambda _: None,
            self.command_output,
            confined=profile,
            memory=self.workplace.command_memory,
        )
        if result.job is not None:
            result.job.stop()
            await processes.wait_for_endings()
        await self.protected.find_changed()
        return result

    async def _confine(self, command: str) -> tuple[Mapping[str, str], Profile | None]:
        """The variables of its command, and what that may do; None: what its user may do."""
        environment = self.workplace.environment
        if self.confined == "looks":
            environment = shell_classifier.environment(environment, self.workplace.roots)
            look = partial(self._prepare_look, environment)
            return environment, await self.workplace.off_loop(look)
        if self.confined == "works":
            return environment, await self.workplace.off_loop(
                partial(self.protected.prepare, self.way, command, self.permissions.limits)
            )
        return environment, None

    @property
    def reaches_hosts(self) -> bool:
        """Whether its sandbox can have network to single hosts."""
        return self.confined == "works" and self.way != LANDLOCK

    @property
    def refused_hosts(self) -> Mapping[str, str]:
        """Those that the command was kept from, with what would have to be allowed."""
        return self.network.refused if self.network is not None else {}

    def _prepare_look(self, environment: Mapping[str, str]) -> Profile:
        """The profile for a command that only looks: it reads no file with the name of a secret,
        and nothing in a forbidden folder."""
        roots, own = self.roots, self.workplace.own
        forbidden = map(str, self.permissions.limits.hidden_folders(roots))
        closed = (*find_secret_files(roots).closed, *forbidden)
        return read_only_sandbox.profile(roots, environment, own, secrets=closed)

    def release(self) -> None:
        """The result is on record: the file with the output goes, unless it holds more, or
        grows."""
        if self.job is None and not self.command_output.lost_characters:
            self.command_output.discard()

    async def run_blocking(self, work: Callable[[Callable[[], bool]], T]) -> T:
        stop = threading.Event()
        try:
            result: T = await self.workplace.off_loop(lambda: work(stop.is_set))
            return result
        finally:
            stop.set()

    @property
    def seen_files(self) -> SeenFiles:
        return self.workplace.seen_files

    def scrub_ahead(self, display: Display) -> None:
        self.workplace.scrub_display(display)

    def checkpoint(self, content: bytes, sha: str = "") -> str:
        return self.workplace.checkpoint(content, sha)

    def begin_changes(self, files: tuple[IntendedChange, ...]) -> None:
        self.tell(ChangesStarted(self._call_id, files))
        if why := self.sealed():  # that the intent cannot be saved shows only now
            raise ToolFailure("blocked", why)

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
        shown = self.workplace.scrub_display(diff)
        try:
            now = stat.S_IMODE(path.lstat().st_mode) if after else 0
        except OSError:
            now = 0  # it is gone again
        modes = ((mode or now) if before else 0, now)
        self.tell(FileChanged(self._call_id, str(path), shown, before, after, *modes, folders))
        self.changes.append((path, before, after))
        self.workplace.allowed_changes.add(str(path))
        if parted:
            self.tell(Notice(parted, "warning"))

    async def map_files(self, path: str, focus: Sequence[str], tokens: int) -> str:
        place, real = self.workplace, self.path(path)
        if place.maps is None:
            raise ToolFailure("not_found", "there are no maps here")
        look = Look(place.roots, place.seen_files.paths, self.unreadable, self.hide_secrets)
        try:
            drawn = await self.run_blocking(partial(place.maps.draw, real, focus, tokens, look))
        except (OSError, ValueError) as error:
            raise ToolFailure("not_found", f"{self.display_path(real)}: {error}") from None
        return drawn.text()

    def set_todos(self, items: tuple[TodoItem, ...]) -> None:
        self.tell(TodoChanged(self.workplace.scrub_display(items)))

    def skills(self) -> Sequence[SkillInfo]:
        return self.workplace.skills()

    @property
    def memory(self) -> MemoryStore:
        if self.workplace.memory is None:
            raise ToolFailure("no_handler", "nothing is remembered in this run")
        return self.workplace.memory

    def jobs(self) -> Mapping[int, tuple[str, Job]]:
        return self.workplace.jobs.of_model

    def load_tools(self, group: str) -> Sequence[str]:
        return self.workplace.load_tools(group)

    async def load_skill(self, name: str, words: str) -> str:
        load = self.workplace.load_skill
        if load is None:
            raise ToolFailure("no_handler", "there are no skills here")
        return await load(name, words, self)

    async def ask(self, asks: Sequence[Inquiry]) -> Sequence[Reply] | None:
        place = self.workplace
        if place.ask is None:
            return None
        self._asked_at = time.monotonic()
        asked = [inquiries.question_of(one, self._call_id, place.scrub_known) for one in asks]
        try:
            return await inquiries.ask_all(asked, place.ask, self.tell)
        finally:
            self._waited, self._asked_at = self.waited, 0.0

    @property
    def waited(self) -> float:
        """Seconds in which it waited for the person."""
        return self._waited + (time.monotonic() - self._asked_at if self._asked_at else 0.0)

    @property
    def mode(self) -> str:
        return self.workplace.mode()

    def set_mode(self, mode: str) -> None:
        self.workplace.set_mode(mode)
