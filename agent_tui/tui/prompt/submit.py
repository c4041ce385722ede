"""What happens to a prompt that is sent: a command runs, the rest goes to the agent or waits for
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from agent_tui import registry
from agent_tui.protocol.ops import QueueEdit, RunShell, Save, Steer, Submit
from agent_tui.structures import chips, late
from agent_tui.structures.tone import Tone
from agent_tui.tui import commands
from agent_tui.tui.core.effects import Send
from agent_tui.tui.core.model import InFlight, Model
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer, queue
from agent_tui.tui.prompt.completion import SLASH, is_unknown, skills
from agent_tui.tui.screen.key_guards import QUIET_SECONDS

with registry.late():
    from agent_tui.tui.sheets import opening

MOVES: Final = late.pattern(r"(?:cd|pushd)(?:\s+[^;&|\n]+)?")
"""A command that does nothing but go to another folder."""
CHOOSE_FIRST: Final = "not sent: choose with ↑↓ and Enter first"
SUMMARY_FIRST: Final = "not run: use the summary or cancel it (Esc) first"
DOUBLED_SECONDS: Final = 0.4
"""A key that comes again so soon was pressed once."""
READ_SECONDS: Final = 8.0
"""A sentence that says what to do instead stays so long."""


def submit(model: Model, text: str) -> Step:
    """Enter: answer what the prompt is for, run a command, send a prompt or queue it."""
    purpose = model.composer.purpose
    if purpose is not None:
        doubled = model.since_same < QUIET_SECONDS and text == model.composer.text
        if doubled:  # the Enter that opened it
            return model, ()
        if purpose.kind == "sheet":
            return opening.on_text(model, text)
        if purpose.kind == "save" and text.strip():
            saves = replace(composer.leave(model), leaving="saves")
            return send(saves, Save(text.strip()))
        if purpose.kind == "action" and text.strip():
            return _completed(composer.leave(model), purpose.id, text.strip())
        return composer.on_purpose_sent(model, purpose, text)
    if (
        text.strip()
        and text == model.composer.text
        and model.at - model.composer.returned_at < DOUBLED_SECONDS
    ):
        return model, ()  # the first one put it there
    if model.composer.editing is not None:
        return _put_back(model, text)
    if not text.strip():
        return _nothing(model)
    if model.holds_queue and runs_at_once(text):
        return _stays(model, text, SUMMARY_FIRST, "warning")
    called = slash(model, text)
    if called is not None:
        return called
    if model.transcript.reading and not model.gone:
        model = composer.write(model, text) if model.composer.draft != text else model
        return toast(model, "this session is read only: /fork makes your own copy", "warning")
    if text.startswith("!") and not model.gone:
        if not model.is_held:
            return shell(model, text)
        return _stays(model, text, queue.ANSWER_FIRST)
    if (stays := _kept_back(model, text)) is not None:
        return stays
    if (
        skill := SLASH.match(text.strip())
    ) is not None:  # no other word behind a slash comes as far
        model = model.with_used(f"skill:{skill.group(1)}")
    after, effects = _spent(model, text)
    text, pastes = chips.expand_chips(text, model.composer.chips)
    after = replace(after, reading=after.reading.at_end())
    after = _shown_early(after, text)
    if _must_wait(model):
        return after, (*effects, Send(QueueEdit("add", text=text, pastes=pastes)))
    submits = Send(Submit(text, pastes=pastes))
    sent: Step = (replace(after, in_flight=InFlight(text)), (*effects, submits))
    if not model.queue or model.transcript.answers.holds_prompts:
        return sent
    key = commands.hint("send", "on an empty prompt resumes the queue", model.keys)
    said = f"{key} ({len(model.queue)})" if key else f"{len(model.queue)} still queued, paused"
    return then(sent, toast(sent[0], said))


def _must_wait(model: Model) -> bool:
    """Whether something comes before a prompt that is sent now."""
    first = model.queue and not model.transcript.paused
    return bool(model.is_running or model.question is not None or model.holds_queue or first)


def _stays(model: Model, text: str, why: str, tone: Tone = "normal") -> Step:
    """`text` is not taken now: it stays in the prompt, and what comes behind it is no part of it."""
    model = composer.write(model, text) if model.composer.draft != text else model
    return toast(composer.keep_apart(model), why, tone)


def _glued(model: Model, text: str) -> Step | None:
    """A command was typed right behind what stayed in the prompt: neither is meant for the model.
    None: there is none."""
    if not (command := _glued_command(model, text)):
        return None
    stays = composer.write(model, text) if model.composer.draft != text else model
    return toast(stays, f"not sent: clear the prompt, then {command}", "warning", READ_SECONDS)


def _glued_command(model: Model, text: str) -> str:
    """The command that was typed right behind what stayed in the prompt: it is no part of that.
    Empty: there is none."""
    old = model.composer.stayed
    behind = text.removeprefix(old).rstrip() if old and text.startswith(old) else ""
    match = SLASH.fullmatch(behind)
    return behind if match and commands.by_slash(match.group(1)) is not None else ""


def _kept_back(model: Model, text: str) -> Step | None:
    """There is nobody to send `text` to, or it is not meant for the model: it stays in the prompt.
    None: it is sent."""
    again = opening.is_open_for(model, "no_model")
    if model.started and not model.gone and not model.transcript.model and not again:
        model = opening.open_for(model, "no_model")[0]
        return composer.write(model, text) if model.composer.draft != text else model, ()
    stays = composer.write(model, text) if model.composer.draft != text else model
    if model.gone:
        return toast(stays, "the engine has stopped: Ctrl+D on an empty prompt quits", "bad")
    if opening.is_open_for(model, "locked"):  # nobody means it for the session in its place
        return toast(stays, CHOOSE_FIRST, "warning")
    if model.started and not model.transcript.model:
        return toast(stays, "kept until there is a model", "warning")
    return _glued(model, text)


def _spent(model: Model, text: str) -> Step:
    """`text` was used, and the engine is told so before what is done with it: it is no draft of a
    session that a command leaves, and takes no place that a prompt may come back to."""
    spent = composer.use_text(model, text)
    return then(spent, composer.save(spent[0]))


def shell(model: Model, text: str) -> Step:
    """`!command` runs at once, also beside a turn; `!!command` is private."""
    private = text.startswith(composer.PRIVATE)
    command = chips.expand(text, model.composer.chips)[1 + private :].strip()
    if not command:
        return toast(model, "type a command after the !, such as !git status")
    after, effects = composer.use_text(model, text)
    after = replace(after, reading=after.reading.at_end())
    ran: Step = (after, (*effects, Send(RunShell(command, private))))
    if MOVES.fullmatch(command) is None:
        return ran
    return then(
        ran,
        toast(
            after,
            f"each ! starts in the project's folder: !{command} && … in one line",
            seconds=READ_SECONDS,
        ),
    )


def refuses(model: Model, text: str) -> bool:
    """Whether Enter leaves `text` in the prompt, because a sheet or a question has to end first."""
    if not runs_at_once(text):
        return False
    if model.holds_queue or (text.startswith("!") and model.is_held and not model.gone):
        return True
    called = _called(model, text) if opening.asks(model) else None
    return called is not None and opening.hides_question(model, called[0])


def runs_at_once(text: str) -> bool:
    """Whether `text` is a command: Enter runs it beside a turn, too."""
    words = text.strip()
    if words.startswith("!") or words == "/":
        return True
    match = SLASH.match(words)
    return match is not None and commands.by_slash(match.group(1)) is not None


def _called(model: Model, text: str) -> Step | None:
    """The command that `text` calls, run. None: it calls none."""
    match = SLASH.match(text.strip())
    command = commands.by_slash(match.group(1)) if match is not None else None
    if match is None or command is None:
        return None
    arguments = chips.expand(text.strip()[match.end() :], model.composer.chips).strip()
    spent = _spent(model.with_used(f"command:{command.name}"), text)
    if command.has_list and not arguments:
        return then(spent, opening.open_sheet(spent[0], command.name))
    return then(spent, command.run(spent[0], arguments))


def slash(model: Model, text: str) -> Step | None:
    """Run the command that `text` calls, or say that there is none, or that it has to wait. None:
    it is a prompt (or a skill)."""
    match = SLASH.match(text.strip())
    if match is None:
        return _name_missing(model, text) if text.strip() == "/" else None
    name = match.group(1)
    if (called := _called(model, text)) is not None:
        hides = opening.hides_question(model, called[0])
        return _stays(model, text, queue.ANSWER_FIRST) if hides else called
    if model.gone or not is_unknown(model.transcript.answers, text):
        return None
    known = skills(model.transcript.answers)
    if model.composer.draft != text:
        model = composer.write(model, text)
    if known is None:
        waits = replace(model, composer=replace(model.composer, calls=text))
        return toast(waits, f"/{name} waits: the skills are still being read")
    names = frozenset(skill.name for skill in known)
    found = model.transcript.sandbox
    if name == "sandbox" and found:
        said = SANDBOXED.format(found) if found != "none" else BARE
        return toast(model, said, "warning", READ_SECONDS)
    return toast(model, hint(name, names), "warning", READ_SECONDS)


def _name_missing(model: Model, text: str) -> Step:
    """A slash alone is no prompt: it stays, for the name that is to follow."""
    stays = composer.write(model, text) if model.composer.draft != text else model
    return toast(stays, "type a command after the /, such as /help", "warning")


def skills_told(model: Model) -> Step:
    """The skills are known: a line that waited for them goes where it belongs, if it still stands
    in the prompt."""
    waits, now = model.composer.calls, model.composer
    if not waits:
        return model, ()
    model = replace(model, composer=replace(now, calls=""))
    free = now.purpose is None and now.editing is None and now.draft == waits
    return submit(replace(model, toast=None), waits) if free else (model, ())


def _completed(model: Model, name: str, arguments: str) -> Step:
    """The palette's command, or skill, `name` has what it needs; the draft stays."""
    command = commands.by_slash(name)
    if command is not None:
        return command.run(model, arguments)
    draft = model.composer
    sent, effects = submit(model, f"/{name} {arguments}")
    back = (
        composer.write(sent, draft.draft, caret=draft.caret)
        if draft.draft != sent.composer.draft
        else sent
    )
    return back, effects


def steer(model: Model, text: str) -> Step:
    """Put the draft, or else the oldest queued prompt, into the running turn."""
    if model.composer.purpose is not None or not model.is_running:
        return submit(model, text)
    if model.composer.editing is not None:
        return _put_back(model, text, steers=True)
    if not text.strip():
        return _nothing(model)
    if text.startswith("!"):
        return submit(model, text)  # a command is no word to the model
    called = slash(model, text) or _glued(model, text)
    if called is not None:
        return called
    spent, effects = _spent(model, text)
    text, pastes = chips.expand_chips(text, model.composer.chips)
    return _shown_early(spent, text), (*effects, Send(Steer(text, pastes=pastes)))


def _shown_early(model: Model, text: str) -> Model:
    """Until there is an engine to tell of it, what was sent is shown as waiting."""
    return model if model.started else replace(model, early=(*model.early, text))


def _put_back(model: Model, text: str, steers: bool = False) -> Step:
    """The end of an edit. The model cannot be sent a command: it would be read as a prompt when its
    time comes."""
    match = SLASH.match(text.strip())
    called = f"/{match.group(1)}" if match and commands.by_slash(match.group(1)) else ""
    if text.strip() == "/":
        return _name_missing(model, text)
    if called or text.startswith("!"):
        said = f"{called or 'a ! line'} is a command and cannot be queued: Esc cancels"
        return toast(model, said, "warning")
    return queue.put_back(model, text, steers)


def _nothing(model: Model) -> Step:
    """Enter on an empty prompt; a doubled one belongs to what the first one did."""
    if not model.queue or model.since_same < DOUBLED_SECONDS:
        return model, ()
    if model.is_running:
        return queue.steer_oldest(model)
    return queue.resume(model) if model.transcript.paused else (model, ())


SANDBOXED: Final = (
    "in accept-all mode commands run in a sandbox ({}): no network but hosts that you allow, and "
    "they write only in the folders of this session; those that you allow run without it"
)
BARE: Final = (
    "there is no sandbox: commands have your own rights, and in accept-all mode nothing holds them "
    "but the hard list and your rules; /mode auto asks first"
)
NOT_HERE: Final = "not available yet"
ALIKE: Final = 0.75
"""How alike two names are for the one to be taken for a slip of the other."""
INSTEAD: Final[Mapping[str, str]] = {
    "usage": "/stats shows tokens, time and calls of this session",
    "status": "/debug shows model, context and versions, /settings what is set",
    "allowed-tools": "/mode decides what runs without asking; the setting tools.enabled names the tools",
    "approvals": "/permissions lists them, /mode decides what asks",
    "sandbox": "only accept-all mode runs commands in a sandbox. Here a command that changes something "
    "runs only if you allow it, and then with your own rights; /mode accept-all uses the sandbox",
    "plan": "/mode plan only reads and proposes",
    "login": "/setup sets up a provider, or `agent-tui auth set PROVIDER` in a shell saves a key",
    "logout": "`agent-tui auth remove PROVIDER` in a shell deletes a key",
    "mcp": f"{NOT_HERE}: MCP servers",
    "agents": f"{NOT_HERE}: sub-agents; /btw asks a side question",
    "hooks": "the setting hooks.after_edit: commands that run after an edit (docs/settings.md)",
    "plugin": f"{NOT_HERE}: plugins; /skills lists the skills",
    "review": "!git diff shows the change; ask for a review of it in a prompt",
    "feedback": "/bug writes the session to a file for a report",
    "output-style": f"{NOT_HERE}: write in AGENTS.md how answers should be",
    "statusline": "the line at the top is a setting: /settings display.status",
    "terminal-setup": "no setup is needed; docs/keys.md lists the keys",
    "bashes": "/jobs lists the commands in the background",
    "tasks": "/jobs lists the commands in the background, /todo shows the todo list",
    "side": "/btw asks a side question",
}


def hint(name: str, skills: frozenset[str]) -> str:
    """What to say of `/name`, which is neither command nor skill."""
    known = INSTEAD.get(name.lower())
    if known is not None:
        return f"/{name}: {known}"
    close = get_close_matches(name, (*commands.slash_names(), *skills, *INSTEAD), n=1, cutoff=ALIKE)
    if close and close[0] in INSTEAD and close[0] not in skills:
        return f"no command or skill /{name}; /{close[0]}: {INSTEAD[close[0]]}"
    meant = f"did you mean /{close[0]}?" if close else "type / to list the commands"
    return f"no command or skill /{name}: {meant}"
