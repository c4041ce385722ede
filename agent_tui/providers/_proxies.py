"""Which proxy is asked for an address, for the words about one that does not answer."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from agent_tui.providers._addresses import host_of, is_loopback, shown_address


def proxy_of(url: str) -> tuple[str, str]:
    """The proxy for `url`, without its password, and the variable that names it; two empty words: there is none."""
    host = host_of(url)
    if not host or is_loopback(url) or _needs_none(host):
        return "", ""
    for kind in (urlsplit(url).scheme, "all"):
        name, proxy = _variable(f"{kind}_proxy")
        if proxy:
            return shown_address(proxy if "://" in proxy else f"http://{proxy}"), name
    return "", ""


def check_proxy(url: str) -> None:
    """Raises OSError where the proxy for `url` has a port that there is not: the event loop breaks at one."""
    proxy, name = proxy_of(url)
    try:
        _ = urlsplit(proxy).port
    except ValueError as error:
        raise OSError(f"{name}={proxy}: {error}") from None


def _needs_none(host: str) -> bool:
    named = (part.strip().lower().lstrip(".") for part in _variable("no_proxy")[1].split(","))
    return any(name and (name == "*" or f".{host}".endswith(f".{name}")) for name in named)


def _variable(name: str) -> tuple[str, str]:
    """Small letters go before large ones."""
    name = name if name in os.environ else name.upper()
    return name, os.environ.get(name, "")
