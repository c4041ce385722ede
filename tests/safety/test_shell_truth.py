"""The classifier against bash itself: the same words, and nothing is written by what only looks."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from agent_tui.safety.shell.classifier import classify, environment
from tests.safety import shell_corpus

NAMES = ("ls", "cat", "grep", "rm", "find", "echo", "sort", "head", "wc", "git")
WRITTEN = """
ls cat echo a b README.md -l ' " \\ $ # * ? [ ] { } ~ ! = ^ % @ : , 1 2> /dev/null > &1 <<< ; &&
'' "" \\' \\" . s* src/* é - -- + ` a=b ( )
"""
PIECES = (*WRITTEN.split(), " ", " ", " ", " ", "\t", "\n", "LC_ALL=C ")
SHOWN = "".join(f'{name}() {{ printf "%s\\0" {name} "$@" "" >&9; }}\n' for name in NAMES)
"""Each program only says its words."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return shell_corpus.build(tmp_path)


def words_of_bash(command: str, place: Path) -> bytes:
    """The words of each program that bash would start, each with a NUL, and one more behind each
    program."""
    with tempfile.TemporaryFile() as written:
        subprocess.run(
            [
                "bash",
                "--noprofile",
                "--norc",
                "-c",
                f"exec 9>&{written.fileno()}\n{SHOWN}{command}",
            ],
            cwd=place,
            pass_fds=(written.fileno(),),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            check=False,
        )
        written.seek(0)
        return written.read()


def test_bash_reads_the_same_words(place: Path) -> None:
    chance = random.Random(7)
    compared = 0
    while compared < 150:
        head = chance.choice(("ls ", "cat ", "echo ", "grep "))
        command = head + "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 9)))
        calls = classify(command, (place,)).calls
        if not calls or any(call.argv[0] not in NAMES for call in calls) or "$" in command:
            continue
        ours = b"".join(b"\0".join(map(os.fsencode, call.argv)) + b"\0\0" for call in calls)
        assert words_of_bash(command, place) == ours, repr(command)
        compared += 1


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, read(path))
        for path in sorted(folder.rglob("*"))
    }


def read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def set_traps(place: Path) -> None:
    """Programs of the project under the names that a careless search would find first."""
    for name in ("ls", "cat", "git", "grep", "evil", "sort", "python3", "gpg", "less", "ssh"):
        trap = place / name
        trap.write_text(f"#!/bin/sh\necho {name} >> {place.parent}/sprung\n")
        trap.chmod(0o755)


def test_what_only_looks_writes_nothing_and_runs_nothing_of_the_project(place: Path) -> None:
    """Without a sandbox: nothing but the judgement holds it back."""
    shutil.rmtree(place / ".git")
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "add", "src", "README.md"], check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(place), *who, "commit", "-qm", "x"], check=True)
    set_traps(place)
    given = {
        "PATH": f"{place}:.:{os.environ['PATH']}",
        "HOME": str(place.parent),
        "LANG": "C.UTF-8",
    }
    given = environment(given, (place,))
    before = state(place.parent)
    commands = [e.command for e in shell_corpus.of("looks") if not e.command.startswith("sleep")]
    ran = 0
    for command in commands:
        judged = classify(command, (place,))
        if judged.reason:
            continue
        ran += 1
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", command],
            cwd=place,
            env=given,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert ran > len(commands) * 0.9
    after = state(place.parent)
    for refreshed in (place / ".git", place / ".git" / "index"):
        # `git diff` and `git describe --dirty` keep the times of files there; git runs unasked only
        # in the sandbox, which does not let them
        del before[str(refreshed)], after[str(refreshed)]
    assert sorted(set(after) ^ set(before)) == []
    assert [name for name in before if before[name] != after[name]] == []
