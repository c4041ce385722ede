"""The text of a PDF, page by page, by pypdf (the extra `pdf`)."""

from __future__ import annotations

import io
import logging
import struct
import time
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import ToolFailure

if TYPE_CHECKING:
    from pypdf import PageObject

MARK: Final = b"%PDF-"
SECONDS: Final = 10.0
"""For the pages of one call; those that are left are read by the next."""
MOST_DRAWN: Final = 1_000_000
"""Bytes that draw a page of which the text is read; it takes about a second."""
_AT_ONCE: Final = 20
"""Pages that are read where none were asked for, or more."""
_INSTALL: Final = "to read it, install agent-tui with its PDF reader: pip install 'agent-tui[pdf]'"
_BROKEN: Final = (
    OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError,
    RecursionError, NotImplementedError, OverflowError, MemoryError, struct.error, zlib.error,
)  # fmt: skip
"""What the reader raises, beside its own errors, for files that are none, or damaged."""


def page_range(text: str, total: int, what: str) -> tuple[int, int]:
    """`3` or `2-5` or `4-` as the first and the last one; from the first one, where nothing is
    said. Raises ToolFailure."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    try:
        begin = int(first or 1)
        end = int(last or total) if dash or not text.strip() else begin
    except ValueError:
        begin = end = 0
    if not 1 <= begin <= end or begin > max(1, total):
        has = count_noun(total, what)
        raise ToolFailure("invalid_arguments", f"pages {text!r}: write 3 or 2-5; it has {has}")
    return begin, min(end, total)


def read_pages(data: bytes, shown: str, wanted: str, room: int, stopped: Callable[[], bool]) -> str:
    """The text of the pages wanted, as much as has `room`. Raises ToolFailure."""
    try:
        import pypdf
    except ImportError:
        raise ToolFailure("binary", f"{shown} is a PDF; {_INSTALL}") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns about every odd file
    end = time.monotonic() + SECONDS

    def go_on(*_: Any) -> None:
        if stopped() or time.monotonic() > end:
            raise _EnoughError

    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        total = len(reader.pages)
        first, last = page_range(wanted, total, "page")
        parts: list[str] = []
        at = first
        for at in range(first, min(last, first + _AT_ONCE - 1) + 1):
            try:
                text = _read_page(reader.pages[at - 1], go_on)
            except _EnoughError:
                if not parts:
                    why = f"page {at} takes longer than {SECONDS:.0f} s to read"
                    raise ToolFailure("too_large", f"{shown}: {why}; give other pages") from None
                at -= 1
                break
            part = f"[Page {at}]\n{text or '(no text: it may be a scan)'}"
            if parts and len(part) > room:
                at -= 1
                break
            parts.append(part[:room] + ("…" if len(part) > room else ""))
            room -= len(part)
    except (pypdf.errors.PyPdfError, *_BROKEN) as error:
        raise ToolFailure("binary", f"{shown} is a PDF that cannot be read: {error}") from None
    if not parts:
        return f"{shown} is a PDF without pages."
    more = f" Read on with pages={at + 1}-." if at < total else ""
    return "\n".join([*parts, f"[Pages {first}-{at} of {total}.{more}]"])


class _EnoughError(Exception):
    """The time is over, or nobody waits."""


def _read_page(page: PageObject, go_on: Callable[..., None]) -> str:
    """The text of a page; `go_on` is called at each step, and raises where there is to be no
    more."""
    go_on()
    contents = page.get_contents()
    drawn = len(contents.get_data()) if contents is not None else 0
    if drawn > MOST_DRAWN:
        return f"(not read: {drawn:,} bytes draw this page, more than {MOST_DRAWN:,})"
    return page.extract_text(visitor_operand_before=go_on).strip()
