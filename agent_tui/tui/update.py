"""One Msg in, the next model and what to do about it out. Decides nothing itself: each concern has
its module."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import assert_never

from agent_tui.protocol.session_answers import ForkOutcome
from agent_tui.registry import late
from agent_tui.tui.core.effects import Quit
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import (
    Acted,
    AskedShown,
    BranchRead,
    BugWritten,
    ChipClicked,
    CommandCalled,
    Copied,
    DraftChanged,
    DraftEdited,
    EffectFailed,
    EventsArrived,
    FactsRead,
    FileClicked,
    FilesNamed,
    FocusChanged,
    ForkMade,
    GroundTold,
    HistoryAsked,
    HistoryLoaded,
    HistoryRead,
    KeyPressed,
    LookDue,
    Msg,
    OptionClicked,
    Pasted,
    PromptRecalled,
    QuestionAnswered,
    QuestionTurned,
    Recovered,
    Resized,
    Scrolled,
    SettingsRead,
    Started,
    Submitted,
    TerminalReturned,
    Ticked,
    ToastExpired,
    Toggled,
    VimMoved,
    Yielded,
)
from agent_tui.tui.core.step import Step, then, toast

with late():
    from agent_tui.tui.dialog import answer_keys, answering, following, refusals, unread
    from agent_tui.tui.prompt import (
        completion,
        composer,
        history_prompt,
        pastes,
        queue,
        submit,
    )
    from agent_tui.tui.screen import (
        engine_events,
        intents,
        key_guards,
        key_routing,
        notify,
        session_actions,
        settings,
    )
    from agent_tui.tui.sheets import control, draw, opening
    from agent_tui.tui.transcript import named_files, search_prompt, state


def update(model: Model, msg: Msg) -> Step:
    """The model after `msg`, and the effects to perform, in order. Pure; never raises."""
    after, effects = _decided(replace(model, at=msg.at), msg)
    after, more = composer.keep_put_aside(model, refusals.on_edit(model, after))
    after, stays = session_actions.call_off_leaving(model, after, msg)
    effects = (*effects, *more, *stays)
    if model.busy and not after.busy:
        after = replace(after, ended_at=msg.at)
    purpose = model.composer.purpose
    if purpose is not None and purpose.secret and after.composer.purpose is None:
        after, more = following.follow(after, msg.at)  # a question may have waited for a secret
        effects = (*effects, *more)
    step = after, effects
    if after.toast is not None and after.toast is model.toast and _is_past(model, after):
        after = replace(after, toast=None)
        step = after, step[1]
    if after.search is not None:
        step = then(step, search_prompt.continue_search(search_prompt.settle_search(after)))
    if step[0].recall is not None:
        step = then(step, (history_prompt.settle_search(step[0]), ()))
    if after.finder is not None or "@" in after.composer.draft:
        step = then(step, completion.settle_files(step[0]))
        step = then(step, pastes.ask_about_images(step[0]))
    if step[0].overlay is not None:
        step = then(step, opening.follow(model, step[0]))
    if model.holds_queue:
        step = then(step, queue.dispatch(step[0]))  # it may have closed
    if after.held is not None:
        step = then(step, key_routing.settle_held(step[0]))
    step = then(step, composer.save(step[0]))
    step = then(step, notify.notify_changes(model, step[0], msg))
    step = then(step, (step[0], answer_keys.watch_enter(model, step[0])))
    if after.alone and step[0].overlay is None:
        step = then(step, (step[0], (Quit(),)))
    step = session_actions.ask_before_switching(model, step)
    return session_actions.ask_before_leaving(model, step) if Quit() in step[1] else step


def _is_past(before: Model, after: Model) -> bool:
    """Whether the toast was said of what stood there before: Enter confirms nothing any more, for
    example."""
    waited = before.held is not None and before.held.due == inf
    said = before.toast is not None and (
        before.toast.tone == "warning" or refusals.is_refusal(before.toast.text)
    )
    answered = said and before.dialog is not None and after.dialog is None
    return (
        (waited and after.held is None)
        or answered
        or _opened(before, after)
        or _begun(before, after)
    )


def _opened(before: Model, after: Model) -> bool:
    """Whether a sheet or a question has just appeared."""
    sheet = after.overlay is not None and (
        before.overlay is None or before.overlay.kind != after.overlay.kind
    )
    asked = after.dialog is not None and (
        before.dialog is None or before.dialog.id != after.dialog.id
    )
    return sheet or asked


def _begun(before: Model, after: Model) -> bool:
    """Whether a prompt has just gone out, or a turn has begun that nobody here sent a prompt
    for."""
    if after.in_flight is not None:
        return after.in_flight is not before.in_flight
    new = after.transcript.turn > before.transcript.turn and after.active == before.active
    return new and before.in_flight is None


def _decided(model: Model, msg: Msg) -> Step:
    match msg:
        case Acted():
            return control.on_intent(model, msg)
        case CommandCalled():
            return intents.call(model, msg)
        case QuestionAnswered():
            return intents.answer(model, msg)
        case QuestionTurned(step):
            return following.turn(model, step)
        case PromptRecalled(place):
            return history_prompt.take(model, place)
        case Started():
            return _started(model, msg)
        case Resized():
            return replace(model, width=msg.width, height=msg.height), ()
        case EventsArrived():
            return engine_events.on_events(model, msg.events, msg.at)
        case Ticked():
            return engine_events.on_tick(model, msg.at)
        case DraftChanged():
            return composer.change_text(model, msg.text, msg.caret), ()
        case Submitted():
            return key_routing.on_key(model, KeyPressed("enter", draft=msg.text, at=msg.at))
        case KeyPressed():
            return key_routing.on_key(model, msg)
        case AskedShown():
            return unread.mark_viewed(model, msg), ()
        case HistoryAsked():
            return composer.browse(replace(model, arrow_at=msg.at), msg.step, msg.draft)
        case HistoryLoaded():
            return composer.on_history_loaded(model, msg.entries, msg.again), ()
        case HistoryRead():
            return history_prompt.read(model, msg), ()
        case DraftEdited():
            return composer.on_editor_left(model, msg.text, msg.problem)
        case ForkMade():
            return session_actions.on_forked(model, ForkOutcome(msg.session))
        case BugWritten():
            return engine_events.on_written(model, msg.path, msg.problem)
        case Recovered():
            words = "not sent at the last start: it is in the prompt again"
            return toast(composer.give_back(model, msg.text), words, "warning", 8.0)
        case VimMoved():
            return key_routing.vim_moved(model, msg.mode, msg.missed)
        case Toggled():
            return state.toggle_row(model, msg.row, msg.group), ()
        case FilesNamed(paths):
            return named_files.ask(model, paths)
        case FileClicked(path, line):
            return named_files.open_file(model, path, line)
        case Scrolled():
            return state.on_scrolled(model, msg.following), ()
        case Copied():
            return engine_events.on_copied(model, msg)
        case ToastExpired():
            current = model.toast is not None and model.toast.number == msg.number
            return (replace(model, toast=None) if current else model), ()
        case Yielded():
            went = completion.go_through_files(search_prompt.went_on(model))
            rested: Step = opening.on_rest(went) if went.overlay is not None else (went, ())
            return (
                rested
                if model.held is None
                else then(rested, key_routing.settle_held(rested[0], rested=True))
            )
        case LookDue(kind):
            return opening.look_on(model, kind)
        case Pasted() if said := opening.refuses_pastes(model):
            return toast(model, said, "warning")
        case Pasted():
            first = key_guards.release_key(model)
            return then(first, pastes.on_paste(first[0], msg))
        case ChipClicked():
            return pastes.on_chip_click(model, msg.label)
        case OptionClicked():
            if model.overlay is None:
                return answering.click(model, msg.option)
            return control.click(model, draw.clicked_row(model, model.overlay, msg.option))
        case SettingsRead():
            told = settings.on_settings_read(model, msg)
            return then(told, opening.refresh(told[0])) if told[0].overlay is not None else told
        case FactsRead():
            model = replace(model, facts=msg.facts)
            return opening.refresh(model) if model.overlay is not None else (model, ())
        case FocusChanged():
            return notify.on_focus(model, msg.focused)
        case TerminalReturned():
            return following.show_again(model), ()
        case BranchRead():
            return notify.on_branch(model, msg.name), ()
        case GroundTold():
            return notify.on_ground(model, msg.dark)
        case EffectFailed():
            return toast(model, msg.text, "bad", 8.0)
        case _:
            assert_never(msg)


def _started(model: Model, msg: Started) -> Step:
    """The screen is up; what was asked on the command line is the first prompt."""
    model = replace(model, width=msg.width, height=msg.height, home=msg.home)
    if model.dialog is not None:  # what is asked comes first
        return composer.give_back(model, msg.prompt), ()
    return submit.submit(model, msg.prompt) if msg.prompt.strip() else (model, ())
