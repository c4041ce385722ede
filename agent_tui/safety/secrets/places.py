"""Secrets that the place where they stand gives away: in an address, an element of XML, a command,
a line of a file of passwords; and hashes of passwords. Each rule is tried only where a mark of its
own stands in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from agent_tui.safety.secrets.strength import (
    Secret,
    is_dummy,
    is_generated,
    is_given_password,
    is_joined_words,
    is_placeholder,
    is_quoted_password,
    is_random,
    is_weak_password,
)

_ADDRESS: Final = r"://[^/?#\s:@\"'`\[]{0,256}:(?P<value>[^/?#\s@\"'`]{1,256})@"
_USER: Final = r"https?://(?P<value>[^/?#\s:@\"'`<>]{16,256})(?P<rest>:[^/?#\s@\"'`]{0,256})?@"
_PROXY: Final = (
    r"(?i:proxy)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?"
    r"[^/?#\s:@\"'`=]{1,64}:(?P<value>[^/?#\s@\"'`]{1,256})@"
)
"""The address of a proxy, which may stand without a scheme."""
_CHANNEL: Final = r"://[^/?#\s\"'`]{1,256}/t/(?P<value>[\w-]{8,128})(?=/)"
"""The token in the address of a channel of conda."""
_NIX_TOKENS: Final = r"access-tokens[ \t]*=[ \t]*(?P<list>[^\n\"']{1,2000})"
_NIX_TOKEN: Final = r"[\w./-]{1,128}=(?:PAT:|OAuth2:)?(?P<value>\S{8,256})"
_PGPASS: Final = (
    r"(?m:^(?:[\w./~-]{0,128}pgpass[\w.-]{0,16}:)?(?:[ \t]{0,8}\d{1,7}(?:[^\x00-\x7f]{1,3}|:|\t))?[+-]?"
    r"[^:\s#]{1,255}:(?:5432\d|543\d|6432|6543|\*)"
    r":[^:\s]{1,63}:[^:\s]{1,63}:(?P<value>(?:[^\s:\\]|\\.){6,256})$)"
)
_PORTS: Final = (":543", ":6432:", ":6543:", ":*:")
_NAME: Final = (
    r"[\w.:-]{0,64}?(?i:pass(?:word|wd|phrase)|pwd|secret|token|credential|"
    r"(?:api|access|private|secret|auth)[_.-]?key)"
)
_ELEMENT: Final = rf"<(?P<tag>{_NAME})[ \t]{{0,4}}>(?P<value>[^<>\s]{{6,512}})</(?P=tag)>"
_PASSWORD_ELEMENT: Final = (
    r"<(?P<tag>[\w.:-]{0,64}?(?i:password|passwd|passphrase))>(?P<value>[a-z]{6,64})</(?P=tag)>"
)
_ATTRIBUTE: Final = (
    rf"(?:key|name)=(?P<quote>[\"']){_NAME}(?P=quote)(?:[ \t]{{1,4}}value=[\"']|>)"
    r"(?P<value>[^<>\s\"']{6,512})[\"'<]"
)
_OPTIONS: Final = (
    (" -p", "", r"(?:mysql|mariadb)[\w-]*|mycli|7z[ar]?|(?:un)?rar|sshpass"),
    (" -p ", "", r"sshpass|(?:docker|podman|az|oc|cf|registry) login|mongo\w*|cqlsh|rdesktop"),
    (" -P", "[ ]?", r"zip|unzip|sqlcmd|bcp|mosquitto_\w+|ipmitool"),
    (" -a ", "", r"redis-cli"),
    (" -a ", "USER", r"https?|xh"),
    (" -w ", "", r"ldap\w+"),
    (" -U", "[ ]?USER", r"smbclient|rpcclient|curl"),
    (" -u", "[ ]?USER", r"curl|lftp"),
    (" --user", "[ =]USER", r"curl"),
    (" --proxy-user", "[ =]USER", r"curl"),
    (" -pass", r"(?:in|out)?[ ](?:pass:)?", r"openssl"),
    (" -k ", "", r"openssl"),
    (" -storepass ", "", r"keytool|jarsigner"),
    (" -keypass ", "", r"keytool|jarsigner"),
    (" -A ", "", r"snmp\w+"),
    (" -X ", "", r"snmp\w+"),
    (" -b", r"\w*[ ]+[^\s-]\S*[ ]+[\w.@-]+[ ]+", r"htpasswd"),
    (" -nb", r"\w*[ ]+[\w.@-]+[ ]+", r"htpasswd"),
)
"""An option, what stands between it and a password, and the programs that take one there."""
_OPTION: Final = " -(?:" + "|".join(sorted({option[2:] for option, _, _ in _OPTIONS})[::-1]) + ")"
_PROGRAM: Final = r"(?:.*[^\w$.-])?(?:{})(?:[ \t][^|;&]*)?"
_USER_PART: Final = r"[\"']?[^\s:%,\"'\\]{1,64}[:%,]"
_GIVEN: Final = r"[\"']?(?P<value>[^\s\"';|&<>()]{6,256})"
_SETTING: Final = (
    r"(?:configure set[ \t]+(?:[\w.-]{1,64}\.)?aws_(?:secret_access_key|session_token)[ \t]+"
    r"|(?:requirepass|masterauth|bindpw|rootpw)[ \t]+"
    r"|(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)=)" + _GIVEN
)
_SETTINGS: Final = (
    "requirepass",
    "masterauth",
    "bindpw",
    "rootpw",
    "configure set ",
    "PGPASSWORD=",
    "MYSQL_PWD=",
    "SSHPASS=",
    "REDISCLI_AUTH=",
)
"""Of redis, LDAP and databases: what stands behind them is a password."""
_AUTH: Final = (
    r"(?m:^(?:[^\s>]{0,80}>[ \t]*|[CS]:[ \t]*|[\s+|-]{0,16})AUTH[ \t]+(?:[\w.@-]{1,64}[ \t]+)?"
    r"(?P<value>(?![A-Z0-9-]+\s*$)[^\s\"']{6,256})[ \t\r]*$)"
)
"""The command of redis and of mail servers, alone in a line or behind a prompt."""
_PIPED: Final = (
    r"\b(?:echo|printf)[ \t]+(?:-n[ \t]+)?[\"']?(?P<value>[^\s\"'|]{4,256})[\"']?[ \t]*\|[ \t]*"
    r"(?:sudo[ \t]+(?:-\w+[ \t]+)*-\w*S|[^|\n]{1,200}(?:--password-stdin|--passphrase-fd|--stdin)"
    r"|kinit\b|cryptsetup\b)"
)
"""What is handed to a program that reads a password."""
_CHANGED: Final = (
    r"\b(?:echo|printf)[ \t]+(?:-\w[ \t]+)?[\"']?[\w.-]{1,64}:(?P<value>[^\s\"'|]{4,256})[\"']?[ \t]*"
    r"\|[ \t]*(?:sudo[ \t]+)?chpasswd"
)
_ORACLE: Final = (
    r"(?:jdbc:oracle:\w{2,8}:|sqlplus[ \t]+)[^/\s@:]{1,64}/(?P<value>[^\s@\"'`]{4,128})@"
)
_DATABASE: Final = (
    r"://[^/?#\s:@\"'`]{0,256}:(?!\d{1,5}(?:/|\b[^@]*[?=]))(?P<value>[^\s@\"'`<>{}]{1,256})@"
)
_SCHEME: Final = (
    r"\b(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|mssql)(?:\+\w{2,16})?$"
)
"""An address whose password has a mark that would end it elsewhere."""
_SQL: Final = (
    r"(?i:\b(?:create|alter|set)[ \t]+(?:user|role|login|password)\b[^\n;]{0,200}?"
    r"(?:identified[ \t]+(?:with[ \t]+\S{1,40}[ \t]+)?by|password)[ \t]*=?[ \t]*)'(?P<value>[^'\n]{6,128})'"
)
_SQL_WORDS: Final = ("identified ", "password '", "password = '", "password='")
_PSK: Final = r"(?<![\w.])psk[ \t]*=[ \t]*[\"']?(?P<value>[^\s\"'.,;()\[\]{}]{8,64})(?=[\s\"']|$)"
_PLIST: Final = rf"<key>{_NAME}</key>\s{{0,40}}<string>(?P<value>[^<>\s]{{6,512}})</string>"
_ONE_TIME: Final = r"otpauth://[^\s\"']{1,300}?[?&]secret=(?P<value>[A-Za-z2-7]{16,128})"
_JWK: Final = r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,8}:\s{0,8}\"(?P<value>[A-Za-z0-9_-]{22,2000})\""
"""The private numbers of a key in JSON, whose kind stands beside them as `kty`."""
_SEED: Final = (
    r"(?:seed|mnemonic|recovery|wallet)[^\n]{0,40}?(?:[:=]|\n)[ \t\"']{0,8}"
    r"(?P<value>(?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){3}){0,4}[a-z]{3,8})(?![ \t]?\w)"
)
"""Twelve words, or three more up to 24, as wallets show them."""
_LONGEST_HEAD: Final = 2_000
_COLUMN: Final = (
    r"[ \t]*[\"']?(?:\w{1,24}[ _-])?(?:password|passwd|passwort|pwd|passphrase)[\"']?[ \t]*"
)
_HEADS: Final = (
    r"[\"']?[\w -]{1,40}[\"']?(?:(?:[\t;]|,(?! ))[\"']?[\w -]{0,40}[\"']?){1,100}\r?",
    r"[ \t]*\|?(?:[^|\n]{1,40}\|){1,100}[^|\n]{0,40}",
)
"""The first line of a table: names without marks, and in a table with commas no blanks behind them.
"""
_CRYPT: Final = r"[./A-Za-z0-9]"
_HASH: Final = (
    r"(?P<value>"
    rf"\$2[abxy]?\$\d\d\${_CRYPT}{{53}}"
    rf"|\$(?:1|apr1)\${_CRYPT}{{1,8}}\${_CRYPT}{{22}}"
    rf"|\$[56]\$(?:rounds=\d{{1,9}}\$)?{_CRYPT}{{1,16}}\$(?:{_CRYPT}{{86}}|{_CRYPT}{{43}})"
    rf"|\$g?y\${_CRYPT}{{2,8}}\${_CRYPT}{{1,86}}\${_CRYPT}{{43}}"
    r"|\$argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,90}"
    r"|\$scrypt\$ln=\d+,r=\d+,p=\d+\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,90}"
    r"|\$?pbkdf2[_-]sha(?:1|256|512)\$\d{3,9}\$[./A-Za-z0-9]{8,90}\$[./A-Za-z0-9+]{27,90}={0,2}"
    r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,110}={0,2}"
    r")(?![\w./+$-])"
)
_HASHES: Final = ("$", "pbkdf2", "{S")
_SHOWN: Final = r"(?i:example|sample|vector|expect|assert|verify|test|demo|fixture)"
"""Words of a line that only shows what a hash looks like, or checks one."""
_AROUND: Final = 200
_QUOTED: Final = (
    r"(?i:pass(?:word|wd|phrase)|pwd|(?<![a-z])pass)"
    r"(?:[_-]?(?i:prod|production|dev|test|live|staging|\d{1,2}))?"
    r"\\?[\"']?\]?[ \t]{0,8}(?::=|=>|==?|:)[ \t]{0,8}"
    r"(?P<quote>\\?[\"'])(?P<value>[^\"'\\\n]{8,128})(?P=quote)"
)
_MESSAGE: Final = (
    r"(?i:err|msg|message|invalid|label|hint|help|title|placeholder|prompt|text|desc|wrong|forg[eo]t|reset|confirm|change"
    r"|show|hide|missing|short|weak|note)[\w.-]*$"
)
"""How the name of a message about passwords begins."""
_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PUBLIC: Final = rf"{_UUID}|[0-9a-f]{{32}}"
"""A user of an address that is no secret: the public key by which a service tells projects apart.
"""
MARKS: Final = (
    "://",
    "echo ",
    "printf ",
    *(option for option, _, _ in _OPTIONS),
    *_SETTINGS,
    "AUTH ",
    "jdbc:",
    "sqlplus",
    "psk",
    "Q~",
    '"kty"',
    *_PORTS,
    "$1$",
    "$2$",
    "$2a$",
    "$2b$",
    "$2y$",
    "$5$",
    "$6$",
    "$y$",
    "$apr1$",
    "$argon2",
    "$scrypt$",
    "pbkdf2",
    "{SHA",
    "{SSHA",
)
"""Where one of these stands, a secret may begin that is known only once its line has ended."""
LABELS: Final = ("identified ", "mnemonic", "recovery", "seed", "wallet")
"""The same, in small letters or large ones."""
_compiled = cache(re.compile)


def find_placed(text: str, small: str) -> Iterator[Secret]:
    """The secrets that their places in `text` give away; `small` is the same in small letters."""
    if "://" in text and "@" in text:
        yield from _values(_ADDRESS, text, lambda value: len(value) < 4 or not is_dummy(value))
        yield from _of_databases(text)
        yield from _users(text)
    if "@" in text and "proxy" in small:
        yield from _values(_PROXY, text, lambda value: len(value) < 4 or not is_dummy(value))
    if "/t/" in text:
        yield from _values(_CHANNEL, text, is_random)
    if "access-tokens" in text:
        for found in _compiled(_NIX_TOKENS).finditer(text):
            for token in _compiled(_NIX_TOKEN).finditer(text, *found.span("list")):
                yield Secret(*token.span("value"), "token")
    if any(port in text for port in _PORTS):
        yield from _values(_PGPASS, text, is_given_password)
    if "</" in text:
        yield from _values(_ELEMENT, text, _is_password)
        yield from _values(_PASSWORD_ELEMENT, text, is_joined_words)
        yield from _values(_PLIST, text, is_given_password)
    if "key=" in text or "name=" in text:
        yield from _values(_ATTRIBUTE, text, _is_password)
    named = "passw" in small
    for found in (*_beginning(_SETTING, text, _SETTINGS), *_after_options(text)):
        if not is_placeholder(found["value"]) and is_given_password(found["value"]):
            yield Secret(*found.span("value"), "password")
    if "AUTH " in text:
        yield from _values(_AUTH, text, is_given_password)
    if named and "chpasswd" in text:
        yield from _values(_CHANGED, text, lambda value: not is_dummy(value))
    if "jdbc:oracle" in text or "sqlplus" in text:
        yield from _values(_ORACLE, text, lambda value: not is_dummy(value))
    if "identified by" in small or (named and any(words in small for words in _SQL_WORDS)):
        yield from _values(_SQL, text, is_given_password)
    if "psk" in text:
        yield from _values(_PSK, text, is_given_password)
    if "otpauth://" in text:
        yield from _values(_ONE_TIME, text, lambda _: True)
    if '"kty"' in text:
        yield from _values(_JWK, text, is_random)
    if any(label in small for label in ("seed", "mnemonic", "recovery ", "wallet")):
        yield from (
            Secret(*found.span("value"), "wallet-key") for found in _compiled(_SEED).finditer(small)
        )
    if named:
        yield from _columns(text, small)
    if "echo " in text or "printf " in text:
        yield from _values(_PIPED, text, lambda value: not is_dummy(value))
    yield from _hashes(text)
    yield from _phrases(text, small)


def places(text: str, part: str) -> Iterator[int]:
    """Where `part` stands in `text`."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _beginning(pattern: str, text: str, beginnings: tuple[str, ...]) -> Iterator[re.Match[str]]:
    """Where `pattern` fits in `text`: it begins with one of `beginnings`, and where a word
    begins."""
    match = _compiled(pattern).match
    for beginning in beginnings:
        for at in places(text, beginning):
            if not (text[at - 1 : at].isalnum() or text[at - 1 : at] in ("$", "_")) and (
                found := match(text, at)
            ):
                yield found


def _after_options(text: str) -> Iterator[re.Match[str]]:
    """What stands behind the options of programs that take a password there."""
    for place in _compiled(_OPTION).finditer(text):
        at = place.start()
        near = max(0, at - _AROUND)
        start = max(near, text.rfind("\n", near, at) + 1)
        for option, between, programs in _OPTIONS:
            if not text.startswith(option, at):
                continue
            value = _compiled(between.replace("USER", _USER_PART) + _GIVEN)
            found = value.match(text, at + len(option))
            if found and _compiled(_PROGRAM.format(programs)).fullmatch(text, start, at):
                yield found


def _is_password(value: str) -> bool:
    return is_random(value) or is_weak_password(value) or is_generated(value)


def _values(pattern: str, text: str, judge: Callable[[str], bool]) -> Iterator[Secret]:
    for found in _compiled(pattern).finditer(text):
        if not is_placeholder(found["value"]) and judge(found["value"]):
            yield Secret(*found.span("value"), "password")


def _users(text: str) -> Iterator[Secret]:
    """Tokens that stand where the name of a user stands, as services for repositories take them."""
    for found in _compiled(_USER).finditer(text):
        value = found["value"]
        alone = found["rest"] in (None, ":", ":x-oauth-basic")
        public = _compiled(_PUBLIC).fullmatch(value) and found["rest"] is None
        if alone and not public and not is_placeholder(value) and is_random(value):
            yield Secret(*found.span("value"), "token")


def _of_databases(text: str) -> Iterator[Secret]:
    for found in _compiled(_DATABASE).finditer(text):
        value, is_database = (
            found["value"],
            _compiled(_SCHEME).search(text[max(0, found.start() - 40) : found.start()]),
        )
        if is_database and not is_placeholder(value) and (len(value) < 4 or not is_dummy(value)):
            yield Secret(*found.span("value"), "password")


def _phrases(text: str, small: str) -> Iterator[Secret]:
    """Passwords with blanks or marks, in quotes behind a name that is not the name of a message."""
    for name in ("pass", "pwd"):
        for at in places(small, name):
            found = _compiled(_QUOTED).match(text, at)
            is_message = _compiled(_MESSAGE).search(text[max(0, at - 40) : at])
            if found and not is_message and is_quoted_password(found["value"]):
                yield Secret(*found.span("value"), "password")


def _columns(text: str, small: str) -> Iterator[Secret]:
    """What stands in the columns of tables that are named like passwords: with bars, commas,
    semicolons or tabs."""
    after = 0
    for at in places(small, "passw"):
        if at < after:
            continue
        near = max(after, at - _LONGEST_HEAD)
        start, end = (
            max(near, text.rfind("\n", near, at) + 1),
            text.find("\n", at, at + _LONGEST_HEAD),
        )
        after, head = end + 1 or at + _LONGEST_HEAD, text[start:end]
        mark = next((mark for mark in "|\t;," if mark in head), "")
        if end < 0 or not mark or not _compiled(_HEADS[mark == "|"]).fullmatch(head):
            continue
        columns = [
            at
            for at, cell in enumerate(head.split(mark))
            if _compiled(f"(?i:{_COLUMN})").fullmatch(cell)
        ]
        while columns and (line := _line(text, after)).count(mark) == head.count(mark):
            cells = line.split(mark)
            for column in columns:
                value = cells[column].strip(" \t\r\"'`")
                if not is_placeholder(value) and is_given_password(value):
                    place = (
                        after
                        + sum(len(cell) + 1 for cell in cells[:column])
                        + cells[column].index(value)
                    )
                    yield Secret(place, place + len(value), "password")
            after += len(line) + 1


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at : end if end >= 0 else len(text)]


def _hashes(text: str) -> Iterator[Secret]:
    for found in _beginning(_HASH, text, _HASHES):
        before = text[max(0, found.start() - _AROUND) : found.start()].rpartition("\n")[2]
        after = text[found.end() : found.end() + _AROUND].partition("\n")[0]
        if not _compiled(_SHOWN).search(f"{before} {after}"):
            yield Secret(*found.span("value"), "password-hash")
