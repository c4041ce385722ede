"""Commands of a program that is killed: real processes, `kill -9`, and nobody left who should have
ended them."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.safety.test_processes import PATIENCE, alive, gone, number

ROOT = Path(__file__).parents[2]
HOLDER = """
import asyncio, os, sys
from pathlib import Path
from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
async def main():
    for command in sys.argv[1:]:
        run = processes.run(command, Path.cwd(), dict(os.environ), 0, lambda _: None, Captured(1000, None))
        await asyncio.wait([asyncio.ensure_future(run)], timeout=float(os.environ.get("WAIT", "60")))
    print("done", flush=True)
    await asyncio.sleep(float(os.environ.get("WAIT", "60")))
    await processes.settle(3.0)
asyncio.run(main())
"""


@pytest.fixture
def clean(tmp_path: Path) -> Iterator[None]:
    """Nothing is left of a test that failed."""
    yield
    for file in tmp_path.glob("*.pid"):
        if alive(int(file.read_text())):
            os.kill(int(file.read_text()), signal.SIGKILL)


def holder(tmp_path: Path, *commands: str, wait: str = "60") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WAIT": wait}
    argv = [sys.executable, "-c", HOLDER, *commands]
    return subprocess.Popen(argv, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)


def watchers(parent: int) -> list[int]:
    """The guards of this program."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                same = (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(parent)
                if same and b"ends what a killed" in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > a.pid; sleep 300",
        "echo $$ > a.pid; sleep 300 | cat",
        "(trap '' TERM HUP; echo $BASHPID > a.pid; while :; do sleep 1; done)",
        "setsid sh -c 'echo $$ > a.pid; exec sleep 300' & sleep 300",
        "(setsid sh -c 'echo $$ > a.pid; exec sleep 300' &) ; sleep 300",
    ],
)
@pytest.mark.usefixtures("clean")
def test_a_running_command_ends_when_the_program_is_killed(tmp_path: Path, command: str) -> None:
    program = holder(tmp_path, command)
    pid = number(tmp_path / "a.pid")
    program.kill()
    program.wait()
    assert gone(pid)


@pytest.mark.usefixtures("clean")
def test_what_a_command_left_in_the_background_ends_with_the_program_too(tmp_path: Path) -> None:
    program = holder(tmp_path, "sleep 300 & echo $! > a.pid")
    assert program.stdout is not None
    assert program.stdout.readline() == "done\n"
    pid = number(tmp_path / "a.pid")
    assert alive(pid)
    program.kill()
    program.wait()
    assert gone(pid)


@pytest.mark.usefixtures("clean")
def test_the_watcher_forgets_what_has_ended_and_goes_with_the_program(tmp_path: Path) -> None:
    program = holder(tmp_path, *["true"] * 30, "sh -c 'echo $$ > a.pid; sleep 300'")
    number(tmp_path / "a.pid")
    [watcher] = watchers(program.pid)
    program.kill()
    program.wait()
    assert gone(watcher)


@pytest.mark.usefixtures("clean")
def test_a_watcher_that_was_killed_is_replaced(tmp_path: Path) -> None:
    killing = "kill -9 $(ps -o ppid= $PPID); sleep 300"
    program = holder(tmp_path, killing, "echo $$ > a.pid; sleep 300")
    pid = number(tmp_path / "a.pid")
    assert len(watchers(program.pid)) == 1
    program.kill()
    program.wait()
    assert gone(pid)


WATCHERS = "sup=$PPID; guard=$(($(ps -o ppid= -p $sup))); "  # a short number has blanks before it
NAME, STAY = "echo $$ > a.pid; kill -9", "exec sleep 300"
KILLS = {
    "both": f"{WATCHERS} setsid bash -c '{NAME} '$guard' '$sup'; {STAY}' >/dev/null 2>&1 & sleep 9",
    "the supervisor first": f"{WATCHERS} setsid bash -c '{NAME} '$sup' '$guard'; {STAY}' & sleep 9",
    "without a name": f"{WATCHERS} (setsid env -i bash -c '{NAME} '$guard' '$sup'; {STAY}' &) & sleep 9",
    "forking": f"{WATCHERS} setsid bash -c '{NAME} '$guard' '$sup'; for i in 1 2 3; do (sleep 300 &); done; {STAY}' &",
    "later": f"{WATCHERS} setsid bash -c 'sleep 0.8; {NAME} '$guard' '$sup'; {STAY}' >/dev/null 2>&1 &",
}


@pytest.mark.parametrize("how", KILLS)
@pytest.mark.usefixtures("clean")
def test_what_kills_the_watchers_ends_all_the_same(tmp_path: Path, how: str) -> None:
    program = holder(tmp_path, KILLS[how], "sleep 2", "echo $$ > b.pid; sleep 300")
    other = number(tmp_path / "b.pid")
    assert gone(number(tmp_path / "a.pid")) and alive(other)
    assert len(watchers(program.pid)) == 1
    program.kill()
    program.wait()
    assert gone(other)


@pytest.mark.usefixtures("clean")
def test_the_model_is_told_that_the_watchers_were_killed(tmp_path: Path) -> None:
    calls = [{"call": "run_shell_command", "arguments": {"command": KILLS["both"]}}]
    (tmp_path / "script.json").write_text(json.dumps([calls, [{"text": "so"}]]))
    argv = [
        sys.executable,
        "-m",
        "agent_tui",
        "run",
        "-m",
        "scripted/script.json",
        "--mode",
        "accept-all",
        "go",
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "AGENT_TUI_HOME": str(tmp_path / "home"),
        "AGENT_TUI_SANDBOX": "local",
    }
    subprocess.run(
        argv, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=60
    )
    [log] = (tmp_path / "home" / "sessions").glob("*.jsonl")
    [ended] = [
        one for one in map(json.loads, log.read_text().splitlines()) if one["type"] == "tool_ended"
    ]
    assert "exit code -9" in ended["content"]
    assert (
        "The process that watches commands was killed; what was left of this command was ended."
        in ended["content"]
    )
    assert ended["display"]["output"].startswith("The process that watches commands was killed")
    assert gone(number(tmp_path / "a.pid"))


LEAVING = """
import asyncio, os, sys
from pathlib import Path
from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
def run(command):
    return processes.run(command, Path.cwd(), dict(os.environ), 0, lambda _: None, Captured(1000, None))
async def main():
    await run("true")
    daemon = "setsid sh -c 'echo $$ > %s.pid; exec sleep 300' >/dev/null 2>&1 &"
    assert await processes.feed(("sh", "-c", daemon % "tool"), b"", Path.cwd(), dict(os.environ), 30) == (0, "")
    assert processes.foreground(("sh", "-c", daemon % "editor"), lambda: False) == 0
    processes.start_beside(("sh", "-c", "echo $$ > beside.pid; exec sleep 300"))
    while len(list(Path.cwd().glob("*.pid"))) < 3:
        await asyncio.sleep(0.01)
    await run(sys.argv[1])
    await processes.settle(3.0)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    print(sum("Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] for pid in children))
asyncio.run(main())
"""


@pytest.mark.usefixtures("clean")
def test_what_the_persons_own_programs_left_lives_on_though_a_command_killed_the_watchers(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", LEAVING, KILLS["both"]]
    zombies = subprocess.check_output(argv, cwd=tmp_path, env=environment, text=True, timeout=60)
    assert zombies == "0\n", "nobody who has ended is left unasked for"
    assert gone(number(tmp_path / "a.pid"))
    for name in ("tool", "editor", "beside"):
        assert alive(number(tmp_path / f"{name}.pid")), name


def test_an_end_in_order_leaves_no_watcher(tmp_path: Path) -> None:
    program = holder(tmp_path, "true", "sleep 300 & echo $! > a.pid", wait="1")
    assert program.wait(30) == 0
    assert gone(number(tmp_path / "a.pid"))
    assert watchers(program.pid) == []


def test_the_agents_command_ends_with_a_killed_program(tmp_path: Path) -> None:
    call = {"call": "run_shell_command", "arguments": {"command": "echo $$ > a.pid; sleep 300"}}
    (tmp_path / "script.json").write_text(json.dumps([[call]]))
    argv = [
        sys.executable,
        "-m",
        "agent_tui",
        "run",
        "-m",
        "scripted/script.json",
        "--mode",
        "accept-all",
        "go",
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "AGENT_TUI_HOME": str(tmp_path / "home"),
        "AGENT_TUI_SANDBOX": "local",
    }
    program = subprocess.Popen(argv, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    pid = number(tmp_path / "a.pid")
    assert alive(pid)
    program.kill()
    program.wait()
    assert gone(pid)


ESCAPE = """
import os, signal, sys, time
name, kind, closed = sys.argv[1:4]
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
if closed == "closed":
    os.closerange(0, 3)
if kind == "unnamed" and len(sys.argv) == 4:
    os.execve(sys.executable, [sys.executable, "-I", "-S", __file__, *sys.argv[1:], "again"], {})
open(name, "w").write(str(os.getpid()))
while kind == "forking":
    if os.fork():
        os._exit(0)
if kind == "stopped":
    os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(300)
"""
"""A daemon that wants to live on: `unnamed` with an empty environment, `forking` with another pid
every moment, `stopped` by itself."""
KINDS = [
    (kind, closed)
    for kind in ("plain", "unnamed", "forking", "stopped")
    for closed in ("open", "closed")
]


def escaping(mark: str) -> list[int]:
    """The living processes that hold `mark` in their command line."""
    found = []
    for pid in (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()):
        try:
            if mark.encode() in Path(f"/proc/{pid}/cmdline").read_bytes() and alive(pid):
                found.append(pid)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def none_left(mark: str) -> bool:
    """Whether nobody with `mark` is left, in several looks: one that forks for ever is easily
    missed."""
    deadline = time.monotonic() + PATIENCE
    empty = 0
    while empty < 20 and time.monotonic() < deadline:
        empty = 0 if escaping(mark) else empty + 1
        time.sleep(0.005)
    for pid in escaping(mark):
        os.kill(pid, signal.SIGKILL)
    return empty == 20


ENDS = ("cancel", "timeout", "quit", "kill", "hangup")
ENDING = """
import asyncio, os, sys
from pathlib import Path
from agent_tui.safety.process import processes
from agent_tui.safety.sandbox import support as sandbox_support, workspace_sandbox
from agent_tui.safety.process.output_capture import Captured
async def main():
    how, mark, commands = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    limit = 8.0 if how == "timeout" else 0.0
    running, given = [], dict(os.environ)
    ways = [None, *sandbox_support._ways()]
    for at, command in enumerate(commands):
        way = ways[(at + int(os.environ["RUN"])) % len(ways)]
        confined = None if way is None else workspace_sandbox.profile((Path.cwd(),), given, backend=way)
        run = processes.run(command, Path.cwd(), given, limit, lambda _: None, Captured(99, None), confined=confined)
        running.append(asyncio.ensure_future(run))
    while len(list(mark.parent.glob(mark.name + "*"))) < len(commands):
        for task in running:
            if task.done():
                sys.exit(f"ended before it was to end: {task.result()}")
        await asyncio.sleep(0.02)
    if how == "kill":
        os.kill(os.getpid(), 9)
    if how == "hangup":
        print("ready", flush=True)
        await asyncio.sleep(60)
    for task in running if how == "cancel" else ():
        task.cancel()
    if how != "quit":
        await asyncio.wait(running)
    await processes.settle(10)
asyncio.run(main())
"""
RUNS = int(os.environ.get("AGENT_TUI_ESCAPES", "40"))
"""Daemons in all: 200 in a campaign."""


def start_on_terminal(argv: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a program on a terminal of its own, which is closed once it says that it is ready."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        argv, cwd=folder, env=environment, preexec_fn=lambda: os.login_tty(theirs)
    ) as program:
        os.close(theirs)
        said = b""
        while b"ready" not in said:
            said += os.read(ours, 1000)
        os.close(ours)
        assert program.wait(PATIENCE) == -signal.SIGHUP


@pytest.mark.parametrize("how", ENDS)
def test_no_daemon_escapes_whatever_ends_the_program(tmp_path: Path, how: str) -> None:
    """With no sandbox, and in each that this machine has."""
    (tmp_path / "escape.py").write_text(ESCAPE)
    for run in range(max(1, RUNS // (len(ENDS) * len(KINDS)))):
        mark = tmp_path / f"escaped-{how}-{run}-"
        commands = [
            f"{sys.executable} -I -S escape.py {mark}{number} {kind} {closed}; sleep 300"
            for number, (kind, closed) in enumerate(KINDS)
        ]
        argv = [sys.executable, "-c", ENDING, how, str(mark), *commands]
        turn = str(run + ENDS.index(how))
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "RUN": turn}
        if how == "hangup":
            start_on_terminal(argv, tmp_path, environment)
        else:
            subprocess.run(argv, cwd=tmp_path, env=environment, timeout=120, check=False)
        assert len(list(tmp_path.glob(f"{mark.name}*"))) == len(KINDS), "all of them ran"
        assert none_left(mark.name), (how, run)


def test_what_a_clipboard_tool_leaves_lives_on(tmp_path: Path) -> None:
    script = tmp_path / "serve.py"
    served = "open('a.pid', 'w').write(str(os.getpid()))\ntime.sleep(60)"
    script.write_text(f"import os, time\nif os.fork():\n    os._exit(0)\n{served}")
    feeding = (
        "import asyncio, os, sys\nfrom pathlib import Path\nfrom agent_tui.safety.process import processes\n"
        "async def main():\n"
        "    argv = (sys.executable, 'serve.py')\n"
        "    assert await processes.feed(argv, b'', Path.cwd(), dict(os.environ), 30) == (0, '')\n"
        "    await processes.settle(1)\n"
        "asyncio.run(main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", feeding], cwd=tmp_path, env=environment, check=True)
    pid = number(tmp_path / "a.pid")
    assert alive(pid)
    os.kill(pid, signal.SIGKILL)
