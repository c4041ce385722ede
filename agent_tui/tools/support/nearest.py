"""What to say of a text that a file does not hold: the nearest that it holds, and what differs."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from agent_tui.safety.secrets.scrubber import KEY, hide_keys_between
from agent_tui.structures import late
from agent_tui.tools.support import pieces
from agent_tui.tools.support.matching import line_of

NEAREST_LINES: Final = 20_000
"""Lines of a file that are searched for the nearest text."""
TRIES: Final = 1_000
"""Places in which a line is looked at whether it is the one."""
SHOWN_LINES: Final = 40
LINE: Final = 400
"""Characters of a line that are shown."""
LOOKED_AT: Final = 20_000
"""Characters of a line in which secrets are looked for: more than are shown, so that none is cut in
two."""
TELLING: Final = 200
"""Characters of a line by which it is compared."""
ALIKE: Final = 0.6
"""How much of two lines must be the same."""
EFFORT: Final = 1_000_000
"""Steps that the search for the nearest line may take."""
COMPARED: Final = 3
"""Lines of which is shown what differs."""
_NUMBERED: Final = late.pattern(r"\s*\d+→")
_EDGES: Final = late.pattern(r"^[ \t]+|[ \t\r]+$")
_SEEN: Final = str.maketrans({" ": "·", "\t": "⇥", "\r": "␍"})


Hide = Callable[[str], str]
"""`text` with placeholders for secrets, with as many lines."""


def describe_miss(text: str, old: str, new: str, hide: Hide, hide_known: Hide) -> str:
    """Why `old` may be missing in `text`, in bounded time. `hide_known` hides the values that are
    known, `hide` also what looks like a secret in this file."""
    lines = [line for line in old.split("\n") if line]
    if lines and all(map(_NUMBERED.match, lines)):
        return "Leave out the line numbers that read_file shows: they are not part of the file."
    if len(new.strip()) > SHOWN_LINES // 4:
        at = pieces.find(text, new)
        if at >= 0 and pieces.find(text, new, at + len(new)) < 0:
            return f"The new text is there already, from line {line_of(text, at)}."
    return _nearest(text, old, hide, hide_known)


def _nearest(text: str, old: str, hide: Hide, hide_known: Hide) -> str:
    wanted = old.strip("\n").split("\n")
    anchor = max(wanted, key=lambda line: len(line.strip()))
    at = _find_line(text, anchor.strip())
    if at is None:
        at = _find_alike(text, anchor.strip()[:TELLING])
    if at is None:
        return "It has no similar text: read the file again."
    begin = at
    for _ in range(wanted.index(anchor)):
        begin = text.rfind("\n", 0, max(0, begin - 1)) + 1
    end = begin
    for _ in range(min(len(wanted), SHOWN_LINES)):
        end = text.find("\n", end) + 1 or len(text) + 1
    end -= 1
    around = text[max(0, begin - KEY) : begin], text[end : end + KEY]
    held = hide_keys_between(around[0], cut_lines(text[begin:end]), around[1], hide_known)
    shown = hide(held).split("\n")
    start = line_of(text, begin) - 1
    numbered = "\n".join(f"{start + n + 1:>5}→{line[:LINE]}" for n, line in enumerate(shown))
    said = f"The nearest text is this:\n{numbered}"
    given = hide(cut_lines("\n".join(wanted[: len(shown)]))).split("\n")
    found = _differences(shown, given, start + 1)
    return f"{said}\n{found}" if found else said


def cut_lines(text: str) -> str:
    """`text` with as much of each line as secrets are looked for in."""
    return "\n".join(line[:LOOKED_AT] for line in text.split("\n"))


def _find_line(text: str, sought: str) -> int | None:
    """Where the line begins that is `sought`, but for blanks around it."""
    at = pieces.find(text, sought) if sought else -1
    for _ in range(TRIES):
        if at < 0:
            return None
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        if text[start : end if end >= 0 else None].strip() == sought:
            return start
        at = pieces.find(text, sought, at + len(sought))
    return None


def _find_alike(text: str, sought: str) -> int | None:
    """Where the line begins that is most like `sought`."""
    first: dict[str, int] = {}
    at = 0
    for _ in range(NEAREST_LINES):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else None]
        first.setdefault(line.strip()[:TELLING], at)
        if (at := end + 1) == 0:
            break
    found = sought if sought in first else _most_alike(first, sought)
    return None if found is None else first[found]


def _most_alike(lines: Iterable[str], sought: str) -> str | None:
    """The line that is most like `sought`; None: none is like it, or not among those that there was
    time for. What a line takes grows with its length, and that of a close look with its square."""
    best, found, left = ALIKE, None, EFFORT
    letters = Counter(sought)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(sought)
    for line in lines:
        whole = len(line) + len(sought)
        left -= whole
        if left < 0:
            break
        # no line can be more alike than its letters are, in whatever order
        if 2 * min(len(line), len(sought)) < best * whole:
            continue
        common = sum(min(line.count(letter), count) for letter, count in letters.items())
        if 2 * common < best * whole:
            continue
        left -= len(line) * len(sought)
        matcher.set_seq1(line)
        ratio = matcher.ratio()
        if ratio > best or (found is None and ratio == best):
            best, found = ratio, line
    return found


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
