"""What stands in files whose purpose is secrets (`.env`, `.netrc`, `credentials.json`): there, any
value behind the name of a secret is one, whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from agent_tui.safety import protected_names
from agent_tui.safety.secrets.strength import Secret
from agent_tui.structures import late

_SETTING: Final = (
    r"(?i:pass(?:word|wd|phrase|wort|code)?|pwd?|secret|token|credentials?|_auth|\"auth"
    r"|(?<!public)(?<!publishable)(?<=[a-z])[_.-]?key(?:[_-]data)?)"
    r"(?:_?(?i:base64|base|prod|dev|test|live|\d{1,2}))?"
    r"\\?[\"']?[ \t]*(?:=>|:=|=|:)[ \t]*(?:(?i:bearer|basic)[ \t]+)?"
    r"(?:\\?(?P<quote>[\"'])(?P<quoted>(?:(?!(?P=quote))[^\n\\]|\\[^\n\"'])+)"
    r"|(?P<value>[^\s\"',\[{][^\n]*))"
)
_AFTER_USER: Final = (
    r"(?:^[ \t+-]*|\b(?:login|user|username|account)[ \t]+\S+[ \t]+)"
    r"(?:(?:is|there|with)[ \t]+)*pass(?:word|wd)?[ \t]+[\"']?(?P<value>[^\s\"'=:]\S*?)[\"']?(?=\s|$)"
)
"""In netrc files, and those of mail programs."""
_ENTRY: Final = (
    r"^[+-]?[^\s:#\"'{=/]+:(?:(?:\d+|\*):[^:\s]+:[^:\s]+:)?"
    r"(?P<value>[^\s:/{\"'](?:[^\s:\\]|\\.)*)\r?$"
)
"""In files of users and their passwords (`.htpasswd`), and in `.pgpass`."""
_GAP: Final = late.pattern(
    r"\$\w+|\$[({].*|<[^<>]*>|\{\{.*|%\w+%|%\(\w+\)s|\*+|x{3,}|\.{3}|…|null|none|nil|~|true|false"
    r"|undefined|your[_-].*|change[_-]?me|\d{1,3}|(?:/|~/|\./)[\w.-]+(?:/[\w.-]+)*\.\w+|\[hidden:.*"
    r"|[0-9a-f]{4}\].*",
    re.IGNORECASE,
)
"""What is no value: a variable, a place to fill in, nothing, a path, a placeholder."""
_COMMENT: Final = late.pattern(r"[ \t]#")
_SHOWN_LINE: Final = (
    r"(?m:^(?P<path>[^\s:]{0,200}\.env[\w.]{0,20})[:-](?:\d{1,7}[:-])?(?P<rest>[^\n]+))"
)
"""A line of a file of secrets, as a search shows it."""
_READER: Final = late.pattern(
    r"\s*(?:(?:\w+=\S*|sudo)\s+)*(?:\S*/)?(?:awk|bat(?:cat)?|cat|cut|diff|[ef]?grep|git\s+(?:diff|log|show)"
    r"|head|jq|less|more|nl|paste|rg|sed|sort|strings|tac|tail|type|uniq|yq)\s"
)
"""A program that shows what is in the files which are named to it."""
_MOST_WORDS: Final = 1_000
_compiled = cache(re.compile)


def shows_secrets(command: str) -> bool:
    """Whether a command shows what is in a file whose name means secrets: `cat .env`."""
    for part in re.split(r"[|;&\n]+", command):
        if reader := _READER.match(part):
            words = set(re.findall(r"[^\s\"'<>()]+", part[reader.end() :]))
            if len(words) > _MOST_WORDS:
                return True  # too many to look at each
            paths = (word.rpartition(":")[2].split("/") for word in words)
            if any(protected_names.is_secret(path) for path in paths):
                return True
    return False


def find_given(text: str) -> Iterator[Secret]:
    """The values of a file of secrets."""
    for pattern in (_SETTING, _AFTER_USER, _ENTRY):
        for found in _compiled(pattern, re.MULTILINE).finditer(text):
            name = "quoted" if found.groupdict().get("quoted") else "value"
            value = _COMMENT.split(found[name], maxsplit=1)[0].rstrip()
            if not _GAP.fullmatch(value):
                yield Secret(found.start(name), found.start(name) + len(value), "password")


def find_in_lines_of_files(text: str) -> Iterator[Secret]:
    """The same in what a search shows of files of which one is such a file."""
    for line in _compiled(_SHOWN_LINE).finditer(text) if ".env" in text else ():
        if protected_names.is_secret(line["path"].split("/")):
            at = line.start("rest")
            for start, end, kind in find_given(line["rest"]):
                yield Secret(at + start, at + end, kind)
