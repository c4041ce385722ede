"""A search with ripgrep gives what one without it gives, whatever the files are."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pygments
import pytest
import textual

from agent_tui.tools.grep_files import TOOL
from agent_tui.tools.support import ripgrep
from agent_tui.tools.support.expression import Expression
from tests.campaigns import share
from tests.tools.context import Context, call

NOWHERE = "/var/empty"
PACKAGES = (textual, pygments, hypothesis)
PATTERNS = (
    "import",
    "needle",
    r"def \w+\(self\b",
    r"^class \w+",
    r"\bself\.\w+$",
    "(?i)TODO|fixme",
    r"[^\x00-\x7f]+",
    r"^\s*$",
    r"^$",
    r"\p{Lu}{4,}_\d",
    r"[[:upper:]]{5}",
    r"é|ü",
    r".{150,}",
    r"\W\W\W\W$",
    r"[\W]x",
    r"\S+@\S+\.\w+",
    r"a.c",
    r"return [^(]*\)$",
    r"x{2,3}",
    r"needle\|import",
    r"\<class\>",
    "PRIVATE KEY",
    "hidden",
    r"[a-z--9]q",
    r"(?-i:self)",
    r"€?x",
    r"�",
    r"end\r?$",
)


narrowed: list[set[str] | None] = []
"""What ripgrep named, for each batch that it may have been asked about."""


@pytest.fixture(autouse=True)
def _however_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    really = ripgrep.narrow

    async def seen(*arguments: Any) -> set[str] | None:
        narrowed.append(await really(*arguments))
        return narrowed[-1]

    narrowed.clear()
    monkeypatch.setattr(ripgrep, "FEWEST", 1)
    monkeypatch.setattr(ripgrep, "narrow", seen)


def search(root: Path, programs: str, /, **arguments: object) -> tuple[str, bool]:
    """The result, and whether ripgrep had a part in it."""
    narrowed.clear()
    content = call(TOOL, Context(root, path_variable=programs), **arguments).content
    return content, any(one is not None for one in narrowed)


def both(root: Path, /, **arguments: object) -> tuple[str, bool]:
    """The result, which is the same without ripgrep, and whether that had a part in it."""
    without, none = search(root, NOWHERE, **arguments)
    found, used = search(root, os.environ["PATH"], **arguments)
    assert found == without, arguments
    assert not none
    return found, used


@pytest.mark.parametrize("package", PACKAGES, ids=lambda it: it.__name__)
def test_a_real_tree(package: ModuleType) -> None:
    """Each pattern in one of them; in a campaign in each."""
    root = Path(str(package.__file__)).parent
    patterns = share(PATTERNS, PACKAGES.index(package), len(PACKAGES))
    used = sum(both(root, pattern=pattern)[1] for pattern in patterns)
    assert used > len(patterns) * 0.7


def test_every_way_to_show_it() -> None:
    root = Path(textual.__file__).parent
    for arguments in (
        {"show": "files"},
        {"show": "counts", "page": 2},
        {"context": 2, "page": 3},
        {"glob": "*.py", "path": "widgets"},
        {"glob": "widgets/*.py"},
        {"type": "py", "ignore_case": True},
    ):
        assert both(root, pattern="Return", **arguments)[1]


def bad_tree(root: Path) -> None:
    line = "MIIneedle" + "aB3" * 18
    key = f"-----BEGIN PRIVATE KEY-----\n{line}\n{line}\n-----END PRIVATE KEY-----\n"
    contents: dict[str, bytes] = {
        "latin.txt": "caf\u00e9 import\n\u00e9nd".encode("latin-1"),
        "crlf.txt": b"import x\r\nend\r\n\r\nlast end",
        "mixed.txt": b"import\r\nneedle\nend\r\r\nx\ry",
        "bom.txt": b"\xef\xbb\xbfimport os\nclass A\n",
        "utf16.txt": "import needle\n".encode("utf-16"),
        "nul-late.txt": b"import needle\n" * 6_000 + b"\0",
        "long.txt": b"a" * 300_000 + b"needle" + b"b" * 300_000 + b"\nend",
        "key.txt": key.encode(),
        "cut.txt": "€".encode()[:2] + b"x import\n" + b"\x80y\n" + b"\xed\xa0\x80q needle",
        "lines\nin name.txt": b"needle",
        "[a].txt": b"needle",
        "{b,!}*.env": b"needle secret",
        ".env": b"needle secret",
        "sub/id_rsa": b"needle secret",
        "sub/id_map.py": b"needle",
        "sub/deep/er/-x": b"needle\nend",
        ".hidden": b"needle",
        "wide.txt": "\u2028needle\x85import\u00a0\u2003x\n".encode(),
        "big.txt": b"needle\n" + b"x" * 5_500_000,
        "empty": b"",
    }
    for name, data in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root / os.fsdecode(b"bad\xff.txt")).write_bytes(b"needle")
    os.link(root / ".env", root / "other-name.txt")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("nowhere")
    (root / "around").symlink_to(".")
    (root / "file-link").symlink_to("crlf.txt")
    os.mkfifo(root / "pipe")
    with (root / "sparse").open("wb") as file:
        file.truncate(5_000_000_000)


def test_bad_input(tmp_path: Path) -> None:
    bad_tree(tmp_path)
    for pattern in PATTERNS:
        both(tmp_path, pattern=pattern)
    content, used = both(tmp_path, pattern="needle")
    assert used
    assert "[3 files left out, with names of secrets" in content  # .env, another .env, id_rsa
    assert "[1 file over 5.0 MB left out, with matches.]" in content
    assert "MIIneedle" not in content and "needle secret" not in content
    assert "sub/id_map.py" in content and "[a].txt" in content and "nul-late" not in content


def test_trouble_of_ripgrep_is_none_of_the_search(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x{}y\n")
    assert both(tmp_path, pattern="x{}y") == ("1 match:\na.txt\n     1: x{}y", False)


def test_a_program_of_the_project_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "bin" / "rg").chmod(0o755)
    content, used = search(tmp_path, f"{tmp_path}/bin", pattern="touch")
    assert "1 match" in content and not used and not (tmp_path / "ran").exists()


def test_the_person_s_configuration_of_it_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rc").write_text("--invert-match\n")
    (tmp_path / "a.txt").write_text("needle\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    assert both(tmp_path, pattern="needle") == ("1 match:\na.txt\n     1: needle", True)


@pytest.mark.parametrize("pattern", [r"[\W]x", "[a&&b]", r"\B", r"(?-i)a", r"[^\S]"])
def test_it_is_not_asked_for_what_it_reads_otherwise(pattern: str) -> None:
    assert ripgrep.patterns(Expression(pattern)) == ()
