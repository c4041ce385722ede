"""What looks like a secret: formats that issuers give to keys, and values that stand where a
password stands.

No rule goes by randomness alone: hashes and ids explain failures. A format is looked for only where
its beginning stands in the text, so that ordinary text costs little more than a search for each.
Everything here is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final

from agent_tui.safety.secrets.control_sequences import find_through, strip_sequences
from agent_tui.safety.secrets.places import LABELS, MARKS, find_placed, places
from agent_tui.safety.secrets.private_keys import FIRST_LETTERS, find_key_lines
from agent_tui.safety.secrets.secret_files import find_given, find_in_lines_of_files
from agent_tui.safety.secrets.strength import (
    Secret,
    disjoint,
    is_encoded,
    is_generated,
    is_identifier,
    is_joined_words,
    is_jointed,
    is_letters_alone,
    is_of_names,
    is_placeholder,
    is_random,
    is_unreadable,
    is_weak_password,
)
from agent_tui.structures import late

FORMATS: Final = (
    ("aws-key", "AKIA", r"AKIA[A-Z0-9]{16}"),
    ("aws-key", "ASIA", r"ASIA[A-Z0-9]{16}"),
    ("openai-key", "sk-", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("anthropic-key", "sk-ant-", r"sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{20,}"),
    ("stripe-key", "k_live_", r"[sr]k_live_[A-Za-z0-9]{16,}"),
    ("stripe-key", "k_test_", r"[sr]k_test_[A-Za-z0-9]{16,}"),
    ("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("github-token", "gh", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    ("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab-token", "gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[A-Za-z0-9_-]{20,}"),
    ("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    (
        "slack-hook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    ("discord-hook", "/api/webhooks/", r"/api/webhooks/\d+/[A-Za-z0-9_-]{40,}"),
    ("telegram-token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    ("google-key", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    ("google-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{50,}"),
    ("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    ("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    ("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    ("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    ("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("square-token", "sq0", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}"),
    ("databricks-token", "dapi", r"dapi[0-9a-f]{32}"),
    ("heroku-key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,}"),
    ("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    ("notion-key", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    ("notion-key", "secret_", r"secret_[A-Za-z0-9]{43}"),
    ("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("newrelic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    ("grafana-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    ("grafana-token", "glc_", r"glc_[A-Za-z0-9+/]{32,}={0,2}"),
    ("dynatrace-token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("vault-token", "hv", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    ("fly-token", "fm2_", r"fm2_[A-Za-z0-9+/=_-]{40,}"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}"),
    ("supabase-key", "sbp_", r"sbp_[0-9a-f]{40}"),
    ("supabase-key", "sb_secret_", r"sb_secret_[A-Za-z0-9_-]{20,}"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("azure-key", "Key=", r"(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{43,86}={1,2}"),
    ("azure-secret", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    ("alibaba-key", "LTAI", r"LTAI[A-Za-z0-9]{12,24}"),
    ("tencent-key", "AKID", r"AKID[A-Za-z0-9]{32,}"),
    ("atlassian-token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{100,}"),
    ("bitbucket-token", "ATBB", r"ATBB[A-Za-z0-9]{28,32}"),
    ("cloudflare-key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    ("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{27,}"),
    ("dropbox-token", "sl.", r"sl\.[A-Za-z0-9_-]{130,}"),
    ("facebook-token", "EAA", r"EAA[A-Za-z0-9]{80,}"),
    ("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{40,}"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{48,}"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{64,}"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,}"),
    ("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    ("sentry-token", "sntry", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("sourcegraph-token", "sgp_", r"sgp_[A-Za-z0-9_-]{40,}"),
    ("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.-]{59}"),
    (
        "web-token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{10,}+(\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})?",
    ),
    (
        "teams-hook",
        "/webhookb2/",
        r"/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[\w/-]{36,}",
    ),
    ("discord-token", "", r"\b[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ("google-token", "1//0", r"1//0[A-Za-z0-9_-]{40,}"),
    ("google-token", ":APA91b", r"[A-Za-z0-9_-]{11,40}:APA91b[A-Za-z0-9_-]{100,}"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("brevo-key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("contentful-token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{40,}"),
    ("mapbox-token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    ("posthog-key", "phx_", r"phx_[A-Za-z0-9_-]{40,}"),
    ("infisical-token", "st.", r"st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("jfrog-key", "AKCp", r"AKCp[A-Za-z0-9]{60,}"),
    ("jfrog-token", "cmVmdGtuO", r"cmVmdGtuO[A-Za-z0-9]{50,}"),
    ("sonar-token", "sq", r"sq[aup]_[0-9a-f]{40}"),
    ("tailscale-key", "tskey-", r"tskey-[a-z]{3,8}-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}"),
    ("onepassword-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9_-]{200,}"),
    ("dbt-token", "dbt", r"dbt[cu]_[A-Za-z0-9_-]{36,}"),
    ("prefect-key", "pn", r"pn[ub]_[A-Za-z0-9]{36}"),
    ("readme-key", "rdme_", r"rdme_[a-z0-9]{60,}"),
    ("duffel-token", "duffel_", r"duffel_(?:live|test)_[A-Za-z0-9_-]{40,}"),
    ("easypost-key", "EZ", r"EZ[AT]K[A-Za-z0-9]{50,}"),
    ("circleci-token", "CCIP", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}"),
    ("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    ("fly-token", "fo1_", r"fo1_[A-Za-z0-9_-]{40,}"),
    ("netlify-token", "nf", r"nf[pcub]_[A-Za-z0-9]{36}"),
    ("neon-key", "napi_", r"napi_[a-z0-9]{50,}"),
    ("clojars-token", "CLOJARS_", r"CLOJARS_[0-9a-z]{60}"),
    ("crates-token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14}"),
    ("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{32}-X"),
    (
        "braintree-token",
        "access_token$",
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    ("aws-key", "ABSK", r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws-token", "amzn.mws.", r"amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("tavily-key", "tvly-", r"tvly-[A-Za-z0-9-]{32,}"),
    ("jina-key", "jina_", r"jina_[A-Za-z0-9_-]{50,}"),
    ("sandbox-key", "e2b_", r"e2b_[0-9a-f]{40}"),
    ("hubspot-token", "pat-", r"pat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    ("wallet-key", "prv", r"[a-z]prv[1-9A-HJ-NP-Za-km-z]{90,112}"),
    (
        "wallet-key",
        "",
        r"\b(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![\w+/=-])",
    ),
)
"""Kind, what it holds for certain, and the pattern. One that begins with letters counts only at the
start of a word. A group must fit, too; what comes before it is read once for all that begin
there."""

_WORDS: Final = (
    "contraseña",
    "пароль",
    "hasło",
    "lösenord",
    "şifre",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
)
_FOREIGN: Final = tuple(
    form.lower() for word in _WORDS for form in (word, word.encode().decode("latin-1"))
)
"""Names for a password in other letters than English ones; also as bytes are, of which each is
taken for a letter."""
_NAMES: Final = (
    r"(?:pass(?:word|wd|phrase|code|wort|e|ord)?|pwd?|kennwort|wachtwoord|senha|parola|contrasena"
    rf"|{'|'.join(map(re.escape, _FOREIGN))}|secret|token|credentials?|auth(?:orization)?|cookie|session(?:_?id)?"
    r"|key(?:-data)?|sig|signature|code)"
    r"(?:[_-]?(?:prod|production|dev|test|live|staging|base64|value|key(?:_base)?|\d{1,2}))?"
)
_KEYS: Final = (
    "_",
    "-",
    "?",
    "&",
    "api",
    "ai",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "auth",
    "account",
    "service",
    "shared",
    "license",
    "webhook",
    "deploy",
    "project",
    "instrumentation",
    "storage",
    "subscription",
    "client",
    "consumer",
    "app",
    "function",
    "host",
    "server",
    "bot",
    "admin",
    "root",
    "partner",
    "merchant",
)
"""One of these stands before `key` where it opens something: not before the key of a cache or a
table alone."""
NAMED: Final = (
    rf"(?i:{_NAMES})"
    r"(?P<sep>\\?[\"'`]?\]?[ \t]{0,8}(?::=|=>|==?|[:：]|ï¼\x9a)(?:[ \t]{1,4}[|>][+-]?[ \t]{0,4}\r?\n)?[ \t]{0,40}|"
    r"[\"'],[ \t]{0,4}(?=[\"'])|[ \t]{1,4}(?=[^\s=:]))"
    r"(?:(?i:bearer|basic|token)[ \t]{1,4})?"
    r"(?P<quote>\\?[\"'`])?(?:[\w.-]{1,64}=(?=[^=\s]))?"
    r"(?P<value>(?:[^\s\"'`,;<>|()\[\]{}\\&]|\\[=:#!]|&(?![\w.-]{1,64}=)){6,512})(?P<after>\\?[\"'`]|[(\[{]|)"
)
"""A value behind a name that says what it is: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`,
`?sig=…`,
`setenv("TOKEN", "…")`."""
_BEARER: Final = r"(?i:bearer|basic|ssws|geniekey)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{12,2000})"
_LOOSE: Final = ("openai-key", "slack-token", "discord-token", "wallet-key", "tavily-key")
"""Formats that words joined by hyphens or dots have as well."""
_MARKS: Final = frozenset("+/:$=@")
"""What stands in no run of letters; a format with one of these is looked for in the whole text."""
_OTHERS: Final = bytes(
    byte if (chr(byte).isalnum() and byte < 128) or byte in b"_.~-" else 32 for byte in range(256)
)
_SHORT: Final = late.pattern(
    r"gh[pousr]_|gl[a-z]{2,5}-|hv[sb]\.|(?:sq|pn|nf)[a-z]_|EZ[AT]K|SK[0-9a-f]{4}"
)
"""How those with an anchor of two letters begin."""
_SHORTEST: Final = 15
"""Letters of the shortest key."""
_NO_WORD: Final = re.compile(rb"\d|[a-z]{20}")
_IN_RUN: Final = frozenset(
    pattern
    for _, _, pattern in FORMATS
    if not _MARKS.intersection(re.sub(r"\(\?(?::|!.*\))", "", pattern))
)
_WORD_END: Final = r"(?!passw|passp|pwd|pw|[A-Z])"
"""A name that may be the end of another word; no word ends with `password`."""
_VARIABLE: Final = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
_OPTION: Final = r"(?:^|[^\w.-]|^[\w./-]{0,40}-\d{1,7}-|^\d{1,7}-)-{1,3}[\w-]*$"
"""What stands before the name of an option; a number or a mark of a difference may stand before
that."""
_STATED: Final = r"[ \t]*(?:ENV|ARG)[ \t]+\w*"
"""The same in the file of a container's image."""
_MARKED: Final = r"(?:\S{0,200}(?::|-\d{1,7}-))?[\s>+|-]*+(?:\d{1,7}[→:|\t-])?[\s>+|-]*+"
"""What stands before the line of a file where it is numbered, quoted or part of a difference."""
_SETTING: Final = (
    rf"{_MARKED}"
    r"(?:(?:export|set|env|ENV|ARG|var|let|const)[ \t]+)?[\"':]?[\w.$-]*"
)
"""The same before the name of a setting that has the line for itself."""
_LINE_END: Final = r"[ \t]*[,;}]?[ \t]*(?:(?:#|//)[^\n]*)?\r?(?:\n|$)"
_COMMAND_END: Final = r"[ \t]*(?:[-|;&>)\"'`\\]|\r?\n|$)"
_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HINTS: Final = (
    "pass", "pw", "secret", "token", "cred", "auth", "cookie", "session", "key", "sig", "code",
    "kennwort", "wachtwoord", "senha", "parola", "contrasena",
)  # fmt: skip
"""Each name of `_NAMES` begins with one of these."""
_SCHEMES: Final = ("bearer ", "basic ", "ssws ", "geniekey ")
_ASKED: Final = ("sig", "code")
"""Names that count only in the query of an address."""
_OTHER_NAMES: Final = ("secret", "token", "cred", "auth", "cookie", "session", "key", *_ASKED)
"""Names of more than passwords."""
_AROUND: Final = 300
_SMALL: Final = {large: large + 32 for large in range(65, 91)}
_compiled = cache(re.compile)


def find_secrets(
    text: str,
    in_key: bool = False,
    of_secrets: bool = False,
    others: Callable[[str], Iterable[Secret]] = lambda _: (),
) -> list[Secret]:
    """The secrets in `text`, in order and without overlap. Where two rules find the same one, the
    format names its kind. `in_key`: it begins within a private key; `of_secrets`: it stands in a
    file whose purpose is secrets. Control sequences may stand within one.
    `others` finds further ones."""

    def find(text: str) -> tuple[Secret, ...]:
        small = _small(text)
        return (
            *others(text),
            *_formats(text),
            *_named(text, small),
            *find_placed(text, small),
            *find_key_lines(text, in_key),
            *(find_given(text) if of_secrets else find_in_lines_of_files(text)),
        )

    return disjoint(text, find_through(text, find))


def begins_secret(text: str) -> int:
    """Where, in the beginning of a line, a secret may have begun that goes on behind it; else its
    length."""
    if (plain := strip_sequences(text)) is not None:
        return min(_begins(text), plain.original_index(_begins(plain.text)))
    return _begins(text)


def _begins(text: str) -> int:
    starts = [at for _, anchor, _ in FORMATS if len(anchor) > 2 and (at := text.find(anchor)) >= 0]
    starts += [found.start() for found in _SHORT.finditer(text)]
    small = _small(text)
    starts += [
        at for hint in (*_HINTS, *_FOREIGN, *_SCHEMES, *LABELS) if (at := small.find(hint)) >= 0
    ]
    starts += [
        at for mark in (*MARKS, *FIRST_LETTERS, "-----BEGIN") if (at := text.find(mark)) >= 0
    ]
    return min(starts, default=len(text))


def _small(text: str) -> str:
    """`text` in small letters, each at the place where it was."""
    small = text.lower()
    return small if len(small) == len(text) else text.translate(_SMALL)


def _formats(text: str) -> Iterator[Secret]:
    runs = _runs(text)
    for kind, anchor, pattern in FORMATS:
        if pattern in _IN_RUN:
            if anchor not in runs or not _compiled(pattern).search(runs):
                continue
        elif anchor not in text:
            continue
        for found in _fitting(text, anchor, pattern):
            made = kind not in _LOOSE or is_random(found[0])
            if made and _begins_word(text, found.start()) and not is_placeholder(found[0]):
                yield Secret(*found.span(), kind)


def _runs(text: str) -> str:
    """The runs of letters in `text` that are long enough to be a key: a tenth of it, as a rule, to
    look for each format in. Words in small letters, joined by marks, are none."""
    words = text.encode("latin-1", "replace").translate(_OTHERS).split()
    long = (word for word in words if len(word) >= _SHORTEST)
    return b"\n".join(word for word in long if not word.islower() or _NO_WORD.search(word)).decode(
        "latin-1"
    )


def _fitting(text: str, anchor: str, pattern: str) -> Iterator[re.Match[str]]:
    """Where a format fits; one that begins with its anchor is tried only there, and only at the
    start of a word."""
    fits, end = _compiled(pattern), 0
    if not anchor or not pattern.replace("\\", "").startswith(anchor):
        yield from fits.finditer(text)
        return
    for at in places(text, anchor):
        if at >= end and _begins_word(text, at) and (found := fits.match(text, at)):
            end = found.end()
            if None not in found.groups():
                yield found


def _begins_word(text: str, at: int) -> bool:
    """Whether nothing that belongs to it stands before it: the colour of a terminal (`ESC[32m`)
    does not."""
    if at == 0 or not (text[at - 1].isalnum() and text[at].isalnum()):
        return True
    return text[at - 1] == "m" and text[at - 2 : at - 1] in tuple("[0123456789")


def _named(text: str, small: str) -> Iterator[Secret]:
    end = 0
    hints = _HINTS if small.isascii() else (*_HINTS, *_FOREIGN)
    for at in sorted(
        {at for hint in hints for at in places(small, hint) if _is_name(small, at, hint)}
    ):
        if at >= end and (found := _compiled(NAMED).match(text, at)):
            end = found.end("value")
            if _is_value(found):
                yield Secret(
                    *found.span("value"),
                    "password" if small.startswith(("pass", "pw"), at) else "secret",
                )
    for scheme in _SCHEMES:
        for at in places(small, scheme):
            found = _compiled(_BEARER).match(text, at)
            value = found["value"] if found else ""
            if found and (
                is_random(value)
                or is_unreadable(value)
                or is_encoded(value)
                or _compiled(_UUID).fullmatch(value)
            ):
                yield Secret(*found.span("value"), "token")


def _is_name(small: str, at: int, hint: str) -> bool:
    """Whether a name may begin there, or its last part: `db_password`, `apikey`, `?sig=`."""
    if hint in _ASKED:
        return at > 0 and (
            small[at - 1] in "?&" or small.endswith(("x-amz-", "x-goog-"), max(0, at - 7), at)
        )
    end = (
        at - 1 if small[at - 1 : at] == " " else at
    )  # in notes it is a word of its own: `private key: …`
    return (
        hint != "key"
        or small.startswith("key=", at)
        or small.endswith(_KEYS, max(0, end - 10), end)
    )


def _is_value(found: re.Match[str]) -> bool:
    """Whether what stands behind a name is a value, and one that nobody would find anywhere
    else."""
    value, sep, quoted = found["value"].rstrip(".:"), found["sep"], bool(found["quote"])
    before = found.string[found.start() - 1 : found.start()]
    if before.isalpha() and _compiled(_WORD_END).match(found[0]):
        mixed = is_generated(value) and sum(c.isdigit() for c in value) > 1
        mixed = mixed or is_letters_alone(value)
        if ":" in value or "?" in value or not (mixed or is_random(value)):
            return False  # the end of another word: compass, monkey
    if (
        is_placeholder(value)
        or _compiled(_VARIABLE).fullmatch(value)
        or found["after"] in ("(", "[", "{")
    ):
        return False
    if not sep.strip(" \t\"'`]") and not (quoted or _is_flag(found)):
        return False  # words that follow one another
    of_password = not found[0].lower().startswith(_OTHER_NAMES)
    if not of_password and is_identifier(value):
        return False
    if "," in sep:  # two arguments of a call, or two of a list of names: words as a rule
        return (is_random(value) and "_" not in value) or is_letters_alone(value)
    if _compiled(_UUID).fullmatch(value) or is_random(value):
        return True
    if is_jointed(value) and _is_setting(found):
        return True
    in_code = not quoted and (sep[-1:] in " \t" or "." in value or "(" in found["after"])
    in_text = quoted and not found["after"]  # more words follow it in the quotes
    if is_letters_alone(value) or is_encoded(value):
        return True
    is_name = in_code and (is_of_names(value) or not _is_setting(found))
    if not in_text and is_unreadable(value) and not is_name:
        return True
    if of_password and not in_code and is_generated(value):
        return True
    if of_password and not in_text and is_joined_words(value) and _is_setting(found):
        return True
    if is_generated(value) and sum(c.isdigit() for c in value) >= (2 if in_code else 1):
        return True
    return is_weak_password(value, digits=2 if in_code else 1)


def _is_setting(found: re.Match[str]) -> bool:
    """Whether nothing but a password can stand there, so that words may be one: a quoted text, a
    line with a name and a value, the option of a command."""
    text, at, end = found.string, found.start(), found.end()
    if not found["sep"].strip(" \t\"'`]\\"):
        return _is_option(found) and bool(_compiled(_COMMAND_END).match(text, end))
    if found["quote"]:
        return "," not in found["sep"]
    start = max(text.rfind("\n", 0, at) + 1, at - _AROUND)
    if found["sep"] == "=" and (_is_option(found) or text[start:at].endswith(";")):
        return True
    return bool(
        _compiled(_LINE_END).match(text, end) and _compiled(_SETTING).fullmatch(text, start, at)
    )


def _is_option(found: re.Match[str]) -> bool:
    """Whether the name is an option of a command, or a word of a netrc file behind a user."""
    text, at = found.string, found.start()
    before = text[max(text.rfind("\n", 0, at) + 1, at - 40) : at]
    stated = _compiled(_OPTION).search(before) or _compiled(_STATED).fullmatch(before)
    return bool(stated) or "login " in before


def _is_flag(found: re.Match[str]) -> bool:
    """The same, or the name stands in a line of its own with its value, as in a netrc file."""
    if _is_option(found):
        return True
    text, at = found.string, found.start()
    end = text.find("\n", found.end())
    after = text[found.end() : end if end >= 0 else len(text)]
    return (
        found[0].startswith("password")
        and not after.strip()
        and bool(_compiled(_MARKED).fullmatch(text, text.rfind("\n", 0, at) + 1, at))
    )
