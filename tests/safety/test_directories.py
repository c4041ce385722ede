"""Which folders may be added to a session, whether one is still the same, and what the policy makes
of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety import paths, policy
from agent_tui.safety.directories import Bounds, Refused, admit_directory, loss_reason
from agent_tui.safety.shell import hard_list


@pytest.fixture
def bounds(tmp_path: Path) -> Bounds:
    for name in ("user/project/src", "user/data/sessions", "work", "lib/src"):
        (tmp_path / name).mkdir(parents=True)
    return Bounds.of([str(tmp_path / "user")], [tmp_path / "user" / "data"])


def test_a_folder_is_known_by_its_real_path_and_its_inode(tmp_path: Path, bounds: Bounds) -> None:
    (tmp_path / "work" / "link").symlink_to("../lib")
    about = (tmp_path / "lib").stat()
    for text in ("../lib", "../lib/", str(tmp_path / "lib"), "link", "./link/src/.."):
        found = admit_directory(text, tmp_path / "work", bounds)
        assert (found.path, found.device, found.inode) == (
            str(tmp_path / "lib"),
            about.st_dev,
            about.st_ino,
        )
    assert admit_directory("~/project", tmp_path / "work", bounds).path == str(
        tmp_path / "user" / "project"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("/", "too large"),
        ("/usr", "too large"),
        ("/tmp/../", "too large"),
        ("/etc", "belongs to the system"),
        ("/proc/self", "belongs to the system"),
        ("/dev/shm", "belongs to the system"),
        ("~/.agent-tui", "protected"),
        ("~", "is the home folder"),
        ("~/project/..", "is the home folder"),
        ("..", "contains the home folder"),
        ("~/data", "belongs to agent-tui"),
        ("~/data/sessions", "belongs to agent-tui"),
        ("nothing", "No such file"),
        ("file", "is not a folder"),
        ("", "empty"),
        ("a\0b", "NUL"),
        ("/root", "home folder"),
        ("~/.ssh", "secret store"),
        ("~/.aws/deep", "secret store"),
        ("~/project/.git", "protected"),
        ("home", "is the home folder"),
        ("new\nline", "cannot be shown"),
    ],
)
def test_what_may_not_be_added(tmp_path: Path, bounds: Bounds, text: str, why: str) -> None:
    for name in (".ssh", ".aws/deep", "project/.git", ".agent-tui"):
        (tmp_path / "user" / name).mkdir(parents=True)
    (tmp_path / "work" / "new\nline").mkdir()
    (tmp_path / "work" / "file").touch()
    (tmp_path / "work" / "home").symlink_to("../user")
    with pytest.raises(Refused, match=why) as refused:
        admit_directory(text, tmp_path / "work", bounds)
    assert "\n" not in str(refused.value).replace("new\nline", "")


def test_what_holds_the_data_folder_is_refused_and_a_link_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "share" / "agent-tui").mkdir(parents=True)
    (tmp_path / "link").symlink_to("share")
    bounds = Bounds.of([], [tmp_path / "link" / "agent-tui"])
    for text in ("share", "link", "share/agent-tui"):
        with pytest.raises(Refused, match="belongs to agent-tui"):
            admit_directory(text, tmp_path, bounds)


def test_another_folder_in_its_place_is_not_the_same(tmp_path: Path, bounds: Bounds) -> None:
    work, lib = tmp_path / "work", tmp_path / "lib"
    known = admit_directory("../lib", work, bounds)
    assert loss_reason(known, work, bounds) == ""
    lib.rename(tmp_path / "away")
    assert "No such file" in loss_reason(known, work, bounds)
    lib.mkdir()
    assert "another folder is there now" in loss_reason(known, work, bounds)
    lib.rmdir()
    lib.symlink_to("away")  # the same folder, but not by this path
    assert "leads to another folder" in loss_reason(known, work, bounds)
    lib.unlink()
    (tmp_path / "away").rename(lib)
    assert loss_reason(known, work, bounds) == ""
    assert "home folder" in loss_reason(known, work, Bounds.of([str(lib)], []))


@pytest.mark.usefixtures("bounds")
def test_the_policy_takes_a_path_below_an_added_folder_as_one_inside(tmp_path: Path) -> None:
    work, lib = tmp_path / "work", tmp_path / "lib"
    (lib / "out").symlink_to(tmp_path / "user")
    (lib / ".git").mkdir()
    asked = {
        str(lib / "src" / "a.py"): "",
        "../lib/new.py": "",
        str(lib / "src" / ".." / "b.py"): "",
        str(lib / "out" / "project" / "a"): "outside",
        str(lib / ".." / "user" / "x"): "outside",
        str(lib) + "rary/a": "outside",
        str(lib / ".env"): "secret",
        str(lib / ".git" / "config"): "protected",
    }
    for text, why in asked.items():
        fact = paths.facts(text, (work, lib))
        decision = policy.decide(
            "accept-all", policy.Facts("edit_file", "write", (fact,), cwd=str(work))
        )
        assert (decision.verdict, why in decision.reason) == ("ask" if why else "allow", True), text
        alone = paths.facts(text, (work,))
        assert (
            policy.decide("accept-all", policy.Facts("edit_file", "write", (alone,))).verdict
            == "ask"
        ), text


def test_deleting_an_added_folder_asks_in_every_mode(tmp_path: Path) -> None:
    work, lib = str(tmp_path / "work"), str(tmp_path / "lib")
    for command in (
        f"rm -rf {lib}",
        "rm -rf ../lib/",
        f"rm -r {lib}/*",
        f"rm -rf {tmp_path}",
        "find ../lib -delete",
    ):
        assert hard_list.reason(command, work, lib), command
        facts = policy.Facts("run_shell_command", "execute", (), command, work, (lib,))
        assert policy.decide("accept-all", facts).hard, command
    assert hard_list.reason("rm -rf ../lib", work) == ""
    assert hard_list.reason(f"rm -rf {lib}/build", work, lib) == ""
    assert hard_list.reason("rm -rf ../library", work, lib) == ""
