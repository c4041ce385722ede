"""What a command changed is put back in the folders of the session and nowhere else, whatever the
command, or what it left running, made of the folders above."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.safety.sandbox.protected_state import ProtectedState, take_state


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "work"
    for name in ("d/.bashrc", "s/.vscode/settings.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / "s/.vscode/settings.json").write_text("PAYLOAD")
    (root / "d" / ".bashrc").write_text("PAYLOAD")
    sh(root, "git init -q; git init -q ../out; mkdir -p ../out/.vscode ../out/hooks ../out/deep")
    for name in (".bashrc", ".vscode/settings.json", ".vscode/launch.json", "hooks/pre-commit"):
        (root.parent / "out" / name).write_text("mine")
    return root


@pytest.fixture(params=["same disk", "another disk"])
def aside(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Where what is there now goes; from another disk it is copied."""
    if request.param == "same disk":
        yield tmp_path / "aside"
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm" if sys.platform == "linux" else None) as made:
        yield Path(made).resolve() / "aside"


def sh(root: Path, command: str) -> None:
    given = {"HOME": str(root), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["sh", "-ec", command], cwd=root, env=given, check=True)


def outside(root: Path) -> dict[str, tuple[bytes, int]]:
    """All that lies beside the folder of the session."""
    files = (path for path in (root.parent / "out").rglob("*") if not path.is_dir())
    return {
        str(path): (
            os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes(),
            path.lstat().st_ino,
        )
        for path in files
    }


def put_back(state: ProtectedState, aside: Path) -> list[str]:
    paths = state.changed().paths
    assert state.put_back(paths, aside) == ()
    return [os.path.relpath(path, state.roots[0]) for path in paths]


@pytest.mark.parametrize(
    ("before", "command", "found"),
    [
        ("ln -sf payload d/.bashrc", "rm -r d; ln -s ../out d", ["d/.bashrc"]),
        (
            "true",
            "rm -r d s; ln -s ../out d; ln -s ../out s",
            ["d/.bashrc", "s/.vscode/settings.json"],
        ),
        ("true", "mv d e; ln -s ../out d; rm -r e", ["d/.bashrc"]),
        ("printf mine > d/.bashrc", "rm -r d; ln -s ../out d", ["d/.bashrc"]),
        (
            "mkdir -p n/objects n/refs; echo 'ref: refs/heads/m' > n/HEAD",
            "rm -r n; ln -s ../out/.git n",
            ["n"],
        ),
        (
            "mkdir -p n/objects n/refs n/hooks; echo x > n/HEAD; touch n/hooks/a n/config",
            "rm -r n; ln -s ../out/.git n",
            ["n", "n/config", "n/hooks/a"],
        ),
        ("git config core.hooksPath x/hooks", "ln -s ../out x", ["x/hooks"]),
        ("true", "rm -r .git; ln -s ../out/.git .git", [".git", ".git/config"]),
    ],
)
def test_nothing_outside_is_touched(
    root: Path, aside: Path, before: str, command: str, found: list[str]
) -> None:
    sh(root, before)
    was, kept = outside(root), {path: path.lstat().st_mode for path in root.glob("[ds]/.*")}
    state = take_state((root,))
    sh(root, command)
    changed = put_back(state, aside)
    assert set(found) <= set(changed), changed
    assert outside(root) == was
    assert not [path for path in root.iterdir() if path.is_symlink()]
    assert {path: path.lstat().st_mode for path in root.glob("[ds]/.*")} == kept
    assert [path for path in Path(f"{aside}{root}").iterdir() if path.is_symlink()]


def test_a_name_that_git_calls_for_is_not_reached_through_a_link(root: Path, aside: Path) -> None:
    """Nor is what lies where it leads to in the session moved away."""
    sh(root, "git config core.hooksPath x/hooks; mkdir -p src/hooks; touch src/hooks/a")
    state = take_state((root,))
    sh(root, "ln -s src x")
    assert put_back(state, aside) == ["x/hooks"]
    assert (root / "src/hooks/a").exists() and not (root / "x").is_symlink()


def in_between(root: Path) -> None:
    sh(root, "rm -r d s new; ln -s ../out d; ln -s ../out s; ln -s ../out new")


def twice(root: Path) -> None:
    sh(root, "rm -r d s new; mkdir m; ln -s ../out m/d; ln -s m d; ln -s m/d s; ln -s m/d new")


@pytest.mark.parametrize("swap", [in_between, twice])
def test_a_job_may_swap_folders_while_the_question_stands(
    root: Path, aside: Path, swap: Callable[[Path], None]
) -> None:
    was, state = outside(root), take_state((root,))
    sh(root, "echo evil > d/.bashrc; echo evil > s/.vscode/settings.json; mkdir new")
    sh(root, "echo evil > new/.bashrc")
    paths = state.changed().paths
    assert str(root / "new/.bashrc") in paths
    swap(root)
    assert state.put_back(paths, aside) == ()
    assert outside(root) == was
    assert (root / "d/.bashrc").read_text() == "PAYLOAD" and not (root / "d").is_symlink()
    assert (root / "s/.vscode/settings.json").read_text() == "PAYLOAD"
    assert not (root / "new").is_symlink()


def test_what_was_moved_away_leads_nowhere_either(root: Path, aside: Path) -> None:
    """A link is set aside, and then what takes its place."""
    was, state = outside(root), take_state((root,))
    sh(root, "rm -r d; ln -s ../out d")
    put_back(state, aside)
    absolute = Path(f"{aside}{root}/d")
    absolute.unlink()
    absolute.symlink_to(root.parent / "out")
    sh(root, "echo second > d/.bashrc")
    assert put_back(state, aside) == ["d/.bashrc"]
    assert outside(root) == was and (root / "d/.bashrc").read_text() == "PAYLOAD"
    assert [path.read_text() for path in aside.rglob(".bashrc")] == ["second\n"]


def test_a_folder_moves_with_all_that_is_in_it(root: Path, aside: Path) -> None:
    state = take_state((root,))
    sh(root, "mkdir -p .idea/a/b; echo x > .idea/a/b/c; chmod 750 .idea/a/b/c; ln -s c .idea/a/b/l")
    sh(root, "mkfifo .idea/pipe; ln -s /etc .idea/etc")
    assert put_back(state, aside) == [".idea"]
    there = Path(f"{aside}{root}/.idea")
    assert (there / "a/b/c").read_text() == "x\n" and (
        there / "a/b/c"
    ).stat().st_mode & 0o777 == 0o750
    assert (there / "a/b/l").is_symlink() and (there / "etc").is_symlink()
    assert not (root / ".idea").exists() and Path("/etc").exists()


def test_only_folders_of_the_session_are_held_and_watched(root: Path) -> None:
    """A git folder to which a link leads elsewhere is somebody else's."""
    sh(
        root,
        "mkdir sub; ln -s ../../out/.git sub/.git; ln -s ../../../out/.git .git/modules || true",
    )
    state = take_state((root,))
    elsewhere = f"{root.parent}/out/"
    assert not [path for path in (*state.found.fixed, *state.files) if path.startswith(elsewhere)]
    sh(root, "git -C ../out config user.name x; touch ../out/.git/hooks/new")
    assert state.changed().paths == ()
