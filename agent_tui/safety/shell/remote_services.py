"""Commands that publish, or delete what lies elsewhere: nobody takes that back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.safety.shell import programs

DATABASES: Final = frozenset(
    {"psql", "mysql", "mariadb", "mongosh", "mongo", "redis-cli", "sqlcmd"}
)
DROPS: Final = "it deletes a database"
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
    pulumi destroy
    cdk destroy
    serverless remove
    fly apps destroy
    heroku apps:destroy
    """.splitlines()
    if line.strip()
)
_MOST: Final = 2
"""Words that name a command."""


def reason(name: str, arguments: Sequence[str]) -> str:
    """What this program does elsewhere that cannot be taken back; empty for nothing."""
    if name.startswith("python") and list(arguments[:1]) == ["-m"] and len(arguments) > 1:
        name, arguments = arguments[1], arguments[2:]
    flags, operands = programs.split(arguments)
    called = {(name, *operands[:count]) for count in range(1, _MOST + 1)}
    if list(arguments[:1]) == flags[:1]:  # its option may have a value: the first operand
        called |= {(name, *operands[1:count]) for count in range(2, _MOST + 1)}
    if called & _PUBLISHES and "--dry-run" not in flags:
        return "it publishes"
    if called & _DELETES or _asks_to_delete(name, arguments, operands):
        return "it deletes what lies elsewhere"
    return ""


def _asks_to_delete(name: str, arguments: Sequence[str], operands: Sequence[str]) -> bool:
    """Of clients with more commands than can be listed: the word that deletes."""
    if name == "aws":
        return any(word.startswith(("delete-", "terminate-")) for word in operands[1:2])
    if name in ("gcloud", "az"):
        return "delete" in operands
    if name == "gh" and operands[:1] == ["api"]:
        return any(word.upper() in ("DELETE", "-XDELETE", "--METHOD=DELETE") for word in arguments)
    return False
