"""Commands that publish, or delete what lies elsewhere or in a service: nobody takes that back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late

DATABASES: Final = word_set(
    """
    psql pgcli mysql mycli mariadb sqlite3 sqlite litecli duckdb mongosh mongo redis-cli valkey-cli
    sqlcmd sqlplus clickhouse-client cockroach cqlsh usql
    """
)
DROPS: Final = "it deletes a database, or a table of one"
_DROPS: Final = late.pattern(
    r"\bdrop\s+(?:database|schema|keyspace|tablespace|table|materialized\s+view|user|role|owned)\b"
    r"|\btruncate\s+(?:table\s+)?(?:only\s+)?[\w\"`.\[]+\s*(?:;|,|$|\b(?:restart|cascade)\b)"
    r"|\bdelete\s+from\s+[\w\"`.\[\]]+\s*(?:;|$)"
    r"|\bdropDatabase\b|\.(?:drop|deleteMany|remove)\(\s*(?:\{\s*\}\s*)?\)|\bflush(?:all|db)\b",
    re.IGNORECASE,
)
_TASK_MARKS: Final = late.pattern(r"[:.-]")
_TASK_SPACES: Final = word_set("db database doctrine schema migrate ecto")
_TASK_VERBS: Final = word_set("drop reset purge wipe fresh refresh truncate_all")
"""How tasks are called by which a database is emptied or deleted: `db:drop`, `migrate:fresh`."""
_STARTS_TASKS: Final = word_set(
    """
    rails rake hanami mix php artisan console symfony sequelize sequelize-cli typeorm knex npm pnpm
    yarn bun deno composer make just task
    """
)
_TASKS_OF: Final = {
    "manage.py": "flush reset_db",
    "django-admin": "flush reset_db",
    "prisma": "reset --force-reset",
    "supabase": "reset",
    "alembic": "base",
    "mysqladmin": "drop",
    "drizzle-kit": "drop",
    "flyway": "clean",
    "liquibase": "drop-all dropAll",
}
"""The words of other programs that do so."""
_CLIENTS: Final = {
    name: word_set(verbs)
    for verbs, names in (
        ("delete destroy", "doctl hcloud eksctl oci ibmcloud linode-cli scw vultr-cli firebase"),
        (
            "delete destroy",
            "gh glab argocd flux velero kops k3d kind minikube cilium istioctl pscale",
        ),
        ("delete destroy remove rm", "fly flyctl turso neonctl railway wrangler vercel netlify"),
        ("destroy", "vagrant pulumi cdk cdktf terragrunt helmfile sst copilot packer"),
        ("uninstall delete", "helm"),
        ("delete purge deletefile rmdirs", "rclone"),
        ("del rm rb", "s3cmd mc s5cmd"),
        ("forget prune delete", "restic borg kopia"),
    )
    for name in names.split()
}
"""Clients with more commands than can be listed, and the words that delete."""
_SVN_DELETES: Final = word_set("delete del remove rm")
_ENGINES: Final = word_set("docker docker-compose podman podman-compose nerdctl")
_KEPT_ELSEWHERE: Final = frozenset({"pod", "pods", "po"})
"""What a cluster makes again by itself."""
_USERS: Final = word_set("userdel deluser")
NAMESPACE: Final = frozenset({"ns", "namespace", "namespaces", "project", "projects"})


def _rows(table: str) -> Iterator[tuple[str, ...]]:
    """The words of each row, and of a word with `|` also what is left if it is cut short behind
    that."""
    for line in table.strip().splitlines():
        words = [word.partition("|") for word in line.split()]
        cuts = ([start + end[:at] for at in range(len(end) + 1)] for start, _, end in words)
        yield from product(*cuts)


_PUBLISHES: Final = frozenset(
    _rows(
        """
    npm pu|blish
    npm unp|ublish
    npm dep|recate
    npm und|eprecate
    npm stag|e
    npm ow|ner add
    npm ow|ner rm
    npm aut|hor add
    npm aut|hor rm
    npm ac|cess set
    npm ac|cess public
    npm ac|cess restricted
    npm ac|cess grant
    npm ac|cess revoke
    npm ac|cess 2fa-required
    npm ac|cess 2fa-not-required
    npm dist-tag add
    npm dist-tag a
    npm dist-tag set
    npm dist-tag s
    npm dist-tag rm
    npm dist-tag r
    npm dist-tag del
    npm dist-tag d
    npm dist-tag remove
    npm dist-tags add
    npm dist-tags rm
    npm distTag add
    npm distTag rm
    npm tea|m create
    npm tea|m destroy
    npm tea|m add
    npm tea|m rm
    npm or|g set
    npm or|g add
    npm or|g rm
    npm og|r rm
    npm to|ken revoke
    npm to|ken delete
    npm to|ken rm
    pnpm publish
    pnpm unpublish
    pnpm deprecate
    pnpm undeprecate
    pnpm owner add
    pnpm owner rm
    pnpm access set
    pnpm access grant
    pnpm access revoke
    pnpm access public
    pnpm access restricted
    pnpm dist-tag add
    pnpm dist-tag rm
    pnpm team destroy
    pnpm team rm
    pnpm token revoke
    yarn publish
    yarn owner add
    yarn owner remove
    yarn owner rm
    yarn access grant
    yarn access revoke
    yarn tag add
    yarn tag remove
    yarn tag rm
    yarn team destroy
    yarn team rm
    yarn npm publish
    yarn npm tag add
    yarn npm tag remove
    bun publish
    deno publish
    jsr publish
    lerna publish
    changeset publish
    semantic-release
    release-it
    cargo publish
    cargo yank
    cargo owner
    cargo release
    cargo smart-release
    cargo ws publish
    cargo workspaces publish
    twine upload
    poetry publish
    uv publish
    flit publish
    hatch publish
    pdm publish
    rye publish
    maturin publish
    maturin upload
    anaconda upload
    gem pu|sh
    gem y|ank
    gem ow|ner
    rake release
    mix hex.publish
    mix hex.retire
    pod trunk push
    pod trunk delete
    pod trunk deprecate
    nuget push
    nuget delete
    dotnet nuget push
    dotnet nuget delete
    helm push
    docker push
    docker image push
    docker manifest push
    docker compose push
    docker-compose push
    podman push
    podman image push
    podman manifest push
    buildah push
    oras push
    skopeo copy
    goreleaser release
    gh release create
    glab release create
    mvn deploy
    gradle publish
    gradlew publish
    sbt publish
    vsce publish
    vsce unpublish
    ovsx publish
    """
    )
)
"""A program and words by which it changes what others get from it. Behind `|` a word may be cut
short, as `npm` and `gem` let one do."""
_DELETES: Final = frozenset(
    _rows(
        """
    gh repo delete
    gh release delete
    gh secret delete
    glab repo delete
    glab release delete
    aws s3 rm
    aws s3 rb
    gcloud storage rm
    gsutil rm
    gsutil rb
    gcloud projects delete
    docker system prune
    docker volume prune
    docker volume rm
    docker system reset
    docker stack rm
    docker secret rm
    pulumi destroy
    cdk destroy
    serverless remove
    fly apps destroy
    heroku apps:destroy
    heroku pg:reset
    heroku addons:destroy
    netlify sites:delete
    firebase firestore:delete
    terraform workspace delete
    vault kv delete
    vault kv destroy
    """
    )
)
_FORCED: Final = frozenset(_rows("hg pus|h"))
_SHOWS: Final = frozenset({"--dry-run", "--list"})
_VALUED: Final = {
    "aws": (
        *(
            "--region",
            "--output",
            "--profile",
            "--endpoint-url",
            "--query",
            "--ca-bundle",
            "--color",
        ),
        *("--cli-read-timeout", "--cli-connect-timeout", "--cli-binary-format"),
    ),
    "docker": ("--host", "--context", "--config", "--log-level"),
}
"""Options of a program whose value is the next word, wherever they stand."""
_WRAPPED: Final = {"mvnw": "mvn"}
_TASKS: Final = {"gradle": "publish", "gradlew": "publish", "mvn": "deploy"}
"""Tasks that publish, among others and of any project: `clean deploy`, `:lib:publish`."""
_MOST: Final = 3
"""Words that name a command."""


def reason(name: str, arguments: Sequence[str]) -> str:
    """What this program does elsewhere that cannot be taken back; empty for nothing."""
    if name.startswith("python") and list(arguments[:1]) == ["-m"] and len(arguments) > 1:
        name, arguments = arguments[1], arguments[2:]
    name = _WRAPPED.get(name, name)
    known = "docker" if name in _ENGINES and name != "docker-compose" else name
    flags, operands = programs.split(arguments, "", _VALUED.get(known, ()))
    if operands[:1] and operands[0].startswith("+"):
        operands = operands[1:]  # the version of Rust
    builds = known == "docker" and not {"build", "bake"}.isdisjoint(operands[:2])
    if any(task.rpartition(":")[2] == _TASKS.get(name) for task in operands) or (
        builds and not {"--push", "--push=true"}.isdisjoint(flags)
    ):
        return "it publishes"
    called = {(known, *operands[:count]) for count in range(1, _MOST + 1)}
    if list(arguments[:1]) == flags[:1]:  # its option may have a value: the first operand
        called |= {(known, *operands[1:count]) for count in range(2, _MOST + 1)}
    if called & _PUBLISHES and _SHOWS.isdisjoint(flags):
        return "it publishes"
    if called & _FORCED and programs.has(flags, "f", "--force"):
        return "it changes a remote repository by force"
    if called & _DELETES or _asks_to_delete(name, arguments, operands):
        return "it deletes what lies elsewhere"
    if name in _ENGINES and _deletes_volumes(name, flags, operands):
        return "it deletes volumes, with the data in them"
    if name in ("kubectl", "oc") and "delete" in operands:
        return _deleted_in_cluster(flags, operands[operands.index("delete") + 1 :])
    if name in _USERS and programs.has(
        flags, "r", "--remove", "--remove-home", "--remove-all-files"
    ):
        return "it deletes a user with the home folder"
    return ""


def drops(texts: Iterable[str]) -> bool:
    """Whether one of these texts for a database deletes it, or a table."""
    return any(_DROPS.search(text) for text in texts)


def empties_database(name: str, arguments: Sequence[str]) -> bool:
    """Whether a program of databases, or a task of a framework, deletes or empties one."""
    script = next((word for word in arguments if not word.startswith("-")), "").rpartition("/")[2]
    mine = _TASKS_OF.get(name) or _TASKS_OF.get(script)
    return (
        name == "dropdb"
        or (name in _STARTS_TASKS and any(map(_is_task, arguments)))
        or (mine is not None and not set(mine.split()).isdisjoint(arguments))
    )


def _is_task(word: str) -> bool:
    first, *rest = _TASK_MARKS.split(word)
    return first in _TASK_SPACES and not _TASK_VERBS.isdisjoint(rest)


def _deletes_volumes(name: str, flags: Sequence[str], operands: Sequence[str]) -> bool:
    composed = name.endswith("-compose") or "compose" in operands
    ends = not {"down", "rm"}.isdisjoint(operands)
    return composed and ends and programs.has(flags, "v", "--volumes")


def _deleted_in_cluster(flags: Sequence[str], operands: Sequence[str]) -> str:
    """What `kubectl delete` with these words takes that the cluster does not make again."""
    kinds = {kind.partition("/")[0] for one in operands[:1] for kind in one.split(",")}
    kinds |= {one.partition("/")[0] for one in operands[1:] if "/" in one}
    if not kinds.isdisjoint(NAMESPACE):
        return "it deletes a namespace"
    if programs.has(flags, "AfkR", "--all", "--all-namespaces", "--filename", "--kustomize"):
        return "it deletes all of a kind, or all of a file, in a cluster"
    return "" if kinds <= _KEPT_ELSEWHERE else "it deletes what runs in a cluster"


def _asks_to_delete(name: str, arguments: Sequence[str], operands: Sequence[str]) -> bool:
    """Of clients with more commands than can be listed: the word that deletes."""
    if name == "aws":
        return any(word.startswith(("delete-", "terminate-")) for word in operands[1:2])
    if name in ("gcloud", "az"):
        return "delete" in operands
    if name == "svn":
        deletes = not _SVN_DELETES.isdisjoint(operands[:1])
        return deletes and any("://" in word for word in operands)
    if not _CLIENTS.get(name, frozenset()).isdisjoint(operands):
        return True
    if name in ("gh", "glab") and operands[:1] == ["api"]:
        return any(word.upper() in ("DELETE", "-XDELETE", "--METHOD=DELETE") for word in arguments)
    return False
