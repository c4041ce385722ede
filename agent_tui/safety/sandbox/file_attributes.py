"""Modes, owners and times of files, changed for a command whose sandbox does not know them.

Landlock leaves them alone, and a filter does not see which file is meant. So the filter stops these
calls, and the command's supervisor makes them instead, where the file lies in what the command may
write: on the file that it has opened, whatever becomes of its name meanwhile.

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import struct
import time
from collections.abc import Iterator, Sequence
from typing import Final

CALLS: Final = """
    chmod 90 -  fchmod 91 52  fchmodat 268 53  fchmodat2 452 452
    chown 92 -  fchown 93 55  lchown 94 -  fchownat 260 54
    utime 132 -  utimes 235 -  futimesat 261 -  utimensat 280 88
"""
"""Each by its numbers on the machines that `confinement.py` knows."""
_SHAPES: Final = {
    "chmod": (None, 0, "mode", 1, None),
    "fchmod": (0, None, "mode", 1, None),
    "fchmodat": (0, 1, "mode", 2, None),
    "fchmodat2": (0, 1, "mode", 2, 3),
    "chown": (None, 0, "owner", 1, None),
    "lchown": (None, 0, "owner", 1, -1),
    "fchown": (0, None, "owner", 1, None),
    "fchownat": (0, 1, "owner", 2, 4),
    "utime": (None, 0, "seconds", 1, None),
    "utimes": (None, 0, "micro", 1, None),
    "futimesat": (0, 1, "micro", 2, None),
    "utimensat": (0, 1, "nano", 2, 3),
}
"""Which argument holds the folder or the file, the name, what is set, and the flags (-1: the link
itself is meant)."""
_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_NOTICE: Final = "=QIIiIQ6Q"
_HERE: Final = -100
_NO_FOLLOW, _EMPTY_PATH = 0x100, 0x1000
_LONGEST: Final = 4096
_NOW, _OMIT = 0x3FFFFFFF, 0x3FFFFFFE


def ends_of_children(
    listener: int, names: dict[int, str], writable: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Each child of this process that ends, with its status, until there is none. Meanwhile the
    calls that are told on `listener` (negative: none) are answered."""
    reading = -1
    if listener >= 0:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG if listener >= 0 else 0)
        except ChildProcessError:
            return
        if pid:
            yield pid, status
            continue
        ready = select.select([listener, reading], [], [])[0]
        if reading in ready:
            os.read(reading, _LONGEST)
        if listener in ready and not answer(listener, names, writable):
            os.close(listener)
            listener = -1


def answer(listener: int, names: dict[int, str], writable: Sequence[str]) -> bool:
    """Answer one call of a command; `names`: the calls by their numbers. False: there will be no
    more."""
    notice = bytearray(struct.calcsize(_NOTICE))
    try:
        fcntl.ioctl(listener, _RECEIVE, notice)
    except OSError as error:
        return error.errno == errno.EINTR
    told, pid, _, number, _, _, *arguments = struct.unpack(_NOTICE, notice)
    problem = 0
    try:
        _do(listener, told, pid, names[number], arguments, writable)
    except OSError as error:
        problem = error.errno or errno.EPERM
    try:
        fcntl.ioctl(listener, _SEND, bytearray(struct.pack("=QqiI", told, 0, -problem, 0)))
    except OSError as error:
        return error.errno == errno.ENOENT  # it was ended meanwhile
    return True


def _do(
    listener: int,
    told: int,
    pid: int,
    name: str,
    arguments: Sequence[int],
    writable: Sequence[str],
) -> None:
    """Make the call. Raises OSError: so it fails for the command."""
    at, named, what, value, flags_at = _SHAPES[name]
    flags = _NO_FOLLOW if flags_at == -1 else arguments[flags_at] if flags_at else 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:  # noqa: PTH123
        path = _text(memory.fileno(), arguments[named]) if named is not None else b""
        times = b""
        if what in ("seconds", "micro", "nano") and arguments[value]:
            size = 16 if what == "seconds" else 32
            times = os.pread(memory.fileno(), size, arguments[value])
    folder = arguments[at] & 0xFFFFFFFF if at is not None else _HERE & 0xFFFFFFFF
    target = _open(pid, folder, path, bool(flags & _NO_FOLLOW))
    try:
        fcntl.ioctl(listener, _IS_VALID, struct.pack("=Q", told))  # it was that process's memory
        own = f"/proc/self/fd/{target}"
        real = os.readlink(own)  # noqa: PTH115
        if not any(real == one or real.startswith(f"{one}/") for one in writable):
            raise OSError(errno.EPERM, "outside")
        if what == "mode":
            os.chmod(own, arguments[value] & 0o7777)  # noqa: PTH101
        elif what == "owner":
            os.chown(own, *(_signed(arguments[one]) for one in (value, value + 1)))
        else:
            os.utime(own, ns=_times(what, times, os.stat(target)))  # noqa: PTH116
    finally:
        os.close(target)


def _open(pid: int, folder: int, path: bytes, is_link: bool) -> int:
    """The file that the process means, opened for nothing but its name."""
    flags = os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if is_link else 0)
    here = folder == _HERE & 0xFFFFFFFF
    base = f"/proc/{pid}/cwd" if here else f"/proc/{pid}/fd/{folder}"
    if not path:
        if here:
            raise OSError(errno.ENOENT, "no name")
        return os.open(base, os.O_PATH | os.O_CLOEXEC)
    above = os.open(base, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.open(path, flags, dir_fd=above)
    finally:
        os.close(above)


def _text(memory: int, address: int) -> bytes:
    """The text there, empty for none; it may end just before what is not mapped."""
    found = b""
    while address and b"\0" not in found:
        if len(found) > _LONGEST:
            raise OSError(errno.ENAMETOOLONG, "too long")
        at = address + len(found)
        found += os.pread(memory, 4096 - at % 4096, at)
    return found.partition(b"\0")[0]


def _signed(number: int) -> int:
    return (number & 0xFFFFFFFF) - (1 << 32) if number & 0x80000000 else number & 0xFFFFFFFF


def _times(what: str, said: bytes, now: os.stat_result) -> tuple[int, int]:
    clock = time.time_ns()
    if not said:
        return clock, clock
    if what == "seconds":
        first, second = struct.unpack("=qq", said)
        return first * 10**9, second * 10**9
    numbers = struct.unpack("=qqqq", said)
    factor = 1_000 if what == "micro" else 1
    found = []
    for seconds, part, old in ((*numbers[:2], now.st_atime_ns), (*numbers[2:], now.st_mtime_ns)):
        special = {_NOW: clock, _OMIT: old} if what == "nano" else {}
        found.append(special.get(part, seconds * 10**9 + part * factor))
    return found[0], found[1]
