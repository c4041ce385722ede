"""A command in the sandbox reaches the hosts that were allowed, by their whole names, and nothing
else: real servers, real sandboxes. Only the names and addresses of the internet are made up."""

from __future__ import annotations

import asyncio
import http.server
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.processes import CommandResult
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.network_hosts import explain_address, named_hosts, read_host
from agent_tui.safety.sandbox.network_proxy import HEAD, MOST_REFUSED, Internet, Proxy, Stream
from agent_tui.safety.sandbox.profiles import LANDLOCK
from agent_tui.safety.sandbox.workspace_sandbox import profile
from agent_tui.structures.frozen import frozen

PATIENCE = 30.0
PUBLIC = "93.184.215.14"
WAYS = [way for way in sandbox_support._ways() if way != LANDLOCK]
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


@dataclass
class Server:
    """A real server on this machine, and what it was asked."""

    port: int
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and `Host`."""


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(0)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            found.asked.append((self.command, self.path, self.headers["Host"]))
            body = b"hello from outside " + self.rfile.read(length)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        found.port = running.server_address[1]
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield found
        running.shutdown()
        thread.join()


@frozen
class MadeUp(Internet):
    """Each name has these addresses; each address is the server."""

    server: Server
    addresses: Sequence[str] = (PUBLIC,)
    resolved: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)

    async def resolve(self, name: str, port: int) -> Sequence[str]:
        self.resolved.append(f"{name}:{port}")
        return self.addresses

    async def connect(self, address: str, port: int) -> Stream:
        self.connected.append((address, port))
        return await asyncio.open_connection("127.0.0.1", self.server.port)


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="agent-tui-test-")).resolve()
    yield folder
    shutil.rmtree(folder)


def run(command: str, root: Path, proxy: Proxy, way: str) -> CommandResult:
    async def go() -> CommandResult:
        try:
            return await processes.run(
                command,
                root,
                ENVIRONMENT,
                PATIENCE,
                lambda _: None,
                Captured(100_000, None),
                confined=profile((root,), ENVIRONMENT, backend=way),
                network=proxy,
            )
        finally:
            await processes.settle(10.0)

    return asyncio.run(go())


@pytest.fixture(params=WAYS, ids=lambda way: Path(way).name)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_allowed_host_is_reached_in_the_sandbox(server: Server, root: Path, way: str) -> None:
    internet = MadeUp(server)
    proxy = Proxy(["allowed.test"], internet)
    result = run("curl -sS http://allowed.test/page?q=1 -d body", root, proxy, way)
    assert (result.exit_code, result.output) == (0, "hello from outside body")
    assert server.asked == [("POST", "/page?q=1", "allowed.test")] and not proxy.refused
    assert internet.connected == [(PUBLIC, 80)]


def test_a_tunnel_leads_to_an_allowed_host(server: Server, root: Path, way: str) -> None:
    """What goes through it is the command's: here plain HTTP instead of TLS."""
    proxy = Proxy(["allowed.test:8443"], MadeUp(server))
    result = run("curl -sSp http://allowed.test:8443/", root, proxy, way)
    assert (result.exit_code, result.output) == (0, "hello from outside ")


def test_without_an_offer_no_byte_leaves(server: Server, root: Path, way: str) -> None:
    """A canary: nothing is resolved, nothing connected."""
    internet = MadeUp(server)
    proxy = Proxy([], internet)
    command = f"""
    curl -sS http://one.test/; curl -sSp http://two.test:99/; curl -sS --noproxy '*' http://{PUBLIC}/
    curl -sS http://{PUBLIC}/; curl -sS --noproxy '*' http://127.0.0.1:{server.port}/
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/{server.port}'; bash -c 'echo x > /dev/udp/{PUBLIC}/53'
    exit 7"""
    result = run(command, root, proxy, way)
    assert result.exit_code == 7 and "no network to one.test: nobody" in result.output
    assert not internet.resolved and not internet.connected and not server.asked
    assert proxy.refused == {"one.test": "one.test", "two.test:99": "two.test:99", PUBLIC: ""}


def test_what_the_command_serves_for_itself_needs_no_proxy(root: Path, way: str) -> None:
    (root / "page").write_text("my own page")
    serve = "python3 -u -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & "
    ask = "for i in $(seq 100); do curl -sf http://localhost:8765/page && break; sleep 0.1; done"
    proxy = Proxy([], MadeUp(Server(0)))
    result = run(f"{serve}{ask}; kill $!", root, proxy, way)
    assert "my own page" in result.output and not proxy.refused


def test_it_is_closed_with_the_command_and_nothing_stays_open(
    server: Server, root: Path, way: str
) -> None:
    async def go() -> tuple[int, int]:
        counts = []
        for _ in range(3):
            proxy = Proxy(["allowed.test"], MadeUp(server))
            confined = profile((root,), ENVIRONMENT, backend=way)
            captured = Captured(1000, None)
            await processes.run(
                "curl -sS http://allowed.test/ & curl -sS http://allowed.test/; wait",
                root, ENVIRONMENT, PATIENCE, lambda _: None, captured,
                confined=confined, network=proxy,
            )  # fmt: skip
            await asyncio.sleep(0.05)
            assert proxy._server is not None and not proxy._server.is_serving()
            counts.append(len(list(Path("/proc/self/fd").iterdir())))
        await processes.settle(10.0)
        return counts[0], counts[-1]

    before, after = asyncio.run(go())
    assert after <= before


# ---------------------------------------------------------------------------- the proxy by itself


def talk(proxy: Proxy, *requests: bytes) -> list[bytes]:
    """What the proxy answers to each, on a connection of its own."""

    async def go() -> list[bytes]:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        with proxy.open() as channel:
            socket.send_fds(channel, [b"+"], [listener.fileno()])
        listener.close()
        answers = []
        for request in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            writer.write_eof()
            answers.append(await asyncio.wait_for(reader.read(), PATIENCE))
            writer.close()
        proxy.close()
        return answers

    return asyncio.run(go())


NAMES = [
    b"allowed.test.", b"ALLOWED.test.evil.test", b"evil.test\0allowed.test", b"evilallowed.test",
    b"user@allowed.test", b"allowed.test@evil.test", b"allowed.test#.evil.test", b".allowed.test",
    b"allowed.test%00.evil.test", "allowed。test".encode(), b"xn--allowed.test", b"sub.allowed.test",
    b"127.0.0.1", b"127.1", b"2130706433", b"0x7f000001", b"0x7f.1", b"017700000001", b"[::1]",
    b"[::ffff:127.0.0.1]", b"localhost", b"a.localhost", b"LOCALHOST", b"", b"*", b"*.test",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_only_the_whole_name_counts(server: Server, name: bytes) -> None:
    internet = MadeUp(server, ("127.0.0.1",))
    allowed = ["allowed.test", "localhost", "127.0.0.1", "::1", "test"]
    tunnel, plain = talk(
        Proxy(allowed, internet),
        b"CONNECT " + name + b":443 HTTP/1.1\r\n\r\n",
        b"GET http://" + name + b"/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
    )
    assert tunnel[9:12] in (b"403", b"400") and plain[9:12] in (b"403", b"400")
    assert not server.asked and not internet.connected and not internet.resolved


def test_the_name_is_compared_in_small_letters_and_the_port_counts(server: Server) -> None:
    internet = MadeUp(server)
    proxy = Proxy(["allowed.test", "other.test:8080"], internet)
    ports = [b"Allowed.TEST:443", b"allowed.test:80", b"other.test:8080"]
    wrong = [b"allowed.test:22", b"other.test:443", b"allowed.test:0", b"allowed.test:99999",
             b"allowed.test:-1", b"allowed.test:", b"allowed.test:4 43", b"allowed.test:\xb2"]  # fmt: skip
    answers = talk(proxy, *(b"CONNECT %s HTTP/1.1\r\n\r\n" % one for one in (*ports, *wrong)))
    assert [answer[9:12] for answer in answers[:3]] == [b"200"] * 3
    assert {answer[9:12] for answer in answers[3:]} <= {b"403", b"400"}
    assert [port for _, port in internet.connected] == [443, 80, 8080]


REFUSED = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.0.0.1", "169.254.169.254", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "ff02::1",
    "::ffff:93.184.215.14", "::ffff:10.0.0.1", "fec0::1", "2002:7f00:1::1", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "100::1",
]  # fmt: skip
OWN = [
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "fd00::1",
    "198.18.0.1",
    "203.0.113.80",
]


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_of_the_internet_is_refused(server: Server, address: str) -> None:
    """Also where the name has a good one, too, and where somebody tries to allow it."""
    for found in ((address,), (PUBLIC, address), (address, PUBLIC)):
        internet = MadeUp(server, found)
        proxy = Proxy(["allowed.test", f"allowed.test={PUBLIC}"], internet)
        [answer] = talk(proxy, b"CONNECT allowed.test:443 HTTP/1.1\r\n\r\n")
        assert answer[9:12] == b"403" and not internet.connected
        assert list(proxy.refused.values()) == [""]


@pytest.mark.parametrize("address", OWN)
def test_an_address_of_ones_own_network_is_allowed_with_the_name(
    server: Server, address: str
) -> None:
    internet, asked = MadeUp(server, (address,)), b"CONNECT allowed.test:443 HTTP/1.1\r\n\r\n"
    proxy = Proxy(["allowed.test"], internet)
    assert talk(proxy, asked)[0][9:12] == b"403" and not internet.connected
    [offered] = proxy.refused.values()
    assert offered == f"allowed.test={address}"
    assert talk(Proxy([offered], internet), asked)[0][9:12] == b"200"
    assert internet.connected == [(address, 443)]
    moved = MadeUp(server, ("10.9.9.9",))
    assert talk(Proxy([offered], moved), asked)[0][9:12] == b"403", "it is allowed there alone"


@pytest.mark.parametrize("address", [PUBLIC, "2606:4700::1111", "64:ff9b::5db8:d70e"])
def test_addresses_of_the_internet(address: str) -> None:
    assert not explain_address(address)


def test_a_request_is_sent_on_as_one_for_that_host(server: Server) -> None:
    """Not with what is for the proxy, nor for a host beside it."""
    wanted = (
        b"GET http://allowed.test HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: x\r\n\r\n"
    )
    [answer] = talk(Proxy(["allowed.test"], MadeUp(server)), wanted)
    assert answer.endswith(b"hello from outside ")
    assert server.asked == [("GET", "/", "allowed.test")]


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n", b"\r\n\r\n", b"GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
        b"GET ftp://allowed.test/ HTTP/1.1\r\n\r\n", b"CONNECT allowed.test:443 HTTP/2\r\n\r\n",
        b"GET http://allowed.test/ HTTP/1.1\r\nA: b\nHost: c\r\n\r\n",
        b"GET http://allowed.test/ HTTP/1.1\r\nHost: a\r\n evil\r\n\r\n",
        b"GET http://allowed.test/a\rb HTTP/1.1\r\n\r\n", b"\x16\x03\x01" * 9, b"x" * 3 * HEAD, b"",
        b"GET http://allowed.test/ HTTP/1.1\r\nA: " + b"x" * HEAD + b"\r\n\r\n",
    ],
    ids=lambda one: ascii(one[:20]),
)  # fmt: skip
def test_what_is_no_request_connects_to_nothing(server: Server, request_: bytes) -> None:
    internet = MadeUp(server)
    [answer] = talk(Proxy(["allowed.test"], internet), request_)
    assert answer[9:12] in (b"400", b"") and not internet.connected


def test_what_was_refused_is_bounded(server: Server) -> None:
    proxy = Proxy([], MadeUp(server))
    talk(proxy, *(b"CONNECT h%d.test:443 HTTP/1.1\r\n\r\n" % n for n in range(MOST_REFUSED + 5)))
    assert len(proxy.refused) == MOST_REFUSED


def test_a_host_that_does_not_answer_is_no_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        server = Server(gone.getsockname()[1])
    proxy = Proxy(["allowed.test"], MadeUp(server))
    [answer] = talk(proxy, b"CONNECT allowed.test:443 HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 502 ") and b"cannot be reached" in answer
    assert not proxy.refused


def test_a_name_in_another_script_is_the_one_that_idna_makes_of_it() -> None:
    assert read_host("BÜCHER.example") == "xn--bcher-kva.example"
    for wrong in ("a..b", "bücher.", "-a.test", "a b", "a\0b", "x" * 64, ".".join(["a"] * 130)):
        with pytest.raises(ValueError, match=r"."):
            read_host(wrong)


@pytest.mark.parametrize(
    ("command", "hosts"),
    [
        ("curl -s https://one.test/x https://two.test:8443", ("one.test", "two.test:8443")),
        ("true && git clone http://One.test/x && make", ("one.test",)),
        ("/usr/bin/wget --no-check https://user:pw@one.test/", ("one.test",)),
        ("curl http://127.0.0.1/ http://localhost:80 http://[::1]/ ftp://one.test", ()),
        ("echo https://one.test; python3 x.py http://two.test; git log", ()),
        ("pip install -i https://index.test/simple x", ("index.test",)),
        ("curl https://one.test:999999/ http://", ()),
        ("echo x >> log; timeout 5 curl -o f 'https://one.test/a b' | sh", ("one.test",)),
        ("python3 -m pip install --index-url=https://index.test/simple x", ("index.test",)),
        ("curl $url https://$host/ https://one.test/$path", ("one.test",)),
        ("(" * 5000, ()),
    ],
)
def test_hosts_that_a_command_names(command: str, hosts: Sequence[str]) -> None:
    assert named_hosts(command) == hosts
