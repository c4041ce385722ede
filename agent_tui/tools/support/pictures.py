"""Pictures that go to a model: what kind they are, and smaller where they are larger than any model
looks at."""

from __future__ import annotations

import io
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tools.support.files import Picture, picture

MOST: Final = 5_000_000
"""Bytes of an image: what the strictest servers take."""
LONGEST_SIDE: Final = 1_568
"""Pixels: servers make larger ones smaller themselves, and charge for what was sent."""
MEDIA: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WebP": "image/webp"}
_MOST_PIXELS: Final = 100_000_000
"""Of a picture that is made smaller: it is in memory as a whole."""
INSTALL: Final = "to have it made smaller: pip install 'agent-tui[images]'"


class TooLarge(Exception):
    """It cannot be sent, and in words why it was not made smaller."""


@frozen
class Sendable:
    data: bytes
    found: Picture

    @property
    def media(self) -> str:
        return MEDIA[self.found.kind]


def sendable(data: bytes, found: Picture) -> Sendable:
    """The picture as it is sent: smaller, where that is possible and worth it. Raises TooLarge."""
    if len(data) <= MOST and max(found.width, found.height) <= LONGEST_SIDE:
        return Sendable(data, found)
    try:
        return _smaller(data, found)
    except TooLarge:
        if len(data) <= MOST:
            return Sendable(data, found)
        raise


def _smaller(data: bytes, found: Picture) -> Sendable:
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise TooLarge(f"it is larger than {MOST // 1_000_000} MB; {INSTALL}") from None
    if found.width * found.height > _MOST_PIXELS:
        raise TooLarge("it has too many pixels")
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            turned = ImageOps.exif_transpose(image)
            written = io.BytesIO()
            if turned.mode in ("RGB", "L") and found.kind == "JPEG":
                turned.save(written, "JPEG", quality=85)
            else:
                turned.save(written, "PNG", optimize=True)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise TooLarge(f"it could not be made smaller: {error}") from None
    smaller = written.getvalue()
    again = picture(smaller)
    if again is None or len(smaller) > MOST:
        raise TooLarge("it is too large even when made smaller")
    return Sendable(smaller, again)
