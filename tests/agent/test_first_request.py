"""What the first request costs before a word of the person is in it."""

from __future__ import annotations

import json
from pathlib import Path

from agent_tui.agent.turn.tool_offer import tool_groups
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.context.prompt import PromptInput, build

CHARACTERS = 4
"""Of a token, about."""


def test_the_first_request_with_all_tools_leaves_room_in_a_small_window() -> None:
    tools = enabled_tools(()).values()
    offered = [tool.spec() for tool in tools if not tool.group]
    given = PromptInput(Path("/home/user/project"), offered, groups=tool_groups(tools))
    prefix = build(given)
    schemas = [
        {"name": one.name, "description": one.description, "parameters": one.parameters}
        for one in offered
    ]
    sent = prefix.system + json.dumps(schemas, separators=(",", ":"))
    assert len(sent) / CHARACTERS <= 2_500
