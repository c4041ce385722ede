"""`agent-tui replay`: a session's screen played back, written as frames, or compared with what the
live session saw; and what held at a moment of it: the model, the context, the next request."""

from __future__ import annotations

import argparse
import json
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from agent_tui import paths
from agent_tui.agent.session.history import History
from agent_tui.agent.session.recording import recording_path
from agent_tui.boot.terminal import forget_size
from agent_tui.cli.errors import one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import codec, exit_codes
from agent_tui.protocol.display import TODO_WORDS
from agent_tui.protocol.events import ContextBuilt, Event, TurnStarted, fold
from agent_tui.protocol.exit_codes import FAILED, USAGE
from agent_tui.protocol.messages import AssistantMessage, Message, ToolMessage
from agent_tui.protocol.transcript import Transcript
from agent_tui.registry import late
from agent_tui.regular_file import open_regular
from agent_tui.sessions.index.listing import match_sessions, missing_reason, name_several
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log import fork as forks
from agent_tui.sessions.log.private import write_all
from agent_tui.sessions.log.raw import lines
from agent_tui.sessions.log.store import log_path, read
from agent_tui.settings.layers import place_at
from agent_tui.settings.layers import read as read_settings
from agent_tui.structures.readable import count_noun
from agent_tui.structures.terminal_facts import drawable
from agent_tui.temporary import PrivateFolder
from agent_tui.tui.recording.classes import UNPLAYABLE, unshown
from agent_tui.tui.recording.player import Player
from agent_tui.tui.view import view

with late(warm=False):  # only for the frames, and for the screen
    from agent_tui.tui.recording import digest
    from agent_tui.tui.runtime import live_settings
    from agent_tui.tui.runtime import replay as replaying


LOG: Final = ".jsonl"
RECORDING: Final = ".msgs.jsonl"
ARCHIVE: Final = ".zip"
MOST: Final = 500_000_000
"""Bytes that are taken out of an archive."""
MOST_SAID: Final = 20
"""Differences that are named one by one: what differs once mostly differs from there on."""
EPILOG: Final = f"""\
SESSION is an id (or its first characters), a name, or a file: a log, a recording next to its log, or a bug archive
nothing is sent and nothing is run
{exit_codes.summary("replay")}
"""


class Failed(Exception):
    """It cannot be had: one line for the person."""


def replay(arguments: Sequence[str]) -> int:
    """Run `agent-tui replay …`; returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        if given.session.endswith(ARCHIVE):
            with PrivateFolder() as folder:
                return _play(given, _unpacked(Path(given.session), Path(folder)))
        return _play(given, session_log(given.session))
    except Failed as error:
        print(f"agent-tui replay: {one_line(str(error))}", file=sys.stderr)
        return FAILED


def _play(given: argparse.Namespace, log: Path) -> int:
    player, events = load(log)
    if given.frames:
        return _frames(player, Path(given.frames), given.at)
    return _verify(player, _tape(log)) if given.verify else _screen(player, events, log, given)


def _unpacked(path: Path, folder: Path) -> Path:
    """The log of the archive `path`, with its recording beside it, in `folder`. Raises Failed."""
    try:
        with os.fdopen(open_regular(path), "rb") as file, zipfile.ZipFile(file) as archive:
            parts = [
                part
                for part in archive.infolist()
                if part.filename.endswith(LOG) and "/" not in part.filename
            ]
            if sum(part.file_size for part in parts) > MOST:
                raise Failed(f"{path}: more than {MOST // 1_000_000:,} MB are in it")
            if not all(
                part.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts
            ):
                raise zipfile.BadZipFile("unknown compression")  # each way has errors of its own
            for part in parts:
                archive.extract(part, folder)
    except OSError as error:
        raise Failed(f"{path}: {error.strerror or error}") from None
    except (
        zipfile.BadZipFile,
        RuntimeError,
        ValueError,
        EOFError,
        struct.error,
        zlib.error,
    ) as error:
        raise Failed(f"{path}: not an archive of agent-tui bug ({error})") from None
    logs = [part for part in folder.glob(f"*{LOG}") if not part.name.endswith(RECORDING)]
    if len(logs) != 1:
        raise Failed(f"{path}: not an archive of agent-tui bug (it holds {len(logs)} logs)")
    return logs[0]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="agent-tui replay",
        description="Replay the screen of a session.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "session", nargs="?", default="", metavar="SESSION", help="default: the last one here"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        metavar="N",
        help="play N times as fast; 0: start paused",
    )
    parser.add_argument(
        "--at", type=float, default=0.0, metavar="SECONDS", help="start here, also with --frames"
    )
    parser.add_argument(
        "--frames", default="", metavar="DIR", help="write each frame as a text file, then exit"
    )
    parser.add_argument(
        "--verify", action="store_true", help="compare with the live session, then exit"
    )
    parser.add_argument("--chosen", default="", metavar="FILE", help=argparse.SUPPRESS)
    return parser


def session_log(named: str) -> Path:
    """The log file that `named` means. Raises Failed."""
    path = Path(named)
    if named and (path.suffix == LOG or os.sep in named):
        log = (
            path.with_name(path.name.removesuffix(RECORDING) + LOG)
            if path.name.endswith(RECORDING)
            else path
        )
        if not log.is_file():
            raise Failed(f"{log}: not found; a recording needs the session's log next to it")
        return log
    folder = paths.folders().sessions
    found = match_sessions(folder, named, Path.cwd())
    if len(found) != 1:
        why = name_several(found) if found else missing_reason(folder, named)
        raise Failed(f"{named}: {why}" if named else "there is no session here yet")
    return log_path(folder, found[0].id)


def _tape(log: Path) -> Path:
    """Where the recording of the session in `log` is, if there is one."""
    return recording_path(log.parent, log.name.removesuffix(LOG))


def load(log: Path) -> tuple[Player, list[Event]]:
    """The recording beside `log`, ready to be played, and the settled events; without one the
    events as they came. Raises Failed."""
    tape = _tape(log)
    try:
        events, _ = read(log)
        if not tape.is_file():
            player = Player.of_log(events)
        else:
            with os.fdopen(open_regular(tape), "rb", buffering=1 << 18) as file:
                player = Player.load((line for _, line in lines(file)), events, codec.load)
    except OSError as error:
        raise Failed(f"{error.filename or tape}: {error.strerror or error}") from None
    if not events:
        raise Failed(f"{log}: it is empty")
    if not len(player):  # the log alone brings the session back
        player, said = Player.of_log(events), player.problems[:1] or ["nothing is in it"]
        player.problems.append(f"{tape.name}: {said[0]}; showing only the log")
    return player, events


def _frames(player: Player, folder: Path, at: float) -> int:
    """Write the frames from `at` seconds on, the one that is shown then among them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        last: list[str] = []
        written = 0
        for count in range(max(1, player.steps_before(at)) if at > 0 else 1, len(player) + 1):
            try:
                shown = digest.frame_of(player.model(count), view)
            except UNPLAYABLE as error:
                shown = [unshown(error)]
            if shown == last:
                continue
            last, written = shown, written + 1
            text = f"step {count} at {player.moment(count):.3f} s\n" + "\n".join(shown) + "\n"
            (folder / f"{count:06}.txt").write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise Failed(f"--frames {folder}: {error.strerror}") from None
    print(f"{count_noun(written, 'frame')} of {count_noun(len(player), 'step')} in {folder}")
    return 0


def _verify(player: Player, tape: Path) -> int:
    """Say where this replay comes to something else than the live session."""
    if not tape.is_file():
        print("no recording: nothing to compare")
        return FAILED
    differences = player.find_differences()
    for line in (*player.problems, *differences[:MOST_SAID]):
        print(one_line(line))
    if len(differences) > MOST_SAID:
        print(f"… and {len(differences) - MOST_SAID:,} more")
    ended = "; the recording was cut at its limit" if player.is_cut else ""
    found = count_noun(len(differences), "difference")
    print(f"{count_noun(len(player), 'step')}, {len(player.checks):,} compared, {found}{ended}")
    return FAILED if differences or player.problems else 0


def _screen(player: Player, events: list[Event], log: Path, given: argparse.Namespace) -> int:
    if not all(os.isatty(fd) for fd in (0, 1, 2)):
        print(
            "agent-tui replay: this is not a terminal; --frames DIR and --verify work without one",
            file=sys.stderr,
        )
        return USAGE
    if not drawable(os.environ):
        said = f"TERM={os.environ['TERM']} cannot draw a full screen; --frames DIR and --verify work without one"
        print(f"agent-tui replay: {one_line(said)}", file=sys.stderr)
        return USAGE
    folders = paths.folders()
    display = read_settings(place_at(Path.cwd())).settings.display
    themes = (paths.shipped_folder("themes"), folders.config / "themes")
    forget_size(os.environ)
    palette = live_settings.LiveSettings(
        None, themes, (display.theme_dark, display.theme_light)
    ).theme(display.theme)

    def fork(record: int) -> str:
        turns = [
            event.n
            for event in events
            if isinstance(event, TurnStarted) and event.is_main and event.n > record
        ]
        try:
            copy = forks.fork(log.parent, log.name.removesuffix(LOG), turns[0] if turns else 0)
            if given.chosen:
                _choose(Path(given.chosen), copy)
        except OSError as error:
            return f"not forked: {error.strerror or error}"
        return f"forked: agent-tui -r {copy[:8]}" if not given.chosen else "forked: q opens it"

    app = replaying.ReplayApp(
        player,
        palette,
        lambda played, count: describe_record(events, played.last_record(count)),
        fork,
        speed=max(0.0, given.speed),
        at=given.at,
    )
    code = app.run()
    if app.crash:
        print(f"{app.crash}\nagent-tui stopped: an error in its own code (above).", file=sys.stderr)
    return code or 0


def _choose(file: Path, session: str) -> None:
    """Tell the program that is waiting for us which session to open."""
    fd = os.open(file, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        write_all(fd, session.encode())
    finally:
        os.close(fd)


NEWEST: Final = 20
"""Messages of the request that are shown."""
CHARS: Final = 600
"""Characters of each."""


def describe_record(events: Iterable[Event], n: int) -> str:
    """What held after record `n`, as Markdown."""
    known = [event for event in events if event.n <= n]
    seen, history = fold(known), History()
    for event in known:
        history = history.with_event(event) if event.is_main else history
    return "\n".join((*_facts(seen, known), *_request(history)))


def _facts(seen: Transcript, known: list[Event]) -> Iterable[str]:
    counted = stats(known)
    window = f" of {'≈' * seen.window_assumed}{seen.window:,}" if seen.window else ""
    yield f"- model **{seen.model or 'none'}**, mode **{seen.mode}**, {seen.state.replace('_', ' ')}"
    yield f"- turn {seen.turn}, step {seen.steps}; {len(seen.queue)} in the queue"
    yield f"- context {'≈' * seen.estimated}{seen.context_tokens:,}{window} tokens"
    yield f"- so far {counted.tokens_in:,} tokens sent, {counted.tokens_out:,} written"
    if seen.todos:
        done = sum(item.state == "done" for item in seen.todos)
        yield f"- todo list, {done} of {len(seen.todos)} done"
        for item in seen.todos:
            yield f"  - {TODO_WORDS[item.state]}: `{item.text.replace('`', ' ')}`"
    built = next(
        (event for event in reversed(known) if isinstance(event, ContextBuilt) and event.is_main),
        None,
    )
    if built is not None:
        small = " (the profile for small windows)" if built.profile == "small" else ""
        parts = ", ".join(f"{part.name} {part.chars:,}" for part in built.parts)
        tools = f"{len(json.loads(built.tools)):,} tools{small}"
        yield f"- system prompt {len(built.system):,} characters ({parts}), {tools}"


def _request(history: History) -> Iterable[str]:
    messages = list(history.messages)
    yield ""
    yield f"## The request: {len(messages):,} message{'s' * (len(messages) != 1)}"
    for message in messages[-NEWEST:]:
        text = _said(message)
        cut = f"{text[:CHARS]} … ({len(text):,} characters)" if len(text) > CHARS else text
        fence = "`" * max(3, max((len(run) for run in _runs(cut)), default=0) + 1)
        yield f"\n**{_who(message)}**\n\n{fence}\n{cut}\n{fence}"


def _who(message: Message) -> str:
    if isinstance(message, ToolMessage):
        return f"tool {message.name}"
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _said(message: Message) -> str:
    if isinstance(message, AssistantMessage):
        calls = "\n".join(f"{call.name} {call.arguments}" for call in message.calls)
        return "\n".join(part for part in (message.text, calls) if part)
    return message.content if isinstance(message, ToolMessage) else message.text


def _runs(text: str) -> Iterable[str]:
    """The runs of backticks in `text`."""
    run = ""
    for letter in text + " ":
        if letter == "`":
            run += letter
        elif run:
            yield run
            run = ""
