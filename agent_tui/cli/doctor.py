"""`agent-tui doctor`: whether all that the program needs is in order, and how to mend what is
not."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import doctor as checks
from agent_tui.agent.worker import work_pool
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.present.wording import count
from agent_tui.protocol import exit_codes
from agent_tui.settings.layers import place_at, read
from agent_tui.structures.readable import wrap_words

MARKS: Final = {"ok": "ok  ", "note": "note", "bad": "BAD "}
GAP: Final = " " * 8
EPILOG: Final = f"""\
Looks at settings, servers (do they answer, do they accept the key), keys (where each is from, never what it is), the \
terminal, commands, and who may read the program's files. It waits at most ten seconds for a server.
{exit_codes.summary("doctor")}
"""


def doctor(arguments: Sequence[str]) -> int:
    """Run `agent-tui doctor`; returns its exit code."""
    parser = Parser(
        prog="agent-tui doctor",
        description="Find problems and say how to fix them.",
        epilog=EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    place = place_at(Path.cwd())
    loaded = read(place)
    config = EngineConfig(
        place.cwd,
        place.folders,
        place.environment,
        settings=loaded.settings,
        problems=loaded.problems,
    )
    found = checks.run(config, work_pool(), {fd: os.isatty(fd) for fd in (0, 1)})
    wrong = sum(check.state == "bad" for check in found)
    if given.json:
        print(json.dumps({"ok": not wrong, "checks": [asdict(check) for check in found]}, indent=2))
        return int(wrong > 0)
    for area, of_area in groupby(found, lambda check: check.area):
        print(area)
        for check in of_area:
            _say(f"  {MARKS[check.state]}  ", one_line(check.said))
            if check.fix:
                _say(GAP, one_line(check.fix))
    print(f"\n{count(wrong, 'problem')} to fix" if wrong else "\nno problems")
    return int(wrong > 0)


def _say(lead: str, text: str) -> None:
    """`text` behind `lead`; on a terminal its lines are broken between words, and stay below each
    other."""
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    print(*wrap_words(f"{lead}{text}", width, len(GAP)), sep="\n")
