"""The program's own questions to git, asked so that a repository can run nothing.

A repository's configuration can name programs: filters, monitors, transports, and more with every
version of git. So git never gets to read it. For each question a private git folder is made: links
to the repository's objects, refs and index, a configuration that holds what is known to be plain
data, and attributes that name no driver. Git is told where everything is, so it looks for nothing
itself: a bare repository in a sub-folder is an ordinary folder to it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from agent_tui.programs import find_program, search_path
from agent_tui.safety.git_config import (
    COMMON,
    Repository,
    explain_ownership,
    explain_refusal,
    find_repository,
    parse_config,
    read_bytes,
    read_text,
)
from agent_tui.safety.process import processes
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.temporary import PrivateFolder

MOST_OUTPUT: Final = 1_000_000
"""Bytes of an answer that are read."""
_NO_DRIVERS: Final = b"\n* !filter !diff !merge\n"
"""The last line of `info/attributes` wins over every other: no driver is looked up, whoever
configured it."""
_SETTINGS: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
"""Also over what the person's own configuration says: a question of ours runs nothing and connects
to nothing."""
_DATA: Final = late.pattern(
    r"core\.(autocrlf|checkstat|eol|filemode|ignorecase|precomposeunicode|quotepath|repositoryformatversion|symlinks"
    r"|sparsecheckout|sparsecheckoutcone|trustctime)"
    r"|diff\.(renames|renamelimit)|index\.sparse|status\.(renames|renamelimit|showuntrackedfiles)"
    r"|branch\..+\.(merge|remote)|remote\..+\.fetch"
    r"|extensions\.(?!partialclone$|worktreeconfig$)[a-z0-9-]+",
    re.DOTALL,
)
"""Settings of a repository that git may know: none names a program, a file or an address. An
extension that git does not know makes it refuse the repository, as it should; without
`partialclone` it fetches nothing that is missing."""


@frozen
class GitAnswer:
    """What git wrote (nothing if it went to a file of the caller), or in one line why there is no
    answer. It names files, so bytes that are no text are kept as `os.fsdecode` keeps them."""

    output: str = ""
    problem: str = ""
    slow: bool = False
    """It did not answer in time, or too much: to ask again costs as much."""
    said: str = ""
    """What it complained of beside its answer."""


async def ask_git(
    where: Repository,
    words: tuple[str, ...],
    timeout: float,
    given: bytes = b"",
    output: IO[bytes] | None = None,
    *,
    drivers: bool = False,
    is_shown: bool = True,
) -> GitAnswer:
    """What git says to `words` about a repository; `given` is its input, `output` takes what it
    writes. `drivers`: the question is for their names, and looks none up. `is_shown`: somebody learns
    what the repository holds, so all parts of it must be its own.

    It writes nothing in the repository. Never raises; an answer that is longer than `MOST_OUTPUT`
    is a problem.
    """
    if is_shown and (problem := explain_refusal(where)):
        return GitAnswer(problem=problem)
    path = search_path(os.environ, where.top)
    program = find_program("git", path, where.top)
    if program is None:
        return GitAnswer(problem="git is not installed")
    try:
        with tempfile.TemporaryFile() as written, _private_folder(where, drivers) as folder:
            environment = _environment(where, folder, path)
            code, said = await processes.feed(
                (program, *words), given, folder, environment, timeout, output or written
            )
            if code == 124:
                return GitAnswer(problem="git did not answer in time", slow=True)
            if code:
                return GitAnswer(problem=_one_line(said) or f"git ended with exit code {code}")
            written.seek(0)
            answer = written.read(MOST_OUTPUT + 1)
    except (OSError, ValueError) as error:
        return GitAnswer(problem=f"git cannot be asked: {error}")
    if len(answer) > MOST_OUTPUT:
        return GitAnswer(problem="git's answer is too long: too many files are changed", slow=True)
    return GitAnswer(os.fsdecode(answer), said=said)


def explain_git_trouble(cwd: Path) -> str:
    """Why git is of no use in the repository around `cwd`, as far as that is known without asking
    it; empty: it is, or there is no repository."""
    where = find_repository(cwd.resolve())
    if where is None:
        return ""
    if find_program("git", search_path(os.environ, where.top), where.top) is None:
        return "it is not installed, so commands of git fail, and /undo sees less"
    return explain_refusal(where) or explain_ownership(where)


@contextmanager
def _private_folder(where: Repository, drivers: bool) -> Iterator[Path]:
    """A git folder for one question. Raises OSError."""
    with PrivateFolder() as name:
        common = Path(name)
        folder = common / "worktree" if where.common != where.folder else common
        (common / "info").mkdir()
        folder.mkdir(exist_ok=True)
        (folder / "HEAD").write_bytes(read_bytes(where.folder / "HEAD"))
        (common / "config").write_bytes(os.fsencode(_plain_config(where)))
        (common / "info" / "attributes").write_bytes(
            read_bytes(where.common / "info" / "attributes") + (b"" if drivers else _NO_DRIVERS)
        )
        links = [
            (common, where.common, inner)
            for inner in (*COMMON, "info/exclude", "info/sparse-checkout")
        ]
        links += [
            (folder, where.folder, inner.name) for inner in where.folder.glob("sharedindex.*")
        ]
        if folder != common:
            (folder / "commondir").write_text("..")
            links += [
                (folder, where.folder, "reftable"),
                (folder, where.folder, "info/sparse-checkout"),
            ]
        for ours, theirs, inner in links:
            if (theirs / inner).exists():
                (ours / inner).parent.mkdir(exist_ok=True)
                (ours / inner).symlink_to((theirs / inner).resolve())
        yield folder


def _plain_config(where: Repository) -> str:
    """What of a repository's configuration is known to be data, as git reads it."""
    lines = ["[core]", "\tbare = false"]
    for file in (where.common / "config", where.folder / "config.worktree"):
        for name, value in parse_config(read_text(file)):
            section, _, rest = name.partition(".")
            inner, _, key = rest.rpartition(".")
            if _DATA.fullmatch(name) and "\0" not in name + value:
                lines.append(f'[{section} "{_escape(inner)}"]' if inner else f"[{section}]")
                lines.append(f'\t{key} = "{_escape(value)}"')
    return "\n".join((*lines, ""))


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _environment(where: Repository, folder: Path, path: str) -> dict[str, str]:
    """All that git gets: of the person's variables only those by which it finds their own
    configuration."""
    kept = {name: os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME") if name in os.environ}
    settings = {"GIT_CONFIG_COUNT": str(len(_SETTINGS))}
    for number, (key, value) in enumerate(_SETTINGS.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {
        **kept,
        **settings,
        "PATH": path,
        "LC_ALL": "C",
        "GIT_DIR": str(folder),
        "GIT_WORK_TREE": str(where.top),
        "GIT_INDEX_FILE": str(where.folder / "index"),
        "GIT_CEILING_DIRECTORIES": str(where.top.parent),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def _one_line(said: str) -> str:
    return (
        f"git says: {' '.join(said.removeprefix('fatal: ').removeprefix('error: ').split())}"[:300]
        if said
        else ""
    )
