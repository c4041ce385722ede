"""Brave Search. Source: api-dashboard.search.brave.com/app/documentation/web-search."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from agent_tui.tools.search_engines import Engine, Hit, Request

_URL = "https://api.search.brave.com/res/v1/web/search"
_MOST = 20


def request(key: str, words: str, most: int) -> Request:
    asked = urlencode({"q": words, "count": min(most, _MOST)})
    return Request(f"{_URL}?{asked}", {"X-Subscription-Token": key, "Accept": "application/json"})


def read(answer: Any) -> list[Hit]:
    found = answer.get("web", {}).get("results", [])
    return [Hit(one["title"], one["url"], one.get("description") or "") for one in found]


ENGINE = Engine("Brave Search", 1, "BRAVE_API_KEY", request, read)
