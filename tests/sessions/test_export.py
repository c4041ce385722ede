"""A session as a document: golden texts, and nothing that runs, hides or moves, whatever was said."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.present.displays import parts_of
from agent_tui.present.document import pieces_of
from agent_tui.present.markdown import fence_code
from agent_tui.protocol import display as d
from agent_tui.protocol.codec import load
from agent_tui.protocol.events import (
    AssistantReplied,
    Cleared,
    ErrorRaised,
    Event,
    Notice,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.sessions.export import FORMATS, Format, export, format_of
from tests.campaigns import examples

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</code></pre></details><b>",
    "\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGk=\x07",
    "\u202egnp.exe",
    "[x](javascript:alert(1))",
    "![p](https://evil.example/p.png)",
    "[d](data:text/html,<script>1</script>)",
    "````\n</details>\n````",
    "{{body}} {{title}}",
    "a\0b\x9b2J",
    "<javascript:x>",
    "a  \nb\\\n***",
    "&lt;script&gt;",
    "]]><!--",
    "```js\n</script>\n```",
    "[a]: https://e.org 'x\" onclick=\"y'\n[a]",
]
BAD = st.sampled_from(NASTY)
TEXT = st.one_of(
    st.text(max_size=60), BAD, st.tuples(st.text(max_size=9), BAD, st.text(max_size=9)).map("".join)
)
ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "main",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dl",
    "dt",
    "dd",
    "section",
    "small",
    "p",
    "pre",
    "code",
    "span",
    "details",
    "summary",
    "div",
    "a",
    "em",
    "strong",
    "s",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "br",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
ATTRIBUTES = {
    "class",
    "href",
    "title",
    "rel",
    "start",
    "style",
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
}
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]")


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.wrong: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        if tag not in ALLOWED:
            self.wrong.append(tag)
        if tag not in ("meta", "hr", "br"):
            self.open.append(tag)
        for name, value in attrs:
            safe = name in ATTRIBUTES and (
                name != "style" or re.fullmatch(r"text-align:\w+", value or "")
            )
            if not safe or (name == "href" and not re.match(r"(?i)https?:|mailto:", value or "")):
                self.wrong.append(f"{tag} {name}={value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # `<br />` opens nothing

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"comment {data}")


def displays(text: str) -> tuple[d.Display, ...]:
    """One of each kind, with `text` in every field that takes any."""
    return (
        d.TextDisplay(text),
        d.MarkdownDisplay(text),
        d.CodeDisplay(text, text, text),
        d.DiffDisplay(text, (d.Hunk(1, 1, (" " + text, "-" + text, "+" + text)),)),
        d.DiffsDisplay((d.DiffDisplay(text, (d.Hunk(1, 1, ("+" + text,)),)),) * 2),
        d.ListingDisplay(text, (d.Entry(text, "folder"), d.Entry(text)), 5),
        d.MatchesDisplay(text, (d.Match(text, 3, text),), 2),
        d.CommandDisplay(text, text, text, 1),
        d.TableDisplay((text, text), ((text, text),)),
        d.TodoDisplay((d.TodoItem(text, "active"),)),
        d.QuestionDisplay((d.AskedQuestion(text, (text, "b"), (text,)),)),
        d.PlanDisplay(text),
        d.ImageDisplay(text, 2, 2),
        d.AgentsDisplay((d.AgentStatus(text, text, text),)),
    )


def session(text: str) -> list[Event]:
    """A session with `text` wherever a text can be."""
    events: list[Event] = [
        SessionStarted(session=text, cwd=text, model=text),
        Notice(text, "warning", text),
        TurnStarted(prompt=text, skill=text, at=1e9, turn=1),
        StepStarted(step=1),
        AssistantReplied(text=text, reasoning=text),
    ]
    for number, shown in enumerate(displays(text)):
        events.append(ToolStarted(call_id=str(number), name=text, label=text, note=text))
        events.append(
            ToolEnded(
                call_id=str(number), name=text, label=text, content=text, display=shown, tag=text
            )
        )
    return [
        *events,
        ErrorRaised(text, hint=text),
        Cleared(),
        TurnEnded("error", 1_000),
        TextDelta(text),
    ]


SAMPLE: list[Event] = [
    SessionStarted(session="0b0e1c5a", cwd="/work/shop", model="ollama/a"),
    TurnStarted(prompt="Mend the *total*.", turn=1),
    StepStarted(step=1),
    AssistantReplied(
        text="I look:\n\n```python\nif a < b:\n    pass\n```\n\nThen **more**.",
        reasoning="Hm.",
        thinking_ms=1200,
    ),
    ToolStarted(call_id="1", name="edit_file", label="Edit total.py"),
    ToolEnded(
        call_id="1",
        name="edit_file",
        label="Edit total.py",
        content="ok",
        duration_ms=300,
        display=d.DiffDisplay("total.py", (d.Hunk(3, 3, (" a", "-b", "+c")),), 1, 1),
    ),
    ToolStarted(call_id="2", name="run_shell_command", label="Run make"),
    ToolEnded(
        call_id="2",
        name="run_shell_command",
        label="Run make",
        content="no",
        tag="command_failed",
        display=d.CommandDisplay("make", "/work/shop", "no rule\n", 2),
    ),
    TurnEnded("completed", 4_000, 1),
]
MARKDOWN = """\
# Mend the \\*total\\*.

- session: `0b0e1c5a`
- model: `ollama/a`
- folder: `/work/shop`

## You

Mend the *total*.

<details><summary>Thinking — 1.2 s</summary>

```markdown
Hm.
```

</details>

## Agent

I look:

```python
if a < b:
    pass
```

Then **more**.

<details><summary>Edit total.py — done · 0.3 s</summary>

```diff
--- a/total.py
+++ b/total.py
@@ -3,2 +3,2 @@
 a
-b
+c
```

</details>

<details><summary>Run make — command\\_failed</summary>

```bash
make
```

```
no rule
exit code 2
```

</details>

*4.0 s*
"""


def test_markdown_is_the_source_again() -> None:
    assert export(SAMPLE, "md") == MARKDOWN


def test_html_is_one_file_in_light_and_dark() -> None:
    page = export(SAMPLE, "html")
    assert '<section class="person"><h2>You</h2>\n<p>Mend the <em>total</em>.</p>' in page
    assert (
        '<code class="language-python"><span class="k">if</span> <span class="n">a</span>' in page
    )
    assert (
        '<details class="tool bad"><summary>Run make <small>command_failed</small></summary>'
        in page
    )
    assert '<span class="gd">-b</span>\n<span class="gi">+c</span>' in page
    assert page.count("prefers-color-scheme: dark") == 3
    assert re.search(r"code \.gi \{ color: var\(--good\); \}\s*</style>", page), "in both"
    assert "default-src 'none'" in page
    assert not re.search(r"(?i)<script|<link|<img|@import|url\(|src=", page)


def test_json_is_every_record_and_comes_back() -> None:
    found = json.loads(export(SAMPLE, "json"))
    assert found["format"] == "agent-tui/1"
    assert [load(event) for event in found["events"]] == SAMPLE


def test_an_answer_that_was_drawn_in_pieces_is_one() -> None:
    text = (
        "# A\n\n"
        + "\n\n".join(f"Paragraph {n}." for n in range(50))
        + "\n\n```py\n"
        + "x = 1\n" * 500
        + "```"
    )
    document = export(
        [TurnStarted(prompt="p"), StepStarted(step=1), AssistantReplied(text=text)], "md"
    )
    assert text in document
    assert document.count("## Agent") == 1


def test_every_display_is_told() -> None:
    kinds = [type(shown) for shown in displays("word")]
    assert set(kinds) == set(get_args(d.Display))
    for shown in displays("word"):
        assert any("word" in piece.text for piece in pieces_of(parts_of(shown))), type(shown)


@pytest.mark.parametrize("text", NASTY)
def test_nothing_nasty_gets_out(text: str) -> None:
    check(session(text))


@given(TEXT)
@settings(max_examples=examples(60), deadline=None)
def test_no_text_is_markup_of_ours(text: str) -> None:
    check(session(text))


def check(events: list[Event]) -> None:
    for form in FORMATS:
        document = export(events, form)
        assert not RAW.search(document), (form, RAW.search(document))
        document.encode("utf-8")
    tags = Tags()
    tags.feed(export(events, "html"))
    tags.close()
    assert tags.wrong == []
    assert tags.open == []
    assert json.loads(export(events, "json"))["events"]


@pytest.mark.parametrize("form", ["md", "html"])
def test_writing_and_pictures_stay_as_they_were_written(form: Format) -> None:
    """What a screen draws apart, or in cells of its own, is no change to the words of a document."""
    words = "हिन्दी 👩\u200d💻 ⚠\ufe0f 🇩🇪 👍🏽"
    events: list[Event] = [TurnStarted(prompt=f"p {words}"), AssistantReplied(text=f"a {words}\n")]
    shown = d.CommandDisplay("make", output=f"10 %\r100 % {words}\r\n")
    events.append(ToolEnded("1", "run", "Run", "", display=shown))
    document = export(events, form)
    assert all(f"{before} {words}" in document for before in ("p", "a", "100 %"))
    assert "10 %\n" not in document, "a progress bar is its last state"


@given(st.text(alphabet="`~a\n ", max_size=40))
@settings(deadline=None)
def test_a_fence_ends_where_it_should(text: str) -> None:
    first, *_, last = fence_code(text).split("\n")
    assert first == last
    assert not any(
        re.fullmatch(r" {0,3}" + first + "`* *", line)
        for line in fence_code(text).split("\n")[1:-1]
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_long_one_can_be_given_up(form: Format) -> None:
    left = iter(range(20))

    def check() -> None:
        if next(left, None) is None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        export(session("text") * 10, form, check)


def test_the_format_is_known_by_the_suffix() -> None:
    known: dict[str, Format | None] = {
        ".md": "md",
        ".HTML": "html",
        ".htm": "html",
        ".json": "json",
        ".txt": None,
    }
    assert {suffix: format_of(suffix) for suffix in known} == known


def tree() -> list[Event]:
    """A call that started an agent, which has an agent of its own."""
    call = ToolStarted(call_id="c", name="task", label="task look")
    told = [
        SessionStarted(session="s"),
        TurnStarted(turn=1, prompt="split it"),
        StepStarted(step=1),
        call,
    ]
    for agent, text in (("one", "found <b>"), ("one/deep", "deeper")):
        child: list[Event] = [
            TurnStarted(turn=1, prompt=f"task of {agent}"),
            StepStarted(step=1),
            AssistantReplied(text=text),
            call,
        ]
        told += [replace(event, agent=agent, parent_call="c") for event in child]
    done = TurnEnded(state="completed", steps=1)
    told += [
        replace(done, agent="one/deep", parent_call="c"),
        replace(done, agent="one", parent_call="c"),
    ]
    return [*told, ToolEnded(call_id="c", name="task", label="task look", content="ok"), done]


def test_what_agents_did_is_folded_in_their_call() -> None:
    html = export(tree(), "html")
    assert html.index("<summary>task look") < html.index(
        'class="agent"><summary>one <small>done · 1 step'
    )
    assert html.index("found &lt;b&gt;") < html.index("<summary>one/deep") < html.index("deeper")
    assert html.count("<h2>You") == 1 and html.count("<h2>Task") == 2
    markdown = export(tree(), "md")
    assert markdown.count("<details>") == markdown.count("</details>") == 5
    assert markdown.count("## You") == 1 and markdown.index("task of one") < markdown.index(
        "deeper"
    )
    records = json.loads(export(tree(), "json"))["events"]
    assert [load(record) for record in records] == tree()
