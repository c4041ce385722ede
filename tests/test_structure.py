"""How the code is cut: no circles, no slices, lines and functions that a reader can hold.

The tables in this file are the exceptions. A new line in one of them needs its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache

from tests.test_architecture import PACKAGE, imported, nodes, trees

COLUMNS = 100
MOST_LINES = 60
"""Of a function."""
LEAST_LINES = 40
"""Of a module that one other module uses: less is a slice of that one."""
DEEPEST = 12
"""Modules of the screen that import each other in a row: who reads the last reads the others too."""
REGISTERED = (
    "agent_tui.tui.commands",
    "agent_tui.tui.sheets",
    "agent_tui.tools",
    "agent_tui.providers",
)
"""Whose files are found by name."""

LONGER = {
    "agent_tui.agent.opening:open_agent": "what a session is made of, in its order",
    "agent_tui.agent.session.history:with_event": "one case an event",
    "agent_tui.agent.session.agent:handle": "one case an op",
    "agent_tui.agent.session.recovery:_missing": "one case of what a log may lack",
    "agent_tui.cli.sessions:_parser": "one line a flag",
    "agent_tui.safety.shell.words:words": "one automaton",
    "agent_tui.tui.screen.engine_events:_answered": "one case an answer",
    "agent_tui.tui.runtime.start:run": "what the screen is made of, in its order",
    "agent_tui.tui.screen.setup_words:step_lines": "one case a step",
    "agent_tui.tui.textual_port.key_parser:feed": "one automaton",
    "agent_tui.tui.update:_decided": "one case a Msg",
}
"""Functions that are longer, and why."""


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Module to the modules of ours that it imports: at the top, late, or for the type checker."""
    known = trees().keys()
    return {
        module: frozenset(
            name
            for node in nodes(module)
            for what in imported(node)
            if (name := _ours(what, known)) != module
        )
        - {""}
        for module in known
    }


def _ours(what: str, known: object) -> str:
    """The module of `package:name`: the name itself may be one."""
    assert isinstance(known, type({}.keys()))
    package, _, name = what.partition(":")
    return next((one for one in (f"{package}.{name}", package) if one in known), "")


def circles(edges: Mapping[str, frozenset[str]]) -> Iterator[list[str]]:
    """Modules that import each other, round and round (Tarjan, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(one: str) -> Iterator[list[str]]:
        index[one] = low[one] = len(index)
        stack.append(one)
        for other in edges.get(one, frozenset()):
            if other not in index:
                yield from visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], index[other])
        if low[one] == index[one]:
            at = stack.index(one)
            found = stack[at:]
            del stack[at:]
            if len(found) > 1:
                yield sorted(found)

    for one in edges:
        if one not in index:
            yield from visit(one)


def test_circles_are_found() -> None:
    edges = {
        name: frozenset(to)
        for name, to in {"a": "b", "b": "c", "c": "a", "d": "a", "e": "f", "f": "e"}.items()
    }
    assert sorted(circles(edges)) == [["a", "b", "c"], ["e", "f"]]


def test_no_modules_import_each_other() -> None:
    assert len(imports()) > 300 and sum(map(len, imports().values())) > 2_000
    assert list(circles(imports())) == []


def test_no_module_imports_itself() -> None:
    """What two joined modules leave behind; the packages name their files by `registry` alone."""
    known = trees().keys()
    found = {
        module
        for module in known
        if not module.endswith("__init__")
        and any(_ours(what, known) == module for node in nodes(module) for what in imported(node))
    }
    assert found == set()


def deepest(edges: Mapping[str, frozenset[str]]) -> list[str]:
    """The longest chain of modules, each of which imports the next; there are no circles."""

    @cache
    def below(one: str) -> tuple[str, ...]:
        chains = (below(other) for other in edges.get(one, frozenset()) if other in edges)
        return (one, *max(chains, key=len, default=()))

    return list(max(map(below, edges), key=len))


def test_chains_are_found() -> None:
    edges = {name: frozenset(to) for name, to in {"a": "bd", "b": "c", "c": "", "d": "cx"}.items()}
    assert deepest(edges) in (["a", "b", "c"], ["a", "d", "c"])


def test_the_chains_of_imports_in_the_screen_are_short() -> None:
    """A longer one: pass the value or the function instead, or put what is shared where it belongs."""
    ours = {name: to for name, to in imports().items() if name.startswith("agent_tui.tui")}
    chain = deepest(ours)
    assert len(ours) > 150 and len(chain) <= DEEPEST, " → ".join(chain)


def test_no_module_is_a_slice_of_another() -> None:
    users: dict[str, set[str]] = {}
    for module, names in imports().items():
        for name in names:
            users.setdefault(name, set()).add(module)
    lines = {module: len(_source(module)) for module in trees()}
    slices = {
        module: lines[module]
        for module, by in users.items()
        if len(by) == 1
        and lines[module] < LEAST_LINES
        and not _is_package(module)
        and not _registers(module)
    }
    assert slices == {}


def _is_package(module: str) -> bool:
    return (PACKAGE.parent / module.replace(".", "/")).is_dir()


def _registers(module: str) -> bool:
    return module.rpartition(".")[0] in REGISTERED


def _source(module: str) -> list[str]:
    path = PACKAGE.parent / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text("utf-8").splitlines()


def test_one_line_of_a_hundred_is_longer_at_most() -> None:
    lines = [line for module in trees() for line in _source(module)]
    assert sum(len(line) > COLUMNS for line in lines) <= len(lines) / 100


def test_functions_fit_in_the_eye() -> None:
    long = {
        f"{module}:{node.name}"
        for module in trees()
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES
    }
    assert long == LONGER.keys()
