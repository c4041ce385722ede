"""Writing settings: one value of one file at a time, everything else in it as it was, comments
included."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private, project_folders
from agent_tui.settings import private_files
from agent_tui.settings.layers import (
    ANSWERS,
    FILE,
    PROJECT_KEYS,
    Loaded,
    Place,
    Suggestion,
    project_file,
    project_of,
    read,
    unsuitable,
)
from agent_tui.settings.schema import entry, parts
from agent_tui.settings.values import KEYS, Value

Table = MutableMapping[str, object]
_SHARED: Final = 0o644


class Refused(Exception):
    """A setting was not written: why, in one line."""


def public(values: Mapping[str, Value]) -> dict[str, Value]:
    """`values` as a screen may know them: of a secret, only that it is set and where."""
    secret = {
        key
        for key, value in values.items()
        if value.value and (one := entry(key)) and one.kind.form == "secret"
    }
    return {
        key: replace(value, value="set") if key in secret else value
        for key, value in values.items()
    }


class Store:
    """The settings of one place: reads all their sources, writes the two files."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def read(self) -> Loaded:
        return read(self.place)

    def path(self, project: bool = False) -> Path:
        """The file that is written: the person's, or the project's (which may not be there yet)."""
        cwd, config = self.place.cwd, self.place.folders.config
        if not project:
            return config / FILE
        return project_file(cwd, config) or project_folders(cwd)[0] / ".agent-tui" / FILE

    def own_value(self, key: str, project: bool = False) -> object:
        """What the file itself says of `key`; None: nothing."""
        try:
            tree = tomllib.loads(private_files.content(self.path(project)).decode("utf-8-sig"))
        except (OSError, ValueError, RecursionError):  # nothing of it is used
            return None
        return _at(tree, parts(key))

    def write(self, key: str, value: object, project: bool = False) -> None:
        """Set `key` to `value`, as a file holds it. Raises Refused."""
        kind = KEYS if key.startswith("keys.") else known.kind if (known := entry(key)) else None
        if isinstance(value, tuple):  # as values that are read hold it, such as the favourites
            value = list(value)
        try:
            if kind is not None:
                kind.read(value)
        except ValueError:
            raise Refused(f"{key}: expected {kind.expected if kind else 'another value'}") from None
        suggested = project and key == "model"
        if suggested and (why := unsuitable(str(value))):
            raise Refused(f"{key}: {why}")
        self._change(key, value, project)
        if suggested:  # whoever writes it agrees to it
            remember(
                self.place.folders.data,
                Suggestion(str(value), project_of(self.path(project))),
                True,
            )

    def remove(self, key: str, project: bool = False) -> None:
        """Let `key` be what it is without the file. Raises Refused."""
        self._change(key, None, project)

    def put(self, key: str, value: object, project: bool = False) -> str:
        """Set `key` in the person's file, or the project's; None takes it out. Why that was
        refused, in few words; or nothing."""
        try:
            if value is None:
                self.remove(key, project)
            else:
                self.write(key, value, project)
        except Refused as error:
            return str(error).replace(f"{self.path(project).parent}/", "")
        return ""

    def _change(self, key: str, value: object, project: bool) -> None:
        if project and key.partition(".")[0] not in PROJECT_KEYS - {"permissions", "hooks"}:
            raise Refused(f"{key}: a project's file may set model and display only")
        path = self.path(project)
        try:
            target = Path(
                os.path.realpath(path)
            )  # a link to it (dotfiles in a repository) stays one
            if project and not target.is_relative_to(
                os.path.realpath(project_folders(self.place.cwd)[0])
            ):
                raise Refused(f"{path}: is a link to a place outside the project: not written")
            path.parent.mkdir(0o755, parents=True, exist_ok=True) if project else make_private(
                path.parent
            )
            with private_files.alone(target.parent):
                before = private_files.content(target)
                gate = self.place.gate()
                if project and before and not gate.admits(path, before):
                    raise Refused(
                        f"{path}: is not trusted yet; /trust or `agent-tui trust` shows it"
                    )
                after = change_text(before, parts(key), value, str(path))
                if project and not gate.admits(path, after):  # the person's own words
                    gate.trust(gate.left_out.values(), lasting=True)
                if after != before:
                    private_files.replace(
                        target, after, _SHARED if project else private_files.PRIVATE
                    )
        except OSError as error:
            raise Refused(f"{path}: cannot be written ({error.strerror or error})") from None


def remember(data: Path, suggestion: Suggestion, agreed: bool) -> None:
    """Keep what the person said to a project's suggestion. Raises Refused."""
    put_alone(data / ANSWERS, (suggestion.project, suggestion.model), agreed)


def put_alone(path: Path, key: tuple[str, ...], value: object) -> None:
    """Set `key` in a TOML file that is for its owner alone; None takes it out. Raises Refused."""
    try:
        private_files.change(path, lambda before: change_text(before, key, value, str(path)))
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror or error})") from None


def change_text(before: bytes, key: tuple[str, ...], value: object, name: str) -> bytes:
    """The text of a file in which only `key` is another; `value` None: it is gone. Raises
    Refused."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import AbstractTable

    def is_bare(item: object) -> bool:
        return isinstance(item, AbstractTable) and not (
            item or item.as_string().strip() or item.trivia.comment
        )

    try:
        text = before.decode("utf-8-sig")
        wanted = tomllib.loads(text.replace("\r\n", "\n"))
        document = tomlkit.parse(text)
        _put(wanted, key, value, lambda _: {})
        _put(document, key, value, lambda outer: tomlkit.table(outer or None))
        if value is None:
            _prune(document, wanted, key, is_bare)
        made = tomlkit.dumps(document)
        if tomllib.loads(made.replace("\r\n", "\n")) != wanted:
            raise Refused(
                f"{name}: {'.'.join(key)} cannot be changed where it stands; edit the file"
            )
    except (TOMLKitError, ValueError, TypeError, AttributeError, RecursionError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Refused(f"{name}: is not valid TOML, so it was not changed ({said})") from None
    return made.encode("utf-8")


def _put(tree: Table, key: tuple[str, ...], value: object, table: Callable[[bool], Table]) -> None:
    for depth, part in enumerate(key[:-1], 1):
        if part not in tree:
            if value is None:
                return
            tree[part] = table(depth < len(key) - 1)
        inner = tree[part]
        if not isinstance(inner, MutableMapping):
            raise Refused(f"{'.'.join(key[:depth])}: is not a table in the file; edit the file")
        tree = inner
    if value is not None:
        tree[key[-1]] = list(value) if isinstance(value, tuple) else value
    elif key[-1] in tree:
        del tree[key[-1]]


def _prune(
    document: Table, wanted: Table, key: tuple[str, ...], is_bare: Callable[[object], bool]
) -> None:
    """Take out the tables around `key` that hold nothing any more, no comment either."""
    for depth in range(len(key) - 1, 0, -1):
        if not is_bare(_at(document, key[:depth])):
            return
        for tree in (document, wanted):
            outer = _at(tree, key[: depth - 1])
            if isinstance(outer, MutableMapping):
                del outer[key[depth - 1]]


def _at(tree: object, key: tuple[str, ...]) -> object:
    for part in key:
        tree = tree.get(part) if isinstance(tree, Mapping) else None
    return tree
