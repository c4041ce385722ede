"""`agent-tui setup`: the first provider, step by step: which one, its key, whether it takes it, which model."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui import paths, settings
from agent_tui.cli_parser import Parser, one_line
from agent_tui.providers import choose, keys, presets
from agent_tui.providers.base import Failed
from agent_tui.providers.choose import Found
from agent_tui.safety import credentials
from agent_tui.settings import Settings
from agent_tui.settings_store import Refused, Store

USAGE: Final = 2
FAILED: Final = 1
CANCELLED: Final = 130
SECONDS: Final = 20.0
MOST: Final = 20
"""Models that are listed to choose from; any name can be typed."""
EPILOG: Final = """\
The key is read without being shown, tried by asking which models there are, and kept only if it is taken: in the
keyring, else in credentials.toml. The model is written into config.toml. Ctrl+C leaves everything as it was.
exit codes: 0 done, 1 not done, 2 usage, 130 left
"""


class Left(Exception):
    """The person has seen enough."""


def setup(arguments: Sequence[str]) -> int:
    """Run `agent-tui setup`; returns its exit code."""
    parser = Parser(
        prog="agent-tui setup", description="Set up a provider.", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("provider", nargs="?", default="", metavar="PROVIDER", help="such as openai, anthropic, gemini")
    parser.add_argument("--chosen", default="", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if sys.stdin is None or not sys.stdin.isatty():
        return _fail("this is not a terminal; `agent-tui auth set PROVIDER` takes a key from standard input", USAGE)
    folder, cwd = paths.folders().config, Path.cwd()
    store = Store(cwd, folder, dict(os.environ), settings.Flags())
    if given.provider and given.provider not in presets.SERVICES:
        return _fail(f"{given.provider}: no service; there are {', '.join(presets.SERVICES)}", USAGE)
    try:
        model = _steps(given.provider, store, folder)
        if given.chosen:
            Path(given.chosen).write_text(model, "utf-8")
        return 0
    except (Left, EOFError, KeyboardInterrupt):
        print()
        if given.chosen:  # the screen that asked comes back: there is nothing to say about it
            return 0
        return _fail("left: nothing was changed that was not said", CANCELLED)
    except Refused as error:
        return _fail(str(error), FAILED)


def _steps(name: str, store: Store, folder: Path) -> str:
    """Returns the model that was chosen."""
    found = store.read().settings
    stored = credentials.stored(folder, keys.names(found))
    found = keys.joined(found, os.environ, stored)
    name = name or _provider(found, stored)
    key, models = _taken(name, found)
    if key:
        print(one_line(f"The key is kept in {credentials.save(folder, name, key)}."))
    model = _model(name, models)
    store.write("model", model)
    print(one_line(f"{model} is your model now (config.toml)."))
    if (now := store.read().values.get("model")) is not None and now.layer != "user":
        print(one_line(f"But {now.source} wins over it here."))
    return model


def _provider(found: Settings, stored: credentials.Stored) -> str:
    """The service that the person chooses."""
    there = {one.provider: one.where for one in keys.sources(found, os.environ, stored)}
    names = tuple(presets.SERVICES)
    print("Whose models do you want to use?\n")
    for number, name in enumerate(names, 1):
        has = f"  (a key from {there[name]})" if name in there else ""
        print(one_line(f"  {number:>2}  {presets.SERVICES[name].label}{has}"))
    print("\nOllama needs no key: start it with `ollama serve`, and leave here with Ctrl+C.")
    while True:
        said = _asked("Number or name: ")
        if said.isdecimal() and 0 < int(said) <= len(names):
            return names[int(said) - 1]
        if said.lower() in names:
            return said.lower()
        print(f"There are 1 to {len(names)}.")


def _taken(name: str, found: Settings) -> tuple[str, tuple[str, ...]]:
    """A key that the service takes (empty: the one it has), and its models. Asks until one is right."""
    key = ""
    if choose.needs(name, found, os.environ):
        key = _key(name)
    while True:
        print(f"Asking {presets.SERVICES[name].label} for its models …")
        answer = asyncio.run(_tried(name, found, key))
        if not isinstance(answer, Failed):
            print(f"It answers: {len(answer)} models.")
            return key, answer
        print(one_line(f"{answer.text}."))
        if answer.kind != "auth":
            print(one_line(f"What to do: {answer.hint}." if answer.hint else ""))
            if _asked("Try again? [Y/n] ").lower() in ("n", "no"):
                raise Left
        else:
            key = _key(name)


async def _tried(name: str, found: Settings, key: str) -> Found:
    """The models that `name` lists for `key`, or for what it has without."""
    own = found.providers.get(name, settings.ProviderSettings())
    if key:
        found = replace(
            found, providers={**found.providers, name: replace(own, api_key=key, key_from="what you typed")}
        )
    return await choose.asked_for_models(name, found, os.environ, Path.cwd(), paths.folders().data, SECONDS)


def _key(name: str) -> str:
    while True:
        key = getpass.getpass(f"Key for {presets.SERVICES[name].label} (not shown): ").strip()
        if key and key.isascii() and key.isprintable() and " " not in key:
            return key
        print(
            "That is no key: it has spaces or letters that none has." if key else "Type the key, or leave with Ctrl+C."
        )


def _model(name: str, models: tuple[str, ...]) -> str:
    usual = f"{name}/{presets.SERVICES[name].model}"
    first = usual if usual in models or (not models and not usual.endswith("/")) else models[0] if models else ""
    for number, model in enumerate(models[:MOST], 1):
        print(one_line(f"  {number:>2}  {model}"))
    if len(models) > MOST:
        print(f"      and {len(models) - MOST} more: `agent-tui models list {name}`")
    while True:
        said = _asked(f"Model, by number or name{f' (Enter: {one_line(first)})' if first else ''}: ") or first
        if said.isdecimal() and 0 < int(said) <= len(models):
            return models[int(said) - 1]
        if said and not said.isdecimal() and not any(map(str.isspace, said)):
            return said if said.startswith(f"{name}/") else f"{name}/{said}"


def _asked(words: str) -> str:
    return input(words).strip()


def _fail(text: str, code: int) -> int:
    print(f"agent-tui setup: {one_line(text)}", file=sys.stderr)
    return code
