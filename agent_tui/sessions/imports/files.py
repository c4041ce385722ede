"""Importing: which program a file is from, the files it keeps, and the log that is made of one."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Final

from agent_tui.protocol.codec import dump
from agent_tui.sessions.imports import claude, codex
from agent_tui.sessions.imports.builder import Builder
from agent_tui.sessions.log.copies import write_log
from agent_tui.sessions.log.raw import LOG, NoLog, lines, open_log
from agent_tui.sessions.log.repair import Refused
from agent_tui.sessions.log.text_handles import whole_records
from agent_tui.structures.frozen import frozen

PROGRAMS: Final[dict[str, tuple[ModuleType, str]]] = {
    "claude": (claude, "anthropic"),
    "codex": (codex, "openai"),
}
"""By name: how its files are read, and who makes its models."""
_OURS: Final = uuid.UUID("6f1d7c3e-6e0b-5d55-9b1c-8c1a6b0f3a52")
"""The name space of ids that are made of another program's: the same session has the same id each
time."""
OURS: Final = "agent-tui"
LARGEST: Final = 1 << 30
_NOT_TAKEN: Final = (
    "changes_started",
    "context_built",
    "directories_changed",
    "mode_changed",
    "model_changed",
    "restore_started",
)
"""Kinds of records that would speak for the person, or to the model in our name: whoever wrote the
file is neither."""


@frozen
class Imported:
    """`already`: it was imported before, and nothing was written."""

    id: str
    program: str
    turns: int = 0
    records: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    already: bool = False


def import_file(path: Path, folder: Path, program: str = "") -> Imported:
    """Make a log of the session in `path`; `program`: whose file it is, empty: it is looked at.
    Raises Refused."""
    records, damaged = _records(path)
    if not program and (begun := next((one for one in records if _is_ours(one)), None)) is not None:
        return _import_ours(
            [dict(one) for one in records if _is_ours(one)], str(begun.get("session")), folder
        )
    name = program or recognise_program(records)
    if not name:
        raise Refused(
            f"{path}: no session of {' or '.join(reader.PROGRAM for reader, _ in PROGRAMS.values())}"
        )
    reader, provider = PROGRAMS[name]
    builder = Builder(reader.PROGRAM, provider)
    builder.source = reader.source(path, records)
    known = f"{name}:{builder.source}".encode(
        "utf-8", "replace"
    ).decode()  # JSON may name halves of characters
    id = str(uuid.uuid5(_OURS, known))
    if (folder / f"{id}{LOG}").exists():
        return Imported(id, reader.PROGRAM, already=True)
    if damaged:
        builder.left_out["lines that are not JSON"] = damaged
    reader.read(records, builder)
    if builder.empty:
        raise Refused(f"{path}: it has no prompt and no answer")
    made = write_log(folder, id, (dump(event) for event in builder.events(id)))
    return Imported(id, reader.PROGRAM, made.turns, made.records, dict(builder.left_out))


def _is_ours(record: Mapping[str, object]) -> bool:
    """Whether it is a record of a log of this program."""
    return all(
        isinstance(record.get(name), kind)
        for name, kind in (("v", int), ("n", int), ("type", str), ("c", int))
    )


def _import_ours(records: list[dict[str, object]], session: str, folder: Path) -> Imported:
    """A log that was kept elsewhere. What of the same session lies here already may be its
    beginning only: it stays, and this is a session beside it. It says what was done; what may be
    done, and by which model, it does not say."""
    id = session if uuid_of(session) and not (folder / f"{session}{LOG}").exists() else ""
    id = id or str(uuid.uuid5(_OURS, f"agent-tui:{session}:{len(records)}"))
    if (folder / f"{id}{LOG}").exists():
        return Imported(id, OURS, already=True)
    made = write_log(
        folder,
        id,
        (_without_rights(one) for one in whole_records(records) if one["type"] not in _NOT_TAKEN),
    )
    return Imported(id, OURS, made.turns, made.records)


def _without_rights(record: dict[str, object]) -> dict[str, object]:
    """A record of a log that was made elsewhere, without its mode, model and approvals; its queue
    waits."""
    match record["type"]:
        case "session_started":
            return {**record, "mode": "", "model": ""}
        case "approval_answered":
            return {**record, "allows": None}
        case "queue_changed":
            return {**record, "paused": bool(record.get("items"))}
        case _:
            return record


def uuid_of(text: str) -> uuid.UUID | None:
    """The id that `text` is; None: it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _records(path: Path) -> tuple[list[Mapping[str, object]], int]:
    """The records of a JSON Lines file, and how many lines are none. Raises Refused."""
    found: list[Mapping[str, object]] = []
    damaged = 0
    try:
        with open_log(path) as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise Refused(f"{path}: larger than 1 GB")
            for _, line in lines(file):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line.decode("utf-8-sig", "replace"))
                except (ValueError, RecursionError):
                    record = None
                if isinstance(record, dict):
                    found.append(record)
                else:
                    damaged += 1
    except (NoLog, OSError) as error:
        raise Refused(f"{path}: {error}") from None
    return found, damaged


def recognise_program(records: Sequence[Mapping[str, object]]) -> str:
    """The program whose records these are, by the first that anybody knows; empty: none."""
    for record in records[:200]:
        for name, (reader, _) in PROGRAMS.items():
            if reader.knows(record):
                return name
    return ""


def find_session_files(
    environment: Mapping[str, str], program: str = ""
) -> Iterator[tuple[str, Path]]:
    """The session files that the other programs keep, with whose they are; of all, or of one."""
    home = Path(environment.get("HOME") or "~").expanduser()
    claude_home = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex_home = Path(environment.get("CODEX_HOME") or home / ".codex")
    if program in ("", "claude"):
        yield from (
            ("claude", path)
            for path in _sorted(claude_home / "projects", "*/*.jsonl")
            if _own(path)
        )
    if program in ("", "codex"):
        yield from (
            ("codex", path) for path in _sorted(codex_home / "sessions", "**/rollout-*.jsonl")
        )


def _sorted(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern)) if folder.is_dir() else []


def _own(path: Path) -> bool:
    """Whether it is a session of a person's: those of sub-agents are beside it."""
    return not path.name.startswith("agent-")


def began_in(path: Path, program: str) -> str:
    """The folder that the session in `path` began in, from its first records; empty where it does
    not say."""
    try:
        with open_log(path) as file:
            for number, (_, line) in enumerate(lines(file)):
                if number > 50:
                    return ""
                if b'"cwd"' not in line:
                    continue
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                about = (
                    record.get("payload")
                    if program == "codex" and isinstance(record, dict)
                    else record
                )
                if isinstance(about, dict) and isinstance(about.get("cwd"), str):
                    return str(about["cwd"])
    except (NoLog, OSError):
        return ""
    return ""
