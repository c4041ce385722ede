"""Lets two names change places in one step, so that what a file replaced can be looked at before it is gone."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any, Final

_EXCHANGE: Final = 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""


@cache
def _renameat2() -> Any:
    """The system's call, of Linux or macOS; None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    return getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)


def exchange(folder: int, one: str, other: str) -> bool:
    """Exchange two names in the folder with this descriptor. False: the system or the disk cannot, nothing was done."""
    call = _renameat2()
    return call is not None and call(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0
