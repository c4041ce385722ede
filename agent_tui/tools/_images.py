"""What kind of picture a file is, and how large, from its first bytes: nothing is decoded."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_NO_SIZE: Final = frozenset((0xC4, 0xC8, 0xCC))
"""Markers of a JPEG between 0xC0 and 0xCF that begin no frame."""
_ALONE: Final = frozenset((0x01, *range(0xD0, 0xDA)))
"""Markers without a length."""
_STEPS: Final = 1_000
"""Markers that are looked at; a real file has a few dozen."""


@dataclass(frozen=True, slots=True)
class Picture:
    """In pixels; 0: the file does not say."""

    kind: str
    width: int = 0
    height: int = 0


def picture(data: bytes) -> Picture | None:
    """The picture that `data` begins with, or None."""
    if data.startswith(_PNG):
        return Picture("PNG", *_numbers(">II", data, 16))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Picture("GIF", *_numbers("<HH", data, 6))
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("JPEG", *_jpeg(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture("WebP", *_webp(data))
    return None


def _numbers(form: str, data: bytes, at: int) -> tuple[int, int]:
    if len(data) < at + struct.calcsize(form):
        return 0, 0
    first, second = struct.unpack_from(form, data, at)
    return first, second


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first frame's header; what stands before it is stepped over by its length."""
    at = 2
    for _ in range(_STEPS):
        if at + 4 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker in _ALONE or marker == 0xFF:
            at += 1 if marker == 0xFF else 2
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = _numbers(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if form == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        width, height = _numbers("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0
