"""What each request of an agent begins with: put on record once, and kept, so that a server's cache
of it stays warm. What changes of it later is told behind the newest prompt; only another folder, or
tools that are gone, make it anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.memory import Memories
from agent_tui.agent.session import directories
from agent_tui.agent.session.history import MEMORY, History
from agent_tui.agent.session.record import AgentRecord
from agent_tui.agent.turn import tool_offer
from agent_tui.agent.turn.executor import Executor
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.offered_tools import OfferedTools, Serving
from agent_tui.context import instruction_files, prompt
from agent_tui.context.prompt import (
    FILE_PART,
    MEMORY_PART,
    PLACE_PART,
    SKILLS_PART,
    TOLD_PARTS,
    part_texts,
)
from agent_tui.protocol.events import ContextBuilt, ContextTold, Event, Notice
from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.turn_events import ContextPart, Profile
from agent_tui.safety.process.environment import describe_left_out, names_left_out
from agent_tui.settings.trust import Gate
from agent_tui.tools.base import Tool

Emit = Callable[[Event], None]
MOVED: Final = (
    "[This session goes on in another folder than it began in. What was said of paths before may "
    "not hold here: look before you rely on it]"
)
NOT_TRUSTED: Final = "not trusted: /trust asks about it"
LISTS: Final = {SKILLS_PART: "The list of skills", MEMORY_PART: "The list of remembered facts"}
"""How parts are called to the model that are no files."""


class RequestPrefix:
    """That of the agent whose record is `record`."""

    def __init__(
        self,
        config: EngineConfig,
        record: AgentRecord,
        skills: LoadedSkills,
        tools: OfferedTools,
        executor: Executor,
        serving: Serving,
        memory: Memories,
    ) -> None:
        self._config, self._record, self._skills = config, record, skills
        self._memory = memory
        self._tools, self._executor, self._serving = tools, executor, serving
        self._prepared = False
        self._below: tuple[Path, ...] = ()
        """Folders below the session's, of whose instruction files the model was told."""
        self._folders = 0
        """How many it had read in when that was looked at."""
        self._said = set[str]()
        """What the person was told of their own parts of the prompt."""
        self._left_out = set[Path]()
        """Instruction files there of which the person was told that they are not used."""

    def prepare(self, emit: Emit) -> None:
        """Put the prefix on record, where it is not, is of other folders, tools or another profile
        than now, or may hold instructions that are not trusted any more."""
        history, first, profile = self._record.history, not self._prepared, self._tools.profile
        self._prepared, config = True, self._config
        room = instruction_files.room_in(self._serving.info.window)
        fits = room >= history.room or _instruction_size(history) <= room
        same = history.profile == profile and fits
        on_record = bool(history.system) and not history.stale and same
        if on_record and not (first and config.resume):
            return
        built, given, gate = self._built(room)
        self._said.update(prompt.describe_own(given))
        moved = bool(history.system) and _place(history) != _place(built)
        # the gate knows what is left out only once the files were asked for
        kept = on_record and not moved and not self._offers_what_is_gone(history)
        if kept and (not gate.left_out or built.system == history.system):
            return
        for event in (built, *prompt.notices(given)):
            emit(event)
        if moved and not history.stale:
            emit(ContextTold(MOVED, {}, f"The session goes on in {config.cwd}: the model is told."))

    async def tell_changes(self, emit: Emit) -> None:
        """Tell the model which files, skills and remembered facts are others than it was told."""
        before = self._record.history
        room = before.room or instruction_files.ALL_LIMIT
        built, given, gate = await self._executor.workplace.off_loop(lambda: self._built(room))
        self._tell_left_out(gate, emit)
        for said in prompt.describe_own(given):
            if said not in self._said:
                self._said.add(said)
                emit(Notice(said, "warning"))
        known = {
            name: _hash(text) for name, text in part_texts(before.system, before.parts).items()
        }
        now = part_texts(built.system, built.parts)
        parts_told = {name for name in before.told if not name.startswith(MEMORY)}
        watched = _watched(before.parts, built.parts) | parts_told
        unread = {part.name for part in before.parts if Path(part.source) in gate.left_out}
        known |= before.told
        told = dict(_differences(known, now, watched - unread))
        if not told:
            return
        # of a fact the person knows: they said yes to it, or wrote it
        names = ", ".join(name.rpartition(": ")[2] for name in told if name != MEMORY_PART)
        line = f"The model is told what changed: {names}." if names else ""
        for last, (name, text) in enumerate(told.items(), 1 - len(told)):
            known_now = {name: _hash(now[name]) if name in now else ""}
            emit(ContextTold(text, known_now, "" if last else line))

    async def tell_below(self, emit: Emit) -> None:
        """Tell the model the instructions of folders below in which it has read for the first
        time."""
        seen = self._executor.workplace.seen_files.folders
        if len(seen) == self._folders:
            return
        self._folders = len(seen)
        if await self._executor.workplace.off_loop(self._folders_below) != self._below:
            await self.tell_changes(emit)

    def _folders_below(self) -> tuple[Path, ...]:
        """Those that hold instructions. Reads files."""
        roots = (self._config.cwd, *directories.roots(self._record.whole))
        told = {
            (roots[0] / name.removeprefix(FILE_PART)).parent
            for name in self._record.history.told
            if name.startswith(FILE_PART)
        }
        seen = self._executor.workplace.seen_files.folders
        return instruction_files.folders_below(roots, (*seen, *told))

    def _tell_left_out(self, gate: Gate, emit: Emit) -> None:
        """The person was asked about all others at the beginning of the session."""
        below = {path for path in gate.left_out if path.parent in self._below}
        if new := below - self._left_out:
            self._left_out |= new
            names = ", ".join(gate.display_name(gate.left_out[path]) for path in sorted(new))
            said = f"Not trusted, so not used: {names}."
            emit(Notice(said, "warning", hint="/trust shows them"))

    async def left_out(self) -> tuple[tuple[str, str], ...]:
        """What of the prompt the model is not told now, and why."""
        room = self._record.history.room or instruction_files.ALL_LIMIT
        given, gate = await self._executor.workplace.off_loop(lambda: self._read(room))
        untrusted = [(gate.display_name(one), NOT_TRUSTED) for one in gate.left_out.values()]
        return (*prompt.build(given).left_out, *untrusted)

    def _built(self, room: int) -> tuple[ContextBuilt, prompt.PromptInput, Gate]:
        """The prefix as it would be now, and what it is made from. Reads files."""
        self._below = self._folders_below()
        given, gate = self._read(room)
        prefix = prompt.build(given)
        built = prompt.with_tools(prefix.system, prefix.parts, given.tools, given.profile, room)
        return built, given, gate

    def _read(self, room: int) -> tuple[prompt.PromptInput, Gate]:
        others = directories.roots(self._record.whole)
        gate = self._config.gate(others)
        given = prompt_input(
            self._config,
            self._tools.offered(),
            self._skills.skills.list(),
            self._tools.profile,
            others=others,
            below=self._below,
            room=room,
            loaded=self._tools.loaded(),
            hide=self._executor.scrub,
            gate=gate,
            memory=self._memory.told_index(self._tools.profile),
        )
        return given, gate

    def _offers_what_is_gone(self, history: History) -> bool:
        return any(spec.name not in self._executor.tools for spec in history.tools)


def prompt_input(
    config: EngineConfig,
    tools: Sequence[Tool[Any]],
    skills: Sequence[SkillInfo],
    profile: Profile,
    *,
    others: Sequence[Path] = (),
    below: tuple[Path, ...] = (),
    room: int = instruction_files.ALL_LIMIT,
    loaded: Collection[str] = (),
    hide: Callable[[str], str],
    gate: Gate,
    memory: str = "",
) -> prompt.PromptInput:
    """What the prompt of a session is made from, as it is now. `tools` are those that the model is
    offered, `loaded` those of them that it loaded on demand; `below`: folders in which it has read;
    `room`: characters of all instruction files; `memory`: the list of remembered facts. Reads
    files."""
    names = names_left_out(config.environment, config.settings.tools.pass_env)
    runs_commands = any(tool.name == "run_shell_command" for tool in tools)
    reading = tuple(tool.name for tool in tools if not tool.changes)
    given = prompt.PromptInput(
        config.cwd,
        [tool.spec() for tool in tools if not tool.group or tool.name in loaded],
        skills,
        others=others,
        left_out=describe_left_out(names) if runs_commands else "",
        groups=tool_offer.tool_groups(tools),
        profile=profile,
        remaining=reading if config.otr else None,
        memory=memory,
    )
    home = Path(config.environment.get("HOME", "~")).expanduser()
    own = instruction_files.own_files(home, config.folders.config)
    places = instruction_files.Places(config.cwd, own, tuple(others), below)
    return prompt.with_files(
        given,
        places,
        config.folders.config,
        hide,
        room,
        admits=gate.admits,
        closed=gate.closed,
    )


def _instruction_size(history: History) -> int:
    return sum(part.chars for part in history.parts if part.name.startswith(FILE_PART))


def _place(of: History | ContextBuilt) -> str:
    return part_texts(of.system, of.parts).get(PLACE_PART, "")


def _watched(*parts: Sequence[ContextPart]) -> set[str]:
    """The parts of which a change is told: what is from a file, and the lists."""
    return {part.name for some in parts for part in some if part.source or part.name in TOLD_PARTS}


def _differences(
    known: Mapping[str, str], now: Mapping[str, str], watched: Collection[str]
) -> Iterator[tuple[str, str]]:
    """What the model is told of each part that is another now. `known`: hashes of what it was told,
    empty where that a file is gone."""
    for name in dict.fromkeys((*now, *known)):
        text, before = now.get(name, ""), known.get(name, "")
        if name not in watched or (_hash(text) if text else "") == before:
            continue
        called = _called(name)
        if not text:
            yield name, f"[{called} is gone: what it said does not hold any more]"
        elif before:
            yield (
                name,
                f"[{called} was changed. This holds now in the place of what it said]\n{text}",
            )
        else:
            yield name, f"[{called} is new]\n{text}"


def _called(part: str) -> str:
    """What a part is called to the model."""
    if part in LISTS:
        return LISTS[part]
    return part.partition(": ")[2] or f"The part “{part}” of your instructions"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
