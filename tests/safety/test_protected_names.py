"""Names on both sides: what counts as a credential or as obeyed, and what only looks like it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.safety import paths, policy, protected_names
from agent_tui.safety.protected_names import RUNS, STEERS

SECRETS = (
    ".env .env.local .ENV .env.production .env-prod .envrc server.pem tls.KEY putty.ppk "
    "store.p12 cert.pfx app.jks app.keystore host.keytab pass.kdbx client.ovpn id_rsa id_dsa "
    "id_ecdsa id_ecdsa_sk id_ed25519 id_rsa_work id_ed25519-2 id_rsa.bak .netrc _netrc .npmrc "
    ".pypirc .pgpass pgpass.conf .my.cnf .htpasswd .s3cfg .boto .dockercfg .git-credentials "
    ".vault-token .bash_history .psql_history kubeconfig .kube/config .docker/config.json "
    ".config/gh/hosts.yml .config/glab-cli/config.yml .config/git/credentials "
    ".cargo/credentials.toml .composer/auth.json .codex/auth.json .claude/.credentials.json "
    ".config/gcloud/credentials.db .config/rclone/rclone.conf credentials.json credentials.yml "
    "application_default_credentials.json client_secret_1.json service-account-1.json "
    "local.settings.json secrets.yaml k8s/secrets.yml Secrets.JSON secrets.toml .secrets "
    "prod.env config/dev.env .env~ prod.env~ env.bak env.old docker.env.bak .env.d/x sub/.env.d/db app.env.local "
    "x.tfstate x.tfstate.backup .aws/config .ssh/known_hosts .gnupg/x .password-store/mail.gpg"
)
PLAIN = (
    "id_map.py id_token.go id_rsa.pub id_ed25519.pub id_rsa_test.py id_generator.rs ids.py "
    "idle.py .env.example .env.sample .env.template .env.dist .env.production.example "
    "environment.py .environment .envoy.yaml .env.d/db.example keys.py keyboard.py key monkey "
    "README.md secrets.py secrets.go secret_formats.py secrets.md credentials.py credentials.ts "
    "credentials.json.example secrets.yaml.sample config.json docker/config.json "
    ".docker/Dockerfile hosts.yml gh/readme.md ssh/config config kube/config auth.json "
    "locales/en/auth.json token.json password.py rclone.conf.md history.py npmrc package.json "
    "example.env config/.example.env sample.env template.env prod.env.example env.py env.d.ts env.json env.md "
    "tsconfig.json tfstate.md certificate.py pem.go"
)
OBEYED = (
    ".git/config sub/.GIT/hooks/x .agent-tui/config.toml .mcp.json .vscode/tasks.json "
    ".idea/x.xml .husky/pre-commit .devcontainer/devcontainer.json .envrc sub/.envrc "
    ".gitmodules .gitattributes .bashrc .zshrc .profile .zshenv .bash_aliases "
    ".config/fish/config.fish .vimrc .gdbinit .pre-commit-config.yaml .yarnrc.yml mise.toml "
    ".hg/hgrc .jj/config.toml .cargo/config.toml sub/.cargo/config .mvn/extensions.xml .mvn/jvm.config "
    ".bazelrc .buckconfig .devcontainer.json .yarnrc .yarn/releases/yarn.cjs .yarn/plugins/x.cjs "
    ".tool-versions .zed/tasks.json .fleet/run.json work.code-workspace .dir-locals.el .Rprofile "
    ".ghci .ocamlinit .psqlrc .sqliterc .screenrc .curlrc .wgetrc .config/autostart/x.desktop "
    ".config/systemd/user/x.service .local/bin/ls sitecustomize.py src/usercustomize.py .bundle/config "
    "HEAD pkg/HEAD pkg/head pkg/commondir "
    ".rvmrc .mise.local.toml mise.local.toml mise.ci.toml .rtx.toml .mise/config.toml mise/config.toml "
    ".config/mise/conf.d/x.toml .config/mise.toml mise/conf.d/x.toml .autoenv.zsh .autoenv_leave.zsh .envrc.local "
    ".config/direnv/direnvrc direnv/lib/x.sh .asdfrc .shadowenv.d/x.lisp shell.nix flake.nix devenv.nix devbox.json "
    ".lvimrc .local.vimrc _vimrc _gvimrc .ideavimrc .exrc.lua _exrc .vim/plugin/x.vim .config/nvim/init.lua "
    ".config/nvim/lua/x.lua .emacs .emacs.el .emacs.d/init.el .nvim/x.lua "
    ".ycm_extra_conf.py .luarc.json .helix/x.toml "
    ".config/fish/conf.d/x.fish .config/fish/functions/ls.fish .bash_completion .bash_functions .bashrc.d/x "
    ".zshrc.local .xsessionrc .xsession .pam_environment .config/environment.d/x.conf .config/nushell/env.nu "
    "profile.ps1 Microsoft.PowerShell_profile.ps1 .config/starship.toml .tmux.conf.local "
    "Library/LaunchAgents/x.plist "
    ".theia/tasks.json .vs/tasks.json .gitpod.yml .gitpod.Dockerfile devfile.yaml "
    ".idx/dev.nix .replit x.sublime-project "
    ".venv/lib/python3.12/site-packages/x.pth lib/dist-packages/x.pth .venv/bin/python "
    ".venv/Scripts/x env/bin/activate "
    "sitecustomize/__init__.py pyvenv.cfg .iex.exs .pryrc .lldbinit-Xcode .pythonrc.py .ipython/x.py "
    "lefthook.yaml lefthook-local.yml .lefthook.yml .lefthook-local.toml "
    ".lefthook/pre-commit/x .huskyrc .huskyrc.json "
    ".overcommit.yml .simple-git-hooks.json .simple-git-hooks.cjs .pre-commit-config.yml "
    ".lintstagedrc .trunk/trunk.yaml "
    ".pnpmfile.mjs .pnpmfile.cjs .pnp.cjs .yarn/sdks/x.js bunfig.toml gradle/wrapper/gradle-wrapper.properties "
    ".pdbrc sub/.pdbrc .pdbrc.py .ipdb .pudb.cfg .config/pudb/pudb.cfg .byebugrc .rdbgrc .rdbgrc.rb .perldb "
    ".jdbrc jdb.ini .phpdbginit .cgdb/cgdbrc .config/gdb/gdbinit .gdbinit-x .radare2rc .dlv/config.yml "
    ".irbrc .config/irb/irbrc .ptpython/config.py .config/bpython/config .ipython/profile_default/startup/x.py "
    ".psqlrc-16 .config/sqlite3/sqliterc .duckdbrc .mongorc.js .mongoshrc.js .myclirc .inputrc .swiplrc .tclshrc "
    ".jshellrc Rprofile.site .expectrc .gnuplot .ammonite/predef.sc "
    "rust-toolchain.toml .bazeliskrc tools/bazel pip.conf .gradle/init.d/x.gradle node_modules/.bin/tsc"
)
STEERING = (
    "AGENTS.md sub/agents.md CLAUDE.md CLAUDE.local.md GEMINI.md .cursorrules "
    ".cursor/rules/x.mdc .claude/commands/x.md .github/workflows/ci.yml "
    "sub/.github/workflows/x.yaml .github/actions/x/action.yml action.yml "
    ".github/copilot-instructions.md .gitlab-ci.yml .circleci/config.yml Jenkinsfile "
    "azure-pipelines.yml .buildkite/pipeline.yml .woodpecker.yml .woodpecker/x.yml appveyor.yml "
    ".appveyor.yml cloudbuild.yaml .opencode/agent/x.md opencode.json .aider.conf.yml .roo/rules/x.md "
    ".roomodes .kiro/steering/x.md .amazonq/rules/x.md .augment/rules/x.md .continue/config.yaml "
    ".clinerules/x.md .windsurf/rules/x.md .gitea/workflows/x.yml .forgejo/workflows/x.yml "
    ".gitlab/ci/x.yml .gitlab-ci.yaml .gitlab-ci-local.yml x.gitlab-ci.yml "
    ".gitlab/duo/x.yml .cirrus.yml .cirrus.star "
    ".semaphore/x.yml .tekton/x.yaml .teamcity/settings.kts .builds/x.yml .build.yml .azuredevops/x.yml "
    ".azure-pipelines/x.yml azure-pipelines-release.yml buildspec.yml buildspec-test.yaml .zuul.yaml zuul.d/x.yaml "
    "Jenkinsfile.release x.Jenkinsfile .drone.star .ci/x.sh .readthedocs.yaml netlify.toml codemagic.yaml "
    "AGENT.md AGENTS.local.md .agents/x.md .agent/rules/x.md .github/agents/x.md .github/skills/x/SKILL.md "
    ".github/prompts/x.md .github/chatmodes/x.md .github/hooks/x.json QWEN.md .qwen/x "
    "CRUSH.md .crush.json crush.json "
    "WARP.md .rules .roorules-code .goosehints .openhands/x.md .trae/rules/x.md .kilocode/rules/x.md .factory/x.md "
    ".aider.model.settings.yml .coderabbit.yaml "
    "bitrise.yml sub/bitrise.yaml .bitrise.yml circle.yml .mergify.yml screwdriver.yaml .scrutinizer.yml "
    "shippable.yml .shippable.yaml solano.yml .vela.yml .styleci.yml .rocro.yml .probo.yaml .prow.yaml "
    "ci.gocd.yaml .gocd.yaml .onedev-buildspec.yml .space.kts appcenter-pre-build.sh "
    "ci_scripts/ci_post_clone.sh .agola/config.jsonnet .cds/x.yml .expeditor/config.yml"
)
FREE = (
    "git/x github/workflows/ci.yml workflows/ci.yml .github/ISSUE_TEMPLATE/bug.md "
    ".github/dependabot.yml package.json Makefile pyproject.toml agents.py claude.md.txt "
    "AGENTS.txt docs/agents/intro.md vscode/settings.json idea.py envrc.md gitattributes.md "
    "bashrc.txt profile.py setup.py .gitignore .editorconfig .dockerignore actions/x.yml "
    "hg/hgrc cargo/config.toml .cargo/audit.toml mvn/jvm.config bazelrc rules.bzl yarn/releases/x.cjs "
    ".yarn/versions/x.yml .config/app/x.toml .local/share/x local/bin/x bin/x custom.py customize.py "
    "curlrc.md psqlrc.sql x.code code-workspace.md dir-locals.md tool-versions.md cloudbuild.py "
    "zed/x roo/x kiro.py continue/x woodpecker/x HEAD.md head.py ahead header.html commondir.c "
    "config pkg/config pkg/objects/k pkg/refs/k refs/x hooks/use.ts info/x packed-refs "
    "model.pth x.pth site-packages/x.py default.nix rvmrc.md mise.md mise/readme.md "
    "lefthook.md husky.ts emacs.md emacs/x "
    "vimrc.md vim/plugin/x.vim src/fish/conf.d.ts fish/conf.d/readme.md "
    "bash_completion.sh src/nvim/x.lua vs/x build.yml "
    "ci/x.sh ci.yml agent.py src/agent/rules/x.md agents/x.md rules rules.md x.rules .github/CODEOWNERS .gitlab/x.md "
    ".gitlab/issue_templates/bug.md tekton/x.yaml semaphore.py .nvmrc .python-version .ruby-version bin/tool "
    "scripts/activate_user.py src/venv.py rust-toolchain.md crush.py warp.ts devenv.py "
    "pdbrc.md pdb.py ipdb/x.py irb.rb jdb.java sqliterc.md mongorc.md gnuplot/x.gp rprofile.md "
    "shell.py lib/venv/scripts/posix/x CloudBuildRepository.yaml buildspecs.yml .eslintrc.js Cargo.toml "
    "bitrise.py circle.svg ci_scripts/readme.md appcenter.sh vela.go space.kts cds/x.yml"
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return (tmp_path / "work").resolve()


@pytest.mark.parametrize("name", SECRETS.split())
def test_a_name_of_credentials_counts(work: Path, name: str) -> None:
    assert paths.facts(name, (work,)).secret


@pytest.mark.parametrize("name", PLAIN.split())
def test_a_name_that_only_looks_like_credentials_does_not_count(work: Path, name: str) -> None:
    assert not paths.facts(name, (work,)).secret


@pytest.mark.parametrize(
    ("name", "why"), [(n, RUNS) for n in OBEYED.split()] + [(n, STEERS) for n in STEERING.split()]
)
def test_what_is_obeyed_asks_in_accept_edits(work: Path, name: str, why: str) -> None:
    fact = paths.facts(name, (work,))
    assert fact.protected == why
    decision = policy.decide("accept-edits", policy.Facts("edit_file", "write", (fact,)))
    assert decision.verdict == "ask"
    assert why in decision.reason or fact.secret
    reading = policy.decide("auto", policy.Facts("read_file", "read", (fact,)))
    assert reading.verdict == ("ask" if fact.secret else "allow")


@pytest.mark.parametrize("name", FREE.split())
def test_what_is_not_obeyed_is_edited_unasked(work: Path, name: str) -> None:
    fact = paths.facts(name, (work,))
    assert fact.protected == ""
    assert (
        policy.decide("accept-edits", policy.Facts("edit_file", "write", (fact,))).verdict
        == "allow"
    )


def test_a_link_is_protected_by_the_name_that_was_written(work: Path) -> None:
    (work / "notes.md").write_text("x")
    (work / "AGENTS.md").symlink_to("notes.md")
    assert paths.facts("AGENTS.md", (work,)).protected == STEERS


def test_a_path_through_a_link_is_protected_by_the_names_that_were_written(work: Path) -> None:
    (work / "ide").mkdir()
    (work / ".vscode").symlink_to("ide")
    assert paths.facts(".vscode/tasks.json", (work,)).protected == RUNS
    assert paths.facts(f"{work}/.vscode/tasks.json", (work,)).protected == RUNS


@pytest.mark.parametrize(
    ("folder", "name", "why"),
    [
        (".config/fish", "config.fish", RUNS),
        (".config", "fish/conf.d/x.fish", RUNS),
        ("x/.mise", "config.toml", RUNS),
        (".github", "workflows/ci.yml", STEERS),
        (".claude/worktrees", "main.py", ""),
        (".config/app", "x.toml", ""),
    ],
)
def test_the_folders_above_count_where_a_name_needs_them(
    work: Path, folder: str, name: str, why: str
) -> None:
    """But a session within an obeyed folder asks no more than any other."""
    root = work / folder
    root.mkdir(parents=True)
    assert paths.facts(name, (root,)).protected == why


BARE = "config config.worktree packed-refs objects/k objects/info/k refs/heads/k hooks/pre-commit Config REFS/k"


@pytest.mark.parametrize("mode", ["manual", "auto", "accept-edits", "accept-all"])
@pytest.mark.parametrize("name", BARE.split())
def test_a_part_of_what_may_be_a_bare_repository_asks(work: Path, name: str, mode: str) -> None:
    (work / "pkg").mkdir()
    (work / "pkg" / "HEAD").symlink_to("refs/heads/main")  # a link to nothing is enough for git
    (work / "way").symlink_to("pkg")
    for folder in ("pkg", "way"):
        fact = paths.facts(f"{folder}/{name}", (work,))
        assert policy.decide(mode, policy.Facts("create_file", "write", (fact,))).verdict == "ask"
        assert fact.protected == RUNS
    assert (
        not paths.facts("pkg/src/k.py", (work,)).protected
        and not paths.facts(name, (work,)).protected
    )


def test_no_files_that_are_written_unasked_make_a_repository_that_git_obeys(work: Path) -> None:
    """With git itself: whatever order they come in, the program named in the config does not run."""
    ran = work / "ran"
    (work / "monitor").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (work / "monitor").chmod(0o755)
    config = (
        f"[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = {work}/monitor\n"
    )
    files = {"config": config, "objects/k": "x", "refs/k": "x", "HEAD": "ref: refs/heads/main\n"}

    def write(unasked_alone: bool) -> None:
        for name, content in files.items():
            fact = paths.facts(f"pkg/{name}", (work,))
            decision = policy.decide("accept-edits", policy.Facts("create_file", "write", (fact,)))
            if decision.verdict == "allow" or not unasked_alone:
                fact.real.parent.mkdir(parents=True, exist_ok=True)
                fact.real.write_text(content)
        subprocess.run(
            ["git", "status"], cwd=work / "pkg", capture_output=True, check=False, timeout=60
        )

    write(unasked_alone=True)
    assert not ran.exists()
    write(unasked_alone=False)
    assert ran.exists()  # with all of them it would


FOLDERS = ("", "src", ".kube", ".docker", ".env.d", ".ENV.D", ".ssh", ".ssh/deep", "a/.aws/b", "gh")
NAMES = (
    "a.py", "config", "config.json", "hosts.yml", ".env", ".ENV. ", "x.pem", "X.PEM.", "id_rsa",
    "id_map.py", "id_rsa.pub", ".env.example", "a\nb.key", "any", "bad\udcff.pem", "keys.txt",
)  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_secrets_of_a_folder_are_those_that_are_one_by_one(folder: str) -> None:
    parts = tuple(folder.split("/")) if folder else ()
    one_by_one = {name for name in NAMES if protected_names.is_secret((*parts, name))}
    assert protected_names.find_secrets(parts, NAMES) == one_by_one
