"""What is left of what was said early once the conversation was summarised five times: 20 facts and
10 instructions.

    python -m benchmarks.needles [--quick]
    NEEDLES_URL=http://127.0.0.1:8080/v1 python -m benchmarks.needles

They are in the first prompts of a session of the engine as it runs; other turns follow until there
were five summaries. Then each is asked for, and the question is taken back. The floor: the same
questions to the same model, with all of them in the prompt and no conversation. A scripted model
writes summaries that lose nothing and answers what its request tells; `NEEDLES_URL` (and
`NEEDLES_MODEL`, if it is not the first on the list) is a server with a real one.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx

from agent_tui.context.compaction import INSTRUCTION
from agent_tui.protocol.events import (
    AssistantReplied,
    Compacted,
    CompactionStarted,
    CompactionStopped,
    Rewound,
    TurnStarted,
)
from agent_tui.protocol.ops import Rewind
from agent_tui.providers.facts.model_entries import entry_facts
from agent_tui.settings.table import AgentSettings
from benchmarks.common import Goal, folder, judged, median, quick, report
from tests.agent.driving import Driver, Place
from tests.agent.model_server import Always, Answer, ModelServer, engine, model_server, said

SUMMARIES = 5
MOST_TURNS = 150
PATIENCE = 900.0
WINDOW = 4_096
BATCH = 5
"""Facts or instructions in one prompt."""
FULL = 0.8
"""Part of what the same model answers without a conversation that a real model should keep."""


@dataclass(frozen=True, slots=True)
class Needle:
    """`mark`: the words of `says` that tell it, and that a right answer has; or that answer fits
    `right`."""

    says: str
    asks: str
    mark: str
    right: str = ""

    def is_answered(self, answer: str) -> bool:
        return bool(re.search(self.right or re.escape(self.mark), answer, re.IGNORECASE))


FACTS = (
    Needle("The staging database listens on port 6543.", "Staging database: which port?", "6543"),
    Needle("The project lead is Dana Okoye.", "Who is the project lead?", "Okoye"),
    Needle(
        "The production server is named heron.", "What is the production server named?", "heron"
    ),
    Needle("Releases wait for the equinox.", "For what do releases wait?", "equinox"),
    Needle("The bug tracker's prefix is QLM.", "What is the bug tracker's prefix?", "QLM"),
    Needle("The logo is vermilion.", "Which colour is the logo?", "vermilion"),
    Needle("Backups are in the folder /srv/vault.", "In which folder are backups?", "/srv/vault"),
    Needle("The cache holds 3719 entries.", "How many entries does the cache hold?", "3719"),
    Needle("The parser is written in Zig.", "In what is the parser written?", "Zig"),
    Needle("The office is in Tromsø.", "In which town is the office?", "Troms"),
    Needle("The oldest customer is Varga Ltd.", "Who is the oldest customer?", "Varga"),
    Needle("The main branch is called trunk.", "What is the main branch called?", "trunk"),
    Needle("Logs are kept for 452 days.", "How many days are logs kept?", "452"),
    Needle("The mascot is a walrus.", "Which animal is the mascot?", "walrus"),
    Needle("The build machine has 968 cores.", "How many cores has the build machine?", "968"),
    Needle("The queue is RabbitMQ.", "What is the queue?", "RabbitMQ"),
    Needle("The flag for dry runs is --pretend.", "What is the flag for dry runs?", "--pretend"),
    Needle("The test user is called mirabel.", "What is the test user called?", "mirabel"),
    Needle("The licence is MPL-2.0.", "What is the licence?", "MPL-2"),
    Needle("Version 3 was named Basalt.", "What was version 3 named?", "Basalt"),
)
RULES = (
    Needle("Write dates like 2031-05-17.", "Write the date of 3 March 2027.", "2031-05-17", "2027-03-03"),
    Needle("Begin commit messages with 'fix!'.", "Write a commit message for a corrected typo.", "fix!"),
    Needle("Begin names of branches with 'team/'.", "Name a branch for the login page.", "team/"),
    Needle("Install with pnpm.", "Give the command that installs left-pad.", "pnpm"),
    Needle("Greet with 'Ahoy'.", "Greet me.", "Ahoy"),
    Needle("Say 'Affirmative' for yes.", "Is 2 less than 3? Answer yes or no.", "Affirmative"),
    Needle("Name test files check_*.py.", "Name the test file of parser.py.", "check_", "check_parser"),
    Needle("Variables begin with HRN_.", "Name an environment variable for the port.", "HRN_"),
    Needle("Sign letters with 'Team Osprey'.", "Write the last line of a letter.", "Osprey"),
    Needle("Indent Python by three spaces.", "Write a Python function that returns 1.",
           "three spaces", r"(?m)^ {3}return"),
)  # fmt: skip
NEEDLES = (*FACTS, *RULES)
FILLERS = ("list", "queue", "stack", "tree", "graph", "hash", "lock", "thread", "socket", "pipe")


@dataclass
class Found:
    """`there`: how many needles were in the request behind the last summary."""

    there: int = 0
    facts: int = 0
    rules: int = 0
    turns: int = 0
    summaries: list[Compacted] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    in_vain: int = 0
    """Summaries beside them that saved too little to be put in place."""

    def count(self, needle: Needle, answer: str) -> None:
        right = needle.is_answered(answer)
        self.facts += right and needle in FACTS
        self.rules += right and needle in RULES
        if os.environ.get("NEEDLES_SHOW"):
            print(f"{'right' if right else 'WRONG'}: {needle.asks} -> {answer!r}", file=sys.stderr)


def is_summary(body: dict[str, Any]) -> bool:
    return bool(body["messages"][0]["content"] == INSTRUCTION)


def told(body: dict[str, Any]) -> str:
    """What a request says before its last message, without the instructions."""
    return "\n".join(str(one["content"]) for one in body["messages"][1:-1])


# -- the models


def scripted(body: dict[str, Any]) -> Answer:
    """A model that loses nothing that it is told, and makes nothing up."""
    text = "\n".join(str(one["content"]) for one in body["messages"])
    if is_summary(body):
        return said("\n".join(one.says for one in NEEDLES if one.says in text))
    last = str(body["messages"][-1]["content"])
    for one in NEEDLES:
        if one.asks in last:
            return said(example(one) if one.says in text else "I do not know.")
    return said("noted " + "word " * 80)


def example(needle: Needle) -> str:
    """A right answer."""
    return {"2027-03-03": "2027-03-03", "check_parser": "check_parser.py"}.get(
        needle.right, "def f():\n   return 1" if needle.right else needle.mark
    )


def passed_on(url: str) -> Callable[[dict[str, Any]], Answer]:
    """What the server at `url` answers, byte for byte."""

    def answer(body: dict[str, Any]) -> Answer:
        def write(to: BaseHTTPRequestHandler) -> None:
            target = f"{url}/chat/completions"
            with httpx.stream("POST", target, json=body, timeout=PATIENCE) as response:
                to.send_response(response.status_code)
                to.send_header("Content-Type", response.headers.get("content-type", ""))
                to.end_headers()
                for piece in response.iter_raw():
                    to.wfile.write(piece)

        return write

    return answer


def served(url: str) -> tuple[str, int]:
    """The model to ask at `url`, and its window."""
    listed = httpx.get(f"{url}/models", timeout=PATIENCE).json()["data"]
    wanted = os.environ.get("NEEDLES_MODEL") or listed[0]["id"]
    [entry] = [one for one in listed if one["id"] == wanted]
    return wanted, entry_facts(entry).window or WINDOW


# -- the measurement


def measure(server: ModelServer, model: str) -> Found:
    found = Found()
    name = f"compatible/{model}"
    once = AgentSettings(continues=0)  # a small model that rambles is not asked to go on
    with folder() as root, engine(Place(root), server, once, model_name=name) as driver:
        driver.patience = PATIENCE
        for first in range(0, len(NEEDLES), BATCH):
            says = " ".join(one.says for one in NEEDLES[first : first + BATCH])
            driver.turn(f"Remember: {says} Answer with one word: noted.")
        while len(driver.all(Compacted)) < SUMMARIES and found.turns < MOST_TURNS:
            many, one = divmod(found.turns, len(FILLERS))
            of = FILLERS[(one + many + 1) % len(FILLERS)]
            driver.turn(f"What is a {FILLERS[one]} beside a {of}? Two sentences.")
            found.turns += 1
        found.summaries, found.in_vain = driver.all(Compacted), len(driver.all(CompactionStopped))
        found.seconds = seconds(driver)
        for needle in NEEDLES:
            found.count(needle, asked(driver, needle))
            if needle is NEEDLES[0]:
                [*_, body] = (body for body in server.bodies if not is_summary(body))
                found.there = sum(one.mark in told(body) for one in NEEDLES)
    return found


def seconds(driver: Driver) -> list[float]:
    """What each summary took."""
    took, began = [], 0.0
    for event in driver.events:
        if isinstance(event, CompactionStarted):
            began = event.at
        elif isinstance(event, Compacted | CompactionStopped):
            took.append(event.at - began)
    return took


def asked(driver: Driver, needle: Needle) -> str:
    """The answer; all questions meet the same conversation."""
    driver.turn(needle.asks)
    begun = driver.all(TurnStarted)[-1]
    answers = [one.text for one in driver.all(AssistantReplied) if one.n > begun.n]
    driver.send(Rewind(begun.n))
    driver.until(Rewound)
    return "\n".join(answers)


def measure_floor(server: ModelServer, model: str) -> Found:
    """The same questions with all needles in the prompt."""
    found = Found(len(NEEDLES))
    everything = "\n".join(one.says for one in NEEDLES)
    for needle in NEEDLES:
        messages = [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": f"{everything}\n\n{needle.asks}"},
        ]
        body = {"model": model, "messages": messages, "stream": True}
        answer = httpx.post(f"{server.address}/chat/completions", json=body, timeout=PATIENCE)
        found.count(needle, streamed_text(answer.text))
    return found


def streamed_text(stream: str) -> str:
    data = [line.removeprefix("data: ") for line in stream.splitlines() if "{" in line]
    choices = [choice for one in data for choice in json.loads(one).get("choices", ())]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def row(name: str, found: Found) -> tuple[str, ...]:
    facts, rules = f"{found.facts} of {len(FACTS)}", f"{found.rules} of {len(RULES)}"
    if not found.summaries:
        return (name, f"{found.there} of {len(NEEDLES)}", facts, rules, "", "")
    before, after = (
        median([getattr(one, end) for one in found.summaries]) for end in ("before", "after")
    )
    return (
        f"{name} {len(found.summaries)} summaries, {found.in_vain} in vain, {found.turns} turns",
        f"{found.there} of {len(NEEDLES)}",
        facts,
        rules,
        f"{before:,.0f} / {after:,.0f}",
        f"{median(found.seconds):.1f} s",
    )


def main() -> None:
    url = "" if quick() else os.environ.get("NEEDLES_URL", "").rstrip("/")
    rows: list[tuple[str, ...]] = []
    goals: list[Goal] = []
    for real in (False, True)[: 2 if url else 1]:
        with model_server() as server:
            model, server.window = served(url) if real else ("m", WINDOW)
            server.listed = [model]
            server.answers = Always(server, passed_on(url) if real else scripted)
            found, floor = measure(server, model), measure_floor(server, model)
        who = f"{model}:" if real else "scripted:"
        rows += [row(who, found), row(f"floor: {who} all in the prompt", floor)]
        answered, best = found.facts + found.rules, floor.facts + floor.rules
        if real:
            words = f"{model} answers ≥ {FULL:.0%} of its floor ({answered} of {best})"
            goals.append(judged(words, answered >= FULL * best))
        else:
            words = f"a summary that has all loses none (is {answered} of {len(NEEDLES)})"
            goals.append(judged(words, answered == found.there == len(NEEDLES)))
    header = (
        "needles after",
        "in the next request",
        "facts",
        "instructions",
        "tokens",
        "a summary",
    )
    report("What five summaries leave", header, rows, goals)
    if not url:
        print(
            "a real model: start its OpenAI-compatible server, NEEDLES_URL=http://127.0.0.1:8080/v1"
        )


if __name__ == "__main__":
    main()
