"""`agent-tui setup`: the sheet of `/setup` in lines, without a session that is kept."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import setup as setting_up
from agent_tui.agent.worker import Worker
from agent_tui.cli.errors import FAILED, USAGE, one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import exit_codes
from agent_tui.protocol.exit_codes import CANCELLED
from agent_tui.providers.choosing import keys
from agent_tui.settings.layers import place_at, read
from agent_tui.tui.linear import chat

NO_SERVER: Final = "demo/tour"
"""The session that asks begins with a model that no server has to be asked for."""
EPILOG: Final = f"""\
The key is not shown while you type it. It is saved only if the server accepts it: in the keyring if there is one, \
otherwise in credentials.toml. The model is saved in config.toml. Ctrl+C quits without a change.
/setup does the same on the screen.
{exit_codes.summary("setup")}
"""


def setup(arguments: Sequence[str]) -> int:
    """Run `agent-tui setup`; returns its exit code."""
    parser = Parser(prog="agent-tui setup", description="Set up a provider.", epilog=EPILOG)
    parser.add_argument(
        "provider",
        nargs="?",
        default="",
        metavar="PROVIDER",
        help="such as ollama, openai, anthropic, gemini",
    )
    given = parser.parse_args(arguments)
    if sys.stdin is None or not sys.stdin.isatty():
        return _fail(
            "this is not a terminal; `agent-tui auth set PROVIDER` takes a key from standard input",
            USAGE,
        )
    place = place_at(Path.cwd())
    settings = read(place).settings
    names = tuple(one.name for one in setting_up.offers(place.with_settings(settings)))
    provider = keys.match_provider(given.provider, names)
    if given.provider and not provider:
        return _fail(f"{given.provider}: unknown provider; choose one of {', '.join(names)}", USAGE)
    config = EngineConfig(
        place.cwd,
        place.folders,
        place.environment,
        place.flags,
        place.this_run,
        replace(settings, model=NO_SERVER),
        otr=True,
        asks=False,
    )
    _, told = chat.run_sheet(Worker(config), f"/setup {provider}", place.cwd)
    last = told.answers.setup_step
    if last is not None and last.state == "kept":
        return 0
    if last is not None and last.kind == "refused":
        return _fail("nothing was saved", FAILED)
    return _fail("interrupted: nothing was changed", CANCELLED)


def _fail(text: str, code: int) -> int:
    print(f"agent-tui setup: {one_line(text)}", file=sys.stderr)
    return code
