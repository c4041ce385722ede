"""What programs obey and a command changed is found, and can be put back as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.safety.sandbox import protected_state
from agent_tui.safety.sandbox.protected_state import MOST_BYTES, AllowedChanges, take_state
from agent_tui.safety.sandbox.workspace_sandbox import look_through
from tests.safety.test_git_history import deep as deep


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve()
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=root, env=given, check=True)
    for name in (".vscode/tasks.json", ".git/hooks/pre-commit", "sub/.envrc", "src/a.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("before")
    (root / ".git" / "hooks" / "pre-commit").chmod(0o755)
    return root


def test_nothing_is_said_of_what_only_work_changes(root: Path) -> None:
    state = take_state((root,))
    (root / "src" / "a.py").write_text("after")
    (root / "new.py").write_text("")
    (root / ".git" / "index").write_text("")
    os.utime(root / ".vscode" / "tasks.json", (1, 1))
    assert state.changed().paths == ()


def test_each_change_is_found_and_put_back(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    state = take_state((root,))
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("evil")
    hook.chmod(0o700)
    (root / "sub" / ".envrc").unlink()
    (root / ".vscode").rename(root / "v")
    (root / ".git" / "hooks" / "post-checkout").write_text("evil")
    (root / ".git" / "commondir").write_text("..")
    (root / ".agent-tui").mkdir()
    (root / "CLAUDE.md").symlink_to("src/a.py")
    names = [os.path.relpath(path, root) for path in state.changed().paths]
    assert names == [
        ".agent-tui",
        ".git/commondir",
        ".git/hooks/post-checkout",
        ".git/hooks/pre-commit",
        ".vscode/tasks.json",
        "CLAUDE.md",
        "sub/.envrc",
    ]
    assert state.put_back(state.changed().paths, tmp_path_factory.mktemp("aside")) == ()
    assert state.changed().paths == ()
    assert hook.read_text() == "before" and hook.stat().st_mode & 0o777 == 0o755
    assert (root / ".vscode" / "tasks.json").read_text() == "before"
    assert not (root / "CLAUDE.md").is_symlink() and (root / "src" / "a.py").exists()


def test_what_cannot_be_put_back_is_said(root: Path) -> None:
    state = take_state((root,))
    (root / ".vscode" / "tasks.json").unlink()
    (root / ".vscode").rmdir()
    (root / ".vscode").write_text("in the way")
    left = state.put_back([str(root / ".vscode" / "tasks.json")], root / "aside")
    assert [os.path.relpath(path, root) for path in left] == [".vscode/tasks.json"]


def test_what_is_put_back_is_not_lost(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A person may have made it while the command ran."""
    state, aside = take_state((root,)), tmp_path_factory.mktemp("aside")
    (root / "AGENTS.md").write_text("mine")
    (root / ".idea").mkdir()
    (root / ".idea" / "x.xml").write_text("mine")
    os.mkfifo(root / ".idea" / "pipe")
    (root / ".vscode" / "tasks.json").write_text("mine")
    assert state.put_back(state.changed().paths, aside) == ()
    assert not (root / "AGENTS.md").exists() and not (root / ".idea").exists()
    assert (root / ".vscode" / "tasks.json").read_text() == "before"
    for name in ("AGENTS.md", ".idea/x.xml", ".vscode/tasks.json"):
        assert Path(f"{aside}{root / name}").read_text() == "mine"


def git(root: Path, *words: str) -> None:
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        given |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}
    subprocess.run(["git", *words], cwd=root, env=given, check=True, capture_output=True)


def changed(root: Path, command: str, *, home: str = "") -> list[str]:
    """What a shell command, which no sandbox stops, changes."""
    state = take_state((root,))
    given = {"HOME": home or str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["sh", "-ec", command], cwd=root, env=given, check=True)
    changes = state.changed()
    assert changes.all_seen
    return [os.path.relpath(path, root) for path in changes.paths]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("touch HEAD; echo evil > .envrc", [".envrc", "HEAD"]),
        ("touch HEAD; mkdir hooks", ["HEAD", "hooks"]),
        ("mkdir -p new/.vscode; echo evil > new/.envrc", ["new/.envrc", "new/.vscode"]),
        ("echo evil > src/.envrc; touch -d @1000 src src/.envrc", ["src/.envrc"]),
        ("git init -q src; git -C src config core.fsmonitor x", ["src/.git"]),
        ("mkdir -p .config/autostart; touch .config/autostart/x.desktop", [".config/autostart"]),
        ("mkdir -p .local/bin; touch .local/bin/ls", [".local/bin"]),
        ("touch src/pyvenv.cfg; mkdir src/.vscode", ["src/.vscode", "src/pyvenv.cfg"]),
        ("python3 -m venv myenv", []),
        (
            "mkdir .git/rebase-merge .git/sequencer; echo 'x id' > .git/rebase-merge/git-rebase-todo",
            [".git/rebase-merge", ".git/sequencer"],
        ),
        (
            "echo evil > .vscode/tasks.json; touch -d @1000 .vscode/tasks.json",
            [".vscode/tasks.json"],
        ),
        ("mkdir .vscode/deep; echo evil > .vscode/deep/x", [".vscode/deep"]),
        (
            "ln -sf refs/heads/master .git/HEAD; echo evil > .git/hooks/post-merge",
            [".git/hooks/post-merge"],
        ),
    ],
)
def test_new_names_are_found_wherever_they_are(root: Path, command: str, found: list[str]) -> None:
    assert changed(root, command) == found


def test_the_steps_of_a_rebase_are_obeyed(root: Path) -> None:
    (root / ".git" / "hooks" / "pre-commit").unlink()
    commit = "git -c user.name=n -c user.email=e commit -q --allow-empty -m"
    rebase = "git -c user.name=n -c user.email=e rebase -q --root --exec"
    assert changed(root, f"{commit} one; {commit} two; {rebase} true") == []
    stopped = changed(root, f"{rebase} false 2>&1 || true")
    assert stopped == [".git/rebase-merge"]
    todo = ".git/rebase-merge/git-rebase-todo"
    assert str(root / ".git/rebase-merge") in look_through([root]).fixed
    assert changed(root, f"echo 'exec id' >> {todo}") == [todo]


def test_a_git_folder_stays_one_whatever_its_head_is(root: Path) -> None:
    """Git takes a link to a branch that is not there, so a command before this one may have made
    it one."""
    head = root / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/none")
    subprocess.run(["rm", "-r", root / ".git" / "hooks"], check=True)
    command = "mkdir .git/hooks; echo evil > .git/hooks/pre-commit"
    assert changed(root, command) == [".git/hooks"]


def test_a_folder_that_moved_in_is_new(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What lies in it keeps its time."""
    away = tmp_path_factory.mktemp("away")
    (away / "p").mkdir()
    (away / "p" / ".envrc").write_text("evil")
    time.sleep(0.05)  # longer than a clock may be behind
    assert changed(root, f"mv {away}/p src/p") == ["src/p/.envrc"]


def test_where_links_and_the_configuration_of_git_lead_counts(root: Path) -> None:
    (root / "tools").mkdir()
    (root / "tools" / "fsm").write_text("")
    (root / "docs").mkdir()
    (root / "docs" / "agents.txt").write_text("")
    (root / "CLAUDE.md").symlink_to("docs/agents.txt")
    (root / "sub" / ".envrc").unlink()
    (root / "sub" / ".envrc").symlink_to("../docs/agents.txt")
    git(root, "config", "core.hooksPath", "tools/h")
    git(root, "config", "alias.st", "!tools/fsm changed")
    command = (
        "mkdir tools/h; echo evil > tools/h/pre-commit; echo evil >> docs/agents.txt;"
        "echo evil > tools/fsm; rm sub/.envrc; echo evil > sub/.envrc"
    )
    wanted = ["docs/agents.txt", "sub/.envrc", "tools/fsm", "tools/h"]
    assert changed(root, command) == wanted
    fixed = {os.path.relpath(path, root) for path in look_through((root,)).fixed}
    assert {"docs/agents.txt", "tools/fsm", "tools/h"} <= fixed


def test_submodules_and_other_work_trees_are_led_by_git(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "commit", "-q", "--allow-empty", "--no-verify", "-m", "x")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "lib")
    git(root, "worktree", "add", "-q", "wt")
    command = "echo ../x > .git/modules/lib/commondir; echo ../x > .git/worktrees/wt/commondir"
    wanted = [".git/modules/lib/commondir", ".git/worktrees/wt/commondir"]
    assert changed(root, command) == wanted
    assert str(root / ".git/worktrees/wt/commondir") in look_through((root,)).fixed


def test_a_bare_repository_in_the_folder_is_led_by_git(root: Path) -> None:
    git(root, "init", "-q", "--bare", "b")
    command = "echo '[core]' >> b/config; echo .. > b/commondir"
    assert changed(root, command) == ["b/commondir", "b/config"]


def test_a_file_too_large_to_keep_is_found_and_moves_away(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hook, aside = root / ".git" / "hooks" / "pre-push", tmp_path_factory.mktemp("aside")
    hook.write_bytes(bytes(MOST_BYTES + 1))
    state = take_state((root,))
    hook.write_text("evil")
    os.utime(hook, (1, 1))
    assert state.changed().paths == (str(hook),)
    assert state.put_back((str(hook),), aside) == (str(hook),)
    assert not hook.exists() and Path(f"{aside}{hook}").read_text() == "evil"


def test_what_there_was_no_time_for_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protected_state, "MOST_SECONDS", -1.0)
    assert not take_state((root,)).changed().all_seen


def test_what_this_program_changes_itself_is_none_of_it(root: Path) -> None:
    (root / ".agent-tui").mkdir()
    (root / ".agent-tui" / "log").write_text("one")
    state = take_state((root,), (root / ".agent-tui",))
    (root / ".agent-tui" / "log").write_text("two")
    (root / ".agent-tui" / "new").write_text("")
    assert state.changed().paths == ()


def test_folders_in_folders_without_end_are_a_change(root: Path, deep: str) -> None:
    def deepen(folder: Path) -> None:
        subprocess.run([sys.executable, "-c", deep.format(folder)], check=True)

    (root / ".vscode" / "tasks.json").unlink()
    deepen(root / ".vscode")
    (root / ".idea").mkdir()
    state = take_state((root,))
    deepen(root / ".idea")
    (root / ".devcontainer").mkdir()
    deepen(root / ".devcontainer")
    (root / "sub" / ".envrc").write_text("evil")
    changed = state.changed().paths
    assert {f"{root}/.devcontainer", f"{root}/sub/.envrc"} <= {*changed}
    assert any(path.startswith(f"{root}/.vscode/a/a/") for path in changed)  # nobody can know
    assert any(path.startswith(f"{root}/.idea") for path in changed)
    allowed = AllowedChanges()
    for path in changed:
        allowed.add(path)
    left = [*allowed.without(changed)]
    assert f"{root}/sub/.envrc" not in left and f"{root}/.devcontainer" in left
    assert not state.put_back(changed, root / "aside")
    assert not (root / ".devcontainer").exists()
    assert (root / "sub" / ".envrc").read_text() == "before"
