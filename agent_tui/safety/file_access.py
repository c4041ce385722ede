"""Reading, writing, moving and removing files by their real paths, so that no link diverts it.

Folders are opened step by step, a change is whole or not there, and what a file is besides its
bytes (mode, owner, attributes) stays.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import struct
from pathlib import Path
from typing import Final

from agent_tui.safety import atomic_swap
from agent_tui.safety.atomic_swap import exchange
from agent_tui.safety.closed_folders import open_again
from agent_tui.safety.folder_walk import folder_of
from agent_tui.safety.paths import resolve

_ACL: Final = "system.posix_acl_access"
_GROUP_ENTRY: Final = 4
_PIECE: Final = 1 << 18
"""Bytes that are read at a time."""
_CAPABILITY: Final = "security.capability"
"""Is not carried over: the kernel, too, takes it from a file that is written."""
_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


class ChangedMeanwhile(ValueError):
    """A file is another one than when it was looked at. The text is one line."""


class NotRegular(ValueError):
    """A device, a FIFO, a socket or a folder where a file is meant. The text is one line."""


def open_regular(real: Path) -> int:
    """A descriptor to read the file at a real path. It cannot block on a FIFO, nor follow a link
    that came later.

    Raises NotRegular, or the OSError of the kernel.
    """
    with folder_of(real) as folder:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
        kind = os.stat(real.name or ".", dir_fd=folder, follow_symlinks=False).st_mode
        _regular(real, kind)  # before the open as well: opening some devices does something
        descriptor = os.open(real.name, flags, dir_fd=folder)
    try:
        _regular(real, os.fstat(descriptor).st_mode)
    except NotRegular:
        os.close(descriptor)
        raise
    return descriptor


def read_regular(real: Path, limit: int) -> bytes:
    """The file at a real path, at most `limit` + 1 bytes of it (so that a caller sees that it is
    longer)."""
    with os.fdopen(open_regular(real), "rb", buffering=0) as file:
        # not room for the limit at once: it would take longer than the file itself
        size = min(os.fstat(file.fileno()).st_size, limit) + 1
        data = file.read(size) or b""  # nothing yet, where the system would wait for more
        while len(data) == size <= limit:  # it says no size, or has grown
            size = min(2 * size + _PIECE, limit + 1)
            data += file.read(size - len(data)) or b""
        return data


def atomic_write(
    path: Path,
    data: bytes,
    mode: int | None = None,
    *,
    follow: bool = True,
    new: bool = False,
    expect: os.stat_result | None = None,
    held: bytes | None = None,
    twin: Path | None = None,
    token: str = "",
) -> None:
    """Put `data` at `path`, all or nothing: a temporary file beside it, synced, renamed over it.

    `mode` None keeps the mode of the file that is there (for a new one, the umask's). A link is
    written at its
    target; with `follow` False `path` must be real, and a link that came later is refused. `new`
    refuses to replace
    (FileExistsError); `expect` refuses to replace any other file, or the same one changed, and
    `held` one that holds
    anything else or that another program has open for writing (ChangedMeanwhile). `twin`: a file
    that was just written
    with the same `data` and mode; `path` becomes another name of it, where the disk can do that.
    `token`: what is in the names beside it meanwhile. Raises NotRegular for
    what is no file, ValueError as `resolve` does, OSError.
    """
    real = resolve(str(path), Path.cwd()) if follow else path
    with folder_of(real) as folder:
        there = _existing(real, folder)
        if new and there is not None:
            raise FileExistsError(17, "File exists", str(real))
        if held is not None:
            expect = there
        temporary = atomic_swap.name_beside(real.name, "tmp", token)
        try:
            if twin is None or not _link_beside(twin, folder, temporary, data):
                _write_beside(real.name, temporary, folder, data, mode, there)
            if new:  # a hard link never replaces what another program created meanwhile
                os.link(temporary, real.name, src_dir_fd=folder, dst_dir_fd=folder)
                os.unlink(temporary, dir_fd=folder)
            elif expect is not None or held is not None:
                _replace(real, temporary, folder, data, expect, held, token)
            else:
                os.rename(temporary, real.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise
        sync(folder, real.name)


def _write_beside(
    name: str,
    temporary: str,
    folder: int,
    data: bytes,
    mode: int | None,
    there: os.stat_result | None,
) -> None:
    """Make `temporary` with `data`, and with what the file `name`, which it is to replace, has
    beside its content."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(
        temporary, flags, 0o666 if there is None and mode is None else 0o600, dir_fd=folder
    )
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        _keep(file.fileno(), there, mode, _attributes(name, folder) if there else {})
        os.fsync(file.fileno())


def _link_beside(twin: Path, folder: int, temporary: str, data: bytes) -> bool:
    """Whether `temporary` is now another name of the file `twin`, which holds `data`."""
    with (
        contextlib.suppress(OSError),
        folder_of(twin) as other,
    ):  # another disk, one without links, or not ours to link
        os.link(twin.name, temporary, src_dir_fd=other, dst_dir_fd=folder, follow_symlinks=False)
        if _holds(folder, temporary, data):
            return True
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
    return False


def _replace(
    real: Path,
    temporary: str,
    folder: int,
    data: bytes,
    expect: os.stat_result | None,
    held: bytes | None,
    token: str,
) -> None:
    """Put `temporary`, which holds `data`, in the place of the file that `expect` tells of, which
    holds `held` (where that is known), and of no other."""
    changed = ChangedMeanwhile(f"{real} was changed at this moment by another program")
    if (
        expect is None
        or not _same(expect, _existing(real, folder))
        or not _holds(folder, real.name, held)
    ):
        raise changed
    ours = os.stat(temporary, dir_fd=folder, follow_symlinks=False)
    aside = atomic_swap.name_beside(
        real.name, "was", token
    )  # from here on it may be what somebody else has just written
    os.rename(temporary, aside, src_dir_fd=folder, dst_dir_fd=folder)
    if not exchange(folder, aside, real.name):
        os.rename(aside, real.name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    about = os.stat(aside, dir_fd=folder, follow_symlinks=False)
    same = _same(expect, about, renamed=True) and _holds(folder, aside, held)
    if not same:  # it is theirs, and goes back
        if not exchange(folder, aside, real.name):
            raise changed
        about = os.stat(aside, dir_fd=folder, follow_symlinks=False)
        if not (_same(ours, about, renamed=True) and _holds(folder, aside, data)):
            exchange(folder, aside, real.name)  # saved once more, over ours: the later one stays
    os.unlink(aside, dir_fd=folder)
    if not same:
        raise changed


def _holds(folder: int, name: str, content: bytes | None) -> bool:
    """Whether a file holds just `content` (None: whatever it holds) and no other program has it
    open for writing."""
    if content is None:
        return True
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb", buffering=0) as file:
        if _has_writer(file.fileno()):
            return False
        at = 0
        while piece := file.read(_PIECE) or b"":
            if content[at : at + len(piece)] != piece:
                return False
            at += len(piece)
        return at == len(content)


def _has_writer(descriptor: int) -> bool:
    """Whether somebody has the file open for writing: the system grants a lease on one that nobody
    has. Where it grants none to us, on some disks and systems, nobody is known."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(
            descriptor, fcntl.F_SETSIG, signal.SIGURG
        )  # who opens it meanwhile must not end us by SIGIO
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def make_folders(real: Path) -> None:
    """Make the folders that are missing above a real path, through no link. Raises OSError."""
    with folder_of(real, make=True):
        pass


def remove(real: Path, expect: os.stat_result) -> None:
    """Remove the file at a real path if it is the one that `expect` tells of: it is renamed, looked
    at, and put back where it is another, so that nothing that came in between is lost. Raises
    ChangedMeanwhile, OSError."""
    with folder_of(real) as folder:
        aside = atomic_swap.name_beside(real.name, "was")
        os.rename(real.name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        found = os.stat(aside, dir_fd=folder, follow_symlinks=False)
        if not _same(expect, found, renamed=True):
            # Never over what is there by now.
            os.link(aside, real.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            os.unlink(aside, dir_fd=folder)
            raise ChangedMeanwhile(f"{real} was changed at this moment by another program")
        os.unlink(aside, dir_fd=folder)
        sync(folder)


def remove_held(real: Path, held: bytes, token: str = "") -> None:
    """Remove the file at a real path if it holds just that: it is renamed, looked at, and put back
    where it is another. `token`: what is in its name meanwhile. Raises ChangedMeanwhile,
    OSError."""
    with folder_of(real) as folder:
        aside = atomic_swap.name_beside(real.name, "was", token)
        os.rename(real.name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        if not _holds(folder, aside, held):
            # Never over what is there by now.
            os.link(aside, real.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            os.unlink(aside, dir_fd=folder)
            raise ChangedMeanwhile(f"{real} was changed at this moment by another program")
        os.unlink(aside, dir_fd=folder)
        sync(folder)


def remove_folder(real: Path) -> None:
    """Remove the folder at a real path, if it is empty. Raises OSError."""
    with folder_of(real) as above:
        os.rmdir(real.name, dir_fd=above)
        sync(above)


def move(real: Path, to: Path, held: bytes) -> None:
    """Rename the file at a real path, if it holds just that, to another that is free: it stays the
    same file. Raises FileExistsError, ChangedMeanwhile, OSError."""
    with folder_of(real) as folder, folder_of(to) as other:
        if not _holds(folder, real.name, held):
            raise ChangedMeanwhile(f"{real} was changed at this moment by another program")
        atomic_swap.rename_to_free(folder, real.name, other, to.name)
        sync(other)
        sync(folder)


def _same(one: os.stat_result, other: os.stat_result | None, renamed: bool = False) -> bool:
    """Whether it is one file, unchanged; one that was `renamed` has another time of its inode's
    change."""
    names = ("st_dev", "st_ino", "st_size", "st_mtime_ns") + (() if renamed else ("st_ctime_ns",))
    return other is not None and all(getattr(one, name) == getattr(other, name) for name in names)


def _existing(real: Path, folder: int) -> os.stat_result | None:
    try:
        there = os.stat(real.name or ".", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _regular(real, there.st_mode)
    return there


def _regular(real: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind = _KINDS.get(stat.S_IFMT(mode), "a device")
    raise NotRegular(f"{real} is {kind}, not a file")


def _attributes(name: str, folder: int) -> dict[str, bytes]:
    """The extended attributes of a file, its access list among them; empty where the system or the
    disk has none."""
    if not hasattr(os, "listxattr"):
        return {}
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    found: dict[str, bytes] = {}
    with contextlib.suppress(OSError):  # a file that we may not read can still be replaced
        descriptor = os.open(name, flags, dir_fd=folder)
        try:
            for attribute in os.listxattr(descriptor):
                with contextlib.suppress(
                    OSError
                ):  # this one is not for us to read, or has just gone
                    found[attribute] = os.getxattr(descriptor, attribute)
        finally:
            os.close(descriptor)
    return found


def _give(descriptor: int, attributes: dict[str, bytes]) -> set[str]:
    """Give a new file these extended attributes and no access list from its folder; which ones it
    has now."""
    if not hasattr(os, "listxattr"):
        return set()
    with contextlib.suppress(OSError):
        os.removexattr(descriptor, _ACL)  # most files have none
    given = set()
    for name, value in attributes.items():
        if name != _CAPABILITY:
            with contextlib.suppress(OSError):  # not for us to set: the content matters more
                os.setxattr(descriptor, name, value)
                given.add(name)
    return given


def _owning_group(access_list: bytes) -> int:
    """The rights (three bits) that a file's own group has by its access list; 0 where that cannot
    be read."""
    if len(access_list) < 4 or (len(access_list) - 4) % 8:
        return 0
    entries = struct.iter_unpack("<HHI", access_list[4:])
    return next((rights & 0o7 for tag, rights, _ in entries if tag == _GROUP_ENTRY), 0)


def _keep(
    descriptor: int, there: os.stat_result | None, mode: int | None, attributes: dict[str, bytes]
) -> None:
    """Give a new file the owner, the mode and the attributes of the one that it replaces, as far as
    we may."""
    if there is not None and (there.st_uid, there.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(
            PermissionError
        ):  # only root may give a file away; its content matters more
            os.fchown(descriptor, there.st_uid, there.st_gid)
    given = _give(descriptor, attributes) if there is not None else set()
    if mode is not None or there is not None:
        bits = stat.S_IMODE(mode if mode is not None else there.st_mode if there else 0o600)
        if (
            _ACL in attributes and _ACL not in given
        ):  # the group's bits were the mask of the list, not its own rights
            bits &= ~0o070 | _owning_group(attributes[_ACL]) << 3
        os.fchmod(descriptor, bits)


def sync(folder: int, written: str = "") -> None:
    """Make the new name durable; what a kill left of `written` goes. One opened with O_PATH cannot
    be synced itself."""
    again = open_again(folder)
    try:
        os.fsync(again)
        if written:
            atomic_swap.sweep(again, written)
    finally:
        os.close(again)


LINK: Final = stat.S_IFLNK
"""The mode of a link in records, as git writes it: its content is where it points."""


def is_link(mode: int) -> bool:
    return stat.S_IFMT(mode) == LINK


def read_link(real: Path) -> tuple[bytes, os.stat_result]:
    """Where the link at a real path points, and its facts. Raises NotRegular (it is none),
    OSError."""
    with folder_of(real) as folder:
        about = os.stat(real.name or ".", dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISLNK(about.st_mode):
            raise NotRegular(f"{real} is no link")
        return os.fsencode(os.readlink(real.name, dir_fd=folder)), about


def make_link(real: Path, target: bytes) -> None:
    """A new link, never over what is there (FileExistsError). Raises OSError."""
    with folder_of(real) as folder:
        os.symlink(os.fsdecode(target), real.name, dir_fd=folder)
        sync(folder)
