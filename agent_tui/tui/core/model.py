"""All that the screen knows, one immutable value to its depths. `sessions` is the engine's, the
rest the person's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from agent_tui.protocol.ops import Op
from agent_tui.protocol.tool_events import at_work
from agent_tui.protocol.transcript import Approval, Question, Queued, Transcript
from agent_tui.settings.values import OCCASIONS
from agent_tui.structures.frozen import frozen
from agent_tui.structures.tone import Tone
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.core.prompt_state import Completion, Composer, Finder

if TYPE_CHECKING:
    from agent_tui.settings.values import Value
    from agent_tui.tui.core.history_search import Recall
    from agent_tui.tui.core.picker import Picker
    from agent_tui.tui.core.undo_state import GoingBack
    from agent_tui.tui.transcript.search import Found, Index


Occasion = Literal["done", "question", "failure"]


@frozen
class Window:
    """The window of the terminal: whether the person looks at it, its title, and what may be told
    outside of it."""

    focused: bool | None = None
    """None: the terminal has not told; it may be one that never does."""
    touched: float = float("-inf")
    """When a key was pressed last, as long as `focused` is not known."""
    dark: bool | None = None
    """Whether its ground is dark, where it has told."""
    title: str = ""
    """What the title says; empty: it is not ours."""
    branch: str = ""
    """Of the folder, where it is shown."""
    on: tuple[str, ...] = OCCASIONS
    desktop: bool = True
    bell: bool = False
    titled: bool = False
    """The title is ours to set."""
    after: float = 10.0
    """Seconds without a key after which the person counts as away, where `focused` is not known."""


@frozen
class Unmark:
    """What a row of keys would have typed, and how the question stood before the first of them."""

    text: str
    at: float
    marked: tuple[int, ...]
    selected: int


@frozen
class Dialog:
    """How the question `id` stands on the screen."""

    id: str
    shown_at: float
    """When it was there to be answered: when it was asked, and from then on when it was painted."""
    selected: int = 0
    moved_at: float = float("-inf")
    """When a key moved the cursor."""
    interrupts: bool = False
    """It took away a list, a sheet or a search: the next keys are rather meant for that."""
    listed: bool = False
    """It took away a list of what may be completed: the next Enter is rather meant for that."""
    drops_keys: bool = False
    """It took away a search: until a rest, what is typed is for that, and goes nowhere."""
    guards_esc: bool = False
    """Something that Esc closes or leaves was open when it appeared: for a moment, the first Esc is
    meant for that."""
    painted: bool = False
    ignored_at: float = float("-inf")
    """When a key was refused that opens something else: the next ones are rather meant for that,
    and a letter answers no more."""
    refused_at: float = float("-inf")
    """When an Enter was no answer: the next one is none either before the cursor is moved."""
    refuses: bool = False
    """The last key that was to choose an answer, taken or not, was for one that allows nothing: no
    Enter allows anything before another answer is chosen."""
    answered: bool = False
    """The person answered it; the engine has not told yet."""
    offer: str = ""
    """The key of the answer under the cursor when the person turned to another question."""
    stood_for: tuple[str, ...] = ()
    """The other questions that it answered then."""
    cleared_at: float = float("-inf")
    """When one key took all words out of the prompt."""
    drafted: bool = False
    """Words were in the prompt before: they are not meant for it."""
    scroll: int = 0
    unseen: int | None = None
    """Lines at the end of what is asked about that have never been in view; None: not painted yet.
    """
    marked: tuple[int, ...] = ()
    """The rows that are marked, where several may be chosen."""
    unmark: Unmark | None = None
    """The keys that marked them last, for as long as they may turn out to begin a word."""


@frozen
class Source:
    """What can be copied: an answer or code in one, as written. `key` takes it in a list; `file` is
    its name."""

    kind: Literal["answer", "code"]
    key: str
    text: str
    label: str
    file: str


@frozen
class Confirming:
    """The action that is done with the row `row` when its key is pressed again; `since` when that
    is asked."""

    action: str
    row: str
    since: float


@frozen
class Overlay:
    """The sheet `kind` (a file in `tui/sheets`) is open. `query` is the id of the answer that it
    waits for."""

    kind: str
    scroll: int = 0
    query: str = ""
    note: str = ""
    """What it was opened for: a name, a label."""
    filled_at: float = float("-inf")
    """When what it shows was there."""
    told_at: float = float("-inf")
    """When the engine told last what it shows."""
    shown_at: float = float("-inf")
    """When it appeared by itself: for a moment, keys may still be meant for the prompt."""
    picker: Picker | None = None
    state: object = None
    """What the sheet knows beside its list: a frozen value of a class of its file."""
    confirming: Confirming | None = None
    clicked: str = ""
    """The row that the mouse clicked last: a second click takes it."""
    holds_queue: bool = False
    """Prompts wait until it has closed."""
    refused: bool = False
    """An Enter did nothing, or came before the sheet did: the next ones may belong to its row."""
    ignored: bool = False
    """A key that does something with the row did nothing, and the cursor was not moved since: an
    Enter would do the opposite of what was wanted."""
    done: str = ""
    """The row with which the person did something last, at `done_at`."""
    done_at: float = float("-inf")


@frozen
class Configured:
    """All settings with their sources, the themes there are, and what is wrong in the files."""

    values: Mapping[str, Value] = field(default_factory=dict)
    themes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@frozen
class Reading:
    """How the transcript is read. `jump` counts wishes to see its end, `go` those to see row `mark`
    (-1: none)."""

    expanded: bool = False
    exceptions: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()
    """First rows of the groups that are an exception."""
    jump: int = 0
    following: bool = True
    mark: int = -1
    go: int = 0

    def at_end(self) -> Reading:
        """The same at the end of the transcript, where what was sent appears."""
        return replace(self, jump=self.jump + 1, mark=-1)


@frozen
class Search:
    """What is looked for in the transcript. `at`: the number of the hit that is looked at;
    negative: none."""

    index: Index
    hits: Found
    query: str = ""
    at: int = -1
    origin: int = -1
    """The row from which the first hit is looked for, upwards."""
    wrapped: bool = False  # the last step went beyond the last hit, or before the first
    opened: int = -1  # the row that was opened because the hit is in it
    waiting: bool = False
    """A `Yielded` is on its way, after which the search goes on."""


@frozen
class Toast:
    number: int
    text: str
    tone: Tone = "normal"

    @property
    def words(self) -> str:
        """The text; a failure says that it is one, for a colour alone is not seen by everybody."""
        return f"Error: {self.text}" if self.tone == "bad" else self.text


@frozen
class InFlight:
    """A prompt that was handed to the engine and has not begun its turn."""

    text: str
    queue_id: str = ""


@frozen
class Model:
    sessions: Mapping[str, Transcript] = field(default_factory=lambda: {"": Transcript()})
    active: str = ""
    started: bool = False
    """The engine has opened its session."""
    starting: str = ""
    """The model that was named for it."""
    gone: bool = False
    """The engine has stopped: nothing that is sent arrives any more."""
    width: int = 80
    height: int = 24
    home: str = ""
    at: float = 0.0
    """Time of the newest Msg, in seconds since the epoch."""
    now: float = 0.0
    """Time of the newest tick or event: what clocks on the screen show."""
    composer: Composer = Composer()
    completion: Completion = Completion()
    files: Mapping[str, str] = field(default_factory=dict)
    """Where the files are that the transcript names, as far as somebody has looked; empty: there is
    none."""
    dialog: Dialog | None = None
    held: Held | None = None
    overlay: Overlay | None = None
    reading: Reading = Reading()
    look: Look = DEFAULT
    window: Window = Window()
    toast: Toast | None = None
    toasts: int = 0
    in_flight: InFlight | None = None
    early: tuple[str, ...] = ()
    """Prompts that were sent before the engine had opened its session, and that it has not told of
    yet."""
    taken: frozenset[str] = frozenset()
    """Queued prompts that were sent, steered or taken back, and that the engine has not yet taken
    out of the queue."""
    edits: tuple[Queued, ...] = ()
    """Queued prompts with new words that the engine has not confirmed."""
    mode_asked: str = ""
    """The mode that the engine was asked for and has not confirmed."""
    queries: int = 0
    last_key: float = float("-inf")
    """When the key came whose words the next one may go on with: none that was a whole by itself.
    """
    pressed_at: float = float("-inf")
    """When the newest key came."""
    last_name: str = ""
    """The key that was pressed last."""
    idle_enter: bool = False
    """It was an Enter that had nothing to send: it may be one of a row."""
    since_same: float = float("inf")
    """Seconds between the newest two keys that came here, where they are the same one."""
    repeated: bool = False
    """While a key is handled: a finger rests on it, it came again by itself."""
    moved_at: float = float("-inf")
    """When a key moved the cursor of a list or a question."""
    dropped_at: float = float("-inf")
    """When a question went that the person had not answered: the next Enter may be for that."""
    arrow_at: float = float("-inf")
    """When ↑ or ↓ moved something else than the question that is asked."""
    typed_at: float = float("-inf")
    """When words were typed last that were not sent since: letters are rather more of them for a
    while."""
    quit_at: float = float("-inf")
    """When Ctrl+C was pressed with nothing left to stop."""
    ended_at: float = float("-inf")
    """When what ran had come to its end."""
    selection: bool = False
    mouse: bool = True
    """Clicks come to us, not to the terminal."""
    copied: int = 0  # characters of the last copy
    long_copy: bool = False  # it was too long for some terminals
    seen: tuple[int, int] = (0, -1)
    """The first and the last row in view when the newest key was pressed; (0, -1): not known."""
    search: Search | None = None
    finder: Finder | None = None
    aside: Aside | None = None
    recall: Recall | None = None
    going_back: GoingBack | None = None
    asked: str = ""
    """The open question that the person turned to, where there are several."""
    tabs: Mapping[str, Dialog] = field(default_factory=dict)
    """How open questions of the model stood when the person turned to another one."""
    read: frozenset[str] = frozenset()
    """Open questions of which everything has been in view."""
    rewound: int = 0  # the record number of the newest `Rewound` of this session
    stopped_at: float = float("-inf")  # when Esc stopped something, or came right behind that
    esc_at: float = float("-inf")  # when Esc had nothing left to stop or close
    decided_at: float = float("-inf")
    """When Esc answered a question that came by itself: what begins then is not stopped by one
    more."""
    recalls: int = 0
    vim: VimMode = ""
    leaving: Literal["", "saves", "unsaved", "keeps", "sure"] = ""
    """Not all of the session is on disk, and the person leaves: once it is, or all the same. Or
    once jobs are kept."""
    switching: Op | None = None
    """What opens another session, while it is asked what becomes of the jobs of this one."""
    piped: bool = False
    """Lines come from a program, which answers no question."""
    keys: OwnKeys = ()
    alone: bool = False
    """A sheet is all that the program is for: it ends when that closes."""
    configured: Configured = Configured()
    facts: tuple[tuple[str, str], ...] = ()
    """What the runtime knew of itself when it was asked last: name and value."""
    recent_actions: tuple[str, ...] = ()
    """What was run by the palette, a slash or a key, the newest first, as the palette calls it."""

    def with_used(self, action: str) -> Model:
        """`action` was run last."""
        others = (one for one in self.recent_actions if one != action)
        return replace(self, recent_actions=(action, *others))

    @property
    def transcript(self) -> Transcript:
        """The active session."""
        return self.sessions[self.active]

    @property
    def question(self) -> Approval | Question | None:
        """The one question that is asked now: the one that the person turned to, or the first."""
        if self.gone:
            return None
        pending = self.transcript.questions
        turned_to = (one for one in pending if self.asked and one.id == self.asked)
        waiting = (one for one in pending if isinstance(one, Approval) or not one.answered)
        return next(turned_to, next(waiting, None))

    @property
    def is_running(self) -> bool:
        """Whether there is something to interrupt."""
        return not self.gone and (
            bool(self.in_flight) or self.transcript.state != "idle" or at_work(self.transcript)
        )

    @property
    def busy(self) -> bool:
        """Whether something runs here that must end first: what another program runs is none of
        ours to interrupt."""
        return self.is_running and not self.transcript.reading

    @property
    def is_held(self) -> bool:
        """Whether prompts stay in the queue until the person has answered what is asked before the
        next turn."""
        hold = self.transcript.answers.hold
        return not self.gone and hold is not None and hold.on

    @property
    def can_stop(self) -> bool:
        """Whether something runs, or would begin by itself, that the person can keep from it."""
        held = self.is_held and bool(self.queue) and not self.transcript.paused
        return self.busy or (held and not self.transcript.reading)

    @property
    def is_asking(self) -> bool:
        """Whether keys go to the dialog: a question is open and the prompt is not being used to
        answer it."""
        return self.dialog is not None and self.composer.purpose is None

    @property
    def is_covered(self) -> bool:
        """Whether keys go to an overlay."""
        return self.overlay is not None and self.composer.purpose is None

    @property
    def holds_queue(self) -> bool:
        """Whether prompts wait until the sheet that is open has closed."""
        return self.overlay is not None and self.overlay.holds_queue

    @property
    def queue(self) -> tuple[Queued, ...]:
        """The prompts that wait for a turn of their own."""
        return tuple(item for item in self.waiting_prompts if not item.steer)

    @property
    def waiting_prompts(self) -> tuple[Queued, ...]:
        """All that waits, the words for the running turn too, as it will read."""
        edits = {item.id: item for item in self.edits}
        waiting = (item for item in self.transcript.queue if item.id not in self.taken)
        listed = (replace(edits.get(item.id, item), steer=item.steer) for item in waiting)
        return tuple(
            sorted(listed, key=lambda item: not item.steer)
        )  # the next step is before the next turn


def initial(history: tuple[str, ...] = ()) -> Model:
    """The model before anything happened; `history` are earlier prompts, oldest first."""
    return Model(composer=Composer(history=history))


VimMode = Literal["", "insert", "normal", "visual", "visual line"]
"""Empty: the prompt is no vim."""
OwnKeys = tuple[tuple[str, tuple[str, ...]], ...]
"""Commands whose keys the person changed, each with all of its keys."""


@frozen
class Held:
    """A key that acts at `due`, unless another one comes before: then it was text. `on`: the
    question that it answers, never by itself, and `row` where the cursor is where it was text.
    Without `on` it is the sheet's: `entry` is the id of the row that it takes (empty: it needs
    none), `label` what it does, `before` the row where the cursor was. A list may shift meanwhile.
    """

    key: str
    character: str
    due: float
    on: str = ""
    row: int = 0
    entry: str = ""
    label: str = ""
    before: str = ""
    late: bool = False
    """Its time was over later than it should have been: what came meanwhile is let through first.
    """


@frozen
class Aside:
    """`state` is `asking` while the answer comes. `tokens`: what it cost, sent and written."""

    id: str
    question: str
    text: str = ""
    state: Literal["asking", "completed", "cancelled", "error"] = "asking"
    problem: str = ""
    tokens: tuple[int, int] = (0, 0)
    estimated: bool = False
