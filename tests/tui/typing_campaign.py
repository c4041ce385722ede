"""Somebody types at any speed in a real terminal while questions come and go: none is answered, and
no key is lost.

`python -m tests.tui.typing_campaign 40` plays so many questions, and prints its seed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.agent.driving import Place
from tests.tui.linear.talk import environment
from tests.tui.pty_stage import Pty

ASKS = "yes, once"
AWAY = 2.5
"""Seconds after which nothing that was pressed before counts any more."""
WORDS = (
    "add tests",
    "all of it",
    "every day",
    "easy",
    "as it is",
    "so",
    "look 2 files",
    "zany",
    "2 more",
    "yes do",
    "no wait",
    "many",
    "1 2 3",
    "44 y",
)
"""Most begin with a letter that chooses an answer."""


class Typist:
    """A person with a script of their own. `sent`: what they sent with Enter."""

    def __init__(self, pty: Pty, random: Random) -> None:
        self.pty, self.random = pty, random
        self.sent: list[str] = []

    def press(self, key: str, gap: float) -> None:
        self.pty.type(key)
        end = time.monotonic() + gap
        while (left := end - time.monotonic()) > 0:
            self.pty.read(left)

    def words(self) -> None:
        """Some prompts, each sent with Enter, key by key."""
        for _ in range(self.random.randint(1, 3)):
            fast = self.random.random() < 0.5
            gap = self.random.uniform(0.02, 0.15) if fast else self.random.uniform(0.02, 1.2)
            text = self.random.choice(WORDS)
            for letter in text:
                self.press(letter, gap)
            self.press("\r", max(0.06, gap))  # sooner, it would be a paste
            self.sent.append(text)

    def search(self) -> None:
        """A list, words in it that fit nothing, and Enter: each of it may come when the question
        has taken it away."""
        gap = self.random.uniform(0.06, 1.2)
        self.press(self.random.choice(("\x1bOP", "\x12")), gap)
        for letter in "zqx"[: self.random.randint(0, 3)]:
            self.press(letter, gap)
        self.press("\r", gap)


def play(folder: Path, questions: int, seed: int) -> list[str]:
    """What was answered or lost; empty: nothing."""
    random, place = Random(seed), Place(folder)
    files = [{"path": f"{number}.txt", "content": "x\n"} for number in range(questions + 1)]
    steps = [[{"call": "create_file", "arguments": file}] for file in files]
    model = place.script(*steps, [{"text": "done"}])
    argv = ["-m", "agent_tui", "--cwd", str(place.cwd), "-m", model]
    pty, wrong = Pty(argv, environment(place, TERM="xterm-256color"), (100, 40)), list[str]()
    person = Typist(pty, random)
    try:
        pty.until("Enter send")
        pty.read(1.0)
        pty.type("go\r")
        for number in range(questions):
            exact = random.random() < 0.6
            pty.read(random.uniform(0.0, 1.0))
            (person.words if exact else person.search)()
            pty.until(ASKS)
            pty.read(AWAY)
            if ASKS not in pty.text or any(place.cwd.glob("*.txt")):
                wrong.append(f"question {number} was answered: {pty.text}")
                break
            if not exact:
                pty.type("\x15")  # what was typed when the list was gone
                pty.read(0.3)
            pty.choose("\x1bn")
            pty.type("\r")
            pty.until(f"Create {number}.txt")
        pty.read(AWAY)
    finally:
        pty.close()
    queued = queue_of(place)
    wrong += (
        [f"not in the queue: {person.sent}, but {queued}"]
        if not is_within(person.sent, queued)
        else []
    )
    return [f"seed {seed}: {one}" for one in wrong]


def queue_of(place: Place) -> list[str]:
    """The prompts that were ever in the queue, in their order."""
    found = dict[str, str]()
    for file in place.home.rglob("*.jsonl"):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            if record.get("type") == "queue_changed":
                found.update((item["id"], item["text"]) for item in record["items"])
    return list(found.values())


def is_within(sent: list[str], queued: list[str]) -> bool:
    """Whether `queued` holds `sent` in its order; of what was typed into a list that went, there
    may be more."""
    rest = iter(queued)
    return all(any(one == other for other in rest) for one in sent)


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"seed {seed}, {questions} questions", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        wrong = play(Path(folder), questions, seed)
    print("\n".join(wrong) or "nothing was answered, no key was lost")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
