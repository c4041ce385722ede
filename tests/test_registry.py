"""What is found by name, and what is imported late."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agent_tui import registry


def test_a_late_module_is_imported_with_its_first_use() -> None:
    code = """
import sys
from agent_tui.registry import late
vec = late("agent_tui.structures.vec")
assert "agent_tui.structures.vec" not in sys.modules
made = vec.Vec([1, 2])
import agent_tui.structures.vec as real
assert type(made) is real.Vec and vec.Vec is real.Vec
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_a_late_module_has_not_is_said_as_python_says_it() -> None:
    with pytest.raises(AttributeError, match="nothing_like_this"):
        registry.late("agent_tui.structures.vec").nothing_like_this()
    with pytest.raises(ModuleNotFoundError):
        registry.late("agent_tui.no_such_module").anything()


def test_late_modules_are_imported_one_by_one_when_there_is_time() -> None:
    code = """
import sys
from agent_tui import registry
used, waiting = registry.late("agent_tui.structures.vec"), registry.late("agent_tui.structures.chips")
used.Vec
assert list(registry.import_late()) == ["agent_tui.structures.chips"]
assert "agent_tui.structures.chips" in sys.modules
assert list(registry.import_late()) == []
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("package", ["agent_tui.tui.commands", "agent_tui.tui.update", "agent_tui.tools"])
def test_a_package_has_what_it_names_and_nothing_else(package: str) -> None:
    names = registry.names(package)
    assert len(names) > 5 and all(registry.has(package, name) for name in names)
    beside = ("base", "_private", "nothing", "", "two.parts", "../x", "__init__", "a b")
    assert not any(registry.has(package, name) for name in beside)
    with pytest.raises(LookupError, match=f"named 'nothing'; there are: {names[0]}, "):
        registry.load(package, "nothing", "nothing")
