"""Runs commands in the workspace sandbox, as whoever starts this; prints as JSON what came of each.

Only the standard library and the program's own: another Python than that of the tests may run it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.sandbox.network_proxy import Internet, Proxy
from agent_tui.safety.sandbox.profiles import LANDLOCK
from agent_tui.safety.sandbox.workspace_sandbox import find_held, look_through, profile


async def main(
    backend: str, roots: list[str], commands: list[tuple[str, bool]], seconds: float
) -> None:
    """`backend`: as a profile says it; `roots`: the folders of the session. Of each command it is
    said whether it is one of git alone."""
    folders = tuple(map(Path, roots))
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    for command, is_alone in commands:
        real = [Path(os.path.realpath(folder)) for folder in folders]
        found = look_through(real)
        held = () if is_alone else find_held(found, real, backend)
        try:
            result = await processes.run(
                command,
                folders[0],
                environment,
                seconds,
                lambda _: None,
                Captured(200_000, None),
                confined=profile(folders, environment, backend=backend, found=found, held=held),
                network=Proxy([], Internet()) if backend != LANDLOCK else None,
            )
        except OSError as error:
            print(json.dumps([None, str(error), ""]))
            continue
        print(json.dumps([result.exit_code, result.output, result.refused]))
        if result.job is not None:
            print(json.dumps({"job": result.job.pids}))
            sys.stdout.flush()
            sys.stdin.read()
    await processes.settle(10.0)


if __name__ == "__main__":
    backend, roots, commands, seconds = sys.argv[1:]
    asyncio.run(main(backend, json.loads(roots), json.loads(commands), float(seconds)))
