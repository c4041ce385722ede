"""Runs tool calls: parse, judge, ask, record the intent, run, scrub, cap, record the result.

Every way out is a result with a stable tag; the one broad `except` here is the boundary of a tool
call.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import ValidationError

from agent_tui.agent.turn import argument_repair, sandbox_words
from agent_tui.agent.turn.approvals import Approvals, Prepared
from agent_tui.agent.turn.call_facts import gather_facts, place_command
from agent_tui.agent.turn.call_runner import CallRun, Runs
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.edit_hooks import AfterEdit, Hooks
from agent_tui.agent.turn.loop_detection import Outcome, nudge, research_calls
from agent_tui.agent.turn.skill_tools import AllowedTools
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.display import CommandDisplay, TextDisplay
from agent_tui.protocol.events import ApprovalAsked, Event, ToolEnded, ToolStarted
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Answer
from agent_tui.registry import names
from agent_tui.safety.limits import Rates
from agent_tui.safety.sandbox.support import Support
from agent_tui.safety.secrets.strength import PLACEHOLDER
from agent_tui.tools.base import Tool, ToolFailure, ToolResult
from agent_tui.tools.support import argument_fit, json_schema

TOOLS: Final = "agent_tui.tools"
LABEL_LIMIT: Final = 300
TOLD: Final = 500
"""Characters of arguments that were repaired in a result."""
EXPLAINED: Final = (
    "\n\n[note: [hidden:kind:hash] stands for a secret value that you cannot see; equal ones are equal. Never write "
    "one into a file or a command: leave the text that holds it as it is]"
)
MOST_CALLS: Final = 100
"""Calls of one answer that run."""
TOO_OFTEN: Final = "{} may be called {} times a minute (rate_limits): wait {:.0f} seconds"
TOO_MANY: Final = f"neither this call ran nor those behind it: one answer may have {MOST_CALLS}; make fewer at once"
SIDE_BY_SIDE: Final = 16
"""Calls that run at the same time: each takes its turn, so that the turn can be ended between
them."""
WRONG: Final = 5
"""Wrong arguments that are named."""
MOST_WRONG: Final = 1_000
"""Wrong arguments that are counted."""


class Journal(Protocol):
    """Where a turn writes what it does; after the turn was settled it takes nothing more."""

    number: int
    step: int

    def emit(self, event: Event) -> None: ...
    def open_call(self, call: ToolCall, cancelled: Callable[[], ToolEnded]) -> None:
        """The call is open: if the turn is settled now, `cancelled` is its result."""
        ...

    def close_call(self, call: ToolCall) -> None: ...


class Executor:
    """The tools of a session. `ask` is None where nobody can answer: then whatever must be asked is
    denied. `sealed` says why nothing may be changed now; empty: it may."""

    def __init__(
        self,
        tools: Mapping[str, Tool[Any]],
        known: Callable[[], frozenset[str]],
        workplace: Workplace,
        scrub: Callable[[str], str],
        mode: Callable[[], str],
        ask: Callable[[ApprovalAsked], asyncio.Future[Answer]] | None,
        new_id: Callable[[], str],
        parallel: bool,
        sealed: Callable[[], str] = lambda: "",
        watch: Watch | None = None,
        changing: asyncio.Lock | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        self.tools, self.known, self.workplace, self.scrub = tools, known, workplace, scrub
        self.mode, self.ask, self.new_id, self.parallel = mode, ask, new_id, parallel
        self.approvals = Approvals(workplace, scrub, mode, ask, new_id, sealed)
        self.sealed, self.watch = sealed, watch
        can_ask, lock, after_edit = ask is not None, changing or asyncio.Lock(), None
        if hooks is not None and watch is not None:
            after_edit = AfterEdit(hooks, self.approvals, mode, watch)
        self._runs = Runs(workplace, self.approvals, mode, can_ask, watch, lock, after_edit)
        self.allowed: tuple[AllowedTools, ...] = ()
        """What the skill leaves of the tools that runs now."""
        self.rate_limits: Mapping[str, int] = {}
        self._rates = Rates()
        self.on_approved_change: Callable[[Path, str, str], Awaitable[None]] = _nobody_hears
        """Hears of a file that was changed as the person approved: its real path, and the SHA-256
        of its content before and after."""
        self.on_misfit: Callable[[ToolCall, object], None] = lambda *_: None
        """Hears of a call whose arguments did not fit, as they were read."""
        self._support: Support | None = None
        self._workspace: Support | None = None
        self._finding = asyncio.Lock()

    async def run(
        self,
        calls: Sequence[ToolCall],
        journal: Journal,
        before: Sequence[tuple[Outcome, ...]],
        cut: bool = False,
    ) -> tuple[Outcome, ...]:
        """Run the calls of one step; reads that need no consent run side by side. Returns their
        outcomes in order.
        `cut`: the answer reached the model's token limit, so that its last call may be half of one.
        """
        await self.workplace.learn_env_files()
        if any(map(self._runs_command, calls)):
            await self.find_sandbox()
        if self.watch is not None:
            await (
                self.watch.wait_until_settled()
            )  # a command that was cancelled may write until it has ended
        self.workplace.seen_files.begin_step()
        try:
            return await self._run_all(calls, journal, before, cut)
        finally:
            self.approvals.close()

    async def _run_all(
        self,
        calls: Sequence[ToolCall],
        journal: Journal,
        before: Sequence[tuple[Outcome, ...]],
        cut: bool,
    ) -> tuple[Outcome, ...]:
        outcomes: dict[int, Outcome] = {}
        group: list[tuple[int, Prepared]] = []
        looked_up = research_calls(before)

        places = asyncio.Semaphore(SIDE_BY_SIDE)

        async def finish(index: int, prepared: Prepared, note: str) -> None:
            async with places:
                outcomes[index] = await self._execute(prepared, journal, prepared.note + note)

        async def flush() -> None:
            async with asyncio.TaskGroup() as tasks:
                for index, prepared in group:
                    tasks.create_task(finish(index, prepared, ""))
            group.clear()

        for call in calls:
            journal.open_call(call, partial(self._not_run, call, call.name))
        for index, call in enumerate(calls):
            await asyncio.sleep(0)  # whoever ends the turn need not wait for all of them
            prepared = self._begin(call, index, journal, cut)
            if isinstance(prepared, ToolResult):
                await flush()
                outcomes[index] = self._ended(call, call.name, prepared, 0.0, journal)
                continue
            journal.open_call(call, partial(self._not_run, call, prepared.label))
            self.approvals.spend(prepared)
            tool = prepared.tool
            beside = tool.concurrent_safe and not tool.asks_person
            if self.parallel and beside and self.approvals.may_run(prepared):
                group.append((index, prepared))
                continue
            await flush()
            looked_up += prepared.tool.research
            later = calls[index + 1 : MOST_CALLS]
            behind = (partial(self._prepare, one, journal, cut) for one in later)
            again = partial(self._prepare, call, journal, cut)
            allowed = await self.approvals.consent(prepared, again, behind, journal)
            if isinstance(allowed, ToolResult):
                outcomes[index] = self._ended(call, prepared.label, allowed, 0.0, journal)
            else:
                await finish(index, allowed, nudge(looked_up) if prepared.tool.research else "")
        await flush()
        return tuple(outcomes[index] for index in range(len(calls)))

    def _begin(
        self, call: ToolCall, index: int, journal: Journal, cut: bool
    ) -> Prepared | ToolResult:
        """It is the turn of call `index`: it counts now, and not when it is only looked at to be
        asked about."""
        if index >= MOST_CALLS:
            return _failed("too_many", TOO_MANY)
        most = self.rate_limits.get(call.name, 0)
        if waits := self._rates.count_call(call.name, most, time.monotonic()):
            return _failed("blocked", TOO_OFTEN.format(call.name, most, waits))
        return self._prepare(call, journal, cut)

    def _prepare(self, call: ToolCall, journal: Journal, cut: bool) -> Prepared | ToolResult:
        tool = self.tools.get(call.name)
        if tool is None:
            if call.name in self.known():
                return _failed("no_handler", f"the tool {call.name} is not available in this run")
            return _failed(
                "unknown_tool", f"no tool {call.name!r}; there are: {', '.join(sorted(self.tools))}"
            )
        read = _read(call.arguments, cut)
        if isinstance(read, ToolResult):
            return read
        raw, note = read
        schema = tool.schema()
        fitted = argument_fit.fit(schema, raw)
        note += fitted.note
        try:
            arguments = tool.validate(fitted.arguments)
        except ValueError as error:
            self.on_misfit(call, fitted.arguments)
            return _failed("invalid_arguments", _problems(tool.name, schema, fitted, error))
        command = tool.command(arguments) if tool.command else ""
        folder = self.workplace.folder.path
        try:
            touched, roots = tool.paths(arguments), self.workplace.roots
            command = place_command(command, folder, roots[0])
            facts = gather_facts(
                tool,
                touched,
                command,
                roots,
                self._support,
                self._workspace,
                self.approvals.permissions.limits,
                self.workplace.environment,
                self._reached(tool, arguments),
                names=bool(self.approvals.permissions.allow),
                own=self.workplace.own,
            )
        except ToolFailure as failure:
            return failure.result()
        except ValueError as error:
            return _failed("invalid_arguments", str(error))
        if why := next(filter(None, (one.refuse(facts) for one in self.allowed)), ""):
            return _failed("blocked", why)
        label = self.workplace.scrub_known(tool.label(arguments))[:LABEL_LIMIT]
        granted = frozenset(path.real for path in facts.paths)
        writes, (turn, step) = tool.effect == "write", (journal.number, journal.step)
        context = CallContext(self.workplace, call.id, granted, writes, turn=turn, step=step)
        context.folder, context.sealed = folder if command else roots[0], self.sealed
        decision = self.approvals.decide(facts)
        found = self._workspace if decision.confined == "works" else self._support
        context.permissions = self.approvals.permissions
        context.confined = "" if found and found.problem else decision.confined
        context.way = found.way if found else ""
        context.hosts = self.approvals.allowed_hosts(facts.cwd)
        return Prepared(call, tool, arguments, label, context, facts, decision, note)

    def _reached(self, tool: Tool[Any], arguments: Any) -> tuple[str, str]:
        """The host that a call reaches, and why its address asks in every mode."""
        host = tool.host(arguments, self.workplace.keys) if tool.host else ""
        return host, tool.odd_address(arguments)

    def _runs_command(self, call: ToolCall) -> bool:
        tool = self.tools.get(call.name)
        return tool is not None and tool.command is not None

    async def find_sandbox(self) -> None:
        """Find out which sandbox holds for the commands of this mode, once, and say it."""
        mode = self.mode()
        if mode not in ("manual", "accept-all"):
            self._support = self._support or await self.workplace.sandbox_support()
        if mode != "accept-all" or self._workspace is not None:
            return
        async with self._finding:
            if not self._workspace:
                self._workspace = await self.workplace.workspace_support()
                for event in sandbox_words.describe_sandbox(self._workspace):
                    self.workplace.emit(event)

    async def _execute(self, prepared: Prepared, journal: Journal, note: str) -> Outcome:
        call, tool, decision = prepared.call, prepared.tool, prepared.decision
        started, running = time.monotonic(), CallRun(self._runs, prepared, journal, note)
        journal.open_call(call, lambda: self._cancelled(running.prepared, started))
        limit = (
            (tool.timeout(prepared.arguments) or self.workplace.command_timeout)
            if tool.timeout
            else 0.0
        )
        journal.emit(
            ToolStarted(
                call_id=call.id,
                name=call.name,
                label=prepared.label,
                arguments=self.scrub(call.arguments),
                effect=tool.effect,
                note=decision.note,
                timeout_s=limit,
                output=prepared.context.output_file.name if tool.command else "",
            )
        )
        if tool.changes and (
            why := self.sealed()
        ):  # that the intent cannot be saved shows only now
            return self._ended(
                call, prepared.label, _failed("blocked", why), 0.0, journal, note, tool.research
            )
        try:
            result, seconds = await running.run()
        except ToolFailure as failure:
            result, seconds = failure.result(), time.monotonic() - started
        except Exception as error:  # the boundary of a tool call
            self.workplace.log.exception("tool %s", call.name)
            result, seconds = (
                _failed("exception", f"{type(error).__name__}: {error}"),
                time.monotonic() - started,
            )
        prepared = running.prepared
        for change in prepared.context.changes if prepared.planned is not None else ():
            await self.on_approved_change(*change)
        outcome = self._ended(
            call, prepared.label, result, seconds, journal, running.note, tool.research
        )
        prepared.context.release()
        return outcome

    def _not_run(self, call: ToolCall, label: str) -> ToolEnded:
        """The result of a call that is cancelled before it runs, with what a person had said of
        it."""
        said = "Error [cancelled]: cancelled before it ran"
        if words := self.approvals.words.get(call.id, ""):
            said += f"\n\n[note: the person had said: {words}]"
        return ToolEnded(
            call_id=call.id, name=call.name, label=label, content=said, tag="cancelled"
        )

    def _cancelled(self, prepared: Prepared, started: float) -> ToolEnded:
        """The result of a call that is cancelled while it runs: what came of its output is part of
        it."""
        seconds = time.monotonic() - started - prepared.context.waited
        captured, tool = prepared.context.command_output, prepared.tool
        command = tool.command(prepared.arguments) if tool.command else ""
        said, display = "Error [cancelled]: cancelled while it ran", None
        if changed := dict.fromkeys(path for path, _, _ in prepared.context.changes):
            names = sandbox_words.name_some([*map(prepared.context.display_path, changed)])
            said += f", but its change was made by then: {names}"
        if output := captured.text():
            said += f". Its output until then:\n{output}{captured.loss}"
            display = CommandDisplay(command, str(prepared.context.folder), output)
        return self._result(
            prepared.call, prepared.label, ToolResult(said, display, "cancelled"), seconds, ""
        )

    def _ended(
        self,
        call: ToolCall,
        label: str,
        result: ToolResult,
        seconds: float,
        journal: Journal,
        note: str = "",
        research: bool = False,
    ) -> Outcome:
        tool = self.tools.get(call.name)
        # of a tool of the person's own, or of what it did outside, nothing else would be seen
        unseen = tool is not None and (tool.effect == "external" or call.name not in names(TOOLS))
        if result.display is None and (result.tag != "ok" or unseen):
            result = replace(result, display=TextDisplay(result.content))
        ended = self._result(call, label, result, seconds, note)
        journal.emit(ended)
        journal.close_call(call)
        return Outcome(call.name, call.arguments, ended.content, research)

    def _result(
        self, call: ToolCall, label: str, result: ToolResult, seconds: float, note: str
    ) -> ToolEnded:
        """`result` as it may be told: scrubbed and capped."""
        result = self.workplace.scrub_result(result)
        own = self.workplace
        most = own.max_output_chars if result.reading is None else own.max_read_chars
        content = cap_output(result.content, most)
        hidden = set(PLACEHOLDER.findall(content))
        content += (EXPLAINED if hidden else "") + note
        if unchanged := self._say_unchanged(call, result, content):
            result = replace(result, display=TextDisplay("unchanged since it was read"))
            content, hidden = unchanged + note, set()
        return ToolEnded(
            call_id=call.id,
            name=call.name,
            label=label,
            content=content,
            display=result.display,
            duration_ms=round(seconds * 1000),
            tag=result.tag,
            hidden=len(hidden),
        )

    def _say_unchanged(self, call: ToolCall, result: ToolResult, content: str) -> str:
        """What is said where the model need not be given `content` of a file: an earlier call gave
        it just that, of the same file, and its result is sent with the next request. Empty: it
        must."""
        reading, seen = result.reading, self.workplace.seen_files
        if reading is None or result.tag != "ok":
            return ""
        given = seen.find_earlier(reading.path, reading.part)
        known = given is not None and given[1].endswith(content) and self.workplace.is_sent(*given)
        if reading.unchanged and known:
            return reading.unchanged
        seen.note_given(reading.path, reading.part, call.id, content)
        return ""


async def _nobody_hears(_: Path, __: str, ___: str) -> None:
    """Of a change; without a session there is nobody."""


def cap_output(text: str, limit: int) -> str:
    """At most about `limit` characters: head and tail, with a line between that says what is
    missing."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    lost = len(text) - head - tail
    return (
        f"{text[:head]}\n[… {lost:,} characters left out: ask for a smaller part …]\n{text[-tail:]}"
    )


def _read(text: str, cut: bool) -> tuple[Any, str] | ToolResult:
    """The arguments in `text`, and what the model is told where they had to be repaired."""
    if (raw := argument_repair.parse_object(text)) is not None:
        return raw, ""
    if cut:
        said = "the answer reached the token limit before these arguments ended: write less at once, in several calls"
        return _failed("invalid_arguments", said)
    found = argument_repair.repair_object(text)
    if found is None:
        return _failed("invalid_arguments", argument_repair.describe_error(text))
    told = cap_output(json.dumps(found, ensure_ascii=False), TOLD)
    return found, f"\n\n[note: the arguments were no valid JSON object and were read as {told}]"


def _failed(tag: str, text: str) -> ToolResult:
    return ToolFailure(tag, text).result()


def _problems(
    name: str, schema: Mapping[str, Any], fitted: argument_fit.Fitted, error: ValueError
) -> str:
    """What is wrong with the arguments, in one line however much it is, and a call as it should
    be."""
    found = list(islice(json_schema.problems(schema, fitted.arguments), MOST_WRONG))
    if not found and isinstance(error, ValidationError):
        found = [_said(one) for one in error.errors()]
    found = found or [str(error)]
    more = (f"and {len(found) - WRONG} more",) if len(found) > WRONG else ()
    wrong = "; ".join((*found[:WRONG], *more))
    example = json_schema.example_call(schema, fitted.arguments)
    return f"{wrong}. A call should be: {name}({cap_output(example, TOLD)})"


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    said = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said
