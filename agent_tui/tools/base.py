"""What a tool is. A tool is one file in this folder; it exposes `TOOL`.

Every failure is a result that starts with a stable tag: `Error [<tag>]: what, where, what to do`. A
tool raises
`ToolFailure` for those it can name; the executor turns anything else into `Error [exception]`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, model_validator

from agent_tui.protocol.display import DiffDisplay, Display, TodoItem
from agent_tui.protocol.messages import MemoryFact, MemoryScope, SkillInfo, ToolSpec
from agent_tui.protocol.standing import IntendedChange, QuestionKind
from agent_tui.safety.process.processes import CommandResult, Job
from agent_tui.safety.sandbox.network_proxy import Internet
from agent_tui.structures.frozen import frozen
from agent_tui.tools.support.seen_files import SeenFiles

T = TypeVar("T")
Effect = Literal["read", "write", "execute", "network", "external"]
"""`network` looks something up at a host; `external` is anything that a call does outside, such as
what the tool of a server does."""


class Arguments(BaseModel, extra="forbid"):
    """Base of every tool's arguments; field descriptions and the JSON schema come from it."""


A = TypeVar("A")
ANY = TypeVar("ANY", covariant=True)


class ArgumentSchema(Protocol[ANY]):
    """Arguments that are declared otherwise than by a class: a JSON schema, and who checks it."""

    def schema(self) -> dict[str, object]: ...

    def validate(self, raw: object) -> ANY:
        """The arguments as the tool gets them. Raises ValueError."""
        ...


@frozen
class Reading:
    """Of which `part` of the file at a real path a result is the content. `unchanged` is said in
    its place where the model has that very result already; empty: it is given again."""

    path: Path
    part: str
    unchanged: str


@frozen
class ToolResult:
    """`content` for the model, `display` for the person; `tag` is `ok` or the tag of a failure."""

    content: str
    display: Display | None = None
    tag: str = "ok"
    reading: Reading | None = None
    is_scrubbed: bool = False
    """All of it went through `hide_secrets`: only values that are known are still looked for."""


class ToolFailure(Exception):
    """A failure that has a name. Its text goes to the model behind the tag."""

    def __init__(self, tag: str, text: str, display: Display | None = None) -> None:
        super().__init__(text)
        self.tag, self.text, self.display = tag, text, display

    def result(self) -> ToolResult:
        return ToolResult(f"Error [{self.tag}]: {self.text}", self.display, self.tag)


class Stale(ToolFailure):
    """What a call works on is not what it was when the call was worked out. Nothing was done."""


@frozen
class Planned:
    """A call that was worked out, once. `display` is what a person is asked about, and `apply` does
    just that. Where things are different by then, as `is_current` tells beforehand, it raises Stale
    and does nothing."""

    display: Display
    apply: Callable[[], Awaitable[ToolResult]]
    is_current: Callable[[], Awaitable[bool]] | None = None


@frozen
class Inquiry:
    """A question to the person: `details` go with the `options`, of which several may be chosen if
    it is `multi`; `display` is what they judge."""

    text: str
    options: tuple[str, ...]
    details: tuple[str, ...] = ()
    multi: bool = False
    kind: QuestionKind = "ask"
    display: Display | None = None


@frozen
class Reply:
    """What the person answered: the options that they chose, or their own words. Neither: they
    declined."""

    picks: tuple[int, ...] = ()
    words: str = ""


class MemoryStore(Protocol):
    """What is remembered from session to session. All of it looks at the disk: not for the
    loop."""

    def facts(self) -> Mapping[Path, MemoryFact]:
        """All facts, by the real paths of their files."""
        ...

    def search(self, text: str) -> Sequence[tuple[float, MemoryFact]]:
        """The facts that `text` is about, the best first, with how well each fits (0 to 1)."""
        ...

    def path_for(self, text: str, scope: MemoryScope) -> Path:
        """The real path of the file of a new fact."""
        ...


class ToolContext(Protocol):
    """What a tool gets from above. Paths are the policy's business: a tool opens nothing by
    itself."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """Real paths; the first is the session's folder."""
        ...

    @property
    def folder(self) -> Path:
        """Where a command of the call runs."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of commands; it says where the person's own settings of git are."""
        ...

    @property
    def call_id(self) -> str: ...
    @property
    def command_timeout(self) -> float:
        """Seconds."""
        ...

    @property
    def max_output_chars(self) -> int: ...
    @property
    def max_read_chars(self) -> int:
        """The same for a file that is read: more, where the model's window has room."""
        ...

    def emit(self, text: str) -> None:
        """Show a stretch of output while the tool runs."""
        ...

    def path(self, text: str) -> Path:
        """The real path that `text` names, links resolved as the kernel does, relative to the first
        root.

        Raises ToolFailure (`blocked`, `invalid_arguments`) where the path was not part of what was
        allowed.
        """
        ...

    def unreadable(self, folder: Path, names: Sequence[str]) -> Collection[str]:
        """Those of the files in `folder` (a real path) that a rule of the person keeps from being
        read by a tool that found them by itself."""
        ...

    def hide_secrets(self, text: str, of_secrets: bool = False) -> str:
        """`text` with placeholders for what looks like a secret; `of_secrets`: it stands in a file
        whose purpose is secrets. The number of lines stays."""
        ...

    def hide_known(self, text: str) -> str:
        """`text` with placeholders for the values that are known alone: before a part of it is
        hidden or left out, so that none of them is cut."""
        ...

    def display_path(self, path: Path) -> str:
        """How a path is named to people and models: relative inside the first root."""
        ...

    @property
    def internet(self) -> Internet:
        """How names of hosts become addresses."""
        ...

    @property
    def keys(self) -> Mapping[str, str]:
        """The program's own environment, in which keys and addresses of services stand."""
        ...

    @property
    def named_hosts(self) -> frozenset[str]:
        """Hosts that a person named with an address of their own network, as `host=address`."""
        ...

    async def process(
        self, command: str, timeout: float, background: bool = False
    ) -> CommandResult:
        """Run a shell command in `folder`; its output goes to `emit` as it comes.
        `background`: it goes on as a job, unless it ends at once."""
        ...

    def jobs(self) -> Mapping[int, tuple[str, Job]]:
        """What commands of the model left in the background, with the command, by its number."""
        ...

    async def run_blocking(self, work: Callable[[Callable[[], bool]], T]) -> T:
        """Run `work(stopped)` off the event loop; it must read `stopped()` at least every 50 ms."""
        ...

    @property
    def seen_files(self) -> SeenFiles:
        """What the model knows of files."""
        ...

    def scrub_ahead(self, display: Display) -> None:
        """Look for secrets in `display` now, off the loop, so that to show it takes no time."""
        ...

    def checkpoint(self, content: bytes, sha: str = "") -> str:
        """Keep a file's content before it is changed; returns its SHA-256, which is `sha` where
        that is known."""
        ...

    def begin_changes(self, files: tuple[IntendedChange, ...]) -> None:
        """Put on record what is about to be done to files, before the first of them is touched.
        Raises ToolFailure (`blocked`) where it cannot be."""
        ...

    def report_change(
        self,
        path: Path,
        diff: DiffDisplay,
        before: str,
        after: str,
        folders: int = 0,
        parted: str = "",
        mode: int = 0,
    ) -> None:
        """Say that a file was changed (SHA-256 before, empty if new, and after, empty if it is
        gone). `folders`: how many above it were made for it; `parted`: what became of its other
        names, in a sentence; `mode`: its permissions before (0: as now)."""
        ...

    def past_result(self, call_id: str) -> str | None:
        """What an earlier call gave, which the model does not read any more; None: nothing is
        known of it."""
        ...

    async def map_files(self, path: str, focus: Sequence[str], tokens: int) -> str:
        """What the files below `path` define, the most used first, in about so many tokens; first
        what the words of `focus` are about. Raises ToolFailure."""
        ...

    def set_todos(self, items: tuple[TodoItem, ...]) -> None:
        """The session's todo list is this one from now on."""
        ...

    def skills(self) -> Sequence[SkillInfo]: ...

    @property
    def memory(self) -> MemoryStore:
        """Raises ToolFailure where nothing is remembered."""
        ...

    def load_tools(self, group: str) -> Sequence[str]:
        """Offer the tools of a group from the next request on; their names. Raises ToolFailure."""
        ...

    async def load_skill(self, name: str, words: str) -> str:
        """The text of a skill with `words` in its places, once a session; or what it came to, where
        it runs in a context of its own. The person is asked before the first use of one of the
        project's. Raises ToolFailure."""
        ...

    async def ask(self, inquiries: Sequence[Inquiry]) -> Sequence[Reply] | None:
        """Ask the person all of it at once, and wait for the answers. None: nobody is there."""
        ...

    @property
    def mode(self) -> str: ...

    def set_mode(self, mode: str) -> None:
        """The session is in this mode from now on, as if the person had said so."""
        ...


@frozen
class Tool(Generic[A]):
    """A tool. `label` is the human line for a call (without the mark); `paths` names the files that
    a call touches, for the policy; `plan` works a call out for a person who is asked about it, and
    `run` is for those who are not."""

    name: str
    description: str
    arguments: type[A] | ArgumentSchema[A]
    """A class, or a schema with its validator."""
    effect: Effect
    label: Callable[[A], str]
    run: Callable[[A, ToolContext], Awaitable[ToolResult]]
    paths: Callable[[A], tuple[str, ...]] = lambda _: ()
    plan: Callable[[A, ToolContext], Awaitable[Planned]] | None = None
    command: Callable[[A], str] | None = None
    """The shell command that a call runs, where it runs one."""
    group: str = ""
    """The group with which it is loaded on demand; empty: it is in every request."""
    host: Callable[[A, Mapping[str, str]], str] | None = None
    """The host that a call reaches, as it has to be allowed; with the keys of services. Raises
    ValueError where there is none, ToolFailure where nobody may reach it."""
    odd_address: Callable[[A], str] = lambda _: ""
    """Why the address that a call reaches asks in every mode; empty: it does not."""
    is_offered: Callable[[Mapping[str, str]], bool] | None = None
    """Whether there is what it needs, by the keys of services. None: it needs nothing."""
    timeout: Callable[[A], float] | None = None
    """Seconds that a call asks for, where it is ended by a timeout; 0: the session's
    `command_timeout`."""
    research: bool = False
    """Looks things up outside: many calls with varying arguments in a turn are a sign of being
    lost."""

    persists: bool = False
    """What it does reaches into every later session: it asks in every mode, but where a rule of the
    person allows it."""

    asks_person: bool = False
    """It does nothing but ask the person, in its turn and not beside other calls."""

    @property
    def changes(self) -> bool:
        """Whether a call may change something here."""
        return self.effect in ("write", "execute", "external")

    @property
    def read_only(self) -> bool:
        """Whether a call changes nothing, here or elsewhere."""
        return self.effect in ("read", "network")

    @property
    def concurrent_safe(self) -> bool:
        """Whether calls may run side by side."""
        return self.effect == "read" and not self.research

    def schema(self) -> dict[str, object]:
        """The JSON schema of the arguments."""
        given = self.arguments
        if isinstance(given, type):
            return schema(cast(type[Arguments], given))
        return given.schema()

    def validate(self, raw: object) -> A:
        """The arguments of a call. Raises ValueError."""
        given = self.arguments
        if isinstance(given, type):
            return cast(A, cast(type[Arguments], given).model_validate(raw))
        return given.validate(raw)

    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.schema())


class ToolSource(Protocol):
    """Where tools come from that can come and go while the program runs."""

    name: str
    """What a list of tools says of where they are from."""

    def list(self) -> Sequence[Tool[Any]]:
        """The tools that there are now."""
        ...

    def changed(self) -> bool:
        """Whether that may be others than at the last `list`."""
        ...


@cache
def schema(arguments: type[Arguments]) -> dict[str, object]:
    """The JSON schema of a tool's arguments, without what only costs a small model's window
    (titles), and in one piece: some servers do not follow a `$ref`."""
    raw = arguments.model_json_schema()
    parts = {f"#/$defs/{name}": part for name, part in raw.pop("$defs", {}).items()}

    def plain(node: object, names: bool = False) -> object:
        if isinstance(node, dict) and "$ref" in node and not names:
            return plain(parts[node["$ref"]])
        if isinstance(node, dict):
            return {
                k: plain(v, k == "properties") for k, v in node.items() if names or k != "title"
            }
        return [plain(item) for item in node] if isinstance(node, list) else node

    left_out = ("title", "description")
    found = {k: plain(v, k == "properties") for k, v in raw.items() if k not in left_out}
    return found if "properties" in found else {**found, "properties": {}}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class LenientArguments(Arguments):
    """A null means that the argument was left out. The schema stays plain: no `anyOf`, which some
    servers drop."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, raw: object) -> object:
        return (
            {name: value for name, value in raw.items() if value is not None}
            if isinstance(raw, dict)
            else raw
        )
