"""What eyes see of colours: the contrast of WCAG 2, and the difference of two for people who miss a
kind of cone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.color import Color
from rich.style import Style

EYES: Final = {
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Machado, Oliveira and Fernandes 2009, in linear RGB."""


def linear(color: Color) -> tuple[float, ...]:
    channels = (value / 255 for value in color.get_truecolor())
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def luminance(color: Color) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, two: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    high, low = sorted((luminance(Color.parse(one)), luminance(Color.parse(two))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def contrast(style: Style) -> float:
    assert style.color is not None and style.bgcolor is not None
    return ratio(style.color.name, style.bgcolor.name)


def _lab(seen: Sequence[float]) -> tuple[float, float, float]:
    red, green, blue = (min(1.0, max(0.0, value)) for value in seen)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: str, two: str) -> float:
    """How different two colours are (CIE76; 2.3 is just noticed) for the eyes that see least of it."""
    found: list[float] = []
    for rows in EYES.values():
        first, second = (
            _lab(
                [
                    sum(m * v for m, v in zip(row, linear(Color.parse(colour)), strict=True))
                    for row in rows
                ]
            )
            for colour in (one, two)
        )
        found.append(float(sum((p - q) ** 2 for p, q in zip(first, second, strict=True)) ** 0.5))
    return min(found)
