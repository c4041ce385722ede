"""Folders that their owner cannot list or enter: what a command did in one is found all the same,
and what nobody can look into is out of its reach."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.agent.turn.untracked_files import list_files
from agent_tui.safety import closed_folders, folder_walk
from agent_tui.safety.sandbox.git_history import take_state as take_history
from agent_tui.safety.sandbox.protected_state import ProtectedState, take_state
from agent_tui.safety.sandbox.workspace_sandbox import look_through
from agent_tui.safety.secret_search import find_secret_files
from tests.ordinary import ordinary_rights

MODES = ["311", "111", "000", "600", "444", "555"]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path.resolve() / "work"
    (root / "d" / "deep").mkdir(parents=True)
    (root / "d" / "deep" / "a.py").write_text("")
    with ordinary_rights():
        yield root
        subprocess.run(["chmod", "-R", "u+rwX", root], check=True)


def run(root: Path, command: str) -> None:
    """A shell command, which no sandbox stops."""
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["sh", "-ec", command], cwd=root, env=given, check=True, capture_output=True)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def prepare(root: Path) -> ProtectedState:
    time.sleep(0.05)  # longer than a clock may be behind
    return take_state((root,))


PLANTED = [
    ("git init -q .; git config core.fsmonitor false", "d/.git"),
    ("mkdir .vscode; echo {} > .vscode/tasks.json", "d/.vscode"),
    ("echo evil > .envrc", "d/.envrc"),
    ("mkdir -p new/.github/workflows; echo x > new/.github/workflows/a.yml; chmod 311 new",
     "d/new/.github/workflows"),
    ("echo evil > deep/.envrc", "d/deep/.envrc"),
    ("mkdir .vscode; echo {} > .vscode/tasks.json; chmod 000 .vscode", "d/.vscode"),
]  # fmt: skip


@pytest.mark.parametrize("closed", MODES)
@pytest.mark.parametrize(("command", "planted"), PLANTED)
def test_what_was_planted_is_found_and_put_back(
    root: Path, tmp_path: Path, command: str, planted: str, closed: str
) -> None:
    state, aside = prepare(root), tmp_path / "aside"
    run(root, f"cd d; {command}; chmod {closed} .")
    changes = state.changed()
    assert changes.paths == (f"{root}/{planted}",) and changes.all_seen and not changes.closed
    is_entered = int(closed, 8) & 0o100
    assert changes.opened == (() if is_entered else (f"{root}/d",))
    assert mode(root / "d") == (int(closed, 8) if is_entered else int(closed, 8) | 0o700)
    assert not state.put_back(changes.paths, aside)
    assert not os.path.lexists(root / planted) and os.path.lexists(f"{aside}{root}/{planted}")
    assert not state.changed().paths


@pytest.mark.parametrize("closed", MODES)
def test_the_folder_of_the_session_itself(root: Path, tmp_path: Path, closed: str) -> None:
    (root / ".envrc").write_text("old")
    state = prepare(root)
    run(root, f"echo x > AGENTS.md; echo new > .envrc; chmod {closed} .")
    opened = state.open_ways()
    changed = state.changed().paths
    assert changed == (f"{root}/.envrc", f"{root}/AGENTS.md")
    assert not state.put_back(changed, tmp_path / "aside")
    assert (root / ".envrc").read_text() == "old" and not (root / "AGENTS.md").exists()
    assert opened == (() if int(closed, 8) & 0o100 else (str(root),))


@pytest.mark.parametrize("closed", MODES)
def test_a_protected_folder_that_was_there(root: Path, tmp_path: Path, closed: str) -> None:
    run(root, "mkdir .vscode; echo old > .vscode/settings.json")
    state = prepare(root)
    run(root, f"cd .vscode; echo evil > settings.json; echo x > tasks.json; chmod {closed} .")
    state.open_ways()
    changed = state.changed().paths
    assert changed == (f"{root}/.vscode/settings.json", f"{root}/.vscode/tasks.json")
    assert not state.put_back(changed, tmp_path / "aside")
    assert (root / ".vscode/settings.json").read_text() == "old\n"


@pytest.mark.parametrize("closed", ["311", "111"])
def test_repositories_below_are_known(root: Path, closed: str) -> None:
    run(root, f"git init -q d/lib; chmod 311 d/lib/.git; chmod {closed} d")
    found = look_through((root,))
    assert f"{root}/d/lib/.git" in found.led and not found.closed
    assert f"{root}/d/lib/.git/HEAD" in take_history(f"{root}/d/lib/.git", {}, {}).files


def test_secrets_are_closed(root: Path) -> None:
    for name, closed in (("c1", "311"), ("c2", "000"), ("c3", "444"), (".vscode", "000")):
        run(root, f"mkdir {name}; echo k=v > {name}/.env; chmod {closed} {name}")
    hidden = {f"{root}/c1/.env", f"{root}/c2", f"{root}/c3", f"{root}/.vscode"}
    assert {*find_secret_files((root,)).closed} == hidden
    found = look_through((root,))
    assert {*found.secrets, *found.closed} == hidden
    assert (mode(root / "c1"), mode(root / "c2")) == (0o311, 0o000)


def test_what_a_person_closed_stays_so(root: Path) -> None:
    run(root, "echo evil > d/.envrc; chmod 000 d")
    state = prepare(root)
    assert [*state.found.closed] == [f"{root}/d"]
    changes = state.changed()
    assert changes.closed == {f"{root}/d"} and not changes.opened and not changes.paths
    assert mode(root / "d") == 0


def test_what_came_to_be_in_a_closed_folder_is_not_old_when_it_opens(root: Path) -> None:
    run(root, "echo mine > d/.envrc; chmod 000 d")
    first = prepare(root)
    run(root, "chmod 755 d; echo {} > d/AGENTS.md; chmod 000 d")
    time.sleep(0.05)
    second = take_state((root,), closed_since={f"{root}/d": first.begun})
    run(root, "chmod 755 d")
    assert second.changed().paths == (f"{root}/d/AGENTS.md",)


@pytest.mark.parametrize("kind", ["modules", "worktrees"])
def test_git_folders_of_submodules_are_found(root: Path, kind: str) -> None:
    run(root, f"git init -q .; mkdir -p .git/{kind}")
    state = prepare(root)
    run(root, f"cd .git/{kind}; git init -q --bare x; chmod 311 .")
    assert state.changed().paths == (f"{root}/.git/{kind}/x",)


def test_what_is_not_ours_is_left_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = prepare(root)
    run(root, "touch d/.envrc; chmod 311 d")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not [*folder_walk.walk(f"{root}/d")] and mode(root / "d") == 0o311
    changes = state.changed()
    assert changes.closed == {f"{root}/d"} and not changes.paths
    assert [*look_through((root,)).closed] == [f"{root}/d"] and mode(root / "d") == 0o311


def test_no_link_is_opened_up(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o311)
    (root / "d" / "link").symlink_to(outside)
    with folder_walk.folder_of(root / "d" / "link") as above, pytest.raises(OSError):
        closed_folders.open_folder("link", above)
    assert not closed_folders.open_way(str(root), f"{root}/d/link", {})
    assert mode(outside) == 0o311


def test_files_without_git_are_listed(root: Path) -> None:
    run(root, "chmod 311 d; mkdir e; touch e/x; chmod 600 e")
    listing = list_files(root, [root], ())
    assert [*listing.files] == [root / "d/deep/a.py"] and listing.closed == [root / "e"]
    assert not listing.knows(root / "e/x") and mode(root / "d") == 0o311
