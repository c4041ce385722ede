"""Trust in what a project brings: what of it is not used yet, the question about that, and what a
yes changes."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor as Pool
from pathlib import Path
from typing import Final, TypeVar

from agent_tui import paths
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.session.directories import roots
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn import custom_tools
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.context import identity, instruction_files, memory
from agent_tui.context.skills.catalog import Skills
from agent_tui.context.skills.discovery import discover
from agent_tui.context.skills.parsing import Skill
from agent_tui.present.wording import count
from agent_tui.protocol.answers import AnswerData, ProjectFile, TrustOffer
from agent_tui.protocol.events import Answered, Notice
from agent_tui.protocol.ops import SetTrust
from agent_tui.settings.layers import Place, Suggestion, read
from agent_tui.settings.table import PermissionSettings
from agent_tui.settings.trust import Found, Gate
from agent_tui.tools.support.diff import diff

T = TypeVar("T")
SHOWN: Final = 64_000
"""Characters of a file that are shown; more than of an instruction file are never used."""
NAMES: Final = frozenset(Path(name).name for name in instruction_files.NAMES)
FOLDERS: Final = frozenset((".agent-tui", ".agents", ".claude"))
"""Those in which a new file acts."""
NAMED: Final = 5
"""Files that a line names."""


def look_at_project(place: Place, others: Iterable[Path] = (), seen: Iterable[Path] = ()) -> Gate:
    """What of the project at `place`, and of the folders that were added, is used and what is not:
    by reading all of it as a session does. `seen`: folders in which the model has read. Reads
    files: not for the loop."""
    others = tuple(others)
    gate, home = place.gate(others), home_of(place)
    own = instruction_files.own_files(home, place.folders.config)
    below = instruction_files.folders_below((place.cwd, *others), seen)
    places = instruction_files.Places(place.cwd, own, others, below)
    instruction_files.read_all(places, str, admits=gate.looks, on_import=gate.note_import)
    identity.read(place.cwd, place.folders.config, str, admits=gate.admits)
    read(place, gate)
    discover_skills(place, gate, str)
    memory.read_project(place.cwd, str, [], admits=gate.admits)
    custom_tools.read_files(place, gate.admits, [])
    return gate


def home_of(place: Place) -> Path:
    return Path(place.environment.get("HOME", "~")).expanduser()


def discover_skills(place: Place, gate: Gate, hide: Callable[[str], str]) -> Skills:
    """All skills at `place`, those of the project as far as the `gate` admits them."""
    shipped, config = paths.shipped_folder("skills"), place.folders.config
    return discover(
        shipped, config, place.cwd, home_of(place), hide, admits=gate.admits, closed=gate.closed
    )


def load_skills(config: EngineConfig, hide: Callable[[str], str]) -> LoadedSkills:
    """The skills of a session. Reads files."""

    def discover_all() -> tuple[Skills, frozenset[str]]:
        gate = config.gate()
        found = discover_skills(config, gate, hide)
        own = ((Path(one.file), one.digest) for one in found.of_project())
        return found, frozenset(digest for file, digest in own if gate.lets_use(file, digest))

    def agree(skill: Skill) -> None:
        config.gate().let_use(Path(skill.file), skill.digest, lasting=not config.otr)

    return LoadedSkills(discover_all, agree, config.cwd)


def name_left_out(gate: Gate) -> str:
    """The files that are not used, in a few words."""
    names = [gate.display_name(one) for one in gate.left_out.values()]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def describe_untrusted(gate: Gate) -> str:
    """What is said where nobody can be asked."""
    folders = [shlex.quote(folder) for folder in untrusted_folders(gate)]
    now = " ".join(f"--trust {folder}" for folder in folders)
    always = ", ".join(f"`agent-tui trust {folder}`" for folder in folders)
    said = f"These files are not trusted, so they are not used: {name_left_out(gate)}."
    return f"{said} {now} uses them now, {always} always."


def untrusted_folders(gate: Gate) -> list[str]:
    """The projects whose files are left out, that of the session first."""
    there = {one.root.path for one in gate.left_out.values()}
    return [folder for folder in dict.fromkeys(root.path for root in gate.roots) if folder in there]


def describe_trust(gate: Gate) -> tuple[bool, str]:
    """Whether all that the project brings is used, and in words how that stands."""
    folder, used = gate.roots[0].path, count(len(gate.used), "file")
    if gate.left_out:
        where = ", ".join(untrusted_folders(gate))
        return False, f"{where}: not trusted, so not used: {name_left_out(gate)}"
    if gate.used:
        return True, f"{folder}: trusted, {used} of it {'is' if used[:2] == '1 ' else 'are'} used"
    return True, f"{folder}: nothing in it needs your trust"


class TrustDesk:
    """Asks about the project of a session, and does what the person answers."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        skills: LoadedSkills,
        pool: Pool,
        tell_skills: Callable[[str], None],
        hold_rules: Callable[[PermissionSettings], None],
        seen: Collection[Path],
    ) -> None:
        """`hold_rules` makes these rules hold from the next call on; `seen`: folders in which the
        model has read."""
        self._config, self._record, self._skills = config, record, skills
        self._hold_rules, self._seen = hold_rules, seen
        self._pool, self._tell_skills = pool, tell_skills
        self._waiting: asyncio.Future[None] | None = None
        self._acting: frozenset[Path] = frozenset()
        """Real paths of the files that can act, when they were looked at last."""

    @property
    def waits(self) -> bool:
        """Whether the person is asked just now."""
        return self._waiting is not None

    async def look(self) -> Gate:
        others, seen = roots(self._record), tuple(self._seen)
        gate = await self._off_loop(lambda: look_at_project(self._config, others, seen))
        self._acting = frozenset(
            one.path.resolve() for one in (*gate.used.values(), *gate.left_out.values())
        )
        return gate

    async def ask(self) -> Suggestion | None:
        """Wait for the person's word about what is left out; the model that the project suggests,
        if it may now."""
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self.tell("start")
            await self._waiting
        except asyncio.CancelledError:
            gate = look_at_project(self._config, roots(self._record))
            self._decline(gate)
            self._emit("trust", _offer(gate, asks=False))
            raise
        finally:
            self._waiting = None
        return (await self._off_loop(lambda: read(self._config))).suggestion

    async def tell(self, id: str) -> None:
        """Say what is not used, and ask about it."""
        gate = await self.look()
        self._emit(id, _offer(gate, asks=bool(gate.left_out)))

    def tell_nothing_asked(self, gate: Gate) -> None:
        """Say that the session begins without that question: who waited for it may go on."""
        self._emit("start", _offer(gate, asks=False))

    async def settle(self, op: SetTrust) -> None:
        """Do what the person said of the files that they saw: another content asks again."""
        gate = await self.look()
        seen = [one for one in gate.left_out.values() if one.hash in op.hashes]
        if op.choice == "no":
            self._decline(gate)
        elif seen:
            await self._trust(gate, seen, op.choice == "always" and not self._config.otr)
            gate = await self.look()
        asks = gate.is_new
        self._emit("trust", _offer(gate, asks))
        if not asks and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _decline(self, gate: Gate) -> None:
        gate.decline()
        if gate.left_out:
            said = f"Not trusted, so not used: {name_left_out(gate)}."
            self._record.emit(Notice(said, hint="/trust shows them again"))

    async def _trust(self, gate: Gate, seen: list[Found], lasting: bool) -> None:
        try:
            await self._off_loop(lambda: gate.trust(seen, lasting))
        except OSError as error:
            said = f"Trusted until you quit, as it cannot be saved: {error.strerror or error}"
            self._record.emit(Notice(said, "warning"))
        said_before = set(self._skills.skills.problems)
        await self._off_loop(self._skills.look_again)
        self._tell_skills("trust")
        now = await self._off_loop(lambda: read(self._config))
        self._hold_rules(now.settings.permissions)
        problems = now.problems
        known = map(str, self._config.problems)
        new = [one for one in self._skills.skills.problems if one not in said_before]
        for text in (*new, *({str(one): None for one in problems}.keys() - set(known))):
            self._record.emit(Notice(text, "warning"))
        built = self._record.history.system and not self._record.history.stale
        if built and any(one.path.name.endswith((".md", identity.AIEOS)) for one in seen):
            self._record.emit(Notice("The model is told of them with your next prompt."))

    async def follow(self, path: Path, before: str, after: str) -> None:
        """The person approved a change of the file at a real `path`, from and to these contents:
        if they trusted it, or it is new, they trust it as it is now."""
        acts = path.name in NAMES or not FOLDERS.isdisjoint(path.parts)
        if not (acts or path in self._acting):
            return
        gate = await self.look()
        changed = [
            one
            for one in gate.left_out.values()
            if one.hash == after
            and one.path.resolve() == path
            and (not before or gate.trusts(one.root, one.name, before))
        ]
        if changed:
            lasting = not self._config.otr and all(
                not before or gate.outlives(one.root, one.name, before) for one in changed
            )
            await self._off_loop(lambda: gate.trust(changed, lasting))

    def _emit(self, id: str, data: AnswerData) -> None:
        self._record.emit(Answered(id, data))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _offer(gate: Gate, asks: bool) -> TrustOffer:
    root, left = gate.roots[0], list(gate.left_out.values())
    files = tuple(_file(gate, one) for one in left)
    replaced = any(gate.is_replaced(one.root) for one in left)
    return TrustOffer(root.path, files, len(gate.used), asks, root.lasts, replaced)


def _file(gate: Gate, found: Found) -> ProjectFile:
    name, text = gate.display_name(found), found.text
    changed = () if found.before is None else diff(name, found.before, text).hunks
    unseen = len(text[SHOWN:].splitlines())
    by = gate.importer_of(found)
    return ProjectFile(name, len(found.raw), found.hash, text[:SHOWN], changed, unseen, by)
