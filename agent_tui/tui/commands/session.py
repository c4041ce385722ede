"""A new session."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.ops import Clear, Export, Op, Resume, SetDirectory, SetInView
from agent_tui.structures import mention
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import LookBack, WriteBug
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.screen import session_actions
from agent_tui.tui.transcript import state


def _at_rest(model: Model, op: Op, name: str) -> Step:
    if not model.busy:
        return send(model, op)
    key = commands.key_of("stop", model.keys)
    first = f"stop it first{key and f' ({key})'}, then {name}"
    return toast(model, f"a turn is running: {first}", "warning")


@command(rank=54)
def new(model: Model, _: str) -> Step:
    """Start a new session with an empty transcript. The current one is kept: /resume returns to
    it."""
    return _at_rest(model, Resume(""), "/new")


@command(keys=("alt+o",), slash=False, rank=62)
def open(model: Model, _: str) -> Step:
    """Expand or collapse the selected block, or the last one in view."""
    return state.open_one(model)


@command(argument="[title]", rank=57)
def rename(model: Model, args: str) -> Step:
    """Rename this session. Without a name it is called by its first prompt."""
    return session_actions.rename(model, args)


@command(rank=57)
def fork(model: Model, _: str) -> Step:
    """Fork: copy this session and continue in the copy. With a message selected (Ctrl+Up), copy
    only up to it. This session stays as it is. A selected prompt is put into the prompt of the
    copy."""
    return session_actions.fork(model)


@command(argument="[text]", rank=57)
def label(model: Model, args: str) -> Step:
    """Label the selected message, or the last turn. Ctrl+Up selects one. Without a text the label
    is removed. The list of turns and the search over all sessions show it."""
    return session_actions.label(model, args)


@command(rank=53)
def clear(model: Model, _: str) -> Step:
    """Clear the context: the model forgets the conversation. The screen and the log keep it. /new
    begins with an empty screen."""
    return _at_rest(model, Clear(), "/clear")


@command(rank=70)
def replay(model: Model, _: str) -> Step:
    """Replay this session: look at the screen, the request and the cost at any moment, and fork
    there. A running turn goes on meanwhile."""
    if model.transcript.otr:
        return toast(model, "this session is off the record: there is nothing to replay", "warning")
    return model, (LookBack(),)


WAIT_SECONDS: Final = 60.0
"""A long session takes a while; the answer takes the place of these words."""


@command(argument="[path]", choices=lambda _: ("md", "html", "json"), free=True, rank=57)
def export(model: Model, args: str) -> Step:
    """Write the session to a new file in its folder: md, html or json, or a path that ends so. No
    file is overwritten: a number is added to the name."""
    if model.transcript.otr:
        return toast(model, OFF, "warning")
    said = toast(model, "writing …", seconds=WAIT_SECONDS)
    return then(said, send(said[0], Export(args)))


OFF: Final = "this session is off the record: no report can be written"


@command(rank=70)
def bug(model: Model, _: str) -> Step:
    """Write this session to a file for a report: what was said and what the screen was told,
    without what looks like a secret, with the versions of the program and what is known of the
    terminal. It plays with the replay command."""
    if model.transcript.otr:
        return toast(model, OFF, "warning")
    return model, (WriteBug(),)


@command(aliases=("continue",), rank=57)
def go_on(model: Model, _: str) -> Step:
    """Continue an interrupted turn: the model is asked again, without a new prompt."""
    return session_actions.go_on(model)


@command(rank=57)
def retry(model: Model, _: str) -> Step:
    """Retry an answer that broke off. Its text stays on the screen but is not sent; finished calls
    do not run again."""
    return session_actions.go_on(model, again=True)


REMOVE: Final = "--remove"


@command(argument="[path]", rank=58)
def add_dir(model: Model, args: str) -> Step:
    """Let the agent work in another folder too, also after a resume. Its AGENTS.md is read.
    --remove and its path removes it again; without a path they are listed."""
    word, _, rest = args.partition(" ")
    removes = word == REMOVE
    path = _unquoted((rest if removes else args).strip())
    if removes and not path:
        return toast(model, f"type the folder after {REMOVE}; /add-dir lists them", "warning")
    if path.startswith("--"):
        return toast(model, f"no {path.split()[0]}; there is {REMOVE}", "warning")
    return send(model, SetDirectory(path, removes))


@command(argument="[@file …]", rank=58)
def add(model: Model, args: str) -> Step:
    """Keep files in the model's view: each is sent again with your next prompt whenever it has
    changed. Without a file they are listed."""
    return send(model, SetInView(_files(args)))


@command(argument="[@file …]", rank=58)
def drop(model: Model, args: str) -> Step:
    """Drop files from the model's view, or all of them. What was sent stays in the
    conversation."""
    return send(model, SetInView(_files(args), remove=True))


def _files(args: str) -> tuple[str, ...]:
    """The files that were typed: behind an `@` each, or one path."""
    named = tuple(ways[-1] for ways in mention.mentioned_files(args))
    path = _unquoted(args.strip())
    return named or ((path,) if path else ())


def _unquoted(text: str) -> str:
    """A path may stand in quotes, as in a shell."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
