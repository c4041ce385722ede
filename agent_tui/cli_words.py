"""Words that other agents know: what they are called here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FLAGS: Final = {
    "-p": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--dangerously-skip-permissions": "`--mode accept-all` runs without asking, but for the hard list",
    "--dangerously-bypass-approvals-and-sandbox": "`--mode accept-all` runs without asking, but for the hard list",
    "--full-auto": "`--mode accept-all` runs without asking, but for the hard list",
    "--yolo": "`--mode accept-all` runs without asking, but for the hard list",
}
_SETTINGS: Final = "`agent-tui config` shows and changes settings"
WORDS: Final = {
    "exec": "`agent-tui run PROMPT` runs one prompt without a screen",
    "print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "resume": "`agent-tui -r` lists the sessions, `agent-tui -r ID` goes on with one",
    "continue": "`agent-tui -c` goes on with the last session here",
    "login": "there is no account; `agent-tui auth set PROVIDER` keeps a provider's key",
    "logout": "there is no account; `agent-tui auth remove PROVIDER` forgets a provider's key",
    "mcp": f"there are no MCP servers; {_SETTINGS}",
    "settings": _SETTINGS,
    "update": "agent-tui is updated with what installed it",
    "upgrade": "agent-tui is updated with what installed it",
    "help": "`agent-tui --help` tells what there is",
    "version": "`agent-tui --version` tells the version",
}


def elsewhere(arguments: Sequence[str]) -> str:
    """What to use instead, if the words ask for what another agent has; behind `--` all words are a prompt."""
    flags = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    if flags and (hint := WORDS.get(flags[0])):
        return f"{flags[0]}: {hint} (as a prompt: agent-tui -- {flags[0]})"
    found = next((flag for flag in (word.partition("=")[0] for word in flags) if flag in FLAGS), "")
    return f"{found}: {FLAGS[found]}" if found else ""
