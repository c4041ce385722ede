"""Every provider that has a wire, for the conformance table."""

from __future__ import annotations

from tests.providers import servers
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.dialect_presets import PRESETS
from tests.providers.dialect_responses import RESPONSES
from tests.providers.gemini_server import GEMINI

DIALECTS = (*servers.DIALECTS, RESPONSES, *PRESETS, ANTHROPIC, GEMINI)
