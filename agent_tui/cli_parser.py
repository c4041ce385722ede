"""How the command line says what is wrong with it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agent_tui.structures.visible import visible

if TYPE_CHECKING:
    from agent_tui.boot import Early

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


def one_line(text: str) -> str:
    """`text`, which may hold anything that somebody typed or named a file, as a line for the terminal."""
    return visible(text.replace("\r", "\u240d").replace("\n", "\u240a"))
