"""Writing settings: one value of one file at a time, everything else in it as it was, comments
included."""

from __future__ import annotations

import errno
import fcntl
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private, project_folders
from agent_tui.regular_file import open_regular
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
PRIVATE: Final = 0o600
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
            tree = tomllib.loads(_content(self.path(project)).decode("utf-8-sig"))
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
        if project and key.partition(".")[0] not in PROJECT_KEYS:
            raise Refused(
                f"{key}: a project's file may set {' and '.join(sorted(PROJECT_KEYS, reverse=True))} only"
            )
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
            with _alone(target.parent):
                before = _content(target)
                after = change_text(before, parts(key), value, str(path))
                if after != before:
                    _replace(target, after, _SHARED if project else PRIVATE)
        except OSError as error:
            raise Refused(f"{path}: cannot be written ({error.strerror or error})") from None


def remember(data: Path, suggestion: Suggestion, agreed: bool) -> None:
    """Keep what the person said to a project's suggestion. Raises Refused."""
    put_alone(data / ANSWERS, (suggestion.project, suggestion.model), agreed)


def put_alone(path: Path, key: tuple[str, ...], value: object) -> None:
    """Set `key` in a TOML file that is for its owner alone; None takes it out. Raises Refused."""
    try:
        target = Path(os.path.realpath(path))
        make_private(path.parent)
        with _alone(target.parent):
            before = _content(target)
            _replace(target, change_text(before, key, value, str(path)), PRIVATE)
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror or error})") from None


def _content(path: Path) -> bytes:
    """What stands in the file; nothing where there is none."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def change_text(before: bytes, key: tuple[str, ...], value: object, name: str) -> bytes:
    """The text of a file in which only `key` is another; `value` None: it is gone. Raises Refused."""
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


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While it holds, no other agent-tui changes a file in `folder`: else one of two changes would
    be lost."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (
                errno.ENOTSUP,
                errno.ENOSYS,
                errno.EINVAL,
                errno.EBADF,
                errno.ENOLCK,
            ):
                raise
        yield  # on a file system without locks, unguarded
    finally:
        os.close(handle)


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Write `path` whole or not at all. The person's file is for the person alone: it may hold
    keys."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
