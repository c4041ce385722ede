"""The clipboard of this machine, through whatever tool it has. The terminal is told apart from this
(OSC 52)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.programs import find_program, own_path
from agent_tui.protocol.answers import ClipboardSet
from agent_tui.protocol.events import Answered
from agent_tui.safety.process import processes
from agent_tui.safety.process.environment import CLIPBOARD, child_environment
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


def clipboard_tools(
    environment: Mapping[str, str], platform: str = sys.platform
) -> tuple[ClipboardTool, ...]:
    """The tools that fit this machine and are on its PATH (absolute folders of it only), best
    first."""
    fitting: list[tuple[tuple[str, ...], str]] = []
    if platform == "darwin":
        fitting.append((("pbcopy",), "utf-8"))
    if environment.get("WSL_DISTRO_NAME") or environment.get("WSL_INTEROP"):
        fitting.append(
            (("clip.exe",), "utf-16")
        )  # with a byte order mark: else it reads the console's code page
    if environment.get("WAYLAND_DISPLAY"):
        fitting.append((("wl-copy", "--type", "text/plain"), "utf-8"))
    if environment.get("DISPLAY"):
        fitting.append((("xclip", "-selection", "clipboard", "-in"), "utf-8"))
        fitting.append((("xsel", "--clipboard", "--input"), "utf-8"))
    path = environment.get("PATH", "")
    found = ((find_program(argv[0], path), argv, encoding) for argv, encoding in fitting)
    return tuple(
        ClipboardTool((program, *argv[1:]), encoding)
        for program, argv, encoding in found
        if program
    )


def own_programs(config: EngineConfig) -> dict[str, str]:
    """The variables by which the program finds tools of its own: none that the project brings."""
    return {**config.environment, "PATH": own_path(config.environment, config.cwd)}


async def set_clipboard(
    text: str, environment: Mapping[str, str], timeout: float = SECONDS
) -> Answered:
    """Try the tools one after the other; the answer says which one took the text, and what was
    wrong with others."""
    given = child_environment(environment, CLIPBOARD)
    tmux = await _tmux(text, given, timeout) if environment.get("TMUX") else None
    problems: list[str] = []
    for tool in clipboard_tools(environment):
        data = text.encode(tool.encoding, "replace")
        code, said = await processes.feed(tool.argv, data, Path("/"), given, timeout)
        if code == 0:
            return Answered("clipboard", ClipboardSet(tool.name, "", tmux))
        problems.append(
            f"{tool.name}: {said.splitlines()[-1] if said else f'exit code {code}'}"[:_PROBLEM]
        )
    return Answered("clipboard", ClipboardSet("", "; ".join(problems), tmux))


async def _tmux(text: str, environment: Mapping[str, str], timeout: float) -> bool:
    """Load tmux's buffer. By default it takes no copy from a program inside; `-w` also has it tell
    its terminal."""
    program = find_program("tmux", environment.get("PATH", ""))
    if program is None:
        return False
    data = text.encode("utf-8", "replace")
    for options in (("-w",), ()):  # older than 3.2 it knows no -w
        code, _ = await processes.feed(
            (program, "load-buffer", *options, "-"), data, Path("/"), environment, timeout
        )
        if code in (0, _TIMEOUT):
            return code == 0
    return False
