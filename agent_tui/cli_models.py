"""`agent-tui models`: what the servers offer, and fetching a model onto the local Ollama."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui import paths, settings
from agent_tui.agent import local_server
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.stored_keys import with_stored
from agent_tui.agent.worker import work_pool
from agent_tui.cli_parser import Parser, encodable, one_line
from agent_tui.providers import choose
from agent_tui.providers.base import ProviderError
from agent_tui.providers.ollama import OllamaProvider

USAGE: Final = 2
FAILED: Final = 1
CANCELLED: Final = 130
WIDTH: Final = 30
"""Cells of the bar."""
EPILOG: Final = """\
`agent-tui models pull qwen3:8b` fetches a model. Where Ollama is installed and does not run, it asks whether to start
`ollama serve`; --yes says yes. What was fetched before an end is not fetched again.
exit codes: 0 done, 1 not done, 2 usage, 130 stopped
"""


def models(arguments: Sequence[str]) -> int:
    """Run `agent-tui models …`; returns its exit code."""
    given = _parser().parse_args(arguments or ("list",))
    folders, cwd = paths.folders(), Path.cwd()
    environment = dict(os.environ)
    values = settings.load(cwd, folders.config, environment, settings.Flags())[0]
    config = EngineConfig(values, cwd, folders, environment)
    try:
        return asyncio.run(_list(config, given.provider) if given.action == "list" else _pull(config, given))
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return _fail("stopped", CANCELLED)


def _parser() -> Parser:
    parser = Parser(
        prog="agent-tui models", description="List and fetch models.", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="without one: list")
    listing = actions.add_parser("list", help="what each server offers that is set up")
    listing.add_argument("provider", nargs="?", default="", metavar="PROVIDER", help="only this one's")
    pull = actions.add_parser("pull", help="fetch a model onto the local Ollama")
    pull.add_argument("name", metavar="NAME", help="such as qwen3:8b")
    pull.add_argument("--yes", action="store_true", help="start Ollama without asking, if it does not run")
    return parser


async def _list(config: EngineConfig, provider: str) -> int:
    config, problems = await with_stored(config, work_pool())
    found, tried = await choose.offered(config.settings, config.environment, config.cwd, config.folders.data)
    shown = [model for model in found if not provider or model.name.startswith(f"{provider}/")]
    width = max((len(model.name) for model in shown), default=0)
    for model in shown:
        window = model.window_max or model.window
        print(one_line(f"{model.name:<{width}}  {f'{window:,} tokens' if window else ''}").rstrip())
    for problem in (*problems, *(() if shown else (f"{one.what}: {one.result}" for one in tried))):
        print(f"agent-tui models: {one_line(problem)}", file=sys.stderr)
    return 0 if shown else FAILED


async def _pull(config: EngineConfig, given: argparse.Namespace) -> int:
    name = given.name.removeprefix("ollama/").strip()
    if not name or not encodable(name):
        return _fail(f"{given.name}: no name of a model", USAGE)
    config, _ = await with_stored(config, work_pool())
    server = choose.make(f"ollama/{name}", config.settings, config.environment, config.cwd, config.folders.data)
    assert isinstance(server, OllamaProvider)
    bar = Bar(name, sys.stderr.isatty())
    try:
        if await local_server.down(server, config.environment):
            if not given.yes and not _agreed(server.base_url):
                return _fail(f"Ollama does not run at {server.base_url}; start it with `ollama serve`", FAILED)
            print("starting `ollama serve` …", file=sys.stderr)
            if problem := await local_server.start(server, config):
                return _fail(problem, FAILED)
        await server.pull(bar.show)
    except ProviderError as error:
        bar.end()
        return _fail("; ".join(filter(None, (error.failed.text, error.failed.hint))), FAILED)
    finally:
        await server.close()
    bar.end()
    print(one_line(f"{name} is here: agent-tui -m ollama/{name}"))
    return 0


def _agreed(address: str) -> bool:
    """Whether the person says that the server is to be started."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    print(f"Ollama is installed, and does not run at {address}. Start `ollama serve`? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class Bar:
    """How much of a model has come: one line that grows on a terminal, else a line every tenth."""

    def __init__(self, name: str, terminal: bool) -> None:
        self._name, self._terminal, self._told = name, terminal, -1

    def show(self, share: float) -> None:
        percent = min(100, int(share * 100))
        step = percent if self._terminal else percent // 10 * 10
        if step <= self._told:
            return  # a layer more makes the share smaller for a moment: the bar does not go back
        self._told = step
        if self._terminal:
            full = WIDTH * percent // 100
            print(
                f"\r{one_line(self._name)}  {'━' * full}{'·' * (WIDTH - full)}  {percent:>3} %", end="", file=sys.stderr
            )
            sys.stderr.flush()
        else:
            print(one_line(f"{self._name}: {step} %"), file=sys.stderr)

    def end(self) -> None:
        if self._terminal and self._told >= 0:
            print(file=sys.stderr)


def _fail(text: str, code: int) -> int:
    print(f"agent-tui models: {one_line(text)}", file=sys.stderr)
    return code
