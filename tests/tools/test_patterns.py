"""Expressions whose cost is known: what is refused, what is taken, and that the taken ones end."""

from __future__ import annotations

import re

import pytest

from agent_tui.tools._patterns import Expression
from agent_tui.tools.base import ToolFailure

ENDLESS = (
    r"(a+)+$", r"(a|a)*b", r"(.*a){20}", r"([a-z]+)*x", r"(x+x+)+y", r"((a+b)+c)+", r"(?:\w+\s*)+x", r"(a{1,9}){1,9}b",
    r"(a?){40}b", r"(\w|\d)+x", r"(a|ab|b)*c", r"(?:a*)*b", r"(?P<x>a+)+b", r"(?i:(a+)+)b", r"a?" * 30 + "a" * 30,
    r"(?=(a+)+)b", r"(?>(a+)+b)", r"(\s+|,)*x", r"(.+)+[)]", r"(?:a|(b+)+)c", r"(|a)+b", r"([^,]*,?)*x",
)  # fmt: skip
USUAL = (
    r"foo", r"def \w+\(", r"(\w+\.)+\w+", r"(\d{1,3}\.){3}\d{1,3}", r'"(?:[^"\\]|\\.)*"', r"TODO|FIXME|XXX",
    r"^\s*#.*$", r"^import .*from .*react", r"class\s+(\w+)\s*\(", r"(foo|bar)+x", r"(\w+\s*,\s*)+x", r"\bself\.\w+\b",
    r"[\])}]+", r"a{2,}b", r"(?i)error: .*", r"(?:a++)+b", r"\w+@\w+\.com", r"(?<!\w)x(?=\()", r"(['\"]).*?\1",
    r"[]^-]x", r"x{}y", r"\x41\u00e9\t", r"(?#note)a", r"((?P<n>a)(?P=n))",
)  # fmt: skip
LINES = (
    "a" * 6000, "a," * 3000, "(" * 5000, "def (" * 1200, " " * 5000 + "x", "ab" * 3000, "0.0" * 1500, '"\\' * 2500,
    "import from react" * 300, "class a " * 700, "a@" * 3000, "a = " * 1500, "a.b" * 2000, "x" * 40, "a" * 30, "",
)  # fmt: skip


@pytest.mark.parametrize("pattern", ENDLESS)
def test_what_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(ToolFailure, match="could run for ever") as failure:
        Expression(pattern)
    assert failure.value.tag == "invalid_arguments"


@pytest.mark.parametrize("pattern", USUAL)
def test_usual_expressions_find_what_re_finds(pattern: str) -> None:
    texts = (
        "foo", "def name(x):", "a.b.c", "10.0.0.255", 'say "a\\"b" x', "# TODO: this", "import a from 'react'",
        "class A (B):", "foobarx", "a , b,c,x", "self.name", "])}", "aab", "ERROR: no", "me@host.com", "x(", "'quoted'",
        "^x", "x{}y", "Aé\t", "aa", "", "nothing of it",
    )  # fmt: skip
    expression = Expression(pattern)
    for text in texts:
        match = re.search(pattern, text)
        assert expression.search(text) == (match.span() if match else None), text
        assert match is None or expression.required in text
    assert expression.cut == 0


@pytest.mark.parametrize("pattern", (*USUAL, r".*.*.*.*x", r".*a.*a.*a.*b", r"\s+$", r"\w*\d*\w*\d*x", r"(.+)\1"))
def test_they_end_on_lines_made_to_take_long(pattern: str) -> None:
    expression = Expression(pattern)
    found = [expression.search(line) for line in LINES]
    assert len(found) == len(LINES)


def test_a_long_line_is_searched_only_as_far_as_can_be_afforded_and_that_is_counted() -> None:
    expression = Expression(r".*a.*a.*a.*b")
    assert expression.search("a" * 5000 + "b") is None
    assert expression.cut == 1
    assert expression.search("x" * 3000 + "aaab") == (0, 3004)  # long, but there is not much to try
    assert expression.cut == 1


def test_ignoring_case_counts_every_form_of_a_letter() -> None:
    expression = Expression(r"s.*s.*s.*s.*x", ignore_case=True)
    assert expression.required == ""
    assert expression.search("ſ" * 4000) is None
    assert expression.cut == 1


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("foo(", r"to find just this text, write foo\\\("), ("[", "not a regular expression"), ("", "is empty"),
        (r"a\nb", "line by line|one by one"), ("(?x) a b", "flag x"), (r"(a)?(?(1)b|c)", "conditions"),
        ("(" * 5000 + ")" * 5000, "not a regular expression"), (r"(?<=a+)b", "not a regular expression"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_says_why(pattern: str, said: str) -> None:
    with pytest.raises(ToolFailure, match=said) as failure:
        Expression(pattern)
    assert failure.value.tag == "invalid_arguments"


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("needle", "needle"), (r"def \w+\(self", "(self"), ("a|b", ""), ("(?i)needle", ""), ("need(le)?", "need"),
        ("x?needles*", "needle"), (r"\bfoo\b", "foo"), (r"a.b", "a"), (r"(foo)bar", "foobar"), (r"ab{0}c", "a"),
        (r"\x41", ""), (r"a\.b", "a.b"), (r"\ba\Z", "a"), (r"(?!foo)bar", "bar"), (r"ab+c", "ab"),
    ],
)  # fmt: skip
def test_the_text_that_every_match_holds(pattern: str, required: str) -> None:
    assert Expression(pattern).required == required
