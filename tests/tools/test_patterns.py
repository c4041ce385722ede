"""Expressions that end whatever they are, find what Python's find, and say what is not to be had."""

from __future__ import annotations

import re
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.tools.base import ToolFailure
from agent_tui.tools.support.expression import Expression, readings

ENDLESS = (
    r"(a+)+$",
    r"(a|a)*b",
    r"(.*a){20}",
    r"([a-z]+)*x",
    r"(x+x+)+y",
    r"((a+b)+c)+",
    r"(?:\w+\s*)+x",
    r"(a{1,9}){1,9}b",
    r"(a?){40}b",
    r"(\w|\d)+x",
    r"(a|ab|b)*c",
    r"(?:a*)*b",
    r"(?P<x>a+)+b",
    r"(?i:(a+)+)b",
    r"a?" * 30 + "a" * 30,
    r"(\s+|,)*x",
    r"(.+)+[)]",
    r"(?:a|(b+)+)c",
    r"(|a)+b",
    r"([^,]*,?)*x",
    r".*.*.*.*x",
    r".*a.*a.*a.*b",
    r"\w*\d*\w*\d*x",
    r"(?i)s.*s.*s.*s.*x",
)
"""Python's own might take years for them."""
USUAL = (
    r"foo",
    r"def \w+\(",
    r"(\w+\.)+\w+",
    r"(\d{1,3}\.){3}\d{1,3}",
    r'"(?:[^"\\]|\\.)*"',
    r"TODO|FIXME|XXX",
    r"^\s*#.*$",
    r"^import .*from .*react",
    r"class\s+(\w+)\s*\(",
    r"(foo|bar)+x",
    r"(\w+\s*,\s*)+x",
    r"\bself\.\w+\b",
    r"[\])}]+",
    r"a{2,}b",
    r"(?i)error: .*",
    r"\w+@\w+\.com",
    r"[]^-]x",
    r"x{}y",
    r"\x41\u00e9\t",
    r"\s+$",
    r"\Aself",
    r"\)\Z",
    r"a{,2}b",
    r"[a[]b",
    r"[^\n]+:",
    r"\W\w\W",
    r"\S+\D\d",
    r"(?i:HOST)\.",
    r"\+?\d+\/?",
    r"[\w.-]+@",
    r"(?i)select\s+.*\s+from\s+.*\s+where",
    r"(\w+\s*)+\(",
    r"[\d\s]+",
    r"[^\s,]+",
    r"\U0001F600|é\t",
    r"\bété|\w{3}",
)
LINES = (
    "a" * 6000,
    "a," * 3000,
    "(" * 5000,
    "def (" * 1200,
    " " * 5000 + "x",
    "ab" * 3000,
    "0.0" * 1500,
    '"\\' * 2500,
    "import from react" * 300,
    "class a " * 700,
    "a@" * 3000,
    "a = " * 1500,
    "a.b" * 2000,
    "x" * 40,
    "a" * 30,
    "",
    "ſ" * 4000,
)
TEXTS = (
    "foo",
    "def name(x):",
    "a.b.c",
    "10.0.0.255",
    'say "a\\"b" x',
    "# TODO: this",
    "import a from 'react'",
    "class A (B):",
    "foobarx",
    "a , b,c,x",
    "self.name",
    "])}",
    "aab",
    "ERROR: no",
    "me@host.com",
    "x(",
    "'quoted'",
    "^x",
    "x{}y",
    "Aé\t",
    "aa",
    "",
    "nothing of it",
    "SELECT a FROM b WHERE c",
    "été à Genève",
    "٣٤ ½",
    "a\u00a0b\u2003c",
    "Ü_1@x",
    "😀 :",
    "a[b",
    "\u0663 \x1c9",
)


@pytest.mark.parametrize("pattern", (*USUAL, *ENDLESS))
def test_they_find_what_those_of_python_find(pattern: str) -> None:
    expression = Expression(pattern)
    for text in TEXTS if pattern in USUAL else (text for text in TEXTS if len(text) < 12):
        match = re.search(pattern, text)
        assert expression.search(text) == (match.span() if match else None), text


@given(st.text(alphabet="a١_ é\u2003\v\x1f½😀-", max_size=6), st.sampled_from(list("wWsSdD")))
def test_sets_of_characters_are_those_of_python(text: str, name: str) -> None:
    for pattern in (rf"\{name}+", *([rf"[-\{name}]+", rf"[^\{name}-]+"] if name in "wsdD" else [])):
        match = re.search(pattern, text)
        assert Expression(pattern).search(text) == (match.span() if match else None)


def test_nothing_takes_long() -> None:
    """Each of them takes a time in proportion to the text: ten times as much of it, not a thousand
    times the time."""

    def seconds(size: int) -> float:
        began = thread_time()
        for pattern in (*USUAL, *ENDLESS):
            expression = Expression(pattern)
            for line in LINES:
                expression.search((line * size)[: len(line) * size])
        return thread_time() - began

    seconds(1)
    assert seconds(10) < 100 * seconds(1)


def test_a_match_stays_in_its_line() -> None:
    for pattern in (r"a\sb", r"a[^x]b", r"(?s)a.b", r"a[\n]b", r"a\W*b", r"a\D?b"):
        assert Expression(pattern).search("a\nb") is None, pattern
    for pattern, span in ((r"^b", (2, 3)), (r"a$", (0, 1)), (r"\Ab", (2, 3)), (r"a\Z", (0, 1))):
        assert Expression(pattern).search("a\nb") == span, pattern


def test_case_can_be_ignored() -> None:
    assert Expression("É", ignore_case=True).search("xé") == (1, 2)
    assert Expression("É").search("xé") is None


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("foo(", r"to find just this text, write foo\\\("),
        ("[", "not a regular expression"),
        ("", "is empty"),
        (r"a\nb", "one by one"),
        ("a\nb", "one by one"),
        ("(?x) a b", r"\(\?x"),
        (r"(a)?(?(1)b|c)", r"\(\?\("),
        (r"\N{DIGIT ONE}", "not a regular expression"),
        (r"(?<=a+)b", "no lookarounds"),
        (r"(?<!\w)x(?=\()", r"no lookarounds.*\(\?<!"),
        (r"(['\"]).*?\1", r"no backreferences.*\\1"),
        ("((?P<n>a)(?P=n))", "no backreferences"),
        ("(?:a++)+b", r"\+\+"),
        ("(((a{100}){100}){100})", "not a regular expression"),
        ("\ud800", "surrogates"),
        ("(?>a)", r"\(\?>"),
    ],
)
def test_what_cannot_be_used_says_why_in_one_line(pattern: str, said: str) -> None:
    with pytest.raises(ToolFailure, match=said) as failure:
        Expression(pattern)
    assert failure.value.tag == "invalid_arguments"
    assert "\n" not in str(failure.value).replace(pattern, "").replace(re.escape(pattern), "")


def test_within_a_set_what_is_no_part_of_a_word_is_all_but_ascii() -> None:
    assert Expression(r"[^\W\d]+").search("été_a") == (1, 2)  # Python: all of it
    assert Expression(r"[\W]").search("é") == (0, 1)  # Python: none of it


def test_the_edge_of_a_word_is_that_of_ascii_and_that_is_known() -> None:
    assert Expression(r"\bété\b").search("été") is None
    assert Expression(r"\bété\b").ascii_edges
    assert not Expression("été").ascii_edges and not Expression(r"\bete\b").ascii_edges


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("needle", "needle"),
        ("a-b c", "a-b c"),
        ("a|b", ""),
        ("(?i)needle", ""),
        ("x?y", ""),
        (r"a\.b", ""),
    ],
)
def test_the_text_that_every_match_holds(pattern: str, required: str) -> None:
    assert Expression(pattern).required == required
    assert Expression(pattern, ignore_case=True).required == ""


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        ("[[:alpha:]]+", "1ab2", (1, 3)),
        ("[^[:space:][:digit:]]", " 1x", (2, 3)),
        ("[[:^digit:]]+", "1ab", (1, 3)),
        (r"\p{Lu}", "aB", (1, 2)),
        (r"\p{^Lu}", "Ba", (1, 2)),
        (r"\p{Letter}\P{L}", "1a1", (1, 3)),
        (r"[\p{Uppercase_Letter}_]", "a_", (1, 2)),
        (r"\p{Script=Greek}", "aβ", (1, 2)),
        (r"\p{IsCyrillic}", "aж", (1, 2)),
        ("(?<name>a)", "ba", (1, 2)),
        (r"\Qa.b\E+", "axb a.bb", (4, 8)),
        (r"\Qa.b", "axb a.b", (4, 7)),
        (r"\h+x", "a \tx", (1, 4)),
        (r"\u{e9}", "xé", (1, 2)),
        (r"a(?#why)b", "ab", (0, 2)),
        (r"foo\n", "a foo", (2, 5)),
        (r"x\\n", r"x\n", (0, 3)),
        (r"[a\|b]", "|", (0, 1)),
        (r"\e\[0m", "\x1b[0m", (0, 4)),
    ],
)
def test_what_other_dialects_write_is_understood(
    pattern: str, text: str, span: tuple[int, int]
) -> None:
    assert Expression(pattern).search(text) == span


@pytest.mark.parametrize(
    ("pattern", "others"),
    [
        (r"a\|b", ["a|b"]),
        (r"a\\|b", []),
        (r"a\\\|b", [r"a\\|b"]),
        (r"\<w\>", [r"\bw\b"]),
        (r"C\+\+\|Java", [r"C\+\+|Java"]),
        (r"f\(\) \| g\(\)", [r"f\(\) | g\(\)"]),
        (r"foo\(", []),
        ("a|b", []),
    ],
)
def test_how_else_a_pattern_may_be_meant(pattern: str, others: list[str]) -> None:
    assert readings(pattern)[:1] == others[:1]
