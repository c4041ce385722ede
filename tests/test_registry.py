"""What is found by name, and what is imported late."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui import registry


def test_a_late_module_is_imported_with_its_first_use() -> None:
    code = """
import sys
from agent_tui.registry import late
with late():
    from agent_tui.structures import chips as other, vec
    import decimal
import colorsys
assert "decimal" not in sys.modules and "colorsys" in sys.modules
assert "agent_tui.structures.vec" not in sys.modules
made = vec.Vec([1, 2])
import agent_tui.structures.vec as real
assert type(made) is real.Vec and vec.Vec is real.Vec
assert vec is real, "it has given its place to the module itself"
assert decimal.Decimal("1") == 1 and "agent_tui.structures.chips" not in sys.modules
with late():
    from agent_tui.structures import vec as known
assert known is real
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_late_takes_no_name() -> None:
    with pytest.raises(TypeError):
        registry.late("agent_tui.structures.vec")  # type: ignore[misc]


def test_what_a_late_module_has_not_is_said_as_python_says_it() -> None:
    with pytest.raises(AttributeError, match="nothing_like_this"):
        registry.late_module("agent_tui.structures.vec").nothing_like_this()
    with pytest.raises(ModuleNotFoundError):
        registry.late_module("agent_tui.no_such_module").anything()


def test_late_modules_are_imported_one_by_one_when_there_is_time() -> None:
    code = """
import sys
from agent_tui import registry
used, waiting = registry.late_module("agent_tui.structures.vec"), registry.late_module("agent_tui.structures.chips")
used.Vec
assert list(registry.import_late()) == ["agent_tui.structures.chips"]
assert "agent_tui.structures.chips" in sys.modules
assert list(registry.import_late()) == []
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "package", ["agent_tui.tui.commands", "agent_tui.tui.screen", "agent_tui.tools"]
)
@pytest.mark.parametrize(
    "name", ["base", "_private", "nothing", "", "two.parts", "../x", "__init__", "a b"]
)
def test_what_registers_nothing_is_not_found(package: str, name: str) -> None:
    first = registry.names(package)[0]
    with pytest.raises(LookupError, match=f"named '{re.escape(name)}'; there are: {first}, "):
        registry.load(package, name, "nothing")


def test_a_module_that_misses_another_is_no_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "__init__.py").touch()
    (tmp_path / "held" / "broken.py").write_text("import no_such_module_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        registry.load("held", "broken", "x")


def test_every_file_that_registers_a_provider_makes_one() -> None:
    """One that does not would be listed as a provider, and break the program that is started with
    it."""
    package = "agent_tui.providers"
    assert all(callable(registry.load(package, name, "create")) for name in registry.names(package))
