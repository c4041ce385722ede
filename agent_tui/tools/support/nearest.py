"""What to say of a text that a file does not hold: the nearest that it holds, and what differs."""

from __future__ import annotations

import difflib
import re
from typing import Final

from agent_tui.safety.secrets.scrubber import hide_keys
from agent_tui.tools.support.matching import line_of

NEAREST_LINES: Final = 20_000
"""Lines of a file that are searched for the nearest text."""
SHOWN_LINES: Final = 40
LINE: Final = 400
"""Characters of a line that are shown."""
COMPARED: Final = 3
"""Lines of which is shown what differs."""
_NUMBERED: Final = re.compile(r"\s*\d+→")
_EDGES: Final = re.compile(r"^[ \t]+|[ \t\r]+$")
_SEEN: Final = str.maketrans({" ": "·", "\t": "⇥", "\r": "␍"})


def describe_miss(text: str, old: str, new: str) -> str:
    """Why `old` may be missing in `text`, in bounded time."""
    lines = [line for line in old.split("\n") if line]
    if lines and all(map(_NUMBERED.match, lines)):
        return "Leave out the line numbers that read_file shows: they are not part of the file."
    if new.strip() and text.count(new) == 1 and len(new.strip()) > SHOWN_LINES // 4:
        return f"The new text is there already, from line {line_of(text, text.find(new))}."
    return _nearest(text, old)


def _nearest(text: str, old: str) -> str:
    text = hide_keys(text) if "PRIVATE KEY" in text else text
    lines, wanted = text.split("\n")[:NEAREST_LINES], old.strip("\n").split("\n")
    at = _find_nearest(lines, wanted)
    if at is None:
        return "It has no similar text: read the file again."
    start = max(0, at)
    shown = lines[start : start + min(len(wanted), SHOWN_LINES)]
    numbered = "\n".join(f"{start + n + 1:>5}→{line[:LINE]}" for n, line in enumerate(shown))
    said = f"The nearest text is this:\n{numbered}"
    found = _differences(shown, wanted, start + 1)
    return f"{said}\n{found}" if found else said


def _find_nearest(lines: list[str], wanted: list[str]) -> int | None:
    """The number of the line (from 0) where the stretch begins that is most like `wanted`."""
    best, at = 0.0, -1
    anchor = max(wanted, key=lambda line: len(line.strip()))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(anchor.strip()[:200])
    for number, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:200])
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        ratio = matcher.ratio()
        if ratio > best:
            best, at = ratio, number
            if ratio == 1.0:
                break
    return None if best < 0.6 else at - wanted.index(anchor)


def _differences(held: list[str], wanted: list[str], first: int) -> str:
    """The first lines that differ, with what cannot be seen made visible."""
    found: list[str] = []
    for number, (own, given) in enumerate(zip(held, wanted, strict=False), first):
        if own != given and len(found) < COMPARED:
            found.append(f"line {number} in the file: {_visible(own)}")
            found.append(f"line {number} in `old`:    {_visible(given)}")
            if len(found) >= 2 * COMPARED:
                break
    legend = "What differs (· space, ⇥ tab, ␍ carriage return):\n"
    return legend + "\n".join(found) if found else ""


def _visible(line: str) -> str:
    """The line with the blanks at its ends shown, and what looks like another sign named."""
    line = _EDGES.sub(lambda edge: edge[0].translate(_SEEN), line[:LINE]).replace("\t", "⇥")
    return "".join(map(_named, line))


def _named(char: str) -> str:
    odd = "\u2010" <= char <= "\u202f" or char in "\u00a0\u2212\u200b\ufeff"
    return f"{char}<U+{ord(char):04X}>" if odd else char
