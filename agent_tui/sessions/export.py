"""A session as one document for people or programs: Markdown, HTML, or JSON with every record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, TypeVar, assert_never

from agent_tui.present.document import sections
from agent_tui.present.html import html
from agent_tui.present.markdown import markdown
from agent_tui.protocol.codec import dump
from agent_tui.protocol.events import Event, fold
from agent_tui.structures.readable import format_date

T = TypeVar("T")
Format = Literal["md", "html", "json"]
FORMATS: Final[tuple[Format, ...]] = ("md", "html", "json")
_SUFFIXES: Final[dict[str, Format]] = {
    ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json",
}  # fmt: skip


def format_of(suffix: str) -> Format | None:
    """The format that a file's suffix (`.html`) stands for."""
    return _SUFFIXES.get(suffix.lower())


def export(events: Sequence[Event], form: Format, check: Callable[[], None] = lambda: None) -> str:
    """The settled `events` of one session as a document. Nothing in it can run, hide or move what
    is read:

    control characters are shown as symbols, and HTML holds only tags that are made here. `check` is
    called again and again while a long session is at work; what it raises ends that.
    """
    match form:
        case "json":
            records = [dump(event) for event in check_each(events, check)]
            return json.dumps({"format": "agent-tui/1", "events": records}, indent=1) + "\n"
        case "md":
            transcript = fold(check_each(events, check))
            return markdown(transcript, check_each(sections(transcript, local), check))
        case "html":
            transcript = fold(check_each(events, check))
            return html(transcript, check_each(sections(transcript, local), check))
        case _:
            assert_never(form)


def local(at: float) -> str:
    """Local time of `at`; empty for none, and for one that no clock can show."""
    try:
        return format_date(at, time.localtime(at).tm_gmtoff) if at > 0 else ""
    except (OverflowError, OSError, ValueError):
        return ""


def check_each(things: Iterable[T], check: Callable[[], None]) -> Iterator[T]:
    for thing in things:
        check()
        yield thing
