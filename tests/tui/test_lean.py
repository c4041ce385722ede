"""The screen is imported without what it never uses, and whoever wants that later gets the real
thing."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from pathlib import Path

from agent_tui.tui.core.model import initial
from tests.tui.story import still

AFTER = """
import sys
from agent_tui.tui.textual_port.import_trim import PALETTE, trim_imports
with trim_imports():
    import agent_tui.tui.runtime.start
print(sorted({"ssl", PALETTE, "textual.types"} & set(sys.modules)))
import ssl, textual.command, textual.types, textual.widgets
assert ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED
assert textual.command.CommandPalette.__module__ == PALETTE
with trim_imports():
    import ssl as again
assert again is ssl and sys.modules[PALETTE] is textual.command, "what was there stays"
"""
TLS = """
from agent_tui.tui.textual_port.import_trim import trim_imports
with trim_imports():
    import agent_tui.tui.runtime.start
import httpx, sys
try:
    httpx.get(f"https://127.0.0.1:{sys.argv[1]}/", timeout=5)
except httpx.ConnectError as error:
    print(error)
"""


WHOLE = """
import os, sys
from agent_tui.cli import main
from agent_tui.structures import ascii
os.isatty = lambda _: True
def end(_):
    print(sorted({"ssl", "argparse", "pkgutil", "textual.command"} & set(sys.modules)), "textual.app" in sys.modules)
    raise SystemExit
ascii.wants_ascii = end  # asked for once all is there that the screen needs
main.main([])
"""


def python(code: str, *arguments: str) -> str:
    argv = [sys.executable, "-c", code, *arguments]
    root = Path(__file__).parents[2]
    return subprocess.run(
        argv, cwd=root, check=True, capture_output=True, text=True, timeout=60
    ).stdout


def test_what_was_left_out_can_be_had_afterwards() -> None:
    assert python(AFTER) == "[]\n"


def test_the_command_line_brings_nothing_of_it_either() -> None:
    assert python(WHOLE) == "[] True\n"


def test_no_style_sheet_of_textual_is_read() -> None:
    """Most of what they say is about widgets that are not here. Whoever takes another of Textual's
    brings its sheets:
    `inherit_css=False`, and what it needs in `style.tcss`."""
    app = still(initial())

    async def run() -> None:
        async with app.run_test(size=(100, 30)):
            pass

    asyncio.run(run())
    sheets = [str(path) for path, _ in app.stylesheet.source]
    assert sheets
    assert not [path for path in sheets if "agent_tui" not in Path(path).parts]


def test_the_engine_speaks_tls() -> None:
    """The server answers the handshake with plain words: the error is TLS's own, so TLS was spoken."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer_plainly, args=(listening,), daemon=True).start()
        assert "SSL" in python(TLS, str(listening.getsockname()[1]))


def answer_plainly(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(1)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
