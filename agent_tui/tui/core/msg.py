"""What happened, as the core is told of it. Past tense, plain data; each carries `at`, the only
clock the core has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import Choice
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.model import Configured, VimMode

if TYPE_CHECKING:
    from agent_tui.tui.core.history_search import Past


@frozen(kw_only=True)
class Base:
    at: float = 0.0
    """Seconds since the epoch."""


@frozen
class Started(Base):
    """The screen is up. `prompt` is what was asked on the command line; `home` the person's home
    directory."""

    width: int
    height: int
    prompt: str = ""
    home: str = ""


@frozen
class Resized(Base):
    width: int
    height: int


@frozen
class EventsArrived(Base):
    """All that the queue held at one poll, adjacent deltas joined."""

    events: tuple[Event | Restored, ...]


@frozen
class Ticked(Base):
    """A poll found nothing new while something runs: clocks and spinner move."""


@frozen
class DraftChanged(Base):
    """The prompt now holds `text`."""

    text: str
    caret: int = 0
    """Characters before the caret."""


@frozen
class Pasted(Base):
    """The terminal pasted `text`; line ends are `\\n`. `unmarked`: it did not call it a paste, so
    it may be typed."""

    text: str
    unmarked: bool = False


@frozen
class ChipClicked(Base):
    """The mouse hit the chip `label` in the prompt."""

    label: str


@frozen
class OptionClicked(Base):
    """The mouse hit line `option` of the choices of a sheet, headings counted, or that answer of a
    question."""

    option: int


@frozen
class Acted(Base):
    """A person wants `action` of the sheet `sheet`, of its row `row` (None: the one under the
    cursor). Empty: the first that is offered there. `close`, `find` (with `text`), `confirm` and
    `keep` are the same in all sheets."""

    sheet: str
    action: str = ""
    row: str | None = None
    text: str = ""


@frozen
class CommandCalled(Base):
    """A person wants the command `name`, said in so many words, while the prompt holds `draft`.
    `send` sends that."""

    name: str
    draft: str = ""


@frozen
class QuestionAnswered(Base):
    """A person gives the question `id` the answer `choice`, said in so many words. `mode`: what
    holds from then on, where that is offered. `text` goes to the model with it; `asks`: that is
    asked for first. `together`: it is for the others of its kind, too. `by`: `nobody`, where there
    is no person who could answer. `picks`: the options that are chosen."""

    id: str
    choice: Choice
    mode: str = ""
    text: str = ""
    asks: bool = False
    by: Literal["person", "nobody"] = "person"
    together: bool = False
    picks: tuple[int, ...] = ()


@frozen
class QuestionTurned(Base):
    """A person wants to see the next open question (`step` 1), or the one before (-1)."""

    step: int = 1


@frozen
class PromptRecalled(Base):
    """A person takes what the search of earlier prompts found as number `place`, counted from 0."""

    place: int


@frozen
class Submitted(Base):
    """Enter (or Ctrl+S) in the prompt."""

    text: str


@frozen
class KeyPressed(Base):
    """A key that is bound in the command table, or one that the view grabs (`View.grab_all`,
    `View.grab`). `key` is Textual's name for it; `character` what it types, if anything (several
    keys that are nothing but text are one without a name); `draft` what the prompt holds;
    `selection` whether the mouse has selected something; `seen` the first and the last row in view,
    (0, -1) where that is not known."""

    key: str
    character: str = ""
    draft: str = ""
    selection: bool = False
    seen: tuple[int, int] = (0, -1)
    asked: tuple[int, int] = (0, 0)
    """Of what a question asks about, or the words of a sheet: how many lines are on the screen, and
    how many there are."""
    blind: bool = False
    """It came before the question or sheet that is open now was painted."""


@frozen
class AskedShown(Base):
    """What the question `id` asks about was painted: `page` lines of it, of `lines` that there
    are."""

    id: str
    page: int
    lines: int


@frozen
class HistoryAsked(Base):
    """Up (-1) or Down (+1) at the edge of the prompt."""

    step: int
    draft: str = ""


@frozen
class HistoryLoaded(Base):
    """Earlier prompts, oldest first. `again`: another copy has written some; they take the place of
    what was known."""

    entries: tuple[str, ...]
    again: bool = False


@frozen
class HistoryRead(Base):
    """Some earlier prompts for the search `number`, newest first; `done`: there are no more."""

    number: int
    entries: tuple[Past, ...] = ()
    done: bool = False


@frozen
class DraftEdited(Base):
    """The person's editor was left with `text`, or that was saved in it; or nothing came of it, and
    `problem` says why."""

    text: str
    problem: str = ""


@frozen
class ForkMade(Base):
    """The person made the copy `session` while they saw this one played back."""

    session: str


@frozen
class BugWritten(Base):
    """The session was written to `path`, or why it was not."""

    path: str = ""
    problem: str = ""


@frozen
class Recovered(Base):
    """What was typed at an earlier start, which was ended before it could be sent."""

    text: str


@frozen
class VimMoved(Base):
    """The prompt is in one of vim's modes. `missed`: the key that was pressed in it does nothing
    here."""

    mode: VimMode
    missed: str = ""


@frozen
class Toggled(Base):
    """The row was clicked, or opened by key; `group`: the group that begins with it was."""

    row: int
    group: bool = False


@frozen
class FilesNamed(Base):
    """What is in view names these files: nobody has looked yet whether they exist."""

    paths: tuple[str, ...]


@frozen
class FileClicked(Base):
    """The name of the file `path` was clicked, at `line` (0: none is said)."""

    path: str
    line: int = 0


@frozen
class Scrolled(Base):
    """The transcript shows its end, or no longer does."""

    following: bool


@frozen
class Copied(Base):
    """The terminal was given `text`, of `chars` characters, for its clipboard."""

    chars: int
    text: str = ""


@frozen
class ToastExpired(Base):
    number: int


@frozen
class Yielded(Base):
    """What came in the meantime is handled: what takes long may go on."""


@frozen
class LookDue(Base):
    """What the sheet `kind` shows may be old."""

    kind: str


@frozen
class SettingsRead(Base):
    """The settings as they are now. `key` is the one that was just written, `project`: into the
    project's file; without a key: those of that are in use only now. `failed`: why it could not
    be."""

    found: Configured
    key: str = ""
    failed: str = ""
    project: bool = False


@frozen
class FactsRead(Base):
    """What the runtime knows of itself: name and value."""

    facts: tuple[tuple[str, str], ...]


@frozen
class FocusChanged(Base):
    """The terminal told that it is looked at, or no longer is."""

    focused: bool


@frozen
class TerminalReturned(Base):
    """The shell, or another program, has given the terminal back: keys may still be meant for
    it."""


@frozen
class BranchRead(Base):
    """The folder has this branch; empty: none."""

    name: str


@frozen
class GroundTold(Base):
    """The terminal told whether its ground is dark."""

    dark: bool


@frozen
class EffectFailed(Base):
    """The runtime could not do something: one line for the person."""

    text: str


Msg = (
    Acted
    | CommandCalled
    | QuestionAnswered
    | QuestionTurned
    | PromptRecalled
    | Started
    | Resized
    | EventsArrived
    | Ticked
    | DraftChanged
    | Submitted
    | KeyPressed
    | HistoryAsked
    | HistoryLoaded
    | HistoryRead
    | DraftEdited
    | Recovered
    | VimMoved
    | Toggled
    | FilesNamed
    | FileClicked
    | Scrolled
    | Copied
    | ToastExpired
    | EffectFailed
    | Yielded
    | LookDue
    | SettingsRead
    | Pasted
    | ForkMade
    | BugWritten
    | ChipClicked
    | OptionClicked
    | FocusChanged
    | TerminalReturned
    | GroundTold
    | BranchRead
    | FactsRead
    | AskedShown
)
