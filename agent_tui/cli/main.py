"""The command line: argv → settings → a front end. The composition root; stays light until it knows
which front end."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from agent_tui import paths
from agent_tui.agent.config import CHOOSE, EngineConfig
from agent_tui.boot.frame import as_given
from agent_tui.boot.terminal import command
from agent_tui.cli.errors import USAGE, encodable, one_line, run_guarded
from agent_tui.cli.given import Given
from agent_tui.registry import late, late_module
from agent_tui.settings.layers import FLAGS, Flags, place_at, read
from agent_tui.settings.schema import flag_keys
from agent_tui.settings.trust import ThisRun, root_of
from agent_tui.structures import ascii
from agent_tui.structures.terminal_facts import drawable
from agent_tui.structures.vocabulary import MODES

if TYPE_CHECKING:
    from agent_tui.boot.terminal import Early

with late(warm=False):  # which front end it is decides what is needed
    from agent_tui import headless
    from agent_tui.agent import worker
    from agent_tui.agent.services import trust
    from agent_tui.agent.session import directories
    from agent_tui.cli import arguments as flags
    from agent_tui.safety import git_config
    from agent_tui.safety.process import processes
    from agent_tui.sessions.index import cache, listing
    from agent_tui.sessions.log import store
    from agent_tui.tui.core import display_options, keymap
    from agent_tui.tui.linear import chat as linear
    from agent_tui.tui.runtime import crash_draft, start
    from agent_tui.tui.textual_port import import_trim


_SLASH_WORD: Final = re.compile(r"/([^\s/]+)(?=\s|\Z)")
MEND = "nothing starts until your rules can be read: correct it (`agent-tui config edit`)"


class Usage(Exception):
    """Something is wrong with what was asked: one line for the person."""


def main(argv: Sequence[str] | None = None, early: Early | None = None) -> int:
    """Run the program; returns its exit code. `early` is the prepared terminal, where there is
    one."""
    name, arguments = command(sys.argv[1:] if argv is None else argv)
    try:
        match name:
            case "run":
                return run_guarded("agent-tui", lambda: _run(arguments), prints=False)
            case "chat":
                return run_guarded("agent-tui", lambda: _chat(arguments), prints=False)
            case "":
                return _screen(arguments, early)
            case _:
                own = late_module(f"agent_tui.cli.{name}", warm=False)
                return run_guarded(f"agent-tui {name}", lambda: int(getattr(own, name)(arguments)))
    except Usage as error:
        if early is not None:
            early.restore()
        print(f"agent-tui: {one_line(str(error))}", file=sys.stderr)
        return USAGE


def check_foreign_words(arguments: Sequence[str]) -> None:
    """Who knows another agent may ask for what is called otherwise here. Raises Usage."""
    if hint := flags.find_alternative(arguments):
        raise Usage(hint)


def _screen(arguments: list[str], early: Early | None) -> int:
    if arguments:
        check_foreign_words(arguments)
    given = flags.screen(arguments, early) if arguments else Given()
    config = replace(_config(given, interactive=True), or_new=True)
    if not all(os.isatty(fd) for fd in (0, 1, 2)):  # the screen is drawn on the third
        raise Usage(
            "this is not a terminal; `agent-tui run PROMPT` and `agent-tui chat` work without one"
        )
    if not drawable(os.environ):
        raise Usage(
            f"TERM={os.environ['TERM']} cannot draw a full screen; `agent-tui chat` needs none"
        )
    with import_trim.trim_imports():  # around all of them: each brings asyncio
        engine, run, look_of = worker.Worker, start.run, display_options.look_of
    settings = config.settings
    own = settings.display.ascii
    limited = ascii.wants_ascii(as_given(config.environment)) if own == "auto" else own
    return run(
        engine(config, early.share() if early is not None else None),
        settings,
        prompt=given.prompt,
        mode=settings.mode if config.mode_given or not config.resume else "",
        starting=settings.model if config.model_given or not config.resume else "",
        look=look_of(settings, limited, time.localtime().tm_gmtoff),
        history=None if config.otr else config.folders.data / "history.jsonl",
        cwd=config.cwd,
        themes=(paths.shipped_folder("themes"), config.folders.config / "themes"),
        early=early,
        at_once=bool(config.resume or given.prompt),
        foreground=_foreground,
        beside=_beside,
        branch=lambda cwd: git_config.branch(cwd),  # loaded when it is first shown
        place=config,
        record=settings.sessions.record and not config.otr,
    )


def _foreground(argv: Sequence[str], ends: Callable[[], bool]) -> int:
    """Run the person's editor on the terminal."""
    return processes.foreground(argv, ends)


def _beside(argv: Sequence[str]) -> Callable[[], int | None]:
    """Run a program of ours while the screen goes on."""
    return processes.start_beside(argv)


def _chat(arguments: list[str]) -> int:
    given = flags.chat(arguments)
    if sys.stdin is None:
        raise Usage(
            "standard input is closed, so there is nothing to read; `agent-tui run PROMPT` works without it"
        )
    somebody = os.isatty(0)
    config = _config(given, interactive=True, asks=somebody)
    config = replace(config, or_new=somebody)  # a script must know
    display = config.settings.display
    return linear.run(
        worker.Worker(config),
        prompt=given.prompt,
        look=replace(
            display_options.DEFAULT,
            thinking=display.thinking,
            durations=display.durations,
            animation=False,
        ),
        history=None if config.otr else config.folders.data / "history.jsonl",
        cwd=config.cwd,
        themes=(paths.shipped_folder("themes"), config.folders.config / "themes"),
        place=config,
        foreground=_foreground,
        coloured=given.color and not config.environment.get("NO_COLOR"),
    )


def _run(arguments: list[str]) -> int:
    given = flags.run(arguments)
    prompt = _text(
        _piped() if given.prompt == "-" else given.prompt.encode("utf-8", "surrogateescape")
    )
    if not prompt.strip():
        raise Usage("the prompt is empty")
    config = _config(given, interactive=False, asks=False)
    _check_slash_word(config, prompt)
    return headless.run(config, prompt, given.output)


def _check_slash_word(config: EngineConfig, prompt: str) -> None:
    """A prompt that begins with the name of a skill that there is not is a slip. Raises Usage."""
    found = _SLASH_WORD.match(prompt)
    if found is None or Path(found[0]).exists():
        return
    gate = config.gate(Path(one.path) for one in config.directories)
    known = [skill.name for skill in trust.discover_skills(config, gate, str).list()]
    if found[1] not in known:
        names = ", ".join(f"/{name}" for name in known) or "none"
        raise Usage(
            f"no skill {found[0]}; there are: {names}. To send it as it is, begin with a space"
        )


def _piped() -> bytes:
    stdin: TextIO | None = sys.stdin
    if stdin is None:
        raise Usage("cannot read the prompt: standard input is closed")
    return stdin.buffer.read()


def _text(prompt: bytes) -> str:
    """The prompt as text. A stray byte, as in a difference of an old file, is no reason to refuse
    all of it."""
    if b"\0" in prompt:
        raise Usage("the prompt is not text: it holds NUL bytes")
    text = prompt.decode("utf-8", "replace")
    if text.encode() != prompt:
        print(
            "agent-tui: the prompt holds bytes that are not UTF-8: the model gets \ufffd for them",
            file=sys.stderr,
        )
    return text


def _config(given: Given, interactive: bool, asks: bool = True) -> EngineConfig:
    """`asks`: somebody is there who can be asked."""
    model = "demo/tour" if given.demo else given.model
    try:
        cwd = Path(os.path.realpath(Path(given.cwd or ".").expanduser(), strict=True))
    except OSError as error:
        raise Usage(f"--cwd {given.cwd or '.'}: {error.strerror}") from None
    if not cwd.is_dir():
        raise Usage(f"--cwd {given.cwd}: not a folder")
    if not encodable(model):
        raise Usage(f"--model {model}: not valid UTF-8 text")
    if given.mode and given.mode not in MODES:
        raise Usage(f"--mode {given.mode}: unknown mode; choose one of {', '.join(MODES)}")
    place = replace(place_at(cwd, _flags(given, model)), this_run=_this_run(given))
    found = read(place)
    for problem in found.problems:
        if problem.file == FLAGS:
            raise Usage(f"{problem.key}: {problem.text}")
    if hidden := found.hidden_rule:
        raise Usage(f"{one_line(str(hidden))}; {MEND}")
    problems = found.problems
    if interactive and found.settings.keys:
        problems += keymap.problems(found.settings.keys, found.problem)
    suggestion = found.suggestion
    if suggestion is not None and not asks and not (given.last or given.resume):
        said = f"{suggestion.where} suggests the model {suggestion.model}: not used, as nobody is here to confirm it"
        print(
            f"agent-tui: {one_line(said)}; to use it: -m {one_line(suggestion.model)}",
            file=sys.stderr,
        )
    config = EngineConfig(
        cwd,
        place.folders,
        place.environment,
        place.flags,
        place.this_run,
        found.settings,
        problems=problems,
        resume=_session(given, cwd, place.folders),
        model_given=bool(model),
        mode_given=bool(given.mode),
        interactive=interactive,
        asks=asks,
        otr=given.otr,
        debug_wire=given.debug_wire,
        suggestion=suggestion if asks else None,
    )
    if not given.add_dir:
        return config
    try:
        return replace(config, directories=directories.named_directories(config, given.add_dir))
    except (OSError, ValueError) as error:
        raise Usage(f"--add-dir {error}") from None


def _this_run(given: Given) -> ThisRun:
    """What the command line trusts. Raises Usage."""
    roots = []
    for text in given.trust:
        folder = Path(text).expanduser()
        if not folder.is_dir():
            raise Usage(f"--trust {text}: not a folder")
        root = root_of(folder.resolve(), os.environ)
        if not root.lasts:
            raise Usage(f"--trust {text}: a home folder is never trusted as a whole")
        roots.append(root.path)
    return ThisRun(roots)


def _flags(given: Given, model: str) -> Flags:
    """What the command line sets of the settings. Raises Usage."""
    flags = Flags(model=model)
    for flag in flag_keys().values():
        value = getattr(given, flag.destination, None)
        if isinstance(value, int | float) and flag.metavar and value <= 0:
            raise Usage(f"{flag.name} {value:g}: must be more than 0")
        flags.setdefault(flag.destination, value if flag.metavar else False if value else None)
    return flags


def _session(given: Given, cwd: Path, folders: paths.Folders) -> str:
    """The id of the session to resume; empty for a new one."""
    if given.otr and given.debug_wire:
        raise Usage("--otr saves nothing, so it cannot be used with --debug-wire")
    if given.otr and (given.last or given.resume):
        raise Usage("--otr starts a new session, so it cannot be used with --continue or --resume")
    if not (given.last or given.resume):
        return ""
    if given.resume == CHOOSE:
        if not listing.recent(folders.sessions):
            raise Usage("--resume: there are no sessions yet")
        return CHOOSE
    if given.resume:
        if not (found := listing.match_sessions(folders.sessions, given.resume)):
            known = cache.known_sessions(folders.cache)  # names of long sessions
            found = listing.match_sessions(folders.sessions, given.resume, known=known)
        if len(found) != 1:
            no = listing.missing_reason(folders.sessions, given.resume)
            raise Usage(f"--resume {given.resume}: {listing.name_several(found) if found else no}")
        return _readable(found[0].id, folders)
    last = listing.last_used(folders.sessions, cwd)
    if last is None:
        raise Usage(f"no earlier session in {cwd}; {_way_on()}")
    return _readable(last.id, folders)


def _readable(id: str, folders: paths.Folders) -> str:
    """`id`, where something of that session can be read. Raises Usage."""
    try:
        store.check_readable(store.log_path(folders.sessions, id))
    except OSError as error:
        raise Usage(str(error)) from None
    return id


def _way_on() -> str:
    """What to do where there is no session to continue. An earlier start may have ended before it
    had one."""
    kept = crash_draft.text(crash_draft.waiting_drafts(os.environ))
    return (
        "your words are kept: `agent-tui` brings them back"
        if kept
        else "`agent-tui --resume` lists all"
    )
