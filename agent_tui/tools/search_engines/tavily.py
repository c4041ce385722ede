"""Tavily. Source: docs.tavily.com/documentation/api-reference/endpoint/search."""

from __future__ import annotations

import json
from typing import Any

from agent_tui.tools.search_engines import Engine, Hit, Request

_URL = "https://api.tavily.com/search"
_MOST = 20


def request(key: str, words: str, most: int) -> Request:
    body = json.dumps({"query": words, "max_results": min(most, _MOST)}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return Request(_URL, headers, body)


def read(answer: Any) -> list[Hit]:
    return [Hit(one["title"], one["url"], one.get("content") or "") for one in answer["results"]]


ENGINE = Engine("Tavily", 2, "TAVILY_API_KEY", request, read)
