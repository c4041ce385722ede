"""The tool `grep_files`: searches the text of files, line by line, with a regular expression
that takes a time in proportion to the text, whatever it is: RE2's, with Python's characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import Field

from agent_tui.protocol.display import Match, MatchesDisplay
from agent_tui.safety import hard_links, paths, protected_names
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.read_file import decode_text
from agent_tui.tools.support.files import binary_failure, failure, is_binary, path_below, size_text
from agent_tui.tools.support.walk import (
    BUDGET,
    PER_PAGE,
    Glob,
    Halt,
    Links,
    Page,
    SecretLink,
    Walk,
    folder_failure,
    page_notes,
    walk_notes,
)

MAX_BYTES: Final = 5_000_000
"""Of a file; larger ones are left out."""
MAX_TOTAL: Final = 10_000
"""Matches that are counted."""
LINE: Final = 250
"""Characters of a line that are shown, around the match."""
_LOOKED_AT: Final = 20_000
"""Characters on either side of a match in which secrets are looked for."""
_AT_ONCE: Final = 20_000
"""Characters that are searched at once, between two looks at whether to stop."""
LONGEST: Final = 100_000
"""Characters of a line that are searched."""


class GrepFiles(LenientArguments):
    pattern: str = Field(description="Regular expression (RE2: no lookarounds, no backreferences)")
    path: str = Field(default=".", description="Folder or file to search")
    glob: str = Field(default="", description="Only files that match, such as *.py")
    ignore_case: bool = Field(default=False)
    page: Page


@dataclass(slots=True)
class Search:
    """A search under way: the matches of one page, how many there are in all, and what was left
    out."""

    expression: Expression
    first: int
    halt: Halt
    hide: Callable[[str, bool], str]
    """Puts placeholders in the place of secrets."""
    needle: bytes = b""
    """What a file must hold to be worth a closer look."""
    of_secrets: bool = False
    """The purpose of the file is secrets, whatever its name."""
    page: list[Match] = field(default_factory=list)
    total: int = 0
    secrets: int = 0
    large: int = 0
    unreadable: int = 0
    cut: int = 0
    """Lines of which only the beginning was searched."""

    @property
    def is_full(self) -> bool:
        return self.total >= MAX_TOTAL and self.total >= self.first + PER_PAGE

    def text(self, folder: str, path: str, data: bytes) -> None:
        """Search the content of the file at `path` below `folder`, as that is shown."""
        if self.needle not in data or is_binary(data):
            return
        number = 1
        for block in _blocks(decode_text(data)[0].replace("\r\n", "\n")):
            if self.is_full or self.halt():
                return
            searched = self._cut(block) if len(block) > LONGEST else block
            if self.expression.search(searched):
                self._lines(path_below(folder, path), number, searched.split("\n"))
            number += block.count("\n") + 1

    def _cut(self, block: str) -> str:
        lines = block.split("\n")
        self.cut += sum(len(line) > LONGEST for line in lines)
        return "\n".join(line[:LONGEST] for line in lines)

    def _lines(self, path: str, first: int, lines: list[str]) -> None:
        """Search each of `lines`, of which one or more match; `first` is the number of the first of
        them."""
        for number, line in enumerate(lines, first):
            span = self.expression.search(line)
            if span is None:
                continue
            if self.first <= self.total < self.first + PER_PAGE:
                of_secrets = self.of_secrets or paths.is_secret(Path(path))
                shown = self._shown(line.rstrip(), span[0], of_secrets)
                self.page.append(Match(path, number, shown))
            self.total += 1
            if self.is_full:
                return

    def _shown(self, line: str, start: int, of_secrets: bool) -> str:
        """A line in which something was found at `start`, without secrets: they are hidden before
        it is cut."""
        first = max(0, start - _LOOKED_AT)
        part = line[first : start + _LOOKED_AT]
        hidden = self.hide(part, of_secrets)
        if hidden == part:
            return _around(line, start)
        span = self.expression.search(hidden)
        return _around(hidden, span[0] if span else min(start - first, len(hidden)))

    def notes(self, walk: Walk | None) -> list[str]:
        found = walk_notes(walk, self.halt)
        if self.secrets:
            files = count_noun(self.secrets, "file")
            found.append(
                f"[{files} left out, with names of secrets (.env, keys): name one as path to search it.]"
            )
        if self.large:
            found.append(
                f"[{count_noun(self.large, 'file')} over {size_text(MAX_BYTES)} left out.]"
            )
        if self.unreadable:
            found.append(f"[{count_noun(self.unreadable, 'file')} could not be read.]")
        if self.cut:
            lines = count_noun(self.cut, "long line was", "long lines were")
            found.append(f"[{lines} searched only up to character {LONGEST:,}.]")
        if self.expression.ascii_edges:
            found.append(r"[\b and \B know only ASCII letters: leave them out beside others.]")
        return found


async def run(args: GrepFiles, ctx: ToolContext) -> ToolResult:
    real, expression = ctx.path(args.path), Expression(args.pattern, args.ignore_case)
    glob = Glob(args.glob) if args.glob.strip() else None

    def work(stopped: Callable[[], bool]) -> tuple[Search, list[str]]:
        halt = Halt.after(stopped, BUDGET)
        first = (args.page - 1) * PER_PAGE
        search = Search(expression, first, halt, ctx.hide_secrets, expression.required.encode())
        walk = _searched(search, real, glob, ctx)
        return search, search.notes(walk)

    search, left_out = await ctx.run_blocking(work)
    notes = [*page_notes(args.page, len(search.page), search.total, search.is_full), *left_out]
    display = MatchesDisplay(args.pattern, tuple(search.page), search.total)
    if not search.total:
        hint = (
            " Files that .gitignore names are left out, unless path names their folder."
            if real.is_dir()
            else ""
        )
        return ToolResult(
            "\n".join(
                [f"No match for {args.pattern!r} in {ctx.display_path(real)}.{hint}", *notes]
            ),
            display,
        )
    head = f"{'Over ' if search.is_full else ''}{count_noun(search.total, 'match', 'matches')}:"
    return ToolResult("\n".join([head, *_grouped(search.page), *notes]), display)


def _blocks(text: str) -> Iterator[str]:
    """`text` in stretches of whole lines."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + _AT_ONCE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _searched(search: Search, real: Path, glob: Glob | None, ctx: ToolContext) -> Walk | None:
    """Search the file `real`, or all files below it; returns the walk. Raises ToolFailure."""
    if not real.is_dir():
        _one(search, real, ctx)
        return None
    walk, shown = Walk(real, ctx.roots, search.halt), ctx.display_path(real)
    links = Links(real, ctx.roots)
    try:
        for found in walk.files():
            if not found.regular or (glob is not None and not glob.matches(found.path)):
                continue
            if _is_secret(*found.path.rpartition("/")[::2]):
                search.secrets += 1
                continue
            try:
                data = found.read(MAX_BYTES, links.is_secret)
            except SecretLink:
                search.secrets += 1
                continue
            except OSError:
                search.unreadable += 1
                continue
            if data is not None and len(data) > MAX_BYTES:
                search.large += 1
            elif data:
                search.text(shown, found.path, data)
            if search.is_full:
                break
    except OSError as error:
        raise folder_failure(real, ctx, error) from None
    return walk


def _is_secret(folder: str, name: str) -> bool:
    """Whether the path has a secret's name; the answer about its folder is kept."""
    return _secret_below(folder) or protected_names.is_secret((*folder.rpartition("/")[2:], name))


@lru_cache(maxsize=4096)
def _secret_below(folder: str) -> bool:
    return paths.is_secret(Path(folder, "any"))


def _one(search: Search, real: Path, ctx: ToolContext) -> None:
    """Search a file that was named itself: then what is wrong with it is a failure."""
    try:
        data = paths.read_regular(real, MAX_BYTES)
    except (OSError, paths.NotRegular) as error:
        raise failure(error, real, ctx) from None
    if len(data) > MAX_BYTES:
        limit = size_text(MAX_BYTES)
        raise ToolFailure(
            "too_large",
            f"{ctx.display_path(real)} is larger than {limit}; use run_shell_command: grep -n",
        )
    if is_binary(data):
        raise binary_failure(ctx.display_path(real), data, len(data))
    search.of_secrets = hard_links.is_secret(real, ctx.roots)
    search.text("", ctx.display_path(real), data)


def _around(line: str, start: int) -> str:
    """A line, or the part of a long one that the match lies in."""
    if len(line) <= LINE:
        return line
    first = max(0, min(start - LINE // 3, len(line) - LINE))
    last = first + LINE
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _grouped(matches: list[Match]) -> list[str]:
    lines: list[str] = []
    for number, match in enumerate(matches):
        if number == 0 or matches[number - 1].path != match.path:
            lines.append(match.path)
        lines.append(f"{match.line:>6}: {match.text}")
    return lines


def label(args: GrepFiles) -> str:
    where = "" if args.path in (".", "") else f" in {args.path}"
    return f'Search "{args.pattern}"{where}' + (f" ({args.glob})" if args.glob else "")


TOOL: Final = Tool(
    name="grep_files",
    description=(
        "Search the text of files with a regular expression, line by line: gives file, line number and line. "
        "`glob` narrows the files. Leaves out what .gitignore names, .git, binary files and files with names of "
        f"secrets. {PER_PAGE} matches a page. To find files by name use glob_files."
    ),
    arguments=GrepFiles,
    effect="read",
    label=label,
    run=run,
    paths=lambda args: (args.path,),
)


_SPECIAL: Final = r"\.[]{}()*+?^$|"
_WORD: Final = r"\pL\pN_"
_SPACE: Final = r"\s\v\x1c-\x1f\x{85}\p{Z}"
_OUTSIDE: Final = {
    "w": f"[{_WORD}]", "W": f"[^{_WORD}]", "s": f"[{_SPACE}]", "S": f"[^{_SPACE}]",
    "d": r"\p{Nd}", "D": r"\P{Nd}", "A": "^", "Z": "$", "z": "$",
}  # fmt: skip
_IN_SET: Final = {"w": _WORD, "s": _SPACE, "d": r"\p{Nd}", "D": r"\P{Nd}"}
_TOKEN: Final = re.compile(
    r"\\(?:u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<escaped>.))"
    r"|(?P<set>\[\^?\]?)|(?P<closed>\])|(?P<upto>\{,(?=[0-9]+\}))|(?P<line>[\r\n])",
    re.DOTALL,
)
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
        options = re2.Options()
        options.never_nl, options.log_errors, options.case_sensitive = True, False, not ignore_case
        try:
            self._regex = re2.compile(f"(?m){_translated(pattern)}", options)
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
        if point := found["short"] or found["long"]:
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

    return _TOKEN.sub(token, pattern)
