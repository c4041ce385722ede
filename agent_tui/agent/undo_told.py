"""What a front end is told of a file before it is put back: how it is now, and the difference."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.undo import WORDS, Look, shown
from agent_tui.tools._diff import diff
from agent_tui.tools._files import is_binary

DIFFS: Final = 200
"""Files of which the difference is told."""
DIFF_BYTES: Final = 400_000
"""Of a file, either side, up to which its difference is told."""


def file_told(look: Look, cwd: Path, number: int) -> dict[str, Any]:
    """One file of an answer, the `number`th. `capped`: its difference was left out because of its size or number;
    `goes`, `comes`: there will be no such file any more, or there is none now."""
    told: dict[str, Any] = {
        "path": shown(look.plan.path, cwd), "real": look.plan.path, "state": look.state,
        "why": look.found.problem or WORDS[look.state] or parted(look), "choices": list(look.choices),
        "added": 0, "removed": 0, "diff": [], "capped": False,
        "goes": bool(look.found.sha) and not look.plan.target, "comes": bool(look.plan.target) and not look.found.sha,
    }  # fmt: skip
    now, then = look.found.content, look.old or b""
    if look.state in ("same", "lost") or look.found.problem or is_binary(now) or is_binary(then):
        return told
    if number >= DIFFS or max(len(now), len(then)) > DIFF_BYTES:
        return {**told, "capped": True}
    difference = diff(told["path"], now.decode("utf-8", "replace"), then.decode("utf-8", "replace"))
    hunks = [asdict(hunk) for hunk in difference.hunks]
    return {**told, "added": difference.added, "removed": difference.removed, "diff": hunks}


def parted(look: Look) -> str:
    """What happens to a file's other names: one is written whole beside it and takes its place."""
    others = look.found.names - 1
    if look.state != "as_left" or others < 1:
        return ""
    return f"its {others} other name{'s keep what they hold' if others > 1 else ' keeps what it holds'} (hard links)"


def caps_said(capped: int) -> list[str]:
    """In words, what was left out."""
    if not capped:
        return []
    return [f"{capped} differences are not shown: only those of the first {DIFFS} files, up to {DIFF_BYTES // 1000} kB"]
