"""How the command line says what is wrong with it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agent_tui.settings import Flags
from agent_tui.structures.visible import visible

if TYPE_CHECKING:
    from agent_tui.boot import Early

FAILED: Final = 1
USAGE: Final = 2


class Parser(argparse.ArgumentParser):
    """What is wrong is said in one line, in which the words of the command line are text and nothing else. What it says
    is not for the alternate screen: that goes away."""

    early: Early | None = None

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix("unrecognized arguments: ")
        if words != message and not words.startswith("-"):
            message += "; a prompt of several words needs quotes"
        self.exit(USAGE, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if self.early is not None:
            self.early.restore()
        super()._print_message(visible(message), file)


class Version(argparse.Action):
    """`--version`. The version is looked up when it is asked for: that alone takes a tenth of a start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        parser._print_message(f"agent-tui {version('agent-tui')}\n", sys.stdout)
        parser.exit()


def one_line(text: str) -> str:
    """`text`, which may hold anything that somebody typed or named a file, as a line for the terminal."""
    return visible(text.replace("\r", "\u240d").replace("\n", "\u240a"))


def limits(parser: argparse.ArgumentParser) -> None:
    """The flags for what may be used."""
    ends = "then it asks; with nobody there it ends"
    parser.add_argument("--max-cost", type=float, metavar="USD", help=f"dollars that may be used; {ends}")
    parser.add_argument("--max-tokens", type=int, metavar="N", help=f"tokens that may be read and written; {ends}")


def besides(parser: argparse.ArgumentParser) -> None:
    """The flag for other folders than the one to work in."""
    said = "a folder to work in besides, kept with the session; may be given several times"
    parser.add_argument("--add-dir", action="append", default=[], metavar="DIR", help=said)


def set_by(given: argparse.Namespace, model: str, **more: Any) -> Flags:
    """What the flags set that every front end takes, and `more`."""
    return Flags(model=model, mode=given.mode, max_cost=given.max_cost, max_tokens=given.max_tokens, **more)


def whole(least: int) -> Callable[[str], int]:
    """The kind of a flag's value: a whole number from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: must be a whole number from {least} on")
        return int(text)

    return read


def encodable(text: str) -> bool:
    """Whether `text` is text: a word of the command line may be any bytes."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def guarded(name: str, command: Callable[[], int], prints: bool = True) -> int:
    """Run a command. What it cannot write or read is said in one line; where nobody reads on, nothing is left to say.
    `prints`: it is for nothing where standard output is closed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
    if prints and sys.stdout is None:
        return _said(name, "standard output is closed", FAILED)
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _unplug()
        return 0
    except UnicodeEncodeError as error:
        return _said(name, f"{str(error.object)[:80]}: is no text in UTF-8", USAGE)
    except OSError as error:
        _unplug()
        reason = error.strerror or str(error)
        return _said(name, f"{error.filename}: {reason}" if error.filename else f"not written: {reason}", FAILED)
    return code


def _unplug() -> None:
    """What could not be written is not tried again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _said(name: str, text: str, code: int) -> int:
    print(f"{name}: {one_line(text)}", file=sys.stderr)
    return code
