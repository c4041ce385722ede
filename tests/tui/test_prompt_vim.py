"""Vim's commands as values: text and caret in, keys, text and caret out; and any keys at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.tui.prompt.vim import press_key, settle_caret, span
from agent_tui.tui.prompt.vim_text import Done, Vim

NAMED = {"⎋": "escape", "⏎": "enter", "®": "ctrl+r", "⌫": "backspace"}


def play(text: str, keys: str) -> Done:
    """`|` marks the caret. Begins in normal mode; in insert mode, keys type themselves."""
    at = text.index("|")
    done = Done(Vim(mode="normal"), text.replace("|", "", 1), at)
    for key in keys:
        vim, text, at = done.vim, done.text, done.caret
        named = NAMED.get(key, key)
        done = press_key(vim, text, at, named)
        if done.way == "pass" and vim.mode == "insert":
            new = "\n" if named == "enter" else named
            done = Done(vim, text[:at] + new + text[at:], at + 1)
    return done


def after(text: str, keys: str) -> str:
    done = play(text, keys)
    return f"{done.text[: done.caret]}|{done.text[done.caret :]}"


@pytest.mark.parametrize(
    ("text", "keys", "shown"),
    [
        # motions
        ("|one two", "w", "one |two"),
        ("|one.two", "w", "one|.two"),
        ("|one.two x", "W", "one.two |x"),
        ("|one two", "e", "on|e two"),
        ("one tw|o", "b", "one |two"),
        ("one tw|o", "2b", "|one two"),
        ("|one two", "3l", "one| two"),
        ("one tw|o", "h", "one t|wo"),
        ("one tw|o", "0", "|one two"),
        ("  one tw|o", "^", "  |one two"),
        ("|one two", "$", "one tw|o"),
        ("a\nb\n|c", "gg", "|a\nb\nc"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|abcabc", "fc", "ab|cabc"),
        ("|abcabc", "2fc", "abcab|c"),
        ("|abcabc", "tc", "a|bcabc"),
        ("abcab|c", "Fa", "abc|abc"),
        ("abcab|c", "Ta", "abca|bc"),
        ("|abcabc", "fc;", "abcab|c"),
        ("|abcabc", "fc;,", "ab|cabc"),
        ("|abcabc", "tc;", "abca|bc"),
        ("|x", "fz", "|x"),
        ("|a(b)", "%", "a(b|)"),
        ("|漢字 かな", "w", "漢字 |かな"),
        ("|ab\ncd\nef", "2j", "ab\ncd\n|ef"),
        ("ab\n\n|cd", "{", "ab\n|\ncd"),
        # small changes
        ("|abc", "x", "|bc"),
        ("|abc", "2x", "|c"),
        ("ab|c", "X", "a|c"),
        ("a|bc", "D", "|a"),
        ("|abc", "rx", "|xbc"),
        ("|abc", "2rx", "x|xc"),
        ("|abc", "9rx", "|abc"),
        ("|aBc", "3~", "Ab|C"),
        ("|a\n  b", "J", "a| b"),
        ("|a\nb\nc", "3J", "a b| c"),
        ("|a", "J", "|a"),
        ("a|b", "r⏎", "a\n|"),
        # inserting
        ("a|b", "ix⎋", "a|xb"),
        ("a|b", "ax⎋", "ab|x"),
        ("  a|b", "Ix⎋", "  |xab"),
        ("|ab", "Ax⎋", "ab|x"),
        ("a|\nb", "ox⎋", "a\n|x\nb"),
        ("a\n|b", "Ox⎋", "a\n|x\nb"),
        ("|a", "3ix⎋", "xx|xa"),
        ("a|bc", "sx⎋", "a|xc"),
        ("a|bc\nd", "Sx⎋", "|x\nd"),
        ("a|bc", "Cx⎋", "a|x"),
        # operators
        ("|one two", "dw", "|two"),
        ("one |two", "dw", "one| "),
        ("|one\ntwo", "dw", "|\ntwo"),
        ("|a b c d", "d2w", "|c d"),
        ("|a b c d", "2dw", "|c d"),
        ("|one two", "cwx⎋", "|x two"),
        ("|one two", "de", "| two"),
        ("one tw|o", "db", "one |o"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\n|b", "dd", "|a"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a\nb\nc", "dG", "|"),
        ("a\nb\n|c", "dgg", "|"),
        ("|a\nb\nc", "dj", "|c"),
        ("a\n  |b\nc", "ccx⎋", "a\n|x\nc"),
        ("|abc", "d$", "|"),
        ("ab|c", "d0", "|c"),
        ("|a,b,c", "df,", "|b,c"),
        ("|a,b,c", "dt,", "|,b,c"),
        ("|a\nb", ">>", "    |a\nb"),
        ("        |a", "<<", "    |a"),
        ("|a\nb", ">j", "    |a\n    b"),
        ("|abc", "dl", "|bc"),
        ("a|(b c)d", "d%", "a|d"),
        # text objects
        ("one t|wo x", "diw", "one | x"),
        ("one t|wo x", "daw", "one |x"),
        ("one t|wo", "daw", "on|e"),
        ('a "b |c" d', 'di"', 'a "|" d'),
        ('a "b |c" d', 'da"', "a | d"),
        ("f(a, |b)", "di(", "f(|)"),
        ("f(a, |b)", "dab", "|f"),
        ("f(g(|a), b)", "d2i(", "f(|)"),
        ("x {|y}", "ci{z⎋", "x {|z}"),
        ("a [|b]", "ya]P", "a [b|][b]"),
        ("a\n\nb|\nc\n\nd", "dip", "a\n\n|\nd"),
        ("'|x'", "ci'y⎋", "'|y'"),
        ("|x", "di(", "|x"),
        # registers
        ("|one two", "yw$p", "one twoone| "),
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("|a\nb", "yyP", "|a\na\nb"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|ab", "xp", "b|a"),
        ("|ab", "ylp", "a|ab"),
        ("|a", "Y3p", "a\n|a\na\na"),
        ("|ab", "p", "|ab"),
        # again
        ("|a b c d", "dw.", "|c d"),
        ("|a b c", "cwx⎋w.", "x |x c"),
        ("|a\nb\nc", "dd.", "|c"),
        ("|a\nb", "Ax⎋2G.", "ax\nb|x"),
        ("|abcd", "x..", "|d"),
        ("|a", "ox⎋.", "a\nx\n|x"),
        ("|aa", "rb$.", "b|b"),
        ("|a\n\nb", ">>..", "            |a\n\nb"),
        # visual
        ("|one two", "ved", "| two"),
        ("|one two", "vey$p", "one twoon|e"),
        ("|a\nb\nc", "Vjd", "|c"),
        ("one t|wo x", "viwcq⎋", "one |q x"),
        ("|abc", "vlld", "|"),
        ("ab|c", "vhd", "|a"),
        ("|abc", "vlrx", "|xxc"),
        ("|abc", "vl~", "|ABc"),
        ("|ABc", "vlu", "|abc"),
        ("|abc", "vl⎋x", "a|c"),
        ("|a\nb", "VjJ", "a| b"),
        ("|a\nb", "Vj>", "    |a\n    b"),
        ("|abc", "vlohd", "|c"),
        ("|a b", "yiwwviwp", "a |a"),
        ("|ab", "vvx", "|b"),
        ("|a b", "vxp", " |ab"),
        # unfinished and unknown
        ("|abc", "d⎋x", "|bc"),
        ("|abc", "2⎋x", "|bc"),
        ("|abc", "dqx", "|bc"),
        ("|abc", "gqx", "|bc"),
        ("|a", "99999999999999l", "|a"),
    ],
)
def test_commands(text: str, keys: str, shown: str) -> None:
    assert after(text, keys) == shown


def test_what_the_prompt_does_by_itself_is_said() -> None:
    assert [play("|a", key).way for key in ("j", "k", "u", "®", "⎋", "⏎", "i⏎", "x")] == [
        "down",
        "up",
        "undo",
        "redo",
        "pass",
        "pass",
        "",
        "",
    ]
    assert play("|a", "i").vim.mode == "insert"
    assert play("|a", "v⎋").way == ""


def test_a_text_from_elsewhere_ends_a_selection() -> None:
    vim = play("|one", "vl").vim
    assert settle_caret(vim, "ab", 2) == (Vim(mode="normal", anchor=0, caret=1), 1)
    assert settle_caret(Vim(), "ab", 2) == (Vim(), 2)


KEYS = st.text(
    st.sampled_from("hjklwbeWBE0^$gGfFtT;,xXDCsSdcyYpPuriaoOIAJ~vV<>.%{}()\"'123 ⎋®⏎⌫é漢"),
    max_size=40,
)
TEXTS = st.text(st.sampled_from("ab ._(\"')\n\t漢か{}"), max_size=30)


@given(TEXTS, KEYS, st.integers(0, 30))
def test_any_keys_leave_a_text_and_a_caret_in_it(text: str, keys: str, at: int) -> None:
    at = settle_caret(Vim(mode="normal"), text, at)[1]
    done = play(f"{text[:at]}|{text[at:]}", keys)
    vim = done.vim
    assert 0 <= done.caret <= len(done.text)
    assert len(done.text) < 200_000
    if vim.mode == "normal" and done.way not in ("pass", "undo", "redo"):
        assert done.caret == settle_caret(vim, done.text, done.caret)[1]
    if vim.mode.startswith("visual"):
        first, last = span(vim, done.text)
        assert 0 <= first <= last <= len(done.text)


@pytest.mark.parametrize("key", ["/", ":"])
def test_on_an_empty_prompt_a_command_begins(key: str) -> None:
    done = play("|", key)
    assert (done.text, done.caret, done.vim.mode) == ("/", 1, "insert")
    assert play("|one", key).way == "elsewhere"
    assert play("|a/b", f"f{key}").text == "a/b"
