"""Makes from the code what the documents say of it: keys, commands, events, tools, and the picture.

    python docs/generate.py             write everything anew
    python docs/generate.py --check     say what is stale, and fail; the picture is not compared

The picture is the real app with a session that an engine in here plays: no model, no network,
always the same.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from agent_tui import registry
from agent_tui.context.prompt import PARTS
from agent_tui.protocol import exit_codes
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import AnyEvent, Event
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.providers.services import all_services
from agent_tui.providers.services.base import Service
from agent_tui.safety import policy
from agent_tui.safety.shell import classifier as shell_classifier
from agent_tui.safety.shell import harmless, harmless_git, prefixes
from agent_tui.safety.shell.harmless_options import KINDS, Spec
from agent_tui.settings import schema
from agent_tui.settings.values import Setting
from agent_tui.tools.base import Tool
from agent_tui.tui import commands
from agent_tui.tui.commands import turn
from agent_tui.tui.commands.base import Command
from agent_tui.tui.dialog.offers import offers
from agent_tui.tui.prompt import keys, queue, submit
from agent_tui.tui.screen import key_guards
from agent_tui.tui.sheets import help
from agent_tui.tui.textual_port import key_parser, terminal

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the corpus belongs to the tests
from tests.safety import shell_corpus  # noqa: E402

README: Final = ROOT / "README.md"
KEYS: Final = ROOT / "docs" / "keys.md"
LOG: Final = ROOT / "docs" / "log.md"
SETTINGS: Final = ROOT / "docs" / "settings.md"
TOOL_PAGE: Final = ROOT / "docs" / "tools.md"
SAFETY: Final = ROOT / "docs" / "safety.md"
PROVIDERS: Final = ROOT / "docs" / "providers.md"
CONTEXT_PAGE: Final = ROOT / "docs" / "context.md"
USAGE_PAGE: Final = ROOT / "docs" / "usage.md"
PICTURE: Final = ROOT / "docs" / "screenshot.svg"
TOOLS: Final = "agent_tui.tools"
MADE: Final = "made by docs/generate.py"

IN_README: Final = (
    "send",
    "steer",
    "stop",
    "stop-all",
    "interrupt",
    "mode",
    "model",
    "expand",
    "open",
    "search",
    "message-up",
    "to-end",
    "mouse",
    "help",
)
"""Commands whose keys the README names: what one needs in the first week."""
IN_FULL: Final = ("send", "stop")
"""Those of them whose whole help stands there; of the others the first sentence."""

UNSAID: Final = {
    "cleared": "The context was cleared: the model forgets what was before.",
    "mode_changed": "The approval mode was changed.",
    "model_changed": "The model was changed; `window` in tokens.",
    "draft_saved": "The text in the prompt.",
    "notice": "Something that the person should know.",
    "turn_ended": "The turn is over: completed, cancelled, interrupted (the program ended), error, max_steps, "
    "timed_out, budget_exceeded or stuck.",
    "approval_asked": "A call waits for approval.",
    "question_asked": "Another question: what to do when the agent repeats itself or a budget is reached, an argument of a skill, a yes or a no.",
    "question_answered": "The answer.",
    "text_delta": "A piece of the answer.",
    "thinking_delta": "A piece of the reasoning.",
    "tool_output": "A piece of a running command's output.",
}
"""Words for events whose name says enough in the code, where no docstring stands."""


def key(name: str) -> str:
    """A key as it is written in a document: `Ctrl+_` in code style."""
    return f"`{help.key(name)}`"


def written(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(map(key, names)))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return (
        "\n".join(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
        )
        + "\n"
    )


# -- keys, commands and tools


def command_keys(command: Command) -> str:
    empty = f"{written(command.empty)} on an empty prompt" if command.empty else ""
    return ", ".join(part for part in (written(command.keys), empty) if part)


def readme_keys() -> str:
    """The keys of the first week."""
    named = [(commands.find(name), name in IN_FULL) for name in IN_README]
    rows = [
        (command_keys(command), command.help if full else f"{command.summary}.")
        for command, full in named
    ]
    rows.insert(1, (written(["ctrl+j", "shift+enter"]) + r" or `\` `Enter`", "A new line."))
    rows.insert(
        -1,
        (
            written(["up", "down"]),
            "Earlier prompts; on an empty prompt `↑` edits the last queued one.",
        ),
    )
    return table(("key", "what it does"), rows)


def command_table() -> str:
    keyed = [command for command in commands.COMMANDS if command.keys or command.empty]
    return table(
        ("key", "what it does"), ((command_keys(command), command.help) for command in keyed)
    )


def slash_table() -> str:
    rows = []
    for command in commands.COMMANDS:
        if command.slash:
            names = [
                f"/{command.name} {command.argument}".rstrip(),
                *(f"/{alias}" for alias in command.aliases),
            ]
            rows.append(
                (
                    ", ".join(f"`{name}`" for name in names),
                    written((*command.keys, *command.empty)),
                    command.help,
                )
            )
    return table(("command", "key", "what it does"), rows)


def editing_table() -> str:
    actions = dict.fromkeys(keys.EDITING.values())
    rows = [
        (written(sorted(keys.NEWLINE, key=help.plain_first)), "a new line"),
        ("`\\` `Enter`", "a new line, anywhere"),
    ]
    owned = commands.bindings()  # a command's key is told with the command
    for action in actions:
        named = [
            name
            for name, does in keys.EDITING.items()
            if does == action and (name not in owned or action != "paste")
        ]
        if named:
            rows.append((written(named), help.EDITING[action]))
    rows.append((written(keys.SELECTING), "select on the way"))
    return table(("key", "what it does"), rows)


def dialog_table(asked: Approval | Question, others: Sequence[Approval] = ()) -> str:
    rows = []
    for offer in offers(asked, others):
        what = f"{offer.label}: {offer.detail}" if offer.detail else offer.label
        rows.append((" ".join(f"`{name}`" for name in offer.keys) + ", then `Enter`", what))
    return table(("key", "answer"), rows)


def keys_page() -> str:
    always = "this file, with this tool; or this command, in this folder"
    consent = Approval(
        "", "", "", "", "", DiffDisplay("", ()), always=always, mode="accept-edits",
        prefix="pytest …, for example", folder="pytest …, for example",
    )  # fmt: skip
    network = Approval("", "", "", "", "", always="network to HOST", folder="HOST", hosts=("HOST",))
    stuck = Question("", "stuck", "")
    return f"""\
<!-- {MADE}: change the command table, not this page -->
# Keys and commands

`F1` shows the same in the program. The footer shows the keys that work now.

## Everywhere

{command_table()}
While the agent asks, the keys that open or change something else, such as `Ctrl+P` or `F1`, do nothing and say
"{queue.ANSWER_FIRST}". So does `Ctrl+D` on an empty prompt.

A key that you hold down counts once where twice would quit, rewind or clear: `Ctrl+C`, `Esc`, `Ctrl+D`. `Ctrl+D` right
after one that deleted does not quit; a line says that you can press it again. A second `Enter` within
{submit.DOUBLED_SECONDS} s does nothing on an empty prompt. `Ctrl+C`, `Esc` or `Ctrl+X` within half a second of the
end of a turn was meant for it: a line says that it had ended, and nothing is cleared or left. `Esc` less than
{turn.TWICE_SECONDS:g} s after one that stopped a turn does nothing more.

`Esc` and, more than {key_parser.ALT_SECONDS} s later, another key are these two keys. Sooner, it is `Alt` and the key. While
`Esc` would stop a turn, it waits {terminal.STOPPING_DELAY} s where it may be the beginning of a key that a slow line cuts
in two, such as an arrow. `ESCDELAY` (milliseconds) sets another time for both.

A click on a tool call expands or collapses it; on an answer of a question it goes to that answer, and `Enter` takes it. The wheel scrolls what is under the pointer. `Ctrl+C` copies what you
select with the mouse.

While the end of the transcript is out of view, there is a `↓` at the right above the prompt, or `12 new ↓` after 12 new
blocks. What you read does not move.

## Commands

A slash at the start of the prompt lists commands and skills. `↑` `↓` select, `Tab` completes, `Enter` runs, `Esc` closes
the list.

{slash_table()}
## In the prompt

{editing_table()}
Pasted text never sends, and neither does an `Enter` within 50 ms after it. Some programs do not mark a paste. So keys that
arrive at once, with an `Enter` among them, count as a paste too, and a line says that they were not sent. After the first
marked paste, a few letters with one `Enter` count as typed on a slow connection. The terminal decides which of the newline
keys arrive; `Ctrl+J` always does.

`/vim` switches to the keys of [vim](vim.md).

## When the agent asks

Only `Enter` answers. `↑` `↓`, a letter or a number choose the row first; `Enter` alone takes the row that has the
cursor. So no words that you type, however slowly, can allow anything: if another key follows the letter, or the same one again,
both go into the prompt. The footer shows what `Enter` does. `PgUp` `PgDn` scroll, `Ctrl+C` clears the words, `Esc` stops
the turn.

A letter or a number chooses only if the prompt is empty, and you typed and deleted nothing since the question appeared.
A key of vim's normal mode, such as `i`, counts as typed. After a key that does nothing here, such as `Ctrl+P`, letters
and numbers are text until the next question. With words in the prompt, or after such a key, choose with `Alt` and the
letter (with a number if `Alt` and the letter is a command, as `Alt+S` is), or with `↑` `↓`. `Enter` right after the
words queues them as a prompt. In words of several lines, and while you look at an earlier prompt, `↑` `↓` go on moving
there and choose nothing; so do arrows that follow others within {key_guards.TYPING_SECONDS} s.

A choice that came too soon is refused, with a line, and no `Enter` answers before you choose again. After a key for a
no, taken or not, no `Enter` allows anything before you choose that. While you type a key
or another secret, a question waits until you are done.

`Enter` answers not earlier than {key_guards.ENTER_SECONDS} s after you could see the question, and {key_guards.BURST_SECONDS} s
after `↑` `↓`. If the question closed a list or a search, neither `Enter` nor a letter counts within
{key_guards.TYPING_SECONDS} s. `Esc` then stops nothing within {key_guards.RUN_SECONDS:.0f} s: a line says that `Esc` again
stops.

`Tab` opens a line for words that go with the answer under the cursor, a yes or a no: `Enter` sends both, `Esc` goes back.
The `Tab` counts only where a letter does. Text right behind it, as in a paste, makes it text; an `Enter` right before or
behind another key ends a line there and sends nothing. If there are several questions, `←` `→` show the others, and `t` answers all of one
kind.

You can allow a command that does not fit only after you have seen its end. For a command on the hard list, no row is
chosen at first, and it takes its `y`: `↑` `↓` and `Enter` never allow it. On the screen "No model yet" a letter acts after {key_guards.HOLD_SECONDS} s if
no other key follows; `q` there needs an `Enter`.

{dialog_table(consent, (consent, consent))}
The choices that are always offered also have a number, always the same one. `p` is only offered for
commands of [a short list](safety.md#beginnings-of-commands), `f` only for what [may run for good](safety.md#for-good), `t`
only where the model wants several things of one kind at once, `e` only for a change of a file that only the mode asks
about: not for commands, and not for what asks in every mode.

When a sandboxed command wants [single hosts](safety.md#network-for-single-hosts):

{dialog_table(network)}
When the agent repeats itself (the same calls with the same results three times in a row):

{dialog_table(stuck)}
"""


def exit_code_table() -> str:
    commands = exit_codes.MEANINGS
    codes = sorted({code for meanings in commands.values() for code in meanings})
    rows = (
        (f"`{command}`", *(meanings.get(code, "") for code in codes))
        for command, meanings in commands.items()
    )
    return table(("command", *map(str, codes)), rows)


def part_table() -> str:
    """The parts of the system prompt, in their order."""
    rows = (
        (f"`{part.name}`", part.about, f"`prompt/{part.name}.md`" if part.from_person else "")
        for part in PARTS
    )
    return table(("part", "what it says", "your file in its place"), rows)


def tool_table() -> str:
    tools: list[Tool[Any]] = [registry.load(TOOLS, name, "TOOL") for name in registry.names(TOOLS)]
    rows = (
        (f"`{tool.name}`", tool.effect, "<br>".join(arguments(tool.spec().parameters)))
        for tool in tools
    )
    return table(("tool", "effect", "arguments"), rows)


def arguments(schema: dict[str, Any], inside: str = "") -> Iterator[str]:
    """Of each its name, its type, what it is where it is left out, and what it is for."""
    for name, about in schema.get("properties", {}).items():
        kind = "one of " + ", ".join(about["enum"]) if "enum" in about else about["type"]
        default = (
            ""
            if name in schema.get("required", ())
            else f", default `{json.dumps(about['default'])}`"
        )
        meaning = about.get("description", "").replace("*", r"\*")
        yield f"`{inside}{name}` ({kind}{default}){': ' if meaning else ''}{meaning[:1].lower()}{meaning[1:]}"
        yield from arguments(about.get("items", {}), f"{inside}{name}[].")


# -- settings


def meaning(row: Setting) -> str:
    """As the documents have it: without a capital letter and a full stop."""
    return row.documented or f"{row.about[:1].lower()}{row.about[1:]}".removesuffix(".")


def default(row: Setting) -> str:
    value = (
        int(row.default)
        if isinstance(row.default, float) and row.default.is_integer()
        else row.default
    )
    return f"`{json.dumps(value)}`"


def settings_table() -> str:
    found = {
        **schema.fixed_rows(),
        **{f"providers.<name>.{key}": row for key, row in schema.PROVIDER.items()},
    }
    rows = ((f"`{key}`", default(row), meaning(row)) for key, row in found.items())
    return table(("setting", "default", "meaning"), rows)


# -- providers


def declared(*roles: str) -> list[Service]:
    return [one for one in all_services().values() if one.role in roles]


def code(names: Iterable[str], between: str = " ") -> str:
    return between.join(f"`{name}`" for name in names)


def start_table() -> str:
    """What a person does who has this or that: a service with a dialect of its own has a row."""
    services = declared("service")
    near = [one for one in services if one.near]
    own = [one for one in services if one.dialect == one.name and not one.placed]
    others = ", ".join(one.label for one in services if one not in (*near, *own))
    rows = [
        *((one.label, PULLED) for one in declared("found") if one.pulls),
        *(
            (
                f"{'an' if one.label[0] in 'AEIOU' else 'a'} {one.label} key",
                f"set `{one.keys[0]}`; then start `agent-tui`",
            )
            for one in own
        ),
        ("a key of another service", f"see [the providers](docs/providers.md): {others}"),
        (
            ", ".join(one.label for one in near),
            f"start `agent-tui` with {code((f'-m {one.name}' for one in near), ', ')}",
        ),
        ("another server", ADDRESSED),
    ]
    return table(("you have", "do this"), rows)


PULLED: Final = "run `ollama pull qwen3:8b` once; then start `agent-tui`"
ADDRESSED: Final = (
    "type its address on the first screen, or see [the examples](docs/settings.md#examples)"
)


def provider_table() -> str:
    rows = (
        (
            f"`{one.name}`",
            one.speaks,
            "" if one.near else code(one.keys, " or "),
            _address(one),
            _usual(one),
        )
        for one in declared("service", "found")
    )
    return table(("provider", "speaks", "key", "address", "usual model"), rows)


def _address(one: Service) -> str:
    port = urlsplit(one.base_url).port if one.near else None
    where = code(one.urls, " or ") or "`base_url` in the settings"
    return f"{where}, else port {port}" if port else where


def _usual(one: Service) -> str:
    """The family whose newest model is taken, as people write it; and the name in its stead."""
    if not one.model:
        return one.usual
    family = re.sub(r"\(\?:-\w+\)\?", "", (*one.families, "")[0]).replace(VERSION, "…")
    return f"the newest `{family}` (`{one.model}`)" if "…" in family else f"`{one.model}`"


VERSION: Final = r"(\d+(?:\.\d+)?)"
"""How the patterns of families write a version."""


def prefix_names_table() -> str:
    services = sorted(declared("service", "found"), key=lambda one: one.pulls)
    rows = ((code(one.prefixes), code(one.short), f"`{one.name}`") for one in services)
    return table(("starts with", "short name", "provider"), (row for row in rows if any(row[:2])))


def option_table() -> str:
    """What only some providers understand: one row for what is the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in all_services().values():
        for name, row in schema.options(one.name).items():
            if one.role != "played" or one.options is not None:
                found.setdefault((name, meaning(row)), []).append(one.name)
    every = {one.name for one in declared("service", "found")}
    rows = ((f"`{name}`", _whose(own, every), said) for (name, said), own in found.items())
    return table(("key", "for", "meaning"), rows)


def _whose(names: list[str], every: set[str]) -> str:
    left = sorted(every - set(names))
    if len(left) >= len(names):
        return code(names, ", ")
    return "all with a server" + (f" except {code(left, ', ')}" if left else "")


# -- the log


def event_name(event: type[Event]) -> str:
    return str(next(own.default for own in dataclasses.fields(event) if own.name == "type"))


def first_sentence(event: type[Event]) -> str:
    """Of the event's own docstring, else of `UNSAID`. Raises KeyError: a new event has neither."""
    if event.__doc__ in (None, event.__name__):
        return UNSAID[event_name(event)]
    return re.split(r"(?<=[.])\s", " ".join(str(event.__doc__).split()), maxsplit=1)[0]


def event_table(settled: bool) -> str:
    common = {own.name for own in dataclasses.fields(Event)} | {"type"}
    rows = []
    for event in get_args(AnyEvent):
        if event.settled == settled:
            fields = (
                f"`{own.name}`" for own in dataclasses.fields(event) if own.name not in common
            )
            rows.append((f"`{event_name(event)}`", " ".join(fields), first_sentence(event)))
    return table(("type", "its own fields", "what it says"), rows)


def log_page() -> str:
    return f"""\
<!-- {MADE}: the tables come from the events' own fields and docstrings -->
# The log

A session is one file, `sessions/<uuid>.jsonl` in the data folder. Only its owner can read it. Each line is one record,
appended before anything that depends on it happens. Only the last line can be incomplete; then it is set aside.
`agent-tui run --output stream-json` prints the same records, and the deltas between them with `"delta": true`.

## A record

| field | meaning |
|---|---|
| `v` | version of the format: 1, or 2 where texts stand in earlier records (see below) |
| `n` | sequence number in this session, from 1; 0 if it is not stored |
| `at` | seconds since the epoch |
| `type` | the event, see below |
| `session` `run` `trace` | the session (uuid), the program run that wrote it, the turn's trace |
| `turn` `step` | the turn in the session, the step (a model call and its tools) in the turn |
| `agent` `parent_call` | the agent, and for a sub-agent the call that started it |
| `c` | CRC-32 of the line without `,"c":…` |

Fields with their default value are left out. A type or a field of a newer version is kept as it came. The old versions of
changed files are in `blobs/<sha256>`. If the output of a command was cut, the whole output is in `outputs/<session>/`.

## A text that a call writes stands once

The arguments of a call are in `assistant_message`. Later records of the same call have long texts of them again: they
have `v` 2 and name the place (`of` is the number of the record). All readers of agent-tui put the text back. An older
agent-tui says that a newer one wrote the log.

| in | stands | for |
|---|---|---|
| `tool_started`, as `arguments` | `{{"of": 12}}` | the arguments of this call in record 12 |
| a difference, as `hunks` | `{{"of": 13, "diff": 0}}` | the hunks of the first difference in record 13 |
| a hunk, among its `lines` | `{{"of": 12, "in": ["content"], "at": 0, "length": 90, "mark": "+"}}` | 90 characters of `content` in those arguments, each line with `+` in front |
| a hunk, among its `lines` | `{{"z": "…"}}` | lines that stand nowhere else, in UTF-8, zlib and Base64 |
| `assistant_message`, as `arguments` of a call | `{{"z": "…"}}` | the same for arguments with letters that are no ASCII |

A text is only named by a record behind it, in the same file. So the log needs no other file, and its beginning is a log
too. If record 12 is damaged, the session opens, one line says so, and the differences of its calls are not shown.

## What is stored

{event_table(True)}
## What is not stored: deltas, and answers to a front end

{event_table(False)}"""


def harmless_table() -> str:
    """The programs that only look, with the options that they may have."""
    rows = [*harmless.PROGRAMS.items()]
    rows += ((f"git {name}", row) for name, row in harmless_git.COMMANDS.items())
    return table(("program", "options"), ((f"`{name}`", _options(row)) for name, row in rows))


def corpus_table() -> str:
    """What is decided about the commands of the corpus, counted anew."""
    with tempfile.TemporaryDirectory() as folder:
        place = shell_corpus.build(Path(folder).resolve())
        rows = [
            (
                "only looks",
                "run without a question",
                *_share(place, "auto", "ask", "looks", "false ask"),
            ),
            ("may do more", "ask", *_share(place, "auto", "allow", "asks", "hard")),
            (
                "cannot be taken back",
                "ask in `accept-all`, too",
                *_share(place, "accept-all", "allow", "hard"),
            ),
        ]
    return table(("a command that", "must", "commands", "decided wrongly"), rows)


def _share(place: Path, mode: str, wrong: str, *severities: str) -> tuple[str, str]:
    """How many commands there are, and how many of them get the verdict that is wrong."""
    entries = shell_corpus.of(*severities)
    missed = 0
    for entry in entries:
        judged = shell_classifier.classify(entry.command, (place,))
        facts = policy.Facts("run_shell_command", "execute", (), entry.command, str(place))
        facts = dataclasses.replace(facts, unsure=judged.reason, calls=judged.calls)
        missed += policy.decide(mode, facts).verdict == wrong
    return f"{len(entries)}", f"{missed} ({100 * missed / len(entries):.1f} %)"


def inert_list() -> str:
    """The programs that can do nothing but look."""
    return textwrap.fill(", ".join(f"`{name}`" for name in sorted(harmless.INERT)), 118) + "\n"


def _options(row: Spec) -> str:
    shown = sorted(
        f"{'--' if len(name) > 1 else '-'}{name}"
        for one in row.options
        if (name := one.rstrip(KINDS)) != "#"
    )
    return f"`{' '.join(shown)}`" if shown else "none"


def prefix_table() -> str:
    """The beginnings of commands that may be allowed, with all that may follow."""
    other = {"paths": "paths, names", "text": "plain words", "none": "none"}
    rows = (
        (
            f"`{' '.join(words)} …`",
            _options(row.options),
            other[row.options.operands],
            _options(row.behind) if row.behind else "",
        )
        for words, row in prefixes.PREFIXES.items()
    )
    return table(
        ("beginning", "options that may follow", "other words", "options behind `--`"), rows
    )


# -- putting it in place


def put(page: Path, **made: str) -> str:
    """The text of a page with what is made between the marks of each name. Raises ValueError: they
    are not there."""
    text = page.read_text(encoding="utf-8")
    for name, part in made.items():
        mark = f"<!-- {name}: made from the code by docs/generate.py -->\n"
        start = text.index(mark) + len(mark)
        text = f"{text[:start]}{part}{text[text.index(f'<!-- /{name} -->', start) :]}"
    return text


def pages() -> dict[Path, str]:
    """Every text that is made here, as it should be."""
    return {
        README: put(README, start=start_table(), keys=readme_keys()),
        KEYS: keys_page(),
        LOG: log_page(),
        PROVIDERS: put(PROVIDERS, prefixes=prefix_names_table(), providers=provider_table()),
        SETTINGS: put(SETTINGS, settings=settings_table(), options=option_table()),
        TOOL_PAGE: put(TOOL_PAGE, tools=tool_table()),
        CONTEXT_PAGE: put(CONTEXT_PAGE, parts=part_table()),
        USAGE_PAGE: put(USAGE_PAGE, exit_codes=exit_code_table()),
        SAFETY: put(
            SAFETY,
            harmless=harmless_table(),
            inert=inert_list(),
            prefixes=prefix_table(),
            corpus=corpus_table(),
        ),
    }


def stale() -> list[str]:
    """What differs from the code, by name."""
    wrong = [
        path.relative_to(ROOT).as_posix()
        for path, text in pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    return wrong if PICTURE.is_file() else [*wrong, PICTURE.relative_to(ROOT).as_posix()]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="only say what is stale")
    if parser.parse_args().check:
        wrong = stale()
        for name in wrong:
            print(f"{name} is stale: run python docs/generate.py", file=sys.stderr)
        return 1 if wrong else 0
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    from screenshot import picture  # only here: the texts need no screen

    PICTURE.write_text(picture(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
