"""What went wrong on the wire, as values: HTTP statuses, exceptions and error payloads become
`Failed`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from agent_tui import registry
from agent_tui.providers.base import Failed
from agent_tui.providers.dialects.translate import drop_surrogates, text_in
from agent_tui.providers.wire.addresses import proxy_of
from agent_tui.safety.secrets.scrubber import Scrubber
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

with registry.late(warm=False):
    import httpx

OVERFLOW = late.pattern(
    r"context[\s_-]*(length|window|size)|maximum (context|prompt)|max_prompt_tokens|token limit|\bn(um)?_ctx\b"
    r"|(prompt|input|request|messages?)[^.]{0,40}too (long|large)"
    r"|too many (input |prompt )?tokens|exceed[^.]{0,40}(context|max[^.]{0,14} tokens)|payload size exceeds",
    re.IGNORECASE,
)
NO_MONEY = late.pattern(
    r"insufficient_quota|exceeded your current quota|insufficient (credit|balance|fund)|credit balance is too low"
    r"|billing_error",
    re.IGNORECASE,
)
TYPES: Mapping[str, int] = {
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The statuses that errors inside a stream stand for, by their types."""
NO_NAME = (
    "Name or service not known",
    "getaddrinfo",
    "nodename",
    "name resolution",
    "No address associated",
)
NO_SERVER = "no server answers there"
UNKNOWN_NAME = "the host name is unknown"
NETWORK = "check the network, its DNS and the address; set HTTPS_PROXY if you need a proxy"
_STATUS = late.pattern("[1-9][0-9]{2}")
OVERLOADED = 529
OVERLOADED_WAIT = 5.0
"""Seconds at least before a server is asked again that says it has more to do than it can."""
INNER = ("error", "errors", "message", "detail")
WORDS = ("message", "detail", "error_description", "msg", "Message", "error")
CODES = ("code", "type", "error")
"""Where errors of the usual shapes hold more of themselves, their words, and their name."""
DEEPEST = 10
"""Levels of an error that are looked into."""
LONGEST = 300
"""Characters of a server's own words in a line."""


@frozen
class Place:
    """What a failure names, and what a person can do about it in this place."""

    provider: str
    address: str
    model: str = ""
    local: bool = False
    unreachable: str = "check the address and the network"
    auth: str = "check the API key"
    keyed: bool = True
    """Whether a key goes to it."""
    unknown_model: str = "/models lists the models"
    secrets: Scrubber = field(default_factory=lambda: Scrubber(()), repr=False)
    """The keys that this place is sent: servers repeat them in their refusals, and refusals are
    stored."""

    @property
    def server_label(self) -> str:
        return f"{self.provider} at {self.address}"

    def clean_text(self, text: str) -> str:
        """`text` of the server in one line, without keys: they are looked for before anything is
        cut off."""
        return one_line(self.secrets.scrub(drop_surrogates(text)))


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def reason(place: Place, *parts: object) -> str:
    """Why an answer was refused, as a server tells it: the texts among `parts`, each once, without
    keys; one line."""
    told = dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip())
    return place.clean_text(": ".join(told))


def words(body: str) -> str:
    """The message in an error body of any of the usual shapes, else its text."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return "" if "<html" in body[:1000].lower() else body
    return message_of(data) or body


def message_of(data: object) -> str:
    """The message, with its code, in error data: `{"error": {"message"}}`, `{"error": "…"}`,
    `{"message"}`, …"""
    for _ in range(DEEPEST):
        held = (
            data
            if isinstance(data, list)
            else [data.get(key) for key in INNER]
            if isinstance(data, dict)
            else []
        )
        inner = next((one for one in held if isinstance(one, dict | list) and one), None)
        if inner is None:
            break
        data = inner
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return data if isinstance(data, str) else ""
    text, code = _text(data, WORDS), _text(data, CODES)
    return f"{text} ({code})" if text and code and code not in text else text or code


def _text(data: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next((text for key in keys if isinstance(text := data.get(key), str) and text), "")


def from_status(place: Place, status: int, headers: Mapping[str, str], body: str) -> Failed:
    """The failure that an HTTP answer means."""
    return _of_status(place, status, headers, place.clean_text(words(body)), details(body))


def _of_status(
    place: Place, status: int, headers: Mapping[str, str], said: str, google: Details
) -> Failed:
    tail = f": {said}" if said else ""
    wait = google.wait if (told := retry_after(headers)) is None else told
    if 300 <= status < 400:
        to = headers.get("location", "another address")
        return Failed(
            "bad_request",
            f"{place.server_label} redirects to {place.clean_text(to)}",
            "use that address instead",
        )
    if status in (401, 403) or (status == 400 and google.bad_key):
        did = "refused the key" if place.keyed else "needs a key"
        return Failed("auth", f"{place.server_label} {did} ({status}){tail}", place.auth)
    if status == 404:
        return unknown_model(place, said)
    if status == 429 or NO_MONEY.search(said):
        return _limited(place, said, wait, google)
    if overflows(said) or status == 413:
        return overflow(place, said)
    if status in (408, 504):
        return Failed(
            "timeout", f"{place.server_label} timed out ({status}){tail}", "try again", True, wait
        )
    if status >= 500:
        wait = max(OVERLOADED_WAIT, wait or 0.0) if status == OVERLOADED else wait
        return Failed(
            "server", f"{place.server_label} failed ({status}){tail}", "try again", True, wait
        )
    which = "that can call tools " if "support tools" in said else ""
    hint = f"choose another model {which}with /model"
    return Failed("bad_request", f"{place.server_label} refused the request ({status}){tail}", hint)


def from_payload(place: Place, error: object) -> Failed:
    """The failure that an error inside a stream means; `error` is what stood there."""
    said = place.clean_text(message_of(error)) or "no reason given"
    code = error.get("code") if isinstance(error, dict) else None
    status = (
        int(code)
        if isinstance(code, int) or (isinstance(code, str) and _STATUS.fullmatch(code))
        else 0
    )
    kind = error.get("type") if isinstance(error, dict) else None
    status = status or TYPES.get(str(kind), 0)
    if status in (401, 403, 404, 413, 429, 504):
        return _of_status(place, status, {}, said, details_of(error))
    if overflows(said):
        return overflow(place, said)
    if "rate_limit" in said or "rate limit" in said.lower() or NO_MONEY.search(said):
        return _limited(place, said, None, Details())
    if kind == "invalid_request_error":
        return _of_status(place, 400, {}, said, details_of(error))
    wait = OVERLOADED_WAIT if status == OVERLOADED else None
    return Failed(
        "server", f"{place.server_label} stopped with an error: {said}", "try again", True, wait
    )


def from_exception(place: Place, error: Exception) -> Failed:
    """The failure that an exception of httpx (or a wait that ended) means."""
    what = place.clean_text(str(error)) or type(error).__name__
    match error:
        case httpx.ConnectTimeout():
            return replace(
                unreachable(place, "no answer"), may_pass=True
            )  # a listener that is held up, here or there
        case httpx.ConnectError() if "SSL" in what or "CERTIFICATE" in what:
            text = f"no secure connection to {place.server_label}: {what}"
            hint = "check the address; for your own certificate authority, set ca_bundle or SSL_CERT_FILE"
            return Failed("unreachable", text, hint)
        case httpx.ConnectError():
            return unreachable(place, _refused(what))
        case httpx.ProxyError():
            return unreachable(place, f"the proxy said: {what}")
        case httpx.TimeoutException() | TimeoutError():
            return Failed("timeout", f"{place.server_label} stopped answering", "try again", True)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return Failed(
                "bad_request",
                f"{place.address} is not an address: {what}",
                "write it as http://host:port",
            )
        case httpx.DecodingError():
            return Failed(
                "malformed",
                f"{place.server_label} sent bytes that cannot be decoded: {what}",
                "try again",
                True,
            )
        case _:
            return Failed(
                "broken_stream",
                f"the connection to {place.server_label} broke: {what}",
                "try again",
                True,
            )


def unusable_environment(place: Place, error: Exception) -> Failed:
    """No client can be made: a proxy of a kind that is not spoken, or a certificate file that is
    not there."""
    text = f"cannot reach {place.server_label} with these proxy or certificate settings: {one_line(str(error))}"
    variables = "HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE or REQUESTS_CA_BUNDLE"
    return Failed("unreachable", text, f"correct ca_bundle, or {variables}")


def _refused(what: str) -> str:
    if "All connection attempts failed" in what or "refused" in what.lower():
        return NO_SERVER
    if any(words in what for words in NO_NAME):
        return UNKNOWN_NAME
    return what


def unreachable(place: Place, why: str) -> Failed:
    # A refused connection on this machine means a server that a person must start: waiting does not
    # help.
    where, hint = place.server_label, place.unreachable
    if (
        why == UNKNOWN_NAME and not place.local
    ):  # nothing is known of a server there: it may be all names that fail
        hint = NETWORK
    proxy, name = proxy_of(place.address)
    if proxy:  # it is this one that was spoken to, and nobody else
        where, hint = (
            f"{where} through the proxy {proxy} ({name})",
            f"check {name}; NO_PROXY lists exceptions",
        )
    return Failed("unreachable", f"cannot reach {where}: {why}", hint, may_pass=not place.local)


def endless(place: Place, characters: int) -> Failed:
    text = f"{place.server_label} sends an endless answer: {characters // 1_000_000} million characters so far"
    return Failed("malformed", text, "choose another model with /model, or check that server")


def unknown_model(place: Place, said: str = "") -> Failed:
    tail = f" ({said})" if said else ""
    if not place.model:
        return Failed(
            "unknown_model",
            f"{place.server_label} does not know this address (404){tail}",
            place.unreachable,
        )
    return Failed(
        "unknown_model",
        f"{place.server_label} has no model {one_line(place.model)!r}{tail}",
        place.unknown_model,
    )


def overflows(said: str) -> bool:
    return OVERFLOW.search(said) is not None


def overflow(place: Place, said: str = "") -> Failed:
    tail = f": {said}" if said else ""
    model = one_line(place.model) or "the model"
    text = f"the conversation is longer than the context window of {model} at {place.address}{tail}"
    return Failed(
        "overflow", text, "/clear starts over, /model chooses a model with a larger window"
    )


def _limited(place: Place, said: str, wait: float | None, google: Details) -> Failed:
    tail = f": {said}" if said else ""
    if google.spent:
        hint = "choose another model with /model, or check the plan and its billing"
        return Failed(
            "rate_limited", f"{place.server_label} has no quota left for today{tail}", hint
        )
    if google.wait is None and NO_MONEY.search(
        said
    ):  # one that says how long to wait has the same words for a minute
        return Failed(
            "rate_limited",
            f"{place.server_label} has no quota left{tail}",
            "check the plan and its billing",
        )
    return Failed(
        "rate_limited",
        f"{place.server_label} gets too many requests{tail}",
        "wait, then try again",
        True,
        wait,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: `Retry-After` as seconds or as a date (by the server's
    own clock)."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        then = _date(text)
        if then is None:
            return None
        now = _date(headers.get("date", "")) or datetime.now(UTC)
        seconds = (then - now).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


_SECONDS = late.pattern(r"(\d{1,9}(?:\.\d{1,9})?)s")
_BAD_KEY = late.pattern(r"API key (not valid|expired|not found)", re.IGNORECASE)


@frozen
class Details:
    bad_key: bool = False
    """A bad key is no 401 there, but a 400."""
    wait: float | None = None
    """Seconds to wait, where the server says them in the body and in no header."""
    spent: bool = False
    """The quota of the day is used up: waiting some seconds, as the server says too, would not
    help."""


def details(body: str) -> Details:
    """What an error body holds beside its message; nothing for bodies of others."""
    if "google.rpc" not in body and "API key" not in body:
        return Details()
    try:
        return details_of(json.loads(body))
    except (ValueError, RecursionError):
        return Details()


def details_of(data: object) -> Details:
    """The same of a body that is read already."""
    data = data[0] if isinstance(data, list) and data else data
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return Details()
    listed = error.get("details")
    entries = (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )
    waits = (_SECONDS.fullmatch(text_in(entry.get("retryDelay"))) for entry in entries)
    violations = (
        each
        for entry in entries
        if isinstance(found := entry.get("violations"), list)
        for each in found
    )
    quotas = [text_in(each.get("quotaId")) for each in violations if isinstance(each, dict)]
    bad_key = any(entry.get("reason") == "API_KEY_INVALID" for entry in entries)
    return Details(
        bad_key or _BAD_KEY.search(text_in(error.get("message"))) is not None,
        next((float(found[1]) for found in waits if found), None),
        any("PerDay" in quota for quota in quotas),
    )
