"""Standard output that takes no more: what is said of it, and that nothing is said twice."""

from __future__ import annotations

import os
import sys


def silence_output(error: OSError) -> None:
    """Nothing more can be written to standard output. It goes nowhere from now on, else the rest is
    tried again at the end of the program."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return  # nobody reads any more: nothing is left to say
    said = f"agent-tui: the output cannot be written: {error.strerror}"
    try:
        print(said, file=sys.stderr, flush=True)
    except OSError:  # both went to a terminal that is gone
        os.dup2(nowhere, sys.stderr.fileno())
