"""Consent to the calls of a step: what is allowed already, the questions, and what was denied.

All calls of a step that must be asked about are asked about at once, so that a person can see and
answer them together. Each still has its own question, its own answer and its own preview. When its
turn comes, a call is judged again: if it is another one by then, or its preview is, the person is
asked again.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, Event, Notice
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Answer
from agent_tui.protocol.standing import Allowance
from agent_tui.safety import policy
from agent_tui.safety.folder_rules import FolderRules
from agent_tui.safety.permissions import Permissions
from agent_tui.settings.store import Refused
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import Planned, Tool, ToolFailure, ToolResult

MOST_DENIED: Final = 50
"""Calls that were denied, of which a person sees a list."""
CHANGED: Final = "the file changed meanwhile, so this diff is new"
CHANGED_CALL: Final = "what it works on changed meanwhile, so it asks again"
UNCONFINED: Final = "no sandbox"
Verdict = Literal["once", "always", "prefix", "folder", "outside", "no"]
_VERDICTS: Final[Mapping[str, Verdict]] = {
    "once": "once",
    "always": "always",
    "prefix": "prefix",
    "folder": "folder",
    "outside": "outside",
}


class Emits(Protocol):
    def emit(self, event: Event) -> None: ...


@frozen
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

    @property
    def targets(self) -> frozenset[Path]:
        return frozenset(path.real for path in self.facts.paths)

    async def plan(self) -> Planned | None:
        try:
            return await self.tool.plan(self.arguments, self.context) if self.tool.plan else None
        except PermissionError as error:  # it lies in a folder that nobody here can enter
            said = f"{error.filename}: the system denies access to it (permissions)"
            raise ToolFailure("blocked", said) from None


@frozen
class Denied:
    """A call that did not run because somebody, or the policy, said no. `rule` would allow it
    again; None where only a new question can."""

    call_id: str
    label: str
    reason: str
    at: float
    may_retry: bool = False
    rule: policy.Rule | None = None


@frozen
class Asked:
    """A question about a call. `said` becomes the answer; `outcome` what that comes to: text for a
    yes (what the model is told with the result), the result for a no."""

    id: str
    prepared: Prepared
    planned: Planned | None
    said: asyncio.Future[Answer]
    outcome: asyncio.Task[ToolResult | str]

    @property
    def is_by_rule(self) -> bool:
        return self.said.done() and self.said.result().by == "rule"

    def settle(
        self, choice: Literal["once", "no"], by: Literal["rule", "changed"], journal: Emits
    ) -> None:
        """Take the question back, if nobody has answered it."""
        if not self.said.done():
            self.said.set_result(Answer(self.id, choice, by=by))
            journal.emit(ApprovalAnswered(id=self.id, choice=choice, by=by))


class Approvals:
    """The consents of a session. `ask` is None where nobody can answer: then whatever must be asked
    is denied. `sealed` says why nothing may be changed now; `kept` are the person's rules for this
    folder, None where nothing may be kept."""

    def __init__(
        self,
        workplace: Workplace,
        scrub: Callable[[str], str],
        mode: Callable[[], str],
        ask: Callable[[ApprovalAsked], asyncio.Future[Answer]] | None,
        new_id: Callable[[], str],
        sealed: Callable[[], str],
    ) -> None:
        self.workplace, self.scrub, self.mode, self.ask = workplace, scrub, mode, ask
        self.new_id, self.sealed = new_id, sealed
        self.permissions = Permissions()
        self.kept: FolderRules | None = None
        self.rules: frozenset[policy.Rule] = frozenset()
        self.denied: deque[Denied] = deque(maxlen=MOST_DENIED)
        self.words: dict[str, str] = {}
        """What the person said with an answer, by call: it is told with what becomes of the
        call."""
        self._once: set[policy.Rule] = set()
        self._early: dict[str, Asked] = {}
        """Questions that were asked before it was the turn of their call."""

    def decide(self, facts: policy.Facts) -> policy.Decision:
        rules = self._standing() | self._once
        return policy.decide(self.mode(), facts, rules, self.permissions)

    def _standing(self) -> frozenset[policy.Rule]:
        return self.rules | (self.kept.rules if self.kept is not None else frozenset())

    def allowed_hosts(self, folder: str) -> frozenset[str]:
        """The hosts that a person allowed for commands in the sandbox."""
        return policy.allowed_hosts(self._standing(), folder)

    def may_run(self, prepared: Prepared) -> bool:
        """Whether nobody need be asked about the call, nor was."""
        return prepared.decision.verdict == "allow" and prepared.call.id not in self._early

    def spend(self, prepared: Prepared) -> None:
        """What was allowed for one call is used up by this one."""
        if prepared.decision.rule == "session":
            self._once -= policy.rules_for(prepared.facts)

    async def consent(
        self,
        prepared: Prepared,
        again: Callable[[], Prepared | ToolResult],
        behind: Iterable[Callable[[], Prepared | ToolResult]],
        journal: Emits,
    ) -> Prepared | ToolResult:
        """The call as it may run, or the result that says why it may not. What a person said yes to
        is what runs: where a file was changed while they were asked, they are asked about the new
        difference, and where a command names other files by then (`again` judges it anew), about
        those. `behind` are the calls after it in its step: they are asked about, too."""
        decision, reason = prepared.decision, prepared.decision.reason
        asked = self._early.pop(prepared.call.id, None)
        if prepared.tool.changes and (why := self.sealed()):
            return _failed("blocked", why)
        if decision.verdict == "refuse":
            self._note_denied(prepared, reason)
            return _failed("blocked", reason)
        if asked is not None and not await self._still_holds(asked, prepared, journal):
            reason += "" if asked.is_by_rule else f"; {CHANGED_CALL}"
            asked = None
        if decision.verdict == "allow" and asked is None:
            return prepared
        while True:
            if asked is None:
                try:
                    planned = await prepared.plan()
                except ToolFailure as failure:
                    return failure.result()  # it would fail anyway: nobody needs to be asked
                if self.ask is None:
                    return self._deny_unasked(prepared, planned, reason, journal)
                asked = self._open(prepared, planned, reason, journal)
                await self._ask_ahead(prepared, behind, journal)
            answer = await asked.outcome
            if isinstance(answer, ToolResult):
                self._note_denied(prepared, reason, may_retry=True)
                return answer
            planned, allowed = asked.planned, asked.prepared
            now = again() if allowed.facts.command else allowed
            if isinstance(now, ToolResult):
                return now
            if now.facts != allowed.facts:
                prepared, changed = replace(now, note=prepared.note + answer), CHANGED_CALL
                if now.decision.verdict == "refuse":
                    return _failed("blocked", now.decision.reason)
                if now.decision.verdict == "allow":
                    return prepared
            elif planned is None or planned.is_current is None or await planned.is_current():
                return replace(allowed, planned=planned, note=allowed.note + answer)
            else:
                prepared = replace(prepared, note=prepared.note + answer)  # the words were said
                changed = CHANGED
            reason, asked = f"{prepared.decision.reason}; {changed}", None

    async def ask_now(
        self,
        prepared: Prepared,
        planned: Planned | None,
        reason: str,
        journal: Emits,
        hosts: Sequence[str] = (),
        ran: bool = False,
    ) -> tuple[ToolResult | str, bool]:
        """Ask the person about a call. Text: yes, and what the model is told with the result.
        Otherwise the result that says why not. `hosts`: to which it would have network; then also
        whether it runs without the sandbox instead. `ran`: whether what it changed stays."""
        asked = self._open(prepared, planned, reason, journal, hosts, ran)
        outcome = await asked.outcome
        return outcome, asked.said.result().choice == "outside"

    async def _still_holds(self, asked: Asked, prepared: Prepared, journal: Emits) -> bool:
        """Whether the early question is, or was, about this call as it is now. A no holds in any
        case; a question that nobody has answered is taken back where it is not needed any more."""
        if asked.said.done() and isinstance(await asked.outcome, ToolResult):
            return True
        if asked.prepared.facts != prepared.facts:
            asked.settle("no", "changed", journal)
        elif prepared.decision.verdict == "allow":
            asked.settle("once", "rule", journal)
        elif not asked.is_by_rule:
            return True
        same = asked.prepared.facts == prepared.facts
        return same and not asked.is_by_rule

    async def _ask_ahead(
        self,
        first: Prepared,
        behind: Iterable[Callable[[], Prepared | ToolResult]],
        journal: Emits,
    ) -> None:
        """Ask about the calls behind `first`, too. Not about one that works on the same file as a
        change before it: what it comes to can be shown only when that was made."""
        changed = first.targets
        for prepare in behind:
            await asyncio.sleep(0)
            prepared = prepare()
            if isinstance(prepared, ToolResult):
                continue
            call, writes = prepared.call, prepared.tool.changes
            meets = bool(changed & prepared.targets)
            changed |= prepared.targets if writes else frozenset()
            asks = prepared.decision.verdict == "ask" and not (writes and self.sealed())
            if meets or not asks or call.id in self._early:
                continue
            try:
                planned = await prepared.plan()
            except ToolFailure:
                continue  # it may be another matter when its turn comes
            reason = prepared.decision.reason
            self._early[call.id] = self._open(prepared, planned, reason, journal)

    def _open(
        self,
        prepared: Prepared,
        planned: Planned | None,
        reason: str,
        journal: Emits,
        hosts: Sequence[str] = (),
        ran: bool = False,
    ) -> Asked:
        """Ask, without waiting for the answer."""
        assert self.ask is not None
        question = self._question(prepared, planned, reason)
        asked = replace(question, hosts=tuple(hosts), ran=ran)
        journal.emit(asked)
        said = self.ask(asked)  # in the same breath: no answer may come before somebody waits
        outcome = asyncio.ensure_future(self._hear(prepared, asked, said, journal))
        return Asked(asked.id, prepared, planned, said, outcome)

    def _question(self, prepared: Prepared, planned: Planned | None, reason: str) -> ApprovalAsked:
        decision, call, facts = prepared.decision, prepared.call, prepared.facts
        lasting = decision.lasting if self.kept is not None else None
        confined = "" if prepared.context.confined or not facts.command else UNCONFINED
        return ApprovalAsked(
            id=self.new_id(),
            call_id=call.id,
            tool=call.name,
            label=prepared.label,
            reason=reason,
            display=self.workplace.scrubbed_question(planned.display) if planned else None,
            always=decision.always_text if decision.always else "",
            prefix=f"{' '.join(decision.prefix.words)} …" if decision.prefix else "",
            folder=lasting.text if lasting is not None and self._on_record(lasting) else "",
            hard=decision.hard,
            mode=policy.unasked_mode(self.mode(), facts, self.permissions.limits),
            argv=tuple(map(self.workplace.scrub_known, hidden_words(facts))),
            sandbox=confined,
        )

    def _deny_unasked(
        self, prepared: Prepared, planned: Planned | None, reason: str, journal: Emits
    ) -> ToolResult:
        asked = self._question(prepared, planned, reason)
        journal.emit(asked)
        journal.emit(ApprovalAnswered(id=asked.id, choice="no", by="headless"))
        self._note_denied(prepared, reason, may_retry=True)
        return _failed("denied", f"nobody can approve it here ({reason})")

    async def _hear(
        self, prepared: Prepared, asked: ApprovalAsked, said: Awaitable[Answer], journal: Emits
    ) -> ToolResult | str:
        answer, decision, reason = await said, prepared.decision, asked.reason
        verdict = _VERDICTS.get(answer.choice, "no")
        if verdict == "outside" and not asked.hosts:
            verdict = "no"  # it was not offered
        rules = {"always": decision.always, "prefix": decision.prefix, "folder": decision.lasting}
        rule = rules.get(verdict)
        if answer.text:
            self.words[asked.call_id] = answer.text
        if rule is not None:
            await self._add(rule, journal)
        if verdict != "no":
            self._settle_allowed(journal)  # before the next question would be seen
        if answer.by in ("person", "nobody"):
            allows = self._on_record(rule)
            journal.emit(
                ApprovalAnswered(
                    id=asked.id, choice=verdict, text=answer.text, by=answer.by, allows=allows
                )
            )
        if verdict == "no" and answer.by == "nobody":
            return _failed("denied", f"nobody answered ({reason})")
        if verdict == "no":
            return _failed(
                "denied", f"the person said no{': ' + answer.text if answer.text else ''}"
            )
        now = self.decide(prepared.facts)  # the mode may be another than when it was asked
        if now.verdict == "refuse":
            return _failed("blocked", now.reason)
        return f"\n\n[note: the person allowed it and said: {answer.text}]" if answer.text else ""

    async def _add(self, rule: policy.Rule, journal: Emits) -> None:
        """From now on `rule` allows what it fits: in this session, or in this folder for good."""
        if not rule.lasting:
            self.rules |= {rule}
        elif self.kept is not None:
            try:
                await self.workplace.off_loop(partial(self.kept.add, rule))
            except Refused as error:
                self.rules |= {replace(rule, lasting=False)}
                said = f"Not saved, so it is allowed in this session only: {error}"
                journal.emit(Notice(said, "warning"))

    def _settle_allowed(self, journal: Emits) -> None:
        """Open questions about what is allowed by now need no answer."""
        for asked in self._early.values():
            if self.decide(asked.prepared.facts).verdict == "allow":
                asked.settle("once", "rule", journal)

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

    def close(self) -> None:
        """The step is over: nobody waits for what is still asked."""
        for asked in self._early.values():
            asked.outcome.cancel()
            asked.said.cancel()
        self._early.clear()


def hidden_words(facts: policy.Facts) -> Sequence[str]:
    """The commands as the shell will read them, where a word of one does not stand in the text as
    it is: it is quoted in parts, escaped, or made of a pattern."""
    calls = [call.argv for call in facts.calls]
    if all(word in facts.command for argv in calls for word in argv):
        return ()
    return [shlex.join(argv) for argv in calls]


def _failed(tag: str, text: str) -> ToolResult:
    return ToolFailure(tag, text).result()
