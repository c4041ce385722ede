"""What of a session stands beside its rows: the queue, what is asked, what is tried again, where
its turns began, and the files that go back to what they were."""

from __future__ import annotations

from typing import Literal

from agent_tui.protocol.display import Display, TodoItem
from agent_tui.structures.chips import Paste
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import display_tool_name
from agent_tui.structures.vec import Vec

Direction = Literal["undo", "redo"]
QuestionKind = Literal[
    "stuck", "budget", "price", "skill_argument", "confirm", "ask", "plan", "skill"
]
Outcome = Literal["", "done", "same", "kept", "beside", "changed", "failed"]


@frozen
class Queued:
    id: str
    text: str
    steer: bool = False  # for the running turn's next step, not for a turn of its own
    pastes: tuple[Paste, ...] = ()


@frozen
class EditedPrompt:
    """The first `length` characters of a draft are the new words of the queued prompt `id`: it
    stands once, in the queue or in the prompt."""

    id: str
    length: int


@frozen
class Approval:
    """An open question for consent. `always` says in words what the answer `always` would allow,
    `prefix` how the commands begin that the answer `prefix` would allow, and `folder` the commands
    that the answer `folder` would allow in this folder for good; `mode` is the mode in which such a
    call runs unasked, for a yes that holds from now on. Empty: not offered."""

    id: str
    call_id: str
    tool: str
    label: str
    reason: str
    display: Display | None = None
    always: str = ""
    hard: bool = False
    """On the hard list: asked in every mode, and never answered by a plain Enter."""
    mode: str = ""
    agent: str = ""
    """The id of the sub-agent that asks; empty: the main agent."""
    prefix: str = ""
    folder: str = ""
    argv: tuple[str, ...] = ()
    """The commands as the shell reads them, where that cannot be seen in the text."""
    sandbox: str = ""
    """Whether a sandbox would hold the command; empty: it would, or there is none."""
    hosts: tuple[str, ...] = ()
    """To which a yes gives it network in the sandbox; then the answer `outside` runs it without."""
    ran: bool = False
    """The command has run: a yes keeps what it changed, and a no puts that back."""


@frozen
class Allowance:
    """What a person allowed for the rest of the session: this tool on these targets (real paths, or
    the one command), a command in `folder`; or the commands that begin with `words`."""

    tool: str
    targets: tuple[str, ...] = ()
    folder: str = ""
    words: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        named = (display_tool_name(self.tool), *self.targets, *self.words)
        return " ".join(named) + (" …" if self.words else "")


@frozen
class Question:
    """An open question. `kind` is `stuck` (stop, continue, say), `budget` and `price` (stop,
    continue: more than the budget; a model whose price nobody knows), `skill_argument` (free text),
    `confirm` (yes, stop, later: a question outside a turn; the first line of `text` is its
    title, `options` say what a yes and what a no comes to), `ask` (the model asks in the call
    `call_id`: choose, say, no; `details` go with the options), `plan` (it proposes one: the same)
    or `skill` (choose, no: the first use of one of the project's, which `display` holds, by the
    person before a turn or by the call `call_id`)."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[str, ...] = ()
    agent: str = ""
    call_id: str = ""
    details: tuple[str, ...] = ()
    multi: bool = False
    """Several options may be chosen."""
    display: Display | None = None
    """What the person is to judge."""
    answered: bool = False
    """Another one of its call is open: until that is answered too, this answer can be changed."""
    picks: tuple[int, ...] = ()
    """The options that were chosen."""
    words: str = ""
    """The answer in the person's own words."""

    @property
    def before_turn(self) -> bool:
        """No turn waits for it: there is none to stop."""
        before = self.kind == "skill" and not self.call_id
        return before or self.kind in ("skill_argument", "confirm")


@frozen
class Retry:
    attempt: int
    until: float
    reason: str


@frozen
class Mark:
    """Where a turn began. `n`: the number of its record; `rows`: how many rows stood before it
    (earlier ones are never taken back, so this is all of what was); the rest is what the turn
    changed."""

    n: int
    rows: int
    prompt: str = ""
    at: float = 0.0
    context_tokens: int = 0
    estimated: bool = False
    files: Vec[str] = Vec()
    """What was changed in the turn, as shown; each change once."""
    todos: tuple[TodoItem, ...] = ()
    """The todo list as it was before the turn."""
    turn: int = 0
    """Its own number; 0: not known."""
    pastes: tuple[Paste, ...] = ()
    """What of the prompt was pasted."""


@frozen
class RestoredFile:
    """A file that is put back: from the content `before` (SHA-256, empty: no file) to `after`, with
    the permission bits
    `mode` (0: as they are; `mode_before`: what they were). `outcome`: done; same (it was so
    already); kept (as it is);
    beside (the other one was written to `beside`); changed, failed (nothing was done: `problem`).
    """

    path: str
    before: str = ""
    after: str = ""
    mode: int = 0
    mode_before: int = 0
    outcome: Outcome = ""
    beside: str = ""
    problem: str = ""


@frozen
class IntendedChange:
    """What a call is about to do to a file: from the content `before` (SHA-256, empty: no file) to
    `after`. `mode`: its permission bits before; `folders`: how many folders above it have to be
    made for it. `token`: what is in the names of ours beside it meanwhile."""

    path: str
    before: str = ""
    after: str = ""
    mode: int = 0
    folders: int = 0
    token: str = ""


def place_of(marks: Vec[Mark], n: int) -> int:
    """The index of the newest mark with record number `n`; -1: there is none."""
    return next((place for place in range(len(marks) - 1, -1, -1) if marks[place].n == n), -1)
