"""`agent-tui bug`: a session as a file that can be attached to a report: redacted, and replayed by
anybody."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import stat
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Final

from agent_tui.agent.session.recording import recording_path
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.cli.replay import LOG, Failed, load, session_log
from agent_tui.protocol.codec import BadRecord, dump, encode
from agent_tui.protocol.codec import load as loaded
from agent_tui.protocol.events import Event
from agent_tui.protocol.exit_codes import FAILED
from agent_tui.providers.choosing import keys
from agent_tui.safety import credentials
from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.safety.secrets.scrubber import Redactor
from agent_tui.settings.layers import place_at, read
from agent_tui.structures import terminal_facts
from agent_tui.tui.recording.classes import UNPLAYABLE, unshown
from agent_tui.tui.recording.redacted import redact_lines

UNFINISHED: Final = ".agent-tui-bug-"
OLD: Final = 600.0
"""Seconds after which nobody writes at an archive any more."""
LIBRARIES: Final = (
    "agent-tui",
    "textual",
    "rich",
    "pygments",
    "markdown-it-py",
    "pydantic",
    "httpx",
)
EPILOG: Final = """\
SESSION is an id (or its first characters), a name or a log file; default: the last session of this folder
Hidden are: keys, tokens and passwords of known kinds, those in environment variables, and your name in paths.
Read the file before you send it: `agent-tui replay FILE` plays it.
"""


def bug(arguments: Sequence[str]) -> int:
    """Run `agent-tui bug …`; returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        log = session_log(given.session)
        path = (
            Path(given.output)
            if given.output
            else _free(f"agent-tui-bug-{log.name.removesuffix(LOG)[:8]}")
        )
        write(log, path)
    except Failed as error:
        print(f"agent-tui bug: {one_line(str(error))}", file=sys.stderr)
        return FAILED
    print(one_line(f"written to {path}; look at it with: agent-tui replay {path}"))
    if given.chosen:
        Path(given.chosen).write_text(str(path), "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="agent-tui bug",
        description="Write a session to a file for a bug report.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "session", nargs="?", default="", metavar="SESSION", help="default: the last one here"
    )
    parser.add_argument(
        "--output", default="", metavar="FILE", help="a new file; default: agent-tui-bug-<id>.zip"
    )
    parser.add_argument("--chosen", default="", metavar="FILE", help=argparse.SUPPRESS)
    return parser


def _free(stem: str) -> Path:
    """A name in this folder that nothing has yet: no report is written over."""
    names = (Path(f"{stem}{'' if number == 1 else f'-{number}'}.zip") for number in count(1))
    return next(path for path in names if not os.path.lexists(path))


def write(log: Path, path: Path) -> None:
    """Write the session of `log` to the archive `path`, which must not be there yet. Raises
    Failed."""
    player, events = load(log)
    told = Redactor((*secrets.known_secrets(os.environ), *_stored()), str(Path.home()))
    hide = told.with_secrets_of(text for event in events for text in _said(dump(event))).text
    known = [_hidden(event, hide) for event in events]
    name = log.name.removesuffix(LOG)
    try:
        _sweep(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False) as file:
            try:
                with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr("about.json", json.dumps(_about(), indent=2) + "\n")
                    archive.writestr(f"{name}{LOG}", b"".join(encode(event) for event in known))
                    tape = recording_path(log.parent, name)
                    if tape.is_file():
                        archive.writestr(tape.name, "".join(redact_lines(player, known, hide)))
                os.link(file.name, path)  # fails where something is there already
            finally:
                Path(file.name).unlink()
    except FileExistsError:
        raise Failed(f"{path}: this file exists already and is not overwritten") from None
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}") from None
    except UNPLAYABLE as error:
        raise Failed(f"{log}: its recording cannot be redacted: {unshown(error)}") from None


def _sweep(folder: Path) -> None:
    """Remove what a kill left here of an archive that was being written."""
    for part in folder.glob(f"{UNFINISHED}*"):
        with contextlib.suppress(
            OSError
        ):  # another program removes it at the same time, or it is not ours
            about = part.lstat()
            if (
                stat.S_ISREG(about.st_mode)
                and about.st_uid == os.geteuid()
                and time.time() - about.st_mtime > OLD
            ):
                part.unlink()


def _stored() -> tuple[str, ...]:
    """The keys in the settings, in the keyring and in the file of keys."""
    place = place_at(Path.cwd())
    found = read(place).settings
    own = tuple(one.api_key for one in found.providers.values() if one.api_key)
    return (*own, *credentials.read_stored(place.folders.config, keys.names(found)).values)


def _hidden(event: Event, hide: Callable[[str], str]) -> Event:
    try:
        return loaded({hide(key): _texts(item, hide) for key, item in dump(event).items()})
    except BadRecord as error:  # a mistake of ours: better no file than one with a secret
        raise Failed(f"record {event.n} cannot be redacted: {error}") from None


def _texts(data: object, hide: Callable[[str], str]) -> object:
    if isinstance(data, str):
        return hide(data)
    if isinstance(data, list):
        return [_texts(item, hide) for item in data]
    if isinstance(data, dict):
        return {hide(key): _texts(item, hide) for key, item in data.items()}
    return data


def _said(data: object) -> Iterator[str]:
    """Every text in `data`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list | dict):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _said(item)


def _about() -> dict[str, object]:
    """The program, its libraries, the machine and the terminal: names and versions."""
    shown = (
        "TERM",
        "COLORTERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NO_COLOR",
    )
    return {
        "versions": dict(_versions()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "terminal": {name: os.environ[name] for name in shown if name in os.environ},
        "tmux": bool(os.environ.get("TMUX")),
        "ssh": bool(os.environ.get("SSH_CONNECTION")),
        "answers": terminal_facts.answers(os.environ),
    }


def _versions() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        yield name, version(name)
