"""What is known of Python's names without importing their code: signatures and docstrings, read
from the source files of an environment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.structures.frozen import frozen

DEEPEST: Final = 8
"""Re-exports that are followed to find where a name is defined."""
MOST_MEMBERS: Final = 60
MOST_CHARS: Final = 4_000_000
"""Of the modules that are parsed to find one name."""
MOST_STEPS: Final = 100_000
"""Names and classes that are looked at to find one."""
_NAMED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
Read = Callable[[Path], str]
"""The text of a file; empty where there is none, or none that may be read."""
Definition = tuple["Module", ast.stmt]


@frozen
class Module:
    """`names`: what it defines, or from which module it takes a name that has which name there;
    `stars`: the modules from which it takes all."""

    name: str
    path: Path
    tree: ast.Module
    names: dict[str, ast.stmt | tuple[str, str]]
    stars: tuple[str, ...]

    @property
    def is_package(self) -> bool:
        return self.path.name.startswith("__init__.")


class Sources:
    """The modules below some folders, such as `site-packages`. A stub (`.pyi`) says more of what is
    not written in Python. A class or a module is asked once for a name, however often others name
    it. `check` is called at each step, and may raise to end a search."""

    def __init__(self, folders: list[Path], read: Read, check: Callable[[], None]) -> None:
        self._folders, self._read, self._check = folders, read, check
        self._known: dict[str, Module | None] = {}
        self._found: dict[tuple[str, str], Definition | None] = {}
        self._chars, self._steps = MOST_CHARS, MOST_STEPS

    def module(self, name: str) -> Module | None:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Module | None:
        place = Path(*name.split("."))
        for folder in self._folders:
            for path in (
                folder / place / "__init__.py",
                folder / place.with_suffix(".py"),
                folder / place / "__init__.pyi",
                folder / place.with_suffix(".pyi"),
            ):
                if self._chars > 0 and (text := self._read(path)):
                    self._chars -= len(text)
                    try:
                        return _parse(name, path, text)
                    except (SyntaxError, ValueError, RecursionError, MemoryError):
                        continue  # no Python that this one reads
        return None

    def look_up(self, dotted: str) -> str:
        """The signature and the words of `package.module.Name.member`; empty: it is not found."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            module = self.module(".".join(parts[:end]))
            if module is not None:
                return self._in_module(module, parts[end:])
        return ""

    def _in_module(self, module: Module, names: list[str], depth: int = 0) -> str:
        if not names:
            return _describe_module(module)
        found = self.define(module, names[0], depth)
        if found is None:
            return ""
        home, node = found
        for name in names[1:]:
            inner = node if isinstance(node, ast.ClassDef) else None
            member = self._member(home, inner, name, depth) if inner is not None else None
            if member is None:
                return ""
            home, node = member
        return _describe(home, node, ".".join(names))

    def define(self, module: Module, name: str, depth: int = 0) -> Definition | None:
        """Where `name` of `module` is defined."""
        return self._once((module.name, name), lambda: self._define(module, name, depth))

    def _once(
        self, what: tuple[str, str], find: Callable[[], Definition | None]
    ) -> Definition | None:
        """What was found before, or what `find` finds: nothing while it looks for it already."""
        if what not in self._found:
            self._check()
            self._steps -= 1
            self._found[what] = None
            self._found[what] = find() if self._steps > 0 else None
        return self._found[what]

    def _define(self, module: Module, name: str, depth: int) -> Definition | None:
        known = module.names.get(name)
        if isinstance(known, ast.stmt):
            return module, known
        if depth >= DEEPEST:
            return None
        sources = [known] if known is not None else [(source, name) for source in module.stars]
        for source, named in sources:
            there = self.module(source)
            found = self.define(there, named, depth + 1) if there is not None else None
            if found is not None:
                return found
        return None

    def _member(
        self, module: Module, owner: ast.ClassDef, name: str, depth: int
    ) -> Definition | None:
        """A member of a class, or of one that it is derived from."""
        place = (f"{module.name}:{owner.lineno}:{owner.col_offset}", name)
        return self._once(place, lambda: self._find_member(module, owner, name, depth))

    def _find_member(
        self, module: Module, owner: ast.ClassDef, name: str, depth: int
    ) -> Definition | None:
        for node in _statements(owner.body):
            if (isinstance(node, _NAMED) and node.name == name) or _assigned(node) == name:
                return module, node
        for base in owner.bases if depth < DEEPEST else ():
            named = base.value if isinstance(base, ast.Subscript) else base
            if not isinstance(named, ast.Name):
                continue
            found = self.define(module, named.id, depth + 1)
            if found is None or not isinstance(found[1], ast.ClassDef):
                continue
            if (member := self._member(found[0], found[1], name, depth + 1)) is not None:
                return member
        return None


def _parse(name: str, path: Path, text: str) -> Module:
    """Raises as `ast.parse` does."""
    names: dict[str, ast.stmt | tuple[str, str]] = {}
    stars: dict[str, None] = {}
    module = Module(name, path, ast.parse(text), names, ())
    for node in _statements(module.tree.body):
        if isinstance(node, _NAMED):
            names.setdefault(node.name, node)
        elif assigned := _assigned(node):
            names.setdefault(assigned, node)
        elif isinstance(node, ast.ImportFrom):
            source = _imported_from(module, node)
            for alias in node.names:
                if alias.name == "*":
                    stars[source] = None
                else:
                    names.setdefault(alias.asname or alias.name, (source, alias.name))
    return replace(module, stars=tuple(stars))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and those under its conditions."""
    todo = body[::-1]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If):
            todo += [*node.body, *node.orelse][::-1]
        elif isinstance(node, ast.Try):
            todo += [*node.body, *(one for each in node.handlers for one in each.body)][::-1]


def _assigned(node: ast.stmt) -> str:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _imported_from(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    marks = "".join(f"@{ast.unparse(one)}\n" for one in node.decorator_list)
    return f"{marks}{word} {node.name}({ast.unparse(node.args)}){returns}"


def _describe(module: Module, node: ast.stmt, name: str) -> str:
    where = f"{name}  ({module.name}, line {node.lineno})"
    if isinstance(node, _FUNCTIONS):
        return "\n\n".join(filter(None, (where, _signature(node), _words(node))))
    if isinstance(node, ast.ClassDef):
        return "\n\n".join(filter(None, (where, _class_line(node), _words(node), _members(node))))
    return f"{where}\n\n{ast.unparse(node)[:2_000]}"


def _class_line(node: ast.ClassDef) -> str:
    bases = ", ".join(ast.unparse(one) for one in (*node.bases, *node.keywords))
    return f"class {node.name}{f'({bases})' if bases else ''}"


def _members(node: ast.ClassDef) -> str:
    """What a class offers, a line each."""
    found = [*_lines_of(node.body, inside=True)]
    more = f"\n… {len(found) - MOST_MEMBERS} more" if len(found) > MOST_MEMBERS else ""
    return "\n".join(found[:MOST_MEMBERS]) + more


def _lines_of(body: list[ast.stmt], inside: bool = False) -> Iterator[str]:
    for node in _statements(body):
        name = node.name if isinstance(node, _NAMED) else _assigned(node)
        if not name or (name.startswith("_") and not (inside and name == "__init__")):
            continue
        if isinstance(node, _FUNCTIONS):
            yield _signature(node).rpartition("\n")[2]
        elif isinstance(node, ast.ClassDef):
            yield _class_line(node)
        elif isinstance(node, ast.AnnAssign):
            yield f"{name}: {ast.unparse(node.annotation)}"


def _describe_module(module: Module) -> str:
    own = [*_lines_of(module.tree.body)]
    brought = [
        f"{alias.asname or alias.name} (from {node.module or '.'})"
        for node in _statements(module.tree.body)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
        if not (alias.asname or alias.name).startswith("_") and alias.name != "*"
    ]
    lines = [*own, *brought]
    more = f"\n… {len(lines) - MOST_MEMBERS} more" if len(lines) > MOST_MEMBERS else ""
    shown = "\n".join(lines[:MOST_MEMBERS]) + more
    return "\n\n".join(filter(None, (f"module {module.name}", _words(module.tree), shown)))


def _words(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.get_docstring(node) or ""
