"""The map of a folder: what is used most comes first, in a budget; what may not be read is not
there; and what was found is kept until the files change."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent_tui.context.repo_map.build import MOST_MISSES, Drawn, RepoMap, Wanted
from agent_tui.context.repo_map.outline import CHARACTERS
from agent_tui.safety.git_index import Stopped
from agent_tui.structures.readable import count_noun

LOG = logging.getLogger("test")
SHOP = {
    "shop/price.py": 'LIMIT_CENTS = 100\n\nclass PriceList:\n    """Prices."""\n\n'
    "    def round_cents(self, amount: float) -> int:\n        return int(amount * LIMIT_CENTS)\n",
    "shop/cart.py": "from shop.price import PriceList, LIMIT_CENTS\n\n"
    "def cart_total(items):\n    return PriceList().round_cents(sum(items))\n",
    "shop/till.py": "from shop.price import PriceList\nfrom shop.cart import cart_total\n\n"
    "def till_total(items):\n    return PriceList().round_cents(cart_total(items))\n",
    "tools/undo_log.py": "def undo_last():\n    pass\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root.resolve()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(tmp_path / "work", SHOP)


def nothing(_: Path, __: Sequence[str]) -> Collection[str]:
    return ()


def draw(
    root: Path,
    cache: Path | None = None,
    unreadable: Callable[[Path, Sequence[str]], Collection[str]] = nothing,
    hide: Callable[[str], str] = str,
    stopped: Callable[[], bool] = lambda: False,
    **wanted: Any,
) -> Drawn:
    made = RepoMap(root, {"HOME": str(root / "no-home")}, cache, LOG)
    return made.make(Wanted(**wanted), unreadable, hide, stopped)


def paths(drawn: Drawn) -> list[str]:
    return [one.path for one in drawn.files]


def test_what_others_use_comes_first_with_the_lines_of_its_definitions(shop: Path) -> None:
    drawn = draw(shop)
    assert paths(drawn)[:2] == ["shop/price.py", "shop/cart.py"]
    assert drawn.files[0].text() == (
        "shop/price.py\n    1 LIMIT_CENTS\n    3 class PriceList\n"
        "    6   def round_cents(self, amount: float) -> int"
    )
    assert drawn.note == ""


def test_what_everybody_defines_says_little(tmp_path: Path) -> None:
    files = {f"a{n}.py": "def run_it():\n    run_it()\n" for n in range(9)}
    root = write(tmp_path, {**files, "z.py": "def seldom_defined():\n    pass\n"})
    for n in range(4):
        write(root, {f"user{n}.py": "seldom_defined()\nrun_it()\n"})
    assert paths(draw(root))[0] == "z.py"


@pytest.mark.parametrize("tokens", [64, 128, 400])
def test_it_fits_into_its_budget(tmp_path: Path, tokens: int) -> None:
    text = "".join(f"def function_{n}(first, second):\n    pass\n\n" for n in range(40))
    root = write(tmp_path, {f"m{n}.py": text.replace("n_", f"n_{n}_") for n in range(30)})
    drawn = draw(root, tokens=tokens)
    assert 0 < len(drawn.text()) <= tokens * CHARACTERS + len(drawn.note) + 3
    assert f"of {count_noun(30, 'file')}" in drawn.note


def test_a_file_of_its_own_is_told_whole(tmp_path: Path) -> None:
    text = "".join(f"def function_{n}():\n    pass\n" for n in range(40))
    root = write(tmp_path, {"a.py": text, "b.py": text})
    assert "32 more" in draw(root).files[0].text()
    [alone] = draw(root, path="b.py").files
    assert alone.path == "b.py" and len(alone.lines) == 40 and not alone.left_out


def test_a_path_words_and_files_of_interest_decide_what_is_first(shop: Path) -> None:
    assert paths(draw(shop, path="tools")) == ["tools/undo_log.py"]
    assert paths(draw(shop, focus=("undo",)))[0] == "tools/undo_log.py"
    write(shop, {"tools/start.py": "def begin():\n    undo_last()\n"})
    assert paths(draw(shop)).index("tools/undo_log.py") > 1
    near = draw(shop, near=("tools/start.py",))
    assert paths(near).index("tools/undo_log.py") < paths(near).index("shop/cart.py")


def test_what_may_not_be_read_is_not_in_it(shop: Path, tmp_path: Path) -> None:
    secret = "def hidden_thing():\n    pass\n"
    write(shop, {".gitignore": "/out/\n", "out/made.py": secret, "private/own.py": secret})
    write(shop, {".ssh/agent.py": secret, ".env": "KEY=hidden_thing\n"})
    write(tmp_path, {"elsewhere/other.py": secret})
    (shop / "link.py").symlink_to(tmp_path / "elsewhere/other.py")
    (shop / "linked").symlink_to(tmp_path / "elsewhere")
    os.link(shop / ".env", shop / "twin.py")
    (shop / ".git").mkdir()

    def unreadable(folder: Path, names: Sequence[str]) -> Collection[str]:
        return names if folder.name == "private" else ()

    before = draw(shop, tmp_path / "cache")
    assert "private/own.py" in paths(before) and not {"link.py", "out/made.py"} & {*paths(before)}
    drawn = draw(shop, tmp_path / "cache", unreadable)
    assert "hidden_thing" not in drawn.text() and "private" not in drawn.text()
    assert "twin.py" not in paths(drawn)


def test_secrets_in_a_signature_are_hidden_and_values_are_not_told(tmp_path: Path) -> None:
    key = "sk-ant-api03-abcdefghijklmnop"
    root = write(tmp_path, {"a.py": f'KEY = "{key}"\n\ndef call(key="{key}"):\n    pass\n'})
    text = draw(root, hide=lambda text: text.replace(key, "[hidden]")).text()
    assert key not in text and "KEY" in text and "[hidden]" in text
    assert '"' not in text.split("def call")[0]


def test_it_is_kept_by_size_and_time_and_follows_changes(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = draw(shop, cache)
    [kept] = cache.glob("*.sqlite")
    assert kept.stat().st_mode & 0o777 == 0o600 and cache.stat().st_mode & 0o777 == 0o700

    path = shop / "shop/price.py"
    about = path.stat()
    path.write_text(SHOP["shop/price.py"].replace("PriceList", "TaxesList"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert draw(shop, cache) == first, "neither read nor parsed: it looks the same"
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
    changed = draw(shop, cache).text()
    assert "class TaxesList" in changed and "class PriceList" not in changed
    path.unlink()
    assert "shop/price.py" not in paths(draw(shop, cache))


def words(cache: Path) -> list[Any]:
    [path] = cache.glob("*.sqlite")
    with sqlite3.connect(path) as db:
        rows = db.execute("select * from word where files > 0 order by word").fetchall()
        return rows + db.execute("select path, score from file order by path").fetchall()


def test_what_is_counted_bit_by_bit_is_what_is_counted_at_once(shop: Path, tmp_path: Path) -> None:
    draw(shop, tmp_path / "one")
    write(shop, {"shop/cart.py": "def other_name():\n    round_cents()\n", "new.py": "X_Y = 1\n"})
    (shop / "shop/till.py").unlink()
    draw(shop, tmp_path / "one")
    draw(shop, tmp_path / "two")
    assert words(tmp_path / "one") == words(tmp_path / "two")


def test_two_programs_at_once_count_nothing_twice(shop: Path, tmp_path: Path) -> None:
    write(shop, {f"more/m{n}.py": SHOP["shop/cart.py"] for n in range(300)})
    code = (
        "import logging, sys; from pathlib import Path\n"
        "from agent_tui.context.repo_map.build import RepoMap, Wanted\n"
        "made = RepoMap(Path(sys.argv[1]), {}, Path(sys.argv[2]), logging.getLogger())\n"
        "print(len(made.make(Wanted(), lambda *_: (), str, lambda: False).files))\n"
    )
    command = [sys.executable, "-c", code, str(shop), str(tmp_path / "both")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    assert all(int(one.communicate()[0]) > 0 and one.returncode == 0 for one in running)
    draw(shop, tmp_path / "alone")
    assert words(tmp_path / "both") == words(tmp_path / "alone")


@pytest.mark.parametrize("spoil", ["damaged", "emptied", "folder", "closed"])
def test_a_spoilt_cache_is_made_again_or_left_alone(shop: Path, tmp_path: Path, spoil: str) -> None:
    cache = tmp_path / "cache"
    first = draw(shop, cache)
    [path] = cache.glob("*.sqlite")
    if spoil == "damaged":
        path.write_bytes(b"no database at all, but long enough to be looked at" * 99)
    elif spoil == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()
        if spoil == "folder":
            path.mkdir()
        else:
            cache.rmdir()
            cache.write_text("a file in its place")
    assert draw(shop, cache) == first
    assert draw(shop, None) == first


@pytest.mark.parametrize("looks", [0, 3, 8, 12])
def test_nobody_waits_for_it_longer_than_they_want(shop: Path, tmp_path: Path, looks: int) -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > looks

    with pytest.raises(Stopped):
        draw(shop, tmp_path / "cache", stopped=stopped)
    assert draw(shop, tmp_path / "cache") == draw(shop)


def test_what_is_no_code_defines_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.md": "def nothing():\n", "b.json": "{}", "c.py": "", "d": "def x"})
    (root / "e.py").write_bytes(b"def binary():\0\n")
    (root / "f.py").write_text("def large():\n    pass\n" + "#" * 500_000)
    assert draw(root).files == () and draw(root).text() == "[0 of 3 files]"


def test_files_that_define_nothing_are_not_all_parsed(tmp_path: Path) -> None:
    root = write(tmp_path / "work", {f"m{n}.py": f"print({n})\n" for n in range(400)})
    assert draw(root, tmp_path / "cache").files == ()
    [path] = (tmp_path / "cache").glob("*.sqlite")
    with sqlite3.connect(path) as db:
        [(parsed,)] = db.execute("select count(*) from file where made <> ''").fetchall()
    assert 0 < parsed <= MOST_MISSES + 1


def test_maps_that_nobody_used_for_long_are_deleted(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(0o700)
    old, young = cache / "old.sqlite", cache / "young.sqlite"
    for path in (old, young):
        path.write_text("")
    os.utime(old, (0, 0))
    draw(shop, cache)
    assert not old.exists() and young.exists()
