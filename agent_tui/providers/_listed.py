"""What a model's server says of it."""

from __future__ import annotations

from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import Provider, ProviderError
from agent_tui.providers.wire import is_near


async def listed(provider: Provider, base_url: str, known: ModelInfo) -> ModelInfo:
    """`known`, or of a server nearby what its list says; a hosted one is not asked before the first prompt. Raises
    ProviderError where nobody listens or the key is refused."""
    if not is_near(base_url):
        return known
    try:
        offered = await provider.models()
    except ProviderError as error:
        if error.failed.kind in ("unreachable", "timeout", "auth"):
            raise
        return known  # it has no list: that is no reason not to try
    return next((info for info in offered if info.name == known.name), known)
