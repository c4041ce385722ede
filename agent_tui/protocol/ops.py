"""What a person (or a front end for them) asks of the engine. Imperatives; plain data; ids, never
objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from agent_tui.protocol.standing import EditedPrompt
from agent_tui.structures.chips import Chip, Paste
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vocabulary import EFFORTS as EFFORTS
from agent_tui.structures.vocabulary import MODES as MODES

QueueAction = Literal["add", "remove", "edit", "up", "down", "clear", "pause", "resume"]
QueryKind = Literal[
    "skills",
    "models",
    "sessions",
    "files",
    "image",
    "clipboard_image",
    "session_preview",
    "file_preview",
    "log",
    "undo",
    "redo",
    "diff",
    "search",
    "search_here",
    "stats",
    "tree",
    "doctor",
    "jobs",
    "permissions",
    "hidden",
    "trust",
    "named_files",
    "compaction",
    "context",
    "memory",
    "repo_map",
]
Choice = Literal[
    "once", "always", "prefix", "folder", "outside", "no",
    "stop", "continue", "say", "yes", "later", "choose",
]  # fmt: skip
FileChoice = Literal["keep", "restore", "both"]
"""What to do about a file that changed since: leave it, put the old one in its place, write the old
one beside it."""


@frozen(kw_only=True)
class Op:
    """`session` and `agent` say whom it is for; empty: the one that is there, and its main
    agent."""

    session: str = ""
    agent: str = ""
    parent_call: str = ""


@frozen
class Submit(Op):
    """Start a turn. `queue_id`: the prompt was waiting in the queue under this id and leaves it;
    `pastes`: which characters of `text` were pasted, here and below."""

    text: str
    queue_id: str = ""
    pastes: tuple[Paste, ...] = ()
    type: Literal["submit"] = "submit"


@frozen
class Steer(Op):
    """Put `text` (or, where it is empty, the queued prompt `queue_id`) into the running turn at its
    next step."""

    text: str = ""
    queue_id: str = ""
    pastes: tuple[Paste, ...] = ()
    type: Literal["steer"] = "steer"


@frozen
class Cancel(Op):
    """Interrupt the turn; the queue pauses, or is emptied."""

    clear_queue: bool = False
    type: Literal["cancel"] = "cancel"


@frozen
class QueueEdit(Op):
    """`up` and `down` move the prompt `id` by one place among those that wait for a turn of their
    own."""

    action: QueueAction
    id: str = ""
    text: str = ""
    pastes: tuple[Paste, ...] = ()
    type: Literal["queue_edit"] = "queue_edit"


@frozen
class Answer(Op):
    """Answers the approval or question `id`. `text` goes to the model with the answer, or is what
    the person says. `by`: `nobody`, where the input has ended and no person can answer; the engine
    itself says `rule` where the answer is not needed any more, and `changed` where the question is
    another one by now. `picks`: the options that are chosen, from 0."""

    id: str
    choice: Choice
    text: str = ""
    pastes: tuple[Paste, ...] = ()
    by: Literal["person", "nobody", "rule", "changed"] = "person"
    picks: tuple[int, ...] = ()
    type: Literal["answer"] = "answer"


@frozen
class SetMode(Op):
    mode: str
    type: Literal["set_mode"] = "set_mode"


@frozen
class SetEffort(Op):
    """Thinking effort from the next request on (`EFFORTS`); empty: as it likes."""

    level: str
    type: Literal["set_effort"] = "set_effort"


@frozen
class SetDirectory(Op):
    """Work in the folder `path`, too, or `remove` it from those; empty: tell which there are."""

    path: str = ""
    remove: bool = False
    type: Literal["set_directory"] = "set_directory"


@frozen
class SetInView(Op):
    """Keep these files in the model's view, or `remove` them from it: each goes with the next
    prompt whenever it has changed. None: tell which there are; to remove: all."""

    paths: tuple[str, ...] = ()
    remove: bool = False
    type: Literal["set_in_view"] = "set_in_view"


@frozen
class SetModel(Op):
    """Choose the model `<provider>/<model>`; `base_url` where its server was typed in. An empty
    model: look again."""

    model: str
    base_url: str = ""
    type: Literal["set_model"] = "set_model"


@frozen
class Pull(Op):
    """Fetch a model onto the local Ollama server, and change to it; `serve`: start that server if
    it does not run. `stop`: give up what is being fetched. How it goes is told as `answered`, kind
    `pull`."""

    model: str
    how: Literal["", "serve", "stop"] = ""
    type: Literal["pull"] = "pull"


@frozen
class SaveDraft(Op):
    """Keep what the prompt holds; `pasted` is what the labels in `text` stand for
    (`structures/chips.py`), and `edited` whose new words it begins with. `at_once`: it does not
    wait for more, and `draft_saved` tells in any case that it is on record."""

    text: str
    pasted: tuple[Chip, ...] = ()
    at_once: bool = False
    edited: EditedPrompt | None = None
    type: Literal["save_draft"] = "save_draft"


@frozen
class KeepPlace(Op):
    """The person leaves while looking at `row`, and not at the end (-1)."""

    row: int
    type: Literal["keep_place"] = "keep_place"


@frozen
class RunShell(Op):
    """Run the person's own command, also beside a turn. Of a `private` one nothing goes to the
    model or on record."""

    command: str
    private: bool = False
    type: Literal["run_shell"] = "run_shell"


@frozen
class KeepRecording(Op):
    """Add lines to the recording of `session`: what its screen was told in the `run` that opened
    it. Never logged."""

    session: str
    lines: str
    run: str = ""
    type: Literal["keep_recording"] = "keep_recording"


@frozen
class Query(Op):
    """Ask for facts (skills, models, sessions, files); the event `answered` brings them under the
    same id."""

    id: str
    kind: QueryKind
    argument: str = ""
    type: Literal["query"] = "query"


@frozen
class Clear(Op):
    """Empty the context; same session and log."""

    type: Literal["clear"] = "clear"


@frozen
class Compact(Op):
    """Let `summary` stand for the first `replaced` of the `of` messages of the context, but for
    those that are `pinned` (their places). `model`: who wrote it."""

    summary: str
    replaced: int
    of: int
    pinned: tuple[int, ...] = ()
    model: str = ""
    type: Literal["compact"] = "compact"


@frozen
class UndoCompaction(Op):
    """Let the model read again what the newest summary stands for."""

    type: Literal["undo_compaction"] = "undo_compaction"


@frozen
class AskAside(Op):
    """Ask `text` on the side, with the context as it is now and no tools; the question before it is
    given up. The answer comes as `aside_delta` and `aside_ended` under the same id, and never
    enters the context."""

    id: str
    text: str
    type: Literal["ask_aside"] = "ask_aside"


@frozen
class CancelAside(Op):
    """Give up the question on the side."""

    type: Literal["cancel_aside"] = "cancel_aside"


@frozen
class SetClipboard(Op):
    """Put `text` on the clipboard with a tool of this machine, if it has one (`answered`, kind
    `clipboard`)."""

    text: str
    type: Literal["set_clipboard"] = "set_clipboard"


@frozen
class WriteFile(Op):
    """Write `text` to a new file in the session's folder: `name`, or one with a number (`answered`,
    kind `written`)."""

    name: str
    text: str
    type: Literal["write_file"] = "write_file"


@frozen
class Export(Op):
    """Write the session to a new file: Markdown, HTML or JSON by the suffix of `path`. Empty, a
    folder or only a format (`html`): a name is made (`answered`, kind `written`)."""

    path: str = ""
    type: Literal["export"] = "export"


@frozen
class Save(Op):
    """Write what of the session is not on disk: try again, or keep all of it in the new file `path`
    from now on (a folder: in a file in there). `answered`, kind `saved`."""

    path: str = ""
    type: Literal["save"] = "save"


@frozen
class Resume(Op):
    """Answers the list of sessions that a start with `--resume` shows, or opens another: `id`;
    empty: a new one. `how`, where another program has it: `read` along, or `fork` it. `beside`: the
    one that is open stays open, and an Op goes to the session that it names."""

    id: str
    how: Literal["", "read", "fork"] = ""
    beside: bool = False
    type: Literal["resume"] = "resume"


@frozen
class Rewind(Op):
    """Take back the turn that began with record `to`, and all after it. Not while something
    runs."""

    to: int
    type: Literal["rewind"] = "rewind"


@frozen
class Fork(Op):
    """Copy what was before the turn that began with record `at` (0: all) to a new session
    (`answered`: `forked`)."""

    at: int = 0
    type: Literal["fork"] = "fork"


@frozen
class Rename(Op):
    """Give the session (`session`: which, if not this one) a title of the person's own; empty:
    none."""

    title: str
    type: Literal["rename"] = "rename"


@frozen
class Delete(Op):
    """Delete the files of the session `id`, which is not open (`answered`, kind `shelf`)."""

    id: str
    type: Literal["delete"] = "delete"


@frozen
class Label(Op):
    """Give the message with record number `of` a word of the person's own; empty: none."""

    of: int
    label: str = ""
    type: Literal["label"] = "label"


@frozen
class RestoreFiles(Op):
    """Take back what the turn that began with record `to` (0: the last that changed files) and all
    after it changed; with `redo` make again what was taken back last. A file that is not as it was
    left needs a word in `choices`; where one is missing, or the file does not hold what was `seen`
    (SHA-256), nothing is done (`answered`, kind `restored`). A file that changed while a command
    ran is left as it is, unless `choices` says otherwise."""

    to: int = 0
    what: Literal["code", "conversation", "both"] = "code"
    choices: Mapping[str, FileChoice] = field(default_factory=dict)
    redo: bool = False
    seen: Mapping[str, str] = field(default_factory=dict)
    type: Literal["restore_files"] = "restore_files"


@frozen
class Continue(Op):
    """Go on with a turn that was interrupted, without a prompt. `again`: an answer that broke off
    is asked for anew."""

    again: bool = False
    type: Literal["continue"] = "continue"


@frozen
class StopJob(Op):
    """End what a command left in the background; without an id all of it."""

    id: str = ""
    type: Literal["stop_job"] = "stop_job"


@frozen
class KeepJob(Op):
    """Let what a command left in the background go on when the program ends, or not (`on`); without
    an id all of it. Only a person asks for this."""

    id: str = ""
    on: bool = True
    type: Literal["keep_job"] = "keep_job"


@frozen
class MoveToBackground(Op):
    """The commands that somebody waits for go on in the background."""

    type: Literal["move_to_background"] = "move_to_background"


@frozen
class RevokePermission(Op):
    """Take back what was allowed for the session, or in this folder for good; `id` is that of a
    `PermissionStatus`."""

    id: str
    type: Literal["revoke_permission"] = "revoke_permission"


@frozen
class SetTrust(Op):
    """Use the files of the project that have these `hashes` (`TrustOffer`): from now on, until the
    program ends, or not."""

    choice: Literal["always", "once", "no"]
    hashes: tuple[str, ...] = ()
    type: Literal["set_trust"] = "set_trust"


@frozen
class AllowOnce(Op):
    """A call that was denied may run once, and the model is asked to make it again."""

    call_id: str
    type: Literal["allow_once"] = "allow_once"


@frozen
class ChangeMemory(Op):
    """Forget a fact (`id` of a `MemoryRow`), or restore what was forgotten last; accept a proposal
    as a fact, or decline it."""

    action: Literal["forget", "restore", "accept", "decline"]
    id: str = ""
    type: Literal["change_memory"] = "change_memory"


@frozen
class ShowHidden(Op):
    """Let the model see the value behind a `placeholder` until the turn ends; between turns, until
    the next one does."""

    placeholder: str
    type: Literal["show_hidden"] = "show_hidden"


@frozen
class Shutdown(Op):
    """The end: of one `session`, or of all."""

    type: Literal["shutdown"] = "shutdown"
