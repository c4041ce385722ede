"""The start of the program. Nothing slow is imported before the terminal is ready."""

from __future__ import annotations

import gc
import io
import os
import sys

SWITCH_SECONDS = 0.0005
"""So long a busy thread keeps the others waiting (Python's 0.005 is felt: a key waits for it again
and again)."""

TYPE_CHECKING = False  # `typing` is slow to import
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line, and end with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # whoever prints: what the encoding cannot say is written as its code
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemExit as ended:  # argparse's way to say 0 or 2
        code = ended.code if isinstance(ended.code, int) else 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            code = _refused(error, code) if stream is sys.stdout else code
        except (ValueError, AttributeError):
            continue  # it is closed
    os._exit(
        code
        # an interpreter that takes itself apart has no handler for Ctrl+C, and waits for busy threads
    )


def _refused(error: OSError, code: int) -> int:
    """Standard output could not take what was printed: that is said, and is no success."""
    from agent_tui import std_output

    std_output.silence_output(error)
    return code if isinstance(error, BrokenPipeError) else code or 1


def _main() -> int:
    if sys.platform == "win32":
        print(
            "agent-tui runs on Linux, macOS and WSL; on Windows, start it inside WSL.",
            file=sys.stderr,
        )
        return 2
    from agent_tui.boot import terminal

    if problem := terminal.lacks_memory(sys.argv[1:]):
        print(f"agent-tui: {problem}", file=sys.stderr)
        return 1
    early = terminal.prepare(sys.argv[1:])
    if early is None:
        from agent_tui.cli.main import main as run

        return run(sys.argv[1:], None)
    gc.disable()  # the screen turns it on again after its first frame
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        from agent_tui.cli.main import main as run

        return run(sys.argv[1:], early)
    finally:
        early.restore()


if __name__ == "__main__":
    main()
