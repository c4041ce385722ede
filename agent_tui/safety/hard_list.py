"""Commands that ask in every mode, also in accept-all: what they do cannot be taken back."""

from __future__ import annotations


def reason(command: str, cwd: str = "") -> str:
    """Why this command asks in every mode; empty if it is not on the list."""
    return ""
