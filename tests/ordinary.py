"""The rights to files that a person has: root, who some suites run as, may list and enter all
folders whatever their modes say."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
_OVER_MODES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH"""
_GET_BITS, _SET_BITS, _NO_ROOT = 27, 28, 1
_AMBIENT, _RAISE, _CLEAR_ALL = 47, 2, 4


@contextmanager
def ordinary_rights() -> Iterator[None]:
    """Meanwhile modes hold for this thread, and for what it starts: threads and programs."""
    if os.geteuid():
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, before = struct.pack("=Ii", _VERSION, 0), ctypes.create_string_buffer(24)
    assert libc.capget(header, before) == 0
    effective, permitted, _, *high = struct.unpack("=6I", before.raw)
    kept, bits = permitted & ~_OVER_MODES, libc.prctl(_GET_BITS)
    data = struct.pack("=6I", effective & kept, permitted, kept, high[0], high[1], high[1])
    assert libc.capset(header, data) == 0
    assert libc.prctl(_SET_BITS, bits | _NO_ROOT) == 0  # else root has all again in a new program
    whole = kept | high[1] << 32
    for number in range(64):
        if whole >> number & 1:
            assert libc.prctl(_AMBIENT, _RAISE, number, 0, 0) == 0
    try:
        yield
    finally:
        assert libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0) == 0
        assert libc.prctl(_SET_BITS, bits) == 0
        assert libc.capset(header, before.raw) == 0
