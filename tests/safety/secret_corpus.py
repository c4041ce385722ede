"""Planted secrets and what only looks like them. Every secret is put together from parts here, so
that none stands in this file, and none was ever anybody's."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

LOWER_HEX, UPPER_HEX = "0123456789abcdef", "0123456789ABCDEF"
WORD = string.ascii_letters + string.digits
BASE32, UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", string.ascii_uppercase + string.digits
BASE58 = "".join(sorted({*WORD} - {*"0OIl"}))
BASE64, LOWER = WORD + "+/", string.ascii_lowercase + string.digits
_chance = random.Random("planted")


def made(alphabet: str, count: int) -> str:
    """`count` letters, digits among them as in any key."""
    while True:
        text = "".join(_chance.choice(alphabet) for _ in range(count))
        if count < 6 or (any(c.isdigit() for c in text) and any(c.isalpha() for c in text)):
            return text


def uuid() -> str:
    return "-".join(made(LOWER_HEX, count) for count in (8, 4, 4, 4, 12))


PARTS = (
    ("AKIA", BASE32, 16),
    ("ASIA", BASE32, 16),
    ("sk-", WORD, 48),
    ("sk-proj-", WORD, 48),
    ("sk-svcacct-", WORD, 60),
    ("sk-ant-" + "api03-", WORD, 93),
    ("sk-or-" + "v1-", LOWER_HEX, 64),
    ("sk_" + "live_", WORD, 24),
    ("rk_" + "live_", WORD, 24),
    ("sk_" + "test_", WORD, 24),
    ("whsec_", BASE64, 32),
    ("ghp_", WORD, 36),
    ("gho_", WORD, 36),
    ("ghu_", WORD, 36),
    ("ghs_", WORD, 36),
    ("ghr_", WORD, 76),
    ("github_" + "pat_", WORD, 82),
    ("glpat-", WORD, 20),
    ("gldt-", WORD, 20),
    ("glrt-", WORD, 20),
    ("glptt-", LOWER_HEX, 40),
    ("glsoat-", WORD, 20),
    ("xoxb-", WORD, 50),
    ("xoxp-", WORD, 60),
    ("xapp-1-", UPPER, 60),
    ("AIza", WORD, 35),
    ("GOCSPX-", WORD, 28),
    ("ya29.", WORD, 80),
    ("hf_", WORD, 34),
    ("npm_", WORD, 36),
    ("pypi-" + "AgEIcHlwaS5vcmc", WORD, 120),
    ("rubygems_", LOWER_HEX, 48),
    ("key-", LOWER_HEX, 32),
    ("SK", LOWER_HEX, 32),
    ("dop_v1_", LOWER_HEX, 64),
    ("doo_v1_", LOWER_HEX, 64),
    ("shpat_", LOWER_HEX, 32),
    ("shpss_", LOWER_HEX, 32),
    ("sq0atp-", WORD, 22),
    ("sq0csp-", WORD, 43),
    ("dapi", LOWER_HEX, 32),
    ("HRKU-", WORD, 40),
    ("lin_api_", WORD, 40),
    ("ntn_", WORD, 46),
    ("secret_", WORD, 43),
    ("NRAK-", UPPER, 27),
    ("glc_", BASE64, 60),
    ("hvs.", WORD, 90),
    ("hvb.", WORD, 120),
    ("dp.pt.", WORD, 43),
    ("dp.st.", WORD, 43),
    ("fm2_", BASE64, 100),
    ("pscale_" + "tkn_", WORD, 43),
    ("pscale_" + "pw_", WORD, 43),
    ("sbp_", LOWER_HEX, 40),
    ("sb_" + "secret_", WORD, 31),
    ("AGE-SECRET-" + "KEY-1", UPPER, 58),
    ("LTAI", WORD, 20),
    ("AKID", WORD, 32),
    ("ATATT3", WORD, 186),
    ("ATBB", WORD, 32),
    ("dckr_" + "pat_", WORD, 27),
    ("sl.", WORD, 140),
    ("EAA", WORD, 160),
    ("figd_", WORD, 43),
    ("gsk_", WORD, 52),
    ("xai-", WORD, 80),
    ("pplx-", WORD, 48),
    ("r8_", WORD, 37),
    ("nvapi-", WORD, 64),
    ("pul-", LOWER_HEX, 40),
    ("sntrys_", WORD, 80),
    ("sntryu_", LOWER_HEX, 64),
    ("sgp_", LOWER_HEX, 40),
    ("tfp_", WORD, 59),
    ("re_" + "abcd5678_", WORD, 24),
    ("CFPAT-", WORD, 43),
    ("phx_", WORD, 43),
    ("AKCp", WORD, 69),
    ("cmVmdGtuO", WORD, 55),
    ("squ_", LOWER_HEX, 40),
    ("sqp_", LOWER_HEX, 40),
    ("ops_" + "eyJ", WORD, 250),
    ("tskey-" + "auth-kq7Zp2xW4L1CNTRL-", WORD, 32),
    ("dbtc_", WORD, 36),
    ("pnu_", WORD, 36),
    ("rdme_", LOWER, 70),
    ("duffel_" + "live_", WORD, 43),
    ("EZAK", WORD, 54),
    ("bkua_", LOWER_HEX, 40),
    ("fo1_", WORD, 43),
    ("nfp_", WORD, 36),
    ("napi_", LOWER, 64),
    ("CLOJARS_", LOWER, 60),
    ("cio", WORD, 32),
    ("rzp_" + "live_", WORD, 14),
    ("amzn." + "mws.4ea38b7b-f563-7709-4bae-", LOWER_HEX, 12),
    ("ABSK", BASE64, 128),
    ("tvly-", WORD, 32),
    ("tvly-" + "dev-", WORD, 32),
    ("jina_", WORD, 60),
    ("e2b_", LOWER_HEX, 40),
    ("1//" + "0", WORD, 90),
    ("pat-" + "na1-4ea38b7b-f563-7709-4bae-", LOWER_HEX, 12),
    ("shippo_" + "live_", LOWER_HEX, 40),
    ("xprv", BASE58, 107),
    ("5K", BASE58, 49),
    ("L", BASE58, 51),
)
"""How a key begins, of which letters the rest is, and how many."""


def formatted() -> Iterator[str]:
    """Keys that their format gives away."""
    yield from (begin + made(alphabet, count) for begin, alphabet, count in PARTS)
    yield f"https://hooks.slack.com/services/T{made(UPPER, 8)}/B{made(UPPER, 8)}/{made(WORD, 24)}"[
        8:
    ]
    yield f"/api/webhooks/{made(string.digits + 'a', 1)[:0]}123456789012345678/{made(WORD, 68)}"
    yield f"1234567890:AA{made(WORD, 33)}"
    yield f"SG.{made(WORD, 22)}.{made(WORD, 43)}"
    yield f"{made(LOWER_HEX, 32)}-us12"
    yield f"PMAK-{made(LOWER_HEX, 24)}-{made(LOWER_HEX, 34)}"
    yield f"glsa_{made(WORD, 32)}_{made(LOWER_HEX, 8)}"
    yield f"dt0c01.{made(UPPER, 24)}.{made(UPPER, 64)}"
    yield f"{made(WORD, 14)}.atlasv1.{made(WORD, 67)}"
    yield f"AccountKey={made(BASE64, 86)}=="
    yield f"{made(WORD, 3)}8Q~{made(WORD, 34)}"
    yield f"v1.0-{made(LOWER_HEX, 24)}-{made(LOWER_HEX, 146)}"
    yield f"lsv2_pt_{made(LOWER_HEX, 32)}_{made(LOWER_HEX, 10)}"
    yield f"MTk4{made(WORD, 20)}.{made(WORD, 6)}.{made(WORD, 38)}"
    yield f"/webhookb2/{uuid()}@{uuid()}/IncomingWebhook/{made(LOWER_HEX, 32)}/{uuid()}"
    yield f"pat{made(WORD, 14)}.{made(LOWER_HEX, 64)}"
    yield f"xkeysib-{made(LOWER_HEX, 64)}-{made(WORD, 16)}"
    yield f"sk.eyJ{made(WORD, 60)}.{made(WORD, 22)}"
    yield f"st.{made(LOWER_HEX, 24)}.{made(LOWER_HEX, 32)}.{made(LOWER_HEX, 32)}"
    yield f"CCIPAT_{made(WORD, 22)}_{made(LOWER_HEX, 40)}"
    yield f"FLWSECK-{made(LOWER_HEX, 32)}-X"
    yield f"FLWSECK_TEST-{made(LOWER_HEX, 32)}-X"
    yield f"access_token$production${made(LOWER, 16)}${made(LOWER_HEX, 32)}"
    yield f"AAAA{made(WORD, 7)}:APA91b{made(WORD, 134)}"
    yield f"eyJ{made(WORD, 30)}.eyJ{made(WORD, 60)}.{made(WORD, 43)}"


AROUND = (
    "{}", "key: {}", '"{}"', "export X={}\n", "curl -H 'X: {}' .", "\x1b[32m{}\x1b[0m", "see ({}).",
    "   12→X = '{}'",
)  # fmt: skip
"""Where a key with a format may stand."""

NAMED = (
    "DB_PASSWORD={}",
    "export POSTGRES_PASSWORD='{}'",
    "password: {}",
    '  password: "{}"',
    '"password": "{}",',
    "db.password = {}",
    "spring.datasource.password={}",
    "API_KEY={}",
    'api_key = "{}"',
    "apiKey: '{}',",
    "'api-key' => '{}'",
    "x-api-key: {}",
    "X-Auth-Token: {}",
    "SECRET_KEY = '{}'",
    "client_secret={}&x=1",
    "aws_secret_access_key = {}",
    "aws_session_token={}",
    "STRIPE_KEY={}",
    "?access_token={}&page=2",
    "&sig={}",
    "SECRET_KEY_BASE={}",
    "  secret_key_base: {}",
    "X-Amz-Signature={}",
    "?a=b&X-Amz-Signature={}&c=d",
    "//registry.example.org/:_authToken={}",
    "machine example.org login me password {}",
    "mysql --password={} -u me",
    "tool --token {}",
    "tool --api-key {}",
    "curl -u me:{} https://example.org",
    "Authorization: Bearer {}",
    "authorization: token {}",
    "Authorization: Basic {}",
    "postgres://me:{}@db/x",
    "amqp://me:{}@mq:5672",
    "https://me:{}@git.example.org/x.git",
    'token = "{}"',
    "PASSPHRASE={}",
    "refresh_token: {}",
    'secret := "{}"',
    "private_key='{}'",
    "ENCRYPTION_KEY={}",
    "webhook_key: {}",
    "session_id={}",
    "Cookie: session={}",
    "db:5432:shop:me:{}",
    "   14→DB_PASSWORD={}",
    "+DB_PASSWORD={}",
    'src/x.py:3:    password="{}",',
    '{{\\"password\\": \\"{}\\"}}',
    "ENV TOKEN={}",
    "GITHUB_TOKEN: {}",
    "pwd={};",
    "MASTER_KEY_BASE64={}",
    "apikey: {}",
    "https://api.example.org/x?apikey={}&page=2",
    "curl -H 'apikey: {}' https://example.org",
    '{{"apikey": "{}"}}',
    "dbpassword={}",
    "dbpass: {}",
    "authtoken: {}",
    "accesstoken={}",
    "clientsecret = {}",
    "requirepass {}",
    "config set requirepass {}",
    "masterauth {}",
    "bindpw {}",
    "bindpw: {}",
    "mypassword: {}",
    "adminpassword = '{}'",
    "rootpassword={}",
    "apitoken: {}",
    "refreshtoken: {}",
    "appsecret={}",
    "accesskey: {}",
    "jwtsecret: '{}'",
    "smtppassword={}",
    "dbpwd={}",
    "sqlpwd={};",
    "signingkey: {}",
    "DB_PW={}",
    "--bind-pw={}",
    "aws configure set aws_secret_access_key {}",
    "aws --profile shop configure set aws_secret_access_key {}",
    "openaikey: {}",
    "aws configure set profile.shop.aws_session_token {} --profile shop",
)
"""Names that say what stands behind them."""


def values() -> Iterator[str]:
    """What people and machines take as a password."""
    yield made(WORD, 12)
    yield made(WORD, 40)
    yield made(LOWER_HEX, 32)


def people() -> Iterator[tuple[str, str]]:
    """Texts with a password that a person made up, and the password."""
    for value in ("hunter" + "2277", "Sommer" + "2031!", "zebra" + "!4x9", "p4ss" + "&W0rd!"):
        for text in (
            "DB_PASSWORD={}",
            'password: "{}"',
            "tool --password {}",
            "postgres://me:{}@db/x",
        ):
            yield text.format(value), value


CRYPT = "./" + WORD
PLACED = (
    "https://{}@github.com/me/x.git",
    "https://{}:x-oauth-basic@github.com/me/x.git",
    "git+https://{}:@git.example.org/x",
    "<password>{}</password>",
    "  <db:password>{}</db:password>",
    "<apiKey>{}</apiKey>",
    '<add key="ClearTextPassword" value="{}" />',
    "<entry key='db.password'>{}</entry>",
    "db.example.org:5433:shop:me:{}",
    "*:*:*:me:{}",
    "   12→localhost:54322:shop:me:{}",
    ".pgpass:localhost:5432:a:me:{}",
    "mysql -u root -p{} shop",
    "mysqldump -h db.example.org -p'{}' shop > dump.sql",
    "+ mariadb -uroot -p{}",
    "mysql --password={} shop",
    "PGPASSWORD={} psql -h db",
    "MYSQL_PWD='{}' mysql",
    "sshpass -p {} ssh me@host",
    "sshpass -p'{}' scp a b",
    "redis-cli -h db -a {} ping",
    "docker login -u me -p {} registry.example.org",
    "ldapsearch -x -D cn=me -w {} -b dc=example",
    "ALTER ROLE app WITH LOGIN PASSWORD '{}';",
    "CREATE USER 'app'@'%' IDENTIFIED BY '{}';",
    "create login app with password = '{}';",
    '  psk="{}"',
    "wpa_passphrase={}",
    'echo "root:{}" | sudo chpasswd',
    "mongosh -u me -p {} shop",
    "az login -u me -p {}",
    "smbclient -L host -U me%{}",
    "zip -P {} a.zip b",
    "7z a -p{} a.7z b",
    "unrar x -p'{}' a.rar",
    "export MYSQL_PWD={}",
    "sqlplus me/{}@shop",
    "Passwort: {}",
    "пароль: {}",
    "mot_de_passe={}",
    "Mot de passe : {}",
    "contraseña={}",
    "senha: {}",
    "密码：{}",
)
"""Places that say what stands there."""


def placed() -> Iterator[tuple[str, str]]:
    """Secrets that the place gives away, and hashes of passwords."""
    token, word = made(WORD, 40), "hunter" + "2277"
    for text in PLACED:
        yield text.format(token), token
        if "//" not in text:
            yield text.format(word), word
    for text in (
        'setenv("TOKEN", "{}")',
        "put('api_key', '{}')",
        "echo {} | sudo -S ls",
        "printf '{}' |sudo -kS x",
    ):
        yield text.format(token), token
    for phrase in (
        "correct horse " + "battery staple",
        "tr0ub4dor " + "and three",
        "my dog has " + "4 legs!",
        "MeoNu 2QclY " + "xWB5uu",
        "CkWwzG#" + "YyaekW",
        "p@ss;w0rd" + "|X9",
    ):
        for text in (
            'password = "{}"',
            "DB_PASSWORD='{}'",
            '{{"password": "{}"}}',
            "  passphrase: '{}'",
        ):
            yield text.format(phrase), phrase
    salt, rest = made(CRYPT, 16), made(CRYPT, 86)
    for value in (
        f"$2b$12${made(CRYPT, 53)}",
        f"$2y$05${made(CRYPT, 53)}",
        f"$6${salt}${rest}",
        f"$5$rounds=5000${salt}${rest[:43]}",
        f"$1${salt[:8]}${rest[:22]}",
        f"$apr1${salt[:8]}${rest[:22]}",
        f"$y$j9T${made(CRYPT, 22)}${rest[:43]}",
        f"$argon2id$v=19$m=65536,t=3,p=4${made(BASE64, 22)}${made(BASE64, 43)}",
        f"pbkdf2_sha256$600000${made(WORD, 22)}${made(BASE64, 43)}=",
        "{SHA}" + made(BASE64, 27) + "=",
    ):
        for text in ("me:{}", "root:{}:19000:0:99999:7:::", "UPDATE users SET hash = '{}';", "{}"):
            yield text.format(value), value


OVER_LINES = (
    "password: |\n  {}\n",
    "x: 1\n  db_password: >-\n    {}\ny: 2\n",
    "name,password,mail\nanna,{},anna@example.org\n",
    "id;user;db_password\n1;me;{}\n",
    "| user | password | x |\n|------|------|---|\n| me | {} | y |\n",
    "user|password\nme|{}\n",
    "<key>Password</key>\n\t<string>{}</string>",
)
"""Places that say it in another line."""


def over_lines() -> Iterator[tuple[str, str]]:
    """Secrets that are known only together with the line before."""
    for text in OVER_LINES:
        token = made(WORD, 16)
        yield text.format(token), token


def written_out() -> Iterator[tuple[str, str]]:
    """Secrets of other shapes, in the place that each has."""
    for name in ("db_password: {}", "DB_PASSWORD={}", "password = '{}'"):
        yield name.format("eAanJen" + "GGQhW"), "eAanJen" + "GGQhW"
    phrase = "correct horse " + "battery staple 5KSa"
    yield f'password: "{phrase}"', phrase
    for value in ("tSnovm14" + "TUOizw", "gmyjjYt" + "UtBrmgO"):
        for name in ("<password>{}</password>", "mysql -uroot -p{}", "DB_PASSWORD={}"):
            yield name.format(value), value
    for name in ("dbpassword: '{}'", "adminpassword={}", "smtppassword={}"):
        yield name.format("Sommer" + "2031!"), "Sommer" + "2031!"
    yield "PGPASSWORD=" + "hunter2x psql -h db", "hunter2x"
    for word in ("p/" + made(WORD, 10), "p#" + made(WORD, 10)):
        yield f"postgres://app:{word}@db:5432/x", word
    key = made(WORD, 40)
    yield f"Authorization: SSWS {key}", key
    key = uuid()
    yield f"Authorization: GenieKey {key}", key
    for name in ("private key: {}", "PRIVATE_KEY: {}"):
        key = made(LOWER_HEX, 64)
        yield name.format(key), key
    key = made(BASE32, 32)
    yield f"otpauth://totp/shop:me?secret={key}&issuer=shop", key
    key = made(WORD, 43)
    yield f'{{"kty":"OKP","crv":"Ed25519","d":"{key}"}}', key
    words = "letter advice cage absurd amount doctor " * 2
    for label in ("seed phrase: {}", 'mnemonic = "{}"', "Recovery words: {}"):
        yield label.format(words.strip()), words.strip()


BEGINNINGS = (
    "MIIEpAIBAAKCAQEA",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "MIGHAgEAMBMGByqGSM49AgEG",
    "MHcCAQEEI" + "J",
    "b3BlbnNzaC1rZXktdjEA",
    "MIIFLTBXBgkqhkiG9w0BBQ0wSj",
)
"""How the encoding of private keys begins."""


def parts_of_keys() -> Iterator[tuple[str, list[str]]]:
    """Lines of private keys without the one that begins them, and what is to be hidden; the rest
    has to stay."""
    for begin in BEGINNINGS:
        lines = [begin + made(BASE64, 64 - len(begin)), made(BASE64, 64), made(BASE64, 64)]
        yield "\n".join(lines) + "\n", lines
        yield "".join(f"{number}:{line}\n" for number, line in enumerate(lines, 2)), lines
        yield "\n".join([*lines, _HASH + _HASH[:8], "done"]), lines
    end = "-----END RSA PRIVATE " + "KEY-----"
    lines = [made(BASE64, 64), made(BASE64, 64), made(BASE64, 30) + "=="]
    yield "\n".join([f"commit {_HASH}{_HASH[:8]}", "", *lines, end, "ok"]), lines


def private_keys() -> Iterator[tuple[str, list[str]]]:
    """Private keys as files, numbered, in a difference, in one line of JSON and cut off; and their
    lines."""
    for kind in ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "):
        lines = [*(made(BASE64, 64) for _ in range(5)), made(BASE64, 30) + "=="]
        head, foot = (
            f"-----BEGIN {kind}PRIVATE " + "KEY-----",
            f"-----END {kind}PRIVATE " + "KEY-----",
        )
        whole = [head, *lines, foot]
        yield "\n".join(whole), lines
        yield "\n".join(f"{number:>6}→{line}" for number, line in enumerate(whole, 1)), lines
        yield "\n".join(f"+{line}" for line in whole), lines
        yield '{"key": "' + "\\n".join(whole) + '\\n"}', lines
        yield "\n".join(whole[:4]), lines[:3]


_HASH, _LONG = "9f86d081884c7d659a2feaa0c55ad015", "a3bf4f1b2b0b822cd15d6c15b0f00a08" * 2
LOOKALIKES = (
    "def login(user, password):",
    "password: str",
    "password: str = ''",
    "password = None",
    "password=None,",
    "def check(token: Token2) -> bool:",
    "secret: Uint8Array;",
    "token: u64,",
    "let secret: [u8; 32];",
    "token = tokenizer.encode2(text)",
    "token = next_token(3)",
    "tokens = 4096",
    "max_tokens: 128000",
    "token_count=12",
    "TOKENIZERS_PARALLELISM=false",
    "tokenizer: llama3-8b-instruct",
    "password = os.environ['DB_PASSWORD']",
    "password=$DB_PASSWORD",
    "password=${DB_PASSWORD2}",
    "password: {{ db_password_2 }}",
    "token: <your-token-2>",
    "API_KEY=your-api-key-1234",
    "API_KEY=changeme123",
    "api_key = 'example-key-1234'",
    "SECRET=xxxxxxxxxxxx1",
    "PASSWORD=********",
    "password: 'password123'",
    "POSTGRES_PASSWORD=postgres",
    "image: postgres:15",
    "postgres://postgres:postgres@localhost:5432/app",
    "redis://localhost:6379/0",
    "http://localhost:8080/a@b:c",
    "git@github.com:owner/repository2.git",
    "ssh://git@example.org:2222/x",
    "mailto:me@example.org",
    "sk-fading-circle",
    "sk-cube-grid-animation-2",
    'class="sk-folding-cube sk-cube1"',
    "from sk-learn-contrib import 1",
    "pk_live_not_a_secret_but_public",
    "npm_config_registry=https://example.org",
    "npm_lifecycle_event=test2",
    "hf_hub_download(repo_id='x/y2')",
    "key-value-store-2",
    "glob-pattern-20",
    "xox marks the spot",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AIzaExample",
    "eyJhbGciOiJIUzI1NiJ9",
    "SG.1",
    "EAA 2024",
    f"commit {_HASH}{_HASH[:8]}",
    f"sha256:{_LONG}",
    f"integrity sha512-{_LONG}==",
    f'"integrity": "sha256-{_LONG}"',
    f'etag: "{_HASH}"',
    f"checksum = {_HASH}",
    f"id: {_HASH}",
    f"token_hash: {_HASH}",
    f"md5 {_HASH}",
    "uuid: 550e8400-e29b-41d4-a716-446655440000",
    "request_id=550e8400-e29b-41d4-a716-446655440000",
    "version = 1.2.3-beta.4+build567",
    "2024-01-01T00:00:00Z",
    "key: value",
    "key = 'name_2'",
    "cache_key = f'user:{id}:2'",
    "primary_key=True",
    "foreign_key('users.id')",
    "sort_key: created_at_2",
    "public_key = load('id_rsa.pub')",
    "def encode(public_key: ed25519.Ed25519PublicKey, data: bytes) -> bytes:",
    "def sign(private_key: ed25519.Ed25519PrivateKey, peer_key: x25519.X25519PublicKey) -> bytes:",
    "def agree(self, peer_public_key: X448PublicKey) -> bytes:",
    "def __init__(self, session_key: OAuth2AccessToken, api_key: ApiGatewayApiKey) -> None:",
    "resource_property_dict[property_key] = s3_uri_value",
    "_normalized_key = _pep_440_key",
    "copy(dest_key='Ec2KeyName')",
    "RC2_KEY = rc2_key_st",
    "hotkey=ctrl+shift+k",
    "monkey=banana123",
    "keyboard: qwertz105",
    "secretary = 'anna2000'",
    "compass = north45678",
    "passenger = 'anna1990'",
    "bypass=true1",
    "passed: 12345678",
    "author: jane1999doe",
    "authority=example.org2",
    "code: 12345678",
    "codec=utf8mb4general",
    "signal=SIGTERM15",
    "signature(x: int, y2: str)",
    "design: version2024",
    "secret_name: my-secret-2024",
    "secretKeyRef: app-tls-2024",
    "password_field = 'pw_input_2'",
    "password_hash = '$2b$12$abcdefghijklmnopqrstuv'",
    "access_token_url=https://example.org/t2",
    "auth: oauth2",
    "auth='basic'",
    "token = 'access_token_v2'",
    "secret = 'projects/p1/secrets/db/versions/3'",
    "api_key='OPENAI_API_KEY_2'",
    "authorization: none",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token-from-step-2>",
    "the bearer of good-news-2024",
    "curl -u $USER:$PASS2 https://example.org",
    "docker run -u 1000:1000 image",
    "rsync -u host:/srv/data2 .",
    "session = Session(2)",
    "session: 12 minutes",
    "cookie: yes",
    "pass 3 of 10",
    "pass --quiet",
    "12 passed, 3 failed",
    "password must have 8 characters",
    "error: invalid password for user anna2000",
    "the token expired after 3600s",
    "a:1234:b:c:d",
    "00:1b:44:11:3a:b7",
    "12:34:56:78:90",
    "main.py:12:5: error: password2 is not defined",
    "-----BEGIN CERTIFICATE-----\n" + _LONG + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + _LONG + "\n-----END PUBLIC KEY-----",
    "if line.startswith('-----BEGIN PRIVATE KEY-----'):\n    return read_rest(line)\nx = '"
    + "short"
    + "'",
    "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg" * 3,
    "<svg id='token-icon-24' class='key-24'>",
    f"https://{_HASH}@o42.ingest.sentry.io/42",
    "https://550e8400-e29b-41d4-a716-446655440000@errors.example.org/7",
    "https://john.smith1985@example.org/x",
    "https://cdn.example.org/npm/@scope/package2@1.2.3/index.js",
    "ssh://git-codecommit-user-2024@example.org/x",
    "https://$TOKEN@github.com/x",
    "https://<token>@github.com/x",
    "https://x-access-token:${TOKEN2}@github.com/x",
    "https://user:x-oauth-basic@github.com/x",
    "<password></password>",
    "<password>password123</password>",
    "<password>${env.DB_PASSWORD2}</password>",
    "<token>identifier</token>",
    "<label for='password'>Passwort2024</label>",
    "<a name='token2'>Tokens</a>",
    "<Password onChange={setPassword2} />",
    "<input name='password' value='' />",
    "<secret>projects/p1/secrets/db2</secret>",
    "password: 'Enter your new password'",
    'password = "The password must have 8 characters!"',
    "password: 'At least one digit, please 1!'",
    '"password": "Database password 2"',
    "passwordHint: 'my first pet of 4!'",
    'invalid_password: "wrong guess try again buddy"',
    'password: "Used by tests only"',
    "password: 'two words'",
    "msg.password = 'cats dogs birds fish'",
    'password = "%s and %s 2!"',
    "passphrase: 'correct words'",
    "10:5432:a:b:c",
    "main.py:5432:12: error: bad2024",
    "db:5432:shop:me:$PASSWORD2",
    "registry.example.org:5433:x:y:latest",
    "a:54321:b:c:password",
    "host:5432:db:user:password",
    "2024:543:12:34:567890",
    "mysql -u root -p shop2024",
    "mysql -P3306 shop",
    "mysql -p$DB_PASSWORD2 shop",
    'mysql -p"${DB_PASS2}" shop',
    "mysql -proot",
    "mysql -ppassword",
    "mkdir -p build2024/x",
    "docker login -u me -p $PASS2 example.org",
    "docker run -p 8080:8080 image2",
    "redis-cli -a $REDIS_PASS2 ping",
    'sshpass -p "$PASS2" ssh me@host',
    "ssh -p 2222 me@host2024",
    "git log -p abc12345",
    "sshpass -f file2024 ssh me@host",
    "ldapsearch -x -w $PASS2 -b dc=example",
    "pip install mysqlclient==2.2.4",
    "$2y$",
    "$1 $2 $3",
    "echo $1$2$3",
    "awk '{print $2b}'",
    "$6.00 and $5.00",
    "cost: $2a$10",
    "'$2b$12$' + rest",
    "$argon2id$v=19$",
    "{SHA}",
    "{SHA256}",
    "pbkdf2_sha256$",
    "hash = pbkdf2_hmac('sha256', data, salt, 600000)",
    "e.g. the test vector $2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
    "assert verify('abc', '$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW')",
    "$a.$b$c(function(){return $1$2})",
    "!function(e,t){var $2=e.$1;return $2b(t)}(this,'4f2a9c')",
    "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n"
    + "RTESMBAGA1UEChMJQmFsdGlt" * 4,
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0/IzW7yWR7QkrmBL",
    "a private key begins with MIIEpAIBAAKCAQEA or with MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD\n" * 3,
    "-----END PRIVATE " + "KEY-----",
    "-----END CERTIFICATE-----\n" + "Subject: example",
    "const KEY_CODES = { enter: 13, escape2: 27 }",
    "Key=F12",
    "[auth]\nmode = oauth2-proxy",
    "token=abcdef123",
    "secret_key_base: <%= ENV['SECRET_KEY_BASE'] %>",
    "X-Amz-SignedHeaders=host",
    "secret_key_baseline=10",
    "'gss_krb5_lucid_key', 'gss_krb5_rfc1964_keydata'",
    'getItem("token", "access_token")',
    'Field("token", "char(255)")',
    'expect("password", "Passwort vergessen?")',
    'pass = "v2 to v3 by 10am"',
    'bypass = "a1b2c d3e4f"',
    '"pass": "All 3 tests pass; 2 skipped"',
    'compass = "N2W1E S3E2W"',
    "echo hello | sudo tee /etc/motd",
    "echo password | sudo -S ls",
    't("key", "menu.file.open2")',
    'pass: "rgba(0,0,0,.5);none"',
    'password_pattern = "^(?=.*[A-Z])(?=.*d).{8,}$"',
    "PASSWORD=hunter2",
    "DB_PASS=admin",
    "PGPASSWORD=$PG2PASS psql",
    "password: getPasswordFromVault",
    "password = newUserPassword",
    "password: pwdFnCbIdx",
    "password: |\n  two words\n",
    "user, password, host\nself.a1b2c3, x2, y3",
    "def f(user,password,host):\n    g(a,b,c)",
    "zip -P $ZIP2PASS a.zip",
    "zip -r build2024.zip src",
    "7z x -pictures",
    "mongosh -p",
    "psk = get_psk2()",
    "psk=self.psk20",
    "SELECT password FROM users WHERE name = 'anna2000'",
    "seed: 12345",
    "mnemonic = opcode.name",
    "random seed, then the words that make up a list of all things we know",
    "primary key: users2024id_map",
    "| password | type |\n|---|---|\n| required | string |\n",
    '{"kty": "RSA", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbX"}',
    "re_compile_pattern_from_string_2",
    "patterns.0123456789abcdef",
    "napi_get_value_string_utf8",
    "access_token$",
    "sq_add_2 and sq_mul_3",
    "1//0 is an error",
    "st.session_state.user_2024",
    "Nf_conntrack_max_2024_entries",
    "monkey: " + _HASH,
    'badpw = "notarealpassword"',
    "subtoken: word_pieces_2",
    "multipass: images2024",
    "encompass=north45678",
    "otpauth://totp/shop:me2024",
    "<token>CFBundleIdentifier</token>",
    "<password>getPasswordFromVault</password>",
    "<password>NewUserPassword</password>",
    'password="userPasswordField"',
    "secret: sharedSecretV2",
    "requirepass is set in redis2024.conf",
    "aws configure set region eu-central-1",
    "bindpw $LDAP_PASSWORD2",
)
