"""A session as one HTML file that needs nothing else: no script, no picture, no font, light or dark
as its reader is.

Everything is escaped; markup comes only from here and from markdown-it with HTML switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Final, assert_never

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
from agent_tui.protocol.transcript import Transcript

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

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
    parser = (
        MarkdownIt(
            "commonmark",
            {"html": False, "highlight": lambda code, language, _: highlight(code, language)},
        )
        .enable(["table", "strikethrough"])
        .disable(["image", "html_block", "html_inline"])
    )
    parser.validateLink = lambda url: url.strip().lower().startswith(LINKS)  # type: ignore[method-assign]
    parser.add_render_rule("link_open", _link_open)

    def render(text: str) -> str:
        return str(parser.render(text))

    return render


def _link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _: object
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, index, options, {})


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


HEAD: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>"""
STYLE: Final = """\
</title>
<style>
:root { color-scheme: light dark; --text: #1f2328; --dim: #656d76; --ground: #ffffff; --raised: #f3f5f8;
  --line: #d5dae1; --accent: #0a5cc2; --bad: #b3261e; --good: #1a6b2f; --warning: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #d8dce2; --dim: #949ba6; --ground: #14171c; --raised: #1d2128;
  --line: #333a45; --accent: #79b0ff; --bad: #ff8a80; --good: #7fd48f; --warning: #e8b866; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; }
h2 { font-size: 1rem; margin: 0 0 .4rem; color: var(--accent); }
header { border-bottom: 1px solid var(--line); margin-bottom: 2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); font-size: .9rem; }
dd { margin: 0; }
small { color: var(--dim); font-weight: normal; }
section { margin: 1.5rem 0; }
section.person { border-left: 3px solid var(--accent); padding-left: 1rem; }
section h1, section h3, section h4 { line-height: 1.3; }
a { color: var(--accent); }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto;
  font-size: .875rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
pre code { font-size: inherit; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; }
summary { cursor: pointer; }
details.bad > summary { color: var(--bad); }
.remark { color: var(--dim); font-size: .9rem; }
.remark.warning { color: var(--warning); }
.remark.error { color: var(--bad); }
"""
BODY: Final = """
code .gd { color: var(--bad); }
code .gi { color: var(--good); }
</style>
</head>
<body>
"""
END: Final = """
</body>
</html>
"""
