"""The colours of a theme among the 240 that a terminal of 256 colours surely has.

Rich would bring them down one by one: dark grounds of a little blue become teal, and the tints of a
diff black.
"""

from __future__ import annotations

from collections.abc import Mapping
from colorsys import rgb_to_hsv
from functools import cache
from typing import Final

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


def fewer(colours: Mapping[str, str], dark: bool) -> dict[str, str]:
    """Each colour as the nearest of the 240; grounds among the greys, where those have more steps."""
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
