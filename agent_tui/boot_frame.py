"""The screen of the first milliseconds: a header, an empty prompt, a footer, as the first real frame has them.

Standard library only, and little of it: it is drawn before anything slow is imported.
"""

from __future__ import annotations

import os.path

from agent_tui.structures.ascii import twin, wanted

TYPE_CHECKING = False  # importing these takes longer than drawing the frame
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

ENTER: Final = "\x1b[?1049h"
LEAST: Final = (30, 20)
"""Columns and rows from which the real frame has this form."""
COLOURS: Final = {
    "dark": ("16181d", "1c1f26", "d5d9e0", "969daa", "343a46", "7fb4ca"),
    "light": ("fbfaf7", "f4f2ed", "2b2f36", "5d636e", "d3cfc6", "1f6584"),
}
"""Background, surface, text, muted, border, accent of the shipped themes."""
_MOST: Final = 65_536


def frame(width: int, height: int, environment: Mapping[str, str]) -> bytes:
    """All that is written at once, cursor in the prompt; empty where the screen is too small for it."""
    if width < LEAST[0] or height < LEAST[1]:
        return b""
    ground, surface, text, muted, border, accent = _colours(environment)
    inner = "─" * (width - 4)
    rows = {
        1: f"{ground[1]}{surface[1]}{muted[0]}{'  starting …':<{width}}",
        height - 3: f" {border[0]}╭{inner}╮",
        height - 2: f" {border[0]}│ {accent[0]}❯{' ' * (width - 6)}{border[0]}│",
        height - 1: f" {border[0]}╰{inner}╯",
        height: f"  {accent[0]}Ctrl+C{muted[0]} quit",
    }
    drawn = "".join(f"\x1b[{row};1H\x1b[0m{ground[1]}{line}" for row, line in rows.items())
    if wanted(environment):
        drawn = twin(drawn)
    return f"{ENTER}\x1b[?7l{ground[1]}\x1b[2J{drawn}\x1b[0m{ground[1]}{text[0]}\x1b[{height - 2};6H".encode()


def _colours(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each colour as the sequences for letters and for the background; none where the terminal's own are better."""
    hexes = COLOURS.get("no-colour" if environment.get("NO_COLOR") else _theme(environment))
    if hexes is None or environment.get("COLORTERM") not in ("truecolor", "24bit"):
        return [("", "")] * 6
    triples = [";".join(str(int(one[at : at + 2], 16)) for at in (0, 2, 4)) for one in hexes]
    return [(f"\x1b[38;2;{triple}m", f"\x1b[48;2;{triple}m") for triple in triples]


def _theme(environment: Mapping[str, str]) -> str:
    """The theme that the person's file names, found without reading the file as what it is."""
    home = environment.get("AGENT_TUI_HOME")
    config = home or os.path.join(environment.get("XDG_CONFIG_HOME") or "~/.config", "agent-tui")  # noqa: PTH118
    try:
        with open(os.path.join(os.path.expanduser(config), "config.toml"), "rb") as file:  # noqa: PTH111, PTH118, PTH123
            lines = file.read(_MOST).decode("utf-8", "replace").splitlines()
    except OSError:
        return "dark"  # no file, or one that the settings will complain of
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() in ("theme", "display.theme"):
            return value.split("#")[0].strip().strip("\"'") or "dark"
    return "dark"
