"""Standard output that takes no more: what is said of it, and that nothing is said twice."""

from __future__ import annotations

import os
import sys


def silence_output(error: OSError) -> None:
    """Nothing more can be written to standard output. It goes nowhere from now on, else the rest is
    tried again at the end of the program."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(
        error, BrokenPipeError
    ):  # there nobody reads any more: nothing is left to say
        print(f"agent-tui: the output cannot be written: {error.strerror}", file=sys.stderr)
