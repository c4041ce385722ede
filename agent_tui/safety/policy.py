"""May a tool call run, must a person be asked, or is it refused? One pure function over facts that
others gathered.

The order is the meaning: plan mode refuses what does not only look; the hard list asks in every
mode, and so does a rule of the person that says `ask` (one that denies comes before both); a rule
of this session allows what a person allowed before; paths outside the folder, secrets and protected
names ask in every mode, and so does what may fit a rule that denies or asks; what a rule allows
runs; what reaches into later sessions asks; only then does the mode speak.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from agent_tui.protocol.ops import MODES as MODES
from agent_tui.safety.limits import Limits
from agent_tui.safety.own_places import OWN
from agent_tui.safety.permissions import Permission, Permissions, find, find_unseen, spoken
from agent_tui.safety.shell import hard_list
from agent_tui.safety.shell.git_settings import GIT, WRITES, writes_settings
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.safety.paths import PathFacts
    from agent_tui.safety.shell.classifier import Call

Verdict = Literal["allow", "ask", "refuse"]
Confined = Literal["", "looks", "works"]
"""In which sandbox a command runs: in none, in that for what only looks, or in that of the
folder."""

_UNJUDGED: Final = "nothing says that it only looks"

NETWORK: Final = "network"
"""Stands for a tool in a rule: its target are the hosts that commands in the sandbox may reach."""
NO_SANDBOX: Final = "no sandbox"
SANDBOXED: Final = "sandboxed"
ONLY_LOOKS: Final = "only looks"


@frozen
class Rule:
    """What a person allowed for the rest of the session: exactly this tool on exactly these
    targets.

    `targets` are real paths, or the one command string; `folder` is where the command runs.
    `words` instead of them: commands that begin so (see `prefixes`). `lasting`: it holds in that
    folder for good.
    """

    tool: str
    targets: tuple[str, ...] = ()
    folder: str = ""
    words: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def text(self) -> str:
        """What it allows, in words."""
        return f"{' '.join(self.words)} …" if self.words else " ".join(self.targets)


@frozen
class Facts:
    """A call as the policy sees it. `effect` is what the tool declares; `cwd` where a command would
    run, `others` the folders beside that one in which the session works."""

    tool: str
    effect: Literal["read", "write", "execute", "network", "external"]
    paths: tuple[PathFacts, ...] = ()
    command: str = ""
    cwd: str = ""
    others: tuple[str, ...] = ()
    unsure: str | None = None
    """Why the command may do more than look, as the classifier says; empty: it only looks. None:
    nobody has judged it."""
    calls: tuple[Call, ...] = ()
    """The simple commands in it; none where they cannot be read for certain. `closed`: what it then
    may name that no rule allows, as `closed_words` says it."""
    closed: str = ""
    prefix: tuple[str, ...] = ()
    """The beginning by which it may be allowed, as `prefixes` says it."""
    sandboxed: bool = False
    """There is a sandbox here for commands that do more than look."""
    may_last: bool = False
    """Whether it may be allowed in its folder for good, as `prefixes` says it."""
    forbidden: str = ""
    """Why a limit of the person forbids it, as `apply_limits` says it; `doubt`: why it cannot be
    known whether one does."""
    doubt: str = ""
    hides: bool = False
    """The sandbox for commands that do more than look hides what is forbidden."""
    host: str = ""
    """What it reaches in the network, as `network_hosts.spell` says it."""
    odd_address: str = ""
    """Why the address that it reaches asks in every mode."""
    persists: bool = False
    """What it does reaches into every later session."""
    asks_person: bool = False
    """It does nothing but ask the person: nobody is asked whether they may be asked."""


@frozen
class Decision:
    """`reason` is one line for the person (for a refusal: also for the model, behind the tag
    `blocked`).

    `always` is the rule that the answer "always" would add, `always_text` says it in words: what is
    allowed, and behind a comma where or how. Both are empty where the question is only ever
    answered once. `prefix` is the wider rule: commands that begin so. `lasting` is the wider of
    both, for good. `note` is what to show beside a call that runs.
    """

    verdict: Verdict
    reason: str
    hard: bool = False
    always: Rule | None = None
    always_text: str = ""
    prefix: Rule | None = None
    lasting: Rule | None = None
    note: str = ""
    confined: Confined = ""
    """It runs unasked because it only looks, or because the mode lets all run: in the sandbox for
    that. What a person allowed runs without one."""
    rule: str = ""
    """What decided: the mode, the hard list, a name, an answer of the person, or the classifier."""


def decide(
    mode: str,
    facts: Facts,
    rules: frozenset[Rule] = frozenset(),
    permissions: Permissions = Permissions(),  # noqa: B008  # it cannot change
) -> Decision:
    """The decision for one call. `rules` are what the person allowed in this session, `permissions`
    what they wrote in their settings. An unknown mode is treated as `manual`."""
    mode = permissions.limits.bound_mode(mode)
    if forbidden := _forbidden(permissions.limits, facts) or facts.forbidden:
        return Decision("refuse", forbidden, rule="limits")
    if mode == "plan" and facts.effect not in ("read", "network") and facts.unsure != "":
        return Decision(
            "refuse",
            f"plan mode is read-only: {facts.unsure or f'{facts.tool} may not run'}; "
            "write down the plan instead",
            rule="mode",
        )
    kind, own, problem = _find_rule(permissions, facts)
    if own is not None and kind == "deny":
        return Decision("refuse", f"your rule denies it: {own.text}", rule=f"deny {own.text}")
    hard = hard_list.reason(facts.command, facts.cwd, *facts.others) if facts.command else ""
    if hard:
        return Decision("ask", hard, hard=True, rule="hard list")
    if facts.odd_address:
        return Decision("ask", facts.odd_address, rule="address")
    if own is not None and kind == "ask":
        return Decision("ask", f"your rule asks: {own.text}", rule=f"ask {own.text}")
    rule, prefix = _rule(facts), _prefix_rule(facts)
    unseen = find_unseen(permissions, facts.tool, facts.command, facts.calls, facts.paths)
    known = unseen is None and not facts.doubt
    if held := rules & rules_for(facts if known else replace(facts, prefix=())):
        where = "session" if any(not one.lasting for one in held) else "folder"
        return Decision(
            "allow", f"allowed for this {where}", note=f"always, in this {where}", rule=where
        )
    named = _path_reason(facts)
    allowed = own is not None and not (named or problem)
    if own is not None and allowed and (known or own.is_exactly(facts.command)):
        return Decision("allow", "your rule allows it", note=own.text, rule=f"allow {own.text}")
    hidden = f"it cannot be read whether your rule fits: {unseen.text}" if unseen else ""
    hidden = hidden or ("" if mode == "accept-all" and facts.hides else facts.doubt)
    settings = _settings_reason(facts) if mode == "accept-all" else ""
    reason = named or hidden or settings or _mode_reason(mode, facts)
    if reason and own is not None and problem:
        reason = f"your rule does not allow it ({own.text}): {problem}"
    if reason:
        text = _always_text(facts) if rule else ""
        by = "path" if named else f"unread {unseen.text}" if unseen else "mode"
        lasting = replace(prefix or rule, lasting=True) if rule and facts.may_last else None
        return Decision(
            "ask", reason, always=rule, always_text=text, prefix=prefix, lasting=lasting, rule=by
        )
    if facts.unsure == "" and mode != "accept-all":
        return Decision("allow", "it only looks", note=ONLY_LOOKS, confined="looks", rule="looks")
    if not facts.command:
        return Decision("allow", f"{mode} mode", rule="mode")
    if facts.sandboxed:
        return Decision("allow", f"{mode} mode", note=SANDBOXED, confined="works", rule="mode")
    return Decision("allow", f"{mode} mode", note=NO_SANDBOX, rule="mode")


def ask_for_hosts(hosts: Sequence[str], folder: str, reason: str) -> Decision:
    """The question whether a command may run again without the sandbox or, where it wanted `hosts`,
    in it with network to them."""
    if not hosts:
        return Decision("ask", reason, rule="sandbox")
    rule, text = Rule(NETWORK, (" ".join(hosts),), folder), f"network to {', '.join(hosts)}"
    lasting = replace(rule, lasting=True)
    return Decision("ask", reason, always=rule, always_text=text, lasting=lasting, rule="sandbox")


def allowed_hosts(rules: Iterable[Rule], folder: str) -> frozenset[str]:
    """The hosts that commands in the sandbox may reach in `folder`."""
    held = (rule for rule in rules if rule.tool == NETWORK and rule.folder == folder)
    return frozenset(host for rule in held for target in rule.targets for host in target.split())


def rules_for(facts: Facts) -> set[Rule]:
    """The rules of a session or a folder that would allow this call."""
    found = {rule for rule in (_rule(facts), _prefix_rule(facts)) if rule is not None}
    return found | ({replace(rule, lasting=True) for rule in found} if facts.may_last else set())


def _find_rule(permissions: Permissions, facts: Facts) -> tuple[str, Permission | None, str]:
    """What kind of rule decides, which one, and why it does not, where it only would allow."""
    found = find(
        permissions,
        facts.tool,
        facts.paths,
        facts.command,
        facts.calls,
        facts.host,
        facts.closed,
    )
    return found or ("", None, "")


def _forbidden(limits: Limits, facts: Facts) -> str:
    """Why the person's bound of what changes something forbids the call; empty: it does not."""
    if limits.autonomy == "read-only" and facts.effect != "read" and facts.unsure != "":
        return f"your settings allow only reading (permissions.autonomy): {facts.tool} may not run"
    return ""


def unasked_mode(mode: str, facts: Facts, limits: Limits = Limits()) -> str:  # noqa: B008
    """The mode to which a yes may change so that calls like this one, about which `mode` asks, run
    unasked; empty: there is none. Only for changes of files: a command is never allowed for being
    one."""
    if mode not in ("manual", "auto") or facts.effect != "write" or facts.command:
        return ""
    if limits.bound_mode("accept-edits") != "accept-edits":
        return ""
    return "accept-edits" if decide("accept-edits", facts).verdict == "allow" else ""


def _rule(facts: Facts) -> Rule | None:
    """The narrowest rule that would allow this call again; None where it would allow more than this
    call."""
    if facts.command:
        return Rule(facts.tool, (facts.command,), facts.cwd)
    if facts.host:
        return Rule(facts.tool, (facts.host,))
    if facts.paths or facts.effect == "read":
        return Rule(facts.tool, tuple(str(path.real) for path in facts.paths))
    return None


def _prefix_rule(facts: Facts) -> Rule | None:
    """The rule that allows commands that begin as this one; None where that could be anything."""
    return Rule(facts.tool, (), facts.cwd, facts.prefix) if facts.prefix else None


def _always_text(facts: Facts) -> str:
    if facts.command:
        return f"this command{', in this folder' if facts.cwd else ''}"
    if facts.host:
        return f"{facts.host}, with this tool"
    if not facts.paths:
        return f"{facts.tool} with any arguments"
    return f"{'this file' if len(facts.paths) == 1 else 'these files'}, with this tool"


def _path_reason(facts: Facts) -> str:
    """Why a path of the call asks in every mode; empty if none does."""
    for path in facts.paths:
        if path.secret:
            return f"{path.shown} has the name of a secret"
        if not path.inside:
            return f"{path.shown} is outside the folder of this session"
        if path.protected and facts.effect != "read":
            kind = "place" if path.protected == OWN else "name"
            return f"{path.shown} {path.protected} (a protected {kind})"
    return ""


def _settings_reason(facts: Facts) -> str:
    """Why a command asks that would do only half of its work in the sandbox; empty: it would not,
    or runs without one."""
    named = facts.sandboxed and GIT in facts.command  # all else is not taken apart for it
    every = spoken(facts.calls, facts.cwd) if named else ()
    return WRITES if any(writes_settings(argv) for argv, _ in every) else ""


def _mode_reason(mode: str, facts: Facts) -> str:
    """Why this mode asks; empty if it lets the call run."""
    if facts.persists:
        return "it changes what later sessions remember"
    if mode == "accept-all" or facts.asks_person:
        return ""
    if facts.effect == "read" and mode in ("auto", "accept-edits", "plan"):
        return ""
    if facts.effect == "write" and mode == "accept-edits":
        return ""
    if facts.effect == "network" and mode in ("auto", "accept-edits", "plan"):
        return f"{mode} mode asks before the web is used: {facts.host}"
    if facts.effect == "execute" and mode in ("auto", "accept-edits", "plan"):
        if facts.unsure == "":
            return ""
        named = next((why for call in facts.calls for _, why in call.closed), "")
        reasons = dict.fromkeys(filter(None, (facts.unsure or _UNJUDGED, named)))
        return f"{mode} mode asks: {'; '.join(reasons)}"
    if facts.effect == "external" and mode in ("auto", "accept-edits", "plan"):
        return f"{mode} mode asks: the tool {facts.tool} may act outside this folder"
    if mode == "auto":
        return "auto mode asks before a file is changed"
    return "manual mode asks before everything"
