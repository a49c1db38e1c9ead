"""How the jobs maintain and follow work: their start, a complete log of events, and a stream of event files."""
