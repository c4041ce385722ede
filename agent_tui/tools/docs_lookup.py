"""Documentation and signatures of the libraries that the project has installed: from their files,
offline, without running any of their code."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from agent_tui.safety.file_access import NotRegular, read_regular
from agent_tui.structures import late
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support.python_docs import Sources

MAX_BYTES: Final = 2_000_000
"""Of a file."""
MAX_PYTHON: Final = 400_000
"""The same of Python: nothing else runs while it is parsed."""
README_CHARS: Final = 4_000
README_READ: Final = 20_000
"""Characters of a description that are looked at."""
MOST_NAMED: Final = 30
MOST_DECLARATIONS: Final = 200
"""Files of TypeScript that are looked through."""
AROUND: Final = 12
"""Lines of a declaration of TypeScript that are shown."""
_ENVIRONMENTS: Final = (".venv", "venv", "env", ".env")
_READMES: Final = ("README.md", "readme.md", "Readme.md")
_PICTURES: Final = late.pattern(
    r"<img[^<>]*>|!\[[^\[\]]*\]\([^()]*\)|</?(?:p|a|div|h1)\b[^<>]*>|\[\]\([^()]*\)"
)
"""Badges and what stands around them."""
_NAME: Final = late.pattern(r"@?[A-Za-z0-9][\w.@/-]*")
_DECLARES: Final = (
    r"^[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?"
    r"(?:function|class|interface|type|const|let|enum|namespace)[ \t]+{0}\b"
    r"|^[ \t]*(?:readonly[ \t]+)?{0}[ \t]*[(<?:]"
)


class DocsLookup(LenientArguments):
    library: str = Field(description="the name of an installed package")
    symbol: str = Field(default="", description="such as Client.get; empty: an overview")


class _Project:
    """The libraries in the folder of the session."""

    def __init__(self, ctx: ToolContext, stopped: Callable[[], bool]) -> None:
        self._ctx, self._stopped = ctx, stopped
        root = ctx.roots[0]
        self.packages = [
            site
            for name in _ENVIRONMENTS
            if self.read_text(root / name / "pyvenv.cfg")
            for python in self.list_folder(root / name / "lib", "python3*")
            if self.has_folder(site := python / "site-packages")
        ]
        self.modules = root / "node_modules"

    def check(self) -> None:
        """Raises ToolFailure when the call was stopped."""
        if self._stopped():
            raise ToolFailure("exception", "it was stopped")

    def has_folder(self, path: Path) -> bool:
        """Whether there is a folder that may be looked into."""
        try:
            return self._ctx.path(str(path)).is_dir()
        except (OSError, ValueError, ToolFailure):
            return False  # not there, or not for the model

    def list_folder(self, path: Path, pattern: str) -> list[Path]:
        """What lies in a folder; nothing where that may not be looked into."""
        self.check()
        return sorted(path.glob(pattern)) if self.has_folder(path) else []

    def infos(self) -> Iterator[Path]:
        """The folders with what is known of each Python package."""
        for folder in self.packages:
            yield from self.list_folder(folder, "*.dist-info")

    def read_text(self, path: Path) -> str:
        self.check()
        most = MAX_PYTHON if path.suffix in (".py", ".pyi") else MAX_BYTES
        try:
            data = read_regular(self._ctx.path(str(path)), most + 1)
            return data.decode("utf-8", "replace") if len(data) <= most else ""
        except (OSError, ValueError, NotRegular, ToolFailure):
            return ""  # not there, or not for the model

    def hide(self, text: str) -> str:
        """`text` without what looks like a secret."""
        return self._ctx.hide_secrets(text)

    def metadata(self, library: str) -> str:
        """The text of a Python package's metadata."""
        wanted = _normal(library)
        named = (info for info in self.infos() if _package(info) == wanted)
        return next((self.read_text(info / "METADATA") for info in named), "")

    def top_modules(self, library: str) -> Iterator[str]:
        """The modules that a Python package brings."""
        yield library.replace("-", "_")
        wanted = _normal(library)
        for info in self.infos():
            if _package(info) != wanted:
                continue
            yield from self.read_text(info / "top_level.txt").split()
            for line in self.read_text(info / "RECORD").splitlines():
                first = line.partition(",")[0]
                if first.endswith("/__init__.py") and first.count("/") == 1:
                    yield first.partition("/")[0]

    def names(self) -> list[str]:
        """The packages that there are."""
        found = {info.name.partition("-")[0] for info in self.infos()}
        modules = self.list_folder(self.modules, "*")
        found |= {one.name for one in modules if not one.name.startswith(".")}
        return sorted(found, key=str.lower)

    def declarations(self, folder: Path) -> list[Path]:
        """The first files of types below a folder."""
        found = list[Path]()
        for above, folders, names in os.walk(folder) if self.has_folder(folder) else ():
            self.check()
            folders.sort()
            found += [Path(above, name) for name in sorted(names) if name.endswith(".d.ts")]
            if len(found) >= MOST_DECLARATIONS:
                break
        return found[:MOST_DECLARATIONS]


def _package(info: Path) -> str:
    return _normal(info.name.partition("-")[0])


def _normal(name: str) -> str:
    """As packages are compared (packaging.python.org, "Names and normalization")."""
    return re.sub(r"[-_.]+", "-", name).lower()


def find(arguments: DocsLookup, ctx: ToolContext, stopped: Callable[[], bool]) -> str:
    library, symbol = arguments.library.strip(), arguments.symbol.strip().strip("()")
    if not _NAME.fullmatch(library) or ".." in library:
        raise ToolFailure("invalid_arguments", f"{library!r} is not the name of a package")
    project = _Project(ctx, stopped)
    found = _of_python(project, library, symbol) or _of_node(project, library, symbol)
    if found:
        return found
    names = project.names()
    if not names:
        raise ToolFailure("not_found", "no installed libraries here: no .venv and no node_modules")
    if _is_there(project, library):
        raise ToolFailure("not_found", f"{library} has no {symbol}: look it up without a symbol")
    near = [name for name in names if library.lower() in name.lower()] or names
    more = f" and {len(near) - MOST_NAMED} more" if len(near) > MOST_NAMED else ""
    there = f"{', '.join(near[:MOST_NAMED])}{more}"
    raise ToolFailure("not_found", f"no library {library}; there are: {there}")


def _is_there(project: _Project, library: str) -> bool:
    return bool(project.metadata(library)) or project.has_folder(project.modules / library)


def _of_python(project: _Project, library: str, symbol: str) -> str:
    about = project.metadata(library)
    sources = Sources(project.packages, project.read_text, project.check)
    tops = [*dict.fromkeys(project.top_modules(library))]
    if symbol:
        for top in tops:
            named = symbol if symbol.split(".")[0] == top else f"{top}.{symbol}"
            if said := sources.look_up(named):
                return f"{_headline(about, library)}\n\n{said}"
        return ""
    overview = next((said for top in tops if (said := sources.look_up(top))), "")
    readme = _PICTURES.sub("", about.partition("\n\n")[2][:README_READ]).strip()[:README_CHARS]
    return (
        "\n\n".join(filter(None, (_headline(about, library), readme, overview)))
        if about or overview
        else ""
    )


def _headline(about: str, library: str) -> str:
    fields = dict(
        line.split(": ", 1) for line in about.partition("\n\n")[0].splitlines() if ": " in line
    )
    words = (fields.get("Name", library), fields.get("Version", ""), fields.get("Summary", ""))
    return "  ".join(filter(None, words))


def _of_node(project: _Project, library: str, symbol: str) -> str:
    folder = project.modules / library
    try:
        about: Any = json.loads(project.read_text(folder / "package.json") or "null")
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        return ""
    head = "  ".join(
        str(about[name]) for name in ("name", "version", "description") if about.get(name)
    )
    if symbol:
        declared = _declaration(project, folder, about, symbol.rpartition(".")[2])
        return f"{head}\n\n{declared}" if declared else ""
    texts = (project.read_text(folder / name) for name in _READMES)
    readme = next(filter(None, texts), "")
    return "\n\n".join(filter(None, (head, project.hide(readme[:README_READ])[:README_CHARS])))


def _declaration(project: _Project, folder: Path, about: dict[str, Any], name: str) -> str:
    """Where the types of a package declare `name`."""
    named = Path(str(about.get("types") or about.get("typings") or "index.d.ts"))
    inside = not named.is_absolute() and ".." not in named.parts and named.suffix == ".ts"
    own = project.modules / "@types" / folder.name
    pattern = re.compile(_DECLARES.format(re.escape(name)), re.MULTILINE)
    first = [folder / named] if inside else []
    for path in (*first, own / "index.d.ts", *project.declarations(folder)):
        text = project.read_text(path)
        if pattern.search(text) is None:
            continue
        text = project.hide(text)  # whole: of a key that is cut nobody knows any more what it is
        if (found := pattern.search(text)) is not None:
            start = text.count("\n", 0, found.start())
            lines = text.split("\n")[start : start + AROUND]
            return f"{path.relative_to(project.modules)}, line {start + 1}\n\n" + "\n".join(lines)
    return ""


async def run(arguments: DocsLookup, ctx: ToolContext) -> ToolResult:
    text = await ctx.run_blocking(lambda stopped: find(arguments, ctx, stopped))
    room = ctx.max_output_chars
    return ToolResult(text if len(text) <= room else f"{text[:room]}\n… name a symbol to see less")


TOOL = Tool(
    name="docs_lookup",
    description="Look up a library that the project has installed: signatures and documentation, offline.",
    arguments=DocsLookup,
    effect="read",
    label=lambda a: f"Look up {a.library}{f' {a.symbol}' if a.symbol else ''}",
    run=run,
    group="research",
    research=True,
)
