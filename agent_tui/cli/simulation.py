"""`agent-tui policy simulate`: what other rules would have decided about the calls on record, and
the fewest rules that spare the most questions. Nothing is run, and no log is changed."""

from __future__ import annotations

import json
import os
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    Event,
    ModeChanged,
    SessionStarted,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.regular_file import open_regular
from agent_tui.safety import permissions, policy
from agent_tui.safety.limits import Limits
from agent_tui.safety.permissions import KINDS, Permissions
from agent_tui.safety.policy import Facts
from agent_tui.safety.sandbox.support import Support
from agent_tui.safety.shell.prefixes import prefix_of
from agent_tui.sessions.index import listing
from agent_tui.sessions.log import store
from agent_tui.settings.table import PermissionSettings
from agent_tui.settings.values import RULES, rows
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import Tool
from agent_tui.tools.support import argument_fit

LEAST: Final = 2
"""Questions that a rule must spare to be proposed."""
MOST_RULES: Final = 20


@frozen
class PastCall:
    """A call about which somebody was asked: the facts as they are today, the mode of then, and
    whether the person allowed it."""

    label: str
    mode: str
    facts: Facts
    allowed: bool


@frozen
class Simulation:
    """What the rules come to. The lists hold each call once, with how often it was asked about.
    `unknown`: calls that cannot be judged today, because their folder or tool is gone."""

    questions: int
    spared: int
    denied: int
    newly_allowed: tuple[tuple[str, int], ...]
    against_a_no: tuple[tuple[str, int], ...]
    newly_denied: tuple[tuple[str, int], ...]
    proposed: tuple[tuple[str, int], ...]
    unknown: int


def read_rules(file: Path) -> Permissions:
    """The rules in the `[permissions]` of a settings file. Raises OSError and ValueError."""
    with os.fdopen(open_regular(file), encoding="utf-8") as opened:
        table = tomllib.loads(opened.read()).get("permissions", {})
    known = {name for name, _ in rows(PermissionSettings)}
    unknown = set(table) - known if isinstance(table, dict) else {"permissions"}
    if unknown:
        raise ValueError(f"{file}: [permissions] has no {', '.join(sorted(unknown))}")
    try:
        deny, ask, allow = (
            tuple(map(permissions.parse, RULES.read(table.get(kind, [])))) for kind in KINDS
        )
        return Permissions(deny, ask, allow)
    except ValueError as error:
        raise ValueError(f"{file}: {error or 'rules are a list of texts'}") from None


def simulate(
    folder: Path, rules: Permissions, tools: Mapping[str, Tool[Any]], support: Support
) -> Simulation:
    """Decide anew about every call in the logs of `folder` about which a person was asked."""
    calls, unknown = list[PastCall](), 0
    for log in sorted(listing.logs(folder)):
        try:
            events, _ = store.read(log)
        except OSError:
            unknown += 1  # it is gone by now, or not for us to read
            continue
        for found in _past_calls(events, tools, support, rules.limits):
            unknown += found is None
            calls += [found] if found is not None else []
    judged = [(call, _verdict(call, rules)) for call in calls]
    allowed = [call for call, verdict in judged if verdict == "allow"]
    refused = [call for call, verdict in judged if verdict == "refuse"]
    return Simulation(
        len(calls),
        len(allowed),
        len(refused),
        _counted(call for call in allowed if call.allowed),
        _counted(call for call in allowed if not call.allowed),
        _counted(call for call in refused if call.allowed),
        tuple(propose([call for call, verdict in judged if verdict == "ask"], calls, rules)),
        unknown,
    )


def _counted(calls: Iterable[PastCall]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(call.label for call in calls).most_common())


def _verdict(call: PastCall, rules: Permissions) -> policy.Verdict:
    return policy.decide(call.mode, call.facts, permissions=rules).verdict


def _past_calls(
    events: Sequence[Event], tools: Mapping[str, Tool[Any]], support: Support, limits: Limits
) -> Iterator[PastCall | None]:
    """The calls of one session that were asked about and answered by a person."""
    made: dict[str, ToolCall] = {}
    asked: dict[str, tuple[ApprovalAsked, str, str]] = {}
    cwd = mode = ""
    for event in events:
        match event:
            case SessionStarted():
                cwd, mode = event.cwd, event.mode or mode
            case ModeChanged():
                mode = event.mode
            case AssistantReplied():
                made |= {call.id: call for call in event.calls}
            case ApprovalAsked():
                asked[event.id] = (event, cwd, mode)
            case ApprovalAnswered(by="person") if event.id in asked:
                question, folder, then = asked.pop(event.id)
                facts = _facts(made.get(question.call_id), folder, tools, support, limits)
                yes = event.choice != "no"
                yield PastCall(question.label, then, facts, yes) if facts is not None else None


def _facts(
    call: ToolCall | None,
    cwd: str,
    tools: Mapping[str, Tool[Any]],
    support: Support,
    limits: Limits,
) -> Facts | None:
    tool = tools.get(call.name) if call is not None else None
    if call is None or tool is None or not Path(cwd).is_dir():
        return None
    try:
        fitted = argument_fit.fit(tool.schema(), json.loads(call.arguments))
        arguments = tool.validate(fitted.arguments)
        command = tool.command(arguments) if tool.command else ""
        roots = (Path(cwd).resolve(),)
        named = tool.paths(arguments)
        return gather_facts(tool, named, command, roots, support, limits=limits)
    except (ValidationError, ValueError, RecursionError):
        return None


def propose(
    asking: Sequence[PastCall], calls: Sequence[PastCall], rules: Permissions
) -> Iterator[tuple[str, int]]:
    """The fewest rules that allow the most of `asking` that a person allowed, and none of `calls`
    that a person denied; each with the questions that it spares. What asks in every mode is left
    out."""
    left = [call for call in asking if call.allowed]
    denied = [call for call in calls if not call.allowed]
    candidates = {text for call in left for text in _candidates(call)}
    for _ in range(MOST_RULES):
        best, spared = "", list[PastCall]()
        for text in sorted(candidates):
            wider = replace(rules, allow=(*rules.allow, permissions.parse(text)))
            if any(_verdict(call, wider) == "allow" for call in denied):
                continue
            found = [call for call in left if _verdict(call, wider) == "allow"]
            if len(found) > len(spared):
                best, spared = text, found
        if len(spared) < LEAST:
            return
        yield best, len(spared)
        rules = replace(rules, allow=(*rules.allow, permissions.parse(best)))
        left = [call for call in left if call not in spared]
        candidates.discard(best)


def _candidates(call: PastCall) -> Iterator[str]:
    """The rules that may stand for a call: the beginning of its command where no further words can
    make it do something else, the exact command, or the file."""
    facts = call.facts
    if facts.command:
        roots = tuple(map(Path, (facts.cwd, *facts.others)))
        texts = [" ".join((*words, "*")) for words in (prefix_of(facts.calls, roots),) if words]
        texts += [facts.command]
    else:
        texts = [path.shown for path in facts.paths if path.inside]
    for text in texts:
        try:
            permissions.parse(rule := f"{facts.tool}({text})")
        except ValueError:
            continue  # it cannot be written as a rule
        yield rule


def lines(found: Simulation) -> Iterator[str]:
    """The simulation for a person."""
    asks = found.questions - found.spared - found.denied
    yield (
        f"{found.questions} questions on record: {asks} would be asked, {found.spared} would run, "
        f"{found.denied} would be denied"
    )
    if found.unknown:
        yield f"{found.unknown} more cannot be judged: their folder, tool or log is gone"
    for title, calls in (
        ("would run without a question", found.newly_allowed),
        ("would run, although you said no", found.against_a_no),
        ("would be denied, although you said yes", found.newly_denied),
    ):
        if calls:
            yield f"\n{title}:"
            yield from (f"  {count:4}x  {label}" for label, count in calls)
    if found.proposed:
        yield "\nthese rules would spare the most questions, and allow nothing that you denied:\n"
        yield "[permissions]\nallow = ["
        yield from (f"    {json.dumps(text)},  # {count}" for text, count in found.proposed)
        yield "]"


def as_json(found: Simulation) -> str:
    return json.dumps(asdict(found))
