"""Google's Gemini."""

from __future__ import annotations

from typing import Final

from agent_tui.providers.services.base import Service
from agent_tui.settings.table import SERVED
from agent_tui.settings.values import Setting, effort, text
from agent_tui.structures.vocabulary import EFFORTS

VERSION: Final = "v1beta"
GEMINI: Final = Service(
    "gemini",
    "Gemini",
    "gemini",
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ("GOOGLE_GEMINI_BASE_URL",),
    versions=("GOOGLE_GENAI_API_VERSION",),
    prefixes=("gemini-",),
    model="gemini-pro-latest",
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
