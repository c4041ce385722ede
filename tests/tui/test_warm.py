"""What the first answer needs is there before it comes: no key waits while patterns are compiled."""

from __future__ import annotations

import subprocess
import sys

ANSWER = """\
import re, sys
compiled = []
wrapped = re._compiler.compile
def compile(pattern, flags):
    compiled.append(pattern)
    return wrapped(pattern, flags)
re._compiler.compile = compile
from agent_tui.structures.markdown_stream import split
from agent_tui.tui.markdown.render import render
if "warm" in sys.argv:
    from agent_tui.tui.runtime import preload
    preload._draw_once()
    compiled.clear()
answer = '''# Words

With *some*, **more**, `code`, [a link](https://a.example/b), https://b.example and 漢字.

- [x] done
1. one

> said

| a | b |
|---|---|
| 1 | 2 |

```python
def f(x: int) -> str:
    return f"{x!r}"  # why
```
```bash
echo "$HOME" | grep -v x
```
'''
for piece in split(answer):
    render(piece.text, 60, len)
print(len(compiled), *compiled, sep="\\n")
"""


def compiled(*args: str) -> list[str]:
    """The patterns that are compiled while an answer is drawn for the first time in a process."""
    done = subprocess.run(
        [sys.executable, "-c", ANSWER, *args], capture_output=True, text=True, check=True
    )
    count, *patterns = done.stdout.splitlines()
    assert int(count) <= len(patterns)
    return patterns


def test_nothing_is_compiled_for_the_first_answer() -> None:
    assert len(compiled()) > 100
    assert compiled("warm") == []
