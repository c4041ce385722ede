"""The start of the program. Nothing slow is imported before the terminal is ready."""

from __future__ import annotations

import gc
import sys


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
    try:
        from agent_tui.cli import main as run

        return run(sys.argv[1:], early)
    finally:
        early.restore()


if __name__ == "__main__":
    sys.exit(main())
