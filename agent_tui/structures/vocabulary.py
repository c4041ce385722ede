"""Words that the whole program shares. Light: the very first frame reads them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MODES: Final = ("manual", "auto", "accept-edits", "accept-all", "plan")
"""What may run without asking, in the order in which they are listed."""
AUTONOMY: Final = ("read-only", "supervised", "full")
"""How far any mode may go, from little to all."""
EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How hard a model may be asked to think, in their order."""
