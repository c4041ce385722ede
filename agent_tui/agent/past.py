"""Going back: to an earlier turn, to a copy of the session, to what files were; and names for what is there.

Shapes of `answered`: undo, redo `{direction, files: [File], turns: [{n, turn, prompt}], caps: [..]}`; restored
`{done, id, asked: [File], files: [{path, outcome, gone, beside, problem}], problem}`; forked
`{id, parent, at, problem}`.
A File is `{path, real, state, why, choices, added, removed, diff: [{old_start, new_start, lines}]}`: `choices` is
empty where nobody needs to be asked, `diff` goes from what the file is now to what it would be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from functools import partial
from typing import Any, Final, TypeVar

from agent_tui.agent import undo
from agent_tui.agent.changes import Plan
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.record import Record
from agent_tui.agent.shell import Shell
from agent_tui.agent.turns import Turns, new_id
from agent_tui.agent.undo_told import caps_said, file_told
from agent_tui.protocol.events import Answered, FilesRestored, Labelled, Notice, RestoreStarted, Rewound, Titled
from agent_tui.protocol.ops import Continue, Fork, Label, Op, Query, Rename, RestoreFiles, Rewind, Submit
from agent_tui.protocol.undo_events import RestoredFile
from agent_tui.sessions.checkpoints import Blobs
from agent_tui.sessions.fork import fork

T = TypeVar("T")

LAST_SECONDS: Final = 10.0
"""So long the end of the program waits for files that are being put back."""
BUSY: Final = "Something is running: interrupt it first (Esc)."


class Past:
    """What a session's person does about what has happened. `again` takes an Op that had to wait."""

    def __init__(
        self, config: EngineConfig, record: Record, turns: Turns, shell: Shell, pool: Pool, again: Callable[[Op], None]
    ) -> None:
        self._config, self._record, self._turns, self._shell = config, record, turns, shell
        self._pool, self._again = pool, again
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

    def handle(self, op: Op) -> bool:
        """Whether it was an Op for this."""
        match op:
            case Rewind():
                self._rewind(op.to)
            case Fork():
                self._turns.spawn(self._fork(op))
            case Rename():
                self._record.emit(Titled(" ".join(op.title.split())[:200]))
            case Label():
                self._record.emit(Labelled(op.of, " ".join(op.label.split())[:80]))
            case RestoreFiles():
                self._restore(op)
            case Continue():
                self._continue(op.again)
            case _:
                return False
        return True

    def tell(self, op: Query) -> None:
        """Answer what would be taken back, or made again."""
        self._turns.spawn(self._tell(op))

    # -- the conversation

    def _rewind(self, to: int) -> bool:
        if self._turns.busy or self._shell.running:
            self._record.emit(Notice(BUSY, "warning"))
        elif self._record.standing.begun(to) is None:
            self._record.emit(Notice("There is no such turn to go back to.", "warning"))
        else:
            self._turns.skills.loaded.clear()  # what was loaded may have been said in a turn that is gone
            self._record.emit(Rewound(to))
            return True
        return False

    def _continue(self, again: bool) -> None:
        if self._turns.busy:
            self._record.emit(Notice(BUSY, "warning"))
        elif self._turns.models.provider is None:
            self._record.emit(self._turns.models.told("start"))
        elif not len(self._record.history.messages):
            self._record.emit(Notice("There is nothing to go on with yet.", "warning"))
        elif again and self._record.history.whole:
            said = "The last answer is whole: there is nothing to ask for again."
            self._record.emit(Notice(said, hint="/rewind goes back to a prompt"))
        else:
            self._turns.begin(Submit(""), None, continued=True, again=again)

    async def _fork(self, op: Fork) -> None:
        folder, session = self._config.folders.sessions, self._record.session
        current = self._turns.current
        running = [mark.n for mark in self._record.standing.marks if current and mark.turn == current.number]
        at = op.at or (running[0] if running else 0)
        data: dict[str, Any] = {"id": "", "parent": session, "at": at, "problem": ""}
        try:
            if trouble := self._record.store.trouble:
                raise OSError(f"the session cannot be saved: {trouble}")
            if self._config.otr:
                raise OSError("this session is off the record")
            data["id"] = await self._off_loop(lambda: fork(folder, session, at))
        except FileNotFoundError:
            data["problem"] = "nothing was asked in this session yet"
        except OSError as error:
            data["problem"] = error.strerror or str(error)
        self._record.emit(Answered(id="forked", kind="forked", data=data))

    # -- files

    async def _tell(self, op: Query) -> None:
        changes = self._record.changes
        await self._settled()
        to = int(op.argument) if op.argument.isdigit() else 0
        plan = changes.redo() if op.kind == "redo" else changes.undo(to)
        looks = await self._look(plan)
        files, capped = await self._off_loop(lambda: self._files_told(looks))
        turns = [dict(zip(("n", "turn", "prompt"), (n, *changes.about(n)), strict=True)) for n in plan.turns]
        data = {"direction": plan.direction, "files": files, "turns": turns, "caps": caps_said(capped)}
        self._record.emit(Answered(id=op.id, kind=op.kind, data=data))

    def _files_told(self, looks: list[undo.Look]) -> tuple[list[dict[str, Any]], int]:
        told = [file_told(look, self._config.cwd, number) for number, look in enumerate(looks)]
        scrub = self._turns.executor.workplace.scrub
        for file in told:
            for hunk in file["diff"]:
                hunk["lines"] = [scrub(line) for line in hunk["lines"]]
        return told, sum(file.pop("capped") for file in told)

    def _restore(self, op: RestoreFiles) -> None:
        if op.what == "conversation":
            self._rewind(op.to)
        elif self._turns.busy or self._shell.running:
            self._record.emit(Notice(BUSY, "warning"))
        elif why := self._turns.sealed():
            self._record.emit(Notice(why[:1].upper() + why[1:], "warning"))
        else:
            self._waiting = []
            self._restoring_task = self._turns.spawn(self._restoring(op))

    async def _restoring(self, op: RestoreFiles) -> None:
        data: dict[str, Any] = {"done": False, "id": "", "asked": [], "files": [], "problem": ""}
        try:
            await self._settled()
            plan = self._record.changes.redo() if op.redo else self._record.changes.undo(op.to)
            looks = await self._look(plan)
            asked = [look for look in looks if look.choices and self._choice(op, look) not in look.choices]
            if asked:
                data["asked"], _ = await self._off_loop(lambda: self._files_told(asked))
            elif not looks and op.what == "code":
                data["problem"] = f"there is nothing to {plan.direction}"
            else:
                data |= await self._written(op, plan, looks)
                if op.what == "both" and not op.redo and data["done"]:
                    self._rewind(op.to or plan.turns[0])
        finally:
            self._record.emit(Answered(id="restored", kind="restored", data=data))
            waiting, self._waiting = self._waiting or [], None
            for later in waiting:
                self._again(later)

    async def _written(self, op: RestoreFiles, plan: Plan, looks: list[undo.Look]) -> dict[str, Any]:
        """Put the files back: the intent on record, then the files, then what became of each."""
        if not looks:
            return {"done": True}
        id, blobs = new_id(), Blobs(self._config.blobs)
        intents = tuple(undo.intent(look) for look in looks)
        self._record.emit(RestoreStarted(id, plan.direction, plan.turns, intents))
        if why := self._turns.sealed():
            files = tuple(undo.refused(intent, why) for intent in intents)
        else:
            work = [partial(undo.restore, look, self._choice(op, look), blobs) for look in looks]
            files = tuple(await asyncio.gather(*map(self._off_loop, work)))  # at once: the disk takes long
            await self._off_loop(lambda: undo.tidy(looks, files))
        whole = all(file.outcome not in ("changed", "failed") for file in files)
        self._record.emit(FilesRestored(id, plan.direction, plan.turns if whole else (), files))
        return {"done": whole, "id": id, "files": [_became(file) for file in files]}

    def _choice(self, op: RestoreFiles, look: undo.Look) -> str:
        return op.choices.get(look.plan.path) or op.choices.get(undo.shown(look.plan.path, self._config.cwd)) or ""

    async def _settled(self) -> None:
        """What a cancelled command changed belongs to its turn, too."""
        if (watch := self._turns.executor.watch) is not None and self._turns.current is None:
            await watch.settled()

    async def _look(self, plan: Plan) -> list[undo.Look]:
        blobs, roots = Blobs(self._config.blobs), self._turns.executor.workplace.roots
        return await self._off_loop(lambda: undo.look(plan, blobs, roots))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _became(file: RestoredFile) -> dict[str, Any]:
    """`gone`: there was to be no such file any more."""
    return {
        "path": file.path, "outcome": file.outcome, "gone": bool(file.before) and not file.after,
        "beside": file.beside, "problem": file.problem,
    }  # fmt: skip
