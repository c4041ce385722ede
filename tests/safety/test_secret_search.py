"""Which files of a session have the names of secrets, and that the read-only sandbox closes them,
whatever was judged of the words of a command."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agent_tui.safety import secret_names, secret_search
from agent_tui.safety.git_config import find_repository
from agent_tui.safety.git_index import BadIndex
from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.sandbox.confinement import seatbelt
from agent_tui.safety.secret_search import changed_secrets, find_secret_files
from tests.safety.test_processes import PATIENCE

PLANTED = "PLANTED-4417"


def write(file: Path, text: str = PLANTED) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def git(folder: Path, *words: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *author, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository whose secrets are committed (`kept/`), changed (`api/`) and untracked."""
    top = tmp_path.resolve() / "work"
    for name in ("api/.env", "kept/.env", "kept/test.pem", "src/a.py"):
        write(top / name, "committed\n")
    git(top, "init", "-q")
    git(top, "add", "-f", ".")
    git(top, "commit", "-qm", "x")
    for name in ("api/.env", ".env", "certs/a.key", "sub/.ssh/config", "sub/deep/id_rsa"):
        write(top / name)
    (top / "src/notes.txt").hardlink_to(top / ".env")
    (top / "src/link").symlink_to("../.env")
    return top


CLOSED = [".env", "api/.env", "certs/a.key", "src/notes.txt", "sub/.ssh/config", "sub/deep/id_rsa"]


def closed(top: Path, *others: Path) -> list[str]:
    return sorted(os.path.relpath(one, top) for one in find_secret_files((top, *others)).closed)


def test_all_but_what_is_committed_is_closed(top: Path) -> None:
    assert closed(top) == CLOSED
    write(top / "api/.env", "committed\n")
    assert closed(top) == [one for one in CLOSED if one != "api/.env"]
    (top / ".git/index").write_bytes(b"no index")
    assert closed(top) == sorted([*CLOSED, "kept/.env", "kept/test.pem"])


def test_what_comes_to_be_is_found_at_once(top: Path) -> None:
    for number in range(20):
        write(top / f"new/{number}.pem")
        assert f"new/{number}.pem" in closed(top)
        (top / f"new/{number}.pem").unlink()
        assert f"new/{number}.pem" not in closed(top)


def test_another_name_is_found_in_another_folder_of_the_session(top: Path, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "other"
    write(other / "a/x.txt", "1")
    (other / "a/y.txt").hardlink_to(top / "certs/a.key")
    (other / "z.txt").hardlink_to(top / "kept/.env")
    assert closed(top, other) == sorted([*CLOSED, "../other/a/y.txt"]), "z.txt is committed"
    numbers = {(top / name).stat().st_ino for name in (".env", "certs/a.key", "kept/.env")}
    assert find_secret_files((top, other)).linked == numbers
    assert not find_secret_files((other / "a",)).linked


def test_where_too_much_is_beside_a_secret_the_others_are_closed(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        write(top / f"certs/{number}.txt", "1")
    monkeypatch.setattr(secret_search, "_MOST_BESIDE", 40)
    assert closed(top) == [one for one in CLOSED if one != "certs/a.key"]
    monkeypatch.setattr(secret_names, "MOST_FOLDERS", 1)
    monkeypatch.setattr(secret_search, "_hidden", {})  # what was hidden once stays so
    assert closed(top) == [".env"]


def test_changed_secrets_are_those_whose_content_the_index_has_not(top: Path) -> None:
    where = find_repository(top)
    assert where is not None and changed_secrets(where) == ["api/.env"]
    os.utime(top / "kept/.env", (1, 1))
    assert changed_secrets(where) == ["api/.env"]
    git(top, "add", "-f", "api/.env")
    assert changed_secrets(where) == []
    (top / "kept/.env").unlink()
    git(top, "add", "-f", "-N", "certs/a.key")
    assert changed_secrets(where) == ["certs/a.key"]
    (top / ".git/index").write_bytes(b"no index")
    with pytest.raises(BadIndex):
        changed_secrets(where)


def run(command: str, top: Path, *others: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(top.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    secrets = find_secret_files((top, *others)).closed
    confined = read_only_sandbox.profile((top, *others), environment, secrets=secrets)

    async def scene() -> str:
        captured = Captured(100_000, None)
        try:
            result = await processes.run(
                command, top, environment, PATIENCE, lambda _: None, captured, confined=confined
            )
        finally:
            await processes.settle(PATIENCE)
        return result.output

    return asyncio.run(scene())


READING = (
    *("grep -ra PLANTED .", "cat .env", "cat src/notes.txt src/link", "git diff", "git diff api"),
    *("git grep -n PLANTED", "git diff --no-index kept certs", "diff -r kept certs"),
    *("find . -type f -exec cat {} +", "tar c . | grep -a PLANTED", "cp -r . $TMPDIR/x; cat $TMPDIR/x/.env"),
    *("ln .env $TMPDIR/x; cat $TMPDIR/x", "cat < .env", "cat ../work/.env /proc/self/cwd/.env"),
    "cat sub/.ssh/config sub/deep/*",
)  # fmt: skip


OF_RG = ("rg -uuu PLANTED", "rg -g '*.key' PLANTED", "rg PLANTED src") if shutil.which("rg") else ()


@pytest.mark.parametrize("command", (*READING, *OF_RG))
def test_no_command_in_the_sandbox_reads_a_secret(top: Path, command: str) -> None:
    assert PLANTED not in run(command, top)


def test_all_else_is_there_as_before(top: Path) -> None:
    write(top / "notes with\nodd \u00e9 names", "here\n")
    assert run("cat kept/.env kept/test.pem src/a.py notes*", top) == "committed\n" * 3 + "here\n"
    assert "1 .env" not in run("wc -l .env", top)
    listed = run("find . -name '.e*' -size -1k; ls -A certs; stat -c %s .env", top)
    assert "a.key" in listed and f"{len(PLANTED)}\n" in listed
    said = run("git status --short; git diff --name-only; git log --oneline -p", top)
    assert " M api/.env\n" in said and "?? .env\n" in said and "+committed" in said
    assert "denied" not in said and "fatal" not in said


def test_a_secret_of_a_folder_that_was_added_is_closed(top: Path, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "other"
    write(other / "deep/er/.env")
    write(other / "deep/b.txt", "here\n")
    assert run("cat ../other/deep/b.txt ../other/deep/er/.env", top, other).startswith("here\n")
    assert PLANTED not in run("grep -r PLANTED ../other", top, other)


def test_seatbelt_opens_no_secret(top: Path) -> None:
    secrets = find_secret_files((top,)).closed
    said = seatbelt(read_only_sandbox.profile((top,), {"HOME": str(top.parent)}, secrets=secrets))
    assert f'(allow file-read* (literal "{top}/src/a.py"))' in said
    assert f'(allow file-read* (subpath "{top}/kept"))' in said
    for path in (f"{top}", f"{top}/src", *secrets):
        assert f'(allow file-read* (subpath "{path}"))' not in said
        assert f'(allow file-read* (literal "{path}"))' not in said
