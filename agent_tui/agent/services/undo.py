"""Files become what they were, or what they were before that; what else is asked for waits
meanwhile."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import file_restore, restore_looks
from agent_tui.agent.services.restore_looks import WORDS, Look, display_path
from agent_tui.agent.services.session_ops import BUSY
from agent_tui.agent.services.shell import Shell
from agent_tui.agent.session.changes import Plan
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.turns import Turns, new_id
from agent_tui.protocol.answers import (
    OldFile,
    OldTurn,
    RestoreOutcome,
    UndoPlan,
)
from agent_tui.protocol.display import Hunk
from agent_tui.protocol.events import (
    Answered,
    FilesRestored,
    Notice,
    RestoreStarted,
)
from agent_tui.protocol.ops import (
    Op,
    Query,
    RestoreFiles,
)
from agent_tui.protocol.standing import RestoredFile
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures.readable import count_noun
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import is_binary

T = TypeVar("T")

BACK: Final = frozenset({"done", "same", "beside"})
"""Outcomes after which the content is there again."""
LAST_SECONDS: Final = 10.0
"""So long the end of the program waits for files that are being put back."""
REWOUND: Final = "Rewound the conversation."
CLEAR: Final = "Clear the prompt, then "
"""A rewind puts the old prompt there, and a command behind it is a part of it."""


class Undo:
    """`rewind` takes the conversation back too, where that is asked; `again` takes an Op that had
    to wait."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        turns: Turns,
        shell: Shell,
        pool: Pool,
        rewind: Callable[[int], bool],
        again: Callable[[Op], None],
    ) -> None:
        self._config, self._record, self._turns, self._shell = config, record, turns, shell
        self._pool, self._rewind, self._again = pool, rewind, again
        self._waiting: list[Op] | None = None
        """While files are put back: what else was asked for."""
        self._restoring_task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self._waiting is not None

    async def close(self) -> None:
        """Files that are being put back are put back, all of them."""
        if self._restoring_task is not None:
            await asyncio.wait({self._restoring_task}, timeout=LAST_SECONDS)

    def waits(self, op: Op) -> bool:
        """Whether `op` has to wait, because files are being put back."""
        if self._waiting is None:
            return False
        self._waiting.append(op)
        return True

    def tell(self, op: Query) -> None:
        """Answer what would be taken back, or made again."""
        self._turns.spawn(self._tell(op))

    async def _tell(self, op: Query) -> None:
        changes = self._record.changes
        await self._settled()
        to = int(op.argument) if op.argument.isdigit() else 0
        plan = changes.redo() if op.kind == "redo" else changes.undo(to)
        looks = await self._look(plan)
        files, capped = await self._off_loop(lambda: self._files_told(looks))
        turns = tuple(OldTurn(n, *changes.describe_turn(n)) for n in plan.turns)
        caps = (*caps_said(capped), *(changes.limits(plan, to) if op.kind == "undo" else ()))
        undone = op.kind == "undo" and changes.is_undone(to)
        told = UndoPlan(plan.direction, files, turns, caps, undone, plan.begun)
        self._record.emit(Answered(op.id, told))

    def _files_told(self, looks: list[restore_looks.Look]) -> tuple[tuple[OldFile, ...], int]:
        """The files, and of how many the difference was left out."""
        scrub_of = self._turns.executor.workplace.scrub_of
        told = [
            file_told(look, self._config.cwd, number, scrub_of(str(look.plan.path)))
            for number, look in enumerate(looks)
        ]
        return tuple(file for file, _ in told), sum(capped for _, capped in told)

    def restore(self, op: RestoreFiles) -> None:
        if op.what == "conversation":
            self._rewind(op.to)
        elif self._turns.busy or self._shell.is_running:
            self._record.emit(Notice(BUSY, "warning"))
        elif why := self._turns.seal_reason():
            self._record.emit(Notice(why[:1].upper() + why[1:], "warning"))
        else:
            self._waiting = []
            self._restoring_task = self._turns.spawn(self._restoring(op))

    async def _restoring(self, op: RestoreFiles) -> None:
        outcome = RestoreOutcome()
        try:
            await self._settled()
            plan = self._record.changes.redo() if op.redo else self._record.changes.undo(op.to)
            looks = await self._look(plan)
            asked = [look for look in looks if look.choices and self._needs_word(op, look)]
            if asked:
                outcome = RestoreOutcome(
                    asked=(await self._off_loop(lambda: self._files_told(asked)))[0]
                )
            elif not looks and op.what == "code":
                outcome = RestoreOutcome(problem=f"there is nothing to {plan.direction}")
            else:
                outcome = await self._written(op, plan, looks)
                if (
                    op.what == "both"
                    and not op.redo
                    and outcome.done
                    and self._rewind(op.to or plan.turns[0])
                ):
                    outcome = replace(outcome, said=" ".join(filter(None, (REWOUND, outcome.said))))
                    self._record.emit(
                        Notice(outcome.said)
                    )  # what was said of the files went with the conversation
        finally:
            self._record.emit(Answered("restored", outcome))
            waiting, self._waiting = self._waiting or [], None
            for later in waiting:
                self._again(later)

    async def _written(
        self, op: RestoreFiles, plan: Plan, looks: list[restore_looks.Look]
    ) -> RestoreOutcome:
        """Put the files back: the intent on record, then the files, then what became of each."""
        if not looks:
            return RestoreOutcome(done=True)
        id, blobs = new_id(), Blobs(self._config.blobs)
        intents = tuple(file_restore.intent(look) for look in looks)
        self._record.emit(RestoreStarted(id, plan.direction, plan.turns, intents))
        if why := self._turns.seal_reason():
            files = tuple(file_restore.refusal_of(intent, why) for intent in intents)
        else:
            files = await self._put_back(op, looks, blobs)
            await self._off_loop(lambda: file_restore.remove_empty_folders(looks, files))
        whole = all(file.outcome not in ("changed", "failed") for file in files)
        restored = FilesRestored(id, plan.direction, plan.turns if whole else (), files)
        self._record.emit(restored)
        rewinds = op.what == "both" and not op.redo
        said = restored.summary(CLEAR if rewinds else "")
        return RestoreOutcome(whole, id, files=files, said=said)

    async def _put_back(
        self, op: RestoreFiles, looks: list[restore_looks.Look], blobs: Blobs
    ) -> tuple[RestoredFile, ...]:
        """All at once, for the disk takes long; only names of one file one after the other, what
        needs room when that is made, and where something was moved to when it is back."""
        comes = {
            one.plan.target
            for one in looks
            if one.state == "same" or one.decide(self._choice(op, one)) in ("restore", "both")
        }
        looks = await self._off_loop(lambda: restore_looks.keep_only_copies(looks, comes))
        rooms = [one for one in looks if one.makes_room]
        early = {
            one.inode
            for one in looks
            if not one.plan.source or any(one.blocks(room) for room in rooms)
        }
        first = [one for one in looks if one.inode in early and not one.makes_room]
        late = [one for one in looks if one.inode not in early and not one.makes_room]
        files = await self._put_back_together(op, first, blobs)
        files |= await self._put_back_together(op, rooms, blobs)
        back = {file.after for file in files.values() if file.outcome in BACK}
        files |= await self._off_loop(partial(file_restore.put_again, first, files, back))
        while late:
            back = {file.after for file in files.values() if file.outcome in BACK}
            ready = await self._off_loop(partial(restore_looks.choose_next, late, back))
            files |= await self._put_back_together(op, ready, blobs)
            late = [one for one in late if one.plan.path not in files]
        return tuple(files[look.plan.path] for look in looks)

    async def _put_back_together(
        self, op: RestoreFiles, looks: list[restore_looks.Look], blobs: Blobs
    ) -> dict[str, RestoredFile]:
        names: dict[object, list[restore_looks.Look]] = {}
        for look in looks:
            names.setdefault(look.inode, []).append(look)
        chosen = [(own, [self._choice(op, one) for one in own]) for own in names.values()]
        work = [partial(file_restore.restore_all, own, choices, blobs) for own, choices in chosen]
        done = itertools.chain.from_iterable(await asyncio.gather(*map(self._off_loop, work)))
        return {file.path: file for file in done}

    def _choice(self, op: RestoreFiles, look: restore_looks.Look) -> str:
        return self._of_file(op.choices, look)

    def _needs_word(self, op: RestoreFiles, look: restore_looks.Look) -> bool:
        """Whether it is open what becomes of a file, or was said of other content than it holds by
        now."""
        seen = self._of_file(op.seen, look, look.found.sha)
        return seen != look.found.sha or not look.decide(self._choice(op, look))

    def _of_file(
        self, values: Mapping[str, str], look: restore_looks.Look, default: str = ""
    ) -> str:
        """What `values` has under the real path of a file, or the one that is shown."""
        path = look.plan.path
        return values.get(
            path, values.get(restore_looks.display_path(path, self._config.cwd), default)
        )

    async def _settled(self) -> None:
        """What a cancelled command changed belongs to its turn, too."""
        if (watch := self._turns.executor.watch) is not None and self._turns.current is None:
            await watch.wait_until_settled()

    async def _look(self, plan: Plan) -> list[restore_looks.Look]:
        blobs, roots = Blobs(self._config.blobs), self._turns.executor.workplace.roots
        return await self._off_loop(lambda: restore_looks.look(plan, blobs, roots))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


DIFFS: Final = 200
"""Files of which the difference is told."""
DIFF_BYTES: Final = 400_000
"""Of a file, either side, up to which its difference is told."""


def file_told(
    look: Look, cwd: Path, number: int, scrub: Callable[[str], str]
) -> tuple[OldFile, bool]:
    """One file of an answer, the `number`th, its difference as `scrub` gives it; and whether that
    was left out because of its size or number."""
    told = OldFile(
        path=display_path(look.plan.path, cwd),
        real=look.plan.path,
        state=look.state,
        why=look.found.problem or WORDS[look.state] or describe_other_names(look),
        choices=look.choices,
        default=look.decide(""),
        now=look.found.sha,
        goes=bool(look.found.sha) and not look.plan.target,
        comes=bool(look.plan.target) and not look.found.sha,
    )
    now, then = look.found.content, look.old or b""
    if look.state in ("same", "lost") or look.found.problem or is_binary(now) or is_binary(then):
        return told, False
    if number >= DIFFS or max(len(now), len(then)) > DIFF_BYTES:
        return told, True
    difference = diff(told.path, now.decode("utf-8", "replace"), then.decode("utf-8", "replace"))
    hunks = tuple(_scrubbed(hunk, scrub) for hunk in difference.hunks)
    return replace(told, added=difference.added, removed=difference.removed, diff=hunks), False


def _scrubbed(hunk: Hunk, scrub: Callable[[str], str]) -> Hunk:
    lines, old, new = (
        tuple(map(scrub, part)) for part in (hunk.lines, hunk.old_opening, hunk.new_opening)
    )
    return replace(hunk, lines=lines, old_opening=old, new_opening=new)


def describe_other_names(look: Look) -> str:
    """What happens to a file's other names: one is written whole beside it and takes its place."""
    others = look.names_elsewhere
    if look.state not in ("as_left", "during") or others < 1:
        return ""
    return f"its {others} other hard link{'s keep their' if others > 1 else ' keeps its'} content"


def caps_said(capped: int) -> tuple[str, ...]:
    """In words, what was left out."""
    if not capped:
        return ()
    left = count_noun(capped, "difference is", "differences are")
    return (
        f"{left} not shown: only those of the first {DIFFS} files, up to {DIFF_BYTES // 1000} kB",
    )
