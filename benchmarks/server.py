"""A local OpenAI-compatible server (standard library): what it answers is said by the last prompt.

    stream 1500@100 500@1000    Markdown tokens: 1,500 at 100 a second, then 500 at 1,000; each part
    ends `PART<n>`
    stream 20000@0 #3           as fast as they are read (a rate of 0); part n also ends with
    `sign(3 + n)`
    hang                        one word, then nothing more
    call NAME {"json": "..."}   one tool call; after its result, one word

Prints its base URL, then serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from itertools import cycle
from typing import Any

SAMPLE = """\
## A section about the parser

The parser walks each token and keeps a *small* stack, so that **nested** blocks close in order when a
paragraph ends, while the render loop repaints only rows whose `cells` have changed since the last frame.

- read the file with `read_file`
- change one line, run the tests again
  - and look at what they say
- stop when all of them pass

```python
def walk(tokens: list[Token]) -> Iterator[Block]:
    stack: list[Block] = []
    for token in tokens:
        if token.closes:
            yield stack.pop()
        else:
            stack.append(Block(token))
```

| name   | lines | time  |
|--------|------:|-------|
| parse  |   120 | 1 ms  |
| layout |   340 | 12 ms |

> What is closed is never parsed again, so the end of a long answer costs what its beginning did.

"""
TOKENS = re.findall(r"\s*\S{1,5}|\s+", SAMPLE)
BATCH = 200
"""Events per write where they go as fast as they are read: one system call for each would be the
slowest part."""
GREEK = "αβγδεζηθικλμνξοπρςστυφχψω"

Delta = dict[str, Any]


def sign(number: int) -> str:
    """A word that nothing else on the screen shares a letter with, so that it is always written
    whole."""
    return GREEK[number % len(GREEK)] * 5


def text_part(text: str) -> Delta:
    return {"content": text}


async def stream(plan: str) -> AsyncIterator[list[Delta]]:
    parts = re.findall(r"(\d+)@(\d+)", plan)
    asked = re.search(r"#(\d+)", plan)
    for number, (count, rate) in enumerate(parts, 1):
        async for batch in paced(int(count), int(rate)):
            yield batch
        mark = f"PART{number} {sign(int(asked[1]) + number)}" if asked else f"PART{number}"
        yield [text_part(f"\n```\n\n{mark}\n\n" if open_fence(int(count)) else f"\n\n{mark}\n\n")]


async def paced(count: int, rate: int) -> AsyncIterator[list[Delta]]:
    """`count` tokens, `rate` a second; 0: in large batches, without a pause."""
    tokens: Iterator[str] = cycle(TOKENS)
    if not rate:
        for left in range(count, 0, -BATCH):
            yield [text_part(next(tokens)) for _ in range(min(left, BATCH))]
        return
    begin = time.monotonic()
    for sent in range(count):
        await asyncio.sleep(max(0.0, begin + sent / rate - time.monotonic()))
        yield [text_part(next(tokens))]


def open_fence(count: int) -> bool:
    """Whether the sample, cut after `count` tokens, ends inside its code."""
    return "".join(TOKENS[: count % len(TOKENS)]).count("```") == 1


async def answer(messages: list[dict[str, Any]]) -> AsyncIterator[list[Delta]]:
    """The answer as batches of deltas; each batch is written at once."""
    last = messages[-1]
    asked = next((str(m["content"]) for m in reversed(messages) if m["role"] == "user"), "")
    command, _, rest = asked.split("\n", 1)[0].partition(" ")
    if last["role"] == "tool":
        yield [text_part("finished")]
    elif command == "stream":
        async for batch in stream(rest):
            yield batch
    elif command == "hang":
        yield [text_part("begun\n\n")]
        await asyncio.sleep(3600)
    elif command == "call":
        name, _, arguments = rest.partition(" ")
        made = {"index": 0, "id": f"call-{time.monotonic_ns()}", "type": "function"}
        yield [{"tool_calls": [{**made, "function": {"name": name, "arguments": arguments}}]}]
    else:
        yield [text_part("hello")]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1])) if length else b""
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
        if head.split(" ", 2)[1].endswith("/chat/completions"):
            writer.write(b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            await completion(json.loads(body)["messages"], writer)
        else:
            writer.write(b"Content-Type: application/json\r\n\r\n")
            writer.write(
                json.dumps(
                    {"object": "list", "data": [{"id": "bench", "object": "model"}]}
                ).encode()
            )
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        return  # the client has gone: what a cancel does
    finally:
        writer.close()


async def completion(messages: list[dict[str, Any]], writer: asyncio.StreamWriter) -> None:
    reason = "stop"
    async for batch in answer(messages):
        reason = "tool_calls" if "tool_calls" in batch[-1] else "stop"
        writer.write(
            b"".join(
                text_event(delta["content"]) if "content" in delta else event(delta)
                for delta in batch
            )
        )
        await writer.drain()
    writer.write(event({}, reason) + chunk(b"data: [DONE]\n\n") + chunk(b""))


@cache
def text_event(text: str) -> bytes:
    """One event a token; the tokens repeat, so the server costs next to nothing beside what it
    feeds."""
    return event(text_part(text))


def event(delta: Delta, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    data = json.dumps({"object": "chat.completion.chunk", "choices": [choice]})
    return chunk(f"data: {data}\n\n".encode())


def chunk(data: bytes) -> bytes:
    """HTTP's chunked coding, a chunk an event: what servers of models send, and part of what
    reading them costs."""
    return b"%x\r\n%b\r\n" % (len(data), data)


async def main() -> None:
    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
