"""The flags of the three front ends: the screen, `chat` and `run`, and what words that other agents
know are called here."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from agent_tui.agent.config import CHOOSE
from agent_tui.boot.terminal import COMMANDS
from agent_tui.cli.given import Given
from agent_tui.cli.parser import Parser, Version, number, text, whole_number
from agent_tui.protocol.exit_codes import MEANINGS
from agent_tui.settings.schema import fixed_rows, flag_keys
from agent_tui.settings.values import Setting

if TYPE_CHECKING:
    from agent_tui.boot.terminal import Early

DESCRIPTION: Final = "A coding agent for the terminal: full screen, keyboard-driven, local-first."
EPILOG: Final = """\
models are named <provider>/<model>, for example ollama/qwen3:8b or openai/gpt-5
-m demo is a script that answers: it needs no model, and shows the tools and the questions
environment:
  AGENT_TUI_HOME   the folder of all files of the program
  AGENT_TUI_MODEL  the model
  AGENT_TUI_MODE   the mode
  OLLAMA_HOST      where Ollama listens
  OPENAI_API_KEY   a key, as ANTHROPIC_API_KEY, GEMINI_API_KEY, … (docs/settings.md lists them)
  NO_COLOR         no colours
commands (`agent-tui COMMAND --help` explains one):
  run       run one prompt without a screen
  chat      talk line by line
  setup     set up a provider step by step
  models    list and download models
  auth      save the API keys of providers
  config    show and change settings
  sessions  find, read and manage sessions
  replay    replay the screen of a session
  bug       write a session to a file for a bug report
  doctor    find problems, and say how to fix them
  policy    say whether a command would run without asking
  tools     list the tools
  prompt    print the system prompt, and what it is made of
  trust     trust the files of a project that can act
"""
CHAT: Final = "Talk line by line: for screen readers, dumb terminals and pipes."
CHAT_EPILOG: Final = "/help lists the commands; /quit or the end of the input quits"
RUN_EPILOG: Final = "\n".join(
    (
        "-m demo is a script that answers: it needs no model",
        "exit codes:",
        *(f"  {code:<4} {meaning}" for code, meaning in MEANINGS["run"].items()),
    )
)


def screen(arguments: Sequence[str], early: Early | None = None) -> Given:
    """What `agent-tui` is given. Ends the program where that is wrong, or asks for help only."""
    parser = Parser(prog="agent-tui", description=DESCRIPTION, epilog=EPILOG)
    parser.early = early
    _talked_to(parser)
    _settings(parser, "screen")
    shown = "show the version and exit"
    parser.add_argument("--version", action=Version, nargs=0, default=argparse.SUPPRESS, help=shown)
    return parser.parse_args(arguments, Given())


def chat(arguments: Sequence[str]) -> Given:
    """What `agent-tui chat` is given."""
    parser = Parser(prog="agent-tui chat", description=CHAT, epilog=CHAT_EPILOG)
    _talked_to(parser)
    parser.add_argument(
        "--color",
        action="store_true",
        help="show speakers in colour; default: no control sequences",
    )
    _trusts(parser)
    return parser.parse_args(arguments, Given())


def run(arguments: Sequence[str]) -> Given:
    """What `agent-tui run` is given."""
    parser = Parser(
        prog="agent-tui run",
        description="Run one prompt without a screen.",
        epilog=RUN_EPILOG,
    )
    parser.add_argument(
        "prompt", metavar="PROMPT", help="the prompt; - reads it from standard input"
    )
    _common(parser)
    parser.add_argument(
        "-r", "--resume", metavar="ID", help="continue the session with this id or name"
    )
    parser.add_argument(
        "--output", choices=("text", "json", "stream-json"), default="text", help="what to print"
    )
    _trusts(parser)
    _settings(parser, "run")
    return parser.parse_args(arguments, Given())


def _common(parser: argparse.ArgumentParser) -> None:
    _settings(parser, "", section=False)
    parser.add_argument("--cwd", metavar="DIR", help="the folder to work in (default: this one)")
    parser.add_argument(
        "-c", "--continue", dest="last", action="store_true", help="continue the last session here"
    )
    _besides(parser)
    _settings(parser, "")
    parser.add_argument(
        "--otr", action="store_true", help="off the record: save nothing, change no files"
    )
    said = "log the traffic with model servers, without keys"
    parser.add_argument("--debug-wire", action="store_true", help=said)


def _talked_to(parser: argparse.ArgumentParser) -> None:
    """What the screen and `chat` take alike: somebody is there to choose."""
    parser.add_argument(
        "prompt", nargs="?", type=text, default="", metavar="PROMPT", help="the first prompt"
    )
    _common(parser)
    parser.add_argument(
        "-r",
        "--resume",
        nargs="?",
        const=CHOOSE,
        metavar="ID",
        help="continue a session: its id or name, or the start of it; without one, choose from a list",
    )
    parser.add_argument(
        "--demo", action="store_true", help="the same as -m demo: a script, no model, no network"
    )


def _settings(parser: argparse.ArgumentParser, front_end: str, section: bool = True) -> None:
    """The flags that set a setting: those of one front end alone (empty: of all), in a section or
    in none."""
    for key, flag in flag_keys().items():
        if flag.only != front_end or ("." in key) is not section:
            continue
        names = [flag.short, flag.name] if flag.short else [flag.name]
        if flag.metavar:
            parser.add_argument(
                *names,
                type=_reader(fixed_rows()[key]),
                metavar=flag.metavar,
                help=flag.help,
                default=argparse.SUPPRESS,
            )
        else:
            parser.add_argument(
                *names, action="store_true", help=flag.help, default=argparse.SUPPRESS
            )


def _reader(row: Setting) -> Callable[[str], str | float]:
    if row.kind.form != "number":
        return str
    return (
        whole_number(1)
        if isinstance(row.default, int)
        else number(row.kind.expected.partition(",")[0])
    )


def _besides(parser: argparse.ArgumentParser) -> None:
    """The flag for other folders than the one to work in."""
    said = "one more folder to work in, saved with the session; repeatable"
    parser.add_argument("--add-dir", action="append", metavar="DIR", help=said)


def _trusts(parser: argparse.ArgumentParser) -> None:
    """The flag for who cannot be asked."""
    said = "use the settings, instructions and skills of this project, this time; repeatable"
    parser.add_argument("--trust", action="append", metavar="DIR", help=said)


FLAGS: Final = {
    "-p": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "--dangerously-skip-permissions": "`--mode accept-all` runs without asking, except for the hard list",
    "--dangerously-bypass-approvals-and-sandbox": "`--mode accept-all` runs without asking, except for the hard list",
    "--full-auto": "`--mode accept-all` runs without asking, except for the hard list",
    "--yolo": "`--mode accept-all` runs without asking, except for the hard list",
}
_SETTINGS: Final = "`agent-tui config` shows and changes settings"
WORDS: Final = {
    "exec": "`agent-tui run PROMPT` runs one prompt without a screen",
    "print": "`agent-tui run PROMPT` runs one prompt without a screen",
    "resume": "`agent-tui -r` lists the sessions, `agent-tui -r ID` continues one",
    "continue": "`agent-tui -c` continues the last session here",
    "login": "there is no account; `agent-tui auth set PROVIDER` saves a provider's key",
    "logout": "there is no account; `agent-tui auth remove PROVIDER` deletes a provider's key",
    "mcp": f"there are no MCP servers; {_SETTINGS}",
    "settings": _SETTINGS,
    "update": "update agent-tui with the tool that installed it",
    "upgrade": "update agent-tui with the tool that installed it",
    "help": "`agent-tui --help` lists the commands",
    "version": "`agent-tui --version` shows the version",
}


def find_alternative(arguments: Sequence[str]) -> str:
    """What to use instead, if the words ask for what another agent has; behind `--` all words are a
    prompt."""
    flags = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    if flags and (hint := WORDS.get(flags[0])):
        return f"{flags[0]}: {hint} (as a prompt: agent-tui -- {flags[0]})"
    before_flags = len(flags) > 1 and flags[1].startswith("-")  # then it is a prompt in any case
    word = flags[0] if flags and not before_flags else ""
    if near := get_close_matches(word, COMMANDS, n=1, cutoff=0.8):
        return f"no command {word!r}: did you mean {near[0]}? To send it as a prompt: agent-tui -- {word}"
    found = next((flag for flag in (word.partition("=")[0] for word in flags) if flag in FLAGS), "")
    return f"{found}: {FLAGS[found]}" if found else ""
