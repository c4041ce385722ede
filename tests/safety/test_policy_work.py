"""What a decision about a hostile text costs, as a count of calls: no machine is too busy for that.
What regular expressions do within one call is timed in `test_hostile_texts.py`."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from agent_tui.safety.shell import hard_list
from tests.safety import shell_corpus
from tests.safety.test_hostile_texts import decide

LENGTH = 20_000
MOST_CALLS = 290_000
"""Of Python, those of builtins among them."""
MOST_RATIO = 2.5
"""How many more calls twice the text may take."""
FLOOR = 20_000
"""Calls below which nothing is counted up: the text asks before it is taken apart."""
TEXTS = {
    "targets of a variable": ("x='{}'; rm -rf $x", "-e x "),
    "shells in a variable": ("x='{}'; rm -rf $x", "echo a | sh;"),
    "names of a variable": ("x='{}'; rm -rf $x", "a=b "),
    "a path of lists": ("cd a; rm -rf $({})", "{a,b}"),
    "a path of escapes": ("cd a; rm -rf $({})", "\\/"),
    "moved words": ("mv {} x", "xargs "),
    "find in a program": ("kubectl {}", "find -exec "),
    "find in find": ("git status; {}", "find -exec "),
    "aliases": ("kubectl {}", "-c alias.a=!b "),
    "aliases for find": ("find . {}", "-c alias.a=!b "),
    "aliases in a script": ("awk '{}' x", "-c alias.a=!b "),
    "a script of sed": ("sed '{}' x", "$("),
    "parts of a script of sed": ("sed '{}' x", "s/a/b/;"),
    "subscripts": ("let '{}'", "a[$("),
    "open subscripts": ("foo '{}'", "a["),
    "assigned subscripts": ("{}", "x='a[$(b)]';"),
    "addresses": ("git clone {}", "ext::a "),
    "marks of addresses": ("git clone {}", "a://b,"),
    "options of git": ("git fetch {}", "--upload-p=a "),
    "settings of git": ("git {} status", "-c a.b=c "),
    "folders of git": ("git {} status", "-C a "),
    "escaped quotes": ('echo "{}', '\\"'),
    "escapes and a function": ("f() {{}", "\\(''"),
    "tests of find": ("find . {} -delete", "! -name a "),
    "open tests of find": ("find . {} -delete", "( "),
    "folders of find": ("find {} -name .git -delete", "./ "),
    "a find for each command": ("{}", "find . ! -name a | xargs rm;"),
    "finds in words": ("rm {}", "$(find . ! -name a) "),
    "programs that start others": ("{}", "runuser "),
    "substitutions": ("awk '{}' x", "$("),
    "words": ("cat {}", "a/b.c "),
    "lines of a here-document": ("cat > x <<'A'\n{}", "echo a b c d\n"),
}


def calls(work: Callable[[], object]) -> int:
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = shell_corpus.build(tmp_path_factory.mktemp("project"))
    for where, fragment in TEXTS.values():  # the grammar is loaded once, and so are patterns
        for mode in ("auto", "accept-all"):
            decide(where.replace("{}", fragment * 2), place, mode)
    return place


@pytest.mark.parametrize("name", TEXTS)
def test_a_decision_is_made_within_a_fixed_amount_of_work(project: Path, name: str) -> None:
    where, fragment = TEXTS[name]

    def count(length: int) -> int:
        text = where.replace("{}", fragment * (length // len(fragment)))
        return max(calls(partial(decide, text, project, mode)) for mode in ("auto", "accept-all"))

    whole = count(LENGTH)
    assert whole <= MOST_CALLS
    assert whole <= MOST_RATIO * max(count(LENGTH // 2), FLOOR)


def test_folders_in_folders_cost_no_more_than_other_texts(project: Path) -> None:
    text = "true"
    for _ in range(8):
        text = f"cd a; foo $({text}) $({text})"
    assert calls(partial(hard_list.reason, text, str(project))) <= 70_000


def test_many_files_can_still_be_deleted_at_once() -> None:
    names = " ".join(f"src/module_{number}.py" for number in range(600))
    assert hard_list.reason(f"rm {names}", "/work") == ""
    assert "too many" in hard_list.reason(f"rm {names} {names}", "/work")
    assert "too long" in hard_list.reason("rm -rf " + "{a,b}" * 1_000, "/work")
