"""Which program a name means, and that nothing of a project is run by its name: with the real
starts, in a folder that brings programs and modules of the names that are looked for."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.programs import close_folders, find_program, own_path, search_path
from agent_tui.safety.process import processes
from agent_tui.tui.runtime.editor import EDITORS, editor
from agent_tui.tui.runtime.foreground_run import chosen_by


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, a repository's; it has programs of all names, each of which leaves the
    file `run`."""
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    (top / "inner").mkdir()
    for folder in (top, top / "inner", top / "bin"):
        for name in ("env", "ollama", "tmux", "xclip", "git", *EDITORS):
            program(folder / name, f"echo $0 >>{tmp_path}/run")
    monkeypatch.chdir(top / "inner")
    return top


def hostile_path(top: Path) -> str:
    return f".::bin:../bin:{top}/bin:{top}:{top}/inner"


def test_programs_of_our_own_are_not_looked_for_in_the_project(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    (top / "bin").mkdir(parents=True)
    outside.symlink_to(top / "bin")
    path = f".::bin:{top}/bin:{top}:{outside}:{tmp_path}:/bin"
    assert search_path({"PATH": path}, top) == f"{tmp_path}:/bin"
    assert search_path({"PATH": f"{top}/bin"}, top) == os.devnull
    assert search_path({"PATH": "/bin"}, Path("/")) == "/bin"


def test_the_whole_repository_is_left_out_by_any_of_its_names(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").symlink_to(project)
    path = f"{hostile_path(project)}:{tmp_path}/other/bin:/bin"
    for folder in (project, project / "inner", tmp_path / "other" / "inner", None):
        assert own_path({"PATH": path}, folder) == "/bin"


@pytest.mark.usefixtures("project")
def test_which_program_a_name_means(tmp_path: Path) -> None:
    own = program(tmp_path / "own" / "nano", "true")
    (tmp_path / "empty" / "nano").mkdir(parents=True)
    assert find_program("nano", f".::bin:{tmp_path}/empty:{tmp_path}/own") == str(own)
    assert find_program("nano", hostile_path(Path("inner"))) is None
    assert find_program("./nano", str(tmp_path / "own")) is None
    assert find_program(str(own), "") == str(own)


def test_a_folder_of_a_session_has_no_programs_of_ours_whatever_leads_there(tmp_path: Path) -> None:
    brought, own = (program(tmp_path / name / "bin" / "git", "true") for name in ("added", "own"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "git").symlink_to(brought)
    path = f"{brought.parent}:{tmp_path}/links:{own.parent}"
    assert find_program("git", path) == str(brought)
    close_folders([tmp_path], {"HOME": str(own.parent)})  # no project: a home folder is in it
    assert own_path({"PATH": path}) == path
    close_folders([tmp_path / "added"], {"HOME": str(tmp_path)})
    assert own_path({"PATH": path}) == f"{tmp_path}/links:{own.parent}"
    assert find_program("git", path) == str(own)


def test_a_folder_of_path_is_looked_up_once_however_many_folders_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[object] = []
    really = os.path.realpath

    def seen(path: str, **options: bool) -> str:
        looked.append(path)
        return really(path, **options)

    close_folders([tmp_path / str(number) for number in range(20)], {})
    monkeypatch.setattr(os.path, "realpath", seen)
    assert search_path({"PATH": f"{tmp_path}:/bin"}, tmp_path / "top") == f"{tmp_path}:/bin"
    assert len(looked) == 2


def test_what_leads_nowhere_known_is_no_program_of_ours(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert search_path({"PATH": f"{tmp_path}/circle:/bin"}, tmp_path / "top") == "/bin"
    assert search_path({"PATH": f"{tmp_path}/circle"}, Path("/")) == f"{tmp_path}/circle"


def test_no_editor_of_the_project(project: Path, tmp_path: Path) -> None:
    own = program(tmp_path / "own" / "vi", "true")
    assert editor({"PATH": hostile_path(project)}) == []
    assert editor({"PATH": f"{hostile_path(project)}:{own.parent}"}) == [str(own)]


@pytest.mark.parametrize("name", ["nano", "./nano", "bin/nano"])
def test_no_start_takes_a_program_of_the_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PATH", hostile_path(project))
    with pytest.raises(FileNotFoundError, match="not on PATH outside this project"):
        processes.foreground([name], lambda: False)
    with pytest.raises(FileNotFoundError, match="not on PATH outside this project"):
        processes.start_beside([name])
    code, said = asyncio.run(
        processes.feed([name], b"", project, {"PATH": hostile_path(project)}, 10.0)
    )
    assert code == 127 and "not on PATH outside this project" in said
    assert not (tmp_path / "run").exists()


def test_an_editor_that_is_named_is_found_outside(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path / "own" / "nano", f"echo $0 >{tmp_path}/opened")
    monkeypatch.setenv("PATH", f"{hostile_path(project)}:{own.parent}")
    assert processes.foreground(["nano"], lambda: False) == 0
    assert (tmp_path / "opened").read_text().strip() == str(own) and not (tmp_path / "run").exists()


def run(tmp_path: Path, path: str, *words: str, **variables: str) -> str:
    """What the command line says in a terminal, with this PATH and these variables."""
    home = tmp_path / "home"
    code = (
        "import sys; from agent_tui.__main__ import main; sys.argv[1:] = "
        + repr(list(words))
        + "; main()"
    )
    variables |= {"AGENT_TUI_HOME": str(home), "HOME": str(tmp_path), "PATH": path, "TERM": "xterm"}
    argv = [sys.executable, "-P", "-c", code]
    ours, theirs = pty.openpty()
    done = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=variables)
    os.close(theirs)
    said = b""
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        try:
            while data := terminal.read(4096):
                said += data
        except OSError:  # Linux: the other end was closed
            done.wait()
    done.wait()
    return said.decode()


def test_the_check_up_runs_nothing_of_the_project(project: Path, tmp_path: Path) -> None:
    said = run(tmp_path, f"{hostile_path(project)}:/usr/bin:/bin", "doctor")
    assert "commands run" in said and not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ({}, "no editor was found"),
        ({"EDITOR": "nano"}, "nano cannot be started (is not on PATH outside this project)"),
        ({"VISUAL": "./nano"}, "./nano cannot be started (is not on PATH outside this project)"),
    ],
)
def test_the_settings_are_edited_by_no_program_of_the_project(
    project: Path, tmp_path: Path, named: dict[str, str], says: str
) -> None:
    said = run(tmp_path, hostile_path(project), "config", "edit", **named)
    assert says in said and not (tmp_path / "run").exists()


def test_another_run_of_the_program_loads_no_module_of_the_folder(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path / "home"))
    for name in (
        "json.py",
        "argparse.py",
        "agent_tui/__init__.py",
        "agent_tui/__main__.py",
        "sitecustomize.py",
    ):
        path = project / "inner" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'run')!r}, 'w').write('run')\n")
    chosen, problem = chosen_by(
        lambda argv: processes.foreground(argv, lambda: False), ["bug", "none"]
    )
    assert (chosen, problem) == ("", "bug ended with exit code 1")
    assert "agent-tui bug: none: no session has this id" in capfd.readouterr().err
    assert not (tmp_path / "run").exists()
