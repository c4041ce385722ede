"""The flags of the three front ends: the screen, `chat` and `run`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agent_tui.agent.config import CHOOSE
from agent_tui.cli_given import Given
from agent_tui.cli_parser import Parser, Version, number, whole

if TYPE_CHECKING:
    from agent_tui.boot import Early

DESCRIPTION: Final = "A coding agent for the terminal: full screen, keyboard-driven, local-first."
EPILOG: Final = """\
models are named <provider>/<model>, for example ollama/qwen3:8b or openai/gpt-5
environment: AGENT_TUI_HOME (all files of the program), OLLAMA_HOST, OPENAI_API_KEY, OPENAI_BASE_URL, NO_COLOR
`agent-tui run --help` tells how to run one prompt without a screen, `agent-tui chat --help` how to talk line by line,
`agent-tui config --help` how to change settings, `agent-tui sessions --help` how to find and look after sessions,
`agent-tui replay --help` how to play one back, `agent-tui bug --help` how to write one to a file for a report,
`agent-tui setup` sets up a provider step by step, `agent-tui auth --help` tells how to keep keys of providers,
`agent-tui models --help` how to list and fetch models; `agent-tui doctor` says what is wrong, and how to mend it
"""
CHAT: Final = "Talk line by line: for screen readers, dumb terminals and pipes."
CHAT_EPILOG: Final = "/help lists what can be typed; /quit, or the end of the input, leaves"
RUN_EPILOG: Final = """\
exit codes: 0 done, 1 failed, 2 usage, 3 an approval was needed and nobody could give it, 4 a limit or a stuck loop,
75 the provider failed in a way that may pass, 130 cancelled
"""


def screen(arguments: Sequence[str], early: Early | None = None) -> Given:
    """What `agent-tui` is given. Ends the program where that is wrong, or asks for help only."""
    parser = Parser(
        prog="agent-tui", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.early = early
    _talked_to(parser)
    parser.add_argument("--no-animation", action="store_true", help="nothing on the screen moves by itself")
    shown = "show the version and exit"
    parser.add_argument("--version", action=Version, nargs=0, default=argparse.SUPPRESS, help=shown)
    return parser.parse_args(arguments, Given())


def chat(arguments: Sequence[str]) -> Given:
    """What `agent-tui chat` is given."""
    parser = Parser(prog="agent-tui chat", description=CHAT, epilog=CHAT_EPILOG)
    _talked_to(parser)
    parser.add_argument("--color", action="store_true", help="colour who speaks; without it no control sequence leaves")
    return parser.parse_args(arguments, Given())


def run(arguments: Sequence[str]) -> Given:
    """What `agent-tui run` is given."""
    parser = Parser(
        prog="agent-tui run", description="Run one prompt without a screen.", epilog=RUN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("prompt", metavar="PROMPT", help="the prompt; - reads it from standard input")
    _common(parser)
    parser.add_argument("-r", "--resume", metavar="ID", help="go on with the session of this id or name")
    parser.add_argument("--output", choices=("text", "json", "stream-json"), default="text", help="what to print")
    parser.add_argument("--max-steps", type=whole(1), metavar="N", help="end the turn after N model calls")
    parser.add_argument("--timeout", type=number("seconds"), metavar="S", help="end the turn after S seconds")
    return parser.parse_args(arguments, Given())


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--model", metavar="MODEL", help="the model, as <provider>/<model>")
    parser.add_argument("--mode", metavar="MODE", help="manual, auto, accept-edits, accept-all or plan")
    parser.add_argument("--cwd", metavar="DIR", help="the folder to work in (default: this one)")
    parser.add_argument("-c", "--continue", dest="last", action="store_true", help="go on with the last session here")
    _besides(parser)
    _limits(parser)
    parser.add_argument("--otr", action="store_true", help="off the record: nothing is written, and nothing is changed")
    said = "write down what goes to model servers and comes back, without keys"
    parser.add_argument("--debug-wire", action="store_true", help=said)


def _talked_to(parser: argparse.ArgumentParser) -> None:
    """What the screen and `chat` take alike: somebody is there to choose."""
    parser.add_argument("prompt", nargs="?", default="", metavar="PROMPT", help="the first prompt")
    _common(parser)
    parser.add_argument(
        "-r", "--resume", nargs="?", const=CHOOSE, metavar="ID",
        help="go on with a session: its id or name, or the beginning; without one, a list to choose from",
    )  # fmt: skip
    parser.add_argument("--demo", action="store_true", help="the built-in demo: no model, no network")


def _limits(parser: argparse.ArgumentParser) -> None:
    """The flags for what may be used."""
    ends = "then it asks; with nobody there it ends"
    parser.add_argument("--max-cost", type=number("dollars"), metavar="USD", help=f"dollars that may be used; {ends}")
    parser.add_argument("--max-tokens", type=whole(1), metavar="N", help=f"tokens that may be read and written; {ends}")


def _besides(parser: argparse.ArgumentParser) -> None:
    """The flag for other folders than the one to work in."""
    said = "a folder to work in besides, kept with the session; may be given several times"
    parser.add_argument("--add-dir", action="append", metavar="DIR", help=said)
