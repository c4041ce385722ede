"""How a part of this program is started that outlives it: with the standard library alone."""

from __future__ import annotations

import os
import sys
from typing import Final

_MAIN: Final = "import sys; sys.path.insert(0, sys.argv[1]); from {} import main; main()"


def own_argv(module: str, *arguments: str) -> list[str]:
    """What calls `main` of `module` by `python -I -S`; its `sys.argv` has `arguments` from the
    third place on."""
    root = os.path.abspath(os.path.join(__file__, *4 * [os.pardir]))  # noqa: PTH100, PTH118
    return [sys.executable, "-I", "-S", "-c", _MAIN.format(module), root, *arguments]
