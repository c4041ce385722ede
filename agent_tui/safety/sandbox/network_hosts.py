"""Which hosts a sandboxed command may reach: how they are written, and which addresses count.

A host is allowed by its whole name. The usual ports go with it; another stands behind a colon.
Where its address is one of somebody's own network, that is allowed with it, behind `=`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from agent_tui.safety.shell.programs import unwrap_call
from agent_tui.safety.shell.words import TooMany, simple_commands
from agent_tui.structures import late

USUAL_PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = late.pattern(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = late.pattern(r"\d+|0x[0-9a-f]*")
_OWN: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
            *("198.18.0.0/15", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
        ),
    )
)
"""Networks of companies and homes; the second row is used by what gives each name an address."""
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""Addresses of version 4, where a network has only version 6."""
OWN_ADDRESS: Final = "its address belongs to a network of your own"
REFUSED_ADDRESS: Final = "its address is not one of the internet"
_FETCHERS: Final = frozenset({
    "curl", "wget", "git", "pip", "pip3", "uv", "npm", "pnpm", "yarn", "cargo", "go", "gem",
})  # fmt: skip
"""Programs that connect to the addresses that they are given."""


class RefusedHost(ValueError):
    """A host that is well written, and that nobody is connected to by that. The text is one
    line."""


def read_host(text: str) -> str:
    """A host as it is compared: in small letters, other scripts as IDNA writes them. Raises
    ValueError for what is no name of a host, RefusedHost for an address and for this machine."""
    name = (text if text.isascii() else text.encode("idna").decode()).lower()
    labels = name.split(".")
    if len(name) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise ValueError("it is not the name of a host")
    if _NUMBER.fullmatch(labels[-1]):
        raise RefusedHost("it is an address, not a name")
    if labels[-1] == "localhost":
        raise RefusedHost("it is this machine")
    return name


def spell(name: str, port: int) -> str:
    """What has to be allowed for a connection."""
    return name if port in USUAL_PORTS.values() else f"{name}:{port}"


def read_authority(text: str, port: int = 0) -> tuple[str, int]:
    """The host and the port of `host:port`. Raises ValueError."""
    host, _, said = text.partition(":")
    if said and not (said.isascii() and said.isdigit()):
        raise ValueError("it is not the name of a host")
    port = int(said[:6]) if said else port
    if not 0 < port < 65_536:
        raise ValueError("it has no port")
    return read_host(host), port


def named_hosts(command: str) -> Sequence[str]:
    """The hosts that a command plainly connects to: those in the addresses that it gives to
    programs that fetch them, as `spell` says them. There may be others."""
    found: dict[str, None] = {}
    try:
        for simple in simple_commands(command, lambda _: ""):
            call = unwrap_call(simple)
            words = [call.name, *(word.text for word in call.arguments)] if call else []
            if len(words) > 2 and words[0].startswith("python") and words[1] == "-m":
                del words[:2]
            if words and words[0] in _FETCHERS:
                found |= dict.fromkeys(host for word in words[1:] for host in _hosts_of(word))
    except (RecursionError, TooMany):  # too deep or too long to be read
        return ()
    return tuple(found)


def _hosts_of(word: str) -> Iterator[str]:
    address = word.partition("=")[2] if word.startswith("-") else word
    try:
        parts = urlsplit(address)
        usual = USUAL_PORTS.get(parts.scheme, 0)
        if usual and parts.hostname:
            yield spell(read_host(parts.hostname), parts.port or usual)
    except ValueError:
        return  # no address, or none that can be allowed


def explain_address(address: str) -> str:
    """Why a host at this address is not connected to without being named; empty: it is one of the
    internet. Only `OWN` can be named."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped or found.sixtofour or found.teredo or found.is_site_local:
            return REFUSED_ADDRESS
        if found in _TRANSLATED:
            found = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
            return "" if not explain_address(str(found)) else REFUSED_ADDRESS
    if any(found in network for network in _OWN):
        return OWN_ADDRESS
    is_public = found.is_global and not (found.is_multicast or found.is_reserved)
    return "" if is_public else REFUSED_ADDRESS
