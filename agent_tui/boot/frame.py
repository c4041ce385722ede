"""The screen of the first milliseconds: a header, an empty prompt, a footer, as the first real
frame has them.

Standard library only, and little of it: it is drawn before anything slow is imported.
"""

from __future__ import annotations

import os

from agent_tui.regular_file import open_regular
from agent_tui.structures.ascii import twin, wants_ascii
from agent_tui.structures.terminal_facts import dark_hint, depth, identity, read_ground
from agent_tui.structures.vocabulary import MODES

TYPE_CHECKING = False  # importing these takes longer than drawing the frame
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

ENTER: Final = "\x1b[?1049h"
LEAST: Final = (30, 20)
"""Columns and rows from which the real frame has this form."""
NAMES: Final = ("background", "surface", "text", "muted", "border", "accent", "warning", "bad")
"""The colours of a theme that the frame has."""
GROUND: Final = "ground"
"""The file that remembers whether the ground of a terminal is dark."""
TYPED: Final = "typed"
"""The folder of what was typed at starts that came to nothing."""
_MOST: Final = 65_536
_DEEPEST: Final = 8


def frame(
    width: int, height: int, environment: Mapping[str, str], arguments: Sequence[str] = ()
) -> bytes:
    """All that is written at once, cursor in the prompt; empty where the screen is too small for
    it. The first line names the model and the mode, as far as the `arguments`, the environment and
    the person's file say them."""
    if width < LEAST[0] or height < LEAST[1]:
        return b""
    ground, surface, text, muted, border, accent, warning, bad = _colours(environment)
    inner = "─" * (width - 4)
    mode, model = begun_mode(arguments, environment), flag(arguments, "-m", "--model")
    tone = {"accept-all": bad, "accept-edits": warning, "plan": accent}.get(mode, text)[0]
    right = mode
    left = f"  starting … {model}".rstrip()
    if not model.isascii() or len(left) + len(right) + 4 > width:
        left = "  starting …"
    gap = " " * (width - len(left) - len(right) - 2)
    rows = {
        1: f"{ground[1]}{surface[1]}{muted[0]}{left}{gap}{tone}{right}  ",
        height - 3: f" {border[0]}╭{inner}╮",
        height - 2: f" {border[0]}│ {accent[0]}❯{' ' * (width - 6)}{border[0]}│",
        height - 1: f" {border[0]}╰{inner}╯",
        height: f"  {accent[0]}Ctrl+C{muted[0]} quit",
    }
    drawn = "".join(f"\x1b[{row};1H\x1b[0m{ground[1]}{line}" for row, line in rows.items())
    if wants_ascii(as_given(environment)):
        drawn = twin(drawn)
    return f"{ENTER}\x1b[?7l{ground[1]}\x1b[2J{drawn}\x1b[0m{ground[1]}{text[0]}\x1b[{height - 2};6H".encode()


def begun_mode(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """The mode that the session begins in; empty where it is not known yet, because one that is
    resumed has its own."""
    mode = flag(arguments, "", "--mode")
    if not mode and any(_resumes(word) for word in arguments):
        return ""
    mode = mode or environment.get("AGENT_TUI_MODE") or _top(_config(environment)).get("mode", "")
    return mode if mode in MODES else "auto"


def _resumes(word: str) -> bool:
    """Whether the flag asks for a session from before."""
    if word.startswith("--"):
        return len(word) > 3 and (
            "--continue".startswith(word) or "--resume".startswith(word.partition("=")[0])
        )
    return word[:2] in ("-c", "-r")


def flag(arguments: Sequence[str], short: str, long: str) -> str:
    """The value of a flag as the command line has it; empty: it has none that can be shown."""
    found = ""
    for number, word in enumerate(arguments):
        if word == "--":
            break
        if word in (short, long) and number + 1 < len(arguments):
            found = arguments[number + 1]
        elif word.startswith(f"{long}="):
            found = word.partition("=")[2]
    return found if found.isprintable() else ""


def as_given(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment without the LC_CTYPE that Python sets itself where `LANG=C` is all there is
    (PEP 538)."""
    forced = environment.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8") and not environment.get(
        "LC_ALL"
    )
    if not forced or environment.get("LANG") not in ("C", "POSIX"):
        return environment
    given = (line.partition("=") for line in _text("/proc/self/environ").split("\0"))
    if any(name == "LC_CTYPE" and value for name, _, value in given):
        return environment  # the person's own
    return {name: value for name, value in environment.items() if name != "LC_CTYPE"}


def known_dark(environment: Mapping[str, str]) -> bool:
    """Whether the ground of the terminal is dark: as it told the last time, else by COLORFGBG, else
    yes."""
    told = read_ground(_text(ground_file(environment)), identity(environment))
    hint = dark_hint(environment) if told is None else told
    return hint is not False


def ground_file(environment: Mapping[str, str]) -> str:
    return os.path.join(_state(environment), GROUND)  # noqa: PTH118


def typed_folder(environment: Mapping[str, str]) -> str:
    """Where it is kept what was typed at a start that came to nothing."""
    return os.path.join(_state(environment), TYPED)  # noqa: PTH118


def _state(environment: Mapping[str, str]) -> str:
    state = environment.get("AGENT_TUI_HOME")
    if not state:
        state = os.path.join(environment.get("XDG_STATE_HOME") or "~/.local/state", "agent-tui")  # noqa: PTH118
    return os.path.expanduser(state)  # noqa: PTH111


def _colours(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each colour as the sequences for letters and for the background; none where the terminal's
    own are better."""
    hexes = (
        {}
        if environment.get("NO_COLOR") or depth(environment) != "truecolour"
        else _theme(environment)
    )
    if not set(NAMES) <= set(hexes):
        return [("", "")] * len(NAMES)
    triples = [
        ";".join(str(int(hexes[name][at : at + 2], 16)) for at in (0, 2, 4)) for name in NAMES
    ]
    return [(f"\x1b[38;2;{triple}m", f"\x1b[48;2;{triple}m") for triple in triples]


def _theme(environment: Mapping[str, str]) -> dict[str, str]:
    """The colours of the theme that the person's file names. The files are read line by line, not
    as what they are."""
    config = _config(environment)
    file = os.path.join(config, "config.toml")  # noqa: PTH118
    said = {key.rpartition(".")[2]: value for key, value in _lines(file)}
    name = said.get("theme") or "auto"
    if name == "auto":
        name = (
            said.get("theme_dark") or "dark"
            if known_dark(environment)
            else said.get("theme_light") or "light"
        )
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    folders = [os.path.join(package, "_shipped"), os.path.dirname(package), config]  # noqa: PTH118, PTH120
    colours: dict[str, str] = {}
    for _ in range(_DEEPEST):
        if "/" in name:
            return {}
        paths = (os.path.join(folder, "themes", f"{name}.toml") for folder in folders)  # noqa: PTH118
        found = dict(
            reversed(next((lines for path in paths if (lines := _lines(path))), []))
        )  # colours come first
        if any(not _is_colour(found.get(key, "#000000")) for key in NAMES):
            return {}  # the terminal's own colours
        colours = {key: value[1:] for key, value in found.items() if _is_colour(value)} | colours
        if set(NAMES) <= set(colours) or not found or name == "dark":
            break
        name = found.get("extends") or (
            "light" if found.get("dark") == "false" and name != "light" else "dark"
        )
    return colours


def _config(environment: Mapping[str, str]) -> str:
    """The folder of the person's `config.toml`."""
    home = environment.get("AGENT_TUI_HOME")
    config = home or os.path.join(environment.get("XDG_CONFIG_HOME") or "~/.config", "agent-tui")  # noqa: PTH118
    return os.path.expanduser(config)  # noqa: PTH111


def _top(config: str) -> dict[str, str]:
    """What stands in the file above its first table."""
    found: dict[str, str] = {}
    for line in _text(os.path.join(config, "config.toml")).splitlines():  # noqa: PTH118
        if line.lstrip().startswith("["):
            break
        found |= _pairs([line])
    return found


def _is_colour(value: str) -> bool:
    return (
        len(value) == 7
        and value[0] == "#"
        and all(digit in "0123456789abcdefABCDEF" for digit in value[1:])
    )


def _lines(path: str) -> list[tuple[str, str]]:
    """Keys and values of a TOML file, as far as they stand on one line."""
    return _pairs(_text(path).splitlines())


def _pairs(lines: Sequence[str]) -> list[tuple[str, str]]:
    parts = (line.partition("=") for line in lines)
    found = []
    for key, _, value in parts:
        value = value.strip()
        quote = value[:1] if value[:1] in ('"', "'") else ""
        found.append(
            (
                key.strip(),
                value[1:].partition(quote)[0] if quote else value.partition("#")[0].strip(),
            )
        )
    return [(key, value) for key, value in found if key and value]


def _text(path: str) -> str:
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""  # no file, or one that the settings will complain of
