"""The walk against the answers of git, and what it must never do."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tools.base import ToolFailure
from agent_tui.tools.support.expression import Expression
from agent_tui.tools.support.search import read_up_to
from agent_tui.tools.support.walk import Glob, Reader, Walk

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("gitignore_cases.json").read_text("utf-8")
)
"""Random trees with random rules, and which of their files git 2.39 lists as not ignored."""


def walked(start: Path, root: Path | None = None) -> set[str]:
    return set(Walk(start, (root or start,), lambda: False).files())


def tree(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_what_is_ignored_is_what_git_ignores(tmp_path: Path, case: dict[str, Any]) -> None:
    tree(tmp_path, **dict.fromkeys((*case["kept"], *case["ignored"]), ""))
    tree(tmp_path, **{name: "\n".join(lines) + "\n" for name, lines in case["rules"].items()})
    tree(tmp_path, **{".git/HEAD": ""})
    rules = case["rules"].keys() - set(case["rules_ignored"])
    assert walked(tmp_path) == {*case["kept"], *rules}


def test_a_deeper_negation_brings_back_what_a_rule_above_left_out(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{
            ".gitignore": "*.log\nbuild/\n",
            "a.log": "",
            "build/kept.txt": "",
            "src/.gitignore": "!keep.log\n",
            "src/keep.log": "",
            "src/other.log": "",
            "src/deep/keep.log": "",
            "src/deep/.gitignore": "keep.log\n",
        },
    )
    assert walked(tmp_path) == {
        ".gitignore",
        "src/.gitignore",
        "src/keep.log",
        "src/deep/.gitignore",
    }


def test_rules_above_the_start_hold_up_to_the_repository(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{
            ".gitignore": "*",
            "repo/.git/HEAD": "",
            "repo/.gitignore": "*.log\n/src/gen/\n",
            "repo/src/a.py": "",
            "repo/src/a.log": "",
            "repo/src/gen/b.py": "",
        },
    )
    assert walked(tmp_path / "repo" / "src", tmp_path) == {"a.py"}


def test_an_ignored_folder_is_searched_where_it_is_the_start(tmp_path: Path) -> None:
    tree(tmp_path, **{".gitignore": "build/\n", "build/out.txt": ""})
    assert walked(tmp_path) == {".gitignore"}
    assert walked(tmp_path / "build", tmp_path) == {"out.txt"}


def test_git_folders_are_left_out_at_every_level(tmp_path: Path) -> None:
    tree(tmp_path, **{".git/config": "", "sub/.git/config": "", "sub/a": "", ".gitattributes": ""})
    assert walked(tmp_path) == {"sub/a", ".gitattributes"}


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, **{"outside/secret.txt": "", "work/a": ""})
    (tmp_path / "work" / "out").symlink_to("../outside")
    (tmp_path / "work" / "loop").symlink_to(".")
    assert walked(tmp_path / "work") == {"a", "loop", "out"}


def test_a_gitignore_that_is_a_link_or_a_fifo_is_not_read(tmp_path: Path) -> None:
    tree(tmp_path, **{"rules": "*", "a/x": "", "b/x": ""})
    (tmp_path / "a" / ".gitignore").symlink_to("../rules")
    os.mkfifo(tmp_path / "b" / ".gitignore")
    assert walked(tmp_path) == {"rules", "a/x", "a/.gitignore", "b/x", "b/.gitignore"}


def test_rules_that_are_none_or_too_costly_are_counted_and_the_others_hold(tmp_path: Path) -> None:
    tree(
        tmp_path, **{".gitignore": "!\n*a*a*a*a*a*a*b\n[z-a]\n*.log\n", "a.log": "", "a" * 200: ""}
    )
    walk = Walk(tmp_path, (tmp_path,), lambda: False)
    assert set(walk.files()) == {".gitignore", "a" * 200}
    assert walk.unread_rules >= 2


@pytest.mark.parametrize("part", ["a", "?", "[!à-ÿ]", "é/"])
@pytest.mark.parametrize("size", [4_000, 20_000, 200_000])
def test_a_line_of_any_length_leaves_the_others_in_force(
    tmp_path: Path, part: str, size: int
) -> None:
    line = part * (size // len(part))
    tree(tmp_path, **{".gitignore": f"{line}\n*.log\n", "a.log": "", "b": ""})
    walk = Walk(tmp_path, (tmp_path,), lambda: False)
    assert {*walk.files()} == {".gitignore", "b"}
    assert walk.unread_rules == (size > 4_096)


def test_very_many_patterns_take_no_long_time_and_the_rest_is_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = [f"x{number}*y?z[a-c]" for number in range(60_000)]
    tree(tmp_path, **{".gitignore": "\n".join([*rules, "*.log", "/out/"]), "a.log": "", "b": ""})
    tree(
        tmp_path, **{"out/c": "", "x1-y-za": "", **{f"f{number}.txt": "" for number in range(500)}}
    )
    began = time.monotonic()
    walk = Walk(tmp_path, (tmp_path,), lambda: False)
    found = {*walk.files()}
    assert time.monotonic() - began < 10
    assert {".gitignore", "b"} < found and found.isdisjoint({"a.log", "out/c", "x1-y-za"})
    assert 0 < walk.unread_rules < 60_000
    assert capfd.readouterr().err == "", "RE2 says nothing to the person"


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("n{}", "n59999"),
        ("*.e{}", "a.e59999"),
        ("/d/n{}.o", "d/n59999.o"),
        ("d/n{}/", "d/n59999/x"),
        ("n{}/", "d/n59999/x"),
    ],
)
def test_rules_without_a_pattern_hold_however_many_there_are(
    tmp_path: Path, rule: str, name: str
) -> None:
    rules = [rule.format(number) for number in range(60_000)]
    back = "!" + rules[7]
    shown = name.replace("59999", "7")
    tree(tmp_path, **{".gitignore": "\n".join([*rules, back]), name: "", shown: "", "b": ""})
    walk = Walk(tmp_path, (tmp_path,), lambda: False)
    assert {*walk.files()} == {".gitignore", shown, "b"} and walk.unread_rules == 0


def test_the_last_rule_wins_whichever_kind_it_is(tmp_path: Path) -> None:
    rules = "*.log\n!a?.log\nab.log\n!*b.log\nkeep/ab.log\n!keep/a[b].log\n/keep/ax.log\n"
    names = ("a1.log", "ab.log", "cc.log", "keep/ab.log", "keep/ax.log", "keep/ay.log")
    tree(tmp_path, **{".gitignore": rules, **dict.fromkeys(names, "")})
    left = {"a1.log", "ab.log", "keep/ab.log", "keep/ay.log"}
    assert walked(tmp_path) == {".gitignore", *left}
    asked = ["git", "-C", tmp_path, "check-ignore", "--no-index", *names]
    repository(tmp_path)
    done = subprocess.run(asked, capture_output=True, text=True)
    assert {*names} - {*done.stdout.splitlines()} == left, "so does git"


def test_a_rule_for_all_folders_leaves_them_out(tmp_path: Path) -> None:
    tree(tmp_path, **{".gitignore": "*/\n!kept/\n", "a": "", "b/c": "", "kept/d": ""})
    assert walked(tmp_path) == {".gitignore", "a", "kept/d"}


def test_a_pattern_of_any_length_makes_re2_say_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for length in (4_000, 9_999, 1_000_000):
        for part in ("a?", "[ab]*", r"\w", "(?:ab?)+"):
            with contextlib.suppress(ToolFailure):
                Expression(part * (length // len(part)))
            with contextlib.suppress(ToolFailure):
                Glob("{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}" + part * (length // len(part)))
    assert capfd.readouterr().err == ""


def test_the_order_is_stable_and_by_name(tmp_path: Path) -> None:
    tree(tmp_path, **{"b": "", "a/z": "", "a/b": "", "c": ""})
    assert list(Walk(tmp_path, (tmp_path,), lambda: False).files()) == [
        "a/b",
        "a/z",
        "b",
        "c",
    ]


def test_a_walk_that_is_stopped_ends_and_leaves_nothing_open(tmp_path: Path) -> None:
    tree(tmp_path, **{f"d{n}/e/f{n}": "" for n in range(20)})
    before = sum(1 for _ in Path("/dev/fd").iterdir())
    seen: list[str] = []
    for path in Walk(tmp_path, (tmp_path,), lambda: len(seen) >= 3).files():
        seen.append(path)
    assert len(seen) == 3
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == before


def test_a_file_or_a_folder_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    tree(tmp_path, **{"work/a": "plain", "work/b/c": "plain", "outside/c": "secret"})
    reader = Reader(tmp_path / "work", lambda *_: False)
    (tmp_path / "work" / "a").unlink()
    (tmp_path / "work" / "a").symlink_to("../outside/c")
    (tmp_path / "work" / "b" / "c").unlink()
    (tmp_path / "work" / "b").rmdir()
    (tmp_path / "work" / "b").symlink_to("../outside")
    for folder, name in (("", "a"), ("b/", "c")):
        with pytest.raises(OSError):
            reader.open(folder, name)
    reader.close()


def test_reading_ends_one_byte_behind_the_limit(tmp_path: Path) -> None:
    tree(tmp_path, **{"a/b": "0123456789"})
    reader = Reader(tmp_path, lambda *_: False)
    for size, limit, read in ((10, 100, 10), (10, 4, 5), (3, 100, 10), (0, 4, 5)):
        opened = reader.open("a/", "b")
        assert opened is not None and opened[1] == 10
        with opened[0] as file:
            assert read_up_to(file, size, limit) == b"0123456789"[:read]
    reader.close()


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def repository(folder: Path, *tracked: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    for name in tracked:
        git(folder, "add", "-f", name)


def test_what_is_tracked_is_seen_though_a_rule_names_it(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{
            ".gitignore": "*.log\nbuild/\n",
            "a.log": "",
            "other.log": "",
            "build/kept/x": "",
            "build/y": "",
        },
    )
    repository(tmp_path, "a.log", "build/kept/x")
    assert walked(tmp_path) == {".gitignore", "a.log", "build/kept/x"}
    assert walked(tmp_path / "build", tmp_path) == {"kept/x", "y"}


def test_a_repository_within_has_its_own_rules(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{
            ".gitignore": "*.log\n",
            "in/a.log": "",
            "in/.gitignore": "*.tmp\n",
            "in/b.tmp": "",
            "in/c.tmp": "",
        },
    )
    repository(tmp_path)
    repository(tmp_path / "in", "c.tmp")
    assert walked(tmp_path) == {".gitignore", "in/.gitignore", "in/a.log", "in/c.tmp"}


def test_the_person_s_excludes_the_repository_s_and_ignore_files_count(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    tree(
        tmp_path,
        **{
            "home/.config/git/ignore": "*.swp\n",
            "work/a.swp": "",
            "work/b.txt": "",
            "work/c.txt": "",
            "work/d/e.txt": "",
            "work/d/.ignore": "e.*\n",
        },
    )
    repository(work)
    (work / ".git" / "info" / "exclude").write_text("b.txt\n")
    found = set(Walk(work, (work,), lambda: False, {"HOME": str(home)}).files())
    assert found == {"c.txt", "d/.ignore"}


def test_outside_of_a_repository_what_is_generated_or_hidden_is_left_out_and_named(
    tmp_path: Path,
) -> None:
    names = ("node_modules/a", ".venv/b", "target/c", ".cfg/d", "src/target/e", "src/f", ".g")
    tree(tmp_path, **dict.fromkeys(names, ""))
    walk = Walk(tmp_path, (tmp_path,), lambda: False)
    assert list(walk.files()) == [".g", "src/f"]
    assert walk.skipped == {"node_modules", ".venv", "target", ".cfg"}
    assert walked(tmp_path / "node_modules", tmp_path) == {"a"}
