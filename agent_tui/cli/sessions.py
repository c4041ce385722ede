"""`agent-tui sessions`: the sessions there are, what is in them, and what can be done with each."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui import paths
from agent_tui.cli.parser import Parser, whole_number
from agent_tui.cli.sessions_output import Failed, Output, Unknown, stream_of
from agent_tui.protocol import exit_codes
from agent_tui.protocol.answers import Summary
from agent_tui.protocol.events import Event
from agent_tui.protocol.exit_codes import FAILED, USAGE
from agent_tui.sessions.export import FORMATS, export, format_of
from agent_tui.sessions.imports import files as imports
from agent_tui.sessions.index import cache, manage
from agent_tui.sessions.index import search as searching
from agent_tui.sessions.index.listing import match_sessions, missing_reason, name_several, recent
from agent_tui.sessions.index.manage import plan_deletions
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log import copies, repair, store
from agent_tui.sessions.log.lock import SessionLocked
from agent_tui.settings.layers import place_at, read

EPILOG: Final = f"""\
ID is a session's id (or its first characters) or its name; default: the last session of this folder
{exit_codes.summary("sessions")}
"""


def sessions(arguments: Sequence[str]) -> int:
    """Run `agent-tui sessions …`; returns its exit code."""
    given = _parser().parse_args(arguments or ("list",))
    try:
        cwd = Path(given.cwd or ".").expanduser().resolve(strict=True)
    except OSError as error:
        return _fail(f"--cwd {given.cwd or '.'}: {error.strerror}", USAGE)
    try:
        return Commands(given, cwd).run()
    except Unknown as error:
        return _fail(str(error), USAGE)
    except (Failed, repair.Refused, SessionLocked) as error:
        return _fail(str(error), FAILED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads on: that is no failure
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="agent-tui sessions",
        description="Find, read and manage sessions.",
        epilog=EPILOG,
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="default: list"
    )

    def add(name: str, about: str, id: bool = True) -> argparse.ArgumentParser:
        action = actions.add_parser(
            name, help=about, description=about[0].upper() + about[1:] + "."
        )
        action.add_argument(
            "--cwd", default="", metavar="DIR", help="use this folder instead of the current one"
        )
        if id:
            action.add_argument("id", nargs="?", default="", metavar="ID")
        return action

    for name, about in (
        ("list", "list sessions, newest first"),
        ("search", "find sessions that contain all WORDS"),
    ):
        action = add(name, about, id=False)
        action.add_argument(
            "--here", action="store_true", help="only sessions that started in this folder"
        )
        action.add_argument(
            "-n",
            type=whole_number(1),
            default=0 if name == "list" else 20,
            metavar="N",
            help="at most N",
        )
        action.add_argument("--json", action="store_true", help="print JSON")
        if name == "list":
            action.add_argument(
                "--tree", action="store_true", help="show each fork below its parent"
            )
        else:
            action.add_argument("words", nargs="+", metavar="WORD")
    show = add("show", "print a session")
    out = add("export", "write a session to a file")
    out.add_argument(
        "path", nargs="?", default="", metavar="FILE", help="default: session-ID.md in this folder"
    )
    for action in (show, out):
        action.add_argument(
            "--format", choices=FORMATS, default="", help="default: md, or by the name of the file"
        )
    take = add(
        "import",
        "import a session that was written elsewhere, or those of Claude Code and Codex CLI",
        id=False,
    )
    take.add_argument(
        "paths", nargs="*", metavar="FILE", help="default: all their sessions of this folder"
    )
    take.add_argument(
        "--from", dest="program", choices=tuple(imports.PROGRAMS), default="", help="the program"
    )
    take.add_argument("--all", action="store_true", help="their sessions of all folders")
    fork = add("fork", "copy the start of a session into a new one")
    fork.add_argument(
        "--at",
        type=int,
        default=0,
        metavar="N",
        help="copy only what is before record N, where a turn starts",
    )
    rename = add("rename", "rename a session")
    rename.add_argument(
        "title", metavar="NAME", help="quote a name with spaces; an empty name removes it"
    )
    delete = add("delete", "delete a session")
    delete.add_argument("--yes", action="store_true", help="do not ask")
    add("verify", "check one session, or all, for damage")
    add("repair", "repair a damaged log; the old file is kept next to it")
    trim = add("trim", "copy the newest turns into a new session; the old one stays")
    trim.add_argument("--keep", type=int, required=True, metavar="N", help="how many turns to copy")
    figures = add("stats", "show statistics of a session")
    figures.add_argument("--steps", action="store_true", help="show each step too")
    figures.add_argument("--json", action="store_true", help="print everything as JSON")
    prune = add(
        "prune", "list the sessions beyond the limits of age and size; --yes deletes them", id=False
    )
    prune.add_argument(
        "--days", type=whole_number(0), metavar="N", help="default: sessions.keep_days; 0: no limit"
    )
    prune.add_argument(
        "--mb", type=whole_number(0), metavar="N", help="default: sessions.keep_mb; 0: no limit"
    )
    prune.add_argument("--yes", action="store_true", help="delete them")
    return parser


class Commands:
    def __init__(self, given: argparse.Namespace, cwd: Path) -> None:
        folders = paths.folders()
        self.given, self.cwd, self.folder, self.cache = given, cwd, folders.sessions, folders.cache
        self.out = Output()

    def run(self) -> int:
        done = getattr(self, f"_{self.given.action}")()
        return int(done or 0)

    def _meant(self) -> Summary:
        """The one session that is meant. Raises Unknown."""
        wanted: str = self.given.id
        found = match_sessions(self.folder, wanted, self.cwd, cache.known_sessions(self.cache))
        if not found and wanted:
            searching.update(self.folder, self.cache)  # names stand in the middle of logs
            found = match_sessions(self.folder, wanted, self.cwd, cache.known_sessions(self.cache))
        if not found:
            raise Unknown(
                f"{wanted}: {missing_reason(self.folder, wanted)}"
                if wanted
                else f"no session began in {self.cwd}"
            )
        if len(found) > 1:
            raise Unknown(f"{wanted}: {name_several(found)}")
        return found[0]

    def _list(self) -> int:
        found = recent(
            self.folder, self.cwd if self.given.here else None, cache.known_sessions(self.cache)
        )
        found = found[: self.given.n] if self.given.n > 0 else found
        if self.given.json:
            self.out.json([self.out.summary(one) for one in found])
        elif self.given.tree:
            self.out.tree(found)
        else:
            self.out.print_sessions(found)
        return 0

    def _search(self) -> int:
        words = " ".join(self.given.words)
        here = self.cwd if self.given.here else None
        found = searching.search(self.folder, self.cache, words, here, max(1, self.given.n))
        if found.note:
            self.out.note(found.note)
        self.out.hits(found.hits, words, self.given.json)
        if not found.hits:
            self.out.note(f"nothing found: {words}")
        return 0 if found.hits else FAILED

    def _show(self) -> int:
        one = self._meant()
        self.out.raw(export(self._events(one), self.given.format or "md"))
        return 0

    def _events(self, one: Summary) -> list[Event]:
        try:
            events, problems = store.read(store.log_path(self.folder, one.id))
        except OSError as error:
            raise Failed(f"{one.id}: {error.strerror or error}") from None
        if problems:
            more = (
                f" (and {len(problems) - 1} more: `agent-tui sessions verify`)"
                if len(problems) > 1
                else ""
            )
            self.out.note(f"{one.id}: {problems[0]}{more}")
        return events

    def _export(self) -> int:
        if self.given.path == "" and format_of(Path(self.given.id).suffix) is not None:
            self.given.id, self.given.path = "", self.given.id  # one word that names a file is one
        one = self._meant()
        path = Path(self.given.path).expanduser()
        form = self.given.format or (format_of(path.suffix) if path.suffix else "md")
        if form is None:
            raise Unknown(f"{path.suffix}: unknown format; choose one of {', '.join(FORMATS)}")
        if (fd := stream_of(self.given.path)) >= 0:
            self.out.written_to(fd, export(self._events(one), form))
            return 0
        target = self.cwd / path  # without one: the folder
        if target.is_fifo() or target.is_char_device():
            self.out.written_to(
                os.open(target, os.O_WRONLY | os.O_CLOEXEC), export(self._events(one), form)
            )
            return 0
        target = target / f"session-{one.id[:8]}.{form}" if target.is_dir() else target
        self.out.say(
            f"written to {self.out.write_document(target, export(self._events(one), form))}"
        )
        return 0

    def _import(self) -> int:
        program: str = self.given.program
        if self.given.paths:
            chosen = [(program, Path(path).expanduser()) for path in self.given.paths]
        else:
            kept = list(imports.find_session_files(os.environ, program))
            chosen = [
                one
                for one in kept
                if self.given.all or imports.began_in(one[1], one[0]) == str(self.cwd)
            ]
            if not chosen:
                where = "" if self.given.all else f" in {self.cwd}; --all looks in every folder"
                whose = [
                    one.PROGRAM
                    for name, (one, _) in imports.PROGRAMS.items()
                    if program in ("", name)
                ]
                raise Failed(f"no session of {' or '.join(whose)} was found{where}")
        bad = 0
        for name, path in chosen:
            try:
                self.out.print_import(imports.import_file(path, self.folder, name))
            except repair.Refused as error:
                bad += 1
                self.out.note(str(error))
        return FAILED if bad else 0

    def _fork(self) -> int:
        return self.out.print_copy(copies.fork(self.folder, self._meant().id, self.given.at))

    def _trim(self) -> int:
        return self.out.print_copy(copies.trim(self.folder, self._meant().id, self.given.keep))

    def _rename(self) -> int:
        one = self._meant()
        manage.rename(self.folder, one.id, self.given.title)
        self.out.say(f"{one.id}: {' '.join(self.given.title.split()) or 'has no name now'}")
        return 0

    def _delete(self) -> int:
        one = self._meant()
        if not self.given.yes and not self.out.confirm_deletion(
            one, manage.files_of(self.folder, one.id)
        ):
            return FAILED
        gone = manage.delete(self.folder, one.id)
        cache.forget(self.cache, one.id)
        self.out.say(f"deleted: {', '.join(path.name for path in gone)}")
        return 0

    def _verify(self) -> int:
        bad = 0
        one = self._named() if self.given.id else None
        checks = repair.verify(self.folder) if one is None else iter((repair.verify_log(one),))
        for check in checks:
            bad += check.state != "ok"
            self.out.say(check.summary)
        return FAILED if bad else 0

    def _named(self) -> Path:
        """The file that is meant, which need not be a log that can be read."""
        path = store.log_path(self.folder, self.given.id)
        there = Path(self.given.id).name == self.given.id and (path.exists() or path.is_symlink())
        return path if there else store.log_path(self.folder, self._meant().id)

    def _repair(self) -> int:
        path = self._named() if self.given.id else store.log_path(self.folder, self._meant().id)
        self.out.print_repair(repair.repair(self.folder, path.name.removesuffix(".jsonl")))
        return 0

    def _stats(self) -> int:
        found = stats(self._events(self._meant()))
        self.out.stats(found, self.given.json, self.given.steps)
        return 0

    def _prune(self) -> int:
        own = read(place_at(self.cwd)).settings.sessions
        days = own.keep_days if self.given.days is None else self.given.days
        size = own.keep_mb if self.given.mb is None else self.given.mb
        if days <= 0 and size <= 0:
            if zero := [name for name in ("days", "mb") if getattr(self.given, name) is not None]:
                raise Unknown(f"--{zero[0]} 0 sets no limit, so nothing is deleted: give 1 or more")
            self.out.say(
                "no limit is set: give --days N or --mb N, or set sessions.keep_days or sessions.keep_mb"
            )
            return 0
        try:
            old = plan_deletions(self.folder, self.cache, days, size)
        except cache.NoCache as error:
            raise Failed(f"{error}; nothing was deleted: the search index is needed") from None
        self.out.print_old(old, deleted=self.given.yes)
        for one in old if self.given.yes else ():
            manage.delete(self.folder, one.session.id)
            cache.forget(self.cache, one.session.id)
        return 0


def _fail(text: str, code: int) -> int:
    Output().note(text)
    return code
