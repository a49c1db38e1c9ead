"""The implementation of maintain and follow: how they start, a whole log, a stream of files."""
