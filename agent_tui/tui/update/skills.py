"""What the engine told of the skills: `[{name, description, arguments, free, source}]`, read with care."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def names(answers: Mapping[str, Any]) -> frozenset[str] | None:
    """The names of the skills; None while the engine has not told them."""
    return frozenset(str(skill.get("name", "")) for skill in listed(answers)) if "skills" in answers else None


def listed(answers: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    data = answers.get("skills")
    return [entry for entry in data if isinstance(entry, Mapping)] if isinstance(data, list | tuple) else []


def hint(skill: Mapping[str, Any]) -> str:
    arguments = skill.get("arguments")
    named = " ".join(f"<{name}>" for name in arguments) if isinstance(arguments, list | tuple) else ""
    return named or ("[text]" if skill.get("free") else "")
