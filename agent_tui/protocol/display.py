"""What a person is shown of a tool's work: a closed vocabulary, drawn by every front end. Extend
here first.

Texts are raw (a file's, a command's, a model's): a front end makes control sequences visible and
never reads markup.
"""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.structures.frozen import frozen


@frozen
class TextDisplay:
    text: str
    type: Literal["text"] = "text"


@frozen
class MarkdownDisplay:
    text: str
    type: Literal["markdown"] = "markdown"


@frozen
class CodeDisplay:
    """A stretch of a file."""

    text: str
    path: str = ""
    language: str = ""
    first_line: int = 1
    total_lines: int = 0
    opening: tuple[str, ...] = ()
    """As in a `Hunk`."""
    type: Literal["code"] = "code"


@frozen
class Hunk:
    """Lines of a unified diff without line ends, each with its mark (` `, `+`, `-`) in front;
    starts are 1-based.

    `old_opening`, `new_opening`: of what stands above it in either file, the lines that opened what
    its first line is
    inside of (a string, a comment, a block): with them in front it is coloured as in the whole
    file.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]
    old_opening: tuple[str, ...] = ()
    new_opening: tuple[str, ...] = ()


@frozen
class DiffDisplay:
    path: str
    hunks: tuple[Hunk, ...]
    added: int = 0
    removed: int = 0
    created: bool = False
    type: Literal["diff"] = "diff"


@frozen
class DiffsDisplay:
    """What one call changes in several files."""

    diffs: tuple[DiffDisplay, ...]
    type: Literal["diffs"] = "diffs"


@frozen
class Entry:
    name: str
    kind: Literal["file", "folder", "link", "other"] = "file"
    size: int = 0


@frozen
class ListingDisplay:
    """Files: of a folder, or found by name. `total` counts those left out too."""

    path: str
    entries: tuple[Entry, ...]
    total: int = 0
    type: Literal["listing"] = "listing"


@frozen
class Match:
    path: str
    line: int
    text: str


@frozen
class MatchesDisplay:
    pattern: str
    matches: tuple[Match, ...]
    total: int = 0
    type: Literal["matches"] = "matches"


@frozen
class CommandDisplay:
    """A shell command; `exit_code` is None while it runs, or when a signal or a timeout ended it.
    `background`: it went on when this was told; in a question, it would."""

    command: str
    cwd: str = ""
    output: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    background: bool = False
    type: Literal["command"] = "command"


@frozen
class TableDisplay:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    type: Literal["table"] = "table"


@frozen
class TodoItem:
    text: str
    state: Literal["open", "active", "done"] = "open"


TODO_WORDS: Final = {"open": "to do", "active": "in work", "done": "done"}
"""What the states of an item are called."""


@frozen
class TodoDisplay:
    items: tuple[TodoItem, ...]
    type: Literal["todo"] = "todo"


@frozen
class AskedQuestion:
    """`answers`: the options that were chosen, or the person's own words; none while it is open."""

    text: str
    options: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    declined: bool = False


@frozen
class QuestionDisplay:
    """What the model asks the person in one call."""

    questions: tuple[AskedQuestion, ...]
    type: Literal["question"] = "question"


@frozen
class PlanDisplay:
    """`verdict`: what the person said of it, in a few words; empty: nothing yet."""

    text: str
    verdict: str = ""
    type: Literal["plan"] = "plan"


@frozen
class ImageDisplay:
    """`blob` and `media`: where its content is kept, and what it is, if it went to the model."""

    path: str
    width: int = 0
    height: int = 0
    blob: str = ""
    media: str = ""
    type: Literal["image"] = "image"


@frozen
class AgentStatus:
    name: str
    task: str
    state: str


@frozen
class AgentsDisplay:
    agents: tuple[AgentStatus, ...]
    type: Literal["agents"] = "agents"


Display = (
    TextDisplay
    | MarkdownDisplay
    | CodeDisplay
    | DiffDisplay
    | DiffsDisplay
    | ListingDisplay
    | MatchesDisplay
    | CommandDisplay
    | TableDisplay
    | TodoDisplay
    | QuestionDisplay
    | PlanDisplay
    | ImageDisplay
    | AgentsDisplay
)
