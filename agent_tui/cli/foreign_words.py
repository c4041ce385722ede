"""Words that other agents know: what they are called here."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from agent_tui.boot.terminal import COMMANDS

FLAGS: Final = {
    "-p": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--dangerously-skip-permissions": "`--mode accept-all` runs without asking, except for the hard list",
    "--dangerously-bypass-approvals-and-sandbox": "`--mode accept-all` runs without asking, except for the hard list",
    "--full-auto": "`--mode accept-all` runs without asking, except for the hard list",
    "--yolo": "`--mode accept-all` runs without asking, except for the hard list",
}
_SETTINGS: Final = "`agent-tui config` shows and changes settings"
WORDS: Final = {
    "exec": "`agent-tui run PROMPT` runs one prompt without a screen",
    "print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "resume": "`agent-tui -r` lists the sessions, `agent-tui -r ID` continues one",
    "continue": "`agent-tui -c` continues the last session here",
    "login": "there is no account; `agent-tui auth set PROVIDER` saves a provider's key",
    "logout": "there is no account; `agent-tui auth remove PROVIDER` deletes a provider's key",
    "mcp": f"there are no MCP servers; {_SETTINGS}",
    "settings": _SETTINGS,
    "update": "update agent-tui with the tool that installed it",
    "upgrade": "update agent-tui with the tool that installed it",
    "help": "`agent-tui --help` lists the commands",
    "version": "`agent-tui --version` shows the version",
}


def elsewhere(arguments: Sequence[str]) -> str:
    """What to use instead, if the words ask for what another agent has; behind `--` all words are a
    prompt."""
    flags = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    if flags and (hint := WORDS.get(flags[0])):
        return f"{flags[0]}: {hint} (as a prompt: agent-tui -- {flags[0]})"
    if len(arguments) == 1 and (near := get_close_matches(arguments[0], COMMANDS, n=1, cutoff=0.8)):
        word = arguments[0]
        return f"no command {word!r}: did you mean {near[0]}? To send it as a prompt: agent-tui -- {word}"
    found = next((flag for flag in (word.partition("=")[0] for word in flags) if flag in FLAGS), "")
    return f"{found}: {FLAGS[found]}" if found else ""
