"""Settings as values. Reading them from files, environment and flags: `load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentSettings:
    max_steps: int = 50
    timeout: float = 0.0
    """Seconds a turn may take; 0: no limit."""
    parallel_tools: bool = True


@dataclass(frozen=True, slots=True)
class ToolSettings:
    enabled: tuple[str, ...] = ()
    """Names of the tools to offer; empty: all."""
    command_timeout: float = 120.0
    max_output_chars: int = 32_000


@dataclass(frozen=True, slots=True)
class DisplaySettings:
    theme: str = ""
    """Empty: `dark`, or `no-colour` where NO_COLOR is set."""


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    num_ctx: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    model: str = ""
    mode: str = "auto"
    agent: AgentSettings = AgentSettings()
    tools: ToolSettings = ToolSettings()
    display: DisplaySettings = DisplaySettings()
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a settings file that is not used, and why."""

    file: str
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.key}: {self.text}"
