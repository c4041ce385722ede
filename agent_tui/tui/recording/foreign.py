"""What becomes of a recording that this program did not write: its values may be anything, of any type."""

from __future__ import annotations

from typing import Final

UNPLAYABLE: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What such values can do to code that trusts them."""


def unshown(error: Exception) -> str:
    """Why something of a recording cannot be shown, in a line."""
    return f"it was not written by this program ({type(error).__name__}: {str(error)[:80]})"
