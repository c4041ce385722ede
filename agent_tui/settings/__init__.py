"""Settings: one row a setting (`table`), and reading them from every place that sets them
(`layers`)."""
