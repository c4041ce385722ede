"""The temporary folders of confined commands, and the variables that name them. And the folder in
which a shell was in the end.

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Any, Final

from agent_tui.safety.sandbox.profiles import LANDLOCK

_BYTES: Final = "latin-1"
_INSIDE: Final = "files"
_TEMPORARY: Final = ("TMPDIR", "TMP", "TEMP")
_CACHES: Final = """
    GOCACHE CCACHE_DIR SCCACHE_DIR PIP_CACHE_DIR UV_CACHE_DIR npm_config_cache YARN_CACHE_FOLDER
    MPLCONFIGDIR NUMBA_CACHE_DIR
"""
"""Variables that name what toolchains write beside their results. The person's own caches are not
changed: what they hold is run by commands without a sandbox."""


LAST: Final = 198
"""The descriptor to which the shell of a command writes its folder when it ends: what it wrote is
no output, and only a wish (`Folder`)."""
_LONGEST: Final = 4_096


def make_temporary(confined: dict[str, Any], environment: dict[str, str]) -> bytes:
    """A folder of its own for a confined command: where it is, empty where it gets none. Raises
    OSError."""
    if not confined["temporary"]:
        return b""
    name = os.path.join(confined["temporary"], f"agent-tui-{os.urandom(12).hex()}")  # noqa: PTH118
    os.mkdir(name.encode(_BYTES), 0o700)  # noqa: PTH102
    confined["writable"].append(name)
    environment.update(dict.fromkeys(_TEMPORARY, name))
    return name.encode(_BYTES)


def share_temporary(shared: str, confined: dict[str, Any], environment: dict[str, str]) -> None:
    """The folder of all commands that work, for one of them: what one leaves there the next finds.
    It lies in `shared`, which no command may write: whatever rights one gives to what it has,
    nobody else gets there. Raises OSError."""
    folder = _make_own(shared)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(_INSIDE, 0o700, dir_fd=folder)
    finally:
        os.close(folder)
    confined["temporary"] = os.fsencode(f"{shared}/{_INSIDE}").decode(_BYTES)
    if confined["backend"] == LANDLOCK:
        confined["writable"].append(confined["temporary"])
    seen = confined["temporary"] if confined["backend"] == LANDLOCK else "/tmp"
    environment.update(dict.fromkeys(_TEMPORARY, seen))
    environment.update({name: f"{seen}/.cache/{name.lower()}" for name in _CACHES.split()})


def _make_own(path: str) -> int:
    """A descriptor of the folder at `path`, made where there is none. Where temporary files are,
    everybody makes names: raises OSError where it is a link, no folder, or not this user's alone.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)  # noqa: PTH102
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    about = os.fstat(folder)
    if about.st_uid != os.geteuid() or about.st_mode & 0o077:
        os.close(folder)
        raise PermissionError(errno.EPERM, f"others have rights to {path}")
    return folder


def offer(pipe: int) -> None:
    """The command has the writing end of `pipe` from now on."""
    os.dup2(pipe, LAST)


def last_folder(pipe: int) -> str:
    """What the shell wrote, as hex digits; empty where it is not one path, or nothing came."""
    os.set_blocking(pipe, False)
    try:
        said = os.read(pipe, _LONGEST + 2)
    except BlockingIOError:
        return ""
    path = said.removesuffix(b"\n")
    one = path.startswith(b"/") and len(path) <= _LONGEST and b"\n" not in path
    return path.hex() if one else ""
