"""A disk that is small and can be filled: a real one where we may mount it, else a limit of the
process."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Disk:
    """`folder` is on it. `full` holds while nothing more can be written there."""

    folder: Path
    mounted: bool

    @contextlib.contextmanager
    def full(self) -> Iterator[None]:
        if not self.mounted:
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
            try:
                yield
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            return
        filler = self.folder / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(512))
        try:
            yield
        finally:
            filler.unlink()


@contextlib.contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Disk]:
    """`folder` on a disk of `size`, for the time being."""
    folder.mkdir(parents=True)
    argv = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = sys.platform == "linux" and _done(argv)
    try:
        yield Disk(folder, mounted)
    finally:
        if mounted:
            assert _done(["umount", "-l", str(folder)])


def _done(argv: list[str]) -> bool:
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
