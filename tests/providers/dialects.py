"""Every provider that has a wire, for the conformance table."""

from __future__ import annotations

from dataclasses import replace

from tests.providers import servers
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.dialect_presets import PRESETS, VERSION, in_azure
from tests.providers.dialect_responses import RESPONSES
from tests.providers.gemini_server import GEMINI

AZURE_RESPONSES = replace(
    RESPONSES,
    name="azure-responses",
    path="/openai/v1/responses",
    create=lambda address, options: in_azure(
        VERSION, address, {**options, "api": "responses"}, "gpt-5"
    ),
)
DIALECTS = (*servers.DIALECTS, RESPONSES, *PRESETS, AZURE_RESPONSES, ANTHROPIC, GEMINI)
