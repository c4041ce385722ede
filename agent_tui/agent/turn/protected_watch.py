"""What a command does to the names that programs obey, and to the history of repositories, where it
may write all over the folders: looked at before and after it, put back, or judged by a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from agent_tui.agent.services.jobs import Watched
from agent_tui.agent.turn import sandbox_words
from agent_tui.agent.turn.changed_names import show_changes
from agent_tui.agent.turn.workplace import UNSEEN, Workplace
from agent_tui.protocol.display import Display
from agent_tui.protocol.events import Event, Notice
from agent_tui.safety.limits import Limits
from agent_tui.safety.process.processes import Job
from agent_tui.safety.sandbox import workspace_sandbox
from agent_tui.safety.sandbox.git_history import History
from agent_tui.safety.sandbox.histories import UNREADABLE, explain_unreadable
from agent_tui.safety.sandbox.profiles import LANDLOCK, Profile
from agent_tui.safety.sandbox.protected_state import ProtectedState, take_state
from agent_tui.safety.sandbox.workspace_sandbox import Found
from agent_tui.safety.shell.git_alone import runs_alone


class ProtectedWatch:
    """That of one call. Where something is put back, what was there is kept in the folder
    `aside`."""

    def __init__(
        self,
        workplace: Workplace,
        aside: Path,
        tell: Callable[[Event], None],
        display_path: Callable[[Path], str],
    ) -> None:
        self._workplace, self._aside = workplace, aside
        self._tell, self._display_path = tell, display_path
        self._way = ""
        self._state: ProtectedState | None = None
        self._histories: tuple[History, ...] = ()
        self.held_git: tuple[str, ...] = ()
        """Git folders that are read-only for its command."""
        self.changed: tuple[str, ...] = ()
        """What it changed or made that programs obey."""
        self.lost_history = ""
        """What the model is told of what it deleted of the history of repositories."""
        self.is_judged = False
        """Whether a person, or the lack of one, has decided about that."""

    def prepare(self, way: str, command: str, limits: Limits) -> Profile:
        """The profile of a command that works, in a sandbox that is made in this `way`; what it
        must not change is looked at before. It looks into no folder that `limits` forbid. Reads
        files."""
        place, self._way = self._workplace, way
        roots = tuple(root for root in place.roots if root != place.spool)
        self._state = take_state(roots, place.own, place.closed_since)
        found = self._state.found
        self._tell_closed(found.closed, self._state.begun)
        if not runs_alone(command, place.environment, roots):
            self.held_git = workspace_sandbox.find_held(found, roots, way)
        self._take_histories(roots, found)
        closed, environment = limits.hidden_folders(roots), place.environment
        return workspace_sandbox.profile(
            roots, environment, place.own, (place.spool,), way, found, self.held_git, closed
        )

    def _take_histories(self, roots: Sequence[Path], found: Found) -> None:
        """Keep those that the command can write."""
        place, held = self._workplace, self.held_git
        own, led = (
            [path for path in paths if not workspace_sandbox.lies_in(path, held)]
            for paths in (found.git_folders, found.led)
        )
        try:
            self._histories = place.histories.take(roots, own, led)
            for path, reason in place.histories.new_limits().items():
                said = sandbox_words.describe_limit(self._display_path(Path(path)), reason)
                self._tell(Notice(said, "warning"))
        except UNREADABLE as error:
            self._tell(
                Notice(sandbox_words.NO_HISTORY.format(explain_unreadable(error)), "warning")
            )

    @property
    def is_undecided(self) -> bool:
        """Whether its command may have changed what programs obey, and nobody has judged that."""
        return self._state is not None and not self.is_judged

    @property
    def is_on(self) -> bool:
        """Whether its command ran where it can change what programs obey, but must not."""
        return self._state is not None

    @property
    def watched(self) -> Watched | None:
        """What a later run must know to judge what its job changes."""
        allowed = self._workplace.allowed_changes
        return Watched(self._state, self._way, allowed) if self._state is not None else None

    def watch_again(self, state: ProtectedState, way: str) -> None:
        """Judge what a command of an earlier run changed, which began in this state."""
        self._state, self._way = state, way

    async def find_changed(self, ended: bool = True, later: bool = False) -> None:
        """Look at what it changed; what was lost of the history of a repository is back then.
        `ended`: nothing of it runs any more; `later`: its call is over long since, and others have
        changed something, too."""
        if self._state is not None:
            opened = await asyncio.shield(self._workplace.off_loop(self._state.open_ways))
            await asyncio.shield(self._workplace.off_loop(partial(self._put_back_history, ended)))
            changes = await self._workplace.off_loop(self._state.changed)
            own = partial(self._without_others, self._state, changes.paths, later)
            self.changed = await self._workplace.off_loop(own)
            self._tell_opened((*opened, *changes.opened))
            self._tell_closed(changes.closed, self._state.begun)
            for path in self._state.closed_since.keys() - changes.closed:
                self._workplace.closed_since.pop(path, None)  # what is in it has been seen now
            if not changes.all_seen:
                self._tell(Notice(UNSEEN, "warning"))

    def _tell_closed(self, closed: Iterable[str], begun: int) -> None:
        """Of each folder that cannot be looked into once a session."""
        known = self._workplace.closed_since
        if new := sorted({*closed}.difference(known)):
            known.update(dict.fromkeys(new, begun))
            is_held = self._way != LANDLOCK
            means = sandbox_words.OUT_OF_REACH if is_held else sandbox_words.UNWATCHED
            self._tell(Notice(sandbox_words.CLOSED.format(self._name(new), means), "warning"))

    def _tell_opened(self, opened: Sequence[str]) -> None:
        if opened:
            self._tell(Notice(sandbox_words.OPENED.format(self._name(opened)), "warning"))

    def _put_back_history(self, ended: bool) -> None:
        if not self._histories or self._state is None:
            return
        bases = (*map(str, self._workplace.roots), *self._state.found.git_folders)
        try:
            found = self._workplace.histories.put_back(self._histories, bases, self._aside, ended)
        except UNREADABLE as error:  # what is protected is looked at all the same
            self.lost_history = sandbox_words.HISTORY_UNSEEN.format(explain_unreadable(error))
        else:
            self.lost_history = sandbox_words.describe_lost(found, self._display_path)
        if said := self.lost_history:
            self._tell(Notice(sandbox_words.capitalize(said), "warning"))

    def _without_others(
        self, state: ProtectedState, changed: Iterable[str], later: bool
    ) -> tuple[str, ...]:
        """What the command may have `changed` itself, and nobody allowed. Reads files."""
        is_held = state.is_held if later and self._way != LANDLOCK else lambda _: False
        own = (path for path in changed if not is_held(path))
        return tuple(self._workplace.allowed_changes.without(own))

    def put_back(self) -> tuple[str, ...]:
        """Undo `changed`; returns those where that failed. Moves files."""
        assert self._state is not None  # something changed
        left = self._state.put_back(self.changed, self._aside)
        for path in self.changed:
            self._workplace.allowed_changes.add(path)  # another command runs: it changed nothing
        return left

    async def take_back(self) -> str:
        """The same where nobody is asked about it: what is told, empty where nothing changed."""
        if not self.changed:
            return ""
        self.is_judged = True
        left = await asyncio.shield(self._workplace.off_loop(self.put_back))
        return self.say_put_back(left)

    async def judge_cancelled(self) -> None:
        """Its command was cancelled and has ended: nobody will say that what it changed stays."""
        await self.find_changed()
        await self.take_back()

    async def judge_job(self, job: Job) -> None:
        """Nothing is left of what it left in the background, or the session ends."""
        jobs = self._workplace.jobs
        tell, note = partial(jobs.tell_model, job), partial(jobs.note, job)
        await self.judge_left(jobs.line_of(job), tell, note)
        await self._workplace.off_loop(partial(jobs.settle, job))

    async def judge_left(
        self, line: str, tell: Callable[[str], None], note: Callable[[], None] = lambda: None
    ) -> None:
        """What the job `line` changed stays only if the person says so; where nobody can, it does
        not. While they are asked, nothing else of the session changes anything, and what is `note`d
        has the next run ask, should the program be killed. `tell`: lets the model know."""
        await self.find_changed(later=True)
        ask = self._workplace.jobs.may_stay
        if self.lost_history:
            tell(self.lost_history)
        if not self.changed:
            return
        if ask is None:
            tell(await self.take_back())
            return
        async with self._workplace.jobs.changing:
            await self._workplace.off_loop(note)
            shown = await self._workplace.off_loop(self._show_changes)
            names = self.name_changed()
            text = self._workplace.scrub_known(sandbox_words.JOB.format(line, names))
            back = sandbox_words.JOB_BACK.format(self._aside)
            async with ask(text, sandbox_words.JOB_STAYS, back, shown) as stays:
                if not stays:
                    tell(await self.take_back())
                    return
                self.is_judged = True
                await self._workplace.off_loop(self._allow_changes)
                tell(sandbox_words.JOB_KEPT.format(names))

    def _show_changes(self) -> Display:
        assert self._state is not None  # something changed
        shown = show_changes(self._state, self.changed, self._display_path)
        return self._workplace.scrubbed_question(shown)

    def _allow_changes(self) -> None:
        for path in self.changed:
            self._workplace.allowed_changes.add(path)

    def say_put_back(self, left: Sequence[str]) -> str:
        """Say on the screen, also after the turn, what became of `changed`; `left`: where
        it could not be undone. Returns what the model is told."""
        words = sandbox_words.NOT_PUT_BACK if left else sandbox_words.PUT_BACK
        said = words.format(self.name_changed(), self._aside)
        self._tell(Notice(f"P{said[1:]}", "warning"))
        return said

    def name_changed(self) -> str:
        return self._name(self.changed)

    def _name(self, paths: Iterable[str]) -> str:
        shown = (self._display_path(Path(path)) for path in paths)
        return sandbox_words.name_some([*map(sandbox_words.shorten_path, shown)])
