"""What maintain and follow do: where they begin, a whole log, a stream of files."""
