"""Themes: one TOML file each, found by name: how every name in `STYLES` looks, and the colours of
the screen.

What a file leaves out is as in the theme that it extends (`dark`, or `light` where it is one, if it
names none); what it gets wrong is as there too, and a line in `problems`, never an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from colorsys import rgb_to_hsv
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.style import Style
from textual.theme import Theme as TextualTheme

from agent_tui.paths import stems
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import STYLES

if TYPE_CHECKING:
    from agent_tui.structures.terminal_facts import Depth


RGB = tuple[int, int, int]
_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GREY: Final = (
    "background",
    "surface",
    "panel",
    "prompt",
    "code",
    "border",
    "muted",
    "faint",
    "text",
)
_COLOURS: Final = (
    "accent",
    "good",
    "warning",
    "bad",
    "keyword",
    "string",
    "number",
    "name",
    "type",
)
_WORDS: Final = {
    True: {"added-word": "#005f87", "removed-word": "#870000"},
    False: {"added-word": "#afd7d7", "removed-word": "#ffaf87"},
}
"""There is nothing between these and the ground: what is nearest would be the ground itself. That
is too much for whole lines; those have a grey ground, and a sign that has a colour."""
_RAISED: Final = ("surface", "code", "prompt", "panel", "border")
"""From the nearest to the ground to the farthest: each stays apart from it."""
_SIGNS: Final = ("accent", "good", "bad")
"""Letters that stand on no changed line but as its sign."""
_LETTERS: Final = {"muted": 4.5, "comment": 4.5, "faint": 3.0} | dict.fromkeys(_COLOURS, 4.5)
"""The least contrast on a sheet, and on a changed line: what is nearest to a colour may be too near
to the ground."""
_COLOURED: Final = 24
"""A difference of the channels from which a ground counts as coloured."""
_HUE: Final = 1_500_000
"""How much the hue of what is bad weighs: a red that has to be darker is no brown, which warns."""


def reduce_colours(colours: Mapping[str, str], dark: bool) -> dict[str, str]:
    """Each colour as the nearest of the 240; grounds among the greys, where those have more
    steps."""
    ground = colours["background"]
    found = dict(colours) | {
        name: _nearest(value, name)
        for name, value in colours.items()
        if value.startswith("#") and name not in _LETTERS
    }
    if ground.startswith("#"):
        if (
            _spread(_channels(ground)) >= _COLOURED and not dark
        ):  # cream is there, and no tint of it
            found["background"] = found["surface"] = found["code"] = _nearest(ground, "")
        step = 1 if dark else -1
        found |= _WORDS[dark] | dict.fromkeys(
            ("added", "removed"), _grey_step(found["background"], 2 if dark else -1)
        )
        for at, name in enumerate(_RAISED):
            if found[name] == found["background"] and at:
                found[name] = _grey_step(found["background"], step * (1 if at < 3 else at - 1))
        if found["selection"] == found["panel"]:
            found["selection"] = _grey_step(found["panel"], step * 2)
    for name, least in _LETTERS.items():
        under = (
            found[one] for one in ("background", "panel", "added")[: 2 if name in _SIGNS else 3]
        )
        if colours[name].startswith("#"):
            grounds = tuple(_channels(one) for one in under if one.startswith("#"))
            found[name] = _nearest(colours[name], name, grounds, least)
    return {
        name: _for_rich(value) if value.startswith("#") else value for name, value in found.items()
    }


def _for_rich(colour: str) -> str:
    """What Rich shows as `colour`, one of the 240: for a light grey it would show the one below."""
    grey, *others = _channels(colour)
    if {grey} != set(others) or grey in (0, 255):
        return colour
    return "#" + f"{round((grey + 2) * 1.02):02x}" * 3


def _grey_step(colour: str, steps: int) -> str:
    """The grey so many steps above (or below) `colour`."""
    red, green, blue = _channels(colour)
    at = round(((red + green + blue) / 3 - 8) / 10) + steps
    value = 8 + 10 * max(0, min(23, at))
    return f"#{value:02x}{value:02x}{value:02x}"


@cache
def _nearest(colour: str, name: str, grounds: tuple[RGB, ...] = (), least: float = 0.0) -> str:
    """Greys alone for a ground; for a colour that says something, none. `least`: the contrast with
    each of `grounds`, if any has that."""
    wanted = _channels(colour)
    coloured = name in _COLOURS and _spread(wanted) >= _COLOURED
    choices = _GREYS if name in _GREY else _CUBE if coloured else (*_GREYS, *_CUBE)
    red = coloured and name == "bad"
    near = sorted(
        choices,
        key=lambda one: _distance(wanted, one) + (_HUE * _turn(wanted, one) ** 2 if red else 0),
    )
    clear = (one for one in near if all(_contrast(one, ground) >= least for ground in grounds))
    return "#{:02x}{:02x}{:02x}".format(*next(clear, near[0]))


def _contrast(one: RGB, two: RGB) -> float:
    """As WCAG 2 has it, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(two)))
    return (high + 0.05) / (low + 0.05)


def _luminance(channels: RGB) -> float:
    shares = (channel / 255 for channel in channels)
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> RGB:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _spread(channels: RGB) -> int:
    return max(channels) - min(channels)


def _distance(one: RGB, two: RGB) -> float:
    """How different two colours look, roughly: red weighs more where there is much of it."""
    mean = (one[0] + two[0]) / 2
    red, green, blue = one[0] - two[0], one[1] - two[1], one[2] - two[2]
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue


def _turn(one: RGB, two: RGB) -> float:
    """How far apart their hues are, as a part of the circle: at most a half."""
    apart = abs(_hue(one) - _hue(two))
    return min(apart, 1 - apart)


def _hue(channels: RGB) -> float:
    return rgb_to_hsv(*(channel / 255 for channel in channels))[0]


_CUBE: Final = tuple(
    (r, g, b) for r in _LEVELS for g in _LEVELS for b in _LEVELS if not r == g == b
)
_GREYS: Final = (*((8 + 10 * n,) * 3 for n in range(24)), (255, 255, 255), (0, 0, 0))


DEFAULT: Final = "dark"
_NAMED: Final = 6
"""So many missing colours are named; more are counted."""
COLOURS: Final = (
    "background",
    "surface",
    "panel",
    "text",
    "muted",
    "faint",
    "border",
    "accent",
    "good",
    "warning",
    "bad",
    "selection",
    "prompt",
    "code",
    "added",
    "added-word",
    "removed",
    "removed-word",
    "keyword",
    "string",
    "number",
    "name",
    "type",
    "comment",
)
_ATTRIBUTES: Final = {"bold", "dim", "italic", "underline", "strike", "reverse"}
_ANSI_NAMES: Final = frozenset(
    f"{bright}{name}"
    for bright in ("", "bright_")
    for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
) | {"default"}
_HEX: Final = late.pattern(r"#[0-9a-fA-F]{6}")


@frozen
class Theme:
    """`colours`: every name of `COLOURS`, as `#rrggbb` or `ansi_…`. `specs`: every name of
    `STYLES`, in words."""

    name: str
    dark: bool
    ansi: bool
    colours: Mapping[str, str]
    specs: Mapping[str, str]
    problems: tuple[str, ...] = ()
    _styles: dict[str, Style] = field(default_factory=dict, repr=False, compare=False)

    def style(self, names: str) -> Style:
        """The look of one style name, or of several by spaces, the later over the earlier."""
        known = self._styles.get(names)
        if known is None:
            known = Style()
            for name in names.split():
                known += self._parsed(self.specs.get(name, ""))
            self._styles[names] = known
        return known

    def textual(self) -> TextualTheme:
        """The same theme for Textual's own widgets. Every colour is also a variable:
        `$tui-muted`."""
        colours = self.colours
        variables = {f"tui-{name}": value for name, value in colours.items()}
        variables["tui-placeholder-style"] = (
            "dim" if self.ansi else "none"
        )  # there, no colour sets it apart
        variables |= {
            "scrollbar": colours["border"],
            "scrollbar-hover": colours["faint"],
            "scrollbar-active": colours["accent"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
            "border": colours["border"],
            "border-blurred": colours["border"],
            "screen-selection-background": colours["selection"],
            "input-selection-background": colours["selection"],
        }
        if (
            self.ansi
        ):  # Textual's own style sheets want these of such a theme; reverse shows on any background
            variables |= {
                "ansi-background": "ansi_default",
                "ansi-foreground": "ansi_default",
                "input-cursor-background": "ansi_default",
                "input-cursor-foreground": "ansi_default",
                "input-cursor-text-style": "reverse",
                "input-selection-foreground": "ansi_default",
                "screen-selection-foreground": "ansi_default",
            }
        return TextualTheme(
            name=f"agent-tui-{self.name}",
            dark=self.dark,
            ansi=self.ansi,
            primary=colours["accent"],
            secondary=colours["muted"],
            accent=colours["accent"],
            foreground=colours["text"],
            background=colours["background"],
            surface=colours["surface"],
            panel=colours["panel"],
            boost=colours["panel"],
            success=colours["good"],
            warning=colours["warning"],
            error=colours["bad"],
            variables=variables,
        )

    @property
    def problem(self) -> str:
        """What is wrong with it, on one line; empty if nothing is."""
        more = len(self.problems) - 1
        return f"{self.problems[0]}{f' (and {more} more)' if more else ''}" if self.problems else ""

    @property
    def base(self) -> Style:
        """Body text on the screen's background."""
        return Style(color=_rich(self.colours["text"]), bgcolor=_rich(self.colours["background"]))

    def _parsed(self, spec: str) -> Style:
        words = spec.split()
        attributes = {word: True for word in words if word in _ATTRIBUTES}
        colour = background = None
        for index, word in enumerate(words):
            if word in _ATTRIBUTES or word == "on":
                continue
            value = _rich(self.colours.get(word, word))
            if index and words[index - 1] == "on":
                background = value
            else:
                colour = value
        return Style(color=colour, bgcolor=background, **attributes)  # type: ignore[arg-type]


def load_theme(name: str, folders: Sequence[Path], depth: Depth = "truecolour") -> Theme:
    """The theme `name` from the first of `folders` that holds `<name>.toml`; the default where none
    does. `depth`: the colours that the terminal has. With sixteen, the themes for that are better
    than any that is brought down to it."""
    if depth in ("16", "none"):
        own = _chain(name, folders, [])[-1][1] if _find(name, folders) else {}
        plain = name == "no-colour" or depth == "none"
        name = "no-colour" if plain else name if own.get("ansi") is True else "ansi"
    problems: list[str] = []
    chain = _chain(name, folders, problems)
    colours, specs = dict.fromkeys(COLOURS, "ansi_default"), dict.fromkeys(STYLES, "")
    dark, ansi = True, False
    for at, (one, own) in enumerate(chain):
        wrong = problems if at == len(chain) - 1 else []
        given = _colours(own, one, wrong)
        colours |= given
        specs |= _specs(own, one, colours, wrong)
        dark, ansi = own.get("dark", dark) is not False, own.get("ansi", ansi) is True
        missing = [c for c in COLOURS if c not in _table(own, "colours")]
        if wrong is problems and at and missing and "extends" not in own:
            named = (
                ", ".join(missing)
                if len(missing) <= _NAMED
                else f"{len(missing)} of {len(COLOURS)}"
            )
            problems.append(
                f"theme {one}: colours not given, taken from {chain[at - 1][0]}: {named}"
            )
    if depth == "256" and not ansi:
        colours = reduce_colours(colours, dark)
        for word in (
            "diff.added.word",
            "diff.removed.word",
        ):  # their grounds are too strong for the colours of code
            specs[word] += " text"
    return Theme(chain[-1][0], dark, ansi, colours, specs, tuple(problems))


def _chain(
    name: str, folders: Sequence[Path], problems: list[str]
) -> list[tuple[str, dict[str, Any]]]:
    """The theme and what it stands on, the lowest first."""
    if name != DEFAULT and _find(name, folders) is None:
        problems.append(f"theme {name}: there is no such theme; using {DEFAULT}")
        name = DEFAULT
    chain: list[tuple[str, dict[str, Any]]] = []
    while name:
        path = _find(name, folders)
        if path is None:
            problems.append(f"theme {name}: no {name}.toml in {', '.join(map(str, folders))}")
        own = _read(path, problems) if path else {}
        chain.insert(0, (name, own))
        if name == DEFAULT:
            break
        below = own.get(
            "extends", "light" if own.get("dark") is False and name != "light" else DEFAULT
        )
        known = {one for one, _ in chain}
        if not isinstance(below, str) or below in known or _find(below, folders) is None:
            if below != DEFAULT:
                problems.append(f"theme {name}: it cannot extend {below!r}; using {DEFAULT}")
            below = DEFAULT
        name = below
    return chain


def names(folders: Sequence[Path]) -> tuple[str, ...]:
    """All themes there are, by name."""
    return stems(folders, ".toml")


def _find(name: str, folders: Sequence[Path]) -> Path | None:
    if not re.fullmatch(r"[\w-]+", name):
        return None
    return next((path for folder in folders if (path := folder / f"{name}.toml").is_file()), None)


def _read(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{path}: {error}")
        return {}


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = data.get(key)
    return table if isinstance(table, dict) else {}


def _colours(data: Mapping[str, Any], name: str, problems: list[str]) -> dict[str, str]:
    good: dict[str, str] = {}
    for key, value in _table(data, "colours").items():
        if key not in COLOURS:
            problems.append(f"theme {name}: colours.{key}: there is no such colour")
        elif not isinstance(value, str) or not (
            _HEX.fullmatch(value) or value.removeprefix("ansi_") in _ANSI_NAMES
        ):
            problems.append(
                f"theme {name}: colours.{key}: not a colour (#rrggbb or ansi_red): {value!r}"
            )
        else:
            good[key] = value if value.startswith(("#", "ansi_")) else f"ansi_{value}"
    return good


def _specs(
    data: Mapping[str, Any], name: str, colours: Mapping[str, str], problems: list[str]
) -> dict[str, str]:
    good: dict[str, str] = {}
    for key, value in _table(data, "styles").items():
        if key not in STYLES:
            problems.append(f"theme {name}: styles.{key}: there is no such style")
        elif bad := _bad_word(value, colours):
            problems.append(f"theme {name}: styles.{key}: {bad}")
        else:
            good[key] = value
    return good


def _bad_word(spec: Any, colours: Mapping[str, str]) -> str:
    if not isinstance(spec, str):
        return "not a text"
    for word in spec.split():
        known = (
            word in _ATTRIBUTES
            or word == "on"
            or word in colours
            or word.removeprefix("ansi_") in _ANSI_NAMES
        )
        if not known and not _HEX.fullmatch(word):
            return f"neither a colour nor an attribute: {word}"
    return ""


def _rich(colour: str) -> str:
    return colour.removeprefix("ansi_")
