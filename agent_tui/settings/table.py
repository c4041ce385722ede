"""The table: a class for each section, and in it one row a setting. A new setting is one row here.

The row says what may be set (`kinds`), the default, the meaning, whether a change holds at once
(`live`), and which variable or flag sets it too. `agent-tui config`, `/settings`, the checks and
docs/settings.md are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from agent_tui.settings.values import (
    ADDRESS,
    COMMANDS,
    KEYS,
    LIMIT,
    MODEL,
    MODELS,
    OCCASIONS,
    PARTS,
    PRICE,
    RULES,
    SECRET,
    STATUS,
    SWITCH,
    SWITCH_OR_AUTO,
    THEME,
    VARIABLES,
    Commands,
    Flag,
    Setting,
    Variable,
    names,
    number,
    one_of,
    own_names,
    seconds,
    setting,
    table,
    text,
    whole_number,
)
from agent_tui.settings.values import rows as rows
from agent_tui.structures.frozen import declared_fields, frozen
from agent_tui.structures.vocabulary import AUTONOMY, EFFORTS, MODES

_ENDS: Final = "then it asks, or ends if nobody is there"


@frozen
class AgentSettings:
    max_steps: int = setting(
        0,
        whole_number(0, 10_000),
        "The most model calls in a turn; 0: 50 for a local model, else 200.",
        "the most model calls in a turn, up to 10,000; then the turn ends. 0: 50 for a model on your own "
        "machine or network, 200 for others. Near the end, the model is told how many are left",
        flag=Flag("--max-steps", "end the turn after N model calls", "N", only="run"),
    )
    timeout: float = setting(
        0.0,
        LIMIT,
        "The most seconds that a turn may take; 0: no limit.",
        "the most seconds for a turn; 0: no limit",
        flag=Flag("--timeout", "end the turn after S seconds", "S", only="run"),
    )
    wait: float = setting(
        0.0,
        LIMIT,
        "Seconds to wait for a server that is down or busy; 0: five tries.",
        "seconds to wait for a server that is down or busy, before the turn ends; 0: five tries",
        flag=Flag("--wait", "wait S seconds for a server that is down", "S", only="run"),
    )
    tool_dispatcher: str = setting(
        "auto",
        one_of("auto", "sequential", "parallel"),
        "How calls of one step run: auto, sequential or parallel.",
        "how the calls of one step run: `sequential`, `parallel` (those that only read), or as `parallel_tools` says",
    )
    parallel_tools: bool = setting(
        True,
        SWITCH,
        "Whether calls of one step that only read run at the same time.",
        "whether calls of one step that only read run at the same time, where `tool_dispatcher` is `auto`",
    )
    continues: int = setting(
        3,
        whole_number(0, 100),
        "How often an answer cut at the model's token limit is continued automatically; 0: never.",
        "how often an answer that was cut at the model's token limit is continued automatically; 0: never",
    )
    memory: str = setting(
        "recall",
        one_of("off", "recall", "propose"),
        "What is done with your memory: off, recall, or propose: also suggest new facts.",
        "what is done with your [memory](memory.md): `off`, `recall` facts, or `propose` new ones, too",
    )
    embedding_model: str = setting(
        "",
        MODEL,
        "An embedding model, to find facts of your memory by meaning; empty: none.",
        "an embedding model, which is sent your facts and prompts to find facts [by meaning](memory.md#by-meaning)",
    )
    compact: bool = setting(
        True,
        SWITCH,
        "Whether older messages become a summary before the context window is full.",
        "whether older messages become a [summary](context.md#compaction) when a request would be too long",
        flag=Flag("--no-compact", "never summarise older messages by itself"),
    )
    map_tokens: int = setting(
        0,
        whole_number(0, 32_000),
        "Tokens of a map of the project behind the first prompt; 0: none.",
        "tokens of a [map of the project](context.md#map) behind the first prompt of a session; 0: none",
    )
    edit_format: str = setting(
        "auto",
        one_of("auto", "edit", "flat", "patch"),
        "How the model changes files: edit, flat, patch, or auto: as suits it.",
        "which [tools for edits](tools.md#edits) a model has from the start: `edit` is `edit_file`, `flat` the same "
        "with one edit a call, `patch` is `apply_patch` as well, and `auto` is what suits its family and size",
    )
    effort: str = setting(
        "",
        one_of(*EFFORTS),
        "Thinking effort of a new session; empty: the model decides.",
        "how hard the model thinks in a new session: `none`, `minimal`, `low` … `max`; empty: it decides",
    )
    max_cost: float = setting(
        0.0,
        number("dollars", 0, 1_000_000, " (0: no limit)"),
        "Dollars to spend after a session is opened; then it asks you; 0: no limit.",
        "[dollars to spend](providers.md#budgets) after a session is opened; then it asks; 0: no limit",
        flag=Flag("--max-cost", f"dollars to spend at most; {_ENDS}", "USD"),
    )
    max_tokens: int = setting(
        0,
        whole_number(0, 1_000_000_000_000),
        "Tokens to use in all requests, in and out; then it asks you; 0: no limit.",
        "tokens to use in all requests, in and out; then it asks; 0: no limit",
        flag=Flag("--max-tokens", f"tokens to use at most, in and out; {_ENDS}", "N"),
    )


@frozen
class ToolSettings:
    enabled: tuple[str, ...] = setting(
        (), names("a list of tool names"), "The tools that the model can use; empty: all."
    )
    profile: str = setting(
        "auto",
        one_of("auto", "small", "full"),
        "How much of the tools is in the first request: small, full, or auto: by the window.",
        "how much of the tools [is in the first request](tools.md#small-windows): `small`, `full`, or `auto`: small "
        "for a model whose context window has at most 16,384 tokens",
    )
    pass_env: tuple[str, ...] = setting(
        (),
        VARIABLES,
        "More environment variables for commands; NAME_* means all that start with NAME_.",
        'more [variables](#what-commands-get-of-your-variables) for commands, such as `"DATABASE_URL"`; '
        '`"AWS_*"` means all that start with `AWS_`',
    )
    command_timeout: float = setting(
        120.0,
        seconds(1, 86_400),
        "Seconds that a command may take, unless the model sets a limit.",
        "seconds that a command may take, 1 to 86,400, unless the model sets a limit",
    )
    command_memory: int = setting(
        0,
        whole_number(0, 1_000_000),
        "Megabytes that each process of a command may take (Linux); 0: no limit.",
        "megabytes that each process of a command may take, up to 1,000,000 (on Linux); 0: no limit",
    )
    max_output_chars: int = setting(
        32_000,
        whole_number(500, 1_000_000),
        "The most characters of a tool's result that the model gets.",
        "the most characters of a result that the model gets, 500 to 1,000,000; "
        "[less](context.md#results) where the window is small or nearly full",
    )


@frozen
class PermissionSettings:
    deny: tuple[str, ...] = setting(
        (),
        RULES,
        "Calls that are denied in every mode, as run_shell_command(git push *).",
        "[calls](safety.md#your-own-rules) that are denied in every mode, as `run_shell_command(git push *)`",
    )
    ask: tuple[str, ...] = setting(
        (), RULES, "Calls that ask in every mode.", "calls that ask in every mode"
    )
    allow: tuple[str, ...] = setting(
        (),
        RULES,
        "Calls that run without a question, as edit_file(src/**).",
        "calls that run without a question, as `edit_file(src/**)`; not those on the hard list, outside "
        "the folder, or of secret and protected files",
    )
    autonomy: str = setting(
        "full",
        one_of(*AUTONOMY),
        "How far any mode may go: read-only, supervised (changes always ask) or full.",
        "how far any mode may go: `read-only` (nothing is changed), `supervised` (`accept-edits` and "
        "`accept-all` ask as `auto` does) or `full`",
    )
    allowed_commands: tuple[str, ...] = setting(
        (),
        names("a list of program names"),
        "The only programs that commands may start; empty: any.",
        'the only programs that commands may start, as `["git", "pytest"]`; empty: any. A command that '
        "cannot be read for certain is denied then",
    )
    forbidden_dirs: tuple[str, ...] = setting(
        (),
        names("a list of folders"),
        "Folders that no call may name.",
        "folders that no call may name, neither as a path nor in the words of a command",
    )


@frozen
class SandboxSettings:
    mode: str = setting(
        "auto",
        one_of("auto", "local", "linux", "macos", "windows", "wsl"),
        "The sandbox of commands in accept-all mode; local: none.",
        "the [sandbox](safety.md#the-sandbox-of-accept-all) of commands in `accept-all`: `auto` takes "
        "what this system has, `local` means none, and `linux`, `macos`, `windows` or `wsl` is for that system alone",
        variable=Variable("AGENT_TUI_SANDBOX"),
        flag=Flag("--sandbox", "the sandbox of commands in accept-all mode; local: none", "NAME"),
    )


@frozen
class HookSettings:
    after_edit: Commands = table(
        COMMANDS,
        "Commands to run after the agent has changed a file, by pattern.",
        "[commands that run after the agent has changed a file](#commands-after-an-edit), by the pattern of "
        'the file, as `{ "*.py" = ["ruff format {file}"] }`',
        live=True,
    )


@frozen
class DisplaySettings:
    theme: str = setting(
        "auto",
        THEME,
        "The colours; auto (or empty): light or dark, as the terminal's background.",
        "a [theme](themes.md); `auto`, or empty: one of the next two, as the terminal's background",
        live=True,
        variable=Variable("NO_COLOR", means="no-colour"),
    )
    theme_dark: str = setting(
        "dark",
        THEME,
        "The theme on a dark terminal, if theme is auto.",
        "the theme on a dark terminal",
        live=True,
    )
    theme_light: str = setting(
        "light",
        THEME,
        "The theme on a light terminal, if theme is auto.",
        "the theme on a light terminal",
        live=True,
    )
    status: tuple[str, ...] = setting(
        STATUS,
        PARTS,
        "The parts of the top line; the parts after > are at the right.",
        "the parts of the top line, in their order; also `branch`, `cost` and `queue`. "
        'Parts after `">"` are at the right. '
        "A mode that asks less than usual is always shown",
        live=True,
    )
    diff: Literal["auto", "unified", "split"] = setting(
        "auto",
        one_of("auto", "unified", "split"),
        "How diffs look: side by side (split), in one column (unified), or by width (auto).",
        "`unified`: one column; `split`: old and new side by side, from 70 columns on; `auto`: side by side from 120 "
        "columns on",
        live=True,
    )
    thinking: Literal["hidden", "folded", "live"] = setting(
        "live",
        one_of("hidden", "folded", "live"),
        "How much of the model's thoughts is shown.",
        "`live`: the end of a thought while it arrives, then one line; `folded`: always one line; `hidden`: nothing",
        live=True,
    )
    timestamps: bool = setting(
        False,
        SWITCH,
        "Whether to show when prompts, tool calls and turn ends happened.",
        "show when prompts, tool calls and turn ends happened, at the right edge",
        live=True,
    )
    durations: bool = setting(
        True,
        SWITCH,
        "Whether to show how long turns, thoughts and tool calls took.",
        "show how long turns, thoughts and tool calls took",
        live=True,
    )
    animation: bool = setting(
        True,
        SWITCH,
        "Whether the screen shows animations.",
        "`false` (or `--no-animation`): no animations; clocks still count",
        live=True,
        flag=Flag("--no-animation", "turn off animations", only="screen"),
    )
    ascii: bool | Literal["auto"] = setting(
        "auto",
        SWITCH_OR_AUTO,
        "Whether the screen draws with ASCII characters only.",
        "`true`: the screen draws with ASCII characters only; `auto`: only if the locale is not UTF-8, or for "
        "`TERM=linux`. Your text and the model's is shown as it is",
    )


@frozen
class NotifySettings:
    on: tuple[str, ...] = setting(
        OCCASIONS,
        names(f"a list of {', '.join(OCCASIONS)}", OCCASIONS),
        "What notifies you while you are away: done, question, failure.",
        "what notifies you while you are away: a turn ended, something asks you, something failed",
        live=True,
    )
    desktop: str = setting(
        "auto",
        one_of("auto", "off", "osc9", "osc99", "osc777"),
        "The terminal's protocol for desktop notifications; auto: chosen for the terminal.",
        "the terminal's protocol for desktop notifications: `osc9` (iTerm2), `osc99` (kitty), `osc777` (foot, ghostty, "
        "WezTerm, urxvt); `auto`: chosen for the terminal; `off`. It works only if the terminal reports its focus; in "
        "tmux set `focus-events` and `allow-passthrough` on",
        live=True,
    )
    bell: bool = setting(
        False,
        SWITCH,
        "Whether the bell rings too; also if the terminal does not report focus.",
        "the bell rings too; if the terminal does not report its focus, it rings after `after` seconds without a key",
        live=True,
    )
    title: bool = setting(
        True,
        SWITCH,
        "Whether the terminal's title shows the current state and the folder.",
        "the terminal's title shows the state (`*` working, `?` waiting for you) and the folder; the old title comes "
        "back at the end",
        live=True,
    )
    after: float = setting(
        10.0,
        seconds(0, 86_400),
        "Seconds without a key until you count as away, if the terminal does not report focus.",
        "seconds without a key until you count as away, if the terminal does not report its focus, 0 to 86,400",
        live=True,
    )


@frozen
class SessionSettings:
    record: bool = setting(
        True,
        SWITCH,
        "Whether sessions are recorded, so that `agent-tui replay` can show them.",
        "record sessions, so that `agent-tui replay` can show them",
    )
    record_mb: int = setting(
        20,
        whole_number(1, 100_000),
        "The most megabytes for the recording of one session.",
        "the most megabytes for the recording of one session, 1 to 100,000",
    )
    blobs_mb: int = setting(
        500,
        whole_number(0, 1_000_000),
        "The most megabytes of old file versions, kept for undo; 0: no limit.",
    )
    blobs_days: int = setting(
        30, whole_number(0, 36_500), "Days to keep old file versions; 0: no limit."
    )
    keep_days: int = setting(0, whole_number(0, 36_500), "Days to keep a session; 0: for ever.")
    keep_mb: int = setting(
        0,
        whole_number(0, 10_000_000),
        "Megabytes of sessions to keep, the newest first; 0: no limit.",
    )


@frozen
class PromptSettings:
    vim: bool = setting(
        False,
        SWITCH,
        "Whether the prompt uses vim keys.",
        "the prompt uses vim keys; `/vim` switches them for one session",
        live=True,
    )
    paste_lines: int = setting(
        5,
        whole_number(0, 100_000),
        "A paste of more lines is folded into a chip; 0: no limit of lines.",
        "a paste of more lines is folded into a chip, 0 to 100,000; 0: no limit of lines",
        live=True,
    )
    paste_chars: int = setting(
        800,
        whole_number(0, 10_000_000),
        "A paste of more characters is folded into a chip; 0: no limit of characters.",
        "a paste of more characters is folded into a chip, 0 to 10,000,000; 0: no limit of characters",
        live=True,
    )


@frozen
class TelemetrySettings:
    prometheus: int = setting(
        0,
        whole_number(0, 65_535),
        "The port on this machine where Prometheus reads metrics; 0: off.",
        "[the port on this machine](observability.md#metrics) where Prometheus reads metrics; 0: off",
    )
    content: bool = setting(
        False,
        SWITCH,
        "Whether spans contain prompts, answers, arguments and results.",
        "whether spans contain [what was said](observability.md#what-was-said), with arguments and results",
    )


@frozen
class ProviderSettings:
    """What holds for any provider; `options`: what only some understand (as `SERVED`)."""

    base_url: str = setting(
        "",
        ADDRESS,
        "The address of the server.",
        "the server's address, with `http://` or `https://`",
    )
    api_key: str = setting(
        "",
        SECRET,
        "The key for the server; saved in your config.toml, never in a session.",
        "the key for it; never saved in a session",
    )
    num_ctx: int = setting(
        0,
        whole_number(0, 100_000_000),
        "Ollama: the context window in tokens; 0: the model's own maximum, at most 32,768.",
        "Ollama: the context window in tokens; 0: the model's own maximum, at most 32,768",
    )
    key_from: str = ""
    """Where the key is from, if no setting says it (`providers/choosing/keys.py`)."""
    options: Mapping[str, object] = field(default_factory=dict, repr=False)


@frozen
class Settings:
    """All settings. The order is that of `/settings` and `agent-tui config`."""

    model: str = setting(
        "",
        MODEL,
        "The model of a new session, as <provider>/<model>; empty: the first one found.",
        "the model, as `<provider>/<model>`; empty: the first one found, in [this order](#which-model)",
        variable=Variable("AGENT_TUI_MODEL"),
        flag=Flag("--model", "the model, as <provider>/<model>", "MODEL", "-m"),
    )
    mode: str = setting(
        "auto",
        one_of(*MODES),
        "What may run without asking you, in a new session.",
        "what may run without asking: `manual`, `auto`, `accept-edits`, `accept-all` or `plan`",
        variable=Variable("AGENT_TUI_MODE"),
        flag=Flag("--mode", f"{', '.join(MODES[:-1])} or {MODES[-1]}", "MODE"),
    )
    fallback: tuple[str, ...] = setting(
        (),
        MODELS,
        "Models to try next, in this order, if the model of a turn fails for good.",
        "models to try next, in this order, if the model of a turn fails for good; not in a project's file",
    )
    small_model: str = setting(
        "",
        MODEL,
        "A cheap model that writes the titles of sessions; empty: the first prompt is the title.",
        "[a cheap model](providers.md#the-small-model) for titles of sessions; empty: the first prompt is the title",
    )
    favourites: tuple[str, ...] = setting(
        (),
        MODELS,
        "Models at the top of the list of models; F2 in the list adds one.",
        "models at the top of the list of models; `F2` in the list adds or removes one",
        live=True,
    )
    agent: AgentSettings = AgentSettings()
    tools: ToolSettings = ToolSettings()
    permissions: PermissionSettings = PermissionSettings()
    sandbox: SandboxSettings = SandboxSettings()
    hooks: HookSettings = HookSettings()
    display: DisplaySettings = DisplaySettings()
    notify: NotifySettings = NotifySettings()
    sessions: SessionSettings = SessionSettings()
    prompt: PromptSettings = PromptSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = own_names(KEYS)
    """Command to the person's own keys for it, as they were written."""
    rate_limits: Mapping[str, int] = own_names(
        whole_number(1, 10_000), "How often this tool may be called in a minute."
    )
    aliases: Mapping[str, str] = own_names(MODEL, "The model that this name means.")
    prices: Mapping[str, Mapping[str, float]] = own_names(PRICE)
    """The person's own prices, by `<provider>/<model>` or `<provider>/*`."""

    def snapshot(self) -> dict[str, object]:
        """What is on record with a session: plain JSON data; of the providers only the names."""
        values = {own.name: getattr(self, own.name) for own in declared_fields(Settings)}
        sections = {name: _plain(own) for name, own in values.items() if any(rows(type(own)))}
        return {
            "model": self.model,
            "mode": self.mode,
            **sections,
            "providers": sorted(self.providers),
        }


def _plain(section: object) -> dict[str, object]:
    values = {own.name: getattr(section, own.name) for own in declared_fields(type(section))}
    return {name: _as_json(value) for name, value in values.items()}


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _as_json(one) for name, one in value.items()}
    return list(value) if isinstance(value, tuple) else value


# -- what a server may be told beside: `options` of its provider

MODEL_OF: Final = Setting(
    text("the name of a model"),
    "",
    "The model of this provider, if you name none; empty: the usual one.",
    "the model, if you name none; default: [the usual one](providers.md#the-providers)",
)
STREAM: Final = Setting(
    SWITCH,
    True,
    "Whether an answer arrives word by word (true) or all at once (false).",
    "`false`: an answer arrives all at once, not word by word; default `true`",
)
IDLE_TIMEOUT: Final = Setting(
    LIMIT,
    "",
    "Seconds without data until the connection counts as lost; 0: never.",
    "seconds without data until the connection counts as lost; 0: never. Default: 60 (300 for the first byte); 600 for "
    "a server nearby, without a limit for the first byte",
)
CA_BUNDLE: Final = Setting(
    text("a file, or a folder, of certificates"),
    "",
    "A file or folder of certificates to trust for this server, instead of the usual ones.",
    "a file or folder of [certificates](providers.md#proxies-and-certificates) to trust for this server, instead of "
    "the usual ones",
)
ANY: Final[Mapping[str, Setting]] = {
    "window": Setting(
        whole_number(0, 100_000_000),
        "",
        "The context window in tokens, if the server does not report it.",
        "the context window in tokens, if the server does not report it; 128,000 if it is not known",
    ),
    "max_tokens": Setting(
        whole_number(0, 1_000_000),
        0,
        "The most tokens of an answer, with thoughts; 0: the model's maximum, at most 32,000.",
        "the most tokens of an answer; 0 (the default): the model's maximum, or 4,096 if it is not known",
    ),
    "stream": STREAM,
    "idle_timeout": IDLE_TIMEOUT,
    "ca_bundle": CA_BUNDLE,
}
SERVED: Final[Mapping[str, Setting]] = {"model": MODEL_OF, **ANY}
"""Of servers of Chat Completions; the others declare theirs (`providers/services/`)."""
