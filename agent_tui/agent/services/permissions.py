"""What runs without a question and what was refused, for `/permissions`: the person takes back what
they allowed, and allows once what was denied."""

from __future__ import annotations

import zlib
from asyncio import Future
from collections.abc import Callable
from functools import partial

from agent_tui.agent.turn.approvals import Approvals
from agent_tui.protocol.answers import DeniedCall, PermissionList, PermissionStatus
from agent_tui.protocol.events import AllowanceRevoked, Answered, Event, Notice
from agent_tui.protocol.ops import AllowOnce, RevokePermission
from agent_tui.protocol.standing import Allowance
from agent_tui.safety.permissions import KINDS
from agent_tui.safety.policy import Rule

AGAIN = "I allow this now, once: {call}. Make the same call again."


class PermissionDesk:
    """The permissions of `approvals`. `emit` takes what is to be said, `scrub` hides secrets in it,
    `prompt` sends words to the model."""

    def __init__(
        self,
        approvals: Approvals,
        emit: Callable[[Event], None],
        scrub: Callable[[str], str],
        prompt: Callable[[str], None],
    ) -> None:
        self._approvals, self._emit, self._scrub, self._prompt = approvals, emit, scrub, prompt

    def tell(self, id: str, project: str) -> None:
        """Answer the query `id`; `project` says whether that is trusted."""
        own = self._approvals.permissions
        settings = tuple(
            PermissionStatus("", kind, rule.text)
            for kind, rules in zip(KINDS, (own.deny, own.ask, own.allow), strict=True)
            for rule in rules
        )
        denied = tuple(
            DeniedCall(one.call_id, one.label, one.reason, one.at, one.may_retry)
            for one in reversed(self._approvals.denied)
        )
        kept = self._approvals.kept
        lapsed = kept.lapsed if kept is not None else frozenset[Rule]()
        known = (self._approvals.rules, self._lasting(), lapsed)
        session, folder, gone = map(self._said, known)
        self._emit(Answered(id, PermissionList(session, settings, denied, project, folder, gone)))

    def _said(self, rules: frozenset[Rule]) -> tuple[PermissionStatus, ...]:
        found = (
            PermissionStatus(_id(rule), "allow", self._scrub(_text(rule)), rule.folder)
            for rule in rules
        )
        return tuple(sorted(found, key=lambda one: one.text))

    def _lasting(self) -> frozenset[Rule]:
        kept = self._approvals.kept
        return kept.rules if kept is not None else frozenset()

    def handle(self, op: RevokePermission | AllowOnce) -> None:
        match op:
            case RevokePermission():
                self._revoke(op)
            case AllowOnce():
                self._allow_once(op)

    def _revoke(self, op: RevokePermission) -> None:
        """The calls that a rule of this session or folder allowed ask again, also when the session
        is resumed."""
        kept = self._approvals.kept
        for rule in kept.rules | kept.lapsed if kept is not None else ():
            if _id(rule) == op.id:
                self._forget(rule)
        for rule in tuple(self._approvals.rules):
            if _id(rule) == op.id:
                self._approvals.rules -= {rule}
                allowed = Allowance(rule.tool, rule.targets, rule.folder, rule.words)
                if self._scrub(allowed.text) == allowed.text:  # else it is not on record either
                    self._emit(AllowanceRevoked(allowed))
                self._emit(Notice(self._revoked(rule)))

    def _forget(self, rule: Rule) -> None:
        """Take `rule` out of the person's file, and say so when that is done."""

        def report_end(done: Future[None]) -> None:
            error = done.exception()
            if error is None:
                self._emit(Notice(self._revoked(rule)))
            else:
                self._emit(Notice(f"Not taken back: {error}", "warning"))

        kept = self._approvals.kept
        assert kept is not None
        self._approvals.workplace.off_loop(partial(kept.remove, rule)).add_done_callback(report_end)

    def _revoked(self, rule: Rule) -> str:
        return f"No longer allowed without a question: {self._scrub(_text(rule))}"

    def _allow_once(self, op: AllowOnce) -> None:
        """A call that was denied runs if the model makes it again, which it is asked to do."""
        found = next((one for one in self._approvals.denied if one.call_id == op.call_id), None)
        if found is None or not found.may_retry:
            self._emit(Notice("That call cannot be allowed any more.", "warning"))
            return
        self._approvals.allow_once(found)
        self._prompt(AGAIN.format(call=found.label))


def _text(rule: Rule) -> str:
    return Allowance(rule.tool, rule.targets, rule.folder, rule.words).text


def _id(rule: Rule) -> str:
    return f"{zlib.crc32(repr(rule).encode()):08x}"
