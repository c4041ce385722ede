"""The prompt: what it holds, what it is for, and the lists under a slash and an @."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from agent_tui.protocol.ops import Choice
from agent_tui.protocol.transcript import EditedPrompt
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.structures.chips import Chip
    from agent_tui.structures.fuzzy import Matches
    from agent_tui.structures.mention import Typed


PurposeKind = Literal[
    "allow", "deny", "say", "argument", "search", "history", "action", "title", "save", "sheet",
]  # fmt: skip


@frozen
class Purpose:
    """What the prompt asks for while it is not for the model; `id` is the question that it
    answers."""

    kind: PurposeKind
    label: str
    id: str = ""
    secret: bool = False
    """What is typed stays in the prompt: the core is told whether there is something, never what.
    """
    kept: bool = False
    """What is typed is on record as a draft is: much may be written in it."""
    sends: str = "send"
    """What Enter does with it, in a word."""
    choice: Choice = "no"
    """The answer with which the words go."""


@frozen
class Editing:
    """The queued prompt `id` is in the prompt, to be changed; `stash` is the draft from before."""

    id: str
    stash: str = ""


@frozen
class Composer:
    """The prompt. `draft` is what it holds; a new `rev` makes the widget show `text`."""

    draft: str = ""
    caret: int = 0
    rev: int = 0
    text: str = ""
    place: int = -1
    """Where the caret is put in `text`; negative: at its end."""
    selected: bool = False
    """All of `text` is selected when it is put there: what is typed takes its place."""
    purpose: Purpose | None = None
    stash: str = ""
    """The real draft, while the prompt has a purpose."""
    editing: Editing | None = None
    saved: str = ""
    """The draft that the engine was told last."""
    saved_edit: EditedPrompt | None = None
    """Whose new words it begins with."""
    stayed: str = ""
    """What a rewind gave back, or Enter did not take, as it stood there."""
    calls: str = ""  # a line that may call a skill: it waits in the draft until they are known
    history: tuple[str, ...] = ()
    """Earlier prompts, oldest first."""
    browsing: int = -1
    """Index in `history` of what is shown; negative: nothing of it."""
    kept: str = ""
    """The draft from before the browsing."""
    returned_at: float = float("-inf")
    """When it came back, behind an old prompt that was sent."""
    chips: tuple[Chip, ...] = ()
    """What the labels in the draft (and in what is put aside of it) stand for."""
    chipped: int = 0
    """The number of the newest pasted text."""
    looked: Mapping[str, str] = field(default_factory=dict)
    """What stands in the draft and may name an image, and the id of the question whether it does.
    """

    def asks(self, kind: PurposeKind) -> bool:
        """Whether that is what the prompt is for now."""
        return self.purpose is not None and self.purpose.kind == kind


@frozen
class Completion:
    """The list under a slash: the cursor, and the draft for which it was closed."""

    selected: int = 0
    closed_for: str = ""


@frozen
class Finder:
    """The list of files under an `@`. `shown` are the paths that were found for the query
    `shown_for`: they stay until those for what is typed now are found."""

    typed: Typed
    recent: tuple[str, ...] = ()
    matches: Matches | None = None
    """None: the engine has not told the files yet."""
    shown: tuple[str, ...] = ()
    shown_for: str = ""
    selected: int = 0
    waiting: bool = False
    """A `Yielded` is on its way, after which the search goes on."""
    closed: bool = False
