"""What runs without a question and what was refused, for `/permissions`: the person takes back what
they allowed, and allows once what was denied."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from agent_tui.agent.turn.executor import Executor
from agent_tui.protocol.answers import DeniedCall, PermissionList, PermissionStatus
from agent_tui.protocol.events import AllowanceRevoked, Answered, Event, Notice
from agent_tui.protocol.ops import AllowOnce, RevokePermission
from agent_tui.protocol.standing import Allowance
from agent_tui.safety.permissions import KINDS
from agent_tui.safety.policy import Rule

AGAIN = "I allow this now, once: {call}. Make the same call again."


class PermissionDesk:
    """The permissions of `executor`. `emit` takes what is to be said, `scrub` hides secrets in it,
    `prompt` sends words to the model."""

    def __init__(
        self,
        executor: Executor,
        emit: Callable[[Event], None],
        scrub: Callable[[str], str],
        prompt: Callable[[str], None],
    ) -> None:
        self._executor, self._emit, self._scrub, self._prompt = executor, emit, scrub, prompt

    def tell(self, id: str) -> None:
        """Answer the query `id`."""
        session = sorted(
            (
                PermissionStatus(_id(rule), "allow", self._scrub(_text(rule)), rule.folder)
                for rule in self._executor.rules
            ),
            key=lambda one: one.text,
        )
        own = self._executor.permissions
        settings = tuple(
            PermissionStatus("", kind, rule.text)
            for kind, rules in zip(KINDS, (own.deny, own.ask, own.allow), strict=True)
            for rule in rules
        )
        denied = tuple(
            DeniedCall(one.call_id, one.label, one.reason, one.at, one.may_retry)
            for one in reversed(self._executor.denied)
        )
        self._emit(Answered(id, PermissionList(tuple(session), settings, denied)))

    def revoke(self, op: RevokePermission) -> None:
        """The calls that a rule of this session allowed ask again, also when it is resumed."""
        for rule in tuple(self._executor.rules):
            if _id(rule) == op.id:
                self._executor.rules -= {rule}
                allowed = Allowance(rule.tool, rule.targets, rule.folder, rule.words)
                if self._scrub(allowed.text) == allowed.text:  # else it is not on record either
                    self._emit(AllowanceRevoked(allowed))
                self._emit(Notice(f"No longer allowed without a question: {self._scrub(_text(rule))}"))

    def allow_once(self, op: AllowOnce) -> None:
        """A call that was denied runs if the model makes it again, which it is asked to do."""
        found = next((one for one in self._executor.denied if one.call_id == op.call_id), None)
        if found is None or not found.may_retry:
            self._emit(Notice("That call cannot be allowed any more.", "warning"))
            return
        self._executor.allow_once(found)
        self._prompt(AGAIN.format(call=found.label))


def _text(rule: Rule) -> str:
    return Allowance(rule.tool, rule.targets, rule.folder, rule.words).text


def _id(rule: Rule) -> str:
    return f"{zlib.crc32(repr(rule).encode()):08x}"
