"""Runs tool calls: parse, judge, ask, record the intent, run, scrub, cap, record the result.

Every way out is a result with a stable tag; the one broad `except` here is the boundary of a tool
call.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from pydantic import ValidationError

from agent_tui.agent.turn import argument_repair
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.loop_detection import Outcome, nudge, research_calls
from agent_tui.agent.turn.tool_context import CallContext, Workplace
from agent_tui.protocol.display import CommandDisplay, TextDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, Event, ToolEnded, ToolStarted
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Answer
from agent_tui.protocol.standing import Allowance
from agent_tui.safety import paths, policy, processes, shell_classifier
from agent_tui.safety.permissions import Permissions
from agent_tui.safety.prefixes import prefix_of
from agent_tui.safety.read_only_sandbox import Support
from agent_tui.safety.secret_strength import PLACEHOLDER
from agent_tui.tools.base import Planned, Tool, ToolFailure, ToolResult

LABEL_LIMIT: Final = 300
MOST_DENIED: Final = 50
"""Calls that were denied, of which a person sees a list."""
TOLD: Final = 500
"""Characters of arguments that were repaired in a result."""
CHANGED: Final = "the file changed meanwhile, so this diff is new"
EXPLAINED: Final = (
    "\n\n[note: [hidden:kind:hash] stands for a secret value that you cannot see; equal ones are equal. Never write "
    "one into a file or a command: leave the text that holds it as it is]"
)
NEEDS_SANDBOX: Final = "it only looks, but there is no sandbox here for programs with settings"
STOPPED: Final = (
    "the read-only sandbox may have stopped it; a yes runs it again without the sandbox"
)
STOPPED_NOTE: Final = "\n\n[note: it ran in a read-only sandbox, which may have stopped it]"
MOST_CALLS: Final = 100
"""Calls of one answer that run."""
TOO_MANY: Final = f"neither this call ran nor those behind it: one answer may have {MOST_CALLS}; make fewer at once"
SIDE_BY_SIDE: Final = 16
"""Calls that run at the same time: each takes its turn, so that the turn can be ended between them."""
WRONG: Final = 5
"""Wrong arguments that are named."""

Verdict = Literal["once", "always", "prefix", "no"]
_VERDICTS: Final[Mapping[str, Verdict]] = {"once": "once", "always": "always", "prefix": "prefix"}


class Journal(Protocol):
    """Where a turn writes what it does; after the turn was settled it takes nothing more."""

    number: int
    step: int

    def emit(self, event: Event) -> None: ...
    def open_call(self, call: ToolCall, cancelled: Callable[[], ToolEnded]) -> None:
        """The call is open: if the turn is settled now, `cancelled` is its result."""
        ...

    def close_call(self, call: ToolCall) -> None: ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that may run: its parsed arguments and the policy's word on it."""

    call: ToolCall
    tool: Tool[Any]
    arguments: Any
    label: str
    context: CallContext
    facts: policy.Facts
    decision: policy.Decision
    note: str = ""
    """What the model is told with the result."""
    planned: Planned | None = None
    """What a person was asked about and said yes to."""


@dataclass(frozen=True, slots=True)
class Denied:
    """A call that did not run because somebody, or the policy, said no. `rule` would allow it
    again; None where only a new question can."""

    call_id: str
    label: str
    reason: str
    at: float
    may_retry: bool = False
    rule: policy.Rule | None = None


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
        ask: Callable[[ApprovalAsked], Awaitable[Answer]] | None,
        new_id: Callable[[], str],
        parallel: bool,
        sealed: Callable[[], str] = lambda: "",
        watch: Watch | None = None,
        changing: asyncio.Lock | None = None,
    ) -> None:
        self.tools, self.known, self.workplace, self.scrub = tools, known, workplace, scrub
        self.mode, self.ask, self.new_id, self.parallel = mode, ask, new_id, parallel
        self.sealed, self.watch, self._changing = sealed, watch, changing or asyncio.Lock()
        self.rules: frozenset[policy.Rule] = frozenset()
        self.permissions = Permissions()
        self.denied: deque[Denied] = deque(maxlen=MOST_DENIED)
        self._once: set[policy.Rule] = set()
        self._support: Support | None = None

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
        if self._support is None and any(map(self._may_be_confined, calls)):
            self._support = await self.workplace.sandbox_support()
        if self.watch is not None:
            await (
                self.watch.wait_until_settled()
            )  # a command that was cancelled may write until it has ended
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
            journal.open_call(call, partial(_not_run, call, call.name))
        for index, call in enumerate(calls):
            await asyncio.sleep(0)  # whoever ends the turn need not wait for all of them
            prepared = (
                self._prepare(call, journal, cut)
                if index < MOST_CALLS
                else _failed("too_many", TOO_MANY)
            )
            if isinstance(prepared, ToolResult):
                await flush()
                outcomes[index] = self._ended(call, call.name, prepared, 0.0, journal)
                continue
            journal.open_call(call, partial(_not_run, call, prepared.label))
            reads = prepared.tool.effect == "read" and not prepared.tool.research
            if self.parallel and reads and prepared.decision.verdict == "allow":
                group.append((index, prepared))
                continue
            await flush()
            looked_up += prepared.tool.research
            allowed = await self._consent(prepared, journal)
            if isinstance(allowed, ToolResult):
                outcomes[index] = self._ended(call, prepared.label, allowed, 0.0, journal)
            else:
                await finish(index, allowed, nudge(looked_up) if prepared.tool.research else "")
        await flush()
        return tuple(outcomes[index] for index in range(len(calls)))

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
        try:
            arguments = tool.arguments.model_validate(raw)
        except ValidationError as error:
            return _failed("invalid_arguments", _problems(error))
        command = tool.command(arguments) if tool.command else ""
        try:
            touched, roots = tool.paths(arguments), self.workplace.roots
            facts = gather_facts(tool, touched, command, roots, self._support)
        except ValueError as error:
            return _failed("invalid_arguments", str(error))
        label = self.workplace.scrub_known(tool.label(arguments))[:LABEL_LIMIT]
        granted = frozenset(path.real for path in facts.paths)
        writes, (turn, step) = tool.effect == "write", (journal.number, journal.step)
        context = CallContext(self.workplace, call.id, granted, writes, turn=turn, step=step)
        rules = self.rules | self._once
        decision = policy.decide(self.mode(), facts, rules, self.permissions)
        if decision.rule == "session":
            self._once -= policy.rules_for(facts)
        context.confined = decision.confined and not (self._support and self._support.problem)
        return Prepared(call, tool, arguments, label, context, facts, decision, note)

    def _may_be_confined(self, call: ToolCall) -> bool:
        """Whether a call may run in the sandbox: in the other modes a command asks or runs
        anyway."""
        tool, asks_or_runs = self.tools.get(call.name), self.mode() in ("manual", "accept-all")
        return tool is not None and tool.command is not None and not asks_or_runs

    async def _consent(self, prepared: Prepared, journal: Journal) -> Prepared | ToolResult:
        """The call as it may run, or the result that says why it may not. What a person said yes to
        is what runs: where a file was changed while they were asked, they are asked about the new
        difference."""
        decision = prepared.decision
        if prepared.tool.effect != "read" and (why := self.sealed()):
            return _failed("blocked", why)
        if decision.verdict == "refuse":
            self._note_denied(prepared, decision.reason)
            return _failed("blocked", decision.reason)
        if decision.verdict == "allow":
            return prepared
        reason = decision.reason
        while True:
            try:
                planned = (
                    await prepared.tool.plan(prepared.arguments, prepared.context)
                    if prepared.tool.plan
                    else None
                )
            except ToolFailure as failure:
                return failure.result()  # it would fail anyway: nobody needs to be asked
            answer = await self._ask(prepared, planned, reason, journal)
            if isinstance(answer, ToolResult):
                self._note_denied(prepared, reason, may_retry=True)
                return answer
            if planned is None or planned.is_current is None or await planned.is_current():
                return replace(prepared, planned=planned, note=prepared.note + answer)
            reason = f"{decision.reason}; {CHANGED}"

    async def _ask(
        self, prepared: Prepared, planned: Planned | None, reason: str, journal: Journal
    ) -> ToolResult | str:
        """Ask the person about a call. Text: yes, and what the model is told with the result.
        Otherwise the result that says why not."""
        decision, call = prepared.decision, prepared.call
        asked = ApprovalAsked(
            id=self.new_id(),
            call_id=call.id,
            tool=call.name,
            label=prepared.label,
            reason=reason,
            display=self.workplace.scrubbed_question(planned.display) if planned else None,
            always=decision.always_text if decision.always else "",
            prefix=f"{' '.join(decision.prefix.words)} …" if decision.prefix else "",
            hard=decision.hard,
            mode=policy.unasked_mode(self.mode(), prepared.facts),
        )
        journal.emit(asked)
        if self.ask is None:
            journal.emit(ApprovalAnswered(id=asked.id, choice="no", by="headless"))
            return _failed("denied", f"nobody can approve it here ({reason})")
        answer = await self.ask(asked)
        verdict = _VERDICTS.get(answer.choice, "no")
        rule = {"always": decision.always, "prefix": decision.prefix}.get(verdict)
        allows = self._on_record(rule)
        journal.emit(
            ApprovalAnswered(
                id=asked.id, choice=verdict, text=answer.text, by=answer.by, allows=allows
            )
        )
        if rule is not None:
            self.rules |= {rule}
        if verdict == "no" and answer.by == "nobody":
            return _failed("denied", f"nobody answered ({reason})")
        if verdict == "no":
            return _failed(
                "denied", f"the person said no{': ' + answer.text if answer.text else ''}"
            )
        now = policy.decide(
            self.mode(), prepared.facts, self.rules, self.permissions
        )  # the mode may be another than when it was asked
        if now.verdict == "refuse":
            return _failed("blocked", now.reason)
        return f"\n\n[note: the person allowed it and said: {answer.text}]" if answer.text else ""

    def _note_denied(self, prepared: Prepared, reason: str, may_retry: bool = False) -> None:
        rule = prepared.decision.always
        self.denied.append(
            Denied(prepared.call.id, prepared.label, reason, time.time(), may_retry, rule)
        )

    def allow_once(self, denied: Denied) -> None:
        """The same call runs without a question the next time; where no rule can say which it is,
        it asks again."""
        self.denied.remove(denied)
        if denied.rule is not None:
            self._once.add(denied.rule)

    def remember(self, allowed: Iterable[Allowance]) -> None:
        """What a person allowed earlier in this session holds again."""
        self.rules |= {policy.Rule(one.tool, one.targets, one.folder, one.words) for one in allowed}

    def _on_record(self, rule: policy.Rule | None) -> Allowance | None:
        """`rule` as the log may hold it; None where it names a secret, or there is none."""
        if rule is None or any(
            self.scrub(target) != target for target in (*rule.targets, *rule.words)
        ):
            return None
        return Allowance(rule.tool, rule.targets, rule.folder, rule.words)

    async def _execute(self, prepared: Prepared, journal: Journal, note: str) -> Outcome:
        call, tool, decision = prepared.call, prepared.tool, prepared.decision
        started = time.monotonic()
        journal.open_call(call, lambda: self._cancelled(prepared, time.monotonic() - started))
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
        if tool.effect != "read" and (
            why := self.sealed()
        ):  # that the intent cannot be saved shows only now
            return self._ended(
                call, prepared.label, _failed("blocked", why), 0.0, journal, note, tool.research
            )
        try:
            result, seconds = await self._run(prepared)
            if prepared.context.refused:
                note += STOPPED_NOTE
                outside = await self._outside(prepared, journal)
                if outside is not None:
                    note, prepared = note.removesuffix(STOPPED_NOTE) + outside.note, outside
                    result, seconds = await self._run(prepared)
        except ToolFailure as failure:
            result, seconds = failure.result(), time.monotonic() - started
        except Exception as error:  # the boundary of a tool call
            self.workplace.log.exception("tool %s", call.name)
            result, seconds = (
                _failed("exception", f"{type(error).__name__}: {error}"),
                time.monotonic() - started,
            )
        outcome = self._ended(call, prepared.label, result, seconds, journal, note, tool.research)
        prepared.context.release()
        return outcome

    async def _outside(self, prepared: Prepared, journal: Journal) -> Prepared | None:
        """A command that the read-only sandbox has probably stopped, as it runs again without it;
        None where nobody allows that."""
        if self.ask is None or self.mode() == "plan" or prepared.tool.plan is None:
            return None
        old = prepared.context
        context = CallContext(
            self.workplace, old.call_id, old.granted, turn=old.turn, step=old.step
        )
        planned = await prepared.tool.plan(prepared.arguments, context)
        decision = policy.Decision("ask", STOPPED, rule="sandbox")
        again = replace(prepared, context=context, decision=decision, planned=planned)
        answer = await self._ask(again, planned, STOPPED, journal)
        if isinstance(answer, ToolResult):
            return None
        old.release()
        return replace(again, note=answer)

    async def _run(self, prepared: Prepared) -> tuple[ToolResult, float]:
        """Run the tool, and say how many seconds that took. What changes something waits for other
        agents' changes."""
        if prepared.tool.effect == "read" or prepared.context.confined:
            return await self._run_alone(prepared)
        async with self._changing:
            return await self._run_alone(prepared)

    async def _run_alone(self, prepared: Prepared) -> tuple[ToolResult, float]:
        """Around a command, look what it changes: nothing, if it is confined."""
        tool, command = prepared.tool, prepared.facts.command
        watch = None if prepared.context.confined else self.watch
        if tool.effect != "read":
            await processes.wait_for_endings()
        before = (
            await watch.take_snapshot(command, prepared.context)
            if watch is not None and command
            else None
        )
        started, looked = time.monotonic(), False
        try:
            planned = prepared.planned
            result = await (
                planned.apply() if planned else tool.run(prepared.arguments, prepared.context)
            )
            seconds = time.monotonic() - started
            if watch is not None and before is not None:
                await watch.report_changes(before)
                looked = True
        finally:
            if watch is not None and before is not None and not looked:
                watch.report_changes_later(before)
        return result, seconds

    def _cancelled(self, prepared: Prepared, seconds: float) -> ToolEnded:
        """The result of a call that is cancelled while it runs: what came of its output is part of
        it."""
        captured, command = prepared.context.command_output, prepared.facts.command
        said, display = "Error [cancelled]: cancelled while it ran", None
        if output := captured.text():
            said += f". Its output until then:\n{output}{captured.loss}"
            display = CommandDisplay(command, str(self.workplace.roots[0]), output)
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
        if result.display is None and result.tag != "ok":
            result = replace(result, display=TextDisplay(result.content))
        ended = self._result(call, label, result, seconds, note)
        journal.emit(ended)
        journal.close_call(call)
        return Outcome(call.name, call.arguments, ended.content, research)

    def _result(
        self, call: ToolCall, label: str, result: ToolResult, seconds: float, note: str
    ) -> ToolEnded:
        """`result` as it may be told: scrubbed and capped."""
        content = cap_output(self.scrub(result.content), self.workplace.max_output_chars)
        content += (EXPLAINED if PLACEHOLDER.search(content) else "") + note
        return ToolEnded(
            call_id=call.id,
            name=call.name,
            label=label,
            content=content,
            display=self.workplace.scrub_display(result.display),
            duration_ms=round(seconds * 1000),
            tag=result.tag,
        )


def gather_facts(
    tool: Tool[Any],
    touched: Sequence[str],
    command: str,
    roots: tuple[Path, ...],
    support: Support | None,
) -> policy.Facts:
    """What the policy decides about: a call of `tool` that touches these paths, or runs `command`
    in the first of `roots`. `support`: the sandbox here; None where nothing runs a command. Raises
    ValueError for what is no path."""
    first, *others = map(str, roots)
    named = tuple(paths.facts(text, roots) for text in touched)
    facts = policy.Facts(tool.name, tool.effect, named, command, first, tuple(others))
    if not command:
        return facts
    judged = shell_classifier.classify(command, roots)
    bare = judged.needs_sandbox and (support is None or bool(support.problem))
    unsure = judged.reason or (NEEDS_SANDBOX if bare else "")
    prefix = prefix_of(judged.calls, roots)
    return replace(facts, unsure=unsure, calls=judged.calls, prefix=prefix)


def _not_run(call: ToolCall, label: str) -> ToolEnded:
    """The result of a call that is cancelled before it runs."""
    said = "Error [cancelled]: cancelled before it ran"
    return ToolEnded(call_id=call.id, name=call.name, label=label, content=said, tag="cancelled")


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


def _problems(error: ValidationError) -> str:
    """What is wrong with the arguments, in one line however much it is."""
    found = error.errors()
    more = (f"and {len(found) - WRONG} more",) if len(found) > WRONG else ()
    return "; ".join((*map(_said, found[:WRONG]), *more))


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "arguments"
    return f"{where}: {error['msg']}"
