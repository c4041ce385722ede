"""The details of an error as Google's servers tell them: what exactly was wrong, and how long to wait."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from agent_tui.providers._translate import text_in

_SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_BAD_KEY = re.compile(r"API key (not valid|expired|not found)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Details:
    bad_key: bool = False
    """A bad key is no 401 there, but a 400."""
    wait: float | None = None
    """Seconds to wait, where the server says them in the body and in no header."""
    spent: bool = False
    """The quota of the day is used up: waiting some seconds, as the server says too, would not help."""


def details(body: str) -> Details:
    """What an error body holds beside its message; nothing for bodies of others."""
    if "google.rpc" not in body and "API key" not in body:
        return Details()
    try:
        return details_of(json.loads(body))
    except (ValueError, RecursionError):
        return Details()


def details_of(data: Any) -> Details:
    """The same of a body that is read already."""
    data = data[0] if isinstance(data, list) and data else data
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return Details()
    listed = error.get("details")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    waits = (_SECONDS.fullmatch(text_in(entry.get("retryDelay"))) for entry in entries)
    violations = (each for entry in entries if isinstance(found := entry.get("violations"), list) for each in found)
    quotas = [text_in(each.get("quotaId")) for each in violations if isinstance(each, dict)]
    bad_key = any(entry.get("reason") == "API_KEY_INVALID" for entry in entries)
    return Details(
        bad_key or _BAD_KEY.search(text_in(error.get("message"))) is not None,
        next((float(found[1]) for found in waits if found), None),
        any("PerDay" in quota for quota in quotas),
    )
