"""Regular expressions that take a time in proportion to the text, whatever they are: RE2's, with
Python's characters, and what other dialects write otherwise."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.structures import late
from agent_tui.tools.base import ToolFailure

_SPECIAL: Final = r"\.[]{}()*+?^$|"
_WORD: Final = r"\pL\pN_"
_SPACE: Final = r"\s\v\x1c-\x1f\x{85}\p{Z}"
_OUTSIDE: Final = {
    "w": f"[{_WORD}]", "W": f"[^{_WORD}]", "s": f"[{_SPACE}]", "S": f"[^{_SPACE}]",
    "d": r"\p{Nd}", "D": r"\P{Nd}", "A": "^", "Z": "$", "z": "$", "h": r"[\t\p{Zs}]", "e": r"\x1b",
}  # fmt: skip
_IN_SET: Final = {
    "w": _WORD, "s": _SPACE, "d": r"\p{Nd}", "D": r"\P{Nd}", "h": r"\t\p{Zs}", "e": r"\x1b",
}  # fmt: skip
_TOKEN: Final = late.pattern(
    r"\\Q(?P<quoted>.*?)(?:\\E|$)"
    r"|\\(?P<property>[pP])\{(?P<not>\^?)(?P<name>[\w &=-]+)\}"
    r"|\\u\{(?P<braced>[0-9a-fA-F]{1,6})\}"
    r"|\\(?:u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<escaped>.))"
    r"|(?P<posix>\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\])"
    r"|(?P<comment>\(\?#[^)]*\))"
    r"|(?P<set>\[\^?\]?)|(?P<closed>\])|(?P<upto>\{,(?=[0-9]+\}))|(?P<line>[\r\n])",
    re.DOTALL,
)
_LONGEST: Final = 10_000
"""Characters of a pattern: of a much longer one RE2 makes a program for seconds, and complains on
stderr itself."""
_NO_ENDS: Final = "lines are searched one by one: a pattern cannot hold a line end"


class Expression:
    """A compiled expression. The text is one line, or a few of them: no match goes over a line's
    end.

    What Python writes otherwise is translated; what RE2 lacks (lookarounds, backreferences) is
    refused. `\\b` stays RE2's, and so do `\\W` and `\\S` in a set of characters: they know the
    letters and blanks of ASCII only.

    Raises ToolFailure for an expression that cannot be used.
    """

    def __init__(self, pattern: str, ignore_case: bool = False) -> None:
        import re2

        if not pattern:
            raise ToolFailure("invalid_arguments", "the pattern is empty")
        if len(pattern) > _LONGEST:
            long = f"the pattern is longer than {_LONGEST:,} characters: look for a part of it"
            raise ToolFailure("invalid_arguments", long)
        options = re2.Options()
        options.never_nl, options.log_errors, options.case_sensitive = True, False, not ignore_case
        self.written, self.ignore_case = _translated(pattern), ignore_case
        """As RE2 takes it."""
        try:
            self._regex = re2.compile(f"(?m){self.written}", options)
        except (re2.error, UnicodeEncodeError) as error:
            said = (
                error.args[0].decode().replace("(?m)", "", 1)
                if isinstance(error, re2.error)
                else error
            )
            raise ToolFailure(
                "invalid_arguments",
                f"not a regular expression here (RE2: no lookarounds, no backreferences): {said}; "
                f"to find just this text, write {re.escape(pattern)}",
            ) from None
        plain = not ignore_case and set(pattern).isdisjoint(_SPECIAL)
        self.required = pattern if plain else ""
        """Text that is in every match; empty if none is known."""
        self.ascii_edges = not pattern.isascii() and re.search(r"\\[bB]", pattern) is not None
        """Beside letters beyond ASCII, its `\\b` is not Python's."""

    def search(self, text: str) -> tuple[int, int] | None:
        """Where the first match lies."""
        match = self._regex.search(text)
        return match.span() if match else None


def _translated(pattern: str) -> str:
    """Python's way of writing as RE2's. Raises ToolFailure."""
    in_set = False

    def token(found: re.Match[str]) -> str:
        nonlocal in_set
        if (quoted := found["quoted"]) is not None:
            return re.escape(quoted)
        if name := found["name"]:
            return rf"\{found['property']}{{{found['not']}{_property(name)}}}"
        if found["posix"]:
            return found[0] if in_set else f"[{found[0]}]"
        if found["comment"]:
            return re.escape(found[0]) if in_set else ""
        if point := found["braced"] or found["short"] or found["long"]:
            return rf"\x{{{point}}}"
        if escaped := found["escaped"]:
            if escaped in "rn\r\n" and not in_set:
                raise ToolFailure("invalid_arguments", _NO_ENDS)
            return (_IN_SET if in_set else _OUTSIDE).get(escaped, found[0])
        if found["line"] and not in_set:
            raise ToolFailure("invalid_arguments", _NO_ENDS)
        if found["upto"] and not in_set:
            return "{0,"
        if found["set"] and in_set:  # a bracket is no more than itself there
            in_set = not found[0].endswith("]")
            return f"\\{found[0]}"
        in_set = bool(found["set"]) or (in_set and not found["closed"])
        return found[0]

    return _TOKEN.sub(token, _END.sub("$", pattern))


_END: Final = late.pattern(r"(?<!\\)((?:\\\\)*)(?:\\r)?\\n$")


def _property(name: str) -> str:
    """How RE2 calls a set of characters of Unicode."""
    bare = re.sub(r"^(?:script|sc|general_?category|gc)\s*=\s*", "", name, flags=re.IGNORECASE)
    key = re.sub(r"^is(?=[a-z]{3})", "", re.sub(r"[\s_&-]+", "", bare).lower())
    script = re.sub(r"^is(?=[A-Z])", "", bare, flags=re.IGNORECASE)
    return _PROPERTIES.get(key, script)


_PROPERTIES: Final = {
    "alpha": "L", "alphabetic": "L", "letter": "L", "upper": "Lu", "uppercase": "Lu", "lower": "Ll",
    "uppercaseletter": "Lu", "lowercase": "Ll", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "number": "N",
    "digit": "Nd", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "punct": "P", "dashpunctuation": "Pd", "symbol": "S", "mathsymbol": "Sm",
    "currencysymbol": "Sc", "separator": "Z", "spaceseparator": "Zs", "space": "Z",
    "whitespace": "Z", "other": "C", "control": "Cc", "cntrl": "Cc", "format": "Cf", "latin": "Latin",
    "greek": "Greek", "cyrillic": "Cyrillic", "han": "Han", "hiragana": "Hiragana",
    "katakana": "Katakana", "hangul": "Hangul", "arabic": "Arabic", "hebrew": "Hebrew", "thai": "Thai",
}  # fmt: skip


def readings(pattern: str) -> list[str]:
    """How else a pattern may be meant: grep and vim write `\\|` for alternatives and `\\<`, `\\>`
    for the edges of a word, which here stand for the characters themselves. The likelier first."""
    if not _OTHER.search(pattern):
        return []
    swapped = _OTHER.sub(lambda found: found[1] + _MEANT[found[2]], pattern)
    if r"\|" in pattern:
        swapped = _GROUP.sub(r"(\1)", swapped)
    literal = re.sub(r"(?<!\\)([(){}+?])", r"\\\1", pattern)  # in grep's they are characters
    strict = _OTHER.sub(lambda found: found[1] + _MEANT[found[2]], literal)
    return list(dict.fromkeys((swapped, strict)))


_OTHER: Final = late.pattern(r"(?<!\\)((?:\\\\)*)\\([|<>])")
_MEANT: Final = {"|": "|", "<": r"\b", ">": r"\b"}
_GROUP: Final = late.pattern(r"\\\(((?:[^()\\]|\\[^()])*\|(?:[^()\\]|\\[^()])*)\\\)")


def dialect_note(pattern: str) -> str:
    """How patterns are written, for one that looks like another dialect's and found nothing."""
    if not _FOREIGN.search(pattern):
        return ""
    return " Patterns are RE2's, like Python's: a|b for alternatives, \\b for the edge of a word."


_FOREIGN: Final = late.pattern(r"\\[|<>(){}+?vcmKRG]|\[:\w+:\]|\*\*")
