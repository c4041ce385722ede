"""Ways out of a confined command, each as the Python that tries it.

Run as a program: it tries each in a process of its own and prints what came of it as JSON (`done`,
the name of an error, or a signal). `places`, its first argument, holds the names that they use.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import sys
from types import SimpleNamespace

FILES = {
    "write by name": "open(at.outside, 'a').write('x')",
    "write by a link": "os.symlink(at.outside, tmp('l')); open(tmp('l'), 'w').write('x')",
    "write by the root of a process": "open('/proc/self/root' + at.outside, 'w').write('x')",
    "write in the session": "open(at.inside, 'a').write('x')",
    "make a file": "open(at.outside + '.new', 'x')",
    "make a file in the session": "open(at.inside + '.new', 'x')",
    "rename out": "open(tmp('f'), 'x'); os.rename(tmp('f'), at.outside + '.renamed')",
    "rename over": "open(tmp('g'), 'x'); os.replace(tmp('g'), at.outside)",
    "take away": "os.rename(at.outside, tmp('taken'))",
    "rename in the session": "os.rename(at.inside, at.inside + '.renamed')",
    "hard link in": "os.link(at.outside, tmp('h')); open(tmp('h'), 'w').write('x')",
    "hard link of what may be read": "os.link(at.inside, tmp('i')); open(tmp('i'), 'w')",
    "hard link out": "open(tmp('j'), 'x'); os.link(tmp('j'), at.outside + '.linked')",
    "truncate": "os.truncate(at.outside, 0)",
    "truncate by opening": "os.open(at.inside, os.O_RDONLY | os.O_TRUNC)",
    "truncate by opening for nothing": "os.open(at.inside, 3 | os.O_TRUNC)",
    "chmod": "os.chmod(at.outside, 0o777)",
    "chmod by what may be read": "os.fchmod(os.open(at.inside, os.O_RDONLY), 0o777)",
    "fchmodat2": "call(452, -100, at.inside.encode(), 0o777, 0)",
    "chown": "os.chown(at.outside, os.getuid(), os.getgid())",
    "utime": "os.utime(at.outside, (1, 1))",
    "utime by what may be read": "os.utime(os.open(at.inside, os.O_RDONLY), (1, 1))",
    "attribute": "os.setxattr(at.inside, 'user.x', b'x')",
    "flags": "fcntl.ioctl(os.open(at.inside, os.O_RDONLY), 0x40086602, struct.pack('l', 0x80))",
    "unlink": "os.unlink(at.outside)",
    "unlink in the session": "os.unlink(at.inside)",
    "mkdir": "os.mkdir(at.outside + '.folder')",
    "rmdir": "os.rmdir(at.empty)",
    "symlink": "os.symlink('x', at.outside + '.link')",
    "mkfifo": "os.mkfifo(at.outside + '.fifo')",
    "device": "os.mknod(tmp('null'), stat.S_IFCHR | 0o600, os.makedev(1, 3))",
    "read": "open(at.outside).read()",
    "list": "os.listdir(os.path.dirname(at.outside))",
    "shared memory": "open('/dev/shm/agent-tui-escape', 'x')",
    "a setting of the kernel": "open('/proc/sys/kernel/core_pattern', 'r+')",
}
NETWORK = {
    "TCP": "socket.create_connection(('127.0.0.1', at.tcp), 5)",
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', at.udp))",
    "DNS": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.53', 53))",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "Unix socket": "socket.socket(socket.AF_UNIX).connect(at.unix)",
    "abstract socket": "socket.socket(socket.AF_UNIX).connect(chr(0) + at.abstract)",
    "one end of a pair": "socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', at.datagrams)",
}
PROCESSES = {
    "signal": "os.kill(at.pid, signal.SIGUSR1)",
    "signal by a descriptor": "signal.pidfd_send_signal(os.pidfd_open(at.pid), signal.SIGUSR1)",
    "signal to a thread": "call(NUMBERS['tgkill'], at.pid, at.pid, signal.SIGUSR1)",
    "signal by input": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, at.pid)",
    "ptrace": "call(NUMBERS['ptrace'], 16, at.pid, 0, 0)",
    "memory": "open(f'/proc/{at.pid}/mem', 'r+b')",
    "environment": "open(f'/proc/{at.pid}/environ').read()",
    "its files": "open(f'/proc/{at.pid}/cwd/canary')",
    "read memory": "call(NUMBERS['process_vm_readv'], at.pid, 0, 0, 0, 0, 0)",
    "limits": "resource.prlimit(at.pid, resource.RLIMIT_CPU, (1, 1))",
    "type on a terminal": "fcntl.ioctl(os.open(at.terminal, os.O_RDWR), termios.TIOCSTI, b'x')",
    "type on what is open": "fcntl.ioctl(0, termios.TIOCSTI, b'x')",
}
KERNEL = {
    "io_uring": "call(425, 8, ctypes.create_string_buffer(120))",
    "unshare": "call(NUMBERS['unshare'], 0x10000000)",
    "clone": "namespace()",
    "mount": "call(NUMBERS['mount'], b'none', tmp('').encode(), b'tmpfs', 0, None)",
    "chroot": "os.chroot(tmp(''))",
    "the host of this machine": "socket.socket(40, socket.SOCK_STREAM)",
    "ciphers of the kernel": "socket.socket(38, socket.SOCK_SEQPACKET)",
    "bpf": "call(NUMBERS['bpf'], 0, None, 0)",
    "keyctl": "call(NUMBERS['keyctl'], 0, -3, 0)",
    "perf": "call(NUMBERS['perf_event_open'], None, 0, -1, -1, 0)",
    "userfaultfd": "call(NUMBERS['userfaultfd'], 1)",
    "open by handle": "call(NUMBERS['open_by_handle_at'], -100, None, 0)",
    "System V": "call(NUMBERS['shmget'], 0, 4096, 0o1600)",
    "message queue": "call(NUMBERS['mq_open'], b'x', 0o102, 0o600, None)",
}
X86_64 = {
    "the other set of system calls": "call(0x40000000 | 39)",
    "the system calls of 32 bits": "foreign()",
}
ALL = FILES | NETWORK | PROCESSES | KERNEL | (X86_64 if os.uname().machine == "x86_64" else {})
_NOT_EVERYWHERE = {"device", "attribute", "flags", "fchmodat2"}
_BY_ANYBODY = {"signal", "signal by a descriptor", "signal to a thread", "limits", "environment"}
OUTSIDE = sorted({*FILES, *NETWORK, *_BY_ANYBODY} - _NOT_EVERYWHERE)
"""Those that do succeed without a sandbox, on every machine where the tests run."""
libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """A system call. Raises OSError."""
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def foreign() -> None:
    """getpid as a program of 32 bits asks for it: mov eax, 20; int 0x80; ret."""
    import mmap

    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def namespace() -> None:
    """A child in a user namespace of its own."""
    pid = call(56 if os.uname().machine == "x86_64" else 220, 0x10000000 | 17, 0, 0, 0, 0)
    if not pid:
        os._exit(0)


def outcome(code: str, names: dict[str, object]) -> str:
    """What comes of `code`, tried in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        said = "done"
        try:
            exec(code, names)
        except OSError as error:
            said = errno.errorcode.get(error.errno or 0, repr(error))
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 1000).decode()
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return said if status == 0 else f"ended by {-status}"


def main(places: str, numbers: str, wanted: str) -> None:
    import fcntl
    import resource
    import signal
    import socket
    import stat
    import struct
    import termios

    at = SimpleNamespace(**json.loads(places))
    temporary = os.environ["TMPDIR"]
    names = {
        **globals(),
        "at": at,
        "NUMBERS": json.loads(numbers),
        "tmp": lambda name: f"{temporary}/{name}",
        **{one.__name__: one for one in (fcntl, resource, signal, socket, stat, struct, termios)},
    }
    print(json.dumps({name: outcome(ALL[name], names) for name in json.loads(wanted)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
