"""A secret that was hidden from commands stays hidden, whatever they make of what lies around it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_tui.safety import secret_names, secret_search
from agent_tui.safety.git_config import find_repository
from agent_tui.safety.sandbox import workspace_sandbox
from agent_tui.safety.sandbox.namespaces import plan
from agent_tui.safety.sandbox.profiles import LANDLOCK, Profile
from agent_tui.safety.sandbox.workspace_sandbox import look_through
from agent_tui.safety.secret_search import changed_secrets, find_secret_files
from tests.safety.test_workspace_sandbox import CASES, Session, named

SECRET = "PASSWORD=hunter2\n"


@pytest.fixture(params=[case for case in CASES if case[0] != LANDLOCK], ids=named)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """In a sandbox with mounts: without them nothing is hidden."""
    with ExitStack() as stack:
        made = Session(*request.param, stack)
        for name in ("pkg/deep/.env", "top/.env", ".env", "a"):
            (made.root / name).parent.mkdir(parents=True, exist_ok=True)
            (made.root / name).write_text(SECRET if "env" in name else "a\n")
        made.give()
        made.git("init", "-q")
        yield made


CLOSED = ("node_modules", "venv", "target", ".tox")


@pytest.mark.parametrize(
    "commands",
    [
        ["git update-index --add --cacheinfo 100644,$(git hash-object -w a),.env", "cat .env"],
        [
            "git update-index --add --cacheinfo 100644,$(printf x | git hash-object -w --stdin),top/.env",
            "cat top/.env",
        ],
        *([f"mv pkg {name}", f"cat {name}/deep/.env; cat pkg/deep/.env"] for name in CLOSED),
        ["mv pkg/deep pkg/target", "cat pkg/target/.env pkg/deep/.env"],
        [
            "mkdir -p x && cd x && for i in $(seq 1100); do echo $i; done | xargs mkdir",
            "cat pkg/deep/.env",
        ],
        [
            "cd pkg && touch pyvenv.cfg && mkdir -p bin lib/python3/site-packages share && "
            "touch bin/python && mv deep share",
            "cat pkg/share/deep/.env pkg/deep/.env",
        ],
    ],
    ids=lambda commands: commands[0][:40],
)
def test_no_later_command_reads_it(session: Session, commands: list[str]) -> None:
    *_, (_, (code, output, _)) = session.run_each(["true", *commands])
    assert code != 0 and "hunter2" not in output, output


def test_no_other_name_of_it_is_read(session: Session) -> None:
    (session.root / "notes.txt").hardlink_to(session.root / "pkg/deep/.env")
    *_, (_, (code, output, _)) = session.run_each(["true", "cat notes.txt"])
    assert code != 0 and "hunter2" not in output, output


def test_work_beside_it_goes_on(session: Session) -> None:
    for command in (
        "echo x > pkg/deep/new && mv pkg/deep/new pkg/deep/b",
        "git status --short",
        "mkdir top/c && mv top/c top/d && rmdir top/d && cp -r a pkg/a",
    ):
        session.works(command)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (".aws", "notes"),
        (".ssh/x", "deep/file"),
        (".kube", "config"),
        (".docker", "config.json"),
        ("gh", "hosts.yml"),
        (".AWS/y/z", "a.txt"),
        (".aws", ".devcontainer/x"),
        (".gnupg/p", ".vscode/deep/q"),
    ],
)
def test_the_folder_of_the_session_makes_names_secret(
    tmp_path: Path, place: str, name: str
) -> None:
    root = tmp_path.resolve() / place
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(SECRET)
    hidden = look_through([root]).secrets
    assert any(f"{root / name}/".startswith(f"{path}/") for path in hidden)
    assert str(root / name) in find_secret_files((root,)).closed


@pytest.mark.parametrize("place", [".config/x", "keys", "aws", "kube"])
def test_other_folders_make_nothing_secret(tmp_path: Path, place: str) -> None:
    root = tmp_path.resolve() / place
    for name in ("config", "src/config.json", "hosts.yml", ".env"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SECRET)
    assert look_through([root]).secrets == (str(root / ".env"),)
    assert find_secret_files((root,)).closed == (str(root / ".env"),)


def test_a_session_in_a_folder_of_secrets_shows_none(session: Session) -> None:
    (session.home / ".kube").mkdir()
    (session.home / ".kube" / "config").write_text(SECRET)
    session.give()
    place = str(session.home / ".kube")
    code, output, _ = session.run(f"cat {place}/config", place)
    assert code != 0 and "hunter2" not in output


def test_what_git_tracks_counts_as_changed_in_such_a_folder(tmp_path: Path) -> None:
    root = tmp_path.resolve() / ".aws"
    root.mkdir()
    (root / "notes").write_text("x")
    for words in (["init", "-q"], ["add", "notes"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    where = find_repository(root)
    assert where is not None and changed_secrets(where) == []
    (root / "notes").write_text(SECRET)
    assert changed_secrets(where) == ["notes"]


def test_what_was_hidden_is_closed_to_who_only_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path.resolve()
    (root / "pkg").mkdir()
    (root / "pkg" / ".env").write_text(SECRET)
    assert find_secret_files((root,)).closed == (str(root / "pkg" / ".env"),)
    monkeypatch.setattr(secret_names, "MOST_FOLDERS", 1)
    assert find_secret_files((root,)).closed == (str(root / "pkg" / ".env"),)
    monkeypatch.setattr(secret_search, "_MOST_BESIDE", 0)
    assert find_secret_files((root,)).closed == ()  # all beside it would have to be opened


def test_far_secrets_are_hidden_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_sandbox, "_MOST_FIXED", 2)
    far = tmp_path.resolve() / "a/b/c/d/.env"
    far.parent.mkdir(parents=True)
    far.write_text(SECRET)
    assert look_through([tmp_path.resolve()]).secrets == (str(far),)


def test_nothing_is_opened_in_what_is_fixed(tmp_path: Path) -> None:
    """Not on the way to a secret, nor to what a link leads to."""
    for name in ("w/.devcontainer/app/.env", "w/.devcontainer/b/x", "w/src/.env"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    work, here = str(tmp_path / "w"), f"{tmp_path}/w/.devcontainer"
    made = plan(
        Profile(
            readable=(),
            writable=(work,),
            fixed=(f"{here}/b/x", here),
            hidden=(f"{here}/app/.env", f"{work}/src/.env"),
        )
    )
    assert [path for path, kind in made if kind == "write"] == [work, f"{work}/src"]
    assert (f"{here}/app/.env", "mask") in made
