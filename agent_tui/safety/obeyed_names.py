"""The names of files that programs obey, without anybody starting them, and those that tell agents and build servers
what to do. A row for each program or family of them.

A pattern is the end of a path, or with a slash behind it a folder with all that is below it. `*` stands for any letters
of one name, `{a,b}` for one of several (`{,.local}`: for `.local` or nothing). All in small letters.

Files that somebody has to start, as the scripts of a package.json or a Makefile, are code as any other: every edit
would ask. Nor are settings here of which a program takes nothing but data (`.editorconfig`, `.nvmrc`).
"""

from __future__ import annotations

from typing import Final

RUN: Final = {
    # At a commit, a checkout, or as soon as somebody asks for the status.
    "git itself": ".git/ .gitmodules .gitattributes .gitconfig .lfsconfig .config/git/ git/config .git_template/",
    "a bare repository": "head commondir",
    "its relatives": ".hg/ .hgrc .config/hg/ .jj/ .config/jj/ jj/config.toml .sl/ .repo/",
    "hooks of git": ".hooks/ .githooks/ .git-hooks/ .cargo-husky/ {.,}rusty-hook.toml",
    "husky": ".husky/ .huskyrc*",
    "lefthook": "{.,}lefthook{,-local}.{yml,yaml,toml,json,jsonc} .lefthook/ .lefthook-local/",
    "pre-commit": ".pre-commit-config.y{,a}ml prek.toml",
    "other runners of hooks": ".overcommit.y{,a}ml {.,}simple-git-hooks.{js,cjs,mjs,ts,json}"
    " .trunk/ hk.pkl {.,}captainhook.json grumphp.yml .lintstagedrc* lint-staged.config.*",
    # At the start of a shell, a terminal or a desktop.
    "bash": ".bashrc* .bash_* .bashrc.d/ .bash.d/ .inputrc",
    "zsh": ".zshrc* .zshenv* .zprofile* .zlogin* .zlogout* .zsh.d/ .zshrc.d/ .p10k.zsh .zimrc .zpreztorc",
    "fish": ".config/fish/ fish/config.fish fish/{conf.d,functions}/*.fish",
    "other shells": ".profile .login .logout .{k,mk,c,tc,ya,xon}shrc .config/xonsh/"
    " nushell/{config,env,login}.nu elvish/rc.elv {,*_}profile.ps1 {.,.config/}starship.toml",
    "terminals": ".tmux.conf* .tmux/ .config/tmux/ .screenrc .byobu/ .wezterm.lua .hyper.js"
    " .config/{alacritty,ghostty,kitty,wezterm}/",
    "desktops": ".xinitrc .xprofile .xsession .xsessionrc .xserverrc .pam_environment .hammerspoon/"
    " .config/{autostart,awesome,environment.d,hypr,i3,qtile,sway,systemd}/ launch{agents,daemons}/",
    "programs of the person": ".local/bin/ node_modules/.bin/",
    # As soon as a folder is entered.
    "direnv": ".envrc* .direnv/ .direnvrc direnv/{direnvrc,direnv.toml} direnv/lib/*",
    "mise": "{.,}{mise,rtx}{,.*}.toml .mise/ .rtx/ .config/{mise,rtx}/ {.,}{mise,rtx}/config{,.*}.toml"
    " {mise,rtx}/conf.d/*.toml",
    "asdf": ".tool-versions .asdfrc",
    "other keepers of environments": ".autoenv* .rvmrc .shadowenv.d/ .prototools",
    "nix": "{shell,flake}.nix devenv{,.*}.{nix,yaml} devbox.json .devbox/",
    "python's environments": "{.,}venv/bin/ .venv/scripts/ {bin,scripts}/activate{,.*} pyvenv.cfg",
    "rustup": "rust-toolchain{,.toml}",
    # When an editor opens a folder or a file.
    "vscode": ".vscode/ .vscode-server/ *.code-workspace .theia/",
    "other editors": ".vs/ .idea/ .fleet/ .zed/ .helix/ .nova/ *.sublime-{project,workspace}"
    " .settings/ .externaltoolbuilders/ .nanorc .kakrc .config/{helix,kak,zed}/",
    "vim": "{.,_}*vimrc* {.,_}exrc* .nvim.lua .{,n}vim/ vimfiles/ .config/{,n}vim/ nvim/init.{lua,vim}",
    "plugins of editors": ".ycm_extra_conf.py .luarc.json{,c} .neoconf.json",
    "emacs": ".emacs{,.*} .emacs.d/ .config/{emacs,doom}/ .doom.d/ .spacemacs .dir-locals{,-2}.el",
    "containers for work": ".devcontainer/ .devcontainer.json .gitpod.* {.,}devfile.y{,a}ml .idx/"
    " .replit replit.nix .codesandbox/",
    # At the start of an interpreter, a debugger or a client.
    "python": "{site,user}customize{/__init__,}.py {site,dist}-packages/*.{pth,start} .pythonrc*"
    " .pythonstartup .ipython/ .jupyter/ ipython_config.* jupyter_*config.{py,json}",
    "other interpreters": ".rprofile .renviron .ghci .ocamlinit .utoprc .iex.exs .erlang .guile"
    " .{irb,pry,sbcl,clisp,racket,octave}rc .julia/config/",
    "debuggers": ".gdbinit* .gdbearlyinit .lldbinit* .valgrindrc",
    "clients": ".psqlrc .sqliterc .curlrc .wgetrc .mailcap .muttrc .lessfilter",
    # Where builds take programs and packages from.
    "node": ".npmrc .yarnrc* .yarn/{plugins,releases,sdks}/ .pnpmfile.* .pnp.* {.,}bunfig.toml",
    "cargo": ".cargo/config{,.toml}",
    "java": ".mvn/ .gradle/init.d/ .gradle/gradle.properties gradle-wrapper.* .sbtopts .jvmopts",
    "bazel and buck": ".bazelrc .bazeliskrc tools/bazel .buckconfig{,.local}",
    "other packages": ".bundle/config .gemrc .condarc .pip/ pip.{conf,ini} .pydistutils.cfg",
    "this program, and servers of tools": ".agent-tui/ .mcp.json",
}  # fmt: skip
STEER: Final = {
    "files that agents read": "agent{,s}{,.local,.override}.md"
    " {claude,codebuddy,crush,gemini,iflow,opencode,qwen,replit,warp}{,.local}.md",
    "folders of agents": ".{agent,agents,amazonq,amp,antigravity,augment,claude,cline,clinerules}/"
    " .{codebuddy,codex,continue,copilot,crush,cursor,devin,factory,firebender,gemini,goose}/"
    " .{iflow,junie,kilocode,kimi,kiro,opencode,openhands,pi,qodo,qoder,qwen,roo,rovodev}/"
    " .{ruler,serena,tabnine,trae,vibe,warp,windsurf,zencoder}/",
    "rules of agents": ".*rules{,-*} .goosehints .augment-guidelines .openhands_instructions",
    "settings of agents": ".aider.* .{roo,kilocode}modes {.,}{crush,opencode}.json{,c}",
    "agents that review": ".coderabbit.y{,a}ml .pr_agent.toml",
    "agents of github": ".github/{agents,chatmodes,hooks,instructions,prompts,skills}/ .github/copilot*",
    "github and its relatives": ".{github,gitea,forgejo}/{workflows,actions}/ action.y{,a}ml",
    "gitlab": ".gitlab-ci* *.gitlab-ci.y{,a}ml .gitlab/{agents,ci,duo}/ .gitlab/*.y{,a}ml",
    "jenkins": "jenkinsfile* *.jenkinsfile .jenkins/",
    "folders of build servers": ".{azuredevops,azure-pipelines,buildkite,builds,ci,circleci,concourse}/"
    " .{harness,kokoro,pipelines,semaphore,teamcity,tekton,woodpecker}/ {.,}zuul.d/",
    "files of build servers": "{.,}{amplify,appveyor,azure-pipelines{,-*,.*},bitbucket-pipelines,buddy}.y{,a}ml"
    " {.,}{buildspec{,-*,.*},cirrus,cloudbuild{,-*,.*},codefresh,codemagic,codeship-*,drone,evergreen}.y{,a}ml"
    " {.,}{semaphore,travis,wercker,woodpecker,zuul}.y{,a}ml .cirrus.star .drone.{star,jsonnet}"
    " .{build,ci,packit,readthedocs,rultor,taskcluster}.y{,a}ml netlify.toml vercel.json",
}  # fmt: skip
