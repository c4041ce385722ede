"""Looks whether a text with placeholders is the original with parts of its lines replaced, and
nothing else."""

from __future__ import annotations

import re

from agent_tui.safety.secrets.scrubber import placeholder
from agent_tui.safety.secrets.strength import PLACEHOLDER


def is_hidden(shown: str, original: str) -> bool:
    """Whether each placeholder in `shown` stands for what is in its place in `original`, line by
    line."""
    lines, others = shown.split("\n"), original.split("\n")
    return len(lines) == len(others) and all(map(_is_hidden_line, lines, others))


def _is_hidden_line(shown: str, original: str) -> bool:
    found = PLACEHOLDER.search(shown)
    if found is None:
        return shown == original
    before, rest = shown[: found.start()], shown[found.end() :]
    if not original.startswith(before):
        return False
    following = PLACEHOLDER.split(rest)[0]
    kind = found[0].split(":")[1]
    for end in [match.start() for match in re.finditer(re.escape(following), original)]:
        value = original[len(before) : end]
        if value and placeholder(kind, value) == found[0] and _is_hidden_line(rest, original[end:]):
            return True
    return False
