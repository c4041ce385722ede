"""Another run of this program, which has the terminal for a while and leaves a word about what came
of it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final


def bug_words(session: str, cwd: str) -> list[str]:
    """How the program for it is called: it writes to a new file in `cwd`."""
    names = (
        f"agent-tui-bug-{session[:8]}{more}.zip"
        for more in ("", *(f"-{number}" for number in range(2, 1000)))
    )
    path = next(
        (path for path in (Path(cwd) / name for name in names) if not path.exists()),
        Path(cwd) / "bug.zip",
    )
    return ["bug", session, "--output", str(path)]


_MAIN: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from agent_tui.__main__ import main; main()"
)


def _argv(words: Sequence[str]) -> list[str]:
    """This program with `words`. Never by `python -m`, which looks for every module in the current
    folder first: a project could bring one."""
    root = Path(__file__).resolve().parents[3]
    return [sys.executable, "-P", "-c", _MAIN, str(root), *words]


Beside = Callable[[Sequence[str]], Callable[[], int | None]]
"""How a program is started that needs no terminal; what comes back tells its exit code once there
is one."""


class Chosen:
    """Another run of this program beside this one, and the word that it leaves. Raises OSError."""

    def __init__(self, start: Beside, words: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="agent-tui-"
        )  # nobody else may look into it
        self._chosen, self._name = Path(self._folder.name) / "chosen", words[0]
        self._chosen.touch(0o600)
        self._code = start(_argv([*words, "--chosen", str(self._chosen)]))

    def read(self) -> tuple[str, str] | None:
        """What was made and what went wrong, once it has ended."""
        if (code := self._code()) is None:
            return None
        said = self._chosen.read_text("utf-8").strip()
        self._folder.cleanup()
        return said, f"{self._name} ended with exit code {code}" if code else ""


def chosen_by(run: Callable[[list[str]], int], words: list[str]) -> tuple[str, str]:
    """Run this program with `words`; what it says was chosen or made there, and what went wrong, if
    something did."""
    with tempfile.TemporaryDirectory(prefix="agent-tui-") as folder:  # nobody else may look into it
        chosen = Path(folder) / "chosen"
        chosen.touch(0o600)
        try:
            code = run(_argv([*words, "--chosen", str(chosen)]))
        except (OSError, ValueError) as error:
            return "", f"{words[0]} cannot be started: {error}"
        said = chosen.read_text("utf-8").strip()
    return said, f"{words[0]} ended with exit code {code}" if code else ""
