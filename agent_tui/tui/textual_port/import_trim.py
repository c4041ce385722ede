"""Textual without what this screen never uses: about a twentieth of the time to the first frame.

Textual's own command palette brings the widgets that it is built from, and asyncio brings TLS,
which no connection of the screen speaks: Python has builds without `ssl`, so asyncio is ready for
that. Both names are free again afterwards: whoever imports `ssl` or `textual.command` later gets
the real one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

PALETTE: Final = "textual.command"


@contextmanager
def trim_imports() -> Iterator[None]:
    """While it lasts, Textual and asyncio are imported without them. Nothing changes for what is
    imported already."""
    stand_ins: dict[str, Any] = {"ssl": None, PALETTE: _palette()}  # None is an ImportError
    new = [name for name in stand_ins if name not in sys.modules]
    sys.modules.update({name: stand_ins[name] for name in new})
    try:
        yield
    finally:
        for name in new:
            del sys.modules[name]


def _palette() -> ModuleType:
    """Has whatever the rest of Textual takes from there: for annotations, as a base class, and for
    an action that is off here."""
    module = ModuleType(PALETTE)
    vars(module)["__getattr__"] = _anything
    return module


def _anything(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})
