"""Commands that only read work in the read-only sandbox as they do outside, and private files stay
private; whether it holds is tried, not assumed."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.processes import CommandResult
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.sandbox.profiles import Profile
from agent_tui.safety.sandbox.read_only_sandbox import profile
from tests.safety.test_processes import PATIENCE


def run(command: str, cwd: Path, confined: Profile | None, home: Path) -> CommandResult:
    async def scene() -> CommandResult:
        captured = Captured(100_000, None)
        environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        environment.pop("GIT_CONFIG_GLOBAL", None)  # of the tests
        try:
            return await processes.run(
                command, cwd, environment, PATIENCE, lambda _: None, captured, confined=confined
            )
        finally:
            await processes.settle(PATIENCE)

    return asyncio.run(scene())


def git(folder: Path, *words: str) -> None:
    given = {"HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(
        ["git", *author, *words], cwd=folder, env=given, check=True, capture_output=True, timeout=60
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder, with a repository in it and a second work tree of that."""
    home = tmp_path / "home" / "me"
    repository = home / "project"
    (repository / "pkg").mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\n\tname = somebody\n")
    (repository / "a.py").write_text("import os\nprint('needle')\n")
    (repository / "pkg" / "b.py").write_text("needle = 2\n")
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "the first commit")
    git(repository, "worktree", "add", "-q", "../tree", "-b", "other")
    (repository / "a.py").write_text("import os\nprint('needle', 3)\n")
    for name in (".ssh/id_ed25519", ".netrc", ".cargo/credentials.toml", ".config/git/credentials"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("SECRET")
    for name in (".cargo/bin/tool", ".local/bin/mine"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("#!/bin/sh\necho TOOL\n")
        (home / name).chmod(0o755)
    return home


def read_only(home: Path, *roots: str) -> Profile:
    environment = {**os.environ, "HOME": str(home)}
    return profile(tuple(home / root for root in roots), environment)


COMMANDS = {
    "ls -la | head": "a.py",
    "git status": "modified:   a.py",
    "git log --oneline": "the first commit",
    "git diff": "+print('needle', 3)",
    "git show --stat HEAD": "a.py",
    "git blame a.py": "import os",
    "git -C pkg ls-files": "b.py",
    "git config user.name": "somebody",
    "grep -rn needle .": "./pkg/b.py:1:needle = 2",
    "find . -name '*.py' | sort": "./a.py\n./pkg/b.py",
    f"{sys.executable} --version": "Python 3",
    "python3 --version || true": "",
    "wc -l a.py": "2 a.py",
    "cat <(echo one) <(echo two)": "one\ntwo",
    "cat < a.py | tee /dev/null | sed -n 1p": "import os",
    "echo x > /dev/null; echo x | tee /dev/full >/dev/null 2>&1 || echo full": "full",
    "cat <<< here": "here",
    "seq 1 400000 | sort -rn -S 100k --parallel=1 | head -1": "400000",
    "head -c 8 /dev/urandom | wc -c": "8",
    "id -un; date; uname -s; nproc; pwd": "project",
    "ps -o pid= -p $$ && stat -c %n a.py && du -s . && df . | head -1": "a.py",
    "sleep 30 & kill $!; wait $! || echo killed": "killed",
    "timeout 0.1 sleep 30 || echo late": "late",
    'file() { cat "$TMPDIR/x"; }; echo kept > $TMPDIR/x; file': "kept",
    "mkfifo $TMPDIR/p; echo through > $TMPDIR/p & cat $TMPDIR/p": "through",
    "~/.cargo/bin/tool; ~/.local/bin/mine": "TOOL\nTOOL",
}
IF_THERE = {
    "node": {"node --version": "v", "node -e 'console.log(6 * 7)'": "42"},
    "rg": {"rg -n needle": "b.py"},
    "jq": {"echo '{\"a\": 1}' | jq .a": "1"},
    "tree": {"tree": "a.py"},
}
ALL = COMMANDS | {
    command: said
    for name, commands in IF_THERE.items()
    if shutil.which(name)
    for command, said in commands.items()
}


@pytest.mark.parametrize("command", ALL)
def test_what_only_reads_works_as_outside(home: Path, command: str) -> None:
    project = home / "project"
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    result = run(command, project, read_only(home, "project"), home)
    assert result.exit_code == 0 and not result.refused, result.output
    assert ALL[command] in result.output
    assert "denied" not in result.output and "not permitted" not in result.output
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("root", "cwd"), [("tree", "tree"), ("project/pkg", "project/pkg")])
def test_git_works_where_its_folder_is_elsewhere(home: Path, root: str, cwd: str) -> None:
    """In a second work tree, and below the top of one."""
    command = "git log --oneline && git status --short && git branch"
    result = run(command, home / cwd, read_only(home, root), home)
    assert result.exit_code == 0 and "the first commit" in result.output, result.output
    assert "denied" not in result.output and "warning" not in result.output


def test_a_git_folder_that_is_not_the_work_trees_own_stays_closed(home: Path) -> None:
    """Nor does what stands at the top of a repository lead out of it."""
    hostile = home / "hostile"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {home}/project/.git\n")
    (home / "project" / ".mailmap").symlink_to(home / ".netrc")
    confined = read_only(home, "hostile", "project")
    result = run("cat ../project/.mailmap", hostile, confined, home)
    assert result.refused and "SECRET" not in result.output
    result = run("git log", hostile, read_only(home, "hostile"), home)
    assert result.exit_code != 0 and "the first commit" not in result.output


@pytest.mark.parametrize(
    "name", [".ssh/id_ed25519", ".netrc", ".cargo/credentials.toml", ".config/git/credentials"]
)
@pytest.mark.parametrize("root", ["project", "."])
def test_what_is_private_is_not_read(home: Path, root: str, name: str) -> None:
    """Not even by a session that works in the home folder itself."""
    result = run(f"cat {home / name}", home / root, read_only(home, root), home)
    assert result.refused and "SECRET" not in result.output
    assert run("cat .gitconfig", home, read_only(home, "."), home).exit_code == 0


def test_other_homes_and_shared_folders_are_not_read(home: Path, tmp_path: Path) -> None:
    other, own = tmp_path / "home" / "you", tmp_path / "own"
    for folder in (other, own):
        folder.mkdir()
        (folder / "file").write_text("SECRET")
    environment = {**os.environ, "HOME": str(home), "GOPATH": str(home), "PATH": f"{tmp_path}:/bin"}
    confined = profile((home / "project",), environment, own=(own,))
    granted = (*confined.readable, *confined.listed, *confined.writable)
    for path in (tmp_path, home, other, own, Path("/"), Path("/home"), Path("/tmp"), Path("/dev")):
        assert str(path) not in confined.readable
    for folder in (home, other, own):
        assert not any(Path(folder).is_relative_to(one) for one in confined.readable), granted
    assert "/usr" in confined.readable and confined.writable == (
        "/dev/null",
        "/dev/zero",
        "/dev/full",
    )
    assert not confined.network and confined.temporary


def test_the_folders_of_the_program_are_closed_also_inside_a_root(home: Path) -> None:
    own = home / "project" / "state"
    own.mkdir()
    (own / "key").write_text("SECRET")
    environment = {**os.environ, "HOME": str(home)}
    confined = profile((home / "project",), environment, own=(own,))
    assert run("cat state/key", home / "project", confined, home).refused
    assert run("cat a.py; ls", home / "project", confined, home).exit_code == 0


def test_what_only_root_may_read_is_closed_to_its_commands_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_only_sandbox, "_OF_THE_SYSTEM", "/etc/hostname /etc/not-there")
    confined = read_only(home, "project")
    assert run("cat /etc/hostname", home / "project", confined, home).refused
    done = run("ls /etc; cat /etc/passwd; ls /proc/self", home / "project", confined, home)
    assert done.exit_code == 0 and "hostname" in done.output and "root:" in done.output


def test_the_passwords_of_the_machine_are_closed(home: Path) -> None:
    for name in ("/etc/shadow", "/etc/gshadow"):
        done = run(f"cat {name} | head -1", home / "project", read_only(home, "project"), home)
        assert done.refused or os.geteuid() != 0  # the kernel refuses it to anybody else
        assert ":" not in done.output.partition(name)[0].removeprefix("cat: ")
