"""`agent-tui models`: what the servers offer, and fetching a model onto the local Ollama."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import local_ollama
from agent_tui.agent.services.stored_keys import with_stored
from agent_tui.agent.worker import work_pool
from agent_tui.cli.errors import encodable, one_line
from agent_tui.cli.parser import Parser
from agent_tui.present.wording import fetch_progress
from agent_tui.protocol import exit_codes
from agent_tui.protocol.exit_codes import CANCELLED, FAILED, USAGE
from agent_tui.providers.choosing import choose, keys
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.settings.layers import place_at, read
from agent_tui.structures.readable import bar
from agent_tui.tui.core import words

ACTIONS: Final = ("list", "pull", "-h", "--help")
"""What an argument may be that is no provider to list."""
WIDTH: Final = 30
"""Cells of the bar."""
WIDEST: Final = 60
"""Columns for the names in a list: one that is longer does not move all others away."""
EPILOG: Final = f"""\
`agent-tui models openai` lists one provider's models, `agent-tui models pull qwen3:8b` downloads one. If Ollama is \
installed but not running, it asks whether to start `ollama serve`; --yes says yes. An interrupted download goes on.
{exit_codes.summary("models")}
"""


def models(arguments: Sequence[str]) -> int:
    """Run `agent-tui models …`; returns its exit code."""
    given = _parser().parse_args(
        arguments if arguments and arguments[0] in ACTIONS else ("list", *arguments)
    )
    place = place_at(Path.cwd())
    values = read(place).settings
    asked = given.provider if given.action == "list" else ""
    provider = keys.match_provider(asked, keys.names(values))
    if asked and not provider:
        return _fail(
            f"{asked}: unknown provider; choose one of {', '.join(keys.names(values))}", USAGE
        )
    config = EngineConfig(place.cwd, place.folders, place.environment, settings=values)
    try:
        return asyncio.run(
            _list(config, provider) if given.action == "list" else _pull(config, given)
        )
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return _fail("interrupted", CANCELLED)


def _parser() -> Parser:
    parser = Parser(
        prog="agent-tui models",
        description="List and download models.",
        epilog=EPILOG,
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="default: list"
    )
    listing = actions.add_parser("list", help="list the models of each server that is set up")
    listing.add_argument(
        "provider",
        nargs="?",
        default="",
        metavar="PROVIDER",
        help="only the models of this provider",
    )
    pull = actions.add_parser("pull", help="download a model to the local Ollama")
    pull.add_argument("name", metavar="NAME", help="such as qwen3:8b")
    pull.add_argument(
        "--yes", action="store_true", help="start Ollama without asking, if it does not run"
    )
    return parser


async def _list(config: EngineConfig, provider: str) -> int:
    config, problems = await with_stored(config, work_pool(), (provider,) if provider else None)
    if provider and (missing := choose.needs(provider, config)):
        return _fail(missing, FAILED)
    shown, tried = await choose.collect_offers(config, provider)
    width = min(WIDEST, max((len(model.name) for model in shown), default=0))
    for model in shown:
        window = model.window_max or model.window
        said = f"{words.window(window)} window" if window else ""
        print(one_line(f"{model.name:<{width}}  {said}").rstrip())
    for problem in (*problems, *(() if shown else (f"{one.what}: {one.result}" for one in tried))):
        print(f"agent-tui models: {one_line(problem)}", file=sys.stderr)
    return 0 if shown else FAILED


async def _pull(config: EngineConfig, given: argparse.Namespace) -> int:
    name = local_ollama.resolve_model(given.name)
    if not encodable(name):
        return _fail(f"{given.name}: not a model name", USAGE)
    config, _ = await with_stored(config, work_pool(), (OLLAMA.name,))
    shown = Bar(name, sys.stderr.isatty())

    def starting() -> None:
        print("starting `ollama serve` …", file=sys.stderr)

    found = await local_ollama.fetch(config, name, shown.show, starting if given.yes else None)
    if found is not None and found.kind == "down" and _agreed(found.text):
        found = await local_ollama.fetch(config, name, shown.show, starting)
    shown.end()
    if found is not None:
        return _fail(
            "; ".join(filter(None, (found.text, found.hint))),
            USAGE if found.kind == "name" else FAILED,
        )
    print(one_line(f"{name} is ready: agent-tui -m {OLLAMA.name}/{name}"))
    return 0


def _agreed(said: str) -> bool:
    """Whether the person says that the server is to be started."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    print(f"{said}, and is installed. Start `ollama serve`? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class Bar:
    """How much of a model has come: one line that grows on a terminal, else a line every tenth."""

    def __init__(self, name: str, terminal: bool) -> None:
        self._name, self._terminal, self._told = name, terminal, -1

    def show(self, came: local_ollama.Come) -> None:
        percent = came.percent
        step = percent if self._terminal else percent // 10 * 10
        if step <= self._told:
            return
        self._told = step
        if self._terminal:
            line = f"{one_line(self._name)}  {''.join(bar(percent, WIDTH))}  {percent:>3} %"
            print(
                f"\r{line}  {fetch_progress(came.done, came.total, 0)}\x1b[K",
                end="",
                file=sys.stderr,
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
