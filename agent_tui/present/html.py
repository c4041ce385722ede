"""A session as one HTML file that needs nothing else: no script, no picture, no font, light or dark
as its reader is.

Everything is escaped; markup comes only from here and from markdown-it with HTML switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from typing import Any, Final, assert_never

from agent_tui.present.document import (
    Code,
    Folded,
    Piece,
    Prose,
    Remark,
    Section,
    Speech,
    facts,
    title,
)
from agent_tui.present.page_style import BODY, END, HEAD, STYLE
from agent_tui.protocol.transcript import Transcript

LINKS: Final = ("http:", "https:", "mailto:")
"""Beginnings of addresses that become links; others stay text."""
LONGEST: Final = 200_000
"""Characters of code beyond which it is not highlighted."""
_NAMES: Final = {"person": "You", "agent": "Agent", "task": "Task"}


def html(transcript: Transcript, sections: Iterable[Section]) -> str:
    """The whole document."""
    render, highlight = _renderer(), _highlighter()
    about = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts(transcript)
    )
    body = "\n".join(_section(section, render, highlight) for section in sections)
    name = escape(title(transcript))
    content = f"<header><h1>{name}</h1><dl>{about}</dl></header>\n<main>\n{body}\n</main>"
    return "".join((HEAD, name, STYLE, colours(), BODY, content, END))


Render = Callable[[str], str]
Highlight = Callable[[str, str], str]


def _section(section: Section, render: Render, highlight: Highlight) -> str:
    match section:
        case Speech():
            said = " · ".join(word for word in (section.at, section.note) if word)
            when = f" <small>{escape(said)}</small>" if said else ""
            head = f"<h2>{_NAMES[section.who]}{when}</h2>"
            return f'<section class="{section.who}">{head}\n{render(section.text)}</section>'
        case Folded():
            pieces = (_piece(piece, render, highlight) for piece in section.pieces)
            below = (_section(one, render, highlight) for one in section.sections)
            inside = "\n".join((*pieces, *below))
            look = f"{section.kind}{'' if section.good else ' bad'}"
            outcome = f" <small>{escape(section.outcome)}</small>" if section.outcome else ""
            return f'<details class="{look}"><summary>{escape(section.label)}{outcome}</summary>\n{inside}\n</details>'
        case Remark():
            return _remark(section)
        case _:
            assert_never(section)


def _piece(piece: Piece, render: Render, highlight: Highlight) -> str:
    match piece:
        case Code():
            return (
                f"<pre><code>{highlight(piece.text, piece.language)}</code></pre>"
                if piece.text
                else ""
            )
        case Prose():
            return f"<div>{render(piece.text)}</div>"
        case Remark():
            return _remark(piece)
        case _:
            assert_never(piece)


def _remark(remark: Remark) -> str:
    return f'<p class="remark {remark.tone}">{escape(remark.text)}</p>'


def _renderer() -> Render:
    """Markdown to HTML: CommonMark with tables and strike, no HTML of its own, no pictures (they
    would be fetched)."""
    from markdown_it import MarkdownIt

    highlight = _highlighter()
    parser = MarkdownIt(
        "commonmark", {"html": False, "highlight": lambda code, language, _: highlight(code, language)}
    ).enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])  # fmt: skip
    parser.validateLink = lambda url: url.strip().lower().startswith(LINKS)  # type: ignore[method-assign]
    parser.add_render_rule("link_open", _link_open)

    def render(text: str) -> str:
        return str(parser.render(text))

    return render


def _link_open(renderer: Any, tokens: Sequence[Any], index: int, options: Any, _: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return str(renderer.renderToken(tokens, index, options, {}))


@cache
def _highlighter() -> Highlight:
    """Code to escaped spans, by the name of a language or of a file."""
    from pygments import highlight as highlighted
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    formatter = HtmlFormatter(nowrap=True)

    def highlight(code: str, language: str) -> str:
        if not language or len(code) > LONGEST:
            return escape(code)
        find = get_lexer_for_filename if "." in language else get_lexer_by_name
        try:
            lexer = find(language, stripnl=False)
        except ClassNotFound:
            return escape(code)
        return str(highlighted(code, lexer, formatter))

    return highlight


def colours() -> str:
    """The style sheet of highlighted code, for light and for dark."""
    from pygments.formatters import HtmlFormatter

    light, dark = (_rules(HtmlFormatter(style=style)) for style in ("default", "github-dark"))
    return (
        f"@media not all and (prefers-color-scheme: dark) {{\n{light}\n}}\n"
        f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    )


def _rules(formatter: Any) -> str:
    """Only what is said of tokens: the page has its own background."""
    sheet = str(formatter.get_style_defs("code"))
    return "\n".join(
        line for line in sheet.split("\n") if line.startswith("code .") and "background" not in line
    )
