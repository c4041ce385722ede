"""Files that are none: a pipe, a device or a folder where the program reads or writes one never
holds it up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.regular_file import open_regular
from agent_tui.safety.git_config import branch
from agent_tui.settings.store import Refused, Store
from agent_tui.tui.runtime.history import PromptHistory
from tests.places import place_in
from tests.tui.pty_stage import ROOT, Pty

OWN = (
    "config.toml",
    "history.jsonl",
    "ground",
    "typed/1-1",
    "themes/dark.toml",
    "themes/mine.toml",
    "skills.md",
    "skills/odd/SKILL.md",
    "AGENTS.md",
    "sessions/0b0e1c5a-0000-4000-8000-000000000009.jsonl",
)
OF_THE_FOLDER = (
    ".agent-tui/config.toml",
    ".agent-tui/skills.md",
    ".agent-tui/skills/odd/SKILL.md",
    "AGENTS.md",
    "CLAUDE.md",
    ".gitignore",
    ".ignore",
    ".git/HEAD",
    ".git/index",
    ".git/config",
    ".git/info/exclude",
    "sub/.git",
)


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }


@pytest.mark.parametrize("name", OWN)
def test_a_pipe_among_the_persons_files_does_not_hold_up_the_screen(
    tmp_path: Path, name: str
) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    pipe(home / name)
    pty = Pty(["-m", "agent_tui", "--demo", "--cwd", str(folder)], environment(home))
    pty.until("Enter send")
    pty.type("hello there\r")
    pty.until("I do not understand")
    if name in ("config.toml", "history.jsonl"):
        pty.until("not a")
    pty.close()


def test_pipes_all_over_the_folder_do_not_hold_up_the_screen(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    for name in OF_THE_FOLDER:
        pipe(folder / name)
    for cwd in (folder, folder / "sub"):
        pty = Pty(["-m", "agent_tui", "--demo", "--cwd", str(cwd)], environment(home))
        pty.until("Enter send")
        pty.type("see @RE")
        pty.until("@RE")
        pty.type("\x15hello there\r")
        pty.until("I do not understand")
        pty.close()


@pytest.mark.parametrize("words", ["run hi -m demo/tour", "run hi -m demo/tour -c", "config"])
def test_pipes_everywhere_do_not_hold_up_a_script(tmp_path: Path, words: str) -> None:
    home = tmp_path / "home"
    for name in OWN:
        pipe(home / name)
    for name in OF_THE_FOLDER:
        pipe(tmp_path / name)
    argv = [sys.executable, "-m", "agent_tui", *words.split()]
    done = subprocess.run(
        argv, cwd=tmp_path, env=environment(home), capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert "not a" in done.stderr or "-c" in words


def test_what_is_no_file_is_refused_in_a_line(tmp_path: Path) -> None:
    pipe(tmp_path / "pipe")
    pipe(tmp_path / ".git" / "HEAD")
    pipe(tmp_path / "config.toml")
    for odd in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), Path("/dev/tty")):
        with pytest.raises(OSError):
            os.close(open_regular(odd))
    assert branch(str(tmp_path)) == ""
    history = PromptHistory(tmp_path / "pipe")
    assert history.load() == ()
    assert (
        history.notice() == f"prompt history cannot be read: {tmp_path}/pipe: is not a regular file"
    )
    history.add("kept here")
    assert history.load() == ("kept here",)
    with pytest.raises(Refused, match="is not a regular file"):
        Store(place_in(tmp_path, tmp_path)).write("mode", "plan")


@pytest.mark.parametrize("project", [False, True])
def test_a_link_to_itself_is_said_in_a_line(tmp_path: Path, project: bool) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    file = (work / ".agent-tui" if project else home) / "config.toml"
    for folder in (home, work, file.parent):
        folder.mkdir(exist_ok=True)
    file.symlink_to("config.toml")
    (work / "loop").symlink_to("loop")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        argv, env = [sys.executable, "-m", "agent_tui", *words], environment(home)
        return subprocess.run(argv, cwd=work, env=env, capture_output=True, text=True, timeout=60)

    kind = ("--project",) if project else ()
    done = run("config", "set", *kind, "display.theme", "dark")
    assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1
    assert "config.toml" in done.stderr and "cannot be written" in done.stderr
    said = run("run", "hi", "-m", "demo").stderr
    assert "Traceback" not in said and ("is not a file: not used" in said or project)
    lost = run("run", "hi", "-m", "demo", "--cwd", "loop")
    assert lost.returncode == 2 and lost.stderr.startswith("agent-tui: --cwd loop: ")
    assert len(lost.stderr.strip().splitlines()) == 1
