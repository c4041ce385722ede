"""How much of the files of git is read and inflated, whatever a command wrote into them."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.sandbox_words import describe_lost
from agent_tui.safety.sandbox import git_objects, object_store
from agent_tui.safety.sandbox.git_objects import MOST_INFLATED, ObjectCheck, PackIndex
from agent_tui.safety.sandbox.object_store import Held, list_objects
from tests.safety.test_git_history import after, shell, state
from tests.safety.test_git_history import root as root

MEGA = 1_000_000
NAME = "a" * 40


def indexes(root: Path) -> list[Path]:
    return sorted((root / ".git/objects/pack").glob("*.idx"))


def test_an_index_whose_length_fits_its_names_is_read(root: Path) -> None:
    [path] = indexes(root)
    known = PackIndex(str(path))
    assert known.count == 6
    far = root / f"pack-{NAME}.idx"  # as if the objects were gigabytes behind in the pack
    shell(root, f"git index-pack --index-version=2,12 -o {far} {path.with_suffix('.pack')}")
    assert far.stat().st_size > path.stat().st_size
    assert [PackIndex(str(far)).at(number) for number in range(6)] == [
        known.at(number) for number in range(6)
    ]


HEAD = b"\xfftOc\0\0\0\2" + b"\0" * 255 * 4
LENGTHS = {
    "900 GB, empty": (b"", 900 << 30),
    "900 GB, few names": (HEAD + b"\0\0\0\6", 900 << 30),
    "names for 120 GB": (HEAD + b"\xff" * 4, 8 + 1024 + (2**32 - 1) * 28 + 40),
    "names for 300 MB": (HEAD + (10_714_285).to_bytes(4, "big"), 8 + 1024 + 10_714_285 * 28 + 40),
    "a byte too short": (HEAD + b"\0\0\0\1", 8 + 1024 + 28 + 39),
    "nothing but a part of its begin": (HEAD[:100], 100),
}


@pytest.mark.parametrize("kind", LENGTHS)
def test_no_other_index_is(tmp_path: Path, kind: str) -> None:
    begin, size = LENGTHS[kind]
    path = tmp_path.resolve() / f"pack-{NAME}.idx"
    with path.open("wb") as file:
        file.write(begin)
        file.truncate(size)
    index = PackIndex(str(path))
    assert (index.count, index.length) == (0, 0) and b"\0" * 20 not in index


def test_indexes_have_one_limit_together(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell(root, "git rev-parse HEAD > a; git add a; git commit -qm more; git repack -q")
    first, second = (PackIndex(str(path)) for path in indexes(root))
    objects = f"{root}/.git/objects"
    packs = object_store.Objects(frozenset(), list_objects(objects, {}).packs)
    assert second.at(0) in Held(objects, packs)
    monkeypatch.setattr(object_store, "MOST_INDEXED", first.length + second.length - 1)
    held = Held(objects, packs)
    assert first.at(0) in held and second.at(0) not in held


def test_an_index_of_900_gb_hides_no_loss(root: Path) -> None:
    before = state(root)
    pack = f".git/objects/pack/pack-{NAME}"
    found = after(root, f"truncate -s 900G {pack}.idx; : > {pack}.pack; rm -rf .git/objects/??")
    assert found is not None and not found.trouble and not found.left
    shell(root, f"rm {pack}.*")
    assert state(root) == before


@pytest.fixture
def inflated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes came out of each piece that was inflated."""
    counted, plain = list[int](), zlib.decompressobj

    class Counting:
        def __init__(self) -> None:
            self._plain = plain()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._plain, name)

        def decompress(self, data: bytes, most: int) -> bytes:
            piece = self._plain.decompress(data, most)
            counted.append(len(piece))
            return piece

    monkeypatch.setattr(git_objects.zlib, "decompressobj", Counting)
    return counted


def write_bomb(path: Path, header: bytes) -> None:
    """2 MB, out of which 2 GB come."""
    deflate = zlib.compressobj()
    begin = deflate.compress(header) + deflate.flush(zlib.Z_FULL_FLUSH)
    zeros = deflate.compress(bytes(MEGA)) + deflate.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(begin + zeros * (2 * MEGA // len(zeros)))


@pytest.mark.parametrize("header", [b"", b"blob 100\0", b"blob x\0", b"blob " + b"9" * 40])
def test_no_object_is_longer_than_its_header_says(
    tmp_path: Path, inflated: list[int], header: bytes
) -> None:
    write_bomb(tmp_path / "a", header)
    check = ObjectCheck()
    assert not check.is_whole(str(tmp_path / "a"), NAME) and not check.unchecked
    assert sum(inflated) <= MEGA


def test_an_object_of_more_than_a_gigabyte_is_not_inflated(
    tmp_path: Path, inflated: list[int]
) -> None:
    write_bomb(tmp_path / "a", b"blob 1900000000\0")
    check = ObjectCheck()
    assert check.is_whole(str(tmp_path / "a"), NAME) and check.unchecked == {NAME}
    assert sum(inflated) <= MEGA


def test_what_is_inflated_has_one_limit(tmp_path: Path, inflated: list[int]) -> None:
    path, check = tmp_path / "a", ObjectCheck()
    write_bomb(path, b"blob 900000000\0")
    usual = 10 * path.stat().st_size
    for number, name in enumerate("abc", 1):
        assert check.is_whole(str(path), name * 40) and name * 40 in check.unchecked
        assert sum(inflated) <= MOST_INFLATED + number * (usual + MEGA)
    content = b"blob 9\0" + b"x" * 9
    (tmp_path / "usual").write_bytes(zlib.compress(content))
    assert check.is_whole(str(tmp_path / "usual"), hashlib.sha1(content).hexdigest())
    assert not check.is_whole(str(tmp_path / "usual"), NAME)


def test_what_is_too_large_to_be_checked_is_put_back_and_told(root: Path) -> None:
    place = root / ".git/objects/aa"
    place.mkdir(exist_ok=True)
    write_bomb(place / NAME[2:], b"blob 900000000\0")
    found = after(root, f"rm -r {place}")
    assert found is not None and found.unchecked == 1 and (place / NAME[2:]).is_file()
    assert "Too large to be checked: 1 object; `git fsck`" in describe_lost([found], str)
