"""A confined command really gets nowhere: every way out is tried by a real process, on this kernel
as it is and as older ones are."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shlex
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.processes import CommandResult
from agent_tui.safety.sandbox import confinement, profiles
from agent_tui.safety.sandbox.profiles import NotConfined, Profile
from agent_tui.safety.sandbox.read_only_sandbox import profile
from tests.safety import escapes
from tests.safety.test_processes import PATIENCE, alive, gone, number

REFUSED = {"EPERM", "EACCES", "EROFS", "EXDEV", "ENOSYS", f"ended by {int(signal.SIGSYS)}"}
"""ENOSYS: this kernel, or its older self, does not know the call at all. EXDEV: a rename or a link
out of a folder, where Landlock has no rule for it."""
MACHINE = confinement._machine()
NUMBERS = {
    **confinement.numbers(confinement._REFUSED, MACHINE),
    **confinement.numbers(" ".join(said for said, *_ in confinement._SIGNALS), MACHINE),
}
LISTED = f"{Path(__file__).parent}/escapes.py"


class Place:
    """A folder of the session, and files and processes outside that a command may try to reach."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.outside, self.root = folder / "outside", folder / "root"
        for one in (self.outside, self.root, self.outside / "empty"):
            one.mkdir()
        self.files = (self.outside / "canary", self.root / "file")
        for file in self.files:
            file.write_text("canary")
            file.chmod(0o644)
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.udp.bind(("127.0.0.1", 0))
        self.datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.datagrams.bind(str(folder / "datagrams"))
        self.unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        self.unix.bind(str(folder / "stream"))
        self.abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        self.abstract.bind(f"\0agent-tui-{folder}")
        for one in (self.unix, self.abstract):
            one.listen()
        self.terminal = os.openpty()
        stack.callback(lambda: [os.close(one) for one in self.terminal])
        self.process = subprocess.Popen(["sleep", "600"], cwd=self.outside, start_new_session=True)
        stack.callback(lambda: (self.process.kill(), self.process.wait()))

    def state(self) -> object:
        """All that must stay as it is."""
        found = []
        for file in sorted((*self.outside.iterdir(), *self.root.iterdir())):
            about = file.stat()
            content = file.read_bytes() if stat.S_ISREG(about.st_mode) else b""
            found.append((file, about.st_mode, about.st_uid, about.st_mtime_ns, content))
        return found, self.process.poll(), Path("/dev/shm/agent-tui-escape").exists()

    def arguments(self, *names: str) -> list[str]:
        places = {
            "outside": str(self.files[0]),
            "inside": str(self.files[1]),
            "empty": str(self.outside / "empty"),
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": self.unix.getsockname(),
            "abstract": self.abstract.getsockname()[1:].decode(),
            "datagrams": self.datagrams.getsockname(),
            "terminal": os.ttyname(self.terminal[1]),
            "pid": self.process.pid,
        }
        return [json.dumps(places), json.dumps(NUMBERS), json.dumps(names)]

    def profile(self) -> Profile:
        return profile((self.root, Path(LISTED).parent), os.environ)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, stack)


def run(
    command: str,
    cwd: Path,
    confined: Profile | None,
    timeout: float = PATIENCE,
    environment: Mapping[str, str] = os.environ,
    memory: int = 0,
) -> CommandResult:
    captured = Captured(100_000, None)
    called = processes.run(
        command,
        cwd,
        environment,
        timeout,
        lambda _: None,
        captured,
        confined=confined,
        memory=memory,
    )
    return asyncio.run(called)


def reached(outcomes: dict[str, str]) -> dict[str, str]:
    return {name: said for name, said in outcomes.items() if said not in REFUSED}


def test_no_way_out_of_a_confined_command(place: Place) -> None:
    before = place.state()
    command = shlex.join([sys.executable, "-I", LISTED, *place.arguments(*escapes.ALL)])
    result = run(command, place.root, place.profile())
    outcomes = json.loads(result.output)
    assert len(outcomes) >= 65 and reached(outcomes) == {}
    assert place.state() == before


@pytest.mark.parametrize("name", escapes.OUTSIDE)
def test_each_way_is_open_without_a_sandbox(place: Place, name: str) -> None:
    """Else that it is closed with one would say nothing."""
    command = shlex.join([sys.executable, "-I", LISTED, *place.arguments(name)])
    temporary = place.root / "tmp"
    temporary.mkdir()
    result = run(command, place.root, None, environment={**os.environ, "TMPDIR": str(temporary)})
    Path("/dev/shm/agent-tui-escape").unlink(missing_ok=True)
    allowed = {"done", "EACCES"} if os.geteuid() and "kernel" in name else {"done"}
    assert json.loads(result.output)[name] in allowed


AS_OLD = """
import os, sys
sys.path.insert(0, sys.argv[1])
from agent_tui.safety.sandbox import confinement, profiles
confinement.landlock_abi = lambda: int(sys.argv[2])
import json
argv = [word.encode() for word in sys.argv[4:]]
os.environ["TMPDIR"] = sys.argv[3]
said = json.loads(sys.stdin.read())
os.execv(argv[0], confinement.apply(profiles.unpack_profile(said), argv))
"""


@pytest.mark.parametrize("abi", range(1, confinement.landlock_abi()))
def test_no_way_out_on_an_older_kernel(place: Place, tmp_path: Path, abi: int) -> None:
    """Only what that version of Landlock knows is asked of it; the rest is up to the filter."""
    before = place.state()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    said = profiles.pack_profile(place.profile())
    said["writable"].append(str(temporary))
    root = str(Path(confinement.__file__).parents[2])
    words = [sys.executable, "-I", LISTED, *place.arguments(*escapes.ALL)]
    done = subprocess.run(
        [sys.executable, "-I", "-c", AS_OLD, root, str(abi), str(temporary), *words],
        cwd=place.root,
        input=json.dumps(said),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert reached(json.loads(done.stdout)) == {}, done.stderr
    assert place.state() == before


def test_what_a_command_becomes(place: Place) -> None:
    said = run("cat /proc/self/status; ls -l /proc/self/fd", place.root, place.profile()).output
    status = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert int(status["CapEff"], 16) | 4 == int(status["CapPrm"], 16) | 4 == 4
    assert "socket:" not in said and said.count(" -> ") == 4  # the last is the list itself


def test_a_program_made_in_memory_is_as_confined(place: Place) -> None:
    code = (
        "import os; fd = os.memfd_create('x'); os.write(fd, open('/bin/cat', 'rb').read());"
        f"os.execve(fd, ['cat', {str(place.files[0])!r}], {{}})"
    )
    result = run(shlex.join([sys.executable, "-c", code]), place.root, place.profile())
    assert result.exit_code == 1 and result.refused and "canary" not in result.output.split()


def test_a_setuid_program_gives_nothing(place: Place) -> None:
    """Root tries one that belongs to somebody else: without a sandbox it becomes that user."""
    program = place.root / "id"
    shutil.copy("/usr/bin/id", program)
    os.chown(program, 65534 if os.geteuid() == 0 else os.geteuid(), -1)
    program.chmod(0o4755)
    if os.geteuid() == 0:
        assert "euid=65534" in run("./id", place.root, None).output
    result = run("./id", place.root, place.profile())
    assert result.exit_code == 0 and "uid=" in result.output and "euid" not in result.output


def test_what_was_refused_is_said_in_english(place: Place) -> None:
    outside, inside = place.files
    spoken = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
    for command, refused in (
        (f"echo x > {outside}", True),
        (f"echo x >> {inside}", True),
        (f"cat {outside}", True),
        ("cat missing", False),
        ("cat file", False),
        ("exit 3", False),
        (f"cat {outside} | head", True),
        (f"cat {outside} || true", True),
        (f"cat {outside} 2>&1 | cat; echo done", True),
        (f"git -C . config --file {inside} a.b c | tee /dev/null", True),
        (f"{sys.executable} -c 'open(\"{outside}\")' | cat", True),
        ("printf 'cat: x: no such file\\nls: y: Permission denied\\n' | head", False),
        ("echo 'we got Permission denied there' | tail -1", False),
        ("cat file | head", False),
    ):
        result = run(command, place.root, place.profile(), environment=spoken)
        assert bool(result.refused) is refused, (command, result)
    assert not run(f"cat {outside}/x; exit 1", place.root, None).refused


# ------------------------------------------------------------------- what cannot be had is not left out

DENIED = """
import asyncio, ctypes, os, struct, sys
from pathlib import Path
from agent_tui.safety.process import processes
from agent_tui.safety.sandbox import confinement, read_only_sandbox, support as sandbox_support
from agent_tui.safety.process.output_capture import Captured
number, verdict = int(sys.argv[1]), int(sys.argv[2])
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | verdict), (0x06, 0, 0, 0x7FFF0000)]
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
confinement._seccomp(libc, b"".join(struct.pack("=HBBI", *one) for one in code))
async def main():
    profile = read_only_sandbox.profile((Path.cwd(),), os.environ)
    try:
        await processes.run("echo ran", Path.cwd(), os.environ, 20, print, Captured(99, None), confined=profile)
    except confinement.NotConfined as error:
        print("refused:", error.strerror)
    print("support:", (await sandbox_support.support(Path("record"))).problem)
    await processes.settle(5)
asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("call", "verdict", "words"),
    [
        (444, errno.ENOSYS, "this kernel has no Landlock"),
        (445, errno.EINVAL, "Landlock rule for /"),
        (446, errno.EPERM, "Landlock: Operation not permitted"),
        (NUMBERS["process_vm_readv"], errno.EPERM, ""),
    ],
)
def test_a_kernel_that_refuses_is_not_taken_for_a_sandbox(
    tmp_path: Path, call: int, verdict: int, words: str
) -> None:
    """The program itself runs where this system call fails."""
    done = subprocess.run(
        [sys.executable, "-c", DENIED, str(call), str(verdict)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(confinement.__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = done.stdout.splitlines()
    if not words:  # the same without a refusal that matters
        assert lines == ["ran", "", "support: "], done.stderr
        assert (tmp_path / "record").exists()
        return
    assert lines[0].startswith("refused: the command cannot be confined: " + words), done.stderr
    assert words in lines[1] and len(lines) == 2
    assert not (tmp_path / "record").exists()


def test_a_temporary_folder_that_cannot_be_made_is_a_refusal(place: Place) -> None:
    confined = Profile(("/",), temporary=str(place.files[0]))
    with pytest.raises(NotConfined, match="temporary folder"):
        run("echo ran", place.root, confined)


# ------------------------------------------------------------------------- the end of a confined command


def folders(confined: Profile) -> set[Path]:
    return set(Path(confined.temporary).glob("agent-tui-" + "[0-9a-f]" * 24))


def wait_without(folder: Path) -> bool:
    deadline = time.monotonic() + PATIENCE
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not folder.exists()


def test_the_temporary_folder_is_private_and_removed(place: Place) -> None:
    command = (
        'stat -c "%a %n" "$TMPDIR"; mkdir -p "$TMPDIR/a/b"; ln -s "$PWD" "$TMPDIR/a/l"; '
        'echo x > "$TMPDIR/a/b/f"; echo "$TMP $TEMP"'
    )
    result = run(command, place.root, place.profile())
    mode, name, *others = result.output.split()
    assert (mode, others) == ("700", [name, name]) and result.exit_code == 0
    assert wait_without(Path(name)) and (place.root / "file").read_text() == "canary"


def test_what_stays_in_the_background_is_confined_and_ended(place: Place, tmp_path: Path) -> None:
    async def scene() -> None:
        command = 'echo "$TMPDIR"; (sleep 0.5; echo x > file; sleep 300) & echo $!'
        captured = Captured(1000, tmp_path / "spool")
        result = await processes.run(
            command,
            place.root,
            os.environ,
            30,
            lambda _: None,
            captured,
            confined=place.profile(),
        )
        folder, pid = result.output.split()
        assert result.job is not None and alive(int(pid)) and Path(folder).is_dir()
        status = Path(f"/proc/{pid}/status").read_text()
        assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status
        deadline = time.monotonic() + PATIENCE
        while "denied" not in result.job.last_line and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        assert "Permission denied" in result.job.last_line
        result.job.stop()
        await processes.settle(PATIENCE)
        assert gone(int(pid)) and wait_without(Path(folder))
        assert (place.root / "file").read_text() == "canary"

    asyncio.run(scene())


def test_a_timeout_ends_what_ignores_term(place: Place) -> None:
    before = folders(place.profile())
    result = run("trap '' TERM; sleep 300 & sleep 300", place.root, place.profile(), timeout=0.5)
    assert result.timed_out and result.exit_code is None and not result.refused
    assert all(wait_without(one) for one in folders(place.profile()) - before)


def test_a_cancelled_command_is_ended(place: Place) -> None:
    started = place.root / "pid"
    started.touch()
    profile = place.profile()
    confined = Profile(
        profile.readable, (*profile.writable, str(started)), temporary=profile.temporary
    )

    async def scene() -> None:
        command = f'echo $$ > {started}; trap "" TERM; while true; do sleep 0.1; done'
        task = asyncio.ensure_future(
            processes.run(
                command,
                place.root,
                os.environ,
                0,
                lambda _: None,
                Captured(99, None),
                confined=confined,
            )
        )
        while not started.read_text().strip():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await processes.settle(PATIENCE)

    asyncio.run(scene())
    assert gone(number(started))


KILLED = """
import asyncio, os, sys
from pathlib import Path
from agent_tui.safety.process import processes
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.process.output_capture import Captured
command = ': > "$TMPDIR/file"; echo "$TMPDIR $$"; sleep 300'
async def main():
    confined = read_only_sandbox.profile((Path.cwd(),), os.environ)
    tell = lambda text: print(text, flush=True)
    await processes.run(command, Path.cwd(), os.environ, 0, tell, Captured(99, None), confined=confined)
asyncio.run(main())
"""


def test_nothing_is_left_of_a_killed_program(tmp_path: Path) -> None:
    given = {**os.environ, "PYTHONPATH": str(Path(confinement.__file__).parents[2])}
    argv = [sys.executable, "-c", KILLED]
    with subprocess.Popen(argv, cwd=tmp_path, env=given, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        folder, pid = program.stdout.readline().decode().split()
        assert Path(folder, "file").exists() and alive(int(pid))
        program.kill()
    assert gone(int(pid)) and wait_without(Path(folder))


@pytest.mark.parametrize("is_confined", [True, False])
def test_memory_has_a_cap_for_each_process_of_a_command(place: Place, is_confined: bool) -> None:
    """It is the hard limit: no command raises it again."""
    confined = place.profile() if is_confined else None
    takes = shlex.join([sys.executable, "-c", "len(bytearray(400_000_000))"])
    for command in (takes, f"(ulimit -d unlimited; {takes})"):
        result = run(command, place.root, confined, memory=200_000_000)
        assert result.exit_code == 1 and "MemoryError" in result.output
    assert run(takes, place.root, confined).exit_code == 0


# ------------------------------------------------------------------------------------ as values


def verdict(program: bytes, kernel: int, call: int, *arguments: int) -> int:
    """What the filter says, worked out as the kernel does."""
    filled = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", call, kernel, 0, *filled)
    code = list(struct.iter_unpack("=HBBI", program))
    at, held = 0, 0
    while True:
        what, yes, no, value = code[at]
        at += 1
        match what:
            case 0x20:
                (held,) = struct.unpack_from("=I", data, value)
            case 0x54:
                held &= value
            case 0x06:
                return int(value)
            case _:
                met = {0x15: held == value, 0x25: held > value, 0x35: held >= value}[what]
                at += yes if met else no


@pytest.mark.parametrize(("machine", "kernel"), [(0, 0xC000003E), (1, 0xC00000B7)])
def test_the_filter_of_each_machine(machine: int, kernel: int) -> None:
    allowed, refused, unknown, killed = 0x7FFF0000, 0x50001, 0x50000 | errno.ENOSYS, 0x80000000
    names = confinement.numbers(
        f"read 0 63 openat 257 56 fchmod 91 52 socket 41 198 kill 62 129 clone 56 220 ioctl 16 29"
        f" socketpair 53 199 {confinement._UNREADABLE}",
        machine,
    )
    new, old = (confinement.filter_program(machine, abi, False) for abi in (7, 1))
    connected = confinement.filter_program(machine, 7, True)
    for program, name, arguments, wanted in (
        (new, "read", (), allowed),
        (new, "fchmod", (), refused),
        (new, "socket", (), refused),
        (connected, "socket", (), allowed),
        (new, "clone3", (), unknown),
        (new, "clone", (0x01200011,), allowed),
        (new, "clone", (0x10000011,), refused),
        (new, "ioctl", (1, 0x5413), allowed),
        (new, "ioctl", (1, 0x5412), refused),
        (new, "ioctl", (1, 0x1_0000_5412), refused),
        (new, "socketpair", (1, 0x80001), allowed),
        (new, "socketpair", (1, 0x80002), refused),
        (new, "kill", (1, 9), allowed),
        (old, "kill", (1, 9), refused),
        (old, "kill", (1, 0), allowed),
        (old, "kill", (0, 9), allowed),
        (new, "openat", (0, 0, 0x200), allowed),
        (old, "openat", (0, 0, 0x200), refused),
        (old, "openat", (0, 0, 0x241), allowed),
    ):
        assert verdict(program, kernel, names[name], *arguments) == wanted, (name, arguments)
    assert verdict(new, 0x40000003, names["read"]) == killed
    assert verdict(new, kernel, 600) == unknown
    assert verdict(new, kernel, 0x40000000) == (killed if machine == 0 else unknown)


def test_a_profile_travels_as_it_is() -> None:
    odd = os.fsdecode(b"/a\xff\n\"'")
    sent = Profile((odd, "/ä"), ("/w",), ("/l",), True, "/tmp")
    assert profiles.unpack_profile(json.loads(json.dumps(profiles.pack_profile(sent)))) == sent


def test_the_profile_of_seatbelt(tmp_path: Path) -> None:
    named = tmp_path / 'a "b" \\c'
    named.mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    quoted = str(tmp_path.resolve()) + '/a \\"b\\" \\\\c'
    text = confinement.seatbelt(
        Profile((str(named), f"{tmp_path}/link"), ("/dev/null",), ("/usr",))
    )
    assert text.startswith("(version 1)\n(deny default)\n")
    assert f'(allow file-read* (subpath "{quoted}"))\n' in text
    assert f'(allow file-read* (literal "{tmp_path.resolve()}/file"))\n' in text
    writes = [line for line in text.splitlines() if "file-write" in line]
    assert writes == ['(allow file-write* (literal "/dev/null"))']
    assert '(require-all (subpath "/usr") (vnode-type DIRECTORY))' in text
    assert "network" not in text and "(allow default)" not in text
    assert "(allow network*)" in confinement.seatbelt(Profile(("/",), network=True))
    assert text.count("(") == text.count(")")


def test_the_profile_for_work_on_macos_closes_again_what_is_fixed_and_hidden(
    tmp_path: Path,
) -> None:
    root, home = tmp_path.resolve() / "root", tmp_path.resolve()
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".env").write_text("")
    made = Profile(
        readable=("/usr",),
        writable=(str(root),),
        hidden=(str(home), str(root / ".env")),
        fixed=(str(root / ".git" / "hooks"),),
        works=True,
        temporary="/tmp",
    )
    rules = confinement.seatbelt(made).splitlines()
    order = [
        f'(deny file-read* file-write* (subpath "{home}"))',
        f'(allow file-read* file-write* (subpath "{root}"))',
        f'(deny file-read* file-write* (literal "{root}/.env"))',
        f'(allow file-read* file-write* (subpath "{root}/.git"))',
        f'(deny file-write-unlink (literal "{root}/.git"))',  # else it is moved, and open
        f'(deny file-write* (subpath "{root}/.git/hooks"))',
    ]
    places = [max(at for at, rule in enumerate(rules) if rule == one) for one in order]
    assert places == sorted(places) and "(deny default)" in rules
    assert not any("network" in rule for rule in rules)
