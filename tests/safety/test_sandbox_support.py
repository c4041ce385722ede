"""Whether a sandbox holds is tried, not assumed; the first that does is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.safety.sandbox import read_only_sandbox, workspace_sandbox
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.profiles import LANDLOCK, NAMESPACES, Profile
from agent_tui.safety.sandbox.read_only_sandbox import profile
from agent_tui.safety.sandbox.support import Support, is_of_system, support, workspace_support


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was tried in this process yet."""
    monkeypatch.setattr(sandbox_support, "_known", {})


@pytest.mark.usefixtures("unknown")
def test_the_sandbox_holds_and_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "state" / "sandbox.json"
    found = asyncio.run(support(record))
    assert found.problem == "" and "seccomp" in found.backend and record.exists()

    async def never(backend: str, *_: str) -> Support:
        raise AssertionError(backend)

    tried = sandbox_support._tried
    monkeypatch.setattr(sandbox_support, "_tried", never)
    assert asyncio.run(support(record)) == found  # this process knows
    monkeypatch.setattr(sandbox_support, "_known", {})
    assert asyncio.run(support(record)) == found  # the record does
    monkeypatch.setattr(sandbox_support, "_known", {})
    monkeypatch.setattr(sandbox_support, "_tried", tried)
    for wrong in ("", "[]", '{"held": ["another kernel"]}', '{"held": 1}'):
        record.write_text(wrong)
        monkeypatch.setattr(sandbox_support, "_known", {})
        assert asyncio.run(support(record)) == found
        assert found.backend in record.read_text()


@pytest.mark.usefixtures("unknown")
@pytest.mark.parametrize(
    ("wide", "words"),
    [
        ({"writable": ("/",)}, "can write outside"),
        ({"readable": ("/",)}, "can read outside"),
        ({"network": True}, "can connect"),
        ({"temporary": ""}, "cannot write to its temporary folder"),
        ({"writable": ()}, "cannot write to /dev/null"),
        ({"readable": ("/proc",)}, "Permission denied"),
    ],
)
def test_a_sandbox_that_does_not_hold_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wide: dict[str, object], words: str
) -> None:
    def too_wide(*given: object, **named: object) -> Profile:
        made = profile(*given, **named)  # type: ignore[arg-type]
        fields = {name: getattr(made, name) for name in Profile.__slots__}
        return Profile(**(fields | wide))

    monkeypatch.setattr(read_only_sandbox, "profile", too_wide)
    record = tmp_path / "record"
    found = asyncio.run(support(record))
    assert words in found.problem and not record.exists()


# ------------------------------------------------------------------------ the sandbox to work in


@pytest.mark.usefixtures("unknown")
@pytest.mark.parametrize("way", sandbox_support._ways())
def test_each_way_to_work_holds_and_is_known_to_the_next_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([way]))
    record = tmp_path / "record"
    found = asyncio.run(workspace_support("auto", record))
    assert (found.problem, found.way, found.passed) == ("", way, ())
    asyncio.run(support(record))
    text = record.read_text()
    assert f"workspace {found.backend}" in text and f'"{sandbox_support._backend(LANDLOCK)}' in text


def widened(monkeypatch: pytest.MonkeyPatch, **wide: object) -> None:
    made: Callable[..., Profile] = workspace_sandbox.profile

    def too_wide(*given: object, **named: object) -> Profile:
        one = made(*given, **named)
        fields = {name: getattr(one, name) for name in Profile.__slots__}  # type: ignore[attr-defined]
        return Profile(**(fields | wide))

    monkeypatch.setattr(workspace_sandbox, "profile", too_wide)


@pytest.mark.usefixtures("unknown")
@pytest.mark.parametrize("way", sandbox_support._ways())
def test_a_way_that_holds_nothing_back_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    widened(monkeypatch, writable=("/",), hidden=())
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([way]))
    found = asyncio.run(workspace_support())
    assert "can" in found.problem and sandbox_support._backend(way) in found.problem


@pytest.mark.usefixtures("unknown")
def test_what_cannot_be_made_here_leads_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = ["/nowhere/bwrap", NAMESPACES, LANDLOCK]
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter(ways))
    found = asyncio.run(workspace_support())
    assert not found.problem and found.passed[0].startswith("bwrap: No such file")


@pytest.mark.parametrize("mode", ["macos", "windows", "wsl"])
def test_the_sandbox_of_another_system_is_none_here(mode: str) -> None:
    found = asyncio.run(workspace_support(mode))
    assert found.problem == f"the setting sandbox.mode is {mode}, but this is linux"
    assert asyncio.run(workspace_support("local")).problem


def test_a_program_that_others_may_change_is_not_the_systems(tmp_path: Path) -> None:
    own = tmp_path / "bwrap"
    own.write_text("")
    own.chmod(0o777)
    assert is_of_system("/bin/sh") and not is_of_system(str(own))
    assert not is_of_system(str(tmp_path / "missing"))
