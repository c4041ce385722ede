"""An ASCII twin for every glyph that the screen draws, for terminals that have no other characters.

Each twin is one cell wide, as its glyph is: a line keeps its width, whoever measured it.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # the boot frame needs this module, and `typing` costs as much as all else before it
)
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_GLYPHS: Final = "⚠❯▸▾·…↑↓→←↳│─╭╮╰╯┼├┤┬┴┌┐└┘▌•◦▪☐☑▣✓✗×∴⚙⋯≈━●−–—“”‘’«»µ⏎⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TWINS: Final = "!>>v|~^v><`|-+++++++++++++|*o-oxx+!x:*.~=*---\"\"''<>u;|/-\\|/-\\|/"
TWINS: Final[Mapping[int, str]] = {
    **dict(zip(map(ord, _GLYPHS), _TWINS, strict=True)),
    **dict.fromkeys(map(ord, "▁▂▃▄▅▆▇▉▊▋▍▎▏"), " "),
    **dict.fromkeys((*range(0x2400, 0x2422), 0xFFFD), "?"),
    **dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F), " "),
}
"""The last three: ends of the scrollbar, control characters made visible, spaces of all sorts."""
PLAIN: Final = frozenset(map(chr, range(0x20, 0x7F))) | frozenset(_GLYPHS)
"""Printable ASCII, and the glyphs of the screen: one cell each on every terminal. What is made of
these alone needs no closer look, and the patterns of that look take milliseconds to compile, before
the first frame."""
_LIMITED: Final = ("linux", "dumb")


def twin(text: str) -> str:
    """`text` with every glyph of the screen replaced; what else a person or a model wrote stays."""
    return text if text.isascii() else text.translate(TWINS)


def wants_ascii(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is one that cannot show more. Where no locale is named, UTF-8 is what it
    speaks."""
    return bool(reason(environment))


def reason(environment: Mapping[str, str]) -> str:
    """The variable that says so, with its value; empty if none does."""
    if environment.get("TERM") in _LIMITED:
        return f"TERM={environment['TERM']}"
    name = next((name for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    speaks = not name or "utf8" in environment[name].lower().replace("-", "")
    return "" if speaks else f"{name}={environment[name]}"
