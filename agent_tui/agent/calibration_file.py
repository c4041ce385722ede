"""What was learned of models' tokens, kept over restarts: one small file in the cache folder. It can be made again, so
what cannot be read or written is left out, and the log says so."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.safety import paths

log = logging.getLogger(__name__)

NAME: Final = "tokens.json"
MOST: Final = 400
"""Entries that are kept, the newest."""
LONGEST: Final = 200_000
"""Bytes of a file that is one of ours."""
LARGEST: Final = 10**12
"""Bytes that can be told of; no number that is none."""
Seen = dict[tuple[str, str], tuple[float, float]]
"""Bytes and tokens, by model and side."""


def load(folder: Path) -> Seen:
    path = folder / NAME
    try:
        data = json.loads(paths.read_regular(path, LONGEST)[:LONGEST])
        good = ((model, side, size, count) for model, side, size, count in data if 0 < count <= size < LARGEST)
        return {(str(model), str(side)): (float(size), float(count)) for model, side, size, count in good}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        log.warning("the learned token sizes cannot be read:  %s: %s", path, error)
        return {}


def save(folder: Path, seen: Mapping[tuple[str, str], tuple[float, float]]) -> None:
    """Add `seen` to what other sessions learned meanwhile."""
    whole = load(folder)
    for key, value in seen.items():
        whole.pop(key, None)
        whole[key] = value
    rows = [[*key, round(size, 1), round(count, 1)] for key, (size, count) in list(whole.items())[-MOST:]]
    try:
        make_private(folder)
        paths.atomic_write(folder / NAME, json.dumps(rows).encode(), 0o600)
    except (OSError, ValueError) as error:
        log.warning("the learned token sizes cannot be saved:  %s", error)
