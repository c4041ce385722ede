"""`agent-tui sessions`: every action in this process, the whole program once; one line for what is
wrong."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui import paths
from agent_tui.cli import main
from agent_tui.cli.given import Given
from agent_tui.protocol.events import Titled
from agent_tui.sessions.index.listing import find, recent
from agent_tui.sessions.log.lock import Lock
from tests.sessions.logs import turn, write

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with three sessions; two of them began in the folder that is worked in."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(work)
    folder = tmp_path / "home" / "sessions"
    write(folder, "abc-1", *turn(1, "why does the parser fail"), cwd=str(work))
    write(
        folder,
        "abc-2",
        *turn(5, "add a retry", "with a needle"),
        Titled("Retries", "person", at=6_000),
        cwd=str(work),
    )
    write(folder, "xyz-3", *turn(9, "\x1b[31melsewhere\x07"), cwd="/elsewhere")
    return tmp_path


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "home" / "sessions"


Said = tuple[int, str, str]
Say = Callable[..., Said]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Run the command: its exit code, what it said, and what was wrong. Nothing raw reaches a
    terminal."""

    def run(*arguments: str) -> Said:
        try:
            code = main.main(["sessions", *arguments])
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        out, problem = capsys.readouterr()
        assert not any(raw in text for raw in "\x1b\x07" for text in (out, problem))
        return code, out, problem

    return run


def test_list(home: Path, say: Say) -> None:
    code, out, _ = say()
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == [
        "xyz-3",
        "abc-2",
        "abc-1",
    ]
    assert "Retries" in out.splitlines()[1] and "␛[31m" not in out and "elsewhere" in out
    assert [line.split()[0] for line in say("list", "--here")[1].splitlines()] == ["abc-2", "abc-1"]
    assert len(say("list", "-n", "1")[1].splitlines()) == 1
    data = json.loads(say("list", "--json")[1])
    assert data[1] | {"size": 0} == {
        "id": "abc-2",
        "cwd": str(home / "work"),
        "title": "Retries",
        "at": 6000.0,
        "turns": 1,
        "model": "ollama/qwen3:8b",
        "by": "person",
        "size": 0,
        "labels": 0,
        "parent": "",
        "parent_at": 0,
        "branch": "",
        "files": 0,
        "tokens": 0,
        "cost": None,
    }


def test_no_sessions_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say) -> None:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path / "none"))
    assert say() == (0, "", "agent-tui: there are no sessions\n")
    assert say("show")[0] == 2
    assert say("search", "x")[:2] == (1, "")
    assert say("verify") == (0, "", "")


def test_search(say: Say) -> None:
    code, out, problem = say("search", "needle")
    assert (code, problem) == (0, "")
    assert (
        out.splitlines()[0].startswith("abc-2  ")
        and out.splitlines()[1] == "  turn 5: with a needle"
    )
    where = say("search", "retries")[1].splitlines()[1]
    assert where == "  found in the title: Retries"
    [hit] = json.loads(say("search", "needle", "--json")[1])
    assert (hit["session"]["id"], hit["turn"], hit["marks"]) == ("abc-2", 5, [[7, 13]])
    assert say("search", "--here", "elsewhere")[0] == 1
    assert say("search", "no such words")[:2] == (1, "")


@pytest.mark.parametrize("wanted", ["", "abc-2", "Retries", "retr"])
def test_which_session_is_meant(say: Say, wanted: str) -> None:
    code, out, _ = say("show", *([wanted] if wanted else []))
    assert code == 0 and out.startswith("# Retries\n") and "with a needle" in out


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("show", "abc"), "abc: 2 sessions match; give one by its id: abc-2, abc-1"),
        (("show", "nothing"), "nothing: no session has this id or name"),
        (("show", "../../etc/passwd"), "../../etc/passwd: no session has this id or name"),
        (("show", "\x1b]0;x\x07"), "no session has this id or name"),
        (("show", "--format", "pdf"), "argument --format: invalid choice: 'pdf'"),
        (("trim",), "the following arguments are required: --keep"),
        (("trim", "--keep", "many"), "argument --keep: invalid int value: 'many'"),
        (("rename",), "the following arguments are required: NAME"),
        (("frobnicate",), "argument ACTION: invalid choice: 'frobnicate'"),
        (("list", "--cwd", "/not/there"), "--cwd /not/there: No such file or directory"),
        (("export", "abc-1", "x.pdf"), ".pdf: unknown format; choose one of md, html, json"),
    ],
)
def test_what_cannot_be_meant_is_one_line(
    say: Say, arguments: tuple[str, ...], wanted: str
) -> None:
    code, out, problem = say(*arguments)
    assert (code, out) == (2, "") and wanted in problem and problem.count("\n") == 1


def test_show_and_export(say: Say, home: Path) -> None:
    assert json.loads(say("show", "--format", "json")[1])["format"] == "agent-tui/1"
    assert say("show", "--format", "html")[1].startswith("<!doctype html>")
    code, out, _ = say("export", "abc-1", "out.html")
    assert (code, out) == (0, f"written to {home / 'work' / 'out.html'}\n")
    assert (home / "work" / "out.html").read_text().startswith("<!doctype html>")
    assert say("export", "abc-1", "out.html")[1].endswith("out-2.html\n")
    assert say("export", "last.json")[1].endswith("work/last.json\n")
    assert say("export")[1].endswith("session-abc-2.md\n")
    assert say("export", "abc-1", "/not/there/x.md")[0] == 1


def test_rename_fork_trim_and_tree(say: Say, folder: Path) -> None:
    assert say("rename", "abc-1", "Parser trouble") == (0, "abc-1: Parser trouble\n", "")
    child = say("fork", "parser")[1].split(":")[0]
    assert find(folder, child)[0].parent == "abc-1"
    write(folder, "long", *[event for n in range(10) for event in turn(n + 1, f"prompt {n}")])
    code, out, _ = say("trim", "long", "--keep", "2")
    assert code == 0 and ": 2 turns, " in out
    assert say("trim", "long", "--keep", "20")[0] == 1
    tree = say("list", "--tree")[1].splitlines()
    assert any(line.startswith(f"└─ {child[:8]}") for line in tree)
    assert say("rename", "Now the last one here") == (0, f"{child}: Now the last one here\n", "")


def test_delete_asks(say: Say, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, code in (("", 1), ("n\n", 1), ("maybe\n", 1), ("y\n", 0)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert (folder / "abc-1.jsonl").exists()
        done, out, problem = say("delete", "abc-1")
        assert (
            done == code
            and "delete 1 file, " in out
            and ("nothing was deleted" in problem) == bool(code)
        )
    assert say("delete", "xyz-3", "--yes")[0] == 0
    assert [one.id for one in recent(folder)] == ["abc-2"]
    assert say("search", "elsewhere")[0] == 1


def test_verify_and_repair(say: Say, folder: Path) -> None:
    code, out, _ = say("verify")
    assert code == 0 and [line.split(":")[1] for line in out.splitlines()] == [" ok"] * 3
    path = folder / "abc-1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"n":15,"at":')
    (folder / "link.jsonl").symlink_to(path)
    code, out, _ = say("verify")
    assert code == 1 and "abc-1: damaged: the last 19 bytes are an incomplete record" in out
    assert "link: a symbolic link: not followed\n" in out
    assert say("verify", "link")[0] == 1 and say("verify", "abc-2")[0] == 0
    _, _, problem = say("show", "abc-1")
    assert problem == "agent-tui: abc-1: the last 19 bytes are an incomplete record\n"
    code, out, _ = say("repair", "abc-1")
    assert code == 0 and "repaired; set aside: abc-1.torn-" in out and path.read_bytes() == whole
    assert "nothing to repair" in say("repair", "abc-1")[1]
    assert say("repair", "link")[0] == 1


def test_what_is_open_elsewhere_is_one_line(say: Say, folder: Path) -> None:
    lock = Lock(folder / "abc-1.lock")
    lock.take()
    for arguments in (("rename", "abc-1", "x"), ("repair", "abc-1"), ("delete", "abc-1", "--yes")):
        code, _, problem = say(*arguments)
        assert (
            code == 1
            and problem
            == f"agent-tui: session abc-1 is open in another program (process {os.getpid()})\n"
        )
    lock.release()


def test_stats(say: Say) -> None:
    _, out, _ = say("stats", "abc-2", "--steps")
    assert "turns           1 (1 done)\n" in out and "  thought: I think. Therefore.\n" in out
    data = json.loads(say("stats", "--json")[1])
    assert (data["steps"], data["by_step"][0]["tools"][0]["label"]) == (2, "ls src")


def test_import(say: Say, home: Path) -> None:
    code, _, problem = say("import")
    assert code == 1 and "no session of Claude Code or Codex CLI was found in " in problem
    assert "no session of Codex CLI was found in " in say("import", "--from", "codex")[2]
    projects = home / ".claude/projects/-home-a-project"
    projects.mkdir(parents=True)
    shutil.copy(SAMPLES / "claude.jsonl", projects / "2ff46cd5-f4e7-4724-bb20-579dae7956ea.jsonl")
    assert say("import")[0] == 1
    code, out, _ = say("import", "--all")
    assert code == 0 and "2 turns from Claude Code; left out: images (1), " in out
    assert "already imported from Claude Code" in say("import", "--all")[1]
    code, out, problem = say("import", str(SAMPLES / "codex.jsonl"), "/not/there.jsonl")
    assert code == 1 and "from Codex CLI" in out and "/not/there.jsonl: cannot be read" in problem
    assert say("show", "My listing")[1].startswith("# My listing\n")


def test_prune_says_first(say: Say, folder: Path) -> None:
    assert "no limit is set" in say("prune")[1]
    assert say("prune", "--days", "0")[0] == 2 and "1 or more" in say("prune", "--mb", "0")[2]
    code, out, _ = say("prune", "--days", "1")
    assert code == 0 and out.endswith("would be deleted (--yes deletes)\n") and "abc-2" not in out
    assert len(recent(folder)) == 3
    say("prune", "--days", "1", "--yes")
    assert [one.id for one in recent(folder)] == ["abc-2"]  # it has a name
    assert say("prune", "--days", "1")[1] == "0 sessions, 0 bytes: nothing to delete\n"


def test_the_whole_program(home: Path) -> None:
    command = [sys.executable, "-m", "agent_tui", "sessions"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, cwd=home / "work", env=env, capture_output=True, check=True)
    assert done.stdout.isascii() and len(done.stdout.splitlines()) == 3 and done.stderr == b""
    read, write_end = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*command, "show"], cwd=home / "work", env=env, stdout=write_end, stderr=-1, check=False
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")  # nobody reads: that is no failure


def asked(resume: str) -> Given:
    given = Given()
    given.resume = resume
    return given


@pytest.mark.parametrize(
    ("wanted", "id"),
    [("abc-2", "abc-2"), ("xyz", "xyz-3"), ("Retries", "abc-2"), ("retr", "abc-2")],
)
def test_a_session_is_resumed_by_its_name_too(home: Path, wanted: str, id: str) -> None:
    assert main._session(asked(wanted), home / "work", paths.folders()) == id


def test_a_name_that_two_sessions_have_resumes_none(home: Path) -> None:
    for wanted, said in (
        ("abc", "2 sessions match; give one by its id: abc-2, abc-1"),
        ("nobody", "no session has this id or name"),
    ):
        with pytest.raises(main.Usage, match=said):
            main._session(asked(wanted), home / "work", paths.folders())
