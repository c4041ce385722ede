"""Reading settings: defaults, the person's file, the project's file, environment, flags.

A later source wins. What is wrong in a file is named (`Problem`) and left out; the rest is used.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from agent_tui.paths import (
    Folders,
    folders,
    is_same_file,
    may_exist,
    project_folders,
    tool_folders,
)
from agent_tui.registry import names
from agent_tui.settings.schema import (
    PROVIDERS,
    Problem,
    Source,
    Tree,
    check,
    entries,
    fixed_rows,
    flag_keys,
    flatten,
    free_sections,
    parts,
    services,
)
from agent_tui.settings.table import ProviderSettings, Settings
from agent_tui.settings.trust import Gate, ThisRun
from agent_tui.settings.values import Layer, Setting, Value, parse_rule, parse_typed
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen, replace_fields

FILE: Final = "config.toml"
PROJECT_KEYS: Final = frozenset({"model", "display", "permissions", "hooks"})
"""All that a project's own file may hold, once the person trusts it: such a file comes with a
repository, from anyone. Its model is a suggestion, used once the person agreed, its rules only deny
or ask, and its hooks come behind the person's own."""
TIGHTER: Final = ("deny", "ask")
"""The rules that a project may have: more of the person's own."""
ANSWERS: Final = "projects.toml"
"""The file in the person's data folder with what they said to each project's suggestion: a table
for each project (its real path), in which the name of a model is true or false."""
FLAGS: Final = "command line"
"""Where a problem with a flag is said to be."""
_COMMANDS: Final = "run_shell_command"
_PATTERN: Final = late.pattern(r"\*|\{[^{}]*,[^{}]*\}")
"""What a shell replaces, and a rule for commands does not."""
_MAX_BYTES: Final = 1 << 20
_MOST_DOTS: Final = 1_000
"""Dots in a line: the time to read a dotted key grows with the square of its parts."""
_ABOVE_PROJECTS: Final = ("environment", "flag")
_Given = dict[str, tuple[str, object]]
"""Key to the variable or the flag that sets it, and its value."""


class Flags(dict[str, str | float | bool | None]):
    """What the command line sets, each by what the parser calls its flag; empty or None: not
    given."""


@frozen
class Place:
    """Where settings are read, and what sets them beside the files. The same for as long as the
    program runs."""

    cwd: Path
    folders: Folders
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    flags: Flags = field(default_factory=Flags)
    this_run: ThisRun = field(default_factory=ThisRun, compare=False, repr=False)

    def with_settings(self, settings: Settings) -> Configuration:
        return Configuration(
            self.cwd, self.folders, self.environment, self.flags, self.this_run, settings
        )

    def gate(self, others: Iterable[Path] = ()) -> Gate:
        """What decides which files of this project, and of `others`, are used."""
        return Gate((self.cwd, *others), self.folders.data, self.this_run, self.environment)


def place_at(cwd: Path, flags: Flags | None = None) -> Place:
    """The folder `cwd` as this program finds it: with its own folders, and the variables that it
    was given."""
    return Place(cwd, folders(), dict(os.environ), flags or Flags())


@frozen
class Configuration(Place):
    """A place with the settings that hold there: what the engine and the providers work with. When
    a setting changes, a new one takes its place."""

    settings: Settings = Settings()

    def gate(self, others: Iterable[Path] = ()) -> Gate:
        """The same; it also knows the forbidden folders."""
        found = Place.gate(self, others)
        found.closed = self.settings.permissions.forbidden_dirs
        return found


@frozen
class Suggestion:
    """A model that the file of a project names. `project`: the real path of its folder; `where`:
    file and line."""

    model: str
    project: str
    where: str = ""


@frozen
class Loaded:
    """The settings for a session, what was wrong, and where each value comes from. `suggestion`:
    what the project suggests and the person has neither agreed to nor refused."""

    settings: Settings
    problems: tuple[Problem, ...] = ()
    own: Mapping[str, Value] = field(default_factory=dict, repr=False)
    """The values that a file, a variable of ours or a flag sets."""
    files: Mapping[Layer, Source] = field(default_factory=dict, repr=False)
    suggestion: Suggestion | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def values(self) -> Mapping[str, Value]:
        """Every value: the defaults, and what the providers find in the environment, where nothing
        else sets it."""
        plain = {
            one.key: Value(one.default)
            for one in entries()
            if not one.key.startswith(f"{PROVIDERS}.")
        }
        return plain | _of_providers(self.environment) | dict(self.own)

    @property
    def hidden_rule(self) -> Problem | None:
        """What is wrong where a call may be one that the person denied, or wants to be asked about.
        Nothing runs then: what was forbidden must not be allowed by a slip. A rule that only
        allows is missed by nobody; a project has no rules."""
        user = self.files.get("user", Source(""))
        for problem in self.problems:
            section, _, leaf = problem.key.partition(".")
            misspelt = "did you mean permissions?" in problem.text
            unread = not problem.key and re.search(r"permission|\bdeny\b", user.text)
            of_rules = misspelt or (section == "permissions" and leaf != "allow")
            if problem.file == user.file and (unread or of_rules):
                return problem
        return None

    def problem(self, key: str, text: str) -> Problem:
        """`text` about the value of `key`, said where that is set."""
        found = self.own.get(key) or self.values.get(key, Value(None))
        file = self.files.get(found.layer)
        return file.problem(parts(key), text) if file else Problem(found.source, 0, key, text)

    def source_of(self, key: str) -> str:
        """File and line, variable or flag of the value of `key`."""
        said = self.problem(key, "")
        return f"{said.file}:{said.line}" if said.line else said.file


def _of_providers(environment: Mapping[str, str]) -> dict[str, Value]:
    """What the providers that are listed read themselves, where no file says otherwise."""
    found: dict[str, Value] = {}
    for name, service in services().items():
        for leaf, variables in service.variables.items() if service.options is not None else ():
            if variable := next((one for one in variables if environment.get(one)), ""):
                found[f"{PROVIDERS}.{name}.{leaf}"] = Value(
                    environment[variable], "environment", variable
                )
    return found


def read(place: Place, gate: Gate | None = None) -> Loaded:
    """The settings for a session in a place, with the source of each value; those of the project
    only as far as the `gate` (that of the place) admits it. Never raises."""
    problems: list[Problem] = []
    files: dict[Layer, Source] = {}
    config = place.folders.config
    tree, files["user"] = _read(config / FILE, problems)
    settings, values = _merged(Settings(), tree), flatten(tree, "user")
    suggestion = None
    if project := project_file(place.cwd, config):
        tree, files["project"] = _read(
            project, problems, PROJECT_KEYS, (gate or place.gate()).admits
        )
        suggestion = _suggestion(str(tree.pop("model", "")), project, files["project"], problems)
        if (
            suggestion is not None
            and (agreed := answer(place.folders.data, suggestion)) is not None
        ):
            tree |= {"model": suggestion.model} if agreed else {}
            suggestion = None
        _only_tighten(tree, settings, files["project"], problems)
        _join_hooks(tree, settings)
        settings = _merged(settings, tree)
        values |= flatten(tree, "project")
    layers: tuple[tuple[Layer, str, _Given], ...] = (
        ("environment", "environment", _from_environment(place.environment)),
        ("flag", FLAGS, _from_flags(place.flags)),
    )
    for layer, name, given in layers:
        tree = _given(name, given, problems)
        settings = _merged(settings, tree)
        values |= {
            key: replace(one, name=given[key][0]) for key, one in flatten(tree, layer).items()
        }
    if suggestion is not None and (
        suggestion.model == settings.model
        or values.get("model", Value("")).layer in _ABOVE_PROJECTS
    ):
        suggestion = None  # it makes no difference
    loaded = Loaded(settings, tuple(problems), values, files, suggestion, place.environment)
    missing = (*_rules_of_no_tool(loaded, place), *_rules_of_no_command(loaded))
    return replace(loaded, problems=loaded.problems + missing) if missing else loaded


def _only_tighten(tree: Tree, own: Settings, file: Source, problems: list[Problem]) -> None:
    """Leave of the rules in a project's `tree` those that tighten, behind the person's `own`."""
    found = tree.get("permissions")
    if not isinstance(found, dict):
        return
    for leaf in found.keys() - set(TIGHTER):
        said = "is not allowed in a project's file, only deny and ask are: not used"
        problems.append(file.problem(("permissions", leaf), said))
    tree["permissions"] = {
        leaf: (*getattr(own.permissions, leaf), *found[leaf]) for leaf in TIGHTER if leaf in found
    }


def _join_hooks(tree: Tree, own: Settings) -> None:
    """Put the hooks in a project's `tree` behind the person's `own`; for the same pattern those of
    the project count."""
    found = tree.get("hooks")
    if isinstance(found, dict) and "after_edit" in found:
        tree["hooks"] = {"after_edit": {**own.hooks.after_edit, **found["after_edit"]}}


def _rules_of_no_tool(loaded: Loaded, place: Place) -> Iterator[Problem]:
    """Rules that fit no call, because there is no such tool. A custom tool counts by its file."""
    rules = loaded.settings.permissions
    for kind, texts in (("deny", rules.deny), ("ask", rules.ask), ("allow", rules.allow)):
        for tool in (parse_rule(text)[0] for text in texts):
            if tool not in (there := names("agent_tui.tools")) and not any(
                (folder / f"{tool}.py").exists()
                for folder in tool_folders(place.folders.config, place.cwd)
            ):
                said = f"there is no tool {tool}; there are: {', '.join(there)}"
                yield loaded.problem(f"permissions.{kind}", said)


def _rules_of_no_command(loaded: Loaded) -> Iterator[Problem]:
    """Rules against commands with a pattern that is none there: they would forbid nothing."""
    rules = loaded.settings.permissions
    for kind, texts in (("deny", rules.deny), ("ask", rules.ask)):
        for text in texts:
            tool, _, words = parse_rule(text)
            named = words[:-1] if words[-1:] == ("*",) else words
            if tool == _COMMANDS and any(map(_PATTERN.search, named)):
                said = f"{text!r} would fit no command: only ` *` at the end stands for other words"
                yield loaded.problem(f"permissions.{kind}", said)


def _suggestion(
    model: str, file: Path, source: Source, problems: list[Problem]
) -> Suggestion | None:
    """The model that the project's `file` names, if a project may suggest it."""
    if not model:
        return None
    found = source.problem(("model",), unsuitable(model))
    if found.text:
        problems.append(replace(found, text=f"{found.text}: not used"))
        return None
    return Suggestion(model, project_of(file), f"{file}:{found.line}")


def unsuitable(model: str) -> str:
    """Why no project may suggest `model`; empty: it may. A script is no model: it says which
    commands are run."""
    provider = model.partition("/")[0].lower()
    if (known := services().get(provider)) is not None and known.is_played:
        return f"a project may not choose the provider {provider}"
    return "a project may not name the address of a server" if "://" in model else ""


def answer(data: Path, suggestion: Suggestion) -> bool | None:
    """What the person said to a project's suggestion; None: nothing yet. What cannot be read was
    not said."""
    try:
        said = tomllib.loads((data / ANSWERS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    of_project = said.get(suggestion.project)
    agreed = of_project.get(suggestion.model) if isinstance(of_project, dict) else None
    return agreed if isinstance(agreed, bool) else None


def project_of(file: Path) -> str:
    """The real path of the project that a settings file speaks for, as a file of text can hold
    it."""
    return os.fsencode(file.parent.parent.resolve()).decode("utf-8", "backslashreplace")


def project_file(cwd: Path, config: Path) -> Path | None:
    """The project's file that counts in `cwd`: the nearest one; None where there is none."""
    nearest = (folder / ".agent-tui" / FILE for folder in reversed(project_folders(cwd)))
    return next(
        (path for path in nearest if may_exist(path) and not is_same_file(path, config / FILE)),
        None,
    )


def _from_environment(environment: Mapping[str, str]) -> _Given:
    given: _Given = {}
    for key, row in fixed_rows().items():
        if row.variable is not None and (value := environment.get(row.variable.name)):
            given[key] = (row.variable.name, row.variable.means or _meant(row, value))
    return given


def _meant(row: Setting, text: str) -> object:
    """What the text of a variable stands for; the text itself where it is none of what may be
    set."""
    try:
        return text if isinstance(row.default, str) else parse_typed(row.kind, text)
    except ValueError:
        return text


def _from_flags(flags: Flags) -> _Given:
    given: _Given = {
        key: (flag.name, flags.get(flag.destination)) for key, flag in flag_keys().items()
    }
    return {key: (name, value) for key, (name, value) in given.items() if value not in (None, "")}


def _given(file: str, given: _Given, problems: list[Problem]) -> Tree:
    """The same checks for values that come from no file; a problem names the variable or the
    flag."""
    tree: Tree = {}
    for key, (name, value) in given.items():
        section, _, leaf = key.rpartition(".")
        found: list[Problem] = []
        checked = check({section: {leaf: value}} if section else {leaf: value}, Source(file), found)
        problems.extend(replace(problem, key=name) for problem in found)
        for part, inner in checked.items():
            before = tree.get(part)
            tree[part] = (
                {**before, **inner}
                if isinstance(before, dict) and isinstance(inner, dict)
                else inner
            )
    return tree


def _read(
    path: Path,
    problems: list[Problem],
    allowed: frozenset[str] | None = None,
    admits: Callable[[Path, bytes], bool] = lambda *_: True,
) -> tuple[Tree, Source]:
    """What is valid in one file; nothing where it is not there, not TOML, or not admitted."""
    source = Source(str(path))
    try:
        if not path.is_file():
            if os.path.lexists(path):  # also a link that leads nowhere, or to itself
                problems.append(source.problem((), "is not a file: not used"))
            return {}, source
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            problems.append(source.problem((), "is larger than 1 MB: not used"))
            return {}, source
        if not admits(path, raw):
            return {}, source
        text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        source = Source(str(path), text)
        raw.decode("utf-8-sig")
        for at, row in enumerate(source.text.split("\n"), 1):
            if row.count(".") > _MOST_DOTS:
                problems.append(
                    Problem(
                        str(path),
                        at,
                        "",
                        "has a key with too many dots: the whole file is not used",
                    )
                )
                return {}, source
        return check(tomllib.loads(source.text), source, problems, allowed), source
    except OSError as error:
        problems.append(source.problem((), f"cannot be read ({error.strerror or error}): not used"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problems.append(
            Problem(str(path), line, "", "is not UTF-8 text: the whole file is not used")
        )
    except tomllib.TOMLDecodeError as error:
        problems.append(source.invalid(str(error)))
    except ValueError:  # Python reads and writes no numbers of thousands of digits
        problems.append(
            source.problem((), "contains a number that is too long: the whole file is not used")
        )
    except RecursionError:
        problems.append(source.problem((), "is nested too deeply: the whole file is not used"))
    return {}, source


def _merged(settings: Settings, data: Tree) -> Settings:
    """`settings` with what `data` (checked) says instead."""
    changes: Tree = {}
    for name, value in data.items():
        before = getattr(settings, name)
        if not isinstance(value, dict):
            changes[name] = value
        elif name == PROVIDERS:
            changes[name] = dict(before) | {
                own: replace_fields(before.get(own, ProviderSettings()), values)
                for own, values in value.items()
            }
        else:
            changes[name] = (
                {**before, **value} if name in free_sections() else replace_fields(before, value)
            )
    return replace_fields(settings, changes)
