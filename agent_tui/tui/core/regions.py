"""What each region of the screen is to show: one small value a region. Made by `view`, drawn by the
widgets.

The runtime compares regions by identity and shows only what is another object than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from agent_tui.protocol.display import DiffDisplay, Display
from agent_tui.protocol.transcript import Block
from agent_tui.structures.frozen import frozen
from agent_tui.structures.tone import Tone
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import DEFAULT, Look

HIDDEN = "•"
"""Stands for what is typed and must not be seen."""


@frozen
class Span:
    text: str
    tone: Tone = "normal"


DOT = Span(" · ", "dim")


@frozen
class Part:
    """A part of the header, which is shown whole or not at all. Where they have no room, the part
    with the lowest `leaves` goes first; `short` takes the place of the whole when the number
    `shortens` has its turn. What `cuts` is a name that may also lose its end, behind a piece of it,
    before it goes."""

    spans: tuple[Span, ...]
    leaves: int
    short: tuple[Span, ...] = ()
    shortens: int = 0
    cuts: bool = False


@frozen
class HeaderView:
    """One line: parts at its left end and at its right."""

    at_left: tuple[Part, ...]
    at_right: tuple[Part, ...]

    @property
    def left_spans(self) -> tuple[Span, ...]:
        return join_parts(part.spans for part in self.at_left)

    @property
    def right_spans(self) -> tuple[Span, ...]:
        return join_parts(part.spans for part in self.at_right)


def join_parts(parts: Iterable[tuple[Span, ...]]) -> tuple[Span, ...]:
    """What `parts` say, with a dot between two that say something."""
    said = [part for part in parts if part]
    return tuple(span for n, part in enumerate(said) for span in ((DOT, *part) if n else part))


@frozen
class TranscriptView:
    """Closed rows and the blocks still being written. A row is open if `expanded` differs from its
    being in
    `exceptions`, a group of rows if it differs from its first row's being in `groups`. `now` moves
    only while
    something runs (elapsed times). A new `jump` means: show the end; a new `go`: show the row
    `mark`, and in it the
    hit number `nth` of `query` where `nth` is not negative."""

    rows: Vec[Block]
    live: tuple[Block, ...]
    expanded: bool = False
    exceptions: frozenset[int] = frozenset()
    now: float = 0.0
    jump: int = 0
    groups: frozenset[int] = frozenset()
    look: Look = DEFAULT
    go: int = 0
    mark: int = -1
    """The row with the mark; negative: none."""
    query: str = ""
    """What is marked wherever it is to be seen, in small letters."""
    nth: int = -1
    mode: str = "auto"
    """What may run unasked: the welcome of an empty session says it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Where the files are that its text names; empty: there is none."""


@frozen
class QueueView:
    """Prompts that wait, oldest first. Shown only where there are some. `hint`: why they wait,
    where that is not the turn that runs."""

    items: tuple[str, ...]
    paused: bool
    hint: str = ""
    steers: tuple[str, ...] = ()
    """What enters the running turn at its next step."""


@frozen
class Option:
    """One choice of a dialog or list: the key that takes it, and its words."""

    key: str
    label: str
    detail: str = ""
    tone: Tone = "normal"
    value: str = ""
    """What it is now, or its key: a column between its words and what is said of it."""
    heading: bool = False
    """The name of the options below it, or the empty line above that: the cursor is never on it."""
    also: str = ""
    """Another key that takes it."""
    short: str = ""
    """Its words where there is little room; empty: the same."""
    row: int = -1
    """Its number, by which a click finds it wherever it is drawn; negative: by its line."""


@frozen
class DialogView:
    """A question above the prompt. `display` is the whole command or diff; `selected` the option
    under the cursor."""

    title: str
    reason: str
    display: Display | None
    options: tuple[Option, ...]
    selected: int
    warning: bool = False
    position: str = ""
    """`1 of 3` where more wait behind it."""
    scroll: int = 0
    look: Look = DEFAULT
    id: str = ""
    brief: str = ""
    """The title where little has room beside it."""
    about: tuple[str, str] = ("", "")
    """What stands beside the title where there is room: in full, and the part that counts."""
    others: tuple[str, ...] = ()
    """The questions that can be seen and answered, too, in a few words each."""


@frozen
class CompletionView:
    """`selected` is negative where there is nothing to choose: the one option is a hint (`/name
    <argument>`)."""

    options: tuple[Option, ...]
    selected: int


@frozen
class PromptView:
    """The prompt. A new `rev` means: the text is now `text`, the caret at `place` (negative: its
    end); else the widget keeps its own."""

    rev: int
    text: str
    placeholder: str
    label: str = ""
    """What is being asked for, where the prompt is not for the model (an address, an argument, a
    reason)."""
    place: int = -1
    vim: bool = False
    """It edits as vim does."""
    selected: bool = False
    """The new text is selected as a whole."""
    secret: bool = False
    """It shows dots, and tells nobody what they stand for."""
    no_pastes: bool = False
    """What is pasted is not taken, and nobody is told what it was."""


@frozen
class StatusView:
    """The line above the prompt: what runs, for how long. `spinner` is the number of its frame,
    negative for none."""

    spinner: int
    spans: tuple[Span, ...]


@frozen
class FooterView:
    """The keys of the moment, most useful first: (key, what it does)."""

    keys: tuple[tuple[str, str], ...]
    note: str = ""
    leaves: bool = False
    """The last key leaves what is open: it is named before the others."""


@frozen
class OverlayView:
    """A sheet above the prompt: help, a list to choose from, the first-run screen."""

    title: str
    lines: tuple[tuple[Span, ...], ...]
    options: tuple[Option, ...] = ()
    selected: int = 0
    note: str = ""
    """What the upper edge says behind the title: of how many rows the cursor is on which."""
    scroll: int = 0
    text: str = ""
    """Markdown between `lines` and `below`."""
    below: tuple[tuple[Span, ...], ...] = ()
    list_first: bool = False
    """The options stand above the text, which is about the one under the cursor."""
    head: int = 0
    """So many of the first `lines` stand above the options all the same."""
    asked: tuple[Span, ...] = ()
    """What is asked about the option under the cursor, right below it."""
    beside: bool = False
    """What is said of the option stands beside the list where there is room."""
    airy: bool = False
    """Headings have an empty line above them."""
    spare: int = 0
    """So many lines more other options take: the sheet keeps its height while the cursor moves and
    words are typed."""
    high: int = 0
    """So many lines below the edge, whatever it shows; 0: as many as it has."""
    diffs: tuple[DiffDisplay, ...] = ()
    told: int = 0
    """`lines` from this one on say in words what `diffs` are drawn of."""
    broad: bool = False
    """It is a list of names with words beside them, or code: these take more columns than text to
    be read."""
    stays: int = 0
    """So many of the last options stay in view, whatever is above them: the decision."""
    reads: bool = False
    """PgUp, PgDn and the wheel turn its words where they are not all in view."""


WIDEST: Final = 88
"""Columns of a text: lines that are longer are hard to read."""
LEAST_BESIDE: Final = 100
"""Columns of the screen from which a preview stands beside its list; on fewer below it."""
PARTS: Final = 5
"""The preview has two of so many parts of the columns."""
DIVIDER: Final = 3
"""Cells between a list and its preview."""


def sheet_room(screen: int, broad: bool = False) -> int:
    """Columns of a sheet for its words: as many as the text of the prompt has, and of a text no
    more than one reads."""
    room = max(8, screen - 6)
    return room if broad else min(WIDEST, room)


def preview_room(screen: int) -> int:
    """Columns of a preview beside its list; 0: it stands below."""
    return sheet_room(screen, True) * 2 // PARTS if screen >= LEAST_BESIDE else 0


def list_room(screen: int) -> int:
    """Columns of the list that has its preview beside it."""
    beside = preview_room(screen)
    return sheet_room(screen, True) - (beside + DIVIDER if beside else 0)


@frozen
class ToastView:
    """`above`: so many lines at the bottom stay in view below it."""

    text: str
    tone: Tone = "normal"
    above: int = 0


@frozen
class View:
    header: HeaderView
    transcript: TranscriptView
    queue: QueueView | None
    dialog: DialogView | None
    completion: CompletionView | None
    prompt: PromptView
    status: StatusView | None
    footer: FooterView
    overlay: OverlayView | None
    toast: ToastView | None
    too_small: bool = False
    grab_all: bool = False
    """A dialog or an overlay is open: every key comes as `KeyPressed`; the prompt gets one only by
    a `Type` effect."""
    grab: frozenset[str] = frozenset()
    """Keys that come as `KeyPressed` now although no command binds them (the completion list is
    open)."""
