"""Which sandboxes this machine keeps: tried once by a command in each, not assumed."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.sandbox import read_only_sandbox, workspace_sandbox
from agent_tui.safety.sandbox.confinement import landlock_abi
from agent_tui.safety.sandbox.network_proxy import Internet, Proxy
from agent_tui.safety.sandbox.profiles import LANDLOCK, NAMESPACES, Profile
from agent_tui.safety.secret_search import find_secret_files
from agent_tui.structures.frozen import frozen
from agent_tui.temporary import PrivateFolder

SECONDS: Final = 20.0
_BWRAP: Final = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")
_OF_SYSTEMS: Final = {"linux": "linux", "darwin": "macos", "win32": "windows"}
LOCAL: Final = "local"


@frozen
class Support:
    """What a sandbox is on this machine: how it is made, or in one line why there is none. `way`:
    what a profile calls that; `passed`: what was tried before it, each with what is wrong."""

    backend: str
    problem: str = ""
    way: str = ""
    passed: tuple[str, ...] = ()


_ATTEMPTS: Final = """
import ctypes, errno, os, signal, socket, sys
outside, root, program, kind, port, datagrams = sys.argv[1:]
program, port, datagrams = int(program), int(port), int(datagrams)
walled, works = kind == "walled", kind != "looks"
libc = ctypes.CDLL(None, use_errno=True)
def traced():
    if libc.ptrace(16, program, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
def send():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", datagrams))
    if walled:  # it went to a network of its own
        raise OSError(errno.EPERM, "send")
bad = {
    "write outside": lambda: open(outside, "a"),
    "make a file outside": lambda: open(outside + ".new", "x"),
    "change a mode outside": lambda: os.chmod(outside, 0o644),
    "change a time outside": lambda: os.utime(outside, (1, 1)),
    "remove a file outside": lambda: os.unlink(outside),
    "rename a file outside": lambda: os.rename(outside, outside + ".old"),
    "empty a file outside": lambda: os.truncate(outside, 0),
    "read outside": lambda: open(outside).read(),
    "write in the folder of the session": lambda: open(root, "a"),
    "connect": lambda: socket.create_connection(("127.0.0.1", port), 1),
    "send": send,
    "read a secret in the folder of the session": lambda: open(root + ".pem").read(),
    "signal this program": lambda: os.kill(program, signal.SIGCONT),
    "mount": lambda: libc.mount(b"none", b"/proc", b"tmpfs", 0, None) and traced(),
}
expected = [errno.EPERM, errno.EACCES, errno.EROFS]
if works:
    del bad["write in the folder of the session"]
if works and not walled:
    del bad["read a secret in the folder of the session"]
if walled:
    expected += [errno.ENOENT, errno.ECONNREFUSED, errno.ENETUNREACH, errno.ESRCH]
    if not os.statvfs("/").f_flag & os.ST_RDONLY:
        sys.exit("can write to /")
if walled and program < 100:
    del bad["signal this program"]  # it may be a number of its own
elif sys.platform == "linux":
    bad["trace this program"] = traced
if not walled:
    del bad["mount"]
for name, attempt in bad.items():
    try:
        attempt()
    except OSError as error:
        if error.errno in expected:
            continue
        print("can try to " + name + ":", error)
    else:
        print("can " + name)
    sys.exit(1)
def written(path):
    with open(path, "x") as file:
        file.write("x")
    os.unlink(path)
needed = {
    "write to its temporary folder": lambda: written(os.environ.get("TMPDIR", "") + "/canary"),
    "read the folder of the session": lambda: open(root).read(),
    "write to /dev/null": lambda: open(os.devnull, "w").write("x"),
}
if works:
    needed["write in the folder of the session"] = lambda: written(root + ".new")
if walled:
    needed["set a mode in the folder of the session"] = lambda: os.chmod(root, 0o755)
    needed["use shared memory"] = lambda: written("/dev/shm/canary")
for name, attempt in needed.items():
    try:
        attempt()
    except OSError as error:
        sys.exit(f"cannot {name}: {error}")
print("confined")
"""

_known: Final[dict[str, Support]] = {}
"""What was found out in this process, by the name of the backend and its use."""


async def support(record: Path | None = None) -> Support:
    """Whether the read-only sandbox holds here. `record`: the file in which a sandbox that held is
    known to the next program on this machine."""
    return await _found("", LANDLOCK, record)


async def workspace_support(mode: str = "auto", record: Path | None = None) -> Support:
    """The first workspace sandbox that holds here; `mode`: the setting."""
    if mode == LOCAL:
        return Support("", "the setting sandbox.mode is local")
    if problem := explain_mode(mode):
        return Support("", problem)
    passed: list[str] = []
    for way in _ways():
        found = await _found("workspace ", way, record)
        if not found.problem:
            return Support(found.backend, "", way, tuple(passed))
        passed.append(f"{found.backend}: {found.problem}")
    return Support("", "; ".join(passed) or f"there is none for {sys.platform}")


def explain_mode(mode: str) -> str:
    """Why the sandbox that the setting names cannot be had here; empty: it may be had."""
    here = _system()
    if mode in ("auto", LOCAL, here):
        return ""
    return f"the setting sandbox.mode is {mode}, but this is {here}"


def _system() -> str:
    """This machine, as the setting names it."""
    if sys.platform == "linux" and "microsoft" in os.uname().release.lower():
        return "wsl"
    return _OF_SYSTEMS.get(sys.platform, sys.platform)


def _ways() -> Iterator[str]:
    if sys.platform == "linux":
        yield from [path for path in _BWRAP if is_of_system(path)][:1]
        yield NAMESPACES
    if sys.platform in ("linux", "darwin"):
        yield LANDLOCK


def is_of_system(path: str) -> bool:
    """Whether a program is root's, and nobody else may change it."""
    try:
        about = os.stat(os.path.realpath(path))  # noqa: PTH116
    except OSError:
        return False
    return about.st_uid == 0 and not about.st_mode & 0o022 and os.access(path, os.X_OK)


def _backend(way: str) -> str:
    if sys.platform == "darwin":
        return "Seatbelt"
    if way == NAMESPACES:
        return "namespaces and seccomp"
    return f"Landlock {landlock_abi()} and seccomp" if way == LANDLOCK else "bwrap"


async def _found(use: str, way: str, record: Path | None) -> Support:
    backend = _backend(way)
    test = zlib.crc32(_ATTEMPTS.encode())
    key = f"{use}{backend}, {os.uname().release}, user {os.geteuid()}, test {test:x}"
    name = use + backend
    if name not in _known:
        held = record is not None and key in _recorded(record)
        _known[name] = Support(backend) if held else await _tried(backend, use, way)
        if _known[name].problem:  # once more: a machine that is short of something for a moment
            _known[name] = await _tried(backend, use, way)
        if record is not None and not held and not _known[name].problem:
            _write(record, key)
    return _known[name]


def _recorded(record: Path) -> list[str]:
    try:
        said = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    held = said.get("held") if isinstance(said, dict) else None
    return [one for one in held if isinstance(one, str)] if isinstance(held, list) else []


def _write(record: Path, key: str) -> None:
    """Beside `key` the newest few stay."""
    try:
        make_private(record.parent)
        record.write_text(json.dumps({"held": [*_recorded(record)[-7:], key]}), "utf-8")
    except OSError:
        return  # it is tried again next time


async def _tried(backend: str, use: str, way: str) -> Support:
    environment = {"PATH": os.defpath, "HOME": str(Path("~").expanduser())}
    kind = "looks" if not use else "works" if way == LANDLOCK else "walled"
    try:
        with (
            PrivateFolder() as away,
            PrivateFolder() as work,
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        ):
            datagrams.bind(("127.0.0.1", 0))
            datagrams.setblocking(False)
            outside, root = Path(away).resolve() / "outside", Path(work).resolve()
            for file in (outside, root / "file", root / "file.pem"):
                file.write_text("canary")
            before = outside.stat()
            ports = (str(server.getsockname()[1]), str(datagrams.getsockname()[1]))
            words = (sys.executable, "-I", "-S", "-c", _ATTEMPTS, str(outside), str(root / "file"))
            result = await processes.run(
                shlex.join((*words, str(os.getpid()), kind, *ports)),
                root,
                environment,
                SECONDS,
                lambda _: None,
                Captured(10_000, None),
                confined=_profile(root, environment, use, way),
                network=Proxy((), Internet()) if kind == "walled" else None,
            )
            after, names = outside.stat(), os.listdir(away)  # noqa: PTH208
            same = (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
            changed = not same or outside.read_text() != "canary" or names != ["outside"]
            heard = _has_data(datagrams)
    except (OSError, ValueError) as error:
        return Support(backend, getattr(error, "strerror", "") or str(error) or repr(error))
    if changed or heard:
        what = "changed a file outside" if changed else "reached the network"
        return Support(backend, f"a command in it {what}")
    if result.exit_code == 0 and result.output == "confined\n":
        return Support(backend)
    said = " ".join(result.output.split())[:200] or f"its test ended with {result.exit_code}"
    return Support(backend, f"a command in it {said}" if said.startswith("can") else said)


def _profile(root: Path, environment: dict[str, str], use: str, way: str) -> Profile:
    if not use:
        secrets = find_secret_files((root,)).closed
        return read_only_sandbox.profile((root,), environment, secrets=secrets)
    return workspace_sandbox.profile((root,), environment, backend=way)


def _has_data(datagrams: socket.socket) -> bool:
    try:
        return bool(datagrams.recv(1))
    except BlockingIOError:
        return False
