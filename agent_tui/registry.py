"""A file is a registration: what a package folder holds is found by file name, and imported when it
is used.

So is a `late` module: one that the first frame does not need.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, Final


@cache
def names(package: str) -> tuple[str, ...]:
    """The modules of `package` that register something."""
    found = (
        found.name for found in pkgutil.iter_modules(importlib.import_module(package).__path__)
    )
    return tuple(sorted(name for name in found if _registers(package, name)))


def load(package: str, name: str, attribute: str) -> Any:
    """`attribute` of module `name` in `package`. Raises LookupError with the names there are."""
    return getattr(module(package, name), attribute)


def module(package: str, name: str) -> ModuleType:
    """Module `name` in `package`. Raises LookupError with the names there are."""
    if not _registers(package, name):
        raise _missing(package, name)
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise  # it is there, and misses another
        raise _missing(package, name) from None


def _missing(package: str, name: str) -> LookupError:
    return LookupError(
        f"no {package.rsplit('.', 1)[-1]} named {name!r}; there are: {', '.join(names(package))}"
    )


def _registers(package: str, name: str) -> bool:
    """Whether a module of that name would: all do but those that `package` lists in
    `NOT_REGISTERED`."""
    beside = getattr(importlib.import_module(package), "NOT_REGISTERED", ("base",))
    return name.isidentifier() and not name.startswith("_") and name not in beside


class late:  # noqa: N801  # read as a word: `with late():`
    """The modules that are imported in this block are imported when something of them is first
    asked for:

        with late():
            from agent_tui.tui.update import settings

    To everybody who reads the code, it is an import like others. `warm`: `import_late` imports them
    too.
    """

    def __init__(self, *, warm: bool = True) -> None:
        self._warm = warm

    def __enter__(self) -> None:
        held = sys._getframe(1).f_globals
        self._block = id(held)
        _blocks[self._block] = (self._warm, held)
        builtins.__import__ = _import

    def __exit__(self, *_: object) -> None:
        del _blocks[self._block]
        if not _blocks:
            builtins.__import__ = _import_now


def late_module(name: str, warm: bool = True, held: dict[str, Any] | None = None) -> Any:
    """Module `name`, imported when something of it is first asked for; `held`: the globals that
    will hold it."""
    if name in sys.modules:
        return sys.modules[name]
    if warm:
        _named_late.append(name)
    return _Late(name, held if held is not None else {})


def import_late() -> Iterator[str]:
    """Import what was named `late` and is not there yet, one module a step: for a moment when
    nobody waits."""
    while _named_late:
        name = _named_late.pop(0)
        if name not in sys.modules:
            importlib.import_module(name)
            yield name


def import_all(names: Iterable[str]) -> None:
    """Import what the program will need soon: in a thread, so that nobody waits for it."""
    for name in names:
        importlib.import_module(name)


def leave_out(name: str) -> None:
    """Leave module `name` out of what a package imports: one that it can do without, and that
    nobody here uses."""
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # what the import system takes for `not to be found`


_named_late: list[str] = []


class _Late:
    """Gives its place to the module itself with the first use."""

    def __init__(self, name: str, held: dict[str, Any]) -> None:
        self._name, self._held = name, held

    def __getattr__(self, attribute: str) -> Any:
        module = importlib.import_module(self._name)
        for name, value in tuple(self._held.items()):
            if value is self:
                self._held[name] = module
        return getattr(module, attribute)


class _LatePackage:
    """What `from PACKAGE import MODULE` takes its modules from, in a block of `late`."""

    def __init__(self, name: str, warm: bool, held: dict[str, Any]) -> None:
        self._name, self._warm, self._held = name, warm, held

    def __getattr__(self, module: str) -> Any:
        return late_module(f"{self._name}.{module}", self._warm, self._held)


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """As the import of Python, but late in the blocks of `late`; other threads may import something
    just now."""
    block = _blocks.get(id(globals))
    if block is None:
        return _import_now(name, globals, locals, fromlist, level)
    return _LatePackage(name, *block) if fromlist else late_module(name, *block)


_import_now: Final = builtins.__import__
_blocks: Final[dict[int, tuple[bool, dict[str, Any]]]] = {}
"""Whether it is a warm one, and the globals of its module, of each such block that is entered just
now."""

with late(warm=False):
    import pkgutil
