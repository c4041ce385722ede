"""What the first statement of the program decides before anything is imported."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.boot import terminal
from agent_tui.boot.frame import MODES, NAMES, frame, ground_file
from agent_tui.paths import shipped_folder
from agent_tui.protocol import ops
from agent_tui.structures.terminal_facts import identity, remember
from agent_tui.tui.widgets.theme import load_theme, names
from tests.tui.pty_stage import ROOT, Pty

HINT = b"or type / for commands"


@pytest.mark.parametrize(
    ("words", "screen"),
    [
        ("", True),
        ("fix it", True),
        ("-m ollama/x", True),
        ("--demo", True),
        ("-c", True),
        ("-r 0b0e", True),
        ("run", False),
        ("run hello", False),
        ("--help", False),
        ("-m x -h", False),
        ("--version", False),
        ("-r", True),
        ("--resume", True),
        ("fix -r", True),
    ],
)
def test_the_terminal_is_taken_only_for_the_screen(words: str, screen: bool) -> None:
    assert terminal.wants_screen(words.split()) is screen


def test_without_a_terminal_nothing_is_taken() -> None:
    code = "from agent_tui.boot import terminal; print(terminal.prepare([]))"
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_the_first_milliseconds_import_the_standard_library_only() -> None:
    code = (
        "import sys; from agent_tui import __main__; from agent_tui.boot import terminal;"
        "print([m for m in sys.modules if m.partition('.')[0] not in sys.stdlib_module_names"
        " and not m.startswith(('agent_tui', '__', '_distutils', 'sitecustomize', '_virtualenv', '__editable'))"
        " and 'finder' not in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "redirected", ["</dev/null", "<&-", ">/dev/null", ">&-", "2>/dev/null", "2>&-"]
)
def test_where_a_part_of_the_terminal_is_missing_it_says_so_and_ends(
    redirected: str, tmp_path: Path
) -> None:
    shell = (
        f"import os; os.execvp('sh', ['sh', '-c', '{sys.executable} -m agent_tui {redirected}'])"
    )
    pty = Pty(["-c", shell], {"PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(tmp_path)})
    assert pty.wait() == 2
    assert b"Traceback" not in pty.raw
    assert b"this is not a terminal" in pty.raw or redirected == "2>/dev/null"
    pty.close()


def program(tmp_path: Path, **env: str) -> Pty:
    place = {
        "OPS": str(tmp_path / "ops"),
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }
    return Pty(["-m", "tests.tui.screen_program"], {**place, **env})


def test_the_first_bytes_are_a_frame_that_the_first_real_one_continues(tmp_path: Path) -> None:
    pty = program(tmp_path, HOLD="0.5")
    early = pty.until("starting").splitlines()
    assert b"\x1b[?1049h" in pty.raw[:40]
    pty.type("hi")
    pty.until("❯ hi")  # shown before anything slow is there
    assert "Enter send" not in pty.text
    late = pty.until("Enter send").splitlines()
    assert early[20][:4] == late[20][:4] == " ╭──"
    assert early[20:23:2] == late[20:23:2]
    assert "❯ hi" in late[21]
    assert HINT not in pty.raw
    assert pty.raw.count(b"\x1b[?1049h") == 1
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    assert pty.restored() == []
    pty.close()


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("fix it\rand that", "❯ fix it"),
        ("hiy\x7f", "❯ hi "),
        ("\x1b[200~from\relsewhere\x1b[201~", "❯ from "),
        ("h" * 5000, "❯ [Pasted text"),
        ("\x1b[A\x1b[?2026;2$yhi\x1b[Do", "❯ hoi"),
        ("hi\x1b", "❯ hi"),
    ],
    ids=["row", "deleted", "paste", "long", "answer", "escape"],
)
def test_the_first_real_frame_has_the_text_that_was_typed_before_it(
    tmp_path: Path, keys: str, shown: str
) -> None:
    pty = program(tmp_path, HOLD="0.5")
    pty.until("starting")
    pty.type(keys)
    pty.until(lambda text: "Enter send" in text and shown in text)
    assert HINT not in pty.raw
    pty.close()


def test_enter_on_the_boot_frame_sends_before_the_first_real_one(tmp_path: Path) -> None:
    pty = program(tmp_path, HOLD="0.5")
    pty.until("starting")
    pty.type("hi\r")
    pty.until("You said: hi")
    assert b"sent once agent-tui has started" in pty.raw.partition(HINT)[0]
    assert re.findall(r"Submit\(.*?text='(.*?)'", (tmp_path / "ops").read_text()) == ["hi"]
    pty.close()


def test_a_letter_of_which_half_came_on_the_boot_frame_is_one(tmp_path: Path) -> None:
    pty = program(tmp_path, HOLD="0.5")
    pty.until("starting")
    pty.type(b"h" + "é".encode()[:1])
    pty.until("Enter send")
    pty.type("é".encode()[1:])
    pty.until("❯ hé")
    pty.close()


@pytest.mark.parametrize("delay", [0.005, 0.05, 0.15])
def test_keys_on_the_boot_frame_arrive_once_and_in_order(tmp_path: Path, delay: float) -> None:
    pty = program(tmp_path)
    for letter in "early":
        time.sleep(delay)
        pty.type(letter)
    pty.until("Enter send")
    pty.type("\r")
    pty.until("You said: early")
    assert re.findall(r"Submit\(.*?text='(.*?)'", (tmp_path / "ops").read_text()) == ["early"]
    pty.close()


def test_a_signal_while_the_boot_frame_stands_gives_the_terminal_back(tmp_path: Path) -> None:
    chance = random.Random(11)
    for _ in range(6):
        pty = program(tmp_path, HOLD="0.3")
        pty.until("starting")
        pty.read(chance.uniform(0.0, 0.3))
        pty.signal(signal.SIGTERM)
        assert pty.wait() == 128 + signal.SIGTERM
        assert pty.restored() == []
        assert pty.raw.count(b"\x1b[?1049h") == pty.raw.count(b"\x1b[?1049l") == 1
        pty.close()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, b"usage:"),
        (["--hel"], 0, b"usage:"),
        (["--bogus"], 2, b"--bogus"),
        (["--vers"], 0, b"agent-tui "),
        (["--cwd", "/nowhere"], 2, b"/nowhere"),
        (["-r", "zz"], 2, b"zz"),
    ],
)
def test_what_the_command_line_has_to_say_stays_on_the_terminal(
    tmp_path: Path, words: list[str], code: int, said: bytes
) -> None:
    pty = Pty(
        ["-m", "agent_tui", *words], {"PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(tmp_path)}
    )
    assert pty.wait() == code
    assert said in pty.raw.rpartition(b"\x1b[?1049l")[2]
    assert (b"\x1b[?1049h" in pty.raw) is (words != ["--help"])
    assert pty.restored() == [] or words == ["--help"]
    pty.close()


def test_the_boot_frame_wears_the_theme_and_fits() -> None:
    dark = frame(80, 24, {"COLORTERM": "truecolor"})
    assert b"\x1b[48;2;22;24;29m" in dark
    assert frame(80, 24, {"LC_ALL": "C"}).isascii()
    assert b"\x1b[48" not in frame(80, 24, {"NO_COLOR": "1", "COLORTERM": "truecolor"})
    assert frame(29, 24, {}) == frame(80, 19, {}) == b""


def ground_of(home: Path, **environment: str) -> str:
    """The ground that the boot frame is drawn on, as a colour."""
    drawn = frame(
        80, 24, {"AGENT_TUI_HOME": str(home), "COLORTERM": "truecolor", **environment}
    ).decode()
    red, green, blue = drawn.partition("\x1b[48;2;")[2].partition("m")[0].split(";")
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"


@pytest.mark.parametrize(
    "name",
    [name for name in names([shipped_folder("themes")]) if name not in ("ansi", "no-colour")],
)
def test_the_boot_frame_has_the_colours_of_the_shipped_themes(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.toml").write_text(f'[display]\ntheme = "{name}" # mine\n')
    colours = load_theme(name, [shipped_folder("themes")]).colours
    assert ground_of(tmp_path) == colours["background"]
    drawn = frame(80, 24, {"AGENT_TUI_HOME": str(tmp_path), "COLORTERM": "truecolor"}).decode()
    for one in NAMES:
        triple = ";".join(str(int(colours[one][at : at + 2], 16)) for at in (1, 3, 5))
        assert f"8;2;{triple}m" in drawn or one in ("warning", "bad"), one


def test_the_boot_frame_wears_a_theme_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "themes").mkdir()
    (tmp_path / "config.toml").write_text('display.theme = "mine"\n')
    (tmp_path / "themes" / "mine.toml").write_text(
        'extends = "light"\n[colours]\nbackground = "#abcdef"\n'
    )
    assert ground_of(tmp_path) == "#abcdef"
    for broken in (
        "",
        'extends = "mine"',
        'extends = "../x"',
        "dark = false\n[colours]\nbackground = red",
    ):
        (tmp_path / "themes" / "mine.toml").write_text(broken)
        assert frame(80, 24, {"AGENT_TUI_HOME": str(tmp_path), "COLORTERM": "truecolor"})


def test_the_boot_frame_has_the_ground_that_is_known(tmp_path: Path) -> None:
    dark, light = (
        load_theme(name, [shipped_folder("themes")]).colours["background"]
        for name in ("dark", "light")
    )
    assert ground_of(tmp_path) == dark == ground_of(tmp_path, COLORFGBG="15;0")
    assert (
        ground_of(tmp_path, COLORFGBG="0;15")
        == ground_of(tmp_path, COLORFGBG="0;default;15")
        == light
    )
    assert ground_of(tmp_path, COLORFGBG="0;99") == ground_of(tmp_path, COLORFGBG="x") == dark
    (tmp_path / "config.toml").write_text('[display]\ntheme_light = "nord"\n')
    assert (
        ground_of(tmp_path, COLORFGBG="0;15")
        == load_theme("nord", [shipped_folder("themes")]).colours["background"]
    )
    who = {"TERM": "xterm", "TERM_PROGRAM": "there"}
    home = {"AGENT_TUI_HOME": str(tmp_path)}
    Path(ground_file(home)).write_text(remember("", identity(who), False))
    assert ground_of(tmp_path, **who) != dark == ground_of(tmp_path, TERM="xterm")


def test_the_first_frame_knows_all_modes() -> None:
    assert MODES == ops.MODES


def top_line(home: Path, words: str = "", width: int = 80, **environment: str) -> str:
    """What the first line of the boot frame says."""
    drawn = frame(width, 24, {"AGENT_TUI_HOME": str(home), **environment}, words.split()).decode()
    return re.sub(
        r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.partition("\x1b[1;1H")[2].partition("\x1b[21;1H")[0]
    )


@pytest.mark.parametrize(
    ("words", "config", "environment", "mode"),
    [
        ("", "", "", "auto"),
        ("--mode accept-all", "", "", "accept-all"),
        ("--mode=plan", "", "", "plan"),
        ("", 'mode = "accept-all" # mine', "", "accept-all"),
        ("", 'mode = "plan"', "manual", "manual"),
        ("--mode plan", 'mode = "manual"', "accept-all", "plan"),
        ("", "[x]\nmode = 'plan'", "", "auto"),
        ("", 'mode = "yolo"', "", "auto"),
        ("-c", 'mode = "plan"', "", ""),
        ("-r 0b0e", "", "accept-all", ""),
        ("-c --mode plan", "", "", "plan"),
        ("-- --mode plan", "", "", "auto"),
        ("fix --resume=x", "", "", ""),
    ],
)
def test_the_first_frame_says_the_mode_that_is_known(
    tmp_path: Path, words: str, config: str, environment: str, mode: str
) -> None:
    (tmp_path / "config.toml").write_text(config)
    line = top_line(tmp_path, words, AGENT_TUI_MODE=environment)
    assert len(line) == 80 and line.startswith("  starting …") and line.endswith("  ")
    assert line.removeprefix("  starting …").strip() == mode


def test_the_first_frame_names_the_model_that_was_given_where_there_is_room(tmp_path: Path) -> None:
    words = "-m ollama/qwen3:8b --mode accept-all"
    assert top_line(tmp_path, words).split() == [
        "starting",
        "…",
        "ollama/qwen3:8b",
        "accept-all",
    ]
    assert top_line(tmp_path, words, 30).split() == ["starting", "…", "accept-all"]
    for odd in ("-m \x1b[31m", "--model 模型"):
        assert top_line(tmp_path, odd).split() == ["starting", "…", "auto"]


@pytest.mark.parametrize(("words", "mode"), [("--mode accept-all", "accept-all"), ("", "auto")])
def test_no_frame_before_the_session_is_open_says_another_mode(
    tmp_path: Path, words: str, mode: str
) -> None:
    """Ollama's address is one where somebody listens and nobody answers: the start takes as long as
    is wanted."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment = {
            "PYTHONPATH": str(ROOT),
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
        }
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        more = {"OLLAMA_HOST": address, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        pty = Pty(["-m", "agent_tui", "-m", "ollama/x", *words.split()], {**environment, **more})
        pty.until("starting")
        assert mode in pty.text.splitlines()[0]
        pty.until("Ask for a change")
        first = pty.text.splitlines()[0]
        assert "starting … ollama/x" in first and first.rstrip().endswith(mode)
        said = "Runs all but the dangerous" if words else "edits and most commands."
        assert said in pty.text and ("Only a sandbox, if found" in pty.text) is bool(words)
        pty.signal(signal.SIGTERM)
        pty.wait()
        pty.close()
