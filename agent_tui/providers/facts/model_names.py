"""What is known of hosted models by their names, where no server says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WINDOW: Final = 128_000
"""Tokens of a window where nothing is known."""
ANSWER: Final = 4_096
"""Tokens of an answer where nothing is known of a hosted model: its server may have a smaller
number, or none."""


@dataclass(frozen=True, slots=True)
class Facts:
    window: int = 0
    images: bool | None = None


_FACTS: Final[Mapping[str, Facts]] = {
    r"gpt-5(\.\d+)?-chat|chatgpt-4o|gpt-4o|gpt-4-turbo": Facts(128_000, True),
    r"gpt-5\.[6-9]|gpt-([6-9]|\d\d)": Facts(1_050_000, True),
    r"gpt-5": Facts(400_000, True),
    r"gpt-4\.1": Facts(1_047_576, True),
    r"gpt-4": Facts(8_192, False),
    r"gpt-3\.5": Facts(16_385, False),
    r"gpt-oss": Facts(131_072, False),
    r"o1-mini|o1-preview": Facts(128_000, False),
    r"o3-mini": Facts(200_000, False),
    r"o[134](?![\w.])": Facts(200_000, True),
    r"kimi-k[3-9]": Facts(1_048_576, True),
    r"kimi-k2\.[56]": Facts(262_144, True),
    r"kimi-k2": Facts(262_144, False),
    r"moonshot-v1-8k": Facts(8_192, False),
    r"moonshot-v1-32k": Facts(32_768, False),
    r"moonshot-v1-128k": Facts(131_072, False),
    r"qwen3-coder-(plus|flash)": Facts(1_000_000, False),
    r"qwen3\.8-max": Facts(1_000_000, True),
    r"qwen3-max": Facts(262_144, False),
    r"qwen-(plus|flash|turbo)": Facts(131_072, False),
    r"qwen-max": Facts(32_768, False),
    r"qwq": Facts(131_072, False),
    r"glm-4\.\dv": Facts(65_536, True),
    r"glm-5\.[23]": Facts(1_000_000, False),
    r"glm-4\.[67]|glm-5": Facts(200_000, False),
    r"glm-4\.5": Facts(131_072, False),
    r"deepseek-flash": Facts(1_000_000, True),
    r"deepseek-v4": Facts(1_000_000, False),
    r"deepseek-(chat|reasoner)": Facts(131_072, False),
    r"mistral-(large|medium)|devstral|ministral|codestral|mistral-small": Facts(131_072),
}
_FOUND: Final = [(re.compile(pattern), facts) for pattern, facts in _FACTS.items()]
_REASONS: Final = re.compile(
    r"gpt-([5-9]|\d\d)(?!.*chat)|o[134](?![\w.])(?!-(mini|preview)$)|o[34]-mini|codex"
)


def reasons(model: str) -> bool:
    """Whether a model of OpenAI thinks before it answers: the others refuse to be asked how."""
    return bool(_REASONS.match(model.rpartition("/")[2].lower()))


def facts(model: str) -> Facts:
    """Of the first family that `model` is of; a router's names have the maker in front."""
    name = model.rpartition("/")[2].lower()
    return next((known for pattern, known in _FOUND if pattern.match(name)), Facts())
