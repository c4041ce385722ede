"""Addresses of servers: whether one is on this machine, or near, and how it is shown."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    host = host_of(url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_near(url: str) -> bool:
    """On this machine or in this house: a server that belongs to the person, slow but not gone."""
    host = host_of(url)
    if not host.strip("abcdefghijklmnopqrstuvwxyz0123456789-_") or host.endswith(
        (".local", ".lan", ".home.arpa")
    ):
        return bool(host)
    try:
        return is_loopback(url) or ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def shown_address(url: str) -> str:
    """`url` without user name and password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def proxy_of(url: str) -> tuple[str, str]:
    """The proxy for `url`, without its password, and the variable that names it; two empty words:
    there is none."""
    host = host_of(url)
    if not host or is_loopback(url) or _needs_none(host):
        return "", ""
    for kind in (urlsplit(url).scheme, "all"):
        name, proxy = _variable(f"{kind}_proxy")
        if proxy:
            return shown_address(proxy if "://" in proxy else f"http://{proxy}"), name
    return "", ""


def check_proxy(url: str) -> None:
    """Raises OSError where the proxy for `url` has a port that there is not: the event loop breaks
    at one."""
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
