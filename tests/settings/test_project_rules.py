"""A project's rules: they deny or ask, and never allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety import policy
from agent_tui.safety.permissions import own_rules
from agent_tui.settings.layers import Loaded, read
from tests.places import place_in


def rules(place: Path, own: str, project: str) -> Loaded:
    config, work = place / "config", place / "work"
    (work / ".agent-tui").mkdir(parents=True)
    config.mkdir()
    (config / "config.toml").write_text(f"[permissions]\n{own}\n")
    (work / ".agent-tui" / "config.toml").write_text(f"[permissions]\n{project}\n")
    return read(place_in(work, config))


def test_they_come_behind_the_persons_own(tmp_path: Path) -> None:
    own = 'deny = ["edit_file(a/**)"]\nallow = ["edit_file"]'
    found = rules(tmp_path, own, 'deny = ["edit_file(b/**)"]\nask = ["create_file"]')
    assert found.problems == () and found.hidden_rule is None
    held = found.settings.permissions
    assert held.deny == ("edit_file(a/**)", "edit_file(b/**)")
    assert held.ask == ("create_file",) and held.allow == ("edit_file",)


@pytest.mark.parametrize(
    "line",
    [
        'allow = ["run_shell_command"]',
        'autonomy = "full"',
        "allowed_commands = []",
        "forbidden_dirs = []",
    ],
)
def test_nothing_that_loosens_is_used(tmp_path: Path, line: str) -> None:
    own = 'autonomy = "supervised"\nallowed_commands = ["git"]\nforbidden_dirs = ["/x"]'
    found = rules(tmp_path, own, line)
    held = found.settings.permissions
    assert (held.allow, held.autonomy) == ((), "supervised")
    assert held.allowed_commands == ("git",) and held.forbidden_dirs == ("/x",)
    [problem] = found.problems
    assert "only deny and ask are: not used" in problem.text and problem.line == 2


def test_a_call_that_the_project_denies_is_refused(tmp_path: Path) -> None:
    found = rules(tmp_path, 'allow = ["create_file"]', 'deny = ["create_file"]')
    call = policy.Facts("create_file", "write")
    held = own_rules(found.settings.permissions)
    assert policy.decide("accept-all", call, permissions=held).verdict == "refuse"
