"""A person's own keys: from `[keys]` of the config file to what the command table understands,
conflicts named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final, TypeVar

from agent_tui.tui import commands
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.core.model import OwnKeys
from agent_tui.tui.prompt.keys import SUBMIT

T = TypeVar("T")
_MODIFIERS: Final = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "alt": "alt",
    "option": "alt",
    "opt": "alt",
    "meta": "alt",
    "shift": "shift",
    "super": "super",
    "cmd": "super",
    "command": "super",
    "win": "super",
}
_NAMED: Final = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
} | {
    name: name
    for name in (
        "escape",
        "enter",
        "tab",
        "space",
        "backspace",
        "delete",
        "insert",
        "home",
        "end",
        "pageup",
        "pagedown",
        "up",
        "down",
        "left",
        "right",
        *(f"f{number}" for number in range(1, 25)),
    )
}
MARKS: Final = {
    "?": "question_mark",
    "/": "slash",
    "\\": "backslash",
    ".": "full_stop",
    ",": "comma",
    ";": "semicolon",
    ":": "colon",
    "'": "apostrophe",
    '"': "quotation_mark",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "{": "left_curly_bracket",
    "}": "right_curly_bracket",
    "-": "minus",
    "_": "underscore",
    "=": "equals_sign",
    "+": "plus",
    "*": "asterisk",
    "!": "exclamation_mark",
    "@": "at",
    "#": "number_sign",
    "$": "dollar_sign",
    "%": "percent_sign",
    "^": "circumflex_accent",
    "&": "ampersand",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    "<": "less_than_sign",
    ">": "greater_than_sign",
    "|": "vertical_line",
    "~": "tilde",
    "`": "grave_accent",
}
_SAME: Final = {
    "ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+h": "Backspace", "ctrl+left_square_bracket": "Esc",
    "ctrl+j": "a new line",
}  # fmt: skip
"""Keys that a terminal does not tell from others."""
_NEEDED: Final = frozenset(
    (
        "enter",
        "escape",
        "tab",
        "space",
        "backspace",
        "delete",
        "up",
        "down",
        "left",
        "right",
        "home",
        "end",
    )
)
"""Keys without which nothing can be typed, edited or chosen."""
SAFE: Final = "ctrl+s"
"""It sends too unless another command has it: every terminal can tell it, which not all do of the
others."""


def key_named(text: str) -> str:
    """Textual's name of the key that a person wrote as `text` (`Ctrl+F`, `alt-x`, `?`); empty: no
    key."""
    plain = text.strip()
    if len(plain) > 1 and plain[-1] in "+-" and plain[-2] in "+-":  # `ctrl++`
        plain = f"{plain[:-1]}{MARKS[plain[-1]]}"
    *before, last = plain.replace("-", "+").split("+") if len(plain) > 1 else [plain]
    modifiers = {_MODIFIERS.get(word.strip().lower(), "") for word in before}
    base = last.strip()
    if len(base) == 1:
        if base.isupper() and modifiers:
            base = base.lower()
        base = MARKS.get(base, base if base.isalnum() else _NAMED.get(base, ""))
    else:
        base = base.lower().replace(" ", "_")
        base = base if base in MARKS.values() else _NAMED.get(base, "")
    return "+".join((*sorted(modifiers), base)) if base and "" not in modifiers else ""


def resolve(wanted: Mapping[str, tuple[str, ...]]) -> tuple[OwnKeys, tuple[tuple[str, str], ...]]:
    """`wanted`: command to keys as they were written. What holds of it; a line (command, text) for
    what does not."""
    if not wanted:
        return (), ()  # nothing of one's own: the table is not asked, which would import all of it
    own: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    said: list[tuple[str, str]] = []
    for name, written in wanted.items():
        try:
            command = commands.find(name)
        except KeyError:
            close = get_close_matches(
                name, [one.name for one in commands.COMMANDS], n=1, cutoff=0.5
            )
            hint = f"; did you mean {close[0]}?" if close else "; F1 lists the commands"
            said.append((name, f"there is no such command{hint}"))
            continue
        good = []
        for text in written:
            key = key_named(text)
            wrong = _wrong(command, text, key) or (
                f"{key_name(key)} is already the key of {taken[key]}"
                if taken.get(key, name) != name
                else ""
            )
            if wrong:
                said.append((name, f"{wrong}: not used"))
            elif key not in good:
                good.append(key)
                taken[key] = name
        if good or not written:
            own[name] = tuple(good)
    if SAFE not in taken and "send" in own:
        own["send"] = (*own["send"], SAFE)
    said += _losers(own, taken, wanted)
    return tuple(own.items()), tuple(said)


def _wrong(command: Command, text: str, key: str) -> str:
    if not key:
        return f"{text!r} is not a key (write keys as ctrl+f, alt+x, shift+tab, f3, pgup)"
    if key in (*command.keys, *command.empty):
        return ""
    if key in _SAME:
        return f"terminals cannot tell {key_name(key)} from {_SAME[key]}"
    plain = key.removeprefix("shift+")
    if key in _NEEDED or is_typed(plain) or plain in MARKS.values():
        return f"{key_name(key)} is needed for typing"
    return ""


def _losers(
    own: dict[str, tuple[str, ...]], taken: Mapping[str, str], wanted: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Commands whose keys are now another's get what is left in `own`; a line for each that has
    none left."""
    for command in commands.COMMANDS:
        if command.name in own:
            continue
        keys = (*command.keys, *command.empty)
        left = tuple(key for key in keys if key not in taken)
        if left != keys:
            own[command.name] = left
            if not left and command.name not in wanted:
                yield (
                    taken[keys[0]],
                    f"{key_name(keys[0])} was the key of {command.name}, which has none now",
                )


def problems(
    wanted: Mapping[str, tuple[str, ...]], named: Callable[[str, str], T]
) -> tuple[T, ...]:
    """What does not hold of `wanted`, as `named` puts it (a key of the file, a text)."""
    return tuple(named(f"keys.{name}", text) for name, text in resolve(wanted)[1])


def is_typed(key: str) -> bool:
    """Whether `key` is a letter, a digit or the space bar: no command has one, and to know it
    nobody has to know the commands."""
    return len(key) == 1 or key == "space"


def grabbed_keys(own: OwnKeys) -> frozenset[str]:
    """Keys that the prompt hands to the core. It sends by itself, for a backslash before Enter
    makes a new line."""
    by_itself = frozenset(("enter",)) if "send" in dict(own) else SUBMIT
    return frozenset(
        key
        for key, name in commands.bindings(own).items()
        if name != "send" or key not in by_itself
    )
