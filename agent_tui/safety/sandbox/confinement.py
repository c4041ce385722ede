"""What a confined command may do, and how that is told to the kernel: never more, or it does not
run.

Linux: Landlock for files, TCP and signals, and a seccomp filter for what Landlock does not know
(modes, owners, times and attributes of files, sockets of every kind, other processes); root loses
its capabilities. macOS: a profile for `sandbox-exec`.

What remains: a command reads every file that its profile opens, and learns names, sizes and times
of the others. It can read from a FIFO, hold a lock on a file that it may read, and use up memory,
time and the space of its temporary folder. It can use the descriptors it was given.

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NoReturn

from agent_tui.safety.sandbox import file_attributes, namespaces
from agent_tui.safety.sandbox.profiles import LANDLOCK, NAMESPACES, NotConfined, Profile

SANDBOX_EXEC: Final = b"/usr/bin/sandbox-exec"


def apply(
    profile: Profile, argv: Sequence[bytes], hand_over: Callable[[int], None] = os.close
) -> Sequence[bytes]:
    """Confine this process, which has one thread, and all that it starts from now on. Returns what
    it has to execute next. `hand_over` takes the descriptor on which the calls of
    `file_attributes.py` are told, where there are such. Raises NotConfined: then it must execute
    nothing."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is written by somebody else
    except (OSError, ValueError) as error:
        raise NotConfined(errno.EPERM, f"its limits cannot be set: {error}") from None
    if sys.platform == "darwin":
        return [SANDBOX_EXEC, b"-p", os.fsencode(seatbelt(profile)), *argv]
    if sys.platform != "linux":
        _fail(f"there is no sandbox for {sys.platform}", errno.ENOSYS)
    machine, abi = _machine(), landlock_abi()
    if profile.backend not in (LANDLOCK, NAMESPACES):
        return namespaces.bwrap(profile, _filter_file(machine), argv)
    if not abi and profile.backend == LANDLOCK:
        _fail("this kernel has no Landlock, or its use is not allowed here", errno.ENOSYS)
    libc = ctypes.CDLL(None, use_errno=True)
    of_files = namespaces.CLOSED if profile.forbidden else namespaces.OF_FILES
    _drop_capabilities(libc, of_files if profile.works else _READ_ALL)
    _check(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    if profile.backend == NAMESPACES:
        _seccomp(libc, filter_program(machine, abi, walled=True))
        return argv
    _landlock(libc, profile, abi)
    if profile.works:
        hand_over(_listen(libc, filter_program(machine, abi, asks=True), _SECCOMP_CALL[machine]))
    else:
        _seccomp(libc, filter_program(machine, abi, profile.network))
    return argv


def _filter_file(machine: int) -> int:
    """A descriptor from which `bwrap` reads the filter."""
    file = os.memfd_create("filter", 0)
    os.write(file, filter_program(machine, 0, walled=True))
    os.lseek(file, 0, os.SEEK_SET)
    return file


def limit_memory(most: int) -> None:
    """From now on this process, and each that it starts, has at most so many bytes of data. Raises
    OSError and ValueError."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = most if limit == resource.RLIM_INFINITY else min(most, limit)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def landlock_abi() -> int:
    """The version of Landlock that this kernel offers; 0: none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1)))


def _machine() -> int:
    """Which column of the tables below is this machine's."""
    names = [name for name, *_ in _MACHINES]
    name = os.uname().machine
    if name not in names or struct.calcsize("P") != 8:
        _fail(f"there is no sandbox for programs of this kind on {name}", errno.ENOSYS)
    return names.index(name)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        _fail(f"{what}: {os.strerror(number)}", number)
    return result


def _fail(what: str, number: int) -> NoReturn:
    raise NotConfined(number or errno.EPERM, what)


_NO_NEW_PRIVILEGES: Final = 38
_SET_SECCOMP: Final = 22
_FILTER: Final = 2
_CAPABILITIES_V3: Final = 0x20080522
_READ_ALL: Final = 1 << 2
"""CAP_DAC_READ_SEARCH: root still reads what others own."""


def _drop_capabilities(libc: ctypes.CDLL, kept: int) -> None:
    """Of root's rights only those in `kept` stay; whoever has none keeps none. Without new
    privileges, no program gives them back."""
    header = struct.pack("=Ii", _CAPABILITIES_V3, 0)
    data = ctypes.create_string_buffer(24)
    _check(libc.capget(header, data), "capget")
    permitted = struct.unpack_from("=III", data.raw)[1] & kept
    none = struct.pack("=6I", permitted, permitted, 0, 0, 0, 0)
    _check(libc.capset(header, none), "capset")


# ------------------------------------------------------------------ Landlock

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_BENEATH: Final = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_DEVICES: Final = 1 << 6 | 1 << 11
"""Making devices."""
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
"""What can be said of anything but a folder."""
_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights to files, from each version on that has more."""
_TCP_SINCE, _SCOPES_SINCE, _TRUNCATE_SINCE = 4, 6, 3
_TCP: Final = 3
"""Bind, connect."""
_SCOPES: Final = 3
"""Abstract Unix sockets and signals: none to processes outside."""


def _landlock(libc: ctypes.CDLL, profile: Profile, abi: int) -> None:
    handled = _RIGHTS[max(since for since in _RIGHTS if since <= abi)]
    tcp = 0 if profile.network or abi < _TCP_SINCE else _TCP
    scopes = _SCOPES if abi >= _SCOPES_SINCE else 0
    attributes = struct.pack("=QQQ", handled, tcp, scopes)
    size = 24 if abi >= _SCOPES_SINCE else 16 if abi >= _TCP_SINCE else 8
    rules = _check(
        libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "Landlock ruleset"
    )
    try:
        read = _EXECUTE | _READ_FILE | _READ_DIR
        for paths, rights in (
            (profile.listed, _READ_DIR),
            (profile.readable, read),
            (profile.writable, handled & ~_DEVICES),
        ):
            for path in paths:
                _grant(libc, rules, path, rights)
        _check(libc.syscall(_RESTRICT_SELF, rules, 0), "Landlock")
    finally:
        os.close(rules)


def _grant(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it is gone, or not for us to see: what is not granted is refused
    try:
        folder = os.fstat(place).st_mode & 0o170000 == 0o040000
        rights = rights if folder else rights & _OF_FILES
        if rights:
            rule = struct.pack("=Qi", rights, place)
            _check(libc.syscall(_ADD_RULE, rules, _BENEATH, rule, 0), f"Landlock rule for {path}")
    finally:
        os.close(place)


# ------------------------------------------------------------------ seccomp

_MACHINES: Final = (("x86_64", 0xC000003E, 0x4000_0000), ("aarch64", 0xC00000B7, 0))
"""Each with the kernel's number for it, and the first number of its second set of system calls
(x32), which would not be recognised."""
_LAST: Final = 469
"""The last system call that was looked at; from 424 on, all machines have the same numbers. Newer
ones do not exist for a confined command."""

_ATTRIBUTES: Final = """
    setxattr 188 5  lsetxattr 189 6  fsetxattr 190 7  setxattrat 463 463  file_setattr 469 469
    removexattr 197 14  lremovexattr 198 15  fremovexattr 199 16  removexattrat 466 466
"""
_OF_PROCESSES: Final = """
    ptrace 101 117  process_vm_readv 310 270  process_vm_writev 311 271  kcmp 312 272
    pidfd_getfd 438 438  process_madvise 440 440  process_mrelease 448 448
    setpriority 141 140  ioprio_set 251 30  migrate_pages 256 238  move_pages 279 239
    shmget 29 194  shmat 30 196  shmctl 31 195  semget 64 190  semop 65 193  semctl 66 191
    semtimedop 220 192  msgget 68 186  msgsnd 69 189  msgrcv 70 188  msgctl 71 187
    mq_open 240 180  mq_unlink 241 181
"""
"""Where no namespace keeps them from what is outside."""
_OF_THE_KERNEL: Final = """
    io_uring_setup 425 425  io_uring_enter 426 426  io_uring_register 427 427
    unshare 272 97  setns 308 268  chroot 161 51  pivot_root 155 41  mount 165 40  umount2 166 39
    open_tree 428 428  move_mount 429 429  fsopen 430 430  fsconfig 431 431  fsmount 432 432
    fspick 433 433  mount_setattr 442 442  open_tree_attr 467 467
    bpf 321 280  perf_event_open 298 241  userfaultfd 323 282  fanotify_init 300 262
    keyctl 250 219  add_key 248 217  request_key 249 218  open_by_handle_at 304 265
"""
_REFUSED: Final = file_attributes.CALLS + _ATTRIBUTES + _OF_PROCESSES + _OF_THE_KERNEL
"""Each by its numbers on the machines above; `-`: there is none."""
_OF_NETWORKS: Final = "socket 41 198  connect 42 203  bind 49 200  listen 50 201"
_BY_NAME: Final = "truncate 76 45"
"""Where Landlock does not know it."""
_UNREADABLE: Final = "clone3 435 435"
"""Its flags are where a filter cannot look. Every program has another way, which is taken where the
kernel does not know this one."""
_UNREADABLE_OPEN: Final = "openat2 437 437"

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_TELL: Final = 0x7FC00000
_SECCOMP_CALL: Final = (317, 277)
_WITH_FILTER, _NEW_LISTENER = 1, 8
_EPERM, _ENOSYS = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
_ALL: Final = 0xFFFFFFFF
_NEW_NAMESPACES: Final = 0x7E020000
_IOCTLS: Final = (
    *(0x5401, 0x802C542A, 0x540F, 0x5413, 0x5429, 0x541B, 0x5421, 0x5450, 0x5451, 0x5460),
    *(0x80086601, 0x801C581F, 0xC020660B, 0x40049409, 0x4020940D),
)
"""Asking a terminal (modes, group, size, session), bytes to read, blocking, closing at exec, size;
attributes and extents of a file, cloning into a file that is open for writing. Some of the others
change files that are only open for reading, or type on a terminal."""
_FCNTLS: Final = (8, 15, 1024)
"""F_SETOWN, F_SETOWN_EX (signals to anybody), F_SETLEASE (others wait for us)."""

_Test = tuple[int, int, tuple[int, ...]]
"""Which argument, which of its bits, and the values that meet it."""
_CHECKED: Final[tuple[tuple[str, int, tuple[_Test, ...]], ...]] = (
    ("clone 56 220", _ALLOW, ((0, _NEW_NAMESPACES, (0,)),)),
    ("ioctl 16 29", _ALLOW, ((1, _ALL, _IOCTLS),)),
    ("fcntl 72 25", _EPERM, ((1, _ALL, _FCNTLS),)),
    ("prlimit64 302 261", _ALLOW, ((0, _ALL, (0,)),)),
    ("sched_setaffinity 203 122", _ALLOW, ((0, _ALL, (0,)),)),
    ("sched_setparam 142 118", _ALLOW, ((0, _ALL, (0,)),)),
    ("sched_setscheduler 144 119", _ALLOW, ((0, _ALL, (0,)),)),
    ("sched_setattr 314 274", _ALLOW, ((0, _ALL, (0,)),)),
)
"""What happens where one of the tests is met; else the opposite. A process id of 0 is the
caller."""
_WALLED: Final = (
    _CHECKED[0],
    ("ioctl 16 29", _EPERM, ((1, _ALL, (0x5412, 0x541C, 0x5423)),)),
    ("socket 41 198", _ALLOW, ((0, _ALL, (1, 2, 10, 16)),)),
)
"""Within namespaces: no others in them, no typing on terminals (TIOCSTI, TIOCLINUX), and no sockets
but Unix, IP and netlink: those to the host of a virtual machine belong to no network namespace, and
WSL starts Windows programs by them."""
_PAIRS: Final = (("socketpair 53 199", _ALLOW, ((1, 0xF, (1, 5)),)),)
"""Streams and packets stay connected to each other; a datagram could be sent to any Unix socket."""
_SIGNALS: Final = (
    ("kill 62 129", _ALLOW, ((0, _ALL, (0,)), (1, _ALL, (0,)))),
    ("tkill 200 130", _ALLOW, ((1, _ALL, (0,)),)),
    ("tgkill 234 131", _ALLOW, ((2, _ALL, (0,)),)),
    ("rt_sigqueueinfo 129 138", _ALLOW, ((1, _ALL, (0,)),)),
    ("rt_tgsigqueueinfo 297 240", _ALLOW, ((2, _ALL, (0,)),)),
    ("pidfd_send_signal 424 424", _ALLOW, ((1, _ALL, (0,)),)),
)
"""Where Landlock has no scopes: to the own group, whose session is the command's, and the signal 0,
which says whether somebody is there. A command cannot signal its other children there either."""
_EMPTYING: Final = (
    ("open 2 -", _EPERM, ((1, 0x203, (0x200, 0x203)),)),
    ("openat 257 56", _EPERM, ((2, 0x203, (0x200, 0x203)),)),
)
"""Where Landlock does not know truncation: O_TRUNC, without being open for writing."""

_LOAD, _AND, _EQUAL, _GREATER, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16


def filter_program(
    machine: int, abi: int, network: bool = False, walled: bool = False, asks: bool = False
) -> bytes:
    """The seccomp filter in the kernel's byte code. `walled`: namespaces keep the command from
    files, networks and processes outside; it must not get out of them. `asks`: the calls of
    `file_attributes.py` are told."""
    _, kernel_name, second_set = _MACHINES[machine]
    code = [
        (_LOAD, 0, 0, _MACHINE_AT),
        *_unless(_EQUAL, kernel_name, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if second_set:
        code += _when(_AT_LEAST, second_set, _KILL)
    code += _when(_GREATER, _LAST, _ENOSYS)
    refused, unreadable, checked = _REFUSED, _UNREADABLE, _CHECKED
    if walled:
        refused, checked, abi = _OF_THE_KERNEL, _WALLED, _SCOPES_SINCE
    elif not network:
        refused, checked = refused + _OF_NETWORKS, checked + _PAIRS
    if abi < _SCOPES_SINCE:
        checked += _SIGNALS
    if abi < _TRUNCATE_SINCE:
        refused, checked = f"{refused} {_BY_NAME}", checked + _EMPTYING
        unreadable = f"{unreadable} {_UNREADABLE_OPEN}"
    for said, verdict, tests in checked:
        for number in numbers(said, machine).values():
            body = list(_tested(verdict, tests))
            code += [(_EQUAL, 0, len(body), number), *body]
    if asks:
        for number in numbers(_ATTRIBUTES, machine).values():
            code += _when(_EQUAL, number, _ERRNO | errno.EOPNOTSUPP)  # copying does without
        for number in numbers(file_attributes.CALLS, machine).values():
            code += _when(_EQUAL, number, _TELL)
    for said, verdict in ((refused, _EPERM), (unreadable, _ENOSYS)):
        for number in numbers(said, machine).values():
            code += _when(_EQUAL, number, verdict)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def numbers(said: str, machine: int) -> dict[str, int]:
    """The system calls of a table above by their names, as `machine` counts them."""
    words = said.split()
    columns = len(_MACHINES) + 1
    return {
        words[at]: int(words[at + 1 + machine])
        for at in range(0, len(words), columns)
        if words[at + 1 + machine] != "-"
    }


_Instruction = tuple[int, int, int, int]


def _when(test: int, value: int, verdict: int) -> list[_Instruction]:
    return [(test, 0, 1, value), (_RETURN, 0, 0, verdict)]


def _unless(test: int, value: int, verdict: int) -> list[_Instruction]:
    return [(test, 1, 0, value), (_RETURN, 0, 0, verdict)]


def _tested(verdict: int, tests: Sequence[_Test]) -> Iterator[_Instruction]:
    """The lower half of an argument is all that the kernel looks at in these calls."""
    for argument, bits, values in tests:
        yield (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)
        if bits != _ALL:
            yield (_AND, 0, 0, bits)
        for value in values:
            yield from _when(_EQUAL, value, verdict)
    yield (_RETURN, 0, 0, _ALLOW if verdict == _EPERM else _EPERM)


def _seccomp(libc: ctypes.CDLL, program: bytes) -> None:
    held = ctypes.create_string_buffer(program)
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    _check(libc.prctl(_SET_SECCOMP, _FILTER, header, 0, 0), "seccomp")


def _listen(libc: ctypes.CDLL, program: bytes, call: int) -> int:
    """As `_seccomp`; returns where the calls are told that the filter does not decide about."""
    held = ctypes.create_string_buffer(program)
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    return _check(libc.syscall(call, _WITH_FILTER, _NEW_LISTENER, header), "seccomp")


def told_calls() -> dict[int, str]:
    """The calls that the filter tells, by their numbers here."""
    return {at: name for name, at in numbers(file_attributes.CALLS, _machine()).items()}


# ------------------------------------------------------------------ Seatbelt

_BASE: Final = """(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.membership"))
(allow mach-lookup (global-name "com.apple.bsd.dirhelper"))
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow file-ioctl (literal "/dev/null"))
"""
"""What programs need to start at all."""
_NETWORK: Final = """(allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.dnssd.service"))
(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))
(allow mach-lookup (global-name "com.apple.trustd.agent"))
"""


def seatbelt(profile: Profile) -> str:
    """`profile` in the language of `sandbox-exec`. A path there is the real one."""
    rules = [_BASE, _NETWORK if profile.network else ""]
    for rights, paths in (
        ("file-read*", (*profile.readable, *profile.writable)),
        ("file-write*", profile.writable),
    ):
        rules += (f"(allow {rights} {_place(path)})\n" for path in paths)
    rules += (
        f"(allow file-read-data (require-all {_place(path)} (vnode-type DIRECTORY)))\n"
        for path in profile.listed
    )
    if profile.works:  # of several rules the last one counts
        over = namespaces.plan(profile)
        rules += (_AT_WORK[kind].format(_place(path), _itself(path)) for path, kind in over)
        rules += (f"(allow file-write* {_place(one)})\n" for one in (*_WRITTEN, profile.temporary))
    return "".join(rules)


_WRITTEN: Final = ("/dev/null", "/dev/zero", "/dev/tty")
_AT_WORK: Final = {
    "hide": "(deny file-read* file-write* {})\n",
    "close": "(deny file-read* file-write* {})\n",
    "mask": "(deny file-read* file-write* {})\n",
    "read": "(allow file-read* {0})\n(deny file-write* {0})\n",
    "write": "(allow file-read* file-write* {0})\n(deny file-write-unlink {1})\n",
    "link": "(allow file-read* {})\n",
}
"""What the mounts of `namespaces.py` are in this language: neither can be moved away, else what
lies in it would have a name that no rule knows."""


def _place(path: str) -> str:
    real = os.path.realpath(path)
    return f"(subpath {_quote(real)})" if os.path.isdir(real) else _itself(path)  # noqa: PTH112


def _itself(path: str) -> str:
    return f"(literal {_quote(os.path.realpath(path))})"


def _quote(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
