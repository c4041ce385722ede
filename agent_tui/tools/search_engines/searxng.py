"""SearXNG, a search engine of one's own. Source: docs.searxng.org/dev/search_api.html; its settings
must allow the format `json`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from agent_tui.tools.search_engines import Engine, Hit, Request


def request(address: str, words: str, _: int) -> Request:
    return Request(f"{address.rstrip('/')}/search?{urlencode({'q': words, 'format': 'json'})}", {})


def read(answer: Any) -> list[Hit]:
    return [Hit(one["title"], one["url"], one.get("content") or "") for one in answer["results"]]


ENGINE = Engine("SearXNG", 0, "SEARXNG_URL", request, read, is_own=True)
