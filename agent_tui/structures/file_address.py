"""The addresses under which a terminal opens files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from agent_tui.structures import terminal_facts as facts


def file_address(environment: Mapping[str, str], host: str) -> Callable[[str, int], str]:
    """What makes the address of a file (its absolute path) and a line in it (0: none). `host` tells
    a terminal on another machine that the file is not there; VS Code knows by itself, and takes a
    name in that place for a Windows share."""
    shown = "" if environment.get("TERM_PROGRAM") == "vscode" else quote(host)
    lines = facts.line_links(environment)

    def address(path: str, line: int) -> str:
        place = quote(path.encode("utf-8", "surrogateescape"))
        return f"file://{shown}{place}{f'#{line}' if line and lines else ''}"

    return address
