"""The sheets: lists to choose from, and what is read, above the prompt.

A file in this folder is a sheet: a value (`Sheet`) that says what it shows, what fills it, what can
be done in it, and the commands that open it. Nothing else has to be told of it. It is imported when
it is first asked for.

One controller moves in all of them (`control`), one view draws them (`draw`). What a sheet knows
beside its list is its `state`, a frozen value of a class of its own file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from agent_tui import registry
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span

if TYPE_CHECKING:
    from agent_tui.protocol.answers import AnswerData
    from agent_tui.protocol.display import DiffDisplay
    from agent_tui.protocol.ops import QueryKind
    from agent_tui.tui.commands.base import Command
    from agent_tui.tui.core.effects import Effect
    from agent_tui.tui.core.model import Model, Overlay
    from agent_tui.tui.core.msg import KeyPressed
    from agent_tui.tui.core.picker import Picker
    from agent_tui.tui.core.step import Step

NOT_REGISTERED: Final = ("actions", "control", "cursor", "draw", "opening")
Lines = tuple[tuple[Span, ...], ...]
"""Words as lines of pieces, each with its tone."""
TAKES: Final = ("enter", "tab")
"""The keys of what is done first with a row."""
NO_ROW: Final = Entry("", "")
"""What an action gets where the list is empty, or there is none."""


Typing = Literal["finds", "acts", "prompt", "below"]
Run = Callable[["Model", "Overlay", Entry], "Step"]


@frozen
class Action:
    """Something that can be done with the row of the cursor, or with the whole sheet.

    `keys` are Textual's names; a single letter acts where what is typed finds nothing. The footer
    writes them as `shown`, else as the first of them. `is_offered` says whether it does anything
    now. `confirm` says what is asked before it is done: Enter does it, any other key leaves it.
    `closes`: the sheet goes before `run` is called. `typed` is the word that stands for it in line
    mode, before the number of a row."""

    name: str
    keys: tuple[str, ...]
    label: str | Callable[[Model, Overlay], str]
    run: Callable[[Model, Overlay, Entry], Step]
    is_offered: Callable[[Model, Overlay, Entry], bool] | None = None
    needs_row: bool = True
    closes: bool = True
    confirm: Callable[[Entry], str] | None = None
    shown: str = ""
    typed: str = ""
    hidden: bool = False
    """The footer does not name it."""
    row_keys: bool = False
    """The key of a row marks that row, and Enter does it."""
    at_once: bool = False
    """Its letter acts at once: the sheet shows what it does, and a key takes that back. Others wait
    a moment, whether they begin a word."""
    needs_enter: bool = False
    """Its letter only marks it, whatever the pace of who types, and Enter does it. A key that types
    nothing does it at once, but not twice in a row: a finger may rest on it."""
    careful: bool = False
    """It cannot be taken back in the sheet: an Enter of a row of Enters does not do it."""
    only_moves: bool = False
    """It brings the cursor elsewhere, for which line mode has numbers."""
    one_click: bool = False
    """One click on a row does it: it can be taken back in the sheet itself."""

    def label_for(self, model: Model, overlay: Overlay) -> str:
        return self.label if isinstance(self.label, str) else self.label(model, overlay)

    def offered(self, model: Model, overlay: Overlay, row: Entry) -> bool:
        if self.needs_row and row is NO_ROW:
            return False
        return self.is_offered is None or self.is_offered(model, overlay, row)


CLOSES: Final = Action(
    "close", ("enter", "q"), "close", lambda model, _, __: (model, ()), needs_row=False, hidden=True
)
"""How a sheet that is read is closed beside Esc."""


@frozen
class Body:
    """What is read in a sheet: `lines`, Markdown, differences, and lines below all of it."""

    lines: Lines = ()
    text: str = ""
    diffs: tuple[DiffDisplay, ...] = ()
    drawn_from: int = 0
    """`lines` from this one on say in words what `diffs` are drawn of."""
    below: Lines = ()


@frozen
class Sheet:
    """`rows` is the list as it is now. `query` is what the engine is asked to fill it, `reads` are
    effects that bring the rest; `preview` is what is asked of the row under the cursor. `typing`
    says what a letter does that is no action: it `finds` rows, or goes to the `prompt` (the sheet
    makes room for it) or `below` it (the sheet stays), or the `prompt` too, but a letter of an
    action acts where it begins no word (`acts`)."""

    title: str | Callable[[Model, Overlay], str]
    rows: Callable[[Model, Overlay], Iterable[Entry]] | None = None
    actions: tuple[Action, ...] = ()
    commands: tuple[Command, ...] = ()
    typing: Typing = "finds"
    query: QueryKind | None = None
    reads: tuple[Effect, ...] = ()
    preview: QueryKind | None = None
    newest_last: bool = False
    broad: bool = True
    """A list of names with words beside them, or code: these take more columns than text to be
    read."""
    about_lines: int = 0
    """Lines that are kept for what is said of the row under the cursor, so that the list stays
    where it is."""
    high: int = 0
    """Lines that it always has: what its steps show differs, and nothing jumps; 0: as many as it
    needs."""
    about_small: int = 0
    """The same on a screen with few lines; 0: a third of it."""
    not_pasted: str = ""
    """What is said instead of taking a paste: it may be a secret, and the prompt asks for none."""
    always_about: bool = False
    """There is something to see of each row, which is no words of its own."""
    body: Callable[[Model, Overlay, int], Body] | None = None
    """What is read in it, between borders so many cells apart."""
    about: Callable[[Model, Overlay, Entry, int, int], Lines] | None = None
    """What is said of a row, in so many cells and lines, where it is not the row's `about`."""
    says_all: Callable[[Entry], bool] | None = None
    """Whether there is nothing more to say of a row than it says itself: the list takes that
    room."""
    instead: Callable[[Model, Overlay], Lines] | None = None
    """What is said instead of all that, where there is nothing to choose; empty: there is."""
    refreshes: bool = False
    """The footer says that F5 looks again."""
    note: Callable[[Model, Overlay], str] | None = None
    """What is to be said of it as a whole: above a list, or in the edge."""
    waits: Callable[[Model, Overlay], bool] | None = None
    """Whether an empty list is one that has not come yet."""
    begin_on: Callable[[Model], str] | None = None
    """The id of the row where the cursor begins."""
    refuse: Callable[[Model], str] | None = None
    """Why it cannot be opened now; empty: it can."""
    begin: Callable[[Model], object] | None = None
    """Its state when it is opened."""
    states: tuple[type, ...] = ()
    """The classes of its state: they may stand in a recording."""
    settle: Callable[[Model, Overlay], Step | None] | None = None
    """What it needs may have come: perhaps it has done its work. None: it is shown."""
    arrange: Callable[[Model, Overlay, Picker, bool], Picker] | None = None
    """The list with other rows; true: because other words are looked for."""
    on_cursor: Callable[[Model, Overlay, Entry], Step] | None = None
    """The cursor came to another row."""
    on_typed: Callable[[Model, Overlay], Step] | None = None
    """Other words are looked for."""
    on_rest: Callable[[Model, Overlay], Step] | None = None
    """A moment has passed without a key."""
    on_first_key: Callable[[Model, Overlay, KeyPressed, float], Step | None] | None = None
    """A key before anything else has it; with the time of the key before it. None: it is one like
    in every sheet."""
    on_letter: Callable[[Model, Overlay, str], Step | None] | None = None
    """Nothing followed a letter that was held. None: it was text."""
    on_esc: Callable[[Model], Step] | None = None
    """Esc, where it does not close the sheet."""
    opens_for: Literal["", "no_model", "unsaved", "jobs", "locked"] = ""
    """The occasion for which it opens by itself."""
    read_first: float = 0.0
    """So many seconds after what it shows was there Enter does nothing: a key that is held down
    comes again before. And no key of a row of keys without a pause does anything."""
    hears: tuple[type[AnswerData], ...] = ()
    """What the engine may tell that concerns it also while it is not open."""
    on_answer: Callable[[Model, str, AnswerData], Step | None] | None = None
    """The engine answered, or told something. None: it is no business of the sheet."""
    on_text: Callable[[Model, str], Step] | None = None
    """The prompt was sent while it was the sheet's (`Purpose.kind` is "sheet")."""
    live: Callable[[Model], tuple[object, ...]] | None = None
    """What its rows are made of: where one of these is another object than before, they are made
    anew."""
    every: Callable[[Model], float] | None = None
    """So many seconds after what it shows was told the engine is asked again; 0: it is not. Where
    what it is `live` by changes, at once. Not in line mode, which says a list once."""
    gone: str = "that entry is gone"
    """What is said where a key was meant for a row that has gone."""
    shows: frozenset[str] = frozenset()
    """What the header and the panels leave to it while it is open: `queue`, `pull`, `todo`."""
    decides: bool = False
    """The rows of the last group say what is done with all others: they stay in view."""
    list_first: bool = False
    """The rows stand above what is read, which is about the one under the cursor."""
    lists_keys: bool = False
    """Its rows are keys, which nobody presses in line mode."""
    says_groups: bool = False
    """Line mode says the groups of its rows."""
    is_ready: Callable[[Model, Overlay], bool] | None = None
    """Whether what it shows is the last word: nobody is asked any more."""
    holds_queue: bool = False
    """Prompts wait until it has closed: a turn would take away what it shows."""
    keys_in_body: bool = False
    """Its keys stand in the sheet, but for Enter: the footer has no room for all of them."""
    leave: Callable[[Model, Overlay], Step] | None = None
    """Esc, where it does more than to close the sheet."""
    esc: str | Callable[[Model, Overlay], str] = "close"
    """What the footer calls that."""

    def title_for(self, model: Model, overlay: Overlay) -> str:
        return self.title if isinstance(self.title, str) else self.title(model, overlay)

    def esc_for(self, model: Model, overlay: Overlay) -> str:
        return self.esc if isinstance(self.esc, str) else self.esc(model, overlay)


@cache
def find(kind: str) -> Sheet:
    """The sheet that is called as its file. Raises LookupError."""
    found: Sheet = registry.load(__name__, kind, "SHEET")
    return found


def typing_of(model: Model, overlay: Overlay) -> Typing:
    """What a letter does now that is no action. Where prompts wait for the sheet, words are written
    below it until it is filled, and once some are there."""
    sheet = find(overlay.kind)
    filled = sheet.is_ready is None or sheet.is_ready(model, overlay)
    below = overlay.holds_queue and (not filled or model.composer.draft.strip())
    return "below" if below else sheet.typing


def names() -> tuple[str, ...]:
    """What the sheets are called."""
    return registry.names(__name__)
