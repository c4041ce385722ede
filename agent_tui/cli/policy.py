"""`agent-tui policy`: what the policy says of a command or a file, and why, without running it; and
what it would have said of all that was asked before."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.cli import simulation
from agent_tui.cli.errors import USAGE, one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import exit_codes
from agent_tui.safety import policy as rules
from agent_tui.safety.folder_rules import FolderRules
from agent_tui.safety.permissions import Permissions, own_rules
from agent_tui.safety.sandbox.support import support, workspace_support
from agent_tui.settings.layers import Place, place_at, read
from agent_tui.structures.vocabulary import MODES

EPILOG: Final = f"""\
--stdin reads one JSON object a line: {{"command": "ls"}} or {{"path": "a.py", "tool": "edit_file"}}, \
each with "mode" and "cwd" if they are others than those of the flags. One line of JSON answers each.
`simulate` decides anew about every question in your sessions, by the rules of your settings or of \
FILE, and proposes the fewest rules that spare the most questions.
Nothing is run, and nothing is asked.
{exit_codes.summary("policy")}
"""
DECISIONS: Final = {"allow": "allow", "ask": "ask", "refuse": "deny"}
SHELL: Final = "run_shell_command"
IN_SANDBOX: Final = "in the sandbox"
WITH_RIGHTS: Final = "with your own rights: no sandbox holds it"


def policy(arguments: Sequence[str]) -> int:
    """Run `agent-tui policy check` or `simulate`; returns its exit code."""
    parser = Parser(
        prog="agent-tui policy",
        description="Say whether a call would run, be asked about or be denied, and why.",
        epilog=EPILOG,
    )
    parser.several = "put a command in quotes: policy check 'git status'"
    parser.add_argument(
        "action",
        choices=("check", "simulate"),
        help="check: decide about calls; simulate: decide anew about all that was asked before",
    )
    parser.add_argument("words", nargs="?", metavar="TEXT", help="the same as --command TEXT")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--command", metavar="TEXT", help="a shell command")
    what.add_argument("--path", metavar="PATH", help="a file that a tool touches")
    what.add_argument("--stdin", action="store_true", help="many calls, one JSON object a line")
    parser.add_argument("--tool", metavar="NAME", help="the tool (default for a path: read_file)")
    parser.add_argument("--mode", choices=MODES, default="auto", help="the mode (default: auto)")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the folder of the session")
    parser.add_argument("--rules", metavar="FILE", help="simulate: other rules than your settings")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_intermixed_args(arguments)  # words may follow flags
    if given.words is not None and (given.command or given.path or given.stdin):
        parser.error(f"{given.words}: give one call, as TEXT, --command, --path or --stdin")
    given.command = given.command if given.words is None else given.words
    calls = given.command is not None or given.path is not None or given.stdin
    if given.action == "simulate":
        if calls:
            parser.error("simulate takes no call: it reads those on record")
        return _simulate(Path(given.cwd), given.rules, given.json)
    if not calls or given.rules:
        parser.error("check needs a command, --path or --stdin, and takes no --rules")
    if given.stdin:
        return _answer_all({"mode": given.mode, "cwd": given.cwd})
    asked = {name: value for name, value in vars(given).items() if value is not None}
    try:
        said = decide(asked)
    except ValueError as error:
        print(f"agent-tui policy: {one_line(str(error))}", file=sys.stderr)
        return USAGE
    print(json.dumps(said) if given.json else f"{said['decision']}: {said['reason']}")
    return 0


def _simulate(cwd: Path, rules_file: str | None, as_json: bool) -> int:
    try:
        place, held, _ = _rules_at(cwd.resolve())
        held = held if rules_file is None else simulation.read_rules(Path(rules_file))
    except (ValueError, OSError) as error:
        print(f"agent-tui policy: {one_line(str(error))}", file=sys.stderr)
        return USAGE
    sandbox = asyncio.run(support(place.folders.data / "sandbox"))
    found = simulation.simulate(place.folders.sessions, held, enabled_tools(()), sandbox)
    print(simulation.as_json(found) if as_json else "\n".join(simulation.lines(found)))
    return 0


def _answer_all(usual: Mapping[str, str]) -> int:
    """One answer for each line of standard input, in order; a line that is wrong is answered,
    too."""
    for asked in _lines():
        print(json.dumps(_answer({**usual, **asked})), flush=True)
    return 0


def _lines() -> Iterator[dict[str, Any]]:
    for line in sys.stdin.buffer:  # a line that is no text is answered, too
        if not line.strip():
            continue
        try:
            asked = json.loads(line.decode())
        except ValueError as error:
            asked = {"problem": f"no JSON: {error}"}
        except RecursionError:
            asked = {"problem": "no JSON that can be read: it is nested too deeply"}
        yield asked if isinstance(asked, dict) else {"problem": "no JSON object"}


def _answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return decide(asked)
    except (ValueError, OSError) as error:  # a path that is too long for the system
        return {"decision": "ask", "reason": one_line(str(error)), "rule": "bad input"}


def decide(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The decision about one call, as it is printed. Raises ValueError where it is no call."""
    if problem := asked.get("problem"):
        raise ValueError(problem)
    command, path, mode = asked.get("command"), asked.get("path"), asked.get("mode", "auto")
    if (command is None) == (path is None) or not isinstance(
        path if command is None else command, str
    ):
        raise ValueError("a call has a command or a path, as text")
    if mode not in MODES:
        raise ValueError(f"no mode {mode!r}; there are: {', '.join(MODES)}")
    cwd = Path(str(asked.get("cwd", ".")))
    if "\0" in str(cwd) or not cwd.is_dir():
        raise ValueError(f"no folder {str(cwd)!r}")
    name = str(asked.get("tool") or (SHELL if command is not None else "read_file"))
    tools = enabled_tools(())
    if name not in tools:
        raise ValueError(f"no tool {name!r}; there are: {', '.join(sorted(tools))}")
    touched = () if path is None else (path,)
    place, held, wanted = _rules_at(cwd.resolve())
    record = place.folders.data / "sandbox"
    sandbox = None if command is None else asyncio.run(support(record))
    works = command is not None and mode == "accept-all"
    workspace = asyncio.run(workspace_support(wanted, record)) if works else None
    shell, limits, own = command or "", held.limits, place.folders.own
    around = place.environment
    facts = gather_facts(
        tools[name], touched, shell, (place.cwd,), sandbox, workspace, limits, around, own=own
    )
    for_good = FolderRules(place.folders.data, str(place.cwd)).rules
    decision = rules.decide(str(mode), facts, for_good, held)
    reason = decision.reason
    if works and decision.verdict == "allow":
        reason += f", {IN_SANDBOX if decision.confined else WITH_RIGHTS}"
    return {
        "decision": DECISIONS[decision.verdict],
        "reason": reason,
        "rule": decision.rule,
    }


@cache
def _rules_at(cwd: Path) -> tuple[Place, Permissions, str]:
    """The place, and what the person's settings say there of rules and of the sandbox of
    accept-all, read once for many calls. Raises ValueError."""
    place = place_at(cwd)
    found = read(place)
    if hidden := found.hidden_rule:
        raise ValueError(f"your rules cannot be read: {hidden}")
    return place, own_rules(found.settings.permissions), found.settings.sandbox.mode
