"""Commands in the workspace sandbox do ordinary work, and get nowhere else: by each backend that
this machine has, and also as a user without rights where the tests run as root."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.namespaces import plan
from agent_tui.safety.sandbox.profiles import LANDLOCK, NAMESPACES, Profile
from agent_tui.safety.sandbox.workspace_sandbox import look_through, profile
from agent_tui.safety.shell.git_alone import runs_alone
from tests.safety import escapes
from tests.safety.test_confinement import REFUSED, Place
from tests.safety.test_processes import PATIENCE, gone

ROOT = Path(__file__).parents[2]
NOBODY = 65534
RUNNER = str(Path(__file__).parent / "run_confined.py")
WAYS = tuple(sandbox_support._ways())
WALLED = tuple(way for way in WAYS if way != LANDLOCK)


def _others_python() -> str:
    """A Python by which somebody without rights can run this program; empty: there is none, or
    the tests have no rights to become them."""
    if os.geteuid():
        return ""
    for python in (sys.executable, "/usr/bin/python3"):
        words = [python, "-c", "import sys; assert sys.version_info >= (3, 11);"]
        words[-1] += "import agent_tui.safety.sandbox.workspace_sandbox, tests.safety.escapes"
        given = {"PYTHONPATH": str(ROOT)}
        try:
            done = subprocess.run(words, user=NOBODY, cwd="/", env=given, capture_output=True)
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return ""


OTHERS_PYTHON = _others_python()
CASES = [(way, "") for way in WAYS] + [(way, "nobody") for way in WAYS if OTHERS_PYTHON]


def named(case: tuple[str, str]) -> str:
    return f"{Path(case[0] or 'landlock').name}{'-' if case[1] else ''}{case[1]}"


class Session:
    """A folder in which commands work, and places outside that they must not reach."""

    def __init__(self, way: str, user: str, stack: ExitStack) -> None:
        self.way, self.user = way, user
        self.python = OTHERS_PYTHON if user else sys.executable
        folder = Path(tempfile.mkdtemp(prefix="agent-tui-test-")).resolve()
        stack.callback(lambda: shutil.rmtree(folder))
        self.place = Place(folder, stack)
        self.root = self.place.root
        self.home = folder / "home"
        self.home.mkdir()
        self.give()

    def give(self) -> None:
        """All of it belongs to the user."""
        if self.user:
            subprocess.run(["chown", "-R", str(NOBODY), self.root.parent], check=True)

    def start(self, *commands: str, roots: Sequence[str] = ()) -> subprocess.Popen[str]:
        lines = [command.replace("PYTHON", self.python) for command in commands]
        places = json.dumps([str(self.root), *roots])
        given = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "TMPDIR": "/tmp",
        }
        alone = [(line, runs_alone(line, given, (self.root,))) for line in lines]
        words = [self.way, places, json.dumps(alone), str(PATIENCE)]
        return subprocess.Popen(
            [self.python, RUNNER, *words],
            env=given,
            cwd=self.root,
            user=NOBODY if self.user else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, command: str, *roots: str) -> tuple[int | None, str, str]:
        """Exit code, output, and what was refused."""
        [(_, done)] = self.run_each([command], roots)
        return done

    def run_each(
        self, commands: Sequence[str], roots: Sequence[str] = ()
    ) -> list[tuple[str, tuple[int | None, str, str]]]:
        """Each command and what `run` says of it, one after the other, in one start."""
        process = self.start(*commands, roots=roots)
        said, _ = process.communicate(timeout=2 * PATIENCE * len(commands))
        told = [json.loads(line) for line in said.splitlines()]
        done = [(one[0], one[1], one[2]) for one in told if isinstance(one, list)]
        return list(zip(commands, done, strict=True))

    def git(self, *words: str) -> None:
        given = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        user = NOBODY if self.user else None
        subprocess.run(["git", *words], cwd=self.root, env=given, check=True, user=user)

    def shell(self, command: str) -> None:
        given = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        user = NOBODY if self.user else None
        words = ["sh", "-ec", command]
        subprocess.run(words, cwd=self.root, env=given, check=True, user=user)

    def works(self, command: str) -> str:
        code, output, refused = self.run(command)
        assert (code, refused) == (0, ""), (command, output)
        return output


@pytest.fixture(params=CASES, ids=named)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    with ExitStack() as stack:
        yield Session(*request.param, stack)


ALLOWED = {
    "write in the session",
    "make a file in the session",
    "rename in the session",
    "hard link of what may be read",
    "truncate by opening",
    "truncate by opening for nothing",
    "unlink in the session",
    "chmod by what may be read",
    "utime by what may be read",
    "fchmodat2",
    "attribute",
    "flags",
}
"""They are about the folder of the session, which may be changed."""
OF_ITS_OWN = {
    "listen",
    "UDP",
    "DNS",
    "netlink",
    "shared memory",
    "System V",
    "message queue",
    "signal by input",
    "one end of a pair",
    "ptrace",
    "read memory",
    "limits",
    "list",
    "type on what is open",
}
"""By namespaces these may succeed, and reach nothing that is outside: whether something was heard is
looked at; processes outside have no number there."""
NOT_THERE = {"ENOENT", "ECONNREFUSED", "ENETUNREACH", "ESRCH", "EINVAL", "ENOTTY", "EXDEV", "EBUSY"}


def test_no_way_out(session: Session) -> None:
    names = [name for name in escapes.ALL if name not in ALLOWED]
    outside = session.place.state()
    listed = str(ROOT / "tests" / "safety" / "escapes.py")
    copy = session.root / "escapes.py"
    shutil.copy(listed, copy)
    words = [session.python, "-I", str(copy), *session.place.arguments(*names)]
    code, output, _ = session.run(shlex.join(words))
    assert code == 0, output
    outcomes = json.loads(output)
    walled = session.way != LANDLOCK
    fine = REFUSED | NOT_THERE if walled else REFUSED
    reached = {
        name: said
        for name, said in outcomes.items()
        if said not in fine and not (walled and name in OF_ITS_OWN)
    }
    assert reached == {} and len(outcomes) > 50
    copy.unlink()
    assert session.place.state() == outside
    for heard in (session.place.udp, session.place.datagrams):
        heard.setblocking(False)
        with pytest.raises(BlockingIOError):
            heard.recv(1)
    for server in (session.place.tcp, session.place.unix, session.place.abstract):
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_daemon_does_not_survive(session: Session) -> None:
    """It goes on as a job while the program runs, and ends with that, however that ends."""
    code = "import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
    words = [session.python, "-c", code + "time.sleep(600)"]
    process = session.start(f"{shlex.join(words)} > /dev/null 2>&1")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())[0] == 0
    pids = json.loads(process.stdout.readline())["job"]
    assert pids
    process.send_signal(signal.SIGKILL)
    process.wait()
    for pid in pids:
        gone(pid)


SECRETS = (".env", ".envrc", ".npmrc", ".devcontainer/.env", ".devcontainer/a/.env", "bare/.env")
"""Not tracked, beside a name that is and ends in one of them; some are obeyed, too."""


@pytest.fixture
def repository(session: Session) -> Session:
    session.git("init", "-q", "-b", "main")
    (session.root / ".vscode").mkdir()
    (session.root / ".vscode" / "tasks.json").write_text("{}")
    (session.root / ".agent-tui").mkdir()
    (session.root / ".agent-tui" / "config.toml").write_text("")
    (session.root / ".devcontainer" / "a").mkdir(parents=True)
    (session.root / "bare").mkdir()
    for name in ("bare/HEAD", "bare/objects"):
        (session.root / name).write_text("")
    for name in SECRETS:
        (session.root / name).write_text("PASSWORD=hunter2\n")
    (session.root / "prod.env").write_text("for examples\n")
    (session.root / "tracked.pem").write_text("for tests\n")
    (session.root / ".gitignore").write_text("\n".join(f"/{name}" for name in SECRETS))
    (session.root / ".git" / "hooks").mkdir(exist_ok=True)
    session.give()
    session.git("add", ".")
    session.git("config", "user.email", "a@b")
    session.git("config", "user.name", "a")
    return session


def test_git_works(repository: Session) -> None:
    commands = {
        "git commit -qm first && git log --oneline": "first",
        "echo new > b.py": "",
        "git add b.py && git commit -qm 'second: b.py' 2>&1 | tail -3": "",
        "git rebase -q HEAD~1 && git log --oneline": "first",
        "git checkout -qb other && git tag v1 && git gc -q": "",
        "touch c && git status --short": "?? c",
        "git stash -qu && ls": "b.py",
        "git log --stat --oneline -1": "b.py",
        "git worktree add -q wt && git -C wt log --oneline && git diff HEAD": "first",
    }
    for command, (code, output, refused) in repository.run_each([*commands]):
        assert (code, refused) == (0, "") and commands[command] in output, (command, output)
        assert "tracked.pem" not in output or "git diff" not in command


HELD = """
rm -rf .git
mv .git x
git add . && make
sh -c 'git commit -q --allow-empty -m x'
sh -c 'git reflog expire --expire=now --all; git gc -q --prune=now'
git for-each-ref --format='%(objectname)' | git pack-objects -q .git/objects/pack/pack
rm -rf .git/refs/tags
find .git -type f -delete
echo junk > .git/packed-refs; : > .git/index; echo ref: refs/heads/.. > .git/HEAD
git rev-parse HEAD > .git/shallow
ln -s .git g; : > g/HEAD; ln .git/HEAD h
rm -rf below/.git
mv below beside; rm -rf beside
rm -rf mirror.git/objects mirror.git/HEAD
rm -rf sub; rm -rf .git/modules
rm -f tree/.git; rm -rf .git/worktrees
cd tree && git commit -q --allow-empty -m x; make
git -C below commit -q --allow-empty -m x; make
GIT_DIR=mirror.git git update-ref -d refs/heads/main
rm -f store/*; echo x > store/new
rm -rf kept; echo x > kept/new
umount .git; mount -t tmpfs none .git
mv . ../elsewhere; cd .. && mv work elsewhere
(sleep 0.2; rm -rf .git) & wait
PYTHON -c 'import shutil; shutil.rmtree(".git", ignore_errors=True)'
"""
READS = """
mkdir like; mkdir like/objects; touch like/HEAD
sh -c 'echo x > like/x; rm -r like'
PYTHON -c 'import subprocess as s; s.run(["git", "status", "--short"], check=True)'
sh -c 'touch a.txt; git status --short; git diff --quiet; git describe --always --dirty'
sh -c 'cd tree; git log --oneline; git stash list'
"""
MADE = """
echo 1 > a.txt; git add a.txt; git commit -qm one; git tag v1; git branch side
git init -q -b main below; git -C below commit -q --allow-empty -m below
git clone -q --bare . mirror.git; git worktree add -q tree side
git -c protocol.file.allow=always submodule --quiet add ./mirror.git sub
mkdir store; git -C store init -q --bare .; mv store/objects store/HEAD .; mv objects HEAD store
printf '\\0\\n%s\\n' "$PWD/store/objects" > .git/objects/info/alternates
mv .git/info kept; ln -s ../kept .git/info
printf '%s\n' below mirror.git tree store >> .git/info/exclude; git add .; git commit -qm two
"""


def test_git_folders_are_read_only_beside_other_programs(repository: Session) -> None:
    if repository.way == LANDLOCK:
        return  # what is deleted is put back: see test_git_history
    repository.git("config", "--global", "init.defaultBranch", "main")
    for key, value in (("user.email", "a@b"), ("user.name", "a")):
        repository.git("config", "--global", key, value)
    repository.shell(MADE)
    before = states(repository)
    assert all(before.values())
    for command, (_, output, refused) in repository.run_each(HELD.strip().splitlines()):
        assert states(repository) == before, (command, output)
        assert refused == "files" or "ignore_errors" in command or ";" in command, (command, output)
    for command, (code, output, refused) in repository.run_each(READS.strip().splitlines()):
        assert (code, refused) == (0, "") and "index" not in output, (command, output)
    for name in ("below", "mirror.git", "sub", "tree"):
        assert (repository.root / name).is_dir()


@pytest.mark.parametrize("place", ["tree", "inner"])
def test_a_git_folder_elsewhere_is_read_only_too(repository: Session, place: str) -> None:
    """The session works in a work tree of its own, or in a folder of one."""
    repository.git("commit", "-qm", "one")
    repository.git("worktree", "add", "-q", "tree")
    repository.shell("mkdir inner; touch inner/x")
    top, before = repository.root, states(repository)
    repository.root = top / place
    if repository.way != LANDLOCK:
        commands = ["rm -rf ../.git", "rm -f .git; git update-ref -d HEAD", "sh -c 'git tag v1'"]
        for command, (code, output, _) in repository.run_each(commands):
            assert code and "Read-only" in output, (command, output)
        repository.root = top
        assert states(repository) == before and (top / "tree" / ".git").is_file()
        repository.root = top / place
    for command, (code, output, _) in repository.run_each(
        ["git status -s && git commit -q --allow-empty -m two && git tag v1", "git stash list"]
    ):
        assert code == 0, (command, output)
    repository.root = top


def states(session: Session) -> dict[str, list[tuple[str, int, int]]]:
    """Which files are in its git folders, their lengths and times."""
    folders = (".git", "below/.git", "mirror.git", "store", "kept")
    return {
        name: sorted(
            (str(path), about.st_size, about.st_mtime_ns)
            for path in (session.root / name).rglob("*")
            if (about := path.lstat())
        )
        for name in folders
    }


OBEYED = (
    "echo x > .git/hooks/pre-commit",
    "echo x >> .git/config",
    "git config core.hooksPath /tmp",
    "echo x > .agent-tui/config.toml",
    "echo x > .vscode/tasks.json",
    "mv .vscode v",
    "mv .git g",
    "rm -r .git/config",
    "ln -f .git/config c && echo x >> c",
)


def test_what_is_obeyed_is_fixed_where_there_are_mounts(repository: Session) -> None:
    if repository.way == LANDLOCK:
        return  # see test_protected_state
    before = {path: path.read_bytes() for path in obeyed(repository.root)}
    for command, (code, output, refused) in repository.run_each(OBEYED):
        assert code != 0 and refused == "files", (command, output)
    assert {path: path.read_bytes() for path in obeyed(repository.root)} == before


def obeyed(root: Path) -> list[Path]:
    names = (".git/hooks", ".git/config", ".vscode", ".agent-tui")
    found = [root / name for name in names]
    return sorted(file for one in found for file in ([one] if one.is_file() else one.rglob("*")))


def test_secrets_of_the_folder_are_hidden_where_there_are_mounts(repository: Session) -> None:
    hidden = repository.way != LANDLOCK
    for _, (code, output, refused) in repository.run_each([f"cat {name}" for name in SECRETS]):
        assert ("hunter2" in output) is not hidden
        assert (code != 0 and refused == "files") is hidden
    for command in ("cat tracked.pem", "cat prod.env"):  # who reads git reads them anyway
        assert "for " in repository.works(command)
    for _, (code, output, refused) in repository.run_each(["echo x >> .envrc", "mv .npmrc n"]):
        assert not hidden or (code != 0 and refused == "files"), output


@pytest.mark.parametrize("version", ["2", "4"])
def test_what_git_tracks_is_known_by_its_whole_path(tmp_path: Path, version: str) -> None:
    for name in ("sub/.env", ".env", "sub/.npmrc", ".npmrc", "p\x04.env"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "sub", "p\x04.env"], cwd=tmp_path, check=True)
    subprocess.run(["git", "update-index", "--index-version", version], cwd=tmp_path, check=True)
    hidden = [str(tmp_path / name) for name in (".env", ".npmrc")]
    assert list(look_through([tmp_path]).secrets) == hidden
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    assert look_through([tmp_path]).secrets == ()


def test_the_home_folder_is_closed_but_for_toolchains(session: Session) -> None:
    stores = (".cargo/credentials.toml", ".cache/huggingface/token", ".gradle/gradle.properties")
    for name in (".ssh/id_rsa", ".aws/credentials", "notes", *stores):
        (session.home / name).parent.mkdir(parents=True, exist_ok=True)
        (session.home / name).write_text("SECRET")
    (session.home / ".cargo" / "bin").mkdir()
    (session.home / ".cargo" / "bin" / "tool").write_text("#!/bin/sh\necho TOOL\n")
    (session.home / ".cargo" / "bin" / "tool").chmod(0o755)
    (session.home / "mine").mkdir()
    (session.home / ".m2").symlink_to(session.home / "mine")
    session.give()
    assert session.works("~/.cargo/bin/tool") == "TOOL\n"
    reads = ("~/.ssh/id_rsa ~/.aws/credentials ~/notes", *(f"~/{name}" for name in stores))
    for command, (code, output, _) in session.run_each([f"cat {names}" for names in reads]):
        assert code != 0 and "SECRET" not in output, command
    writes = ("echo x > ~/new", "echo x >> ~/.cargo/bin/tool", "mkdir ~/.cargo/new")
    for command, (code, output, refused) in session.run_each(writes):
        assert code != 0 and refused == "files", (command, output)
    assert not (session.home / "new").exists()


WORK = {
    "make": "printf 'all: a\\na: a.c\\n\\tcc -o a a.c\\n' > Makefile && "
    "printf 'int main() { return 0; }\\n' > a.c && make && ./a && touch a.c && make && ./a",
    "modes and times": "echo x > s; chmod 755 s; touch -d @1000 s; stat -c '%a %Y' s; cp -p s t",
    "archives": "mkdir d && touch d/f && chmod 700 d && tar cf d.tar d && rm -r d && tar xf d.tar",
    "temporary files": "f=$(mktemp) && echo x > $f && cat $f && d=$(mktemp -d) && mv $f $d",
    "standard streams": "echo x > /dev/stdout; echo y | cat /dev/stdin; echo z > /dev/null",
}
WALLED_WORK = {
    "shared memory": "PYTHON -c 'import multiprocessing as m\nwith m.Pool(2) as p:"
    " print(sum(p.map(abs, range(9))))'",
    "loopback": 'PYTHON -c \'import socket as s\nl = s.create_server(("127.0.0.1", 0))\n'
    "s.create_connection(l.getsockname())'",
    "a terminal": "PYTHON -c 'import os; os.openpty()'",
    "/tmp": "echo x > /tmp/file && cat /tmp/file && rm /tmp/file",
}


def test_ordinary_work(session: Session) -> None:
    for command, (code, output, refused) in session.run_each([*WORK.values()]):
        assert (code, refused) == (0, ""), (command, output)


def test_work_that_needs_walls(session: Session) -> None:
    """Landlock alone refuses it, and says so."""
    done = session.run_each([*WALLED_WORK.values()])
    for work, (command, (code, output, refused)) in zip(WALLED_WORK, done, strict=True):
        if session.way == LANDLOCK and work in ("shared memory", "loopback", "/tmp"):
            assert code != 0 and refused, (command, output)
        elif session.way != LANDLOCK:
            assert (code, refused) == (0, ""), (command, output)


def test_a_virtual_environment_and_tests_in_it(session: Session) -> None:
    (session.root / "test_it.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n"
    )
    session.give()
    python = shlex.quote(session.python)
    session.works(f"{python} -m venv --without-pip v && v/bin/python -m unittest 2>&1")


def test_that_it_wants_the_network_is_found_out(session: Session) -> None:
    commands = (
        "git clone -q https://nowhere.invalid/x.git",
        "PYTHON -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'",
    )
    for _, (code, output, refused) in session.run_each(commands):
        expected = "files" if session.way == LANDLOCK and "denied" in output.lower() else "network"
        assert code != 0 and refused in (expected, "network", "files"), output
        if session.way != LANDLOCK:
            assert refused == "network", output


def test_commands_share_their_temporary_folder_and_nobody_else_does(tmp_path: Path) -> None:
    """It goes with the program."""
    with ExitStack() as stack:
        session = Session(LANDLOCK, "", stack)
        name = session.works("echo $TMPDIR").strip()
        assert name.startswith("/tmp/agent-tui-") and not Path(name).exists()
        assert "/.cache/gocache" in session.works("echo $GOCACHE")
        del tmp_path


# ------------------------------------------------------------------------------------ the plan


def test_the_plan_lays_the_outermost_first_and_nothing_twice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("work/.git/hooks", "work/sub", ".cargo/bin", "secret"):
        (home / name).mkdir(parents=True)
    (home / "work" / ".env").write_text("")
    (home / "link").symlink_to(home / "secret")
    made = Profile(
        readable=(str(home / ".cargo"), "/usr", str(home / "work" / "sub")),
        writable=(str(home / "work"),),
        hidden=(str(home), str(home / "secret"), str(home / "work" / ".env"), "/nowhere"),
        fixed=(str(home / "work" / ".git" / "hooks"),),
        links=(str(home / "link"),),
        works=True,
        backend=NAMESPACES,
    )
    named = [(os.path.relpath(path, home), kind) for path, kind in plan(made)]
    assert named == [
        (".", "hide"),
        (".cargo", "read"),
        ("link", "link"),
        ("work", "write"),
        ("work/.env", "mask"),
        ("work/.git", "write"),
        ("work/.git/hooks", "read"),
    ]


def test_a_session_in_the_home_folder_keeps_secrets_closed(tmp_path: Path) -> None:
    for name in (".ssh", "x"):
        (tmp_path / name).mkdir()
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin"}
    found = dict(plan(profile((tmp_path,), environment, backend=NAMESPACES)))
    assert found[str(tmp_path)] == "write" and found[str(tmp_path / ".ssh")] == "hide"


def test_sockets_that_somebody_listens_on_are_hidden(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, tempfile.TemporaryDirectory(dir="/var/lib") as away:
        one.bind(f"{away}/socket")
        made = profile((tmp_path,), {"HOME": str(tmp_path)}, backend=NAMESPACES)
        assert f"{away}/socket" in made.hidden
        (tmp_path / "link").symlink_to(away)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(f"{tmp_path}/link/other")
            made = profile((tmp_path / "x",), {"HOME": str(tmp_path)}, backend=NAMESPACES)
            assert f"{away}/other" in made.hidden
