"""What each setting is without a file, and what it means: as values, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from agent_tui.structures.frozen import frozen

OCCASIONS: Final = ("done", "question", "failure")
"""What a person who is elsewhere may be told: a turn ended, something is asked, something failed."""
DIVIDER: Final = ">"
STATUS: Final = ("model", "cwd", DIVIDER, "todo", "queue", "mode", "context")
"""The line at the top; what stands behind the divider is at the right."""


@frozen
class AgentSettings:
    max_steps: int = 50
    timeout: float = 0.0
    """Seconds a turn may take; 0: no limit."""
    parallel_tools: bool = True
    continues: int = 3
    effort: str = ""
    max_cost: float = 0.0
    """Dollars that a session may take from when it is opened; 0: no limit."""
    max_tokens: int = 0


@frozen
class ToolSettings:
    enabled: tuple[str, ...] = ()
    """Names of the tools to offer; empty: all."""
    pass_env: tuple[str, ...] = ()
    """Variables that commands get beside the usual ones: names, and `NAME_*`."""
    command_timeout: float = 120.0
    max_output_chars: int = 32_000


@frozen
class DisplaySettings:
    theme: str = ""
    """`auto` or empty: `theme_dark` or `theme_light`, by the ground of the terminal; `no-colour` with NO_COLOR."""
    theme_dark: str = "dark"
    theme_light: str = "light"
    status: tuple[str, ...] = STATUS
    diff: Literal["auto", "unified", "split"] = "auto"
    """`split`: old and new side by side; `auto`: so on wide screens."""
    thinking: Literal["hidden", "folded", "live"] = "live"
    """`folded`: one line; `live`: its end is shown while it runs."""
    timestamps: bool = False
    durations: bool = True
    animation: bool = True
    ascii: bool | Literal["auto"] = "auto"
    """`auto`: where the terminal can show nothing else."""


@frozen
class NotifySettings:
    on: tuple[str, ...] = OCCASIONS
    desktop: str = "auto"
    bell: bool = False
    title: bool = True
    after: float = 10.0


@frozen
class PromptSettings:
    vim: bool = False
    paste_lines: int = 5
    paste_chars: int = 800
    """A paste of more lines or characters is folded into a chip; 0: by that it never is."""


@frozen
class SessionSettings:
    """`record_mb` of one recording, `blobs_*` of what undo needs, `keep_*` of all sessions; 0 keeps for ever."""

    record: bool = True
    record_mb: int = 20
    blobs_mb: int = 500
    blobs_days: int = 30
    keep_days: int = 0
    keep_mb: int = 0


@frozen
class TelemetrySettings:
    prometheus: int = 0
    """The port on this machine where metrics can be asked for; 0: none."""
    content: bool = False


def price(value: Any) -> dict[str, float]:
    """Dollars for a million tokens, as a file gives them. Raises ValueError."""
    needed, may = {"input", "output"}, {"cached", "cache_write"}
    if not isinstance(value, dict) or not needed <= set(value) <= needed | may:
        raise ValueError
    if any(isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n < 1_000_000 for n in value.values()):
        raise ValueError
    return {name: float(number) for name, number in value.items()}


ABOUT: Final[Mapping[str, tuple[Any, str]]] = {
    "model": ("", "The model of a new session, as <provider>/<model>; empty: the first one found."),
    "small_model": ("", "A cheap model that writes the titles of sessions; empty: the first prompt is the title."),
    "favourites": ((), "Models at the top of the list of models; F2 in the list adds one."),
    "mode": ("auto", "What may run without asking you, in a new session."),
    "fallback": ((), "Models to try next, in this order, if the model of a turn fails for good."),
    "agent.max_steps": (50, "The most model calls in a turn; then the turn ends."),
    "agent.timeout": (0.0, "The most seconds that a turn may take; 0: no limit."),
    "agent.max_cost": (0.0, "Dollars to spend after a session is opened; then it asks you; 0: no limit."),
    "agent.max_tokens": (0, "Tokens to use in all requests, in and out; then it asks you; 0: no limit."),
    "agent.parallel_tools": (True, "Whether calls of one step that only read run at the same time."),
    "agent.continues": (3, "How often an answer cut at the model's token limit is continued automatically; 0: never."),
    "agent.effort": ("", "Thinking effort of a new session; empty: the model decides."),
    "tools.enabled": ((), "The tools that the model can use; empty: all."),
    "tools.pass_env": ((), "More environment variables for commands; NAME_* means all that start with NAME_."),
    "tools.command_timeout": (120.0, "Seconds that a command may take, unless the model sets a limit."),
    "tools.max_output_chars": (32_000, "The most characters of a tool's result that the model gets."),
    "display.theme": ("", "The colours; auto (or empty): light or dark, as the terminal's background."),
    "display.theme_dark": ("dark", "The theme on a dark terminal, if theme is auto."),
    "display.theme_light": ("light", "The theme on a light terminal, if theme is auto."),
    "display.status": (STATUS, "The parts of the top line; the parts after > are at the right."),
    "display.diff": ("auto", "How diffs look: side by side (split), in one column (unified), or by width (auto)."),
    "display.thinking": ("live", "How much of the model's thoughts is shown."),
    "display.timestamps": (False, "Whether to show when prompts, tool calls and turn ends happened."),
    "display.durations": (True, "Whether to show how long turns, thoughts and tool calls took."),
    "display.animation": (True, "Whether the screen shows animations."),
    "display.ascii": ("auto", "Whether the screen draws with ASCII characters only."),
    "notify.on": (OCCASIONS, "What notifies you while you are away: done, question, failure."),
    "notify.desktop": ("auto", "The terminal's protocol for desktop notifications; auto: chosen for the terminal."),
    "notify.bell": (False, "Whether the bell rings too; also if the terminal does not report focus."),
    "notify.title": (True, "Whether the terminal's title shows the current state and the folder."),
    "notify.after": (10.0, "Seconds without a key until you count as away, if the terminal does not report focus."),
    "prompt.vim": (False, "Whether the prompt uses vim keys."),
    "prompt.paste_lines": (5, "A paste of more lines is folded into a chip; 0: no limit of lines."),
    "prompt.paste_chars": (800, "A paste of more characters is folded into a chip; 0: no limit of characters."),
    "sessions.record": (True, "Whether sessions are recorded, so that `agent-tui replay` can show them."),
    "sessions.record_mb": (20, "The most megabytes for the recording of one session."),
    "sessions.blobs_mb": (500, "The most megabytes of old file versions, kept for undo; 0: no limit."),
    "sessions.blobs_days": (30, "Days to keep old file versions; 0: no limit."),
    "sessions.keep_days": (0, "Days to keep a session; 0: for ever."),
    "sessions.keep_mb": (0, "Megabytes of sessions to keep, the newest first; 0: no limit."),
    "telemetry.prometheus": (0, "The port on this machine where Prometheus reads metrics; 0: off."),
    "telemetry.content": (False, "Whether spans contain prompts, answers, arguments and results."),
    "providers.model": ("", "The model of this provider, if you name none; empty: the usual one."),
    "providers.openai.api": ("", "The API to use; empty: Responses for OpenAI itself, Chat Completions for others."),
    "providers.openai.think": ("", "Thinking effort; empty: the model's own default."),
    "stream": (True, "Whether an answer arrives word by word (true) or all at once (false)."),
    "base_url": ("", "The address of the server."),
    "api_key": ("", "The key for the server; saved in your config.toml, never in a session."),
    "num_ctx": (0, "Ollama: the context window in tokens; 0: the model's own maximum, at most 32,768."),
    "think": (True, "For models that think: true, false or a level."),
    "max_tokens": (0, "The most tokens of an answer, with thoughts; 0: the model's maximum, at most 32,000."),
    "providers.azure.api": ("", "The API to use; empty: Chat Completions, until the deployment refuses tools there."),
    "providers.azure.think": ("", "Thinking effort; empty: the model's own default."),
    "providers.azure.api_version": ("", "The version of its API; empty: the address without a version."),
    "api_version": ("v1beta", "The version of the server's API, part of its address."),
    "idle_timeout": ("", "Seconds without data until the connection counts as lost; 0: never."),
    "ca_bundle": ("", "A file or folder of certificates to trust for this server, instead of the usual ones."),
    "window": ("", "The context window in tokens, if the server does not report it."),
    "pace": (1.0, "A factor for the length of the demo's pauses."),
}  # fmt: skip
