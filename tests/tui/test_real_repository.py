"""A bug in a package from PyPI is found, mended, tested, committed and taken back, in a real terminal:
the package is one that the tests have anyhow, so nothing is fetched."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from agent_tui.tui.screen.key_guards import ROW_SECONDS
from tests.tui.tmux_live import TmuxWindow

SOUND, BROKEN = "c = line.lstrip()[:1]", "c = line[:1]"
CASE = """\
from iniconfig import IniConfig


def test_a_comment_may_be_indented():
    data = "[a]\\nx = 1\\n    # of x\\n"
    assert IniConfig("a.ini", data=data)["a"]["x"] == "1"
"""
PYTEST = (
    f"{shlex.quote(sys.executable)} -B -m pytest -q -p no:cacheprovider -c /dev/null --rootdir ."
)
SUBJECT = "Comments may be indented"
PARSER = "src/iniconfig/_parse.py"


def repository(folder: Path) -> Path:
    """The source of iniconfig with its licence, as a git repository with a bug and a test of it."""
    package = distribution("iniconfig")
    for file in package.files or ():
        if file.suffix == ".py" or "LICENSE" in file.name:
            inside = Path("src") / file if file.suffix == ".py" else Path(file.name)
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(package.locate_file(file)), folder / inside)
    source = (folder / PARSER).read_text()
    assert source.count(SOUND) == 1 and (folder / "LICENSE").is_file()
    (folder / PARSER).write_text(source.replace(SOUND, BROKEN))
    (folder / "tests").mkdir()
    (folder / "tests" / "test_comments.py").write_text(CASE)
    git(folder, "init", "-q", "-b", "main")
    for name in ("name", "email"):
        git(folder, "config", f"user.{name}", "ada@example.org")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "iniconfig")
    return folder


def git(folder: Path, *words: str) -> str:
    argv = ["git", "-C", str(folder), *words]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def is_sound(folder: Path) -> bool:
    argv = [*shlex.split(PYTEST), "tests"]
    run = subprocess.run(
        argv, cwd=folder, env={"PYTHONPATH": "src"}, capture_output=True, check=False
    )
    return not run.returncode


def step(tool: str, **arguments: Any) -> list[Any]:
    return [{"call": tool, "arguments": arguments}]


def command(text: str) -> list[Any]:
    return step("run_shell_command", command=text)


def read_and_say_yes(window: TmuxWindow) -> None:
    """An Enter that comes sooner is one of a row of them, and confirms nothing."""
    time.sleep(ROW_SECONDS + 0.2)
    window.press("Enter")


def approve(window: TmuxWindow, asked: str) -> None:
    """Read what is asked, and say yes."""
    window.until(lambda text: asked in text and "❯ y/1 yes, once" in text)
    read_and_say_yes(window)
    window.until(lambda text: "yes, once" not in text or asked not in text)


def records(home: Path, kind: str) -> list[dict[str, Any]]:
    [log] = (home / "sessions").glob("*-????????????.jsonl")
    known = map(json.loads, log.read_bytes().splitlines())
    return [record for record in known if record["type"] == kind]


def test_a_bug_is_mended_tested_committed_and_taken_back(tmp_path: Path) -> None:
    work = repository(tmp_path / "work")
    assert not is_sound(work)
    script = tmp_path / "s.json"
    steps = [
        step("grep_files", pattern="def iscommentline"),
        step("read_file", path=PARSER),
        step("edit_file", path=PARSER, old=BROKEN, new=SOUND),
        command(f"PYTHONPATH=src {PYTEST} tests"),
        command(f"git commit -qam '{SUBJECT}'"),
        [{"text": "Indented comments are comments again."}],
    ]
    script.write_text(json.dumps(steps))
    argv = ["-m", "agent_tui", "-m", f"scripted/{script}", "--cwd", str(work)]
    window = TmuxWindow(argv, tmp_path, {"VISUAL": "", "EDITOR": ""}, (100, 30))
    try:
        window.until("Ask, or type")
        window.send("An indented comment is read as a value. Mend it.", "Edit src/")
        approve(window, "+     c = line.lstrip")
        window.until("+1 -1")
        assert SOUND in (work / PARSER).read_text(), "what was approved is written"
        approve(window, "$ PYTHONPATH=src")
        approve(window, f"$ git commit -qam '{SUBJECT}'")
        window.until("Indented comments are comments again.")
        window.until("Ask, or type")
        assert is_sound(work) and git(work, "log", "-1", "--format=%s") == f"{SUBJECT}\n"
        assert git(work, "status", "--porcelain") == ""
        window.send("/undo", "Restore 1 file.")
        read_and_say_yes(window)
        window.until(lambda text: "Restore 1 file." not in text)
        window.until("Ask, or type")
        window.leave()
    finally:
        window.close()
    assert git(work, "log", "--format=%s").splitlines() == [SUBJECT, "iniconfig"], "commits stay"
    assert git(work, "status", "--porcelain") == f" M {PARSER}\n" and not is_sound(work)
    done = [(one["name"], one.get("tag", "ok")) for one in records(tmp_path, "tool_ended")]
    assert done == [(call["call"], "ok") for [call] in steps[:-1]]
    assert len(records(tmp_path, "approval_answered")) == 3
    assert [one["path"] for one in records(tmp_path, "file_changed")] == [str(work / PARSER)]
    [restored] = records(tmp_path, "files_restored")
    assert [one["outcome"] for one in restored["files"]] == ["done"]
