"""The clipboard of the machine: fake tools on PATH that work, fail and hang, and which one is
chosen where."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from agent_tui.agent.services.clipboard import clipboard_tools, set_clipboard
from agent_tui.protocol.answers import ClipboardSet
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import SetClipboard
from agent_tui.safety.process import processes
from tests.agent.driving import Place

WORKS = 'cat > "$HOME/$(basename "$0").got"; echo "$@" > "$HOME/$(basename "$0").args"'
FAILS = 'cat > /dev/null; echo "Error: Can\'t open display: :9" >&2; exit 1'
HANGS = 'echo $$ > "$HOME/$(basename "$0").pid"; sleep 300 & exec sleep 300'
SERVES = 'cat > "$HOME/$(basename "$0").got"; (sleep 30; true) & echo $! > "$HOME/served"; exit 0'


def machine(root: Path, **tools: str) -> dict[str, str]:
    """An environment whose PATH has the given tools in front (name with `_` for `-`)."""
    folder = root / "bin"
    folder.mkdir(exist_ok=True)
    for name, script in tools.items():
        file = folder / name.replace("_", "-")
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(root)}


def copy(text: str, environment: dict[str, str], timeout: float = 20.0) -> ClipboardSet:
    answer = asyncio.run(set_clipboard(text, environment, timeout))
    assert (answer.kind, answer.settled) == ("clipboard", False)
    assert isinstance(answer.data, ClipboardSet)
    return answer.data


def is_dead(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def gone(pid: int) -> bool:
    """Whether it ends: the kernel carries out a KILL when the process gets its turn."""
    deadline = time.monotonic() + 10
    while not is_dead(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_dead(pid)


def test_the_text_reaches_the_tool_as_it_is(tmp_path: Path) -> None:
    environment = machine(tmp_path, xclip=WORKS) | {"DISPLAY": ":0"}
    text = "grüße\n\tif x:  # 漢字\n" + "x" * 300_000
    assert copy(text, environment) == ClipboardSet("xclip", "")
    assert (tmp_path / "xclip.got").read_text() == text
    assert (tmp_path / "xclip.args").read_text() == "-selection clipboard -in\n"


def test_a_tool_that_fails_is_named_and_the_next_one_is_tried(tmp_path: Path) -> None:
    environment = machine(tmp_path, wl_copy=FAILS, xclip=WORKS) | {
        "DISPLAY": ":9",
        "WAYLAND_DISPLAY": "w",
    }
    assert copy("text", environment).tool == "xclip"
    del environment["DISPLAY"]
    assert copy("text", environment) == ClipboardSet("", "wl-copy: Error: Can't open display: :9")


def test_inside_of_tmux_its_buffer_gets_the_text_too(tmp_path: Path) -> None:
    environment = machine(tmp_path, tmux=WORKS, xclip=WORKS) | {"TMUX": "/tmp/t,1,0"}
    assert copy("grüße\n", environment) == ClipboardSet("", "", True)
    assert (tmp_path / "tmux.got").read_text() == "grüße\n"
    assert (tmp_path / "tmux.args").read_text() == "load-buffer -w -\n"
    assert copy("x", environment | {"DISPLAY": ":0"}) == ClipboardSet("xclip", "", True)


def test_an_older_tmux_is_asked_as_it_understands(tmp_path: Path) -> None:
    older = f'[ "$2" = -w ] && exit 1; {WORKS}'
    assert copy("x", machine(tmp_path, tmux=older) | {"TMUX": "/tmp/t,1,0"}).tmux is True
    assert (tmp_path / "tmux.args").read_text() == "load-buffer -\n"


def test_a_tmux_that_fails_or_is_not_there_does_not_have_the_text(tmp_path: Path) -> None:
    inside = {"TMUX": "/tmp/t,1,0"}
    assert copy("x", machine(tmp_path, tmux=FAILS) | inside) == ClipboardSet("", "", False)
    (tmp_path / "empty").mkdir()
    assert copy("x", {**inside, "PATH": str(tmp_path / "empty")}) == ClipboardSet("", "", False)
    assert copy("x", inside) == ClipboardSet("", "", False)


def test_a_tool_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    environment = machine(tmp_path, wl_copy=HANGS) | {"WAYLAND_DISPLAY": "w"}
    assert copy("x" * 1_000_000, environment, 0.5) == ClipboardSet(
        "", "wl-copy: did not end within 0.5 s"
    )
    assert gone(int((tmp_path / "wl-copy.pid").read_text()))


def test_a_tool_that_serves_from_the_background_is_left_alone(tmp_path: Path) -> None:
    async def both() -> Answered:
        answer = await set_clipboard("text", machine(tmp_path, xsel=SERVES) | {"DISPLAY": ":0"}, 20)
        await processes.settle(1.0)
        return answer

    assert asyncio.run(both()).data.tool == "xsel"
    serving = int((tmp_path / "served").read_text())
    assert not gone(serving)
    os.kill(serving, 9)


def test_windows_gets_the_encoding_that_it_reads(tmp_path: Path) -> None:
    environment = machine(tmp_path, **{"clip.exe": WORKS}) | {"WSL_DISTRO_NAME": "Debian"}
    assert copy("grüße", environment).tool == "clip.exe"
    assert (tmp_path / "clip.exe.got").read_bytes() == b"\xff\xfe" + "grüße".encode("utf-16-le")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, []),
        ("linux", {"DISPLAY": ":0"}, ["xclip", "xsel"]),
        ("linux", {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, ["wl-copy", "xclip", "xsel"]),
        ("linux", {"WSL_INTEROP": "/run/x", "DISPLAY": ":0"}, ["clip.exe", "xclip", "xsel"]),
        ("darwin", {}, ["pbcopy"]),
    ],
)
def test_what_fits_the_machine(
    tmp_path: Path, platform: str, variables: dict[str, str], expected: list[str]
) -> None:
    all_tools = {
        "wl_copy": WORKS,
        "xclip": WORKS,
        "xsel": WORKS,
        "pbcopy": WORKS,
        "clip.exe": WORKS,
    }
    environment = {**machine(tmp_path, **all_tools), "PATH": str(tmp_path / "bin")} | variables
    assert [tool.name for tool in clipboard_tools(environment, platform)] == expected


def test_no_tool_is_taken_from_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = machine(tmp_path, xclip=WORKS) | {"DISPLAY": ":0"}
    monkeypatch.chdir(tmp_path / "bin")
    for path in (".", "", "../bin", "~/bin"):
        assert clipboard_tools({**environment, "PATH": path}, "linux") == ()


def test_a_tool_that_the_project_brings_is_not_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    environment = machine(place.cwd, xclip=WORKS, xsel=WORKS) | {
        "DISPLAY": ":99",
        "HOME": str(tmp_path),
    }
    with place.engine(place.script([{"text": "hello"}]), environment=environment) as driver:
        driver.send(SetClipboard("one"))
        driver.until(Answered, lambda answer: answer.kind == "clipboard")
    assert not list(tmp_path.glob("*.got"))


def test_the_engine_answers_and_goes_on_while_a_tool_hangs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    environment = machine(tmp_path, xclip=HANGS) | {"DISPLAY": ":0", "HOME": str(tmp_path)}
    with place.engine(place.script([{"text": "hello"}]), environment=environment) as driver:
        driver.send(SetClipboard("one"))
        deadline = time.monotonic() + 10
        pid = tmp_path / "xclip.pid"
        while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
            time.sleep(0.01)
        hung = int(pid.read_text())
        assert driver.turn("go").state == "completed"
        (tmp_path / "bin" / "xclip").write_text(f"#!/bin/sh\n{WORKS}\n")
        driver.send(SetClipboard("two"))
        answer = driver.until(Answered, lambda event: event.kind == "clipboard")
        assert answer.data == ClipboardSet("xclip")
        assert (tmp_path / "xclip.got").read_text() == "two"
        assert gone(hung)
