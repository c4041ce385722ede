"""Google's Gemini."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.providers.services.base import THREE, Service
from agent_tui.settings.table import SERVED
from agent_tui.settings.values import Setting, effort, text
from agent_tui.structures import late
from agent_tui.structures.vocabulary import EFFORTS

VERSION: Final = "v1beta"
_THINKS: Final = late.pattern(
    r"gemini-(2\.5|[3-9]|[1-9]\d|(pro|flash|flash-lite)-latest)(?!.*(image|tts|audio|live))"
)
_LEVELS: Final = (
    (r"gemini-3-pro", ("low", "high")),
    (
        r"gemini-3[\d.]*-flash-lite|gemini-3(\.[0-6])?-flash|gemini-flash-lite-latest",
        ("minimal", "low", "medium", "high"),
    ),
)
"""Levels of models that do not take low, medium, high, as Google's pages had them on 2026-11-22."""
OFF_AT_128: Final = "gemini-2.5-pro"
"""It cannot do without: this is its least."""
GEMINI: Final = Service(
    "gemini",
    "Gemini",
    "gemini",
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ("GOOGLE_GEMINI_BASE_URL",),
    versions=("GOOGLE_GENAI_API_VERSION",),
    prefixes=("gemini-",),
    model="gemini-pro-latest",
    speaks="`streamGenerateContent`",
    base_url="https://generativelanguage.googleapis.com",
    gen_ai="gcp.gemini",
    rank=30,
    options={
        **SERVED,
        "think": Setting(
            effort(EFFORTS[1:-1], 0),
            True,
            "For models that think: true, false or a level.",
            '`true`; `false`; a level: `"minimal"`, `"low"`, `"medium"`, `"high"` or `"xhigh"`; or a number of tokens. '
            "Default: `true` if the model is known to think",
        ),
        "api_version": Setting(
            text('the version of an API, such as "v1beta"'),
            VERSION,
            "The version of the server's API, part of its address.",
            "the version of the API, part of its addresses; default: `v1beta`, or the end of `base_url`",
        ),
    },
)
SERVICES: Final = (GEMINI,)


def thinks(model: str) -> bool:
    """Whether `model` is known to think, by its name: one that does not refuses a request that
    speaks of it."""
    return _THINKS.match(model) is not None


def levels_of(model: str) -> tuple[str, ...]:
    """One that a model does not take is refused."""
    return next((levels for pattern, levels in _LEVELS if re.match(pattern, model)), THREE)
