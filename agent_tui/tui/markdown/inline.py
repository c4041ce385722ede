"""Inline Markdown (emphasis, code, links, images) to runs of styled text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agent_tui.structures import late
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.lines import Meta, Segment, file_runs

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPENED: Final = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike"}
_CLOSED: Final = {"strong_close": "strong", "em_close": "emphasis", "s_close": "strike"}
_SAFE: Final = late.pattern(r"(?:https?://|mailto:)", re.IGNORECASE)
_BARE: Final = late.pattern(
    r"https?://[^\s<>\"'`\\|{}\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    # what nobody sees ends it
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]+",
    re.IGNORECASE,
)
_HOST_LIKE: Final = late.pattern(
    r"(?:[a-z][a-z0-9+.-]*:/*)?(?:[^/?#@\s]*@)?((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE
)


FLAT: Final = 20_000
"""Characters of one paragraph; the pieces of an answer are shorter, and no name or label needs as
many."""


def flatten(text: str) -> str:
    """`text` harmless and without line ends or tabs, for one paragraph."""
    if len(text) > FLAT:
        text = f"{text[:FLAT]} … {len(text) - FLAT:,} more characters"
    return visible(text).replace("\n", " ").replace("\t", " ")


def safe_link(address: str) -> Meta | None:
    """Meta of a link that may be followed; None for any other scheme."""
    return (("href", visible(address)),) if _SAFE.match(address) else None


def bare_addresses(text: str) -> Iterator[tuple[int, str]]:
    """The addresses that `text` says as they are, without what only ends a sentence; each with
    where it begins."""
    for found in _BARE.finditer(text):
        address = found.group().rstrip(".,;:!?*_~")
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1]
        yield found.start(), address


class Runs:
    """Collects the runs of one inline token; `paragraphs` are its lines between hard breaks."""

    def __init__(self, base: str = "") -> None:
        self.paragraphs: list[list[Segment]] = [[]]
        self._styles: list[str] = [base] if base else []
        self._links: list[tuple[str, int]] = []
        self._meta: Meta | None = None

    def take(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "text":
                self._plain(token.content)
            elif kind == "softbreak":
                self._add(" ")
            elif kind == "hardbreak":
                self.paragraphs.append([])
            elif kind == "code_inline":
                self._name_files(flatten(token.content), "code")
            elif kind in _OPENED:
                self._styles.append(_OPENED[kind])
            elif kind in _CLOSED:
                self._drop(_CLOSED[kind])
            elif kind == "link_open":
                self._open_link(str(token.attrGet("href") or ""))
            elif kind == "link_close":
                self._close_link()
            elif kind == "image":
                self._image(token)
            else:
                self._add(flatten(token.content), "html" if kind == "html_inline" else "")

    def _add(self, text: str, style: str = "") -> None:
        if text:
            names = (*self._styles, style) if style else self._styles
            self.paragraphs[-1].append(Segment(text, " ".join(names), self._meta))

    def _name_files(self, text: str, style: str = "") -> None:
        """Add `text`; what in it may name a file says so, unless all of it is a link."""
        if self._meta is not None:
            self._add(text, style)
            return
        for piece in file_runs(Segment(text)):
            self._meta = piece.meta
            self._add(piece.text, style)
        self._meta = None

    def _plain(self, text: str) -> None:
        if "://" not in text or self._links or len(text) > FLAT:
            self._name_files(flatten(text))
            return
        from markdown_it.common.normalize_url import normalizeLink

        at = 0
        for start, address in bare_addresses(text):
            self._name_files(flatten(text[at:start]))
            self._meta = safe_link(
                normalizeLink(address)
            )  # as it is written: drawn text may have more cells, or less
            self._add(flatten(address), "link" if self._meta else "")
            self._meta = None
            at = start + len(address)
        self._name_files(flatten(text[at:]))

    def _drop(self, style: str) -> None:
        for index in range(len(self._styles) - 1, -1, -1):
            if self._styles[index] == style:
                del self._styles[index]
                return

    def _open_link(self, address: str) -> None:
        self._links.append((address, sum(map(len, self.paragraphs))))
        self._meta = safe_link(address)
        self._styles.append("link")

    def _close_link(self) -> None:
        self._drop("link")
        self._meta = None
        address, start = self._links.pop()
        runs = [run for paragraph in self.paragraphs for run in paragraph][start:]
        text = "".join(run.text for run in runs)
        if not text or _conceals(text, address):
            shown = f" ({flatten(address)})" if text else flatten(address)
            self._name_files(shown, "link.target")

    def _image(self, token: Token) -> None:
        alt = "".join(child.content if child.content else " " for child in token.children or ())
        address = str(token.attrGet("src") or "")
        before, self._meta = self._meta, self._meta or safe_link(address)
        self._add(f"▣ {flatten(alt) or flatten(address)}", "image")
        self._meta = before


def _conceals(text: str, address: str) -> bool:
    """Whether a reader of `text` would not know where `address` goes, or would believe something
    else."""
    shown = text.strip().lower()
    target = visible(address).lower()
    if shown in (target, target.removeprefix("mailto:"), target.rstrip("/")):
        return False
    if not _SAFE.match(address):
        return bool(address)
    claimed, real = _HOST_LIKE.match(shown), _HOST_LIKE.match(target)
    return claimed is not None and (real is None or claimed.group(1) != real.group(1))
