"""What the policy is told of a call: its paths as they are, its command taken apart, and what
limits and sandboxes there are. It looks at the disk, so that the policy need not."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agent_tui.safety import paths, policy
from agent_tui.safety.limits import Limits
from agent_tui.safety.permissions import apply_limits
from agent_tui.safety.sandbox.support import Support
from agent_tui.safety.shell import classifier as shell_classifier
from agent_tui.safety.shell.closed_words import closed_in_text, mark_closed
from agent_tui.safety.shell.prefixes import may_last, prefix_of
from agent_tui.tools.base import Tool

NEEDS_SANDBOX: Final = "it only looks, but there is no sandbox here for programs with settings"


def place_command(command: str, folder: Path, home: Path) -> str:
    """`command` as it is judged where it runs in `folder` and not in `home`, the folder of the
    session: as one that begins there, and goes to `folder`. So is a rule for it: what was allowed
    in one folder is not in another."""
    return f"cd {shlex.quote(str(folder))}\n{command}" if command and folder != home else command


def gather_facts(
    tool: Tool[Any],
    touched: Sequence[str],
    command: str,
    roots: tuple[Path, ...],
    support: Support | None,
    workspace: Support | None = None,
    limits: Limits = Limits(),  # noqa: B008  # it cannot change
    environment: Mapping[str, str] = MappingProxyType({}),
    reaches: tuple[str, str] = ("", ""),
    names: bool = True,
    own: Sequence[Path] = (),
) -> policy.Facts:
    """What the policy decides about: a call of `tool` that touches these paths, or runs `command`
    in the first of `roots`. `support` and `workspace`: the sandboxes here, to look and to work in;
    None: nothing runs in them. `limits`: the person's; `environment`: that of commands; `reaches`:
    a host, and why its address asks in every mode; `names`: look at what the words of a command
    name, also where no lasting answer needs it; `own`: this program's folders. Raises ValueError."""
    writes = tool.effect != "read"
    texts = map(paths.without_home, touched)
    named = tuple(paths.facts(text, roots, tool.changes, writes, own) for text in texts)
    facts = policy.Facts(
        tool.name,
        tool.effect,
        named,
        command,
        str(roots[0]),
        tuple(map(str, roots[1:])),
        host=reaches[0],
        odd_address=reaches[1],
        asks_person=tool.asks_person,
        persists=tool.persists,
    )
    if not command:
        forbidden, _ = apply_limits(limits, named, command, (), roots, environment)
        return replace(facts, forbidden=forbidden)
    judged = shell_classifier.classify(command, roots)
    bare = judged.needs_sandbox and (support is None or bool(support.problem))
    unsure = judged.reason or (NEEDS_SANDBOX if bare else "")
    lasts = may_last(command, judged.calls)
    sandboxed = workspace is not None and not workspace.problem
    forbidden, doubt = apply_limits(limits, named, command, judged.calls, roots, environment)
    calls, closed = judged.calls, ""
    if calls and (names or (lasts and unsure)):
        calls = tuple(mark_closed(calls, roots))
        lasts = lasts and not any(call.closed for call in calls)
    elif names:
        closed = closed_in_text(command, roots)
    return replace(
        facts,
        unsure=unsure,
        calls=calls,
        closed=closed,
        prefix=prefix_of(judged.calls, roots),
        may_last=lasts,
        sandboxed=sandboxed,
        hides=sandboxed and workspace is not None and limits.is_hidden(roots, workspace.way),
        forbidden=forbidden,
        doubt=doubt,
    )
