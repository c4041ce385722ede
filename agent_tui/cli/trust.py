"""`agent-tui trust`: trust the files of a project that can act, list what is trusted, forget it."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.agent.services.trust import look_at_project
from agent_tui.cli.errors import USAGE, one_line
from agent_tui.cli.parser import Parser
from agent_tui.present.wording import count, size
from agent_tui.protocol import exit_codes
from agent_tui.settings import trust as trusted
from agent_tui.settings.layers import place_at
from agent_tui.structures.visible import visible

EPILOG: Final = f"""\
A project's settings, instructions (AGENTS.md, CLAUDE.md) and skills are used once you trust their content; another \
content asks again. This command shows them, with what changed, and asks. Where nobody can answer it only shows them.
{exit_codes.summary("trust")}
"""


def trust(arguments: Sequence[str]) -> int:
    """Run `agent-tui trust`; returns its exit code."""
    parser = Parser(
        prog="agent-tui trust",
        description="Trust the settings, instructions and skills of a project.",
        epilog=EPILOG,
    )
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="default: this one")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--yes", action="store_true", help="trust them without a question")
    what.add_argument("--list", action="store_true", help="list what you trust")
    what.add_argument("--remove", action="store_true", help="trust nothing of it any more")
    given = parser.parse_args(arguments)
    folder = Path(os.path.realpath(Path(given.folder).expanduser()))
    if given.list:
        return _list()
    try:
        return _remove(folder) if given.remove else _trust(folder, given.yes)
    except OSError as error:
        print(f"agent-tui trust: not saved: {one_line(str(error))}", file=sys.stderr)
        return 1


def _list() -> int:
    for record in trusted.records(place_at(Path.cwd()).folders.data):
        untrusted = look_at_project(place_at(Path(record.path))).left_out.values()
        changed = {one.name for one in untrusted}
        names = (
            f"{name} (changed: asks again)" if name in changed else name for name in record.files
        )
        print(one_line(f"{record.path}  {', '.join(names)}"))
    return 0


def _remove(folder: Path) -> int:
    place = place_at(folder)
    root = trusted.root_of(folder, place.environment)
    if not any(trusted.forget(place.folders.data, one) for one in {str(folder), root.path}):
        return _refuse(f"{folder}: nothing of it is trusted")
    print(one_line(f"{root.path}: not trusted any more"))
    return 0


def _trust(folder: Path, agreed: bool) -> int:
    if not folder.is_dir():
        return _refuse(f"{folder}: not a folder")
    gate = look_at_project(place_at(folder))
    root = gate.roots[0]
    if not root.lasts:
        return _refuse(f"{folder}: a home folder is never trusted as a whole")
    found = tuple(gate.left_out.values())
    if not found:
        print(one_line(f"{root.path}: nothing new to trust"))
        return 0
    for one in found:
        _show(one, whole=not agreed)
    if not (agreed or _agrees(len(found))):
        print(one_line(f"{root.path}: not trusted; `agent-tui trust --yes` trusts these files"))
        return 1
    gate.trust(found, lasting=True)
    print(one_line(f"{root.path}: {count(len(found), 'file')} trusted"))
    return 0


def _show(found: trusted.Found, whole: bool) -> None:
    """Name a file; `whole`: with its text, or with what changed since it was trusted."""
    state = "new" if found.before is None else "changed"
    print(one_line(f"{found.name}  {state}  {size(len(found.raw))}  {found.hash[:8]}"))
    if not whole:
        return
    lines = found.raw.decode("utf-8", "replace").splitlines()
    if found.before is not None:
        lines = list(difflib.unified_diff(found.before.splitlines(), lines, lineterm="", n=2))[2:]
    for line in lines:
        print(f"    {visible(line)}")


def _agrees(files: int) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    print(
        f"Trust {'this file' if files == 1 else f'these {files} files'}? [y/N] ", end="", flush=True
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refuse(said: str) -> int:
    print(f"agent-tui trust: {one_line(said)}", file=sys.stderr)
    return USAGE
