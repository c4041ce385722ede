"""The colours of a theme among the 240 that a terminal of 256 colours surely has.

Rich would bring them down one by one: dark grounds of a little blue become teal, and the tints of a diff black.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GROUNDS: Final = ("background", "surface", "panel", "prompt", "code", "border", "muted", "faint", "text")
_LETTERS: Final = ("accent", "good", "warning", "bad", "keyword", "string", "number", "name", "type")
_WORDS: Final = {
    True: {"added-word": "#005f87", "removed-word": "#870000"},
    False: {"added-word": "#afd7d7", "removed-word": "#ffaf87"},
}
"""There is nothing between these and the ground: what is nearest would be the ground itself. That is too much for
whole lines; those have a grey ground, and a sign that has a colour."""
_RAISED: Final = ("surface", "code", "prompt", "panel", "border")
"""From the nearest to the ground to the farthest: each stays apart from it."""
_COLOURED: Final = 24
"""A difference of the channels from which a ground counts as coloured."""


def fewer(colours: Mapping[str, str], dark: bool) -> dict[str, str]:
    """Each colour as the nearest of the 240; grounds among the greys, where those have more steps."""
    ground = colours["background"]
    found = {
        name: _nearest(value, name in _GROUNDS, name in _LETTERS) if value.startswith("#") else value
        for name, value in colours.items()
    }
    if ground.startswith("#"):
        if _spread(_channels(ground)) >= _COLOURED and not dark:  # cream is there, and no tint of it
            found["background"] = found["surface"] = found["code"] = _nearest(ground, False, False)
        step = 1 if dark else -1
        found |= _WORDS[dark] | dict.fromkeys(("added", "removed"), _grey_step(found["background"], 2 if dark else -1))
        for at, name in enumerate(_RAISED):
            if found[name] == found["background"] and at:
                found[name] = _grey_step(found["background"], step * (1 if at < 3 else at - 1))
        if found["selection"] == found["panel"]:
            found["selection"] = _grey_step(found["panel"], step * 2)
    return found


def _grey_step(colour: str, steps: int) -> str:
    """The grey so many steps above (or below) `colour`."""
    red, green, blue = _channels(colour)
    at = round(((red + green + blue) / 3 - 8) / 10) + steps
    value = 8 + 10 * max(0, min(23, at))
    return f"#{value:02x}{value:02x}{value:02x}"


@cache
def _nearest(colour: str, grey: bool, coloured: bool) -> str:
    """Greys alone for a ground; for a colour that says something, none."""
    wanted = _channels(colour)
    choices = _GREYS if grey else _CUBE if coloured and _spread(wanted) >= _COLOURED else (*_GREYS, *_CUBE)
    red, green, blue = min(choices, key=lambda one: _distance(wanted, one))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _spread(channels: tuple[int, int, int]) -> int:
    return max(channels) - min(channels)


def _distance(one: tuple[int, int, int], two: tuple[int, int, int]) -> float:
    """How different two colours look, roughly: red weighs more where there is much of it."""
    mean = (one[0] + two[0]) / 2
    red, green, blue = one[0] - two[0], one[1] - two[1], one[2] - two[2]
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue


_CUBE: Final = tuple((r, g, b) for r in _LEVELS for g in _LEVELS for b in _LEVELS if not r == g == b)
_GREYS: Final = (*((8 + 10 * n,) * 3 for n in range(24)), (255, 255, 255), (0, 0, 0))
