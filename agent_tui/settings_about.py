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
    "model": ("", "The model of a new session, as <provider>/<model>; empty: the first that is there."),
    "small_model": ("", "A cheap model that gives sessions their titles; empty: the first prompt is the title."),
    "favourites": ((), "Models that stand first in the list of models; F2 there makes one a favourite."),
    "mode": ("auto", "What may run without asking, in a new session."),
    "fallback": ((), "Models that answer in a turn, in this order, where the one before them failed for good."),
    "agent.max_steps": (50, "Model calls in a turn; then the turn ends."),
    "agent.timeout": (0.0, "Seconds that a turn may take; 0: no limit."),
    "agent.max_cost": (0.0, "Dollars that a session may take from when it is opened; then it asks; 0: no limit."),
    "agent.max_tokens": (0, "Tokens that it may read and write, in all requests; then it asks; 0: no limit."),
    "agent.parallel_tools": (True, "Calls of one step that only read run side by side."),
    "agent.continues": (3, "How often an answer that reached the model's token limit goes on by itself; 0: never."),
    "agent.effort": ("", "How hard the model thinks, where nobody says in the session; nothing: as it likes."),
    "tools.enabled": ((), "The tools that the model gets; none named: all."),
    "tools.command_timeout": (120.0, "Seconds that a command may take, where the model does not say."),
    "tools.max_output_chars": (32_000, "Characters of a result that the model gets."),
    "display.theme": ("", "Colours; auto (or empty): by the ground of the terminal, light or dark."),
    "display.theme_dark": ("dark", "The theme on a dark terminal, where theme is auto."),
    "display.theme_light": ("light", "The theme on a light terminal, where theme is auto."),
    "display.status": (STATUS, "The line at the top; what follows > is at the right."),
    "display.diff": ("auto", "Old and new side by side (split), in one column (unified), or by width (auto)."),
    "display.thinking": ("live", "How much of the model's thoughts is shown."),
    "display.timestamps": (False, "When prompts, tool calls and turn ends happened."),
    "display.durations": (True, "How long turns, thoughts and tool calls took."),
    "display.animation": (True, "Whether anything moves by itself."),
    "display.ascii": ("auto", "Whether the screen draws with ASCII characters only."),
    "notify.on": (OCCASIONS, "What is told while the terminal is not looked at: done, question, failure."),
    "notify.desktop": ("auto", "How the terminal is asked for a desktop notification; auto: by which it is."),
    "notify.bell": (False, "Whether the bell rings then; also where the terminal does not tell its focus."),
    "notify.title": (True, "Whether the title of the terminal shows what goes on, and the folder."),
    "notify.after": (10.0, "Seconds without a key until you count as away, where the terminal does not tell."),
    "prompt.vim": (False, "Whether the prompt edits as vim does."),
    "prompt.paste_lines": (5, "A paste of more lines is folded into a chip; 0: it never is by that."),
    "prompt.paste_chars": (800, "A paste of more characters is folded into a chip; 0: it never is by that."),
    "sessions.record": (True, "Whether what the screen was told is kept, so that it can be played back."),
    "sessions.record_mb": (20, "Megabytes of that for one session."),
    "sessions.blobs_mb": (500, "Megabytes of files as they were before a change, for undo; 0: no limit."),
    "sessions.blobs_days": (30, "Days that they are kept; 0: no limit."),
    "sessions.keep_days": (0, "Days that a session is kept; 0: for ever."),
    "sessions.keep_mb": (0, "Megabytes of sessions that are kept, the newest first; 0: no limit."),
    "telemetry.prometheus": (0, "The port on this machine where Prometheus finds metrics; 0: there is none."),
    "telemetry.content": (False, "Whether spans hold what was said: prompts, answers, arguments and results."),
    "providers.model": ("", "The model of this provider, where none is named; empty: the usual one."),
    "providers.openai.api": ("", "OpenAI itself is asked over Responses, every other server over Chat Completions."),
    "providers.openai.think": ("", "How hard a model that thinks tries; the model's own measure where nothing is set."),
    "stream": (True, "Whether an answer comes word by word, or whole."),
    "base_url": ("", "The address of the server."),
    "api_key": ("", "The key for the server; stored in your config.toml, never in a session."),
    "num_ctx": (0, "Ollama: tokens of context window; 0: the model's own maximum, at most 32,768."),
    "think": (True, "For models that think: true, false or a level."),
    "max_tokens": (0, "Tokens of an answer at most, thoughts included; 0: what the model can, at most 32,000."),
    "providers.azure.api": ("", "A deployment is asked over Chat Completions until it refuses tools there."),
    "providers.azure.think": ("", "How hard a model that thinks tries; the model's own measure where nothing is set."),
    "providers.azure.api_version": ("", "The version of its API; empty: the address that needs none."),
    "api_version": ("v1beta", "The version of the server's API, a part of its addresses."),
    "idle_timeout": ("", "Seconds without a byte until the server counts as gone; 0: never."),
    "ca_bundle": ("", "A file, or a folder, of certificates to believe of this server, in place of the usual ones."),
    "window": ("", "Tokens of context window, where the server does not say."),
    "pace": (1.0, "Stretches the demo's pauses."),
}  # fmt: skip
