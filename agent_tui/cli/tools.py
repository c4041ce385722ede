"""`agent-tui tools`: list the tools, what they may do, and where each is from."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.agent.turn.tool_offer import fit_to_model, size_of
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import exit_codes
from agent_tui.protocol.turn_events import Profile
from agent_tui.settings.layers import place_at, read
from agent_tui.tools.base import Tool

BUILT_IN: Final = "built in"
HEAD: Final = ("tool", "effect", "group", "read-only", "concurrent-safe", "small", "from")
SIZES: Final = """
Tools in the first request: about {full:,} tokens, about {small:,} with a small window (tools.profile: {profile}).\
"""
EPILOG: Final = f"""\
Custom tools are Python files in tools/ of the config folder, or in .agent-tui/tools/ of a project that you trust \
(`agent-tui trust`). A tool without a group is in every request. "small": whether it is in the first request for a \
model with a small window, else the group with which it is loaded there.
{exit_codes.summary("tools")}
"""


def tools(arguments: Sequence[str]) -> int:
    """Run `agent-tui tools list`; returns its exit code."""
    parser = Parser(prog="agent-tui tools", description="List the tools.", epilog=EPILOG)
    parser.add_argument("action", nargs="?", choices=("list",), default="list", help="list them")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    place = place_at(Path.cwd())
    settings, custom = read(place).settings, CustomTools(place)
    found = enabled_tools(settings.tools.enabled, place.environment, custom.list())
    full, small = (fit_to_model(found, "", "auto", profile) for profile in get_args(Profile))
    rows = [describe(*each, custom) for each in zip(found.values(), small, strict=True)]
    sizes = {"full": size_of(full), "small": size_of(small)}
    if given.json:
        told = {"tools": rows, "tokens": sizes, "problems": custom.problems}
        print(json.dumps(told, indent=2))
    else:
        _print_table(rows)
        print(SIZES.format(**sizes, profile=settings.tools.profile))
        for problem in custom.problems:
            print(f"agent-tui tools: {one_line(problem)}", file=sys.stderr)
    return exit_codes.FAILED if custom.problems else exit_codes.OK


def describe(tool: Tool[Any], small: Tool[Any], custom: CustomTools) -> dict[str, object]:
    """What is said of a tool, which is offered as `small` where the window is small."""
    file = custom.file_of(tool.name)
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": tool.effect,
        "group": tool.group,
        "small_group": small.group,
        "read_only": tool.read_only,
        "concurrent_safe": tool.concurrent_safe,
        "source": BUILT_IN if file is None else file.whose,
        "file": "" if file is None else str(file.path),
    }


def _print_table(rows: Sequence[dict[str, object]]) -> None:
    lines = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEAD))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(one_line("  ".join(cells).rstrip()))


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    flags = ("yes" if row[key] else "no" for key in ("read_only", "concurrent_safe"))
    small = str(row["small_group"] or "yes")
    where = str(row["file"] or row["source"])
    return (str(row["name"]), str(row["effect"]), str(row["group"] or "-"), *flags, small, where)
