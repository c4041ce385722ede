"""Find something: a key or a command, what can be run, a word in the transcript."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets.opening import open_sheet
from agent_tui.tui.transcript import search_prompt


def _help_label(now: Situation) -> str:
    return "" if now.running else "help"


@command(keys=("f1",), empty=("question_mark",), label=_help_label, rank=50)
def help(model: Model, _: str) -> Step:
    """Show all keys and commands. Type to find one, Enter runs it."""
    return open_sheet(model, "help")


def _palette_label(now: Situation) -> str:
    return "" if now.running or now.draft else "commands"


@command(keys=("ctrl+p",), argument="[search]", label=_palette_label, rank=53)
def palette(model: Model, args: str) -> Step:
    """Find and run any command, skill or setting. The ones you used last come first."""
    return open_sheet(model, "palette", args)


def _search_label(now: Situation) -> str:
    return "" if now.running else "search"


@command(keys=("ctrl+f", "f3"), argument="[text]", label=_search_label, rank=54)
def search(model: Model, args: str) -> Step:
    """Search the transcript while you type. Enter or ↓ shows the next hit, Shift+Enter or ↑ the
    previous one. Esc closes the search and stays there."""
    return search_prompt.begin(model, args), ()
