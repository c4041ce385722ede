"""Runs a call that was allowed, in its sandbox: again where that has stopped it and a person lets
it run otherwise, and what programs obey stays changed only if a person says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agent_tui.agent.turn import sandbox_words
from agent_tui.agent.turn.approvals import Approvals, Emits, Prepared
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.edit_hooks import AfterEdit
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.safety import policy
from agent_tui.safety.process import processes
from agent_tui.safety.sandbox.network_hosts import named_hosts
from agent_tui.safety.shell.git_alone import stands_beside
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import ToolResult

MOST_REPEATS: Final = 5
"""So often a person is asked whether a command runs again that a sandbox has stopped."""


@frozen
class Runs:
    """What all calls of a session need to run. `mode` is the session's; `can_ask`: somebody can
    answer. What changes something holds `changing`, so that agents change one after the other;
    `watch` looks what commands change; `after_edit` runs what the settings want after an edit."""

    workplace: Workplace
    approvals: Approvals
    mode: Callable[[], str]
    can_ask: bool
    watch: Watch | None
    changing: asyncio.Lock
    after_edit: AfterEdit | None


class CallRun:
    """One call that runs. `prepared` is the call as it runs now, `note` what the model is told of
    how it ran."""

    def __init__(self, runs: Runs, prepared: Prepared, journal: Emits, note: str) -> None:
        self._runs, self._journal = runs, journal
        self.prepared, self.note = prepared, note

    async def run(self) -> tuple[ToolResult, float]:
        """Returns the result, and the seconds that it took. Raises ToolFailure, and whatever the
        tool raises."""
        if (refused := await self._ask_for_named_hosts()) is not None:
            return refused, 0.0
        result, seconds = await self._run_judged()
        for left in reversed(range(MOST_REPEATS + 1)):
            if not self.prepared.context.refused:
                break
            if not left or not await self._ask_to_repeat():
                context = self.prepared.context
                self.note += sandbox_words.note_stop(context.confined, context.refused)
                break
            result, seconds = await self._run_judged()
        self.note += sandbox_words.note_hosts(self.prepared.context.refused_hosts)
        return result, seconds

    async def _ask_for_named_hosts(self) -> ToolResult | None:
        """A command that names hosts to which it has no network is asked about before it fails for
        that. Returns the result where somebody says no."""
        context = self.prepared.context
        named = named_hosts(self.prepared.facts.command) if context.reaches_hosts else ()
        hosts = [host for host in named if host not in context.hosts]
        if not hosts:
            return None
        answer = await self._ask_to_run(sandbox_words.explain_hosts(hosts, "runs"), hosts)
        return answer if isinstance(answer, ToolResult) else None

    async def _ask_to_repeat(self) -> bool:
        """Whether a command that a sandbox has probably stopped runs again: with network to what it
        wanted, or without the sandbox."""
        old = self.prepared.context
        if old.refused == "git_folder" and stands_beside(self.prepared.facts.command):
            return False  # the model can run git by itself
        hosts = list(filter(None, old.refused_hosts.values())) if old.refused == "network" else []
        reason = sandbox_words.explain_stop(old.confined, old.refused, old.reaches_hosts)
        reason = sandbox_words.explain_hosts(hosts, "runs again") if hosts else reason
        return await self._ask_to_run(reason, hosts) is True

    async def _ask_to_run(self, reason: str, hosts: Sequence[str]) -> ToolResult | bool:
        """Whether a person lets the command run with network to `hosts`, or without the sandbox;
        the result where they say no, false where nobody can be asked."""
        runs, asked = self._runs, self.prepared
        if not runs.can_ask or runs.mode() == "plan" or asked.tool.plan is None:
            return False
        old = asked.context
        context = CallContext(
            runs.workplace, old.call_id, old.granted, turn=old.turn, step=old.step
        )
        context.folder = old.folder
        if hosts:
            context.confined, context.way, context.hosts = old.confined, old.way, old.hosts
        planned = await asked.tool.plan(asked.arguments, context)
        decision = policy.ask_for_hosts(hosts, asked.facts.cwd, reason)
        again = replace(asked, context=context, decision=decision, planned=planned)
        answer, outside = await runs.approvals.ask_now(again, planned, reason, self._journal, hosts)
        if isinstance(answer, ToolResult):
            return answer
        if outside:
            context.confined = ""
        context.hosts |= frozenset(hosts)
        if old.job is not None:
            old.job.is_awaited = True  # the result tells of the one that takes its place
            old.job.stop()
        old.release()
        self.prepared, self.note = again, self.note + answer
        return True

    async def _run_judged(self) -> tuple[ToolResult, float]:
        """Run it, and judge what that changed."""
        try:
            ran = await self._run()
            await self._judge_protected()
            return ran
        finally:
            self._leave_protected()

    async def _run(self) -> tuple[ToolResult, float]:
        """Run the tool, and say how many seconds that took. What changes something waits for other
        agents' changes."""
        if not self.prepared.tool.changes or self.prepared.context.confined == "looks":
            return await self._run_alone()
        async with self._runs.changing:
            return await self._run_alone()

    async def _run_alone(self) -> tuple[ToolResult, float]:
        """Around a command, look what it changes: nothing, if it can only look."""
        prepared, context = self.prepared, self.prepared.context
        command = prepared.facts.command
        watch = None if context.confined == "looks" or not command else self._runs.watch
        await self._runs.workplace.learn_env_files()
        if prepared.tool.changes:
            await processes.wait_for_endings()
        if prepared.tool.changes and not command and self._runs.watch is not None:
            await self._runs.watch.wait_for_change()
        before = await watch.take_snapshot(command, context) if watch is not None else None
        started, looked = time.monotonic(), False
        try:
            planned, run = prepared.planned, prepared.tool.run
            result = await (planned.apply() if planned else run(prepared.arguments, context))
            if self._runs.after_edit is not None and prepared.tool.effect == "write":
                result = await self._runs.after_edit.run(context, result)
            seconds = time.monotonic() - started - context.waited
            if watch is not None and before is not None:
                if context.protected.changed:  # that may be put back
                    await watch.report_changes(before)
                else:
                    watch.report_changes_soon(before)
                looked = True
        finally:
            if watch is not None and before is not None and not looked:
                watch.report_changes_later(before)
        return result, seconds

    async def _judge_protected(self) -> None:
        """Where what programs obey changed while a sandboxed command ran: that stays only if a
        person says so."""
        protected = self.prepared.context.protected
        if protected.lost_history:
            self.note += f"\n\n[note: {protected.lost_history}]"
        is_kept = not protected.changed or await self._is_kept()
        protected.is_judged = True
        if not is_kept:
            self.note += f"\n\n[note: {await protected.take_back()}]"

    async def _is_kept(self) -> bool:
        """Whether somebody says that the changed names stay; where nobody can, they do not."""
        if not self._runs.can_ask:
            return False
        asked = self.prepared
        reason = sandbox_words.PROTECTED.format(asked.context.protected.name_changed())
        planned = await asked.plan()
        asked = replace(asked, decision=policy.Decision("ask", reason, rule="path"))
        ask_now = self._runs.approvals.ask_now
        answer, _ = await ask_now(asked, planned, reason, self._journal, ran=True)
        if isinstance(answer, ToolResult):
            return False
        place, changed = self._runs.workplace, self.prepared.context.protected.changed
        await place.off_loop(lambda: [*map(place.allowed_changes.add, changed)])
        return True

    def _leave_protected(self) -> None:
        """The call is over. If it was cancelled or failed, nobody will say that what its command
        changed stays. While a question stands, it is put back at once: the program may be about to
        end."""
        context, watch = self.prepared.context, self._runs.watch
        protected, job = context.protected, context.job
        if protected.is_undecided and protected.changed:
            protected.is_judged = True
            protected.say_put_back(protected.put_back())
        elif protected.is_undecided and watch is not None:
            watch.look_after_endings(protected.judge_cancelled)
        if job is not None and protected.is_on and watch is not None:
            watch.look_after_job(job, partial(protected.judge_job, job))
