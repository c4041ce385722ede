"""`web_fetch` and `web_search` against a real server: what is read, and what is not connected to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tools import web_fetch, web_search
from agent_tui.tools.base import ToolFailure
from agent_tui.tools.support import web_client
from tests.campaigns import WHOLE
from tests.tools.context import Context
from tests.tools.saved_pages import PAGES, Saved
from tests.tools.web_server import PAGE, Answer, Named, WebServer, page

KEYS = {
    "SEARXNG_URL": "http://127.0.0.1:8888/",
    "BRAVE_API_KEY": "brave-key-1",
    "TAVILY_API_KEY": "tavily-key-1",
}


def fetch(
    tmp_path: Path,
    pages: Mapping[str, Any],
    url: str = "http://one.test/",
    *addresses: str,
    **more: Any,
) -> tuple[str, WebServer]:
    """What the tool answers, and the server that was asked."""

    async def go() -> tuple[str, WebServer]:
        async with WebServer(dict(pages)) as server:
            ctx = Context(tmp_path, internet=Named(server.port, *addresses))
            arguments = web_fetch.TOOL.arguments.model_validate({"url": url, **more})
            return (await web_fetch.TOOL.run(arguments, ctx)).content, server

    return asyncio.run(go())


def failure(tmp_path: Path, pages: Mapping[str, Any], *given: str) -> ToolFailure:
    with pytest.raises(ToolFailure) as raised:
        fetch(tmp_path, pages, *given)
    return raised.value


def test_a_page_is_read_without_what_stands_around_it(tmp_path: Path) -> None:
    said, server = fetch(tmp_path, {"/": page(PAGE)})
    assert "http://one.test/ (The page), as data" in said
    assert (
        "# Words\n\nSome **bold** words, and [a link](http://one.test/next).\n\n```sh\nls -la"
        in said
    )
    assert "menu" not in said and "foot" not in said
    [asked] = server.asked
    assert "host: one.test\r\n" in asked.lower() and "cookie" not in asked.lower()


@pytest.mark.parametrize(
    ("content", "media", "shown"),
    [
        ("grün".encode("latin-1"), "text/plain; charset=iso-8859-1", "grün"),
        ("grün".encode(), "text/plain", "grün"),
        (b'<meta charset="windows-1252"><p>\x93so\x94', "text/html", "“so”"),
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b"<feed/>", "application/atom+xml", "<feed/>"),
        (b"x", "text/plain; charset=nonsense", "x"),
        (b"", "text/html", "no text"),
    ],
)
def test_text_of_any_kind_is_read(tmp_path: Path, content: bytes, media: str, shown: str) -> None:
    assert shown in fetch(tmp_path, {"/": page(content, media)})[0]


def test_a_long_page_is_read_in_parts(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    first, _ = fetch(tmp_path, {"/": page(text.encode(), "text/plain")})
    start = int(first.rpartition("start=")[2].rstrip("]"))
    second, _ = fetch(tmp_path, {"/": page(text.encode(), "text/plain")}, start=start)
    shown = [part.split("\n\n", 1)[1].rpartition("\n\n[")[0] for part in (first, second)]
    assert text.startswith("".join(shown)) and len(shown[0]) == start
    with pytest.raises(ToolFailure, match="characters"):
        fetch(tmp_path, {"/": page(text.encode(), "text/plain")}, start=10**7)


@pytest.mark.parametrize(
    ("answer", "tag"),
    [
        (page(b"%PDF-1", "application/pdf"), "binary"),
        (page(b"\x89PNG", "image/png"), "binary"),
        (("404 Not Found", {"Content-Type": "text/html"}, b"no"), "not_found"),
        (("500 Broken", {"Content-Type": "text/html"}, b"no"), "exception"),
        (("302 Found", {"Location": "/"}, b""), "exception"),
        (("302 Found", {"Location": "http://127.0.0.1/x"}, b""), "blocked"),
        (("302 Found", {"Location": "file:///etc/passwd"}, b""), "blocked"),
    ],
)
def test_what_cannot_be_read_is_a_tagged_error(tmp_path: Path, answer: Answer, tag: str) -> None:
    assert failure(tmp_path, {"/": answer}).tag == tag


def test_a_page_that_moved_is_followed_at_its_host_alone(tmp_path: Path) -> None:
    moved = {"/": ("301 Moved", {"Location": "/new"}, b""), "/new": page(b"here", "text/plain")}
    assert "here" in fetch(tmp_path, moved)[0]


@pytest.mark.parametrize(
    "onward",
    [
        *(
            "https://two.test/b",
            "https://one.test/b",
            "http://one.test:443/b",
            "http://one.test:81/b",
        ),
        *(f"/{'a' * 600}", f"/b?q={'a' * 600}", f"/{'a' * 300}?{'a' * 300}"),
    ],
)
def test_what_must_be_judged_anew_is_not_followed(tmp_path: Path, onward: str) -> None:
    said, server = fetch(tmp_path, {"/": ("301 Moved", {"Location": onward}, b"")})
    to = onward if onward.startswith("http") else f"http://one.test{onward}"
    assert f"fetch {to}" in said and len(server.asked) == 1


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "::1", "0.0.0.0", "10.0.0.5", "172.16.3.4", "192.168.1.1", "100.64.0.1"),
        *(
            "169.254.169.254",
            "fe80::1",
            "fd00::1",
            "224.0.0.1",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
        ),
    ],
)
def test_only_addresses_of_the_internet_are_connected_to(tmp_path: Path, address: str) -> None:
    found = failure(tmp_path, {"/": page(b"inside")}, "http://one.test/", address)
    assert found.tag == "blocked" and address in found.text
    also = failure(tmp_path, {"/": page(b"inside")}, "http://one.test/", "93.184.216.34", address)
    assert also.tag == "blocked"


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://one.test/", "file:///etc/passwd", "http://me:pw@one.test/", "http://one.test/ x"),
        *(
            "http://one.test\x00.evil.test/",
            "http:///x",
            f"http://one.test/{'a' * 3000}",
            "one.test",
        ),
    ],
)
def test_what_is_no_address_of_the_web_reaches_nobody(tmp_path: Path, url: str) -> None:
    arguments = web_fetch.TOOL.arguments.model_validate({"url": url})
    assert web_fetch.TOOL.host is not None
    with pytest.raises(ValueError):
        web_fetch.TOOL.host(arguments, {})
    assert failure(tmp_path, {}, url).tag == "invalid_arguments"


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("127.0.0.1", "an address"),
        ("[::1]", "an address"),
        ("0x7f.1", "an address"),
        ("1", "an address"),
        ("8.8.8.8", "an address"),
        ("localhost", "this machine"),
        ("app.localhost:8000", "this machine"),
    ],
)
def test_hosts_that_are_not_reached_are_blocked(tmp_path: Path, host: str, why: str) -> None:
    arguments = web_fetch.TOOL.arguments.model_validate({"url": f"http://{host}/a"})
    assert web_fetch.TOOL.host is not None
    with pytest.raises(ToolFailure) as refused:
        web_fetch.TOOL.host(arguments, {})
    found = failure(tmp_path, {}, f"http://{host}/a")
    assert found.tag == refused.value.tag == "blocked" and found.text == refused.value.text
    assert why in found.text and "curl" in found.text and "\n" not in found.text


@pytest.mark.parametrize(
    "rest", ["", "/", f"/{'a' * 900}/end", f"?{'q' * 900}end", f"/x?{'%41' * 300}end"]
)
@pytest.mark.parametrize("host", ["one.test", ".".join(["a" * 60] * 3) + ".test:8080"])
def test_a_long_address_is_shown_with_its_host(host: str, rest: str) -> None:
    url = f"https://{host}{rest}"
    shown = web_fetch.TOOL.label(web_fetch.WebFetch(url=url))
    assert shown.startswith(f"Fetch https://{host}") and shown.endswith(rest[-3:])
    assert len(shown) <= 300 and ("…" in shown) == (len(rest) > 500)


@pytest.mark.parametrize(
    ("url", "odd"),
    [
        ("https://one.test/a?b=c", ""),
        ("http://one.test/", "not encrypted"),
        (f"https://one.test/?q={'a' * 600}", "carries 603 bytes to one.test"),
        (f"https://one.test/{'a' * 600}", "carries 601 bytes to one.test"),
        (f"https://one.test/{'a' * 300}?{'b' * 300}", "carries 601 bytes"),
        (f"https://one.test/{'é' * 300}", "carries 601 bytes"),
    ],
)
def test_odd_addresses_are_named(url: str, odd: str) -> None:
    said = web_fetch.odd_address(web_fetch.WebFetch(url=url))
    assert (odd in said) if odd else not said


def test_a_name_is_looked_up_once_and_other_scripts_as_idna_says() -> None:
    async def go() -> list[str]:
        async with WebServer({"/w%C3%B6rter": page(b"ok", "text/plain")}) as server:
            internet = Named(server.port)
            await web_client.fetch("http://bücher.test/wörter", internet)
            return internet.looked_up  # type: ignore[attr-defined,no-any-return]

    assert asyncio.run(go()) == ["xn--bcher-kva.test"]


def test_a_server_that_never_answers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_client, "SECONDS", 0.3)

    async def go() -> None:
        async with WebServer(hangs=True) as server:
            await web_client.fetch("http://one.test/", Named(server.port))

    with pytest.raises(web_client.WebFailure) as raised:
        asyncio.run(go())
    assert raised.value.tag == "timeout"


def test_a_page_without_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_client, "MAX_BYTES", 1_000)
    assert (
        "longer than what was read" in fetch(tmp_path, {"/": page(b"a" * 5_000, "text/plain")})[0]
    )


# -- searching


def search(
    tmp_path: Path, keys: Mapping[str, str], answer: object, status: str = "200 OK"
) -> tuple[str, str]:
    """What the tool answers, and the request."""

    async def go() -> tuple[str, str]:
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        said = (status, {"Content-Type": "application/json"}, content)
        places = ("/search", "/res/v1/web/search")
        async with WebServer(dict.fromkeys(places, said)) as server:
            ctx = Context(tmp_path, internet=Named(server.port), keys=keys)
            found = await web_search.TOOL.run(web_search.WebSearch(query="a b"), ctx)
            return found.content, server.asked[0]

    return asyncio.run(go())


HIT = {"title": "T", "url": "https://u.test"}


@pytest.mark.parametrize(
    ("name", "answer", "sent"),
    [
        (
            "SEARXNG_URL",
            {"results": [{**HIT, "content": "words"}]},
            "GET /search?q=a+b&format=json",
        ),
        (
            "BRAVE_API_KEY",
            {"web": {"results": [{**HIT, "description": "words"}]}},
            "x-subscription-token: brave-key-1",
        ),
        (
            "TAVILY_API_KEY",
            {"results": [{**HIT, "content": "words"}]},
            "authorization: bearer tavily-key-1",
        ),
    ],
)
def test_each_engine_is_asked_in_its_own_way(
    tmp_path: Path, name: str, answer: object, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in ("brave", "tavily"):  # without the encryption that the test server has not
        module = __import__(f"agent_tui.tools.search_engines.{engine}", fromlist=["_URL"])
        monkeypatch.setattr(module, "_URL", module._URL.replace("https://", "http://"))
    said, asked = search(tmp_path, {name: KEYS[name]}, answer)
    assert "1. T\nhttps://u.test\nwords" in said and sent.lower() in asked.lower()


@pytest.mark.parametrize("answer", [b"<html>", [], {"results": 3}, {"results": [{"title": 1}]}])
def test_an_answer_that_is_none_is_an_error(tmp_path: Path, answer: object) -> None:
    with pytest.raises(ToolFailure, match="not known"):
        search(tmp_path, {"SEARXNG_URL": KEYS["SEARXNG_URL"]}, answer)


def test_a_wrong_key_is_said(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure, match="SEARXNG_URL right"):
        search(tmp_path, {"SEARXNG_URL": KEYS["SEARXNG_URL"]}, {}, "401 Unauthorized")


@pytest.mark.parametrize("name", KEYS)
def test_no_key_and_no_query_goes_along_where_an_engine_leads(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the same host, too; an engine of one's own has no key."""
    for engine in ("brave", "tavily"):
        module = __import__(f"agent_tui.tools.search_engines.{engine}", fromlist=["_URL"])
        monkeypatch.setattr(module, "_URL", module._URL.replace("https://", "http://"))
    onward = "https://127.0.0.1:8888/x" if name == "SEARXNG_URL" else "/onward"
    moved = ("302 Found", {"Location": onward}, b"")

    async def go() -> WebServer:
        async with WebServer(dict.fromkeys(("/search", "/res/v1/web/search"), moved)) as server:
            ctx = Context(tmp_path, internet=Named(server.port), keys={name: KEYS[name]})
            with pytest.raises(ToolFailure, match=f"leads to .*{onward}: "):
                await web_search.TOOL.run(web_search.WebSearch(query="a b"), ctx)
            return server

    assert len(asyncio.run(go()).asked) == 1


def test_it_is_offered_where_there_is_a_key() -> None:
    assert web_search.TOOL.is_offered is not None
    assert not web_search.TOOL.is_offered({"BRAVE_API_KEY": " "})
    assert all(web_search.TOOL.is_offered({name: value}) for name, value in KEYS.items())
    asked = web_search.WebSearch(query="x")
    hosts = [web_search.find_host(asked, {name: value}) for name, value in KEYS.items()]
    assert hosts == ["127.0.0.1:8888", "api.search.brave.com", "api.tavily.com"]


# -- saved pages


@pytest.mark.parametrize("saved", PAGES, ids=lambda saved: saved.name)
def test_what_is_to_be_read_of_a_page_is_there_and_the_rest_is_not(
    tmp_path: Path, saved: Saved
) -> None:
    coding = "latin-1" if saved.name == "latin-1" else "utf-8"
    pages = {"/docs/page": page(saved.html.encode(coding), saved.media)}
    said, _ = fetch(tmp_path, pages, "http://one.test/docs/page")
    assert [words for words in saved.shows if words not in said] == []
    assert [words for words in saved.hides if words in said] == []


def test_there_are_thirty_pages() -> None:
    assert len(PAGES) >= 30 and len({saved.name for saved in PAGES}) == len(PAGES)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 5_000 + "deep down",
        "<!--" * 100_000,
        "<a <b" * 80_000,
        "<" * 400_000,
        "<p>" * (100_000 if WHOLE else 20_000),
    ],
    ids=["div", "comment", "open tags", "less than", "paragraphs"],
)
def test_a_page_that_is_made_to_be_hard_is_read_or_empty(tmp_path: Path, html: str) -> None:
    said, _ = fetch(tmp_path, {"/": page(html.encode())})
    assert "as data" in said
