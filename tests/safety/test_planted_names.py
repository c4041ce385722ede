"""What one command prepares where nobody looks and another moves to a name that programs obey."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from agent_tui.safety import protected_names
from agent_tui.safety.protected_names import is_secret, leads_to_protected, may_count, protection
from agent_tui.safety.sandbox.protected_state import ProtectedState, take_state
from agent_tui.safety.sandbox.workspace_sandbox import look_through


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "work"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "a.py").write_text("")
    run(root, "git init -q; git config user.name a; git config user.email a@b")
    run(root, "git add .; git commit -qm first")
    return root


def run(root: Path, command: str) -> None:
    """A shell command, which no sandbox stops."""
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["sh", "-ec", command], cwd=root, env=given, check=True, capture_output=True)


def prepare(root: Path, command: str) -> ProtectedState:
    run(root, command)
    time.sleep(0.05)  # longer than a clock may be behind
    return take_state((root,))


def found(state: ProtectedState) -> list[str]:
    changes = state.changed()
    assert changes.all_seen
    return [os.path.relpath(path, state.roots[0]) for path in changes.paths]


SWAP = "mv pkg target/old; mv target/x pkg"


@pytest.mark.parametrize(
    ("first", "then", "planted"),
    [
        ("mkdir -p target/x; echo 'gitdir: ../gd' > target/x/.git", SWAP, ["pkg/.git"]),
        ("mkdir -p target/x/.git/hooks; touch target/x/.git/HEAD", SWAP, ["pkg/.git"]),
        ("mkdir -p target/x; echo evil > target/x/.envrc", SWAP, ["pkg/.envrc"]),
        ("mkdir -p target/x/y; echo evil > target/x/y/CLAUDE.md", SWAP, ["pkg/y/CLAUDE.md"]),
        ("mkdir -p target/x/bin; echo evil > target/x/bin/activate", SWAP, ["pkg/bin/activate"]),
        (
            "mkdir .cargo c; echo evil > c/config.toml",
            "mv .cargo old; mv c .cargo",
            [".cargo/config.toml"],
        ),
        (
            "mkdir bin b; echo evil > b/activate; echo evil > b/activate.fish",
            "mv bin old; mv b bin",
            ["bin/activate", "bin/activate.fish"],
        ),
        (
            "mkdir -p target/x; echo evil > target/x/.envrc",
            "mv pkg old; ln -s target/x pkg",
            ["target/x/.envrc"],
        ),
        (
            "mkdir -p target/x; ln -s target/x linked",
            "echo evil > target/x/.envrc",
            ["target/x/.envrc"],
        ),
        (
            "mkdir -p target/x; touch pkg/.envrc; echo evil > target/x/.envrc",
            SWAP,
            ["pkg/.envrc"],
        ),
        (
            "git init -q pkg; rm -r pkg/.git/hooks; mkdir -p target/x; echo evil > target/x/.git",
            SWAP,
            ["pkg/.git", "pkg/.git/config"],
        ),
        ("mkdir target", "mv pkg target/old; mkdir pkg; mv target/old/a.py pkg", []),
        ("mkdir -p target/x; touch target/x/.envrc", "mv pkg old; mkdir pkg; touch pkg/b.py", []),
    ],
)
def test_a_folder_that_takes_the_place_of_another_is_new(
    root: Path, first: str, then: str, planted: list[str]
) -> None:
    state = prepare(root, first)
    run(root, then)
    assert found(state) == planted


def test_git_runs_nothing_of_a_swapped_folder(root: Path, tmp_path: Path) -> None:
    ran = root / "ran"
    first = f"""
        mkdir -p target/x
        git init -q target/gd
        git -C target/gd config core.worktree ../../../pkg
        git -C target/gd config core.fsmonitor 'touch {ran}; false'
        echo 'gitdir: ../target/gd/.git' > target/x/.git
    """
    state = prepare(root, first)
    run(root, SWAP)
    run(root, "git -C pkg status")
    assert ran.exists()
    ran.unlink()
    assert state.put_back(state.changed().paths, tmp_path / "aside") == ()
    run(root, "git -C pkg status")
    assert not ran.exists()


def test_folders_behind_those_that_are_held_fast_count(root: Path, tmp_path: Path) -> None:
    for number in range(1_010):
        (root / "many" / str(number)).mkdir(parents=True)
    (root / "many" / "x" / "y").mkdir(parents=True)
    (root / "many" / "x" / "y" / ".envrc").write_text("mine")
    state = prepare(root, "mkdir -p target/pkg; echo evil > target/pkg/.envrc; mkdir many/x/pkg")
    envrc = str(root / "many" / "x" / "y" / ".envrc")
    assert envrc not in state.found.fixed
    run(root, "rmdir many/x/pkg; mv target/pkg many/x/pkg; touch many/x/b.py; touch many/0/c.py")
    assert found(state) == ["many/x/pkg/.envrc"]
    run(root, "echo evil > many/x/y/.envrc")
    assert found(state) == ["many/x/pkg/.envrc", "many/x/y/.envrc"]
    assert state.put_back(state.changed().paths, tmp_path / "aside") == (envrc,)


@pytest.mark.parametrize(
    ("command", "planted"),
    [
        ("mkdir c; touch c/config.toml; ln -s c .cargo", [".cargo"]),
        ("mkdir -p gh/workflows; ln -s gh .github", [".github"]),
        ("mkdir -p lb/bin; ln -s lb .local", [".local"]),
        ("mkdir -p c/git; ln -s c .config", [".config"]),
        ("ln -s nothing-yet pkg/.cargo", ["pkg/.cargo"]),
        ("mkdir .config .config/f; ln -s f .config/fish", [".config/fish"]),
        ("mkdir c; ln -s c cargo; ln -s pkg package", []),
        ("mkdir .cargo; touch .cargo/other", []),
    ],
)
def test_a_new_link_that_begins_an_obeyed_path_counts(
    root: Path, command: str, planted: list[str]
) -> None:
    state = prepare(root, "")
    run(root, command)
    assert found(state) == planted


@pytest.mark.parametrize(
    ("first", "then", "planted"),
    [
        ("mkdir build; ln -s build .cargo", "echo x > build/config.toml", "build/config.toml"),
        ("mkdir gw; ln -s gw .github", "mkdir gw/workflows", "gw/workflows"),
        ("mkdir c f; ln -s c .config; ln -s ../f c/fish", "touch f/config.fish", "f/config.fish"),
        ("mkdir f cd; ln -s f fish; ln -s ../cd f/conf.d", "touch cd/x.fish", "cd/x.fish"),
        ("mkdir c; ln -s build .cargo; touch c/config", "mv c build", "build/config"),
    ],
)
def test_what_is_obeyed_through_a_link_counts(
    root: Path, first: str, then: str, planted: str
) -> None:
    state = prepare(root, first)
    run(root, f"{then}; touch pkg/other")
    assert found(state) == [planted]
    assert str(root / planted) in look_through((root,)).fixed


def test_a_new_link_to_where_only_commands_write_counts(root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="agent-tui-") as away:
        state = prepare(root, f"mkdir {away}/x; touch {away}/x/.envrc; ln -s {away}/x old")
        run(
            root,
            f"mv pkg p; ln -s {away}/x pkg; ln -s /usr/bin/env e; ln -s ../work/p q; ln -s ../x r",
        )
        assert found(state) == ["pkg"]


def test_a_link_into_an_environment_is_followed(root: Path) -> None:
    state = prepare(root, "python3 -m venv --without-pip env; mkdir env/lib/x")
    run(root, "echo evil > env/lib/x/.envrc; mv pkg p; ln -s env/lib/x pkg")
    assert found(state) == ["env/lib/x/.envrc"]


def test_the_quick_look_at_a_name_sees_all_that_count() -> None:
    rows = " ".join([*protected_names.RUN.values(), *protected_names.STEER.values()])
    patterns = [*rows.split(), *protected_names.SECRET_FILES, ".ssh", "id_rsa", "id_ed25519.bak"]
    for pattern in patterns:
        for one in protected_names._expand(pattern):
            for star in ("", "x", "eZ."):
                parts = one.replace("*", star).strip("/").upper().split("/")
                if protection(parts) or is_secret(parts):
                    assert may_count(parts), one
                assert pattern in protected_names.SECRET_FILES or all(
                    may_count(parts[:count]) and leads_to_protected(parts[:count])
                    for count in range(1, len(parts))
                )


def test_links_in_a_circle_end(root: Path) -> None:
    state = prepare(root, "ln -s . .config; ln -s pkg target; ln -s target pkg/a; ln -s b b")
    run(root, "touch pkg/.envrc")
    assert found(state) == ["pkg/.envrc"]


@pytest.mark.parametrize(
    ("first", "then", "planted"),
    [
        ("touch pkg/HEAD pkg/objects", "echo x > pkg/.envrc; mkdir pkg/.vscode", True),
        ("touch pkg/HEAD; mkdir pkg/objects pkg/refs; git add .", "touch pkg/refs/.envrc", True),
        ("touch pkg/pyvenv.cfg", "echo x > pkg/.envrc; mkdir pkg/.vscode", True),
        (
            "mkdir -p pkg/bin pkg/lib/python3/site-packages; touch pkg/pyvenv.cfg pkg/bin/python"
            " pkg/lib/a; git add .",
            "touch pkg/lib/.envrc",
            True,
        ),
        ("python3 -m venv --without-pip env", "touch env/.envrc", True),
        ("python3 -m venv --without-pip env", "touch env/bin/activate.new env/lib/x.pth", False),
        ("git init -q --bare b", "git push -q b HEAD:main; git -C b gc -q", False),
        ("git init -q --bare b", "git -C b symbolic-ref HEAD refs/heads/main", False),
    ],
)
def test_a_marker_does_not_close_a_folder(root: Path, first: str, then: str, planted: bool) -> None:
    state = prepare(root, first)
    run(root, then)
    assert bool(found(state)) is planted, found(state)


@pytest.mark.parametrize("name", ["x", "config", "a/b"])
def test_a_folder_that_leads_git_is_found_when_it_comes_to_be(
    root: Path, tmp_path: Path, name: str
) -> None:
    state = prepare(root, "mkdir -p target/x; touch target/x/HEAD")
    module, tree = root / ".git" / "modules" / name, root / ".git" / "worktrees" / "x"
    (module / "hooks").mkdir(parents=True)
    (module / "config").write_text("[core]\n\tfsmonitor = evil\n")
    (module / "hooks" / "post-checkout").write_text("evil")
    tree.mkdir(parents=True)
    (tree / "commondir").write_text("../../../target/x")
    (root / ".git" / "modules" / "y").symlink_to("../../target/x")
    planted = [f".git/modules/{name}", ".git/modules/y", ".git/worktrees/x"]
    assert found(state) == sorted(planted)
    assert state.put_back(state.changed().paths, tmp_path / "aside") == ()
    assert found(state) == [] and not module.exists() and not tree.exists()


def test_a_new_work_tree_is_put_back_whole(root: Path, tmp_path: Path) -> None:
    state = prepare(root, "")
    run(root, "git worktree add -q wt")
    assert found(state) == [".git/worktrees/wt", "wt/.git"]
    assert state.put_back(state.changed().paths, tmp_path / "aside") == ()
    run(root, "rm -r wt; git worktree add -q wt wt")


def test_secrets_are_hidden_wherever_they_are(root: Path) -> None:
    hidden = (
        ".devcontainer/app/.env",
        ".idea/x/y/server.key",
        ".vscode/deep/.env",
        "bare/.env",
        "bare/deep/.env",
        "env/.env",
    )
    for name in (*hidden, "bare/HEAD", "bare/objects", "env/pyvenv.cfg", ".vscode/deep/a.env.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    assert sorted(look_through((root,)).secrets) == sorted(str(root / name) for name in hidden)
