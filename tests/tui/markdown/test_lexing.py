"""Code line by line: the colours do not depend on where a streamed fence was cut, nor on what was
drawn before."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import (
    find_lexer_class_by_name,
    find_lexer_class_for_filename,
    get_lexer_by_name,
    get_lexer_for_filename,
)
from rich.cells import cell_len

from agent_tui.protocol.transcript import TextBlock, Transcript
from agent_tui.structures import lexing
from agent_tui.structures.lexing import State, Stepper, find_lexer, steps
from agent_tui.structures.markdown_stream import (
    FENCE_LINES,
    LOOK_BACK,
    LOOK_BACK_SIZE,
    MdStream,
    split,
)
from agent_tui.tui.markdown import code
from agent_tui.tui.markdown.code import highlight
from agent_tui.tui.markdown.lines import Line
from agent_tui.tui.markdown.render import render
from tests.campaigns import examples

BITS = {
    "python": (
        'def f(a: int) -> str:\n    """Says\n',
        'more\n    """\n',
        "x = 'a' + \"b\"  # c\n",
        "'''\n",
        "    g([1,\n",
        "import os, \\\n    sys\n",
        "@cached\nclass A:\n",
        "f'{x!r:>{w}} {y}'\n",
        "\n",
        "not a = string's\n",
        'r"""\n',
    ),
    "javascript": (
        "/* a\n * note\n",
        "*/ let x = 1;\n",
        "const s = `a ${b}\n",
        "c ${d + `e`} f`;\n",
        "// it's\n",
        "x = /re['/]/g;\n",
        "function* g() {\n",
        "}\n",
        "'open\n",
        "\n",
        "return <p>don't</p>\n",
        "/** @type */ f('a', \"b\")\n",
    ),
    "bash": (
        "cat <<EOF > f\n",
        "$x and 'text'\n",
        "EOF\n",
        "echo 'one\n",
        "two' \"three $(ls)\n",
        '"\n',
        "if [ -f x ]; then\n",
        "fi # don't\n",
        "<<-'END'\n",
        "END\n",
        "\n",
        "x=$((1 + 2)) ${y:-z}\n",
    ),
    "html": (
        "<!-- a\n",
        "note -->\n",
        "<script>\n",
        "let s = `a\n",
        "b`; /* c\n",
        "*/ if (a < b) f()\n",
        "</script>\n",
        "<style>\n",
        "p { color: red; } /* x\n",
        "*/</style>\n",
        '<a href="x\n',
        'y" id=z\n',
        ">text &amp; more</a>\n",
        "\n",
        "<!DOCTYPE\n html>\n",
        "<script>f()</script><b>\n",
    ),
}


@st.composite
def fences(draw: st.DrawFn) -> str:
    language = draw(st.sampled_from(sorted(BITS)))
    bits = draw(st.lists(st.sampled_from(BITS[language]), min_size=5, max_size=30))
    return f"```{language}\n" + "".join(bits) * draw(st.integers(1, 12)) + "```\n"


def drawn(text: str, lead: str = "", before: tuple[str, ...] = ()) -> tuple[Line, ...]:
    return render(text, 200, cell_len, lead=lead, before=before)


@settings(max_examples=examples(120), deadline=None)
@given(fences(), st.integers())
def test_a_fence_streamed_in_chunks_looks_as_it_does_at_once(text: str, seed: int) -> None:
    chance = random.Random(seed)
    stream, closed, position = MdStream(), list[Line](), 0
    while position < len(text):
        size = chance.choice((1, 3, 20, 200, 3000))
        pieces, stream = stream.feed(text[position : position + size])
        position += size
        closed += [line for p in pieces for line in drawn(p.text, p.lead, p.before)]
        live = drawn(stream.tail, stream.lead, stream.before) if stream.tail else ()
        if position < len(text) and text[min(position, len(text)) - 1] == "\n":
            assert (*closed, *live) == drawn(text[:position])
    closed += [line for p in stream.close() for line in drawn(p.text, p.lead, p.before)]
    assert tuple(closed) == drawn(text)


@settings(max_examples=examples(40), deadline=None)
@given(fences(), st.integers())
def test_a_piece_looks_the_same_whatever_was_drawn_before_it(text: str, seed: int) -> None:
    pieces = list(split(text))
    first = [drawn(p.text, p.lead, p.before) for p in pieces]
    for number in random.Random(seed).sample(range(len(pieces)), len(pieces)):
        code._kept.clear()
        highlight.cache_clear()
        assert (
            drawn(pieces[number].text, pieces[number].lead, pieces[number].before) == first[number]
        )


def looks(tokens: Iterable[tuple[object, str]]) -> list[tuple[str, str]]:
    return [
        (character, code._style_of(kind))
        for kind, value in tokens
        for character in value
        if character > " "
    ]


ALIKE = {
    "python": 'def f(a):\n    """Says\n    more\n    """\n    return f"{a!r}"  # so\n\n@x\nclass A(B):\n    y = 1.5\n',
    "javascript": "/* a\n * b\n */\nconst s = `x ${y +\n`z`} w`;\nlet r = /a'b/g; // c\n",
    "typescript": "interface A {\n  b?: string; /* c\n */\n}\n",
    "bash": "cat <<EOF\n$x 'a\nEOF\necho 'b\nc' \"d $(e)\nf\"\n# it's\n",
    "html": "<!-- a\n--><p class='x\ny'>\n<script>\nlet a = 1; /* b\n*/ c()\n</script>\n<style>p {\n a: b }</style>\n",
    "css": "/* a\nb */ p::x {\n  color: #fff;\n}\n",
    "c": "/* a\n b */\nstatic uint32_t x = 'c';\n#define A \\\n  1\n",
    "go": "var s = `a\nb`\n/* c\n*/ func f() {}\n",
    "rust": "/* a /* b\n*/ c */\nfn f<'a>() -> &'a str { \"x\ny\" }\n",
    "java": '/** a\n * b */\nclass A { String s = "c"; }\n',
    "php": "<?php\n/** a\n*/\n$x = <<<END\nb\nEND;\n?>\n<p>\n",
    "lua": "--[==[ a\nb ]==]\nlocal s = [[c\nd]]\nprint(s)\n",
    "sql": "/* a\nb */ SELECT 'x' FROM y;\n",
    "cmake": "#[[ a\nb ]]\nset(x 1)\n",
}


@pytest.mark.parametrize("language", ALIKE)
def test_line_by_line_gives_the_tokens_of_pygments(language: str) -> None:
    source = ALIKE[language]
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    stepper = steps(lexer)
    assert stepper is not None
    state, tokens = State(), list[tuple[object, str]]()
    for line in source.splitlines(keepends=True):
        found, state = stepper.line(line, state)
        tokens += found
    assert looks(tokens) == looks(lexer.get_tokens(source))


@pytest.mark.parametrize(
    "language", ["json", "yaml", "markdown", "make", "console", "html+php", "ruby"]
)
def test_lexers_that_cannot_be_stepped_are_used_as_they_are(language: str) -> None:
    assert steps(get_lexer_by_name(language)) is None
    assert (
        "".join(s.text for runs in highlight("a: [1, 2]\n", language) for s in runs) == "a: [1, 2]"
    )


def test_a_file_s_name_says_what_it_says_to_pygments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "pygments.lexers.find_plugin_lexers", list
    )  # it looks through all that is installed, each time
    for ending, name in lexing._endings().items():
        assert find_lexer_class_for_filename(f"a.{ending}") is find_lexer_class_by_name(name), (
            ending
        )
    assert type(find_lexer("a.h")) is type(get_lexer_for_filename("a.h"))
    assert find_lexer("a.nonesuch") is None


def test_a_docstring_that_crosses_a_cut_stays_a_string() -> None:
    text = (
        "```python\n"
        + "x = 1\n" * (FENCE_LINES - 5)
        + '"""\n'
        + "for words in it\n" * 9
        + '"""\nif x:\n    y\n```\n'
    )
    second = split(text)[1]
    styles = {
        s.style
        for line in drawn(second.text, second.lead, second.before)[:4]
        for s in line.segments[1:]
    }
    assert styles == {"code.string"}
    assert drawn(second.text, second.lead) != drawn(second.text, second.lead, second.before)


def test_what_precedes_is_without_the_indentation_of_the_fence() -> None:
    pieces = split("\n  ```python\n" + "  if x:\n      y\n" * FENCE_LINES + "  ```\n")
    assert pieces[1].before[0].startswith("if x:\n    y\nif")
    assert pieces[-1].before[0] == pieces[1].before[0]


def test_what_precedes_is_bounded() -> None:
    for line in ("x\n", "y" * 300 + "\n"):
        pieces = split("```py\n" + line * 20_000)
        assert max(len(piece.before) for piece in pieces) <= LOOK_BACK
        assert max(sum(map(len, piece.before)) for piece in pieces) <= LOOK_BACK_SIZE
        assert sum(not piece.before for piece in pieces) <= len(pieces) // 4


def test_a_fence_cut_at_its_very_end_leaves_no_empty_block() -> None:
    pieces = split("```py\n" + "x\n" * (FENCE_LINES - 1) + "```\nafter\n")
    assert [piece.text for piece in pieces[1:]] == ["```\n", "after\n"]
    assert drawn(pieces[1].text, pieces[1].lead, pieces[1].before) == ()


def test_the_transcript_hands_on_what_precedes() -> None:
    text = "```py\n" + "x = 1\n" * 100
    transcript = Transcript().stream_text(text, 0.0)
    rows, (live,) = list(transcript.rows), transcript.live()
    assert isinstance(live, TextBlock)
    assert isinstance(rows[0], TextBlock)
    assert live.before == (rows[0].text.removeprefix("```py\n"),)
    settled = list(transcript.settle(text, "", 0).rows)
    assert [b.before for b in settled if isinstance(b, TextBlock)] == [(), live.before]


def test_each_line_is_lexed_once_while_it_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of lines that the lexer gets, not a time: finished ones once, the unfinished one
    at each drawing."""
    lexed, stepped = list[int](), code._stepped

    def counted(stepper: Stepper, text: str, state: State) -> tuple[code.CodeLines, State]:
        lexed.append(text.count("\n") + 1)
        return stepped(stepper, text, state)

    monkeypatch.setattr(code, "_stepped", counted)
    text, drawings = "```go\n" + "x := `a` // b\n" * 500, 0
    stream = MdStream()
    for position in range(0, len(text), 40):
        pieces, stream = stream.feed(text[position : position + 40])
        for lead, source, before in [
            *((p.lead, p.text, p.before) for p in pieces),
            (stream.lead, stream.tail, stream.before),
        ]:
            drawn(source, lead, before)
            drawings += 1
    assert sum(lexed) <= 500 + 2 * drawings
