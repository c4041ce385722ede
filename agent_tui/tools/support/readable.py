"""What is to be read of a web page, as Markdown: its words, code and tables, without what stands
around them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

import bs4
import markdownify

from agent_tui.structures import late

MAX_CHARS: Final = 500_000
"""Of a page; what is behind them is not parsed."""
_AROUND: Final = (
    "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button",
    "iframe", "object", "embed", "svg", "canvas", "dialog",
)  # fmt: skip
_CONTENT: Final = ("main", "[role=main]", "article", "#content", "body")
"""Where the content of a page stands: the first of these that has most of its words."""
_MOST: Final = 0.4
"""Of the words of a page, which its content has at least."""
_BLANKS: Final = late.pattern(r"\n[ \t]*(?:\n[ \t]*){2,}")
_LANGUAGE: Final = late.pattern(r"(?:lang(?:uage)?|highlight|brush)[-_: ]+([\w+#]+)")


def is_page(media: str) -> bool:
    return media in ("text/html", "application/xhtml+xml")


def read_page(html: str, url: str) -> tuple[str, str]:
    """The title of a page, and what is to be read of it. Relative addresses in it are made whole by
    `url`."""
    soup = bs4.BeautifulSoup(html[:MAX_CHARS], "lxml")
    title = " ".join(soup.title.get_text().split()) if soup.title is not None else ""
    for tag in soup(_AROUND):
        tag.decompose()
    for tag in soup.select("[hidden], [aria-hidden=true]"):
        tag.decompose()
    for link in soup("a", href=True):
        href = str(link["href"])
        link["href"] = "" if href.startswith(("#", "javascript:")) else urljoin(url, href)
    for picture in soup("img"):
        picture.replace_with(str(picture.get("alt") or ""))
    try:
        text = _as_markdown(_content(soup))
    except RecursionError:  # nested deeper than any page is
        text = soup.get_text("\n")
    return title, _BLANKS.sub("\n\n", text).strip()


def _as_markdown(content: bs4.Tag) -> str:
    text: str = markdownify.MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["title"],
        code_language_callback=_language,
        escape_misc=False,
        escape_asterisks=False,
        escape_underscores=False,
    ).convert_soup(content)
    return text


def _content(soup: bs4.BeautifulSoup) -> bs4.Tag:
    whole = len(soup.get_text())
    for selector in _CONTENT:
        for found in soup.select(selector, limit=3):
            if len(found.get_text()) >= _MOST * whole:
                return found
    return soup


def _language(tag: bs4.Tag) -> str:
    """The language of a block of code, as highlighters write it in its classes."""
    around = [tag, *([tag.code] if tag.code is not None else []), *tag.parents]
    for one in around[:4]:
        for name in one.get("class") or ():
            if found := _LANGUAGE.fullmatch(str(name)):
                return found[1]
    return ""
