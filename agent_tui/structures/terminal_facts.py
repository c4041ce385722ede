"""What can be known of a terminal without asking it: from the environment that it set. Standard
library only."""

from __future__ import annotations

TYPE_CHECKING = False  # importing these takes longer than drawing the boot frame
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    Depth = Literal["truecolour", "256", "16", "none"]
    """How many colours the terminal shows."""
    Notifier = Literal["", "osc9", "osc99", "osc777"]
    """The sequence with which it is asked for a desktop notification; empty: none that is known."""

_NONE: Final = (
    "dumb",
    "unknown",
    "vt52",
    "vt100",
    "vt102",
    "vt220",
    "vt320",
    "ansi-mono",
    "linux-m",
    "cons25-m",
)
_FULL: Final = (
    "-direct",
    "-truecolor",
    "kitty",
    "ghostty",
    "alacritty",
    "foot",
    "wezterm",
    "contour",
)
_MOST: Final = 8


def drawable(environment: Mapping[str, str]) -> bool:
    """Whether a screen can be drawn on it at all: one that says it can do nothing shows every
    sequence as letters."""
    return environment.get("TERM", "").lower() not in ("dumb", "unknown")


def depth(environment: Mapping[str, str]) -> Depth:
    """COLORTERM is believed before TERM: over ssh and in multiplexers it is what is left of the
    outer terminal."""
    term = environment.get("TERM", "").lower()
    if term in _NONE or term.endswith("-m"):
        return "none"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or any(
        name in term for name in _FULL
    ):
        return "truecolour"
    return "256" if "256" in term or environment.get("COLORTERM") else "16"


def dark_hint(environment: Mapping[str, str]) -> bool | None:
    """What COLORFGBG says: `15;0` is light letters on a dark ground. None: nothing that can be
    used."""
    last = environment.get("COLORFGBG", "").rpartition(";")[2]
    return (
        (int(last) not in (7, *range(9, 16)))
        if last.isascii() and last.isdecimal() and int(last) < 16
        else None
    )


def identity(environment: Mapping[str, str]) -> str:
    """Which terminal this is, as far as its ground may be remembered for it; one word."""
    names = (
        environment.get(name, "") for name in ("TERM_PROGRAM", "LC_TERMINAL", "TERM", "COLORFGBG")
    )
    return "/".join("".join(c for c in name if c.isalnum() or c in "-._;")[:40] for name in names)


def answers(environment: Mapping[str, str]) -> bool:
    """Whether it can be asked things: an old console shows a question that it does not know as
    letters."""
    term = environment.get("TERM", "")
    return depth(environment) != "none" and not term.startswith(("linux", "cons25", "sun", "wsvt"))


def notifier(environment: Mapping[str, str]) -> Notifier:
    """Variables of the outer terminal stay in tmux, where TERM and TERM_PROGRAM are tmux's own."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "").lower()
    if environment.get("KITTY_WINDOW_ID") or "kitty" in term:
        return "osc99"
    if (
        program in ("ghostty", "wezterm")
        or environment.get("GHOSTTY_RESOURCES_DIR")
        or environment.get("WEZTERM_PANE")
    ):
        return "osc777"
    if term.startswith(("foot", "rxvt-unicode")) or environment.get("VTE_VERSION"):
        return "osc777"
    iterm = program == "iterm.app" or environment.get("LC_TERMINAL") == "iTerm2"
    return "osc9" if iterm or program in ("warpterminal", "rio") else ""


def line_links(environment: Mapping[str, str]) -> bool:
    """Whether the address of a file may say a line (`file:///a/b.py#12`): others would look for a
    file of that name."""
    kitty = environment.get("KITTY_WINDOW_ID") or "kitty" in environment.get("TERM", "")
    return bool(kitty) or environment.get("TERM_PROGRAM") == "vscode"


def past_tmux(said: str) -> str:
    """What makes tmux hand on `said` (where it allows that)."""
    escaped = said.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{escaped}\x1b\\"


def pass_through(said: str, environment: Mapping[str, str]) -> str:
    """`said` for the outer terminal: tmux (where it allows that) and GNU screen hand it on."""
    if environment.get("TMUX"):
        return past_tmux(said)
    if environment.get("STY"):
        return f"\x1bP{said}\x1b\\" if "\x1b\\" not in said and len(said) < 700 else ""
    return said


def read_ground(text: str, identity: str) -> bool | None:
    """Whether the ground of the terminal was dark, by what `remember` kept."""
    for line in text.splitlines():
        name, _, ground = line.partition(" ")
        if name == identity:
            return {"dark": True, "light": False}.get(ground)
    return None


def remember(text: str, identity: str, dark: bool) -> str:
    """`text` with what is known of one terminal more; the newest first, few of them."""
    others = [line for line in text.splitlines() if line.partition(" ")[0] != identity][: _MOST - 1]
    return "\n".join((f"{identity} {'dark' if dark else 'light'}", *others, ""))
