"""What the engine answers (`Answered.data`): one frozen class for each kind of answer, plain data
like the events.

`type` names the kind; the codec reads and writes it. A new kind goes into `AnswerData` and has its
place in
`Transcript.answers`; the type checker then lists who must decide about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from agent_tui.protocol.context_answers import CompactionPlan as CompactionPlan
from agent_tui.protocol.context_answers import GoingMessage as GoingMessage
from agent_tui.protocol.context_answers import Ledger as Ledger
from agent_tui.protocol.context_answers import LedgerPart as LedgerPart
from agent_tui.protocol.context_answers import MappedFile as MappedFile
from agent_tui.protocol.context_answers import MemoryList as MemoryList
from agent_tui.protocol.context_answers import MemoryRow as MemoryRow
from agent_tui.protocol.context_answers import RepoMap as RepoMap
from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.messages import ModelInfo, SkillInfo
from agent_tui.protocol.ops import FileChoice
from agent_tui.protocol.session_answers import Branch as Branch
from agent_tui.protocol.session_answers import ForkOutcome as ForkOutcome
from agent_tui.protocol.session_answers import Hit as Hit
from agent_tui.protocol.session_answers import Locked as Locked
from agent_tui.protocol.session_answers import LogLine as LogLine
from agent_tui.protocol.session_answers import LogTail as LogTail
from agent_tui.protocol.session_answers import Preview as Preview
from agent_tui.protocol.session_answers import PreviewPart as PreviewPart
from agent_tui.protocol.session_answers import ProjectFile as ProjectFile
from agent_tui.protocol.session_answers import PromptHold as PromptHold
from agent_tui.protocol.session_answers import Refused as Refused
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
from agent_tui.protocol.session_answers import TrustOffer as TrustOffer
from agent_tui.protocol.standing import Direction, RestoredFile
from agent_tui.structures.frozen import frozen
from agent_tui.structures.fuzzy import Corpus

ProviderGroup = Literal["ready", "nearby", "service"]
"""There is a key or an address; it may run on this machine; it wants a key."""
Needs = Literal["", "key", "address"]
SetupState = Literal[
    "asking", "starting", "no_key", "answered", "failed", "down", "keeping", "kept"
]
PullState = Literal["starting", "pulling", "down", "done", "failed", "stopped"]


@frozen
class Tried:
    """One place that was looked at: `result` is one line that says how it ended and what to do."""

    what: str
    result: str


@frozen
class Offer:
    """A provider to choose: where its key is from, and what must be typed before it can be asked.
    What came of asking it is in `state` (empty: nobody asked; `down`: Ollama, which can be
    started), the number of its `models`, the `kind` of its failure, and what is `said` of it."""

    name: str
    label: str
    group: ProviderGroup = "service"
    key: str = ""
    needs: Needs = ""
    state: Literal["", "looking", "ok", "down", "failed"] = ""
    models: int = 0
    kind: str = ""
    said: str = ""
    placed: bool = False
    """Its address is the person's to say: it runs nearby, or each customer has one."""
    pulls: bool = False
    """It downloads models that it does not have."""


@frozen
class ModelFacts:
    """What its server's list does not say of a model: dollars for a million tokens read and written
    (None: not known), whether that is sure, and the levels of effort that differ."""

    price: tuple[float, float] | None = None
    sure: bool = False
    efforts: tuple[str, ...] = ()
    window_later: bool = False
    """Its server says how large its window is when it is used: none is assumed."""


@frozen
class Models:
    """The `model` in use (empty: none), what was `offered` and `tried` for it, and the `variables`
    that keys are read from; `aliases` are the person's own names. To a query also `facts` of each
    model by name, those `used` last, and the providers that are `unset`: they cannot be asked what
    they offer. None: nobody looked."""

    model: str = ""
    offered: tuple[ModelInfo, ...] = ()
    tried: tuple[Tried, ...] = ()
    variables: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, ModelFacts] | None = None
    used: tuple[str, ...] | None = None
    unset: tuple[Offer, ...] | None = None
    type: ClassVar = "models"


@frozen
class EffortLevel:
    """`level` is one of `EFFORTS`, `about` what it comes to."""

    level: str
    about: str


@frozen
class Efforts:
    """What each level of effort means to `model` (none: it cannot be told), which of them the key
    goes through (`cycle`), and what it does unasked (`auto`)."""

    model: str = ""
    auto: str = ""
    levels: tuple[EffortLevel, ...] = ()
    cycle: tuple[str, ...] = ()
    type: ClassVar = "efforts"


@frozen
class SetupOffers:
    """The providers to choose from. `looking`: some are still being asked; `keyring`: a key can be
    kept there."""

    offers: tuple[Offer, ...] = ()
    looking: bool = False
    keyring: bool = False
    type: ClassVar = "setup"


@frozen
class SetupOutcome:
    """What came of a step: with the `provider`, its `address` where one was typed or found, the
    names of its `models` and which of them is proposed (`first`); `key`: one was typed, which is
    never told; `kind` is that of a failure. `no_key`: what was typed is none; `down`: Ollama would
    have to be started."""

    state: SetupState
    provider: str = ""
    label: str = ""
    address: str = ""
    key: bool = False
    models: tuple[str, ...] = ()
    first: str = ""
    said: str = ""
    hint: str = ""
    kind: str = ""
    model: str = ""
    type: ClassVar = "setup_step"


@frozen
class PullProgress:
    """How the fetching of `model` goes. `starting`: Ollama is started; `down`: it would have to be.
    `done` and `total` in bytes, `left` in seconds (0: nobody can say), once they are known."""

    model: str
    state: PullState
    percent: int = 0
    said: str = ""
    hint: str = ""
    done: int | None = None
    total: int | None = None
    left: int | None = None
    type: ClassVar = "pull"


@frozen
class Skills:
    """The skills of the session, by name."""

    skills: tuple[SkillInfo, ...] = ()
    type: ClassVar = "skills"


@frozen
class Files(Corpus):
    """The files that can be named in a prompt. `whole`: they were looked for, else it is what git
    knows; a second answer follows. `note`: which files are not among them."""

    whole: bool = False
    note: str = ""
    type: ClassVar = "files"


@frozen
class NamedFiles:
    """Where the files are that a text names, by what it calls them; empty: there is none in the
    folders of the session."""

    paths: Mapping[str, str] = field(default_factory=dict)
    type: ClassVar = "named_files"


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
    """Which tool took the text, and what was wrong with those before it; both are empty on a
    machine without a tool. `tmux`: whether tmux has the text in its own buffer; None: not inside of
    tmux."""

    tool: str = ""
    problem: str = ""
    tmux: bool | None = None
    type: ClassVar = "clipboard"


@frozen
class FileWritten:
    """The new file `path`, as a person would write it, or why there is none; `note`: what is not in
    it."""

    path: str = ""
    problem: str = ""
    note: str = ""
    type: ClassVar = "written"


@frozen
class PrivateOutput:
    """What a private command put out. Nothing else holds it. `lines`: how many lines it had, where
    `output` only says so."""

    command: str = ""
    said: str = ""
    output: str = ""
    lines: int | None = None
    type: ClassVar = "private"


@frozen
class Check:
    """One thing that `/doctor` looked at; of a bad one `fix` says what to do. `note`: worth
    knowing, and no fault."""

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
    """What a command left in the background since `since` (seconds since the epoch): its processes,
    its `last` line of output, and the file that holds the `output`. `stops`: it was told to end.
    `kept`: it goes on when the program ends; `adopted`: an earlier run of the program kept it.
    `tail`: the last lines of its output. `waits`: it seems to wait for input."""

    id: str
    command: str
    pids: tuple[int, ...] = ()
    since: float = 0.0
    last: str = ""
    output: str = ""
    stops: bool = False
    kept: bool = False
    adopted: bool = False
    tail: str = ""
    waits: bool = False


@frozen
class Jobs:
    jobs: tuple[JobStatus, ...] = ()
    type: ClassVar = "jobs"


@frozen
class PermissionStatus:
    """A rule. One that a person's answer made has an `id`, and a `folder` if it is about
    commands."""

    id: str
    kind: Literal["deny", "ask", "allow"]
    text: str
    folder: str = ""


@frozen
class DeniedCall:
    """A call that did not run, at a time (seconds since the epoch). `may_retry`: a person may allow
    it after all."""

    call_id: str
    label: str
    reason: str
    at: float = 0.0
    may_retry: bool = False


@frozen
class PermissionList:
    """What was allowed in this `session`, the rules in the `settings`, what was `denied`, the
    newest first, and what was allowed in this `folder` for good. `project`: in words whether what
    it brings is trusted. `lapsed`: what was allowed for good in another folder that was here."""

    session: tuple[PermissionStatus, ...] = ()
    settings: tuple[PermissionStatus, ...] = ()
    denied: tuple[DeniedCall, ...] = ()
    project: str = ""
    folder: tuple[PermissionStatus, ...] = ()
    lapsed: tuple[PermissionStatus, ...] = ()
    type: ClassVar = "permissions"


@frozen
class HiddenValue:
    """A placeholder that the model was told, in the result of `tool`; `problem`: why it cannot see
    the value. `shown`: it does, until the turn ends."""

    placeholder: str
    tool: str = ""
    problem: str = ""
    shown: bool = False


@frozen
class HiddenList:
    values: tuple[HiddenValue, ...] = ()
    type: ClassVar = "hidden"


@frozen
class OldFile:
    """A file and what going back does to it; `real` is its real path. `why` says what there is to
    know before; `choices` is what may be done with it (empty: nothing), `default` what is done
    without a word (empty: the person has to choose); `diff` goes from what it is now (`now`: the
    SHA-256 of it) to what it would be. `goes`: it would be deleted; `comes`: it would be there
    again."""

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
    """A turn whose changes are in question: the number of its first record, its own, and how its
    prompt begins."""

    n: int
    turn: int = 0
    prompt: str = ""


@frozen
class UndoPlan:
    """What would be taken back, or made again (`redo`). `caps`: in words what is not shown, and
    what undo cannot reach; `undone`: changes of these turns were taken back already; `begun`: the
    record that began the undo that would be made again, if the conversation went back with it."""

    direction: Direction = "undo"
    files: tuple[OldFile, ...] = ()
    turns: tuple[OldTurn, ...] = ()
    caps: tuple[str, ...] = ()
    undone: bool = False
    begun: int = 0
    type: ClassVar = "undo"


@frozen
class RestoreOutcome:
    """Whether all was `done`, and in words what (`said`), or why not (`problem`); `id` is that of
    the events that tell of it, with what became of the `files`. `asked`: files that need a word
    first; then nothing was done."""

    done: bool = False
    id: str = ""
    asked: tuple[OldFile, ...] = ()
    files: tuple[RestoredFile, ...] = ()
    said: str = ""
    problem: str = ""
    type: ClassVar = "restored"


@frozen
class Differences:
    """How files differ from what they were before the session changed them (`session`), or from
    the last commit (`head`). `left_out`: files whose difference is not told, each with the reason;
    `problem`: why nothing is told."""

    files: tuple[DiffDisplay, ...] = ()
    against: Literal["session", "head"] = "session"
    left_out: tuple[str, ...] = ()
    problem: str = ""
    type: ClassVar = "differences"


AnswerData = (
    Skills
    | Models
    | Efforts
    | SetupOffers
    | SetupOutcome
    | PullProgress
    | Sessions
    | Tree
    | SearchResults
    | Stats
    | Preview
    | LogTail
    | ForkOutcome
    | ShelfOutcome
    | Locked
    | Refused
    | SaveOutcome
    | Files
    | NamedFiles
    | ImageFile
    | ClipboardImage
    | ClipboardSet
    | FileWritten
    | PrivateOutput
    | Checkup
    | Jobs
    | PermissionList
    | HiddenList
    | TrustOffer
    | PromptHold
    | UndoPlan
    | RestoreOutcome
    | Differences
    | CompactionPlan
    | Ledger
    | MemoryList
    | RepoMap
)
