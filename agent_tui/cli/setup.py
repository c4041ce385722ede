"""`agent-tui setup`: the first provider, step by step: which one, its key, whether it takes it, which
model."""

from __future__ import annotations

import asyncio
import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.agent.services import setup as setting_up
from agent_tui.agent.services.setup import Attempt
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.providers.base import Failed
from agent_tui.providers.choosing import choose, keys
from agent_tui.safety import credentials
from agent_tui.settings.layers import Configuration, Place, place_at, read
from agent_tui.settings.store import Refused
from agent_tui.structures.readable import count_noun

USAGE: Final = 2
FAILED: Final = 1
CANCELLED: Final = 130
SECONDS: Final = 20.0
MOST: Final = 20
"""Models that are listed to choose from; any name can be typed."""
EPILOG: Final = """\
The key is not shown while you type it. It is saved only if the server accepts it: in the keyring if there is one, \
otherwise in credentials.toml. The model is saved in config.toml. Ctrl+C quits without a change.
/setup does the same on the screen, and can also set up your own servers.
exit codes: 0 done, 1 not done, 2 usage, 130 stopped
"""


class Left(Exception):
    """The person has seen enough."""


def setup(arguments: Sequence[str]) -> int:
    """Run `agent-tui setup`; returns its exit code."""
    parser = Parser(
        prog="agent-tui setup",
        description="Set up a provider.",
        epilog=EPILOG,
    )
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
    names = tuple(one.name for one in setting_up.offers(_read(place)))
    provider = keys.match_provider(given.provider, names)
    if given.provider and not provider:
        return _fail(f"{given.provider}: unknown provider; choose one of {', '.join(names)}", USAGE)
    try:
        try:
            wanted = _chosen(provider, place)
        except (Left, EOFError, KeyboardInterrupt):
            print()
            return _fail("stopped: nothing was changed", CANCELLED)
        _keep(*wanted)
        return 0
    except (Refused, credentials.Unusable) as error:
        return _fail(str(error), FAILED)


def _read(place: Place) -> Configuration:
    return place.with_settings(read(place).settings)


def _chosen(name: str, place: Place) -> tuple[Configuration, Attempt, str, tuple[str, ...]]:
    """What the person wants to be kept. Nothing is changed yet."""
    found = _read(place)
    found = keys.join_keys(
        found, credentials.read_stored(place.folders.config, keys.names(found.settings))
    )
    attempt, models = _taken(name or _provider(found), found)
    return found, attempt, _model(attempt.name, models), models


def _keep(found: Configuration, attempt: Attempt, model: str, models: tuple[str, ...]) -> None:
    for line in setting_up.keep(found, attempt, model, "", "user"):
        print(one_line(line))
    if attempt.name == "ollama" and model not in models:
        pull = f"agent-tui models pull {model.removeprefix('ollama/')}"
        print(one_line(f"It is not installed yet: `{pull}` downloads it."))


def _provider(found: Configuration) -> str:
    """The provider that the person chooses."""
    offers = {one.name: one for one in setting_up.offers(found)}
    names = tuple(offers)
    print("Whose models do you want to use?\n")
    for number, name in enumerate(names, 1):
        has = f"  (a key from {offers[name].key})" if offers[name].key else ""
        has = has or ("  (on this machine; needs no key)" if offers[name].group == "nearby" else "")
        print(one_line(f"  {number:>2}  {offers[name].label}{has}"))
    print()
    while True:
        said = _asked("Number or name: ")
        if said.isdecimal() and 0 < int(said) <= len(names):
            return names[int(said) - 1]
        if said.lower() in names:
            return said.lower()
        print(f"Type a number from 1 to {len(names)}, or a name.")


def _taken(name: str, found: Configuration) -> tuple[Attempt, tuple[str, ...]]:
    """A key that the provider takes (empty: the one it has, or needs), and its models. Asks until
    one is right."""
    attempt = Attempt(name)
    if choose.needs(name, found):
        attempt = Attempt(name, key=_key(name))
    while True:
        print(f"Asking {setting_up.label(name)} for its models …")
        attempt, answer = asyncio.run(setting_up.probe_attempt(attempt, found, SECONDS))
        if not isinstance(answer, Failed):
            print(f"It offers {count_noun(len(answer), 'model')}.")
            return attempt, answer
        print(one_line(f"{answer.text}."))
        if answer.kind != "auth":
            print(one_line(f"What to do: {answer.hint}." if answer.hint else ""))
            if _asked("Try again? [Y/n] ").lower() in ("n", "no"):
                raise Left
        else:
            attempt = Attempt(name, key=_key(name))


def _key(name: str) -> str:
    while True:
        key = getpass.getpass(f"Key for {setting_up.label(name)} (not shown): ").strip()
        if not (wrong := setting_up.no_key(key)):
            return key
        print(
            f"{wrong[:1].upper()}{wrong[1:]}." if key else "Type the key, or press Ctrl+C to stop."
        )


def _model(name: str, models: tuple[str, ...]) -> str:
    first = setting_up.first_of(name, models)
    for number, model in enumerate(models[:MOST], 1):
        print(one_line(f"  {number:>2}  {model}"))
    if len(models) > MOST:
        print(f"      and {len(models) - MOST} more: `agent-tui models list {name}`")
    while True:
        said = (
            _asked(f"Model, by number or name{f' (Enter: {one_line(first)})' if first else ''}: ")
            or first
        )
        if said.isdecimal() and 0 < int(said) <= len(models):
            return models[int(said) - 1]
        if not said.isdecimal() and (meant := setting_up.resolve_model(name, said)):
            return meant
        print(
            f"Type a number from 1 to {len(models)}, or a name."
            if models
            else "Type the name of a model."
        )


def _asked(words: str) -> str:
    return input(words).strip()


def _fail(text: str, code: int) -> int:
    print(f"agent-tui setup: {one_line(text)}", file=sys.stderr)
    return code
