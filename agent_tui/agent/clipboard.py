"""The clipboard of this machine, through whatever tool it has. The terminal is told apart from this (OSC 52)."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agent_tui.protocol.events import Answered
from agent_tui.safety import sandbox
from agent_tui.structures.frozen import frozen

SECONDS: Final = 2.0
"""What one tool may take."""
_PROBLEM: Final = 200
_TIMEOUT: Final = 124


@frozen
class ClipboardTool:
    """A program that takes text on its stdin; `encoding` is the one that it expects."""

    argv: tuple[str, ...]
    encoding: str = "utf-8"

    @property
    def name(self) -> str:
        return Path(self.argv[0]).name


def clipboard_tools(environment: Mapping[str, str], platform: str = sys.platform) -> tuple[ClipboardTool, ...]:
    """The tools that fit this machine and are on its PATH (absolute folders of it only), best first."""
    fitting: list[tuple[tuple[str, ...], str]] = []
    if platform == "darwin":
        fitting.append((("pbcopy",), "utf-8"))
    if environment.get("WSL_DISTRO_NAME") or environment.get("WSL_INTEROP"):
        fitting.append((("clip.exe",), "utf-16"))  # with a byte order mark: else it reads the console's code page
    if environment.get("WAYLAND_DISPLAY"):
        fitting.append((("wl-copy", "--type", "text/plain"), "utf-8"))
    if environment.get("DISPLAY"):
        fitting.append((("xclip", "-selection", "clipboard", "-in"), "utf-8"))
        fitting.append((("xsel", "--clipboard", "--input"), "utf-8"))
    path = _path(environment)
    found = ((shutil.which(argv[0], path=path), argv, encoding) for argv, encoding in fitting)
    return tuple(ClipboardTool((program, *argv[1:]), encoding) for program, argv, encoding in found if program)


async def set_clipboard(text: str, environment: Mapping[str, str], timeout: float = SECONDS) -> Answered:
    """Try the tools one after the other; the answer says which one took the text, and what was wrong with the others.

    `data`: {tool, problem}; both are empty on a machine without a tool. Inside of tmux also {tmux}: whether tmux has
    the text in its own buffer.
    """
    held: dict[str, bool] = {}
    if environment.get("TMUX"):
        held["tmux"] = await _tmux(text, environment, timeout)
    problems: list[str] = []
    for tool in clipboard_tools(environment):
        data = text.encode(tool.encoding, "replace")
        code, said = await sandbox.feed(tool.argv, data, Path("/"), environment, timeout)
        if code == 0:
            return _told(tool.name, "", held)
        problems.append(f"{tool.name}: {said.splitlines()[-1] if said else f'exit code {code}'}"[:_PROBLEM])
    return _told("", "; ".join(problems), held)


async def _tmux(text: str, environment: Mapping[str, str], timeout: float) -> bool:
    """Load tmux's buffer. By default it takes no copy from a program inside; `-w` also has it tell its terminal."""
    program = shutil.which("tmux", path=_path(environment))
    if program is None:
        return False
    data = text.encode("utf-8", "replace")
    for options in (("-w",), ()):  # older than 3.2 it knows no -w
        code, _ = await sandbox.feed((program, "load-buffer", *options, "-"), data, Path("/"), environment, timeout)
        if code in (0, _TIMEOUT):
            return code == 0
    return False


def _path(environment: Mapping[str, str]) -> str:
    """The absolute folders of PATH; without any a name that is none, for an empty PATH means another to `which`."""
    found = os.pathsep.join(p for p in environment.get("PATH", "").split(os.pathsep) if Path(p).is_absolute())
    return found or os.devnull


def _told(tool: str, problem: str, held: Mapping[str, bool]) -> Answered:
    return Answered(id="clipboard", kind="clipboard", data={"tool": tool, "problem": problem, **held})
