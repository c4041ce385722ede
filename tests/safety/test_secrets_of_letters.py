"""Secrets without digits and marks, those of commands and of files whose purpose is secrets: each
is made when the test runs. And real lines of code, settings and prose that look like them."""

from __future__ import annotations

import base64
import random
import string

import pytest

from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.safety.secrets.secret_files import shows_secrets
from agent_tui.safety.secrets.strength import PLACEHOLDER

_chance = random.Random("letters")
_WORDS = ("battery", "candle", "dragon", "horse", "marble", "orange", "purple", "river", "silver")


def words() -> str:
    """As a person joins them to a password."""
    return "".join(_chance.sample(_WORDS, 2))


def mixed() -> str:
    """Large and small letters in turn, as a generator mixes them."""
    return "".join(
        _chance.choice(string.ascii_uppercase) + _chance.choice(string.ascii_lowercase)
        for _ in range(6)
    )


def consonants() -> str:
    return "".join(_chance.choice("bcdfghjklmnpqrstvwxz") for _ in range(12))


def encoded(user: str = "") -> str:
    """Base64 of words, as it is handed out in headers and by Kubernetes."""
    return base64.b64encode(f"{user}{words()}".encode()).decode()


PASSWORDS = (
    "password: {}",
    "  password: '{}'",
    '"password": "{}",',
    '{{"user": "me", "password": "{}"}}',
    "password = {}",
    'password = "{}"',
    "db.password={}",
    "DB_PASSWORD={}",
    "export DB_PASSWORD='{}'",
    "ENV MYSQL_PASSWORD={}",
    "      - POSTGRES_PASSWORD={}",
    "      POSTGRES_PASSWORD: {}",
    "spring.datasource.password={}",
    "    passwd: {}  # for the tests",
    "passphrase: {}",
    "+  password: {}",
    "config/app.yml:12:  password: {}",
    "   12→password: {}",
    'connect(host="db", user="me", password="{}")',
    "$db['password'] = '{}';",
    "tool --password {}",
    "tool --password={} --verbose",
    "<password>{}</password>",
    "Password: {}",
    "Server=db;User Id=me;Password={};",
    "wget --user=me --password={} https://example.org",
)
TOKENS = (
    "API_TOKEN={}",
    "api_token: {}",
    '"client_secret": "{}"',
    "client_secret = '{}'",
    "JWT_SECRET={}",
    "access_key={}",
    "ACCESS_KEY={}",
    "projectkey: {}",
    "accountkey={}",
    "authkey={}",
    "sharedkey: {}",
    "InstrumentationKey={};",
    "signingkey: {}",
    "storagekey: {}",
    "subscriptionkey={}",
    "clientkey: '{}'",
    "appkey={}",
    "token: {}",
    '  "token": "{}",',
    "Authorization: Bearer {}",
    "tool --token {}",
    "?access_token={}&x=1",
    "define('DB_PASSWORD', '{}');",
    "authtoken={}",
    "dbclientsecret: {}",
)
COMMANDS = (
    "AUTH default {}",
    "AUTH {}",
    "127.0.0.1:6379> AUTH {}",
    "redis-cli -h db -a {} ping",
    "mysql -u root -p{} shop",
    "mysqldump -uroot -p'{}' shop > x.sql",
    "sshpass -p {} ssh me@host",
    "sshpass -p{} scp a b",
    "PGPASSWORD={} psql -h db",
    "MYSQL_PWD={} mysql",
    "REDISCLI_AUTH={} redis-cli",
    "curl -u me:{} https://example.org",
    "curl -s -ume:{} https://example.org",
    "curl --user 'me:{}' https://example.org",
    "curl --proxy-user me:{} https://example.org",
    "lftp -u me,{} example.org",
    "http -a me:{} https://example.org",
    "docker login -u me -p {} registry.example.org",
    "helm registry login -u me -p {} registry.example.org",
    "echo {} | docker login -u me --password-stdin",
    "echo '{}' | kinit me",
    "openssl enc -aes-256-cbc -pass pass:{} -in a",
    "openssl rsa -passin pass:{} -in a.pem",
    "keytool -list -storepass {} -keystore a.jks",
    "ldapsearch -x -D cn=me -w {} -b dc=example",
    "snmpget -v3 -u me -A {} host x",
    "mosquitto_pub -u me -P {} -t x",
    "ipmitool -H host -U me -P {} power status",
    "htpasswd -b file me {}",
    "htpasswd -nbB me {}",
    "cqlsh -u me -p {}",
    "smbclient -L host -U me%{}",
    "+ /usr/bin/mysql -uroot -p{}",
    "requirepass {}",
    "config set requirepass {}",
    "CREATE USER me IDENTIFIED BY '{}';",
    "ALTER ROLE me PASSWORD '{}';",
    "db.example.org:5432:shop:me:{}",
    "mysql://me:{}@db/shop",
)
ENCODED = (
    "Authorization: Basic {}",
    "curl -H 'Authorization: Basic {}' https://example.org",
    "AUTH PLAIN {}",
    "C: AUTH LOGIN {}",
    "  password: {}",
    '"auth": "{}"',
    "//registry.example.org/:_auth={}",
)
"""What is sent as base64."""
FILES = (
    "SMTP_PASS={}",
    "DB_PW={}",
    "export SECRET='{}'",
    "STRIPE_KEY={}",
    "REDIS_PASSWORD: {}",
    "machine example.org login me password {}",
    "machine example.org\n  login me\n  password {}\n",
    "//registry.example.org/:_authToken={}",
    "[pypi]\nusername = me\npassword = {}\n",
    "me:{}",
    "db.example.org:1433:shop:me:{}",
    '{{"password": "{}", "host": "db"}}',
    "aws_secret_access_key = {}",
    "password = {}   # of the database",
    "#OLD_PASSWORD={}",
    'user "me" there with password "{}"',
)
"""Lines of files whose purpose is secrets, where any value counts."""
SHORT = ("hunter", "admin", "letmein", "postgres", "Summer", "x1y2", "p(s;w,d", "my dog & me")

PLANTED = [
    *((text.format(value), value) for text in PASSWORDS for value in (words(), mixed())),
    *((text.format(value), value) for text in TOKENS for value in (mixed(),)),
    *((text.format(value), value) for text in COMMANDS for value in (words(), mixed())),
    *((text.format(value), value) for text in ENCODED for value in (encoded("me:"),)),
    *((f'"secret": "{value}"', value) for value in (consonants(), consonants().upper())),
]


JOINTED = (
    ("password={}", "kP9x-Zq3L-mV7t"),
    ("password={}", "kP9x.Zq3L.mV7t"),
    ("client_secret={}", "a8f3-99ck-zz12-qq77"),
    ("MYSQL_ROOT_PASSWORD={}", "svcVal-77123-xx"),
    ('"client_secret": "{}"', "json-sec-1238zx"),
    ("password={}", "prop\\=Pw99112"),
    ("ENV DB_PASSWORD {}", "kP9xZq3LmV7t"),
    ("ENV TOKEN {}", "q7Xz9LmP2vKr8TsWd4Yb"),
    ("  ARG API_TOKEN {}", "kP9x-Zq3L-mV7t"),
)


@pytest.mark.parametrize(("text", "value"), JOINTED)
def test_a_secret_in_pieces_is_hidden(text: str, value: str) -> None:
    assert_hidden(text.format(value), value)


@pytest.mark.parametrize(
    "text",
    [
        "token=v1.2.3-beta4",
        "secret: my-secret-v2-prod",
        "password=reset-2024-01-31",
        '"token": "next-page-2"',
        "token: us-east-1",
        "secret=config.v2.key1",
        "ENV PASSWORD_FILE /run/secrets/db",
        "ENV TOKEN_TTL 3600",
    ],
)
def test_names_and_versions_in_pieces_stay(text: str) -> None:
    assert secrets.hide_secrets(text) == text


def assert_hidden(text: str, secret: str, of_secrets: bool = False) -> None:
    hidden = secrets.hide_secrets(text, of_secrets)
    assert secret.rstrip("=") not in hidden
    assert PLACEHOLDER.sub("", hidden).replace("=", "") == text.replace(secret, "").replace("=", "")
    assert secrets.hide_secrets(hidden, of_secrets) == hidden


def test_the_campaign_is_large_enough() -> None:
    assert len(PLANTED) >= 100 and len(NOTHING) >= 150


@pytest.mark.parametrize(("text", "secret"), PLANTED)
def test_a_secret_of_letters_is_hidden_and_the_rest_stays(text: str, secret: str) -> None:
    assert_hidden(text, secret)
    assert_hidden(f"\x1b[32mok\x1b[0m\n{text}\nend", secret)


@pytest.mark.parametrize(
    "place",
    ['"client_secret": "{}"', "API_TOKEN={}", "token: '{}'", "  token: {}", "- password: {}"],
)
@pytest.mark.parametrize("count", [10, 12, 14])
def test_hardly_a_generated_token_of_letters_passes_for_words(place: str, count: int) -> None:
    chance, kept = random.Random(f"{place}{count}"), 0
    for _ in range(1_000):
        value = "".join(chance.choice(string.ascii_letters) for _ in range(count))
        kept += value in secrets.hide_secrets(place.format(value))
    assert kept <= 60


@pytest.mark.parametrize("text", FILES)
def test_any_value_of_a_file_of_secrets_is_hidden(text: str) -> None:
    for value in (*SHORT[:6], words(), mixed()):
        assert_hidden(text.format(value), value, of_secrets=True)


@pytest.mark.parametrize("value", SHORT)
def test_a_whole_value_of_a_file_of_secrets_is_hidden(value: str) -> None:
    for text in ("DB_PASSWORD='{}'", "DB_PASSWORD={}", '"password": "{}"', "password: {}"):
        assert_hidden(text.format(value), value, of_secrets=True)


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=$OTHER",
        "DB_PASSWORD=${OTHER:-x}",
        "DB_PASSWORD=",
        "TOKEN=<your token>",
        "TOKEN=your-token-here",
        "SECRET=changeme",
        "password: null",
        "password: {{ vault_password }}",
        "PASSWORD_MIN_LENGTH=8",
        "TOKEN_TTL=3600",
        "AUTH_ENABLED=true",
        "DB_HOST=localhost",
        "SESSION_DRIVER=file",
        "PUBLIC_KEY=abcdef",
        "SSL_KEY=/etc/ssl/private/site.pem",
        "# the password for the database\nDB_PORT=5432",
        "machine example.org login me",
        "git commit -m 'a word'",
    ],
)
def test_a_file_of_secrets_stays_readable(text: str) -> None:
    assert secrets.hide_secrets(text, of_secrets=True) == text


def test_lines_that_a_search_shows_are_judged_by_their_file() -> None:
    found = (
        "./.env:3:DB_PASSWORD=hunter\n./app.yml:3:DB_PASSWORD=hunter\nx/.env.example:3:PW=hunter"
    )
    hidden = secrets.hide_secrets(found).splitlines()
    assert "hunter" not in hidden[0] and hidden[0].startswith("./.env:3:DB_PASSWORD=[hidden:")
    assert hidden[1:] == found.splitlines()[1:]


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        ("cat .env", True),
        ("cd app && grep -n PASS config/.env.local | sort", True),
        ("git show HEAD:.env", True),
        ("/bin/cat ~/.netrc", True),
        ("cat .env.example", False),
        ("cp .env.example .env && npm test", False),
        ("docker compose --env-file .env up", False),
        ("cat README.md; ls -a .env", False),
    ],
)
def test_a_command_that_shows_a_file_of_secrets_is_known(command: str, shows: bool) -> None:
    assert shows_secrets(command) is shows


@pytest.mark.parametrize("size", [1, 3, 17, 1000])
def test_the_output_of_such_a_command_hides_any_value(size: int) -> None:
    stream = secrets.Scrubber((), formats=True).stream(of_secrets=True)
    data, shown = b"A=1\nDB_PASSWORD=hunter\nme:letmein\nlast_token=zebra", b""
    for at in range(0, len(data), size):
        shown += stream.feed(data[at : at + size])
    shown += stream.feed(b"", final=True)
    assert PLACEHOLDER.sub("", shown.decode()) == "A=1\nDB_PASSWORD=\nme:\nlast_token="


_HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
NOTHING = (
    # Python
    "def login(user, password):",
    "def connect(self, host: str, password: str | None = None) -> Connection:",
    "    password: SecretStr",
    "    token: Optional[AccessToken] = None",
    "token = request.token",
    "password = getpass()",
    "password = getpass.getpass('Password: ')",
    "password = input('password: ')",
    "self.password = password",
    "self._token = self._refresh_token()",
    "password=password, username=username,",
    'password = data["password"]',
    'token = os.environ.get("GITHUB_TOKEN")',
    "secret = settings.SECRET_KEY",
    'parser.add_argument("--password", help="the password")',
    'parser.add_argument("--token", required=True)',
    "password = forms.CharField(widget=forms.PasswordInput)",
    'raise ValueError("password: required")',
    "if password == confirmation:",
    "for token in tokenizer:",
    "token = tokens[index]",
    "token.type == tokenize.NAME",
    "secret: bytearray",
    "password: memoryview",
    "key = operator.itemgetter",
    "api_key = load_api_key",
    "secret_key = derive_key(password, salt)",
    "assert token is not None",
    "yield Token.Keyword",
    "(r'token', Name.Builtin),",
    "password = plaintext",
    "auth = HTTPBasicAuth",
    "auth_token: AuthTokenProvider",
    "access_token = AccessTokenFactory",
    "session = sessionmaker",
    # JavaScript, TypeScript
    "const { password } = req.body",
    "const token = jwt.sign(payload, secret)",
    "  password: string;",
    "  token?: string | undefined;",
    "interface Auth { token: string; password: string }",
    "  password: hashedPassword",
    "  password: req.body.password,",
    "  secret: process.env.SESSION_SECRET,",
    "  accessToken: accessTokenFromCookie,",
    "password: yup.string().required(),",
    "{ token: 'punctuation' }",
    '{ "token": "keyword.control" }',
    "type: 'password'",
    "token: 'variable.language'",
    "apiKey: undefined",
    'localStorage.getItem("accessToken")',
    '"tokenUrl": "/oauth/token"',
    "key: 'getUserById'",
    '"key": "onKeyDownHandler"',
    'case "password": return passwordValidator',
    "export const PASSWORD = 'PASSWORD'",
    "!function(e,t){var n=e.token,r=t.secret;return n+r}(this)",
    "a.password=b.password,c.token=d",
    "token:function(e){return e}",
    # Go, Java, Rust, C, Ruby, PHP
    'Password string `json:"password"`',
    "func Login(user, password string) error {",
    'token := r.Header.Get("Authorization")',
    "private String password;",
    "private final String clientSecret;",
    "String token = getToken();",
    '@Value("${app.password}") String password',
    "this.password = password;",
    ".password(passwordEncoder.encode(raw))",
    "public void setPassword(final CharSequence password)",
    "let token: Token = parse(input)?;",
    "pub secret: SecretString,",
    "password: &'static str,",
    "char *password = NULL;",
    'static const char *token = "identifier";',
    "params.require(:user).permit(:password)",
    "validates :password, presence: true",
    "password: params[:password]",
    "$password = $_POST['password'];",
    "'password' => 'required|min:8',",
    "'password' => Hash::make($request->password),",
    "'password' => 'hashed',",
    # settings, schemas, containers, build servers
    "password: string",
    "password: required",
    "password: pwdFnCbIdx",
    "password: {type: string}",
    "password: !vault |",
    "password: null",
    "password: ~",
    "token: null",
    "token: none",
    "secret: changeme",
    "secret: example",
    "password: <your token>",
    "token: <your token>",
    "password: ${DB_PASSWORD}",
    "password: $(DB_PASSWORD)",
    "password: '{{ db_password }}'",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: ${{ secrets.REGISTRY_PASSWORD }}",
    "      password:\n        type: string\n        format: password",
    '"password": {"type": "string", "minLength": 8}',
    '"password": "required"',
    '"password": "string"',
    '"required": ["username", "password"]',
    "secretName: registrycredentials",
    "    secretKeyRef:\n      name: database\n      key: password",
    "secrets:\n  db_password:\n    file: ./password.txt",
    "POSTGRES_PASSWORD_FILE=/run/secrets/postgres",
    "POSTGRES_PASSWORD=${POSTGRES_PASSWORD:?required}",
    "ARG NPM_TOKEN",
    "RUN --mount=type=secret,id=token cat /run/secrets/token",
    "token_endpoint: https://example.org/oauth/token",
    "auth: disabled",
    "auth_mode = certificate",
    "authentication: enabled",
    "password_encryption = scram",
    "PasswordAuthentication no",
    "auth required pam_unix.so",
    "password requisite pam_pwquality.so retry",
    "session optional pam_systemd.so",
    "password [success=1 default=ignore] pam_unix.so obscure",
    "passwd: files systemd",
    "requirepass foobared",
    "requirepass is deprecated",
    "# masterauth <master-password>",
    "keypassword = certificate.pem",
    # words of an interface
    "password: Passwort",
    "password: Mot de passe",
    "password: wachtwoord",
    "password: Contraseña",
    "password: adgangskode",
    "password: Palavra-passe",
    'password: "Kennwort eingeben"',
    '"password": "Password"',
    '"password": "Bitte Passwort eingeben"',
    "password_confirmation: Passwort bestätigen",
    "reset_password_token: Token",
    '<string name="password">wachtwoord</string>',
    '<label for="password">Password</label>',
    'msgid "password"\nmsgstr "wachtwoord"',
    '"Access Token": "Dugotrajni pristupni token"',
    '"Client Secret": "Klijentska tajna"',
    '"SecretKey": "TitkosKulcs"',
    '"Verify Token": "Zweryfikuj token"',
    '"token": "Zweryfikuj"',
    '"manage-credentials": "Upravljanje poverilnic"',
    "new_password: okwuntughe ohuru",
    # commands and what they print
    "mysql -u root -p",
    "mysql -u root -p shop",
    'mysql -u root -p"$PASSWORD" shop',
    "mkdir -p buildartifacts/frontend",
    "git log -p mastermerge",
    "ssh -p portnumber example.org",
    "cp -p sourcefile targetfile",
    "ps -p processnumber",
    "ftp -p downloadserver",
    "ipmitool -a sensorreadings",
    "tar -P --absolute-names archivefile",
    "ls -a directoryname",
    "sort -u outputfiles",
    'curl -u "$USER:$TOKEN" https://example.org',
    "curl -u user:password https://example.org",
    "docker run -u nobody:nogroup imagename",
    "docker run -p published:container imagename",
    "chown -R www:datagroup -u x:manywords folder",
    "python -m unittest -k authentication",
    "redis-cli -h localhost info",
    'redis-cli -a "$REDIS_PASSWORD" ping',
    'PGPASSWORD="$PASSWORD" psql',
    "PGPASSWORD=postgres psql",
    "sshpass -e ssh me@example.org",
    "echo password | sudo -S ls",
    "echo started | tee logfile",
    "openssl req -new -key serverprivate.pem",
    "openssl enc -pass env:PASSWORD -in archive",
    "250-AUTH PLAIN LOGIN",
    "250 AUTH CRAM-MD5 DIGEST-MD5",
    "S: 334 AUTH required",
    "234 AUTH TLS successful",
    "NOAUTH Authentication required.",
    "WWW-Authenticate: Basic realm=restricted",
    "Authorization: Basic <credentials>",
    "the basic authentication scheme and the bearer authentication",
    "--password PASSWORD  the password of the account",
    "  --token string   token for authentication",
    "error: password authentication failed for user postgres",
    "Enter password: ",
    "  password combination.",
    "Pass 'parameters' and/or arguments",
    "Single pass: characters present in the language",
    "to pass `isinstance` tests",
    "the secret ingredient of everything",
    "Tokens: keyword, operator, punctuation",
    # hashes, pictures, lock files, colours
    f"commit {_HASH}",
    f"index {_HASH[:7]}..{_HASH[7:14]} 100644",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "color: #deadbe; background: #abcdef",
    'src="data:image/png;base64,' + base64.b64encode(bytes(range(90))).decode() + '"',
    '"integrity": "sha512-' + base64.b64encode(bytes(range(64))).decode() + '"',
    "h1:" + base64.b64encode(bytes(range(32))).decode() + "=",
    f'checksum = "{_HASH}{_HASH[:24]}"',
    f"requests==2.31.0 --hash=sha256:{_HASH}{_HASH[:24]}",
    'resolved "https://registry.example.org/js-tokens/-/js-tokens-4.0.0.tgz"',
    "js-tokens@^4.0.0:",
    '  jsontokens: "^4.0.0"',
    "monkey: businessmonkey",
    "keyboard: dvorakinternational",
    "primarykey: customernumber",
    "sortkey=lastmodified",
    "cachekey: userpreferences",
    "compass: northnorthwest",
    "bypass=everything",
)
"""Real lines, of which nothing is hidden."""


@pytest.mark.parametrize("text", NOTHING)
def test_code_settings_and_prose_stay_as_they_are(text: str) -> None:
    for around in ("{}", "x = 1\n{}\ny = 2\n", "   12→{}", "+{}"):
        whole = around.replace("{}", text)
        assert secrets.hide_secrets(whole) == whole
