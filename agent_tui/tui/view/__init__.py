"""What the screen shows, as values: `view(model) -> View`."""

from agent_tui.tui.view.screen import view as view
