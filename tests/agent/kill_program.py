"""A session of forty steps on the real engine, that goes on with itself until it is done, or until
it is killed.

    python -m tests.agent.kill_program FOLDER MODEL SESSION SEED

Every record that was told is a line of stdout (its number): by then it must be in the log. Now and
then the changes of files are taken back and made again.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    ErrorRaised,
    Event,
    Notice,
    Restored,
    SessionStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Continue, Op, RestoreFiles, SaveDraft, Submit
from agent_tui.protocol.transcript import Transcript
from tests.agent.driving import PATIENCE, Place

PROMPT = "do all of it"


def script() -> list[list[dict[str, object]]]:
    """Forty answers: words that stream, new files, edits, commands that must run once, and an end."""
    steps: list[list[dict[str, object]]] = []
    for number in range(39):
        said: dict[str, object] = {"text": f"step {number} ", "repeat": 30, "delay": 0.001}
        match number % 4:
            case 0:
                call = {
                    "call": "create_file",
                    "arguments": {"path": f"f{number}", "content": f"{number}\n" * 50},
                }
            case 1:
                edit = {
                    "path": f"f{number - 1}",
                    "old": f"{number - 1}\n",
                    "new": f"{number}!\n",
                    "replace_all": True,
                }
                call = {"call": "edit_file", "arguments": edit}
            case 2:
                call = {
                    "call": "run_shell_command",
                    "arguments": {"command": f"echo {number} >> ran.txt"},
                }
            case _:
                call = {"call": "list_files", "arguments": {"path": "."}}
        steps.append([said, call])
    return [*steps, [{"text": "all done"}]]


class Life:
    """One run of the program."""

    def __init__(self, folder: Path, model: str, session: str, seed: int) -> None:
        self.random = random.Random(seed)
        config = Place(folder).config(
            model, resume=session, mode="auto" if seed % 2 else "accept-all"
        )
        self.worker = Worker(config)
        self.worker.start(lambda: None)
        self.seen = Transcript()
        self.begun = False
        self.untold: list[int] = []

    def hear(self) -> Event | Restored:
        event = self.worker.events.get(timeout=PATIENCE)
        self.seen = event.apply(self.seen)
        if isinstance(event, ApprovalAsked):
            self.send(Answer(event.id, "once"))
        if isinstance(event, Event) and event.settled:
            self.acknowledge(event)
        return event

    def acknowledge(self, event: Event) -> None:
        """What opening a session says is on record only with the first that happens in it."""
        self.untold.append(event.n)
        self.begun = self.begun or not isinstance(event, SessionStarted | Notice | ErrorRaised)
        if self.begun:
            print(*self.untold, sep="\n", flush=True)
            self.untold.clear()

    def send(self, op: Op) -> None:
        self.worker.send(op)

    def until(self, kind: type[Event], of: str = "") -> Event:
        while not isinstance(event := self.hear(), kind) or (
            of and isinstance(event, Answered) and event.kind != of
        ):
            pass
        assert isinstance(event, Event)
        return event

    def run(self) -> None:
        self.until(SessionStarted)
        while True:
            if self.random.random() < 0.5:
                self.send(SaveDraft(f"a thought {self.random.random()}"))
                for redo in (False, True):
                    self.send(RestoreFiles(redo=redo))
                    self.until(Answered, "restored")
            self.send(Continue() if len(self.seen.marks) else Submit(PROMPT))
            end = self.until(TurnEnded)
            if isinstance(end, TurnEnded) and end.state == "completed":
                break
        self.worker.stop(10)
        print("done", flush=True)


if __name__ == "__main__":
    Life(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])).run()
