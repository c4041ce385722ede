"""What a command is: a pure function `(model, args) -> (model, effects)` with a docstring, and how
it is reached.

A command is a function in a file of this folder, one file for those of a kind; the name of the
function (with `-` for
`_`) is the command's name. Those that open a sheet stand in the file of that sheet.
"""

from __future__ import annotations

from collections.abc import Callable

from agent_tui.protocol.transcript import Answers
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.effects import Effect
from agent_tui.tui.core.model import Model

Run = Callable[[Model, str], tuple[Model, tuple[Effect, ...]]]


@frozen
class Situation:
    """What decides which keys the footer names."""

    running: bool = False
    draft: bool = False
    queued: bool = False
    paused: bool = False
    chip: str = ""
    """What is folded in the draft and would be shown: its label."""
    reading: bool = False
    """The session is only read along: nothing can be sent to it, and nothing in it interrupted."""
    runs: bool = False
    """The draft is a command, which runs at once."""


@frozen
class Command:
    """`keys` are Textual's names. `empty` are keys that count only while the prompt is empty.
    `argument` is the hint
    for what follows the name (`<needed>`, `[optional]`), `choices` what it may be, given the
    engine's answers; where it
    is `free`, it may be something else too.
    `label` says what the key does in a situation, for the footer; an empty text leaves it out."""

    name: str
    run: Run
    keys: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    argument: str = ""
    slash: bool = True
    choices: Callable[[Answers], tuple[str, ...]] | None = None
    free: bool = False
    label: Callable[[Situation], str] | None = None
    has_list: bool = False
    """The sheet of the same name lists what it may be, where the command is called by its name
    alone."""
    rank: int = 50
    """Place in the footer and in the help: lower is further in front."""

    @property
    def help(self) -> str:
        return " ".join((self.run.__doc__ or "").split())

    @property
    def summary(self) -> str:
        """The first sentence of the help, without its full stop."""
        return self.help.split(". ", 1)[0].rstrip(".")


def command(
    *,
    keys: tuple[str, ...] = (),
    empty: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    argument: str = "",
    slash: bool = True,
    choices: Callable[[Answers], tuple[str, ...]] | None = None,
    free: bool = False,
    label: Callable[[Situation], str] | None = None,
    has_list: bool = False,
    rank: int = 50,
) -> Callable[[Run], Command]:
    """Make a function the command that is named as it is."""

    def register(run: Run) -> Command:
        name = run.__name__.replace("_", "-")
        return Command(
            name, run, keys, empty, aliases, argument, slash, choices, free, label, has_list, rank
        )

    return register


def key_name(key: str) -> str:
    """How a key is written for a person: `Ctrl+X`, `Esc`, `PgUp`."""
    return "+".join(_WORDS.get(part, part.capitalize()) for part in key.split("+"))


_WORDS = {
    "delete": "Del", "escape": "Esc",
    "pageup": "PgUp", "pagedown": "PgDn", "question_mark": "?", "up": "↑", "down": "↓",
}  # fmt: skip
