"""Run the benchmarks, each in a process of its own: `python -m benchmarks [NAME...] [--quick]`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from benchmarks.common import ROOT

NO_BENCHMARKS = {
    "__main__",
    "common",
    "server",
    "bare",
    "plain",
    "probe",
    "sessions",
    "sessions_many",
    "dialects",
    "reading",
}


def names() -> list[str]:
    """A file is a registration: every module of this folder but the shared ones."""
    return sorted(
        path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NO_BENCHMARKS
    )


def main(arguments: list[str]) -> int:
    wanted = [name for name in arguments if not name.startswith("-")] or names()
    options = [name for name in arguments if name.startswith("-")]
    unknown = set(wanted) - set(names())
    if unknown or set(options) - {"--quick"}:
        print(f"usage: python -m benchmarks [--quick] [{' | '.join(names())}]", file=sys.stderr)
        return 2
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"Python {platform.python_version()}, {machine}", flush=True)
    failed = [
        name
        for name in wanted
        if subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}", *options], cwd=ROOT, check=False
        ).returncode
    ]
    if failed:
        print(f"broken: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
