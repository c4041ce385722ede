"""Is a value one that somebody keeps secret, or a word that stands anywhere? Without a dictionary:
by its shape."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from agent_tui.structures import late

SHORTEST: Final = 8
"""Shorter values are words that appear anywhere; hiding them would damage text and hide nothing."""
_DUMMIES: Final = (
    "abc abcd abcdef abcdefgh access account admin administrator adminadmin api apikey app auth "
    "bar baz bearer changeit changeme changethis cookie credential credentials database default "
    "demo dev developer development docker dummy empty example fake foo foobar guest hello hidden "
    "key letmein lmstudio local localhost login master mock mongo mysql mypass mypassword "
    "mysecret mysecretpassword mytoken nokey nokeyrequired none notneeded notrequired notset null "
    "nopassword ollama pass passphrase passwd password passwort postgres postgresql prod "
    "production qwerty redis replace root sample secret secretkey secretpassword secrettoken "
    "server service session sknokeyrequired staging string supersecret "
    "supersecretpassword system test testing testkey testpass testpassword testsecret testtoken "
    "testtest token topsecret undefined unset user username value welcome xoauthbasic yourpassword"
)
"""What stands in the place of a secret until there is one, in small letters and without digits and
marks."""
_DUMMY: Final = frozenset(_DUMMIES.split())
_PLACEHOLDER: Final = late.pattern(
    r"^[$<%*\[{&]|\$\{|\{\{|%\(|\.\.\.|…|^\*+$|^[xX]{3,}|[xX]{6,}|^(.)\1+$|\[hidden"
    r"|example|placeholder|redacted|your[_-]|change[_-]?me|replace[_-]?me|dummy|notareal|insert[_-]|fixme|todo"
    r"|^(?:os|process|env|config|settings|self|this|args|options|params|request|req|ctx)\.|^(?:https?|file)://"
    r"|^/(?:run|etc|var|home|usr|tmp|proc|dev|opt)/|^(?:1234567|01234567|abcdef|deadbeef)\w*$",
    re.IGNORECASE,
)
_SENTENCES: Final = (
    "account again an any are as at be by can cannot change character characters choose confirm contain contains "
    "current database default digit does empty enter expired failed field for forgot forgotten from generate hash "
    "hide if in incorrect input invalid is it key least leave length letter letters log login long match may minimum "
    "missing more must need new no not of off old only optional or passphrase password passwords please protected "
    "provide random repeat required reset same secret set should show sign some string strong such text that the this "
    "to token try type unless use used user username uses using value weak when which will with without wrong you "
    "your "
)
_ABOUT_PASSWORDS: Final = frozenset(_SENTENCES.split())
"""Words of sentences about passwords, which stand behind the same names as passwords do."""
_PIECES: Final = late.pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_RUN: Final = late.pattern(r"[A-Za-z0-9+/_]{8,}")
_CONSONANTS: Final = late.pattern(r"[bcdfghjklmnpqrstvwxz]{5,}")
_NO_PAIRS: Final = late.pattern(
    r"(?i)bx|c[jvx]|dx|f[qx]|g[qx]|hx|j[^aeiou]|[km]x|p[xz]|q[^u]|sx|tq|v[bfhjmpqtwx]|wx|xj|xx|yq"
    r"|z[bcdfghjklmnpqrstvwx]|[b-df-hj-np-tv-z]q|^([bcdfgjkmnpqtvwz])[bcdfgjkmnpqtvz]"
)
"""Letters that follow one another in no word."""
_FOLLOWERS: Final = (
    "abcdgilmnprstu baeilor cacehiklortu daeiors eacdelmnprstvx faeio gaeir haeiot iabcdefglmnorstv "
    "ke ladeilosty maeiop nacdegiost ocdglmnoprstuv paelort qu racdeimnorsty saehiopstu "
    "tacehiorstu uabcelmnrst vaei"
)
"""A letter, and those that often follow it in words."""
_PAIRS: Final = frozenset(group[0] + second for group in _FOLLOWERS.split() for second in group[1:])
"""Letters that follow one another in many words: four of five pairs in a text, one of five in what
a generator mixes."""
_SHORT_PIECES: Final = 3.5
_LONGEST_WORD: Final = 15
_SHORTEST_MIXED: Final = 10
_OF_NAMES: Final = late.pattern(
    r"pass|pwd|pswd|token|secret|auth|crypt|cred|user|input|field|hash|text|string|key$|id$|name$"
    r"|value$|view$|woord|keyword|kenn|adgang|salas|contras|parol"
)
"""Parts of the names of variables, and of words that say what a password has to be."""
_MODULE: Final = late.pattern(r"_*[a-z]+\d{0,5}(?:_[a-z]+\d{0,3})*|[A-Z][a-z]+(?:[A-Z][a-z]+)*")
_SNAKE: Final = late.pattern(r"_*(?:(?:[a-z]+|[a-z]{1,5}\d{1,5}[a-z]?|\d{1,3})_)+[a-z]{2,15}_?")
_CAMEL: Final = late.pattern(
    r"_*(?P<number>[A-Z]{0,5}[a-z]{0,6}\d{1,5}[a-z]?)?"
    r"(?P<words>(?:[A-Z][a-z]{2,14}|[A-Z]{2,5}(?=[A-Z][a-z]))+)"
)
"""Names as code writes them; what a generator mixes has more digits, and ends with no word."""
_LAST_WORDS: Final = frozenset(("Key", "Token", "Secret", "Auth", "Session", "Cookie", "Signature"))
_VOWEL: Final = late.pattern(r"(?i)[aeiouy]")
_MANY_WORDS: Final = 3
"""Of four letters and more: a phrase that somebody has chosen, and no name of a thing."""


def is_dummy(value: str) -> bool:
    """Whether it only stands in the place of a secret, as `changeme` or `password123` do."""
    return (
        len(value) < 4 or re.sub(r"[^a-z]", "", value.casefold()) in _DUMMY or is_placeholder(value)
    )


def is_placeholder(value: str) -> bool:
    """Whether it is a variable, a path, a piece of code or a gap to fill in."""
    return _PLACEHOLDER.search(value) is not None


def is_word(piece: str) -> bool:
    """Whether letters read like a word: vowels and consonants as in one, and not too long."""
    small = piece.lower()
    if len(small) < 4:
        return len(small) > 1
    vowels = sum(letter in "aeiouy" for letter in small)
    share = vowels / len(small)
    return len(small) <= _LONGEST_WORD and 0.2 <= share <= 0.75 and not _CONSONANTS.search(small)


def words_in(value: str) -> list[str]:
    """The pieces of letters in it, cut where small letters meet large ones."""
    return _PIECES.findall(value)


def is_random(value: str) -> bool:
    """Whether no person has made it up: letters and digits in a long run, few of which make
    words."""
    runs = [run for run in _RUN.findall(value) if _is_mixed(run)]
    if not runs:
        return _is_jumbled(value)
    letters = sum(len(piece) for piece in words_in(value) if len(piece) >= 4 and is_word(piece))
    return letters * 2 < len(value)


def _is_mixed(run: str) -> bool:
    letters, digits = sum(c.isalpha() for c in run), sum(c.isdigit() for c in run)
    return digits > 0 and (letters >= 3 or (letters > 0 and len(run) >= 24))


def _is_jumbled(value: str) -> bool:
    """Whether it is long and of letters alone that make no words."""
    pieces = words_in(value)
    letters = sum(map(len, pieces))
    made = sum(len(piece) for piece in pieces if len(piece) >= 4 and is_word(piece))
    return letters >= 16 and letters == len(value) and made * 2 < letters


def is_weak_password(value: str, digits: int = 1) -> bool:
    """Whether a person may have made it up as a password: one word with at least so many `digits`,
    or with marks."""
    if len(value) < SHORTEST - 2 or is_dummy(value) or any(c.isspace() for c in value):
        return False
    numbers, letters = sum(c.isdigit() for c in value), sum(c.isalpha() for c in value)
    if letters < 3 or numbers < digits or len(value) < SHORTEST:
        return False
    if re.search(r"[!@#%^&*?~$]", value.strip("&")):
        return True
    return len(words_in(value)) == 1 and value[-1].isdigit() and not re.search(r"[_./-]", value)


def is_given_password(value: str) -> bool:
    """Whether it is a password where nothing else can stand, as in `PGPASSWORD=…`: digits among
    letters are enough."""
    if is_dummy(value) or len(value) < SHORTEST - 2:
        return False
    mixed = (
        re.search(r"\d", value)
        and re.search(r"[^\W\d_]", value)
        and not re.search(r"[_./\\()<>]", value)
    )
    return (
        bool(mixed)
        or is_random(value)
        or is_weak_password(value)
        or is_generated(value)
        or is_unreadable(value)
        or is_encoded(value)
        or is_joined_words(value)
    )


def is_letters_alone(value: str) -> bool:
    """Whether it is of letters alone, large and small in no order, as a generator mixes them and no
    name does."""
    if (
        len(value) < _SHORTEST_MIXED
        or not (value.isascii() and value.isalpha())
        or value.islower()
        or value.isupper()
    ):
        return False
    pieces = words_in(value)
    made = sum(len(piece) for piece in pieces if len(piece) >= 4 and is_word(piece))
    return len(pieces) * 2 >= len(value) - 1 and made * 3 < len(value)


def is_unreadable(value: str) -> bool:
    """Whether letters alone make no words: few of their pairs stand in English ones, and still
    fewer where they may be words of another language."""
    small = value.lower()
    if len(small) < _SHORTEST_MIXED or not (small.isascii() and small.isalpha()):
        return False
    common = sum(pair in _PAIRS for pair in map("".join, pairwise(small)))
    foreign = all(len(piece) >= 4 and is_word(piece) for piece in words_in(value))
    return common * (3 if foreign else 2) < len(small) - 1


def is_encoded(value: str) -> bool:
    """Whether it is text that was written as base64, as services hand out passwords. A word that
    is taken for it gives bytes that are no text."""
    if len(value) < _SHORTEST_MIXED or len(value) % 4 or value.islower():
        return False
    try:
        text = base64.b64decode(value, validate=True).strip(b"\0\r\n").replace(b"\0", b":")
    except ValueError:
        return False
    return text.isascii() and text.decode("ascii", "replace").isprintable()


def is_of_names(value: str) -> bool:
    """Whether it may be the name of a variable that has to do with passwords: `pwdFnCbIdx`."""
    return _OF_NAMES.search(value.lower()) is not None


def is_identifier(value: str) -> bool:
    """Whether it is the name of a type or a variable, of words of which one may have a number, as
    in `ed25519.Ed25519PublicKey` and `s3_uri_value`."""
    *above, last = value.split(".")
    if not all(_MODULE.fullmatch(part) for part in above):
        return False
    if _SNAKE.fullmatch(last):
        return all(_reads(word) for word in words_in(last) if len(word) > 3)
    found = _CAMEL.fullmatch(last)
    words = [word for word in words_in(found["words"]) if len(word) > 2] if found else []
    named = len(words) > 1 or (len(words) == 1 and words[0] in _LAST_WORDS)
    return named and all(map(_reads, words))


def _reads(word: str) -> bool:
    return is_word(word) and bool(_VOWEL.search(word)) and not _NO_PAIRS.search(word)


def is_joined_words(value: str) -> bool:
    """Whether a person may have joined words to a password: long, in small letters, and not the
    name of a thing that has to do with passwords."""
    small = value.isascii() and value.isalpha() and value.islower()
    if not small or len(value) < _SHORTEST_MIXED or is_dummy(value):
        return False
    return not is_of_names(value)


def is_generated(value: str) -> bool:
    """Whether a generator may have mixed it: letters with digits, or large and small ones, in
    pieces that are too short for words or read like none. Names of things have longer ones, so it
    counts only where the place is certain to hold a secret."""
    if len(value) < _SHORTEST_MIXED or not (value.isascii() and value.isalnum()):
        return False
    pieces = words_in(value)
    letters = sum(map(len, pieces))
    mixed = any(c.isdigit() for c in value) or not (value.islower() or value.isupper())
    if not letters or not mixed or is_dummy(value):
        return False
    read = (piece for piece in pieces if len(piece) >= 4 and is_word(piece))
    made = sum(len(piece) for piece in read if not _NO_PAIRS.search(piece))
    return letters < _SHORT_PIECES * len(pieces) or made * 2 < letters


def is_jointed(value: str) -> bool:
    """Whether a generator, or a person, joined pieces to a password by hyphens, points or marks
    behind a backslash: versions, dates and names of things have no such digits."""
    pieces = [piece for piece in re.split(r"[-.]|\\.", value) if piece]
    if len(pieces) < 2 or len(value) < _SHORTEST_MIXED or is_dummy(value):
        return False
    if not all(piece.isascii() and piece.isalnum() for piece in pieces):
        return False
    mixed = sum(len(piece) >= 4 and re.search(r"\d[A-Za-z]", piece) is not None for piece in pieces)
    numbers = re.findall(r"\d{4,}", value)
    letters = sum(c.isalpha() for c in value)
    dated = any(re.fullmatch(r"(?:19|20)\d\d(?:\d{4})?", number) for number in numbers)
    return mixed > 1 or (bool(numbers) and letters > 3 and not dated)


def is_phrase(value: str) -> bool:
    """Whether a person may have made up these words as a password: no sentence about passwords, and
    no title."""
    words = value.split(" ")
    if (
        len(words) < 2
        or "" in words
        or value[-1] in ".:,"
        or is_placeholder(value)
        or re.search(r"[<>{}%]|://", value)
    ):
        return False
    if any(re.sub(r"[^a-z]", "", word.lower()) in _ABOUT_PASSWORDS for word in words):
        return False
    if any(is_random(word) or is_weak_password(word) for word in words):
        return True
    if len(words) >= _MANY_WORDS and re.search(r"\d", value) and re.search(r"[!@#^&*?~$]", value):
        return True
    plain = [word for word in words if word.islower() and len(word) >= 3 and is_word(word)]
    mixed = [word for word in words if re.fullmatch(r"\d+[A-Za-z]+|[A-Za-z]+\d+[A-Za-z]\w*", word)]
    return len(plain) > _MANY_WORDS and len(plain) + len(mixed) == len(words)


def is_quoted_password(value: str) -> bool:
    """Whether quoted text is a password: words of somebody's choice, or letters, digits and marks
    that make none."""
    if " " in value:
        mixed = [word for word in value.split(" ") if re.search(r"\d[A-Za-z]", word)]
        return is_phrase(value) or (len(mixed) > 1 and not is_placeholder(value))
    letters = sum(c.isalpha() for c in value)
    made = sum(len(piece) for piece in words_in(value) if len(piece) >= 4 and is_word(piece))
    jumbled = (
        len(value) >= 10 and re.search(r"[!@#%^&*?~$;|]", value) is not None and made * 2 < letters
    )
    return is_weak_password(value) or (jumbled and not is_dummy(value))


def is_secret_value(value: str) -> bool:
    """Whether the value of a variable that is named like a secret is one that stands nowhere else:
    hidden everywhere it would damage code, were it a word such as `password` or `postgres`."""
    if len(value) < SHORTEST or is_dummy(value) or "://" in value:
        return False
    pieces = words_in(value)
    if not any(c.isalpha() for c in value):
        return sum(c.isdigit() for c in value) >= 12
    if sum(len(piece) >= 4 for piece in pieces) >= _MANY_WORDS:
        return True
    if any(c.isdigit() for c in value):
        least = 2 if re.search(r"[-_./:]", value) else 4
        made = sum(len(piece) for piece in pieces if len(piece) >= least and is_word(piece))
        return len(pieces) < 2 or made + 4 < sum(c.isalnum() for c in value)
    return re.search(r"[^\w./-]", value) is not None or not all(is_word(piece) for piece in pieces)


PLACEHOLDER: Final = late.pattern(r"\[hidden:[a-z][a-z-]*:[0-9a-f]{4}\]")
"""What stands in a text in the place of a secret: its kind, and the beginning of its hash, so that
equal ones are seen to be equal."""


class Secret(NamedTuple):
    """Where in a text a secret stands, and of which kind it is."""

    start: int
    end: int
    kind: str


def disjoint(text: str, found: Iterable[Secret]) -> list[Secret]:
    """`found`, in whatever order, so that a text can be put together around them: in order, none
    over another, and none over the placeholder of what was hidden before."""
    apart: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
        elif one.end > apart[-1].end:
            apart[-1] = apart[-1]._replace(end=one.end)
    return (
        [piece for one in apart for piece in _around_placeholders(text, one)]
        if "[hidden:" in text
        else apart
    )


def _around_placeholders(text: str, secret: Secret) -> Iterator[Secret]:
    at = secret.start
    line = max(text.rfind("\n", 0, at) + 1, at - 80)
    for hidden in PLACEHOLDER.finditer(text, line):
        if hidden.start() >= secret.end:
            break
        if hidden.start() > at:
            yield Secret(at, hidden.start(), secret.kind)
        at = max(at, hidden.end())
    if at < secret.end:
        yield Secret(at, secret.end, secret.kind)
