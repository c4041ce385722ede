"""What the transcript says to the app."""

from __future__ import annotations

from textual.message import Message


class Toggled(Message, namespace="transcript"):
    """A foldable line of row `row` was clicked (live blocks count on after the rows). `group`: the line of the group
    that begins there."""

    def __init__(self, row: int, group: bool = False) -> None:
        self.row, self.group = row, group
        super().__init__()


class Scrolled(Message, namespace="transcript"):
    """The end is in view again (`following`), or no longer."""

    def __init__(self, following: bool) -> None:
        self.following = following
        super().__init__()


class LinkClicked(Message, namespace="transcript"):
    """A link was clicked. Nothing has been opened."""

    def __init__(self, href: str) -> None:
        self.href = href
        super().__init__()
