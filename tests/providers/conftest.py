"""Servers that this project did not write, started for the tests that are marked `peers`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.providers import aimock_cases


@pytest.fixture
def nobody_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services that are asked for what they offer are not there: the way to them ends on this
    machine."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")


PACKAGE = "@copilotkit/aimock@1.43"
FIXTURES = [
    {
        "match": {"userMessage": "say hello"},
        "response": {
            "content": "Hello, wörld 🎉!",
            "usage": {"prompt_tokens": 12, "completion_tokens": 5},
        },
    },
    {
        "match": {"userMessage": "think of it", "hasToolResult": True},
        "response": {"content": "Thought so."},
    },
    {
        "match": {"userMessage": "think of it"},
        "response": {
            "reasoning": "Öhm, 🤔 a list first.",
            "reasoningSignature": "c2lnbmVk",
            "redactedThinking": ["c2VjcmV0"],
            "toolCalls": [{"name": "list_files", "arguments": {}}],
        },
    },
    {
        "match": {"userMessage": "look around", "hasToolResult": True},
        "response": {"content": "There is one file."},
    },
    {
        "match": {"userMessage": "look around"},
        "response": {
            "toolCalls": [
                {"name": "list_files", "arguments": {"path": "."}},
                {"name": "read_file", "arguments": {"path": "ä.py"}},
            ]
        },
    },
    {
        "match": {"userMessage": "too fast"},
        "response": {
            "error": {"message": "slow down", "type": "rate_limit_error"},
            "status": 429,
            "retryAfter": 3,
        },
    },
    {
        "match": {"userMessage": "reckon"},
        "response": {
            "content": "42",
            "reasoning": "six times seven",
            "usage": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
        },
    },
    {
        "match": {"userMessage": "at length"},
        "response": {"content": "and so on", "finishReason": "length"},
    },
    {
        "match": {"userMessage": "forbidden"},
        "response": {"content": "No.", "finishReason": "content_filter"},
    },
    {
        "match": {"userMessage": "torn"},
        "response": {"content": "Hello, are you there?"},
        "truncateAfterChunks": 2,
    },
    {
        "match": {"userMessage": "far too much"},
        "response": {
            "status": 400,
            "error": {
                "type": "INVALID_ARGUMENT",
                "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            },
        },
    },
    {
        "match": {"userMessage": "who am I"},
        "response": {
            "status": 400,
            "error": {
                "type": "INVALID_ARGUMENT",
                "message": "API key not valid. Please pass a valid API key.",
            },
        },
    },
]
"""What aimock is told to answer."""


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running aimock; `AGENT_TUI_PEERS` names a folder that keeps the installed
    package."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("Node and npm are needed to run @copilotkit/aimock")
    kept = os.environ.get("AGENT_TUI_PEERS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("aimock")
    program = folder / "node_modules" / ".bin" / "llmock"
    if not program.exists():
        install = [
            npm,
            "install",
            "--prefix",
            str(folder),
            "--no-audit",
            "--no-fund",
            "--silent",
            PACKAGE,
        ]
        done = subprocess.run(install, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            pytest.skip(f"npm cannot install {PACKAGE}: {done.stderr.strip()[:200]}")
    fixtures = tmp_path_factory.mktemp("fixtures") / "fixtures.json"
    fixtures.write_text(
        json.dumps({"fixtures": [*FIXTURES, *aimock_cases.FIXTURES]}), encoding="utf-8"
    )
    command = [
        node,
        str(program),
        "-p",
        "0",
        "-f",
        str(fixtures),
        "-c",
        "3",
        "--strict",
        "--log-level",
        "info",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        try:
            lines: list[str] = []
            for line in process.stdout:
                lines.append(line)
                if found := re.search(r"listening on (http://\S+)", line):
                    break
            else:
                pytest.fail(f"aimock did not start: {''.join(lines)}")
            yield found[1]
        finally:
            process.terminate()
