"""Commands that publish, or delete what lies elsewhere or in a service: nobody takes that back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agent_tui.safety.shell import programs
from agent_tui.safety.shell.words import word_set

DATABASES: Final = word_set(
    """
    psql pgcli mysql mycli mariadb sqlite3 sqlite litecli duckdb mongosh mongo redis-cli valkey-cli
    sqlcmd sqlplus clickhouse-client cockroach cqlsh usql
    """
)
DROPS: Final = "it deletes a database, or a table of one"
_DROPS: Final = re.compile(
    r"\bdrop\s+(?:database|schema|keyspace|tablespace|table|materialized\s+view|user|role)\b"
    r"|\btruncate\s+(?:table\s+)?[\w\"`.\[]+\s*(?:;|,|$|\b(?:restart|cascade)\b)"
    r"|\bdelete\s+from\s+[\w\"`.\[\]]+\s*(?:;|$)"
    r"|\bdropDatabase\b|\.(?:drop|deleteMany|remove)\(\s*(?:\{\s*\}\s*)?\)|\bflush(?:all|db)\b",
    re.IGNORECASE,
)
_TASK_MARKS: Final = re.compile(r"[:.-]")
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
_ENGINES: Final = word_set("docker docker-compose podman podman-compose nerdctl")
_KEPT_ELSEWHERE: Final = frozenset({"pod", "pods", "po"})
"""What a cluster makes again by itself."""
_USERS: Final = word_set("userdel deluser")
NAMESPACE: Final = frozenset({"ns", "namespace", "namespaces", "project", "projects"})
_PUBLISHES: Final = frozenset(
    tuple(line.split())
    for line in """
    npm publish
    npm unpublish
    npm deprecate
    pnpm publish
    yarn publish
    yarn npm publish
    bun publish
    deno publish
    jsr publish
    lerna publish
    cargo publish
    cargo yank
    twine upload
    poetry publish
    uv publish
    flit publish
    hatch publish
    pdm publish
    gem push
    gem yank
    mix hex.publish
    pod trunk push
    nuget push
    dotnet nuget push
    helm push
    docker push
    docker image push
    docker manifest push
    podman push
    podman image push
    podman manifest push
    buildah push
    oras push
    skopeo copy
    gh release create
    glab release create
    mvn deploy
    vsce publish
    ovsx publish
    """.splitlines()
    if line.strip()
)
_DELETES: Final = frozenset(
    tuple(line.split())
    for line in """
    gh repo delete
    gh release delete
    gh secret delete
    glab repo delete
    glab release delete
    aws s3 rm
    aws s3 rb
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
    """.splitlines()
    if line.strip()
)
_MOST: Final = 3
"""Words that name a command."""


def reason(name: str, arguments: Sequence[str]) -> str:
    """What this program does elsewhere that cannot be taken back; empty for nothing."""
    if name.startswith("python") and list(arguments[:1]) == ["-m"] and len(arguments) > 1:
        name, arguments = arguments[1], arguments[2:]
    flags, operands = programs.split(arguments)
    known = "docker" if name in _ENGINES else name
    called = {(known, *operands[:count]) for count in range(1, _MOST + 1)}
    if list(arguments[:1]) == flags[:1]:  # its option may have a value: the first operand
        called |= {(known, *operands[1:count]) for count in range(2, _MOST + 1)}
    if called & _PUBLISHES and "--dry-run" not in flags:
        return "it publishes"
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
    if not _CLIENTS.get(name, frozenset()).isdisjoint(operands):
        return True
    if name in ("gh", "glab") and operands[:1] == ["api"]:
        return any(word.upper() in ("DELETE", "-XDELETE", "--METHOD=DELETE") for word in arguments)
    return False
