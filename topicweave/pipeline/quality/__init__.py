"""Which rows can be used: every other row gets its reason, is counted, and kept in quarantine."""
