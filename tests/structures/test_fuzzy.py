"""The search among paths: what matches, what comes first, and that slices and narrowing change
nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures import fuzzy

PATHS = (
    "src/",
    "src/app.py",
    "src/main_window.py",
    "src/fuzzy_match.py",
    "src/tui/",
    "src/tui/app.py",
    "docs/",
    "README.md",
    "docs/fuzzy/notes.md",
    "src/FooBar.ts",
    "src/foobarista.ts",
    "a b.txt",
    ".env",
    ".git-hooks/run",
    "tests/test_app.py",
    "lib/über/Größe.py",
)


def best(query: str, *recent: str, paths: tuple[str, ...] = PATHS) -> list[str]:
    return list(fuzzy.search(fuzzy.corpus(paths), query, recent))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("app", "src/app.py"),  # the name begins so, and it is nearer to the top
        ("app.py", "src/app.py"),
        ("tuiapp", "src/tui/app.py"),
        ("tui/a", "src/tui/app.py"),
        ("fm", "src/fuzzy_match.py"),  # starts of words
        ("fb", "src/FooBar.ts"),  # humps
        ("mw", "src/main_window.py"),
        ("readme", "README.md"),
        ("FB", "src/FooBar.ts"),
        ("testapp", "tests/test_app.py"),
        ("grösse", "lib/über/Größe.py"),
        ("u\u0308ber", "lib/über/"),  # composed or not
        ("a b", "a b.txt"),
        ("src", "src/"),
    ],
)
def test_the_best_is_first(query: str, first: str) -> None:
    assert best(query, paths=(*PATHS, "lib/über/"))[0] == first


def test_a_capital_letter_says_that_case_matters() -> None:
    assert "src/foobarista.ts" in best("foob")
    assert best("FooB") == ["src/FooBar.ts"]
    assert best("README") == ["README.md"]


def test_nothing_typed_lists_the_top_first_and_what_is_hidden_last() -> None:
    assert best("")[:5] == ["src/", "docs/", "a b.txt", "README.md", ".env"]


def test_what_was_used_comes_first_among_equals() -> None:
    assert best("app", "src/tui/app.py")[0] == "src/tui/app.py"
    assert best("", "docs/fuzzy/notes.md", "gone.md")[0] == "docs/fuzzy/notes.md"
    assert best("readme", "src/app.py")[0] == "README.md"  # it must match all the same


def test_nothing_fits() -> None:
    assert best("zzz") == []
    assert best("ppa.py/") == []
    assert fuzzy.search(fuzzy.corpus(()), "a") == ()


def test_the_name_is_worth_more_than_the_folders() -> None:
    paths = ("model/x/view.py", "a/b/my_model.py", "m/o/d/e/l.py")
    assert best("model", paths=paths)[:2] == ["a/b/my_model.py", "model/x/view.py"]


def test_an_exact_name_is_before_longer_ones() -> None:
    assert best("app", paths=("application.py", "x/y/app", "app.py"))[0] == "x/y/app"


def test_the_file_that_is_meant_is_before_tests_and_markers() -> None:
    paths = (
        *("cart.py.lock", "src/cart/__init__.py", "tests/test_cart.py", "node/cart.spec.ts"),
        *("cart_item.py", "src/shop/cart.py", "src/shop/discart.py", "cart.min.js"),
    )
    assert best("cart", paths=paths)[:2] == ["src/shop/cart.py", "cart_item.py"]
    assert best("crt", paths=paths)[:2] == ["cart_item.py", "src/shop/cart.py"]
    assert best("testcart", paths=paths)[0] == "tests/test_cart.py"
    assert best("cart.spec", paths=paths)[0] == "node/cart.spec.ts"
    assert best("init", paths=paths)[0] == "src/cart/__init__.py"
    assert best("cart.lock", paths=paths)[0] == "cart.py.lock"


def test_of_very_many_matches_those_whose_name_begins_so_are_not_lost() -> None:
    paths = (*(f"a{number}s/r{number}" for number in range(40_000)), "deep/deeper/deepest/sr.py")
    assert best("sr", paths=paths)[0] == "deep/deeper/deepest/sr.py"


def stepped(among: fuzzy.Corpus, query: str, before: fuzzy.Matches | None) -> fuzzy.Matches:
    now = fuzzy.begin(among, query, before)
    while not now.done:
        now = fuzzy.step(now)
    return now


LETTERS = st.text("abAB/_.é", min_size=1, max_size=8)


@given(st.lists(LETTERS, max_size=40, unique=True), LETTERS)
def test_typing_letter_by_letter_finds_what_the_whole_query_finds(
    paths: list[str], query: str
) -> None:
    among = fuzzy.corpus(paths)
    before = None
    for size in range(1, len(query) + 1):
        before = stepped(among, query[:size], before)
        alone = stepped(among, query[:size], None)
        assert (before.best, before.found) == (alone.best, alone.found)


@given(st.lists(LETTERS, max_size=40, unique=True), LETTERS)
def test_what_matches_holds_the_letters_in_order(paths: list[str], query: str) -> None:
    folds = query == query.lower()

    def holds(path: str) -> bool:
        letters = iter(fuzzy.fold(path) if folds else path)
        return all(letter in letters for letter in (fuzzy.fold(query) if folds else query))

    assert sorted(fuzzy.search(fuzzy.corpus(paths), query)) == sorted(filter(holds, paths))


def test_a_search_in_slices_looks_at_a_bounded_number_each() -> None:
    among = fuzzy.corpus(
        f"folder{number % 97}/file{number}.py" for number in range(3 * fuzzy.SLICE)
    )
    now, slices = fuzzy.begin(among, "9x"), 0
    while not now.done:
        left = len(now.left)
        now = fuzzy.step(now)
        slices += 1
        assert left - len(now.left) <= fuzzy.SLICE
    assert slices == 3
    assert now.best == ()


def test_the_engine_cannot_be_made_to_think_for_ever() -> None:
    among = fuzzy.corpus(["a_" * 2_000 + "x"])
    assert stepped(among, "a" * fuzzy.LONGEST, None).found == (0,)
    assert stepped(among, "a" * (fuzzy.LONGEST - 1) + "y", None).found == ()
