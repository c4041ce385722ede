"""What tools accept beside the exact schema: small models write `null` for what they leave out."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from agent_tui.tools.base import Arguments


class LenientArguments(Arguments):
    """A null means that the argument was left out. The schema stays plain: no `anyOf`, which some servers drop."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, raw: Any) -> Any:
        return {name: value for name, value in raw.items() if value is not None} if isinstance(raw, dict) else raw
