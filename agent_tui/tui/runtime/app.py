"""The runtime of the screen: the only place that performs effects, drains the engine's events and
tells widgets what to show. What happens is decided in `update`, what is to be seen in `view`.
"""

from __future__ import annotations

import asyncio
import os
import time
import traceback
from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, assert_never

from textual import events
from textual.app import ComposeResult
from textual.theme import Theme as TextualTheme

from agent_tui.boot import terminal
from agent_tui.protocol.engine import Engine
from agent_tui.structures.file_address import file_address
from agent_tui.tui.core import effects as do
from agent_tui.tui.core import msg
from agent_tui.tui.core.keymap import grabbed_keys, is_typed
from agent_tui.tui.core.model import Model, VimMode, initial
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.history import Memory, PromptHistory
from agent_tui.tui.runtime.live_settings import LiveSettings
from agent_tui.tui.runtime.preload import Drawing, collect, warm
from agent_tui.tui.runtime.reconcile import Regions
from agent_tui.tui.runtime.recording import Taping, current_time
from agent_tui.tui.runtime.terminal_features import Surroundings
from agent_tui.tui.textual_port.canvas import AsciiFilter, Stage
from agent_tui.tui.textual_port.terminal import Terminal, Typed
from agent_tui.tui.transcript.widget import Transcript
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from agent_tui.tui.widgets.theme import Theme

if TYPE_CHECKING:
    from agent_tui.tui.dialog.widget import Dialog
    from agent_tui.tui.widgets.sheet import Overlay

POLL_SECONDS: Final = 0.1
UNDERWAY_SECONDS: Final = 0.05
"""So often it is looked whether the rest of a key has come."""


class AgentApp(Surroundings, inherit_bindings=False, inherit_css=False):
    """The full screen. Tests give it an engine of their own and a `model` to begin with."""

    CSS_PATH = "style.tcss"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#prompt"
    TITLE = "agent-tui"

    def __init__(
        self,
        engine: Engine,
        palette: Theme,
        *,
        history: PromptHistory | None = None,
        prompt: str = "",
        early: terminal.Early | None = None,
        at_once: bool = False,
        model: Model | None = None,
        settings: LiveSettings | None = None,
    ) -> None:
        self.palette = palette
        self._look = palette.textual()
        super().__init__(driver_class=Terminal)
        self._disable_tooltips = self._disable_notifications = (
            True  # widgets of Textual's that nothing here uses
        )
        self.early, self.model = early, model or initial()
        self._filters += [AsciiFilter()] if self.model.look.ascii else []
        self.crash, self.dispatched = "", 0
        self.times: deque[float] = deque(maxlen=200)
        self._memory = Memory(history, self.dispatch, lambda: self.model.recall)
        self._settings = settings or LiveSettings()
        self._first_prompt = prompt
        self._at_once = at_once or bool(prompt)
        self.link = Link(engine, self.look, keeps=history is not None)
        self._drawing = Drawing(self.look)
        self.taping = Taping(self.link, self._failed)
        self.regions = Regions(self.dispatch)
        self.regions.transcript.address = file_address(os.environ, os.uname().nodename)

    @property
    def current_theme(self) -> TextualTheme:
        """The palette's, from the beginning: a theme that is set later has all style sheets parsed
        again."""
        return self._look

    def get_default_screen(self) -> Stage:
        return Stage()

    def compose(self) -> ComposeResult:
        yield from self.regions.compose()

    # -- the beginning

    async def on_mount(self) -> None:
        asyncio.get_running_loop().set_exception_handler(self._callback_failed)
        self._poll = self.set_interval(POLL_SECONDS, self.poll, pause=True)
        width, height = self.size
        self.regions.fit(width, height)
        self.dispatch(
            msg.Started(width, height, self._first_prompt, str(Path.home()), at=current_time())
        )
        if isinstance(self._driver, Terminal):
            for event in self._driver.take_type_ahead():
                await self.on_event(event)

    def on_ready(self) -> None:
        """The first frame is painted: now what it did not need."""
        self.link.open(self._at_once)
        self.regions.place()
        self.screen.screen_layout_refresh_signal.subscribe(
            self, lambda _: self.regions.place(), immediate=True
        )
        self._memory.load()
        self.meet_terminal()
        self.give_back_typed()
        self._failed(self.palette.problem)
        self._warming = asyncio.create_task(warm(self._drawing))
        collect()

    async def on_event(self, event: events.Event) -> None:
        """All keys are the prompt's. Until the first frame it takes them at once, so that they are
        drawn in it."""
        if isinstance(event, events.Key | events.Paste | Typed) and not event.is_forwarded:
            if self.focused is not self.regions.prompt:
                self.screen.set_focus(self.regions.prompt)
            if not self.link.is_open:
                return await self.regions.prompt.on_event(event)
            if isinstance(event, Typed):
                self.app_focus = True
                return self.regions.prompt._forward_event(event)
        return await super().on_event(event)

    # -- the one way everything goes

    def dispatch(self, *messages: msg.Msg) -> None:
        """Tell the core what happened, show what is different now, do what it wants done."""
        model, wanted, began = self.model, list[do.Effect](), time.perf_counter()
        for message in messages:
            before, (model, effects) = model, update(model, message)
            self.taping.write_step(message, before, model)
            wanted.extend(effects)
        self.model = model
        self.regions.show(view(model))
        self.dispatched += len(messages)
        self.times.append(time.perf_counter() - began)
        for effect in wanted:
            try:
                self._perform(effect)
            except Exception as error:  # noqa: BLE001  the boundary of effects: what cannot be done is said
                self._failed(f"{type(effect).__name__}: {error}")

    def _perform(self, effect: do.Effect) -> None:
        match effect:
            case do.Send() | do.SendKey():
                if self.link.send(effect.fill_op(self.regions.prompt.text)):
                    self._poll.resume()
                if problem := self.link.unrecorded.take_problem():
                    self._failed(f"typed text is not saved until agent-tui has started: {problem}")
            case do.Quit():
                self.exit(0)
            case do.Copy(text):
                self.copy_to_clipboard(text)
            case do.Mouse(taken):
                self.take_mouse(taken)
            case do.CopySelection() | do.ClearSelection():
                if isinstance(effect, do.CopySelection):
                    self.copy_to_clipboard(
                        self.screen.get_selected_text() or self.regions.prompt.selected_text
                    )
                self.screen.clear_selection()
            case do.Remember(text):
                self._memory.add(text)
            case do.ReadHistory(number):
                self._memory.read(number)
            case do.EditDraft(text):
                self.edit_outside(text)
            case do.LookBack() | do.WriteBug() | do.OpenFile():
                self._failed(self.run_own(effect))
            case do.Suspend():
                self.suspend_to_shell()
            case do.ExpireToast(number, seconds):
                expired = msg.ToastExpired(at=current_time() + seconds, number=number)
                asyncio.get_running_loop().call_later(seconds, self.dispatch, expired)
            case do.Scroll(where):
                self.regions.transcript.scroll_view(where)
            case do.Type(character, key):
                self.regions.prompt.take_key(key, character)
                self.regions.prompt.tell()
            case do.ReadSettings(of_project):
                self.dispatch(self._settings.read(project=of_project))
            case do.WriteSetting() | do.WriteSecret():
                self.dispatch(self._settings.perform(effect, self.regions.prompt.text.strip()))
            case do.ReadFacts():
                from agent_tui.tui.runtime.facts import facts

                self.dispatch(msg.FactsRead(facts(self), at=current_time()))
            case do.UseTheme(name):
                self.use_theme(self._settings.theme(name))
            case do.UseGround(dark):
                self.use_theme(self._settings.theme_for_ground(dark))
            case do.ReadBranch(cwd):
                self.dispatch(msg.BranchRead(self.branch(cwd), at=current_time()))
            case do.SetTitle(text):
                self.set_title(text)
            case do.Notify(text, bell):
                self.notify_outside(text, bell)
            case do.Yield() | do.LookLater():
                self._tell_later(effect)
            case _:
                assert_never(effect)

    def _tell_later(self, effect: do.Yield | do.LookLater) -> None:
        """So many seconds have passed."""
        loop = asyncio.get_running_loop()
        if isinstance(effect, do.Yield):
            loop.call_later(effect.seconds, self._rested)
        else:
            loop.call_later(effect.seconds, self._look_due, effect.kind)

    def _look_due(self, kind: str) -> None:
        self.dispatch(msg.LookDue(kind, at=current_time()))

    def _rested(self, waited: bool = False) -> None:
        """So long nothing came: but the beginning of a key may have, which is waited for. What
        became of it is handled first."""
        underway = self.is_key_underway
        if underway or waited:
            again = partial(self._rested, underway)
            asyncio.get_running_loop().call_later(UNDERWAY_SECONDS, again)
        else:
            self.dispatch(msg.Yielded(at=current_time()))

    # -- the engine

    def look(self) -> None:
        """The engine has said something, or may have."""
        self._poll.resume()
        self._drain()

    def poll(self) -> None:
        """Every 100 ms while anything runs."""
        if not self._drain() and self.model.is_running:
            self.dispatch(msg.Ticked(at=current_time()))
        if not self.model.is_running and self.link.rest():
            self._poll.pause()

    def _drain(self) -> bool:
        if self.model.is_running and not self._drawing.is_loaded():
            self.link.overhear()
            return False  # what the engine says waits; keys do not
        if taken := self.link.take():
            self.dispatch(msg.EventsArrived(at=current_time(), events=taken))
        return bool(taken) or self.link.is_behind

    # -- what the prompt and the transcript tell

    def key_came(self) -> None:
        self.link.key_came()

    def draft_changed(self, text: str, caret: int) -> None:
        self.dispatch(msg.DraftChanged(at=current_time(), text=text, caret=caret))

    def on_submit(self, text: str) -> None:
        self.dispatch(msg.Submitted(at=current_time(), text=text))

    def on_paste_text(self, text: str, unmarked: bool) -> None:
        self.dispatch(msg.Pasted(at=current_time(), text=text, unmarked=unmarked))

    def chip_clicked(self, label: str) -> None:
        self.dispatch(msg.ChipClicked(at=current_time(), label=label))

    def history_asked(self, step: int, draft: str) -> None:
        if step < 0 and self.model.composer.browsing < 0:
            self._memory.reload()
        self.dispatch(msg.HistoryAsked(at=current_time(), step=step, draft=draft))

    def vim_moved(self, mode: VimMode, missed: str = "") -> None:
        self.dispatch(msg.VimMoved(at=current_time(), mode=mode, missed=missed))

    def key_aside(self, key: str) -> bool:
        return self.regions.takes(key)

    def only_text(self, keys: Sequence[events.Key], first: int, free: bool) -> int:
        return self.regions.only_text(self.model, keys, first, free)

    def key_taken(self, key: str, character: str, draft: str) -> bool:
        if not self.regions.takes(key) and (
            is_typed(key) or key not in grabbed_keys(self.model.keys)
        ):
            return False
        self.dispatch(self.regions.key_message(key, character, draft, bool(self.screen.selections)))
        return True

    def on_mouse_scroll_up(self) -> None:
        """The wheel moves the transcript wherever the pointer is, or the sheet that is open."""
        self._wheel("up")

    def on_mouse_scroll_down(self) -> None:
        self._wheel("down")

    def _wheel(self, way: str) -> None:
        if self.model.is_covered:
            draft, asked = self.model.composer.draft, self.regions.part
            self.dispatch(
                msg.KeyPressed(at=current_time(), key=f"wheel{way}", draft=draft, asked=asked)
            )
        else:
            self.regions.wheel(f"line_{way}")

    def on_overlay_clicked(self, event: Overlay.Clicked) -> None:
        self.dispatch(msg.OptionClicked(at=current_time(), option=event.option))

    def on_dialog_clicked(self, event: Dialog.Clicked) -> None:
        self.dispatch(msg.OptionClicked(at=current_time(), option=event.row))

    def on_transcript_toggled(self, event: Transcript.Toggled) -> None:
        self.dispatch(msg.Toggled(at=current_time(), row=event.row, group=event.group))

    def on_transcript_scrolled(self, event: Transcript.Scrolled) -> None:
        self.dispatch(msg.Scrolled(at=current_time(), following=event.following))

    def on_transcript_link_clicked(self, event: Transcript.LinkClicked) -> None:
        """The terminal opens links (they are real ones); a click here copies the address."""
        self.copy_to_clipboard(event.href)

    def on_transcript_file_clicked(self, event: Transcript.FileClicked) -> None:
        self.dispatch(msg.FileClicked(event.path, event.line, at=current_time()))

    def on_transcript_files_named(self, event: Transcript.FilesNamed) -> None:
        self.dispatch(msg.FilesNamed(event.paths, at=current_time()))

    # -- the terminal

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.regions.fit(width, height)
        self.dispatch(msg.Resized(at=current_time(), width=width, height=height))

    def use_theme(self, palette: Theme | None) -> None:
        """Draw everything in other colours, from now on; None: in the same."""
        if palette is None or palette == self.palette:
            return
        self.palette, self._look = palette, palette.textual()
        self._watch_theme("")
        self.call_next(self.regions.restyle)
        if palette.problem:
            self.dispatch(msg.EffectFailed(at=current_time(), text=palette.problem))

    def end_by_signal(self, number: int) -> None:
        """TERM, HUP, INT, QUIT, or a terminal that is gone."""
        self.exit(128 + number, return_code=128 + number)

    def _handle_exception(self, error: Exception) -> None:
        self.crash = self.crash or "".join(traceback.format_exception(error))
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Something in here is broken: the screen ends, and `run` prints what it was (no values of
        variables)."""
        self._close_messages_no_wait()

    def _callback_failed(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What a timer of the loop raised is an error like any other."""
        if isinstance(error := context.get("exception"), Exception):
            self._handle_exception(error)

    def on_copied(self, text: str) -> None:
        self.dispatch(msg.Copied(at=current_time(), chars=len(text), text=text))

    def _failed(self, text: str) -> None:
        """Say what could not be done; nothing if there is nothing to say."""
        if text:
            self.dispatch(msg.EffectFailed(at=current_time(), text=text))
