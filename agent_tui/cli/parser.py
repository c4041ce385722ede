"""How the words of the command line are read."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agent_tui import std_output
from agent_tui.cli.errors import FAILED, USAGE, one_line
from agent_tui.structures import late
from agent_tui.structures.readable import wrap_words
from agent_tui.structures.visible import visible

if TYPE_CHECKING:
    from agent_tui.boot.terminal import Early

_NAMED: Final = late.pattern(r" +\S+ {2,}")
"""A name at the beginning of a line, and the gap behind it."""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Each line of a description is one on the screen; one that is too long goes on below its
    words."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            indent + part
            for line in text.splitlines()
            for part in _wrapped(line, width - len(indent))
        )


def _wrapped(line: str, width: int) -> list[str]:
    """`line`; behind a name and two spaces, its words stay below each other."""
    begins = _NAMED.match(line)
    hang = begins.end() if begins is not None and begins.end() < width // 2 else 0
    return wrap_words(line, width, hang)


class Parser(argparse.ArgumentParser):
    """What is wrong is said in one line, in which the words of the command line are text and
    nothing else. What it says is not for the alternate screen: that goes away."""

    early: Early | None = None
    several = "a prompt of several words needs quotes"
    """What is said of words that follow the one that was expected."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": Formatter, **named})

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix("unrecognized arguments: ")
        if words != message and not words.startswith("-"):
            message += f"; {self.several}"
        self.exit(USAGE, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if self.early is not None:
            self.early.restore()
        stream = sys.stderr if file is None else file
        if stream is None:
            return  # it is closed
        try:
            stream.write(visible(message))
            stream.flush()
        except OSError as error:  # argparse would say nothing, and call it a success
            if stream is sys.stderr:
                return
            std_output.silence_output(error)
            sys.exit(0 if isinstance(error, BrokenPipeError) else FAILED)


class Version(argparse.Action):
    """`--version`. The version is looked up when it is asked for: that alone takes a tenth of a
    start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser._print_message(f"agent-tui {version('agent-tui')}\n", sys.stdout)
        parser.exit()


def text(argument: str) -> str:
    """The kind of a flag's value: text, in which bytes that are none are replaced."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def number(of: str) -> Callable[[str], float]:
    """The kind of a flag's value: a number of what it counts."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise argparse.ArgumentTypeError(f"{text}: must be a number of {of}")
        return found

    return read


def whole_number(least: int) -> Callable[[str], int]:
    """The kind of a flag's value: a whole number from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: must be a whole number, {least} or more")
        return int(text)

    return read
