"""The window of the terminal: whether the person looks at it, its title, and what may be told
outside of it."""

from __future__ import annotations

from typing import Literal

from agent_tui.settings.values import OCCASIONS
from agent_tui.structures.frozen import frozen

Occasion = Literal["done", "question", "failure"]


@frozen
class Window:
    focused: bool | None = None
    """None: the terminal has not told; it may be one that never does."""
    touched: float = float("-inf")
    """When a key was pressed last, as long as `focused` is not known."""
    dark: bool | None = None
    """Whether its ground is dark, where it has told."""
    title: str = ""
    """What the title says; empty: it is not ours."""
    branch: str = ""
    """Of the folder, where it is shown."""
    on: tuple[str, ...] = OCCASIONS
    desktop: bool = True
    bell: bool = False
    titled: bool = False
    """The title is ours to set."""
    after: float = 10.0
    """Seconds without a key after which the person counts as away, where `focused` is not known."""


DEFAULT = Window()
