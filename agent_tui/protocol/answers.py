"""What the engine answers (`Answered.data`): one frozen class for each kind of answer, plain data like the events.

`type` names the kind; the codec reads and writes it. A new kind goes into `Answer` and has its place in
`Transcript.answers`; the type checker then lists who must decide about it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from agent_tui.protocol.display import Hunk
from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.model_answers import EffortLevel as EffortLevel
from agent_tui.protocol.model_answers import Efforts as Efforts
from agent_tui.protocol.model_answers import ModelFacts as ModelFacts
from agent_tui.protocol.model_answers import Models as Models
from agent_tui.protocol.model_answers import Needs as Needs
from agent_tui.protocol.model_answers import Offer as Offer
from agent_tui.protocol.model_answers import ProviderGroup as ProviderGroup
from agent_tui.protocol.model_answers import PullProgress as PullProgress
from agent_tui.protocol.model_answers import PullState as PullState
from agent_tui.protocol.model_answers import SetupOffers as SetupOffers
from agent_tui.protocol.model_answers import SetupOutcome as SetupOutcome
from agent_tui.protocol.model_answers import SetupState as SetupState
from agent_tui.protocol.model_answers import Tried as Tried
from agent_tui.protocol.ops import FileChoice
from agent_tui.protocol.session_answers import Branch as Branch
from agent_tui.protocol.session_answers import ForkOutcome as ForkOutcome
from agent_tui.protocol.session_answers import Hit as Hit
from agent_tui.protocol.session_answers import Locked as Locked
from agent_tui.protocol.session_answers import LogLine as LogLine
from agent_tui.protocol.session_answers import LogTail as LogTail
from agent_tui.protocol.session_answers import Preview as Preview
from agent_tui.protocol.session_answers import PreviewPart as PreviewPart
from agent_tui.protocol.session_answers import SaveOutcome as SaveOutcome
from agent_tui.protocol.session_answers import SearchResults as SearchResults
from agent_tui.protocol.session_answers import Sessions as Sessions
from agent_tui.protocol.session_answers import Share as Share
from agent_tui.protocol.session_answers import ShelfOutcome as ShelfOutcome
from agent_tui.protocol.session_answers import Stats as Stats
from agent_tui.protocol.session_answers import Step as Step
from agent_tui.protocol.session_answers import Summary as Summary
from agent_tui.protocol.session_answers import Tool as Tool
from agent_tui.protocol.session_answers import Tree as Tree
from agent_tui.protocol.standing import Direction, RestoredFile
from agent_tui.structures.frozen import frozen
from agent_tui.structures.fuzzy import Corpus


@frozen
class Skills:
    """The skills of the session, by name."""

    skills: tuple[SkillInfo, ...] = ()
    type: ClassVar = "skills"


@frozen
class Files(Corpus):
    """The files that can be named in a prompt. `whole`: they were looked for, else it is what git knows; a second
    answer follows. `note`: which files are not among them."""

    whole: bool = False
    note: str = ""
    type: ClassVar = "files"


@frozen
class ImageFile:
    """The image at `path`, in pixels; or why it is none that can be sent."""

    path: str = ""
    width: int = 0
    height: int = 0
    problem: str = ""
    type: ClassVar = "image"


@frozen
class ClipboardImage:
    """The clipboard's image, as a file of ours; without a path it holds none."""

    path: str = ""
    width: int = 0
    height: int = 0
    problem: str = ""
    type: ClassVar = "clipboard_image"


@frozen
class ClipboardSet:
    """Which tool took the text, and what was wrong with those before it; both are empty on a machine without a tool.
    `tmux`: whether tmux has the text in its own buffer; None: not inside of tmux."""

    tool: str = ""
    problem: str = ""
    tmux: bool | None = None
    type: ClassVar = "clipboard"


@frozen
class FileWritten:
    """The new file `path`, as a person would write it, or why there is none; `note`: what is not in it."""

    path: str = ""
    problem: str = ""
    note: str = ""
    type: ClassVar = "written"


@frozen
class PrivateOutput:
    """What a private command put out. Nothing else holds it. `lines`: how many lines it had, where `output` only says
    so."""

    command: str = ""
    said: str = ""
    output: str = ""
    lines: int | None = None
    type: ClassVar = "private"


@frozen
class Check:
    """One thing that `/doctor` looked at; of a bad one `fix` says what to do. `note`: worth knowing, and no fault."""

    area: Literal["settings", "servers", "keys", "terminal", "commands", "permissions"]
    state: Literal["ok", "note", "bad"]
    said: str
    fix: str = ""


@frozen
class Checkup:
    checks: tuple[Check, ...] = ()
    type: ClassVar = "doctor"


@frozen
class JobStatus:
    """What a command left in the background since `since` (seconds since the epoch): its processes, its `last` line of
    output, and the file that holds the `output`. `stops`: it was told to end."""

    id: str
    command: str
    pids: tuple[int, ...] = ()
    since: float = 0.0
    last: str = ""
    output: str = ""
    stops: bool = False


@frozen
class Jobs:
    jobs: tuple[JobStatus, ...] = ()
    type: ClassVar = "jobs"


@frozen
class OldFile:
    """A file and what going back does to it; `real` is its real path. `why` says what there is to know before;
    `choices` is what may be done with it (empty: nothing), `default` what is done without a word (empty: the person
    has to choose); `diff` goes from what it is now (`now`: the SHA-256 of it) to what it would be. `goes`: it would be
    deleted; `comes`: it would be there again."""

    path: str
    real: str = ""
    state: str = ""
    why: str = ""
    choices: tuple[FileChoice, ...] = ()
    default: FileChoice | Literal[""] = ""
    now: str = ""
    added: int = 0
    removed: int = 0
    diff: tuple[Hunk, ...] = ()
    goes: bool = False
    comes: bool = False


@frozen
class OldTurn:
    """A turn whose changes are in question: the number of its first record, its own, and how its prompt begins."""

    n: int
    turn: int = 0
    prompt: str = ""


@frozen
class UndoPlan:
    """What would be taken back, or made again (`redo`). `caps`: in words what is not shown, and what undo cannot
    reach; `undone`: changes of these turns were taken back already."""

    direction: Direction = "undo"
    files: tuple[OldFile, ...] = ()
    turns: tuple[OldTurn, ...] = ()
    caps: tuple[str, ...] = ()
    undone: bool = False
    type: ClassVar = "undo"


@frozen
class RestoreOutcome:
    """Whether all was `done`, and in words what (`said`), or why not (`problem`); `id` is that of the events that tell
    of it, with what became of the `files`. `asked`: files that need a word first; then nothing was done."""

    done: bool = False
    id: str = ""
    asked: tuple[OldFile, ...] = ()
    files: tuple[RestoredFile, ...] = ()
    said: str = ""
    problem: str = ""
    type: ClassVar = "restored"


Answer = (
    Skills | Models | Efforts | SetupOffers | SetupOutcome | PullProgress | Sessions | Tree | SearchResults | Stats
    | Preview | LogTail | ForkOutcome | ShelfOutcome | Locked | SaveOutcome | Files | ImageFile | ClipboardImage
    | ClipboardSet | FileWritten | PrivateOutput | Checkup | Jobs | UndoPlan | RestoreOutcome
)  # fmt: skip
