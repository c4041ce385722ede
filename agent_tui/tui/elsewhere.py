"""Commands of other coding agents that are typed here out of habit, and what there is instead. A skill of that name
goes before."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from agent_tui.tui import commands

NOT_HERE: Final = "not here yet"
ALIKE: Final = 0.75
"""How alike two names are for the one to be taken for a slip of the other."""
INSTEAD: Final[Mapping[str, str]] = {
    "compact": f"{NOT_HERE}: /clear empties the context, /rewind goes back to an earlier turn",
    "context": "the header shows how full the context is, /stats what each step used",
    "usage": "/stats shows tokens, time and calls of this session",
    "status": "/debug shows model, context and versions, /settings what is set",
    "init": f"{NOT_HERE}: ask for an AGENTS.md in a prompt; it is read at the start of a session",
    "memory": "AGENTS.md in the project is read at the start of a session; edit it as any file",
    "permissions": "/mode says what may run without asking",
    "allowed-tools": "/mode says what may run without asking; the setting tools.enabled names the tools",
    "approvals": "/mode says what may run without asking",
    "sandbox": "every command runs in the sandbox unless the mode is accept-all: /mode",
    "plan": "/mode plan only reads and proposes",
    "login": "`agent-tui auth set PROVIDER` in a shell keeps a key, or /settings api_key",
    "logout": "`agent-tui auth remove PROVIDER` in a shell forgets a key",
    "diff": "each change is shown where it was made, /undo lists what the last turn changed; !git diff shows all",
    "mcp": f"{NOT_HERE}: servers of tools",
    "agents": f"{NOT_HERE}: agents beside this one; /btw asks a question beside the work",
    "hooks": f"{NOT_HERE}: commands that run on events",
    "plugin": f"{NOT_HERE}: plugins; /skills lists the skills",
    "review": "!git diff shows the change; ask for a review of it in a prompt",
    "feedback": "/bug writes the session to a file for a report",
    "output-style": f"{NOT_HERE}: say in AGENTS.md how answers should be",
    "statusline": "the line at the top is a setting: /settings display.status",
    "terminal-setup": "nothing is to be set up; docs/keys.md tells which keys a terminal keeps",
    "bashes": "!command runs at once, also beside a turn; /log shows what ran",
    "side": "/btw asks a question beside the work",
}


def hint(name: str, skills: frozenset[str]) -> str:
    """What to say of `/name`, which is neither command nor skill."""
    known = INSTEAD.get(name.lower())
    if known is not None:
        return f"/{name}: {known}"
    close = get_close_matches(name, (*commands.slash_names(), *skills, *INSTEAD), n=1, cutoff=ALIKE)
    if close and close[0] in INSTEAD and close[0] not in skills:
        return f"no command or skill /{name}; /{close[0]}: {INSTEAD[close[0]]}"
    meant = f"did you mean /{close[0]}?" if close else "type / to see what there is"
    return f"no command or skill /{name}: {meant}"
