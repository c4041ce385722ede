"""An identity as AIEOS has it (AI Entity Object Specification, version 1, aieos.org): of its many
fields the few that change how a model speaks and what it cares for, in some lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_tui.structures.visible import reveal_text

VALUE: Final = 300
"""Characters of one value that are used."""
_BIO: Final = ("gender", "age_biological")
_DRIVES: Final = "neural_matrix"


class NoIdentity(ValueError):
    """It is no AIEOS object."""


def describe_identity(raw: str) -> str:
    """The identity in lines. Raises NoIdentity."""
    try:
        found = json.loads(raw)
        if not isinstance(found, dict):
            raise NoIdentity("it is no JSON object")
        lines = [f"{name}: {said}" for name, said in _lines(found) if said]
    except NoIdentity:
        raise
    except ValueError as error:
        raise NoIdentity("it is no JSON") from error
    except RecursionError as error:
        raise NoIdentity("it is no JSON that can be read: it is nested too deeply") from error
    if not lines:
        raise NoIdentity("nothing in it is from the AIEOS specification")
    text = "\n".join(lines).encode("utf-8", "replace").decode()  # half a character, escaped
    return reveal_text(text)[0]


def _lines(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    identity = _section(found, "identity")
    names = _section(identity, "names") or _section(found, "names")
    whole = " ".join(filter(None, (_said(names.get(key)) for key in ("first", "middle", "last"))))
    called = _said(names.get("nickname"))
    yield "Name", f"{whole} ({called})" if whole and called else whole or called
    yield "Bio", _bio(identity, found)
    psychology = _section(found, "psychology")
    traits = _section(psychology, "traits") or psychology
    yield "Traits", _joined(
        traits.get("mbti"), traits.get("temperament"), traits.get("ocean"),
        psychology.get(_DRIVES),
    )  # fmt: skip
    moral = psychology.get("moral_compass")
    compass = moral if isinstance(moral, dict) else {"core_values": moral}
    yield "Values", _joined(compass.get("alignment"), compass.get("core_values"))
    speech = _section(found, "linguistics")
    style, idiolect = _section(speech, "text_style"), _section(speech, "idiolect")
    levels = {
        name: style.get(f"{name}_level", speech.get(name)) for name in ("formality", "verbosity")
    }
    yield "Speech", _joined(style.get("style_descriptors"), style.get("vocabulary_level"), levels)
    yield "Says", _said(idiolect.get("catchphrases") or speech.get("catchphrases"))
    yield "Never says", _said(idiolect.get("forbidden_words") or speech.get("forbidden_words"))
    drives = _section(found, "motivations")
    yield "Drive", _said(drives.get("core_drive"))
    yield "Goals", _listed(drives.get("goals"))
    yield "Fears", _listed(drives.get("fears"))


def _bio(identity: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    bio = identity.get("bio", found.get("bio"))
    if not isinstance(bio, dict):
        return _said(bio)
    work = _section(_section(found, "history"), "occupation").get("title")
    city = _section(identity, "residence").get("current_city")
    return _joined(*(bio.get(key) for key in _BIO), work, city)


def _section(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = of.get(name)
    return value if isinstance(value, dict) else {}


def _joined(*values: object) -> str:
    return "; ".join(filter(None, map(_said, values)))


def _listed(value: object) -> str:
    """A list, or lists under names (short_term, long_term)."""
    return _joined(*value.values()) if isinstance(value, dict) else _said(value)


def _said(value: object) -> str:
    """A value in words, on one line. Keys with `@` explain the others."""
    if isinstance(value, dict):
        pairs = ((str(key), _said(one)) for key, one in value.items())
        said = ", ".join(f"{key} {one}" for key, one in pairs if one and not key.startswith("@"))
    elif isinstance(value, list):
        said = ", ".join(filter(None, map(_said, value)))
    else:
        said = "" if value is None or isinstance(value, bool) else str(value)
    return " ".join(said.split())[:VALUE]
