"""The start of the program. Nothing slow is imported before the terminal is ready."""

from __future__ import annotations

import gc
import sys

SWITCH_SECONDS = 0.0005
"""So long a busy thread keeps the others waiting (Python's 0.005 is felt: a key waits for it again and again)."""


def main() -> int:
    """Run the command line; returns the exit code."""
    if sys.platform == "win32":
        print("agent-tui runs on Linux, macOS and WSL; on Windows, start it inside WSL.", file=sys.stderr)
        return 2
    from agent_tui import boot

    early = boot.prepare(sys.argv[1:])
    if early is None:
        from agent_tui.cli import main as run

        return run(sys.argv[1:], None)
    gc.disable()  # the screen turns it on again after its first frame
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        from agent_tui.cli import main as run

        return run(sys.argv[1:], early)
    finally:
        early.restore()


if __name__ == "__main__":
    sys.exit(main())
