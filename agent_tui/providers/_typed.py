"""An address of a server as a person types it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from agent_tui.providers import ollama

_OUTER: Final = re.compile(r"(?:https?:/*)+(?=https?:/)", re.IGNORECASE)
_SCHEME: Final = re.compile(r"^(https?):/+", re.IGNORECASE)


def address(text: str) -> str:
    """The address that is meant, without a scheme in front of its scheme; empty where it is none."""
    meant = _SCHEME.sub(r"\1://", _OUTER.sub("", text.strip()))
    if len(meant.split()) > 1 or meant.rstrip("/").lower() in ("http:", "https:"):
        return ""
    try:
        parts = urlsplit(ollama.address(meant))
        return meant if parts.scheme in ("http", "https") and parts.hostname and parts.port is not None else ""
    except ValueError:
        return ""


def place(url: str) -> tuple[str, str | None, int]:
    """The connection that `url` asks for. Raises ValueError where its port is none."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
