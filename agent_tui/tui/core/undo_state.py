"""Going back, as far as the person has come with it: what would be taken back or made again, and
what they chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final, Literal

from agent_tui.protocol.answers import OldFile
from agent_tui.structures.frozen import frozen

What = Literal["code", "conversation", "both"]
SWITCHED: Final = frozenset({"keep", "restore"})


@frozen
class GoingBack:
    """`to`: the record number of the turn (0: the last one that changed files). `talks`: the
    conversation can be taken
    back too. `told`: the engine has said which files. `sent`: what was asked for; empty: nothing
    yet."""

    redo: bool = False
    to: int = 0
    prompt: str = ""
    talks: bool = True
    told: bool = False
    files: tuple[OldFile, ...] = ()
    turns: tuple[int, ...] = ()
    caps: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    sent: Literal["", "code", "conversation", "both"] = ""
    on: str = ""
    """The file that the cursor goes to once the list is there: it is the same list, read again."""
    where: str = ""
    """Where the old prompt is found, if the prompt holds other words."""
    undone: bool = False
    """Changes of these turns were taken back already."""
    begun: int = 0
    """The record that began the undo that is redone, if the conversation went back with it."""

    @property
    def version(self) -> str:
        """What the content is called that going back would put there."""
        return "changed version" if self.redo else "earlier version"

    def choice(self, file: OldFile) -> str:
        """What is done with a file: `keep`, `restore`, `both`; empty: the person has not chosen
        yet."""
        return self.choices.get(file.path, file.default)

    @property
    def open_question(self) -> OldFile | None:
        """The first file of which the person has to say what becomes of it."""
        return next((file for file in self.files if file.choices and not self.choice(file)), None)

    @property
    def idle(self) -> bool:
        """Whether no file is restored, and none is written beside another."""
        return all(self.choice(file) == "keep" for file in self.files)

    @property
    def looked_at(self) -> tuple[OldFile, ...]:
        """The files whose differences are shown: not those that the person has chosen to keep."""
        return tuple(
            file
            for file in self.files
            if file.diff and self.choices.get(file.path) not in ("keep", "both")
        )

    def switch(self, at: int) -> Mapping[str, str]:
        """The choices, with the next one for file number `at`."""
        file = self.files[at]
        if not file.choices:
            return self.choices
        now = self.choice(file)
        place = file.choices.index(now) + 1 if now in file.choices else 0
        return {**self.choices, file.path: file.choices[place % len(file.choices)]}

    def switch_all(self) -> Mapping[str, str]:
        """The choices, with all files restored that can be without a question; or, where they are,
        all kept."""
        plain = [file for file in self.files if file.default and SWITCHED.issubset(file.choices)]
        wanted = "restore" if any(self.choice(file) == "keep" for file in plain) else "keep"
        return {**self.choices, **{file.path: wanted for file in plain}}

    @property
    def offered_parts(self) -> tuple[What, ...]:
        """What can be taken back, or made again, in one order everywhere."""
        if not self.told:
            return ()
        if not self.files:
            return ("conversation",) if self.talks else ()
        if not self.talks:
            return ("code",)
        return ("code", "both", "conversation")

    @property
    def first_row(self) -> int:
        """The row where the cursor begins: a file that needs a word, else what was asked for,
        `/undo` of the files and `/rewind` of all; `/redo` of what was taken back."""
        if self.open_question is not None or self.idle:
            return 0
        return len(self.files) + (
            self.offered_parts.index("both")
            if (self.to or self.begun) and "both" in self.offered_parts
            else 0
        )


def in_order(files: Iterable[OldFile]) -> tuple[OldFile, ...]:
    """First those that need a word, then those that are kept without one: their differences have to
    be seen for it."""
    order = ("", "keep", "restore", "both")
    return tuple(
        sorted(files, key=lambda file: order.index(file.default) if file.choices else len(order))
    )
