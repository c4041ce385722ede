"""How a provider gets at its server: the key in its header, certificates, and what a failure there
names. The same for every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from agent_tui.providers.wire import failures
from agent_tui.providers.wire.http import Wire, is_near, shown_address
from agent_tui.safety.secrets.scrubber import Scrubber
from agent_tui.structures.frozen import frozen

BUNDLE: Final = "ca_bundle"
"""The setting that names certificates of one's own for a provider."""


@frozen
class Key:
    """A key as a header carries it: `before` stands in front of it; `advice` is what to do where it
    is refused."""

    value: str = field(repr=False)
    header: str
    before: str = ""
    advice: str = "check the API key"

    @property
    def fits(self) -> bool:
        """Whether it can stand in a header: a pasted one may hold a line end or worse."""
        return self.value.isascii() and self.value.isprintable()

    @property
    def headers(self) -> dict[str, str]:
        """A key in an address ends up in logs: it only ever goes into a header."""
        return {self.header: self.before + self.value} if self.value and self.fits else {}

    @property
    def auth(self) -> str:
        if not self.value:
            return self.advice.replace("check ", "set ", 1)
        return self.advice if self.fits else f"{self.advice}: it has characters that cannot be sent"


def bearer(key: str, advice: str) -> Key:
    return Key(key, "Authorization", "Bearer ", advice)


def open_wire(
    base_url: str,
    model: str,
    label: str,
    key: Key,
    options: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
    unreachable: str = "",
    unknown_model: str = "/models lists the models",
) -> Wire:
    """The connection to the server at `base_url`, which people call `label`."""
    # What is not near is a service, or somebody else's: who uses it cannot start it.
    near = is_near(base_url)
    at_fault = (
        "start the server there, or correct the address"
        if near
        else "check the address and the network"
    )
    place = failures.Place(
        label,
        shown_address(base_url),
        model,
        near,
        unreachable=unreachable or at_fault,
        auth=key.auth,
        unknown_model=unknown_model,
        keyed=bool(key.value),
        secrets=Scrubber((key.value,)),
    )
    bundle = options.get(BUNDLE)
    return Wire(
        base_url,
        place,
        {**(headers or {}), **key.headers},
        bundle if isinstance(bundle, str) else "",
    )
