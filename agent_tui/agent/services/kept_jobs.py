"""The jobs that the person keeps when the program ends: a file for each, so that a later start in
the same folder, or of the same session, finds them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.kept_names import KeptNames, NamesFolder, place_of
from agent_tui.paths import make_private
from agent_tui.safety import file_access
from agent_tui.safety.process import tree
from agent_tui.safety.sandbox.protected_state import AllowedChanges, ProtectedState
from agent_tui.structures.frozen import frozen

_LONGEST: Final = 100_000
"""Bytes of such a file."""
Name = Annotated[str, Field(pattern=r"^[0-9a-f-]+$")]


@frozen
class KeptJob:
    """A job of `session` in the folder `cwd`, since `since` (seconds since the epoch). `process` is
    the identity of its supervisor, `output` the name of its file among the outputs of the
    session."""

    id: Name
    session: Name
    cwd: str
    command: str
    process: str
    output: Annotated[str, Field(pattern=r"^([0-9a-f]{8}\.txt)?$")] = ""
    number: int = 0
    since: float = 0.0


@cache
def _form() -> TypeAdapter[KeptJob]:
    """Made at the first use: few sessions keep a job."""
    return TypeAdapter(KeptJob)


class KeptJobs:
    """Those of a session in its folder `cwd`, and of others in the same one; the files are in
    `folder`."""

    def __init__(self, folder: Path, outputs: Path, session: str, cwd: Path) -> None:
        self._folder, self._outputs, self.session, self._cwd = folder, outputs, session, str(cwd)
        self.names = NamesFolder(folder, cwd)

    def keep(
        self, id: str, command: str, process: str, output: str, number: int, since: float
    ) -> None:
        """Raises OSError."""
        job = KeptJob(id, self.session, self._cwd, command, process, output, number, since)
        make_private(self._folder)
        file_access.atomic_write(self._folder / f"{id}.json", _form().dump_json(job), 0o600)

    def keep_names(
        self,
        id: str,
        about: tuple[str, str, int],
        way: str,
        state: ProtectedState,
        allowed: AllowedChanges,
    ) -> None:
        """`about`: its process, command and number. Raises OSError."""
        process, command, number = about
        place, cwd = place_of(Path(self._cwd)), self._cwd
        names = KeptNames(
            self.session, cwd, place, command, process, number, way, state, allowed.files
        )
        self.names.keep(id, names)

    def forget(self, id: str) -> None:
        """It has ended, or is kept no longer. Raises OSError."""
        (self._folder / f"{id}.json").unlink(missing_ok=True)

    def output_of(self, job: KeptJob) -> Path | None:
        """The file with its output."""
        return self._outputs / job.session / job.output if job.output else None

    def lives(self, id: str) -> bool:
        """Whether one still runs."""
        return any(tree.find(job.process) for job in self._read() if job.id == id)

    def living(self) -> tuple[KeptJob, ...]:
        """Those that still run, of this session or in this folder, the oldest first. What is left
        of others is removed. Raises OSError."""
        own = [one for one in self._read() if self.session == one.session or self._cwd == one.cwd]
        for one in own:
            if not tree.find(one.process):
                self.forget(one.id)
        return tuple(sorted((one for one in own if tree.find(one.process)), key=_since))

    def _read(self) -> Iterator[KeptJob]:
        for file in self._folder.glob("*.json"):
            if (job := _parse(file)) is not None:
                yield job


def kept_jobs(config: EngineConfig, session: str) -> KeptJobs:
    """Those that concern a session."""
    return KeptJobs(config.folders.data / "jobs", config.outputs, session, config.cwd)


def _since(job: KeptJob) -> float:
    return job.since


def _parse(file: Path) -> KeptJob | None:
    """None: it is no such file, or one of a newer version, or has just gone."""
    try:
        return _form().validate_json(file_access.read_regular(file, _LONGEST))
    except (OSError, ValueError):
        return None
