"""The one function that decides: `update(model, msg) -> (model, effects)`."""

from agent_tui.tui.update.dispatch import update as update
