"""A view of the machine of its own for a command: the same files, of which it writes only what it
may, no network but its own, and no process but its own. By `bwrap`, or by the kernel's namespaces.

Everything is mounted once more, read-only. Over it lie empty folders where something is hidden,
and in and beside them what may be read or written. `plan` says what lies where.

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from agent_tui.safety.sandbox.profiles import NAMESPACES, NotConfined, Profile

OF_FILES: Final = 0b11111
"""Root's rights to change what others own, which is what it may write: CAP_CHOWN to CAP_FSETID."""

CLOSED: Final = 0b11001
"""The same without the rights by which root enters each folder."""

Kind = Literal["hide", "close", "mask", "read", "write", "link"]
"""A folder that is empty, one that nobody enters, a file that cannot be opened, what is there, and a
link that stays."""
_SHARED: Final = ("/tmp", "/var/tmp")
"""Where the temporary folder of the program's commands lies for them."""
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
PROXY_PORT: Final = 3128
"""Where in its own network a command finds the proxy of this program."""
_LISTEN: Final = f"""
import os, socket, sys
with socket.socket(fileno=int(sys.argv[1])) as channel:
    with socket.create_server(("127.0.0.1", {PROXY_PORT}), backlog=64) as server:
        socket.send_fds(channel, [b"+"], [server.fileno()])
os.execvp(sys.argv[2], sys.argv[2:])
"""
_LINKS: Final = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}


def plan(profile: Profile) -> list[tuple[str, Kind]]:
    """What lies over the machine's files, outermost first. `write` also stands for each folder on
    the way to something fixed or hidden: what is mounted cannot be moved away."""
    wanted: dict[str, Kind] = {}
    for path in profile.links:
        wanted[path] = "link"
    for path in profile.readable:
        wanted[path] = "read"
    for path in profile.hidden:
        wanted[path] = "hide" if os.path.isdir(path) else "mask"  # noqa: PTH112
    for path in profile.writable:
        wanted[path] = "write"
    for path in profile.forbidden:
        wanted[path] = "close"
    for path in profile.fixed:
        if wanted.get(path) not in ("hide", "close", "mask"):  # `.envrc` is obeyed, and secret
            wanted[path] = "read"
    for path in (*profile.fixed, *profile.hidden, *profile.forbidden):
        wanted |= dict.fromkeys(_ways_to(path, wanted), "write")
    found: list[tuple[str, Kind]] = []
    around: list[tuple[str, Kind]] = [("/", "read")]
    for path in sorted(wanted, key=lambda path: path + "/"):
        while not f"{path}/".startswith(around[-1][0].rstrip("/") + "/"):
            around.pop()
        if _is_needed(path, wanted[path], around[-1], path in profile.fixed):
            found.append((path, wanted[path]))
            around.append(found[-1])
    return found


def _ways_to(path: str, wanted: Mapping[str, Kind]) -> Sequence[str]:
    """The folders above `path` in the one that is written, where it lies in one."""
    found: list[str] = []
    above = os.path.dirname(path)  # noqa: PTH120
    while above not in wanted and above != "/":
        found.append(above)
        above = os.path.dirname(above)  # noqa: PTH120
    return found if wanted.get(above) == "write" else ()


def _is_needed(path: str, kind: Kind, around: tuple[str, Kind], is_fixed: bool) -> bool:
    """Whether something lies at `path` that is another than `around` says of what is there."""
    place, outer = around
    if not os.path.lexists(path) or path == "/dev" or path.startswith("/dev/"):
        return False  # of devices there are a few others
    if outer == "close":
        return False
    match kind:
        case "link":
            return outer == "hide"
        case "hide" | "mask":
            return outer != "hide" or place in _SHARED
        case "read":
            return outer == "hide" or is_fixed
        case "write" | "close":
            return True


def bwrap(profile: Profile, filter_file: int, argv: Sequence[bytes]) -> list[bytes]:
    """What has `bwrap` run `argv`. Raises NotConfined."""
    said = [profile.backend, "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    if not os.geteuid():
        said += ["--cap-drop", "ALL"]
        over_modes = () if profile.forbidden else ("DAC_OVERRIDE", "DAC_READ_SEARCH")
        for name in ("CHOWN", *over_modes, "FOWNER", "FSETID"):
            said += ["--cap-add", f"CAP_{name}"]
    said += ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/dev/shm", "--proc", "/proc"]
    close = ["/proc"]
    for path, kind in plan(profile):
        if kind == "link":
            said += ["--symlink", os.readlink(path), path]  # noqa: PTH115
        elif kind == "mask":
            said += ["--ro-bind", os.devnull, path]  # no device there: it cannot be opened
        elif kind == "close":
            said += ["--perms", "0000", "--tmpfs", path]
            close.append(path)
        elif kind != "hide":
            said += ["--ro-bind" if kind == "read" else "--bind", path, path]
        elif path in _SHARED and profile.temporary:
            said += ["--bind", profile.temporary, path]
        else:
            said += ["--tmpfs", path]
            close.append(path)
    for path in close:
        said += ["--remount-ro", path]
    os.set_inheritable(filter_file, True)
    said += ["--seccomp", str(filter_file), "--chdir", os.getcwd(), "--"]  # noqa: PTH109
    return [*map(os.fsencode, said), *argv]


def hand_over_listener(channel: int, backend: str, argv: Sequence[bytes]) -> Sequence[bytes]:
    """Send over `channel` a socket that listens in the command's network, before the command
    begins: by what `argv` becomes, where only `bwrap` is in that network. Raises OSError."""
    if backend != NAMESPACES:
        os.set_inheritable(channel, True)
        python = (sys.executable, "-I", "-S", "-c", _LISTEN, str(channel))
        return [*map(os.fsencode, python), *argv]
    with (
        socket.socket(fileno=channel) as sender,
        socket.create_server(("127.0.0.1", PROXY_PORT), backlog=64) as server,
    ):
        socket.send_fds(sender, [b"+"], [server.fileno()])
    return argv


# ------------------------------------------------------------------ by the kernel's own calls

_NEW_MOUNTS, _NEW_IPC, _NEW_USER = 0x20000, 0x8000000, 0x10000000
_NEW_PROCESSES, _NEW_NETWORK = 0x20000000, 0x40000000
_SYS_ADMIN: Final = 21
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
"""The same on all machines."""
_HERE: Final = -100
_CLONE, _CLOEXEC, _RECURSIVE, _EMPTY_PATH = 1, 0o2000000, 0x8000, 0x1000
_FROM_DESCRIPTOR: Final = 4
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXECUTION = 1, 2, 4, 8
_PRIVATE: Final = 0x44000
"""MS_REC and MS_PRIVATE: nothing of it is seen outside."""
_UNDUMPABLE: Final = 4
_SET_FLAGS, _UP = 0x8914, 1
"""Of a network interface."""
_libc: Final = ctypes.CDLL(None, use_errno=True)


def leave() -> None:
    """The next child of this process is the first in namespaces of its own, and `build`s there.
    Raises NotConfined."""
    kinds = _NEW_IPC | _NEW_PROCESSES | _NEW_NETWORK
    if _may_mount():
        _check(_libc.unshare(kinds), "namespaces")
        return
    user, group = os.geteuid(), os.getegid()
    _check(_libc.unshare(kinds | _NEW_USER), "namespaces")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        try:
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)
        except OSError as error:
            raise NotConfined(error.errno or errno.EPERM, f"{name}: {error.strerror}") from None


def _may_mount() -> bool:
    """Whether it is root with its rights: then files keep their owners."""
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123
        rights = next(line for line in file if line.startswith(b"CapEff:"))
    return bool(int(rights.split()[1], 16) >> _SYS_ADMIN & 1)


def build(profile: Profile) -> None:
    """Mount everything anew for this process, the first of its namespaces, and those below it.
    Raises NotConfined."""
    try:
        _check(_libc.unshare(_NEW_MOUNTS), "mounts")
        _check(_libc.mount(None, b"/", None, _PRIVATE, None), "private mounts")
        _mount_all(profile)
        _start_loopback()
        _libc.prctl(_UNDUMPABLE, 0, 0, 0, 0)  # no command looks into it, nor through it
    except NotConfined:
        raise
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise NotConfined(error.errno or errno.EPERM, what) from None


def _mount_all(profile: Profile) -> None:
    found = plan(profile)
    shown = {path: _copy(path, kind == "read") for path, kind in found if kind in ("read", "write")}
    links = {path: os.readlink(path) for path, kind in found if kind == "link"}  # noqa: PTH115
    devices = {name: _copy(f"/dev/{name}", devices=True) for name in _DEVICES}
    shared = _copy(profile.temporary) if profile.temporary else -1
    _restrict(_HERE, b"/", _READ_ONLY | _NO_SETUID | _NO_DEVICES)
    _mount("proc", "/proc", _READ_ONLY | _NO_SETUID | _NO_DEVICES | _NO_EXECUTION)
    _make_devices(devices)
    close = ["/dev"]
    for path, kind in found:
        if kind == "link":
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            os.symlink(links[path], path)  # noqa: PTH211
        elif kind == "mask":
            _place(_copy(os.devnull, read_only=True), path)
        elif kind == "close":
            _mount("tmpfs", path, _NO_SETUID | _NO_DEVICES, "mode=000,size=4k")
            close.append(path)
        elif kind != "hide":
            _place(shown[path], path)
        elif path in _SHARED and shared >= 0:
            _place(shared, path)
            shared = _copy(path)
        else:
            os.makedirs(path, exist_ok=True)  # noqa: PTH103
            _mount("tmpfs", path, _NO_SETUID | _NO_DEVICES, "mode=755,size=4m")
            close.append(path)
    for path in close:
        _restrict(_HERE, os.fsencode(path), _READ_ONLY, 0)


def _make_devices(devices: dict[str, int]) -> None:
    """A `/dev` with little in it; nobody else has its terminals and its shared memory."""
    _mount("tmpfs", "/dev", _NO_SETUID | _NO_EXECUTION, "mode=755,size=4m")
    for name, descriptor in devices.items():
        _place(descriptor, f"/dev/{name}")
    for name, target in _LINKS.items():
        os.symlink(target, f"/dev/{name}")  # noqa: PTH211
    for name in ("shm", "pts"):
        os.mkdir(f"/dev/{name}")  # noqa: PTH102
    _mount("tmpfs", "/dev/shm", _NO_SETUID | _NO_DEVICES, "mode=1777")
    _mount("devpts", "/dev/pts", _NO_SETUID | _NO_EXECUTION, "newinstance,ptmxmode=0666,mode=620")


def _copy(path: str, read_only: bool = False, devices: bool = False) -> int:
    """What is at `path`, to be mounted elsewhere: its descriptor."""
    flags = ctypes.c_uint(_CLONE | _CLOEXEC | _RECURSIVE)
    made = _libc.syscall(_OPEN_TREE, _HERE, os.fsencode(path), flags)
    descriptor = _check(made, path)
    limits = _NO_SETUID | (0 if devices else _NO_DEVICES) | (_READ_ONLY if read_only else 0)
    _restrict(descriptor, b"", limits, _RECURSIVE | _EMPTY_PATH)
    return descriptor


def _place(descriptor: int, path: str) -> None:
    """Mount what `_copy` gave, and make the place for it in what is hidden."""
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with contextlib.suppress(FileExistsError):  # in the shared folder, another made it just now
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                os.mkdir(path)  # noqa: PTH102
            else:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    moved = _libc.syscall(
        _MOVE_MOUNT, descriptor, b"", _HERE, os.fsencode(path), ctypes.c_uint(_FROM_DESCRIPTOR)
    )
    _check(moved, path)
    os.close(descriptor)


def _restrict(descriptor: int, path: bytes, limits: int, flags: int = _RECURSIVE) -> None:
    attributes = struct.pack("=QQQQ", limits, 0, 0, 0)
    done = _libc.syscall(
        _MOUNT_SETATTR,
        descriptor,
        path,
        ctypes.c_uint(flags),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _check(done, f"limits of {os.fsdecode(path) or 'a mount'}")


def _mount(kind: str, path: str, flags: int, data: str = "") -> None:
    done = _libc.mount(
        kind.encode(), os.fsencode(path), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _check(done, f"{kind} on {path}")


def _start_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise NotConfined(number or errno.EPERM, f"{what}: {os.strerror(number)}")
    return result
