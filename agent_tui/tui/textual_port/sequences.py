"""Escape sequences as they come in pieces over a slow line: how they begin, go on and end."""

from __future__ import annotations

from agent_tui.structures.late import pattern

_COLOUR = r"(?>rgba?:[\dA-Fa-f/]{0,24}|rgba?|rg?|)"
_WORDS = r"[^\x00-\x1f\x7f-\x9f]{0,4096}"
_SAYS = (
    rf"(?:\](?:1\d;{_COLOUR}|(?!1\d;)\d{{1,4}};{_WORDS})|P[\d;]{{0,16}}[!$+>]{_WORDS}|_G{_WORDS})"
)
"""What an answer says, up to its end: a colour, or anything else (OSC, DCS, APC)."""
_MAYBE = r"(?:\]\d{0,4}|P[\d;]{0,16}|_)"
"""How one begins, which is what Alt and a key send, too."""
MAYBE = pattern(rf"\x1b{_MAYBE}")
OPEN = pattern(rf"\x1b(?:{_SAYS}\x1b?|{_MAYBE}|\[[0-?]{{0,64}}[ -/]{{0,8}}|O[0-?]{{0,8}})\Z")
"""The beginning of an answer, or of another sequence, whose end has not come."""
BEGUN = pattern(rf"\x1b(?:{_SAYS}\x1b?|{_MAYBE}|\[[?>=<]?[\d;:]*\$?|O\d?)")
SURE = pattern(rf"\x1b(?:{_SAYS}|\[[?>=]\d)")
"""The beginning of an answer, and one that is nothing else."""
ENDED = pattern(rf"\x1b{_SAYS}(?:\x07|\x1b\\)")
REPORTED = pattern(r"\x1b\[(?:[?>=][\d;]+\$?[a-z]|\d+;[\d;]+[Rt]|[03]n)(?=\x1b|\Z)")
"""A whole answer of the one kind and of the other."""
KEY_GOES_ON = pattern(r"\x1b(?:\[(?:<[\d;-]*|\d[\d;:]*)|O\d)")
"""More than Alt and a key can be, and less than a key or a report of the mouse."""
KEY_ENDED = pattern(
    r"\x1b(?:\[<\d+;-?\d+;-?\d+[Mm]|\[\d[\d;:]*[A-HP-SZnu~]|(?:\[[A-FHIOP-SZ]|O\d?[A-DFHMP-S])(?=\x1b|\Z))"
)
"""A whole one: it acts, however late its end comes."""
REST_ALONE = pattern(
    r"\x1b\[(?:<\d+;-?\d+;-?\d+[Mm]|(?:[A-FHIOP-SZ]|\d[\d;:]*[A-HP-SZnu~])(?=\x1b|\Z))"
)
"""One that came in one read behind an Esc: two keys that a person presses come in two. Of text that
a slow line brings together, a key's must be all there is. `ESC O` and a letter are none: `OH` and
`OR` are words."""
MOUSE_REST = pattern(r"<\d+;-?\d+;-?\d+[Mm]")
ENDLESS = pattern(rf"\x1b(?:{_SAYS}(?=[^\x07\x1b]|\x1b[^\\])|(?:\[[0-?]+[ -/]*|O[0-?]+)(?=[^ -~]))")
"""A sequence that goes on as none does."""
PASTE_MARK = pattern(r"\x1b\[20[01]~")
MARK_BEGUN = pattern(r"\x1b(?:\[(?:2(?:0[01]?)?)?)?\Z")


def is_whole(sequence: str) -> bool:
    """Whether this begins with a whole key, report of the mouse or answer, or surely an answer."""
    return any(one.match(sequence) for one in (KEY_ENDED, ENDED, SURE, REPORTED))


def may_be_key(sequence: str) -> bool:
    """Whether this is the beginning of a key."""
    return sequence in ("\x1b[", "\x1bO") or KEY_GOES_ON.fullmatch(sequence) is not None


def may_be_answer(sequence: str) -> bool:
    """Whether this is the beginning of an answer, or Alt and a key."""
    return MAYBE.fullmatch(sequence) is not None
