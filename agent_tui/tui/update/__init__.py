"""`update(model, msg) -> (model, effects)`: what happens when something happened. Pure."""

from __future__ import annotations

from agent_tui.tui.update.dispatch import update as update
