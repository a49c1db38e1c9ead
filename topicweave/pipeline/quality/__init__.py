"""Which rows of the input can be used: every other row is counted, and written to the quarantine with a reason."""
