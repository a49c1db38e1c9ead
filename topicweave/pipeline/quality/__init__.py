"""Which rows can be used: every other row gets a reason, is counted, and kept in the quarantine."""
