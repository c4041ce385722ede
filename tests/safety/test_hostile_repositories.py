"""A repository that somebody sent runs nothing: what the program starts in one is seen with strace.

Each row builds a repository that has a program of its own run by git, and names the plain question
to git that does it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

GIT = shutil.which("git") or ""
HELPERS = subprocess.run(
    [GIT, "--exec-path"], capture_output=True, text=True, check=True
).stdout.strip()
COMMAND = "echo more >> a; echo new > made"
EXECUTED = re.compile(r'execve(?:at)?\((?:\w+, )?"([^"]*)", (\[.*?\]|0x\w+)')
STRACE = ["strace", "-f", "-qq", "-s", "300", "-e", "trace=execve,execveat", "-o"]
"""Before the name of the log."""
STATUS = ("status",)


@dataclass
class Sent:
    """A repository that was sent: where the person works in it, and with which variables beside the
    usual ones."""

    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)


Build = Callable[[Path, str], Sent]
"""Makes the repository in a new folder; the shell command given with it is what must not run."""


def git(folder: Path, *words: str) -> str:
    argv = [GIT, "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
    return subprocess.run(
        argv, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def configure(folder: Path, *pairs: tuple[str, str], file: Path | None = None) -> None:
    for name, value in pairs:
        git(folder, "config", *(("--file", str(file)) if file else ()), name, value)


def repository(top: Path, attributes: str = "") -> Path:
    """Two files and a commit; the first was touched since, so that git looks into it again."""
    top.mkdir(parents=True)
    git(top, "init", "-q")
    for name in ("a", "b"):
        (top / name).write_text(f"{name}\n")
    if attributes:
        (top / ".gitattributes").write_text(attributes)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "first")
    touch(top)
    return top


def touch(top: Path) -> None:
    os.utime(top / "a", (1, 1))


def script(folder: Path, evil: str) -> str:
    """A program that does it."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{evil}\n")
    path.chmod(0o755)
    return str(path)


def with_setting(*pairs: tuple[str, str], attributes: str = "") -> Build:
    """A repository with settings in which {evil} stands for the command, and {program} for a file
    that runs it."""

    def build(top: Path, evil: str) -> Sent:
        repository(top, attributes)
        program = script(top / ".git", evil)
        configure(top, *((name, value.format(evil=evil, program=program)) for name, value in pairs))
        return Sent(top)

    return build


def missing_tree(*pairs: tuple[str, str]) -> Build:
    """A partial clone: git fetches what is missing from a remote, whose settings name programs."""

    def build(top: Path, evil: str) -> Sent:
        repository(top)
        program = script(top / ".git", evil)
        tree = git(top, "rev-parse", "HEAD^{tree}")
        (top / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        partial = (("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"))
        settings = ((name, value.format(evil=evil, program=program)) for name, value in pairs)
        configure(top, *partial, ("remote.origin.promisor", "true"), *settings)
        return Sent(top)

    return build


def included(key: str) -> Build:
    def build(top: Path, evil: str) -> Sent:
        repository(top, "a filter=x")
        configure(top, ("filter.x.clean", f"{evil}; cat"), file=top / "tracked.config")
        configure(top, (key, "../tracked.config"))
        return Sent(top)

    return build


def bare_sub_folder(top: Path, evil: str) -> Sent:
    """Reached by a plain clone: a bare repository was committed as a folder, and somebody works in
    that folder."""
    source = top.with_name(f"{top.name}-source")
    repository(source / "sub", "a filter=x")
    configure(source / "sub", ("core.worktree", "."), ("filter.x.clean", f"{evil}; cat"))
    for inner in list((source / "sub" / ".git").iterdir()):
        inner.rename(source / "sub" / inner.name)
    (source / "sub" / ".git").rmdir()
    for folder in ("refs/heads", "refs/tags", "objects/info", "objects/pack"):
        (source / "sub" / folder / "keep").touch()
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "all")
    git(top.parent, "clone", "-q", str(source), str(top))
    touch(top / "sub")
    return Sent(top / "sub")


def leading_elsewhere(link: bool, names_back: bool) -> Build:
    def build(top: Path, evil: str) -> Sent:
        repository(top, "a filter=x")
        configure(top, ("filter.x.clean", f"{evil}; cat"))
        if names_back:
            configure(top, ("core.worktree", str(top)))
        (top / ".git").rename(top / "folder")
        if link:
            (top / ".git").symlink_to("folder")
        else:
            (top / ".git").write_text("gitdir: folder\n")
        return Sent(top)

    return build


def program_on_path(entry: str, folder: str = ".") -> Build:
    """The repository brings a program that is named git, and PATH leads to it."""

    def build(top: Path, evil: str) -> Sent:
        repository(top)
        (top / folder).mkdir(exist_ok=True)
        Path(script(top, evil)).rename(top / folder / "git")
        outside = top.with_name(f"{top.name}-link")
        outside.symlink_to(top / folder)
        path = entry.format(top=top, outside=outside)
        return Sent(top, {"PATH": f"{path}:{os.environ['PATH']}"})

    return build


def submodule(top: Path, evil: str) -> Sent:
    inner = repository(top.with_name(f"{top.name}-inner"), "a filter=x")
    repository(top)
    git(top, "submodule", "--quiet", "add", str(inner), "sub")
    git(top, "commit", "-q", "-m", "sub")
    git(top / "sub", "commit", "-q", "--allow-empty", "-m", "moved")
    configure(top / "sub", ("filter.x.clean", f"{evil}; cat"))
    touch(top / "sub")
    return Sent(top)


def inside_submodule(top: Path, evil: str) -> Sent:
    return Sent(submodule(top, evil).cwd / "sub")


def own_work_tree(top: Path, evil: str) -> Sent:
    main = repository(top.with_name(f"{top.name}-main"), "a filter=x")
    git(main, "worktree", "add", "-q", str(top), "-b", "side")
    configure(main, ("core.repositoryFormatVersion", "1"), ("extensions.worktreeConfig", "true"))
    git(top, "config", "--worktree", "filter.x.clean", f"{evil}; cat")
    touch(top)
    return Sent(top)


def hook(top: Path, evil: str) -> Sent:
    repository(top)
    path = top / ".git" / "hooks" / "post-index-change"
    path.parent.mkdir(exist_ok=True)
    Path(script(top, evil)).rename(path)
    return Sent(top)


def attributes_of_its_own(top: Path, evil: str) -> Sent:
    repository(top)
    (top / ".git" / "info" / "attributes").write_text("[attr]plain filter=x\n* plain\na filter=x\n")
    configure(top, ("filter.x.clean", f"{evil}; cat"))
    return Sent(top)


def variables(**named: str) -> Build:
    """The folder's own variables, as a tool loads them that the person uses."""

    def build(top: Path, evil: str) -> Sent:
        repository(top, "a filter=x")
        other = repository(top.with_name(f"{top.name}-other"), "a filter=x")
        configure(other, ("filter.x.clean", f"{evil}; cat"))
        return Sent(
            top, {name: value.format(evil=evil, other=other) for name, value in named.items()}
        )

    return build


PARTIAL = ("remote.origin.url", "/nowhere")
SSH, PROXIED = ("remote.origin.url", "ssh://nowhere/x"), ("remote.origin.url", "git://nowhere/x")
ROWS: dict[str, tuple[Build, tuple[str, ...]]] = {
    "clean": (with_setting(("filter.x.clean", "{evil}; cat"), attributes="* filter=x"), STATUS),
    "process": (with_setting(("filter.x.process", "{evil}"), attributes="a filter=x"), STATUS),
    "required": (
        with_setting(
            ("filter.X.clean", "{evil}; cat"),
            ("filter.X.required", "true"),
            attributes="[attr]y filter=X\n* y",
        ),
        STATUS,
    ),
    "attributes": (attributes_of_its_own, STATUS),
    "include": (included("include.path"), STATUS),
    "includeIf": (included("includeIf.gitdir:**.path"), STATUS),
    "monitor": (with_setting(("core.fsmonitor", "{program}")), STATUS),
    "hook": (hook, STATUS),
    "hooksPath": (with_setting(("core.hooksPath", "{program}/../hooks")), ()),
    "uploadpack": (missing_tree(PARTIAL, ("remote.origin.uploadpack", "{program}")), STATUS),
    "ext": (
        missing_tree(("remote.origin.url", "ext::{program}"), ("protocol.ext.allow", "always")),
        STATUS,
    ),
    "vcs": (
        missing_tree(
            PARTIAL,
            ("remote.origin.vcs", "ext"),
            ("remote.origin.url", "{program}"),
            ("protocol.ext.allow", "always"),
        ),
        (),
    ),
    "ssh": (missing_tree(SSH, ("core.sshCommand", "{program}")), STATUS),
    "gitProxy": (missing_tree(PROXIED, ("core.gitProxy", "{program}")), STATUS),
    "bare sub-folder": (bare_sub_folder, STATUS),
    ".git file": (leading_elsewhere(link=False, names_back=False), STATUS),
    ".git file that is named back": (leading_elsewhere(link=False, names_back=True), STATUS),
    ".git link": (leading_elsewhere(link=True, names_back=False), STATUS),
    "./git": (program_on_path("."), STATUS),
    "empty PATH entry": (program_on_path(""), STATUS),
    "PATH into the folder": (program_on_path("{top}/bin", "bin"), STATUS),
    "PATH by a link into the folder": (program_on_path("{outside}", "bin"), STATUS),
    "submodule": (submodule, STATUS),
    "inside a submodule": (inside_submodule, STATUS),
    "work tree": (own_work_tree, STATUS),
    "GIT_DIR": (variables(GIT_DIR="{other}/.git", GIT_WORK_TREE="{other}"), STATUS),
    "GIT_CONFIG_COUNT": (
        variables(
            GIT_CONFIG_COUNT="1",
            GIT_CONFIG_KEY_0="filter.x.clean",
            GIT_CONFIG_VALUE_0="{evil}; cat",
        ),
        STATUS,
    ),
    "GIT_CONFIG_PARAMETERS": (
        variables(GIT_CONFIG_PARAMETERS="'filter.x.clean'='{evil}; cat'"),
        STATUS,
    ),
    "textconv": (
        with_setting(("diff.x.textconv", "{evil}; cat"), attributes="a diff=x"),
        ("log", "-p"),
    ),
    "diff driver": (
        with_setting(("diff.x.command", "{program}"), attributes="a diff=x"),
        ("log", "-p", "--ext-diff"),
    ),
    "alias": (with_setting(("alias.st", "!{evil}")), ("st",)),
    "pager": (with_setting(("core.pager", "{program}")), ()),
}
"""Without a plain question: nothing fires it that the program asks; it stands here so that it stays
so."""


def prepared(row: str, tmp_path: Path, name: str) -> tuple[Sent, Path]:
    marker = tmp_path / f"{name}-fired"
    sent = ROWS[row][0](tmp_path.resolve() / name, f"touch {marker}")
    return sent, marker


def around(tmp_path: Path, sent: Sent) -> dict[str, str]:
    """The variables of the program, and the script of a model that runs a command: git is asked
    before and after it."""
    home = tmp_path / "home"
    home.mkdir()
    call = {"call": "run_shell_command", "arguments": {"command": COMMAND}}
    (tmp_path / "script.json").write_text(
        json.dumps({"steps": [[call], [{"text": "All is done."}]]})
    )
    own = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(tmp_path),
        "OLLAMA_HOST": "127.0.0.1:1",
        "PYTHONPATH": str(ROOT),
        "AGENT_TUI_SANDBOX": "local",  # it would start programs of its own
    }
    return {"PATH": os.environ["PATH"], "TERM": "xterm-256color", **own, **sent.environment}


def model(tmp_path: Path, sent: Sent) -> str:
    return f"scripted/{os.path.relpath(tmp_path / 'script.json', sent.cwd)}"


CANARY = "'\\nimport ctypes, errno, os, signal, socket, sys\\noutside, root, program"
"""How what tries the sandbox begins, as strace shows it."""
UNREAD = (".git file", ".git link")
"""Git is not even asked there."""


def strange(row: str, log: Path) -> list[str]:
    """What was executed that is neither the program nor git, nor the shells of the program's own."""
    found: list[str] = []
    asked = 0
    for line in log.read_text(errors="replace").splitlines():
        if not (one := EXECUTED.search(line)):
            continue
        program, argv = one[1], one[2]
        asked += program == GIT
        ours = (f'"{COMMAND}"]', f'"{sys.executable} -I -S -c {CANARY}')
        command = program.endswith("/bash") and any(
            f'"--norc", "-c", {one}' in argv for one in ours
        )
        if not (command or program in (sys.executable, GIT) or program.startswith(f"{HELPERS}/")):
            found.append(line)
    assert bool(asked) == (row not in UNREAD)
    return found


def test_the_rows_are_many() -> None:
    assert len(ROWS) >= 15 and GIT.startswith("/")


@pytest.mark.parametrize("row", [row for row, (_, plain) in ROWS.items() if plain])
def test_plain_git_runs_it(row: str, tmp_path: Path) -> None:
    """So that the tests below would see it."""
    sent, marker = prepared(row, tmp_path, "plain")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **sent.environment}
    shell = ["/bin/sh", "-c", 'exec git "$@"', "sh"]
    subprocess.run([*shell, *ROWS[row][1]], cwd=sent.cwd, env=env, capture_output=True, timeout=60)
    assert marker.exists()


MODES = ("accept-all", "auto", "plan")
CASES = [(row, MODES[number % 3]) for number, row in enumerate(ROWS)]
CASES += [("clean", "auto"), ("clean", "plan"), ("submodule", "accept-all")]


@pytest.mark.parametrize(("row", "mode"), CASES)
def test_nothing_of_it_runs_without_a_screen(row: str, mode: str, tmp_path: Path) -> None:
    sent, marker = prepared(row, tmp_path, "sent")
    log, program = tmp_path / "strace", [sys.executable, "-m", "agent_tui", "run", "look around"]
    argv = [*STRACE, str(log), *program]
    done = subprocess.run(
        [*argv, "-m", model(tmp_path, sent), "--mode", mode],
        cwd=sent.cwd,
        env=around(tmp_path, sent),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "All is done." in done.stdout, done.stderr
    assert strange(row, log) == []
    assert not marker.exists()
    assert (sent.cwd / "made").exists() == (mode == "accept-all")


@pytest.mark.parametrize(
    ("row", "mode"),
    [
        ("clean", "accept-all"),
        ("bare sub-folder", "accept-all"),
        ("uploadpack", "plan"),
        ("./git", "accept-all"),
    ],
)
def test_nothing_of_it_runs_on_the_screen(row: str, mode: str, tmp_path: Path) -> None:
    sent, marker = prepared(row, tmp_path, "sent")
    log = tmp_path / "strace"
    argv = [*STRACE, str(log), sys.executable]
    argv += ["-m", "agent_tui", "-m", model(tmp_path, sent), "--mode", mode, "look around"]
    start = f"import os; os.chdir({str(sent.cwd)!r}); os.execvp('strace', {argv!r})"
    pty = Pty(["-c", start], around(tmp_path, sent))
    try:
        pty.until("All is done.", 60)
        pty.type("/quit\r")
        pty.wait(60)
    finally:
        pty.close()
    assert strange(row, log) == []
    assert not marker.exists()
