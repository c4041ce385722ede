"""Addresses of servers: whether one is on this machine, or near, and how it is shown."""

from __future__ import annotations

import ipaddress
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
    if not host.strip("abcdefghijklmnopqrstuvwxyz0123456789-_") or host.endswith((".local", ".lan", ".home.arpa")):
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
