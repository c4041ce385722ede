"""Which files of a project are used: those whose content the person trusts.

A project comes with a repository, from anyone. Its settings, instructions and skills act, so none
of them is used before the person has seen it and said yes. A yes is for a content: another one asks
again. It is kept in the person's data folder, one file a project, and holds for the folder that is
there (real path, device and inode). Nothing that stands in a project says which folder that is.

Whoever reads such a file asks the `Gate` about the bytes that were read: what was judged is what is
used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from agent_tui.paths import project_folders
from agent_tui.registry import late
from agent_tui.settings import private_files
from agent_tui.structures.frozen import frozen

with late():  # only where a project brings something
    import hashlib
    import json
    import pwd
    import zlib

FOLDER: Final = "trusted"
"""In the data folder: what the person trusts, one file a project."""
MOST_CONTENTS: Final = 20
"""Contents of one file that stay trusted, the newest last: who changes to another branch and back
is not asked again."""
MOST_SKILLS: Final = 500
"""Texts of skills of one project that the person let be used, and that are kept."""
_MAX_BYTES: Final = 1 << 24


@frozen
class Root:
    """A folder whose files are trusted one by one: as it was named (`folder`), its real path, and
    which folder that is. `lasts`: a yes may outlive this run; never in a home folder or above it.
    """

    folder: Path
    path: str
    device: int = 0
    inode: int = 0
    lasts: bool = True


@frozen
class Known:
    """What is trusted of one file: the hashes of its contents, and the newest content."""

    hashes: tuple[str, ...] = ()
    newest: bytes = b""


@frozen
class Record:
    """What was trusted of the folder that was at a path."""

    path: str
    device: int
    inode: int
    files: Mapping[str, Known]
    skills: tuple[str, ...] = ()
    """The digests of skills that the person let be used, the newest last."""


Content = tuple[str, str, str]
"""Of a file: the real path of its root, its name, the hash."""


@frozen
class Found:
    """A file of a project that can act, as it was read. `name`: its path from the root; `before`:
    the text that was trusted last; None: none was."""

    root: Root
    name: str
    path: Path
    raw: bytes = field(repr=False)
    before: str | None = field(default=None, repr=False)

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def content(self) -> Content:
        return self.root.path, self.name, self.hash

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", "replace")


class ThisRun:
    """What holds until the program ends: all of some `folders` (real paths of roots) is trusted,
    because the command line names them; and what the person said about contents of files."""

    def __init__(self, folders: Iterable[str] = ()) -> None:
        self.folders = frozenset(folders)
        self.trusted: set[Content] = set()
        self.declined: set[Content] = set()
        self.skills: set[tuple[str, str]] = set()
        """Skills that the person let be used: the real path of the root, and the digest."""


class Gate:
    """Says of each file of a project whether it is used, and holds what was `used` and what
    `left_out`. `folders`: that of the session, then those that were added."""

    def __init__(
        self, folders: Sequence[Path], data: Path, now: ThisRun, environment: Mapping[str, str]
    ) -> None:
        self._folders, self._data, self._now, self._environment = folders, data, now, environment
        self._roots: list[Root] = []
        self._records: dict[str, Record | None] = {}
        self.used: dict[Path, Found] = {}
        self.left_out: dict[Path, Found] = {}
        self.closed: tuple[str, ...] = ()
        """`permissions.forbidden_dirs`, as far as the settings are known: nothing in them is read, nor
        what of the person's own lies there."""
        self._importers: dict[Path, Path] = {}

    @property
    def roots(self) -> list[Root]:
        self._roots = self._roots or [root_of(one, self._environment) for one in self._folders]
        return self._roots

    def admits(self, path: Path, raw: bytes) -> bool:
        """Whether the content `raw` of the file `path` is used."""
        root = self._root(path)
        name = os.path.relpath(path, root.folder)
        known = self._known(root, name)
        before = known.newest.decode("utf-8", "replace") if known is not None else None
        found = Found(root, name, path, raw, before)
        same = known is not None and known.newest == raw and not self.is_replaced(root)
        admitted = same or self.trusts(root, name, found.hash)  # to hash takes an import
        (self.used if admitted else self.left_out)[path] = found
        return admitted

    def looks(self, path: Path, raw: bytes) -> bool:
        """The same, where nothing of what is read is used: what a file imports that is not used is
        looked at, too, so that the person is asked about all of it at once."""
        self.admits(path, raw)
        return True

    def note_import(self, of: Path, path: Path) -> None:
        """The file `of` imports the one at `path`."""
        self._importers.setdefault(path, of)

    def importer_of(self, found: Found) -> str:
        """What the file is called that imports it; empty: none does."""
        of = self._importers.get(found.path)
        known = of and (self.left_out.get(of) or self.used.get(of))
        return self.display_name(known) if known else str(of or "")

    def trusts(self, root: Root, name: str, hashed: str) -> bool:
        """Whether the person trusts the content `hashed` of a file."""
        now = root.path in self._now.folders or (root.path, name, hashed) in self._now.trusted
        return now or self.outlives(root, name, hashed)

    def outlives(self, root: Root, name: str, hashed: str) -> bool:
        """Whether that trust is kept beyond this run."""
        known = self._known(root, name)
        return known is not None and not self.is_replaced(root) and hashed in known.hashes

    def display_name(self, found: Found) -> str:
        """What a file is called: by its path in the project, or its whole path in another one."""
        return found.name if found.root == self.roots[0] else str(found.path)

    def is_replaced(self, root: Root) -> bool:
        """Whether another folder was trusted at this path than the one that is there."""
        record = self._record(root)
        there = (root.device, root.inode)
        return record is not None and (record.device, record.inode) != there

    def trust(self, found: Iterable[Found], lasting: bool) -> None:
        """Use these contents from now on; not `lasting`: until the program ends. Raises OSError
        where that cannot be kept; they are used until the end then."""
        found = tuple(found)
        self._now.trusted |= {one.content for one in found}
        for root in {one.root.path: one.root for one in found}.values() if lasting else ():
            if root.lasts:
                _keep(self._data, root, [one for one in found if one.root.path == root.path])
        self._records.clear()

    def lets_use(self, file: Path, digest: str) -> bool:
        """Whether the person lets the skill `digest` be used, which `file` holds: its first use is
        asked about even where the file is trusted. Who names the folder on the command line has
        said so."""
        root = self._root(file)
        record = None if self.is_replaced(root) else self._record(root)
        now = root.path in self._now.folders or (root.path, digest) in self._now.skills
        return now or (record is not None and digest in record.skills)

    def let_use(self, file: Path, digest: str, lasting: bool) -> None:
        """From now on; not `lasting`: until the program ends. Raises OSError where that cannot be
        kept; it holds until the end then."""
        root = self._root(file)
        self._now.skills.add((root.path, digest))
        if lasting and root.lasts:
            _keep(self._data, root, [], (digest,))
        self._records.clear()

    def decline(self) -> None:
        """Nobody is asked again about what is left out, until the program ends."""
        self._now.declined |= {one.content for one in self.left_out.values()}

    @property
    def is_new(self) -> bool:
        """Whether the person has said nothing yet about some of what is left out."""
        return any(one.content not in self._now.declined for one in self.left_out.values())

    def _root(self, path: Path) -> Root:
        inner = [one for one in self.roots if path.is_relative_to(one.folder)]
        return max(inner, key=lambda one: len(one.folder.parts), default=self.roots[0])

    def _known(self, root: Root, name: str) -> Known | None:
        record = self._record(root)
        return record.files.get(name) if record is not None else None

    def _record(self, root: Root) -> Record | None:
        if root.path not in self._records:
            found = read_record(_file(self._data, root.path))
            same = found is not None and found.path == root.path
            self._records[root.path] = found if same else None
        return self._records[root.path]


def root_of(folder: Path, environment: Mapping[str, str]) -> Root:
    """The folder that files which speak for `folder` are trusted in: the outermost of them that is
    no home folder and above none. Where there is no such, nothing is trusted for long."""
    chain = project_folders(folder)
    homes = [Path(os.path.realpath(home)) for home in _homes(environment)]
    below = [
        one
        for one in chain
        if not any(home.is_relative_to(os.path.realpath(one)) for home in homes)
    ]
    top = below[0] if below else chain[-1]
    real = os.path.realpath(top)
    try:
        about = Path(real).stat()
    except OSError:  # it is gone: so is what is in it
        return Root(top, real, lasts=False)
    return Root(top, real, about.st_dev, about.st_ino, bool(below))


def records(data: Path) -> Iterator[Record]:
    """What is trusted, sorted by path."""
    found = map(read_record, (data / FOLDER).glob("*.json"))
    yield from sorted((one for one in found if one is not None), key=lambda one: one.path)


def forget(data: Path, path: str) -> bool:
    """Trust nothing any more of the folder with this real path; false: nothing was. Raises
    OSError."""
    file = _file(data, path)
    found = read_record(file)
    if found is None or found.path != path:
        return False
    file.unlink()
    return True


def read_record(path: Path) -> Record | None:
    """What a file holds; what cannot be read was not said."""
    try:
        said = json.loads(private_files.content(path, _MAX_BYTES))
        files = {
            str(name): Known(
                tuple(map(str, one["hashes"])), str(one["text"]).encode("utf-8", "surrogateescape")
            )
            for name, one in said["files"].items()
        }
        skills = tuple(map(str, said.get("skills", ())))
        return Record(str(said["path"]), int(said["device"]), int(said["inode"]), files, skills)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _keep(data: Path, root: Root, found: Sequence[Found], skills: tuple[str, ...] = ()) -> None:
    """Put `found`, and the digests of `skills`, on the record of their root. Raises OSError."""
    path = _file(data, root.path)

    def change(_: bytes) -> bytes:
        before = read_record(path)
        there = (root.path, root.device, root.inode)
        same = before is not None and (before.path, before.device, before.inode) == there
        files = dict(before.files) if before is not None and same else {}
        older = before.skills if before is not None and same else ()
        used = (*(one for one in older if one not in skills), *skills)
        for one in found:
            seen = files.get(one.name, Known()).hashes
            hashes = (*(hashed for hashed in seen if hashed != one.hash), one.hash)
            files[one.name] = Known(hashes[-MOST_CONTENTS:], one.raw)
        said = {
            "path": root.path,
            "device": root.device,
            "inode": root.inode,
            "files": {
                name: {
                    "hashes": one.hashes,
                    "text": one.newest.decode("utf-8", "surrogateescape"),
                }
                for name, one in files.items()
            },
            "skills": used[-MOST_SKILLS:],
        }
        return json.dumps(said, indent=1).encode("ascii")

    private_files.change(path, change)


def _file(data: Path, real: str) -> Path:
    """The file with what is trusted of the folder with this real path. The path stands in it, so
    two of one name harm nobody: one of them asks again."""
    named = os.fsencode(real)
    return data / FOLDER / f"{zlib.crc32(named):08x}{zlib.adler32(named):08x}.json"


def _homes(environment: Mapping[str, str]) -> Iterator[str]:
    if home := environment.get("HOME", ""):
        yield home
    try:
        yield pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user whom the system does not know has only what the environment says
        return
