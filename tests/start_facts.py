"""Tells all that a program finds when it starts: `python -m tests.start_facts WORDS`. One line of
JSON to the standard output, and with `--errors` one to the standard error."""

from __future__ import annotations

import gc
import json
import locale
import os
import resource
import signal
import stat
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def facts() -> Mapping[str, Any]:
    umask = os.umask(0)
    os.umask(umask)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "main": (__name__, sys.modules["__main__"] is sys.modules[__name__], __file__),
        "argv": (sys.argv, sys.orig_argv, sys.executable, sys.prefix),
        "path": sys.path,
        "flags": (str(sys.flags), sys.warnoptions, sys._xoptions, sys.dont_write_bytecode),
        "environment": {**os.environ},
        "bytes": sorted(os.fsencode(name).hex() for name in os.environ),
        "cwd": str(Path.cwd()),
        "umask": umask,
        "owner": (os.getuid(), os.getgid(), os.getgroups()),
        "parent": os.getppid(),
        "leads": (os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()),
        "session": 0 if os.getsid(0) == os.getpid() else (os.getsid(0), os.getpgrp()),
        "limits": [resource.getrlimit(number) for number in range(16)],
        "nice": (os.nice(0), sorted(os.sched_getaffinity(0))),
        "signals": {number.name: str(signal.getsignal(number)) for number in signal.Signals},
        "masks": {name: status[name] for name in ("SigIgn", "SigCgt", "SigBlk", "Seccomp")},
        "threads": (threading.active_count(), threading.current_thread().name, status["Threads"]),
        "main_thread": threading.main_thread().ident == threading.get_ident(),
        "native": threading.main_thread().native_id == os.getpid(),
        "files": {number: _file(number) for number in range(256) if _opened(number)},
        "streams": [_stream(name) for name in ("stdin", "stdout", "stderr")],
        "encodings": (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()),
        "locale": (locale.setlocale(locale.LC_ALL), locale.getpreferredencoding()),
        "garbage": (gc.isenabled(), gc.get_threshold(), sys.getswitchinterval()),
        "hooks": [
            getattr(sys, name) is getattr(sys, f"__{name}__")
            for name in ("excepthook", "displayhook", "unraisablehook")
        ],
        "filters": str(warnings.filters),
    }


def _opened(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _file(number: int) -> tuple[Any, ...]:
    kind = os.fstat(number)
    tty = os.ttyname(number) and os.tcgetpgrp(number) == os.getpgrp() if os.isatty(number) else None
    return stat.S_IFMT(kind.st_mode), os.get_inheritable(number), tty


def _stream(name: str) -> tuple[Any, ...]:
    text: Any = getattr(sys, name)
    assert text is getattr(sys, f"__{name}__")
    shown = (text.encoding, text.errors, text.line_buffering, text.write_through, text.newlines)
    below = getattr(text.buffer, "raw", text.buffer)
    raw = (text.name, text.mode, text.buffer.mode, below.closefd, type(text.buffer))
    return *shown, *map(str, raw), text.isatty(), text.fileno()


if __name__ == "__main__":
    print(json.dumps(facts()), file=sys.stderr if "--errors" in sys.argv else sys.stdout)
    sys.exit(7)
