"""What the demo says about a tool's result: one short sentence that the result bears out. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from agent_tui.protocol.messages import ToolCall, ToolMessage
from agent_tui.providers._demo_speech import code

_ERROR: Final = re.compile(r"Error \[([a-z_]+)\]: ?(.*)")
STOPPED: Final = ("cancelled", "interrupted")
"""Tags of calls that the person, or the end of the program, broke off."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A result that says why a call failed: its tag, and the first line of the reason."""

    tag: str
    reason: str

    @property
    def by_person(self) -> bool:
        return self.tag == "denied" and self.reason.startswith("the person said no")

    @property
    def words(self) -> str:
        """What the person said with their no; empty if nothing."""
        return self.reason.partition(": ")[2].strip() if self.by_person else ""


def failure(result: ToolMessage) -> Failure | None:
    """Why the call failed; None if it did not."""
    found = _ERROR.match(result.content)
    return Failure(found[1], found[2].strip()) if found else None


def not_done(failed: Failure) -> str:
    """A sentence for a call that failed."""
    if failed.by_person and failed.words:
        return f"You said no, and {code(failed.words)}. Nothing was done. A model would read your words."
    if failed.by_person:
        return "You said no, so nothing was done. The agent is told so and continues."
    if failed.tag == "denied":
        return "Nothing was done: it needed an approval, and nobody could give it."
    if failed.tag == "blocked":
        return f"That was refused, so nothing was done: {code(failed.reason.rstrip('.'))}."
    if failed.tag in STOPPED:
        return "That was interrupted."
    return f"That did not work: {code(failed.reason.rstrip('.') or failed.tag)}."


def comment(call: ToolCall, result: ToolMessage) -> str:
    """A sentence about the result of `call`."""
    failed = failure(result)
    if failed is not None:
        return not_done(failed)
    arguments = _arguments(call)
    name = code(str(arguments.get("path", "")))
    match call.name:
        case "read_file":
            return _read(name, result.content)
        case "list_files":
            empty = result.content.endswith("is an empty folder.")
            return f"{name} is empty." if empty else f"That is what is in {name}."
        case "grep_files":
            wanted = code(re.sub(r"\\(.)", r"\1", str(arguments.get("pattern", ""))))
            found = re.match(r"((?:Over )?[0-9,]+ match(?:es)?):", result.content)
            return f"{found[1]} for {wanted}." if found else f"No line contains {wanted}."
        case "edit_file":
            return f"{name} was changed."
        case "create_file":
            return f"{name} was written."
        case "run_shell_command":
            return ran(result)
        case _:
            return f"The result of {code(call.name)} is above."


def ran(result: ToolMessage) -> str:
    """A sentence about a shell command."""
    failed = failure(result)
    if failed is not None:
        return not_done(failed)
    ended = re.match(r"exit code (-?[0-9]+)", result.content)
    return f"The command ended with exit code {ended[1]}." if ended else "The command ended."


def _read(name: str, content: str) -> str:
    if re.search(r" is empty \(.*\)\.$", content) and "\n" not in content and "→" not in content:
        return f"{name} is empty."
    part = re.search(r"^\[Lines ([0-9]+)-([0-9]+) of ([0-9]+)\.", content, re.MULTILINE)
    if part:
        return f"Those are lines {part[1]} to {part[2]} of the {part[3]} lines of {name}."
    return f"That is {name}, with line numbers. A model gets it like this."


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        data = json.loads(call.arguments)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
