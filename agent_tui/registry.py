"""A file is a registration: what a package folder holds is found by file name, and imported when it is used.

So is a `late` module: one that the first frame does not need.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any


@cache
def names(package: str) -> tuple[str, ...]:
    """The modules of `package` that register something: all but those it lists in `NOT_REGISTERED`."""
    module = importlib.import_module(package)
    beside = getattr(module, "NOT_REGISTERED", ("base",))
    found = (name for folder in module.__path__ for name in _modules(folder))
    return tuple(sorted(name for name in found if name not in beside and not name.startswith("_")))


def _modules(folder: str) -> Iterator[str]:
    """The modules in `folder`: `pkgutil` says the same, and is slow to import before the first frame."""
    for entry in os.listdir(folder):  # noqa: PTH208 - as above
        name, dot, kind = entry.partition(".")
        if kind == "py" or (not dot and os.path.isfile(f"{folder}/{name}/__init__.py")):  # noqa: PTH113
            yield name


def load(package: str, name: str, attribute: str) -> Any:
    """`attribute` of module `name` in `package`. Raises LookupError with the names there are."""
    module = sys.modules.get(f"{package}.{name}")
    if module is None:
        if name not in names(package):
            raise LookupError(f"no {package.rsplit('.', 1)[-1]} named {name!r}; there are: {', '.join(names(package))}")
        module = importlib.import_module(f"{package}.{name}")
    return getattr(module, attribute)


def late(name: str, warm: bool = True) -> Any:
    """Module `name`, imported when something of it is first asked for. The type checker is told of the real one:

        if TYPE_CHECKING:
            from agent_tui.tui.update import settings
        else:
            settings = late("agent_tui.tui.update.settings")

    `warm`: `import_late` imports it too.
    """
    if warm:
        _named_late.append(name)
    return _Late(name)


def import_late() -> Iterator[str]:
    """Import what was named `late` and is not there yet, one module a step: for a moment when nobody waits."""
    while _named_late:
        name = _named_late.pop(0)
        if name not in sys.modules:
            importlib.import_module(name)
            yield name


def import_all(names: Iterable[str]) -> None:
    """Import what the program will need soon: in a thread, so that nobody waits for it."""
    for name in names:
        importlib.import_module(name)


_named_late: list[str] = []


class _Late:
    """Becomes as fast as the module itself: what was asked for is kept here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found
