"""The tools: one file each. What they share is in `support`."""

NOT_REGISTERED = ("base", "support", "search_engines")
