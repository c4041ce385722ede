"""The linear mode (`agent-tui chat`): plain lines, only ever appended, for screen readers, dumb
terminals and pipes.

The same `update` as the full screen, with another runtime. Nothing of Textual or Rich is imported
here.
"""
