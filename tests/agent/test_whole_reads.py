"""How much of a file one read gives: as much as the model's window has room for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_tui.protocol.events import ToolEnded
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed

LINES = 1_500


@pytest.mark.parametrize(("window", "whole"), [(200_000, True), (32_000, False), (0, False)])
def test_a_file_of_1500_lines_is_one_call_in_a_large_window(
    tmp_path: Path, window: int, whole: bool
) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    lines = [f"value_{number} = compute_it({number}, {number})" for number in range(LINES)]
    (place.cwd / "a.py").write_text("\n".join(lines))
    read = streamed(call("read_file", json.dumps({"path": "a.py"})), end="tool_calls")
    with model_server(read, said("ok")) as server:
        server.window = window
        with engine(place, server) as driver:
            driver.turn("read a.py")
            [ended] = driver.all(ToolEnded)
    assert (len(ended.content.splitlines()) == LINES) is whole
    assert ("Read on with start_line=" in ended.content) is not whole
