from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.safety import file_access, paths
from agent_tui.safety.secret_search import find_secret_files
from agent_tui.tools import create_file, read_file
from tests.campaigns import examples


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    return folder


def test_links_are_followed_before_dot_dot(work: Path) -> None:
    """`ln/../x` with `ln` → `/elsewhere/sub` is `/elsewhere/x`, as the kernel says."""
    (work.parent / "elsewhere" / "sub").mkdir(parents=True)
    (work / "ln").symlink_to(work.parent / "elsewhere" / "sub")
    (work.parent / "elsewhere" / "x").write_text("x")
    assert paths.resolve("ln/../x", work) == work.parent / "elsewhere" / "x"
    assert (work / "ln/../x").samefile(paths.resolve("ln/../x", work))


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("a.txt", True),
        ("./src/../a.txt", True),
        ("src/new/deep.txt", True),
        (".", True),
        ("", None),
        ("a\0b", None),
        ("..", False),
        ("../work2", False),
        ("/etc/passwd", False),
        ("src/../../x", False),
        ("~/x", True),
        ("$HOME/x", True),
        ("%2e%2e/x", True),
        ("x" * 300, None),
        ("/" + "y/" * 3000, None),
    ],
)
def test_inside_and_outside(work: Path, text: str, inside: bool | None) -> None:
    if inside is None:
        with pytest.raises(ValueError, match=r".") as caught:
            paths.facts(text, (work,))
        assert "\n" not in str(caught.value)
    else:
        assert paths.facts(text, (work,)).inside is inside


def test_a_sibling_with_the_same_beginning_is_outside(work: Path) -> None:
    (work.parent / "work-evil").mkdir()
    assert not paths.facts(str(work.parent / "work-evil" / "x"), (work,)).inside


def test_a_link_out_is_outside_and_a_loop_is_an_error(work: Path) -> None:
    (work / "out").symlink_to("/etc")
    assert not paths.facts("out/passwd", (work,)).inside
    (work / "one").symlink_to("two")
    (work / "two").symlink_to("one")
    with pytest.raises(ValueError, match="circle"):
        paths.resolve("one", work)


def test_proc_self_root_does_not_hide_a_path(work: Path) -> None:
    assert not paths.facts("/proc/self/root/etc/passwd", (work,)).inside


def test_a_link_to_a_secret_is_a_secret(work: Path) -> None:
    (work / ".env").write_text("A=1")
    (work / "plain.txt").symlink_to(".env")
    assert paths.facts("plain.txt", (work,)).secret


def test_reading_never_blocks_on_what_is_no_file(work: Path) -> None:
    os.mkfifo(work / "fifo")
    for name in ("fifo", "src"):
        with pytest.raises(file_access.NotRegular):
            file_access.open_regular(work / name)
    with pytest.raises(file_access.NotRegular):
        file_access.open_regular(Path("/dev/zero"))


def test_a_link_that_came_later_is_refused(work: Path) -> None:
    real = paths.facts("a.txt", (work,)).real
    (work / "a.txt").unlink()
    (work / "a.txt").symlink_to("/etc/hostname")
    with pytest.raises((file_access.NotRegular, OSError)):
        file_access.read_regular(real, 100)
    with pytest.raises((file_access.NotRegular, OSError)):
        file_access.atomic_write(real, b"x", follow=False)
    assert Path("/etc/hostname").read_bytes() != b"x"


def test_a_folder_swapped_for_a_link_is_refused(work: Path) -> None:
    real = paths.facts("src/new.txt", (work,)).real
    outside = work.parent / "outside"
    outside.mkdir()
    (work / "src").rmdir()
    (work / "src").symlink_to(outside)
    with pytest.raises(OSError):
        file_access.atomic_write(real, b"x", follow=False)
    assert list(outside.iterdir()) == []


def test_atomic_write_keeps_the_mode_and_leaves_nothing_behind(work: Path) -> None:
    (work / "a.txt").chmod(0o640)
    file_access.atomic_write(work / "a.txt", b"new")
    assert (work / "a.txt").read_bytes() == b"new"
    assert stat.S_IMODE((work / "a.txt").stat().st_mode) == 0o640
    assert sorted(entry.name for entry in work.iterdir()) == ["a.txt", "src"]


def access_list(mask: bool = True) -> bytes:
    """Owner rw, user 1234 rwx, own group none, others none; with a named user the kernel wants a
    `mask`."""
    entries = [
        (1, 6, 0xFFFFFFFF),
        (2, 7, 1234),
        (4, 0, 0xFFFFFFFF),
        (16, 7, 0xFFFFFFFF),
        (32, 0, 0xFFFFFFFF),
    ]
    wanted = [entry for entry in entries if mask or entry[0] != 16]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in wanted)


LINUX = hasattr(os, "listxattr")  # elsewhere a file has no attributes that Python can see
ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def test_atomic_write_keeps_the_access_list_and_the_attributes(work: Path) -> None:
    if LINUX:
        file = work / "a.txt"
        os.setxattr(file, ACCESS, access_list())
        os.setxattr(file, "user.note", b"mine")
        before = file.stat().st_mode
        file_access.atomic_write(file, b"new", held=b"a")
        assert (
            os.getxattr(file, ACCESS) == access_list() and os.getxattr(file, "user.note") == b"mine"
        )
        assert file.stat().st_mode == before
        file_access.atomic_write(file, b"old", 0o600, follow=False, expect=file.lstat())
        assert ACCESS in os.listxattr(file) and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_without_an_access_list_gets_none_from_its_folder(work: Path) -> None:
    if LINUX:
        os.setxattr(work, DEFAULT, access_list())
        file_access.atomic_write(work / "a.txt", b"new")
        assert ACCESS not in os.listxattr(work / "a.txt")


def test_without_its_access_list_a_file_opens_to_nobody_more(work: Path) -> None:
    """The group's bits of such a file are the list's mask; its own group has no rights."""
    if LINUX:
        file = work / "a.txt"
        file.chmod(0o670)
        descriptor = os.open(file, os.O_WRONLY)
        file_access._keep(
            descriptor, file.stat(), None, {ACCESS: access_list(mask=False)}
        )  # the kernel refuses it
        os.close(descriptor)
        assert ACCESS not in os.listxattr(file) and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_new_never_replaces(work: Path) -> None:
    with pytest.raises(FileExistsError):
        file_access.atomic_write(work / "a.txt", b"x", new=True)
    assert (work / "a.txt").read_text() == "a"


PARTS = st.sampled_from(["..", ".", "src", "ln", "up", "a.txt", "new", "", "/"])


@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(parts=st.lists(PARTS, min_size=1, max_size=8))
def test_what_is_called_inside_is_inside_for_the_kernel(work: Path, parts: list[str]) -> None:
    for name, target in (("ln", "src"), ("up", "..")):
        if not (work / name).is_symlink():
            (work / name).symlink_to(target)
    text = "/".join(parts)
    try:
        fact = paths.facts(text, (work,))
    except ValueError:
        return
    real = os.path.realpath(work / text)
    if os.path.lexists(work / text):
        assert str(fact.real) == real
    assert fact.inside == (fact.real == work or work in fact.real.parents)


@pytest.mark.parametrize(
    ("secret", "name"),
    [
        (".env", "notes.txt"),
        (".env", "docs/plain.txt"),
        ("deep/down/.env", "notes.txt"),
        ("deep/.kube/config", "other/notes.txt"),
    ],
)
def test_a_hard_link_of_a_secret_is_a_secret(work: Path, secret: str, name: str) -> None:
    (work / secret).parent.mkdir(parents=True, exist_ok=True)
    (work / secret).write_text("API_PIN=9981")
    (work / name).parent.mkdir(exist_ok=True)
    (work / name).hardlink_to(work / secret)
    (work / "one").write_text("x")
    (work / "two").hardlink_to(work / "one")
    assert paths.facts(name, (work,)).secret
    assert not paths.facts("two", (work,)).secret


def test_a_session_that_begins_in_a_folder_of_secrets_knows_them(tmp_path: Path) -> None:
    root = tmp_path.resolve() / ".kube"
    root.mkdir()
    (root / "config").write_text("token")
    (root / "notes").hardlink_to(root / "config")
    (root / "other").write_text("")
    assert find_secret_files((root,)).closed == (str(root / "config"), str(root / "notes"))
    assert [paths.facts(name, (root,)).secret for name in ("config", "notes", "other")] == [
        True, True, False,
    ]  # fmt: skip


SWAPS = """
import os, sys
inside, aside, link = sys.argv[1:]
while True:
    os.rename(inside, aside)
    os.rename(link, inside)
    os.rename(inside, link)
    os.rename(aside, inside)
"""
"""A folder of the project is a link out of it half of the time."""


def test_a_thousand_swaps_of_a_folder_for_a_link_divert_no_read_and_no_write(work: Path) -> None:
    outside, folder = work.parent / "outside", work / "sub"
    outside.mkdir()
    folder.mkdir()
    (outside / "a.txt").write_text("theirs")
    (folder / "a.txt").write_text("ours")
    (work / "link").symlink_to(outside)
    argv = [sys.executable, "-c", SWAPS, str(folder), str(work / "aside"), str(work / "link")]
    refused = 0
    with subprocess.Popen(argv) as swaps:
        try:
            for number in range(1_000):
                try:
                    found = paths.facts("sub/a.txt", (work,))
                    if not found.inside:
                        refused += 1
                        continue  # as it was then, a person would have been asked
                    assert file_access.read_regular(found.real, 100) in (b"ours", b"new")
                    if number % 2:
                        file_access.atomic_write(found.real, b"new", follow=False)
                except (OSError, ValueError):
                    refused += 1
        finally:
            swaps.kill()
    assert 0 < refused < 1_000, "it was swapped between the looks"
    assert (outside / "a.txt").read_text() == "theirs"
    assert [entry.name for entry in outside.iterdir()] == ["a.txt"], "and nothing is left there"


def test_a_read_asks_nothing_of_what_only_a_write_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No configuration of git is read, nor a link looked for: that took longer than the read."""
    root = tmp_path.resolve()
    (root / ".env").touch()
    assert paths.facts("CLAUDE.md", (root,)).protected
    looked: list[Path] = []
    monkeypatch.setattr(paths, "place_protection", lambda real, *_: looked.append(real) or "")
    found = [
        gather_facts(read_file.TOOL, [name], "", (root,), None).paths[0] for name in ("a", ".env")
    ]
    assert [(one.inside, one.secret) for one in found] == [(True, False), (True, True)]
    assert not looked
    gather_facts(create_file.TOOL, ["a"], "", (root,), None)
    assert looked == [root / "a"]
