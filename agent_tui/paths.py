"""Where things are: the person's folders, and what is shipped with the program."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from agent_tui.structures.frozen import frozen


@frozen
class Folders:
    """Config (config.toml, skills), data (sessions, blobs), logs, and what can be made again
    (`platform_cache`)."""

    config: Path
    data: Path
    logs: Path
    platform_cache: Path | None = None

    @property
    def own(self) -> tuple[Path, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((self.config, self.data, self.logs, self.cache)))

    @property
    def sessions(self) -> Path:
        return self.data / "sessions"

    @property
    def blobs(self) -> Path:
        return self.data / "blobs"

    @property
    def cache(self) -> Path:
        return self.platform_cache or self.data / "cache"


def folders() -> Folders:
    """`AGENT_TUI_HOME` holds everything where it is set; else the platform's own places."""
    home = os.environ.get("AGENT_TUI_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Folders(root, root, root / "logs")
    import platformdirs

    dirs = platformdirs.PlatformDirs("agent-tui", appauthor=False)
    return Folders(
        *map(
            Path, (dirs.user_config_dir, dirs.user_data_dir, dirs.user_log_dir, dirs.user_cache_dir)
        )
    )


def make_private(folder: Path) -> None:
    """Make `folder`, and what is missing above it, for the owner alone (`Path.mkdir` leaves open
    what it makes above).

    Raises OSError.
    """
    if not folder.is_dir():
        if folder.parent != folder:
            make_private(folder.parent)
        try:
            folder.mkdir(0o700, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(
                errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)
            ) from None


def shipped_folder(kind: str) -> Path:
    """The shipped folder `themes` or `skills`: beside the package in a checkout, inside it in a
    wheel."""
    package = Path(__file__).resolve().parent
    inside = package / "_shipped" / kind
    return inside if inside.is_dir() else package.parent / kind


def stems(folders: Sequence[Path], suffix: str) -> tuple[str, ...]:
    """What the files with that ending are called, without it, in all of `folders` together."""
    return tuple(
        sorted(
            {
                path.stem
                for folder in folders
                if folder.is_dir()
                for path in folder.glob(f"*{suffix}")
            }
        )
    )


def project_folders(cwd: Path) -> tuple[Path, ...]:
    """The folders whose files speak for `cwd`: from the git root down to it, outermost first; only
    itself without git, and where somebody else could have put what is above it."""
    folders = repository_folders(cwd)
    return folders if foreign_folder(folders) is None else folders[-1:]


def tool_folders(config: Path, cwd: Path) -> tuple[Path, ...]:
    """Where custom tools may be: the person's own folder, then those of the project, outermost
    first."""
    project = (folder / ".agent-tui" / "tools" for folder in project_folders(cwd))
    return (config / "tools", *project)


def repository_folders(cwd: Path) -> tuple[Path, ...]:
    """The folders from the git root down to `cwd`, whoever they belong to; without git only itself.

    The root is found by looking for `.git`; no process runs.
    """
    inner = cwd.absolute()
    chain = (inner, *inner.parents)
    for depth, folder in enumerate(chain, 1):
        if _exists(folder / ".git"):
            return chain[:depth][::-1]
    return (inner,)


def foreign_folder(folders: Sequence[Path]) -> Path | None:
    """The innermost of `folders` that belongs to another user, or whose `.git` does; never the
    last, in which the person chose to work."""
    return next(
        (one for one in reversed(folders[:-1]) if not (_is_own(one) and _is_own(one / ".git"))),
        None,
    )


def _is_own(path: Path) -> bool:
    try:
        return is_own(path.lstat())
    except FileNotFoundError:
        return True
    except OSError:  # not for us to see
        return False


def is_own(about: os.stat_result) -> bool:
    """Whether a file belongs to this user or to root, as git judges it (`safe.directory`): under
    `sudo` also to the user who called it."""
    caller = os.environ.get("SUDO_UID", "") if os.geteuid() == 0 else ""
    return about.st_uid in (0, os.geteuid()) or str(about.st_uid) == caller


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # not there, or not for us to see
        return False
    return True


def may_exist(path: Path) -> bool:
    """Whether there is a file to read; one that we may not even look at counts, so that its reader
    says so."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def is_same_file(one: Path, other: Path) -> bool:
    """Whether both name one file (a session in the home folder, say)."""
    try:
        return one.samefile(other)
    except OSError:
        return False
