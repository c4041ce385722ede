"""The command line where something is wrong: one line that says what, an exit code, and never a
traceback."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.cli.arguments import find_alternative
from tests.test_cli import environment

MAIN = [sys.executable, "-m", "agent_tui"]
BYTES = "a\udcffb/\udcff"
"""What Python makes of bytes that are not UTF-8."""


@pytest.fixture(scope="module")
def read_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one session in it, for what changes neither."""
    return with_session(tmp_path_factory.mktemp("read"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with one session in it."""
    return with_session(tmp_path)


def with_session(folder: Path) -> Path:
    (folder / "s.json").write_text(json.dumps([[{"text": "hello \ud800 there"}]] * 3))
    done = shell(folder, '"$@" run hi -m scripted/s.json')
    assert done.returncode == 0, done.stderr
    return folder


def shell(cwd: Path, line: str, *words: str) -> subprocess.CompletedProcess[str]:
    """`line` in a shell, in which `"$@"` is the program with `words` behind it. Where there is
    nothing for a shell to do, there is none."""
    program, own = [*MAIN, *words], line.removeprefix('"$@"')
    plain = own != line and not set(own) & set("|&;<>(){}$")
    return subprocess.run(
        [*program, *shlex.split(own)] if plain else ["sh", "-c", line, "sh", *program],
        cwd=cwd,
        env=environment(cwd),
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
        timeout=60,
    )


def said(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("agent-tui") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "words", ["config show", "sessions list", "sessions show", "sessions stats", "config path"]
)
def test_output_that_cannot_be_written_is_one_line(read_home: Path, words: str) -> None:
    assert "No space left" in said(shell(read_home, f'"$@" {words} >/dev/full'), 1)
    assert "standard output is closed" in said(shell(read_home, f'"$@" {words} >&-'), 1)
    done = shell(read_home, f'{{ "$@" {words}; echo $? >code; }} | :')
    assert "Traceback" not in done.stderr and (read_home / "code").read_text() == "0\n"


@pytest.mark.parametrize("words", ["replay --verify", "bug"])
def test_other_commands_say_it_too(home: Path, words: str) -> None:
    said(shell(home, f'"$@" {words} >/dev/full'), 1)
    said(shell(home, f'"$@" {words} >&-'), 1)


@pytest.mark.parametrize("words", ["run hi -m scripted/s.json", "chat -m scripted/s.json"])
def test_what_talks_says_it_in_the_same_words_and_nothing_of_a_pipe_that_nobody_reads(
    home: Path, words: str
) -> None:
    full = said(shell(home, f'echo hi | "$@" {words} >/dev/full'), 1)
    assert full == "agent-tui: the output cannot be written: No space left on device\n"
    done = shell(home, f'{{ echo hi | "$@" {words}; echo $? >code; }} | :')
    assert (done.stderr, (home / "code").read_text()) == ("", "1\n")


def test_closed_streams(home: Path) -> None:
    assert "standard output is closed" in said(shell(home, '"$@" run hi -m scripted/s.json >&-'), 1)
    assert "standard input is closed" in said(shell(home, '"$@" chat -m scripted/s.json <&-'), 2)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("sessions", "search", "\udcff"), 1),
        (("sessions", "show", "\udcff"), 2),
        (("config", "set", "model", BYTES), 2),
        (("run", "hi", "-m", BYTES), 2),
        (("chat", "-m", BYTES), 2),
    ],
)
def test_bytes_that_are_no_text_are_refused(
    read_home: Path, words: tuple[str, ...], code: int
) -> None:
    argv = [os.fsencode(word) for word in (*MAIN, *words)]
    done = subprocess.run(
        argv,
        cwd=read_home,
        env=environment(read_home),
        capture_output=True,
        check=False,
        timeout=60,
    )
    text = done.stderr.decode()
    assert done.returncode == code and text.count("\n") == 1 and text.startswith("agent-tui"), text


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("sessions list -n -3", 2, "1 or more"),
        ("sessions list -n 0", 2, "1 or more"),
        ("sessions prune --days -1", 2, "0 or more"),
        ("sessions prune --mb x", 2, "0 or more"),
        ("sessions search nothere", 1, "nothing found: nothere"),
        ("config set display.theme nosuch", 2, "ansi, catppuccin-latte"),
        ("config set display.theme_dark auto", 2, "choose one of"),
        ("config set theme nord", 2, "display.theme?"),
    ],
)
def test_what_cannot_be_meant_is_refused(read_home: Path, line: str, code: int, words: str) -> None:
    assert words in said(shell(read_home, f'"$@" {line}'), code)


def test_a_theme_of_the_persons_own_counts(home: Path) -> None:
    place = Path(environment(home)["AGENT_TUI_HOME"])
    (place / "themes").mkdir(parents=True, exist_ok=True)
    (place / "themes" / "mine.toml").write_text('extends = "dark"\n')
    assert shell(home, '"$@" config set display.theme mine').stdout == 'display.theme = "mine"\n'
    assert shell(home, '"$@" config set display.theme auto').returncode == 0
    assert shell(home, '"$@" config unset display.theme').stdout == 'display.theme = "auto"\n'
    assert shell(home, '"$@" config list').stdout == shell(home, '"$@" config show').stdout
    assert str(place) in said(shell(home, '"$@" config edit'), 1)


def test_a_folder_is_where_the_export_goes(home: Path) -> None:
    (home / "out").mkdir()
    for target in (".", "out", "out/"):
        done = shell(home, f'"$@" sessions export "" {target}')
        folder = home / target
        assert done.returncode == 0, done.stderr
        assert [path for path in folder.glob("session-*.md") if path.is_file()], done.stdout
    assert not [
        path for path in (*home.parent.iterdir(), *home.iterdir()) if path.name.endswith("-2")
    ]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("-p hi", "agent-tui run"),
        ("--print=x", "agent-tui run"),
        ("exec hi", "agent-tui run"),
        ("resume", "-r"),
        ("mcp", "config"),
        ("login", "auth set"),
        ("--yolo", "--mode accept-all"),
        ("hi --dangerously-skip-permissions", "--mode accept-all"),
    ],
)
def test_what_is_called_otherwise_elsewhere_is_said(read_home: Path, words: str, hint: str) -> None:
    assert hint in said(shell(read_home, f'"$@" {words}'), 2)


def test_and_behind_two_dashes_it_is_a_prompt() -> None:
    assert find_alternative(["--", "resume"]) == "" == find_alternative(["-m", "x", "--", "-p"])
    assert find_alternative(["fix", "it"]) == "" == find_alternative(["resume the work"])


@pytest.mark.parametrize(
    "words", ["--help", "run --help", "sessions --help", "--version", "sessions export --help"]
)
def test_help_that_cannot_be_written_is_no_success(read_home: Path, words: str) -> None:
    assert "No space left" in said(shell(read_home, f'"$@" {words} >/dev/full'), 1)
    done = shell(read_home, f'{{ "$@" {words}; echo $? >code; }} | :')
    assert done.stderr == "" and (read_home / "code").read_text() == "0\n"


def test_a_session_is_exported_into_what_is_open_and_into_a_pipe(home: Path) -> None:
    id = next((home / "sessions").glob("*.jsonl")).stem
    whole = shell(home, f'"$@" sessions export {id} -').stdout
    assert "hi" in whole and "written" not in whole
    for line in (
        f'"$@" sessions export {id} /dev/stdout',
        f'"$@" sessions export {id} /dev/stdout | cat',
        f'"$@" sessions export {id} /dev/stdout >out && cat out',
        f'"$@" sessions export {id} /dev/fd/3 3>out && cat out',
        f'"$@" sessions export {id} /dev/stderr 2>&1',
        f'mkfifo pipe && {{ "$@" sessions export {id} pipe & }} && cat pipe',
    ):
        done = shell(home, line)
        assert (done.returncode, done.stdout, done.stderr) == (0, whole, ""), line
    assert not list(Path("/dev").glob("stdout-*"))
    assert "No space left" in said(shell(home, f'"$@" sessions export {id} - >/dev/full'), 1)
    said(shell(home, f'"$@" sessions export {id} /dev/fd/99'), 1)


@pytest.mark.parametrize("flag", ["-v", "-d"])
@pytest.mark.parametrize("words", ["", "chat", "run hi -m scripted/s.json"])
def test_too_little_memory_is_said_before_anything_begins(
    read_home: Path, flag: str, words: str
) -> None:
    assert f"ulimit {flag}" in said(shell(read_home, f'ulimit {flag} 150000; "$@" {words}'), 1)
    assert shell(read_home, f'ulimit {flag} 150000; "$@" --version').returncode == 0


def test_an_answer_goes_out_in_an_encoding_that_knows_less(home: Path) -> None:
    (home / "s.json").write_text(json.dumps([[{"text": "漢 → \u00e9"}]]))
    for words in ("run hi -m scripted/s.json", "chat -m scripted/s.json"):
        done = shell(home, f'echo hi | PYTHONIOENCODING=latin-1 "$@" {words}')
        assert done.returncode == 0 and "\\u6f22 \\u2192" in done.stdout, (done.stdout, done.stderr)
