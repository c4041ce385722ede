"""`agent-tui config`: what the settings are, where each comes from, and changing one of them."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui import paths
from agent_tui.cli.errors import encodable, one_line
from agent_tui.cli.parser import Parser
from agent_tui.protocol import exit_codes
from agent_tui.protocol.exit_codes import FAILED, USAGE
from agent_tui.registry import late
from agent_tui.settings.layers import Loaded, place_at
from agent_tui.settings.schema import entries, entry, free_sections
from agent_tui.settings.store import Refused, Store
from agent_tui.settings.values import (
    KEYS,
    THEME,
    Kind,
    Raw,
    Value,
    inline_table,
    parse_typed,
    quoted,
)
from agent_tui.structures.visible import visible
from agent_tui.tui import commands
from agent_tui.tui.core import keymap

with late(warm=False):  # only for `config edit`
    from agent_tui.safety.process import processes
    from agent_tui.tui.runtime import editor

EPILOG: Final = f"""\
write a KEY as `config show` does: mode, display.theme, providers.ollama.base_url, keys.search
write a list with commas: agent-tui config set keys.search ctrl+f,f3
{exit_codes.summary("config")}
"""


def config(arguments: Sequence[str]) -> int:
    """Run `agent-tui config …`; returns its exit code."""
    given = _parser().parse_args(arguments or ("show",))
    try:
        store = Store(place_at(Path(given.cwd or ".").expanduser().resolve(strict=True)))
    except OSError as error:
        return _fail(f"--cwd {given.cwd}: {error.strerror}", USAGE)
    try:
        match given.action:
            case "show" | "list":
                return _show(store.read(), given.sources)
            case "get":
                return _get(store.read(), given.key)
            case "path":
                for path in (store.path(project) for project in (False, True)):
                    print(visible(str(path)) if sys.stdout.isatty() else path)
                return 0
            case "edit":
                return _edit(store, given.project)
            case "set":
                store.write(given.key, _typed(given.key, given.value), given.project)
            case _:
                _kind(given.key)
                store.remove(given.key, given.project)
    except Refused as error:
        return _fail(str(error), FAILED)
    except ValueError as error:
        return _fail(str(error), USAGE)
    return _told(store.read(), given.key, given.project)


def _parser() -> Parser:
    parser = Parser(
        prog="agent-tui config",
        description="Show and change settings.",
        epilog=EPILOG,
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="default: show"
    )
    show = actions.add_parser(
        "show", aliases=["list"], help="print all settings as TOML; problems go to stderr"
    )
    show.add_argument("--sources", action="store_true", help="show where each value comes from")
    get = actions.add_parser("get", help="print one value")
    change = actions.add_parser("set", help="set a value in your config.toml")
    unset = actions.add_parser("unset", help="remove a value from your config.toml")
    for action in (get, change, unset):
        action.add_argument("key", metavar="KEY")
    change.add_argument("value", metavar="VALUE")
    edit = actions.add_parser("edit", help="open your file in your editor")
    for action in (change, unset, edit):
        action.add_argument(
            "--project",
            action="store_true",
            help="use the project's file: model and display.* only",
        )
    path = actions.add_parser(
        "path", help="print the paths of your file and the project's, even if missing"
    )
    for action in (show, get, change, unset, edit, path):
        action.add_argument(
            "--cwd", default="", metavar="DIR", help="the folder of the project (default: this one)"
        )
    return parser


def _problems(found: Loaded) -> tuple[str, ...]:
    """What is wrong in the files, keys included, one line each."""
    wrong = (*found.problems, *keymap.problems(found.settings.keys, found.problem))
    return tuple(visible(str(problem)) for problem in wrong)


def _show(found: Loaded, sources: bool) -> int:
    shown = [
        (key, f"{_quoted(key)} = {_toml(key, value)}", value) for key, value in found.values.items()
    ]
    width = min(60, max(len(line) for _, line, _ in shown))
    for key, line, value in shown:
        print(f"{line:<{width}}  # {visible(_place(found, key, value))}" if sources else line)
    for problem in _problems(found):
        print(problem, file=sys.stderr)
    return 0


def _place(found: Loaded, key: str, value: Value) -> str:
    return (
        value.source if value.layer not in found.files else f"{value.layer} {found.source_of(key)}"
    )


def _get(found: Loaded, key: str) -> int:
    _kind(key)
    value = found.values.get(key, _unset(key))
    if isinstance(value.value, str) and key.rpartition(".")[2] != "api_key":
        print(visible(value.value))
    else:
        print(_toml(key, value))
    return 0


def _unset(key: str) -> Value:
    known = entry(key)
    if known is not None:
        return Value(known.default)
    return Value(commands.keys_of(key.removeprefix("keys.")))


def _kind(key: str) -> Kind[object]:
    """What `key` may hold. Raises ValueError for a key that is not there."""
    known = entry(key)
    if known is not None:
        return known.kind
    names = [f"keys.{command.name}" for command in commands.COMMANDS]
    if key in names:
        return KEYS
    known_keys = [*(one.key for one in entries()), *names]
    ends = [one for one in known_keys if one.endswith(f".{key}")]
    close = ends[:1] or difflib.get_close_matches(key, known_keys, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "`agent-tui config show` lists them"
    raise ValueError(f"{visible(key)}: is not a setting; {hint}")


def _typed(key: str, text: str) -> Raw:
    kind = _kind(key)
    if not encodable(text):
        raise ValueError(f"{key}: the value {visible(text)} is not valid UTF-8 text")
    try:
        value = parse_typed(kind, text)
    except ValueError:
        raise ValueError(
            f"{key}: the value {visible(text)!r} is not used: expected {kind.expected}"
        ) from None
    if kind is KEYS and isinstance(value, list):
        name = key.removeprefix("keys.")
        wrong = [
            text
            for at, text in keymap.resolve({name: tuple(value)})[1]
            if at == name and "not used" in text
        ]
        if wrong:
            raise ValueError(f"{key}: {wrong[0]}")
    if kind is THEME and text not in (known := _themes(key)):
        raise ValueError(
            f"{key}: there is no theme {visible(text)!r}; choose one of {', '.join(filter(None, known))}"
        )
    return value


def _themes(key: str) -> tuple[str, ...]:
    own = paths.folders().config / "themes"
    return (
        *(("", "auto") if key == "display.theme" else ()),
        *paths.stems((paths.shipped_folder("themes"), own), ".toml"),
    )


def _edit(store: Store, project: bool) -> int:
    """Open the file in the person's editor, and say what is wrong in it then."""
    path, argv = store.path(project), editor.editor(os.environ)
    if not argv or not all(os.isatty(fd) for fd in (0, 1, 2)):
        why = editor.NO_EDITOR if not argv else "this is not a terminal"
        return _fail(f"{why}; the file is {path}", FAILED)
    path.parent.mkdir(0o755, parents=True, exist_ok=True) if project else paths.make_private(
        path.parent
    )
    try:
        code = processes.foreground([*argv, str(path)], lambda: False)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return _fail(f"{argv[0]} cannot be started ({reason}); the file is {path}", FAILED)
    for problem in _problems(store.read()):
        print(problem, file=sys.stderr)
    return FAILED if code else 0


def _told(found: Loaded, key: str, project: bool) -> int:
    """What holds now; where another source wins over what was written, that is said."""
    now = found.values.get(key)
    print(f"{_quoted(key)} = {_toml(key, now or _unset(key))}")
    if now is not None and now.layer not in ("default", "project" if project else "user"):
        print(
            f"agent-tui: {key}: saved, but {visible(_place(found, key, now))} overrides it",
            file=sys.stderr,
        )
    elif now is not None and project and now.layer == "user":
        print(
            f"agent-tui: {key}: the project no longer sets it; your own value is used",
            file=sys.stderr,
        )
    for problem in _problems(found):
        if f": {key}: " in problem:
            print(problem, file=sys.stderr)
    return 0


def _fail(text: str, code: int) -> int:
    print(f"agent-tui: {one_line(text)}", file=sys.stderr)
    return code


def _toml(key: str, value: Value) -> str:
    """A value as TOML; of a key for a server only that there is one."""
    found = value.value
    if key.rpartition(".")[2] == "api_key":
        return '"…"' if found else '""'
    if isinstance(found, tuple | list):
        return f"[{', '.join(quoted(str(item)) for item in found)}]"
    if isinstance(found, dict):
        return inline_table(found) or "{}"
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float) and found.is_integer():
        return str(int(found))
    return quoted(found) if isinstance(found, str) else str(found)


def _quoted(key: str) -> str:
    """The key as it could stand in a file: a provider's name may need quotes."""
    head, _, rest = key.partition(".")
    if head in free_sections() and head != "keys":
        return f"{head}.{rest if rest.replace('-', '_').isidentifier() and rest.isascii() else quoted(rest)}"
    name, _, leaf = rest.rpartition(".")
    bare = all(part.isascii() and part.replace("-", "_").isidentifier() for part in (name, leaf))
    return key if head != "providers" or bare else f"{head}.{quoted(name)}.{leaf}"
