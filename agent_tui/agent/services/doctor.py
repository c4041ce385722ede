"""Looks at what the program needs, and names the fix for what is wrong. Nothing in here waits
without end."""

from __future__ import annotations

import asyncio
import locale
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor as Pool
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.stored_keys import fetch_keys
from agent_tui.agent.services.trust import describe_trust, look_at_project
from agent_tui.programs import find_program, own_path
from agent_tui.protocol import answers
from agent_tui.protocol.answers import Check
from agent_tui.protocol.events import Answered, Event
from agent_tui.providers.base import Failed
from agent_tui.providers.choosing import choose, keys
from agent_tui.providers.services import service_of
from agent_tui.safety import credentials
from agent_tui.safety.credentials import Stored
from agent_tui.safety.git_config import find_repository
from agent_tui.safety.process import processes
from agent_tui.safety.process.environment import (
    child_environment,
    describe_left_out,
    names_left_out,
)
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.histories import explain_limit
from agent_tui.safety.sandbox.support import Support
from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.settings.layers import FILE

SERVER_SECONDS: Final = 10.0
KEYRING_SECONDS: Final = 5.0
COMMAND_SECONDS: Final = 5.0
NARROWEST: Final = (40, 10)
"""Columns and rows that the screen needs."""


async def examine(
    config: EngineConfig, pool: Pool, terminal: Mapping[int, bool]
) -> tuple[Check, ...]:
    """All checks. `terminal`: which of the standard streams are one."""
    stored = await fetch_keys(config, pool, KEYRING_SECONDS)
    full = replace(keys.join_keys(config, stored), secrets=stored.values)
    found = [
        *_settings(config),
        *await _servers(full),
        *_keys(config, stored),
        *_terminal(config, terminal),
    ]
    return (*found, *await _commands(full), *_permissions(config))


def _settings(config: EngineConfig) -> Iterator[Check]:
    own = str(config.folders.config / FILE)
    for problem in config.problems:
        edit = "agent-tui config edit" if problem.file == own else "agent-tui config edit --project"
        yield Check("settings", "bad", str(problem), f"`{edit}` opens the file")
    if not config.problems:
        yield Check("settings", "ok", f"{config.folders.config / FILE}: no problems")
    for pattern, commands in config.settings.hooks.after_edit.items():
        yield Check(
            "settings", "ok", f"after an edit of {pattern}: {'; '.join(commands) or 'nothing'}"
        )
    trusted, said = describe_trust(look_at_project(config))
    fix = "" if trusted else "`agent-tui trust` shows them and asks"
    yield Check("settings", "ok" if trusted else "note", said, fix)


async def _servers(config: EngineConfig) -> tuple[Check, ...]:
    asked = await choose.reach(config, seconds=SERVER_SECONDS)
    found: list[Check] = []
    for one in asked:
        service = service_of(one.provider)
        wanted = service.url(config.environment) or config.settings.providers.get(one.provider)
        if one.failed is None and one.models:
            many = f"{len(one.models):,} model{'s' if len(one.models) > 1 else ''}"
            found.append(Check("servers", "ok", f"{one.where}: answers, {many}"))
        elif one.failed is None:
            fix = (
                "`agent-tui models pull qwen3` downloads one"
                if service.pulls
                else "load a model there"
            )
            found.append(Check("servers", "note", f"{one.where}: answers, but has no models", fix))
        elif service.pulls and not wanted:
            found.append(
                Check(
                    "servers", "note", f"{one.where}: not running", "start it with `ollama serve`"
                )
            )
        else:
            found.append(Check("servers", "bad", *_line(one.failed)))
    if not any(check.state == "ok" for check in found):
        fix = "`agent-tui setup` adds a key or a server by its address; or start Ollama"
        found.append(Check("servers", "bad", "no server offers a model", fix))
    model = config.settings.model
    if lacks := choose.describe_lack(model, config):
        what, _, fix = lacks.partition(": ")
        found.append(Check("servers", "bad", f"{model}, your configured model: {what}", fix))
    return tuple(found)


def _line(failed: Failed) -> tuple[str, str]:
    return failed.text, failed.hint or "see docs/providers.md"


def _keys(config: EngineConfig, stored: Stored) -> Iterator[Check]:
    there = keys.sources(config, stored)
    for one in there:
        unused = f"; not used: {', '.join(one.others)}" if one.others else ""
        yield Check("keys", "ok", f"{one.provider}: from {one.where}{unused}")
    if not there:
        yield Check("keys", "note", "no keys", "`agent-tui auth set PROVIDER` saves one")
    for problem in stored.problems:
        yield Check(
            "keys",
            "bad",
            problem,
            f"look at {config.folders.config / credentials.FILE} and the keyring",
        )
    if not credentials.has_keyring():
        yield Check(
            "keys", "note", "the package keyring is not installed: keys are saved in a private file"
        )


def _terminal(config: EngineConfig, terminal: Mapping[int, bool]) -> Iterator[Check]:
    name = config.environment.get("TERM", "")
    if not all(terminal.values()):
        yield Check("terminal", "note", "not run in a terminal: its other checks are not possible")
    elif name in ("", "dumb", "unknown"):
        fix = "set TERM, such as xterm-256color, or use `agent-tui chat`"
        yield Check(
            "terminal", "bad", f"TERM is {name or 'not set'}: the full screen cannot be drawn", fix
        )
    else:
        size = shutil.get_terminal_size()
        colours = config.environment.get("COLORTERM") or "by TERM"
        yield Check(
            "terminal", "ok", f"TERM={name}, {size.columns}×{size.lines}, colours: {colours}"
        )
        if size < NARROWEST:
            yield Check(
                "terminal",
                "note",
                "the terminal is small",
                f"make it {NARROWEST[0]}×{NARROWEST[1]} or larger",
            )
    encoding = locale.getpreferredencoding(False)
    if "utf" not in encoding.lower():
        yield Check(
            "terminal",
            "bad",
            f"the locale's encoding is {encoding}",
            "set LC_ALL, such as to C.UTF-8",
        )
    else:
        yield Check("terminal", "ok", f"the locale's encoding is {encoding}")


async def _commands(config: EngineConfig) -> tuple[Check, ...]:
    """A command runs and ends, and sees no key."""
    passed = config.settings.tools.pass_env
    environment = child_environment(config.environment, passed)
    own = {name: value for name, value in config.environment.items() if name not in passed}
    held = (*secrets.known_secrets(own), *config.secrets)
    captured = Captured(1_000_000, None)
    command = shlex.quote(
        find_program("env", own_path(config.environment, config.cwd)) or "/usr/bin/env"
    )
    try:
        result = await processes.run(
            command, config.cwd, environment, COMMAND_SECONDS, lambda _: None, captured
        )
    except (OSError, ValueError) as error:
        return (Check("commands", "bad", f"commands cannot run: {error}", "install bash or sh"),)
    found = [Check("commands", "ok", "commands run")]
    if result.timed_out or result.exit_code != 0:
        end = (
            f"did not end in {COMMAND_SECONDS:g} s"
            if result.timed_out
            else f"ended with {result.exit_code}"
        )
        found = [Check("commands", "bad", f"`env` {end}", "see whether bash starts in this folder")]
    if any(key in result.output for key in held):
        found.append(
            Check("commands", "bad", "commands can read an API key", "find its variable with `env`")
        )
    else:
        found.append(Check("commands", "ok", "commands cannot read your API keys"))
    found.append(_sandboxed(await sandbox_support.support()))
    found.append(_working(await sandbox_support.workspace_support(config.settings.sandbox.mode)))
    found += _history(config.cwd)
    said = "commands outside a sandbox have your own rights; the mode decides which of them need your approval"
    found.append(Check("commands", "note", said))
    if left_out := names_left_out(config.environment, passed):
        said = f"commands do not get these variables: {describe_left_out(left_out)}"
        found.append(Check("commands", "note", said, "add needed ones to `tools.pass_env`"))
    return tuple(found)


def _sandboxed(support: Support) -> Check:
    if not support.problem:
        said = "a command in it cannot change your files, read files with the names of secrets,"
        said += " connect, or signal other programs"
        return Check("commands", "ok", f"the read-only sandbox works ({support.backend}): {said}")
    fix = "Landlock needs Linux 5.13 or newer, and a container may forbid it"
    said = f"no read-only sandbox: {support.problem}"
    return Check("commands", "note", said, fix if sys.platform == "linux" else "")


def _history(cwd: Path) -> Iterator[Check]:
    where = find_repository(cwd.resolve())
    if where is not None and (limit := explain_limit(os.path.realpath(where.common))):
        said = (
            "not all that commands of accept-all mode delete of the history of git can be put back: "
            f"{limit}"
        )
        yield Check("commands", "note", said)


def _working(support: Support) -> Check:
    if support.problem:
        said = f"no sandbox for accept-all mode: {support.problem}"
        fix = "install bubblewrap" if sys.platform == "linux" else ""
        return Check("commands", "note", f"{said}; its commands have your own rights", fix)
    said = f"the sandbox of accept-all mode works ({support.backend}): a command in it"
    what = "writes only in the folders of the session, and has no network"
    passed = f"; not used: {'; '.join(support.passed)}" if support.passed else ""
    return Check("commands", "ok", f"{said} {what}{passed}")


def _permissions(config: EngineConfig) -> Iterator[Check]:
    folders = config.folders
    for folder in dict.fromkeys((folders.data, folders.config, folders.logs, folders.cache)):
        yield from _private(folder, 0o700, os.R_OK | os.W_OK | os.X_OK, Path.is_dir)
    for path in (folders.config / credentials.FILE, folders.config / FILE):
        if path.exists():
            yield from _private(path, 0o600, os.R_OK | os.W_OK, Path.is_file)


def _private(path: Path, mode: int, access: int, right: Callable[[Path], bool]) -> Iterator[Check]:
    try:
        about = path.stat()
    except FileNotFoundError:
        above = next((one for one in path.parents if one.exists()), path)
        if os.access(above, os.W_OK | os.X_OK):
            yield Check("permissions", "ok", f"{path}: created when needed")
        else:
            fix = f"make {above} writable, or set AGENT_TUI_HOME to a folder of your own"
            yield Check("permissions", "bad", f"{path}: cannot be created", fix)
        return
    except OSError as error:
        yield Check("permissions", "bad", f"{path}: {error.strerror}", f"look at {path.parent}")
        return
    now = stat.S_IMODE(about.st_mode)
    if not right(path):
        yield Check("permissions", "bad", f"{path}: not of the expected kind", "move it away")
    elif not os.access(path, access):
        yield Check(
            "permissions",
            "bad",
            f"{path}: you have no read and write access",
            f"chmod u+rwX {path}",
        )
    elif now & 0o077 and about.st_uid == os.geteuid():
        yield Check(
            "permissions",
            "bad",
            f"{path}: others have access ({now:04o})",
            f"chmod {mode:o} {path}",
        )
    else:
        yield Check(
            "permissions",
            "ok",
            f"{path}: only you have access" if not now & 0o077 else f"{path}: usable",
        )


def run(config: EngineConfig, pool: Pool, terminal: Mapping[int, bool]) -> tuple[Check, ...]:
    """All checks, for a command."""
    return asyncio.run(examine(config, pool, terminal))


class Checkup:
    """Answers the query `doctor`. One look at a time."""

    def __init__(self, models: Models, emit: Callable[[Event], Any], pool: Pool) -> None:
        self._models, self._emit, self._pool = models, emit, pool

    async def tell(self, id: str) -> None:
        found = await examine(self._models.config, self._pool, {fd: os.isatty(fd) for fd in (0, 1)})
        self._emit(Answered(id, answers.Checkup(found)))
