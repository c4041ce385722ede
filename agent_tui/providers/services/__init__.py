"""What each provider declares of itself: its names, keys, addresses, models, and the settings that
only it understands.

A file here is for one dialect (`agent_tui/providers/<dialect>.py` speaks it), with a row for every
service that is spoken to in it. These files are light: settings are checked by them before anything
slow is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from agent_tui.providers.services.base import Quirks, Service
from agent_tui.settings import schema


def all_services() -> Mapping[str, Service]:
    """All providers that are declared, by name."""
    return cast(Mapping[str, Service], schema.services())


def service_of(name: str) -> Service:
    """The provider of that name; one that nobody declares is a server that the person set up."""
    return all_services().get(name) or Service(
        name, name, "compatible", role="found", quirks=Quirks(typed=True)
    )
