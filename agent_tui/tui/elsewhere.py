"""Commands of other coding agents that are typed here out of habit, and what there is instead. A skill of that name
goes before."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from agent_tui.tui import commands

NOT_HERE: Final = "not available yet"
ALIKE: Final = 0.75
"""How alike two names are for the one to be taken for a slip of the other."""
INSTEAD: Final[Mapping[str, str]] = {
    "compact": f"{NOT_HERE}: /clear empties the context, /rewind goes back to an earlier turn",
    "context": "the header shows how full the context is, /stats what each step used",
    "usage": "/stats shows tokens, time and calls of this session",
    "status": "/debug shows model, context and versions, /settings what is set",
    "init": f"{NOT_HERE}: ask for an AGENTS.md in a prompt; it is read at the start of a session",
    "memory": "AGENTS.md in the project is read at the start of a session; edit it as any file",
    "permissions": "/mode decides what runs without asking",
    "allowed-tools": "/mode decides what runs without asking; the setting tools.enabled names the tools",
    "approvals": "/mode decides what runs without asking",
    "sandbox": "there is no sandbox: commands have your own rights; /mode decides which ones ask first",
    "plan": "/mode plan only reads and proposes",
    "login": "/setup sets up a provider, or `agent-tui auth set PROVIDER` in a shell saves a key",
    "logout": "`agent-tui auth remove PROVIDER` in a shell deletes a key",
    "diff": "/undo lists the changes of the last turn; !git diff shows all",
    "mcp": f"{NOT_HERE}: MCP servers",
    "agents": f"{NOT_HERE}: sub-agents; /btw asks a side question",
    "hooks": f"{NOT_HERE}: hooks",
    "plugin": f"{NOT_HERE}: plugins; /skills lists the skills",
    "review": "!git diff shows the change; ask for a review of it in a prompt",
    "feedback": "/bug writes the session to a file for a report",
    "output-style": f"{NOT_HERE}: write in AGENTS.md how answers should be",
    "statusline": "the line at the top is a setting: /settings display.status",
    "terminal-setup": "no setup is needed; docs/keys.md lists the keys",
    "bashes": "/jobs lists the commands in the background",
    "tasks": "/jobs lists the commands in the background, /todo shows the todo list",
    "side": "/btw asks a side question",
}


def hint(name: str, skills: frozenset[str]) -> str:
    """What to say of `/name`, which is neither command nor skill."""
    known = INSTEAD.get(name.lower())
    if known is not None:
        return f"/{name}: {known}"
    close = get_close_matches(name, (*commands.slash_names(), *skills, *INSTEAD), n=1, cutoff=ALIKE)
    if close and close[0] in INSTEAD and close[0] not in skills:
        return f"no command or skill /{name}; /{close[0]}: {INSTEAD[close[0]]}"
    meant = f"did you mean /{close[0]}?" if close else "type / to list the commands"
    return f"no command or skill /{name}: {meant}"
