"""`agent-tui auth`: keeps keys of providers, forgets them, and says where each is from. None is
ever shown."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui import paths
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import exit_codes
from agent_tui.protocol.exit_codes import FAILED, USAGE
from agent_tui.providers.choosing import keys
from agent_tui.safety import credentials
from agent_tui.settings.layers import Configuration, place_at, read
from agent_tui.settings.store import Refused

EPILOG: Final = f"""\
Type the key (it is not shown), or pipe it in: pass show openai | agent-tui auth set openai
It is saved in the system's keyring if the package `keyring` is installed and finds one. Otherwise it is saved in \
credentials.toml in the config folder, which only you can read. A key in config.toml or in a variable such as \
OPENAI_API_KEY is used first.
{exit_codes.summary("auth")}
"""


def auth(arguments: Sequence[str]) -> int:
    """Run `agent-tui auth …`; returns its exit code."""
    given = _parser().parse_args(arguments or ("list",))
    folder = paths.folders().config
    place = place_at(Path.cwd())
    found = read(place).settings
    if given.action == "list":
        return _list(place.with_settings(found), folder)
    provider = keys.match_provider(given.provider, keys.names(found))
    if not provider:
        return _fail(
            f"{given.provider}: unknown provider; choose one of {', '.join(keys.names(found))}",
            USAGE,
        )
    try:
        return _set(provider, folder) if given.action == "set" else _remove(provider, folder)
    except (Refused, credentials.Unusable) as error:
        return _fail(str(error), FAILED)


def _parser() -> Parser:
    parser = Parser(
        prog="agent-tui auth",
        description="Save the API keys of providers.",
        epilog=EPILOG,
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="default: list"
    )
    actions.add_parser("list", help="show which providers have a key, and where it comes from")
    change = actions.add_parser("set", help="save a key")
    remove = actions.add_parser("remove", help="delete the saved key")
    for action in (change, remove):
        action.add_argument(
            "provider", metavar="PROVIDER", help="such as openai, anthropic, gemini"
        )
    return parser


def _list(configuration: Configuration, folder: Path) -> int:
    stored = credentials.read_stored(folder, keys.names(configuration.settings))
    lines = [(one.provider, one.where, one.others) for one in keys.sources(configuration, stored)]
    width = max((len(name) for name, _, _ in lines), default=0)
    for name, where, others in lines:
        unused = f"  (not used: {', '.join(others)})" if others else ""
        print(one_line(f"{name:<{width}}  {where}{unused}"))
    if not lines:
        print("no keys; `agent-tui auth set PROVIDER` saves one")
    for problem in stored.problems:
        print(f"agent-tui: {one_line(problem)}", file=sys.stderr)
    return 0


def _set(provider: str, folder: Path) -> int:
    try:
        key = _typed(provider)
    except (EOFError, KeyboardInterrupt):
        return _fail("nothing was typed", FAILED)
    if not key:
        return _fail("nothing was typed", FAILED)
    if not (key.isascii() and key.isprintable()) or " " in key:
        return _fail("this has characters that no key can have: nothing was saved", USAGE)
    print(one_line(f"saved in {credentials.save(folder, provider, key)}"))
    if name := keys.variable(provider, os.environ):
        print(f"agent-tui: {name} is set and is used instead", file=sys.stderr)
    return 0


def _typed(provider: str) -> str:
    """The key, from a terminal without being shown. Raises EOFError, KeyboardInterrupt."""
    if sys.stdin is None or not sys.stdin.isatty():
        return "" if sys.stdin is None else sys.stdin.readline().strip()
    return getpass.getpass(f"Key for {provider} (not shown): ").strip()


def _remove(provider: str, folder: Path) -> int:
    places = credentials.remove(folder, provider)
    if not places:
        return _fail(f"{provider}: no key is saved", FAILED)
    print(one_line(f"deleted from: {', '.join(places)}"))
    return 0


def _fail(text: str, code: int) -> int:
    print(f"agent-tui auth: {one_line(text)}", file=sys.stderr)
    return code
